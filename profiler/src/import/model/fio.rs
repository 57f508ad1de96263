//! Results of fio, of any version and output format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One document or terse line's worth of results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FioRun {
    pub file: String,
    /// Where it begins.
    pub line: u64,
    /// `json` or `terse-3`.
    pub format: String,
    /// `fio-3.33`; `null` where the output does not say.
    pub version: Option<String>,
    pub time: Option<String>,
    pub jobs: Vec<FioJob>,
    #[serde(default)]
    pub disks: Vec<FioDisk>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FioJob {
    pub name: String,
    pub description: Option<String>,
    pub group: Option<u64>,
    /// The kernel's error number; 0: none.
    pub error: u64,
    /// It ended with an error: its figures are not to be compared.
    pub failed: bool,
    pub error_text: Option<String>,
    pub elapsed_s: Option<u64>,
    /// Global options and the job's own, as written.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// `numjobs` of the options; `null` where they do not say.
    pub processes: Option<u64>,
    /// By op: `read`, `write`, `trim`, `sync`, `mixed`. What did no I/O is absent.
    #[serde(default)]
    pub ops: BTreeMap<String, FioOp>,
    pub user_cpu_percent: Option<f64>,
    pub system_cpu_percent: Option<f64>,
    pub context_switches: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FioOp {
    /// Exact for fio 3; a multiple of 1024 where only KiB were printed.
    pub io_bytes: Option<u64>,
    pub ios: Option<u64>,
    pub runtime_ns: Option<u64>,
    pub bandwidth_bytes_per_s: Option<f64>,
    pub iops: Option<f64>,
    /// Mean of fio's samples; of one process where `mean_is_per_process`.
    pub iops_mean: Option<f64>,
    pub bandwidth_mean_bytes_per_s: Option<f64>,
    #[serde(default)]
    pub mean_is_per_process: bool,
    pub short_ios: Option<u64>,
    /// `slat`: to hand it to the kernel.
    pub submission: Option<FioLatency>,
    /// `clat`: from there to its end.
    pub completion: Option<FioLatency>,
    /// `lat`: both.
    pub total: Option<FioLatency>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FioLatency {
    /// fio's own unit: `us` has been multiplied by 1000.
    pub unit: String,
    pub n: Option<u64>,
    pub min_ns: Option<f64>,
    pub max_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub stddev_ns: Option<f64>,
    #[serde(default)]
    pub percentiles: Vec<FioPercentile>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FioPercentile {
    pub percent: f64,
    pub ns: f64,
}

impl FioLatency {
    pub fn percentile(&self, percent: f64) -> Option<f64> {
        let found = self.percentiles.iter();
        let mut found = found.filter(|p| (p.percent - percent).abs() < 1e-9);
        found.next().map(|p| p.ns)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FioDisk {
    pub name: String,
    pub reads: Option<u64>,
    pub writes: Option<u64>,
    pub reads_merged: Option<u64>,
    pub writes_merged: Option<u64>,
    pub read_ns: Option<u64>,
    pub write_ns: Option<u64>,
    pub in_queue_ns: Option<u64>,
    pub util_percent: Option<f64>,
}
