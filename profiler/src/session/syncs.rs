//! What a sync call waited for: its time cut along its own marks and those of the commit that
//! served it.
//!
//! A call first writes its data and waits for it, then waits for the commit of its transaction
//! (fs/ext4/fsync.c, fs/jbd2/journal.c), or sends a flush of its own where no commit did. The
//! commit that served it is the last that ended before it went on. When the wait for the data
//! ends is marked by nothing. Where the commit begins after it, no earlier commit in between, the
//! commit's beginning is that moment, since the call itself asks for it.

use super::wire::text;
use crate::capture::{SlowSync, SyncPhase};
use profiler_ebpf::probes::{
    journal::Commit,
    sync::{Done, EXT4_MAGIC},
};
use std::collections::{BTreeMap, VecDeque};

/// Commits remembered per journal: one call seldom spans more than three.
const REMEMBERED: usize = 64;

/// The latest commits by filesystem.
#[derive(Default)]
pub(super) struct Commits(BTreeMap<u32, VecDeque<Commit>>);

impl Commits {
    pub(super) fn note(&mut self, commit: &Commit) {
        let list = self.0.entry(commit.dev).or_default();
        if list.len() == REMEMBERED {
            list.pop_front();
        }
        list.push_back(*commit);
    }

    /// A call's time by phase, and the file whose data its commit had to wait for.
    pub(super) fn explain(&self, done: &Done) -> SlowSync {
        let empty = VecDeque::new();
        let commits = self.0.get(&done.sync.dev).unwrap_or(&empty);
        let (phases_ns, served_by) = phases(done, commits);
        let other = served_by.filter(|commit| commit.waits > 0 && commit.number != done.inode);
        SlowSync {
            at_ns: done.sync.entered_ns,
            took_ns: took_ns(done),
            phases_ns,
            command: text(&done.command),
            pid: (done.thread >> 32) as u32,
            folder: text(&done.folder),
            file: text(&done.name),
            inode: done.inode,
            pages: done.sync.pages,
            waited_for_file: other.map(|commit| text(&commit.name)),
            waited_for_pages: other.map(|commit| u64::from(commit.waits)),
        }
    }
}

pub(super) fn took_ns(done: &Done) -> u64 {
    done.ended_ns.saturating_sub(done.sync.entered_ns)
}

/// Phases that follow each other from the call's beginning to its end; they sum to its time.
fn phases<'a>(
    done: &Done,
    commits: &'a VecDeque<Commit>,
) -> (BTreeMap<SyncPhase, u64>, Option<&'a Commit>) {
    let sync = &done.sync;
    let mut cut = Cut {
        at: sync.entered_ns,
        end: done.ended_ns.max(sync.entered_ns),
        phases: BTreeMap::new(),
    };
    // Its own work, as far as marked.
    let own = sync.entered_ns.max(sync.submitted_ns).max(sync.waited_ns);
    let own = own.min(cut.end);
    let flushed = (sync.flushed_ns >= own).then_some(sync.flushed_ns);
    let until = flushed.unwrap_or(cut.end).min(cut.end);
    let served_by = commits
        .iter()
        .rfind(|commit| commit.ended_ns > own && commit.ended_ns <= until);
    if let Some(commit) = served_by {
        let earlier = commits.iter().any(|other| {
            other.started_ns < commit.started_ns
                && other.ended_ns > own
                && other.ended_ns <= commit.ended_ns
        });
        if earlier {
            cut.to(own, SyncPhase::Data);
            cut.to(commit.started_ns, SyncPhase::EarlierCommit);
        } else {
            cut.to(own.max(commit.started_ns), SyncPhase::Data);
        }
        cut.commit(commit);
        cut.to(until, SyncPhase::Other);
    } else {
        // On a filesystem with another log the time behind the last mark is partly that log's.
        let known = if done_on_ext4(done) { until } else { own };
        cut.to(known, SyncPhase::Data);
        cut.to(until, SyncPhase::Other);
    }
    let rest = if flushed.is_some() {
        SyncPhase::Flush
    } else {
        SyncPhase::Other
    };
    cut.to(cut.end, rest);
    (cut.phases, served_by)
}

fn done_on_ext4(done: &Done) -> bool {
    done.magic == EXT4_MAGIC
}

/// A stretch of time that is cut from its beginning on.
struct Cut {
    at: u64,
    end: u64,
    phases: BTreeMap<SyncPhase, u64>,
}

impl Cut {
    /// Gives what lies between the last cut and `to` to a phase.
    fn to(&mut self, to: u64, phase: SyncPhase) {
        let to = to.clamp(self.at, self.end);
        if to > self.at {
            *self.phases.entry(phase).or_default() += to - self.at;
            self.at = to;
        }
    }

