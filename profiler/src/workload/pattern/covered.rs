//! Random offsets for several block sizes: each part of the file at most once, sizes kept whole.
//!
//! One bit for each granule (the smallest block) tells what was touched; candidates come in the
//! order of a permutation of the granules.

use super::{Permutation, Random, Spot};
use crate::workload::plan::Job;
use crate::workload::split::Split;

/// What of a region was touched, and where to look next.
pub struct Covered {
    order: Permutation,
    next: u64,
    granule: u64,
    granules: u64,
    taken: Vec<u64>,
}

impl Covered {
    pub(super) fn new(job: &Job, region: u64, seed: u64) -> Self {
        let granule = job.smallest_block();
        let granules = region / granule;
        Self {
            order: Permutation::new(granules, seed),
            next: 0,
            granule,
            granules,
            taken: vec![0; granules.div_ceil(64) as usize],
        }
    }

    pub(super) fn next(&mut self, job: &Job, write: bool, random: &mut Random) -> Option<Spot> {
        let mixed = job.access.reads && job.access.writes;
        while self.next < self.granules {
            let candidate = self.order.at(self.next);
            self.next += 1;
            if self.is_taken(candidate) {
                continue;
            }
            // Where the wished direction has no room the other one may have it.
            for write in [write, !write].into_iter().take(1 + usize::from(mixed)) {
                if let Some(spot) = self.place(job, write, candidate, random) {
                    return Some(spot);
                }
            }
        }
        None
    }

    fn place(
        &mut self,
        job: &Job,
        write: bool,
        candidate: u64,
        random: &mut Random,
    ) -> Option<Spot> {
        let split: &Split = if write {
            &job.write_blocks
        } else {
            &job.read_blocks
        };
        let align = (job.align_bytes[usize::from(write)] / self.granule).max(1);
        let aligned = candidate - candidate % align;
        let start = if self.is_taken(aligned) {
            candidate
        } else {
            aligned
        };
        let most = split.largest().div_ceil(self.granule);
        let free = (start..self.granules.min(start + most))
            .take_while(|granule| !self.is_taken(*granule))
            .count() as u64;
        let length = split.pick(random.next(), free * self.granule)?;
        for granule in start..start + length.div_ceil(self.granule) {
            self.taken[(granule / 64) as usize] |= 1 << (granule % 64);
        }
        Some(Spot {
            write,
            offset: start * self.granule,
            length,
        })
    }

    fn is_taken(&self, granule: u64) -> bool {
        self.taken[(granule / 64) as usize] & (1 << (granule % 64)) != 0
    }
}
