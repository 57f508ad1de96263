//! Facts about the built-in workload: whether its numbers mean what one would take them for.

use super::answer::{Answer, flag};
use super::{About, Fold, subject};
use crate::capture::{JobResult, Op};
use rules::facts::{self as f, Facts, Scope};
use std::collections::BTreeMap;

/// Reads that a job did for each read byte of a device, from which the page cache served most.
const SERVED: f64 = 2.0;

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    let Some(workload) = &fold.capture.workload else {
        return;
    };
    let mut by_name: BTreeMap<&str, Vec<&JobResult>> = BTreeMap::new();
    for job in &workload.jobs {
        by_name.entry(&job.name).or_default().push(job);
    }
    let alone = workload.jobs.len() == 1;
    for (name, clones) in by_name {
        let mut about = About::new(facts, subject(Scope::Workload, name));
        about.word("job", name);
        if let Some(home) = home(fold, &clones) {
            about.relate(&subject(Scope::Filesystem, &home));
        }
        about.say(&f::WORKLOAD_WARM_CACHE, warm_cache(fold, &clones));
        about.say(
            &f::WORKLOAD_NO_SYNC,
            flag(Some(no_sync(&clones)), "the job's own count", ""),
        );
        about.say(&f::WORKLOAD_SINGLE_STREAM, single_stream(alone, &clones));
    }
}

fn bytes_read(job: &JobResult) -> u64 {
    job.ops.get("read").map_or(0, |op| op.bytes)
}

/// Far more was read by all buffered jobs together than came from any device.
fn warm_cache(fold: &Fold<'_>, clones: &[&JobResult]) -> Answer {
    let source = "the jobs' own count against the block probe";
    let buffered = |job: &JobResult| !job.direct && bytes_read(job) > 0;
    if !clones.iter().any(|job| buffered(job)) {
        return flag(Some(false), "the job's own count", "");
    }
    if let Some(reason) = fold.silence("block") {
        return Err(reason);
    }
    if !fold.capture.meta.devices.is_empty() {
        return Err("not all devices were recorded".to_owned());
    }
    let jobs = fold
        .capture
        .workload
        .iter()
        .flat_map(|workload| &workload.jobs);
    let asked: f64 = jobs
        .filter(|job| buffered(job))
        .map(|job| bytes_read(job) as f64)
        .sum();
    let stacked = |number: &String| {
        fold.stack
            .numbered(number)
            .is_some_and(|device| device.bio_based)
    };
    let devices = fold
        .total
        .devices
        .iter()
        .filter(|(number, _)| !stacked(number));
    let reads = devices.filter_map(|(_, device)| device.ops.get(&Op::Read));
    let came: f64 = reads.map(|read| read.bytes as f64).sum();
    flag(Some(asked > SERVED * came), source, "")
}

fn no_sync(clones: &[&JobResult]) -> bool {
    let count = |job: &JobResult, op: &str| job.ops.get(op).map_or(0, |op| op.n);
    let synced = |job: &JobResult| {
        ["fsync", "fdatasync", "sync"]
            .iter()
            .any(|op| count(job, op) > 0)
    };
    clones
        .iter()
        .any(|job| !job.direct && count(job, "write") > 0 && !synced(job))
}

fn single_stream(alone: bool, clones: &[&JobResult]) -> Answer {
    let one_at_a_time =
        |job: &JobResult| matches!(job.engine.as_str(), "psync" | "sync" | "pvsync" | "pvsync2");
    match (alone, clones) {
        (false, _) => flag(Some(false), "the number of jobs", ""),
        (true, [job]) if one_at_a_time(job) => {
            flag(Some(true), "the number of jobs and the engine", "")
        }
        _ => Err("how many requests its engine kept in flight is not recorded".to_owned()),
    }
}

/// The mount point that holds the job's first file.
fn home(fold: &Fold<'_>, clones: &[&JobResult]) -> Option<String> {
    let file = clones.iter().find_map(|job| job.files.first())?;
    let path = std::path::Path::new(file);
    let holding = fold
        .capture
        .host
        .mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.target));
    let mount = holding.max_by_key(|mount| mount.target.len())?;
    fold.stack
        .filesystem(&mount.target)
        .map(|mount| mount.target.clone())
}
