//! The time a bio waits for its request, and what for.
//!
//! Between `block_bio_queue` and `block_getrq` a task takes the way from `submit_bio` to an
//! allocated request: it may be held by a frozen queue, by write-back throttling, by a cgroup's
//! share, or for lack of a tag (block/blk-mq.c, blk_mq_submit_bio). It sleeps there, so both events
//! come from one thread, and its stack at the moment it falls asleep names the cause.

use crate::probe::{Attach, Hook, Probe, Program};
use crate::probes::block::Latency;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "wait",
    about: "bios waiting for a request: throttled, out of tags, queue frozen",
    hooks: &[
        Hook {
            tracepoint: "block_getrq",
            attach: Attach::Btf,
            required: true,
            gives: "ends of waits",
            programs: &[
                Program {
                    name: "wait_ends",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "wait_ends_1",
                    arguments: &[(1, "bio")],
                },
            ],
        },
        Hook {
            tracepoint: "sched_switch",
            attach: Attach::Btf,
            required: false,
            gives: "causes of waits",
            programs: &[Program {
                name: "wait_sleeps",
                arguments: &[(1, "task_struct")],
            }],
        },
        Hook {
            tracepoint: "block_bio_queue",
            attach: Attach::Btf,
            required: true,
            gives: "beginnings of waits",
            programs: &[
                Program {
                    name: "wait_begins",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "wait_begins_1",
                    arguments: &[(1, "bio")],
                },
            ],
        },
    ],
};

/// log2 of the number of threads that can be between the two events without getting into each
/// other's way; two threads whose numbers end alike may lose a wait.
pub const SLOT_BITS: u32 = 11;
/// Innermost frames of a sleeping task that are kept.
pub const FRAMES: usize = 12;

/// The last bio that a thread queued, until it has its request.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Slot {
    pub thread: u32,
    pub sleeps: u32,
    /// 0: no bio waits.
    pub queued_ns: u64,
    /// Where it last fell asleep.
    pub frames: [u64; FRAMES],
    pub reserved: [u64; 2],
}

/// A wait with sleep.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Wait {
    pub kind: u32,
    pub dev: u32,
    pub op: u32,
    pub sleeps: u32,
    pub wait_ns: u64,
    pub frames: [u64; FRAMES],
}

