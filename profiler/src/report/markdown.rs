//! The report as Markdown: for a ticket, a wiki, a review.

use super::json::checked::checked;
use super::json::shape::{DeviceJson, FsyncJson, LatencyJson, ReportJson};
use super::json::words::{absent, evidence_words, risk_name, severity_name, state_name};
use super::{Format, Report};
use crate::units::{self, printable};
use anyhow::{Context, Result};
use rules::finding::{Finding, State};
use std::fmt::Write as _;
use std::io::Write;

/// `--format markdown`.
pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn extension(&self) -> &'static str {
        "md"
    }

    fn about(&self) -> &'static str {
        "For a ticket or a wiki"
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        let told = ReportJson::new(report);
        let mut text = String::new();
        head(&mut text, &told);
        findings(&mut text, &told);
        for device in &told.devices {
            chapter(&mut text, device);
        }
        commits(&mut text, &told);
        dirty(&mut text, &told);
        processes(&mut text, &told);
        workload(&mut text, &told);
        for one in &told.imported {
            text.push_str("## Imported\n\n");
            fenced(&mut text, "text", &crate::import::show::lines(one));
        }
        others(&mut text, &told);
        measurement(&mut text, &told);
        out.write_all(text.as_bytes())
            .context("writing the Markdown report")
    }
}

/// Text from outside, so that it is read as text: one line, no markup.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn code(out: &mut String, commands: &[String]) {
    fenced(out, "sh", commands);
}

/// A fence longer than any run of backticks within.
fn fenced(out: &mut String, language: &str, lines: &[String]) {
    let body = lines.join("\n");
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let body: Vec<String> = body.lines().map(printable).collect();
    let _ = writeln!(out, "{fence}{language}\n{}\n{fence}\n", body.join("\n"));
}

fn table(out: &mut String, heads: &[&str], numbers_from: usize, rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rule = (0..heads.len()).map(|i| if i < numbers_from { ":--" } else { "--:" });
    let rule: Vec<String> = rule.map(str::to_owned).collect();
    let _ = writeln!(out, "{}\n{}", line(&heads), line(&rule));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| plain(cell)).collect();
        let _ = writeln!(out, "{}", line(&cells));
    }
    out.push('\n');
}

fn head(out: &mut String, told: &ReportJson) {
    let name = told.host.name.as_deref().unwrap_or("a host");
    let _ = writeln!(out, "# Storage of {}\n", plain(name));
    let _ = writeln!(out, "**{}**\n", plain(&told.verdict.text));
    let _ = writeln!(out, "{}  ", plain(&told.host_line()));
    let _ = writeln!(out, "{}  ", plain(&told.window_line()));
    if let Some(command) = &told.window.command {
        let _ = writeln!(out, "while running {}  ", plain(&command.join(" ")));
    }
    let _ = writeln!(out, "{}\n", plain(&told.tool));
}

fn findings(out: &mut String, told: &ReportJson) {
    out.push_str("## Findings\n\n");
    for state in [State::Recommend, State::Unsafe] {
        let of_state = told
            .findings
            .iter()
            .filter(|finding| finding.state == state);
        of_state.for_each(|finding| full(out, finding));
    }
    if told.findings.is_empty() {
        out.push_str("No rule had anything to say.\n\n");
    }
}

/// What was asked and asks for nothing.
fn others(out: &mut String, told: &ReportJson) {
    out.push_str("## Other rules\n\n");
    for (title, state) in [
        (
            "Not decided, for lack of evidence",
            State::InsufficientEvidence,
        ),
        ("Looked for, no change needed", State::NoChangeNeeded),
    ] {
        let rules = checked(&told.findings, state);
        if !rules.is_empty() {
            let _ = writeln!(out, "### {title}\n");
        }
        let rows = rules.iter().flat_map(|rule| {
            rule.outcomes.iter().map(|outcome| {
                let id = rule.id.to_owned();
                vec![
                    id,
                    rule.title.to_owned(),
                    outcome.subjects(),
                    outcome.notes(),
                ]
            })
        });
        table(
            out,
            &["rule", "looked for", "subjects", "why"],
            9,
            &rows.collect::<Vec<_>>(),
        );
    }
    let aside = checked(&told.findings, State::NotApplicable);
    if !aside.is_empty() {
        let ids: Vec<&str> = aside.iter().map(|rule| rule.id).collect();
        let _ = writeln!(out, "Not applicable: {}\n", plain(&ids.join(", ")));
    }
}

