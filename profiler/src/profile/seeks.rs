//! Whether a device behaves like a disk with heads. The kernel's rotational flag alone says nothing:
//! virtual disks carry it without spinning.

use super::answer::{Answer, flag};
use super::{Fold, stack, traffic};
use crate::capture::{Histogram, Op, OpSlice, Span};
use crate::host::{BlockDevice, DeviceClass};
use rules::facts::{Measured, Value};

/// Reads that must have been seen, of random and of sequential seconds.
const RANDOM_READS: u64 = 200;
const SEQUENTIAL_READS: u64 = 50;
/// A second counts as sequential when this part of its reads is, as jumping when this part is not.
const MOSTLY: f64 = 0.7;
/// Requests in flight up to which the time in the device is that of one request.
const FEW: f64 = 2.0;
/// No head settles and waits for half a turn in less than the one; flash answers before the other.
const SLOW_NS: f64 = 2e6;
const QUICK_NS: f64 = 1e6;

pub(super) fn answer(fold: &Fold<'_>, device: &BlockDevice) -> Answer {
    if let Some(known) = by_construction(fold, device) {
        return known;
    }
    match fold.stack.all_below(device).is_empty() {
        true => by_behaviour(fold, device),
        false => by_leaves(fold, device),
    }
}

fn by_construction(fold: &Fold<'_>, device: &BlockDevice) -> Option<Answer> {
    let bare = stack::bare(&fold.capture.host, device) == Some(true);
    let rotational = device.queue.as_ref().and_then(|queue| queue.rotational);
    match device.class {
        DeviceClass::Nvme if bare => Some(flag(Some(false), "class nvme", "")),
        DeviceClass::Zram | DeviceClass::Ram => Some(flag(Some(false), "it is memory", "")),
        _ if bare && rotational == Some(false) => Some(flag(
            Some(false),
            "the disk itself says that it does not rotate",
            "",
        )),
        _ => None,
    }
}

/// A stack seeks when all disks at its bottom do.
fn by_leaves(fold: &Fold<'_>, device: &BlockDevice) -> Answer {
    let own = device.name.as_str();
    let below = fold.stack.all_below(device);
    let leaves = below
        .into_iter()
        .filter(|leaf| leaf.below.is_empty() && leaf.name != own);
    let mut seeks = Vec::new();
    for leaf in leaves {
        let answer = match by_construction(fold, leaf) {
            Some(known) => known,
            None => by_behaviour(fold, leaf),
        };
        let value = answer
            .map_err(|reason| format!("{}: {reason}", leaf.name))?
            .value;
        seeks.push(value == Value::Bool(true));
    }
    let same = match seeks[..] {
        [] => None,
        [first, ..] => seeks.iter().all(|own| *own == first).then_some(first),
    };
    flag(same, "the disks below it", "the disks below it differ")
}

/// Only seconds with few requests in flight are looked at: a long queue makes any device slow.
fn by_behaviour(fold: &Fold<'_>, device: &BlockDevice) -> Answer {
    traffic::slice(fold, device)?;
    let (mut jumping, mut sequential) = (OpSlice::default(), OpSlice::default());
    for slice in &fold.capture.slices {
        let device = slice.devices.get(&device.number);
        let read = device.and_then(|device| device.ops.get(&Op::Read));
        let Some(read) = read.filter(|read| is_lone(read)) else {
            continue;
        };
        let placed = traffic::placed(read) as f64;
        if read.sequential as f64 >= MOSTLY * placed {
            sequential.merge(read);
        } else if read.sequential as f64 <= (1.0 - MOSTLY) * placed {
            jumping.merge(read);
        }
    }
    // Near reads may come out of the disk's own memory. So the median of the random ones is only
    // bounded: they may be the slowest of all, or the fastest.
    let random = jumping.random as f64 / traffic::placed(&jumping).max(1) as f64;
    let n = jumping.random;
    let time = jumping.spans.get(&Span::Device);
    let bound = |q: f64| {
        time.and_then(|time| time.quantile(q))
            .map(|found| found.value)
    };
    let bounds = bound(random / 2.0).zip(bound(1.0 - random / 2.0));
    let Some((least, most)) = bounds.filter(|_| n >= RANDOM_READS) else {
        return Err(format!(
            "{n} random reads at low depth were seen, and {RANDOM_READS} are needed to tell"
        ));
    };
    let said = |seeks: bool| {
        let value = Value::Bool(seeks);
        Ok(Measured {
            n: Some(n),
            ..Measured::set(value, "times of random reads at low depth")
        })
    };
    if most < QUICK_NS {
        return said(false);
    }
    if least < SLOW_NS {
        let reason = "its random reads take times that both kinds of disk can show";
        return Err(reason.to_owned());
    }
    match half(&sequential, SEQUENTIAL_READS) {
        Ok((_, quick)) if quick <= least / 2.0 => said(true),
        Ok(_) => Err("its reads are slow wherever they are, which is not what heads do".to_owned()),
        Err(_) if is_spinning_by_its_word(fold, device) => said(true),
        Err(_) => Err(
            "its random reads are slow, but there were no sequential ones to compare".to_owned(),
        ),
    }
}

fn is_lone(read: &OpSlice) -> bool {
    let depth = read.depth.as_ref().and_then(|depth| depth.quantile(0.5));
    traffic::placed(read) > 0 && depth.is_some_and(|depth| depth.value <= FEW)
}

/// Number and median of the read times, if there are enough; else the number.
fn half(reads: &OpSlice, least: u64) -> Result<(u64, f64), u64> {
    let time = reads.spans.get(&Span::Device);
    let n = time.map_or(0, Histogram::n);
    let median = time
        .and_then(|time| time.quantile(0.5))
        .map(|median| median.value);
    median
        .filter(|_| n >= least)
        .map(|median| (n, median))
        .ok_or(n)
}

/// A physical disk that says of itself that it rotates.
fn is_spinning_by_its_word(fold: &Fold<'_>, device: &BlockDevice) -> bool {
    let rotational = device.queue.as_ref().and_then(|queue| queue.rotational);
    stack::bare(&fold.capture.host, device) == Some(true) && rotational == Some(true)
}
