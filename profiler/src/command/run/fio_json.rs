//! The result in the layout of fio's `--output-format=json+`, for scripts that read that.
//!
//! Keys and units are fio's. What iosage does not measure is `null`, where fio would print 0.

mod disks;
mod op;

pub(super) use disks::Disks;

use super::sums;
use crate::capture::{JobResult, ThreadCost, Workload};
use crate::workload::Plan;
use crate::workload::plan::Job;
use serde_json::{Map, Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// The whole document.
pub(super) fn document(plan: &Plan, result: &Workload, disks: &[Value]) -> Value {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut jobs = Vec::new();
    let together = |a: &(usize, &JobResult), b: &(usize, &JobResult)| {
        a.1.group == b.1.group && a.1.group_reporting && b.1.group_reporting
    };
    let numbered: Vec<_> = result.jobs.iter().enumerate().collect();
    for group in numbered.chunk_by(together) {
        if let Some((first, _)) = group.first()
            && let Some(planned) = plan.jobs.get(*first)
        {
            let results: Vec<_> = group.iter().map(|(_, job)| *job).collect();
            jobs.push(job(planned, &results));
        }
    }
    json!({
        "fio version": concat!("fio-3.33-iosage-", env!("CARGO_PKG_VERSION")),
        "timestamp": now.as_secs(),
        "timestamp_ms": now.as_millis() as u64,
        "time": jiff::Timestamp::now().strftime("%a %b %e %H:%M:%S %Y").to_string(),
        "global options": plan.global_options,
        "jobs": jobs,
        "disk_util": disks,
        "iosage notes": result.notes,
    })
}

fn job(planned: &Job, results: &[&JobResult]) -> Value {
    let runtime_ns = results.iter().map(|job| job.runtime_ns).max().unwrap_or(0);
    let all = sums::ops(results);
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    let error = results.iter().find_map(|job| job.error.as_deref());
    put("jobname", json!(planned.name));
    put("groupid", json!(planned.group));
    put("error", json!(error.map_or(0, errno)));
    put("iosage error", json!(error));
    put("eta", json!(0));
    put("elapsed", json!(runtime_ns.div_ceil(1_000_000_000)));
    put("job options", json!(planned.options));
    for way in ["read", "write", "trim"] {
        // As in fio reading back counts as reads.
        let counted = all
            .get(way)
            .or_else(|| all.get("verify").filter(|_| way == "read"));
        put(way, op::moved(counted, runtime_ns, planned));
    }
    let syncs: Vec<_> = ["fsync", "fdatasync"]
        .iter()
        .filter_map(|op| all.get(*op))
        .collect();
    put("sync", op::synced(&syncs, planned));
    put("job_runtime", json!(runtime_ns / 1_000_000));
    cost(&mut put, results);
    for key in ["iodepth_level", "iodepth_submit", "iodepth_complete"] {
        put(key, Value::Null);
    }
    for (key, value) in op::classes(&all) {
        put(key, value);
    }
    put("latency_depth", json!(planned.depth));
    put("latency_target", json!(0));
    put("latency_percentile", json!(100.0));
    put("latency_window", json!(0));
    Value::Object(out)
}

/// CPU time as a percentage of the threads' run time; `null` where a thread's was not told.
fn cost(put: &mut impl FnMut(&str, Value), results: &[&JobResult]) {
    let costs: Option<Vec<&ThreadCost>> = results.iter().map(|job| job.cost.as_ref()).collect();
    let sum = |of: fn(&ThreadCost) -> u64| {
        let costs = costs.as_ref()?;
        Some(costs.iter().map(|cost| of(cost)).sum::<u64>())
    };
    let wall = sum(|cost| cost.wall_ns).unwrap_or(0);
    let percent = |ns: Option<u64>| {
        ns.filter(|_| wall > 0)
            .map(|ns| ns as f64 * 100.0 / wall as f64)
    };
    put("usr_cpu", json!(percent(sum(|cost| cost.user_ns))));
    put("sys_cpu", json!(percent(sum(|cost| cost.system_ns))));
    put("ctx", json!(sum(|cost| cost.switches)));
    put("majf", json!(sum(|cost| cost.major_faults)));
    put("minf", json!(sum(|cost| cost.minor_faults)));
}

/// The number of the error that a message begins with; EIO where it begins with none of these.
fn errno(message: &str) -> u32 {
    match message.split_whitespace().next() {
        Some("EPERM") => 1,
        Some("ENOENT") => 2,
        Some("ENOMEM") => 12,
        Some("EACCES") => 13,
        Some("EBUSY") => 16,
        Some("ENODEV") => 19,
        Some("EINVAL") => 22,
        Some("EFBIG") => 27,
        Some("ENOSPC") => 28,
        Some("EROFS") => 30,
        Some("EOPNOTSUPP") => 95,
        _ => 5,
    }
}
