//! Which things of two captures are compared with each other, and what of them.

use super::{CountDiff, DistributionDiff, Group, Kind, Pair, Which, count, distribution};
use crate::capture::{
    Capture, CommitPhase, DeviceSlice, Histogram, JobOp, JournalSlice, Op, OpSlice, ProbeState,
    QueueSlice, Slice, Span, SyncCalls,
};
use crate::host::BlockDevice;
use std::collections::{BTreeMap, BTreeSet};

/// One side of a comparison.
struct View<'a> {
    capture: &'a Capture,
    total: Slice,
    seconds: f64,
}

impl<'a> View<'a> {
    fn new(capture: &'a Capture) -> Self {
        let total = capture.total();
        Self {
            capture,
            seconds: total.length_ns as f64 / 1e9,
            total,
        }
    }

    fn device(&self, number: &str) -> Option<&'a BlockDevice> {
        let mut devices = self.capture.host.devices.iter();
        devices.find(|d| d.number == number)
    }

    /// What was counted for a device: nothing at all if it was idle, `None` if nobody counted.
    fn counted(&self, number: &str) -> Option<DeviceSlice> {
        if let Some(device) = self.total.devices.get(number) {
            return Some(device.clone());
        }
        let mut probes = self.capture.probes.iter();
        let measured = probes.any(|p| p.id == "block" && p.state == ProbeState::Ok);
        let asked = &self.capture.meta.devices;
        let device = self.device(number)?;
        (measured && (asked.is_empty() || asked.contains(&device.name))).then(DeviceSlice::default)
    }

    /// Where the filesystem with this device number is mounted; its number where that is unknown.
    fn mount(&self, number: &str) -> String {
        let mut mounts = self.capture.host.mounts.iter();
        let mount = mounts.find(|m| m.number == number);
        mount.map_or_else(|| number.to_owned(), |m| m.target.clone())
    }
}

/// Everything that was counted on either side.
pub(super) fn groups(a: &Capture, b: &Capture) -> Vec<Group> {
    let (a, b) = (View::new(a), View::new(b));
    let mut groups = devices(&a, &b);
    groups.extend(journals(&a, &b));
    groups.extend(syncs(&a, &b));
    groups.extend(jobs(&a, &b));
    groups
}

type Sides<'a, T> = Pair<Option<&'a T>>;

/// The values of each key, from both sides.
fn outer<'a, K: Ord, T>(
    a: impl IntoIterator<Item = (K, &'a T)>,
    b: impl IntoIterator<Item = (K, &'a T)>,
) -> BTreeMap<K, Sides<'a, T>> {
    let mut pairs: BTreeMap<K, Sides<'a, T>> = BTreeMap::new();
    let none = || Pair { a: None, b: None };
    for (key, value) in a {
        pairs.entry(key).or_insert_with(none).a = Some(value);
    }
    for (key, value) in b {
        pairs.entry(key).or_insert_with(none).b = Some(value);
    }
    pairs
}

fn only_in<T>(sides: Sides<'_, T>) -> Option<Which> {
    match (sides.a, sides.b) {
        (Some(_), None) => Some(Which::A),
        (None, Some(_)) => Some(Which::B),
        _ => None,
    }
}

/// Compares one count and one distribution at a time of the same two things.
struct Comparison<'a, T> {
    sides: Sides<'a, T>,
    seconds: Pair<f64>,
}

impl<'a, T> Comparison<'a, T> {
    fn count(&self, metric: &str, of: impl Fn(&T) -> u64) -> CountDiff {
        self.known(metric, |x| Some(of(x)))
    }

    fn known(&self, metric: &str, of: impl Fn(&T) -> Option<u64>) -> CountDiff {
        let n = Pair {
            a: self.sides.a.and_then(&of),
            b: self.sides.b.and_then(&of),
        };
        count(metric, n, self.seconds)
    }

