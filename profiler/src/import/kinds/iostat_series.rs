//! A CSV with a time and the columns of iostat: `t_s,r_s,w_s,r_await_ms,w_await_ms,aqu_sz,util`.

use crate::import::amounts::number;
use crate::import::columns::{fill, settle};
use crate::import::headed::{has_head, rows};
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::iostat::{IostatDevice, IostatReport};
use crate::import::source::{Imports, Source};

pub struct IostatSeries;

/// What the device is called where no column names it.
const UNNAMED: &str = "volume";

impl Kind for IostatSeries {
    fn name(&self) -> &'static str {
        "iostat-series"
    }

    fn about(&self) -> &'static str {
        "CSV of a time and iostat's columns: t_s, r_s, w_s, r_await_ms, w_await_ms, aqu_sz, util, and device where there are several"
    }

    fn recognises(&self, source: &Source) -> bool {
        has_head(source, head)
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut reports: Vec<IostatReport> = Vec::new();
        for (number, (at_s, device)) in rows(source, into, head, row) {
            add(&mut reports, source, number, at_s, device);
        }
        if reports.is_empty() {
            return Err(source.refuse_all(
                "it has a head and no line of numbers",
                "add a line for each time",
            ));
        }
        into.iostat.append(&mut reports);
        Ok(())
    }
}

fn add(
    reports: &mut Vec<IostatReport>,
    source: &Source,
    line: usize,
    at_s: f64,
    device: IostatDevice,
) {
    match reports.last_mut().filter(|last| last.at_s == Some(at_s)) {
        Some(last) => last.devices.push(device),
        None => reports.push(IostatReport {
            file: source.name.clone(),
            line: line as u64,
            at_s: Some(at_s),
            devices: vec![device],
            ..IostatReport::default()
        }),
    }
}

/// The columns by iostat's own names.
fn head(line: &str) -> Option<Vec<String>> {
    let cells = line.split(',').map(|cell| cell.trim().to_ascii_lowercase());
    let columns: Vec<String> = cells
        .map(|cell| {
            let name = match cell.as_str() {
                "t_s" | "time_s" | "t" | "seconds" => "at",
                "device" | "dev" | "disk" => "device",
                "r_s" | "r/s" | "reads_s" => "r/s",
                "w_s" | "w/s" | "writes_s" => "w/s",
                "r_await_ms" | "r_await" => "r_await",
                "w_await_ms" | "w_await" => "w_await",
                "await_ms" | "await" => "await",
                "rkb_s" | "rkb/s" => "rkB/s",
                "wkb_s" | "wkb/s" => "wkB/s",
                "aqu_sz" | "aqu-sz" | "avgqu_sz" => "aqu-sz",
                "rareq_sz" | "rareq_kib" => "rareq-sz",
                "wareq_sz" | "wareq_kib" => "wareq-sz",
                "util" | "util_percent" | "%util" => "%util",
                other => other,
            };
            name.to_owned()
        })
        .collect();
    let has = |name: &str| columns.iter().any(|column| column == name);
    (has("at") && (has("r/s") || has("w/s"))).then_some(columns)
}

fn row(columns: &[String], line: &str) -> Option<(f64, IostatDevice)> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return None;
    }
    let mut device = IostatDevice {
        name: UNNAMED.to_owned(),
        ..IostatDevice::default()
    };
    let mut at_s = None;
    for (column, cell) in columns.iter().zip(cells) {
        match column.as_str() {
            "device" => device.name = cell.trim_start_matches("/dev/").to_owned(),
            "at" => at_s = Some(number(cell)?),
            _ if cell.is_empty() => {}
            column => {
                let value = number(cell).filter(|value| *value >= 0.0);
                // A column of another meaning may hold anything.
                if let Some(value) = value {
                    fill(&mut device, column, value);
                } else if fill(&mut IostatDevice::default(), column, 0.0) {
                    return None;
                }
            }
        }
    }
    settle(&mut device);
    Some((at_s?, device))
}
