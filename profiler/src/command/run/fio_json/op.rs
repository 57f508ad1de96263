//! Reads, writes, trims and syncs as fio writes them.

use super::super::sums;
use crate::capture::{Histogram, JobOp, Moments};
use crate::workload::plan::Job;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// fio's own list, without `percentile_list`.
const PERCENTILES: &[f64] = &[
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];
/// Upper bounds of the latency classes, in each of the three units.
const CLASSES: &[u64] = &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// `read`, `write` or `trim` of a job.
pub(super) fn moved(op: Option<&JobOp>, runtime_ns: u64, planned: &Job) -> Value {
    let runtime_ms = if op.is_some() {
        runtime_ns / 1_000_000
    } else {
        0
    };
    let (n, bytes) = op.map_or((0, 0), |op| (op.n, op.bytes));
    let per_second = |amount: u64| match runtime_ns {
        0 => 0.0,
        ns => amount as f64 * 1e9 / ns as f64,
    };
    let bytes_per_second = per_second(bytes);
    let none = Moments::default();
    let spans = op.map(|op| &op.spans);
    let own = op.map(own_moments);
    // With a rate the latency counts from the intended start: that is fio's `lat`, and `clat` is
    // what the target took.
    let completion = spans.and_then(|spans| spans.completion.as_ref());
    let clat = match (completion, op) {
        (Some(span), _) => spread(&span.moments, &span.histogram, planned),
        (None, Some(op)) => spread(&own_moments(op), &op.latency_ns, planned),
        (None, None) => plain(&none),
    };
    let lat = match (completion, op, &own) {
        (Some(_), Some(op), Some(own)) => spread(own, &op.latency_ns, planned),
        (None, Some(op), Some(own)) => plain(op.spans.total.as_ref().unwrap_or(own)),
        _ => plain(&none),
    };
    let slat = spans.and_then(|spans| spans.submission.as_ref());
    let mut out = json!({
        "io_bytes": bytes,
        "io_kbytes": bytes >> 10,
        "bw_bytes": bytes_per_second as u64,
        "bw": (bytes_per_second / 1024.0) as u64,
        "iops": per_second(n),
        "runtime": runtime_ms,
        "total_ios": n,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": plain(slat.unwrap_or(&none)),
        "clat_ns": clat,
        "lat_ns": lat,
        "bw_min": null, "bw_max": null, "bw_agg": 100.0,
        "bw_mean": bytes_per_second / 1024.0, "bw_dev": null, "bw_samples": 0,
        "iops_min": null, "iops_max": null,
        "iops_mean": per_second(n), "iops_stddev": null, "iops_samples": 0,
    });
    if let (Some(lag), Value::Object(out)) = (spans.and_then(|s| s.lag.as_ref()), &mut out) {
        out.insert(
            "iosage lag_ns".to_owned(),
            spread(&lag.moments, &lag.histogram, planned),
        );
    }
    out
}

/// `sync` of a job: all sync calls together, as in fio.
pub(super) fn synced(ops: &[&JobOp], planned: &Job) -> Value {
    let Some((first, rest)) = ops.split_first() else {
        return json!({ "total_ios": 0, "lat_ns": plain(&Moments::default()) });
    };
    let mut all = (*first).clone();
    rest.iter().for_each(|op| sums::add(&mut all, op));
    json!({
        "total_ios": all.n,
        "lat_ns": spread(&own_moments(&all), &all.latency_ns, planned),
    })
}

fn own_moments(op: &JobOp) -> Moments {
    Moments {
        n: op.n,
        min_ns: op.min_ns,
        max_ns: op.max_ns,
        sum_ns: op.latency_ns.sum,
        squares_ns2: op.spans.squares_ns2.unwrap_or(0.0),
    }
}

fn plain(moments: &Moments) -> Value {
    let n = moments.n as f64;
    let mean = if moments.n > 0 {
        moments.sum_ns as f64 / n
    } else {
        0.0
    };
    // Of a sample, as fio has it.
    let stddev = if moments.n > 1 {
        ((moments.squares_ns2 - n * mean * mean).max(0.0) / (n - 1.0)).sqrt()
    } else {
        0.0
    };
    json!({
        "min": moments.min_ns.unwrap_or(0),
        "max": moments.max_ns.unwrap_or(0),
        "mean": mean,
        "stddev": stddev,
        "N": moments.n,
    })
}

/// With percentiles and bins.
fn spread(moments: &Moments, histogram: &Histogram, planned: &Job) -> Value {
    let mut out = plain(moments);
    let Value::Object(map) = &mut out else {
        return out;
    };
    if moments.n == 0 {
        return out;
    }
    let list = planned.percentiles.as_deref().unwrap_or(PERCENTILES);
    let (least, most) = (
        moments.min_ns.unwrap_or(0),
        moments.max_ns.unwrap_or(u64::MAX),
    );
    let percentiles: Map<String, Value> = list
        .iter()
        .filter_map(|percent| {
            // The middle of a bucket may lie outside of what was seen, which is known exactly.
            let value = histogram.quantile(percent / 100.0)?.value as u64;
            Some((format!("{percent:.6}"), json!(value.clamp(least, most))))
        })
        .collect();
    map.insert("percentile".to_owned(), Value::Object(percentiles));
    let bins: Map<String, Value> = bins(histogram)
        .into_iter()
        .map(|(ns, n)| (ns.to_string(), json!(n)))
        .collect();
    map.insert("bins".to_owned(), Value::Object(bins));
    out
}

/// Middle of each bucket, in nanoseconds, and its number of values.
fn bins(histogram: &Histogram) -> Vec<(u64, u64)> {
    let scale = profiler_ebpf::bucket::LATENCY;
    let middle = |index: usize| {
        let floor = scale.floor(index);
        scale
            .ceiling(index)
            .map_or(floor, |end| floor + (end - floor) / 2)
    };
    let counts = histogram.counts.iter();
    counts
        .map(|(index, n)| (middle(*index as usize), *n))
        .collect()
}

/// `latency_ns`, `latency_us`, `latency_ms`: the share of I/Os in each class, in percent.
pub(super) fn classes(all: &BTreeMap<String, JobOp>) -> Vec<(&'static str, Value)> {
    let moves = ["read", "write", "trim"];
    let values: Vec<(u64, u64)> = moves
        .iter()
        .filter_map(|name| all.get(*name))
        .flat_map(|op| bins(&op.latency_ns))
        .collect();
    let n: u64 = values.iter().map(|(_, n)| n).sum();
    let share = |from: u64, to: u64| {
        let inside = values.iter().filter(|(ns, _)| (from..to).contains(ns));
        let inside: u64 = inside.map(|(_, n)| n).sum();
        if n == 0 {
            0.0
        } else {
            inside as f64 * 100.0 / n as f64
        }
    };
    let mut from = 0;
    let mut out = Vec::new();
    for (key, unit) in [
        ("latency_ns", 1),
        ("latency_us", 1_000),
        ("latency_ms", 1_000_000),
    ] {
        let mut table = Map::new();
        let long: &[u64] = if unit == 1_000_000 { &[2000] } else { &[] };
        for bound in CLASSES.iter().chain(long) {
            table.insert(bound.to_string(), json!(share(from, bound * unit)));
            from = bound * unit;
        }
        if unit == 1_000_000 {
            table.insert(">=2000".to_owned(), json!(share(from, u64::MAX)));
        }
        out.push((key, Value::Object(table)));
    }
    out
}
