//! fio and bonnie++.

use super::{or_none, size, table, whole};
use crate::import::model::Figure;
use crate::import::model::bonnie::{BonnieRun, RateUnit, TESTS};
use crate::import::model::fio::{FioLatency, FioRun};
use crate::units;

pub(super) fn fio(run: &FioRun, lines: &mut Vec<String>) {
    let version = run.version.as_deref().unwrap_or("version not known");
    lines.push(format!("  {version}, {}", run.format));
    let mut rows = Vec::new();
    for job in &run.jobs {
        let state = match (job.failed, &job.error_text) {
            (true, Some(words)) => format!(" FAILED: {words}"),
            (true, None) => " FAILED".to_owned(),
            (false, _) => String::new(),
        };
        if job.ops.is_empty() {
            lines.push(format!("  {}{state}: no I/O", job.name));
        }
        for (name, op) in &job.ops {
            let latency = op.completion.as_ref().or(op.total.as_ref());
            let mean = latency.and_then(|l| l.mean_ns);
            let percentile = |p| latency.and_then(|l: &FioLatency| l.percentile(p));
            rows.push(vec![
                format!("{} {name}{state}", job.name),
                whole(op.ios),
                size(op.io_bytes),
                or_none(op.runtime_ns.map(|n| n as f64), units::nanos),
                or_none(op.bandwidth_bytes_per_s, units::throughput),
                or_none(op.iops, units::rate),
                or_none(mean, units::nanos),
                or_none(percentile(50.0), units::nanos),
                or_none(percentile(99.0), units::nanos),
                or_none(latency.and_then(|l| l.max_ns), units::nanos),
            ]);
        }
    }
    if !rows.is_empty() {
        let head = [
            "job",
            "I/Os",
            "bytes",
            "runtime",
            "bandwidth",
            "iops",
            "clat mean",
            "p50",
            "p99",
            "max",
        ];
        table(&head, &rows, lines);
    }
}

pub(super) fn bonnie(run: &BonnieRun, lines: &mut Vec<String>) {
    let version = run
        .program_version
        .as_deref()
        .or(run.format_version.as_deref());
    lines.push(format!(
        "  {} bonnie++ {}, file {}, chunk {}",
        run.host,
        version.unwrap_or("of unknown version"),
        size(run.file_size_bytes),
        size(run.chunk_bytes)
    ));
    let rows: Vec<_> = TESTS
        .iter()
        .filter_map(|(name, _)| {
            let test = run.tests.get(*name)?;
            let rate = match (test.rate, test.unit) {
                (Figure::Measured(n), RateUnit::BytesPerSecond) => units::throughput(n),
                (Figure::Measured(n), RateUnit::PerSecond) => units::rate(n),
                (figure, _) => words(figure),
            };
            let cpu = match test.cpu_percent {
                Figure::Measured(n) => units::percent(n),
                figure => words(figure),
            };
            Some(vec![
                (*name).to_owned(),
                rate,
                cpu,
                or_none(test.latency_ns, units::nanos),
            ])
        })
        .collect();
    table(&["test", "rate", "cpu", "longest"], &rows, lines);
}

fn words(figure: Figure) -> String {
    match figure {
        Figure::NotRun => "not run".to_owned(),
        Figure::TooFast => "too fast to measure".to_owned(),
        Figure::Measured(n) => units::short(n),
    }
}
