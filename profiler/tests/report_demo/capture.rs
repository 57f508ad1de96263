//! A made-up recording that has everything a report can show: a stall, losses, a span that was not
//! measured, a probe that is not available. Always the same, so that snapshots can be compared.

use super::dice::Dice;
use profiler::capture::*;
use profiler_ebpf::bucket::{COUNT, LATENCY, SIZE, Scale};
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;

/// One op's habits: how many a second, how slow, how large.
struct Habit {
    op: Op,
    per_second: u64,
    median_ns: f64,
    spread: f64,
    sizes: &'static [u64],
    depth: u64,
    sequential_percent: u64,
}

const READ: Habit = Habit {
    op: Op::Read,
    per_second: 310,
    median_ns: 240_000.0,
    spread: 0.55,
    sizes: &[8192, 8192, 8192, 8192, 8192, 8192, 16384, 131_072],
    depth: 3,
    sequential_percent: 4,
};
const WRITE: Habit = Habit {
    op: Op::Write,
    per_second: 130,
    median_ns: 610_000.0,
    spread: 0.7,
    sizes: &[4096, 8192, 8192, 16384, 65536, 262_144, 524_288],
    depth: 9,
    sequential_percent: 58,
};
const FLUSH: Habit = Habit {
    op: Op::Flush,
    per_second: 24,
    median_ns: 1_150_000.0,
    spread: 0.35,
    sizes: &[],
    depth: 2,
    sequential_percent: 0,
};

/// The whole recording.
pub(crate) fn demo() -> Capture {
    let mut dice = Dice::new(0x10_5a6e);
    let slices: Vec<Slice> = (0..20).map(|second| slice(&mut dice, second)).collect();
    Capture {
        format: Format::CURRENT,
        meta: Meta {
            tool: "iosage 0.1.0".into(),
            started: "2026-11-30T15:04:05Z".into(),
            started_monotonic_ns: 8_042 * SECOND,
            window_ns: 20 * SECOND,
            command: Some(vec!["iosage".into(), "run".into(), "database.fio".into()]),
            devices: vec![],
            ended_by: "command exited with 0".into(),
            extra: Extra::new(),
        },
        host: super::host::host(),
        probes: probes(),
        stacks: super::stacks::stacks(),
        workload: Some(super::workload::workload(&mut dice)),
        imported: Vec::new(),
        losses: Losses {
            ring_dropped: [("stack".to_owned(), 12)].into(),
            recursion_missed: Some(0),
            unknown_device: 0,
            unknown_tag: 0,
            negative_durations: 3,
            table_full: [("sync".to_owned(), 0)].into(),
            stacks_missing: 41,
            extra: Extra::new(),
        },
        own_cost: OwnCost {
            ns_per_event: Some(112.4),
            ns_per_request: Some(486.0),
            kernel_cpu_percent: Some(0.21),
            user_cpu_percent: Some(0.34),
            memory_bytes: 11_534_336,
            programs: [
                ("block_rq_issue", 18_912, 2_420_736),
                ("block_rq_complete", 18_905, 3_705_380),
                ("jbd2_end_commit", 402, 48_240),
            ]
            .into_iter()
            .map(|(name, runs, time_ns)| (name.to_owned(), ProgramCost { runs, time_ns }))
            .collect(),
        },
        slices,
        extra: Extra::new(),
    }
}

fn probes() -> Vec<ProbeStatus> {
    let probe = |id: &str, about: &str, state, reason: Option<&str>| ProbeStatus {
        id: id.into(),
        about: about.into(),
        state,
        reason: reason.map(str::to_owned),
    };
    use ProbeState::*;
    vec![
        probe(
            "block",
            "requests: queue, device and request time, size, depth, merges, errors",
            Ok,
            None,
        ),
        probe(
            "queue",
            "requests allocated and inserted, plugs, unplugs, splits",
            Ok,
            None,
        ),
        probe(
            "stacked",
            "bios of stacked devices: time, size, chunk crossings",
            Unavailable,
            Some("this kernel has no tracepoint block_bio_complete with a bio argument"),
        ),
        probe("journal", "phases of jbd2 commits", Ok, None),
        probe(
            "sync",
            "fsync and fdatasync by filesystem",
            Partial,
            Some("msync is not followed: its system call has no tracepoint here"),
        ),
        probe("wait", "bios waiting for a request", Ok, None),
        probe("writeback", "inodes dirtied, writers paused", Ok, None),
        probe(
            "stack",
            "sampled kernel and user stacks at issue, weighted by device time",
            Ok,
            Some("1 request in 8 is sampled"),
        ),
        probe("cgroup", "I/O by cgroup", Off, None),
    ]
}

