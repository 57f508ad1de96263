//! How latencies are distributed: share of the I/Os over a logarithmic axis, one line a span.
//!
//! The height is the square root of the share: one slow request in a thousand must be seen.

use super::scale::{Log, latency_tick};
use super::svg::{Path, Svg, text_width};
use crate::capture::{DeviceSlice, Histogram, OpSlice, Span};
use crate::units;
use std::collections::BTreeMap;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 4.0;
const RIGHT: f64 = 356.0;
const TOP: f64 = 34.0;
const BASE: f64 = 164.0;

/// The marks drawn on the main span.
const MARKS: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

/// A drawing and the spans it shows, in the order of the legend.
pub(super) struct Density {
    pub(super) svg: String,
    pub(super) spans: Vec<&'static str>,
    /// The span that the marks belong to.
    pub(super) marked: &'static str,
}

/// The latencies of one op; `None` when no span counted anything. `axis` is shared by the ops of a
/// device, so that they can be compared.
pub(super) fn draw(name: &str, op: &OpSlice, axis: &Log) -> Option<Density> {
    let spans: BTreeMap<Span, &Histogram> = op
        .spans
        .iter()
        .filter(|(_, histogram)| histogram.n() > 0 && histogram.scale().is_some())
        .map(|(span, histogram)| (*span, histogram))
        .collect();
    let marked = [Span::Request, Span::Bio, Span::Device, Span::Queue]
        .into_iter()
        .find(|span| spans.contains_key(span))?;
    let bins = (axis.decades() * 16.0).ceil().clamp(10.0, 170.0) as usize;
    let shares: BTreeMap<Span, Vec<f64>> = spans
        .iter()
        .map(|(span, histogram)| (*span, shares(histogram, axis, bins)))
        .collect();
    let most = shares.values().flatten().copied().fold(1e-9, f64::max);
    let description = format!(
        "Share of the I/Os by latency on a logarithmic axis. {}",
        marks_in_words(spans[&marked])
    );
    let mut svg = Svg::new(
        WIDTH,
        HEIGHT,
        &format!("Latency of {name}, {} span", marked.name()),
        &description,
    );
    grid(&mut svg, axis);
    // Filled shapes first, lines over them.
    for span in [
        Span::Device,
        Span::Wait,
        Span::Queue,
        Span::Request,
        Span::Bio,
    ] {
        if let Some(shares) = shares.get(&span) {
            curve(&mut svg, span, shares, most);
        }
    }
    marks(&mut svg, axis, spans[&marked]);
    Some(Density {
        svg: svg.finish(),
        spans: spans.keys().map(|span| span.name()).collect(),
        marked: marked.name(),
    })
}

/// From the fastest thousandth to the slowest value of all spans of a device.
pub(super) fn axis(device: &DeviceSlice) -> Log {
    let (mut low, mut high) = (f64::INFINITY, 0f64);
    for histogram in device.ops.values().flat_map(|op| op.spans.values()) {
        if let (Some(first), Some(last)) = (histogram.quantile(0.001), histogram.quantile(1.0)) {
            low = low.min(first.value);
            high = high.max(last.high.unwrap_or(last.low) as f64);
        }
    }
    Log::new(low.max(250.0), high * 1.15, LEFT, RIGHT)
}

/// The share of the values in each bin of the axis; a bucket is spread evenly over its bins.
fn shares(histogram: &Histogram, axis: &Log, bins: usize) -> Vec<f64> {
    let mut shares = vec![0.0; bins];
    let (Some(scale), n) = (histogram.scale(), histogram.n()) else {
        return shares;
    };
    let place = |value: f64| {
        let share = (axis.at(value) - LEFT) / (RIGHT - LEFT);
        share * bins as f64
    };
    for (index, count) in &histogram.counts {
        let index = *index as usize;
        let low = scale.floor(index);
        let high = scale.ceiling(index).unwrap_or(low);
        let (from, to) = (place(low as f64), place(high as f64));
        let share = *count as f64 / n as f64;
        let last = bins - 1;
        let (first, end) = ((from as usize).min(last), (to as usize).min(last));
        if to - from < 1e-9 || first == end {
            shares[first] += share;
            continue;
        }
        for (bin, slot) in shares.iter_mut().enumerate().take(end + 1).skip(first) {
            let overlap = to.min(bin as f64 + 1.0) - from.max(bin as f64);
            *slot += share * overlap.max(0.0) / (to - from);
        }
    }
    shares
}

