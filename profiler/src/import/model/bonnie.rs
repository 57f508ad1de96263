//! Results of bonnie++.

use super::Figure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line of its CSV, or one table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BonnieRun {
    pub file: String,
    pub line: u64,
    /// `csv` or `table`.
    pub format: String,
    /// Version of the CSV's layout: `1.03`, `1.97`, `1.98`; `null` for tables.
    pub format_version: Option<String>,
    pub program_version: Option<String>,
    /// Tables cut it.
    pub host: String,
    pub concurrency: Option<u64>,
    /// When it began, which is also its seed.
    pub seed: Option<u64>,
    pub file_size_bytes: Option<u64>,
    pub chunk_bytes: Option<u64>,
    pub seeks: Option<u64>,
    pub seek_processes: Option<u64>,
    /// `put_char`, `put_block`, `rewrite`, `get_char`, `get_block`, `seeks`, `seq_create`,
    /// `seq_stat`, `seq_delete`, `random_create`, `random_stat`, `random_delete`.
    pub tests: BTreeMap<String, BonnieTest>,
    /// Of the tests on small files: their number, in units of 1024.
    pub files_x1024: Option<u64>,
    pub files_max_bytes: Option<u64>,
    pub files_min_bytes: Option<u64>,
    pub files_directories: Option<u64>,
    pub files_chunk_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BonnieTest {
    /// In bytes a second for the tests of throughput, else in calls a second.
    pub rate: Figure,
    pub unit: RateUnit,
    pub cpu_percent: Figure,
    /// The longest that one call took.
    pub latency_ns: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RateUnit {
    #[default]
    #[serde(rename = "bytes_per_s")]
    BytesPerSecond,
    #[serde(rename = "per_s")]
    PerSecond,
}

/// The tests in the order in which every version prints them.
pub const TESTS: [(&str, RateUnit); 12] = [
    ("put_char", RateUnit::BytesPerSecond),
    ("put_block", RateUnit::BytesPerSecond),
    ("rewrite", RateUnit::BytesPerSecond),
    ("get_char", RateUnit::BytesPerSecond),
    ("get_block", RateUnit::BytesPerSecond),
    ("seeks", RateUnit::PerSecond),
    ("seq_create", RateUnit::PerSecond),
    ("seq_stat", RateUnit::PerSecond),
    ("seq_delete", RateUnit::PerSecond),
    ("random_create", RateUnit::PerSecond),
    ("random_stat", RateUnit::PerSecond),
    ("random_delete", RateUnit::PerSecond),
];
