//! Notes on the load: `read_share 0.70`, `app_read_kib 8`, `random yes`, `disk_iops 100`.

use crate::import::amounts::number;
use crate::import::kinds::Kind;
use crate::import::model::collected::WorkloadNotes as Notes;
use crate::import::model::{Imported, Level};
use crate::import::notes::{bytes, pairs, share, stem, yes};
use crate::import::source::{Imports, Source};

pub struct WorkloadNotes;

impl Kind for WorkloadNotes {
    fn name(&self) -> &'static str {
        "workload-notes"
    }

    fn about(&self) -> &'static str {
        "Notes on the load, a key and a value a line: read_share, app_read_kib, mean_write_kib, random, mmap, disk_iops, load_iops"
    }

    /// Two keys that belong together; one alone may be anything.
    fn recognises(&self, source: &Source) -> bool {
        let mut notes = Notes::default();
        let pairs = pairs(source);
        let known = pairs
            .iter()
            .filter(|(_, key, value)| take(&mut notes, key, value) == Some(true));
        known.count() >= 2 && pairs.len() <= 100
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut notes = Notes {
            file: source.name.clone(),
            ..Notes::default()
        };
        let mut found = 0;
        for (line, key, value) in pairs(source) {
            let text = match take(&mut notes, &key, &value) {
                Some(true) => {
                    found += 1;
                    continue;
                }
                Some(false) => format!("{key}: `{value}` is not understood"),
                None => format!("{key} is not known and left out"),
            };
            into.note(Level::Info, &source.name, Some(line), text);
        }
        if found == 0 {
            let next = "write read_share, app_read_kib, mean_write_kib, random, disk_iops, each with its value";
            return Err(source.refuse_all("no line says something of a load", next));
        }
        let text = "what these notes say was told, not measured";
        into.note(Level::Info, &source.name, None, text);
        into.collected.get_or_insert_default().workload = Some(notes);
        Ok(())
    }
}

/// `Some(false)`: the key is known and its value is not understood.
fn take(notes: &mut Notes, key: &str, value: &str) -> Option<bool> {
    let positive = |text: &str| number(text.split('/').next()?.trim()).filter(|n| *n > 0.0);
    fn put<T>(place: &mut Option<T>, value: Option<T>) -> Option<bool> {
        let understood = value.is_some();
        *place = value.or(place.take());
        Some(understood)
    }
    let size = bytes(key, value).filter(|bytes| *bytes > 0);
    match stem(key) {
        "read_share" | "reads" | "read_fraction" | "read_ratio" => {
            put(&mut notes.read_share, share(key, value))
        }
        "write_share" | "writes" | "write_fraction" | "write_ratio" => {
            let share = share(key, value).map(|share| 1.0 - share);
            put(&mut notes.read_share, share)
        }
        "app_read" | "mean_read" | "read_size" | "read" => put(&mut notes.read_bytes, size),
        "app_write" | "mean_write" | "write_size" | "write" => put(&mut notes.write_bytes, size),
        "random" | "access" | "pattern" => put(&mut notes.random, yes(value)),
        "sequential" => put(&mut notes.random, yes(value).map(|yes| !yes)),
        "mmap" | "mapped" => put(&mut notes.mapped, yes(value)),
        "disk_iops" | "iops_per_disk" => put(&mut notes.disk_per_s, positive(value)),
        "load_iops" | "target_iops" | "needed_iops" => put(&mut notes.load_per_s, positive(value)),
        _ => None,
    }
}
