//! Findings for a terminal: the verdict, what to change, and what could not be told.

use crate::units;
use rules::Judgement;
use rules::finding::{Evidence, Finding, Risk, Severity, State};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Columns of running text.
const WIDTH: usize = 96;

/// Whether a finding is shown without being asked for.
pub(super) fn is_shown(finding: &Finding) -> bool {
    matches!(finding.state, State::Recommend | State::Unsafe)
}

pub(super) fn write(judgement: &Judgement, all: bool, out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    compose(judgement, all, &mut text)?;
    let text = units::printable_lines(&String::from_utf8_lossy(&text));
    out.write_all(text.as_bytes())
}

fn compose(judgement: &Judgement, all: bool, out: &mut Vec<u8>) -> io::Result<()> {
    wrapped(out, "", &judgement.verdict.text)?;
    for finding in judgement
        .findings
        .iter()
        .filter(|finding| is_shown(finding))
    {
        writeln!(out)?;
        change(finding, out)?;
    }
    writeln!(out)?;
    if all {
        for finding in judgement
            .findings
            .iter()
            .filter(|finding| !is_shown(finding))
        {
            other(finding, out)?;
        }
    } else {
        open(judgement, out)?;
    }
    summary(judgement, all, out)
}

fn change(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let severity = severity(finding.severity);
    writeln!(out, "{severity:9}{}", finding.title)?;
    let refused = if finding.state == State::Unsafe {
        ", not safe to change here"
    } else {
        ""
    };
    writeln!(out, "{:9}{} [{}]{refused}", "", finding.subject, finding.id)?;
    wrapped(out, "    ", &finding.because)?;
    for evidence in &finding.evidence {
        writeln!(out, "      {}", measured(evidence))?;
    }
    if let Some(advice) = &finding.advice {
        wrapped(out, "    ", advice)?;
    }
    for (word, commands) in [
        ("apply", &finding.apply),
        ("persist", &finding.persist),
        ("undo", &finding.undo),
    ] {
        for command in commands {
            writeln!(out, "    {word:9}{command}")?;
        }
    }
    if let Some(expect) = &finding.expect {
        writeln!(out, "    {:9}{expect}", "expect")?;
    }
    writeln!(out, "    {:9}{}", "risk", risk(finding.risk))?;
    if !finding.after.is_empty() {
        writeln!(out, "    {:9}{}", "after", finding.after.join(", "))?;
    }
    wrapped(
        out,
        "    ",
        &format!("Sources: {}.", finding.sources.join("; ")),
    )
}

fn measured(evidence: &Evidence) -> String {
    let Evidence {
        fact,
        value,
        interval,
        n,
        source,
        ..
    } = evidence;
    let mut notes = Vec::new();
    if let Some((low, high)) = interval {
        notes.push(format!("{low} to {high}"));
    }
    if let Some(n) = n {
        notes.push(format!("n = {n}"));
    }
    notes.push(source.clone());
    format!("{fact} {value} ({})", notes.join(", "))
}

/// One line on a finding that asks for nothing.
fn other(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let word = match finding.state {
        State::NoChangeNeeded => "fine",
        State::InsufficientEvidence => "open",
        State::NotApplicable => "n/a",
        State::Recommend | State::Unsafe => return Ok(()),
    };
    let why = match (finding.missing.is_empty(), &finding.suppressed_by) {
        (false, _) => finding.missing.join("; "),
        (true, Some(by)) => format!("{} (set aside: {by})", finding.because),
        (true, None) => finding.because.clone(),
    };
    wrapped(
        out,
        &format!("{word:5}"),
        &format!("{} [{}]: {why}", finding.subject, finding.id),
    )
}

/// The rules that came to nothing for lack of evidence, by name.
fn open(judgement: &Judgement, out: &mut impl Write) -> io::Result<()> {
    let open = judgement
        .findings
        .iter()
        .filter(|f| f.state == State::InsufficientEvidence);
    let names: BTreeSet<&str> = open.map(|finding| finding.id.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.into_iter().collect();
    wrapped(
        out,
        "",
        &format!("Cannot be told from this: {}.", names.join(", ")),
    )
}

fn summary(judgement: &Judgement, all: bool, out: &mut impl Write) -> io::Result<()> {
    let count = |state: State| {
        judgement
            .findings
            .iter()
            .filter(|f| f.state == state)
            .count()
    };
    let hint = if all { "" } else { " (--all shows every one)" };
    writeln!(
        out,
        "{} to change, {} unsafe to change, {} fine, {} cannot be told, {} do not apply{hint}",
        count(State::Recommend),
        count(State::Unsafe),
        count(State::NoChangeNeeded),
        count(State::InsufficientEvidence),
        count(State::NotApplicable),
    )
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "CRITICAL",
        Severity::Warning => "WARNING",
        Severity::Notice => "NOTICE",
        Severity::Info => "INFO",
    }
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::None => "none",
        Risk::Performance => "performance",
        Risk::Durability => "durability",
        Risk::DataLoss => "data loss",
        Risk::Downtime => "downtime",
        Risk::Rebuild => "rebuild",
    }
}

/// Words in lines, the first behind `lead`, the others behind as many blanks.
fn wrapped(out: &mut impl Write, lead: &str, text: &str) -> io::Result<()> {
    let blank = " ".repeat(lead.chars().count());
    let mut line = String::new();
    let mut lead = lead;
    for word in text.split_whitespace() {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && lead.chars().count() + longer > WIDTH {
            writeln!(out, "{lead}{line}")?;
            line.clear();
            lead = &blank;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.is_empty() {
        true => Ok(()),
        false => writeln!(out, "{lead}{line}"),
    }
}
