//! What an import gives: plain data with units in the names. What was not measured is `null` or
//! absent, never 0.

pub mod bonnie;
pub mod collected;
pub mod events;
pub mod fio;
pub mod histograms;
pub mod hostfiles;
pub mod iostat;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Files of one kind, imported together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The importer's name: `fio-json`, `iostat`, ...
    pub kind: String,
    pub files: Vec<String>,
    /// What a reader of the values must know.
    #[serde(default)]
    pub notes: Vec<Note>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fio: Vec<fio::FioRun>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bonnie: Vec<bonnie::BonnieRun>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iostat: Vec<iostat::IostatReport>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vmstat: Vec<iostat::VmstatReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diskstats: Option<iostat::Diskstats>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<events::EventAnalysis>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histograms: Vec<histograms::RangeHistogram>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<hostfiles::HostFiles>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected: Option<collected::Collected>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// What was measured failed.
    Error,
    /// A value is to be doubted.
    Warning,
    /// How something was read.
    Info,
}

/// A remark on one place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub level: Level,
    pub file: String,
    /// From 1; `null`: on the file as a whole.
    pub line: Option<u64>,
    pub text: String,
}

/// More notes than this of one import say nothing new.
const NOTES_LIMIT: usize = 200;

/// Longer notes quote a line that nobody wants to read whole.
const NOTE_LENGTH: usize = 400;

fn shortened(text: String) -> String {
    match text.char_indices().nth(NOTE_LENGTH) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

impl Imported {
    pub fn note(&mut self, level: Level, file: &str, line: Option<usize>, text: impl Into<String>) {
        let text = match self.notes.len() {
            n if n < NOTES_LIMIT => shortened(text.into()),
            NOTES_LIMIT => "more notes than can be shown were left out".to_owned(),
            _ => return,
        };
        self.notes.push(Note {
            level,
            file: file.to_owned(),
            line: line.map(|line| line as u64),
            text,
        });
    }
}

/// A figure of a benchmark, where "did not run" and "ended too soon to tell" are no numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "state", content = "value")]
pub enum Figure {
    #[default]
    NotRun,
    /// `+++++`: shorter than the tool's least time.
    TooFast,
    Measured(f64),
}

impl Figure {
    pub fn measured(self) -> Option<f64> {
        match self {
            Self::Measured(value) => Some(value),
            _ => None,
        }
    }
}
