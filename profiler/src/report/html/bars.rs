//! Sizes and counts in steps of powers of two, the ops side by side.

use super::scale::Linear;
use super::svg::{Svg, text_width};
use crate::capture::{DeviceSlice, Histogram, Op, OpSlice};
use crate::units;
use std::collections::BTreeMap;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 160.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 354.0;
const TOP: f64 = 10.0;
const BASE: f64 = 130.0;

/// One of the counted properties of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Depth,
    Size,
    Bios,
}

impl What {
    fn of(self, op: &OpSlice) -> Option<&Histogram> {
        match self {
            Self::Depth => op.depth.as_ref(),
            Self::Size => op.size_bytes.as_ref(),
            Self::Bios => op.bios_per_request.as_ref(),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Depth => "Requests in flight at issue",
            Self::Size => "Size of a request at issue",
            Self::Bios => "Bios in a request at issue",
        }
    }

    /// The label of the step from `2^power` to the next.
    fn label(self, power: u32) -> String {
        let low = 1u64 << power.min(63);
        match self {
            Self::Size => units::bytes(low as f64)
                .replace(" KiB", "K")
                .replace(" MiB", "M")
                .replace(" GiB", "G")
                .replace(" B", ""),
            _ => units::short(low as f64).replace(' ', ""),
        }
    }

    /// The step in words.
    fn range(self, power: u32) -> String {
        let low = 1u64 << power.min(62);
        match self {
            Self::Size => format!(
                "{} to below {}",
                units::bytes(low as f64),
                units::bytes(low as f64 * 2.0)
            ),
            _ if power == 0 => "1".to_owned(),
            _ => format!("{} to {}", units::count(low), units::count(low * 2 - 1)),
        }
    }
}

/// The bars of one property of a device, and the ops that have it; `None` when none has.
pub(super) fn draw(
    device: &str,
    what: What,
    slice: &DeviceSlice,
) -> Option<(Vec<&'static str>, String)> {
    let ops: BTreeMap<Op, BTreeMap<u32, f64>> = slice
        .ops
        .iter()
        .filter_map(|(op, counted)| Some((*op, steps(what.of(counted)?)?)))
        .collect();
    let powers = || ops.values().flat_map(|steps| steps.keys().copied());
    let (first, last) = (powers().min()?, powers().max()?);
    let most = ops
        .values()
        .flat_map(|s| s.values().copied())
        .fold(0.0, f64::max);
    let mut svg = Svg::new(
        WIDTH,
        HEIGHT,
        &format!("{}, {device}", what.title()),
        "Share of the requests of an op, in steps of powers of two.",
    );
    let end = match most {
        most if most > 0.5 => 1.0,
        most if most > 0.25 => 0.5,
        _ => 0.25,
    };
    let y = Linear::new(end, BASE, TOP);
    for tick in [0.0, end / 2.0, end] {
        svg.line("grid", (LEFT, y.at(tick)), (RIGHT, y.at(tick)));
        svg.text(
            "tick end",
            (LEFT - 6.0, y.at(tick) + 4.0),
            &units::ratio(tick),
        );
    }
    let count = f64::from(last - first + 1);
    let slot = (RIGHT - LEFT) / count;
    labels(&mut svg, what, first, last, slot);
    let bar = (slot * 0.8 / ops.len() as f64).min(26.0);
    for (place, (op, steps)) in ops.iter().enumerate() {
        for (power, share) in steps {
            let middle = LEFT + (f64::from(power - first) + 0.5) * slot;
            let x = middle + (place as f64 - ops.len() as f64 / 2.0) * bar;
            // A share too small to see is still a line.
            let height = (BASE - y.at(*share)).max(0.8);
            let words = format!(
                "{}, {}: {}",
                op.name(),
                what.range(*power),
                units::ratio(*share)
            );
            svg.rect(
                &format!("bar {}", op.name()),
                (x, BASE - height),
                (bar - 1.0, height),
                &words,
            );
        }
    }
    svg.line("axis", (LEFT, BASE), (RIGHT, BASE));
    Some((ops.keys().map(|op| op.name()).collect(), svg.finish()))
}

/// Shares by power of two; values below 1 count as 1.
fn steps(histogram: &Histogram) -> Option<BTreeMap<u32, f64>> {
    let (scale, n) = (histogram.scale()?, histogram.n());
    if n == 0 {
        return None;
    }
    let mut steps: BTreeMap<u32, f64> = BTreeMap::new();
    for (index, count) in &histogram.counts {
        let power = scale.floor(*index as usize).max(1).ilog2();
        *steps.entry(power).or_default() += *count as f64 / n as f64;
    }
    Some(steps)
}

/// As many labels as have room.
fn labels(svg: &mut Svg, what: What, first: u32, last: u32, slot: f64) {
    let widest = (first..=last)
        .map(|power| text_width(&what.label(power)))
        .fold(0.0, f64::max);
    let every = ((widest + 6.0) / slot).ceil().max(1.0) as u32;
    for power in (first..=last).step_by(every as usize) {
        let x = LEFT + (f64::from(power - first) + 0.5) * slot;
        svg.text("tick mid", (x, BASE + 18.0), &what.label(power));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profiler_ebpf::bucket::{COUNT, SIZE};

    #[test]
    fn shares_of_an_op_add_up_to_one() {
        let mut sizes = Histogram::new(&SIZE);
        [512, 4096, 4096, 8192, 1 << 20]
            .into_iter()
            .for_each(|v| sizes.add(v));
        let steps = steps(&sizes).unwrap();
        assert_eq!(steps.get(&12), Some(&0.4));
        assert!((steps.values().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(super::steps(&Histogram::new(&COUNT)).is_none());
    }
}