/// Per CPU, device and operation; written by one program alone.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Waited {
    pub sum_ns: u64,
    /// Requests whose bio was not seen to be queued, or was overwritten.
    pub unmatched: u64,
    pub latency: Latency,
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{FRAMES, SLOT_BITS, Slot, Wait, Waited};
    use crate::{
        asm::{MMAPABLE, count, masked},
        bucket::LATENCY,
        device::{self, FLUSH, OPS},
        kernel::{Pointer, Typed, bio, task_struct},
        probes::block::REQ_PREFLUSH,
        ring::{WAIT, bpf::send_with},
    };
    use aya_ebpf::{
        EbpfContext as _,
        btf_maps::{Array, PerCpuArray},
        helpers::{bpf_get_current_pid_tgid, bpf_ktime_get_ns, generated::bpf_get_stack},
        macros::{btf_map, btf_tracepoint},
        programs::BtfTracePointContext,
    };

    #[btf_map(name = "WAIT_SLOTS")]
    static SLOTS: Array<Slot, { 1 << SLOT_BITS }, MMAPABLE> = Array::new();
    #[btf_map(name = "WAITED")]
    static WAITED: PerCpuArray<Waited, 1> = PerCpuArray::new();

    type Bio = Pointer<Typed, bio>;

    /// TASK_UNINTERRUPTIBLE (include/linux/sched.h).
    const UNINTERRUPTIBLE: u32 = 2;

    #[inline(always)]
    fn slot(thread: u32) -> Option<&'static mut Slot> {
        let slot = SLOTS.get_ptr_mut(masked::<SLOT_BITS>(thread.into()) as u32)?;
        // SAFETY: threads that share a slot may mix up their waits; words are written whole.
        Some(unsafe { &mut *slot })
    }

    #[inline(always)]
    fn now() -> u64 {
        // SAFETY: a helper without arguments.
        unsafe { bpf_ktime_get_ns() }
    }

    #[inline(always)]
    fn begins(b: Bio) -> i32 {
        let Some(device) = device::bpf::of_bio(b) else {
            return 0;
        };
        if device.bio_based != 0 {
            return 0;
        }
        let thread = bpf_get_current_pid_tgid() as u32;
        if let Some(slot) = slot(thread) {
            slot.thread = thread;
            slot.sleeps = 0;
            slot.queued_ns = now();
        }
        0
    }

    #[inline(always)]
    fn ends(b: Bio) -> i32 {
        let Some(device) = device::bpf::of_bio(b) else {
            return 0;
        };
        // An empty write behind a flush becomes a flush (block/blk-flush.c).
        let op = match b.bi_opf() {
            flags if flags & REQ_PREFLUSH != 0 && b.bi_size() == 0 => FLUSH,
            flags => device::op(flags),
        };
        let Some(waited) = WAITED.get_ptr_mut(device.slot * OPS + op) else {
            return 0;
        };
        // SAFETY: this CPU's row, written by this program alone.
        let waited = unsafe { &mut *waited };
        let thread = bpf_get_current_pid_tgid() as u32;
        let Some(slot) = slot(thread) else { return 0 };
        if slot.thread != thread || slot.queued_ns == 0 {
            waited.unmatched += 1;
            return 0;
        }
        let wait_ns = now() - slot.queued_ns;
        slot.queued_ns = 0;
        waited.sum_ns += wait_ns;
        count(&mut waited.latency, LATENCY.index(wait_ns));
        if slot.sleeps != 0 {
            let (dev, sleeps, frames) = (device.dev, slot.sleeps, &raw const slot.frames);
            send_with(WAIT, |wait: *mut Wait| {
                // SAFETY: `wait` is reserved ring memory of this size, `frames` lies in the slot.
                unsafe {
                    (*wait).kind = WAIT;
                    (*wait).dev = dev;
                    (*wait).op = op;
                    (*wait).sleeps = sleeps;
                    (*wait).wait_ns = wait_ns;
                    (*wait).frames = *frames;
                }
            });
        }
        0
    }

    #[btf_tracepoint(function = "block_bio_queue")]
    pub fn wait_begins(ctx: BtfTracePointContext) -> i32 {
        begins(Bio::new(ctx.arg(0)))
    }
    #[btf_tracepoint(function = "block_bio_queue")]
    pub fn wait_begins_1(ctx: BtfTracePointContext) -> i32 {
        begins(Bio::new(ctx.arg(1)))
    }
    #[btf_tracepoint(function = "block_getrq")]
    pub fn wait_ends(ctx: BtfTracePointContext) -> i32 {
        ends(Bio::new(ctx.arg(0)))
    }
    #[btf_tracepoint(function = "block_getrq")]
    pub fn wait_ends_1(ctx: BtfTracePointContext) -> i32 {
        ends(Bio::new(ctx.arg(1)))
    }

    #[btf_tracepoint(function = "sched_switch")]
    pub fn wait_sleeps(ctx: BtfTracePointContext) -> i32 {
        let task = Pointer::<Typed, task_struct>::new(ctx.arg(1));
        let state = if task_struct::__state() {
            task.__state()
        } else {
            task.state() as u32
        };
        if state & UNINTERRUPTIBLE == 0 {
            return 0;
        }
        let thread = task.pid();
        if let Some(slot) = slot(thread)
            && slot.thread == thread
            && slot.queued_ns != 0
        {
            slot.sleeps += 1;
            // SAFETY: the helper writes at most the size it is given into the slot.
            unsafe {
                let frames = &raw mut slot.frames;
                bpf_get_stack(ctx.as_ptr(), frames.cast(), (FRAMES * 8) as u32, 0);
            }
        }
        0
    }
}
