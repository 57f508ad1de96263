//! What a fact is made of: its scope, its type with a unit, its value, its subject.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a fact is about. A rule has one scope and may also name facts of the scopes around it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    Host,
    /// A whole disk or stacked node that was traced or inventoried.
    Device,
    /// A stacked device with geometry: md or striped dm.
    Array,
    /// A mounted filesystem.
    Filesystem,
    /// A database instance.
    Database,
    /// The built-in workload or an imported result.
    Workload,
}

/// What a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    Count,
    /// 0 to 1.
    Ratio,
    /// Nanoseconds.
    Duration,
    /// Bytes.
    Size,
    /// Per second.
    Rate,
    /// Bytes per second.
    Throughput,
}

/// What kind of value a fact has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Number(Unit),
    Bool,
    Text,
}

/// One word of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    pub of: Type,
    pub scope: Scope,
    pub about: &'static str,
}

/// What a fact is, once known.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    Bool(bool),
    Text(String),
}

/// Something facts are about. Its id is unique within its scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub scope: Scope,
    /// For people and for commands: `sda`, `/var/lib/postgresql`, `postgresql 4711`.
    pub name: String,
}

impl Scope {
    /// Every scope, in order.
    pub const ALL: [Self; 6] = [
        Self::Host,
        Self::Device,
        Self::Array,
        Self::Filesystem,
        Self::Database,
        Self::Workload,
    ];

    /// The scopes whose facts a rule of this scope may name: its own, the host, and what it stands on.
    pub fn reach(self) -> &'static [Scope] {
        match self {
            Self::Host => &[Self::Host],
            Self::Device => &[Self::Host, Self::Device, Self::Array],
            Self::Array => &[Self::Host, Self::Array, Self::Device],
            Self::Filesystem => &[Self::Host, Self::Filesystem, Self::Device, Self::Array],
            Self::Database => &[
                Self::Host,
                Self::Database,
                Self::Filesystem,
                Self::Device,
                Self::Array,
            ],
            Self::Workload => &[
                Self::Host,
                Self::Workload,
                Self::Filesystem,
                Self::Device,
                Self::Array,
            ],
        }
    }

    /// Words that commands and prose may use as `{word}` for a subject of this scope.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::Host => &[],
            Self::Device | Self::Array => &["device"],
            Self::Filesystem => &["mount", "source", "device", "options"],
            Self::Database => &["database", "pid", "data", "wal"],
            Self::Workload => &["job"],
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Array => "array",
            Self::Filesystem => "filesystem",
            Self::Database => "database",
            Self::Workload => "workload",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `filesystem /var/lib/postgresql`, `device sda`, `host`.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scope {
            Scope::Host => f.write_str("host"),
            scope => write!(f, "{scope} {}", self.name),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "a count",
            Self::Ratio => "a ratio",
            Self::Duration => "a duration",
            Self::Size => "a size",
            Self::Rate => "a rate",
            Self::Throughput => "a throughput",
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(unit) => unit.fmt(f),
            Self::Bool => f.write_str("a condition"),
            Self::Text => f.write_str("text"),
        }
    }
}

impl Value {
    /// Whether this is a value of the type; a number must be finite.
    pub fn is(&self, of: Type) -> bool {
        match self {
            Self::Number(number) => matches!(of, Type::Number(_)) && number.is_finite(),
            Self::Bool(_) => of == Type::Bool,
            Self::Text(_) => of == Type::Text,
        }
    }
}
