//! One traced device: its ops, its queue, its balance.

use super::numbers::{NO_DATA, distribution, latency, per_second, reason};
use super::shape::{
    BalanceJson, DeviceJson, FlagsJson, MergesJson, OpJson, QueueJson, SpansJson, WaitJson,
};
use super::stack;
use crate::capture::{
    Capture, DeviceSlice, Flags, Merges, Op, OpSlice, ProbeState, QueueSlice, Slice, Span,
    WaitCause, WaitSum,
};
use crate::host::{BlockDevice, Host};
use std::collections::BTreeMap;

/// Every device of the capture, the busiest first.
pub(super) fn all(capture: &Capture, total: &Slice) -> Vec<DeviceJson> {
    let mut devices: Vec<(u64, DeviceJson)> = total
        .devices
        .iter()
        .map(|(number, device)| {
            let traffic = device
                .ops
                .values()
                .fold(0u64, |sum, op| sum.saturating_add(op.completed));
            (traffic, one(capture, total, number, device))
        })
        .collect();
    // Stable: devices with the same traffic stay in the order of their numbers.
    devices.sort_by_key(|(traffic, _)| std::cmp::Reverse(*traffic));
    devices.into_iter().map(|(_, device)| device).collect()
}

/// The inventory's entry for a device number.
pub(crate) fn by_number<'a>(host: &'a Host, number: &str) -> Option<&'a BlockDevice> {
    host.devices.iter().find(|device| device.number == number)
}

/// The name that people know a device number by, or the number.
pub(crate) fn name_of(host: &Host, number: &str) -> String {
    by_number(host, number).map_or_else(|| number.to_owned(), |device| device.name.clone())
}

fn one(capture: &Capture, total: &Slice, number: &str, slice: &DeviceSlice) -> DeviceJson {
    let known = by_number(&capture.host, number);
    let ops = slice
        .ops
        .iter()
        .map(|(op, counted)| (*op, op_json(capture, total, *op, counted)))
        .collect();
    let bio_based = known.is_some_and(|device| device.bio_based);
    let waits_measured = !bio_based
        && slice
            .ops
            .values()
            .any(|op| op.spans.contains_key(&Span::Wait));
    DeviceJson {
        waits: waits_measured.then(|| waits(slice)),
        waits_reason: (!waits_measured).then(|| match bio_based {
            true => "a stacked device has no requests to wait for".to_owned(),
            false => reason(&capture.probes, &["wait"]),
        }),
        name: name_of(&capture.host, number),
        number: number.to_owned(),
        id: known.and_then(|device| device.id.clone()),
        class: known.map(|device| stack::class_name(device.class).to_owned()),
        model: known.and_then(|device| device.model.clone()),
        stack: known.map_or_else(Vec::new, |device| stack::layers(&capture.host, device)),
        ops,
        queue: queue(capture, slice.queue.as_ref()),
        balance: balance(slice),
    }
}

fn op_json(capture: &Capture, total: &Slice, op: Op, counted: &OpSlice) -> OpJson {
    let placed = counted
        .sequential
        .saturating_add(counted.near)
        .saturating_add(counted.random);
    let pattern = |n: u64| (placed > 0).then_some(n);
    let span = |span: Span, probes: &[&str]| {
        latency(counted.spans.get(&span), || reason(&capture.probes, probes))
    };
    let block = || reason(&capture.probes, &["block"]);
    let carried = || match op {
        Op::Flush => NO_DATA.to_owned(),
        _ => block(),
    };
    OpJson {
        completed: counted.completed,
        bytes: counted.bytes,
        errors: counted.errors,
        requeues: counted.requeued,
        per_second: per_second(counted.completed, total.length_ns),
        bytes_per_second: per_second(counted.bytes, total.length_ns),
        merges: merges(capture, &counted.merges),
        sequential: pattern(counted.sequential),
        near: pattern(counted.near),
        random: pattern(counted.random),
        sequential_share: pattern(counted.sequential).map(|n| n as f64 / placed as f64),
        pattern_reason: (placed == 0).then(|| match op {
            Op::Flush => NO_DATA.to_owned(),
            _ if counted.issued == 0 => "nothing was issued".to_owned(),
            _ => block(),
        }),
        flags: flags(&counted.flags),
        spans: SpansJson {
            wait: span(Span::Wait, &["wait"]),
            queue: span(Span::Queue, &["block"]),
            device: span(Span::Device, &["block"]),
            request: span(Span::Request, &["block"]),
            bio: span(Span::Bio, &["stacked"]),
        },
        size_bytes: distribution(counted.size_bytes.as_ref(), carried),
        depth: distribution(counted.depth.as_ref(), block),
        bios_per_request: distribution(counted.bios_per_request.as_ref(), carried),
    }
}

