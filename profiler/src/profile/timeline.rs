//! Facts that need the time line: the busiest seconds against the usual ones.

use super::answer::{Answer, quantile};
use super::{About, Fold, traffic};
use crate::capture::{DeviceSlice, Histogram, Op, OpSlice, Slice, Span, Stack};
use crate::host::BlockDevice;
use rules::facts::{self as f, Fact, Measured};
use std::collections::BTreeMap;

/// Fewer seconds with I/O than this have no busiest tenth.
const FEWEST: usize = 10;
/// Seconds with discards and seconds without that are compared.
const FEWEST_ALIKE: usize = 5;

/// All facts of this module.
const ALL: &[&Fact] = &[
    &f::DEPTH_TOP_DECILE,
    &f::THROUGHPUT_TOP_GAIN,
    &f::LATENCY_TOP_GAIN,
    &f::QUEUED_TOP_DECILE,
    &f::DEVICE_BUSY,
    &f::WRITE_THROUGHPUT_MAX,
    &f::WRITE_BEST_DEPTH,
    &f::READ_P99_DURING_DISCARDS,
    &f::READ_P99_WITHOUT_DISCARDS,
    &f::TOP_PROCESS_SHARE,
];

/// A device in one second.
struct Second<'a> {
    seconds: f64,
    device: &'a DeviceSlice,
    all: OpSlice,
}

impl Second<'_> {
    fn bytes_per_second(&self) -> f64 {
        let bytes = |op: Op| self.device.ops.get(&op).map_or(0, |op| op.bytes);
        (bytes(Op::Read) as f64 + bytes(Op::Write) as f64) / self.seconds
    }

    /// Requests in the device on average, by Little's law.
    fn in_flight(&self) -> f64 {
        traffic::device_time(&self.all).map_or(0.0, |time| time.sum as f64 / 1e9 / self.seconds)
    }

    /// Requests allocated and not completed on average, by Little's law.
    fn queued(&self) -> Option<f64> {
        let time = self.all.spans.get(&Span::Request)?;
        Some(time.sum as f64 / 1e9 / self.seconds)
    }

    fn latency(&self) -> Option<f64> {
        traffic::device_time(&self.all)?.mean()
    }
}

pub(super) fn put(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    if let Err(reason) = traffic::slice(fold, device) {
        return about.say_unknown(ALL, &reason);
    }
    let lengths = &fold.capture.slices;
    let seconds: Vec<Second<'_>> = lengths
        .iter()
        .filter_map(|slice| second(slice, &device.number))
        .collect();
    let active: Vec<&Second<'_>> = seconds
        .iter()
        .filter(|second| second.all.completed > 0)
        .collect();
    let source = if device.bio_based {
        "stacked probe"
    } else {
        "block probe"
    };
    about.say(&f::DEVICE_BUSY, busy(fold, &seconds, source));
    best_write(&active, source, about);
    top_decile(&active, source, about);
    about.say(&f::QUEUED_TOP_DECILE, queued(&active, source));
    discards(&seconds, source, about);
    about.say(&f::TOP_PROCESS_SHARE, top_process(fold, device));
}

/// Slices too short to make a rate of are left out.
fn second<'a>(slice: &'a Slice, number: &str) -> Option<Second<'a>> {
    let device = slice.devices.get(number)?;
    let seconds = slice.length_ns as f64 / 1e9;
    (slice.length_ns >= 100_000_000).then(|| Second {
        seconds,
        all: device.all_ops(),
        device,
    })
}

/// Share of time with a request in flight, at most: the mean number in flight, cut off at one.
fn busy(fold: &Fold<'_>, seconds: &[Second<'_>], source: &str) -> Answer {
    let whole = fold
        .seconds()
        .ok_or_else(|| "nothing was recorded".to_owned())?;
    let n = seconds
        .iter()
        .fold(0u64, |sum, second| sum.saturating_add(second.all.completed));
    let timed = seconds
        .iter()
        .any(|second| traffic::device_time(&second.all).is_some());
    if n > 0 && !timed {
        return Err("the time in the device was not measured".to_owned());
    }
    let busy: f64 = seconds
        .iter()
        .map(|second| second.in_flight().min(1.0) * second.seconds)
        .sum();
    let source = format!("{source}, Little's law in each second");
    Ok(Measured::of((busy / whole).min(1.0), n, &source))
}

/// The second with the most bytes written, and how full the device was in it.
fn best_write(active: &[&Second<'_>], source: &str, about: &mut About<'_>) {
    let writes = active.iter().filter_map(|second| {
        let op = second
            .device
            .ops
            .get(&Op::Write)
            .filter(|op| op.bytes > 0)?;
        Some((op.bytes as f64 / second.seconds, op.completed, second))
    });
    let Some((rate, n, second)) = writes.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        let facts = [&f::WRITE_THROUGHPUT_MAX, &f::WRITE_BEST_DEPTH];
        return about.say_unknown(&facts, "no writes completed in the window");
    };
    about.say(&f::WRITE_THROUGHPUT_MAX, Ok(Measured::of(rate, n, source)));
    let timed = traffic::device_time(&second.all).filter(|time| time.n() > 0);
    let depth = timed.ok_or_else(|| "the time in the device was not measured".to_owned());
    let source = format!("{source}, Little's law");
    let depth = depth.map(|time| Measured::of(second.in_flight(), time.n(), &source));
    about.say(&f::WRITE_BEST_DEPTH, depth);
}

