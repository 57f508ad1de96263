//! What happens to requests before they are issued: allocation, insertion, plugs and splits.

use crate::probe::{Attach, Hook, Probe, Program};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "queue",
    about: "requests allocated and inserted, plugs, unplugs, splits",
    hooks: &[
        Hook {
            tracepoint: "block_getrq",
            attach: Attach::Btf,
            required: false,
            gives: "requests allocated",
            programs: &[
                Program {
                    name: "block_getrq",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "block_getrq_1",
                    arguments: &[(1, "bio")],
                },
            ],
        },
        Hook {
            tracepoint: "block_rq_insert",
            attach: Attach::Btf,
            required: false,
            gives: "requests inserted into the scheduler",
            programs: &[
                Program {
                    name: "block_rq_insert",
                    arguments: &[(0, "request")],
                },
                Program {
                    name: "block_rq_insert_1",
                    arguments: &[(1, "request")],
                },
            ],
        },
        Hook {
            tracepoint: "block_plug",
            attach: Attach::Btf,
            required: false,
            gives: "plugs",
            programs: &[Program {
                name: "block_plug",
                arguments: &[(0, "request_queue")],
            }],
        },
        Hook {
            tracepoint: "block_unplug",
            attach: Attach::Btf,
            required: false,
            gives: "unplugs",
            programs: &[Program {
                name: "block_unplug",
                arguments: &[(0, "request_queue")],
            }],
        },
        Hook {
            tracepoint: "block_split",
            attach: Attach::Btf,
            required: false,
            gives: "splits",
            programs: &[
                Program {
                    name: "block_split",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "block_split_1",
                    arguments: &[(1, "bio")],
                },
            ],
        },
    ],
};

/// Per CPU and device (request devices first, then bio devices); each field has one writer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Events {
    pub allocated: u64,
    pub inserted: u64,
    pub plugs: u64,
    pub unplugs: u64,
    pub unplugged_requests: u64,
    pub splits: u64,
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::Events;
    use crate::{
        device::{self, Device},
        kernel::{Pointer, Typed, bio, request, request_queue},
        placeholder::setting,
        probes::{block::REQ_PREFLUSH, journal, sync},
    };
    use aya_ebpf::{
        btf_maps::PerCpuArray,
        macros::{btf_map, btf_tracepoint},
        programs::BtfTracePointContext,
    };

    #[btf_map(name = "QUEUE_EVENTS")]
    static QUEUE_EVENTS: PerCpuArray<Events, 1> = PerCpuArray::new();

    #[inline(always)]
    fn note(device: Option<&Device>, change: impl FnOnce(&mut Events)) -> i32 {
        let Some(device) = device else { return 0 };
        let base = if device.bio_based != 0 {
            setting!(BioRows)
        } else {
            0
        };
        if let Some(events) = QUEUE_EVENTS.get_ptr_mut(base + device.slot) {
            // SAFETY: this CPU's row; each field has one writing program.
            change(unsafe { &mut *events });
        }
        0
    }

    #[inline(always)]
    fn of_bio(raw: *const u8) -> Option<&'static Device> {
        device::bpf::of_bio(Pointer::<Typed, bio>::new(raw))
    }
    #[inline(always)]
    fn of_request(raw: *const u8) -> Option<&'static Device> {
        device::bpf::of_request(Pointer::<Typed, request>::new(raw))
    }
    #[inline(always)]
    fn of_queue(raw: *const u8) -> Option<&'static Device> {
        device::bpf::of_queue(Pointer::<Typed, request_queue>::new(raw))
    }

    #[inline(always)]
    fn allocated(raw: *const u8) -> i32 {
        let b = Pointer::<Typed, bio>::new(raw);
        // Behind a flush: a commit's record, or, empty, the end of a sync call. Both come from the
        // thread that waits.
        if b.bi_opf() & REQ_PREFLUSH != 0 {
            if b.bi_size() == 0 {
                sync::program::flushes();
            } else {
                journal::program::records();
            }
        }
        note(of_bio(raw), |events| events.allocated += 1)
    }

    #[btf_tracepoint(function = "block_getrq")]
    pub fn block_getrq(ctx: BtfTracePointContext) -> i32 {
        allocated(ctx.arg(0))
    }
    #[btf_tracepoint(function = "block_getrq")]
    pub fn block_getrq_1(ctx: BtfTracePointContext) -> i32 {
        allocated(ctx.arg(1))
    }
    #[btf_tracepoint(function = "block_rq_insert")]
    pub fn block_rq_insert(ctx: BtfTracePointContext) -> i32 {
        note(of_request(ctx.arg(0)), |events| events.inserted += 1)
    }
    #[btf_tracepoint(function = "block_rq_insert")]
    pub fn block_rq_insert_1(ctx: BtfTracePointContext) -> i32 {
        note(of_request(ctx.arg(1)), |events| events.inserted += 1)
    }
    #[btf_tracepoint(function = "block_plug")]
    pub fn block_plug(ctx: BtfTracePointContext) -> i32 {
        note(of_queue(ctx.arg(0)), |events| events.plugs += 1)
    }
    #[btf_tracepoint(function = "block_unplug")]
    pub fn block_unplug(ctx: BtfTracePointContext) -> i32 {
        let requests = ctx.arg::<u64>(1) as u32;
        note(of_queue(ctx.arg(0)), |events| {
            events.unplugs += 1;
            events.unplugged_requests += u64::from(requests);
        })
    }
    #[btf_tracepoint(function = "block_split")]
    pub fn block_split(ctx: BtfTracePointContext) -> i32 {
        note(of_bio(ctx.arg(0)), |events| events.splits += 1)
    }
    #[btf_tracepoint(function = "block_split")]
    pub fn block_split_1(ctx: BtfTracePointContext) -> i32 {
        note(of_bio(ctx.arg(1)), |events| events.splits += 1)
    }
}
