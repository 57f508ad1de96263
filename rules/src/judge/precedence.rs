//! What findings have to do with each other, on the same stack of subjects.

use super::Held;
use crate::facts::{Facts, Scope, Subject};
use crate::finding::Severity;
use crate::rule::{Kind, Link, Rule};
use std::collections::BTreeMap;

/// All findings of one judgement, with who stands on whom.
pub(super) struct Bench<'a> {
    held: Vec<Held<'a>>,
    around: BTreeMap<&'a Subject, Vec<&'a Subject>>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(held: Vec<Held<'a>>, facts: &'a Facts) -> Self {
        let subjects = Scope::ALL.into_iter().flat_map(|scope| facts.of(scope));
        let around = subjects
            .map(|subject| (subject, facts.around(subject)))
            .collect();
        Self { held, around }
    }

    pub(super) fn into_held(self) -> Vec<Held<'a>> {
        self.held
    }

    pub(super) fn settle(&mut self) {
        self.silence();
        self.limit();
        self.exclude();
        self.defer();
    }

    /// Whether the upper subject is the lower one or stands on it.
    fn stands_on(&self, upper: &Subject, lower: &Subject) -> bool {
        let below = self.around.get(upper);
        upper == lower || below.is_some_and(|below| below.contains(&lower))
    }

    /// Whether two subjects share a stack; the host shares everybody's.
    fn related(&self, one: &Subject, other: &Subject) -> bool {
        let host = one.scope == Scope::Host || other.scope == Scope::Host;
        host || self.stands_on(one, other) || self.stands_on(other, one)
    }

    /// The places of all findings that recommend, those of more severe rules first.
    fn recommending(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.held.len()).collect();
        places.retain(|place| self.held[*place].recommends());
        places.sort_by_key(|place| {
            let Rule { severity, id, .. } = self.held[*place].rule;
            (*severity, id.as_str())
        });
        places
    }

    /// Withdraws what another rule silences. A rule that is itself silenced silences nobody, so
    /// silencers are settled before those they silence; the library has no circles of them.
    fn silence(&mut self) {
        let mut open: Vec<usize> = self.recommending();
        open.retain(|place| !self.held[*place].rule.silenced_by.is_empty());
        while !open.is_empty() {
            let waits = |place: &usize| {
                let silencers = &self.held[*place].rule.silenced_by;
                open.iter()
                    .any(|other| names(silencers, self.held[*other].rule))
            };
            let (later, now): (Vec<usize>, Vec<usize>) =
                open.iter().partition(|place| waits(place));
            for place in &now {
                let subject = self.held[*place].subject;
                let silencers = &self.held[*place].rule.silenced_by;
                let silencer = self.held.iter().find(|other| {
                    other.recommends()
                        && names(silencers, other.rule)
                        && self.related(subject, other.subject)
                });
                if let Some(by) = silencer.map(|by| format!("{} on {}", by.rule.id, by.subject)) {
                    self.held[*place].withdraw(by);
                }
            }
            if now.is_empty() {
                return;
            }
            open = later;
        }
    }

    /// A limit explains what is measured on it and above it: tuning there waits until it is gone.
    fn limit(&mut self) {
        let recommending = self.recommending();
        let (limits, others): (Vec<usize>, Vec<usize>) = recommending
            .into_iter()
            .partition(|place| self.held[*place].rule.kind == Kind::Limit);
        for place in others {
            let Held { rule, subject, .. } = &self.held[place];
            if rule.kind != Kind::Tuning {
                continue;
            }
            let limit = limits.iter().map(|limit| &self.held[*limit]);
            let mut limit = limit.filter(|limit| self.stands_on(subject, limit.subject));
            if let Some(limit) = limit.next() {
                let reason = format!(
                    "{} on {}: a limit explains what is measured here",
                    limit.rule.id, limit.subject
                );
                self.held[place].withdraw(reason);
            }
        }
    }

    /// Of rules that exclude each other, or set the same knob, the first in precedence stays.
    fn exclude(&mut self) {
        let mut kept: Vec<usize> = Vec::new();
        for place in self.recommending() {
            let Held { rule, subject, .. } = &self.held[place];
            let winner = kept.iter().map(|kept| &self.held[*kept]).find_map(|kept| {
                let excluded =
                    names(&rule.conflicts, kept.rule) || names(&kept.rule.conflicts, rule);
                if excluded && self.related(subject, kept.subject) {
                    return Some(format!(
                        "{} on {}: only one of both may be followed",
                        kept.rule.id, kept.subject
                    ));
                }
                let same = subject == &kept.subject
                    || (subject.name == kept.subject.name && self.related(subject, kept.subject));
                let knob = rule
                    .knob
                    .as_ref()
                    .filter(|knob| kept.rule.knob.as_ref() == Some(knob))?;
                same.then(|| format!("{} on {}: it sets {knob} too", kept.rule.id, kept.subject))
            });
            match winner {
                Some(reason) => self.held[place].withdraw(reason),
                None => kept.push(place),
            }
        }
    }

    /// Notes which findings should be settled first.
    fn defer(&mut self) {
        let recommending = self.recommending();
        for place in &recommending {
            let Held { rule, subject, .. } = &self.held[*place];
            let mut after: Vec<String> = Vec::new();
            for other in recommending.iter().map(|other| &self.held[*other]) {
                let unsafe_stack = rule.kind == Kind::Tuning
                    && other.rule.kind == Kind::Safety
                    && other.rule.severity == Severity::Critical;
                let first = unsafe_stack || names(&rule.after, other.rule);
                if first && self.related(subject, other.subject) && !after.contains(&other.rule.id)
                {
                    after.push(other.rule.id.clone());
                }
            }
            self.held[*place].finding.after = after;
        }
    }
}

fn names(links: &[Link], rule: &Rule) -> bool {
    links.iter().any(|link| link.id == rule.id)
}
