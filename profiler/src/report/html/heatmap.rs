//! Latency over time: each column a stretch of time, each row a band of latency, the shade how many.

use super::columns::Columns;
use super::scale::{Linear, Log, latency_tick, time_ticks};
use super::svg::{Path, Svg};
use crate::capture::{Histogram, Op, Span};
use crate::units;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 356.0;
const TOP: f64 = 30.0;
const BASE: f64 = 200.0;
/// Rows of one power of ten.
const ROWS: f64 = 10.0;
/// Shades of the scale.
const SHADES: usize = 7;

/// The heat map of one op of one device; `None` when nothing was counted.
pub(super) fn draw(
    name: &str,
    columns: &Columns,
    device: &str,
    op: Op,
    span: Span,
) -> Option<String> {
    let histograms: Vec<Option<Histogram>> = columns.map(|slice| {
        let op = slice.devices.get(device)?.ops.get(&op)?;
        op.spans.get(&span).filter(|h| h.n() > 0).cloned()
    });
    let axis = axis(histograms.iter().flatten())?;
    let rows = (axis.decades() * ROWS).ceil().clamp(1.0, 140.0) as usize;
    let cells: Vec<Vec<u64>> = histograms
        .iter()
        .map(|histogram| cells(histogram.as_ref(), &axis, rows))
        .collect();
    let most = cells.iter().flatten().copied().max().unwrap_or(0).max(1);
    let mut svg = Svg::new(
        WIDTH,
        HEIGHT,
        &format!("Latency over time, {name}"),
        &format!(
            "Heat map over {} s; the darkest cell holds {} requests.",
            units::short(columns.seconds),
            units::count(most)
        ),
    );
    axes(&mut svg, &axis, columns.seconds);
    shade(&mut svg, &cells, most);
    quantile_line(&mut svg, &axis, &histograms, 0.5, "p50");
    quantile_line(&mut svg, &axis, &histograms, 0.99, "p99");
    legend(&mut svg, most);
    tooltips(&mut svg, columns, &histograms);
    Some(svg.finish())
}

fn axis<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Option<Log> {
    let mut range: Option<(f64, f64)> = None;
    for histogram in histograms {
        let low = histogram.quantile(0.0)?.low as f64;
        let last = histogram.quantile(1.0)?;
        let high = last.high.unwrap_or(last.low) as f64;
        let (l, h) = range.unwrap_or((low, high));
        range = Some((l.min(low), h.max(high)));
    }
    let (low, high) = range?;
    // Whole rows, so that decades fall on the edges of rows.
    let step = |value: f64| (value.max(100.0).log10() * ROWS).floor() / ROWS;
    let (low, high) = (step(low), step(high) + 1.0 / ROWS);
    Some(Log::new(10f64.powf(low), 10f64.powf(high), BASE, TOP))
}

/// How many values lie in each row, the fastest row first; a bucket counts where its middle lies.
fn cells(histogram: Option<&Histogram>, axis: &Log, rows: usize) -> Vec<u64> {
    let mut cells = vec![0u64; rows];
    let Some((histogram, scale)) = histogram.and_then(|h| Some((h, h.scale()?))) else {
        return cells;
    };
    for (index, count) in &histogram.counts {
        let low = scale.floor(*index as usize);
        let high = scale.ceiling(*index as usize).unwrap_or(low);
        let middle = (low as f64 + high as f64) / 2.0;
        let row = ((middle.max(axis.low()) / axis.low()).log10() * ROWS) as usize;
        let cell = &mut cells[row.min(rows - 1)];
        *cell = cell.saturating_add(*count);
    }
    cells
}

fn axes(svg: &mut Svg, axis: &Log, seconds: f64) {
    for tick in axis.ticks() {
        let y = axis.at(tick);
        svg.line("grid", (LEFT, y), (RIGHT, y));
        svg.text("tick end", (LEFT - 6.0, y + 4.0), &latency_tick(tick));
    }
    time_axis(svg, seconds, (LEFT, RIGHT), BASE);
}

/// The time axis that all pictures over time share.
pub(super) fn time_axis(svg: &mut Svg, seconds: f64, (left, right): (f64, f64), base: f64) {
    svg.line("axis", (left, base), (right, base));
    let x = Linear::new(seconds, left, right);
    for (at, word) in time_ticks(seconds) {
        let x = x.at(at);
        svg.line("axis", (x, base), (x, base + 4.0));
        let place = if right - x < 18.0 {
            "tick end"
        } else {
            "tick mid"
        };
        let x = if right - x < 18.0 { right } else { x };
        svg.text(place, (x, base + 18.0), &word);
    }
}

