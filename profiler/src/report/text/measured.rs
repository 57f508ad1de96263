//! Devices, journals, sync calls and the workload, as tables.

use super::page::{Paper, Tone};
use crate::report::json::shape::{DeviceJson, FsyncJson, LatencyJson, ReportJson, WorkloadJson};
use crate::report::json::words::{NO_DATA, absent};
use crate::units;

/// The columns of every latency table.
const HEADS: [&str; 6] = ["n", "p50", "p90", "p99", "p99.9", "max"];

fn numbers(latency: &LatencyJson) -> Vec<String> {
    let time = |ns: Option<f64>| ns.map_or("none".to_owned(), units::nanos);
    vec![
        latency.n.map_or("none".to_owned(), units::count),
        time(latency.p50_ns),
        time(latency.p90_ns),
        time(latency.p99_ns),
        time(latency.p999_ns),
        time(latency.max_ns),
    ]
}

fn row(left: &[&str], latency: &LatencyJson) -> Vec<String> {
    let left = left.iter().map(|cell| (*cell).to_owned());
    left.chain(numbers(latency)).collect()
}

fn heads<'a>(left: &[&'a str]) -> Vec<&'a str> {
    left.iter().copied().chain(HEADS).collect()
}

/// The error of the quantiles of a table, below it.
fn error_note<'a>(paper: &mut Paper, latencies: impl IntoIterator<Item = &'a LatencyJson>) {
    let counted: Vec<&LatencyJson> = latencies
        .into_iter()
        .filter(|latency| latency.n.is_some_and(|n| n > 0))
        .collect();
    let largest = counted
        .iter()
        .filter_map(|latency| latency.error)
        .reduce(f64::max);
    let mut words: Vec<String> = Vec::new();
    words.extend(largest.map(|error| format!("±{} at most", units::ratio(error))));
    if counted.iter().any(|latency| latency.error.is_none()) {
        words.push("values beyond the end of the scale are given as its end".to_owned());
    }
    if !words.is_empty() {
        paper.prose(2, "error of the quantiles: ", &words.join("; "));
    }
}

pub(super) fn devices(paper: &mut Paper, told: &ReportJson) {
    if told.devices.is_empty() {
        paper.heading("Devices", "");
        paper.line("No block device was measured; the probes below say why.");
    }
    for device in &told.devices {
        paper.heading("Device", &device.name);
        paper.prose(0, "", &device.about());
        one(paper, device);
    }
}

fn one(paper: &mut Paper, device: &DeviceJson) {
    let mut rows = Vec::new();
    for (op, told) in &device.ops {
        let measured = told
            .spans
            .named()
            .into_iter()
            .filter(|(_, span)| span.n.is_some());
        for (index, (name, span)) in measured.enumerate() {
            let op = if index == 0 { op.name() } else { "" };
            rows.push(row(&[op, name], span));
        }
    }
    paper.table(&heads(&["op", "span"]), 2, &rows);
    let spans = device.ops.values().flat_map(|told| told.spans.named());
    error_note(paper, spans.map(|(_, span)| span));
    let missing = device.not_measured();
    if !missing.is_empty() {
        paper.prose(2, "", &missing.join("; "));
    }
    for (op, told) in &device.ops {
        let unknown = || "unknown".to_owned();
        let rate = told.per_second.map_or_else(unknown, units::rate);
        let flow = told
            .bytes_per_second
            .map_or_else(unknown, units::throughput);
        let mut words = vec![
            format!(
                "{rate}, {flow}, {} errors, {} requeues",
                told.errors, told.requeues
            ),
            format!("size {}", told.size_bytes.words(units::bytes)),
            format!("depth {}", told.depth.words(units::short)),
            format!(
                "bios per request {}",
                told.bios_per_request.words(units::short)
            ),
            format!("merges {}", told.merges.words()),
            format!("pattern {}", told.pattern()),
        ];
        // A flush has no size, no bios and no place: nothing to say.
        words.retain(|words| !words.ends_with(&absent(Some(NO_DATA))));
        paper.prose(2, &format!("{:<9}", op.name()), &words.join("; "));
    }
    paper.prose(2, "slept    ", &device.waits_words());
    paper.prose(2, "queue    ", &device.queue.words());
    let tone = match device.balance.holds() {
        Some(true) => Tone::Green,
        Some(false) => Tone::Red,
        None => Tone::Dim,
    };
    paper.toned(Some(tone), 2, "balance  ", &device.balance.words());
}

