//! Every rule for every subject: facts go in, findings come out.
//!
//! [`one`] asks one rule about one subject; what rules have to do with each other comes after it,
//! in [`precedence`].

mod one;

pub(crate) use one::one;

use crate::facts::Facts;
use crate::finding::{Finding, Verdict};
use crate::library::Library;

/// Everything that a library concluded.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
}

impl Library {
    /// Asks every rule about every subject of its scope.
    pub fn judge(&self, facts: &Facts) -> Judgement {
        let findings = self.rules().iter().flat_map(|rule| {
            facts
                .of(rule.scope)
                .map(|subject| one(rule, facts, subject))
        });
        Judgement {
            findings: findings.collect(),
            verdict: Verdict {
                kind: String::new(),
                text: String::new(),
            },
        }
    }
}
