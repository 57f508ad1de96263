//! What a capture holds. Units are in the names; a missing value is `null`, never 0.

mod filesystem;

pub use filesystem::*;

use super::Histogram;
use crate::host::Host;
use crate::import::model::Imported;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Major version of the file format: a reader refuses another one.
pub const FORMAT_MAJOR: u32 = 1;
/// Minor version: additions only; a reader accepts any.
pub const FORMAT_MINOR: u32 = 0;

/// Keys that a newer writer added and that this version keeps without understanding them.
pub type Extra = Map<String, Value>;

/// One recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Capture {
    pub format: Format,
    pub meta: Meta,
    pub host: Host,
    /// Each probe group and whether it measured.
    pub probes: Vec<ProbeStatus>,
    /// The time line, one entry a second, in order.
    pub slices: Vec<Slice>,
    /// Sampled issue stacks.
    pub stacks: Vec<Stack>,
    /// What the built-in workload did, counted by itself.
    pub workload: Option<Workload>,
    /// What was read from the output of other tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<Imported>,
    pub losses: Losses,
    pub own_cost: OwnCost,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Format {
    pub name: FormatName,
    pub major: u32,
    pub minor: u32,
}

/// The word that tells a capture from any other JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FormatName {
    #[serde(rename = "iosage-capture")]
    IosageCapture,
}

impl Format {
    pub const CURRENT: Self = Self {
        name: FormatName::IosageCapture,
        major: FORMAT_MAJOR,
        minor: FORMAT_MINOR,
    };
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// `iosage VERSION`.
    pub tool: String,
    /// Wall clock at the start, ISO 8601 in UTC.
    pub started: String,
    /// CLOCK_MONOTONIC at the start.
    pub started_monotonic_ns: u64,
    /// How long was recorded.
    pub window_ns: u64,
    /// The command that was recorded with `--`, if any.
    pub command: Option<Vec<String>>,
    /// The devices asked for with `--device`; empty: all.
    pub devices: Vec<String>,
    /// Why the recording ended: `duration`, `command exited with 0`, `workload`, `SIGINT`, `checkpoint`.
    pub ended_by: String,
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a probe group was able to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeStatus {
    /// `block`, `queue`, `stacked`, `journal`, `sync`, `stack`.
    pub id: String,
    pub about: String,
    pub state: ProbeState,
    /// Why it is not `ok`; for `ok` the methods in use, if there is a choice.
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeState {
    /// Attached and measuring.
    Ok,
    /// Some of its programs are missing: `reason` says which metrics that costs.
    Partial,
    /// Not asked for.
    Off,
    /// This kernel or these rights do not allow it.
    Unavailable,
    /// Attached, but the self-check disagreed: its values are withheld.
    Failed,
    /// Detached to stay below the cost limit.
    Shed,
}

/// What was counted in one stretch of time. Merging slices gives the slice of the whole stretch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// Start, from the start of the capture.
    pub at_ns: u64,
    /// Time observed. Of merged slices the sum, so that rates stay right where there is a gap.
    pub length_ns: u64,
    /// By kernel device number of the whole disk or stacked node, `MAJOR:MINOR`.
    #[serde(default)]
    pub devices: BTreeMap<String, DeviceSlice>,
    /// By device number of the journalled filesystem (the partition where there is one).
    #[serde(default)]
    pub journals: BTreeMap<String, JournalSlice>,
    /// By device number of the filesystem.
    #[serde(default)]
    pub syncs: BTreeMap<String, SyncSlice>,
    /// Inodes handed to a filesystem as dirty, by the filesystem's device number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dirtied: BTreeMap<String, DirtiedSlice>,
    /// Writers paused because too much memory was dirty, by the number of the disk.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pauses: BTreeMap<String, PauseSlice>,
    pub system: Option<SystemSlice>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// The kind of a request or bio.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    Read,
    Write,
    Flush,
    Discard,
    Other,
}

impl Op {
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Write,
        Self::Flush,
        Self::Discard,
        Self::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
            Self::Discard => "discard",
            Self::Other => "other",
        }
    }
}

/// One device in one stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceSlice {
    #[serde(default)]
    pub ops: BTreeMap<Op, OpSlice>,
    /// Events of the device's queue that belong to no single op. `null`: that probe did not run.
    pub queue: Option<QueueSlice>,
    /// What bios slept for before they had a request. A wait without sleep is in the span only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waits: BTreeMap<WaitCause, WaitSum>,
    /// Requests counted as issued before the beginning and as completed after it: those in flight,
    /// and those in between of the reading of the two counts. In the first slice only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight_start: Option<u64>,
    /// Requests between issue and completion at the end of the stretch.
    pub in_flight_end: Option<u64>,
    /// When `in_flight_end` held, from the start of the capture, if not at the slice's own end.
    /// Only in merged slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight_end_at_ns: Option<u64>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Why a bio waits for its request, told by the functions that its task sleeps in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WaitCause {
    /// All tags of the queue are taken: `nr_requests`, or the device's own depth.
    Tags,
    /// Write-back throttling (`wbt_lat_usec`).
    Wbt,
    /// The cgroup's share under io.cost.
    IoCost,
    /// Another cgroup's io.latency.
    IoLatency,
    /// The queue is frozen: an attribute or the device is being changed.
    Frozen,
    Other,
}

