//! What the jobs did, one row for each job and op; syncs stand in rows of their own.

use super::sums;
use crate::capture::{JobOp, JobResult, JobSpan, Workload};
use comfy_table::{CellAlignment, Table, presets};
use std::fmt::Write;

/// Ops of one job, or of several that are reported as one.
struct Row {
    name: String,
    op: String,
    runtime_ns: u64,
    tally: JobOp,
}

pub(super) fn text(workload: &Workload) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, workload);
    out
}

fn write(out: &mut String, workload: &Workload) -> std::fmt::Result {
    let rows = rows(&workload.jobs);
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "job", "op", "ops", "IOPS", "MiB/s", "mean", "p50", "p99", "p99.9", "max",
    ]);
    for row in &rows {
        table.add_row(cells(row));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    if rows.is_empty() {
        writeln!(out, "{}: no I/O was counted", workload.name)?;
    } else {
        writeln!(out, "{table}")?;
    }
    for row in &rows {
        schedule(out, row)?;
    }
    for job in workload.jobs.iter().filter(|job| job.error.is_some()) {
        let error = job.error.as_deref().unwrap_or_default();
        writeln!(out, "error  {}.{}: {error}", job.name, job.clone)?;
    }
    for note in &workload.notes {
        writeln!(out, "note   {note}")?;
    }
    Ok(())
}

/// Of a job with a rate: how much of its latency is the target's, and how much is lateness.
fn schedule(out: &mut String, row: &Row) -> std::fmt::Result {
    let spans = &row.tally.spans;
    let (Some(completion), Some(lag)) = (&spans.completion, &spans.lag) else {
        return Ok(());
    };
    let told = |span: &JobSpan| {
        let p99 = span.histogram.quantile(0.99).map(|found| found.value);
        let max = span.moments.max_ns.map(|ns| ns as f64);
        let p99 = p99.zip(max).map(|(p99, max)| p99.min(max));
        format!(
            "mean {}, p99 {}, max {}",
            time(span.histogram.mean()),
            time(p99),
            time(max)
        )
    };
    writeln!(
        out,
        "rate   {} {}: latencies count from the intended start; the target took {}; behind schedule {}",
        row.name,
        row.op,
        told(completion),
        told(lag)
    )
}

/// One row a job and op; jobs under `group_reporting` are one. A group of several rows has a sum.
fn rows(jobs: &[JobResult]) -> Vec<Row> {
    let mut rows = Vec::new();
    let groups = jobs.chunk_by(|a, b| a.group == b.group);
    let several = groups.clone().count() > 1;
    for group in groups {
        let parts: Vec<_> = group
            .chunk_by(|a, b| a.group_reporting && b.group_reporting)
            .collect();
        for part in &parts {
            rows.extend(together(&title(part), part));
        }
        if parts.len() > 1 {
            let name = match group.first() {
                Some(job) if several => format!("group {}", job.group),
                _ => "all".to_owned(),
            };
            rows.extend(together(&name, group));
        }
    }
    rows
}

fn title(jobs: &[JobResult]) -> String {
    match jobs {
        [job] => format!("{}.{}", job.name, job.clone),
        [first, ..] => format!("{} ({} threads)", first.name, jobs.len()),
        [] => String::new(),
    }
}

/// The sum of some jobs, by op.
fn together(name: &str, jobs: &[JobResult]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for job in jobs {
        for (op, tally) in &job.ops {
            match rows.iter_mut().find(|row| row.op == *op) {
                None => rows.push(Row {
                    name: name.to_owned(),
                    op: op.clone(),
                    runtime_ns: job.runtime_ns,
                    tally: tally.clone(),
                }),
                Some(row) => {
                    row.runtime_ns = row.runtime_ns.max(job.runtime_ns);
                    sums::add(&mut row.tally, tally);
                }
            }
        }
    }
    rows
}

fn cells(row: &Row) -> [String; 10] {
    let tally = &row.tally;
    let seconds = row.runtime_ns as f64 / 1e9;
    let per_second = |value: f64| (seconds > 0.0).then(|| value / seconds);
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
    };
    let moves = ["read", "write", "trim"].contains(&row.op.as_str());
    let rate = per_second(tally.bytes as f64 / 1_048_576.0).filter(|_| moves);
    let quantile = |q: f64| {
        let found = tally.latency_ns.quantile(q).filter(|_| tally.n > 0);
        // The middle of a bucket may lie beyond the largest value in it, which is known exactly.
        let most = tally.max_ns.map_or(f64::MAX, |ns| ns as f64);
        time(found.map(|found| found.value.min(most)))
    };
    [
        row.name.clone(),
        row.op.clone(),
        tally.n.to_string(),
        number(per_second(tally.n as f64), 0),
        number(rate, 1),
        time(tally.latency_ns.mean()),
        quantile(0.5),
        quantile(0.99),
        quantile(0.999),
        time(tally.max_ns.map(|ns| ns as f64)),
    ]
}

/// A latency with three digits that count.
fn time(ns: Option<f64>) -> String {
    let Some(ns) = ns else {
        return "-".to_owned();
    };
    let (value, unit) = match ns {
        _ if ns >= 1e9 => (ns / 1e9, "s"),
        _ if ns >= 1e6 => (ns / 1e6, "ms"),
        _ if ns >= 1e3 => (ns / 1e3, "us"),
        _ => return format!("{ns:.0} ns"),
    };
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_show_three_digits() {
        let shown: Vec<_> = [999.0, 1_234.0, 45_600.0, 789_000.0, 1.5e6, 2.0e9]
            .map(|ns| time(Some(ns)))
            .into();
        assert_eq!(
            shown,
            [
                "999 ns", "1.23 us", "45.6 us", "789 us", "1.50 ms", "2.00 s"
            ]
        );
        assert_eq!(time(None), "-");
    }
}
