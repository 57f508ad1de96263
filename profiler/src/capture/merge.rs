//! Adding stretches of time together: the slices of a recording, merged, are the slice of the whole.
//!
//! Merging is associative and commutative and the empty slice changes nothing, so it does not matter
//! in which order or grouping slices meet. Every `merge` takes its struct apart by name: a field that
//! is added to the model does not compile until it is decided here how it adds up.
//!
//! Keys of newer writers ([`Extra`](super::Extra)) have no known sum: they stay in the slices of the
//! file and are left out of merged ones.

use super::{
    Capture, DeviceSlice, DirtiedSlice, Flags, Histogram, JournalSlice, Merges, OpSlice,
    PauseSlice, PauseSum, QueueSlice, Slice, SlowSync, SyncCalls, SyncSlice, SystemSlice,
};
use std::{cmp::Reverse, collections::BTreeMap};

impl Capture {
    /// All of the recorded time as one slice.
    pub fn total(&self) -> Slice {
        let mut total = Slice::default();
        for slice in &self.slices {
            total.merge(slice);
        }
        total
    }
}

impl Slice {
    /// Adds another stretch of the same recording; the two must not overlap.
    pub fn merge(&mut self, other: &Self) {
        let (own_end, other_end) = (self.end_ns(), other.end_ns());
        let Self {
            at_ns,
            length_ns,
            devices,
            journals,
            syncs,
            dirtied,
            pauses,
            system,
            extra,
        } = self;
        merge_map(journals, &other.journals, JournalSlice::merge);
        merge_map(syncs, &other.syncs, SyncSlice::merge);
        merge_map(dirtied, &other.dirtied, DirtiedSlice::merge);
        merge_map(pauses, &other.pauses, PauseSlice::merge);
        merge_system(system, *length_ns, &other.system, other.length_ns);
        // A slice of no length has no place in time, unless there is nothing else to go by.
        *at_ns = match (*length_ns, other.length_ns) {
            (0, 0) => (*at_ns).max(other.at_ns),
            (0, _) => other.at_ns,
            (_, 0) => *at_ns,
            _ => (*at_ns).min(other.at_ns),
        };
        sum(length_ns, other.length_ns);
        extra.clear();

        let end = at_ns.saturating_add(*length_ns);
        devices.values_mut().for_each(|d| d.stamp(own_end));
        for (number, device) in &other.devices {
            let at_ns = device.in_flight_end_at_ns.or(Some(other_end));
            let own = devices.entry(number.clone()).or_default();
            own.merge_ending(device, at_ns);
        }
        devices.values_mut().for_each(|d| d.unstamp(end));
    }

    fn end_ns(&self) -> u64 {
        self.at_ns.saturating_add(self.length_ns)
    }
}

impl DeviceSlice {
    /// Adds another stretch; where none of the two says when it ended, `other` is the later one.
    pub fn merge(&mut self, other: &Self) {
        self.merge_ending(other, other.in_flight_end_at_ns);
    }

    /// `other_at_ns`: when the other's `in_flight_end` held.
    fn merge_ending(&mut self, other: &Self, other_at_ns: Option<u64>) {
        let Self {
            ops,
            queue,
            waits,
            in_flight_start,
            in_flight_end,
            in_flight_end_at_ns,
            extra,
        } = self;
        if let Some(start) = other.in_flight_start {
            *in_flight_start = Some(in_flight_start.unwrap_or(0).saturating_add(start));
        }
        merge_map(ops, &other.ops, OpSlice::merge);
        merge_option(queue, &other.queue, QueueSlice::merge);
        for (cause, other) in &other.waits {
            let own = waits.entry(*cause).or_default();
            sum(&mut own.requests, other.requests);
            sum(&mut own.sum_ns, other.sum_ns);
        }
        if let Some(later) = other.in_flight_end {
            match (*in_flight_end, *in_flight_end_at_ns, other_at_ns) {
                (Some(own), Some(at), Some(other_at)) if (at, own) > (other_at, later) => {}
                _ => {
                    *in_flight_end = Some(later);
                    *in_flight_end_at_ns = other_at_ns;
                }
            }
        }
        extra.clear();
    }

    fn stamp(&mut self, end_ns: u64) {
        if self.in_flight_end.is_some() {
            self.in_flight_end_at_ns.get_or_insert(end_ns);
        }
    }

    fn unstamp(&mut self, end_ns: u64) {
        if self.in_flight_end_at_ns == Some(end_ns) {
            self.in_flight_end_at_ns = None;
        }
    }

    /// All ops together.
    pub fn all_ops(&self) -> OpSlice {
        let mut all = OpSlice::default();
        self.ops.values().for_each(|op| all.merge(op));
        all
    }
}

