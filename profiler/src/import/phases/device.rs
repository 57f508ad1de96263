//! One device's bios and requests, and what is counted of them.

use super::request::{Bio, Request};
use super::{Action, Event, Key};
use crate::capture::{DeviceSlice, Histogram, Op, OpSlice, QueueSlice, Span};
use crate::import::model::events::{EventAnalysis, Phase, RequestTimes};
use profiler_ebpf::bucket::{COUNT, LATENCY, SIZE};
use std::collections::{BTreeMap, VecDeque};

/// Streams that are told apart, as in the probes.
const STREAMS: usize = 64;
/// 1 MiB in sectors.
const NEAR_SECTORS: u64 = 2048;
/// Bios that never end (the trace lost something) are forgotten beyond this.
const BIOS_LIMIT: usize = 65_536;

pub(super) struct Device {
    pub(super) begin_ns: u64,
    pub(super) slice: DeviceSlice,
    pub(super) queue: QueueSlice,
    pub(super) phases: BTreeMap<String, Phase>,
    pub(super) bios: VecDeque<Bio>,
    /// Allocations and insertions not issued yet, by sector.
    pub(super) gets: BTreeMap<(Op, u64), u64>,
    pub(super) inserts: BTreeMap<(Op, u64), u64>,
    /// Flushes of one device are told apart by their order alone.
    pub(super) requests: BTreeMap<Key, VecDeque<Request>>,
    /// Where the rest of a cut bio begins, until it is queued again.
    pub(super) cuts: Vec<u64>,
    pub(super) ends: BTreeMap<Op, VecDeque<u64>>,
    pub(super) slowest: Vec<RequestTimes>,
    pub(super) in_flight: u64,
    pub(super) remaps: u64,
    pub(super) incomplete: u64,
    pub(super) clock_anomalies: u64,
    pub(super) issued_any: bool,
}

impl Device {
    pub(super) fn new(begin_ns: u64) -> Self {
        Self {
            begin_ns,
            slice: DeviceSlice::default(),
            queue: QueueSlice::default(),
            phases: BTreeMap::new(),
            bios: VecDeque::new(),
            gets: BTreeMap::new(),
            inserts: BTreeMap::new(),
            requests: BTreeMap::new(),
            cuts: Vec::new(),
            ends: BTreeMap::new(),
            slowest: Vec::new(),
            in_flight: 0,
            remaps: 0,
            incomplete: 0,
            clock_anomalies: 0,
            issued_any: false,
        }
    }

    pub(super) fn op(&mut self, op: Op) -> &mut OpSlice {
        self.slice.ops.entry(op).or_default()
    }

    pub(super) fn take(&mut self, event: &Event) {
        match event.action {
            Action::Queue => self.queued(event),
            Action::Get => {
                self.queue.allocated += 1;
                self.gets.insert((event.op(), event.sector), event.at_ns);
                if let Some(queued) = self.bio_at(event).map(|bio| bio.queued_ns) {
                    self.phase("q2g", queued, event.at_ns);
                }
            }
            Action::Insert => {
                self.queue.inserted += 1;
                if let Some(got) = self.got(event.op(), event.sector, event.sectors) {
                    self.phase("g2i", got, event.at_ns);
                }
                self.inserts.insert((event.op(), event.sector), event.at_ns);
            }
            Action::BackMerge | Action::FrontMerge => self.merged(event),
            Action::Issue => self.issued(event),
            Action::Requeue => self.requeued(event),
            Action::Complete => self.completed(event),
            Action::Split => {
                self.queue.splits += 1;
                self.cuts.push(event.sectors);
            }
            Action::Remap => self.remaps += 1,
            Action::Plug => self.queue.plugs += 1,
            Action::Unplug => {
                self.queue.unplugs += 1;
                self.queue.unplugged_requests += event.sectors;
            }
        }
    }

    fn phase(&mut self, name: &str, from: u64, to: u64) {
        if let Some(ns) = to.checked_sub(from) {
            Phase::add(&mut self.phases, name, ns);
        }
    }

    pub(super) fn span(&mut self, op: Op, span: Span, ns: u64) {
        let spans = &mut self.op(op).spans;
        spans
            .entry(span)
            .or_insert_with(|| Histogram::new(&LATENCY))
            .add(ns);
    }

    /// The rest of a cut bio may be queued a second time: that is no new bio.
    fn queued(&mut self, event: &Event) {
        if let Some(at) = self.cuts.iter().position(|cut| *cut == event.sector) {
            self.cuts.swap_remove(at);
            return;
        }
        *self.queue.bios_queued.get_or_insert(0) += 1;
        if self.bios.len() >= BIOS_LIMIT {
            self.bios.pop_front();
        }
        self.bios.push_back(Bio {
            op: event.op(),
            sector: event.sector,
            sectors: event.sectors,
            left: event.sectors,
            queued_ns: event.at_ns,
        });
    }

    fn bio_at(&self, event: &Event) -> Option<&Bio> {
        let op = event.op();
        let mut bios = self.bios.iter().rev();
        bios.find(|bio| bio.op == op && bio.sector == event.sector)
    }

