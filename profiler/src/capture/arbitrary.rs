//! Captures for tests: a small one written down by hand, and generators of any.
//!
//! Generated captures satisfy [`Capture::check`]; their slices follow each other without a gap.

use super::{
    Capture, CommitPhase, DeviceSlice, DirtiedSlice, Flags, Format, Histogram, JournalSlice,
    Losses, Merges, Meta, Op, OpSlice, OwnCost, PauseSlice, PauseSum, ProbeState, ProbeStatus,
    QueueSlice, Slice, SlowSync, Span, Stack, SyncCalls, SyncPhase, SyncSlice, SystemSlice,
};
use crate::host::{BlockDevice, DeviceClass, Host, Mount, Queue};
use profiler_ebpf::bucket::{COUNT, LATENCY, SIZE, Scale};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, json};
use std::collections::BTreeMap;

/// The length of every generated slice.
pub const SLICE_NS: u64 = 1_000_000_000;

/// A histogram of given values.
pub fn histogram(scale: &Scale, values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new(scale);
    values.iter().for_each(|value| histogram.add(*value));
    histogram
}

/// Two slices of one disk: three reads of 4 KiB, 100 us, 200 us and 300 us.
pub fn small() -> Capture {
    Capture {
        format: Format::CURRENT,
        meta: meta(2 * SLICE_NS),
        host: host(),
        probes: vec![
            probe("block", ProbeState::Ok),
            probe("journal", ProbeState::Unavailable),
        ],
        slices: vec![
            small_slice(0, &[100_000, 200_000]),
            small_slice(SLICE_NS, &[300_000]),
        ],
        stacks: Vec::new(),
        workload: None,
        imported: Vec::new(),
        losses: Losses::default(),
        own_cost: OwnCost::default(),
        extra: Map::new(),
    }
}

fn small_slice(at_ns: u64, latencies: &[u64]) -> Slice {
    let n = latencies.len() as u64;
    let read = OpSlice {
        issued: n,
        completed: n,
        bytes: n * 4096,
        random: n,
        spans: BTreeMap::from([(Span::Device, histogram(&LATENCY, latencies))]),
        size_bytes: Some(histogram(&SIZE, &vec![4096; latencies.len()])),
        ..OpSlice::default()
    };
    let device = DeviceSlice {
        ops: BTreeMap::from([(Op::Read, read)]),
        in_flight_end: Some(0),
        ..DeviceSlice::default()
    };
    Slice {
        at_ns,
        length_ns: SLICE_NS,
        devices: BTreeMap::from([("8:0".to_owned(), device)]),
        system: Some(SystemSlice {
            cpu_busy: Some(0.25),
            ..SystemSlice::default()
        }),
        ..Slice::default()
    }
}

fn meta(window_ns: u64) -> Meta {
    Meta {
        tool: "iosage 0.1.0".to_owned(),
        started: "2026-03-01T12:00:00Z".to_owned(),
        started_monotonic_ns: 5_000_000_000,
        window_ns,
        command: None,
        devices: Vec::new(),
        ended_by: "duration".to_owned(),
        extra: Map::new(),
    }
}

fn probe(id: &str, state: ProbeState) -> ProbeStatus {
    ProbeStatus {
        id: id.to_owned(),
        about: format!("the {id} group"),
        state,
        reason: (state != ProbeState::Ok).then(|| "no such tracepoint".to_owned()),
    }
}

fn host() -> Host {
    let disk = |name: &str, number: &str, id: &str| BlockDevice {
        name: name.to_owned(),
        number: number.to_owned(),
        id: Some(id.to_owned()),
        class: DeviceClass::Scsi,
        queue: Some(Queue {
            scheduler: Some("none".to_owned()),
            nr_requests: Some(256),
            ..Queue::default()
        }),
        ..BlockDevice::default()
    };
    Host {
        hostname: Some("db1".to_owned()),
        id: Some("5f0c".to_owned()),
        kernel_release: "6.1.0-30-amd64".to_owned(),
        sysctls: BTreeMap::from([("vm.dirty_ratio".to_owned(), "20".to_owned())]),
        devices: vec![disk("sda", "8:0", "wwid.a"), disk("dm-0", "253:0", "LVM-b")],
        mounts: vec![Mount {
            target: "/".to_owned(),
            fs: "ext4".to_owned(),
            number: "8:0".to_owned(),
            ..Mount::default()
        }],
        ..Host::default()
    }
}

