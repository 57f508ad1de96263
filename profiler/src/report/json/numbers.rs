//! Histograms turned into the report's numbers, and the reasons where there are none.

use super::shape::{DistributionJson, LatencyJson};
use crate::capture::{Histogram, ProbeState, ProbeStatus};

/// The probe measured, and this did not happen.
pub(super) const NONE_SEEN: &str = "none were seen";
/// There is nothing to measure.
pub(crate) const NO_DATA: &str = "a flush carries no data";

/// The quantiles that every distribution is told by.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];

/// Why a value is missing, in the words of the first of these probe groups that did not measure.
pub(super) fn reason(probes: &[ProbeStatus], ids: &[&str]) -> String {
    let state = |id: &&str| probes.iter().find(|probe| probe.id == **id);
    let blamed = ids
        .iter()
        .filter_map(state)
        .find(|probe| probe.state != ProbeState::Ok);
    match blamed {
        Some(probe) => format!(
            "probe {} {}{}",
            probe.id,
            state_words(probe.state),
            probe
                .reason
                .as_ref()
                .map_or(String::new(), |reason| format!(": {reason}"))
        ),
        None if ids.iter().any(|id| state(id).is_some()) => NONE_SEEN.to_owned(),
        None => match ids.first() {
            Some(id) => format!("this capture was made without the {id} probe"),
            None => "no probe of this version times it".to_owned(),
        },
    }
}

/// A probe's state as the middle of a sentence.
pub(crate) fn state_words(state: ProbeState) -> &'static str {
    match state {
        ProbeState::Ok => "ok",
        ProbeState::Partial => "partly attached",
        ProbeState::Off => "not asked for",
        ProbeState::Unavailable => "unavailable",
        ProbeState::Failed => "failed its self-check",
        ProbeState::Shed => "detached to stay below the cost limit",
    }
}

/// The latency table's numbers; without a histogram all are `null` for the reason given.
pub(super) fn latency(
    histogram: Option<&Histogram>,
    reason: impl FnOnce() -> String,
) -> LatencyJson {
    let DistributionJson {
        n,
        mean,
        p50,
        p90,
        p99,
        p999,
        max,
        error,
        reason,
    } = distribution(histogram, reason);
    LatencyJson {
        n,
        mean_ns: mean,
        p50_ns: p50,
        p90_ns: p90,
        p99_ns: p99,
        p999_ns: p999,
        max_ns: max,
        error,
        reason,
    }
}

/// As [`latency`], for sizes and counts.
pub(super) fn distribution(
    histogram: Option<&Histogram>,
    reason: impl FnOnce() -> String,
) -> DistributionJson {
    let Some(histogram) = histogram else {
        return DistributionJson {
            reason: Some(reason()),
            ..DistributionJson::default()
        };
    };
    let Some(scale) = histogram.scale() else {
        return DistributionJson {
            reason: Some(format!("unknown histogram scale `{}`", histogram.scale)),
            ..DistributionJson::default()
        };
    };
    let quantiles = QUANTILES.map(|q| histogram.quantile(q));
    let [p50, p90, p99, p999, max] = quantiles.map(|q| q.map(|q| q.value));
    let overflow = quantiles
        .iter()
        .flatten()
        .any(|quantile| quantile.high.is_none());
    let width = |low: u64, high: u64, value: f64| {
        // A bucket of one unit holds one value: whole sectors, whole requests.
        let exact = scale.name != "latency_ns" && high - low <= 1 << scale.unit_shift;
        let half = (high - low) as f64 / if scale.name == "latency_ns" { 2.0 } else { 1.0 };
        if exact || value <= 0.0 {
            0.0
        } else {
            half / value
        }
    };
    let error = quantiles
        .iter()
        .flatten()
        .filter_map(|q| q.high.map(|high| width(q.low, high.max(q.low), q.value)))
        .reduce(f64::max);
    let n = histogram.n();
    DistributionJson {
        n: Some(n),
        mean: histogram.mean(),
        p50,
        p90,
        p99,
        p999,
        max,
        error: if overflow { None } else { error },
        reason: if n == 0 {
            Some("nothing was counted".to_owned())
        } else if overflow {
            Some("the largest values lie beyond the end of the scale".to_owned())
        } else {
            None
        },
    }
}

/// Events a second over a stretch of time; `None` when no time passed.
pub(super) fn per_second(n: u64, nanoseconds: u64) -> Option<f64> {
    (nanoseconds > 0).then(|| n as f64 * 1e9 / nanoseconds as f64)
}

/// A number that JSON can hold.
pub(super) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use profiler_ebpf::bucket::{COUNT, LATENCY, SIZE};

    fn of(scale: &profiler_ebpf::bucket::Scale, values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new(scale);
        values.iter().for_each(|value| histogram.add(*value));
        histogram
    }

    #[test]
    fn a_distribution_names_its_error() {
        let sizes = distribution(Some(&of(&SIZE, &[4096, 4096, 8192])), String::new);
        assert_eq!((sizes.p50, sizes.max), (Some(4096.0), Some(8192.0)));
        assert_eq!(sizes.error, Some(0.0));
        let depth = distribution(Some(&of(&COUNT, &[1, 2, 3])), String::new);
        assert_eq!((depth.p50, depth.error), (Some(2.0), Some(0.0)));
        let latency = latency(Some(&of(&LATENCY, &[1_000_000; 10])), String::new);
        assert!(
            latency.error.is_some_and(|e| e > 0.0 && e <= 0.01),
            "{latency:?}"
        );
    }

    #[test]
    fn what_was_not_counted_is_null_with_a_reason() {
        let missing = latency(None, || "probe off".to_owned());
        assert_eq!(missing.n, None);
        assert_eq!(missing.reason.as_deref(), Some("probe off"));
        let empty = latency(Some(&of(&LATENCY, &[])), String::new);
        assert_eq!((empty.n, empty.p50_ns), (Some(0), None));
        assert_eq!(empty.reason.as_deref(), Some("nothing was counted"));
        let beyond = latency(Some(&of(&LATENCY, &[u64::MAX])), String::new);
        assert_eq!((beyond.n, beyond.error), (Some(1), None));
    }

    #[test]
    fn the_probe_that_could_not_measure_gives_the_reason() {
        let probe = ProbeStatus {
            id: "journal".into(),
            about: String::new(),
            state: ProbeState::Unavailable,
            reason: Some("no jbd2 on this kernel".into()),
        };
        let probes = [probe];
        assert_eq!(
            reason(&probes, &["journal"]),
            "probe journal unavailable: no jbd2 on this kernel"
        );
        assert_eq!(
            reason(&probes, &["sync"]),
            "this capture was made without the sync probe"
        );
    }
}