/// The tenth with the most requests in flight against the median second.
fn top_decile(active: &[&Second<'_>], source: &str, about: &mut About<'_>) {
    let facts = [
        &f::DEPTH_TOP_DECILE,
        &f::THROUGHPUT_TOP_GAIN,
        &f::LATENCY_TOP_GAIN,
    ];
    if active.len() < FEWEST {
        let reason = format!(
            "only {} seconds had I/O, and {FEWEST} are needed",
            active.len()
        );
        return about.say_unknown(&facts, &reason);
    }
    let top = busiest(active, |second| Some(second.in_flight()));
    let all = merged(&top);
    let n = all.completed;
    let missing = "the depth was not measured";
    about.say(
        &f::DEPTH_TOP_DECILE,
        quantile(all.depth.as_ref(), 0.5, source, missing),
    );
    let time: f64 = top.iter().map(|second| second.seconds).sum();
    let bytes: f64 = top
        .iter()
        .map(|second| second.bytes_per_second() * second.seconds)
        .sum();
    let usual = median(
        active
            .iter()
            .map(|second| second.bytes_per_second())
            .collect(),
    );
    let gain = |top: Option<f64>, usual: Option<f64>, what: &str| match (top, usual) {
        (Some(top), Some(usual)) if usual > 0.0 => Ok(Measured::of(top / usual, n, source)),
        _ => Err(format!("the median second has no {what}")),
    };
    about.say(
        &f::THROUGHPUT_TOP_GAIN,
        gain(Some(bytes / time), usual, "throughput"),
    );
    let latency = traffic::device_time(&all).and_then(Histogram::mean);
    let usual = median(
        active
            .iter()
            .filter_map(|second| second.latency())
            .collect(),
    );
    about.say(&f::LATENCY_TOP_GAIN, gain(latency, usual, "latency"));
}

fn queued(active: &[&Second<'_>], source: &str) -> Answer {
    if active.len() < FEWEST {
        return Err(format!(
            "only {} seconds had I/O, and {FEWEST} are needed",
            active.len()
        ));
    }
    let top = busiest(active, Second::queued);
    if top.is_empty() {
        return Err("the time from allocation to completion was not measured".to_owned());
    }
    let waiting: f64 = top
        .iter()
        .filter_map(|s| Some(s.queued()? * s.seconds))
        .sum();
    let time: f64 = top.iter().map(|second| second.seconds).sum();
    let n = merged(&top).completed;
    Ok(Measured::of(
        waiting / time,
        n,
        &format!("{source}, Little's law"),
    ))
}

/// The tenth of the seconds with the most of something, at least one.
fn busiest<'s, 'a>(
    active: &[&'s Second<'a>],
    measure: impl Fn(&Second<'a>) -> Option<f64>,
) -> Vec<&'s Second<'a>> {
    let ranked = active
        .iter()
        .filter_map(|second| Some((measure(second)?, *second)));
    let mut ranked: Vec<(f64, &Second<'_>)> = ranked.collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.truncate(ranked.len().div_ceil(10));
    ranked.into_iter().map(|(_, second)| second).collect()
}

fn merged(seconds: &[&Second<'_>]) -> OpSlice {
    let mut all = OpSlice::default();
    seconds.iter().for_each(|second| all.merge(&second.all));
    all
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// Read times of the seconds with discards, and of those without that wrote about as much: files
/// are deleted when much else happens, and that must not be blamed on the discards.
fn discards(seconds: &[Second<'_>], source: &str, about: &mut About<'_>) {
    let facts = [&f::READ_P99_DURING_DISCARDS, &f::READ_P99_WITHOUT_DISCARDS];
    let count =
        |second: &Second<'_>, op: Op| second.device.ops.get(&op).map_or(0, |op| op.completed);
    let written = |second: &Second<'_>| {
        let bytes = second.device.ops.get(&Op::Write).map_or(0, |op| op.bytes);
        bytes as f64 / second.seconds
    };
    let (with, without): (Vec<&Second<'_>>, Vec<&Second<'_>>) = seconds
        .iter()
        .partition(|second| count(second, Op::Discard) > 0);
    let Some(usual) = median(with.iter().map(|second| written(second)).collect()) else {
        return about.say_unknown(&facts, "no discards completed in the window");
    };
    let alike = without
        .into_iter()
        .filter(|second| written(second) >= usual / 2.0);
    let alike: Vec<&Second<'_>> = alike.collect();
    for (fact, side, which) in [(facts[0], with, "with"), (facts[1], alike, "without")] {
        if side.len() < FEWEST_ALIKE {
            let reason = format!(
                "{} seconds {which} discards wrote as much, and {FEWEST_ALIKE} are needed",
                side.len()
            );
            about.say_unknown(&[fact], &reason);
            continue;
        }
        let mut reads = OpSlice::default();
        let own = side
            .iter()
            .filter_map(|second| second.device.ops.get(&Op::Read));
        own.for_each(|read| reads.merge(read));
        let missing = format!("no reads completed in seconds {which} discards");
        let time = reads.spans.get(&Span::Device);
        about.say(fact, quantile(time, 0.99, source, &missing));
    }
}

fn top_process(fold: &Fold<'_>, device: &BlockDevice) -> Answer {
    if let Some(reason) = fold.silence("stack") {
        return Err(reason);
    }
    let own = |stack: &&Stack| stack.device == device.number || stack.device == device.name;
    let (mut by_process, mut samples) = (BTreeMap::new(), 0u64);
    for stack in fold.capture.stacks.iter().filter(own) {
        *by_process.entry(stack.tgid).or_insert(0.0) += stack.requests as f64;
        samples = samples.saturating_add(stack.samples);
    }
    let all: f64 = by_process.values().sum();
    let most = by_process.into_values().fold(0.0, f64::max);
    match all > 0.0 {
        true => Ok(Measured::of(most / all, samples, "stack samples")),
        false => Err("no stacks were sampled for it".to_owned()),
    }
}