impl OpSlice {
    /// Adds another stretch, device or op.
    pub fn merge(&mut self, other: &Self) {
        let Self {
            issued,
            completed,
            requeued,
            ended_before_issue,
            unmatched,
            end_unseen,
            bytes,
            errors,
            merges,
            sequential,
            near,
            random,
            flags,
            spans,
            size_bytes,
            depth,
            bios_per_request,
            extra,
        } = self;
        sum(issued, other.issued);
        sum(completed, other.completed);
        sum(requeued, other.requeued);
        sum(ended_before_issue, other.ended_before_issue);
        sum(unmatched, other.unmatched);
        sum(end_unseen, other.end_unseen);
        sum(bytes, other.bytes);
        sum(errors, other.errors);
        merges.merge(&other.merges);
        sum(sequential, other.sequential);
        sum(near, other.near);
        sum(random, other.random);
        flags.merge(&other.flags);
        merge_or_clone(spans, &other.spans, Histogram::merge);
        merge_option(size_bytes, &other.size_bytes, Histogram::merge);
        merge_option(depth, &other.depth, Histogram::merge);
        merge_option(bios_per_request, &other.bios_per_request, Histogram::merge);
        extra.clear();
    }
}

impl Merges {
    pub fn merge(&mut self, other: &Self) {
        let Self {
            front,
            back,
            request,
        } = self;
        sum(front, other.front);
        sum(back, other.back);
        sum(request, other.request);
    }
}

impl Flags {
    pub fn merge(&mut self, other: &Self) {
        let Self {
            sync,
            meta,
            fua,
            preflush,
            readahead,
            background,
        } = self;
        sum(sync, other.sync);
        sum(meta, other.meta);
        sum(fua, other.fua);
        sum(preflush, other.preflush);
        sum(readahead, other.readahead);
        sum(background, other.background);
    }
}

impl QueueSlice {
    pub fn merge(&mut self, other: &Self) {
        let Self {
            allocated,
            inserted,
            plugs,
            unplugs,
            unplugged_requests,
            splits,
            bios_queued,
            bios_completed,
            chunk_crossings,
        } = self;
        sum(allocated, other.allocated);
        sum(inserted, other.inserted);
        sum(plugs, other.plugs);
        sum(unplugs, other.unplugs);
        sum(unplugged_requests, other.unplugged_requests);
        sum(splits, other.splits);
        sum_option(bios_queued, other.bios_queued);
        sum_option(bios_completed, other.bios_completed);
        sum_option(chunk_crossings, other.chunk_crossings);
    }
}

impl JournalSlice {
    /// Adds another stretch of the same journal.
    pub fn merge(&mut self, other: &Self) {
        let Self {
            commits,
            phases,
            handles,
            handles_max,
            blocks,
            blocks_logged,
            checkpoints,
            checkpoint_blocks_written,
            checkpoint_forced_to_close,
            extra,
        } = self;
        sum(commits, other.commits);
        merge_or_clone(phases, &other.phases, Histogram::merge);
        sum(handles, other.handles);
        *handles_max = (*handles_max).max(other.handles_max);
        sum(blocks, other.blocks);
        sum(blocks_logged, other.blocks_logged);
        sum(checkpoints, other.checkpoints);
        sum(checkpoint_blocks_written, other.checkpoint_blocks_written);
        sum(checkpoint_forced_to_close, other.checkpoint_forced_to_close);
        extra.clear();
    }
}

impl SyncSlice {
    /// Keeps a call if it is among the slowest.
    pub fn keep(&mut self, call: SlowSync) {
        let place = self
            .slowest
            .partition_point(|kept| kept.took_ns >= call.took_ns);
        if place < Self::SLOWEST {
            self.slowest.insert(place, call);
            self.slowest.truncate(Self::SLOWEST);
        }
    }

    /// Adds another stretch of the same filesystem.
    pub fn merge(&mut self, other: &Self) {
        let Self { calls, slowest } = self;
        merge_or_clone(calls, &other.calls, SyncCalls::merge);
        slowest.extend(other.slowest.iter().cloned());
        // All that can differ decides, so that the order of merging does not show.
        slowest.sort_by_key(|call| (Reverse(call.took_ns), call.at_ns, call.pid, call.inode));
        slowest.truncate(Self::SLOWEST);
    }
}

impl DirtiedSlice {
    pub fn merge(&mut self, other: &Self) {
        let Self { atime, other: rest } = self;
        sum(atime, other.atime);
        sum(rest, other.other);
    }
}

impl PauseSlice {
    pub fn merge(&mut self, other: &Self) {
        let Self { all, by_command } = self;
        all.add(&other.all);
        for (command, pauses) in &other.by_command {
            by_command.entry(command.clone()).or_default().add(pauses);
        }
    }
}

