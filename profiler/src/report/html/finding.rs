//! Findings as the page shows them: those to act on as cards, the others as lines.

use crate::report::json::checked::{Checked, checked};
use crate::report::json::words::{evidence_words, risk_name, severity_name, state_name};
use rules::finding::{Finding, Severity, State};

/// A finding in full.
pub(super) struct Card<'a> {
    pub(super) finding: &'a Finding,
    pub(super) state: &'static str,
    pub(super) severity: &'static str,
    pub(super) risk: &'static str,
    /// The sign of the severity: its shape says it as well as its colour.
    pub(super) sign: &'static str,
    pub(super) evidence: Vec<EvidenceLine<'a>>,
    /// Heading and commands, ready to copy.
    pub(super) commands: Vec<(&'static str, String)>,
}

pub(super) struct EvidenceLine<'a> {
    pub(super) fact: &'a str,
    pub(super) value: &'a str,
    pub(super) behind: String,
}

/// Rules whose findings are of one state, shown as lines.
pub(super) struct Quiet<'a> {
    pub(super) title: &'static str,
    pub(super) rules: Vec<Checked<'a>>,
}

/// What to do and what not to do, the most severe first.
pub(super) fn cards(findings: &[Finding]) -> Vec<Card<'_>> {
    let mut chosen: Vec<&Finding> = findings
        .iter()
        .filter(|finding| matches!(finding.state, State::Recommend | State::Unsafe))
        .collect();
    chosen.sort_by_key(|finding| (finding.state, finding.severity));
    chosen.into_iter().map(card).collect()
}

/// The states that ask for nothing, those that could not be decided first.
pub(super) fn quiet(findings: &[Finding]) -> Vec<Quiet<'_>> {
    [
        (
            State::InsufficientEvidence,
            "Not decided, for lack of evidence",
        ),
        (State::NoChangeNeeded, "Looked for, no change needed"),
        (State::NotApplicable, "Does not concern this host"),
    ]
    .into_iter()
    .map(|(state, title)| Quiet {
        title,
        rules: checked(findings, state),
    })
    .filter(|group| !group.rules.is_empty())
    .collect()
}

fn card(finding: &Finding) -> Card<'_> {
    let commands = [
        ("Apply now", &finding.apply),
        ("Make it last", &finding.persist),
        ("Undo", &finding.undo),
    ];
    Card {
        finding,
        state: state_name(finding),
        severity: severity_name(finding),
        risk: risk_name(finding),
        sign: sign(finding.severity),
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| EvidenceLine {
                fact: &evidence.fact,
                value: &evidence.value,
                behind: evidence_words(evidence),
            })
            .collect(),
        commands: commands
            .into_iter()
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(title, lines)| (title, lines.join("\n")))
            .collect(),
    }
}

/// Octagon, triangle, diamond, circle.
fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => {
            r#"<svg class="sign" viewBox="0 0 32 32" aria-hidden="true"><path d="M10 2h12l8 8v12l-8 8H10l-8-8V10z"/><path class="on" d="M16 8v10M16 22.5v1.5"/></svg>"#
        }
        Severity::Warning => {
            r#"<svg class="sign" viewBox="0 0 32 32" aria-hidden="true"><path d="M16 3l14 26H2z"/><path class="on" d="M16 12v8M16 24v1.2"/></svg>"#
        }
        Severity::Notice => {
            r#"<svg class="sign line" viewBox="0 0 32 32" aria-hidden="true"><path d="M16 3l13 13-13 13L3 16z"/></svg>"#
        }
        Severity::Info => {
            r#"<svg class="sign line" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="11"/></svg>"#
        }
    }
}
