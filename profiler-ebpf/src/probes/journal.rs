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
        Hook {
            tracepoint: "folio_wait_writeback",
            attach: Attach::Btf,
            required: false,
            gives: "waits of commits for the data of files",
            programs: &[Program {
                name: "folio_wait_writeback_in_commit",
                arguments: &[(1, "address_space")],
            }],
        },
    ],
};

/// Bytes of a file's name in a record.
pub const NAME: usize = 48;

/// Journals that can commit at the same time.
pub const JOURNALS: usize = 1024;

/// One finished commit; also its state while it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
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
    /// Pages under write-back that the commit waited for.
    pub waits: u32,
    /// When it began to wait for the first of them; 0: for none.
    pub waited_ns: u64,
    /// When it sent the commit record behind a flush; 0: not seen.
    pub record_ns: u64,
    /// Address of the inode of the last of them.
    pub inode: u64,
    /// Its number and name.
    pub number: u64,
    pub name: [u8; NAME],
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
    use super::{Checkpoint, Commit, JOURNALS, NAME};
    use crate::{
        kernel::{self, Pointer, Raw, Typed, address_space, dentry, inode, read_text},
        placeholder,
        ring::{CHECKPOINT, COMMIT, bpf::send},
    };
    use aya_ebpf::{
        btf_maps::HashMap,
        helpers::{bpf_get_current_pid_tgid, bpf_ktime_get_ns},
        macros::{btf_map, btf_tracepoint, raw_tracepoint},
        programs::{BtfTracePointContext, RawTracePointContext},
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
            dev: 0,
            started_ns: now(),
            locking_ns: 0,
            flushing_ns: 0,
            logging_ns: 0,
            ended_ns: 0,
            handles: 0,
            blocks: 0,
            blocks_logged: 0,
            waits: 0,
            waited_ns: 0,
            record_ns: 0,
            inode: 0,
            number: 0,
            name: [0; NAME],
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
    /// The thread sends a write behind a flush: in a commit that is its record.
    #[inline(always)]
    pub fn records() {
        on_commit(|commit| commit.record_ns = now());
    }

    #[btf_tracepoint(function = "folio_wait_writeback")]
    pub fn folio_wait_writeback_in_commit(ctx: BtfTracePointContext) -> i32 {
        let mapping = Pointer::<Typed, address_space>::new(ctx.arg(1));
        if mapping.is_null() {
            return 0;
        }
        let host = mapping.host().address();
        on_commit(|commit| {
            commit.waits += 1;
            if commit.waited_ns == 0 {
                commit.waited_ns = now();
            }
            if commit.inode != host {
                commit.inode = host;
                let host = Pointer::<Raw, inode>::new(host as *const u8);
                commit.number = host.i_ino();
                // SAFETY: the journal's own thread alone writes its entry.
                unsafe { read_text(&raw mut commit.name, name(host)) };
            }
        })
    }

    /// The name of an inode's first entry in a folder; null where it has none or the kernel is of
    /// an unknown form.
    #[inline(always)]
    fn name(of: Pointer<Raw, inode>) -> *const u8 {
        let alias = of.i_alias();
        if !dentry::d_alias() || alias == 0 {
            return core::ptr::null();
        }
        // The list runs through the entries: its links point into them.
        const LINK: u16 = kernel::position("dentry.d_alias");
        let inside = placeholder::add_offset::<LINK>(core::ptr::null()) as u64;
        let entry = Pointer::<Raw, dentry>::new(alias.wrapping_sub(inside) as *const u8);
        entry.d_name() as *const u8
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
