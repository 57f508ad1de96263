//! The shape of a rule file, as TOML gives it: nothing is checked yet but keys and their types.

use crate::facts::Scope;
use crate::finding::{Risk, Severity, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toml::Spanned;

/// A text with its place in the file.
pub(crate) type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) title: Text,
    pub(crate) scope: Scope,
    pub(crate) kind: Kind,
    pub(crate) severity: Severity,
    pub(crate) risk: Spanned<Risk>,
    /// What following the advice may lose; for the risks `durability` and `data-loss`.
    pub(crate) loss: Option<Text>,
    /// The setting it changes, so that no two rules set it at once.
    pub(crate) knob: Option<Text>,
    #[serde(default, rename = "let")]
    pub(crate) lets: BTreeMap<Text, Text>,
    pub(crate) applies: Option<Text>,
    pub(crate) when: Text,
    #[serde(default)]
    pub(crate) needs: Needs,
    #[serde(default)]
    pub(crate) unsafe_if: Vec<Counter>,
    #[serde(default)]
    pub(crate) unless: Vec<Counter>,
    pub(crate) no_op: Option<Text>,
    pub(crate) because: Text,
    pub(crate) healthy: Option<Text>,
    pub(crate) advice: Option<Text>,
    #[serde(default)]
    pub(crate) apply: Vec<Text>,
    #[serde(default)]
    pub(crate) persist: Vec<Text>,
    #[serde(default)]
    pub(crate) undo: Vec<Text>,
    pub(crate) expect: Option<Expect>,
    #[serde(default)]
    pub(crate) conflicts: Vec<Text>,
    #[serde(default)]
    pub(crate) after: Vec<Text>,
    #[serde(default)]
    pub(crate) silenced_by: Vec<Text>,
    pub(crate) sources: Vec<Text>,
    #[serde(default, rename = "case")]
    pub(crate) cases: Vec<Case>,
}

/// What a rule is for; the order is the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Data or availability is at stake.
    Safety,
    /// Something outside the reach of tuning bounds the throughput.
    Limit,
    /// A setting that could be better.
    Tuning,
    /// Folk advice that was followed, or is about to be.
    Refuse,
    /// Worth knowing.
    Note,
}

/// How much must have been seen.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Needs {
    pub(crate) observed: Option<Text>,
    #[serde(default)]
    pub(crate) n: BTreeMap<Text, u64>,
}

/// A condition that stands against the recommendation, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counter {
    #[serde(rename = "if")]
    pub(crate) condition: Text,
    pub(crate) because: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) fact: Text,
    pub(crate) moves: Moves,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Moves {
    Falls,
    Rises,
}

/// A test of the rule, in its own file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: Text,
    #[serde(default)]
    pub(crate) given: BTreeMap<Text, Spanned<Given>>,
    /// How long was recorded; 60 s where nothing is said.
    pub(crate) observed: Option<Text>,
    /// Words of the subject, where the usual ones will not do.
    #[serde(default)]
    pub(crate) words: BTreeMap<Text, String>,
    pub(crate) state: State,
    /// What the reason or the advice must say.
    pub(crate) says: Option<String>,
    /// What one of the commands must be or hold.
    pub(crate) runs: Option<String>,
}

/// A value of a case: with unit as text, bare for counts and ratios, or with a sample count.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Given {
    Bare(Plain),
    Counted { value: Plain, n: u64 },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Plain {
    Bool(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}
