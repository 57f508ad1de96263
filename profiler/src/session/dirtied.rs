//! Inodes that became dirty since the last look, by filesystem.

use super::{attach::Attached, number_of};
use crate::capture::DirtiedSlice;
use anyhow::Result;
use profiler_ebpf::probes::writeback::Dirtied;
use std::collections::BTreeMap;

/// Counts at the last look, by device number.
#[derive(Default)]
pub(super) struct Counts(BTreeMap<u32, Dirtied>);

impl Counts {
    pub(super) fn drain(&mut self, attached: &Attached) -> Result<BTreeMap<String, DirtiedSlice>> {
        let now = attached.entries::<Dirtied>("DIRTIED")?;
        let grown = now.iter().filter_map(|(dev, now)| {
            let before = self.0.get(dev).copied().unwrap_or_default();
            let grown = DirtiedSlice {
                atime: now.atime.wrapping_sub(before.atime),
                other: now.other.wrapping_sub(before.other),
            };
            (grown != DirtiedSlice::default()).then(|| (number_of(*dev), grown))
        });
        let grown = grown.collect();
        self.0 = now;
        Ok(grown)
    }
}
