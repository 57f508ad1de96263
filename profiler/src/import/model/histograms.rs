//! Histograms whose buckets are ranges: no exact value can come from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RangeHistogram {
    pub file: String,
    pub line: u64,
    /// The map's name (`@us`) or what the tool printed above (`disk = 'sdb'`).
    pub title: Option<String>,
    /// The map's key: `nvme0n1, R`.
    pub key: Option<String>,
    pub time: Option<String>,
    /// `ns`, `us`, `ms`, `s`, `bytes`, `kbytes`; `null`: the file does not say.
    pub unit: Option<String>,
    /// The unit is a guess by the map's name.
    pub unit_is_assumed: bool,
    pub buckets: Vec<Bucket>,
    /// Of the buckets above.
    pub total: u64,
    /// Buckets that no measurement can fill (a clock or an underflow): left out of everything else.
    #[serde(default)]
    pub impossible: Vec<Bucket>,
    pub p50: Option<Bounds>,
    pub p90: Option<Bounds>,
    pub p99: Option<Bounds>,
    pub p999: Option<Bounds>,
}

/// Values from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket {
    /// `null`: open below.
    pub low: Option<i64>,
    /// `null`: open above.
    pub high: Option<i64>,
    pub count: u64,
}

/// Where a quantile lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    pub low: Option<i64>,
    pub high: Option<i64>,
}

/// Ten years: nothing was traced that long.
const TOO_LONG_S: f64 = 315_576_000.0;

impl RangeHistogram {
    /// Sorts out what cannot be, and finds the quantiles.
    pub fn settle(&mut self) {
        let unit_s = match self.unit.as_deref() {
            Some("ns") => Some(1e-9),
            Some("us") => Some(1e-6),
            Some("ms") => Some(1e-3),
            Some("s") => Some(1.0),
            _ => None,
        };
        let is_possible = |bucket: &Bucket| match (bucket.low, unit_s) {
            (Some(low), Some(unit_s)) => (low as f64) * unit_s < TOO_LONG_S,
            (Some(low), None) => low < 1 << 54,
            (None, _) => true,
        };
        let (good, bad) = self.buckets.drain(..).partition(is_possible);
        self.buckets = good;
        self.impossible = bad;
        self.total = self
            .buckets
            .iter()
            .fold(0, |sum: u64, b| sum.saturating_add(b.count));
        self.p50 = self.quantile(0.5);
        self.p90 = self.quantile(0.9);
        self.p99 = self.quantile(0.99);
        self.p999 = self.quantile(0.999);
    }

    fn quantile(&self, q: f64) -> Option<Bounds> {
        let rank = ((self.total as f64 * q).ceil() as u64).max(1);
        let mut seen = 0u64;
        let found = self.buckets.iter().find(|bucket| {
            seen = seen.saturating_add(bucket.count);
            bucket.count > 0 && seen >= rank
        })?;
        Some(Bounds {
            low: found.low,
            high: found.high,
        })
    }
}
