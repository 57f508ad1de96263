//! One file given to an importer: its text by lines, and the one way to refuse it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A longer file is refused: what is imported is kept in memory.
const READ_LIMIT: u64 = 1 << 30;

/// The text of one file, with the name to show.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// Why a file cannot be imported: one sentence with the place, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub file: String,
    /// From 1.
    pub line: Option<usize>,
    /// In bytes, from 1.
    pub column: Option<usize>,
    pub why: String,
    pub next: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot import {}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}; {}", self.why, self.next)
    }
}

impl std::error::Error for Refusal {}

/// What an importer answers.
pub type Imports<T> = Result<T, Refusal>;

impl Source {
    /// Reads a file; `-` is standard input.
    pub fn open(path: &Path) -> Imports<Self> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        let read = match name.as_str() {
            "-" => io::stdin().take(READ_LIMIT + 1).read_to_end(&mut bytes),
            _ => {
                File::open(path).and_then(|file| file.take(READ_LIMIT + 1).read_to_end(&mut bytes))
            }
        };
        let refused = |why: String, next: &str| Refusal {
            file: name.clone(),
            line: None,
            column: None,
            why,
            next: next.to_owned(),
        };
        read.map_err(|error| {
            refused(
                error.to_string(),
                "give the name of a file that can be read",
            )
        })?;
        if bytes.len() as u64 > READ_LIMIT {
            return Err(refused(
                "it is longer than 1 GiB".to_owned(),
                "import a part of it",
            ));
        }
        Self::new(&name, bytes)
    }

    /// Takes bytes for text. Other encodings and binary files are refused; single bytes that are
    /// not UTF-8 (names of processes and files) become U+FFFD.
    pub fn new(name: &str, bytes: Vec<u8>) -> Imports<Self> {
        let refused = |line, column, why: String, next: &str| Refusal {
            file: name.to_owned(),
            line,
            column,
            why,
            next: next.to_owned(),
        };
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            let why = "it is UTF-16 text (it begins with a byte order mark)".to_owned();
            let next = "convert it with `iconv -f UTF-16 -t UTF-8` first";
            return Err(refused(Some(1), Some(1), why, next));
        }
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => rest.to_vec(),
            None => bytes,
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            let why = "it is empty".to_owned();
            return Err(refused(
                None,
                None,
                why,
                "check that the tool's output was saved",
            ));
        }
        if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
            let (line, column) = place(&bytes, at);
            let why = format!("byte {at} is NUL, so it is no text or was damaged");
            let next = "copy the tool's output again";
            return Err(refused(Some(line), Some(column), why, next));
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        Ok(Self {
            name: name.to_owned(),
            text,
        })
    }

    /// The last part of the name.
    pub fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Lines with their numbers from 1, without their ends.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.split('\n').enumerate();
        lines.map(|(index, line)| (index + 1, line.trim_end_matches('\r')))
    }

    /// Line and column of a byte.
    pub fn place(&self, at: usize) -> (usize, usize) {
        place(self.text.as_bytes(), at)
    }

    /// Refuses the file at a line.
    pub fn refuse(&self, line: usize, why: impl Into<String>, next: impl Into<String>) -> Refusal {
        Refusal {
            file: self.name.clone(),
            line: Some(line),
            column: None,
            why: why.into(),
            next: next.into(),
        }
    }

    /// Refuses the file as a whole.
    pub fn refuse_all(&self, why: impl Into<String>, next: impl Into<String>) -> Refusal {
        Refusal {
            line: None,
            ..self.refuse(0, why, next)
        }
    }
}

fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at.min(bytes.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let begin = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |n| n + 1);
    (line, before.len() - begin + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        let refused = |bytes: &[u8]| Source::new("x", bytes.to_vec()).unwrap_err().to_string();
        assert!(refused(b"").contains("empty"));
        assert!(refused(b" \n\t\n").contains("empty"));
        assert!(refused(b"\xff\xfea\0").contains("UTF-16"));
        let nul = refused(b"ab\ncd\0");
        assert!(nul.contains("line 2, column 3"), "{nul}");
    }

    #[test]
    fn a_mark_ahead_of_utf_8_is_left_out() {
        let source = Source::new("x", b"\xef\xbb\xbfa\r\nb".to_vec()).unwrap();
        assert_eq!(source.lines().collect::<Vec<_>>(), [(1, "a"), (2, "b")]);
    }
}
