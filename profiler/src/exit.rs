//! How a command ends: exit codes 0, 1, 2 and 3 as documented in the README.

use std::fmt;

/// A command that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: findings at or above `--fail-on`.
    Findings,
}

/// An error that exits with 3: the host, the kernel or the rights do not allow measuring.
/// Every other error is wrong usage or input and exits with 2.
#[derive(Debug)]
pub struct CannotMeasure {
    /// One line for each missing thing.
    pub missing: Vec<String>,
}

impl fmt::Display for CannotMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot measure here: {}", self.missing.join("; "))
    }
}

impl std::error::Error for CannotMeasure {}
