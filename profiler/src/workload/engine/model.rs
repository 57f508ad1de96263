//! A disk and its clock in memory, for tests of the loops: no time passes but what it says.

use super::course::{Course, Io};
use super::queue::{self, Queue, Work};
use super::serial::{self, Serial};
use super::tally::{Kind, Tally};
use crate::capture::JobOp;
use crate::workload::Stop;
use crate::workload::plan::Job;
use crate::workload::testing::job;
use std::collections::VecDeque;

/// Serves one I/O after another in a fixed time each, and once not at all for a while.
struct Disk {
    now: u64,
    service: u64,
    stall: std::ops::Range<u64>,
    /// When it is through with all it was given.
    busy_until: u64,
    /// Slots and when each completes.
    flying: VecDeque<(usize, u64, i32)>,
}

impl Disk {
    fn new(service: u64, stall: std::ops::Range<u64>) -> Self {
        Self {
            now: 0,
            service,
            stall,
            busy_until: 0,
            flying: VecDeque::new(),
        }
    }

    /// When an I/O handed in now completes.
    fn completes(&mut self) -> u64 {
        let mut begin = self.busy_until.max(self.now);
        if self.stall.contains(&begin) {
            begin = self.stall.end;
        }
        self.busy_until = begin + self.service;
        self.busy_until
    }
}

impl Serial for Disk {
    fn now(&mut self) -> u64 {
        self.now
    }

    fn sleep_until(&mut self, until: u64, _: &Stop) -> u64 {
        self.now = self.now.max(until);
        self.now
    }

    fn prepare(&mut self, _: &Io) {}

    fn transfer(&mut self, _: &Io) -> Result<(), String> {
        self.now = self.completes();
        Ok(())
    }

    fn sync(&mut self, _: Kind, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn between(&mut self, _: &Job) -> Result<(), String> {
        Ok(())
    }
}

impl Queue for Disk {
    fn now(&mut self) -> u64 {
        self.now
    }

    fn sleep_until(&mut self, until: u64, stop: &Stop) -> u64 {
        Serial::sleep_until(self, until, stop)
    }

    fn prepare(&mut self, _: usize, _: &Io) {}

    fn push(&mut self, slot: usize, work: &Work) -> Result<(), String> {
        let at = self.completes();
        let result = match work {
            Work::Io(io, _) => io.length as i32,
            Work::Sync(..) => 0,
        };
        self.flying.push_back((slot, at, result));
        Ok(())
    }

    fn exchange(&mut self, _: u64, wait: usize, until: Option<u64>) -> Result<(), String> {
        let Some((_, at, _)) = wait.checked_sub(1).and_then(|last| self.flying.get(last)) else {
            return Ok(());
        };
        self.now = self.now.max(until.map_or(*at, |until| until.min(*at)));
        Ok(())
    }

    fn pop(&mut self) -> Option<(usize, i32)> {
        let (slot, at, result) = *self.flying.front()?;
        (at <= self.now).then(|| {
            self.flying.pop_front();
            (slot, result)
        })
    }

    fn between(&mut self, _: &Job) -> Result<(), String> {
        Ok(())
    }

    fn took(&mut self, _: u64) {}

    fn message(&self, _: &Work, result: i32) -> String {
        format!("result {result}")
    }

    fn abandon(&mut self) {}
}

const MS: u64 = 1_000_000;
/// 100,000 reads at 1,000 a second, 0.1 ms each; from 10 s to 11 s nothing moves.
const RATED: &str = "rw=randread\nsize=1m\ntime_based\nruntime=1d\nnumber_ios=100000";

fn serial(options: &str) -> JobOp {
    let job = job(options);
    let stop = Stop::default();
    let mut tally = Tally::new(0, false, job.has_rate());
    let mut disk = Disk::new(MS / 10, 10_000 * MS..11_000 * MS);
    serial::run(&mut Course::new(&job, &stop, 0), &mut disk, &mut tally).unwrap();
    assert_eq!(tally.n(Kind::Read), 100_000);
    tally.into_ops().remove("read").unwrap()
}

fn queued(options: &str, depth: u32) -> JobOp {
    let mut job = job(options);
    job.depth = depth;
    job.batch.low = u64::from(depth);
    job.batch.submit = u64::from(depth);
    job.batch.complete_max = u64::from(depth);
    let stop = Stop::default();
    let mut tally = Tally::new(0, true, job.has_rate());
    let mut disk = Disk::new(MS / 10, 10_000 * MS..11_000 * MS);
    queue::run(&mut Course::new(&job, &stop, 0), &mut disk, &mut tally).unwrap();
    assert_eq!(tally.n(Kind::Read), 100_000);
    tally.into_ops().remove("read").unwrap()
}

fn quantile_ms(histogram: &crate::capture::Histogram, q: f64) -> f64 {
    histogram.quantile(q).unwrap().value / 1e6
}

#[test]
fn a_stall_at_a_fixed_rate_is_in_the_latency_of_all_it_held_up() {
    // The k-th I/O after the stall begins is meant to start at k ms. The backlog is served at 0.1 ms
    // each from 1,000 ms on, so it completes at 1,000 + 0.1 (k + 1) ms and waited
    // 1,000.1 - 0.9 k ms. Of 100,000 latencies the 100th largest is the one of k = 99 or 100:
    // 910 ms. Depth does not matter to a disk that serves one after another.
    let rated = format!("{RATED}\nrate_iops=1000");
    for op in [serial(&rated), queued(&rated, 1), queued(&rated, 32)] {
        let p999 = quantile_ms(&op.latency_ns, 0.999);
        assert!((p999 - 910.0).abs() <= 910.0 * 0.01, "{p999}");
        let median = quantile_ms(&op.latency_ns, 0.5);
        assert!((median - 0.1).abs() <= 0.1 * 0.01, "{median}");
        assert_eq!(op.max_ns, Some(1_000 * MS + MS / 10));
    }
}

#[test]
fn the_lag_tells_what_waited_for_the_engine_and_not_for_the_target() {
    let rated = format!("{RATED}\nrate_iops=1000");
    // One at a time: all but the first wait in the engine.
    let op = serial(&rated);
    let lag = op.spans.lag.unwrap();
    assert!((quantile_ms(&lag.histogram, 0.999) - 910.0).abs() <= 9.1);
    // The target itself is slow once: what a closed loop would have seen.
    let completion = op.spans.completion.unwrap();
    assert_eq!(completion.moments.max_ns, Some(1_000 * MS + MS / 10));
    assert!((quantile_ms(&completion.histogram, 0.9999) - 0.1).abs() <= 0.001);
    // A queue that takes them all hands them in on time.
    let lag = queued(&rated, 2_000).spans.lag.unwrap();
    assert_eq!(lag.moments.max_ns, Some(0));
}

#[test]
fn without_a_rate_a_stall_is_one_latency() {
    let op = serial(RATED);
    assert!((quantile_ms(&op.latency_ns, 0.999) - 0.1).abs() <= 0.001);
    assert!(op.spans.lag.is_none());
}
