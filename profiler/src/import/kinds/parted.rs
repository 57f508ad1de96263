//! `parted DISK unit s print`: where partitions begin and the block sizes of the disk.

use crate::import::kinds::Kind;
use crate::import::kinds::partitions::misaligned;
use crate::import::model::hostfiles::PartitionFile;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct Parted;

/// What the disk is called where its line is not there.
const UNNAMED: &str = "disk";

impl Kind for Parted {
    fn name(&self) -> &'static str {
        "parted"
    }

    fn about(&self) -> &'static str {
        "parted DISK unit s print (or unit B)"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.text.contains("Sector size (logical/physical):")
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut disk = UNNAMED.to_owned();
        let mut sizes = None;
        let mut found = Vec::new();
        for (number, line) in source.lines() {
            if let Some(rest) = line.strip_prefix("Disk /dev/") {
                disk = rest.split(':').next().unwrap_or(rest).to_owned();
            } else if let Some(rest) = line.strip_prefix("Sector size (logical/physical):") {
                sizes = block_sizes(rest);
            } else if let Some((own, start)) = row(line) {
                match (bytes(start, sizes), sizes) {
                    (Some(start), Some((logical, physical))) => {
                        found.push(partition(&disk, own, start, logical, physical));
                    }
                    _ => {
                        let text = "its start is rounded: print it with `unit s`";
                        into.note(Level::Warning, &source.name, Some(number), text);
                    }
                }
            }
        }
        if found.is_empty() {
            return Err(source.refuse_all(
                "no partition has an exact start",
                "save the output of `parted DISK unit s print`",
            ));
        }
        for partition in &found {
            tell(partition, source, into);
        }
        let host = into.host.get_or_insert_default();
        host.partitions.append(&mut found);
        Ok(())
    }
}

fn tell(partition: &PartitionFile, source: &Source, into: &mut Imported) {
    let block = partition.physical_block_size_bytes.unwrap_or(0);
    let (level, text) = match partition.misaligned_bytes {
        Some(0) => (
            Level::Info,
            format!(
                "{} begins at byte {}, a multiple of the physical block of {block} bytes: aligned",
                partition.name, partition.start_bytes
            ),
        ),
        Some(past) => (
            Level::Warning,
            format!(
                "{} begins {past} bytes past a physical block of {block} bytes: each write of one block touches two of them",
                partition.name
            ),
        ),
        None => return,
    };
    into.note(level, &source.name, None, text);
}

/// ` 512B/4096B`
fn block_sizes(text: &str) -> Option<(u64, u64)> {
    let (logical, physical) = text.trim().split_once('/')?;
    let size = |text: &str| text.trim_end_matches('B').parse::<u64>().ok();
    let sizes = (size(logical)?, size(physical)?);
    (sizes.0 > 0 && sizes.1 > 0).then_some(sizes)
}

/// Number and start of a line of the table.
fn row(line: &str) -> Option<(u64, &str)> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let start = words.next()?;
    start
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some((number, start))
}

/// Only sectors and bytes are exact; parted rounds everything else.
fn bytes(start: &str, sizes: Option<(u64, u64)>) -> Option<u64> {
    match start.strip_suffix('s') {
        Some(sectors) => sectors.parse::<u64>().ok()?.checked_mul(sizes?.0),
        None => start
            .strip_suffix('B')
            .filter(|bytes| bytes.bytes().all(|b| b.is_ascii_digit()))?
            .parse()
            .ok(),
    }
}

fn partition(disk: &str, own: u64, start: u64, logical: u64, physical: u64) -> PartitionFile {
    let between = match disk.ends_with(|c: char| c.is_ascii_digit()) {
        true => "p",
        false => "",
    };
    PartitionFile {
        disk: disk.to_owned(),
        name: format!("{disk}{between}{own}"),
        start_bytes: start,
        logical_block_size_bytes: Some(logical),
        physical_block_size_bytes: Some(physical),
        alignment_offset_bytes: None,
        misaligned_bytes: Some(misaligned(start, physical, 0)),
    }
}