fn full(out: &mut String, finding: &Finding) {
    let _ = writeln!(out, "### {}\n", plain(&finding.title));
    let _ = writeln!(
        out,
        "{}, {}, {} · {} · {}\n",
        severity_name(finding),
        state_name(finding),
        risk_name(finding),
        plain(&finding.subject),
        plain(&finding.id)
    );
    let _ = writeln!(out, "{}\n", plain(&finding.because));
    if let Some(advice) = &finding.advice {
        let _ = writeln!(out, "{}\n", plain(advice));
    }
    if let Some(suppressed) = &finding.suppressed_by {
        let _ = writeln!(out, "Not recommended: {}\n", plain(suppressed));
    }
    let rows = finding.evidence.iter().map(|evidence| {
        vec![
            evidence.fact.clone(),
            evidence.value.clone(),
            evidence_words(evidence),
        ]
    });
    table(
        out,
        &["fact", "value", "behind it"],
        9,
        &rows.collect::<Vec<_>>(),
    );
    for (title, commands) in [
        ("Apply now", &finding.apply),
        ("Make it last", &finding.persist),
        ("Undo", &finding.undo),
    ] {
        if !commands.is_empty() {
            let _ = writeln!(out, "{title}:\n");
            code(out, commands);
        }
    }
    for (label, words) in [
        ("Expect", finding.expect.clone().unwrap_or_default()),
        ("After", finding.after.join(", ")),
        ("Sources", finding.sources.join("; ")),
    ] {
        if !words.is_empty() {
            let _ = writeln!(out, "{label}: {}\n", plain(&words));
        }
    }
}

const HEADS: [&str; 7] = ["n", "p50", "p90", "p99", "p99.9", "max", "error"];

fn row(left: &[&str], latency: &LatencyJson) -> Vec<String> {
    let time = |ns: Option<f64>| ns.map_or("none".to_owned(), units::nanos);
    let mut row: Vec<String> = left.iter().map(|cell| (*cell).to_owned()).collect();
    row.push(latency.n.map_or("none".to_owned(), units::count));
    row.push(time(latency.p50_ns));
    row.push(time(latency.p90_ns));
    row.push(time(latency.p99_ns));
    row.push(time(latency.p999_ns));
    row.push(time(latency.max_ns));
    row.push(latency.error_words());
    row
}

fn heads<'a>(left: &[&'a str]) -> Vec<&'a str> {
    left.iter().copied().chain(HEADS).collect()
}

fn chapter(out: &mut String, device: &DeviceJson) {
    let _ = writeln!(
        out,
        "## Device {}\n\n{}\n",
        plain(&device.name),
        plain(&device.about())
    );
    let mut rows = Vec::new();
    for (op, told) in &device.ops {
        for (name, span) in told.spans.named() {
            if span.n.is_some() {
                rows.push(row(&[op.name(), name], span));
            }
        }
    }
    table(out, &heads(&["op", "span"]), 2, &rows);
    for note in device.not_measured() {
        let _ = writeln!(out, "- {}", plain(&note));
    }
    for (op, told) in &device.ops {
        let words = format!(
            "{}: size {}; depth {}; bios per request {}; merges {}; pattern {}",
            op.name(),
            told.size_bytes.words(units::bytes),
            told.depth.words(units::short),
            told.bios_per_request.words(units::short),
            told.merges.words(),
            told.pattern()
        );
        let _ = writeln!(out, "- {}", plain(&words));
    }
    let _ = writeln!(out, "- slept: {}", plain(&device.waits_words()));
    let _ = writeln!(out, "- queue: {}", plain(&device.queue.words()));
    let _ = writeln!(out, "- balance: {}\n", plain(&device.balance.words()));
}

