//! Every rule for every subject: facts go in, findings come out.
//!
//! [`mod@one`] asks one rule about one subject as if there were no others. Then, in this order: what the
//! user accepted is set aside, the gate closes tuning where storage is not the bottleneck, rules
//! silence each other, limits close tuning above them, of rules that exclude each other one stays,
//! and what must wait for another finding says so. [`verdict`] sums up.

mod gate;
mod one;
mod precedence;
mod suppress;
mod verdict;

pub(crate) use one::one;
pub use suppress::Suppress;

use crate::facts::{Facts, Subject};
use crate::finding::{Finding, State, Verdict};
use crate::library::Library;
use crate::rule::Rule;
use precedence::Bench;

/// Everything that a library concluded.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Safety, limits, tuning, refused folk advice, notes; in each, the most severe first.
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
}

/// A finding with what it came from.
struct Held<'a> {
    rule: &'a Rule,
    subject: &'a Subject,
    finding: Finding,
}

impl Held<'_> {
    fn recommends(&self) -> bool {
        self.finding.state == State::Recommend
    }

    /// No longer recommended, for this reason; what was measured stays.
    fn withdraw(&mut self, reason: String) {
        self.finding.state = State::NoChangeNeeded;
        self.finding.suppressed_by = Some(reason);
        self.finding.advice = None;
        self.finding.apply.clear();
        self.finding.persist.clear();
        self.finding.undo.clear();
        self.finding.expect = None;
        self.finding.after.clear();
    }
}

impl Library {
    /// Asks every rule about every subject of its scope.
    pub fn judge(&self, facts: &Facts) -> Judgement {
        self.judge_except(facts, &[], "")
    }

    /// As [`Self::judge`], but findings that the user accepted are not recommended. `today` is a
    /// date as `2026-11-30`; what has expired by then is recommended again.
    pub fn judge_except(&self, facts: &Facts, accepted: &[Suppress], today: &str) -> Judgement {
        let held = self.rules().iter().flat_map(|rule| {
            facts.of(rule.scope).map(|subject| Held {
                rule,
                subject,
                finding: one(rule, facts, subject),
            })
        });
        let mut held: Vec<Held<'_>> = held.collect();
        suppress::apply(&mut held, accepted, today);
        let gate = gate::closed(facts);
        if let Some(reason) = &gate {
            gate::close(&mut held, reason);
        }
        let mut bench = Bench::new(held, facts);
        bench.settle();
        let held = bench.into_held();
        let verdict = verdict::sum_up(&held, facts, gate.as_deref());
        Judgement {
            findings: held.into_iter().map(|held| held.finding).collect(),
            verdict,
        }
    }
}
