//! What could not be read, kept beside what could.

use super::model::Missing;
use super::root::Root;
use std::io;

/// Collects the reasons behind every `None` of an inventory.
#[derive(Debug, Default)]
pub struct Notes {
    missing: Vec<Missing>,
}

impl Notes {
    /// Records one reason. The same one twice is kept once.
    pub fn add(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        let note = Missing {
            what: what.into(),
            reason: reason.into(),
        };
        if !self.missing.contains(&note) {
            self.missing.push(note);
        }
    }

    /// Records that `path` could not be read.
    pub fn unreadable(&mut self, what: impl Into<String>, path: &str, error: &io::Error) {
        self.add(what, format!("{path}: {}", plain(error)));
    }

    pub fn into_missing(self) -> Vec<Missing> {
        self.missing
    }

    /// Text of a file that every host has, without the white space around it.
    pub(super) fn text(&mut self, root: &Root, what: &str, path: &str) -> Option<String> {
        match root.read(path) {
            Ok(text) => Some(text.trim().to_owned()),
            Err(error) => {
                self.unreadable(what, path, &error);
                None
            }
        }
    }

    /// As [`Notes::text`], for a file that many hosts do not have: its absence says nothing.
    pub(super) fn optional(&mut self, root: &Root, what: &str, path: &str) -> Option<String> {
        match root.read(path) {
            Ok(text) => Some(text.trim().to_owned()),
            Err(error) if is_absent(&error) => None,
            Err(error) => {
                self.unreadable(what, path, &error);
                None
            }
        }
    }
}

/// The error without Rust's `(os error 2)`.
pub(super) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// The kernel's ways to say that an attribute does not apply to this device, or that the device
/// has just gone.
fn is_absent(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let absent = [
        Errno::NOENT,
        Errno::NOTDIR,
        Errno::INVAL,
        Errno::OPNOTSUPP,
        Errno::NODEV,
        Errno::NXIO,
    ];
    Errno::from_io_error(error).is_some_and(|errno| absent.contains(&errno))
}

/// The attributes below one directory of sysfs.
pub(super) struct Attributes<'a> {
    root: &'a Root,
    dir: String,
    notes: &'a mut Notes,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(root: &'a Root, dir: impl Into<String>, notes: &'a mut Notes) -> Self {
        let dir = dir.into();
        Self { root, dir, notes }
    }

    pub(super) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir)
    }

    pub(super) fn note(&mut self, what: &str, reason: String) {
        self.notes.add(what, reason);
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.root.exists(&self.path(name))
    }

    /// An absent or empty file is `None`; one that cannot be read is also noted.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let path = self.path(name);
        let text = self.notes.optional(self.root, &path, &path)?;
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self, name: &str) -> Option<T> {
        let text = self.text(name)?;
        match text.parse() {
            Ok(number) => Some(number),
            Err(_) => {
                let path = self.path(name);
                self.notes
                    .add(&path, format!("{path}: `{text}` is not a number"));
                None
            }
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        self.number::<u64>(name).map(|value| value != 0)
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        self.root.list(&self.path(name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_where_a_number_belongs_is_noted() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("size"), "many\n").unwrap();
        let (root, mut notes) = (Root::at(dir.path()), Notes::default());
        let mut attributes = Attributes::new(&root, "", &mut notes);
        assert_eq!(attributes.number::<u64>("size"), None);
        assert_eq!(attributes.number::<u64>("absent"), None);
        let missing = notes.into_missing();
        assert_eq!(missing.len(), 1, "an absent attribute needs no note");
        assert_eq!(missing[0].reason, "/size: `many` is not a number");
    }

    #[test]
    fn errors_name_the_file() {
        let (root, mut notes) = (Root::at("/nowhere"), Notes::default());
        assert_eq!(notes.text(&root, "memory", "/proc/meminfo"), None);
        assert_eq!(
            notes.into_missing()[0],
            Missing {
                what: "memory".into(),
                reason: "/proc/meminfo: No such file or directory".into()
            }
        );
    }
}
