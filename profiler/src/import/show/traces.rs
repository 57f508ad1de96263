//! Counters over time, traces and histograms.

use super::{NONE, or_none, table, text, whole};
use crate::capture::Span;
use crate::import::model::events::EventAnalysis;
use crate::import::model::histograms::{Bounds, Bucket, RangeHistogram};
use crate::import::model::iostat::{DiskCounters, Diskstats, IostatReport, VmstatReport};
use crate::units;

pub(super) fn iostat(reports: &[IostatReport], lines: &mut Vec<String>) {
    let head = [
        "device", "r/s", "w/s", "read", "write", "r_await", "w_await", "await", "r size", "w size",
        "queue", "util",
    ];
    for report in reports {
        let span = if report.since_boot {
            "since boot"
        } else {
            "of the interval"
        };
        lines.push(format!(
            "  averages {span} {}",
            text(report.time.as_deref())
        ));
        let rows = report.devices.iter().map(|d| {
            vec![
                d.name.clone(),
                or_none(d.reads_per_s.or(d.transfers_per_s), units::rate),
                or_none(d.writes_per_s, units::rate),
                or_none(d.read_bytes_per_s, units::throughput),
                or_none(d.write_bytes_per_s, units::throughput),
                or_none(d.read_await_ns, units::nanos),
                or_none(d.write_await_ns, units::nanos),
                or_none(d.await_ns, units::nanos),
                or_none(d.read_request_bytes.or(d.request_bytes), units::bytes),
                or_none(d.write_request_bytes.or(d.request_bytes), units::bytes),
                or_none(d.queue_depth, units::short),
                or_none(d.util_percent, units::percent),
            ]
        });
        table(&head, &rows.collect::<Vec<_>>(), lines);
    }
}

pub(super) fn vmstat(reports: &[VmstatReport], lines: &mut Vec<String>) {
    if reports.is_empty() {
        return;
    }
    let rows: Vec<_> = reports
        .iter()
        .map(|r| {
            let flow = |n: Option<u64>| or_none(n.map(|n| n as f64), units::throughput);
            vec![
                if r.since_boot {
                    "since boot".to_owned()
                } else {
                    text(r.time.as_deref())
                },
                whole(r.running),
                whole(r.blocked),
                flow(r.swap_in_bytes_per_s),
                flow(r.swap_out_bytes_per_s),
                flow(r.read_bytes_per_s),
                flow(r.write_bytes_per_s),
                or_none(r.iowait_percent.map(|n| n as f64), units::percent),
            ]
        })
        .collect();
    table(
        &[
            "time", "running", "blocked", "swap in", "swap out", "read", "write", "iowait",
        ],
        &rows,
        lines,
    );
}

pub(super) fn diskstats(stats: &Diskstats, lines: &mut Vec<String>) {
    let (rows, what) = match (&stats.between[..], stats.snapshots.last()) {
        ([], Some(last)) => (&last.devices[..], "since boot"),
        (between, _) => (between, "between the copies"),
    };
    lines.push(format!("  counted {what}"));
    let all = rows.iter().chain(&stats.physical);
    let rows: Vec<_> = all.map(disk_row).collect();
    table(
        &[
            "device", "reads", "writes", "read", "written", "discards", "flushes", "busy",
        ],
        &rows,
        lines,
    );
}

fn disk_row(disk: &DiskCounters) -> Vec<String> {
    let view = match (&disk.partition_of, disk.stacked) {
        (Some(disk), _) => format!(" (part of {disk})"),
        (None, true) => " (a view of other devices)".to_owned(),
        (None, false) => String::new(),
    };
    vec![
        format!("{}{view}", disk.name),
        units::count(disk.reads),
        units::count(disk.writes),
        units::bytes(disk.read_bytes as f64),
        units::bytes(disk.write_bytes as f64),
        whole(disk.discards),
        whole(disk.flushes),
        units::nanos(disk.busy_ns as f64),
    ]
}

