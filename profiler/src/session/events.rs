//! Single records from the ring: commits, checkpoints, sync calls; stacks go on to their module.

use super::{
    number_of,
    stacks::Stacks,
    syncs::{self, Commits},
    waits::Waits,
};
use crate::capture::{CommitPhase, Histogram, JournalSlice, Slice, SyncCalls, SyncSlice};
use profiler_ebpf::{
    bucket::LATENCY,
    probes::{
        journal::{Checkpoint, Commit},
        stack,
        sync::{Done, FSYNC},
    },
    ring,
};
use std::collections::BTreeMap;
use zerocopy::FromBytes;

/// What came in since the last drain.
#[derive(Default)]
pub(super) struct Events {
    journals: BTreeMap<String, JournalSlice>,
    syncs: BTreeMap<String, SyncSlice>,
    commits: Commits,
    pub(super) waits: Waits,
    /// CLOCK_MONOTONIC at the start of the capture.
    started_ns: u64,
}

impl Events {
    /// Takes one record. Records of an unknown kind or length cannot come from our own object.
    pub(super) fn take(&mut self, record: &[u8], stacks: &mut Stacks) {
        let Ok((kind, _)) = ring::Kind::read_from_prefix(record) else {
            return;
        };
        match kind.kind {
            ring::COMMIT => read(record)
                .into_iter()
                .for_each(|commit| self.commit(&commit)),
            ring::CHECKPOINT => read(record).into_iter().for_each(|c| self.checkpoint(&c)),
            ring::SYNC => read(record).into_iter().for_each(|done| self.sync(&done)),
            ring::STACK => {
                read::<stack::Stack>(record)
                    .into_iter()
                    .for_each(|stack| stacks.taken(&stack));
            }
            ring::STACK_DONE => {
                read::<stack::Done>(record)
                    .into_iter()
                    .for_each(|done| stacks.done(&done));
            }
            ring::WAIT => read(record)
                .into_iter()
                .for_each(|wait| self.waits.take(&wait)),
            _ => {}
        }
    }

    /// Forgets what came before the start of the capture.
    pub(super) fn begin(&mut self, started_ns: u64) {
        *self = Self {
            started_ns,
            ..Self::default()
        };
    }

    pub(super) fn drain(&mut self, slice: &mut Slice) {
        slice.journals = std::mem::take(&mut self.journals);
        slice.syncs = std::mem::take(&mut self.syncs);
    }

    fn commit(&mut self, commit: &Commit) {
        self.commits.note(commit);
        let journal = self.journals.entry(number_of(commit.dev)).or_default();
        journal.commits += 1;
        journal.handles += u64::from(commit.handles);
        journal.handles_max = journal.handles_max.max(u64::from(commit.handles));
        journal.blocks += u64::from(commit.blocks);
        journal.blocks_logged += u64::from(commit.blocks_logged);
        let phases = [
            (CommitPhase::Start, commit.started_ns, commit.locking_ns),
            (CommitPhase::Locked, commit.locking_ns, commit.flushing_ns),
            (CommitPhase::Flushing, commit.flushing_ns, commit.logging_ns),
            (CommitPhase::Logging, commit.logging_ns, commit.ended_ns),
            (CommitPhase::Commit, commit.started_ns, commit.ended_ns),
        ];
        for (phase, from, to) in phases {
            // A phase is left out when its beginning was not seen (attached in mid-commit).
            if from != 0 && to >= from {
                let histogram = journal.phases.entry(phase);
                histogram
                    .or_insert_with(|| Histogram::new(&LATENCY))
                    .add(to - from);
            }
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let journal = self.journals.entry(number_of(checkpoint.dev)).or_default();
        journal.checkpoints += 1;
        journal.checkpoint_blocks_written += u64::from(checkpoint.written);
        journal.checkpoint_forced_to_close += u64::from(checkpoint.forced_to_close);
    }

    fn sync(&mut self, done: &Done) {
        let call = if done.sync.call == FSYNC {
            "fsync"
        } else {
            "fdatasync"
        };
        let mut one = self.commits.explain(done);
        one.at_ns = one.at_ns.saturating_sub(self.started_ns);
        let slice = self.syncs.entry(number_of(done.sync.dev)).or_default();
        let calls = slice.calls.entry(call.to_owned());
        let calls = calls.or_insert_with(|| SyncCalls {
            errors: 0,
            latency_ns: Histogram::new(&LATENCY),
            phases_ns: BTreeMap::new(),
        });
        calls.errors += u64::from(done.result < 0);
        calls.latency_ns.add(syncs::took_ns(done));
        for (phase, ns) in &one.phases_ns {
            *calls.phases_ns.entry(*phase).or_default() += ns;
        }
        slice.keep(one);
    }
}

fn read<T: FromBytes>(record: &[u8]) -> Option<T> {
    T::read_from_prefix(record).ok().map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::FromZeros as _;

    #[test]
    fn phases_of_a_commit_add_up_to_the_whole() {
        let mut events = Events::default();
        let commit = Commit {
            kind: ring::COMMIT,
            dev: 7 << 20 | 1,
            started_ns: 1_000_000,
            locking_ns: 1_100_000,
            flushing_ns: 1_300_000,
            logging_ns: 1_600_000,
            ended_ns: 2_000_000,
            handles: 12,
            blocks: 9,
            blocks_logged: 10,
            ..Commit::new_zeroed()
        };
        events.commit(&commit);
        let journal = &events.journals["7:1"];
        let sum = |phase| journal.phases[&phase].sum;
        let parts = [
            CommitPhase::Start,
            CommitPhase::Locked,
            CommitPhase::Flushing,
            CommitPhase::Logging,
        ];
        assert_eq!(parts.map(sum), [100_000, 200_000, 300_000, 400_000]);
        assert_eq!(sum(CommitPhase::Commit), 1_000_000);
        assert_eq!((journal.handles, journal.blocks_logged), (12, 10));
    }
}
