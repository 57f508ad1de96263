//! Where rule files come from: the ones built in, and folders of the user's. The only module of
//! this crate that reads files; everything after it works on text.

use crate::diagnostic::Source;
use crate::library::Library;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Id and text of each built-in rule.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Largest rule file. The largest sensible ones have a few kilobytes.
const LARGEST: u64 = 256 * 1024;

/// Why no library could be made of a folder.
#[derive(Debug)]
pub enum LoadError {
    /// A file or folder could not be read.
    Unreadable { path: PathBuf, error: io::Error },
    /// The files were read, but some are wrong.
    Wrong(crate::diagnostic::Errors),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => {
                write!(f, "cannot read rules from {}: {error}", path.display())
            }
            Self::Wrong(errors) => write!(f, "these rules cannot be used:\n{errors}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// The built-in rule files.
pub fn embedded() -> Vec<Source> {
    let source = |(id, text): &(&str, &str)| Source {
        id: (*id).to_owned(),
        path: format!("library/{id}.toml"),
        text: (*text).to_owned(),
    };
    EMBEDDED.iter().map(source).collect()
}

/// Every `AREA/RULE.toml` below a folder, in order.
pub fn read_dir(folder: &Path) -> Result<Vec<Source>, LoadError> {
    let mut paths = Vec::new();
    list(folder, 0, &mut paths)?;
    if paths.is_empty() {
        let error = io::Error::new(
            io::ErrorKind::NotFound,
            "it holds no rule (they are files AREA/RULE.toml below it)",
        );
        return Err(LoadError::Unreadable {
            path: folder.to_path_buf(),
            error,
        });
    }
    paths.sort();
    let read = |path: PathBuf| {
        let inside = path
            .strip_prefix(folder)
            .unwrap_or(&path)
            .with_extension("");
        let text = read_file(&path).map_err(|error| LoadError::Unreadable {
            path: path.clone(),
            error,
        })?;
        Ok(Source {
            id: inside.display().to_string(),
            path: path.display().to_string(),
            text,
        })
    };
    paths.into_iter().map(read).collect()
}

fn read_file(path: &Path) -> io::Result<String> {
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() {
        // A pipe would be waited for, a device read without end.
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let size = meta.len();
    if size > LARGEST {
        let message = format!("it has {size} bytes, and a rule may have {LARGEST}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    String::from_utf8(std::fs::read(path)?).map_err(|error| {
        let (line, column) = place(error.as_bytes(), error.utf8_error().valid_up_to());
        let message = format!("line {line}, column {column} is not UTF-8 text");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Line and column of a byte, from 1.
fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    (
        line,
        String::from_utf8_lossy(&before[start..]).chars().count() + 1,
    )
}

/// Rules lie one folder deep; a link that leads in circles ends at the third.
fn list(folder: &Path, depth: u8, paths: &mut Vec<PathBuf>) -> Result<(), LoadError> {
    let unreadable = |error: io::Error| LoadError::Unreadable {
        path: folder.to_path_buf(),
        error,
    };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() && depth < 3 {
            list(&path, depth + 1, paths)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            paths.push(path);
        }
    }
    Ok(())
}

impl Library {
    /// The built-in rules.
    ///
    /// # Panics
    /// Never in a build whose tests passed: they check every built-in rule.
    pub fn embedded() -> Self {
        match Self::load(embedded()) {
            Ok(library) => library,
            Err(errors) => panic!("the built-in rules are broken:\n{errors}"),
        }
    }

    /// The rules of a folder, and no others.
    pub fn load_dir(folder: &Path) -> Result<Self, LoadError> {
        Self::load(read_dir(folder)?).map_err(LoadError::Wrong)
    }

    /// The built-in rules and those of some folders, which may refer to them.
    pub fn with_dirs<P: AsRef<Path>>(folders: &[P]) -> Result<Self, LoadError> {
        let mut sources = embedded();
        for folder in folders {
            sources.extend(read_dir(folder.as_ref())?);
        }
        Self::load(sources).map_err(LoadError::Wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_placed_by_line_and_column() {
        assert_eq!(place(b"\xff", 0), (1, 1));
        assert_eq!(place("ab\ncä\u{0}".as_bytes(), 6), (2, 3));
    }
}
