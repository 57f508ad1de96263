//! `dmsetup table`. Keys of crypt targets are never kept.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::Mapping;
use crate::import::source::{Imports, Source};

pub struct Dmsetup;

impl Kind for Dmsetup {
    fn name(&self) -> &'static str {
        "dmsetup"
    }

    fn about(&self) -> &'static str {
        "dmsetup table"
    }

    fn recognises(&self, source: &Source) -> bool {
        let mut lines = source.lines().filter(|(_, line)| !line.trim().is_empty());
        lines
            .next()
            .is_some_and(|(_, line)| mapping(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut mappings: Vec<_> = source
            .lines()
            .filter_map(|(_, line)| mapping(line))
            .collect();
        if mappings.is_empty() {
            return Err(
                source.refuse_all("no line is a mapping", "save the output of `dmsetup table`")
            );
        }
        into.host
            .get_or_insert_default()
            .mappings
            .append(&mut mappings);
        Ok(())
    }
}

/// `vg-lv: 0 8388608 striped 2 128 8:16 2048 8:32 2048`.
fn mapping(line: &str) -> Option<Mapping> {
    let (name, rest) = line.split_once(": ")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [start, length, target, arguments @ ..] = &words[..] else {
        return None;
    };
    let sectors = |word: &str| word.parse::<u64>().ok().map(|n| n.saturating_mul(512));
    let is_target = target
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if name.contains(' ') || !is_target || target.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_device = |word: &&&str| {
        word.starts_with("/dev/")
            || word
                .split_once(':')
                .is_some_and(|(a, b)| a.parse::<u32>().is_ok() && b.parse::<u32>().is_ok())
    };
    let striped = *target == "striped";
    let argument = |at: usize| striped.then(|| arguments.get(at)).flatten();
    Some(Mapping {
        name: name.to_owned(),
        start_bytes: sectors(start)?,
        length_bytes: sectors(length)?,
        target: (*target).to_owned(),
        stripes: argument(0).and_then(|n| n.parse().ok()),
        stripe_chunk_bytes: argument(1).and_then(|n| sectors(n)),
        devices: arguments
            .iter()
            .filter(is_device)
            .map(|d| (*d).to_owned())
            .collect(),
    })
}
