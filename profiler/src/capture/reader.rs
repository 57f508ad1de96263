//! Reading captures: plain or zstd by content, refused whole with the place where they are wrong.

use super::place::Place;
use super::{Capture, FORMAT_MAJOR, Format};
use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Longest text that is read, decompressed: a small file must not fill the memory.
const MOST_BYTES: u64 = 1 << 30;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a file is not read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    pub path: PathBuf,
    /// Line and column, from 1; of the decompressed text if `decompressed`.
    pub position: Option<(usize, usize)>,
    pub decompressed: bool,
    /// The value that is wrong; empty: the whole document.
    pub place: Place,
    pub what: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
            if self.decompressed {
                write!(f, " (decompressed)")?;
            }
        }
        if !self.place.0.is_empty() {
            write!(f, ": {}", self.place)?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for FormatError {}

impl Capture {
    /// Reads a capture from a file, or from standard input for `-`, and checks it.
    pub fn read(path: &Path) -> Result<Self> {
        let source: Box<dyn Read> = match path.as_os_str() == "-" {
            true => Box::new(io::stdin()),
            false => {
                let file = File::open(path);
                Box::new(file.map_err(|e| anyhow::anyhow!("cannot read {}: {e}", path.display()))?)
            }
        };
        let shown = match path.as_os_str() == "-" {
            true => Path::new("standard input"),
            false => path,
        };
        Ok(Self::from_reader(source, shown)?)
    }

    /// Reads a capture from anywhere; `path` is what errors call it.
    pub fn from_reader(source: impl Read, path: &Path) -> Result<Self, FormatError> {
        let (text, decompressed) = load(source, MOST_BYTES).map_err(|refused| FormatError {
            path: path.to_owned(),
            position: refused.position,
            decompressed: refused.position.is_some(),
            place: Place::default(),
            what: refused.what,
        })?;
        parse(&text).map_err(|wrong| FormatError {
            path: path.to_owned(),
            position: wrong.offset.map(|offset| position(&text, offset)),
            decompressed,
            place: wrong.place,
            what: wrong.what,
        })
    }
}

/// What is wrong with a text.
struct Wrong {
    offset: Option<usize>,
    place: Place,
    what: String,
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Self {
            offset: None,
            place: Place::default(),
            what,
        }
    }
}

fn parse(text: &[u8]) -> Result<Capture, Wrong> {
    let capture: Capture = match serde_json::from_slice(text) {
        Ok(capture) => capture,
        Err(error) => {
            return Err(match not_ours(text) {
                Some(what) => what.into(),
                None => located(text, &error),
            });
        }
    };
    let Format { major, minor, .. } = capture.format;
    if major != FORMAT_MAJOR {
        return Err(other_version(major.into(), minor.into()).into());
    }
    match capture.check() {
        Ok(()) => Ok(capture),
        Err(violation) => Err(Wrong {
            offset: violation.place.find(text),
            place: violation.place,
            what: violation.what,
        }),
    }
}

/// Adds the place in the text to what the parser says.
fn located(text: &[u8], error: &serde_json::Error) -> Wrong {
    let mut lines = text.split_inclusive(|b| *b == b'\n');
    let before: usize = lines
        .by_ref()
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let offset = before + error.column();
    // A column counts the bytes that were taken. Of a token that is wrong where it stands, the last
    // one belongs to what comes after, as does a bracket where something else should be.
    let after = error.is_syntax() || matches!(text.get(offset.wrapping_sub(1)), Some(b'[' | b'{'));
    let place = Place::of(
        text,
        if after {
            offset.saturating_sub(1)
        } else {
            offset
        },
    );
    let said = error.to_string();
    let what = match said.rfind(" at line ") {
        Some(end) => said[..end].to_owned(),
        None => said,
    };
    let start = if error.is_data() {
        place.find(text)
    } else {
        None
    };
    Wrong {
        offset: Some(start.unwrap_or(offset.saturating_sub(1))),
        place,
        what,
    }
}

