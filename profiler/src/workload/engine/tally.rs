//! What one thread counts: exact numbers, and latencies in a dense table of fixed size.
//!
//! A job without a rate is a closed loop: its latency runs from the hand-over to the kernel until
//! completion. With a rate the latency runs from the intended start, and what the target itself
//! took and how late the I/O was handed in are counted beside it.

use super::log::Log;
use super::steady::Monitor;
use crate::capture::{Histogram, JobOp, JobSpan, Moments, OpSpans};
use crate::workload::plan::Job;
use profiler_ebpf::bucket::LATENCY;
use std::collections::BTreeMap;

/// The kinds of operation that are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Trim,
    Fsync,
    Fdatasync,
    /// Reading back what was written.
    Verify,
}

const NAMES: [&str; 6] = ["read", "write", "trim", "fsync", "fdatasync", "verify"];

/// The life of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// When it was meant to start, in a job with a rate.
    pub(super) due: Option<u64>,
    /// When it was made ready; the same as `submitted` where both are one call.
    pub(super) taken: u64,
    /// When it was handed to the kernel.
    pub(super) submitted: u64,
    pub(super) completed: u64,
}

/// Number, sum and extremes of a span.
#[derive(Clone)]
struct Sums {
    n: u64,
    sum: u64,
    min: u64,
    max: u64,
    squares: u128,
}

impl Sums {
    const NONE: Self = Self {
        n: 0,
        sum: 0,
        min: u64::MAX,
        max: 0,
        squares: 0,
    };

    #[inline]
    fn add(&mut self, ns: u64) {
        self.n += 1;
        self.sum = self.sum.saturating_add(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.squares += u128::from(ns) * u128::from(ns);
    }

    fn told(&self) -> Moments {
        Moments {
            n: self.n,
            min_ns: (self.n > 0).then_some(self.min),
            max_ns: (self.n > 0).then_some(self.max),
            sum_ns: self.sum,
            squares_ns2: self.squares as f64,
        }
    }
}

/// A span with its distribution.
struct Spread {
    sums: Sums,
    table: Box<[u64; LATENCY.buckets()]>,
}

impl Spread {
    fn new() -> Self {
        Self {
            sums: Sums::NONE,
            table: Box::new([0; LATENCY.buckets()]),
        }
    }

    #[inline]
    fn add(&mut self, ns: u64) {
        self.sums.add(ns);
        self.table[LATENCY.index(ns)] += 1;
    }

    fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new(&LATENCY);
        histogram.sum = self.sums.sum;
        for (index, n) in self.table.iter().enumerate().filter(|(_, n)| **n > 0) {
            histogram.counts.insert(index as u32, *n);
        }
        histogram
    }

    fn told(&self) -> JobSpan {
        JobSpan {
            moments: self.sums.told(),
            histogram: self.histogram(),
        }
    }
}

struct Track {
    bytes: u64,
    errors: u64,
    latency: Spread,
    /// Made ready to handed over.
    submission: Sums,
    /// Made ready to completed.
    total: Sums,
    /// Handed over to completed, and intended start to handed over; only with a rate.
    open: Option<[Spread; 2]>,
}

/// Counts since the ramp ended.
pub(super) struct Tally {
    /// What was to start earlier is not counted.
    from: u64,
    /// Hand-over is a step of its own.
    queued: bool,
    tracks: [Track; 6],
    /// Looked at while the job runs.
    watch: Option<Box<Watch>>,
}

#[derive(Default)]
struct Watch {
    log: Option<Log>,
    monitor: Option<Monitor>,
}

impl Tally {
    /// `queued`: I/Os are made ready, then handed over; `open`: they have an intended start.
    pub(super) fn new(from: u64, queued: bool, open: bool) -> Self {
        Self {
            from,
            queued,
            watch: None,
            tracks: std::array::from_fn(|_| Track {
                bytes: 0,
                errors: 0,
                latency: Spread::new(),
                submission: Sums::NONE,
                total: Sums::NONE,
                open: open.then(|| [Spread::new(), Spread::new()]),
            }),
        }
    }

    /// Watches the job for its log files and its steady state.
    pub(super) fn watch(&mut self, job: &Job, from: u64) {
        let watch = Watch {
            log: job.logs.as_ref().map(|logs| Log::new(logs, from)),
            monitor: job.steady.as_ref().map(|steady| Monitor::new(steady, from)),
        };
        if watch.log.is_some() || watch.monitor.is_some() {
            self.watch = Some(Box::new(watch));
        }
    }

    /// Whether the steady state that the job waits for is there; `None`: nothing is watched.
    #[inline]
    pub(super) fn settled(&self) -> Option<bool> {
        let watch = self.watch.as_ref()?;
        Some(watch.monitor.as_ref().is_some_and(Monitor::is_settled))
    }

