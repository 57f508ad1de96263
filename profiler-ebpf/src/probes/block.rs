//! Requests from issue to completion: the group that is always on.
//!
//! No hash map: a request is found by its device, hardware queue and tag. With a scheduler that is
//! the scheduler's tag, which the request keeps when it is requeued and loses its driver tag. Each per-CPU counter is
//! written by one program only, and the kernel never runs a program twice on one CPU at a time
//! (it skips and counts the second run), so no update is lost and none needs a lock.

use crate::bucket::{COUNT, LATENCY, SIZE};
use crate::probe::{Attach, Hook, Probe, Program};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const PROBE: Probe = Probe {
    id: "block",
    about: "requests: queue, device and request time, size, depth, merges, errors",
    hooks: &[
        Hook {
            tracepoint: "block_rq_complete",
            attach: Attach::Btf,
            required: true,
            gives: "completions",
            programs: &[Program {
                name: "block_rq_complete",
                arguments: &[(0, "request")],
            }],
        },
        Hook {
            tracepoint: "block_rq_issue",
            attach: Attach::Btf,
            required: true,
            gives: "issues",
            programs: &[
                Program {
                    name: "block_rq_issue",
                    arguments: &[(0, "request")],
                },
                Program {
                    name: "block_rq_issue_1",
                    arguments: &[(1, "request")],
                },
            ],
        },
        Hook {
            tracepoint: "block_rq_requeue",
            attach: Attach::Btf,
            required: false,
            gives: "requeues",
            programs: &[
                Program {
                    name: "block_rq_requeue",
                    arguments: &[(0, "request")],
                },
                Program {
                    name: "block_rq_requeue_1",
                    arguments: &[(1, "request")],
                },
            ],
        },
        Hook {
            tracepoint: "block_bio_backmerge",
            attach: Attach::Btf,
            required: false,
            gives: "back merges",
            programs: &[
                Program {
                    name: "block_bio_backmerge",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "block_bio_backmerge_2",
                    arguments: &[(2, "bio")],
                },
            ],
        },
        Hook {
            tracepoint: "block_bio_frontmerge",
            attach: Attach::Btf,
            required: false,
            gives: "front merges",
            programs: &[
                Program {
                    name: "block_bio_frontmerge",
                    arguments: &[(0, "bio")],
                },
                Program {
                    name: "block_bio_frontmerge_2",
                    arguments: &[(2, "bio")],
                },
            ],
        },
        Hook {
            tracepoint: "block_rq_merge",
            attach: Attach::Btf,
            required: false,
            gives: "request merges",
            programs: &[
                Program {
                    name: "block_rq_merge",
                    arguments: &[(0, "request")],
                },
                Program {
                    name: "block_rq_merge_1",
                    arguments: &[(1, "request")],
                },
            ],
        },
    ],
};

/// Bios that are counted in one request; more fall into the overflow of the histogram.
pub const BIOS_COUNTED: u32 = 64;
/// Ends of earlier requests that are remembered per device and operation.
pub const STREAMS: usize = 64;
/// Two requests closer than this many sectors (1 MiB) are near.
pub const NEAR_SECTORS: u64 = 2048;

pub const QUEUE: usize = 0;
pub const DEVICE: usize = 1;
pub const REQUEST: usize = 2;
/// Spans timed by this group, in the order of [`Completed::spans`].
pub const SPANS: usize = 3;

/// A request between issue and completion, at its tag.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Tag {
    /// Address of the request; 0: the tag is free.
    pub request: u64,
    pub issued_ns: u64,
    /// `bi_opf` of the first bio or-ed with `cmd_flags`, as they were at issue.
    pub flags: u32,
    pub bytes: u32,
    /// Sampled stack; 0: none.
    pub stack: u64,
}

