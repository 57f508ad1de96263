//! /proc/diskstats of any kernel: 11, 15, 17 or more values after the name. Two copies give what
//! lies between them.

use crate::import::kinds::Kind;
use crate::import::model::iostat::{DiskCounters, Diskstats as Model, DiskstatsSnapshot};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};
use std::collections::BTreeSet;

pub struct Diskstats;

impl Kind for Diskstats {
    fn name(&self) -> &'static str {
        "diskstats"
    }

    fn about(&self) -> &'static str {
        "/proc/diskstats; two or more copies give the difference"
    }

    fn recognises(&self, source: &Source) -> bool {
        let mut lines = source.lines().filter(|(_, line)| !line.trim().is_empty());
        lines
            .next()
            .is_some_and(|(_, line)| counters(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut snapshots: Vec<DiskstatsSnapshot> = Vec::new();
        let mut seen = BTreeSet::new();
        for (number, line) in source.lines() {
            if line.trim().is_empty() {
                continue;
            }
            let Some(counters) = counters(line) else {
                // Copies in one file may be parted by lines with the time.
                into.note(
                    Level::Warning,
                    &source.name,
                    Some(number),
                    format!("no line of diskstats: {line}"),
                );
                continue;
            };
            // A device that comes again begins the next copy.
            if snapshots.is_empty() || !seen.insert(counters.name.clone()) {
                seen = BTreeSet::from([counters.name.clone()]);
                snapshots.push(DiskstatsSnapshot {
                    file: source.name.clone(),
                    devices: Vec::new(),
                });
            }
            if let Some(last) = snapshots.last_mut() {
                last.devices.push(counters);
            }
        }
        if snapshots.is_empty() {
            return Err(
                source.refuse_all("no line is one of diskstats", "copy /proc/diskstats again")
            );
        }
        for snapshot in &mut snapshots {
            mark_partitions(&mut snapshot.devices);
        }
        let text = "without the topology partitions are known by their names (sda1, nvme0n1p1), and md, dm and loop devices are views of other devices: only whole disks are summed";
        into.note(Level::Info, &source.name, None, text);
        into.diskstats
            .get_or_insert_default()
            .snapshots
            .append(&mut snapshots);
        Ok(())
    }

    fn finish(&self, into: &mut Imported) {
        let mut notes = Vec::new();
        if let Some(stats) = &mut into.diskstats {
            stats.physical = stats.snapshots.last().map(|last| physical(&last.devices));
            between(stats, &mut notes);
        }
        for (file, text) in notes {
            into.note(Level::Warning, &file, None, text);
        }
    }
}

fn counters(line: &str) -> Option<DiskCounters> {
    const SECTOR: u64 = 512;
    const MS: u64 = 1_000_000;
    let mut words = line.split_whitespace();
    let major: u32 = words.next()?.parse().ok()?;
    let minor: u32 = words.next()?.parse().ok()?;
    let name = words.next()?;
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let values: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    if values.len() < 11 {
        return None;
    }
    let later = |at: usize| values.get(at).copied();
    let times = |value: u64, unit: u64| value.saturating_mul(unit);
    Some(DiskCounters {
        name: name.to_owned(),
        number: format!("{major}:{minor}"),
        partition_of: None,
        stacked: is_stacked(name),
        reads: values[0],
        reads_merged: values[1],
        read_bytes: times(values[2], SECTOR),
        read_ns: times(values[3], MS),
        writes: values[4],
        writes_merged: values[5],
        write_bytes: times(values[6], SECTOR),
        write_ns: times(values[7], MS),
        in_flight: Some(values[8]),
        busy_ns: times(values[9], MS),
        weighted_ns: times(values[10], MS),
        discards: later(11),
        discard_bytes: later(13).map(|n| times(n, SECTOR)),
        discard_ns: later(14).map(|n| times(n, MS)),
        flushes: later(15),
        flush_ns: later(16).map(|n| times(n, MS)),
    })
}

fn is_stacked(name: &str) -> bool {
    let digits = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
    };
    ["md", "dm-", "loop", "ram", "zram", "drbd", "bcache"]
        .iter()
        .any(|prefix| digits(prefix))
}