    pub(super) fn write_logs(&mut self, end: u64) -> Result<(), String> {
        match self.watch.as_mut().and_then(|watch| watch.log.take()) {
            Some(log) => log.write(end),
            None => Ok(()),
        }
    }

    /// Counts an operation that did its work.
    #[inline]
    pub(super) fn add(&mut self, kind: Kind, times: Times, bytes: u64) {
        let begun = times.due.unwrap_or(times.submitted);
        if begun < self.from {
            return;
        }
        if let Some(watch) = &mut self.watch {
            if let Some(log) = &mut watch.log {
                log.add(kind, &times, bytes);
            }
            if let Some(monitor) = &mut watch.monitor {
                monitor.add(times.completed, bytes);
            }
        }
        let track = &mut self.tracks[kind as usize];
        track.bytes += bytes;
        track.latency.add(times.completed.saturating_sub(begun));
        if self.queued {
            track
                .submission
                .add(times.submitted.saturating_sub(times.taken));
            track.total.add(times.completed.saturating_sub(times.taken));
        }
        if let (Some([completion, lag]), Some(due)) = (&mut track.open, times.due) {
            completion.add(times.completed.saturating_sub(times.submitted));
            lag.add(times.submitted.saturating_sub(due));
        }
    }

    /// Counts an operation that failed, in the ramp too: an error is never forgotten.
    pub(super) fn error(&mut self, kind: Kind) {
        self.tracks[kind as usize].errors += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        let nothing = |track: &Track| track.latency.sums.n == 0 && track.errors == 0;
        self.tracks.iter().all(nothing)
    }

    /// Operations counted so far.
    #[cfg(test)]
    pub(super) fn n(&self, kind: Kind) -> u64 {
        self.tracks[kind as usize].latency.sums.n
    }

    /// The kinds that occurred.
    pub(super) fn into_ops(self) -> BTreeMap<String, JobOp> {
        NAMES
            .into_iter()
            .zip(&self.tracks)
            .filter(|(_, track)| track.latency.sums.n > 0 || track.errors > 0)
            .map(|(name, track)| (name.to_owned(), op(track, self.queued)))
            .collect()
    }
}

fn op(track: &Track, queued: bool) -> JobOp {
    let latency = track.latency.sums.told();
    // Syncs have no intended start.
    let open = track.open.as_ref().filter(|open| open[0].sums.n > 0);
    JobOp {
        n: latency.n,
        bytes: track.bytes,
        errors: track.errors,
        min_ns: latency.min_ns,
        max_ns: latency.max_ns,
        latency_ns: track.latency.histogram(),
        spans: OpSpans {
            squares_ns2: Some(latency.squares_ns2),
            submission: queued.then(|| track.submission.told()),
            total: queued.then(|| track.total.told()),
            completion: open.map(|open| open[0].told()),
            lag: open.map(|open| open[1].told()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(submitted: u64, completed: u64) -> Times {
        Times {
            due: None,
            taken: submitted,
            submitted,
            completed,
        }
    }

    #[test]
    fn counts_are_exact_and_the_ramp_is_left_out() {
        let mut tally = Tally::new(1_000, false, false);
        tally.add(Kind::Read, closed(999, 5_000), 4096);
        tally.add(Kind::Read, closed(1_000, 3_000), 4096);
        tally.add(Kind::Read, closed(2_000, 12_000), 8192);
        tally.add(Kind::Fsync, closed(3_000, 4_000), 0);
        let ops = tally.into_ops();
        assert_eq!(ops.keys().collect::<Vec<_>>(), ["fsync", "read"]);
        let read = &ops["read"];
        assert_eq!(
            (read.n, read.bytes, read.latency_ns.n(), read.latency_ns.sum),
            (2, 12288, 2, 12_000)
        );
        assert_eq!((read.min_ns, read.max_ns), (Some(2_000), Some(10_000)));
        assert_eq!(read.spans.squares_ns2, Some(104e6));
        assert_eq!(read.spans.lag, None);
    }

    #[test]
    fn with_a_rate_the_latency_runs_from_the_intended_start() {
        let mut tally = Tally::new(0, true, true);
        let times = Times {
            due: Some(1_000),
            taken: 4_000,
            submitted: 5_000,
            completed: 9_000,
        };
        tally.add(Kind::Write, times, 4096);
        let write = &tally.into_ops()["write"];
        let sum = |span: &Option<JobSpan>| span.as_ref().unwrap().moments.sum_ns;
        assert_eq!(write.latency_ns.sum, 8_000);
        assert_eq!(sum(&write.spans.completion), 4_000);
        assert_eq!(sum(&write.spans.lag), 4_000);
        assert_eq!(write.spans.submission.as_ref().unwrap().sum_ns, 1_000);
    }
}
