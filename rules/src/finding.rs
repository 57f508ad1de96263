//! What a rule concluded about one subject.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One rule's answer for one subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable id: the rule's path without `.toml`, e.g. `mount/strict-atime`.
    pub id: String,
    pub state: State,
    pub severity: Severity,
    pub risk: Risk,
    /// What it is about: `filesystem /var/lib/postgresql`, `device sda`, `host`.
    pub subject: String,
    pub title: String,
    /// The reason, with the measured values put in.
    pub because: String,
    pub advice: Option<String>,
    /// What was measured; one entry for each fact that decided.
    pub evidence: Vec<Evidence>,
    /// For `insufficient-evidence`: what is missing, each with its reason. For the others: empty.
    pub missing: Vec<String>,
    /// Shell commands; empty where there is none at run time.
    pub apply: Vec<String>,
    pub persist: Vec<String>,
    pub undo: Vec<String>,
    /// The fact that should move and where to, e.g. `sync.p99 falls`.
    pub expect: Option<String>,
    /// Ids of findings to settle first.
    pub after: Vec<String>,
    /// The rule that suppressed it, or the stated counter-evidence.
    pub suppressed_by: Option<String>,
    pub sources: Vec<String>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Change it.
    Recommend,
    /// Looked at, and right as it is.
    NoChangeNeeded,
    /// Cannot tell.
    InsufficientEvidence,
    /// Does not concern this subject.
    NotApplicable,
    /// Would help, but must not be done here.
    Unsafe,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Critical,
    Warning,
    Notice,
    Info,
}

/// What following the advice can cost.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    None,
    Performance,
    Durability,
    DataLoss,
    Downtime,
    Rebuild,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    pub fact: String,
    /// Value with its unit, ready to print.
    pub value: String,
    /// The raw value in the fact's base unit, for programs.
    pub raw: serde_json::Value,
    /// Lower and upper bound, ready to print, where the fact has them.
    pub interval: Option<(String, String)>,
    /// Number of samples behind it; `None` for configuration.
    pub n: Option<u64>,
    /// Where it came from: `block probe`, `/sys/block/sda/queue/scheduler`.
    pub source: String,
}

/// The summary over all findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// `not-the-bottleneck`, `fix-first`, `tune`, `limited`, `fine`, `cannot-tell`.
    pub kind: String,
    /// One or two sentences for people, with the numbers.
    pub text: String,
}
