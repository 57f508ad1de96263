//! `iosage diff`: what changed from one capture to another.

use super::say;
use crate::capture::Capture;
use crate::capture::diff::{
    Bounded, Diff, DistributionDiff, Group, Pair, QuantileDiff, Which, diff,
};
use crate::exit::Outcome;
use crate::units;
use anyhow::{Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The capture to compare with (`-`: standard input)
    a: PathBuf,
    /// The capture that is compared
    b: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

pub fn run(args: Args) -> Result<Outcome> {
    if args.a.as_os_str() == "-" && args.b.as_os_str() == "-" {
        bail!("only one of the two captures can be read from standard input");
    }
    let diff = diff(&Capture::read(&args.a)?, &Capture::read(&args.b)?);
    let mut text = match args.format {
        Format::Text => text(&diff),
        Format::Json => serde_json::to_string_pretty(&diff)?,
    };
    text.push('\n');
    say::out(&text).map(|()| Outcome::Fine)
}

/// The comparison for people: what moved, then what may have moved it.
fn text(diff: &Diff) -> String {
    let mut parts = vec![captures(diff)];
    if !diff.same_host {
        parts.push("The captures are not known to be of one host.".to_owned());
    }
    if diff.groups.is_empty() {
        parts.push("Nothing was counted in either capture.".to_owned());
    } else {
        parts.push(measurements(&diff.groups));
        parts.push(
            "* The two cannot be the same value: their 95 % intervals, bucket width included, \
             do not touch."
                .to_owned(),
        );
    }
    parts.push(configuration(diff));
    if !diff.probes.is_empty() {
        parts.push(probes(diff));
    }
    parts.join("\n\n")
}

fn captures(diff: &Diff) -> String {
    let sides = [("A", &diff.captures.a), ("B", &diff.captures.b)];
    let lines = sides.map(|(letter, side)| {
        let host = units::printable(side.host.as_deref().unwrap_or("unnamed host"));
        let seconds = units::nanos(side.seconds * 1e9);
        format!(
            "{letter}  {host}, {} for {seconds}, by {}",
            side.started, side.tool
        )
    });
    lines.join("\n")
}

fn table(header: [&str; 4], rows: Vec<[String; 4]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn measurements(groups: &[Group]) -> String {
    let mut rows = Vec::new();
    for group in groups {
        rows.push([
            units::printable(&format!("{} {}", group.name, group.part)),
            String::new(),
            String::new(),
            match group.only_in {
                Some(Which::A) => "only in A".to_owned(),
                Some(Which::B) => "only in B".to_owned(),
                None => String::new(),
            },
        ]);
        for count in &group.counts {
            let silent = |n: Option<u64>| n.is_none_or(|n| n == 0);
            if silent(count.n.a) && silent(count.n.b) {
                continue;
            }
            let show = match count.metric == "bytes" {
                true => units::throughput,
                false => units::rate,
            };
            rows.push(row(
                &count.metric.replace('_', " "),
                count.per_second,
                show,
                "",
            ));
        }
        for distribution in &group.distributions {
            rows.extend(quantiles(distribution));
        }
    }
    table(["", "A", "B", "Change"], rows)
}

fn quantiles(distribution: &DistributionDiff) -> Vec<[String; 4]> {
    let show = match distribution.scale.as_str() {
        "latency_ns" => units::nanos,
        "size_bytes" => units::bytes,
        _ => units::short,
    };
    let each = [("p50", distribution.p50), ("p99", distribution.p99)];
    let known = |q: &QuantileDiff| q.a.is_some() || q.b.is_some();
    let known = each.into_iter().filter(|(_, q)| known(q));
    known
        .map(|(name, q)| {
            let value = |bounded: Option<Bounded>| bounded.map(|b| b.value);
            let values = Pair {
                a: value(q.a),
                b: value(q.b),
            };
            let mark = if q.differs == Some(true) { " *" } else { "" };
            let metric = distribution.metric.replace('_', " ");
            row(&format!("{metric} {name}"), values, show, mark)
        })
        .collect()
}

fn row(name: &str, values: Pair<Option<f64>>, show: fn(f64) -> String, mark: &str) -> [String; 4] {
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), show);
    [
        format!("  {name}"),
        cell(values.a),
        cell(values.b),
        format!("{}{mark}", change(values)),
    ]
}

/// `+12 %`, or a factor where percents stop being read.
fn change(values: Pair<Option<f64>>) -> String {
    match (values.a, values.b) {
        (Some(a), Some(b)) if a == b => "=".to_owned(),
        (Some(a), Some(b)) if a > 0.0 && b >= 3.0 * a => format!("{:.1}x", b / a),
        (Some(a), Some(b)) if a > 0.0 => format!("{:+.1} %", (b / a - 1.0) * 100.0),
        _ => String::new(),
    }
}

fn configuration(diff: &Diff) -> String {
    let settled = diff
        .configuration
        .iter()
        .filter(|setting| !setting.volatile);
    let value = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => units::printable(text),
        other => other.to_string(),
    };
    let rows: Vec<_> = settled
        .map(|s| {
            [
                units::printable(&s.path),
                value(&s.a),
                value(&s.b),
                String::new(),
            ]
        })
        .collect();
    match rows.is_empty() {
        true => "The configuration is the same.".to_owned(),
        false => table(["Configuration", "A", "B", ""], rows),
    }
}

fn probes(diff: &Diff) -> String {
    let rows = diff.probes.iter().map(|probe| {
        let state = |state: Option<crate::capture::ProbeState>| {
            let state = state.and_then(|s| serde_json::to_value(s).ok());
            let state = state.as_ref().and_then(Value::as_str).unwrap_or("-");
            state.to_owned()
        };
        let states = (state(probe.state.a), state(probe.state.b));
        [
            units::printable(&probe.id),
            states.0,
            states.1,
            String::new(),
        ]
    });
    table(["Probes", "A", "B", ""], rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::arbitrary::{any_capture, small};
    use proptest::prelude::*;

    #[test]
    fn the_text_names_what_moved_and_what_was_changed() {
        let (a, mut b) = (small(), small());
        b.slices.pop();
        b.host
            .sysctls
            .insert("vm.dirty_ratio".to_owned(), "5".to_owned());
        insta::assert_snapshot!(text(&diff(&a, &b)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn any_two_captures_can_be_shown(a in any_capture(), b in any_capture()) {
            prop_assert!(text(&diff(&a, &b)).starts_with("A  db1"));
        }
    }
}