fn slice(dice: &mut Dice, second: u64) -> Slice {
    let stall = second == 12 || second == 13;
    let mut devices = BTreeMap::new();
    devices.insert("254:0".to_owned(), device(dice, stall, 1.0, false));
    devices.insert("7:0".to_owned(), device(dice, stall, 1.25, true));
    Slice {
        at_ns: second * SECOND,
        length_ns: SECOND,
        devices,
        journals: [("7:0".to_owned(), journal(dice, stall))].into(),
        syncs: [
            ("7:0".to_owned(), syncs(dice, second, stall, 19)),
            ("254:1".to_owned(), syncs(dice, second, stall, 2)),
        ]
        .into(),
        dirtied: [(
            "7:0".to_owned(),
            DirtiedSlice {
                atime: 3,
                other: 180,
            },
        )]
        .into(),
        pauses: if stall { paused() } else { BTreeMap::new() },
        system: Some(system(dice, second, stall)),
        extra: Extra::new(),
    }
}

/// Writers paused in a stall: 25 times 8 ms, most of them the checkpointer's.
fn paused() -> BTreeMap<String, PauseSlice> {
    let sum = |pauses| PauseSum {
        pauses,
        sum_ns: pauses * 8_000_000,
    };
    let by_command = [("postgres".to_owned(), sum(22)), ("cp".to_owned(), sum(3))];
    let slice = PauseSlice {
        all: sum(25),
        by_command: by_command.into(),
    };
    [("7:0".to_owned(), slice)].into()
}

fn device(dice: &mut Dice, stall: bool, slower: f64, is_loop: bool) -> DeviceSlice {
    let mut slice = DeviceSlice {
        in_flight_end: Some(0),
        ..DeviceSlice::default()
    };
    if stall {
        let tags = WaitSum {
            requests: 31,
            sum_ns: 620_000_000,
        };
        slice.waits.insert(WaitCause::Tags, tags);
    }
    let mut queue = QueueSlice::default();
    for habit in [&READ, &WRITE, &FLUSH] {
        let counted = op(dice, habit, stall, slower, is_loop);
        queue.allocated += counted.issued;
        queue.inserted += counted.issued / 3;
        queue.plugs += counted.issued / 5;
        queue.unplugs += counted.issued / 5;
        queue.unplugged_requests += counted.issued / 2;
        queue.splits += counted.issued / 90;
        slice.ops.insert(habit.op, counted);
    }
    slice.queue = Some(queue);
    slice
}

fn op(dice: &mut Dice, habit: &Habit, stall: bool, slower: f64, is_loop: bool) -> OpSlice {
    let mut op = OpSlice::default();
    let busy = if stall {
        0.12
    } else {
        0.9 + 0.2 * dice.share()
    };
    let n = (habit.per_second as f64 * busy) as u64;
    let (mut queue, mut on_device, mut request) = (
        Histogram::new(&LATENCY),
        Histogram::new(&LATENCY),
        Histogram::new(&LATENCY),
    );
    let (mut sizes, mut depth, mut bios) = (
        Histogram::new(&SIZE),
        Histogram::new(&COUNT),
        Histogram::new(&COUNT),
    );
    for _ in 0..n {
        let held = if stall && dice.below(3) > 0 {
            220.0
        } else {
            1.0
        };
        let waited = dice.log_normal(2_600.0, 0.9) as u64;
        let served = dice.log_normal(habit.median_ns * slower * held, habit.spread) as u64;
        queue.add(waited);
        on_device.add(served);
        request.add(waited + served);
        depth.add(1 + dice.below(habit.depth * if stall { 6 } else { 1 }));
        if let Some(size) = dice.pick(habit.sizes) {
            sizes.add(*size);
            op.bytes += size;
            let carried = 1 + (*size / 65_536) * dice.below(4);
            bios.add(carried);
            op.merges.back += carried - 1;
            match dice.below(100) {
                roll if roll < habit.sequential_percent => op.sequential += 1,
                roll if roll < habit.sequential_percent + 6 => op.near += 1,
                _ => op.random += 1,
            }
        }
    }
    op.issued = n;
    op.completed = n;
    op.ended_before_issue = if habit.op == Op::Flush { n / 4 } else { 0 };
    op.merges.front = n / 70;
    op.flags.sync = if habit.op == Op::Read { n } else { n / 3 };
    op.flags.meta = n / 25;
    op.flags.preflush = if habit.op == Op::Flush { n } else { 0 };
    // The loop driver's flushes pass the queue untimed: a span that is missing for one op only.
    if !(is_loop && habit.op == Op::Flush) {
        op.spans.insert(Span::Queue, queue);
    }
    op.spans.insert(Span::Device, on_device);
    let mut wait = Histogram::new(&LATENCY);
    for _ in 0..request.n() {
        wait.add(dice.log_normal(900.0, 0.3) as u64);
    }
    op.spans.insert(Span::Wait, wait);
    op.spans.insert(Span::Request, request);
    op.depth = Some(depth);
    if habit.op != Op::Flush {
        op.size_bytes = Some(sizes);
        op.bios_per_request = Some(bios);
    }
    op
}

