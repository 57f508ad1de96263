//! What a trace of block events tells.

use crate::capture::{DeviceSlice, Histogram};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The analysis of one trace. Devices are counted apart: an I/O that a stacked device hands down is
/// seen at each of them, and never added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventAnalysis {
    /// From the first event to the last.
    pub window_ns: u64,
    pub events: u64,
    /// The same counts and histograms that the probes fill, by `MAJOR:MINOR`.
    pub devices: BTreeMap<String, DeviceSlice>,
    /// By device and by pair of events (`q2g`, `q2m`, `g2i`, `i2d`, `d2c`, `q2c`).
    pub phases: BTreeMap<String, BTreeMap<String, Phase>>,
    /// Bios handed down from a stacked device or a partition: no I/O of their own.
    pub remaps: u64,
    pub splits: u64,
    /// Ends without a beginning: the trace began later. They have no latency.
    pub incomplete: u64,
    /// Ends before their beginning: counted, never taken for a latency.
    pub clock_anomalies: u64,
    /// Begun and not ended within the trace.
    pub in_flight: u64,
    /// The slowest requests, slowest first.
    #[serde(default)]
    pub slowest: Vec<RequestTimes>,
}

/// Times of one phase: exact sums and extremes beside the histogram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    pub n: u64,
    pub sum_ns: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    pub latency_ns: Histogram,
}

/// One request's life.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestTimes {
    pub device: String,
    pub op: String,
    /// As traced: `WS`, `FF`.
    pub flags: String,
    /// `null` for flushes.
    pub sector: Option<u64>,
    pub bytes: u64,
    /// At the issue.
    pub process: Option<String>,
    /// Of the issue that was carried out, from the first event of the trace.
    pub issued_at_ns: u64,
    /// From the last issue to the end.
    pub device_ns: u64,
    /// From the first issue; more where it was requeued.
    pub since_first_issue_ns: u64,
    pub requeues: u64,
}