fn commits(out: &mut String, told: &ReportJson) {
    out.push_str("## Commits\n\n");
    if told.journals.is_empty() {
        let _ = writeln!(
            out,
            "Journals: {}\n",
            plain(&absent(told.journals_reason.as_deref()))
        );
    }
    for journal in &told.journals {
        let _ = writeln!(out, "Journal of {}\n", plain(journal.place()));
        let ordered = journal.ordered();
        let rows = ordered
            .iter()
            .map(|(phase, latency)| row(&[phase], latency));
        table(out, &heads(&["phase"]), 1, &rows.collect::<Vec<_>>());
        let _ = writeln!(out, "{}\n", plain(&journal.counts_words()));
    }
    if told.fsync.is_empty() {
        let _ = writeln!(
            out,
            "Sync calls: {}\n",
            plain(&absent(told.fsync_reason.as_deref()))
        );
    }
    let rows = told
        .fsync
        .iter()
        .map(|call| row(&[&call.mount, &call.call], &call.latency));
    table(
        out,
        &heads(&["filesystem", "call"]),
        2,
        &rows.collect::<Vec<_>>(),
    );
    for words in told.fsync.iter().filter_map(FsyncJson::phases_words) {
        let _ = writeln!(out, "{}\n", plain(&words));
    }
    if !told.slow_syncs.is_empty() {
        let _ = writeln!(out, "The slowest:\n");
    }
    for call in &told.slow_syncs {
        let _ = writeln!(out, "- {}", plain(&call.words()));
    }
    if !told.slow_syncs.is_empty() {
        let _ = writeln!(out);
    }
}

fn processes(out: &mut String, told: &ReportJson) {
    out.push_str("## Who issued the requests\n\nEstimated from sampled stacks.\n\n");
    if told.processes.is_empty() {
        let _ = writeln!(out, "{}", plain(&absent(told.processes_reason.as_deref())));
    }
    for process in &told.processes {
        let _ = writeln!(out, "- {}", plain(&process.words()));
    }
    out.push('\n');
}

fn dirty(out: &mut String, told: &ReportJson) {
    out.push_str("## Dirty memory\n\n");
    for line in told.dirty.lines() {
        let _ = writeln!(out, "- {}", plain(&line));
    }
    out.push('\n');
}

fn workload(out: &mut String, told: &ReportJson) {
    let Some(workload) = &told.workload else {
        return;
    };
    let _ = writeln!(out, "## Workload {}\n", plain(&workload.name));
    let mut rows = Vec::new();
    for job in &workload.jobs {
        for (op, told) in &job.ops {
            rows.push(row(
                &[&format!("{}.{}", job.name, job.clone), op],
                &told.latency,
            ));
        }
    }
    table(out, &heads(&["job", "op"]), 2, &rows);
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
    table(out, &heads, 9, &rows.collect::<Vec<_>>());
    for note in &workload.notes {
        let _ = writeln!(out, "- {}", plain(note));
    }
}

fn measurement(out: &mut String, told: &ReportJson) {
    let _ = writeln!(
        out,
        "## The measurement\n\nCost: {}.\n",
        plain(&told.own_cost.words())
    );
    let unknown = told.losses.reason.as_deref();
    let rows = told.losses.named().into_iter().map(|(name, n)| match n {
        Some(n) => vec![name, units::count(n)],
        None => vec![name, units::not_measured(unknown.unwrap_or("unknown"))],
    });
    table(out, &["lost", "n"], 1, &rows.collect::<Vec<_>>());
    let rows = told.probes.iter().map(|probe| {
        vec![
            probe.id.clone(),
            super::json::state_words(probe.state).to_owned(),
            probe.about.clone(),
            probe.reason.clone().unwrap_or_default(),
        ]
    });
    table(
        out,
        &["probe", "state", "measures", "reason"],
        9,
        &rows.collect::<Vec<_>>(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_no_markup() {
        assert_eq!(plain("a|b\n<script>"), "a\\|b\\\\n&lt;script&gt;");
        assert_eq!(plain("[x](y) `z` *w*"), "\\[x\\](y) \\`z\\` \\*w\\*");
    }

    #[test]
    fn a_fence_holds_what_contains_fences() {
        let mut out = String::new();
        code(&mut out, &["echo '```'".to_owned()]);
        assert_eq!(out, "````sh\necho '```'\n````\n\n");
    }
}
