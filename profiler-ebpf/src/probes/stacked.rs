//! Bios of devices without requests (md, dm, zram, ...), from queued to completed.
//!
//! Keyed by the bio's address: a split advances the bio, so start and length are kept from when it
//! was queued. Fragments complete under addresses that were never queued and are left alone.

use crate::bucket::SIZE;
use crate::probe::{Attach, Hook, Probe, Program};
use crate::probes::block::Latency;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "stacked",
    about: "bios of stacked devices: time, size, chunk crossings",
    hooks: &[
        Hook {
            tracepoint: "block_bio_complete",
            attach: Attach::Btf,
            required: true,
            gives: "bio completions",
            programs: &[Program {
                name: "block_bio_complete",
                arguments: &[(1, "bio")],
            }],
        },
        Hook {
            tracepoint: "block_bio_queue",
            attach: Attach::Btf,
            required: true,
            gives: "bios queued",
            programs: &[
                Program {
                    name: "block_bio_queue",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "block_bio_queue_1",
                    arguments: &[(1, "bio")],
                },
            ],
        },
    ],
};

/// Bios of stacked devices that can be in flight at once.
pub const BIOS: usize = 16_384;

/// A bio in flight.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct InFlight {
    pub queued_ns: u64,
    pub bytes: u32,
    /// Row in the tables below.
    pub row: u32,
}

/// Per CPU, device and operation; written by `block_bio_queue` alone.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Queued {
    pub bios: u64,
    pub bytes: u64,
    pub crossings: u64,
    pub table_full: u64,
    pub size: [u32; SIZE.buckets() + 1],
}

/// Per CPU, device and operation; written by `block_bio_complete` alone.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Finished {
    pub bios: u64,
    pub bytes: u64,
    pub errors: u64,
    pub negative: u64,
    pub sum_ns: u64,
    pub latency: Latency,
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::{BIOS, Finished, InFlight, Queued};
    use crate::{
        asm::count,
        bucket::{LATENCY, SIZE},
        device::{self, OPS},
        kernel::{Pointer, Typed, bio},
    };
    use aya_ebpf::{
        btf_maps::{HashMap, PerCpuArray},
        helpers::bpf_ktime_get_ns,
        macros::{btf_map, btf_tracepoint},
        programs::BtfTracePointContext,
    };

    #[btf_map(name = "BIOS")]
    static IN_FLIGHT: HashMap<u64, InFlight, BIOS> = HashMap::new();
    #[btf_map(name = "BIOS_QUEUED")]
    static QUEUED: PerCpuArray<Queued, 1> = PerCpuArray::new();
    #[btf_map(name = "BIOS_FINISHED")]
    static FINISHED: PerCpuArray<Finished, 1> = PerCpuArray::new();

    #[btf_tracepoint(function = "block_bio_queue")]
    pub fn block_bio_queue(ctx: BtfTracePointContext) -> i32 {
        queue(Pointer::new(ctx.arg(0)))
    }
    #[btf_tracepoint(function = "block_bio_queue")]
    pub fn block_bio_queue_1(ctx: BtfTracePointContext) -> i32 {
        queue(Pointer::new(ctx.arg(1)))
    }

    #[inline(always)]
    fn queue(b: Pointer<Typed, bio>) -> i32 {
        let Some(device) = device::bpf::of_bio(b) else {
            return 0;
        };
        if device.bio_based == 0 {
            return 0;
        }
        let row = device.slot * OPS + device::op(b.bi_opf());
        let Some(queued) = QUEUED.get_ptr_mut(row) else {
            return 0;
        };
        // SAFETY: this CPU's row, written by this program alone.
        let queued = unsafe { &mut *queued };
        let bytes = b.bi_size();
        queued.bios += 1;
        queued.bytes += u64::from(bytes);
        count(&mut queued.size, SIZE.index(u64::from(bytes)));
        let chunk = u64::from(device.chunk_sectors);
        // Computed: kernels before 6.12.117 cut bios at chunk ends without telling.
        if chunk != 0 && b.bi_sector() % chunk + u64::from(bytes >> 9) > chunk {
            queued.crossings += 1;
        }
        // SAFETY: a helper without arguments.
        let queued_ns = unsafe { bpf_ktime_get_ns() };
        if IN_FLIGHT
            .insert(
                b.address(),
                InFlight {
                    queued_ns,
                    bytes,
                    row,
                },
                0,
            )
            .is_err()
        {
            queued.table_full += 1;
        }
        0
    }

    #[btf_tracepoint(function = "block_bio_complete")]
    pub fn block_bio_complete(ctx: BtfTracePointContext) -> i32 {
        let b = Pointer::<Typed, bio>::new(ctx.arg(1));
        let Some(device) = device::bpf::of_bio(b) else {
            return 0;
        };
        if device.bio_based == 0 {
            return 0;
        }
        let key = b.address();
        // SAFETY: the entry is copied before anything could reuse it.
        let Some(entry) = (unsafe { IN_FLIGHT.get(key).copied() }) else {
            return 0;
        };
        let _ = IN_FLIGHT.remove(key);
        let Some(finished) = FINISHED.get_ptr_mut(entry.row) else {
            return 0;
        };
        // SAFETY: this CPU's row, written by this program alone.
        let finished = unsafe { &mut *finished };
        // SAFETY: a helper without arguments.
        let now = unsafe { bpf_ktime_get_ns() };
        finished.bios += 1;
        finished.bytes += u64::from(entry.bytes);
        finished.errors += u64::from(bio::bi_status() && b.bi_status() != 0);
        if now < entry.queued_ns {
            finished.negative += 1;
        } else {
            let took = now - entry.queued_ns;
            finished.sum_ns += took;
            count(&mut finished.latency, LATENCY.index(took));
        }
        0
    }
}
