//! When each I/O of a job with a rate is meant to start, whatever became of those before it.
//!
//! The schedule never looks at the clock: a target that stalls does not move it, so the I/Os that
//! should have started meanwhile are late, and their lateness is part of their latency.

use crate::workload::pattern::Random;
use crate::workload::plan::Job;
use crate::workload::spec::{Process, Rate, Way};

const SECOND: u128 = 1_000_000_000;

pub(super) struct Schedule {
    rates: [Option<Rate>; 3],
    process: Process,
    start: u64,
    /// What was begun of each way, in I/Os or bytes.
    begun: [u64; 3],
    /// Nanoseconds from the start to the next of each way, for steps drawn at random.
    drawn: [f64; 3],
    random: Random,
}

impl Schedule {
    pub(super) fn new(job: &Job, start: u64) -> Self {
        let mut schedule = Self {
            rates: job.rate,
            process: job.process,
            start,
            begun: [0; 3],
            drawn: [0.0; 3],
            random: Random::new(job.seed ^ 0x9a7e),
        };
        for way in Way::ALL {
            schedule.step(way, job.blocks[way as usize].smallest());
        }
        schedule.begun = [0; 3];
        schedule
    }

    /// The intended start of the next I/O of a way; `None`: as soon as possible.
    #[inline]
    pub(super) fn due(&self, way: Way) -> Option<u64> {
        let rate = self.rates[way as usize]?;
        let after = match (self.process, rate) {
            (Process::Poisson, _) => self.drawn[way as usize] as u64,
            (_, Rate::IosPerSecond(rate) | Rate::BytesPerSecond(rate)) => {
                let passed = u128::from(self.begun[way as usize]) * SECOND / u128::from(rate);
                u64::try_from(passed).unwrap_or(u64::MAX)
            }
        };
        Some(self.start.saturating_add(after))
    }

    /// An I/O was begun: the next is one step later.
    #[inline]
    pub(super) fn step(&mut self, way: Way, length: u64) {
        let (amount, rate) = match self.rates[way as usize] {
            None => return,
            Some(Rate::IosPerSecond(rate)) => (1, rate),
            Some(Rate::BytesPerSecond(rate)) => (length, rate),
        };
        self.begun[way as usize] += amount;
        if self.process == Process::Poisson {
            let uniform = (self.random.next() >> 11) as f64 / (1u64 << 53) as f64;
            let mean = amount as f64 * 1e9 / rate as f64;
            self.drawn[way as usize] -= mean * (1.0 - uniform).ln();
        }
    }

    /// I/Os that were meant to start before `end` and were not; `None` where steps are in bytes or
    /// drawn at random.
    pub(super) fn missed(&self, end: u64) -> Option<u64> {
        let mut missed = 0;
        for (rate, begun) in self.rates.iter().zip(self.begun) {
            match rate {
                None => {}
                Some(Rate::IosPerSecond(rate)) if self.process == Process::Linear => {
                    let passed = u128::from(end.saturating_sub(self.start)) * u128::from(*rate);
                    let meant = u64::try_from(passed.div_ceil(SECOND)).unwrap_or(u64::MAX);
                    missed += meant.saturating_sub(begun);
                }
                Some(_) => return None,
            }
        }
        Some(missed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::testing::job;

    fn dues(options: &str, n: u64) -> Vec<u64> {
        let job = job(options);
        let mut schedule = Schedule::new(&job, 1_000);
        (0..n)
            .map(|_| {
                let due = schedule.due(Way::Read).unwrap();
                schedule.step(Way::Read, 4096);
                due
            })
            .collect()
    }

    #[test]
    fn even_steps_do_not_drift() {
        // 3 a second: thirds of a second, rounded down each for itself.
        let seen = dues("rw=read\nsize=1m\nrate_iops=3", 4);
        assert_eq!(seen, [1_000, 333_334_333, 666_667_666, 1_000_001_000]);
        // 1 MiB a second in 4 KiB: 256 a second.
        assert_eq!(dues("rw=read\nsize=1m\nrate=1m", 257)[256], 1_000_001_000);
    }

    #[test]
    fn random_steps_have_the_mean_and_spread_of_a_poisson_process() {
        let seen = dues(
            "rw=read\nsize=1m\nrate_iops=1000\nrate_process=poisson",
            100_001,
        );
        let gaps: Vec<f64> = seen.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // An exponential distribution: mean and standard deviation are both 1 ms. The standard
        // error of the mean is 1 ms / sqrt(100,000) = 3.2 us: six of them.
        assert!((mean - 1e6).abs() < 19_000.0, "{mean}");
        assert!(
            (variance.sqrt() - 1e6).abs() < 40_000.0,
            "{}",
            variance.sqrt()
        );
    }

    #[test]
    fn what_was_meant_to_start_and_did_not_is_counted() {
        let job = job("rw=read\nsize=1m\nrate_iops=1000");
        let mut schedule = Schedule::new(&job, 0);
        for _ in 0..40 {
            schedule.step(Way::Read, 4096);
        }
        assert_eq!(schedule.missed(100_000_000), Some(60));
        assert_eq!(schedule.missed(1), Some(0));
    }
}
