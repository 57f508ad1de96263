//! The stable shape of the JSON report. Additions only within a major version of the tool.
//!
//! A value that was not measured is `null` and the `reason` beside it says why; 0 means that it was
//! measured and nothing happened.

use rules::finding::{Finding, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::capture::{Op, ProbeState};
use crate::import::model::Imported;

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReportJson {
    /// `iosage VERSION` that made the capture.
    pub tool: String,
    pub host: HostJson,
    pub window: Window,
    /// Devices with traffic first, busiest first.
    pub devices: Vec<DeviceJson>,
    pub journals: Vec<JournalJson>,
    /// Why `journals` is empty, where that is not because nothing was committed.
    pub journals_reason: Option<String>,
    pub fsync: Vec<FsyncJson>,
    pub fsync_reason: Option<String>,
    /// The slowest sync calls, the slowest first.
    pub slow_syncs: Vec<SlowSyncJson>,
    pub dirty: DirtyJson,
    /// Who issued the requests, by device time; estimated from sampled stacks.
    pub processes: Vec<ProcessJson>,
    pub processes_reason: Option<String>,
    pub workload: Option<WorkloadJson>,
    pub workload_reason: Option<String>,
    /// What `iosage import` read; empty where nothing was imported.
    pub imported: Vec<Imported>,
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
    pub probes: Vec<ProbeJson>,
    pub losses: LossesJson,
    pub own_cost: OwnCostJson,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HostJson {
    pub name: Option<String>,
    pub id: Option<String>,
    pub kernel: String,
    pub os: Option<String>,
    pub virtualisation: Option<String>,
    pub cpus: Option<u64>,
    pub memory_bytes: Option<u64>,
    /// What could not be read, and why: the reasons of the nulls above and of facts left unknown.
    pub missing: Vec<MissingJson>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MissingJson {
    pub what: String,
    pub reason: String,
}

/// The stretch of time that the report speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Window {
    /// ISO 8601 in UTC.
    pub start: String,
    pub seconds: f64,
    pub command: Option<Vec<String>>,
    pub ended_by: String,
    /// Length of the time line's slices together; shorter than `seconds` where slices are missing.
    pub covered_seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DeviceJson {
    /// Kernel name, or the number where the inventory does not know the device.
    pub name: String,
    /// `MAJOR:MINOR` at the time of the recording.
    pub number: String,
    /// Stable id; `null` where the device has none or it could not be read.
    pub id: Option<String>,
    pub class: Option<String>,
    pub model: Option<String>,
    /// From the mount points above down to the disks below.
    pub stack: Vec<LayerJson>,
    /// By op; an op that is absent was not seen.
    pub ops: BTreeMap<Op, OpJson>,
    pub queue: QueueJson,
    /// What bios slept for before they had a request, by cause. `null`: not measured.
    pub waits: Option<BTreeMap<&'static str, WaitJson>>,
    pub waits_reason: Option<String>,
    pub balance: BalanceJson,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WaitJson {
    pub requests: u64,
    pub sum_ns: u64,
}

/// One box of the stack of devices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LayerJson {
    /// 0 is the top.
    pub level: u32,
    /// `mount`, `file`, or the class of the device: `partition`, `dm`, `md`, `virtio`, ...
    pub kind: String,
    pub name: String,
    /// What it is made of or set to, in words: `ext4, rw, relatime`, `raid5 of 4, chunk 512 KiB`.
    pub detail: Option<String>,
    /// Names of the layers directly below.
    pub on: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OpJson {
    pub completed: u64,
    pub bytes: u64,
    pub errors: u64,
    pub requeues: u64,
    pub per_second: Option<f64>,
    pub bytes_per_second: Option<f64>,
    pub merges: MergesJson,
    pub sequential: Option<u64>,
    pub near: Option<u64>,
    pub random: Option<u64>,
    /// Of the placed requests (sequential, near, random), those that were sequential; 0 to 1.
    pub sequential_share: Option<f64>,
    /// Why the four above are `null`.
    pub pattern_reason: Option<String>,
    pub flags: FlagsJson,
    pub spans: SpansJson,
    pub size_bytes: DistributionJson,
    /// Requests in flight at issue, this one included.
    pub depth: DistributionJson,
    pub bios_per_request: DistributionJson,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MergesJson {
    pub front: Option<u64>,
    pub back: Option<u64>,
    pub request: Option<u64>,
    pub reason: Option<String>,
}

/// Completed requests that carried a flag.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlagsJson {
    pub sync: u64,
    pub meta: u64,
    pub fua: u64,
    pub preflush: u64,
    pub readahead: u64,
    pub background: u64,
}

/// The spans of one I/O, each with its name; they are never added up.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SpansJson {
    /// Bio queued to request allocated.
    pub wait: LatencyJson,
    /// Request allocated to issued.
    pub queue: LatencyJson,
    /// Issued to completed.
    pub device: LatencyJson,
    /// Request allocated to completed.
    pub request: LatencyJson,
    /// Bio queued to bio completed.
    pub bio: LatencyJson,
}

impl SpansJson {
    /// The spans with their names, in the order of an I/O's life.
    pub fn named(&self) -> [(&'static str, &LatencyJson); 5] {
        [
            ("wait", &self.wait),
            ("queue", &self.queue),
            ("device", &self.device),
            ("request", &self.request),
            ("bio", &self.bio),
        ]
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LatencyJson {
    pub n: Option<u64>,
    pub mean_ns: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p90_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub p999_ns: Option<f64>,
    pub max_ns: Option<f64>,
    /// Largest relative error of the quantiles, from the width of their buckets.
    pub error: Option<f64>,
    /// Why a value above is `null`.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DistributionJson {
    pub n: Option<u64>,
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    pub p999: Option<f64>,
    pub max: Option<f64>,
    pub error: Option<f64>,
    pub reason: Option<String>,
}

/// Events of the queue that belong to no single op.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct QueueJson {
    pub allocated: Option<u64>,
    pub inserted: Option<u64>,
    pub plugs: Option<u64>,
    pub unplugs: Option<u64>,
    pub unplugged_requests: Option<u64>,
    pub splits: Option<u64>,
    pub bios_queued: Option<u64>,
    pub bios_completed: Option<u64>,
    pub chunk_crossings: Option<u64>,
    pub reason: Option<String>,
}

/// Whether every request that was issued is accounted for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BalanceJson {
    pub issued: u64,
    /// In the driver's hands when counting began; part of the sum like the issued ones.
    pub in_flight_at_start: u64,
    /// Completions of requests whose issue was seen.
    pub completed: u64,
    /// Still in the driver's hands at the end.
    pub in_flight: Option<u64>,
    /// Taken back by the queue (and counted again when issued again).
    pub ended_otherwise: u64,
    /// Completions whose issue was not seen; not part of the sum.
    pub unmatched: u64,
    /// Ended before they were issued; not part of the sum.
    pub ended_before_issue: u64,
    /// issued + in flight at start - completed - in flight - ended otherwise: 0 when all are accounted for.
    pub difference: Option<i64>,
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JournalJson {
    /// Kernel name of the journalled device, or its number.
    pub device: String,
    pub mount: Option<String>,
    /// `jbd2`.
    pub kind: String,
    pub commits: u64,
    pub commits_per_second: Option<f64>,
    /// By phase: `start`, `locked`, `flushing`, `logging`, and `commit` for the whole.
    pub phases: BTreeMap<String, LatencyJson>,
    pub handles: u64,
    pub handles_max: u64,
    pub blocks: u64,
    pub blocks_logged: u64,
    pub checkpoints: u64,
    pub checkpoint_blocks_written: u64,
    pub checkpoint_forced_to_close: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FsyncJson {
    /// Mount point, or the filesystem's device number where no mount is known.
    pub mount: String,
    pub number: String,
    /// `fsync`, `fdatasync`, `sync_file_range`, ...
    pub call: String,
    pub errors: u64,
    pub per_second: Option<f64>,
    #[serde(flatten)]
    pub latency: LatencyJson,
    /// What the calls waited for, in order; the sum of all is the calls' time. `null`: not
    /// measured.
    pub phases: Option<Vec<SyncPhaseJson>>,
    pub phases_reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SyncPhaseJson {
    pub phase: &'static str,
    pub sum_ns: u64,
    /// Of the time of all calls, or of the one call; 0 to 1.
    pub share: f64,
}

/// One process on one device, or what is left of all the others. Write-back is issued by kernel
/// threads; an I/O that passes two devices stands in a row of each.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProcessJson {
    /// `null`: several.
    pub device: Option<String>,
    pub command: String,
    /// `null`: several.
    pub pid: Option<u32>,
    /// Sampled requests, which the estimates stand on.
    pub samples: u64,
    pub requests: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub device_ns: u64,
    /// Of the number of requests, either way, at 95 %: 1.96 / sqrt(samples).
    pub error: Option<f64>,
}

/// What dirty memory cost writers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DirtyJson {
    /// By disk; `null`: not measured.
    pub paused: Option<Vec<PausedJson>>,
    /// By filesystem; `null`: not measured.
    pub dirtied: Option<Vec<DirtiedJson>>,
    pub reason: Option<String>,
}

/// Writers to one disk that the kernel made pause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PausedJson {
    pub device: String,
    pub pauses: u64,
    pub sum_ns: u64,
    /// Longest first; what is missing to the sum is of further commands.
    pub by_command: Vec<PauseJson>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PauseJson {
    pub command: String,
    pub pauses: u64,
    pub sum_ns: u64,
}

/// Inodes that became dirty.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DirtiedJson {
    pub mount: String,
    /// For a new access time alone.
    pub atime: u64,
    pub other: u64,
}

/// One slow sync call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SlowSyncJson {
    pub mount: String,
    pub at_seconds: f64,
    pub took_ns: u64,
    pub phases: Vec<SyncPhaseJson>,
    pub command: String,
    pub pid: u32,
    /// Last two parts of the path; empty: not known.
    pub file: String,
    /// By the names that databases give: `wal`, `redo`, `binlog`, `data`, `temp`, `other`.
    pub file_class: &'static str,
    /// Another file whose data the commit waited for; `null`: none was seen.
    pub waited_for_file: Option<String>,
    pub waited_for_pages: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorkloadJson {
    pub name: String,
    pub jobs: Vec<JobJson>,
    /// The same I/O, counted by the jobs and by the probes.
    pub probes_view: Vec<ComparisonJson>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JobJson {
    pub name: String,
    pub clone: u32,
    pub engine: String,
    pub direct: bool,
    pub runtime_seconds: f64,
    pub ops: BTreeMap<String, JobOpJson>,
    pub error: Option<String>,
    pub files: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JobOpJson {
    pub n: u64,
    pub bytes: u64,
    pub errors: u64,
    pub per_second: Option<f64>,
    /// Submitted to completed, as the job saw it.
    pub latency: LatencyJson,
}

/// One op of the workload beside what the probes counted where its files lie.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparisonJson {
    pub op: String,
    /// Where the files lie: device or mount point.
    pub place: String,
    pub jobs_n: u64,
    pub jobs_bytes: u64,
    pub probes_n: Option<u64>,
    pub probes_bytes: Option<u64>,
    /// Why the two may differ although both are right, or why the probes' side is `null`.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProbeJson {
    pub id: String,
    pub about: String,
    pub state: ProbeState,
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossesJson {
    /// Ring records dropped, by probe group.
    pub ring_dropped: BTreeMap<String, u64>,
    pub recursion_missed: Option<u64>,
    pub unknown_device: u64,
    pub unknown_tag: u64,
    pub negative_durations: u64,
    pub table_full: BTreeMap<String, u64>,
    pub stacks_missing: u64,
    /// Why `recursion_missed` is `null`.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OwnCostJson {
    pub ns_per_event: Option<f64>,
    pub ns_per_request: Option<f64>,
    /// Kernel and user space together, in percent of one CPU.
    pub cpu_percent: Option<f64>,
    pub kernel_cpu_percent: Option<f64>,
    pub user_cpu_percent: Option<f64>,
    pub memory_bytes: u64,
    /// Why a value above is `null`.
    pub reason: Option<String>,
}
