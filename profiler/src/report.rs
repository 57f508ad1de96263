//! The end of the line: a capture and what the rules made of it, for people and for programs.
//!
//! A format is one file in `report/` and its entry in [`ALL`]; only here and in `command/` is
//! anything printed.

pub mod html;
pub mod json;

use crate::capture::{Capture, Slice};
use anyhow::Result;
use rules::finding::{Finding, Verdict};
use std::io::Write;

/// All that a report tells.
#[derive(Clone, Debug)]
pub struct Report {
    pub capture: Capture,
    /// The whole recording as one slice.
    pub total: Slice,
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
    pub page: Page,
}

/// The paper that the text format writes on; the other formats do not look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Columns of the terminal.
    pub width: usize,
    pub colour: bool,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
        }
    }
}

impl Report {
    /// Sums up the capture; what the rules concluded is handed in.
    pub fn new(capture: Capture, findings: Vec<Finding>, verdict: Verdict) -> Self {
        Self {
            total: capture.total(),
            capture,
            findings,
            verdict,
            page: Page::default(),
        }
    }
}

/// A way to write a report.
pub trait Format: Sync {
    /// The word for `--format`.
    fn name(&self) -> &'static str;
    /// File names that end so are written in this format.
    fn extension(&self) -> &'static str;
    /// One line for the help.
    fn about(&self) -> &'static str;
    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()>;
}

/// Every format, in the order of the help. Each file in `report/` has its entry.
pub const ALL: &[&dyn Format] = &[&json::Json, &html::Html];