fn waits(slice: &DeviceSlice) -> BTreeMap<&'static str, WaitJson> {
    let one = |(cause, wait): (&WaitCause, &WaitSum)| {
        let WaitSum { requests, sum_ns } = *wait;
        (cause.name(), WaitJson { requests, sum_ns })
    };
    slice.waits.iter().map(one).collect()
}

fn merges(capture: &Capture, merges: &Merges) -> MergesJson {
    let Merges {
        front,
        back,
        request,
    } = *merges;
    let silent = capture.probes.iter().any(|probe| {
        probe.id == "block" && !matches!(probe.state, ProbeState::Ok | ProbeState::Partial)
    });
    let measured = !silent || front.max(back).max(request) > 0;
    let counted = |n: u64| measured.then_some(n);
    MergesJson {
        front: counted(front),
        back: counted(back),
        request: counted(request),
        reason: (!measured).then(|| reason(&capture.probes, &["block"])),
    }
}

fn flags(flags: &Flags) -> FlagsJson {
    let Flags {
        sync,
        meta,
        fua,
        preflush,
        readahead,
        background,
    } = *flags;
    FlagsJson {
        sync,
        meta,
        fua,
        preflush,
        readahead,
        background,
    }
}

fn queue(capture: &Capture, queue: Option<&QueueSlice>) -> QueueJson {
    let Some(queue) = queue else {
        return QueueJson {
            reason: Some(reason(&capture.probes, &["queue"])),
            ..QueueJson::default()
        };
    };
    let QueueSlice {
        allocated,
        inserted,
        plugs,
        unplugs,
        unplugged_requests,
        splits,
        bios_queued,
        bios_completed,
        chunk_crossings,
    } = *queue;
    QueueJson {
        allocated: Some(allocated),
        inserted: Some(inserted),
        plugs: Some(plugs),
        unplugs: Some(unplugs),
        unplugged_requests: Some(unplugged_requests),
        splits: Some(splits),
        bios_queued,
        bios_completed,
        chunk_crossings,
        reason: bios_queued
            .is_none()
            .then(|| "bios are counted only on stacked devices".to_owned()),
    }
}

fn balance(device: &DeviceSlice) -> BalanceJson {
    let all = device.all_ops();
    // A completion whose issue was not seen belongs to no issue that was counted.
    let completed = all.completed.saturating_sub(all.unmatched);
    let difference = device.in_flight_end.map(|in_flight| {
        let sum = i128::from(completed) + i128::from(in_flight) + i128::from(all.requeued);
        let begun = i128::from(all.issued) + i128::from(device.in_flight_start.unwrap_or(0));
        let difference = begun - sum;
        i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
    });
    BalanceJson {
        issued: all.issued,
        in_flight_at_start: device.in_flight_start.unwrap_or(0),
        completed,
        in_flight: device.in_flight_end,
        ended_otherwise: all.requeued,
        unmatched: all.unmatched,
        ended_before_issue: all.ended_before_issue,
        difference,
        reason: match difference {
            None => Some("the requests in flight at the end were not counted".to_owned()),
            Some(_) if all.end_unseen > 0 => Some(format!(
                "of the completed ones {} have no times: the kernel skipped the probe at their end",
                all.end_unseen
            )),
            Some(_) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_balance_counts_each_request_once() {
        let op = OpSlice {
            issued: 105,
            completed: 103,
            requeued: 3,
            unmatched: 2,
            ..OpSlice::default()
        };
        let mut device = DeviceSlice {
            ops: [(Op::Read, op)].into(),
            in_flight_end: Some(1),
            ..DeviceSlice::default()
        };
        // 105 issued = 101 of ours completed + 1 in flight + 3 taken back.
        assert_eq!(balance(&device).difference, Some(0));
        device.in_flight_end = None;
        assert_eq!(balance(&device).difference, None);
        assert!(balance(&device).reason.is_some());
    }
}
