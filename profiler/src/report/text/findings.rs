//! The verdict and the findings, as blocks.

use super::page::{Paper, Tone};
use crate::report::json::checked::checked;
use crate::report::json::shape::ReportJson;
use crate::report::json::words::{evidence_words, risk_name, severity_name, state_name};
use crate::units::printable;
use rules::finding::{Finding, Severity, State};

/// What was concluded, in one breath.
pub(super) fn verdict(paper: &mut Paper, told: &ReportJson) {
    paper.heading("Verdict:", &told.verdict.kind.replace('-', " "));
    paper.toned(Some(Tone::Bold), 0, "", &told.verdict.text);
}

/// What to do and what not to do, the recommended first.
pub(super) fn findings(paper: &mut Paper, told: &ReportJson) {
    let of = |state| {
        told.findings
            .iter()
            .filter(move |finding| finding.state == state)
    };
    let count = |state| of(state).count();
    let summary = format!(
        "{} to change, {} unsafe, {} not decided, {} no change needed",
        count(State::Recommend),
        count(State::Unsafe),
        count(State::InsufficientEvidence),
        count(State::NoChangeNeeded)
    );
    paper.heading("Findings:", &summary);
    if told.findings.is_empty() {
        paper.line("No rule had anything to say.");
    }
    for finding in of(State::Recommend).chain(of(State::Unsafe)) {
        full(paper, finding);
    }
}

/// What was asked and asks for nothing: at the end, for those who wonder.
pub(super) fn others(paper: &mut Paper, told: &ReportJson) {
    for (title, state) in [
        (
            "Not decided, for lack of evidence",
            State::InsufficientEvidence,
        ),
        ("Looked for, no change needed", State::NoChangeNeeded),
    ] {
        let rules = checked(&told.findings, state);
        if rules.is_empty() {
            continue;
        }
        paper.heading(title, "");
        for rule in &rules {
            paper.prose(0, "- ", &format!("{} ({})", rule.title, rule.id));
            for outcome in &rule.outcomes {
                let words = match outcome.notes.is_empty() {
                    true => outcome.subjects(),
                    false => format!("{}: {}", outcome.subjects(), outcome.notes()),
                };
                paper.prose(4, "", &words);
            }
        }
    }
    let aside = checked(&told.findings, State::NotApplicable);
    if !aside.is_empty() {
        let ids: Vec<&str> = aside.iter().map(|rule| rule.id).collect();
        paper.blank();
        paper.prose(0, "Not applicable: ", &ids.join(", "));
    }
}

fn full(paper: &mut Paper, finding: &Finding) {
    let (sign, tone) = match finding.severity {
        Severity::Critical => ("■", Tone::Red),
        Severity::Warning => ("▲", Tone::Yellow),
        Severity::Notice => ("◆", Tone::Blue),
        Severity::Info => ("○", Tone::Dim),
    };
    let head = format!("{sign} {}", severity_name(finding).to_uppercase());
    let head = paper.paint(tone, &head);
    paper.blank();
    paper.line(&format!(
        "{head}  {}, {}  {}",
        state_name(finding),
        risk_name(finding),
        printable(&finding.id)
    ));
    paper.toned(Some(Tone::Bold), 2, "", &finding.title);
    paper.prose(2, "", &format!("[{}] {}", finding.subject, finding.because));
    if let Some(advice) = &finding.advice {
        paper.prose(2, "", advice);
    }
    if let Some(suppressed) = &finding.suppressed_by {
        paper.prose(2, "not recommended: ", suppressed);
    }
    let rows = finding.evidence.iter().map(|evidence| {
        vec![
            evidence.fact.clone(),
            evidence.value.clone(),
            evidence_words(evidence),
        ]
    });
    paper.table(
        &["evidence", "value", "behind it"],
        9,
        &rows.collect::<Vec<_>>(),
    );
    for missing in &finding.missing {
        paper.prose(2, "missing: ", missing);
    }
    for (title, commands) in [
        ("apply now", &finding.apply),
        ("make it last", &finding.persist),
        ("undo", &finding.undo),
    ] {
        if !commands.is_empty() {
            paper.line(&format!("  {title}"));
            commands.iter().for_each(|command| paper.command(command));
        }
    }
    if let Some(expect) = &finding.expect {
        paper.prose(2, "expect: ", expect);
    }
    if !finding.after.is_empty() {
        paper.prose(2, "after: ", &finding.after.join(", "));
    }
    if !finding.sources.is_empty() {
        paper.prose(2, "sources: ", &finding.sources.join("; "));
    }
}
