//! A CSV of partitions: where each begins and the block sizes of its disk.

use crate::import::headed::{has_head, rows};
use crate::import::kinds::Kind;
use crate::import::model::hostfiles::PartitionFile;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct Partitions;

impl Kind for Partitions {
    fn name(&self) -> &'static str {
        "partitions"
    }

    fn about(&self) -> &'static str {
        "CSV of partitions with the columns disk, part, start_sector, log_sec, phy_sec, disk_alignment_offset"
    }

    fn recognises(&self, source: &Source) -> bool {
        has_head(source, head)
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let found = rows(source, into, head, partition).into_iter();
        let mut found: Vec<_> = found.map(|(_, partition)| partition).collect();
        if found.is_empty() {
            return Err(source.refuse_all(
                "it has a head and no partition",
                "add a line for each partition",
            ));
        }
        for partition in &found {
            if let Some(bytes) = partition.misaligned_bytes.filter(|n| *n > 0) {
                let text = format!(
                    "{} begins {bytes} bytes past a physical block: each 4 KiB write touches two of them",
                    partition.name
                );
                into.note(Level::Warning, &source.name, None, text);
            }
        }
        for partition in found.iter().filter(|own| off_stripes(own)) {
            let text = format!(
                "{} begins off a multiple of 4 KiB: harmless for this disk, as its blocks are smaller, but not on top of an array's stripes",
                partition.name
            );
            into.note(Level::Info, &source.name, None, text);
        }
        into.host
            .get_or_insert_default()
            .partitions
            .append(&mut found);
        Ok(())
    }
}

fn head(line: &str) -> Option<Vec<String>> {
    let columns: Vec<String> = line.split(',').map(|c| c.trim().to_owned()).collect();
    let has = |name: &str| columns.iter().any(|column| column == name);
    (has("disk") && has("part") && has("start_sector")).then_some(columns)
}

fn partition(columns: &[String], line: &str) -> Option<PartitionFile> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let cell = |name: &str| cells.get(columns.iter().position(|c| c == name)?).copied();
    let number = |name: &str| cell(name).and_then(|text| text.parse::<u64>().ok());
    let logical = number("log_sec");
    // Sectors of /sys are always 512 bytes; those of fdisk are of the disk's own size.
    let start_bytes = number("start_sector")?.checked_mul(logical.unwrap_or(512))?;
    let physical = number("phy_sec").filter(|n| *n > 0);
    let offset = cell("disk_alignment_offset").and_then(|text| text.parse::<i64>().ok());
    Some(PartitionFile {
        disk: cell("disk")?.to_owned(),
        name: cell("part")?.to_owned(),
        start_bytes,
        logical_block_size_bytes: logical,
        physical_block_size_bytes: physical,
        alignment_offset_bytes: offset,
        misaligned_bytes: physical.map(|p| misaligned(start_bytes, p, offset.unwrap_or(0))),
    })
}

fn off_stripes(partition: &PartitionFile) -> bool {
    let offset = partition.alignment_offset_bytes.unwrap_or(0);
    let small = partition
        .physical_block_size_bytes
        .is_some_and(|bytes| bytes < 4096);
    small && misaligned(partition.start_bytes, 4096, offset) > 0
}

/// How far a start lies past a physical block. A disk's offset says where its first block begins.
pub(super) fn misaligned(start_bytes: u64, physical: u64, offset: i64) -> u64 {
    let distance = i128::from(start_bytes) - i128::from(offset);
    u64::try_from(distance.rem_euclid(i128::from(physical))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk whose first physical block begins at 3584 makes a start at sector 63 right.
    #[test]
    fn alignment_counts_from_the_disks_offset() {
        assert_eq!(misaligned(63 * 512, 4096, 0), 3584);
        assert_eq!(misaligned(34 * 512, 4096, 0), 1024);
        assert_eq!(misaligned(2048 * 512, 4096, 0), 0);
        assert_eq!(misaligned(63 * 512, 4096, 3584), 0);
    }
}