/// Counted at issue, per CPU, device and operation; written by `block_rq_issue` alone.
///
/// The number of requests is that of the size histogram: a row is copied while it is written, and
/// what is counted once cannot disagree with itself.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Issued {
    pub sequential: u64,
    pub near: u64,
    pub random: u64,
    pub size_bytes_sum: u64,
    pub depth_sum: u64,
    /// Bios of requests that do not carry exactly one.
    pub bios_sum: u64,
    pub size: [u32; SIZE.buckets() + 1],
    /// Of sampled issues: the depth is a sum over all CPUs.
    pub depth: [u32; COUNT.buckets() + 1],
    /// Of requests that do not carry exactly one bio.
    pub bios: [u32; COUNT.buckets() + 1],
}

/// Buckets of a latency histogram, and one that pads them to eight bytes.
pub type Latency = [u32; LATENCY.buckets() + 1];

/// CPUs with a line of their own in [`InFlight`]; more share them, with atomic additions.
pub const FLIGHT_CPUS: usize = 128;

/// Requests of one device that entered and left flight on one CPU, alone in its cache line. A
/// request may leave on another CPU than it entered on, so only sums over all lines mean something.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Flight {
    /// Written by `block_rq_issue` alone, as the next by `block_rq_complete`, and by
    /// `block_rq_requeue`.
    pub entered: u64,
    pub completed: u64,
    pub requeued: u64,
    pub reserved: [u64; 5],
}

/// The lines of one device.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct InFlight {
    pub cpus: [Flight; FLIGHT_CPUS],
}

impl InFlight {
    /// Requests in flight. The lines are read one after the other, so under load the number may
    /// be off by what moves meanwhile.
    pub fn requests(&self) -> u64 {
        let sum = self.cpus.iter().fold(0u64, |sum, cpu| {
            sum.wrapping_add(cpu.entered)
                .wrapping_sub(cpu.completed)
                .wrapping_sub(cpu.requeued)
        });
        if sum as i64 >= 0 { sum } else { 0 }
    }
}

/// Counted at completion, per CPU, device and operation; written by `block_rq_complete` alone.
/// Completed requests are those of the device span, the untimed and those of an unknown tag.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Completed {
    pub bytes: u64,
    pub sums_ns: [u64; SPANS],
    pub errors: u64,
    /// Whose issue was not seen.
    pub unmatched: u64,
    /// Those of them that the kernel had not stamped either.
    pub untimed: u64,
    pub unknown_tag: u64,
    pub before_issue: u64,
    pub negative: u64,
    /// Requests by their flags; see [`flags_index`].
    pub flags: [u32; FLAG_SETS],
    pub spans: [Latency; SPANS],
}

/// Rare events per device and operation; each field has one writer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Rare {
    pub requeued: u64,
    /// Issued again although neither an end nor a requeue was seen.
    pub reissued: u64,
    /// Tags taken anew although the end of the request before was not seen, and its bytes.
    pub end_unseen: u64,
    pub unseen_bytes: u64,
    pub back_merges: u64,
    pub front_merges: u64,
    pub request_merges: u64,
}

// include/linux/blk_types.h; bits 8 to 21 are the same from 5.10 to 7.3.
pub const REQ_SYNC: u32 = 1 << 11;
pub const REQ_META: u32 = 1 << 12;
pub const REQ_FUA: u32 = 1 << 17;
pub const REQ_PREFLUSH: u32 = 1 << 18;
pub const REQ_RAHEAD: u32 = 1 << 19;
pub const REQ_BACKGROUND: u32 = 1 << 20;

/// Sets of the six flags that are counted.
pub const FLAG_SETS: usize = 64;

/// The place of a set of flags: SYNC, META, then FUA, PREFLUSH, RAHEAD, BACKGROUND.
#[inline(always)]
pub const fn flags_index(flags: u32) -> usize {
    (flags >> 11 & 3 | (flags >> 17 & 15) << 2) as usize
}

#[cfg(target_arch = "bpf")]
pub mod program {
    use super::*;
    use crate::{
        asm::{MMAPABLE, add_shared, count, masked},
        device::{self, Device, FLUSH, OPS, WRITE},
        kernel::{Pointer, Typed, bio, request},
        placeholder::setting,
    };
    use aya_ebpf::{
        btf_maps::{Array, PerCpuArray},
        helpers::{bpf_get_smp_processor_id, bpf_ktime_get_ns},
        macros::{btf_map, btf_tracepoint},
        programs::BtfTracePointContext,
    };
    use core::{mem::offset_of, ptr::read_volatile};

