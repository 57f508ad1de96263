//! Words to standard output and standard error that never break the program.

use crate::units;
use anyhow::{Context as _, Result};
use std::io::{self, ErrorKind, Write as _};

/// Prints to standard output. A reader that has seen enough is no error. Names come from hosts and
/// files: none of them may steer the terminal.
pub(super) fn out(text: &str) -> Result<()> {
    let text = units::printable_lines(text);
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("writing to standard output"),
    }
}

/// Prints a line to standard error. Where that cannot be, there is nobody to tell. Names and
/// paths in it may be hostile: what would steer a terminal is shown instead.
pub(super) fn err(text: &str) {
    let _ = writeln!(io::stderr(), "{}", units::printable_lines(text));
}

/// Prints a piece of a progress line to a terminal.
pub(super) fn progress(text: &str) {
    let mut stderr = io::stderr();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}
