//! What one thread counts: exact numbers, and latencies in a dense table of fixed size.

use crate::capture::{Histogram, JobOp};
use profiler_ebpf::bucket::LATENCY;
use std::collections::BTreeMap;

/// The kinds of operation that are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Fsync,
    Fdatasync,
}

const NAMES: [&str; 4] = ["read", "write", "fsync", "fdatasync"];

struct Track {
    n: u64,
    bytes: u64,
    errors: u64,
    sum: u64,
    min: u64,
    max: u64,
    table: Box<[u64; LATENCY.buckets()]>,
}

impl Track {
    fn new() -> Self {
        Self {
            n: 0,
            bytes: 0,
            errors: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
            table: Box::new([0; LATENCY.buckets()]),
        }
    }
}

/// Counts since the ramp ended.
pub(super) struct Tally {
    /// What was submitted earlier is not counted.
    from: u64,
    tracks: [Track; 4],
}

impl Tally {
    pub(super) fn new(from: u64) -> Self {
        Self {
            from,
            tracks: std::array::from_fn(|_| Track::new()),
        }
    }

    /// Counts an operation that did its work.
    #[inline]
    pub(super) fn add(&mut self, kind: Kind, submitted: u64, completed: u64, bytes: u64) {
        if submitted < self.from {
            return;
        }
        let track = &mut self.tracks[kind as usize];
        let latency = completed.saturating_sub(submitted);
        track.n += 1;
        track.bytes += bytes;
        track.sum = track.sum.saturating_add(latency);
        track.min = track.min.min(latency);
        track.max = track.max.max(latency);
        track.table[LATENCY.index(latency)] += 1;
    }

    /// Counts an operation that failed, in the ramp too: an error is never forgotten.
    pub(super) fn error(&mut self, kind: Kind) {
        self.tracks[kind as usize].errors += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tracks.iter().all(|t| t.n == 0 && t.errors == 0)
    }

    /// The kinds that occurred.
    pub(super) fn into_ops(self) -> BTreeMap<String, JobOp> {
        NAMES
            .into_iter()
            .zip(self.tracks)
            .filter(|(_, track)| track.n > 0 || track.errors > 0)
            .map(|(name, track)| (name.to_owned(), op(&track)))
            .collect()
    }
}

fn op(track: &Track) -> JobOp {
    let mut latency_ns = Histogram::new(&LATENCY);
    latency_ns.sum = track.sum;
    for (index, n) in track.table.iter().enumerate().filter(|(_, n)| **n > 0) {
        latency_ns.counts.insert(index as u32, *n);
    }
    JobOp {
        n: track.n,
        bytes: track.bytes,
        errors: track.errors,
        min_ns: (track.n > 0).then_some(track.min),
        max_ns: (track.n > 0).then_some(track.max),
        latency_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_and_the_ramp_is_left_out() {
        let mut tally = Tally::new(1_000);
        tally.add(Kind::Read, 999, 5_000, 4096);
        tally.add(Kind::Read, 1_000, 3_000, 4096);
        tally.add(Kind::Read, 2_000, 12_000, 8192);
        tally.add(Kind::Fsync, 3_000, 4_000, 0);
        let ops = tally.into_ops();
        assert_eq!(ops.keys().collect::<Vec<_>>(), ["fsync", "read"]);
        let read = &ops["read"];
        assert_eq!(
            (read.n, read.bytes, read.latency_ns.n(), read.latency_ns.sum),
            (2, 12288, 2, 12_000)
        );
        assert_eq!((read.min_ns, read.max_ns), (Some(2_000), Some(10_000)));
    }
}
