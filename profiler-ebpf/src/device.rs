//! The directory of traced devices: which table rows belong to a kernel device number.
//!
//! User space fills it before anything is attached and picks a multiplier under which no two
//! devices collide, so a lookup is one multiplication and one array access.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// log2 of the number of places in the directory.
pub const DIRECTORY_BITS: u32 = 12;
/// Number of operations that rows are kept apart for; see [`op`].
pub const OPS: u32 = 5;

pub const READ: u32 = 0;
pub const WRITE: u32 = 1;
pub const FLUSH: u32 = 2;
pub const DISCARD: u32 = 3;
pub const OTHER: u32 = 4;

/// One traced device. `dev` 0 is an empty place; a partition has the entry of its disk, but for `dev`.
#[repr(C)]
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Device {
    /// `major << 20 | minor`, as in the kernel's `dev_t`.
    pub dev: u32,
    /// Row of the device: among request devices, or among bio devices when `bio_based`.
    pub slot: u32,
    /// First tag row, tags per hardware queue and number of hardware queues.
    pub tag_base: u32,
    pub tags: u32,
    pub queues: u32,
    /// 1: no requests, bios go through.
    pub bio_based: u32,
    /// Chunk of a striped array in sectors; 0: none.
    pub chunk_sectors: u32,
    pub reserved: u32,
}

/// The place of a device number in the directory.
#[inline(always)]
pub const fn place(dev: u32, multiplier: u32) -> u32 {
    dev.wrapping_mul(multiplier) >> (u32::BITS - DIRECTORY_BITS)
}

/// The row class of an operation code (`REQ_OP_*`, include/linux/blk_types.h; the numbers below
/// are the same on every kernel since 5.10, zone append since 6.1).
#[inline(always)]
pub const fn op(cmd_flags: u32) -> u32 {
    // A digit for each code, the first one last: a shift instead of a chain of comparisons.
    const CLASSES: u64 = 0x4444_4444_1434_3210;
    let code = cmd_flags & 0xff;
    if code < 16 {
        (CLASSES >> (code * 4)) as u32 & 7
    } else {
        OTHER
    }
}

#[cfg(target_arch = "bpf")]
pub mod bpf {
    use super::{DIRECTORY_BITS, Device, place};
    use crate::{
        asm::{MMAPABLE, add_shared},
        kernel::{Mode, Pointer, bio, gendisk, request, request_queue},
        placeholder::setting,
    };
    use aya_ebpf::{btf_maps::Array, macros::btf_map};

    #[btf_map(name = "DIRECTORY")]
    pub static DIRECTORY: Array<Device, { 1 << DIRECTORY_BITS }, MMAPABLE> = Array::new();
    /// Events of devices that are not in the directory although all devices were asked for.
    #[btf_map(name = "UNKNOWN_DEVICE")]
    static UNKNOWN_DEVICE: Array<u64, 1> = Array::new();

    /// The device with a number, if it is traced.
    #[inline(always)]
    fn find(dev: u32) -> Option<&'static Device> {
        let device = DIRECTORY.get(place(dev, setting!(DirectoryMultiplier)))?;
        if device.dev == dev && dev != 0 {
            Some(device)
        } else {
            None
        }
    }

    #[inline(always)]
    fn lookup<M: Mode>(disk: Pointer<M, gendisk>) -> Option<&'static Device> {
        find(disk.major() << 20 | disk.first_minor())
    }

    #[inline(always)]
    pub fn of_request<M: Mode>(rq: Pointer<M, request>) -> Option<&'static Device> {
        if request::rq_disk() {
            return lookup(rq.rq_disk());
        }
        // One step to a number instead of three to two. A request without accounting has none, and
        // a partition may be younger than the directory.
        if request::part()
            && let Some(device) = find(rq.part().bd_dev())
        {
            return Some(device);
        }
        lookup(rq.q().disk())
    }

    #[inline(always)]
    pub fn of_queue<M: Mode>(q: Pointer<M, request_queue>) -> Option<&'static Device> {
        if request_queue::disk() {
            lookup(q.disk())
        } else {
            None
        }
    }

    #[inline(always)]
    pub fn of_bio<M: Mode>(b: Pointer<M, bio>) -> Option<&'static Device> {
        if bio::bi_disk() {
            lookup(b.bi_disk())
        } else {
            lookup(b.bi_bdev().bd_disk())
        }
    }

    /// Counts a request of a device that is not in the directory.
    #[inline(always)]
    pub fn count_unknown() {
        if let Some(n) = UNKNOWN_DEVICE.get_ptr_mut(0) {
            add_shared(n, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_fall_into_their_rows() {
        // REQ_OP_* of include/linux/blk_types.h, with flags above the low eight bits.
        let codes = [
            (0, READ),
            (1, WRITE),
            (2, FLUSH),
            (3, DISCARD),
            (4, OTHER),
            (5, DISCARD),
            (6, OTHER),
            (7, WRITE),
            (8, OTHER),
            (15, OTHER),
            (16, OTHER),
            (9, OTHER),
            (34, OTHER),
        ];
        for (code, row) in codes {
            assert_eq!(op(code | 1 << 11 | 1 << 17), row, "REQ_OP {code}");
        }
    }
}
