//! Reads the probes' tables and turns what was added since the last time into slices.
//!
//! The tables only grow; nothing is reset, so nothing is lost at the edge of a slice. Rows are
//! summed over CPUs in wrapping arithmetic and subtracted from the sums of the time before.

use super::{attach::Attached, directory::Directory, number_of};
use crate::capture::{
    DeviceSlice, Flags, Histogram, Losses, Merges, Op, OpSlice, QueueSlice, Span,
};
use anyhow::Result;
use profiler_ebpf::{
    bucket::{COUNT, LATENCY, SIZE, Scale},
    device::{Device, OPS},
    probes::{
        block::{self, Completed, Issued, Rare},
        queue::Events,
        stack::Sampler,
        stacked::{Finished, Queued},
        wait::Waited,
    },
};
use std::collections::BTreeMap;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Sums of the last reading, by table and row.
pub(super) struct Tables {
    completed: Vec<Completed>,
    issued: Vec<Issued>,
    rare: Vec<Rare>,
    waited: Vec<Waited>,
    events: Vec<Events>,
    queued: Vec<Queued>,
    finished: Vec<Finished>,
    negative: u64,
    unknown_tag: u64,
    bios_full: u64,
    /// Requests in flight at the beginning, until the first slice has told them.
    in_flight: BTreeMap<String, u64>,
}

/// A row that is nothing but counters of 32 and 64 bits.
trait Row: FromBytes + IntoBytes + Immutable + KnownLayout + Copy + 'static {
    /// Adds or subtracts field by field, wrapping.
    fn combine(&mut self, other: &Self, add: bool);
}

/// Lists the fields of a row: single counters, then arrays of buckets, then nested latencies.
macro_rules! rows {
    ($($row:ty { $($word:ident)*; $($array:ident)* })*) => {$(
        impl Row for $row {
            fn combine(&mut self, other: &Self, add: bool) {
                $(self.$word = step64(self.$word, other.$word, add);)*
                $(for (a, b) in self.$array.iter_mut().zip(&other.$array) { b.onto(a, add); })*
            }
        }
    )*};
}

fn step64(a: u64, b: u64, add: bool) -> u64 {
    if add {
        a.wrapping_add(b)
    } else {
        a.wrapping_sub(b)
    }
}

/// An element of an array in a row.
trait Element {
    fn onto(&self, a: &mut Self, add: bool);
}

impl Element for u32 {
    fn onto(&self, a: &mut Self, add: bool) {
        *a = if add {
            a.wrapping_add(*self)
        } else {
            a.wrapping_sub(*self)
        };
    }
}

impl Element for u64 {
    fn onto(&self, a: &mut Self, add: bool) {
        *a = step64(*a, *self, add);
    }
}

impl Element for block::Latency {
    fn onto(&self, a: &mut Self, add: bool) {
        a.iter_mut().zip(self).for_each(|(a, b)| b.onto(a, add));
    }
}

rows! {
    Completed {
        bytes errors unmatched untimed unknown_tag before_issue negative; sums_ns flags spans
    }
    Issued {
        sequential near random size_bytes_sum depth_sum bios_sum; size depth bios
    }
    Rare { requeued reissued end_unseen unseen_bytes back_merges front_merges request_merges; }
    Events { allocated inserted plugs unplugs unplugged_requests splits; }
    Waited { sum_ns unmatched; latency }
    Queued { bios bytes crossings table_full; size }
    Finished { bios bytes errors negative sum_ns; latency }
}

impl Tables {
    pub(super) fn new(directory: &Directory) -> Self {
        let disks = directory.count(false) as usize;
        let bios = directory.count(true) as usize;
        let ops = OPS as usize;
        Self {
            completed: zeroed(disks * ops),
            issued: zeroed(disks * ops),
            rare: zeroed(disks * ops),
            waited: zeroed(disks * ops),
            events: zeroed(disks + bios),
            queued: zeroed(bios * ops),
            finished: zeroed(bios * ops),
            negative: 0,
            unknown_tag: 0,
            bios_full: 0,
            in_flight: BTreeMap::new(),
        }
    }

    /// Takes the present counts as the beginning.
    pub(super) fn begin(&mut self, attached: &Attached, directory: &Directory) -> Result<()> {
        let first = self.drain(attached, directory)?;
        // From the counts and not from the gauge: the tables are read some milliseconds apart, and
        // what was counted as issued but not as completed will be completed in the first slice.
        let open = |device: &DeviceSlice| {
            let all = device.all_ops();
            let ended = all.completed.saturating_sub(all.unmatched) + all.requeued;
            all.issued.saturating_sub(ended)
        };
        let disks = first
            .iter()
            .filter(|(_, device)| device.in_flight_end.is_some());
        self.in_flight = disks
            .map(|(number, device)| (number.clone(), open(device)))
            .collect();
        (self.negative, self.unknown_tag, self.bios_full) = (0, 0, 0);
        Ok(())
    }