/// A partition has its disk's name and a number, with a `p` between where the disk ends in a digit.
fn mark_partitions(devices: &mut [DiskCounters]) {
    let names: BTreeSet<String> = devices.iter().map(|d| d.name.clone()).collect();
    for device in devices {
        let stem = device.name.trim_end_matches(|c: char| c.is_ascii_digit());
        let disk = match stem.strip_suffix('p') {
            Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => disk,
            _ if stem.ends_with(|c: char| c.is_ascii_digit()) => continue,
            _ => stem,
        };
        if stem.len() < device.name.len() && disk != device.name && names.contains(disk) {
            device.partition_of = Some(disk.to_owned());
            device.in_flight = None;
        }
    }
}

fn physical(devices: &[DiskCounters]) -> DiskCounters {
    let mut sum = DiskCounters {
        name: "all physical disks".to_owned(),
        ..DiskCounters::default()
    };
    for device in devices
        .iter()
        .filter(|d| d.partition_of.is_none() && !d.stacked)
    {
        combine(&mut sum, device, |a, b| Some(a.saturating_add(b)));
    }
    sum
}

/// `first` changes into what `step` makes of both; `None` where a counter went backwards.
fn combine(
    first: &mut DiskCounters,
    second: &DiskCounters,
    step: fn(u64, u64) -> Option<u64>,
) -> Option<()> {
    let pairs = [
        (&mut first.reads, second.reads),
        (&mut first.reads_merged, second.reads_merged),
        (&mut first.read_bytes, second.read_bytes),
        (&mut first.read_ns, second.read_ns),
        (&mut first.writes, second.writes),
        (&mut first.writes_merged, second.writes_merged),
        (&mut first.write_bytes, second.write_bytes),
        (&mut first.write_ns, second.write_ns),
        (&mut first.busy_ns, second.busy_ns),
        (&mut first.weighted_ns, second.weighted_ns),
    ];
    for (a, b) in pairs {
        *a = step(*a, b)?;
    }
    let later = [
        (&mut first.discards, second.discards),
        (&mut first.discard_bytes, second.discard_bytes),
        (&mut first.discard_ns, second.discard_ns),
        (&mut first.flushes, second.flushes),
        (&mut first.flush_ns, second.flush_ns),
    ];
    for (a, b) in later {
        *a = match (*a, b) {
            (Some(a), Some(b)) => Some(step(a, b)?),
            (a, b) => a.or(b),
        };
    }
    first.in_flight = second.in_flight.or(first.in_flight);
    Some(())
}

fn between(stats: &mut Model, notes: &mut Vec<(String, String)>) {
    let [first, .., last] = &stats.snapshots[..] else {
        return;
    };
    for before in &first.devices {
        let Some(after) = last.devices.iter().find(|d| d.name == before.name) else {
            notes.push((
                last.file.clone(),
                format!("{} is gone in the last copy", before.name),
            ));
            continue;
        };
        let mut difference = before.clone();
        match combine(&mut difference, after, |before, after| after.checked_sub(before)) {
            Some(()) => stats.between.push(difference),
            None => notes.push((
                last.file.clone(),
                format!("counters of {} went backwards: the host was started again or the counter wrapped", before.name),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_copies_give_the_difference_and_a_wrapped_counter_none() {
        let mut into = Imported::default();
        for reads in ["100", "150"] {
            let text =
                format!("8 0 sda {reads} 0 800 5 0 0 0 0 0 5 5\n8 16 sdb 9 0 8 5 0 0 0 0 0 5 5\n");
            let text = if reads == "150" {
                text.replace("sdb 9", "sdb 1")
            } else {
                text
            };
            let source = Source::new(reads, text.into_bytes()).unwrap();
            Diskstats.read(&source, &mut into).unwrap();
        }
        Diskstats.finish(&mut into);
        let stats = into.diskstats.unwrap();
        assert_eq!(stats.between.len(), 1);
        assert_eq!(stats.between[0].reads, 50);
        assert!(into.notes.iter().any(|n| n.text.contains("backwards")));
    }
}
