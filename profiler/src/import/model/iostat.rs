//! What iostat, vmstat and /proc/diskstats count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One report of iostat: the averages over one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IostatReport {
    pub file: String,
    pub line: u64,
    /// As printed with -t.
    pub time: Option<String>,
    /// Seconds from the begin of a series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_s: Option<f64>,
    /// The first report of a run covers the time since boot: no peak and no average of an interval.
    pub since_boot: bool,
    /// `user`, `nice`, `system`, `iowait`, `steal`, `idle`.
    #[serde(default)]
    pub cpu_percent: BTreeMap<String, f64>,
    pub devices: Vec<IostatDevice>,
}

/// A column that this version does not print is `null`; so is the await of an op that did nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IostatDevice {
    pub name: String,
    /// Without -x: all ops together.
    pub transfers_per_s: Option<f64>,
    pub reads_per_s: Option<f64>,
    pub writes_per_s: Option<f64>,
    pub discards_per_s: Option<f64>,
    pub flushes_per_s: Option<f64>,
    pub read_bytes_per_s: Option<f64>,
    pub write_bytes_per_s: Option<f64>,
    pub discard_bytes_per_s: Option<f64>,
    /// Totals, without -x.
    pub read_bytes: Option<f64>,
    pub write_bytes: Option<f64>,
    pub discard_bytes: Option<f64>,
    pub reads_merged_per_s: Option<f64>,
    pub writes_merged_per_s: Option<f64>,
    pub discards_merged_per_s: Option<f64>,
    pub reads_merged_percent: Option<f64>,
    pub writes_merged_percent: Option<f64>,
    pub discards_merged_percent: Option<f64>,
    /// Reads and writes together.
    pub await_ns: Option<f64>,
    pub read_await_ns: Option<f64>,
    pub write_await_ns: Option<f64>,
    pub discard_await_ns: Option<f64>,
    pub flush_await_ns: Option<f64>,
    pub request_bytes: Option<f64>,
    pub read_request_bytes: Option<f64>,
    pub write_request_bytes: Option<f64>,
    pub discard_request_bytes: Option<f64>,
    /// Requests in the queue or in flight, on average.
    pub queue_depth: Option<f64>,
    pub util_percent: Option<f64>,
}

/// One line of vmstat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VmstatReport {
    pub file: String,
    pub line: u64,
    pub time: Option<String>,
    /// The first line of a run.
    pub since_boot: bool,
    pub running: Option<u64>,
    pub blocked: Option<u64>,
    pub swapped_bytes: Option<u64>,
    pub free_bytes: Option<u64>,
    pub buffer_bytes: Option<u64>,
    pub cache_bytes: Option<u64>,
    pub inactive_bytes: Option<u64>,
    pub active_bytes: Option<u64>,
    pub swap_in_bytes_per_s: Option<u64>,
    pub swap_out_bytes_per_s: Option<u64>,
    /// vmstat's blocks are of 1024 bytes.
    pub read_bytes_per_s: Option<u64>,
    pub write_bytes_per_s: Option<u64>,
    pub interrupts_per_s: Option<u64>,
    pub context_switches_per_s: Option<u64>,
    pub user_percent: Option<u64>,
    pub system_percent: Option<u64>,
    pub idle_percent: Option<u64>,
    pub iowait_percent: Option<u64>,
    pub steal_percent: Option<u64>,
    pub guest_percent: Option<u64>,
}

/// Copies of /proc/diskstats, in the order given, and what lies between the first and the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diskstats {
    pub snapshots: Vec<DiskstatsSnapshot>,
    /// Last minus first; empty with one snapshot.
    #[serde(default)]
    pub between: Vec<DiskCounters>,
    /// The sum over whole physical disks of the last snapshot; the other lines are views of the
    /// same I/O.
    pub physical: Option<DiskCounters>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskstatsSnapshot {
    pub file: String,
    pub devices: Vec<DiskCounters>,
}

/// Counters since boot. Sectors (512 bytes whatever the disk's own) have become bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskCounters {
    pub name: String,
    /// `MAJOR:MINOR`.
    pub number: String,
    /// The disk, where the name says that this is a partition.
    pub partition_of: Option<String>,
    /// md, dm, loop, ram and zram: a view of other devices or of memory.
    pub stacked: bool,
    pub reads: u64,
    pub reads_merged: u64,
    pub read_bytes: u64,
    pub read_ns: u64,
    pub writes: u64,
    pub writes_merged: u64,
    pub write_bytes: u64,
    pub write_ns: u64,
    /// `null` for partitions: some kernels do not count there.
    pub in_flight: Option<u64>,
    pub busy_ns: u64,
    pub weighted_ns: u64,
    /// From Linux 4.18 on.
    pub discards: Option<u64>,
    pub discard_bytes: Option<u64>,
    pub discard_ns: Option<u64>,
    /// From Linux 5.5 on.
    pub flushes: Option<u64>,
    pub flush_ns: Option<u64>,
}
