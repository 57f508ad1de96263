//! Amounts over time: one line a series, named at its end, gaps left open.

use super::columns::Columns;
use super::heatmap::time_axis;
use super::scale::{Linear, nice};
use super::svg::{Path, Svg, text_width};
use crate::units;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 12.0;
const BASE: f64 = 120.0;

/// One line: its name, its class in the style sheet and a value for each column.
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) class: &'static str,
    pub(super) values: Vec<Option<f64>>,
}

/// What the axis counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Rate,
    Throughput,
    Bytes,
    Share,
}

impl Amount {
    fn print(self, value: f64) -> String {
        match self {
            Self::Rate => units::rate(value),
            Self::Throughput => units::throughput(value),
            Self::Bytes => units::bytes(value),
            Self::Share => units::ratio(value),
        }
    }

    /// Where the axis ends, and its step.
    fn end(self, most: f64) -> (f64, f64) {
        match self {
            Self::Share => match most {
                most if most > 0.5 => (1.0, 0.5),
                most => nice(most.max(0.02), 10),
            },
            Self::Rate => nice(most, 10),
            Self::Throughput | Self::Bytes => nice(most, 2),
        }
    }
}

/// Draws the series that have values; `None` when none has.
pub(super) fn draw(
    title: &str,
    columns: &Columns,
    amount: Amount,
    series: &[Series],
) -> Option<String> {
    let series: Vec<&Series> = series
        .iter()
        .filter(|series| series.values.iter().flatten().any(|v| v.is_finite()))
        .collect();
    let values = series
        .iter()
        .flat_map(|s| s.values.iter().flatten().copied());
    let most = values.filter(|v| v.is_finite()).reduce(f64::max)?;
    let labels = series
        .iter()
        .map(|s| text_width(s.name))
        .fold(0.0, f64::max);
    let right = WIDTH - labels - 12.0;
    let words: Vec<String> = series.iter().map(|s| summary(s, amount)).collect();
    let mut svg = Svg::new(WIDTH, HEIGHT, title, &words.join("; "));
    let (end, step) = amount.end(most);
    let y = Linear::new(end, BASE, TOP);
    let mut tick = 0.0;
    while tick <= end * 1.0001 {
        svg.line("grid", (LEFT, y.at(tick)), (right, y.at(tick)));
        svg.text(
            "tick end",
            (LEFT - 6.0, y.at(tick) + 4.0),
            &amount.print(tick),
        );
        tick += step;
    }
    time_axis(&mut svg, columns.seconds, (LEFT, right), BASE);
    for series in &series {
        line(&mut svg, series, &y, right);
    }
    names(&mut svg, &series, &y, right);
    tooltips(&mut svg, columns, &series, amount, right);
    Some(svg.finish())
}

fn summary(series: &Series, amount: Amount) -> String {
    let values = || series.values.iter().flatten().copied();
    let most = values().fold(0.0, f64::max);
    let mean = values().sum::<f64>() / values().count().max(1) as f64;
    format!(
        "{}: mean {}, most {}",
        series.name,
        amount.print(mean),
        amount.print(most)
    )
}

fn x_of(column: usize, columns: usize, right: f64) -> f64 {
    LEFT + (column as f64 + 0.5) / columns.max(1) as f64 * (right - LEFT)
}

fn line(svg: &mut Svg, series: &Series, y: &Linear, right: f64) {
    let mut path = Path::default();
    let mut drawing = false;
    for (column, value) in series.values.iter().enumerate() {
        let Some(value) = value.filter(|v| v.is_finite()) else {
            drawing = false;
            continue;
        };
        let x = x_of(column, series.values.len(), right);
        match drawing {
            true => path.line_to(x, y.at(value)),
            // A point between two gaps must be seen as well.
            false => path.move_to(x - 0.5, y.at(value)).line_to(x, y.at(value)),
        };
        drawing = true;
    }
    svg.path(&format!("series {}", series.class), &path);
}

/// Names at the height where the lines end, moved apart where they would overlap.
fn names(svg: &mut Svg, series: &[&Series], y: &Linear, right: f64) {
    let mut places: Vec<(f64, &Series)> = series
        .iter()
        .filter_map(|series| {
            let last = series
                .values
                .iter()
                .rev()
                .flatten()
                .find(|v| v.is_finite())?;
            Some((y.at(*last), *series))
        })
        .collect();
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut free = BASE + 4.0;
    for (at, series) in places {
        let place = (at + 4.0).min(free);
        svg.text(
            &format!("name {}", series.class),
            (right + 6.0, place),
            series.name,
        );
        free = place - 14.0;
    }
}

fn tooltips(svg: &mut Svg, columns: &Columns, series: &[&Series], amount: Amount, right: f64) {
    let width = (right - LEFT) / columns.len().max(1) as f64;
    for column in 0..columns.len() {
        let words: Vec<String> = series
            .iter()
            .map(
                |series| match series.values.get(column).copied().flatten() {
                    Some(value) => format!("{} {}", series.name, amount.print(value)),
                    None => format!("{} not measured", series.name),
                },
            )
            .collect();
        let at = units::short(columns.start(column));
        let x = LEFT + column as f64 * width;
        svg.rect(
            "hover",
            (x, TOP),
            (width, BASE - TOP),
            &format!("{at} s: {}", words.join(", ")),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Slice;

    #[test]
    fn a_series_without_values_is_not_drawn_as_zero() {
        let slice = Slice {
            length_ns: 1_000_000_000,
            ..Slice::default()
        };
        let capture = crate::report::html::columns::tests::capture(vec![slice]);
        let columns = Columns::new(&capture);
        let series = |values| Series {
            name: "some",
            class: "read",
            values,
        };
        assert!(draw("t", &columns, Amount::Share, &[series(vec![None])]).is_none());
        let zero = draw("t", &columns, Amount::Share, &[series(vec![Some(0.0)])]);
        assert!(zero.is_some_and(|svg| svg.contains("mean 0 %")));
        let odd = draw(
            "t",
            &columns,
            Amount::Share,
            &[series(vec![Some(f64::NAN)])],
        );
        assert!(odd.is_none());
    }
}
