//! Dirty memory: who was made to pause over it, and inodes dirtied for access times.

use super::device::name_of;
use super::shape::{DirtiedJson, DirtyJson, PauseJson, PausedJson};
use super::{mount_target, reason};
use crate::capture::{Capture, DirtiedSlice, PauseSlice, Slice};
use crate::units;
use std::cmp::Reverse;

pub(super) fn dirty(capture: &Capture, total: &Slice) -> DirtyJson {
    let off = super::silent(capture, "writeback");
    DirtyJson {
        paused: (!off).then(|| {
            let pauses = total.pauses.iter();
            pauses
                .map(|(number, slice)| paused(capture, number, slice))
                .collect()
        }),
        dirtied: (!off).then(|| {
            let one = |(number, dirtied): (&String, &DirtiedSlice)| DirtiedJson {
                mount: mount_target(&capture.host, number)
                    .unwrap_or(number)
                    .to_owned(),
                atime: dirtied.atime,
                other: dirtied.other,
            };
            // Not of /proc and the like: nothing is written there.
            let stored = |(number, _): &(&String, _)| {
                let mut mounts = capture.host.mounts.iter();
                mounts.all(|mount| mount.number != **number || mount.device.is_some())
            };
            total.dirtied.iter().filter(stored).map(one).collect()
        }),
        reason: off.then(|| reason(&capture.probes, &["writeback"])),
    }
}

fn paused(capture: &Capture, number: &str, slice: &PauseSlice) -> PausedJson {
    let mut by_command: Vec<_> = slice
        .by_command
        .iter()
        .map(|(command, sum)| PauseJson {
            command: command.clone(),
            pauses: sum.pauses,
            sum_ns: sum.sum_ns,
        })
        .collect();
    by_command.sort_by_key(|pause| Reverse(pause.sum_ns));
    PausedJson {
        device: name_of(&capture.host, number),
        pauses: slice.all.pauses,
        sum_ns: slice.all.sum_ns,
        by_command,
    }
}

impl DirtyJson {
    /// A line for each thing to tell; at least one.
    pub(crate) fn lines(&self) -> Vec<String> {
        let (Some(paused), Some(dirtied)) = (&self.paused, &self.dirtied) else {
            return vec![super::words::absent(self.reason.as_deref())];
        };
        let mut lines: Vec<_> = paused.iter().map(PausedJson::words).collect();
        if lines.is_empty() {
            lines.push("no writer was made to pause".to_owned());
        }
        lines.extend(dirtied.iter().map(|one| {
            let all = one.atime.saturating_add(one.other);
            format!(
                "{} inodes dirtied on {}, {} of them for their access time alone",
                units::count(all),
                one.mount,
                units::count(one.atime)
            )
        }));
        lines
    }
}

impl PausedJson {
    /// `writers to sda were made to pause 1,204 times, 12.4 s in all: postgres 9.1 s, cp 3.3 s`.
    fn words(&self) -> String {
        let time = |ns: u64| units::nanos(ns as f64);
        let most = self.by_command.iter().take(5);
        let most: Vec<_> = most
            .map(|pause| format!("{} {}", pause.command, time(pause.sum_ns)))
            .collect();
        let told: u64 = self
            .by_command
            .iter()
            .take(5)
            .map(|pause| pause.sum_ns)
            .sum();
        let rest = match self.sum_ns.saturating_sub(told) {
            0 => String::new(),
            rest => format!(", others {}", time(rest)),
        };
        format!(
            "writers to {} were made to pause {} times, {} in all: {}{rest}",
            self.device,
            units::count(self.pauses),
            time(self.sum_ns),
            most.join(", ")
        )
    }
}