impl WaitCause {
    pub const ALL: [Self; 6] = [
        Self::Tags,
        Self::Wbt,
        Self::IoCost,
        Self::IoLatency,
        Self::Frozen,
        Self::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tags => "tags",
            Self::Wbt => "wbt",
            Self::IoCost => "io-cost",
            Self::IoLatency => "io-latency",
            Self::Frozen => "frozen",
            Self::Other => "other",
        }
    }
}

/// Waits of one cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitSum {
    pub requests: u64,
    pub sum_ns: u64,
}

/// One op of one device in one stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpSlice {
    /// Handed to the driver, once more for each requeue.
    pub issued: u64,
    /// Ended, with success or error, in the driver's hands.
    pub completed: u64,
    /// Taken back by the queue and to be issued again.
    pub requeued: u64,
    /// Ended without ever being issued (empty flushes, refused requests).
    pub ended_before_issue: u64,
    /// Completions whose issue was not seen (it came before the probes, or a slot was unknown).
    pub unmatched: u64,
    /// Completed requests whose end was not seen: their tag was taken by another request, or the
    /// kernel says that nothing is in flight any more. They have no times. The kernel can skip a
    /// probe; see docs/limitations.md.
    #[serde(default)]
    pub end_unseen: u64,
    pub bytes: u64,
    pub errors: u64,
    pub merges: Merges,
    /// Start equals the end of an earlier request of the same op (64 streams are told apart).
    pub sequential: u64,
    /// Starts within 1 MiB of the end of an earlier request.
    pub near: u64,
    pub random: u64,
    pub flags: Flags,
    /// By span: `queue`, `device`, `request`, `bio`. A span that was not measured is absent.
    #[serde(default)]
    pub spans: BTreeMap<Span, Histogram>,
    /// Bytes of a request at issue.
    pub size_bytes: Option<Histogram>,
    /// Requests of the device in flight at issue, this one included; of a sample of all issues.
    pub depth: Option<Histogram>,
    /// Bios carried by a request at issue.
    pub bios_per_request: Option<Histogram>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A stretch of an I/O's life; see the glossary in ARCHITECTURE.md.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Span {
    /// Bio queued to request allocated.
    Wait,
    /// Request allocated to issued.
    Queue,
    /// Issued to completed.
    Device,
    /// Request allocated to completed.
    Request,
    /// Bio queued to bio completed (stacked devices).
    Bio,
}

impl Span {
    pub const ALL: [Self; 5] = [
        Self::Wait,
        Self::Queue,
        Self::Device,
        Self::Request,
        Self::Bio,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Queue => "queue",
            Self::Device => "device",
            Self::Request => "request",
            Self::Bio => "bio",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Merges {
    /// Bios put before a request.
    pub front: u64,
    /// Bios put behind a request.
    pub back: u64,
    /// Requests absorbed by another request.
    pub request: u64,
}

/// Completed requests that carried a flag. Flags that the kernel strips are read from the bio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flags {
    pub sync: u64,
    pub meta: u64,
    pub fua: u64,
    pub preflush: u64,
    pub readahead: u64,
    pub background: u64,
}

/// Counts of queue events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueSlice {
    /// Requests allocated for a bio (`block_getrq`).
    pub allocated: u64,
    /// Requests put into the scheduler or the hardware queue's list (`block_rq_insert`).
    pub inserted: u64,
    pub plugs: u64,
    /// Unplugs, and the requests they let go.
    pub unplugs: u64,
    pub unplugged_requests: u64,
    /// Bios cut because of a limit of the device.
    pub splits: u64,
    /// Bios handed to the device (stacked devices; `null` where not counted).
    pub bios_queued: Option<u64>,
    pub bios_completed: Option<u64>,
    /// Bios that cross a chunk boundary, computed from the array's chunk.
    pub chunk_crossings: Option<u64>,
}

/// The host in one stretch of time, from /proc.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SystemSlice {
    /// Share of the stretch, 0 to 1, in which some task waited for I/O (PSI `io some`).
    pub pressure_io_some: Option<f64>,
    pub pressure_io_full: Option<f64>,
    pub cpu_busy: Option<f64>,
    pub cpu_iowait: Option<f64>,
    /// The most that was seen at the end of a slice; so is the next.
    pub dirty_bytes: Option<u64>,
    pub writeback_bytes: Option<u64>,
    pub swap_in_pages: Option<u64>,
    pub swap_out_pages: Option<u64>,
    pub alloc_stalls: Option<u64>,
    pub drop_pagecache: Option<u64>,
    /// For shares measured in a part of the stretch only: how long that part was, by key.
    /// Only in merged slices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measured_ns: BTreeMap<String, u64>,
}