    fn distribution(
        &self,
        metric: &str,
        of: impl Fn(&'a T) -> Option<&'a Histogram>,
    ) -> Option<DistributionDiff> {
        let histograms = Pair {
            a: self.sides.a.and_then(&of),
            b: self.sides.b.and_then(&of),
        };
        distribution(metric, histograms)
    }

    fn group(&self, kind: Kind, name: &str, part: &str) -> Group {
        Group {
            kind,
            name: name.to_owned(),
            part: part.to_owned(),
            only_in: only_in(self.sides),
            counts: Vec::new(),
            distributions: Vec::new(),
        }
    }
}

fn devices(a: &View<'_>, b: &View<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    let seconds = Pair {
        a: a.seconds,
        b: b.seconds,
    };
    for (name, numbers) in paired_devices(a, b) {
        let slice_a = numbers.a.as_deref().and_then(|n| a.counted(n));
        let slice_b = numbers.b.as_deref().and_then(|n| b.counted(n));
        let ops = |slice: &Option<DeviceSlice>| -> BTreeSet<Op> {
            slice.iter().flat_map(|s| s.ops.keys().copied()).collect()
        };
        let none = OpSlice::default();
        for op in &ops(&slice_a) | &ops(&slice_b) {
            let sides = Pair {
                a: slice_a.as_ref().map(|s| s.ops.get(&op).unwrap_or(&none)),
                b: slice_b.as_ref().map(|s| s.ops.get(&op).unwrap_or(&none)),
            };
            groups.push(op_group(&name, op, Comparison { sides, seconds }));
        }
        let queue = Pair {
            a: slice_a.as_ref().and_then(|s| s.queue.as_ref()),
            b: slice_b.as_ref().and_then(|s| s.queue.as_ref()),
        };
        if queue.a.is_some() || queue.b.is_some() {
            let comparison = Comparison {
                sides: queue,
                seconds,
            };
            groups.push(queue_group(&name, comparison));
        }
    }
    groups
}

/// The devices that something was counted for, by the number that each side has for them.
fn paired_devices(a: &View<'_>, b: &View<'_>) -> Vec<(String, Pair<Option<String>>)> {
    let name = |view: &View<'_>, number: &str| {
        let device = view.device(number);
        device.map_or_else(|| number.to_owned(), |d| d.name.clone())
    };
    let mut pairs = Vec::new();
    let mut seen = BTreeSet::new();
    for number in a.total.devices.keys() {
        let other = counterpart(a, b, number);
        seen.extend(other.clone());
        let numbers = Pair {
            a: Some(number.clone()),
            b: other,
        };
        pairs.push((name(a, number), numbers));
    }
    for number in b.total.devices.keys().filter(|n| !seen.contains(*n)) {
        let numbers = Pair {
            a: counterpart(b, a, number),
            b: Some(number.clone()),
        };
        pairs.push((name(b, number), numbers));
    }
    pairs
}

/// The same device in another capture: by its stable id, else by its name; without an inventory by its
/// number.
fn counterpart(from: &View<'_>, to: &View<'_>, number: &str) -> Option<String> {
    let Some(device) = from.device(number) else {
        let same = to.total.devices.contains_key(number) && to.device(number).is_none();
        return same.then(|| number.to_owned());
    };
    let others = &to.capture.host.devices;
    let same_id = |other: &&BlockDevice| device.id.is_some() && other.id == device.id;
    let same_name = |other: &&BlockDevice| {
        // A disk of that name with an id of another disk here is that other disk.
        let taken = |d: &BlockDevice| other.id.is_some() && d.id == other.id;
        other.name == device.name && !from.capture.host.devices.iter().any(taken)
    };
    let other = others.iter().find(same_id);
    let other = other.or_else(|| others.iter().find(same_name))?;
    Some(other.number.clone())
}

fn op_group(name: &str, op: Op, c: Comparison<'_, OpSlice>) -> Group {
    let spans = Span::ALL
        .into_iter()
        .filter_map(|span| c.distribution(span.name(), |o| o.spans.get(&span)));
    let others = [
        c.distribution("size", |o| o.size_bytes.as_ref()),
        c.distribution("depth", |o| o.depth.as_ref()),
        c.distribution("bios_per_request", |o| o.bios_per_request.as_ref()),
    ];
    Group {
        counts: vec![
            c.count("completed", |o| o.completed),
            c.count("bytes", |o| o.bytes),
            c.count("errors", |o| o.errors),
            c.count("requeued", |o| o.requeued),
            c.count("merges_front", |o| o.merges.front),
            c.count("merges_back", |o| o.merges.back),
            c.count("merges_request", |o| o.merges.request),
            c.count("sequential", |o| o.sequential),
            c.count("near", |o| o.near),
            c.count("random", |o| o.random),
            c.count("sync", |o| o.flags.sync),
            c.count("fua", |o| o.flags.fua),
            c.count("preflush", |o| o.flags.preflush),
            c.count("readahead", |o| o.flags.readahead),
        ],
        distributions: spans.chain(others.into_iter().flatten()).collect(),
        ..c.group(Kind::Device, name, op.name())
    }
}