/// Why there is no text to parse.
#[derive(Debug)]
struct Refused {
    what: String,
    /// How far the decompressed text went.
    position: Option<(usize, usize)>,
}

/// Reads all of a text and says whether it was compressed.
fn load(mut source: impl Read, most: u64) -> Result<(Vec<u8>, bool), Refused> {
    let refuse = |what: String| Refused {
        what,
        position: None,
    };
    let mut head = Vec::new();
    let started = source.by_ref().take(4).read_to_end(&mut head);
    started.map_err(|e| refuse(format!("cannot be read: {e}")))?;
    let compressed = head == ZSTD_MAGIC;
    let source = Cursor::new(head).chain(source);
    let mut text = Vec::new();
    let loaded = match compressed {
        true => zstd::Decoder::new(source)
            .and_then(|decoder| decoder.take(most + 1).read_to_end(&mut text)),
        false => source.take(most + 1).read_to_end(&mut text),
    };
    if let Err(error) = loaded {
        return Err(match compressed {
            true => Refused {
                what: format!("the compressed data is damaged or cut off: {error}"),
                position: Some(position(&text, text.len())),
            },
            false => refuse(format!("cannot be read: {error}")),
        });
    }
    if text.len() as u64 > most {
        let mib = most >> 20;
        return Err(refuse(format!("holds more than {mib} MiB of text")));
    }
    if text.is_empty() {
        return Err(refuse("is empty".to_owned()));
    }
    Ok((text, compressed))
}

/// Line and column of a byte, from 1.
fn position(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let lines = before.iter().filter(|b| **b == b'\n').count();
    let line_start = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |i| i + 1);
    (lines + 1, before.len() - line_start + 1)
}

/// Why a text that does not parse is not a capture of this format at all, if that is the reason.
fn not_ours(text: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<Value>,
    }
    let other = || Some("not an iosage capture".to_owned());
    if text.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
        return other();
    }
    // A syntax error further on is better told than guessed about.
    let head: Head = serde_json::from_slice(text).ok()?;
    let format = head.format.unwrap_or_default();
    if format["name"] != "iosage-capture" {
        return other();
    }
    let major = format["major"].as_u64()?;
    (major != u64::from(FORMAT_MAJOR))
        .then(|| other_version(major, format["minor"].as_u64().unwrap_or(0)))
}

fn other_version(major: u64, minor: u64) -> String {
    format!(
        "written in capture format {major}.{minor}, but this version of iosage reads {FORMAT_MAJOR}.x; \
         use a version that reads format {major}"
    )
}

/// Whether a file may be replaced by a capture: it is one, as far as its beginning shows, or is empty.
pub(super) fn is_capture_or_empty(file: &File) -> bool {
    // Two blocks of zstd: none is decompressed before it is there as a whole.
    let mut head = vec![0; 1 << 18];
    let Ok(n) = file.read_at(&mut head, 0) else {
        return false;
    };
    head.truncate(n);
    if head.starts_with(&ZSTD_MAGIC) {
        let mut text = Vec::new();
        // The head is a part of the file only: that it ends early is no fault.
        let _ = zstd::Decoder::new(Cursor::new(head))
            .and_then(|decoder| decoder.take(1 << 12).read_to_end(&mut text));
        return begins_like_a_capture(&text);
    }
    n == 0 || begins_like_a_capture(&head)
}

/// Whether a file that exists is a capture, as far as its beginning shows.
pub fn is_capture(path: &Path) -> bool {
    let full = |file: &File| {
        file.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    };
    File::open(path).is_ok_and(|file| full(&file) && is_capture_or_empty(&file))
}

fn begins_like_a_capture(text: &[u8]) -> bool {
    let dense: Vec<u8> = text
        .iter()
        .copied()
        .filter(|b| !b.is_ascii_whitespace())
        .collect();
    dense.starts_with(b"{\"format\":{\"name\":\"iosage-capture\"")
}

#[cfg(test)]
mod tests;
