//! jbd2 commits by phase, and checkpoints.
//!
//! All phases of a commit run in the journal's own thread, one commit at a time, and
//! `jbd2_run_stats`, which names the device, comes just before the end (fs/jbd2/commit.c). So the
//! thread is the key and no kernel struct has to be read but the statistics, whose layout is one
//! and the same from 5.10 to 7.3. Times are ours: the statistics count in jiffies.

use crate::probe::{Attach, Hook, Probe, Program};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

const fn raw(tracepoint: &'static str, programs: &'static [Program], gives: &'static str) -> Hook {
    Hook {
        tracepoint,
        attach: Attach::Raw,
        required: true,
        gives,
        programs,
    }
}

pub const PROBE: Probe = Probe {
    id: "journal",
    about: "jbd2 commits by phase, handles, blocks logged, checkpoints",
    hooks: &[
        raw(
            "jbd2_end_commit",
            &[Program {
                name: "jbd2_end_commit",
                arguments: &[],
            }],
            "ends of commits",
        ),
        raw(
            "jbd2_run_stats",
            &[Program {
                name: "jbd2_run_stats",
                arguments: &[],
            }],
            "handles and blocks",
        ),
        raw(
            "jbd2_commit_logging",
            &[Program {
                name: "jbd2_commit_logging",
                arguments: &[],
            }],
            "the logging phase",
        ),
        raw(
            "jbd2_commit_flushing",
            &[Program {
                name: "jbd2_commit_flushing",
                arguments: &[],
            }],
            "the flushing phase",
        ),
        raw(
            "jbd2_commit_locking",
            &[Program {
                name: "jbd2_commit_locking",
                arguments: &[],
            }],
            "the locked phase",
        ),
        raw(
            "jbd2_start_commit",
            &[Program {
                name: "jbd2_start_commit",
                arguments: &[],
            }],
            "starts of commits",
        ),
        raw(
            "jbd2_checkpoint_stats",
            &[Program {
                name: "jbd2_checkpoint_stats",
                arguments: &[],
            }],
            "checkpoints",
        ),
    ],
};

/// Journals that can commit at the same time.
pub const JOURNALS: usize = 1024;

/// One finished commit; also its state while it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Commit {
    pub kind: u32,
    /// `dev_t` of the filesystem's device.
    pub dev: u32,
    pub started_ns: u64,
    pub locking_ns: u64,
    pub flushing_ns: u64,
    pub logging_ns: u64,
    pub ended_ns: u64,
    pub handles: u32,
    pub blocks: u32,
    pub blocks_logged: u32,
    pub reserved: u32,
}

/// One checkpointed transaction.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Checkpoint {
    pub kind: u32,
    pub dev: u32,
    pub forced_to_close: u32,
    pub written: u32,
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{Checkpoint, Commit, JOURNALS};
    use crate::{
        kernel,
        ring::{CHECKPOINT, COMMIT, bpf::send},
    };
    use aya_ebpf::{
        btf_maps::HashMap,
        helpers::{bpf_get_current_pid_tgid, bpf_ktime_get_ns},
        macros::{btf_map, raw_tracepoint},
        programs::RawTracePointContext,
    };

    #[btf_map(name = "COMMITS")]
    static COMMITS: HashMap<u32, Commit, JOURNALS> = HashMap::new();

    // struct transaction_run_stats_s and transaction_chp_stats_s, include/linux/jbd2.h
    const HANDLE_COUNT: usize = 48;
    const BLOCKS: usize = 52;
    const BLOCKS_LOGGED: usize = 56;
    const FORCED_TO_CLOSE: usize = 8;
    const WRITTEN: usize = 12;

    #[inline(always)]
    fn thread() -> u32 {
        bpf_get_current_pid_tgid() as u32
    }

    #[inline(always)]
    fn now() -> u64 {
        // SAFETY: a helper without arguments.
        unsafe { bpf_ktime_get_ns() }
    }

    #[inline(always)]
    fn on_commit(change: impl FnOnce(&mut Commit)) -> i32 {
        if let Some(commit) = COMMITS.get_ptr_mut(thread()) {
            // SAFETY: only the journal's own thread uses its entry.
            change(unsafe { &mut *commit });
        }
        0
    }

    #[raw_tracepoint(tracepoint = "jbd2_start_commit")]
    pub fn jbd2_start_commit(_: RawTracePointContext) -> i32 {
        let commit = Commit {
            kind: COMMIT,
            started_ns: now(),
            ..Commit::default()
        };
        // A full table leaves the commit unseen; `end_commit` then finds nothing.
        let _ = COMMITS.insert(thread(), commit, 0);
        0
    }
    #[raw_tracepoint(tracepoint = "jbd2_commit_locking")]
    pub fn jbd2_commit_locking(_: RawTracePointContext) -> i32 {
        on_commit(|commit| commit.locking_ns = now())
    }
    #[raw_tracepoint(tracepoint = "jbd2_commit_flushing")]
    pub fn jbd2_commit_flushing(_: RawTracePointContext) -> i32 {
        on_commit(|commit| commit.flushing_ns = now())
    }
    #[raw_tracepoint(tracepoint = "jbd2_commit_logging")]
    pub fn jbd2_commit_logging(_: RawTracePointContext) -> i32 {
        on_commit(|commit| commit.logging_ns = now())
    }
    #[raw_tracepoint(tracepoint = "jbd2_run_stats")]
    pub fn jbd2_run_stats(ctx: RawTracePointContext) -> i32 {
        let dev = ctx.arg::<u64>(0) as u32;
        let stats: *const u8 = ctx.arg(2);
        on_commit(|commit| {
            commit.dev = dev;
            commit.handles = kernel::read(stats.wrapping_add(HANDLE_COUNT));
            commit.blocks = kernel::read(stats.wrapping_add(BLOCKS));
            commit.blocks_logged = kernel::read(stats.wrapping_add(BLOCKS_LOGGED));
        })
    }
    #[raw_tracepoint(tracepoint = "jbd2_end_commit")]
    pub fn jbd2_end_commit(_: RawTracePointContext) -> i32 {
        on_commit(|commit| {
            commit.ended_ns = now();
            send(COMMIT, commit);
        });
        let _ = COMMITS.remove(thread());
        0
    }
    #[raw_tracepoint(tracepoint = "jbd2_checkpoint_stats")]
    pub fn jbd2_checkpoint_stats(ctx: RawTracePointContext) -> i32 {
        let stats: *const u8 = ctx.arg(2);
        let record = Checkpoint {
            kind: CHECKPOINT,
            dev: ctx.arg::<u64>(0) as u32,
            forced_to_close: kernel::read(stats.wrapping_add(FORCED_TO_CLOSE)),
            written: kernel::read(stats.wrapping_add(WRITTEN)),
        };
        send(CHECKPOINT, &record);
        0
    }
}
