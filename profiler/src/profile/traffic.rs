//! Facts about what a device did in the whole of the recording: rates, sizes, times.

use super::answer::{Answer, quantile, share};
use super::{About, Fold};
use crate::capture::{DeviceSlice, Histogram, Op, OpSlice, Span};
use crate::host::BlockDevice;
use rules::facts::{self as f, Fact, Measured};

/// Facts of one kind of request.
struct Kind {
    op: Op,
    plural: &'static str,
    rate: &'static Fact,
    quantiles: &'static [(&'static Fact, Span, f64)],
}

const KINDS: &[Kind] = &[
    Kind {
        op: Op::Read,
        plural: "reads",
        rate: &f::READ_RATE,
        quantiles: &[
            (&f::READ_DEVICE_P50, Span::Device, 0.5),
            (&f::READ_DEVICE_P99, Span::Device, 0.99),
            (&f::READ_QUEUE_P50, Span::Queue, 0.5),
            (&f::READ_QUEUE_P95, Span::Queue, 0.95),
            (&f::READ_QUEUE_P99, Span::Queue, 0.99),
            (&f::READ_REQUEST_P50, Span::Request, 0.5),
            (&f::READ_REQUEST_P99, Span::Request, 0.99),
        ],
    },
    Kind {
        op: Op::Write,
        plural: "writes",
        rate: &f::WRITE_RATE,
        quantiles: &[
            (&f::WRITE_DEVICE_P50, Span::Device, 0.5),
            (&f::WRITE_DEVICE_P99, Span::Device, 0.99),
            (&f::WRITE_QUEUE_P50, Span::Queue, 0.5),
            (&f::WRITE_QUEUE_P99, Span::Queue, 0.99),
        ],
    },
    Kind {
        op: Op::Flush,
        plural: "cache flushes",
        rate: &f::FLUSH_RATE,
        quantiles: &[
            (&f::FLUSH_DEVICE_P50, Span::Device, 0.5),
            (&f::FLUSH_DEVICE_P99, Span::Device, 0.99),
        ],
    },
    Kind {
        op: Op::Discard,
        plural: "discards",
        rate: &f::DISCARD_RATE,
        quantiles: &[(&f::DISCARD_DEVICE_P99, Span::Device, 0.99)],
    },
];

/// What only this module decides, to be called unknown together.
const OTHERS: &[&Fact] = &[
    &f::READ_THROUGHPUT,
    &f::READ_SEQUENTIAL,
    &f::READ_RANDOM,
    &f::READ_SIZE_P50,
    &f::READ_SIZE_P90,
    &f::READ_READAHEAD,
    &f::WRITE_THROUGHPUT,
    &f::WRITE_SEQUENTIAL,
    &f::WRITE_SIZE_P50,
    &f::WRITE_SIZE_P90,
    &f::WRITE_SYNC,
    &f::IO_RATE,
    &f::IO_THROUGHPUT,
    &f::DEPTH_P50,
    &f::DEPTH_P95,
    &f::MERGE_RATIO,
    &f::SPLIT_RATIO,
    &f::IO_ERRORS,
    &f::REQUEUES,
];

/// The probe group that follows a device.
pub(super) fn probe(device: &BlockDevice) -> &'static str {
    if device.bio_based { "stacked" } else { "block" }
}

/// What was counted for a device: nothing at all is a count of zero, if it was looked at.
pub(super) fn slice(fold: &Fold<'_>, device: &BlockDevice) -> Result<DeviceSlice, String> {
    if let Some(slice) = fold.total.devices.get(&device.number) {
        return Ok(slice.clone());
    }
    if let Some(reason) = fold.silence(probe(device)) {
        return Err(reason);
    }
    let asked = &fold.capture.meta.devices;
    let meant = |asked: &String| *asked == device.name || *asked == device.number;
    match asked.is_empty() || asked.iter().any(meant) {
        true => Ok(DeviceSlice::default()),
        false => Err(format!("only {} was recorded", asked.join(", "))),
    }
}

pub(super) fn put(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    about.say_unknown(
        &[&f::READAHEAD_HIT],
        "no probe counts which of the pages read ahead are used",
    );
    let found = slice(fold, device).and_then(|slice| match fold.seconds() {
        Some(seconds) => Ok((slice, seconds)),
        None => Err("nothing was recorded".to_owned()),
    });
    let (slice, seconds) = match found {
        Ok(found) => found,
        Err(reason) => {
            for kind in KINDS {
                about.say_unknown(&[kind.rate], &reason);
                kind.quantiles
                    .iter()
                    .for_each(|(fact, ..)| about.say_unknown(&[fact], &reason));
            }
            return about.say_unknown(OTHERS, &reason);
        }
    };
    let traffic = Traffic {
        slice: &slice,
        seconds,
        source: if device.bio_based {
            "stacked probe"
        } else {
            "block probe"
        },
        silence: fold.silence("block"),
    };
    for kind in KINDS {
        traffic.times(kind, about);
    }
    traffic.shapes(about);
    traffic.sums(about);
    traffic.queue(about);
}

struct Traffic<'a> {
    slice: &'a DeviceSlice,
    seconds: f64,
    source: &'static str,
    /// Why requests were not followed, if they were not.
    silence: Option<String>,
}