fn grid(svg: &mut Svg, axis: &Log) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        svg.line("grid", (x, TOP), (x, BASE));
        let label = latency_tick(tick);
        let half = text_width(&label) / 2.0;
        if x - half >= 0.0 && x + half <= WIDTH {
            svg.text("tick mid", (x, BASE + 18.0), &label);
        }
        for step in 2..10 {
            let minor = axis.at(tick * f64::from(step));
            if minor < RIGHT - 0.5 {
                svg.line("axis", (minor, BASE), (minor, BASE + 3.0));
            }
        }
    }
    svg.line("axis", (LEFT, BASE), (RIGHT, BASE));
}

fn curve(svg: &mut Svg, span: Span, shares: &[f64], most: f64) {
    let bins = shares.len() as f64;
    let x = |bin: f64| LEFT + bin / bins * (RIGHT - LEFT);
    let y = |share: f64| BASE - (share / most).sqrt() * (BASE - TOP - 4.0);
    let points = shares
        .iter()
        .enumerate()
        .map(|(bin, share)| (x(bin as f64 + 0.5), y(*share)));
    if span == Span::Device {
        let mut path = Path::through(points);
        path.line_to(RIGHT, BASE).line_to(LEFT, BASE).close();
        svg.path("span device", &path);
    } else {
        // The line starts and ends where the values do, so that it does not underline the axis.
        let used = |share: &f64| *share > 0.0;
        let first = shares.iter().position(used).unwrap_or(0).saturating_sub(1);
        let last = shares.iter().rposition(used).unwrap_or(0) + 2;
        let line = Path::through(points.take(last).skip(first));
        svg.path(&format!("span {}", span.name()), &line);
    }
}

fn marks_in_words(histogram: &Histogram) -> String {
    let words = MARKS.iter().filter_map(|(q, name)| {
        let quantile = histogram.quantile(*q)?;
        Some(format!("{name} {}", units::nanos(quantile.value)))
    });
    let words: Vec<String> = words.collect();
    format!("{}, n {}.", words.join(", "), units::count(histogram.n()))
}

/// Vertical lines with labels above: the median's to its left, the tail's to the right where there
/// is room. A label that would run into its neighbour goes one row up.
fn marks(svg: &mut Svg, axis: &Log, histogram: &Histogram) {
    let mut rows = [f64::NEG_INFINITY; 2];
    for (q, name) in MARKS {
        let Some(quantile) = histogram.quantile(q) else {
            continue;
        };
        let x = axis.at(quantile.value);
        let label = format!("{name} {}", units::nanos(quantile.value));
        let width = text_width(&label);
        let wanted = if q == 0.5 { x - width - 3.0 } else { x - 3.0 };
        let left = wanted.min(RIGHT - width).max(LEFT);
        let row = rows.iter().position(|end| left > *end + 6.0).unwrap_or(1);
        rows[row] = left + width;
        let y = TOP - 5.0 - 15.0 * row as f64;
        svg.line("mark", (x, y + 3.0), (x, BASE));
        svg.text("mark-label", (left, y), &label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profiler_ebpf::bucket::LATENCY;

    #[test]
    fn all_of_the_mass_is_drawn() {
        let mut histogram = Histogram::new(&LATENCY);
        for value in [0, 20, 5_000, 5_100, 80_000, 90_000_000, u64::MAX] {
            histogram.add(value);
        }
        let axis = Log::new(250.0, 1e9, LEFT, RIGHT);
        let sum: f64 = shares(&histogram, &axis, 100).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn nothing_counted_draws_nothing() {
        let axis = axis(&DeviceSlice::default());
        assert!(draw("x", &OpSlice::default(), &axis).is_none());
        let mut op = OpSlice::default();
        op.spans.insert(Span::Device, Histogram::new(&LATENCY));
        assert!(draw("x", &op, &axis).is_none());
    }
}