    /// What every traced device counted since the last call.
    pub(super) fn drain(
        &mut self,
        attached: &Attached,
        directory: &Directory,
    ) -> Result<BTreeMap<String, DeviceSlice>> {
        let completed = since(attached, "COMPLETED", &mut self.completed)?;
        let issued = since(attached, "ISSUED", &mut self.issued)?;
        let rare = since(attached, "RARE", &mut self.rare)?;
        let waited = since(attached, "WAITED", &mut self.waited)?;
        let events = since(attached, "QUEUE_EVENTS", &mut self.events)?;
        let queued = since(attached, "BIOS_QUEUED", &mut self.queued)?;
        let finished = since(attached, "BIOS_FINISHED", &mut self.finished)?;
        let in_flight = attached.array::<block::InFlight>("IN_FLIGHT")?;
        let queue_on = attached.measures("queue");
        let mut devices = BTreeMap::new();
        for device in &directory.devices {
            let mut slice = DeviceSlice::default();
            for (op, code) in Op::ALL.into_iter().zip(0..) {
                let row = (device.slot * OPS + code) as usize;
                let part = if device.bio_based == 0 {
                    self.note(&completed[row]);
                    requests(&completed[row], &issued[row], &rare[row], &waited[row])
                } else {
                    self.bios_full += queued[row].table_full;
                    self.negative += finished[row].negative;
                    bios(&queued[row], &finished[row])
                };
                slice.ops.extend(part.map(|part| (op, part)));
            }
            slice.queue = queue_on.then(|| queue(device, directory, &events, &queued, &finished));
            if device.bio_based == 0 {
                slice.in_flight_end = Some(in_flight.get(&device.slot, 0)?.0.requests());
                slice.in_flight_start = self.in_flight.remove(&number_of(device.dev));
            }
            devices.insert(number_of(device.dev), slice);
        }
        Ok(devices)
    }

    fn note(&mut self, completed: &Completed) {
        self.negative += completed.negative;
        self.unknown_tag += completed.unknown_tag;
    }

    /// What could not be counted, after the last drain.
    pub(super) fn losses(&self, attached: &Attached, directory: &Directory) -> Result<Losses> {
        let sum = |name: &str, index: u32| -> Result<u64> {
            Ok(attached
                .per_cpu::<u64>(name)?
                .get(&index, 0)?
                .iter()
                .map(|value| value.0)
                .sum())
        };
        let unknown = attached.array::<u64>("UNKNOWN_DEVICE")?.get(&0, 0)?.0;
        let mut losses = Losses {
            // With --device, other devices are left out on purpose.
            unknown_device: if directory.all { unknown } else { 0 },
            unknown_tag: self.unknown_tag,
            negative_durations: self.negative,
            ..Losses::default()
        };
        losses.table_full.insert("bios".to_owned(), self.bios_full);
        losses.table_full.insert(
            "syncs".to_owned(),
            sum("SYNCS_FULL", 0)? + sum("SYNCS_FULL", 1)?,
        );
        Ok(losses)
    }
}

/// Stack samples that were due but beyond the limit.
pub(super) fn stacks_skipped(attached: &Attached) -> Result<u64> {
    let samplers = attached.per_cpu::<Sampler>("SAMPLER")?.get(&0, 0)?;
    Ok(samplers
        .iter()
        .map(|sampler| u64::from(sampler.0.skipped))
        .sum())
}

/// Zeroed rows, made on the heap: they are too large to pass over the stack in numbers.
fn zeroed<T: Row>(n: usize) -> Vec<T> {
    T::new_vec_zeroed(n).expect("a few kilobytes of memory for each row")
}

/// Reads all rows of a table, remembers their sums, and returns the differences.
fn since<T: Row>(attached: &Attached, name: &str, last: &mut [T]) -> Result<Vec<T>> {
    if last.is_empty() {
        return Ok(Vec::new());
    }
    let table = attached.per_cpu::<T>(name)?;
    let mut differences = zeroed::<T>(last.len());
    for ((row, last), difference) in (0..).zip(last).zip(&mut differences) {
        let values = table.get(&row, 0)?;
        values
            .iter()
            .for_each(|value| difference.combine(&value.0, true));
        let sum = *difference;
        difference.combine(last, false);
        *last = sum;
    }
    Ok(differences)
}

