//! /proc/meminfo.

use crate::import::amounts::size;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::source::{Imports, Source};

pub struct Meminfo;

impl Kind for Meminfo {
    fn name(&self) -> &'static str {
        "meminfo"
    }

    fn about(&self) -> &'static str {
        "/proc/meminfo"
    }

    fn recognises(&self, source: &Source) -> bool {
        source
            .lines()
            .any(|(_, line)| line.starts_with("MemTotal:"))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let lines = source.lines().filter_map(|(_, line)| line.split_once(':'));
        let values =
            lines.filter_map(|(name, value)| Some((name.trim().to_owned(), size(value, 1)?)));
        let values: Vec<_> = values.collect();
        if values.is_empty() {
            return Err(source.refuse_all("no line has a value", "copy /proc/meminfo again"));
        }
        into.host
            .get_or_insert_default()
            .memory_bytes
            .extend(values);
        Ok(())
    }
}