fn journal(dice: &mut Dice, stall: bool) -> JournalSlice {
    let commits = if stall { 3 } else { 18 + dice.below(5) };
    let held = if stall { 90.0 } else { 1.0 };
    let mut phases: BTreeMap<CommitPhase, Histogram> = BTreeMap::new();
    let mut add = |phase, value: u64| {
        phases
            .entry(phase)
            .or_insert_with(|| Histogram::new(&LATENCY))
            .add(value);
        value
    };
    for _ in 0..commits {
        let mut whole = add(CommitPhase::Start, dice.log_normal(3_000.0, 0.3) as u64);
        whole += add(CommitPhase::Locked, dice.log_normal(60_000.0, 0.8) as u64);
        whole += add(
            CommitPhase::Flushing,
            dice.log_normal(820_000.0, 0.6) as u64,
        );
        whole += add(
            CommitPhase::Logging,
            dice.log_normal(2_300_000.0 * held, 0.4) as u64,
        );
        add(CommitPhase::Commit, whole);
    }
    JournalSlice {
        commits,
        phases,
        handles: commits * 14,
        handles_max: 40 + dice.below(30),
        blocks: commits * 9,
        blocks_logged: commits * 10,
        checkpoints: 1,
        checkpoint_blocks_written: 30,
        checkpoint_forced_to_close: u64::from(stall),
        extra: Extra::new(),
    }
}

fn syncs(dice: &mut Dice, second: u64, stall: bool, per_second: u64) -> SyncSlice {
    let mut calls = BTreeMap::new();
    let n = if stall { per_second / 6 } else { per_second };
    let held = if stall { 80.0 } else { 1.0 };
    let fdatasync = latencies(dice, n, 3_900_000.0 * held, 0.45, &LATENCY);
    calls.insert("fdatasync".to_owned(), fdatasync);
    if per_second > 5 && !stall {
        let fsync = latencies(dice, 1, 6_100_000.0, 0.5, &LATENCY);
        calls.insert("fsync".to_owned(), fsync);
    }
    let mut slice = SyncSlice {
        calls,
        ..SyncSlice::default()
    };
    if stall && per_second > 5 {
        slice.keep(slow(second));
    }
    slice
}

fn latencies(dice: &mut Dice, n: u64, median: f64, spread: f64, scale: &Scale) -> SyncCalls {
    let mut latency_ns = Histogram::new(scale);
    for _ in 0..n {
        latency_ns.add(dice.log_normal(median, spread) as u64);
    }
    // The last takes what rounding leaves.
    let sum = latency_ns.sum;
    let mut phases_ns: BTreeMap<_, _> = [
        (SyncPhase::Data, sum / 5),
        (SyncPhase::Locked, sum / 20),
        (SyncPhase::Ordered, sum / 4),
        (SyncPhase::Journal, sum / 10),
        (SyncPhase::Record, sum / 10 * 4),
    ]
    .into();
    let told: u64 = phases_ns.values().sum();
    phases_ns.insert(SyncPhase::Other, sum - told);
    SyncCalls {
        errors: 0,
        latency_ns,
        phases_ns,
    }
}

/// One slow call in a stall.
fn slow(second: u64) -> SlowSync {
    SlowSync {
        at_ns: second * 1_000_000_000 + 250_000_000,
        took_ns: 410_000_000,
        phases_ns: [
            (SyncPhase::Data, 10_000_000),
            (SyncPhase::Ordered, 400_000_000),
        ]
        .into(),
        command: "postgres".to_owned(),
        pid: 4711,
        folder: "pg_wal".to_owned(),
        file: "000000010000000A000000FF".to_owned(),
        inode: 77,
        pages: 4,
        waited_for_file: Some("24601".to_owned()),
        waited_for_pages: Some(1024),
    }
}

fn system(dice: &mut Dice, second: u64, stall: bool) -> SystemSlice {
    let mib = 1 << 20;
    SystemSlice {
        pressure_io_some: Some(if stall {
            0.86
        } else {
            dice.thousandths(0.11, 0.19)
        }),
        pressure_io_full: Some(if stall {
            0.61
        } else {
            dice.thousandths(0.04, 0.07)
        }),
        cpu_busy: Some(dice.thousandths(0.31, 0.41)),
        cpu_iowait: Some(if stall { 0.44 } else { 0.07 }),
        dirty_bytes: Some((180 + (second % 7) * 34 + if stall { 260 } else { 0 }) * mib),
        writeback_bytes: Some(if stall { 96 * mib } else { dice.below(9) * mib }),
        swap_in_pages: Some(0),
        swap_out_pages: Some(0),
        alloc_stalls: Some(0),
        drop_pagecache: Some(0),
        ..SystemSlice::default()
    }
}
