//! Every option name of fio 3: taken, refused with a reason, or at home on the command line.
//!
//! Adding an option is one line in [`taken`] and, when it is taken, one setter beside it.

mod content;
mod draw;
mod files;
mod pace;
mod refused;
mod setup;
mod shape;
mod table;
mod taken;
mod verify;
mod watch;

use super::jobfile::{Entry, Section};
use super::problem::Problem;
use super::spec::Spec;
use super::units::Base;

/// What becomes of an option.
#[derive(Clone, Copy)]
enum Support {
    /// Supported: its first name, and what puts a value into a job.
    Taken(&'static str, Setter),
    /// Not supported, and why.
    Refused(&'static str),
    /// An option of the fio command, not of a job.
    CommandLine,
}

type Setter = fn(&mut Spec, &Argument<'_>) -> Result<(), Fault>;

/// Why a setter does not take a value.
#[derive(Debug)]
enum Fault {
    /// It cannot be read: always an error.
    Bad(String),
    /// It can be read but not be run here: `--lenient` leaves the job out.
    Blocked(String),
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Bad(message)
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Self {
        Self::Bad(message.to_owned())
    }
}

/// A value on its way to a setter.
struct Argument<'a> {
    text: Option<&'a str>,
    base: Base,
    lenient: bool,
    allow_exec: bool,
}

impl<'a> Argument<'a> {
    fn text(&self) -> Result<&'a str, Fault> {
        match self.text {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(Fault::Bad("a value is missing after `=`".to_owned())),
        }
    }

    /// `1`, `0`, or the bare name for yes.
    fn yes(&self) -> Result<bool, Fault> {
        match self.text {
            None | Some("1") => Ok(true),
            Some("0") => Ok(false),
            Some(other) => Err(Fault::Bad(format!("`{other}` is neither 0 nor 1"))),
        }
    }

    fn integer(&self, from: u64, to: u64) -> Result<u64, Fault> {
        let n = super::units::integer(self.text()?, self.base)?;
        if n < from || n > to {
            return Err(Fault::Bad(format!("{n} is not between {from} and {to}")));
        }
        Ok(n)
    }

    fn time(&self, unit_ns: u64) -> Result<u64, Fault> {
        Ok(super::units::time(self.text()?, unit_ns)?)
    }
}

/// How strictly options are taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    /// What is not supported is left out and told, instead of refused.
    pub(super) lenient: bool,
    /// `exec_prerun` and `exec_postrun` may run commands.
    pub(super) allow_exec: bool,
}

/// The documentation of every option, as Markdown.
pub(super) fn markdown() -> String {
    table::markdown()
}

/// Puts a section's options into a job; what does not fit goes to `problems`.
pub(super) fn apply(spec: &mut Spec, section: &Section, rules: Rules, problems: &mut Vec<Problem>) {
    // As in fio `kb_base` holds for the whole section, wherever it stands.
    let bases = section.entries.iter().filter(|e| e.key == "kb_base");
    for entry in bases.chain(section.entries.iter().filter(|e| e.key != "kb_base")) {
        one(spec, entry, rules, problems);
    }
}

fn one(spec: &mut Spec, entry: &Entry, rules: Rules, problems: &mut Vec<Problem>) {
    let key = entry.key.as_str();
    let refuse = match table::find(key) {
        None => Some(unknown(key)),
        Some(Support::Refused(why)) => Some(format!("option `{key}` is not supported: {why}")),
        Some(Support::CommandLine) => Some(format!(
            "`{key}` belongs on the fio command line, not in a job file"
        )),
        Some(Support::Taken(name, setter)) => {
            take(spec, entry, name, setter, rules, problems);
            None
        }
    };
    match refuse {
        Some(message) if rules.lenient => spec
            .notes
            .push(format!("ignored: {}", Problem::new(&entry.at, message))),
        Some(message) => problems.push(Problem::new(&entry.at, message)),
        None => {}
    }
}

