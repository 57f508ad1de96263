//! The facts of one profile: what is known about whom, and why the rest is not known.

use super::{Fact, Scope, Subject, Value};
use std::collections::{BTreeMap, VecDeque};

/// A value with what stands behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub value: Value,
    /// Bounds of a number, in the fact's base unit.
    pub interval: Option<(f64, f64)>,
    /// Number of samples; `None` for configuration.
    pub n: Option<u64>,
    pub source: String,
}

/// All facts about all subjects of one profile.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    subjects: BTreeMap<Subject, Entry>,
    /// Length of the recording in nanoseconds; 0: nothing was recorded.
    pub observed_ns: u64,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    /// The subject that stands for another scope here (a filesystem's device, a device's array, ...).
    around: BTreeMap<Scope, Subject>,
    known: BTreeMap<&'static str, Measured>,
    unknown: BTreeMap<&'static str, String>,
    /// Words for placeholders in commands: `device`, `mount`, `top`, ...
    words: BTreeMap<String, String>,
}

/// A fact looked up for a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<'a> {
    Known(&'a Measured),
    /// Why it is not known.
    Unknown(String),
}

impl Facts {
    pub fn new(observed_ns: u64) -> Self {
        Self {
            subjects: BTreeMap::new(),
            observed_ns,
        }
    }

    /// Makes a subject known, so that rules of its scope are judged for it.
    pub fn subject(&mut self, subject: &Subject) {
        self.subjects.entry(subject.clone()).or_default();
    }

    /// Says which subject of another scope belongs to this one.
    pub fn relate(&mut self, subject: &Subject, around: &Subject) {
        self.subjects
            .entry(subject.clone())
            .or_default()
            .around
            .insert(around.scope, around.clone());
    }

    /// Sets a word that commands and prose may use as `{word}`.
    pub fn word(&mut self, subject: &Subject, word: &str, value: &str) {
        let entry = self.subjects.entry(subject.clone()).or_default();
        entry.words.insert(word.to_owned(), value.to_owned());
    }

    /// Puts a fact. `fact` is one of the constants of [`crate::facts`]. A value that is not of its
    /// type, or not a finite number, leaves the fact unknown.
    pub fn put(&mut self, subject: &Subject, fact: &Fact, measured: Measured) {
        debug_assert_eq!(
            subject.scope, fact.scope,
            "{} is not about {:?}",
            fact.name, subject
        );
        if !measured.value.is(fact.of) {
            let reason = format!("{} gave no usable value", measured.source);
            return self.unknown(subject, fact, &reason);
        }
        let entry = self.subjects.entry(subject.clone()).or_default();
        entry.unknown.remove(fact.name);
        entry.known.insert(fact.name, measured);
    }

    /// Says why a fact is not known.
    pub fn unknown(&mut self, subject: &Subject, fact: &Fact, reason: &str) {
        let entry = self.subjects.entry(subject.clone()).or_default();
        if !entry.known.contains_key(fact.name) {
            entry.unknown.insert(fact.name, reason.to_owned());
        }
    }

    /// All subjects of a scope, in order.
    pub fn of(&self, scope: Scope) -> impl Iterator<Item = &Subject> {
        self.subjects
            .keys()
            .filter(move |subject| subject.scope == scope)
    }

    /// Looks a fact up for a subject: its own, or that of the subject around it.
    pub fn get(&self, subject: &Subject, fact: &Fact) -> Lookup<'_> {
        let Some(holder) = self.holder(subject, fact.scope) else {
            return Lookup::Unknown(format!(
                "no {} belongs to this {}",
                fact.scope, subject.scope
            ));
        };
        let Some(entry) = self.subjects.get(holder) else {
            return Lookup::Unknown(format!("{holder} was not looked at"));
        };
        match (entry.known.get(fact.name), entry.unknown.get(fact.name)) {
            (Some(measured), _) => Lookup::Known(measured),
            (None, Some(reason)) => Lookup::Unknown(reason.clone()),
            (None, None) => Lookup::Unknown("not measured".to_owned()),
        }
    }

    /// A word of the subject, or of the nearest one that it stands on.
    pub fn word_of(&self, subject: &Subject, word: &str) -> Option<&str> {
        let own = self.subjects.get_key_value(subject)?.0;
        std::iter::once(own)
            .chain(self.around(subject))
            .find_map(|near| self.subjects.get(near)?.words.get(word))
            .map(String::as_str)
    }

    /// The subjects that this one stands on, nearest first: a database's filesystem, its device,
    /// that device's array. Relations may form rings (an array is a device too); each comes once.
    pub fn around<'a>(&'a self, subject: &Subject) -> Vec<&'a Subject> {
        let mut found: Vec<&Subject> = Vec::new();
        let mut next = VecDeque::from_iter(self.subjects.get(subject));
        while let Some(entry) = next.pop_front() {
            for near in entry.around.values() {
                if near != subject && !found.contains(&near) {
                    found.push(near);
                    next.extend(self.subjects.get(near));
                }
            }
        }
        found
    }

    fn holder<'a>(&'a self, subject: &'a Subject, scope: Scope) -> Option<&'a Subject> {
        if subject.scope == scope {
            return Some(subject);
        }
        if scope == Scope::Host {
            return self.of(Scope::Host).next();
        }
        let near = self.around(subject);
        near.into_iter().find(|near| near.scope == scope)
    }
}