pub(super) fn commits(paper: &mut Paper, told: &ReportJson) {
    paper.heading("Journals", "");
    if told.journals.is_empty() {
        paper.prose(0, "", &absent(told.journals_reason.as_deref()));
    }
    for journal in &told.journals {
        let rate = journal
            .commits_per_second
            .map_or("unknown".to_owned(), units::rate);
        paper.prose(
            0,
            "",
            &format!(
                "{} ({} on {}), {rate}",
                journal.place(),
                journal.kind,
                journal.device
            ),
        );
        let ordered = journal.ordered();
        let rows = ordered
            .iter()
            .map(|(phase, latency)| row(&[phase], latency));
        paper.table(&heads(&["phase"]), 1, &rows.collect::<Vec<_>>());
        error_note(paper, journal.phases.values());
        paper.prose(2, "", &journal.counts_words());
    }
    paper.heading("Sync calls", "");
    if told.fsync.is_empty() {
        paper.prose(0, "", &absent(told.fsync_reason.as_deref()));
    }
    let rows = told
        .fsync
        .iter()
        .map(|call| row(&[&call.mount, &call.call], &call.latency));
    paper.table(
        &heads(&["filesystem", "call"]),
        2,
        &rows.collect::<Vec<_>>(),
    );
    error_note(paper, told.fsync.iter().map(|call| &call.latency));
    for words in told.fsync.iter().filter_map(FsyncJson::phases_words) {
        paper.prose(2, "", &words);
    }
    if !told.slow_syncs.is_empty() {
        paper.prose(2, "", "The slowest:");
    }
    for call in &told.slow_syncs {
        paper.prose(4, "", &call.words());
    }
    for call in told.fsync.iter().filter(|call| call.errors > 0) {
        let errors = units::count(call.errors);
        paper.prose(
            2,
            "",
            &format!("{errors} errors of {} on {}", call.call, call.mount),
        );
    }
}

pub(super) fn processes(paper: &mut Paper, told: &ReportJson) {
    paper.heading("Who issued the requests", "estimated from sampled stacks");
    if told.processes.is_empty() {
        paper.prose(2, "", &absent(told.processes_reason.as_deref()));
    }
    for process in &told.processes {
        paper.prose(2, "", &process.words());
    }
}

pub(super) fn dirty(paper: &mut Paper, told: &ReportJson) {
    paper.heading("Dirty memory", "");
    for line in told.dirty.lines() {
        paper.prose(2, "", &line);
    }
}

pub(super) fn workload(paper: &mut Paper, workload: &WorkloadJson) {
    paper.heading("Workload", &workload.name);
    let mut rows = Vec::new();
    for job in &workload.jobs {
        for (op, told) in &job.ops {
            let name = format!("{}.{}", job.name, job.clone);
            rows.push(row(&[&name, op], &told.latency));
        }
    }
    paper.table(&heads(&["job", "op"]), 2, &rows);
    let ops = workload.jobs.iter().flat_map(|job| job.ops.values());
    error_note(paper, ops.map(|op| &op.latency));
    for job in &workload.jobs {
        if let Some(error) = &job.error {
            paper.prose(
                2,
                &format!("{}.{} failed: ", units::printable(&job.name), job.clone),
                error,
            );
        }
    }
    let rows = workload.probes_view.iter().map(|line| {
        vec![
            line.place.clone(),
            line.op.clone(),
            line.jobs_words(),
            line.probes_words(),
            line.reason.clone().unwrap_or_default(),
        ]
    });
    let heads = [
        "place",
        "op",
        "by the jobs",
        "by the probes",
        "why they may differ",
    ];
    paper.blank();
    paper.table(&heads, 9, &rows.collect::<Vec<_>>());
    for note in &workload.notes {
        paper.prose(2, "note: ", note);
    }
}
