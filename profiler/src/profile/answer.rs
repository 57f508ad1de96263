//! How a fact is answered: with a value and what stands behind it, or with the reason for none.

use crate::capture::{Capture, Histogram, ProbeState, Slice};
use rules::facts::{Fact, Facts, Measured, Subject, Value};

/// A value or the reason why there is none.
pub(super) type Answer = Result<Measured, String>;

/// One subject that facts are put about.
pub(super) struct About<'f> {
    facts: &'f mut Facts,
    pub(super) subject: Subject,
}

impl<'f> About<'f> {
    pub(super) fn new(facts: &'f mut Facts, subject: Subject) -> Self {
        facts.subject(&subject);
        Self { facts, subject }
    }

    pub(super) fn say(&mut self, fact: &Fact, answer: Answer) {
        match answer {
            Ok(measured) => self.facts.put(&self.subject, fact, measured),
            Err(reason) => self.facts.unknown(&self.subject, fact, &reason),
        }
    }

    /// The same reason for several facts.
    pub(super) fn say_unknown(&mut self, facts: &[&Fact], reason: &str) {
        for fact in facts {
            self.facts.unknown(&self.subject, fact, reason);
        }
    }

    pub(super) fn word(&mut self, word: &str, value: &str) {
        self.facts.word(&self.subject, word, value);
    }

    pub(super) fn relate(&mut self, around: &Subject) {
        self.facts.relate(&self.subject, around);
    }
}

/// A setting that is a number in the fact's base unit.
pub(super) fn number(value: Option<f64>, source: &str, missing: &str) -> Answer {
    let value = value.ok_or_else(|| missing.to_owned())?;
    Ok(Measured::set(Value::Number(value), source))
}

pub(super) fn whole(value: Option<u64>, source: &str, missing: &str) -> Answer {
    number(value.map(|value| value as f64), source, missing)
}

pub(super) fn flag(value: Option<bool>, source: &str, missing: &str) -> Answer {
    let value = value.ok_or_else(|| missing.to_owned())?;
    Ok(Measured::set(Value::Bool(value), source))
}

pub(super) fn text(value: Option<&str>, source: &str, missing: &str) -> Answer {
    let value = value.ok_or_else(|| missing.to_owned())?;
    Ok(Measured::set(Value::Text(value.to_owned()), source))
}

/// A quantile with the interval of its order statistic.
pub(super) fn quantile(
    histogram: Option<&Histogram>,
    q: f64,
    source: &str,
    missing: &str,
) -> Answer {
    let found = histogram.and_then(|histogram| Some((histogram.interval(q)?, histogram.n())));
    let (quantile, n) = found.ok_or_else(|| missing.to_owned())?;
    let bounds = quantile.high.map(|high| (quantile.low as f64, high as f64));
    Ok(Measured {
        interval: bounds,
        ..Measured::of(quantile.value, n, source)
    })
}

/// A part of a whole, of which there must be one.
pub(super) fn share(part: f64, whole: f64, n: u64, source: &str, missing: &str) -> Answer {
    match whole > 0.0 {
        true => Ok(Measured::of(part / whole, n, source)),
        false => Err(missing.to_owned()),
    }
}

/// Why a probe group has nothing to say, if it has not.
pub(super) fn silence(capture: &Capture, total: &Slice, probe: &str) -> Option<String> {
    if total.length_ns == 0 {
        return Some("nothing was recorded".to_owned());
    }
    let Some(status) = capture.probes.iter().find(|status| status.id == probe) else {
        return Some(format!("the {probe} probe is not in this capture"));
    };
    let because = |state: &str| {
        let reason = status.reason.as_deref();
        let reason = reason
            .map(|reason| format!(": {reason}"))
            .unwrap_or_default();
        Some(format!("the {probe} probe {state}{reason}"))
    };
    match status.state {
        ProbeState::Ok | ProbeState::Partial => None,
        ProbeState::Off => because("was off"),
        ProbeState::Unavailable => because("cannot run here"),
        ProbeState::Failed => because("failed its self-check"),
        ProbeState::Shed => because("was detached to save time"),
    }
}
