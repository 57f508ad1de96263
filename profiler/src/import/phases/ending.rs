//! How requests and bios end, and what is known of them then.

use super::device::Device;
use super::request::Request;
use super::{Event, Key, SLOWEST_LIMIT};
use crate::capture::{Op, Span};
use crate::import::model::events::{Phase, RequestTimes};

impl Device {
    /// The key of the request that an end belongs to; a part of it may begin behind its first sector.
    fn ending(&self, event: &Event) -> Option<Key> {
        let key = event.key();
        if self
            .requests
            .get(&key)
            .is_some_and(|waiting| !waiting.is_empty())
        {
            return Some(key);
        }
        let (op, sector) = (event.op(), event.sector);
        let before = match key {
            Key::Read(_) => self.requests.range(Key::Read(0)..=key).next_back(),
            Key::Write(_) => self.requests.range(Key::Write(0)..=key).next_back(),
            Key::Flush | Key::Name(_) => None,
        };
        let (key, waiting) = before?;
        waiting
            .front()
            .filter(|r| r.covers(op, sector))
            .map(|_| key.clone())
    }

    pub(super) fn completed(&mut self, event: &Event) {
        let op = event.op();
        let bio_end = self.bios_ended(event);
        let Some(key) = self.ending(event) else {
            // Without a request of its own the end of a bio is that of a stacked device.
            if bio_end > 0 && !self.issued_any {
                *self.queue.bios_completed.get_or_insert(0) += bio_end;
                self.op(op).completed += bio_end;
                self.op(op).bytes += event.sectors.saturating_mul(512);
            } else {
                self.incomplete += 1;
                self.op(op).completed += 1;
                self.op(op).unmatched += 1;
            }
            return;
        };
        let waiting = self.requests.entry(key.clone()).or_default();
        let Some(request) = waiting.front_mut() else {
            return;
        };
        request.done = request.done.saturating_add(event.sectors);
        // Only the last part ends it; an end that names no sectors ends all.
        if event.sectors > 0 && request.done < request.sectors {
            return;
        }
        let Some(request) = waiting.pop_front() else {
            return;
        };
        if waiting.is_empty() {
            self.requests.remove(&key);
        }
        self.in_flight = self.in_flight.saturating_sub(u64::from(!request.held));
        self.ended(event, &request);
    }

    fn ended(&mut self, event: &Event, request: &Request) {
        let flags = |letter: char| request.flags.chars().skip(1).any(|c| c == letter);
        let op = self.op(request.op);
        op.completed += 1;
        op.bytes = op.bytes.saturating_add(request.sectors.saturating_mul(512));
        op.errors += u64::from(event.error);
        op.flags.sync += u64::from(flags('S'));
        op.flags.meta += u64::from(flags('M'));
        op.flags.readahead += u64::from(flags('A'));
        op.flags.fua += u64::from(flags('F'));
        op.flags.preflush += u64::from(request.flags.starts_with('F') && request.sectors > 0);
        let Some(device_ns) = event.at_ns.checked_sub(request.last_issue_ns) else {
            self.clock_anomalies += 1;
            return;
        };
        self.span(request.op, Span::Device, device_ns);
        Phase::add(&mut self.phases, "d2c", device_ns);
        if let Some(ns) = request
            .allocated_ns
            .and_then(|from| event.at_ns.checked_sub(from))
        {
            self.span(request.op, Span::Request, ns);
        }
        self.slowest.push(RequestTimes {
            device: String::new(),
            op: request.op.name().to_owned(),
            flags: request.flags.clone(),
            sector: (request.sectors > 0).then_some(request.sector),
            bytes: request.sectors.saturating_mul(512),
            process: request.process.clone(),
            issued_at_ns: request.last_issue_ns.saturating_sub(self.begin_ns),
            device_ns,
            since_first_issue_ns: event.at_ns.saturating_sub(request.first_issue_ns),
            requeues: request.requeues,
        });
        if self.slowest.len() > 2 * SLOWEST_LIMIT {
            self.slowest.sort_by_key(|r| u64::MAX - r.device_ns);
            self.slowest.truncate(SLOWEST_LIMIT);
        }
    }

    /// Takes the ended sectors off the bios that they belong to; how many bios have ended with that.
    fn bios_ended(&mut self, event: &Event) -> u64 {
        let op = event.op();
        let mut ended = Vec::new();
        self.bios.retain_mut(|bio| {
            let part = bio.overlap(event.sector, event.sectors);
            let is_flush = op == Op::Flush && bio.op == op && ended.is_empty();
            if bio.op != op || (part == 0 && !is_flush) {
                return true;
            }
            bio.left = bio.left.saturating_sub(part);
            if bio.left == 0 {
                ended.push(bio.queued_ns);
            }
            bio.left > 0
        });
        for queued_ns in &ended {
            match event.at_ns.checked_sub(*queued_ns) {
                Some(ns) => {
                    self.span(op, Span::Bio, ns);
                    Phase::add(&mut self.phases, "q2c", ns);
                }
                None => self.clock_anomalies += 1,
            }
        }
        ended.len() as u64
    }
}
