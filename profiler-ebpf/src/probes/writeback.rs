//! Dirty memory: inodes dirtied for their access time alone, and writers that the kernel makes
//! pause because too much is dirty.

use crate::probe::{Attach, Hook, Probe, Program};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "writeback",
    about: "inodes dirtied, for access times apart; writers paused over dirty memory",
    hooks: &[
        Hook {
            tracepoint: "writeback_dirty_inode_start",
            attach: Attach::Btf,
            required: false,
            gives: "inodes dirtied",
            programs: &[Program {
                name: "writeback_dirty_inode_start",
                arguments: &[(0, "inode")],
            }],
        },
        Hook {
            tracepoint: "balance_dirty_pages",
            attach: Attach::Btf,
            required: false,
            gives: "pauses of writers",
            programs: &[
                Program {
                    name: "balance_dirty_pages",
                    arguments: &[(0, "bdi_writeback"), (1, "dirty_throttle_control")],
                },
                Program {
                    name: "balance_dirty_pages_10",
                    arguments: &[(0, "bdi_writeback")],
                },
            ],
        },
    ],
};

/// Filesystems whose inodes can be dirtied.
pub const FILESYSTEMS: usize = 1024;

/// Inodes handed to a filesystem as dirty, by `s_dev`. One that updates times past the kernel's
/// common way (xfs, btrfs) is not seen.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Dirtied {
    /// Only the access time is new.
    pub atime: u64,
    pub other: u64,
}

/// A writer told to pause.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Pause {
    pub kind: u32,
    pub tgid: u32,
    /// How long, in jiffies; 0: it goes on.
    pub jiffies: u64,
    pub command: [u8; 16],
    /// `MAJOR:MINOR` of the disk that is written to.
    pub disk: [u8; 24],
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{Dirtied, FILESYSTEMS, Pause};
    use crate::{
        asm::add_shared,
        kernel::{self, Pointer, Raw, Typed, bdi_writeback, inode, read_text},
        placeholder::{self, setting},
        ring::{PAUSE, bpf::send_with},
    };
    use aya_ebpf::{
        btf_maps::HashMap,
        helpers::{bpf_get_current_pid_tgid, generated::bpf_get_current_comm},
        macros::{btf_map, btf_tracepoint},
        programs::BtfTracePointContext,
    };

    #[btf_map(name = "DIRTIED")]
    static DIRTIED: HashMap<u32, Dirtied, FILESYSTEMS> = HashMap::new();

    #[btf_tracepoint(function = "writeback_dirty_inode_start")]
    pub fn writeback_dirty_inode_start(ctx: BtfTracePointContext) -> i32 {
        let of = Pointer::<Typed, inode>::new(ctx.arg(0));
        let flags = ctx.arg::<u64>(1) as u32;
        let dev = of.i_sb().s_dev();
        if DIRTIED.get_ptr_mut(dev).is_none() {
            // One that loses the race finds the other's; a full table leaves it uncounted.
            let _ = DIRTIED.insert(dev, Dirtied::default(), 1);
        }
        let Some(dirtied) = DIRTIED.get_ptr_mut(dev) else {
            return 0;
        };
        // A change of data or of the inode sets its ctime, so only a read leaves the access time
        // the newest (fs/inode.c, touch_atime and file_update_time).
        let times_only =
            flags & (setting!(DirtySync) | setting!(DirtyDatasync)) == setting!(DirtySync);
        // SAFETY: fields of the entry, added to atomically.
        unsafe {
            if times_only && atime_is_newest(of) {
                add_shared(&raw mut (*dirtied).atime, 1);
            } else {
                add_shared(&raw mut (*dirtied).other, 1);
            }
        }
        0
    }

    #[inline(always)]
    fn atime_is_newest(of: Pointer<Typed, inode>) -> bool {
        let (atime, ctime) = if inode::i_atime_sec() {
            // Since 6.13 the highest bits of a ctime's nanoseconds are flags (fs/inode.c).
            const NANOSECONDS: u64 = (1 << 30) - 1;
            let nanoseconds = |word: u32| u64::from(word) & NANOSECONDS;
            (
                (of.i_atime_sec(), nanoseconds(of.i_atime_nsec())),
                (of.i_ctime_sec(), nanoseconds(of.i_ctime_nsec())),
            )
        } else if inode::atime_sec() && inode::ctime_sec() {
            (
                (of.atime_sec(), of.atime_nsec()),
                (of.ctime_sec(), of.ctime_nsec()),
            )
        } else if inode::__atime_sec() && inode::__ctime_sec() {
            (
                (of.__atime_sec(), of.__atime_nsec()),
                (of.__ctime_sec(), of.__ctime_nsec()),
            )
        } else if inode::atime_sec() && inode::__ctime_sec() {
            (
                (of.atime_sec(), of.atime_nsec()),
                (of.__ctime_sec(), of.__ctime_nsec()),
            )
        } else {
            return false;
        };
        atime.0 > ctime.0 || atime.0 == ctime.0 && atime.1 > ctime.1
    }

    #[btf_tracepoint(function = "balance_dirty_pages")]
    pub fn balance_dirty_pages(ctx: BtfTracePointContext) -> i32 {
        pauses(Pointer::new(ctx.arg(0)), ctx.arg::<u64>(6))
    }

    #[btf_tracepoint(function = "balance_dirty_pages")]
    pub fn balance_dirty_pages_10(ctx: BtfTracePointContext) -> i32 {
        pauses(Pointer::new(ctx.arg(0)), ctx.arg::<u64>(10))
    }

    #[inline(always)]
    fn pauses(wb: Pointer<Typed, bdi_writeback>, jiffies: u64) -> i32 {
        if jiffies as i64 <= 0 {
            return 0;
        }
        let bdi = Pointer::<Raw, kernel::backing_dev_info>::new(wb.bdi().address() as *const u8);
        const NAME: u16 = kernel::position("backing_dev_info.dev_name");
        let name = placeholder::add_offset::<NAME>(bdi.address() as *const u8);
        send_with(PAUSE, |pause: *mut Pause| {
            // SAFETY: `pause` is reserved ring memory of this size.
            unsafe {
                (*pause).kind = PAUSE;
                (*pause).tgid = (bpf_get_current_pid_tgid() >> 32) as u32;
                (*pause).jiffies = jiffies;
                bpf_get_current_comm((&raw mut (*pause).command).cast(), 16);
                read_text(&raw mut (*pause).disk, name);
            }
        });
        0
    }
}