impl Measured {
    /// Configuration: a value without samples.
    pub fn set(value: Value, source: &str) -> Self {
        Self {
            value,
            interval: None,
            n: None,
            source: source.to_owned(),
        }
    }

    /// A measurement with its sample count.
    pub fn of(value: f64, n: u64, source: &str) -> Self {
        Self {
            value: Value::Number(value),
            interval: None,
            n: Some(n),
            source: source.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;

    fn subject(scope: Scope, name: &str) -> Subject {
        Subject {
            scope,
            name: name.to_owned(),
        }
    }

    /// database -> filesystem -> device -> array, as a profile relates them.
    fn stack() -> (Facts, Subject) {
        let database = subject(Scope::Database, "postgresql 1");
        let filesystem = subject(Scope::Filesystem, "/db");
        let device = subject(Scope::Device, "md0");
        let array = subject(Scope::Array, "md0");
        let mut facts = Facts::new(0);
        facts.relate(&database, &filesystem);
        facts.relate(&filesystem, &device);
        facts.relate(&device, &array);
        facts.relate(&array, &device);
        facts.put(
            &device,
            &facts::DEVICE_SEEKS,
            Measured::set(Value::Bool(true), "test"),
        );
        facts.put(
            &array,
            &facts::ARRAY_DISKS,
            Measured::set(Value::Number(4.0), "test"),
        );
        facts.word(&device, "device", "md0");
        (facts, database)
    }

    #[test]
    fn a_fact_is_found_along_the_chain_of_relations() {
        let (facts, database) = stack();
        let disks = facts.get(&database, &facts::ARRAY_DISKS);
        assert!(matches!(disks, Lookup::Known(m) if m.value == Value::Number(4.0)));
        let seeks = facts.get(&subject(Scope::Array, "md0"), &facts::DEVICE_SEEKS);
        assert!(matches!(seeks, Lookup::Known(m) if m.value == Value::Bool(true)));
        assert_eq!(facts.word_of(&database, "device"), Some("md0"));
        assert_eq!(facts.word_of(&database, "mount"), None);
    }

    #[test]
    fn the_nearest_holder_wins_even_when_another_scope_sorts_before_it() {
        let (mut facts, database) = stack();
        // A relation to a lesser scope must not hide the chain through the filesystem.
        facts.relate(&database, &subject(Scope::Device, "sdb"));
        let disks = facts.get(&database, &facts::ARRAY_DISKS);
        assert!(matches!(disks, Lookup::Known(_)), "{disks:?}");
    }

    #[test]
    fn what_is_not_there_says_why() {
        let (facts, database) = stack();
        let lonely = subject(Scope::Device, "sdz");
        let why = |subject, fact| match facts.get(subject, fact) {
            Lookup::Unknown(why) => why,
            Lookup::Known(found) => panic!("{found:?}"),
        };
        assert_eq!(
            why(&lonely, &facts::ARRAY_DISKS),
            "no array belongs to this device"
        );
        assert_eq!(
            why(&lonely, &facts::DEVICE_SEEKS),
            "device sdz was not looked at"
        );
        assert_eq!(why(&database, &facts::DEVICE_FUA), "not measured");
        assert_eq!(
            why(&database, &facts::HOST_MEMORY),
            "no host belongs to this database"
        );
    }

    #[test]
    fn a_value_that_is_no_number_is_unknown() {
        let (mut facts, database) = stack();
        let device = subject(Scope::Device, "md0");
        facts.put(
            &device,
            &facts::DEVICE_BUSY,
            Measured::of(f64::NAN, 3, "block probe"),
        );
        let busy = facts.get(&database, &facts::DEVICE_BUSY);
        assert_eq!(
            busy,
            Lookup::Unknown("block probe gave no usable value".to_owned())
        );
    }
}
