//! The end of the line: a capture and what the rules made of it, for people and for programs.
//!
//! A format is one file in `report/` and its entry in [`ALL`]; only here and in `command/` is
//! anything printed.

pub mod folded;
pub mod html;
pub mod json;
pub mod markdown;
pub mod svg;
pub mod text;

use crate::capture::{Capture, Slice};
use anyhow::Result;
use rules::judge::Judgement;
use rules::library::Library;
use std::io::Write;

/// All that a report tells.
#[derive(Clone, Debug)]
pub struct Report {
    pub capture: Capture,
    /// The whole recording as one slice.
    pub total: Slice,
    pub judgement: Judgement,
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
    /// Judges the capture by the built-in rules.
    pub fn judged(capture: Capture) -> Self {
        let judgement = Library::embedded().judge(&crate::profile::facts(&capture));
        Self::new(capture, judgement)
    }

    /// Sums up the capture; what the rules concluded is handed in.
    pub fn new(capture: Capture, judgement: Judgement) -> Self {
        Self {
            total: capture.total(),
            capture,
            judgement,
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
pub const ALL: &[&dyn Format] = &[
    &text::Text,
    &json::Json,
    &markdown::Markdown,
    &html::Html,
    &folded::Folded,
    &svg::Svg,
];

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}

/// The format of files with that ending.
pub fn by_extension(extension: &str) -> Option<&'static dyn Format> {
    let ending = extension.to_ascii_lowercase();
    ALL.iter()
        .copied()
        .find(|format| format.extension() == ending || format.name() == ending)
}

#[cfg(test)]
mod tests;
