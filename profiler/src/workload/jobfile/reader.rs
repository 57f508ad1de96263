//! The line reader: headers, options, cuts at comment marks, includes.

use super::{Entry, JobFile, Section, Variables};
use crate::workload::problem::{Place, Problem};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Job files are written by people: anything longer is a mistaken file name.
const LIMIT: u64 = 4 << 20;
/// How deep includes may nest.
const DEPTH: usize = 16;
/// Options whose value is a path or a command: a cut inside one changes what is touched.
const CUT_MATTERS: &[&str] = &[
    "filename",
    "directory",
    "exec_prerun",
    "exec_postrun",
    "include",
];

pub(super) fn read(path: &Path, variables: &Variables) -> Result<JobFile, Vec<Problem>> {
    let file: Arc<str> = path.to_string_lossy().into();
    let text =
        load(path).map_err(|message| vec![Problem::new(&Place::new(&file, 1, 1), message)])?;
    parse(path, &text, variables)
}

pub(super) fn parse(
    path: &Path,
    text: &[u8],
    variables: &Variables,
) -> Result<JobFile, Vec<Problem>> {
    let mut reader = Reader {
        variables,
        out: JobFile::default(),
        problems: Vec::new(),
        open: Vec::new(),
    };
    reader.text(path, text);
    if reader.problems.is_empty() && !reader.out.sections.iter().any(|s| !s.global) {
        let file: Arc<str> = path.to_string_lossy().into();
        reader.problem(
            Place::new(&file, 1, 1),
            "no job: a job file needs a `[name]` section that is not global",
        );
    }
    if reader.problems.is_empty() {
        Ok(reader.out)
    } else {
        Err(reader.problems)
    }
}

/// The bytes of a file, with an upper bound so that a device file cannot fill the memory.
fn load(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|e| format!("cannot be opened: {e}"))?;
    let mut text = Vec::new();
    file.take(LIMIT + 1)
        .read_to_end(&mut text)
        .map_err(|e| format!("cannot be read: {e}"))?;
    if text.len() as u64 > LIMIT {
        return Err(format!("longer than {LIMIT} bytes: this is no job file"));
    }
    Ok(text)
}

struct Reader<'a> {
    variables: &'a Variables,
    out: JobFile,
    problems: Vec<Problem>,
    /// The files being read, outermost first, to catch loops.
    open: Vec<PathBuf>,
}

impl Reader<'_> {
    fn problem(&mut self, at: Place, message: impl Into<String>) {
        self.problems.push(Problem::new(&at, message));
    }

    fn text(&mut self, path: &Path, text: &[u8]) {
        let name: Arc<str> = path.to_string_lossy().into();
        self.open
            .push(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        for (index, raw) in text.split(|b| *b == b'\n').enumerate() {
            let number = index + 1;
            let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
            match std::str::from_utf8(raw) {
                Ok(line) => self.line(path, &name, number, line),
                Err(error) => {
                    let good = String::from_utf8_lossy(&raw[..error.valid_up_to()])
                        .chars()
                        .count();
                    self.problem(
                        Place::new(&name, number, good + 1),
                        "this byte is not UTF-8",
                    );
                }
            }
        }
        self.open.pop();
    }

    fn line(&mut self, path: &Path, name: &Arc<str>, number: usize, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with([';', '#']) {
            return;
        }
        let column = line.chars().count() - trimmed.chars().count() + 1;
        let at = Place::new(name, number, column);
        if let Some(bad) = line.chars().position(|c| c.is_control() && c != '\t') {
            self.problem(
                Place::new(name, number, bad + 1),
                "a control character has no place in a job file",
            );
            return;
        }
        let (kept, glued) = cut(trimmed);
        if kept.starts_with('[') {
            self.header(kept, at);
        } else if let Some(target) = kept
            .strip_prefix("include")
            .filter(|rest| rest.starts_with([' ', '\t']))
        {
            self.warn_cut("include", glued, &at);
            self.include(path, target.trim(), &at);
        } else {
            self.option(kept, glued, at);
        }
    }

    fn header(&mut self, text: &str, at: Place) {
        if self.open.len() > 1 {
            self.problem(at, "an included file may hold options only, no `[section]`");
            return;
        }
        let Some(name) = text[1..].strip_suffix(']') else {
            let message = match text.find(']') {
                None => format!("the section header `{text}` is not closed: add `]`"),
                Some(end) => format!("text after the section header: `{}`", &text[end + 1..]),
            };
            self.problem(at.clone(), message);
            // What follows belongs to the section that was meant: only the header is at fault.
            self.open_section(text[1..].split(']').next().unwrap_or_default(), at);
            return;
        };
        if name.trim().is_empty() {
            self.problem(at.clone(), "a section needs a name between `[` and `]`");
            self.open_section(name, at);
            return;
        }
        self.open_section(name, at);
    }

    /// The options that follow belong to this section.
    fn open_section(&mut self, name: &str, at: Place) {
        let global = name
            .get(..6)
            .is_some_and(|start| start.eq_ignore_ascii_case("global"));
        if global && !name.eq_ignore_ascii_case("global") {
            self.out.warnings.push(Problem::new(
                &at,
                format!(
                    "[{name}] begins with `global`: as in fio it is a global section, not a job"
                ),
            ));
        }
        self.out.sections.push(Section {
            name: name.to_owned(),
            at,
            global,
            entries: Vec::new(),
        });
    }

    fn option(&mut self, text: &str, glued: bool, at: Place) {
        let (key, value) = match text.split_once('=') {
            None => (text.trim_end(), None),
            Some((key, value)) => (key.trim_end(), Some(value)),
        };
        if key.is_empty() {
            self.problem(at, "an option name is missing before `=`");
            return;
        }
        self.warn_cut(key, glued, &at);
        let mut value_at = at.clone();
        let mut unset = Vec::new();
        let value = value.map(|raw| {
            let before = text.len() - raw.trim_start().len();
            let characters = text[..before].chars().count();
            value_at.column = value_at.column.saturating_add(characters as u32);
            let (text, missing) = self.variables.expand(raw.trim());
            unset = missing;
            text
        });
        for name in &unset {
            self.out.warnings.push(Problem::new(
                &value_at,
                format!("the environment variable {name} is not set and was read as nothing"),
            ));
        }
        let Some(section) = self.out.sections.last_mut() else {
            self.problem(
                at,
                format!("option `{key}` stands before the first `[section]`"),
            );
            return;
        };
        section.entries.push(Entry {
            key: key.to_owned(),
            value,
            at,
            value_at,
            unset,
        });
    }

    fn warn_cut(&mut self, key: &str, glued: bool, at: &Place) {
        if glued && CUT_MATTERS.contains(&key) {
            self.out.warnings.push(Problem::new(
                at,
                format!("`{key}` was cut at a comment mark (`;` or `#`), as fio does; no blank stands before the mark"),
            ));
        }
    }

    /// Reads options from another file: the name as given, else beside the including file.
    fn include(&mut self, from: &Path, target: &str, at: &Place) {
        if self.out.sections.is_empty() {
            self.problem(at.clone(), "`include` stands before the first `[section]`");
            return;
        }
        let given = PathBuf::from(self.variables.expand(target).0);
        let beside = from.parent().map(|dir| dir.join(&given));
        let found = match beside {
            Some(beside) if !given.exists() => beside,
            _ => given,
        };
        let real = found.canonicalize().unwrap_or_else(|_| found.clone());
        if self.open.contains(&real) {
            self.problem(at.clone(), format!("`{target}` includes itself"));
            return;
        }
        if self.open.len() >= DEPTH {
            self.problem(at.clone(), format!("includes nest deeper than {DEPTH}"));
            return;
        }
        match load(&found) {
            Ok(text) => self.text(&found, &text),
            Err(message) => self.problem(at.clone(), format!("include `{target}` {message}")),
        }
    }
}