pub(super) fn events(events: &EventAnalysis, lines: &mut Vec<String>) {
    lines.push(format!(
        "  {} events in {}",
        units::count(events.events),
        units::nanos(events.window_ns as f64)
    ));
    let mut rows = Vec::new();
    for (number, device) in &events.devices {
        for (op, counts) in &device.ops {
            let spans = [Span::Queue, Span::Device, Span::Request, Span::Bio];
            let mut row = vec![
                format!("{number} {}", op.name()),
                units::count(counts.completed.saturating_sub(counts.unmatched)),
                units::bytes(counts.bytes as f64),
                units::count(counts.requeued),
                units::count(counts.merges.front + counts.merges.back),
            ];
            row.extend(spans.iter().map(|span| {
                let histogram = counts.spans.get(span);
                let of = |q| {
                    histogram
                        .and_then(|h| h.quantile(q))
                        .map(|q| units::nanos(q.value))
                };
                match (of(0.5), of(0.99)) {
                    (Some(half), Some(most)) => format!("{half} / {most}"),
                    _ => NONE.to_owned(),
                }
            }));
            rows.push(row);
        }
    }
    let head = [
        "device, op",
        "ended",
        "bytes",
        "requeued",
        "merges",
        "queue p50/p99",
        "device p50/p99",
        "request p50/p99",
        "bio p50/p99",
    ];
    table(&head, &rows, lines);
    let phases: Vec<_> = events
        .phases
        .iter()
        .flat_map(|(device, phases)| {
            phases
                .iter()
                .map(move |(name, phase)| (device, name, phase))
        })
        .map(|(device, name, phase)| {
            let mean = phase.sum_ns as f64 / phase.n.max(1) as f64;
            let ns = |n: u64| units::nanos(n as f64);
            vec![
                format!("{device} {name}"),
                units::count(phase.n),
                units::nanos(mean),
                ns(phase.min_ns),
                ns(phase.max_ns),
            ]
        })
        .collect();
    table(
        &["phase", "n", "mean", "shortest", "longest"],
        &phases,
        lines,
    );
    lines.push(format!(
        "  clock anomalies: {}; incomplete: {}; in flight at the end: {}; splits: {}; remaps: {}",
        events.clock_anomalies, events.incomplete, events.in_flight, events.splits, events.remaps
    ));
}

pub(super) fn histogram(histogram: &RangeHistogram, lines: &mut Vec<String>) {
    let key = histogram
        .key
        .as_ref()
        .map_or_else(String::new, |key| format!("[{key}]"));
    let unit = match (&histogram.unit, histogram.unit_is_assumed) {
        (Some(unit), true) => format!("{unit} (assumed)"),
        (Some(unit), false) => unit.clone(),
        (None, _) => "unit not known".to_owned(),
    };
    lines.push(format!(
        "  {}{key}, {unit}, total {}",
        text(histogram.title.as_deref()),
        units::count(histogram.total)
    ));
    let rows: Vec<_> = histogram
        .buckets
        .iter()
        .map(|b| vec![range(b.low, b.high), units::count(b.count)])
        .collect();
    table(&["range", "count"], &rows, lines);
    let quantiles = [
        ("p50", histogram.p50),
        ("p90", histogram.p90),
        ("p99", histogram.p99),
        ("p999", histogram.p999),
    ];
    let words: Vec<_> = quantiles
        .iter()
        .filter_map(|(name, bounds)| {
            let Bounds { low, high } = (*bounds)?;
            Some(format!("{name} within {}", range(low, high)))
        })
        .collect();
    lines.push(format!("  {}", words.join("; ")));
    for Bucket { low, high, count } in &histogram.impossible {
        lines.push(format!(
            "  impossible value, left out: {} of {}",
            count,
            range(*low, *high)
        ));
    }
}

fn range(low: Option<i64>, high: Option<i64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) if low == high => low.to_string(),
        (Some(low), Some(high)) => format!("{low}..{high}"),
        (Some(low), None) => format!("{low} and more"),
        (None, Some(high)) => format!("up to {high}"),
        (None, None) => "anything".to_owned(),
    }
}
