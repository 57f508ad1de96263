//! Whether a cgroup limits what may be done on a device, and how near that limit was.

use super::answer::{Answer, flag};
use super::{About, Fold, traffic};
use crate::capture::{Op, Slice};
use crate::host::{BlockDevice, IoLimit};
use rules::facts::{self as f, Measured};

pub(super) fn put(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    let host = &fold.capture.host;
    let reason = host
        .missing
        .iter()
        .find(|missing| missing.what.contains("cgroup"));
    let limits: Vec<&IoLimit> = host
        .cgroups
        .iter()
        .flat_map(|cgroup| &cgroup.io_limits)
        .filter(|limit| limit.device == device.number)
        .collect();
    let limited = match (limits.is_empty(), reason, host.cgroups.is_empty()) {
        (true, Some(missing), _) => Err(missing.reason.clone()),
        (true, None, true) => Err("no cgroup was looked at".to_owned()),
        (none, ..) => flag(Some(!none), "io.max of the cgroups looked at", ""),
    };
    about.say(&f::CGROUP_LIMIT, limited);
    about.say(&f::CGROUP_LIMIT_USE, nearness(fold, device, &limits));
}

/// The best second over the tightest limit.
fn nearness(fold: &Fold<'_>, device: &BlockDevice, limits: &[&IoLimit]) -> Answer {
    if limits.is_empty() {
        return Err("no limit is known for this device".to_owned());
    }
    traffic::slice(fold, device)?;
    let mut best: Option<(f64, u64)> = None;
    for slice in &fold.capture.slices {
        for limit in limits {
            let (near, n) = used(slice, &device.number, limit);
            if near.is_some_and(|near| best.is_none_or(|(most, _)| near > most)) {
                best = near.map(|near| (near, n));
            }
        }
    }
    let (near, n) = best.ok_or_else(|| "its limits are not on what was recorded".to_owned())?;
    Ok(Measured::of(near, n, "the best second over io.max"))
}

/// The largest part of a limit that one second used, and the requests it had.
fn used(slice: &Slice, number: &str, limit: &IoLimit) -> (Option<f64>, u64) {
    let seconds = slice.length_ns as f64 / 1e9;
    if slice.length_ns < 100_000_000 {
        return (None, 0);
    }
    let device = slice.devices.get(number);
    let op = |op: Op| {
        let slice = device.and_then(|device| device.ops.get(&op));
        slice.map_or((0, 0), |op| (op.bytes, op.completed))
    };
    let (read, write) = (op(Op::Read), op(Op::Write));
    let part = |count: u64, limit: Option<u64>| {
        let limit = limit.filter(|limit| *limit > 0)?;
        Some(count as f64 / seconds / limit as f64)
    };
    let parts = [
        part(read.0, limit.read_bytes_per_s),
        part(write.0, limit.write_bytes_per_s),
        part(read.1, limit.read_iops),
        part(write.1, limit.write_iops),
    ];
    let most = parts.into_iter().flatten().reduce(f64::max);
    (most, read.1.saturating_add(write.1))
}
