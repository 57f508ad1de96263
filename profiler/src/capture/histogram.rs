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

    /// What is left without `part`; `None` when it is no part of this.
    pub fn minus(&self, part: &Self) -> Option<Self> {
        let mut rest = self.clone();
        if self.scale != part.scale {
            return None;
        }
        rest.sum = self.sum.checked_sub(part.sum)?;
        for (index, n) in part.counts.iter().filter(|(_, n)| **n > 0) {
            let slot = rest.counts.get_mut(index)?;
            *slot = slot.checked_sub(*n)?;
        }
        rest.counts.retain(|_, n| *n > 0);
        Some(rest)
    }

    /// The exact mean; `None` when nothing was counted, or on a scale whose unit is unknown.
    pub fn mean(&self) -> Option<f64> {
        self.scale()?;
        let n = self.n();
        (n > 0).then(|| self.sum as f64 / n as f64)
    }

    /// The `q` quantile (0 to 1) by nearest rank; `None` when nothing was counted.
    pub fn quantile(&self, q: f64) -> Option<Quantile> {
        let n = self.n();
        self.ranked((q.clamp(0.0, 1.0) * n as f64).ceil() as u64)
    }

    /// The `q` quantile with the bounds between which it lies in 19 of 20 repetitions.
    ///
    /// The bounds are those of the ranks `n q ± 1.96 sqrt(n q (1 - q))` (the binomial interval of an
    /// order statistic), widened to their buckets; values that depend on each other spread wider.
    pub fn interval(&self, q: f64) -> Option<Quantile> {
        let (n, q) = (self.n() as f64, q.clamp(0.0, 1.0));
        let reach = 1.96 * (n * q * (1.0 - q)).sqrt();
        let value = self.quantile(q)?.value;
        // Before the first rank and past the last there is no bound: what lies there was not seen.
        let below = (n * q - reach).floor();
        let low = match below >= 1.0 {
            true => self.ranked(below as u64)?.low,
            false => 0,
        };
        let above = (n * q + reach).ceil() + 1.0;
        let high = match above <= n {
            true => self.ranked(above as u64)?.high,
            false => None,
        };
        Some(Quantile { value, low, high })
    }

    /// The value at a rank, counted from 1.
    fn ranked(&self, rank: u64) -> Option<Quantile> {
        let scale = self.scale()?;
        let rank = rank.clamp(1, self.n().max(1));
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
        let above = self
            .counts
            .range(from..)
            .fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
        (n > 0).then(|| above as f64 / n as f64)
    }
}

fn bounds(scale: &Scale, index: usize) -> Quantile {
    // A bucket beyond the scale can only come from a capture that was never checked.
    let index = index.min(scale.buckets() - 1);
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
    use crate::capture::arbitrary::any_histogram;
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

    #[test]
    fn the_interval_of_a_median_is_that_of_its_order_statistics() {
        // 100 values of one size class each: ranks 50 -+ 9.8, so the 40th and the 61st.
        let mut histogram = Histogram::new(&SIZE);
        (1..=100u64).for_each(|i| histogram.add(i * 4096));
        let median = histogram.interval(0.5).unwrap();
        assert_eq!(median.value, SIZE.floor(SIZE.index(50 * 4096)) as f64);
        assert_eq!(median.low, SIZE.floor(SIZE.index(40 * 4096)));
        assert_eq!(median.high, SIZE.ceiling(SIZE.index(61 * 4096)));
        // Of 100 values nothing bounds the 99th percentile from above.
        assert_eq!(histogram.interval(0.99).unwrap().high, None);
        assert_eq!(Histogram::new(&SIZE).interval(0.5), None);
    }

    #[test]
    fn a_bucket_beyond_the_scale_is_read_as_the_overflow() {
        let mut histogram = Histogram::new(&LATENCY);
        histogram.counts.insert(u32::MAX, 1);
        let all = histogram.quantile(0.5).unwrap();
        assert_eq!((all.low, all.high), (1 << 37, None));
    }

    proptest! {
        #[test]
        fn subtracting_undoes_merging(a in any_histogram(&LATENCY, 20), b in any_histogram(&LATENCY, 20)) {
            let mut both = a.clone();
            both.merge(&b);
            prop_assert_eq!(both.minus(&b), Some(a.clone()));
            prop_assert_eq!(both.minus(&a), Some(b.clone()));
            if b.n() > 0 {
                prop_assert_eq!(a.minus(&both), None);
            }
        }
    }
}
