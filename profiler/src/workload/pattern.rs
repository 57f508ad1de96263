//! Which offset comes next: in order, at random, or at random with each block once.

mod anywhere;
mod covered;
mod permutation;
mod random;
mod skew;
mod vacancy;

pub use permutation::Permutation;
pub use random::Random;

use super::plan::Job;
use super::spec::{Distribution, Turn, Way};
use anywhere::Anywhere;
use covered::Covered;

/// Where a chosen I/O goes, relative to the start of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub way: Way,
    pub offset: u64,
    pub length: u64,
}

/// The offsets of one file for one clone.
pub enum Pattern {
    Sequential(Sequential),
    /// One block size: block `order.at(i)` is the i-th to be touched.
    Once {
        order: Permutation,
        next: u64,
        block: u64,
    },
    /// Several block sizes, each block at most once.
    Covered(Covered),
    Anywhere(Box<Anywhere>),
}

/// A position for each direction, that moves on by the block and the gap.
pub struct Sequential {
    position: [u64; 3],
    region: u64,
    /// Where the region starts in the file, and how long the file is.
    start: u64,
    file: u64,
    gap: i64,
    /// At the end of the region a direction starts over by itself.
    wraps: bool,
}

impl Pattern {
    /// The offsets of file `file` of a job; `pass` counts how often its files were gone through.
    pub fn new(job: &Job, file: usize, pass: u64) -> Self {
        let region = job.files[file].region_bytes;
        let seed = job.seed ^ (file as u64).rotate_left(32) ^ pass.rotate_left(48);
        if !job.access.random {
            let endless = super::plan::BetweenPasses::Nothing;
            // One file after another: the next one's turn comes when this one is through.
            let in_turn = job.turn == Turn::Sequential && job.files.len() > 1;
            return Self::Sequential(Sequential {
                position: [0; 3],
                region,
                start: job.files[file].offset_bytes,
                file: job.files[file].file_bytes(),
                gap: job.access.gap_bytes,
                wraps: job.time_based && job.between_passes == endless && !in_turn,
            });
        }
        if !job.has_map() {
            return Self::Anywhere(Box::new(Anywhere::new(job, region, job.seed)));
        }
        match job.single_block() {
            Some(block) => Self::Once {
                order: Permutation::new(region / block, seed),
                next: 0,
                block,
            },
            None => Self::Covered(Covered::new(job, region)),
        }
    }

    /// The next I/O in the wished direction; `None`: the file is through.
    #[inline]
    pub fn next(&mut self, job: &Job, way: Way, random: &mut Random) -> Option<Spot> {
        match self {
            Self::Sequential(sequential) => sequential.next(job, way, random),
            Self::Once { order, next, block } => {
                if *next >= order.len() {
                    return None;
                }
                let offset = order.at(*next) * *block;
                *next += 1;
                Some(Spot {
                    way,
                    offset,
                    length: *block,
                })
            }
            Self::Covered(covered) => covered.next(job, way, random),
            Self::Anywhere(anywhere) => anywhere.next(job, way, random),
        }
    }
}

impl Sequential {
    #[inline]
    fn next(&mut self, job: &Job, way: Way, random: &mut Random) -> Option<Spot> {
        let split = &job.blocks[way as usize];
        let mut offset = self.position[way as usize];
        if offset > 0 && self.gap != 0 {
            offset = self.moved(offset);
        }
        let mut room = self.region - offset.min(self.region);
        if self.wraps && room < split.smallest() {
            offset = 0;
            room = self.region;
        }
        let length = match split.single() {
            Some(length) if length <= room => length,
            Some(_) => return None,
            None => split.pick(random.next(), room)?,
        };
        self.position[way as usize] = offset + length;
        Some(Spot {
            way,
            offset,
            length,
        })
    }

    /// The gap after a block. As in fio one that leads from inside the file past its end starts
    /// over, and one that leads before its start goes on at the end.
    fn moved(&self, offset: u64) -> u64 {
        if self.gap < 0 {
            let back = self.gap.unsigned_abs();
            let from = if back > offset { self.region } else { offset };
            return from.saturating_sub(back);
        }
        if self.start + offset >= self.file {
            return offset;
        }
        match offset.saturating_add(self.gap.unsigned_abs()) {
            over if over >= self.file => 0,
            offset => offset,
        }
    }
}

