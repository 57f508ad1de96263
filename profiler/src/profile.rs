//! A capture folded into facts: what the rules judge by.
//!
//! Every fact that the capture decides is put, with its number of samples and where it came from;
//! every other one gets the reason why it is not known. Nothing here looks at the live host.

mod alignment;
mod answer;
mod array;
mod cgroup;
mod collected;
mod controller;
mod database;
mod device;
pub mod file_class;
mod filesystem;
mod held;
mod host;
mod journal;
mod seeks;
mod stack;
mod superblock;
mod timeline;
mod together;
mod traffic;
mod workload;

use crate::capture::{Capture, Slice};
use answer::About;
use rules::facts::{Facts, Scope, Subject};
use stack::Stack;

/// Everything that the rules can know about a capture.
pub fn facts(capture: &Capture) -> Facts {
    let total = capture.total();
    let stack = Stack::new(&capture.host);
    let mut facts = Facts::new(total.length_ns);
    let fold = Fold {
        capture,
        total: &total,
        stack: &stack,
    };
    host::put(&fold, &mut facts);
    device::put(&fold, &mut facts);
    together::put(&fold, &mut facts);
    array::put(&fold, &mut facts);
    filesystem::put(&fold, &mut facts);
    database::put(&fold, &mut facts);
    workload::put(&fold, &mut facts);
    collected::put(&fold, &mut facts);
    facts
}

/// What every part of the folding reads.
#[derive(Clone, Copy)]
struct Fold<'a> {
    capture: &'a Capture,
    total: &'a Slice,
    stack: &'a Stack<'a>,
}

impl Fold<'_> {
    /// Recorded time in seconds; `None`: nothing was recorded.
    fn seconds(&self) -> Option<f64> {
        (self.total.length_ns > 0).then(|| self.total.length_ns as f64 / 1e9)
    }

    /// Why a probe group has nothing to say, if it has not.
    fn silence(&self, probe: &str) -> Option<String> {
        answer::silence(self.capture, self.total, probe)
    }
}

fn subject(scope: Scope, name: &str) -> Subject {
    Subject {
        scope,
        name: name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
