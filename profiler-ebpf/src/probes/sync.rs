//! Sync calls, from entered to returned, by filesystem.
//!
//! ext4 has a pair of tracepoints of its own, which cost nothing between calls. For every other
//! filesystem the pair of all system calls is used, filtered by number: it makes each system call
//! of the host dearer, so user space attaches it only where such a filesystem is mounted.

use crate::probe::{Attach, Hook, Probe, Program};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "sync",
    about: "fsync and fdatasync by filesystem",
    hooks: &[
        Hook {
            tracepoint: "ext4_sync_file_exit",
            attach: Attach::Raw,
            required: false,
            gives: "sync calls on ext4",
            programs: &[Program {
                name: "ext4_sync_file_exit",
                arguments: &[],
            }],
        },
        Hook {
            tracepoint: "ext4_sync_file_enter",
            attach: Attach::Raw,
            required: false,
            gives: "sync calls on ext4",
            programs: &[Program {
                name: "ext4_sync_file_enter",
                arguments: &[],
            }],
        },
        Hook {
            tracepoint: "sys_exit",
            attach: Attach::Raw,
            required: false,
            gives: "sync calls on other filesystems",
            programs: &[Program {
                name: "sys_exit",
                arguments: &[],
            }],
        },
        Hook {
            tracepoint: "sys_enter",
            attach: Attach::Raw,
            required: false,
            gives: "sync calls on other filesystems",
            programs: &[Program {
                name: "sys_enter",
                arguments: &[],
            }],
        },
    ],
};

/// Threads that can be in a sync call at once.
pub const CALLS: usize = 8192;
/// `s_magic` of ext2, ext3 and ext4 (include/uapi/linux/magic.h).
pub const EXT4_MAGIC: u64 = 0xef53;

pub const FSYNC: u32 = 0;
pub const FDATASYNC: u32 = 1;

/// One finished call; also its state while it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Sync {
    pub kind: u32,
    /// `s_dev` of the filesystem.
    pub dev: u32,
    pub entered_ns: u64,
    pub took_ns: u64,
    /// [`FSYNC`] or [`FDATASYNC`].
    pub call: u32,
    /// What the call returned.
    pub result: i32,
    pub thread: u64,
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{CALLS, EXT4_MAGIC, FDATASYNC, FSYNC, Sync};
    use crate::{
        kernel::{self, Pointer, Raw, file, pt_regs, task_struct},
        placeholder::setting,
        ring::{SYNC, bpf::send},
    };
    use aya_ebpf::{
        btf_maps::{HashMap, PerCpuArray},
        helpers::{bpf_get_current_pid_tgid, bpf_get_current_task, bpf_ktime_get_ns},
        macros::{btf_map, raw_tracepoint},
        programs::RawTracePointContext,
    };

    #[btf_map(name = "SYNCS")]
    static SYNCS: HashMap<u64, Sync, CALLS> = HashMap::new();
    /// Calls not followed because the table was full: by ext4, by others.
    #[btf_map(name = "SYNCS_FULL")]
    static SYNCS_FULL: PerCpuArray<u64, 2> = PerCpuArray::new();

    type File = Pointer<Raw, file>;

    #[inline(always)]
    fn enter(dev: u32, call: u32, full: u32) -> i32 {
        let thread = bpf_get_current_pid_tgid();
        // SAFETY: a helper without arguments.
        let entered_ns = unsafe { bpf_ktime_get_ns() };
        let sync = Sync {
            kind: SYNC,
            dev,
            entered_ns,
            took_ns: 0,
            call,
            result: 0,
            thread,
        };
        if SYNCS.insert(thread, sync, 0).is_err()
            && let Some(n) = SYNCS_FULL.get_ptr_mut(full)
        {
            // SAFETY: this CPU's counter; each index has one writing program.
            unsafe { *n += 1 };
        }
        0
    }

    #[inline(always)]
    fn exit(result: i32) -> i32 {
        let thread = bpf_get_current_pid_tgid();
        if let Some(sync) = SYNCS.get_ptr_mut(thread) {
            // SAFETY: only the thread itself uses its entry; the helper has no arguments.
            unsafe {
                (*sync).took_ns = bpf_ktime_get_ns() - (*sync).entered_ns;
                (*sync).result = result;
                send(SYNC, &*sync);
            }
            let _ = SYNCS.remove(thread);
        }
        0
    }

    #[raw_tracepoint(tracepoint = "ext4_sync_file_enter")]
    pub fn ext4_sync_file_enter(ctx: RawTracePointContext) -> i32 {
        let file = File::new(ctx.arg(0));
        let data_only = ctx.arg::<u64>(1) as u32 != 0;
        enter(
            file.f_inode().i_sb().s_dev(),
            if data_only { FDATASYNC } else { FSYNC },
            0,
        )
    }

    #[raw_tracepoint(tracepoint = "ext4_sync_file_exit")]
    pub fn ext4_sync_file_exit(ctx: RawTracePointContext) -> i32 {
        exit(ctx.arg::<u64>(1) as i32)
    }

    #[raw_tracepoint(tracepoint = "sys_enter")]
    pub fn sys_enter(ctx: RawTracePointContext) -> i32 {
        let nr = ctx.arg::<u64>(1) as u32;
        let call = if nr == setting!(NrFsync) {
            FSYNC
        } else if nr == setting!(NrFdatasync) {
            FDATASYNC
        } else {
            return 0;
        };
        let regs = Pointer::<Raw, pt_regs>::new(ctx.arg(0));
        let fd = if pt_regs::di() {
            regs.di()
        } else {
            regs.regs()
        } as u32;
        let Some(file) = file_of(fd) else { return 0 };
        let sb = file.f_inode().i_sb();
        if setting!(SkipExt4) != 0 && sb.s_magic() == EXT4_MAGIC {
            return 0;
        }
        enter(sb.s_dev(), call, 1)
    }

    #[raw_tracepoint(tracepoint = "sys_exit")]
    pub fn sys_exit(ctx: RawTracePointContext) -> i32 {
        let regs: *const u8 = ctx.arg(0);
        let _ = regs;
        let result = ctx.arg::<u64>(1) as i32;
        // Only a thread that entered one of the two calls has an entry.
        exit(result)
    }

    /// The file behind a descriptor of the current task.
    #[inline(always)]
    fn file_of(fd: u32) -> Option<File> {
        // SAFETY: a helper without arguments.
        let task = unsafe { bpf_get_current_task() } as *const u8;
        let table = Pointer::<Raw, task_struct>::new(task).files().fdt();
        if fd >= table.max_fds() {
            return None;
        }
        let files = table.fd() as *const u8;
        let file = File::new(kernel::read(files.wrapping_add(fd as usize * 8)));
        if file.is_null() { None } else { Some(file) }
    }
}
