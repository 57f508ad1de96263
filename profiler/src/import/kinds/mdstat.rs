//! /proc/mdstat.

use crate::import::amounts::size;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::ArrayFile;
use crate::import::source::{Imports, Source};

pub struct Mdstat;

impl Kind for Mdstat {
    fn name(&self) -> &'static str {
        "mdstat"
    }

    fn about(&self) -> &'static str {
        "/proc/mdstat"
    }

    fn recognises(&self, source: &Source) -> bool {
        source
            .lines()
            .any(|(_, line)| line.starts_with("Personalities :") || head(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut arrays: Vec<ArrayFile> = Vec::new();
        for (_, line) in source.lines() {
            if let Some(array) = head(line) {
                arrays.push(array);
            } else if let (Some(array), true) = (arrays.last_mut(), line.starts_with(' ')) {
                detail(array, line);
            }
        }
        for array in &mut arrays {
            array.data_disks = data_disks(array);
        }
        // A host without arrays has a file that says so.
        if arrays.is_empty() && !source.text.contains("Personalities") {
            return Err(source.refuse_all("it names no array", "copy /proc/mdstat again"));
        }
        into.host.get_or_insert_default().arrays.append(&mut arrays);
        Ok(())
    }
}

/// `md0 : active raid5 sdb1[1] sda1[0](F)`.
fn head(line: &str) -> Option<ArrayFile> {
    let (name, rest) = line.split_once(" : ")?;
    if !name.starts_with("md") || name.contains(' ') {
        return None;
    }
    let mut words = rest.split_whitespace();
    let state = words.next()?;
    let mut array = ArrayFile {
        name: name.to_owned(),
        active: Some(state == "active"),
        ..ArrayFile::default()
    };
    for word in words {
        match word.split_once('[') {
            Some((member, rest)) => {
                array.members.push(member.to_owned());
                array.failed = Some(array.failed.unwrap_or(0) + u64::from(rest.contains("(F)")));
                array.spares = Some(array.spares.unwrap_or(0) + u64::from(rest.contains("(S)")));
            }
            None if word.starts_with('(') => {
                array.state = Some(word.trim_matches(['(', ')']).to_owned())
            }
            None => array.level = Some(word.to_owned()),
        }
    }
    Some(array)
}

fn detail(array: &mut ArrayFile, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|next| next.trim_end_matches(','));
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
        match *word {
            "super" => array.metadata_version = next.map(str::to_owned),
            "algorithm" => array.layout = next.map(str::to_owned),
            "chunk" | "chunks" | "chunk," | "chunks," => {
                let chunk = before.and_then(|b| size(b, 1));
                match words.contains(&"bitmap:") {
                    true => array.bitmap_chunk_bytes = chunk,
                    false => array.chunk_bytes = chunk,
                }
            }
            "bitmap:" => array.bitmap = Some(true),
            // near=2, or `2 near-copies` with raid10.
            word if word.ends_with("-copies") => {
                array.layout = before.map(|n| format!("{}={n}", word.trim_end_matches("-copies")));
            }
            "check" | "resync" | "recovery" | "reshape" => {
                array.sync_action = Some((*word).to_owned());
                let percent = words.iter().find_map(|w| w.strip_suffix('%'));
                array.sync_percent = percent.and_then(|p| p.trim_start_matches('=').parse().ok());
            }
            word => counts(array, word),
        }
    }
}

/// `[6/5]`: disks of the array and those that work.
fn counts(array: &mut ArrayFile, word: &str) {
    let inside = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
    let Some((disks, working)) = inside.and_then(|w| w.split_once('/')) else {
        return;
    };
    if let (Ok(disks), Ok(working)) = (disks.parse::<u64>(), working.parse::<u64>()) {
        array.disks = Some(disks);
        array.working = Some(working);
        array.degraded = disks.checked_sub(working);
    }
}

/// Disks whose chunks make up a stripe.
pub(super) fn data_disks(array: &ArrayFile) -> Option<u64> {
    let disks = array.disks?;
    match array.level.as_deref()? {
        "raid0" => Some(disks),
        "raid4" | "raid5" => disks.checked_sub(1),
        "raid6" => disks.checked_sub(2),
        "raid10" => {
            let layout = array.layout.as_deref().unwrap_or("near=2");
            let copies = layout
                .split([',', ' '])
                .find_map(|part| part.rsplit('=').next()?.parse::<u64>().ok());
            let copies = copies.filter(|n| *n > 0).unwrap_or(2);
            Some(disks / copies)
        }
        _ => None,
    }
}
