//! Sparse, mergeable histograms over the buckets of [`profiler_ebpf::bucket`].

use profiler_ebpf::bucket::{SCALES, Scale};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counted values of one kind. Merging and subtracting are exact; quantiles are exact to half a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// Name of the scale: `latency_ns`, `size_bytes` or `count`.
    pub scale: String,
    /// Sum of the values, so that means are exact. In the unit of the scale.
    pub sum: u64,
    /// Bucket index to number of values.
    pub counts: BTreeMap<u32, u64>,
}

/// A quantile with the bounds of the bucket it fell into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// Best estimate: the bucket's middle for latencies, its lower bound for sizes and counts.
    pub value: f64,
    /// Smallest value it can be.
    pub low: u64,
    /// Bound that it lies below; `None` beyond the end of the scale.
    pub high: Option<u64>,
}

impl Histogram {
    /// An empty histogram.
    pub fn new(scale: &Scale) -> Self {
        Self {
            scale: scale.name.to_owned(),
            sum: 0,
            counts: BTreeMap::new(),
        }
    }

    /// The scale this was counted on; `None` when the name is unknown to this version.
    pub fn scale(&self) -> Option<&'static Scale> {
        SCALES.iter().find(|scale| scale.name == self.scale)
    }

    /// Counts one value.
    pub fn add(&mut self, value: u64) {
        if let Some(scale) = self.scale() {
            *self.counts.entry(scale.index(value) as u32).or_default() += 1;
            self.sum = self.sum.saturating_add(value);
        }
    }

    /// How many values were counted.
    pub fn n(&self) -> u64 {
        self.counts
            .values()
            .fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// Adds another histogram of the same scale; one of another scale is left out.
    pub fn merge(&mut self, other: &Self) {
        if self.scale != other.scale {
            return;
        }
        self.sum = self.sum.saturating_add(other.sum);
        for (index, n) in &other.counts {
            let slot = self.counts.entry(*index).or_default();
            *slot = slot.saturating_add(*n);
        }
    }

    /// The exact mean; `None` when nothing was counted.
    pub fn mean(&self) -> Option<f64> {
        let n = self.n();
        (n > 0).then(|| self.sum as f64 / n as f64)
    }

    /// The `q` quantile (0 to 1) by nearest rank; `None` when nothing was counted.
    pub fn quantile(&self, q: f64) -> Option<Quantile> {
        let scale = self.scale()?;
        let n = self.n();
        let rank = ((q.clamp(0.0, 1.0) * n as f64).ceil() as u64).clamp(1, n.max(1));
        let mut seen = 0u64;
        for (index, count) in &self.counts {
            seen = seen.saturating_add(*count);
            if seen >= rank {
                return Some(bounds(scale, *index as usize));
            }
        }
        None
    }

    /// The share (0 to 1) of values at or above `value`; `None` when nothing was counted.
    pub fn share_from(&self, value: u64) -> Option<f64> {
        let scale = self.scale()?;
        let n = self.n();
        let from = scale.index(value) as u32;
        let above: u64 = self.counts.range(from..).map(|(_, n)| *n).sum();
        (n > 0).then(|| above as f64 / n as f64)
    }
}

fn bounds(scale: &Scale, index: usize) -> Quantile {
    let low = scale.floor(index);
    let high = scale.ceiling(index);
    let middle = scale.name == "latency_ns";
    let value = match high {
        Some(high) if middle => (low + high) as f64 / 2.0,
        _ => low as f64,
    };
    Quantile { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profiler_ebpf::bucket::{LATENCY, SIZE};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_agree_with_a_sorted_list(mut values in prop::collection::vec(1_000u64..10_000_000_000, 1..300), q in 0.0f64..1.0) {
            let mut histogram = Histogram::new(&LATENCY);
            values.iter().for_each(|v| histogram.add(*v));
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1];
            let got = histogram.quantile(q).unwrap();
            prop_assert!(got.low <= exact && exact < got.high.unwrap());
            prop_assert!((got.value - exact as f64).abs() / exact as f64 <= 0.01);
        }

        #[test]
        fn merging_is_counting_together(a in prop::collection::vec(0u64..1 << 30, 0..50), b in prop::collection::vec(0u64..1 << 30, 0..50)) {
            let (mut x, mut y, mut both) = (Histogram::new(&SIZE), Histogram::new(&SIZE), Histogram::new(&SIZE));
            a.iter().for_each(|v| { x.add(*v); both.add(*v); });
            b.iter().for_each(|v| { y.add(*v); both.add(*v); });
            x.merge(&y);
            prop_assert_eq!(x, both);
        }
    }
}