/// A sampled way into the block layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stack {
    pub device: String,
    pub op: Op,
    pub command: String,
    pub tgid: u32,
    /// Outermost first. User frames, then kernel frames.
    pub user: Vec<String>,
    pub kernel: Vec<String>,
    /// How many samples were taken.
    pub samples: u64,
    /// Estimated requests (each sample stands for its sampling period).
    pub requests: u64,
    /// Estimated device time: measured time of the samples times their period.
    pub device_ns: u64,
    pub bytes: u64,
}

/// What the built-in workload did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Job file or suite.
    pub name: String,
    pub jobs: Vec<JobResult>,
    /// Things a reader must know: warm cache, cut values, units read otherwise than written.
    pub notes: Vec<String>,
}

/// One job (or one of its clones), counted by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobResult {
    pub name: String,
    /// 0-based clone.
    pub clone: u32,
    /// Reporting group; jobs of one group are shown as one when `group_reporting` is set.
    #[serde(default)]
    pub group: u32,
    #[serde(default)]
    pub group_reporting: bool,
    pub engine: String,
    pub runtime_ns: u64,
    /// By op: `read`, `write`, `fsync`, `fdatasync`, `trim`.
    pub ops: BTreeMap<String, JobOp>,
    /// First error, if any.
    pub error: Option<String>,
    pub files: Vec<String>,
    /// Whether the job went past the page cache.
    pub direct: bool,
    /// `null` where the kernel did not tell.
    #[serde(default)]
    pub cost: Option<ThreadCost>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobOp {
    pub n: u64,
    pub bytes: u64,
    pub errors: u64,
    /// Exact extremes of the latency; `null` when nothing completed.
    #[serde(default)]
    pub min_ns: Option<u64>,
    #[serde(default)]
    pub max_ns: Option<u64>,
    /// Submitted to completed, as the job saw it; with a rate, intended start to completed.
    pub latency_ns: Histogram,
    #[serde(default)]
    pub spans: OpSpans,
}

/// The parts of the latency of a job's operations, where they were taken apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpSpans {
    /// Sum of the squares of the latencies, for their standard deviation.
    #[serde(default)]
    pub squares_ns2: Option<f64>,
    /// Made ready to submitted; `null` where both are one call.
    #[serde(default)]
    pub submission: Option<Moments>,
    /// Made ready to completed; `null` where that is the latency itself.
    #[serde(default)]
    pub total: Option<Moments>,
    /// Submitted to completed, of a job with a rate.
    #[serde(default)]
    pub completion: Option<JobSpan>,
    /// Intended start to submitted, of a job with a rate: how far it was behind its schedule.
    #[serde(default)]
    pub lag: Option<JobSpan>,
}

/// Number, extremes and sums of durations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moments {
    pub n: u64,
    pub min_ns: Option<u64>,
    pub max_ns: Option<u64>,
    pub sum_ns: u64,
    pub squares_ns2: f64,
}

/// A span of a job's operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobSpan {
    pub moments: Moments,
    pub histogram: Histogram,
}

/// What a job's thread cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadCost {
    /// The time that the rest is about, a ramp included.
    pub wall_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub switches: u64,
    pub major_faults: u64,
    pub minor_faults: u64,
}

/// What was not measured although it should have been.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Losses {
    /// Ring records dropped because the ring was full, by probe group.
    #[serde(default)]
    pub ring_dropped: BTreeMap<String, u64>,
    /// Program runs that the kernel skipped because the program was already running on that CPU.
    pub recursion_missed: Option<u64>,
    /// Requests of devices that appeared after the probes were attached.
    pub unknown_device: u64,
    /// Requests whose tag lay outside the table.
    pub unknown_tag: u64,
    /// Durations that came out negative and were left out.
    pub negative_durations: u64,
    /// Bios or sync calls not followed because a table was full.
    #[serde(default)]
    pub table_full: BTreeMap<String, u64>,
    /// Stack samples without a usable stack.
    pub stacks_missing: u64,
    #[serde(flatten)]
    pub extra: Extra,
}

/// What the recording itself cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OwnCost {
    /// Mean time of one program run, and of all runs for one request; kernel bookkeeping included.
    pub ns_per_event: Option<f64>,
    pub ns_per_request: Option<f64>,
    /// Share of one CPU spent in the programs, in percent.
    pub kernel_cpu_percent: Option<f64>,
    /// Share of one CPU spent in user space, in percent.
    pub user_cpu_percent: Option<f64>,
    /// Kernel memory fixed at attach.
    pub memory_bytes: u64,
    /// By program: runs and time.
    #[serde(default)]
    pub programs: BTreeMap<String, ProgramCost>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramCost {
    pub runs: u64,
    pub time_ns: u64,
}