/// One path a shade: cells are many, shades are few.
fn shade(svg: &mut Svg, cells: &[Vec<u64>], most: u64) {
    let width = (RIGHT - LEFT) / cells.len().max(1) as f64;
    let rows = cells.first().map_or(1, Vec::len).max(1);
    let height = (BASE - TOP) / rows as f64;
    let mut paths: [Path; SHADES] = Default::default();
    for (column, cells) in cells.iter().enumerate() {
        for (row, count) in cells.iter().enumerate().filter(|(_, count)| **count > 0) {
            let x = LEFT + column as f64 * width;
            let y = BASE - (row as f64 + 1.0) * height;
            paths[shade_of(*count, most)].rect(x, y, width + 0.1, height + 0.1);
        }
    }
    for (shade, path) in paths.iter().enumerate() {
        svg.path(&format!("heat h{shade}"), path);
    }
}

/// Shades follow the logarithm: one slow request must be seen beside a thousand fast ones.
fn shade_of(count: u64, most: u64) -> usize {
    if most <= 1 {
        return SHADES - 1;
    }
    let share = (count.max(1) as f64).ln() / (most as f64).ln();
    ((share * (SHADES - 1) as f64).round() as usize).min(SHADES - 1)
}

fn quantile_line(svg: &mut Svg, axis: &Log, histograms: &[Option<Histogram>], q: f64, name: &str) {
    let width = (RIGHT - LEFT) / histograms.len().max(1) as f64;
    let mut path = Path::default();
    let mut drawing = false;
    let mut first = None;
    for (column, histogram) in histograms.iter().enumerate() {
        let Some(quantile) = histogram.as_ref().and_then(|h| h.quantile(q)) else {
            drawing = false;
            continue;
        };
        let (x, y) = (LEFT + column as f64 * width, axis.at(quantile.value));
        first.get_or_insert((x, y));
        match drawing {
            true => path.line_to(x, y),
            false => path.move_to(x, y),
        };
        path.line_to(x + width, y);
        drawing = true;
    }
    // A casing below the line keeps it visible on cells of its own colour.
    svg.path("quantile casing", &path);
    svg.path(&format!("quantile {name}"), &path);
    if let Some((x, y)) = first {
        // The median's label hangs below its line, out of the way of the other.
        let y = if q > 0.5 { y - 4.0 } else { y + 13.0 };
        let y = y.clamp(TOP + 10.0, BASE - 2.0);
        svg.text("quantile-label", (x + 3.0, y), name);
    }
}

fn legend(svg: &mut Svg, most: u64) {
    let high = units::count(most);
    let right = RIGHT - super::svg::text_width(&high) - 6.0;
    let left = right - 16.0 * SHADES as f64;
    for shade in 0..SHADES {
        let x = left + 16.0 * shade as f64;
        svg.rect(&format!("heat h{shade}"), (x, 6.0), (16.0, 10.0), "");
    }
    svg.text("tick end", (left - 6.0, 15.0), "in a cell: 1");
    svg.text("tick end", (RIGHT, 15.0), &high);
}

/// An invisible column each, so that its numbers can be pointed at.
fn tooltips(svg: &mut Svg, columns: &Columns, histograms: &[Option<Histogram>]) {
    let width = (RIGHT - LEFT) / histograms.len().max(1) as f64;
    for (column, histogram) in histograms.iter().enumerate() {
        let at = format!("{} s", units::short(columns.start(column)));
        let words = match histogram {
            Some(histogram) => {
                let q = |q| {
                    histogram
                        .quantile(q)
                        .map_or(String::new(), |q| units::nanos(q.value))
                };
                format!(
                    "{at}: n {}, p50 {}, p99 {}, max {}",
                    units::count(histogram.n()),
                    q(0.5),
                    q(0.99),
                    q(1.0)
                )
            }
            None => format!("{at}: nothing completed"),
        };
        let x = LEFT + column as f64 * width;
        svg.rect("hover", (x, TOP), (width, BASE - TOP), &words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profiler_ebpf::bucket::LATENCY;

    #[test]
    fn every_value_has_its_cell() {
        let mut histogram = Histogram::new(&LATENCY);
        for value in [1, 900, 40_000, 41_000, 3_000_000_000, u64::MAX] {
            histogram.add(value);
        }
        let axis = axis([&histogram].into_iter()).unwrap();
        let rows = (axis.decades() * ROWS).ceil() as usize;
        assert_eq!(cells(Some(&histogram), &axis, rows).iter().sum::<u64>(), 6);
    }

    #[test]
    fn one_among_many_is_still_seen() {
        assert_eq!(shade_of(1, 1_000), 0);
        assert_eq!(shade_of(1_000, 1_000), SHADES - 1);
        assert_eq!(shade_of(31, 1_000), 3);
        assert_eq!(shade_of(1, 1), SHADES - 1);
    }
}
