//! Block events in the order of a trace, followed from bio to completion. What the probes do in the
//! kernel is done here to text: the spans are the same, and so are the counts.

mod device;
mod ending;
mod request;

use super::model::events::{EventAnalysis, Phase};
use crate::capture::{Histogram, Op};
use device::Device;
use profiler_ebpf::bucket::LATENCY;
use std::collections::BTreeMap;

/// How many of the slowest requests are kept.
const SLOWEST_LIMIT: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Q: a bio was queued.
    Queue,
    /// G: a request was allocated for a bio.
    Get,
    /// I: put into the scheduler.
    Insert,
    /// M and F: a bio joined a request.
    BackMerge,
    FrontMerge,
    /// D.
    Issue,
    /// R: taken back.
    Requeue,
    /// C, of all or of a part.
    Complete,
    /// X: a bio was cut; the sector is where the rest begins.
    Split,
    /// A.
    Remap,
    Plug,
    /// U and UT, with the requests let go.
    Unplug,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub at_ns: u64,
    /// `MAJOR:MINOR`.
    pub device: String,
    pub action: Action,
    /// `WS`, `FN`, `R`.
    pub rwbs: String,
    /// A name of the request, where the trace has one.
    pub request: Option<String>,
    pub sector: u64,
    /// For unplugs the number of requests.
    pub sectors: u64,
    pub error: bool,
    pub process: Option<String>,
}

impl Event {
    /// Which op the letters stand for. A flush with data is a write; `FF` and `FN` without are flushes.
    pub fn op(&self) -> Op {
        let mut letters = self.rwbs.chars();
        let first = letters.next();
        let second = letters.next();
        match (first, second) {
            (Some('F'), Some('W' | 'R')) if self.sectors > 0 => Op::Write,
            (Some('F'), _) => Op::Flush,
            (Some('R'), _) => Op::Read,
            (Some('W'), _) => Op::Write,
            (Some('D'), _) => Op::Discard,
            _ => Op::Other,
        }
    }

    /// Data at a place, or a flush that has none.
    pub fn key(&self) -> Key {
        match (&self.request, self.op()) {
            (Some(name), _) => Key::Name(name.clone()),
            (None, Op::Flush) => Key::Flush,
            (None, Op::Read) => Key::Read(self.sector),
            (None, _) => Key::Write(self.sector),
        }
    }
}

/// What a request is known by until it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Read(u64),
    Write(u64),
    Flush,
    Name(String),
}

/// Follows all events.
pub fn analyse(events: &[Event]) -> EventAnalysis {
    let begin = events.iter().map(|e| e.at_ns).min().unwrap_or(0);
    let end = events.iter().map(|e| e.at_ns).max().unwrap_or(0);
    let mut devices: BTreeMap<&str, Device> = BTreeMap::new();
    for event in events {
        let device = devices
            .entry(&event.device)
            .or_insert_with(|| Device::new(begin));
        device.take(event);
    }
    let mut analysis = EventAnalysis {
        window_ns: end - begin,
        events: events.len() as u64,
        ..EventAnalysis::default()
    };
    for (number, device) in devices {
        device.settle(number, &mut analysis);
    }
    analysis
        .slowest
        .sort_by_key(|r| (u64::MAX - r.device_ns, r.issued_at_ns));
    analysis.slowest.truncate(SLOWEST_LIMIT);
    analysis
}

impl Phase {
    pub(super) fn add(phases: &mut BTreeMap<String, Self>, name: &str, ns: u64) {
        let phase = phases.entry(name.to_owned()).or_insert_with(|| Self {
            n: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            latency_ns: Histogram::new(&LATENCY),
        });
        phase.n += 1;
        phase.sum_ns = phase.sum_ns.saturating_add(ns);
        phase.min_ns = phase.min_ns.min(ns);
        phase.max_ns = phase.max_ns.max(ns);
        phase.latency_ns.add(ns);
    }
}

#[cfg(test)]
mod tests;