fn requests(
    completed: &Completed,
    issued: &Issued,
    rare: &Rare,
    waited: &Waited,
) -> Option<OpSlice> {
    let merges = Merges {
        front: rare.front_merges,
        back: rare.back_merges,
        request: rare.request_merges,
    };
    let spans: BTreeMap<Span, Histogram> = [
        (Span::Queue, block::QUEUE),
        (Span::Device, block::DEVICE),
        (Span::Request, block::REQUEST),
    ]
    .into_iter()
    .filter_map(|(span, i)| {
        let sum_ns = completed.sums_ns[i];
        Some((span, histogram(&LATENCY, &completed.spans[i], sum_ns)?))
    })
    .chain(histogram(&LATENCY, &waited.latency, waited.sum_ns).map(|wait| (Span::Wait, wait)))
    .collect();
    let depth = histogram(&COUNT, &issued.depth, issued.depth_sum);
    let size_bytes = histogram(&SIZE, &issued.size, issued.size_bytes_sum);
    let requests = size_bytes.as_ref().map_or(0, Histogram::n);
    let unmatched = completed.unmatched + completed.unknown_tag;
    let part = OpSlice {
        issued: requests,
        // A tag that has a new user has lost its old one: that it ended is certain, only not when.
        completed: spans.get(&Span::Device).map_or(0, Histogram::n)
            + completed.untimed
            + completed.unknown_tag
            + rare.end_unseen,
        requeued: rare.requeued + rare.reissued,
        ended_before_issue: completed.before_issue,
        unmatched,
        end_unseen: rare.end_unseen,
        bytes: completed.bytes + rare.unseen_bytes,
        errors: completed.errors,
        merges,
        sequential: issued.sequential,
        near: issued.near,
        random: issued.random,
        flags: flags(&completed.flags),
        spans,
        size_bytes,
        bios_per_request: bios_per_request(issued, requests),
        depth,
        ..OpSlice::default()
    };
    (part != OpSlice::default()).then_some(part)
}

/// How many requests carried each flag, from how many carried each set of them.
fn flags(sets: &[u32; block::FLAG_SETS]) -> Flags {
    let with = |flag: u32| {
        let carrying = (0..).zip(sets);
        let carrying = carrying.filter(|(set, _)| set & block::flags_index(flag) != 0);
        carrying.map(|(_, n)| u64::from(*n)).sum()
    };
    Flags {
        sync: with(block::REQ_SYNC),
        meta: with(block::REQ_META),
        fua: with(block::REQ_FUA),
        preflush: with(block::REQ_PREFLUSH),
        readahead: with(block::REQ_RAHEAD),
        background: with(block::REQ_BACKGROUND),
    }
}

/// The probe counts what is not the rule: requests of one bio are the rest.
fn bios_per_request(issued: &Issued, requests: u64) -> Option<Histogram> {
    let others = histogram(&COUNT, &issued.bios, issued.bios_sum);
    let single = requests.saturating_sub(others.as_ref().map_or(0, Histogram::n));
    if single == 0 {
        return others;
    }
    let mut all = others.unwrap_or_else(|| Histogram::new(&COUNT));
    all.sum += single;
    *all.counts.entry(COUNT.index(1) as u32).or_default() += single;
    Some(all)
}

fn bios(queued: &Queued, finished: &Finished) -> Option<OpSlice> {
    (queued.bios | finished.bios != 0).then(|| OpSlice {
        issued: queued.bios,
        completed: finished.bios,
        bytes: finished.bytes,
        errors: finished.errors,
        spans: histogram(&LATENCY, &finished.latency, finished.sum_ns)
            .map(|histogram| (Span::Bio, histogram))
            .into_iter()
            .collect(),
        size_bytes: histogram(&SIZE, &queued.size, queued.bytes),
        ..OpSlice::default()
    })
}

fn queue(
    device: &Device,
    directory: &Directory,
    events: &[Events],
    queued: &[Queued],
    finished: &[Finished],
) -> QueueSlice {
    let bio = device.bio_based != 0;
    let base = if bio { directory.count(false) } else { 0 };
    let events = &events[(base + device.slot) as usize];
    let rows = (device.slot * OPS) as usize..((device.slot + 1) * OPS) as usize;
    let sum = |of: &dyn Fn(usize) -> u64| bio.then(|| rows.clone().map(of).sum());
    QueueSlice {
        allocated: events.allocated,
        inserted: events.inserted,
        plugs: events.plugs,
        unplugs: events.unplugs,
        unplugged_requests: events.unplugged_requests,
        splits: events.splits,
        bios_queued: sum(&|row| queued[row].bios),
        bios_completed: sum(&|row| finished[row].bios),
        chunk_crossings: sum(&|row| queued[row].crossings).filter(|_| device.chunk_sectors != 0),
    }
}

/// A histogram of what was counted; `None` when nothing was.
fn histogram(scale: &Scale, counts: &[u32], sum: u64) -> Option<Histogram> {
    let counts = (0..).zip(&counts[..scale.buckets()]);
    let counts = counts
        .filter(|(_, n)| **n != 0)
        .map(|(index, n)| (index, u64::from(*n)));
    let counts: BTreeMap<u32, u64> = counts.collect();
    (!counts.is_empty()).then(|| Histogram {
        scale: scale.name.to_owned(),
        sum,
        counts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::FromZeros as _;

    #[test]
    fn differences_survive_a_counter_that_wraps() {
        let mut now = Issued::new_zeroed();
        let mut before = Issued::new_zeroed();
        before.size[3] = u32::MAX - 1;
        now.size[3] = 5;
        (before.random, now.random) = (10, 17);
        now.combine(&before, false);
        // From 2^32 - 2 to 5 are seven steps.
        assert_eq!((now.size[3], now.random), (7, 7));
    }
}
