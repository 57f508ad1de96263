//! `lvs`, with any columns and separators of its own, as text or JSON.

use super::iostat_json::document;
use crate::import::amounts::size;
use crate::import::json::Json;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::LogicalVolume;
use crate::import::source::{Imports, Source};

pub struct Lvs;

impl Kind for Lvs {
    fn name(&self) -> &'static str {
        "lvs"
    }

    fn about(&self) -> &'static str {
        "lvs with its head line, or lvs --reportformat json"
    }

    fn recognises(&self, source: &Source) -> bool {
        is_json(source) || source.lines().any(|(_, line)| is_head(line))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut volumes = match is_json(source) {
            true => of_json(&document(source)?),
            false => of_text(source),
        };
        if volumes.is_empty() {
            return Err(source.refuse_all(
                "it names no logical volume",
                "save the output of `lvs -o +devices,stripes,stripe_size`",
            ));
        }
        into.host
            .get_or_insert_default()
            .logical_volumes
            .append(&mut volumes);
        Ok(())
    }
}

fn is_json(source: &Source) -> bool {
    source.text.trim_start().starts_with('{') && source.text.contains("\"lv\"")
}

fn is_head(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.first() == Some(&"LV") && words.get(1) == Some(&"VG")
}

fn of_json(document: &Json) -> Vec<LogicalVolume> {
    let reports = document.get("report").map_or(&[][..], Json::items).iter();
    let volumes = reports
        .filter_map(|report| report.get("lv"))
        .flat_map(Json::items);
    let volumes = volumes.filter_map(|volume| {
        let text = |name: &str| {
            volume
                .get(name)
                .and_then(Json::text)
                .filter(|t| !t.is_empty())
                .map(str::to_owned)
        };
        Some(LogicalVolume {
            name: text("lv_name")?,
            group: text("vg_name").unwrap_or_default(),
            attributes: text("lv_attr"),
            size_bytes: text("lv_size").and_then(|t| size(t.trim_start_matches('<'), 1)),
            segment_type: text("segtype"),
            stripes: text("stripes").and_then(|t| t.parse().ok()),
            stripe_bytes: text("stripe_size").and_then(|t| size(&t, 1)),
            devices: text("devices"),
        })
    });
    volumes.collect()
}

/// Columns are found by where their names begin, since cells may be empty.
fn of_text(source: &Source) -> Vec<LogicalVolume> {
    let mut columns: Vec<(String, usize)> = Vec::new();
    let mut volumes = Vec::new();
    for (_, line) in source.lines() {
        if is_head(line) {
            columns = heads(line);
            continue;
        }
        if columns.is_empty() || line.trim().is_empty() {
            continue;
        }
        let cell = |name: &str| {
            let (_, at) = columns.iter().find(|(column, _)| column == name)?;
            word_over(line, *at)
        };
        let Some(name) = cell("LV") else { continue };
        volumes.push(LogicalVolume {
            name,
            group: cell("VG").unwrap_or_default(),
            attributes: cell("Attr"),
            size_bytes: cell("LSize").and_then(|t| size(t.trim_start_matches('<'), 1)),
            segment_type: cell("Type"),
            stripes: cell("#Str").and_then(|t| t.parse().ok()),
            stripe_bytes: cell("Stripe").and_then(|t| size(&t, 1)),
            devices: cell("Devices"),
        });
    }
    volumes
}

fn heads(line: &str) -> Vec<(String, usize)> {
    let mut heads = Vec::new();
    let mut at = 0;
    for word in line.split(' ') {
        if !word.is_empty() {
            heads.push((word.to_owned(), at));
        }
        at += word.len() + 1;
    }
    heads
}

/// The word that covers a column; right-aligned ones begin a little before it or behind.
fn word_over(line: &str, column: usize) -> Option<String> {
    let words = heads(line).into_iter();
    let mut over = words.filter(|(word, at)| *at <= column + 5 && at + word.len() > column);
    over.next().map(|(word, _)| word)
}