    // Sized by user space before loading: one row is a placeholder.
    #[btf_map(name = "TAGS")]
    static TAGS: Array<Tag, 1, MMAPABLE> = Array::new();
    #[btf_map(name = "ISSUED")]
    static ISSUED: PerCpuArray<Issued, 1> = PerCpuArray::new();
    #[btf_map(name = "COMPLETED")]
    static COMPLETED: PerCpuArray<Completed, 1> = PerCpuArray::new();
    #[btf_map(name = "RARE")]
    static RARE: PerCpuArray<Rare, 1> = PerCpuArray::new();
    /// Requests that entered and left flight, by device.
    #[btf_map(name = "IN_FLIGHT")]
    static IN_FLIGHT: Array<InFlight, 1, MMAPABLE> = Array::new();
    /// Where earlier requests ended, by device and operation.
    #[btf_map(name = "ENDS")]
    static ENDS: Array<[u64; STREAMS], 1, MMAPABLE> = Array::new();

    type Request = Pointer<Typed, request>;

    #[btf_tracepoint(function = "block_rq_issue")]
    pub fn block_rq_issue(ctx: BtfTracePointContext) -> i32 {
        issue(&ctx, Request::new(ctx.arg(0)))
    }

    #[btf_tracepoint(function = "block_rq_issue")]
    pub fn block_rq_issue_1(ctx: BtfTracePointContext) -> i32 {
        issue(&ctx, Request::new(ctx.arg(1)))
    }

    #[inline(always)]
    fn issue(ctx: &BtfTracePointContext, rq: Request) -> i32 {
        // First, since the clock waits for all reads before it: what our own work misses in the
        // caches is then fetched while the kernel goes on.
        // SAFETY: a helper without arguments.
        let now = unsafe { bpf_ktime_get_ns() };
        let Some(device) = device::bpf::of_request(rq) else {
            device::bpf::count_unknown();
            return 0;
        };
        let Some(flight) = IN_FLIGHT.get_ptr_mut(device.slot) else {
            return 0;
        };
        let cmd_flags = rq.cmd_flags();
        let what = What {
            cmd_flags,
            op: device::op(cmd_flags),
            bytes: rq.__data_len(),
        };
        let row = device.slot * OPS + what.op;
        if let Some(tag) = tag_of(device, rq) {
            tag.stack = crate::probes::stack::program::sample(ctx, device, what.op);
            enter(device, rq, &what, flight, tag, now);
        }
        if let Some(issued) = ISSUED.get_ptr_mut(row) {
            // SAFETY: this CPU's row, written by this program alone.
            describe(rq, &what, row, unsafe { &mut *issued });
            if sampled(now) {
                let depth = in_flight(flight);
                // SAFETY: as above.
                let issued = unsafe { &mut *issued };
                issued.depth_sum += depth;
                count(&mut issued.depth, COUNT.index(depth));
            }
        }
        0
    }

    /// What is read of a request once and used more than once.
    struct What {
        cmd_flags: u32,
        op: u32,
        bytes: u32,
    }

    /// Marks the tag as taken.
    #[inline(always)]
    fn enter(
        device: &Device,
        rq: Request,
        what: &What,
        flight: *mut InFlight,
        tag: &mut Tag,
        now: u64,
    ) {
        if tag.request == 0 {
            add(flight, offset_of!(Flight, entered));
        } else if rq.start_time_ns() <= tag.issued_ns {
            // A request that was allocated before its last issue is the same one again.
            if let Some(rare) = rare(Some(device), what.cmd_flags) {
                rare.reissued += 1;
            }
        } else if let Some(rare) = rare(Some(device), tag.flags) {
            // The tag has a new user and the end of the old one was missed.
            rare.end_unseen += 1;
            rare.unseen_bytes += u64::from(tag.bytes);
        }
        tag.request = rq.address();
        tag.issued_ns = now;
        // Of a write the kernel has taken off what it will do by flushes of its own.
        tag.flags = match what.op {
            WRITE => what.cmd_flags | rq.bio().bi_opf(),
            _ => what.cmd_flags,
        };
        tag.bytes = what.bytes;
    }

