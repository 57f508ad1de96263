//! Rows of latency tables, printed.

use crate::report::json::shape::{DeviceJson, FsyncJson, JournalJson, LatencyJson};
use crate::units;

/// One row: what it is about and its numbers.
pub(super) struct SpanRow {
    /// First column; empty where the row above has the same.
    pub(super) of: String,
    pub(super) name: String,
    /// n, mean, p50, p90, p99, p99.9, max, error.
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Cell {
    pub(super) text: String,
    /// Left out where there is little room.
    pub(super) wide: bool,
}

/// The columns' names.
pub(super) const HEADS: [(&str, bool); 8] = [
    ("n", false),
    ("mean", true),
    ("p50", false),
    ("p90", true),
    ("p99", false),
    ("p99.9", false),
    ("max", false),
    ("error", true),
];

/// Each op with each span that was measured.
pub(super) fn rows(device: &DeviceJson) -> Vec<SpanRow> {
    let mut rows = Vec::new();
    for (op, told) in &device.ops {
        let measured = told
            .spans
            .named()
            .into_iter()
            .filter(|(_, span)| span.n.is_some());
        for (index, (name, span)) in measured.enumerate() {
            let of = if index == 0 { op.name() } else { "" };
            rows.push(row(of, name, span));
        }
    }
    rows
}

pub(super) fn phase_rows(journal: &JournalJson) -> Vec<SpanRow> {
    let row = |(name, latency)| row("", name, latency);
    journal.ordered().into_iter().map(row).collect()
}

pub(super) fn sync_rows(calls: &[FsyncJson]) -> Vec<SpanRow> {
    calls
        .iter()
        .map(|call| row(&call.mount, &call.call, &call.latency))
        .collect()
}

pub(super) fn row(of: &str, name: &str, latency: &LatencyJson) -> SpanRow {
    let time = |ns: Option<f64>| ns.map_or("none".to_owned(), units::nanos);
    let texts = [
        latency.n.map_or("none".to_owned(), units::count),
        time(latency.mean_ns),
        time(latency.p50_ns),
        time(latency.p90_ns),
        time(latency.p99_ns),
        time(latency.p999_ns),
        time(latency.max_ns),
        match latency.n {
            Some(0) | None => String::new(),
            Some(_) => latency.error_words(),
        },
    ];
    SpanRow {
        of: of.to_owned(),
        name: name.to_owned(),
        cells: texts
            .into_iter()
            .zip(HEADS)
            .map(|(text, (_, wide))| Cell { text, wide })
            .collect(),
    }
}
