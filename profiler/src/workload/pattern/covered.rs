//! Random offsets for several block sizes, with the random map of fio.
//!
//! An offset is drawn at random; where it was touched before, the next free one follows. The size
//! is drawn from the table, and cut where it would reach into something touched before. So most
//! small I/Os of a pass are cut ones, and the table holds for the sizes that were asked for.
//!
//! Each direction counts the map in smallest blocks of its own. Where those differ, reads and
//! writes mark each other's numbers, not bytes, and a free number can lie past the end of the
//! direction with the larger blocks: that ends the pass early, as it does in fio.

use super::vacancy::Vacancy;
use super::{Random, Spot};
use crate::workload::plan::Job;
use crate::workload::spec::Way;

/// What of a region was touched.
pub struct Covered {
    region: u64,
    free: Vacancy,
    over: bool,
}

impl Covered {
    pub(super) fn new(job: &Job, region: u64) -> Self {
        Self {
            region,
            free: Vacancy::new(region / job.smallest_block()),
            over: false,
        }
    }

    pub(super) fn next(&mut self, job: &Job, way: Way, random: &mut Random) -> Option<Spot> {
        if self.over {
            return None;
        }
        let spot = self.place(job, way, random);
        self.over = spot.is_none();
        spot
    }

    fn place(&mut self, job: &Job, way: Way, random: &mut Random) -> Option<Spot> {
        let split = &job.blocks[way as usize];
        let unit = split.smallest();
        let wished = random.below(self.region / unit);
        let start = self.free.first_from(wished)?;
        let offset = start.checked_mul(unit).filter(|at| *at < self.region)?;
        let wanted = split.pick(random.next(), self.region - offset)?;
        let blocks = self.free.take(start, wanted.div_ceil(unit));
        Some(Spot {
            way,
            offset,
            length: wanted.min(blocks * unit),
        })
    }
}
