//! What is different between two captures: counts, distributions, configuration, probes.
//!
//! A quantile differs when the two cannot be the same value: the intervals they lie in, by the width of
//! the buckets and by chance (95 %), do not touch.

pub mod configuration;
mod pairing;

use super::{Capture, Histogram, ProbeState};
use configuration::Setting;
use serde::Serialize;
use std::collections::BTreeMap;

/// A value on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pair<T> {
    pub a: T,
    pub b: T,
}

/// The difference between two captures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diff {
    pub captures: Pair<Side>,
    /// Whether both are of one host, as far as the inventories tell.
    pub same_host: bool,
    pub groups: Vec<Group>,
    pub configuration: Vec<Setting>,
    pub probes: Vec<ProbeDiff>,
}

/// What a capture is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    pub host: Option<String>,
    pub tool: String,
    pub started: String,
    /// Time observed, without gaps.
    pub seconds: f64,
}

/// Things that were counted together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    pub kind: Kind,
    /// Name of the device, mount point of the journal or filesystem, name of the job.
    pub name: String,
    /// Op, `queue`, `journal`, or call.
    pub part: String,
    /// Set where the other capture has no such thing at all; its values are then `null`.
    pub only_in: Option<Which>,
    pub counts: Vec<CountDiff>,
    pub distributions: Vec<DistributionDiff>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Device,
    Journal,
    Sync,
    Job,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    A,
    B,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountDiff {
    pub metric: String,
    /// `null`: not measured.
    pub n: Pair<Option<u64>>,
    pub per_second: Pair<Option<f64>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DistributionDiff {
    pub metric: String,
    /// The scale, which is the unit: `latency_ns`, `size_bytes`, `count`.
    pub scale: String,
    pub n: Pair<Option<u64>>,
    pub mean: Pair<Option<f64>>,
    pub p50: QuantileDiff,
    pub p99: QuantileDiff,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct QuantileDiff {
    pub a: Option<Bounded>,
    pub b: Option<Bounded>,
    /// Whether the intervals lie apart; `null`: one of them was not measured.
    pub differs: Option<bool>,
}

/// A quantile with its interval; no `high`: nothing bounds it from above.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounded {
    pub value: f64,
    pub low: u64,
    pub high: Option<u64>,
}

/// A probe group that is not in the same state on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeDiff {
    pub id: String,
    pub state: Pair<Option<ProbeState>>,
}

/// Compares `b` with `a`.
pub fn diff(a: &Capture, b: &Capture) -> Diff {
    Diff {
        captures: Pair {
            a: side(a),
            b: side(b),
        },
        same_host: super::join::same_host(&a.host, &b.host),
        groups: pairing::groups(a, b),
        configuration: configuration::settings(&a.host, &b.host),
        probes: probes(a, b),
    }
}

fn side(capture: &Capture) -> Side {
    let observed: u64 = (capture.slices.iter()).fold(0, |sum, s| sum.saturating_add(s.length_ns));
    Side {
        host: capture.host.hostname.clone(),
        tool: capture.meta.tool.clone(),
        started: capture.meta.started.clone(),
        seconds: observed as f64 / 1e9,
    }
}

fn probes(a: &Capture, b: &Capture) -> Vec<ProbeDiff> {
    let mut states: BTreeMap<&str, Pair<Option<ProbeState>>> = BTreeMap::new();
    for probe in &a.probes {
        states.entry(&probe.id).or_default().a = Some(probe.state);
    }
    for probe in &b.probes {
        states.entry(&probe.id).or_default().b = Some(probe.state);
    }
    let different = states.into_iter().filter(|(_, state)| state.a != state.b);
    different
        .map(|(id, state)| ProbeDiff {
            id: id.to_owned(),
            state,
        })
        .collect()
}

/// Compares a count. `seconds`: how long each side was observed.
fn count(metric: &str, n: Pair<Option<u64>>, seconds: Pair<f64>) -> CountDiff {
    let rate = |n: Option<u64>, seconds: f64| {
        let n = n.filter(|_| seconds > 0.0)?;
        Some(n as f64 / seconds)
    };
    CountDiff {
        metric: metric.to_owned(),
        n,
        per_second: Pair {
            a: rate(n.a, seconds.a),
            b: rate(n.b, seconds.b),
        },
    }
}

/// Compares a distribution; `None` when neither side has it.
fn distribution(metric: &str, h: Pair<Option<&Histogram>>) -> Option<DistributionDiff> {
    let scale = h.a.or(h.b)?.scale.clone();
    Some(DistributionDiff {
        metric: metric.to_owned(),
        scale,
        n: Pair {
            a: h.a.map(Histogram::n),
            b: h.b.map(Histogram::n),
        },
        mean: Pair {
            a: h.a.and_then(Histogram::mean),
            b: h.b.and_then(Histogram::mean),
        },
        p50: quantile(h, 0.5),
        p99: quantile(h, 0.99),
    })
}

fn quantile(h: Pair<Option<&Histogram>>, q: f64) -> QuantileDiff {
    let bounded = |h: Option<&Histogram>| {
        let quantile = h?.interval(q)?;
        Some(Bounded {
            value: quantile.value,
            low: quantile.low,
            high: quantile.high,
        })
    };
    let (a, b) = (bounded(h.a), bounded(h.b));
    let below = |x: Bounded, y: Bounded| x.high.is_some_and(|high| high <= y.low);
    QuantileDiff {
        a,
        b,
        differs: a.zip(b).map(|(a, b)| below(a, b) || below(b, a)),
    }
}

#[cfg(test)]
mod tests;