    /// Counts what the request is.
    #[inline(always)]
    fn describe(rq: Request, what: &What, row: u32, issued: &mut Issued) {
        let bytes = what.bytes;
        issued.size_bytes_sum += u64::from(bytes);
        count(&mut issued.size, SIZE.index(u64::from(bytes)));
        let bios = bios(rq);
        if bios != 1 {
            issued.bios_sum += u64::from(bios);
            count(&mut issued.bios, COUNT.index(u64::from(bios)));
        }
        if bytes != 0 {
            locality(row, rq.__sector(), u64::from(bytes >> 9), issued);
        }
    }

    /// Whether the depth is looked at: once in `DepthEvery` issues, not in step with batches, since
    /// the low digits of the clock decide.
    #[inline(always)]
    fn sampled(now: u64) -> bool {
        // The fractional part of the golden ratio spreads clocks of any resolution.
        let spread = now.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        spread & u64::from(setting!(DepthEvery) - 1) == 0
    }

    /// The sum over the lines of all CPUs.
    #[inline(always)]
    fn in_flight(flight: *mut InFlight) -> u64 {
        let mut sum = 0u64;
        let mut cpu = 0;
        while cpu < FLIGHT_CPUS && cpu < setting!(Cpus) as usize {
            // SAFETY: the index is below the length; whole words, read once.
            unsafe {
                let line = flight.cast::<Flight>().add(cpu);
                sum += read_volatile(&raw const (*line).entered);
                sum -= read_volatile(&raw const (*line).completed);
                sum -= read_volatile(&raw const (*line).requeued);
            }
            cpu += 1;
        }
        // Lines are read one after the other: a request may be seen to leave and not to enter.
        if sum as i64 > 0 { sum } else { 0 }
    }

    /// Counts in this CPU's line.
    #[inline(always)]
    fn add(flight: *mut InFlight, field: usize) {
        // SAFETY: a helper without arguments.
        let cpu = unsafe { bpf_get_smp_processor_id() };
        let line = masked::<{ FLIGHT_CPUS.ilog2() }>(u64::from(cpu));
        // SAFETY: masked to the number of lines; the field lies inside a line.
        let counter = unsafe {
            flight
                .cast::<Flight>()
                .add(line)
                .cast::<u64>()
                .byte_add(field)
        };
        if setting!(Cpus) as usize > FLIGHT_CPUS {
            add_shared(counter, 1);
        } else {
            // SAFETY: this CPU's counter, written by this program alone.
            unsafe { *counter += 1 };
        }
    }

    /// Frees the tag: the request is no longer in flight.
    #[inline(always)]
    fn leave(device: &Device, tag: &mut Tag, by: usize) {
        tag.request = 0;
        if let Some(flight) = IN_FLIGHT.get_ptr_mut(device.slot) {
            add(flight, by);
        }
    }

