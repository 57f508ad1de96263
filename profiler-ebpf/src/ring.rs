//! The ring of single records, for what is rare: commits, sync calls, sampled stacks.
//!
//! A record begins with its kind. When the ring is full the record is dropped and counted.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes of the ring.
pub const RING_BYTES: usize = 1 << 20;

pub const COMMIT: u32 = 1;
pub const CHECKPOINT: u32 = 2;
pub const SYNC: u32 = 3;
pub const STACK: u32 = 4;
pub const STACK_DONE: u32 = 5;
pub const WAIT: u32 = 6;
/// One more than the largest kind.
pub const KINDS: usize = 7;

/// The first word of every record.
#[repr(C)]
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Kind {
    pub kind: u32,
}

#[cfg(target_arch = "bpf")]
pub mod bpf {
    use super::{KINDS, RING_BYTES};
    use aya_ebpf::{
        bindings::BPF_RB_NO_WAKEUP,
        btf_maps::{PerCpuArray, RingBuf},
        macros::btf_map,
    };

    #[btf_map(name = "RING")]
    static RING: RingBuf<u8, RING_BYTES> = RingBuf::new();
    /// Dropped records by kind. A kind is written by one program, so no update is lost.
    #[btf_map(name = "DROPPED")]
    static DROPPED: PerCpuArray<u64, KINDS> = PerCpuArray::new();

    /// Sends a record, or counts that it could not be sent. User space polls: nobody is woken.
    #[inline(always)]
    pub fn send<T: Copy + 'static>(kind: u32, record: &T) {
        match RING.reserve_untyped::<T>(0) {
            Some(mut place) => {
                place.write(*record);
                place.submit(u64::from(BPF_RB_NO_WAKEUP));
            }
            None => dropped(kind),
        }
    }

    /// Fills a record in place: for records too large for the stack.
    #[inline(always)]
    pub fn send_with<T: 'static>(kind: u32, fill: impl FnOnce(*mut T)) {
        match RING.reserve_untyped::<T>(0) {
            Some(mut place) => {
                fill(place.as_mut_ptr());
                place.submit(u64::from(BPF_RB_NO_WAKEUP));
            }
            None => dropped(kind),
        }
    }

    #[inline(always)]
    fn dropped(kind: u32) {
        if let Some(n) = DROPPED.get_ptr_mut(kind) {
            // SAFETY: this CPU's own counter.
            unsafe { *n += 1 };
        }
    }
}
