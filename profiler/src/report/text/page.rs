//! A terminal of a known width: headings, wrapped prose, tables.

use crate::report::Page;
use crate::units::printable;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use std::fmt::Write;

/// How a piece of text stands out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Bold,
    Dim,
    Red,
    Yellow,
    Blue,
    Green,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "1;31",
            Self::Yellow => "1;33",
            Self::Blue => "1;34",
            Self::Green => "32",
        }
    }
}

/// Text under construction. All that comes from outside is made printable on its way in.
pub(super) struct Paper {
    page: Page,
    text: String,
}

impl Paper {
    pub(super) fn new(page: Page) -> Self {
        Self {
            page,
            text: String::new(),
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// A chapter's title after an empty line; what it is about keeps its case.
    pub(super) fn heading(&mut self, title: &str, about: &str) {
        let title = format!("{} {}", title.to_uppercase(), printable(about));
        let title = self.paint(Tone::Bold, title.trim_end());
        let _ = writeln!(self.text, "\n{title}");
    }

    /// Ready text, on a line of its own.
    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Prose, wrapped between words, every line indented; the first may start with a label.
    pub(super) fn prose(&mut self, indent: usize, label: &str, prose: &str) {
        self.toned(None, indent, label, prose);
    }

    /// As [`Paper::prose`], standing out.
    pub(super) fn toned(&mut self, tone: Option<Tone>, indent: usize, label: &str, prose: &str) {
        let hang = indent + label.chars().count();
        let room = self.page.width.saturating_sub(hang).max(20);
        for (index, line) in wrap(&printable_prose(prose), room).iter().enumerate() {
            let line = match tone {
                Some(tone) => self.paint(tone, line),
                None => line.clone(),
            };
            let start = match index {
                0 => format!("{:indent$}{label}", ""),
                _ => " ".repeat(hang),
            };
            let _ = writeln!(self.text, "{start}{line}");
        }
    }

    /// A command as it has to be typed: never wrapped, nothing before it but spaces; a command of
    /// several lines (a here document) starts at the margin.
    pub(super) fn command(&mut self, command: &str) {
        for line in command.lines() {
            let indent = if command.contains('\n') { "" } else { "    " };
            let _ = writeln!(self.text, "{indent}{}", printable(line));
        }
    }

    /// Columns as wide as their cells; what has no room is wrapped in its cell.
    pub(super) fn table(&mut self, heads: &[&str], numbers_from: usize, rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(self.page.width).unwrap_or(u16::MAX));
        table.set_header(heads.to_vec());
        for row in rows {
            table.add_row(row.iter().map(|cell| printable(cell)).collect::<Vec<_>>());
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if index == 0 { 2 } else { 1 }, 1));
            if index >= numbers_from {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            self.line(&line);
        }
    }

    /// Text that stands out, where colour is wanted.
    pub(super) fn paint(&self, tone: Tone, text: &str) -> String {
        match self.page.colour {
            true => format!("\x1b[{}m{text}\x1b[0m", tone.code()),
            false => text.to_owned(),
        }
    }
}

/// Line breaks in prose are spaces; other control characters are written out.
fn printable_prose(prose: &str) -> String {
    prose.lines().map(printable).collect::<Vec<_>>().join(" ")
}

/// Whether a word is the unit of the number before it and must not be torn from it.
fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 12] = [
        "ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "%", "/s", "CPUs", "MiB/s",
    ];
    UNITS.contains(&word.trim_end_matches([',', ';', '.', ':', ')']))
}

/// Lines of at most `width` characters, broken between words; a longer word stands alone.
fn wrap(prose: &str, width: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in prose.split_whitespace() {
        match words.last_mut() {
            Some(last) if is_unit(word) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    let mut lines = vec![String::new()];
    for word in &words {
        let line = lines.last_mut().expect("there is always a line");
        let used = line.chars().count();
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(word.clone());
        } else {
            if used > 0 {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(width: usize, colour: bool) -> Paper {
        Paper::new(Page { width, colour })
    }

    #[test]
    fn prose_is_wrapped_and_hangs_under_its_label() {
        let mut paper = paper(30, false);
        paper.prose(2, "why  ", "one two three four five six seven eight");
        assert_eq!(
            paper.finish(),
            "  why  one two three four five\n       six seven eight\n"
        );
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let mut paper = paper(20, false);
        paper.prose(0, "", "the disk needs 18.4 ms, no less");
        assert_eq!(paper.finish(), "the disk needs\n18.4 ms, no less\n");
    }

    #[test]
    fn a_command_is_never_wrapped_or_decorated() {
        let mut paper = paper(30, true);
        let command = "echo none > /sys/block/some-very-long-name/queue/scheduler";
        paper.command(command);
        paper.command("cat <<X\na\nX");
        assert_eq!(paper.finish(), format!("    {command}\ncat <<X\na\nX\n"));
    }

    #[test]
    fn nothing_from_outside_reaches_the_terminal_raw() {
        let mut paper = paper(80, false);
        paper.prose(0, "", "a\x1b]0;title\x07 b\nc");
        paper.table(&["h"], 1, &[vec!["\x1b[2J".into()]]);
        paper.command("echo \x1b[31m");
        assert!(!paper.finish().contains('\x1b'));
    }
}
