//! What is wrong with a job file, and where: everything is collected before anything runs.

use std::fmt;
use std::sync::Arc;

/// A place in a job file; line and column count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// The start of a line.
    pub fn new(file: &Arc<str>, line: usize, column: usize) -> Self {
        Self {
            file: Arc::clone(file),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One thing that keeps a workload from running.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub at: Place,
    pub message: String,
}

impl Problem {
    pub fn new(at: &Place, message: impl Into<String>) -> Self {
        Self {
            at: at.clone(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}

/// A workload that is refused whole, with every reason at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub name: String,
    pub problems: Vec<Problem>,
}

impl Refused {
    /// Sorted by place, each problem once (a global section counts for many jobs).
    pub fn new(name: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort();
        problems.dedup();
        Self {
            name: name.to_owned(),
            problems,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.problems.len();
        let things = if n == 1 { "thing" } else { "things" };
        write!(
            f,
            "{}: refused, {n} {things} to mend; nothing was run",
            self.name
        )?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}