    /// The earliest allocation within the request's range: a front merge moves its beginning.
    fn got(&self, op: Op, sector: u64, sectors: u64) -> Option<u64> {
        let end = sector.saturating_add(sectors.max(1));
        self.gets
            .range((op, sector)..(op, end))
            .map(|(_, at)| *at)
            .min()
    }

    fn merged(&mut self, event: &Event) {
        let merges = &mut self.op(event.op()).merges;
        match event.action {
            Action::FrontMerge => merges.front += 1,
            _ => merges.back += 1,
        }
        if let Some(queued) = self.bio_at(event).map(|bio| bio.queued_ns) {
            self.phase("q2m", queued, event.at_ns);
        }
    }

    fn issued(&mut self, event: &Event) {
        self.issued_any = true;
        self.cuts.retain(|cut| *cut != event.sector);
        let (op, key) = (event.op(), event.key());
        self.op(op).issued += 1;
        let waiting = self.requests.entry(key.clone()).or_default();
        if let Some(held) = waiting.iter_mut().find(|request| request.held) {
            held.held = false;
            held.last_issue_ns = event.at_ns;
            self.in_flight += 1;
            return;
        }
        // The same place issued again without an end: that end was lost.
        let lost = if key == Key::Flush {
            None
        } else {
            waiting.pop_front()
        };
        if lost.is_some() {
            self.in_flight = self.in_flight.saturating_sub(1);
            self.op(op).end_unseen += 1;
        }
        let allocated_ns = self.got(op, event.sector, event.sectors);
        let inserted = self.inserts.remove(&(op, event.sector));
        if let Some(from) = inserted.or(allocated_ns) {
            self.phase("i2d", from, event.at_ns);
        }
        if let Some(queue_ns) = allocated_ns.and_then(|from| event.at_ns.checked_sub(from)) {
            self.span(op, Span::Queue, queue_ns);
        }
        let end = event.sector.saturating_add(event.sectors.max(1));
        let used: Vec<_> = self
            .gets
            .range((op, event.sector)..(op, end))
            .map(|(k, _)| *k)
            .collect();
        used.iter().for_each(|key| _ = self.gets.remove(key));
        self.in_flight += 1;
        self.count_issue(event, op);
        self.requests.entry(key).or_default().push_back(Request {
            op,
            flags: event.rwbs.clone(),
            sector: event.sector,
            sectors: event.sectors,
            done: 0,
            allocated_ns,
            first_issue_ns: event.at_ns,
            last_issue_ns: event.at_ns,
            requeues: 0,
            held: false,
            process: event.process.clone(),
        });
    }

    /// Size, depth and place. A flush has neither size nor place.
    fn count_issue(&mut self, event: &Event, op: Op) {
        let depth = self.in_flight;
        let ends = self.ends.entry(op).or_default();
        let distance = ends.iter().map(|end| end.abs_diff(event.sector)).min();
        let next = ends.iter().position(|end| *end == event.sector);
        if let Some(at) = next {
            ends.remove(at);
        }
        ends.push_back(event.sector.saturating_add(event.sectors));
        if ends.len() > STREAMS {
            ends.pop_front();
        }
        let counts = self.op(op);
        counts
            .depth
            .get_or_insert_with(|| Histogram::new(&COUNT))
            .add(depth);
        if event.sectors == 0 {
            return;
        }
        let bytes = event.sectors.saturating_mul(512);
        counts
            .size_bytes
            .get_or_insert_with(|| Histogram::new(&SIZE))
            .add(bytes);
        match distance {
            Some(0) => counts.sequential += 1,
            Some(n) if n <= NEAR_SECTORS => counts.near += 1,
            _ => counts.random += 1,
        }
    }

    fn requeued(&mut self, event: &Event) {
        self.op(event.op()).requeued += 1;
        let requests = self.requests.get_mut(&event.key());
        if let Some(request) = requests.and_then(|r| r.iter_mut().find(|r| !r.held)) {
            request.held = true;
            request.requeues += 1;
            self.in_flight = self.in_flight.saturating_sub(1);
        }
    }

    pub(super) fn settle(mut self, number: &str, into: &mut EventAnalysis) {
        if let (false, Some(bios)) = (self.issued_any, self.queue.bios_queued) {
            let op = self.slice.ops.values_mut().max_by_key(|op| op.completed);
            if let Some(op) = op {
                op.issued = bios;
            }
        }
        self.slice.in_flight_end = Some(self.in_flight);
        let has_queue = self.queue != QueueSlice::default();
        self.slice.queue = has_queue.then_some(self.queue);
        into.remaps += self.remaps;
        into.splits += self.queue.splits;
        into.incomplete += self.incomplete;
        into.clock_anomalies += self.clock_anomalies;
        into.in_flight += self.in_flight;
        for mut request in self.slowest {
            request.device = number.to_owned();
            into.slowest.push(request);
        }
        if !self.phases.is_empty() {
            into.phases.insert(number.to_owned(), self.phases);
        }
        into.devices.insert(number.to_owned(), self.slice);
    }
}