/// The line up to the first `;` or `#`, and whether the mark was glued to the text before it.
fn cut(line: &str) -> (&str, bool) {
    match line.find([';', '#']) {
        None => (line.trim_end(), false),
        Some(mark) => {
            let before = &line[..mark];
            let kept = before.trim_end();
            (kept, kept.len() == before.len() && !kept.ends_with('='))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn parsed(text: &str) -> Result<JobFile, Vec<Problem>> {
        parse(
            Path::new("t.fio"),
            text.as_bytes(),
            &Variables::new(BTreeMap::new()),
        )
    }

    #[test]
    fn keys_values_and_their_places_are_kept_in_order() {
        let file = parsed("[a]\n  bs = 4k\nstonewall\nrw=read\n[a]\nsize=1m\n").unwrap();
        let a = &file.sections[0];
        let keys: Vec<_> = a.entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["bs", "stonewall", "rw"]);
        assert_eq!(a.entries[0].value.as_deref(), Some("4k"));
        assert_eq!(a.entries[0].at.to_string(), "t.fio:2:3");
        assert_eq!(a.entries[0].value_at.to_string(), "t.fio:2:8");
        assert_eq!(a.entries[1].value, None);
        assert_eq!(file.sections[1].name, "a");
    }

    #[test]
    fn broken_lines_are_named_by_place() {
        for (text, place) in [
            ("[job12\nsize=1\n", "t.fio:1:1"),
            ("size=1\n[a]\n", "t.fio:1:1"),
            ("[a]\n =4\n", "t.fio:2:2"),
            ("[a] x\n", "t.fio:1:1"),
            ("[]\n", "t.fio:1:1"),
            ("[global]\nbs=4k\n", "t.fio:1:1"),
            ("[a]\nb\u{1}s=4k\n", "t.fio:2:2"),
        ] {
            let problems = parsed(text).unwrap_err();
            assert_eq!(problems[0].at.to_string(), place, "{text:?}");
        }
        let problems =
            parse(Path::new("t.fio"), b"[a]\nx\xff\n", &Variables::default()).unwrap_err();
        assert_eq!(problems[0].at.to_string(), "t.fio:2:2");
    }

    #[test]
    fn a_cut_inside_a_path_is_told() {
        let file = parsed("[a]\nfilename=/data/disk#1\nsize=4k ; four\n").unwrap();
        assert_eq!(
            file.sections[0].entries[0].value.as_deref(),
            Some("/data/disk")
        );
        assert_eq!(file.warnings.len(), 1);
        assert_eq!(file.warnings[0].at.to_string(), "t.fio:2:1");
        assert!(
            parsed("[a]\nfilename=/data/x # note\n")
                .unwrap()
                .warnings
                .is_empty()
        );
    }
}
