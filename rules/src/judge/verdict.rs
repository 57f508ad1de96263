//! All findings in one or two sentences.

use super::{Held, gate::LEAST_NS};
use crate::facts::{self, Facts, Lookup, Scope};
use crate::finding::{Severity, State, Verdict};
use crate::rule::Kind;
use crate::units;

pub(super) fn sum_up(held: &[Held<'_>], facts: &Facts, gate: Option<&str>) -> Verdict {
    let recommended = |kinds: &[Kind]| -> Vec<&Held<'_>> {
        let of_kind = |held: &&Held<'_>| held.recommends() && kinds.contains(&held.rule.kind);
        held.iter().filter(of_kind).collect()
    };
    let mut fixes = recommended(&[Kind::Safety]);
    fixes.retain(|held| held.rule.severity <= Severity::Warning);
    let limits = recommended(&[Kind::Limit]);
    let changes = recommended(&[Kind::Safety, Kind::Tuning, Kind::Refuse, Kind::Note]);
    let (kind, text) = match (&fixes[..], gate, &limits[..], &changes[..]) {
        ([first, ..], ..) => ("fix-first", fix_first(first, &fixes, &changes, gate)),
        (_, Some(gate), _, changes) => ("not-the-bottleneck", not_the_bottleneck(gate, changes)),
        (_, _, [first, ..], _) => {
            let lead = format!("{} is at a limit: {}", subject(first), first.finding.title);
            ("limited", format!("{lead}. {}", first.finding.because))
        }
        (.., [first, ..]) => ("tune", tune(first, changes.len(), facts)),
        _ if can_tell(held, facts) => ("fine", fine(held, facts)),
        _ => ("cannot-tell", cannot_tell(held, facts)),
    };
    Verdict {
        kind: kind.to_owned(),
        text,
    }
}

fn fix_first(
    first: &Held<'_>,
    fixes: &[&Held<'_>],
    changes: &[&Held<'_>],
    gate: Option<&str>,
) -> String {
    let more = match fixes.len() - 1 {
        0 => String::new(),
        n => format!(" ({n} more to fix)"),
    };
    let lead = format!(
        "Fix first on {}{more}: {}. {}",
        subject(first),
        first.finding.title,
        first.finding.because
    );
    match (gate, changes.len() - fixes.len()) {
        (Some(gate), _) => format!("{lead} Otherwise {gate}."),
        (None, 0) => lead,
        (None, n) => format!(
            "{lead} {} {} for it.",
            upper(&count(n, "other change")),
            waits(n)
        ),
    }
}

fn not_the_bottleneck(gate: &str, changes: &[&Held<'_>]) -> String {
    let lead = format!("{}.", upper(gate));
    match changes.len() {
        0 => lead,
        n => format!(
            "{lead} {} that {} not about speed.",
            upper(&count(n, "finding")),
            if n == 1 { "is" } else { "are" }
        ),
    }
}

fn tune(first: &Held<'_>, n: usize, facts: &Facts) -> String {
    format!(
        "{} worth making{}. First, on {}: {}. {}",
        upper(&format!(
            "{} {}",
            count(n, "change"),
            if n == 1 { "is" } else { "are" }
        )),
        pressure(facts),
        subject(first),
        first.finding.title,
        first.finding.because
    )
}

fn fine(held: &[Held<'_>], facts: &Facts) -> String {
    let decided = held
        .iter()
        .filter(|held| held.finding.state == State::NoChangeNeeded)
        .count();
    let text = format!(
        "Nothing needs to change: {} came out right{}.",
        count(decided, "check"),
        pressure(facts)
    );
    [Some(text), unsafe_ones(held), open(held)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

fn cannot_tell(held: &[Held<'_>], facts: &Facts) -> String {
    let decided = held
        .iter()
        .any(|held| held.finding.state == State::NoChangeNeeded);
    let why = match facts.observed_ns {
        0 if !decided => {
            "Nothing was recorded and no setting was seen that a rule could decide on, so nothing can be said of this host."
        }
        0 => {
            "Nothing was recorded, so the configuration alone was judged, and nothing in it needs to change."
        }
        1..LEAST_NS => {
            "What was recorded is too short to call this host fine: record 10 s or more of the load that matters."
        }
        _ => "What was recorded decides no rule about limits or tuning.",
    };
    [Some(why.to_owned()), unsafe_ones(held), open(held)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Enough was recorded, and it decided at least one rule about speed.
fn can_tell(held: &[Held<'_>], facts: &Facts) -> bool {
    let decided = |held: &Held<'_>| {
        matches!(held.rule.kind, Kind::Limit | Kind::Tuning)
            && matches!(held.finding.state, State::NoChangeNeeded | State::Unsafe)
    };
    facts.observed_ns >= LEAST_NS && held.iter().any(decided)
}

fn unsafe_ones(held: &[Held<'_>]) -> Option<String> {
    let n = held
        .iter()
        .filter(|held| held.finding.state == State::Unsafe)
        .count();
    let verb = if n == 1 {
        "would help but is"
    } else {
        "would help but are"
    };
    (n > 0).then(|| format!("{} {verb} not safe here.", upper(&count(n, "change"))))
}

fn open(held: &[Held<'_>]) -> Option<String> {
    let open = |held: &&Held<'_>| held.finding.state == State::InsufficientEvidence;
    let n = held.iter().filter(open).count();
    let verb = if n == 1 { "stays" } else { "stay" };
    (n > 0).then(|| {
        format!(
            "{} {verb} open for lack of evidence.",
            upper(&count(n, "question"))
        )
    })
}

/// How long tasks waited for storage, where it is known.
fn pressure(facts: &Facts) -> String {
    let host = facts.of(Scope::Host).next();
    match host.map(|host| facts.get(host, &facts::HOST_PRESSURE_IO)) {
        Some(Lookup::Known(measured)) => {
            let share = units::show(&measured.value, facts::HOST_PRESSURE_IO.of);
            format!("; some task waited for storage in {share} of the time")
        }
        _ => String::new(),
    }
}

fn subject(held: &Held<'_>) -> String {
    match held.subject.scope {
        Scope::Host => "this host".to_owned(),
        _ => held.finding.subject.clone(),
    }
}

fn waits(n: usize) -> &'static str {
    if n == 1 { "waits" } else { "wait" }
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("one {what}"),
        n => format!("{n} {what}s"),
    }
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next();
    first
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(chars)
        .collect()
}