    #[inline(always)]
    fn tag_of(device: &Device, rq: Request) -> Option<&'static mut Tag> {
        let internal = rq.internal_tag();
        let tag = if internal >= 0 { internal } else { rq.tag() } as u32;
        let queue = if device.queues > 1 {
            rq.mq_hctx().queue_num()
        } else {
            0
        };
        if tag >= device.tags || queue >= device.queues {
            return None;
        }
        let row = TAGS.get_ptr_mut(device.tag_base + queue * device.tags + tag)?;
        // SAFETY: rows of one tag are touched by the request that holds the tag.
        Some(unsafe { &mut *row })
    }

    #[inline(always)]
    fn bios(rq: Request) -> u32 {
        let mut bio: Pointer<Typed, bio> = rq.bio();
        // Most requests carry one: told without touching it.
        if !bio.is_null() && bio.address() == rq.biotail().address() {
            return 1;
        }
        let mut n = 0;
        while n < BIOS_COUNTED && !bio.is_null() {
            n += 1;
            bio = bio.bi_next();
        }
        n
    }

    /// Compares the start with the end of the last request of the same stream. Ends are kept by
    /// the mebibyte in which they lie, so up to 64 interleaved streams are told apart.
    #[inline(always)]
    fn locality(row: u32, start: u64, sectors: u64, issued: &mut Issued) {
        let Some(ends) = ENDS.get_ptr_mut(row) else {
            return;
        };
        let end = start + sectors;
        let (here, next) = (masked::<6>(start >> 11), masked::<6>(end >> 11));
        // SAFETY: both indices are masked to 0..64; words are read and written whole.
        let last = unsafe { *ends.cast::<u64>().add(here) };
        if last == start && last != 0 {
            issued.sequential += 1;
        } else if last != 0 && last.abs_diff(start) <= NEAR_SECTORS {
            issued.near += 1;
        } else {
            issued.random += 1;
        }
        // SAFETY: as above.
        unsafe { *ends.cast::<u64>().add(next) = end };
    }

    #[btf_tracepoint(function = "block_rq_complete")]
    pub fn block_rq_complete(ctx: BtfTracePointContext) -> i32 {
        // SAFETY: a helper without arguments.
        let now = unsafe { bpf_ktime_get_ns() };
        let rq = Request::new(ctx.arg(0));
        let error = ctx.arg::<u64>(1) as u32;
        let bytes = ctx.arg::<u64>(2) as u32;
        // Read first: the line was written by the CPU that issued, and its way here takes as long
        // as much of the rest.
        let from = From {
            started_ns: rq.start_time_ns(),
            flags: rq.rq_flags(),
        };
        let Some(device) = device::bpf::of_request(rq) else {
            return 0;
        };
        let op = device::op(rq.cmd_flags());
        if let Some(done) = COMPLETED.get_ptr_mut(device.slot * OPS + op) {
            // SAFETY: this CPU's row, written by this program alone.
            let done = unsafe { &mut *done };
            complete(device, rq, op, from, Ending { now, error, bytes }, done);
        }
        0
    }

    /// What a request says of its beginning.
    #[derive(Clone, Copy)]
    struct From {
        started_ns: u64,
        flags: u32,
    }

    struct Ending {
        now: u64,
        error: u32,
        bytes: u32,
    }

    #[inline(always)]
    fn complete(
        device: &Device,
        rq: Request,
        op: u32,
        from: From,
        end: Ending,
        done: &mut Completed,
    ) {
        let left = rq.__data_len();
        done.bytes += u64::from(end.bytes);
        if end.bytes < left {
            // A part of the request (SCSI reports good bytes first): the end is still to come.
            return;
        }
        let started = from.flags & setting!(RqfIoStat) != 0 || op == FLUSH;
        if op == WRITE && left == 0 {
            // The outer end of a flush sequence. The data was counted when the device was done
            // with it; an empty one never was a write to the device (block/blk-flush.c).
            if rq.io_start_time_ns() == 0 {
                done.before_issue += 1;
            } else if started {
                span(done, REQUEST, from.started_ns, end.now);
            }
            return;
        }
        if end.error != 0 {
            done.errors += 1;
        }
        let Some(tag) = tag_of(device, rq) else {
            done.unknown_tag += 1;
            return;
        };
        let seen = tag.request == rq.address();
        let issued_ns = if seen {
            tag.issued_ns
        } else {
            // Issued before we were attached, or while the kernel skipped our program: its own
            // stamp is the next best (zero at allocation, and where the queue keeps none).
            done.unmatched += 1;
            rq.io_start_time_ns()
        };
        if issued_ns == 0 {
            done.untimed += 1;
            return;
        }
        // Clocks of two CPUs may differ by a hair: a completion is never lost for that.
        span(done, DEVICE, issued_ns.min(end.now), end.now);
        // `start_time_ns` may not belong to this use of the request: since 6.16 it is stale where
        // I/O statistics are off (block/blk-mq.c, blk_account_io_start).
        if started {
            span(done, QUEUE, from.started_ns, issued_ns);
            // The data part of a flush sequence is followed by the flush: the request goes on.
            if from.flags & setting!(RqfFlushSeq) == 0 || op == FLUSH {
                span(done, REQUEST, from.started_ns, end.now);
            }
        }
        if !seen {
            count(&mut done.flags, flags_index(rq.cmd_flags()));
            return;
        }
        count(&mut done.flags, flags_index(tag.flags));
        if tag.stack != 0 {
            let took = end.now.saturating_sub(tag.issued_ns);
            crate::probes::stack::program::done(tag.stack, took, end.bytes);
        }
        leave(device, tag, offset_of!(Flight, completed));
    }

    #[inline(always)]
    fn span(done: &mut Completed, which: usize, from: u64, to: u64) {
        if to < from || from == 0 {
            done.negative += 1;
            return;
        }
        done.sums_ns[which] += to - from;
        count(&mut done.spans[which], LATENCY.index(to - from));
    }

    /// This CPU's row of rare events for a device and operation.
    #[inline(always)]
    fn rare(device: Option<&Device>, flags: u32) -> Option<&'static mut Rare> {
        let row = RARE.get_ptr_mut(device?.slot * OPS + device::op(flags))?;
        // SAFETY: this CPU's row; each field has one writing program.
        Some(unsafe { &mut *row })
    }

    #[inline(always)]
    fn on_request(rq: Request, change: impl FnOnce(&mut Rare)) -> i32 {
        if let Some(rare) = rare(device::bpf::of_request(rq), rq.cmd_flags()) {
            change(rare);
        }
        0
    }

    #[inline(always)]
    fn on_bio(b: Pointer<Typed, bio>, change: impl FnOnce(&mut Rare)) -> i32 {
        if let Some(rare) = rare(device::bpf::of_bio(b), b.bi_opf()) {
            change(rare);
        }
        0
    }

    /// The device gave the request back: it is no longer in flight and will be issued again.
    #[inline(always)]
    fn requeue(rq: Request) -> i32 {
        let Some(device) = device::bpf::of_request(rq) else {
            return 0;
        };
        if let Some(tag) = tag_of(device, rq)
            && tag.request == rq.address()
        {
            leave(device, tag, offset_of!(Flight, requeued));
        }
        if let Some(rare) = rare(Some(device), rq.cmd_flags()) {
            rare.requeued += 1;
        }
        0
    }

    #[btf_tracepoint(function = "block_rq_requeue")]
    pub fn block_rq_requeue(ctx: BtfTracePointContext) -> i32 {
        requeue(Request::new(ctx.arg(0)))
    }
    #[btf_tracepoint(function = "block_rq_requeue")]
    pub fn block_rq_requeue_1(ctx: BtfTracePointContext) -> i32 {
        requeue(Request::new(ctx.arg(1)))
    }
    #[btf_tracepoint(function = "block_rq_merge")]
    pub fn block_rq_merge(ctx: BtfTracePointContext) -> i32 {
        on_request(Request::new(ctx.arg(0)), |rare| rare.request_merges += 1)
    }
    #[btf_tracepoint(function = "block_rq_merge")]
    pub fn block_rq_merge_1(ctx: BtfTracePointContext) -> i32 {
        on_request(Request::new(ctx.arg(1)), |rare| rare.request_merges += 1)
    }
    #[btf_tracepoint(function = "block_bio_backmerge")]
    pub fn block_bio_backmerge(ctx: BtfTracePointContext) -> i32 {
        on_bio(Pointer::new(ctx.arg(0)), |rare| rare.back_merges += 1)
    }
    #[btf_tracepoint(function = "block_bio_backmerge")]
    pub fn block_bio_backmerge_2(ctx: BtfTracePointContext) -> i32 {
        on_bio(Pointer::new(ctx.arg(2)), |rare| rare.back_merges += 1)
    }
    #[btf_tracepoint(function = "block_bio_frontmerge")]
    pub fn block_bio_frontmerge(ctx: BtfTracePointContext) -> i32 {
        on_bio(Pointer::new(ctx.arg(0)), |rare| rare.front_merges += 1)
    }
    #[btf_tracepoint(function = "block_bio_frontmerge")]
    pub fn block_bio_frontmerge_2(ctx: BtfTracePointContext) -> i32 {
        on_bio(Pointer::new(ctx.arg(2)), |rare| rare.front_merges += 1)
    }
}
