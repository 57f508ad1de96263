//! A rule: one file of the library, checked. What can be wrong with it was found when it was read,
//! so judging by it cannot fail.

pub(crate) mod case;
pub(crate) mod command;
mod compile;
pub(crate) mod file;
pub(crate) mod forbidden;
pub(crate) mod prose;

pub use file::Kind;

use crate::diagnostic::{Diagnostic, Source};
use crate::facts::{Fact, Scope};
use crate::finding::{Risk, Severity};
use crate::lang::Expression;
use case::Case;
use command::Command;
use prose::Prose;
use std::ops::Range;
use std::sync::Arc;

/// One rule. Its parts are read by the judge and by the generated documentation.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its path in the library without `.toml`: `mount/strict-atime`.
    pub id: String,
    pub title: String,
    pub scope: Scope,
    pub kind: Kind,
    pub severity: Severity,
    pub risk: Risk,
    pub sources: Vec<String>,
    pub(crate) loss: Option<String>,
    pub(crate) knob: Option<String>,
    pub(crate) lets: Vec<Let>,
    pub(crate) applies: Option<Expression>,
    pub(crate) when: Expression,
    pub(crate) needs: Needs,
    pub(crate) unsafe_if: Vec<Counter>,
    pub(crate) unless: Vec<Counter>,
    pub(crate) no_op: Option<Expression>,
    pub(crate) because: Prose,
    pub(crate) healthy: Option<Prose>,
    pub(crate) advice: Option<Prose>,
    pub(crate) apply: Vec<Command>,
    pub(crate) persist: Vec<Command>,
    pub(crate) undo: Vec<Command>,
    pub(crate) expect: Option<String>,
    pub(crate) conflicts: Vec<Link>,
    pub(crate) after: Vec<Link>,
    pub(crate) silenced_by: Vec<Link>,
    pub(crate) cases: Vec<Case>,
    pub(crate) source: Arc<Source>,
}

/// A named expression of a rule, with every fact behind it.
#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub(crate) name: String,
    pub(crate) value: Expression,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Shortest recording in nanoseconds.
    pub(crate) observed_ns: Option<f64>,
    /// Least number of samples of a fact.
    pub(crate) n: Vec<(&'static Fact, u64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub(crate) condition: Expression,
    pub(crate) because: Prose,
}

/// Another rule, named in the file at this place.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) id: String,
    pub(crate) span: Range<usize>,
}

impl Rule {
    /// Rules that come first win over others.
    pub(crate) fn precedence(&self) -> (Kind, Severity, &str) {
        (self.kind, self.severity, &self.id)
    }

    /// Every other rule that it names.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Link> {
        self.conflicts
            .iter()
            .chain(&self.after)
            .chain(&self.silenced_by)
    }

    pub(crate) fn wrong(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Diagnostic {
        Diagnostic::new(&self.source, span, message, help)
    }

    /// Every fact that its conditions name, once.
    pub fn facts(&self) -> Vec<&'static Fact> {
        let conditions = self.applies.iter().chain([&self.when]).chain(&self.no_op);
        let counters = self.unsafe_if.iter().chain(&self.unless);
        let expressions = conditions
            .chain(counters.map(|counter| &counter.condition))
            .chain(self.lets.iter().map(|own| &own.value));
        let mut facts: Vec<&'static Fact> = Vec::new();
        for fact in expressions.flat_map(Expression::facts) {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        facts
    }

    /// The condition as it is written.
    pub fn when(&self) -> &str {
        self.when.text()
    }

    /// The file it was read from, as it is.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The path of that file, to show.
    pub fn path(&self) -> &str {
        &self.source.path
    }

    /// Whether it only says something: a folk advice or a note that asks for no change. Then its
    /// state is "no change needed" even when its condition holds, with the reason.
    pub fn informs(&self) -> bool {
        matches!(self.kind, Kind::Refuse | Kind::Note) && self.severity == Severity::Info
    }

    pub fn case_count(&self) -> usize {
        self.cases.len()
    }
}
