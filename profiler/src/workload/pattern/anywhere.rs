//! Random offsets of which any may come again: without a map, drawn unevenly, or in short runs.

use super::skew::Skew;
use super::{Random, Spot};
use crate::workload::plan::Job;
use crate::workload::spec::Way;

/// The offsets of one file.
pub struct Anywhere {
    region: u64,
    skew: [Option<Skew>; 3],
    /// Start and end of the last I/O of each way.
    last: [Option<(u64, u64)>; 3],
    /// I/Os until a new offset is drawn.
    left: u64,
}

impl Anywhere {
    pub(super) fn new(job: &Job, region: u64, seed: u64) -> Self {
        let skew = Way::ALL.map(|way| {
            let step = step(job, way);
            let n = room(job, region, way) / step + 1;
            Skew::new(&job.distribution, way as usize, n, step, seed)
        });
        Self {
            region,
            skew,
            last: [None; 3],
            left: 0,
        }
    }

    #[inline]
    pub(super) fn next(&mut self, job: &Job, way: Way, random: &mut Random) -> Option<Spot> {
        let offset = match self.going_on(job, way, random) {
            Some(offset) => offset,
            None => {
                let step = step(job, way);
                let block = match &self.skew[way as usize] {
                    Some(skew) => skew.draw(random),
                    None => random.below(room(job, self.region, way) / step + 1),
                };
                block * step
            }
        };
        let length = job.blocks[way as usize].pick(random.next(), self.region - offset)?;
        self.last[way as usize] = Some((offset, offset + length));
        Some(Spot {
            way,
            offset,
            length,
        })
    }

    /// Where the last I/O leads, when none is drawn.
    fn going_on(&mut self, job: &Job, way: Way, random: &mut Random) -> Option<u64> {
        let (start, end) = self.last[way as usize]?;
        if self.left > 0 {
            self.left -= 1;
        } else {
            self.left = job.access.run - 1;
            let percent = job.random_percent[way as usize];
            if percent == 100 || random.below(100) < percent {
                return None;
            }
        }
        if job.access.stays {
            return Some(start);
        }
        let fits = end + job.blocks[way as usize].smallest() <= self.region;
        fits.then_some(end)
    }
}

fn step(job: &Job, way: Way) -> u64 {
    job.align_bytes[way as usize].max(1)
}

/// The last byte that a smallest block may start at.
fn room(job: &Job, region: u64, way: Way) -> u64 {
    region.saturating_sub(job.blocks[way as usize].smallest())
}