/// Any histogram on a scale, overflow and zero included.
pub fn any_histogram(scale: &'static Scale, most: usize) -> impl Strategy<Value = Histogram> {
    let top = scale.max_bits + scale.unit_shift + 1;
    let value = (0..top, any::<u64>()).prop_map(|(bits, v)| v & ((1 << bits) - 1));
    vec(value, 0..=most).prop_map(move |values| histogram(scale, &values))
}

prop_compose! {
    /// One op whose counts agree with its histograms.
    pub fn any_op()(
        device in any_histogram(&LATENCY, 6),
        queue in any_histogram(&LATENCY, 6),
        size in option::of(any_histogram(&SIZE, 6)),
        depth in option::of(any_histogram(&COUNT, 6)),
        more in 0u64..1000,
        counts in vec(0u64..1 << 40, 16),
        spans in 0u8..4,
    ) -> OpSlice {
        let completed = device.n() + more;
        let mut op = OpSlice {
            issued: completed + counts[0],
            completed,
            requeued: counts[1],
            ended_before_issue: counts[2],
            unmatched: counts[3],
            bytes: counts[4],
            errors: more / 2,
            merges: Merges { front: counts[5], back: counts[6], request: counts[7] },
            sequential: counts[8],
            near: counts[9],
            random: counts[10],
            flags: Flags { sync: counts[11], fua: counts[12], readahead: counts[13], ..Flags::default() },
            size_bytes: size,
            depth,
            ..OpSlice::default()
        };
        if spans & 1 != 0 { op.spans.insert(Span::Device, device); }
        if spans & 2 != 0 { op.spans.insert(Span::Queue, queue); }
        op
    }
}

fn any_queue() -> impl Strategy<Value = QueueSlice> {
    (vec(0u64..1 << 40, 6), option::of(0u64..1 << 40)).prop_map(|(n, bios)| QueueSlice {
        allocated: n[0],
        inserted: n[1],
        plugs: n[2],
        unplugs: n[3],
        unplugged_requests: n[4],
        splits: n[5],
        bios_queued: bios,
        bios_completed: bios,
        chunk_crossings: None,
    })
}

fn any_device() -> impl Strategy<Value = DeviceSlice> {
    let op = select(&Op::ALL[..]);
    (
        btree_map(op, any_op(), 0..3),
        option::of(any_queue()),
        option::of(0u64..1000),
    )
        .prop_map(|(ops, queue, in_flight_end)| DeviceSlice {
            ops,
            queue,
            in_flight_end,
            ..DeviceSlice::default()
        })
}

fn any_journal() -> impl Strategy<Value = JournalSlice> {
    let phases = btree_map(
        select(&CommitPhase::ALL[..]),
        any_histogram(&LATENCY, 4),
        0..3,
    );
    (phases, vec(0u64..1 << 40, 8)).prop_map(|(phases, n)| JournalSlice {
        commits: n[0],
        phases,
        handles: n[1],
        handles_max: n[2],
        blocks: n[3],
        blocks_logged: n[4],
        checkpoints: n[5],
        checkpoint_blocks_written: n[6],
        checkpoint_forced_to_close: n[7],
        ..JournalSlice::default()
    })
}

fn any_sync() -> impl Strategy<Value = SyncSlice> {
    let phases = btree_map(select(SyncPhase::ALL.to_vec()), 1u64..1 << 40, 0..4);
    let calls = (0u64..9, any_histogram(&LATENCY, 4), phases).prop_map(
        |(errors, latency_ns, phases_ns)| SyncCalls {
            errors,
            latency_ns,
            phases_ns,
        },
    );
    let slow =
        (1u64..1 << 40, 1u64 << 35..1 << 40, 1u32..1 << 20).prop_map(|(took_ns, at_ns, pid)| {
            SlowSync {
                at_ns,
                took_ns,
                pid,
                ..SlowSync::default()
            }
        });
    let name = select(vec!["fsync".to_owned(), "fdatasync".to_owned()]);
    (
        btree_map(name, calls, 0..3),
        vec(slow, 0..SyncSlice::SLOWEST),
    )
        .prop_map(|(calls, slow)| {
            let mut slice = SyncSlice {
                calls,
                ..SyncSlice::default()
            };
            slow.into_iter().for_each(|call| slice.keep(call));
            slice
        })
}