fn take(
    spec: &mut Spec,
    entry: &Entry,
    name: &'static str,
    setter: Setter,
    rules: Rules,
    problems: &mut Vec<Problem>,
) {
    let argument = Argument {
        text: entry.value.as_deref(),
        base: spec.base,
        lenient: rules.lenient,
        allow_exec: rules.allow_exec,
    };
    spec.places.insert(name, entry.value_at.clone());
    spec.given
        .insert(name, entry.value.clone().unwrap_or_default());
    spec.blocked.remove(name);
    let before = spec.notes.len();
    match setter(spec, &argument) {
        Ok(()) => {}
        Err(Fault::Bad(mut message)) => {
            if let Some(variable) = entry.unset.first() {
                message.push_str(&format!("; the environment variable {variable} is not set"));
            }
            let text = format!("option `{}`: {message}", entry.key);
            problems.push(Problem::new(&entry.value_at, text));
        }
        Err(Fault::Blocked(message)) => {
            let text = format!("option `{}`: {message}", entry.key);
            spec.blocked
                .insert(name, Problem::new(&entry.value_at, text));
        }
    }
    for note in &mut spec.notes[before..] {
        *note = format!("{}: {note}", entry.value_at);
    }
}

/// An unknown name, with the nearest known one when it is near.
fn unknown(key: &str) -> String {
    let near = table::names().map(|name| (distance(key, name), name)).min();
    match near {
        Some((distance, name)) if distance <= 2 && key.len() > 3 => {
            format!("unknown option `{key}`; did you mean `{name}`?")
        }
        _ => format!("unknown option `{key}`"),
    }
}

/// Levenshtein distance, for short names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::jobfile::{self, Variables};
    use std::path::Path;

    fn applied(options: &str, rules: Rules) -> (Spec, Vec<String>) {
        let text = format!("[a]\n{options}\n");
        let file = jobfile::parse(Path::new("t"), text.as_bytes(), &Variables::default()).unwrap();
        let mut spec = Spec::new(file.sections[0].at.clone());
        let mut problems = Vec::new();
        apply(&mut spec, &file.sections[0], rules, &mut problems);
        let told = problems.iter().map(ToString::to_string).collect();
        (spec, told)
    }

    #[test]
    fn no_name_is_listed_twice_and_every_one_is_found() {
        let mut names: Vec<_> = table::names().collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|name| table::find(name).is_some()));
        assert!(names.iter().all(|name| !name.is_empty()));
        assert!(table::find("iodept").is_none() && table::find("lo").is_none());
    }

    #[test]
    fn unknown_and_foreign_options_are_told_apart() {
        let (_, told) = applied(
            "trigger-file=/tmp/x\nflow=8\nrwmixred=3\nzzz=1",
            Rules::default(),
        );
        assert_eq!(
            told[0],
            "t:2:1: `trigger-file` belongs on the fio command line, not in a job file"
        );
        assert!(
            told[1].starts_with("t:3:1: option `flow` is not supported: "),
            "{}",
            told[1]
        );
        assert_eq!(
            told[2],
            "t:4:1: unknown option `rwmixred`; did you mean `rwmixread`?"
        );
        assert_eq!(told[3], "t:5:1: unknown option `zzz`");
    }

    #[test]
    fn lenient_notes_what_it_leaves_out() {
        let rules = Rules {
            lenient: true,
            ..Rules::default()
        };
        let (spec, told) = applied("flow=8\nbs=8k", rules);
        assert!(told.is_empty());
        assert!(
            spec.notes[0].starts_with("ignored: t:2:1: option `flow`"),
            "{:?}",
            spec.notes
        );
        assert_eq!(spec.block, [8192; 3]);
    }

    #[test]
    fn a_later_good_value_lifts_a_block() {
        let (spec, told) = applied("ioengine=rdma", Rules::default());
        assert!(told.is_empty() && spec.blocked.contains_key("ioengine"));
        let (spec, _) = applied("ioengine=rdma\nioengine=psync", Rules::default());
        assert!(spec.blocked.is_empty());
    }
}
