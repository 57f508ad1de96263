//! Sync calls, from entered to returned, by filesystem.
//!
//! ext4 has a pair of tracepoints of its own, which cost nothing between calls. For every other
//! filesystem the pair of all system calls is used, filtered by number: it makes each system call
//! of the host dearer, so user space attaches it only where such a filesystem is mounted.

use crate::probe::{Attach, Hook, Probe, Program};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "sync",
    about: "fsync and fdatasync by filesystem, what they wait for, and whose file",
    hooks: &[
        Hook {
            tracepoint: "folio_wait_writeback",
            attach: Attach::Btf,
            required: false,
            gives: "when a sync call last waits for its data",
            programs: &[Program {
                name: "folio_wait_writeback",
                arguments: &[],
            }],
        },
        Hook {
            tracepoint: "ext4_writepages_result",
            attach: Attach::Raw,
            required: false,
            gives: "pages written by sync calls on ext4",
            programs: &[Program {
                name: "ext4_writepages_result",
                arguments: &[],
            }],
        },
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

/// Bytes of a file's name and of its folder's name in a record.
pub const NAME: usize = 48;

/// A call while it runs. Times are 0 where the thing did not happen or was not seen.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Sync {
    /// `s_dev` of the filesystem.
    pub dev: u32,
    /// [`FSYNC`] or [`FDATASYNC`].
    pub call: u32,
    pub entered_ns: u64,
    /// When the call had handed its dirty pages to the device.
    pub submitted_ns: u64,
    /// When it last began to wait for a page under write-back.
    pub waited_ns: u64,
    /// When it sent an empty flush of its own.
    pub flushed_ns: u64,
    /// Pages that the call itself wrote.
    pub pages: u64,
    /// Address of the `struct file`, which the caller holds.
    pub file: u64,
}

/// A finished call.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Done {
    pub kind: u32,
    /// What the call returned.
    pub result: i32,
    pub sync: Sync,
    pub ended_ns: u64,
    /// Process in the upper half, thread in the lower.
    pub thread: u64,
    pub inode: u64,
    /// `s_magic` of the filesystem.
    pub magic: u64,
    pub command: [u8; 16],
    pub name: [u8; NAME],
    pub folder: [u8; NAME],
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{CALLS, Done, EXT4_MAGIC, FDATASYNC, FSYNC, Sync};
    use crate::{
        kernel::{self, Pointer, Raw, dentry, file, pt_regs, read_text, task_struct},
        placeholder::setting,
        ring::{SYNC, bpf::send_with},
    };
    use aya_ebpf::{
        btf_maps::{HashMap, PerCpuArray},
        helpers::{
            bpf_get_current_pid_tgid, bpf_get_current_task, bpf_ktime_get_ns,
            generated::bpf_get_current_comm,
        },
        macros::{btf_map, btf_tracepoint, raw_tracepoint},
        programs::{BtfTracePointContext, RawTracePointContext},
    };

    #[btf_map(name = "SYNCS")]
    static SYNCS: HashMap<u64, Sync, CALLS> = HashMap::new();
    /// Calls not followed because the table was full: by ext4, by others.
    #[btf_map(name = "SYNCS_FULL")]
    static SYNCS_FULL: PerCpuArray<u64, 2> = PerCpuArray::new();

    type File = Pointer<Raw, file>;

    #[inline(always)]
    fn now() -> u64 {
        // SAFETY: a helper without arguments.
        unsafe { bpf_ktime_get_ns() }
    }

    #[inline(always)]
    fn enter(file: File, dev: u32, call: u32, full: u32) -> i32 {
        let sync = Sync {
            dev,
            call,
            entered_ns: now(),
            file: file.address(),
            ..Sync::default()
        };
        if SYNCS.insert(bpf_get_current_pid_tgid(), sync, 0).is_err()
            && let Some(n) = SYNCS_FULL.get_ptr_mut(full)
        {
            // SAFETY: this CPU's counter; each index has one writing program.
            unsafe { *n += 1 };
        }
        0
    }

    /// Notes something in the sync call that this thread is in, if it is in one.
    #[inline(always)]
    fn on_call(change: impl FnOnce(&mut Sync)) {
        if let Some(sync) = SYNCS.get_ptr_mut(bpf_get_current_pid_tgid()) {
            // SAFETY: only the thread itself uses its entry.
            change(unsafe { &mut *sync });
        }
    }

    /// The thread sends an empty flush.
    #[inline(always)]
    pub fn flushes() {
        on_call(|sync| sync.flushed_ns = now());
    }

    #[inline(always)]
    fn exit(result: i32) -> i32 {
        let thread = bpf_get_current_pid_tgid();
        if let Some(sync) = SYNCS.get_ptr_mut(thread) {
            let ended_ns = now();
            // SAFETY: only the thread itself uses its entry.
            let sync = unsafe { *sync };
            send_with(SYNC, |done: *mut Done| {
                let file = File::new(sync.file as *const u8);
                let entry: Pointer<Raw, dentry> = file.f_dentry();
                // SAFETY: `done` is reserved ring memory of this size.
                unsafe {
                    (*done).kind = SYNC;
                    (*done).result = result;
                    (*done).sync = sync;
                    (*done).ended_ns = ended_ns;
                    (*done).thread = thread;
                    (*done).inode = file.f_inode().i_ino();
                    (*done).magic = file.f_inode().i_sb().s_magic();
                    bpf_get_current_comm((&raw mut (*done).command).cast(), 16);
                    read_text(&raw mut (*done).name, entry.d_name() as *const u8);
                    read_text(
                        &raw mut (*done).folder,
                        entry.d_parent().d_name() as *const u8,
                    );
                }
            });
            let _ = SYNCS.remove(thread);
        }
        0
    }

    #[btf_tracepoint(function = "folio_wait_writeback")]
    pub fn folio_wait_writeback(_: BtfTracePointContext) -> i32 {
        on_call(|sync| sync.waited_ns = now());
        0
    }

    #[raw_tracepoint(tracepoint = "ext4_writepages_result")]
    pub fn ext4_writepages_result(ctx: RawTracePointContext) -> i32 {
        let pages = ctx.arg::<u64>(3) as u32;
        on_call(|sync| {
            sync.submitted_ns = now();
            sync.pages += u64::from(pages);
        });
        0
    }

    #[raw_tracepoint(tracepoint = "ext4_sync_file_enter")]
    pub fn ext4_sync_file_enter(ctx: RawTracePointContext) -> i32 {
        let file = File::new(ctx.arg(0));
        let data_only = ctx.arg::<u64>(1) as u32 != 0;
        enter(
            file,
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
        enter(file, sb.s_dev(), call, 1)
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
