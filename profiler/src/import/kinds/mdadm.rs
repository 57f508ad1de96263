//! `mdadm --detail`, of one array or several.

use super::mdstat::data_disks;
use crate::import::amounts::size;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::ArrayFile;
use crate::import::source::{Imports, Source};

pub struct Mdadm;

impl Kind for Mdadm {
    fn name(&self) -> &'static str {
        "mdadm"
    }

    fn about(&self) -> &'static str {
        "mdadm --detail"
    }

    fn recognises(&self, source: &Source) -> bool {
        let has = |word| source.text.contains(word);
        has("Raid Level :") && (has("Raid Devices :") || has("Array Size :"))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut arrays: Vec<ArrayFile> = Vec::new();
        for (number, line) in source.lines() {
            let head = line
                .trim()
                .strip_prefix("/dev/")
                .and_then(|l| l.strip_suffix(':'));
            if let Some(name) = head {
                arrays.push(ArrayFile {
                    name: name.to_owned(),
                    ..ArrayFile::default()
                });
            } else if let Some((key, value)) = line.split_once(" : ") {
                let Some(array) = arrays.last_mut() else {
                    let next = "save the whole of `mdadm --detail /dev/mdN`, its first line too";
                    return Err(source.refuse(
                        number,
                        "the array's name is missing above this line",
                        next,
                    ));
                };
                setting(array, key.trim(), value.trim());
            } else if let (Some(array), Some(at)) = (arrays.last_mut(), line.find("/dev/")) {
                let member = line[at + 5..].split_whitespace().next().unwrap_or_default();
                array.members.push(member.to_owned());
            }
        }
        if arrays.is_empty() {
            return Err(source.refuse_all(
                "it names no array",
                "save the whole of `mdadm --detail /dev/mdN`",
            ));
        }
        for array in &mut arrays {
            array.data_disks = data_disks(array);
            if array.degraded.is_none() {
                array.degraded = array
                    .disks
                    .zip(array.working)
                    .map(|(all, active)| all.saturating_sub(active));
            }
        }
        into.host.get_or_insert_default().arrays.append(&mut arrays);
        Ok(())
    }
}

fn setting(array: &mut ArrayFile, key: &str, value: &str) {
    let whole = value
        .split_whitespace()
        .next()
        .and_then(|v| v.parse::<u64>().ok());
    match key {
        "Version" => array.metadata_version = Some(value.to_owned()),
        "Raid Level" => array.level = Some(value.to_owned()),
        "Raid Devices" => array.disks = whole,
        "Active Devices" => array.working = whole,
        "Failed Devices" => array.failed = whole,
        "Spare Devices" => array.spares = whole,
        "Chunk Size" => array.chunk_bytes = size(value, 1),
        "Layout" => array.layout = Some(value.to_owned()),
        "Intent Bitmap" => array.bitmap = Some(value != "None"),
        "State" => {
            let has = |word| value.split(',').any(|part| part.trim().starts_with(word));
            array.active = Some(!has("inactive"));
            array.state = Some(value.to_owned());
            if has("degraded") && array.degraded.is_none() {
                array.degraded = array
                    .disks
                    .zip(array.working)
                    .map(|(all, active)| all.saturating_sub(active));
            }
            let action = ["checking", "resyncing", "recovering", "reshaping"]
                .into_iter()
                .find(|word| has(word));
            array.sync_action = action.map(|word| {
                match word {
                    "checking" => "check",
                    "resyncing" => "resync",
                    "reshaping" => "reshape",
                    _ => "recovery",
                }
                .to_owned()
            });
        }
        "Rebuild Status" | "Check Status" | "Resync Status" | "Reshape Status" => {
            array.sync_percent = value.split('%').next().and_then(|p| p.trim().parse().ok());
        }
        _ => {}
    }
}