impl Job {
    /// Each block is touched once a pass: only of even draws, each of which is one.
    pub fn has_map(&self) -> bool {
        self.random_map
            && self.distribution == Distribution::Even
            && self.access.run == 1
            && self.random_percent == [100; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::testing::{job, plan};

    fn way(write: bool) -> Way {
        if write { Way::Write } else { Way::Read }
    }

    fn run(job: &Job, writes: impl Fn(u64) -> bool) -> Vec<Spot> {
        let mut pattern = Pattern::new(job, 0, 0);
        let mut random = Random::new(1);
        (0..)
            .map_while(|i| pattern.next(job, way(writes(i)), &mut random))
            .collect()
    }

    #[test]
    fn a_gap_is_added_after_every_read() {
        // fio 3.33: 85 reads, the last at 126 MiB.
        let spots = run(&job("rw=read:512k\nsize=128m\nbs=1m"), |_| false);
        assert_eq!(spots.len(), 85);
        assert_eq!(
            [spots[0].offset, spots[1].offset, spots[2].offset],
            [0, 3 << 19, 3 << 20]
        );
        assert_eq!(spots[84].offset, 126 << 20);
    }

    #[test]
    fn sequential_blocks_stop_where_none_fits() {
        // fio 3.33: 102 writes of 2300 bytes in 230 KiB.
        let spots = run(&job("rw=write\nsize=230k\nbs=2300"), |_| true);
        assert_eq!(spots.len(), 102);
        assert_eq!(spots[101].offset, 101 * 2300);
    }

    #[test]
    fn mixed_sizes_at_random_touch_every_byte_once() {
        let job = job("rw=randwrite\nsize=1m\nbssplit=512/25:1k/:2k/:4k/");
        let mut seen = vec![0u8; 1 << 20];
        for spot in run(&job, |_| true) {
            assert!(spot.length % 512 == 0 && (512..=4096).contains(&spot.length));
            seen[spot.offset as usize..][..spot.length as usize]
                .iter_mut()
                .for_each(|byte| *byte += 1);
        }
        assert!(seen.iter().all(|n| *n == 1));
    }

    /// Reads and writes of one pass whose directions a seed chooses.
    fn mixed(job: &Job, seed: u64) -> [f64; 2] {
        let (mut pattern, mut random) = (Pattern::new(job, 0, 0), Random::new(seed));
        let mut counts = [0.0; 2];
        loop {
            let write =
                job.access.writes && (!job.access.reads || random.below(100) >= job.read_percent);
            match pattern.next(job, way(write), &mut random) {
                Some(spot) => counts[usize::from(spot.way.destroys())] += 1.0,
                None => return counts,
            }
        }
    }

    #[test]
    fn counts_of_mixed_sizes_are_those_of_fio() {
        // Means of 60 or more seeds of fio 3.33 (ioengine=null); `off` is more than five standard errors
        // of the difference, from the spread that fio itself shows.
        for (options, passes, [reads, writes], off) in [
            (
                "rw=randread\nsize=1g\nbssplit=4k/50:64k/50",
                3,
                [51_500.0, 0.0],
                0.03,
            ),
            (
                "rw=randread\nsize=256m\nbssplit=4k/90:64k/10",
                5,
                [48_058.0, 0.0],
                0.03,
            ),
            (
                "rw=randwrite\nsize=8m\nbssplit=512/25:1k/:2k/:4k/",
                20,
                [0.0, 6_017.0],
                0.02,
            ),
            (
                "rw=randrw\nsize=256m\nbssplit=4k/50:64k/50\nrwmixread=70",
                10,
                [9_006.0, 3_875.0],
                0.03,
            ),
            (
                "rw=randrw\nsize=1g\nbssplit=64k/40:1024k/60,1024k/100",
                400,
                [551.0, 555.0],
                0.25,
            ),
            (
                "rw=randrw\nsize=64m\nbs=4k,8k",
                200,
                [4_180.0, 4_191.0],
                0.2,
            ),
        ] {
            let job = job(options);
            let mut sums = [0.0; 2];
            for seed in 0..passes {
                let counts = mixed(&job, seed);
                sums = [sums[0] + counts[0], sums[1] + counts[1]];
            }
            for (sum, expected) in sums.into_iter().zip([reads, writes]) {
                let mean = sum / passes as f64;
                assert!(
                    (mean - expected).abs() <= expected * off,
                    "{options}: {mean}, fio {expected}"
                );
            }
        }
    }

    #[test]
    fn sizes_are_cut_as_often_as_in_fio() {
        // Latency log of fio 3.33: 54.7 % of the reads have 4 KiB, 15.9 % 64 KiB, the rest lies between.
        let spots = run(&job("rw=randread\nsize=256m\nbssplit=4k/50:64k/50"), |_| {
            false
        });
        for (length, expected) in [(4 << 10, 0.547), (64 << 10, 0.159)] {
            let count = spots.iter().filter(|spot| spot.length == length).count();
            let share = count as f64 / spots.len() as f64;
            assert!((share - expected).abs() < 0.02, "{length}: {share}");
        }
    }

    #[test]
    fn without_a_map_offsets_stay_inside_and_aligned() {
        let job = job("rw=randread\nsize=100k\nbs=3k\nnorandommap");
        let (mut pattern, mut random) = (Pattern::new(&job, 0, 0), Random::new(7));
        for _ in 0..1000 {
            let spot = pattern.next(&job, Way::Read, &mut random).unwrap();
            assert!(spot.offset % 3072 == 0 && spot.offset + spot.length <= 102_400);
        }
    }

    #[test]
    fn other_clones_go_another_way() {
        let plan = plan("rw=randread\nsize=1m\nnumjobs=2");
        let [a, b] = [run(&plan.jobs[0], |_| false), run(&plan.jobs[1], |_| false)];
        assert_eq!(a.len(), b.len());
        assert_ne!(a, b);
    }
}
