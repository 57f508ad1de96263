//! The suite `wal` as a table of commits: how many a second, and what one costs.

use crate::capture::{JobResult, Workload};
use comfy_table::{CellAlignment, Table, presets};

/// One row a way to make a record durable.
pub(super) fn text(workload: &Workload) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "log file",
        "record",
        "by",
        "commits/s",
        "us each",
        "p50 us",
        "p99 us",
        "max us",
    ]);
    for job in &workload.jobs {
        table.add_row(row(job));
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let errors = workload.jobs.iter().filter_map(|job| {
        let error = job.error.as_ref()?;
        Some(format!("error  {}: {error}\n", job.name))
    });
    let notes = workload.notes.iter().map(|note| format!("note   {note}\n"));
    format!("{table}\n{}", errors.chain(notes).collect::<String>())
}

fn row(job: &JobResult) -> [String; 8] {
    let mut parts = job.name.splitn(3, '-').map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    let [file, record, by] = [part(), part(), part()];
    let commits = job.ops.get("write").map_or(0, |op| op.n);
    let seconds = job.runtime_ns as f64 / 1e9;
    let each = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |us| format!("{us:.1}"));
    let any = commits > 0 && seconds > 0.0;
    // What waits for the disk is the sync call, or the write itself where that is durable.
    let op = job.ops.get("fdatasync").or_else(|| job.ops.get("write"));
    let quantile = |q: f64| {
        let op = op?;
        let most = op.max_ns.map_or(f64::MAX, |ns| ns as f64);
        Some(op.latency_ns.quantile(q)?.value.min(most) / 1e3)
    };
    [
        file,
        record,
        by,
        each(any.then(|| commits as f64 / seconds)),
        each(any.then(|| seconds * 1e6 / commits as f64)),
        each(quantile(0.5)),
        each(quantile(0.99)),
        each(op.and_then(|op| op.max_ns).map(|ns| ns as f64 / 1e3)),
    ]
}
