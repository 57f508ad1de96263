//! The workload's own tally, and the same I/O as the probes counted it.

use super::device::name_of;
use super::numbers::{latency, per_second, reason};
use super::shape::{ComparisonJson, JobJson, JobOpJson, LatencyJson, WorkloadJson};
use super::stack::mount_of;
use crate::capture::{Capture, JobResult, Op, Slice, Workload};
use crate::host::{Host, Mount};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn workload(capture: &Capture, total: &Slice, workload: &Workload) -> WorkloadJson {
    WorkloadJson {
        name: workload.name.clone(),
        jobs: workload.jobs.iter().map(job).collect(),
        probes_view: compare(capture, total, workload),
        notes: workload.notes.clone(),
    }
}

fn job(job: &JobResult) -> JobJson {
    let ops = job.ops.iter().map(|(name, op)| {
        let counted = latency(Some(&op.latency_ns), String::new);
        let told = JobOpJson {
            n: op.n,
            bytes: op.bytes,
            errors: op.errors,
            per_second: per_second(op.n, job.runtime_ns),
            latency: LatencyJson {
                // The job keeps its slowest call exactly; the probes know only its bucket.
                max_ns: op.max_ns.map(|ns| ns as f64).or(counted.max_ns),
                ..counted
            },
        };
        (name.clone(), told)
    });
    JobJson {
        name: job.name.clone(),
        clone: job.clone,
        engine: job.engine.clone(),
        direct: job.direct,
        runtime_seconds: job.runtime_ns as f64 / 1e9,
        ops: ops.collect(),
        error: job.error.clone(),
        files: job.files.clone(),
    }
}

/// What the jobs did with one op in one place.
#[derive(Default)]
struct Side {
    n: u64,
    bytes: u64,
    buffered: bool,
}

/// One line for each op and place: a device for reads and writes, a filesystem for sync calls.
fn compare(capture: &Capture, total: &Slice, workload: &Workload) -> Vec<ComparisonJson> {
    let mut sides: BTreeMap<(String, Option<&str>), Side> = BTreeMap::new();
    for job in &workload.jobs {
        let mount = place(&capture.host, job);
        // Reading back comes after the job, outside of what it is compared by.
        for (op, counted) in job.ops.iter().filter(|(op, _)| *op != "verify") {
            let key = (op.clone(), mount.map(|mount| mount.target.as_str()));
            let side = sides.entry(key).or_default();
            side.n = side.n.saturating_add(counted.n);
            side.bytes = side.bytes.saturating_add(counted.bytes);
            side.buffered |= !job.direct;
        }
    }
    sides
        .into_iter()
        .map(|((op, target), side)| {
            let mount = target.and_then(|t| capture.host.mounts.iter().find(|m| m.target == t));
            match mount {
                Some(mount) if op == "fsync" || op == "fdatasync" => {
                    syncs(capture, total, mount, op, &side)
                }
                Some(mount) => requests(capture, total, mount, op, &side),
                None => ComparisonJson {
                    reason: Some("its files lie on no known filesystem, or on several".to_owned()),
                    ..line(op, "unknown".to_owned(), &side)
                },
            }
        })
        .collect()
}

/// The one mount that all files of a job lie on.
fn place<'a>(host: &'a Host, job: &JobResult) -> Option<&'a Mount> {
    let mounts: BTreeSet<Option<&str>> = job
        .files
        .iter()
        .map(|file| mount_of(host, file).map(|mount| mount.target.as_str()))
        .collect();
    let only = (mounts.len() == 1).then(|| mounts.into_iter().next())??;
    host.mounts
        .iter()
        .find(|mount| Some(mount.target.as_str()) == only)
}

fn line(op: String, place: String, side: &Side) -> ComparisonJson {
    ComparisonJson {
        op,
        place,
        jobs_n: side.n,
        jobs_bytes: side.bytes,
        probes_n: None,
        probes_bytes: None,
        reason: None,
    }
}

fn syncs(
    capture: &Capture,
    total: &Slice,
    mount: &Mount,
    op: String,
    side: &Side,
) -> ComparisonJson {
    let found = total
        .syncs
        .get(&mount.number)
        .and_then(|calls| calls.calls.get(&op));
    ComparisonJson {
        probes_n: found.map(|calls| calls.latency_ns.n()),
        reason: match found {
            Some(_) => Some("the probes count every process on this filesystem".to_owned()),
            None => Some(reason(&capture.probes, &["sync"])),
        },
        ..line(op, mount.target.clone(), side)
    }
}

fn requests(
    capture: &Capture,
    total: &Slice,
    mount: &Mount,
    op: String,
    side: &Side,
) -> ComparisonJson {
    let host = &capture.host;
    let device = mount.device.as_deref().and_then(|name| {
        let device = host.devices.iter().find(|device| device.name == name)?;
        let whole = device.partition_of.as_deref().unwrap_or(&device.name);
        host.devices.iter().find(|device| device.name == whole)
    });
    let number = device.map_or(mount.number.as_str(), |device| device.number.as_str());
    let kind = match op.as_str() {
        "read" => Op::Read,
        "write" => Op::Write,
        _ => Op::Discard,
    };
    let found = total.devices.get(number).and_then(|d| d.ops.get(&kind));
    ComparisonJson {
        probes_n: found.map(|op| op.completed),
        probes_bytes: found.map(|op| op.bytes),
        reason: Some(match found {
            None => reason(&capture.probes, &["block"]),
            Some(_) if side.buffered => {
                "the page cache stands between: it absorbs reads, delays and gathers writes"
                    .to_owned()
            }
            Some(_) => "the probes count every process on this device".to_owned(),
        }),
        ..line(op, name_of(host, number), side)
    }
}
