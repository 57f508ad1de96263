//! Imports as lines for people. Programs read the JSON.

mod benchmarks;
mod collected;
mod hostfiles;
mod traces;

use super::model::{Imported, Level};
use crate::units;

/// What a value is when the tool did not measure it.
const NONE: &str = "-";

/// One import, with its notes last.
pub fn lines(imported: &Imported) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", imported.kind, imported.files.join(", "))];
    imported
        .fio
        .iter()
        .for_each(|run| benchmarks::fio(run, &mut lines));
    imported
        .bonnie
        .iter()
        .for_each(|run| benchmarks::bonnie(run, &mut lines));
    traces::iostat(&imported.iostat, &mut lines);
    traces::vmstat(&imported.vmstat, &mut lines);
    imported
        .diskstats
        .iter()
        .for_each(|stats| traces::diskstats(stats, &mut lines));
    imported
        .events
        .iter()
        .for_each(|events| traces::events(events, &mut lines));
    imported
        .histograms
        .iter()
        .for_each(|one| traces::histogram(one, &mut lines));
    imported
        .host
        .iter()
        .for_each(|host| hostfiles::host(host, &mut lines));
    imported
        .collected
        .iter()
        .for_each(|one| collected::collected(one, &mut lines));
    for note in &imported.notes {
        let level = match note.level {
            Level::Error => "ERROR",
            Level::Warning => "warning",
            Level::Info => "note",
        };
        let place = note
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        lines.push(format!("  {level}: {}{place}: {}", note.file, note.text));
    }
    lines
}

/// Cells under a head, the first column to the left and the others to the right.
fn table(head: &[&str], rows: &[Vec<String>], lines: &mut Vec<String>) {
    let width = |at: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(at))
            .map(|cell| cell.chars().count());
        cells.chain([head[at].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let mut line = String::from("  ");
        for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            match at {
                0 => line.push_str(&format!("{cell:<width$}")),
                _ => line.push_str(&format!("  {cell:>width$}")),
            }
        }
        line.trim_end().to_owned()
    };
    lines.push(line(
        &head
            .iter()
            .map(|cell| (*cell).to_owned())
            .collect::<Vec<_>>(),
    ));
    lines.extend(rows.iter().map(|row| line(row)));
}

fn or_none(value: Option<f64>, words: fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), words)
}

fn whole(value: Option<u64>) -> String {
    value.map_or_else(|| NONE.to_owned(), units::count)
}

fn size(value: Option<u64>) -> String {
    or_none(value.map(|n| n as f64), units::bytes)
}

fn text(value: Option<&str>) -> String {
    value.unwrap_or(NONE).to_owned()
}
