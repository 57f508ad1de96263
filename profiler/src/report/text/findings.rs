//! The verdict and the findings, as blocks.

use super::page::{Paper, Tone};
use crate::report::json::shape::ReportJson;
use crate::report::json::words::{evidence_words, risk_name, severity_name, state_name};
use crate::units::printable;
use rules::finding::{Finding, Severity, State};

/// What was concluded, in one breath.
pub(super) fn verdict(paper: &mut Paper, told: &ReportJson) {
    paper.heading("Verdict:", &told.verdict.kind.replace('-', " "));
    paper.toned(Some(Tone::Bold), 0, "", &told.verdict.text);
}

/// Every finding: those to act on in full, the others shortly.
pub(super) fn findings(paper: &mut Paper, told: &ReportJson) {
    let mut shown: Vec<&Finding> = told.findings.iter().collect();
    // Stable: within a state the order of the rules' precedence stays.
    shown.sort_by_key(|finding| match finding.state {
        State::Recommend => 0,
        State::Unsafe => 1,
        State::InsufficientEvidence => 2,
        State::NoChangeNeeded => 3,
        State::NotApplicable => 4,
    });
    let count = |state| shown.iter().filter(|f| f.state == state).count();
    let summary = format!(
        "{} to change, {} unsafe, {} undecided, {} right as they are",
        count(State::Recommend),
        count(State::Unsafe),
        count(State::InsufficientEvidence),
        count(State::NoChangeNeeded)
    );
    paper.heading("Findings:", &summary);
    if shown.is_empty() {
        paper.line("No rule had anything to say.");
    }
    let of = |states: &[State]| -> Vec<&Finding> {
        let of_state = |finding: &&&Finding| states.contains(&finding.state);
        shown.iter().filter(of_state).copied().collect()
    };
    for finding in of(&[State::Recommend, State::Unsafe]) {
        full(paper, finding);
    }
    list(paper, "Undecided", &of(&[State::InsufficientEvidence]));
    list(paper, "Right as it is", &of(&[State::NoChangeNeeded]));
    let aside = of(&[State::NotApplicable]);
    let mut aside: Vec<&str> = aside.iter().map(|finding| finding.id.as_str()).collect();
    aside.dedup();
    if !aside.is_empty() {
        paper.blank();
        paper.prose(0, "Not applicable: ", &aside.join(", "));
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

/// What needs no action, an entry each: what an undecided one lacks, what stood against the others.
fn list(paper: &mut Paper, title: &str, findings: &[&Finding]) {
    if findings.is_empty() {
        return;
    }
    paper.blank();
    paper.line(&format!("{title}:"));
    for finding in findings {
        let words = format!("{} ({}, {})", finding.title, finding.subject, finding.id);
        paper.prose(0, "- ", &words);
        if let Some(suppressed) = &finding.suppressed_by {
            paper.prose(2, "because of: ", suppressed);
        }
        for missing in &finding.missing {
            paper.prose(2, "missing: ", missing);
        }
    }
}
