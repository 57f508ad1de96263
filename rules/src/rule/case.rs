//! The tests in a rule's own file: given these facts, it must come to this state.

use super::compile::Reader;
use super::file::{self, Given, Plain};
use crate::facts::{Fact, Facts, Measured, Scope, Subject, Type, Unit, Value};
use crate::finding::{Finding, State};
use crate::units;

/// Samples of a number in a case that says nothing of them: enough for every rule.
const PLENTY: u64 = 1_000_000;

/// Length of the recording in a case that says nothing of it: a minute.
const USUAL_NS: u64 = 60_000_000_000;

/// One checked test.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) state: State,
    says: Option<String>,
    runs: Option<String>,
    observed_ns: u64,
    words: Vec<(String, String)>,
    given: Vec<(&'static Fact, Measured)>,
}

impl Case {
    pub(super) fn check(case: file::Case, reader: &mut Reader) -> Option<Self> {
        let mut given = Vec::new();
        for (name, value) in &case.given {
            let fact = reader.fact(name)?;
            match measured(value.get_ref(), fact) {
                Ok(measured) => given.push((fact, measured)),
                Err(message) => reader.wrong(value.span(), message, None),
            }
        }
        let mut words: Vec<(String, String)> = usual_words(reader.scope);
        for (word, value) in case.words {
            match words.iter_mut().find(|(own, _)| own == word.get_ref()) {
                Some(own) => own.1 = value,
                None => {
                    let message = format!("a {} has no word `{}`", reader.scope, word.get_ref());
                    reader.wrong(word.span(), message, None);
                }
            }
        }
        let observed = match &case.observed {
            Some(text) => reader.duration(text)? as u64,
            None => USUAL_NS,
        };
        Some(Self {
            name: case.name.into_inner(),
            state: case.state,
            says: case.says,
            runs: case.runs,
            observed_ns: observed,
            words,
            given,
        })
    }

    /// The facts of the case, and the subject to judge.
    pub(crate) fn scene(&self, scope: Scope) -> (Facts, Subject) {
        let subject = |scope: Scope| Subject {
            scope,
            name: format!("case {scope}"),
        };
        let own = subject(scope);
        let mut facts = Facts::new(self.observed_ns);
        facts.subject(&own);
        for near in scope.reach().iter().filter(|near| **near != scope) {
            facts.subject(&subject(*near));
            facts.relate(&own, &subject(*near));
        }
        for (word, value) in &self.words {
            facts.word(&own, word, value);
        }
        for (fact, measured) in &self.given {
            facts.put(&subject(fact.scope), fact, measured.clone());
        }
        (facts, own)
    }

    /// What the finding should have been, if it is not.
    pub(crate) fn disagrees(&self, finding: &Finding) -> Option<String> {
        let Finding {
            state,
            because,
            missing,
            ..
        } = finding;
        if *state != self.state {
            let why = match missing.is_empty() {
                true => because.clone(),
                false => missing.join("; "),
            };
            return Some(format!(
                "came to {state:?} ({why}), not to {:?}",
                self.state
            ));
        }
        let advice = finding.advice.as_deref().unwrap_or_default();
        let unsaid = |says: &&String| !because.contains(*says) && !advice.contains(*says);
        if let Some(says) = self.says.as_ref().filter(unsaid) {
            return Some(format!("says {because:?}, which does not hold {says:?}"));
        }
        let mut commands = finding
            .apply
            .iter()
            .chain(&finding.persist)
            .chain(&finding.undo);
        match &self.runs {
            Some(runs) if !commands.any(|command| command.contains(runs)) => {
                Some(format!("no command holds {runs:?}: {:?}", finding.apply))
            }
            _ => None,
        }
    }
}

fn usual_words(scope: Scope) -> Vec<(String, String)> {
    let words = scope.words().iter();
    words
        .map(|word| ((*word).to_owned(), usual_word(word).to_owned()))
        .collect()
}

/// What a word is in a case that does not set it; one without a usual value stands for itself.
fn usual_word(word: &str) -> &str {
    match word {
        "device" => "sda",
        "mount" => "/srv/db",
        "source" => "/dev/sda1",
        "options" => "rw,relatime",
        "database" => "postgresql",
        "pid" => "4711",
        "data" => "/srv/db/data",
        "wal" => "/srv/db/data/pg_wal",
        other => other,
    }
}

fn measured(given: &Given, fact: &Fact) -> Result<Measured, String> {
    let (plain, n) = match given {
        Given::Bare(plain) => (plain, None),
        Given::Counted { value, n } => (value, Some(*n)),
    };
    let value = match (plain, fact.of) {
        (Plain::Bool(value), Type::Bool) => Value::Bool(*value),
        (Plain::Text(text), of) => units::parse(text, of)?,
        (Plain::Whole(number), Type::Number(unit)) => Value::Number(bare(*number as f64, unit)?),
        (Plain::Number(number), Type::Number(unit)) => Value::Number(bare(*number, unit)?),
        (_, of) => return Err(format!("`{}` is {of}, and this is not", fact.name)),
    };
    if !value.is(fact.of) {
        return Err("this is not a finite number".to_owned());
    }
    let counted = matches!(fact.of, Type::Number(_)).then_some(PLENTY);
    Ok(Measured {
        value,
        interval: None,
        n: n.or(counted),
        source: "case".to_owned(),
    })
}

fn bare(number: f64, unit: Unit) -> Result<f64, String> {
    match unit {
        Unit::Count | Unit::Ratio => Ok(number),
        _ => Err(format!(
            "{unit} needs a unit, like \"{}\"",
            units::example(unit)
        )),
    }
}