fn queue_group(name: &str, c: Comparison<'_, QueueSlice>) -> Group {
    Group {
        counts: vec![
            c.count("allocated", |q| q.allocated),
            c.count("inserted", |q| q.inserted),
            c.count("plugs", |q| q.plugs),
            c.count("unplugs", |q| q.unplugs),
            c.count("splits", |q| q.splits),
            c.known("bios_queued", |q| q.bios_queued),
            c.known("bios_completed", |q| q.bios_completed),
            c.known("chunk_crossings", |q| q.chunk_crossings),
        ],
        ..c.group(Kind::Device, name, "queue")
    }
}

fn journals(a: &View<'_>, b: &View<'_>) -> Vec<Group> {
    let named = |view: &View<'_>, number: &String| view.mount(number);
    let left = a.total.journals.iter().map(|(k, j)| (named(a, k), j));
    let right = b.total.journals.iter().map(|(k, j)| (named(b, k), j));
    let seconds = Pair {
        a: a.seconds,
        b: b.seconds,
    };
    outer(left, right)
        .into_iter()
        .map(|(name, sides)| journal_group(&name, Comparison { sides, seconds }))
        .collect()
}

fn journal_group(name: &str, c: Comparison<'_, JournalSlice>) -> Group {
    let phases = CommitPhase::ALL
        .into_iter()
        .filter_map(|phase| c.distribution(phase.name(), |j| j.phases.get(&phase)));
    Group {
        counts: vec![
            c.count("commits", |j| j.commits),
            c.count("handles", |j| j.handles),
            c.count("blocks_logged", |j| j.blocks_logged),
            c.count("checkpoints", |j| j.checkpoints),
        ],
        distributions: phases.collect(),
        ..c.group(Kind::Journal, name, "journal")
    }
}

fn syncs(a: &View<'_>, b: &View<'_>) -> Vec<Group> {
    fn calls<'v>(view: &'v View<'_>) -> impl Iterator<Item = ((String, String), &'v SyncCalls)> {
        view.total.syncs.iter().flat_map(|(number, sync)| {
            let mount = view.mount(number);
            let calls = sync.calls.iter();
            calls.map(move |(call, counts)| ((mount.clone(), call.clone()), counts))
        })
    }
    let seconds = Pair {
        a: a.seconds,
        b: b.seconds,
    };
    outer(calls(a), calls(b))
        .into_iter()
        .map(|((name, call), sides)| {
            let c = Comparison { sides, seconds };
            Group {
                counts: vec![
                    c.count("calls", |s| s.latency_ns.n()),
                    c.count("errors", |s| s.errors),
                ],
                distributions: c
                    .distribution("latency", |s| Some(&s.latency_ns))
                    .into_iter()
                    .collect(),
                ..c.group(Kind::Sync, &name, &call)
            }
        })
        .collect()
}

fn jobs(a: &View<'_>, b: &View<'_>) -> Vec<Group> {
    type Key<'v> = (&'v str, u32, &'v str);
    fn ops<'v>(view: &View<'v>) -> impl Iterator<Item = (Key<'v>, &'v JobOp)> {
        let jobs = view.capture.workload.iter().flat_map(|w| &w.jobs);
        jobs.flat_map(|job| {
            let ops = job.ops.iter();
            ops.map(|(op, counts)| ((job.name.as_str(), job.clone, op.as_str()), counts))
        })
    }
    let runtime = |view: &View<'_>, name: &str, clone: u32| {
        let mut jobs = view.capture.workload.iter().flat_map(|w| &w.jobs);
        let job = jobs.find(|j| j.name == name && j.clone == clone);
        job.map_or(0.0, |j| j.runtime_ns as f64 / 1e9)
    };
    outer(ops(a), ops(b))
        .into_iter()
        .map(|((name, clone, op), sides)| {
            let seconds = Pair {
                a: runtime(a, name, clone),
                b: runtime(b, name, clone),
            };
            let c = Comparison { sides, seconds };
            Group {
                counts: vec![
                    c.count("n", |o| o.n),
                    c.count("bytes", |o| o.bytes),
                    c.count("errors", |o| o.errors),
                ],
                distributions: c
                    .distribution("latency", |o| Some(&o.latency_ns))
                    .into_iter()
                    .collect(),
                ..c.group(Kind::Job, &format!("{name}#{clone}"), op)
            }
        })
        .collect()
}
