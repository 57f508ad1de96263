//! The threads of a stage among themselves: they start together, and one may wait for others.

use crate::workload::plan::Job;
use std::sync::{Condvar, Mutex, PoisonError};

/// Holds the threads of a stage until every one is ready.
#[derive(Default)]
pub(super) struct Gate {
    /// Threads that are ready, and whether they may go.
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    /// Says that this thread is ready and waits for the others.
    pub(super) fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        self.changed.notify_all();
        while !state.1 {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Opens once `threads` are ready.
    pub(super) fn open_for(&self, threads: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.0 < threads {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.1 = true;
        self.changed.notify_all();
    }
}

/// Who of a stage still runs, for those who wait for others (`wait_for`).
pub(super) struct Running<'a> {
    names: Mutex<Vec<&'a str>>,
    changed: Condvar,
}

impl<'a> Running<'a> {
    pub(super) fn new(stage: &'a [Job]) -> Self {
        Self {
            names: Mutex::new(stage.iter().map(|job| job.name.as_str()).collect()),
            changed: Condvar::new(),
        }
    }

    /// Nobody is waited for any more.
    pub(super) fn forget_all(&self) {
        self.names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        self.changed.notify_all();
    }

    /// Returns once no job of that name runs; jobs wait only for jobs above, so none waits in a circle.
    pub(super) fn wait_for(&self, name: &str) {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let still = |names: &mut Vec<&str>| names.contains(&name);
        // A poisoned lock changes nothing: the list is whole after each change.
        drop(
            self.changed
                .wait_while(names, still)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }
}

/// Tells the others when a thread ends, however it does.
pub(super) struct Ended<'r, 'a>(&'r Running<'a>, &'a str);

impl<'r, 'a> Ended<'r, 'a> {
    pub(super) fn new(running: &'r Running<'a>, name: &'a str) -> Self {
        Self(running, name)
    }
}

impl Drop for Ended<'_, '_> {
    fn drop(&mut self) {
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = names.iter().position(|name| *name == self.1) {
            names.swap_remove(index);
        }
        self.0.changed.notify_all();
    }
}