    fn commit(&mut self, commit: &Commit) {
        self.to(commit.flushing_ns, SyncPhase::Locked);
        self.to(commit.logging_ns, SyncPhase::Ordered);
        // The log's blocks are sent, then the data of files is waited for, then the record is sent.
        if commit.record_ns > commit.logging_ns {
            if commit.waited_ns > commit.logging_ns && commit.record_ns > commit.waited_ns {
                self.to(commit.waited_ns, SyncPhase::Journal);
                self.to(commit.record_ns, SyncPhase::Ordered);
            }
            self.to(commit.record_ns, SyncPhase::Journal);
            self.to(commit.ended_ns, SyncPhase::Record);
        }
        self.to(commit.ended_ns, SyncPhase::Journal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profiler_ebpf::probes::sync::Sync;
    use proptest::prelude::*;
    use zerocopy::FromZeros as _;

    fn call(entered: u64, submitted: u64, waited: u64, flushed: u64, ended: u64) -> Done {
        Done {
            sync: Sync {
                entered_ns: entered,
                submitted_ns: submitted,
                waited_ns: waited,
                flushed_ns: flushed,
                ..Sync::default()
            },
            ended_ns: ended,
            magic: EXT4_MAGIC,
            ..Done::new_zeroed()
        }
    }

    /// started, flushing, logging, ended.
    fn commit(times: [u64; 4]) -> Commit {
        Commit {
            started_ns: times[0],
            locking_ns: times[0],
            flushing_ns: times[1],
            logging_ns: times[2],
            ended_ns: times[3],
            ..Commit::new_zeroed()
        }
    }

    fn cut(done: &Done, commits: &[Commit]) -> Vec<(SyncPhase, u64)> {
        let commits = commits.iter().copied().collect();
        phases(done, &commits).0.into_iter().collect()
    }

    #[test]
    fn a_call_that_asks_for_its_commit_is_cut_at_the_commits_phases() {
        let done = call(100, 120, 130, 0, 1000);
        let phases = cut(&done, &[commit([200, 210, 260, 990])]);
        assert_eq!(
            phases,
            [
                (SyncPhase::Data, 100),
                (SyncPhase::Locked, 10),
                (SyncPhase::Ordered, 50),
                (SyncPhase::Journal, 730),
                (SyncPhase::Other, 10),
            ]
        );
    }

    #[test]
    fn a_call_that_finds_a_commit_running_waits_for_it_first() {
        let done = call(100, 120, 0, 0, 1000);
        let running = commit([50, 60, 70, 400]);
        let phases = cut(&done, &[running, commit([410, 420, 420, 1000])]);
        assert_eq!(
            phases,
            [
                (SyncPhase::Data, 20),
                (SyncPhase::EarlierCommit, 290),
                (SyncPhase::Locked, 10),
                (SyncPhase::Journal, 580),
            ]
        );
    }

    #[test]
    fn a_wait_for_data_within_the_log_is_not_the_logs() {
        let waiting = Commit {
            waited_ns: 300,
            record_ns: 900,
            ..commit([200, 210, 210, 1000])
        };
        let phases = cut(&call(190, 195, 0, 0, 1000), &[waiting]);
        // 210 to 300 is the log's, 900 to 1000 the record's.
        assert!(phases.contains(&(SyncPhase::Ordered, 600)), "{phases:?}");
        assert!(phases.contains(&(SyncPhase::Journal, 90)), "{phases:?}");
        assert!(phases.contains(&(SyncPhase::Record, 100)), "{phases:?}");
    }

    #[test]
    fn a_call_without_a_commit_ends_with_its_own_flush() {
        // A commit that ended while the flush was under way did not serve the call.
        let foreign = commit([150, 160, 170, 500]);
        let phases = cut(&call(100, 120, 130, 300, 1000), &[foreign]);
        assert_eq!(phases, [(SyncPhase::Data, 200), (SyncPhase::Flush, 700)]);
    }

    proptest! {
        #[test]
        fn phases_sum_to_the_calls_time(
            times in proptest::collection::vec(0u64..1000, 5),
            commits in proptest::collection::vec(proptest::collection::vec(0u64..1000, 6), 0..4),
        ) {
            let mut ends = [times[0], times[4]];
            ends.sort_unstable();
            let done = call(ends[0], times[1], times[2], times[3], ends[1]);
            let commits: Vec<_> = commits.iter().map(|t| Commit {
                waited_ns: t[4],
                record_ns: t[5],
                ..commit([t[0], t[1], t[2], t[3]])
            }).collect();
            let sum: u64 = cut(&done, &commits).iter().map(|(_, ns)| ns).sum();
            prop_assert_eq!(sum, ends[1] - ends[0]);
        }
    }
}
