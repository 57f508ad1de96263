//! The pictures over time: heat maps of the busiest ops, then rates, flows, memory and pressure.

use super::columns::Columns;
use super::heatmap;
use super::timeline::{self, Amount, Series};
use crate::capture::{Op, OpSlice, Slice, Span, SystemSlice};
use crate::report::Report;
use crate::report::json::shape::ReportJson;

/// A caption and its picture.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) note: String,
    pub(super) svg: String,
}

/// More heat maps than this say less than their devices' distributions.
const MOST_HEATMAPS: usize = 6;

/// Heat maps of the ops with the most requests.
pub(super) fn heatmaps(told: &ReportJson, report: &Report, columns: &Columns) -> Vec<Picture> {
    let mut candidates: Vec<(u64, &str, &str, Op, Span)> = Vec::new();
    for device in &told.devices {
        let Some(slice) = report.total.devices.get(&device.number) else {
            continue;
        };
        for (op, counted) in &slice.ops {
            if let Some(span) = main_span(counted) {
                candidates.push((counted.completed, &device.number, &device.name, *op, span));
            }
        }
    }
    // The busiest are kept, in the order of the devices and their ops.
    let mut traffic: Vec<u64> = candidates.iter().map(|(n, ..)| *n).collect();
    traffic.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
    let least = traffic.get(MOST_HEATMAPS - 1).copied().unwrap_or(0);
    candidates
        .into_iter()
        .filter(|(n, ..)| *n >= least)
        .take(MOST_HEATMAPS)
        .filter_map(|(_, number, name, op, span)| {
            let title = format!("{} on {name}", capitalised(op.name()));
            Some(Picture {
                svg: heatmap::draw(&title, columns, number, op, span)?,
                note: format!("{} span", span.name()),
                title,
            })
        })
        .collect()
}

/// The span that says most about a whole I/O.
fn main_span(op: &OpSlice) -> Option<Span> {
    [Span::Request, Span::Bio, Span::Device]
        .into_iter()
        .find(|span| op.spans.get(span).is_some_and(|h| h.n() > 0))
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + chars.as_str()
    })
}

/// Four time lines, of the busiest device and of the host.
pub(super) fn timelines(told: &ReportJson, columns: &Columns) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let mut put = |title: String, note: &str, svg: Option<String>| {
        pictures.extend(svg.map(|svg| Picture {
            title,
            note: note.to_owned(),
            svg,
        }));
    };
    if let Some(device) = told.devices.first() {
        let title = format!("Requests a second on {}", device.name);
        let series = per_op(columns, &device.number, |op| op.completed);
        let svg = timeline::draw(&title, columns, Amount::Rate, &series);
        put(title, "completed", svg);
        let title = format!("Throughput of {}", device.name);
        let mut series = per_op(columns, &device.number, |op| op.bytes);
        series.retain(|series| series.name != Op::Flush.name());
        let svg = timeline::draw(&title, columns, Amount::Throughput, &series);
        put(title, "of completed requests", svg);
    }
    let series = [
        system(columns, "dirty", "plain", |s| {
            s.dirty_bytes.map(|n| n as f64)
        }),
        system(columns, "write-back", "faint", |s| {
            s.writeback_bytes.map(|n| n as f64)
        }),
    ];
    let title = "Dirty memory".to_owned();
    let svg = timeline::draw(&title, columns, Amount::Bytes, &series);
    put(title, "at the end of each stretch", svg);
    let series = [
        system(columns, "some", "plain", |s| s.pressure_io_some),
        system(columns, "full", "faint", |s| s.pressure_io_full),
    ];
    let title = "I/O pressure".to_owned();
    let svg = timeline::draw(&title, columns, Amount::Share, &series);
    put(
        title,
        "share of time in which some or all tasks waited",
        svg,
    );
    pictures
}

fn per_op(columns: &Columns, device: &str, count: impl Fn(&OpSlice) -> u64) -> Vec<Series> {
    let of = |slice: &Slice, op: Op| {
        // A slice without the device had no traffic there: that is a measured zero.
        let counted = slice.devices.get(device).and_then(|d| d.ops.get(&op));
        let n = counted.map_or(0, &count);
        (slice.length_ns > 0).then(|| n as f64 * 1e9 / slice.length_ns as f64)
    };
    Op::ALL
        .into_iter()
        .map(|op| Series {
            name: op.name(),
            class: op.name(),
            values: columns.map(|slice| of(slice, op)),
        })
        .filter(|series| series.values.iter().flatten().any(|n| *n > 0.0))
        .collect()
}

fn system(
    columns: &Columns,
    name: &'static str,
    class: &'static str,
    value: impl Fn(&SystemSlice) -> Option<f64>,
) -> Series {
    Series {
        name,
        class,
        values: columns.map(|slice| value(slice.system.as_ref()?)),
    }
}
