//! A fio job file as text: sections and options in order, each with its place, nothing interpreted.

mod expand;
mod reader;

pub use expand::Variables;

use super::problem::{Place, Problem};
use std::path::Path;

/// A job file with its includes put in.
#[derive(Clone, Debug, Default)]
pub struct JobFile {
    pub sections: Vec<Section>,
    /// What a reader must know although the file is accepted.
    pub warnings: Vec<Problem>,
}

/// `[name]` and the options below it.
#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub at: Place,
    /// Sets defaults for the jobs below it. As in fio, any name that begins with `global`.
    pub global: bool,
    pub entries: Vec<Entry>,
}

/// One option line.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    /// `None`: no `=`.
    pub value: Option<String>,
    pub at: Place,
    /// Where the value starts; the key's place when there is none.
    pub value_at: Place,
    /// Names of `${...}` that are not set and were read as nothing.
    pub unset: Vec<String>,
}

/// Reads a job file from disk.
pub fn read(path: &Path, variables: &Variables) -> Result<JobFile, Vec<Problem>> {
    reader::read(path, variables)
}

/// Reads a job file from memory; `name` stands in messages, includes are looked up beside it.
pub fn parse(name: &Path, text: &[u8], variables: &Variables) -> Result<JobFile, Vec<Problem>> {
    reader::parse(name, text, variables)
}