impl Traffic<'_> {
    fn op(&self, op: Op) -> OpSlice {
        self.slice.ops.get(&op).cloned().unwrap_or_default()
    }

    fn rate(&self, count: u64, n: u64) -> Answer {
        Ok(Measured::of(count as f64 / self.seconds, n, self.source))
    }

    /// Why a measure of completed requests is not there.
    fn missing(&self, op: &OpSlice, plural: &str, what: &str) -> String {
        match (op.completed, &self.silence) {
            (0, _) => format!("no {plural} completed in the window"),
            (_, Some(reason)) => reason.clone(),
            (_, None) => format!("the {what} of its {plural} was not measured"),
        }
    }

    fn times(&self, kind: &Kind, about: &mut About<'_>) {
        let op = self.op(kind.op);
        about.say(kind.rate, self.rate(op.completed, op.completed));
        for (fact, span, q) in kind.quantiles {
            let what = format!("{} time", span.name());
            let missing = self.missing(&op, kind.plural, &what);
            about.say(
                fact,
                quantile(op.spans.get(span), *q, self.source, &missing),
            );
        }
    }

    fn shapes(&self, about: &mut About<'_>) {
        let (read, write) = (self.op(Op::Read), self.op(Op::Write));
        let size = |op: &OpSlice, q: f64, plural: &str| {
            let missing = self.missing(op, plural, "size");
            quantile(op.size_bytes.as_ref(), q, self.source, &missing)
        };
        about.say(&f::READ_SIZE_P50, size(&read, 0.5, "reads"));
        about.say(&f::READ_SIZE_P90, size(&read, 0.9, "reads"));
        about.say(&f::WRITE_SIZE_P50, size(&write, 0.5, "writes"));
        about.say(&f::WRITE_SIZE_P90, size(&write, 0.9, "writes"));
        about.say(
            &f::READ_SEQUENTIAL,
            self.placed(&read, read.sequential, "reads"),
        );
        about.say(&f::READ_RANDOM, self.placed(&read, read.random, "reads"));
        about.say(
            &f::WRITE_SEQUENTIAL,
            self.placed(&write, write.sequential, "writes"),
        );
        let flagged = |op: &OpSlice, count: u64, plural: &str| {
            let missing = self.missing(op, plural, "flags");
            share(
                count as f64,
                op.completed as f64,
                op.completed,
                self.source,
                &missing,
            )
        };
        about.say(
            &f::READ_READAHEAD,
            flagged(&read, read.flags.readahead, "reads"),
        );
        about.say(&f::WRITE_SYNC, flagged(&write, write.flags.sync, "writes"));
    }

    /// A share of the requests whose place was compared with earlier ones.
    fn placed(&self, op: &OpSlice, count: u64, plural: &str) -> Answer {
        let all = placed(op);
        let missing = self.missing(op, plural, "place");
        share(count as f64, all as f64, all, self.source, &missing)
    }

    fn sums(&self, about: &mut About<'_>) {
        let (read, write) = (self.op(Op::Read), self.op(Op::Write));
        about.say(&f::READ_THROUGHPUT, self.rate(read.bytes, read.completed));
        about.say(
            &f::WRITE_THROUGHPUT,
            self.rate(write.bytes, write.completed),
        );
        let bytes = read.bytes.saturating_add(write.bytes);
        let both = read.completed.saturating_add(write.completed);
        about.say(&f::IO_THROUGHPUT, self.rate(bytes, both));
        let all = self.slice.all_ops();
        about.say(&f::IO_RATE, self.rate(all.completed, all.completed));
        let count = |count: u64| Ok(Measured::of(count as f64, all.completed, self.source));
        about.say(&f::IO_ERRORS, count(all.errors));
        about.say(&f::REQUEUES, count(all.requeued));
    }

    fn queue(&self, about: &mut About<'_>) {
        let all = self.slice.all_ops();
        let missing = self.missing(&all, "requests", "depth");
        let depth = |q: f64| quantile(all.depth.as_ref(), q, self.source, &missing);
        about.say(&f::DEPTH_P50, depth(0.5));
        about.say(&f::DEPTH_P95, depth(0.95));
        let merged = all.merges.front.saturating_add(all.merges.back);
        let bios = all.completed.saturating_add(merged);
        let missing = "no requests completed in the window";
        let merges = share(merged as f64, bios as f64, bios, self.source, missing);
        about.say(&f::MERGE_RATIO, merges);
        let splits = match self.slice.queue {
            Some(queue) => {
                let (part, whole) = (queue.splits as f64, all.completed as f64);
                share(part, whole, all.completed, "queue probe", missing)
            }
            None => Err("splits were not counted: the queue probe did not run".to_owned()),
        };
        about.say(&f::SPLIT_RATIO, splits);
    }
}

/// Requests whose place was compared with earlier ones.
pub(super) fn placed(op: &OpSlice) -> u64 {
    op.sequential
        .saturating_add(op.near)
        .saturating_add(op.random)
}

/// Time spent in the device, or in the whole of a stacked one.
pub(super) fn device_time(op: &OpSlice) -> Option<&Histogram> {
    op.spans
        .get(&Span::Device)
        .or_else(|| op.spans.get(&Span::Bio))
}
