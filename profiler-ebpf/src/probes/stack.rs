//! Sampled stacks of where requests are issued from, weighted by device time.
//!
//! A stack costs microseconds, so only one issue in `period` is taken, at random distances; user
//! space moves the period with the load. Each sample carries its period: the estimate stays fair.
//! The programs are those of the block group; this group has none of its own.

use crate::probe::Probe;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "stack",
    about: "sampled kernel and user stacks at issue, weighted by device time",
    hooks: &[],
};

/// Frames kept of each side.
pub const FRAMES: usize = 64;

/// A stack taken at issue.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Stack {
    pub kind: u32,
    pub tgid: u32,
    pub id: u64,
    pub dev: u32,
    pub op: u32,
    pub period: u32,
    /// Bytes of frames, or a negative error.
    pub kernel_bytes: i32,
    pub user_bytes: i32,
    pub reserved: u32,
    pub command: [u8; 16],
    pub kernel: [u64; FRAMES],
    pub user: [u64; FRAMES],
}

/// The completion of a sampled request.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Done {
    pub kind: u32,
    pub bytes: u32,
    pub id: u64,
    pub device_ns: u64,
}

/// Per CPU; written by `block_rq_issue` alone.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Sampler {
    /// Issues until the next sample.
    pub left: u32,
    pub taken: u32,
    /// Turn of [`Pace`] that the next field counts in.
    pub turn: u32,
    pub taken_in_turn: u32,
    /// Samples that were due beyond the limit of their turn.
    pub skipped: u32,
    /// 1 once the first distance has been drawn.
    pub primed: u32,
}

/// How often to sample; user space writes it once a second.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Pace {
    /// Mean distance of samples in requests; 0: none are taken.
    pub period: u32,
    /// Samples that one CPU may take in one turn, whatever the load does meanwhile.
    pub limit: u32,
    /// Counts up.
    pub turn: u32,
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{Done, FRAMES, Pace, Sampler, Stack};
    use crate::{
        device::Device,
        placeholder::setting,
        ring::{STACK, STACK_DONE, bpf::send, bpf::send_with},
    };
    use aya_ebpf::{
        EbpfContext as _,
        bindings::BPF_F_USER_STACK,
        btf_maps::{Array, PerCpuArray},
        helpers::{
            bpf_get_current_pid_tgid, bpf_get_prandom_u32, bpf_get_smp_processor_id,
            generated::{bpf_get_current_comm, bpf_get_stack},
        },
        macros::btf_map,
        programs::BtfTracePointContext,
    };

    #[btf_map(name = "SAMPLER")]
    static SAMPLER: PerCpuArray<Sampler, 1> = PerCpuArray::new();
    #[btf_map(name = "PACE")]
    static PACE: Array<Pace, 1> = Array::new();

    /// Takes a stack when it is due; returns its id, or 0.
    #[inline(always)]
    pub fn sample(ctx: &BtfTracePointContext, device: &Device, op: u32) -> u64 {
        if setting!(Stacks) == 0 {
            return 0;
        }
        let Some(sampler) = SAMPLER.get_ptr_mut(0) else {
            return 0;
        };
        // SAFETY: this CPU's row, written by this program alone.
        let sampler = unsafe { &mut *sampler };
        if sampler.left > 0 {
            sampler.left -= 1;
            return 0;
        }
        let Some(&Pace {
            period,
            limit,
            turn,
        }) = PACE.get(0)
        else {
            return 0;
        };
        if period == 0 {
            return 0;
        }
        // Uniform over 0..=2 * period - 2: the mean distance of samples is the period.
        // SAFETY: a helper without arguments.
        sampler.left = unsafe { bpf_get_prandom_u32() } % (2 * period - 1);
        if sampler.primed == 0 {
            // The first request of a CPU is no more likely to be taken than any other.
            sampler.primed = 1;
            return 0;
        }
        if sampler.turn != turn {
            sampler.turn = turn;
            sampler.taken_in_turn = 0;
        }
        if sampler.taken_in_turn >= limit {
            sampler.skipped += 1;
            return 0;
        }
        sampler.taken_in_turn += 1;
        sampler.taken += 1;
        // SAFETY: a helper without arguments.
        let cpu = u64::from(unsafe { bpf_get_smp_processor_id() });
        let id = (cpu + 1) << 32 | u64::from(sampler.taken);
        let dev = device.dev;
        send_with(STACK, |record: *mut Stack| {
            take(
                ctx,
                record,
                Taken {
                    id,
                    dev,
                    op,
                    period,
                },
            )
        });
        id
    }

    struct Taken {
        id: u64,
        dev: u32,
        op: u32,
        period: u32,
    }

    #[inline(always)]
    fn take(ctx: &BtfTracePointContext, record: *mut Stack, taken: Taken) {
        const BYTES: u32 = (FRAMES * 8) as u32;
        // SAFETY: `record` is reserved ring memory of this size; the helpers write at most the
        // sizes they are given.
        unsafe {
            (*record).kind = STACK;
            (*record).tgid = (bpf_get_current_pid_tgid() >> 32) as u32;
            (*record).id = taken.id;
            (*record).dev = taken.dev;
            (*record).op = taken.op;
            (*record).period = taken.period;
            (*record).reserved = 0;
            bpf_get_current_comm((&raw mut (*record).command).cast(), 16);
            (*record).kernel_bytes =
                bpf_get_stack(ctx.as_ptr(), (&raw mut (*record).kernel).cast(), BYTES, 0) as i32;
            (*record).user_bytes = bpf_get_stack(
                ctx.as_ptr(),
                (&raw mut (*record).user).cast(),
                BYTES,
                u64::from(BPF_F_USER_STACK),
            ) as i32;
        }
    }

    /// Sends the weight of a sampled request.
    #[inline(always)]
    pub fn done(id: u64, device_ns: u64, bytes: u32) {
        send(
            STACK_DONE,
            &Done {
                kind: STACK_DONE,
                bytes,
                id,
                device_ns,
            },
        );
    }
}
