//! `lvs`, with any columns and separators of its own, as text or JSON.

use super::iostat_json::document;
use crate::import::amounts::size;
use crate::import::cells::{Columns, heads};
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

/// Columns are found by where their names stand, since cells may be empty.
fn of_text(source: &Source) -> Vec<LogicalVolume> {
    let mut columns = Columns::default();
    let mut volumes = Vec::new();
    for (_, line) in source.lines() {
        if is_head(line) {
            columns = heads(line);
            continue;
        }
        let cell = |name: &str| columns.cell(line, name);
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
