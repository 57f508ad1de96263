//! A request between its issue and its end, and the bios that wait for it.

use crate::capture::Op;

/// A bio from its queueing to the end of its last sector.
#[derive(Clone, Debug)]
pub(super) struct Bio {
    pub(super) op: Op,
    pub(super) sector: u64,
    pub(super) sectors: u64,
    /// Sectors that have not ended.
    pub(super) left: u64,
    pub(super) queued_ns: u64,
}

impl Bio {
    /// Sectors that lie in the range.
    pub(super) fn overlap(&self, sector: u64, sectors: u64) -> u64 {
        let end = self.sector.saturating_add(self.sectors);
        let other = sector.saturating_add(sectors);
        end.min(other).saturating_sub(self.sector.max(sector))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) op: Op,
    pub(super) flags: String,
    pub(super) sector: u64,
    pub(super) sectors: u64,
    /// Sectors that have ended.
    pub(super) done: u64,
    /// `None`: its allocation was not traced.
    pub(super) allocated_ns: Option<u64>,
    pub(super) first_issue_ns: u64,
    pub(super) last_issue_ns: u64,
    pub(super) requeues: u64,
    /// Taken back, not issued again yet.
    pub(super) held: bool,
    pub(super) process: Option<String>,
}

impl Request {
    /// Whether it covers the sector and moves data the same way.
    pub(super) fn covers(&self, op: Op, sector: u64) -> bool {
        let end = self.sector.saturating_add(self.sectors);
        self.op == op && (self.sector..end).contains(&sector)
    }
}