impl PauseSum {
    pub fn add(&mut self, other: &Self) {
        let Self { pauses, sum_ns } = self;
        sum(pauses, other.pauses);
        sum(sum_ns, other.sum_ns);
    }
}

impl SyncCalls {
    pub fn merge(&mut self, other: &Self) {
        let Self {
            errors,
            latency_ns,
            phases_ns,
        } = self;
        sum(errors, other.errors);
        latency_ns.merge(&other.latency_ns);
        for (phase, ns) in &other.phases_ns {
            sum(phases_ns.entry(*phase).or_default(), *ns);
        }
    }
}

fn merge_system(
    own: &mut Option<SystemSlice>,
    length_ns: u64,
    other: &Option<SystemSlice>,
    other_length_ns: u64,
) {
    if own.is_none() && other.is_none() {
        return;
    }
    let empty = SystemSlice::default();
    let other = other.as_ref().unwrap_or(&empty);
    own.get_or_insert_default()
        .merge(length_ns, other, other_length_ns);
}

impl SystemSlice {
    /// Adds a stretch of `other_length_ns` to one of `length_ns`: shares are weighted with the time
    /// in which they were measured.
    pub fn merge(&mut self, length_ns: u64, other: &Self, other_length_ns: u64) {
        let Self {
            pressure_io_some,
            pressure_io_full,
            cpu_busy,
            cpu_iowait,
            dirty_bytes,
            writeback_bytes,
            swap_in_pages,
            swap_out_pages,
            alloc_stalls,
            drop_pagecache,
            measured_ns,
        } = self;
        let mut share = |key: &str, own: &mut Option<f64>, other_share: Option<f64>| {
            let weight = |measured: &BTreeMap<String, u64>, share: Option<f64>, length| {
                share.map_or(0, |_| measured.get(key).copied().unwrap_or(length))
            };
            let a = weight(measured_ns, *own, length_ns);
            let b = weight(&other.measured_ns, other_share, other_length_ns);
            *own = weighted(*own, a, other_share, b);
            measured_ns.remove(key);
            let measured = a.saturating_add(b);
            if own.is_some() && measured != length_ns.saturating_add(other_length_ns) {
                measured_ns.insert(key.to_owned(), measured);
            }
        };
        share("pressure_io_some", pressure_io_some, other.pressure_io_some);
        share("pressure_io_full", pressure_io_full, other.pressure_io_full);
        share("cpu_busy", cpu_busy, other.cpu_busy);
        share("cpu_iowait", cpu_iowait, other.cpu_iowait);
        *dirty_bytes = (*dirty_bytes).max(other.dirty_bytes);
        *writeback_bytes = (*writeback_bytes).max(other.writeback_bytes);
        sum_option(swap_in_pages, other.swap_in_pages);
        sum_option(swap_out_pages, other.swap_out_pages);
        sum_option(alloc_stalls, other.alloc_stalls);
        sum_option(drop_pagecache, other.drop_pagecache);
    }
}

fn weighted(a: Option<f64>, a_ns: u64, b: Option<f64>, b_ns: u64) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) if a_ns == 0 && b_ns == 0 => Some(a.max(b)),
        (Some(a), Some(b)) => {
            let (x, y) = (a_ns as f64, b_ns as f64);
            // Written so that equal shares stay exactly what they are.
            Some(a + (b - a) * (y / (x + y)))
        }
        (a, b) => a.or(b),
    }
}

fn sum(own: &mut u64, other: u64) {
    *own = own.saturating_add(other);
}

fn sum_option(own: &mut Option<u64>, other: Option<u64>) {
    if let Some(other) = other {
        *own = Some(own.unwrap_or(0).saturating_add(other));
    }
}

fn merge_option<T: Clone>(own: &mut Option<T>, other: &Option<T>, merge: impl Fn(&mut T, &T)) {
    match (own.as_mut(), other) {
        (Some(own), Some(other)) => merge(own, other),
        (None, Some(other)) => *own = Some(other.clone()),
        (_, None) => {}
    }
}

fn merge_map<K: Ord + Clone, T: Default>(
    own: &mut BTreeMap<K, T>,
    other: &BTreeMap<K, T>,
    merge: impl Fn(&mut T, &T),
) {
    for (key, value) in other {
        merge(own.entry(key.clone()).or_default(), value);
    }
}

/// For values without an empty one: a histogram's scale comes from what it is merged with.
fn merge_or_clone<K: Ord + Clone, T: Clone>(
    own: &mut BTreeMap<K, T>,
    other: &BTreeMap<K, T>,
    merge: impl Fn(&mut T, &T),
) {
    for (key, value) in other {
        match own.get_mut(key) {
            Some(own) => merge(own, value),
            None => {
                own.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
