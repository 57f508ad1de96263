//! What was written down or measured beside the host's configuration: notes on the load and the
//! volume, tests of sync calls, lists of timed requests, offsets of stacked layers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What files of these kinds say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Collected {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadNotes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<VolumeNotes>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sync_tests: Vec<SyncTest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<TimedRequest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
}

/// What somebody knows of the load. It was not measured here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadNotes {
    pub file: String,
    /// Share of reads among the requests, 0 to 1.
    pub read_share: Option<f64>,
    pub read_bytes: Option<u64>,
    pub write_bytes: Option<u64>,
    pub random: Option<bool>,
    /// Files are read through memory mappings.
    pub mapped: Option<bool>,
    /// Random requests a second that one disk does.
    pub disk_per_s: Option<f64>,
    /// Requests a second that the load needs.
    pub load_per_s: Option<f64>,
}

/// A volume of a cloud.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VolumeNotes {
    pub file: String,
    /// `gp2`, `gp3`, ...
    pub kind: String,
    pub size_bytes: Option<u64>,
}

/// One block of pg_test_fsync: one write with each method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncTest {
    pub file: String,
    pub methods: Vec<SyncMethod>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncMethod {
    pub name: String,
    pub per_s: f64,
}

/// One request of a list with times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimedRequest {
    pub at_s: f64,
    pub device: Option<String>,
    /// `R`, `W`, `D` (discard) or `F` (flush).
    pub op: String,
    pub bytes: Option<u64>,
    pub latency_ns: f64,
}

/// How far into the layer below a layer's data begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    pub name: String,
    /// As written: `start`, `data_offset`, `payload_offset`, `1st_pe`.
    pub kind: String,
    pub offset_bytes: u64,
}