fn any_dirtied() -> impl Strategy<Value = DirtiedSlice> {
    (0u64..99, 0u64..99).prop_map(|(atime, other)| DirtiedSlice { atime, other })
}

fn any_pauses() -> impl Strategy<Value = PauseSlice> {
    let sum = || (0u64..99, 0u64..1 << 40).prop_map(|(pauses, sum_ns)| PauseSum { pauses, sum_ns });
    let command = select(vec!["postgres".to_owned(), "cp".to_owned()]);
    (sum(), btree_map(command, sum(), 0..3))
        .prop_map(|(all, by_command)| PauseSlice { all, by_command })
}

fn any_system() -> impl Strategy<Value = SystemSlice> {
    (
        option::of(0.0f64..=1.0),
        option::of(0.0f64..=1.0),
        option::of(0u64..1 << 40),
        option::of(0u64..1 << 20),
    )
        .prop_map(|(pressure, busy, dirty, swapped)| SystemSlice {
            pressure_io_some: pressure,
            cpu_busy: busy,
            dirty_bytes: dirty,
            swap_in_pages: swapped,
            ..SystemSlice::default()
        })
}

fn any_number() -> impl Strategy<Value = String> {
    select(vec![
        "8:0".to_owned(),
        "253:0".to_owned(),
        "0:45".to_owned(),
    ])
}

/// One slice, at 0.
pub fn any_slice() -> impl Strategy<Value = Slice> {
    (
        btree_map(any_number(), any_device(), 0..3),
        btree_map(any_number(), any_journal(), 0..2),
        btree_map(any_number(), any_sync(), 0..2),
        btree_map(any_number(), any_dirtied(), 0..2),
        btree_map(any_number(), any_pauses(), 0..2),
        option::of(any_system()),
    )
        .prop_map(
            |(devices, journals, syncs, dirtied, pauses, system)| Slice {
                at_ns: 0,
                length_ns: SLICE_NS,
                devices,
                journals,
                syncs,
                dirtied,
                pauses,
                system,
                extra: Map::new(),
            },
        )
}

/// A time line without gaps.
pub fn any_slices(most: usize) -> impl Strategy<Value = Vec<Slice>> {
    vec(any_slice(), 0..=most).prop_map(|mut slices| {
        for (i, slice) in slices.iter_mut().enumerate() {
            slice.at_ns = i as u64 * SLICE_NS;
        }
        slices
    })
}

fn any_stack() -> impl Strategy<Value = Stack> {
    (any::<String>(), vec(any::<String>(), 0..4), any::<u32>()).prop_map(|(command, frames, n)| {
        Stack {
            device: "sda".to_owned(),
            op: Op::Write,
            command,
            tgid: n,
            user: frames.clone(),
            kernel: frames,
            samples: 1,
            requests: u64::from(n),
            device_ns: u64::MAX,
            bytes: 512,
        }
    })
}

prop_compose! {
    /// A whole capture, keys of a newer version included.
    pub fn any_capture()(
        slices in any_slices(4),
        stacks in vec(any_stack(), 0..3),
        text in any::<String>(),
        number in any::<i64>(),
        real in 0.0f64..1e12,
        newer in any::<bool>(),
    ) -> Capture {
        let mut capture = Capture { slices, stacks, ..small() };
        capture.meta.window_ns = capture.slices.len() as u64 * SLICE_NS;
        capture.meta.command = Some(vec![text.clone()]);
        capture.own_cost.ns_per_event = Some(real);
        if newer {
            capture.format.minor += 1;
            let value = json!({"text": text, "deep": [{"number": number, "real": real, "none": null}]});
            for extra in [&mut capture.extra, &mut capture.meta.extra, &mut capture.host.extra] {
                extra.insert("newer".to_owned(), value.clone());
            }
            if let Some(slice) = capture.slices.first_mut() {
                slice.extra.insert("newer".to_owned(), value);
            }
        }
        capture
    }
}
