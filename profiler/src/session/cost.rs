//! What the recording costs, by the kernel's own count of program runs and their time.
//!
//! Counting costs two clock readings a run, so it is switched on for one drain in ten only. The
//! figures include those readings and leave out the call into the program.

use super::attach::Attached;
use crate::{capture::OwnCost, capture::ProgramCost, kernel::support};
use std::{collections::BTreeMap, os::fd::OwnedFd, time::Duration};

/// One drain in this many is measured.
const ONE_IN: u64 = 10;

#[derive(Default)]
pub(super) struct Cost {
    drains: u64,
    /// Counting is on while this is open.
    counting: Option<OwnedFd>,
    /// How long counting was on.
    measured_ns: u64,
    programs: BTreeMap<String, ProgramCost>,
    /// Share of a CPU that each program took in the last measured stretch, in per cent.
    percent: Option<BTreeMap<String, f64>>,
    user_ns: u64,
}

/// Kernel memory of the tables.
pub(super) fn memory_bytes(attached: &Attached) -> u64 {
    attached
        .map_fds()
        .map(|fd| support::fd_info(fd).get("memlock").copied().unwrap_or(0))
        .sum()
}

impl Cost {
    pub(super) fn new() -> Self {
        let mut cost = Self {
            user_ns: support::own_cpu_ns(),
            ..Self::default()
        };
        cost.switch_on();
        cost
    }

    /// To be called after each drain.
    pub(super) fn tick(&mut self, attached: &Attached, length_ns: u64) {
        self.percent = None;
        if self.counting.take().is_some() {
            self.measured_ns += length_ns;
            let before = std::mem::take(&mut self.programs);
            self.read(attached);
            let took = |(name, now): (&String, &ProgramCost)| {
                let before = before.get(name).map_or(0, |before| before.time_ns);
                let took = now.time_ns.saturating_sub(before);
                (name.clone(), 100.0 * took as f64 / length_ns.max(1) as f64)
            };
            self.percent = Some(self.programs.iter().map(took).collect());
            // What a group cost before it was given up stays in the account.
            for (name, cost) in before {
                self.programs.entry(name).or_insert(cost);
            }
        }
        self.drains += 1;
        if self.drains.is_multiple_of(ONE_IN) {
            self.switch_on();
        }
    }

    /// What each program took of a CPU in the stretch that has just ended, if that was measured.
    pub(super) fn percent(&self) -> Option<&BTreeMap<String, f64>> {
        self.percent.as_ref()
    }

    /// Measures the next stretch too.
    pub(super) fn again(&mut self) {
        self.switch_on();
    }

    /// To be called before detaching.
    pub(super) fn finish(&mut self, attached: &Attached) {
        self.counting = None;
        self.read(attached);
    }

    fn switch_on(&mut self) {
        // Needs 5.8 and CAP_SYS_ADMIN; without it the cost is not measured.
        self.counting = aya::sys::enable_stats(aya::sys::Stats::RunTime).ok();
    }

    fn read(&mut self, attached: &Attached) {
        for (name, fd) in attached.program_fds() {
            let info = support::fd_info(fd);
            let word = |key: &str| info.get(key).copied().unwrap_or(0);
            let cost = ProgramCost {
                runs: word("run_cnt"),
                time_ns: word("run_time_ns"),
            };
            self.programs.insert(name.to_owned(), cost);
        }
    }

    pub(super) fn recursion_missed(&self, attached: &Attached) -> Option<u64> {
        attached
            .program_fds()
            .map(|(_, fd)| support::fd_info(fd).get("recursion_misses").copied())
            .sum()
    }

    /// Sums up; to be called before detaching.
    pub(super) fn own_cost(&self, attached: &Attached, whole: Duration) -> OwnCost {
        let runs: u64 = self.programs.values().map(|program| program.runs).sum();
        let time_ns: u64 = self.programs.values().map(|program| program.time_ns).sum();
        let of = |name: &str| self.programs.get(name).copied().unwrap_or_default();
        let completions = of("block_rq_complete").runs;
        let block_ns: u64 = ["block_rq_complete", "block_rq_issue", "block_rq_issue_1"]
            .iter()
            .map(|name| of(name).time_ns)
            .sum();
        let measured = self.measured_ns > 0 && runs > 0;
        let user_ns = support::own_cpu_ns().saturating_sub(self.user_ns);
        let memory = memory_bytes(attached);
        OwnCost {
            ns_per_event: measured.then(|| time_ns as f64 / runs as f64),
            ns_per_request: (measured && completions > 0)
                .then(|| block_ns as f64 / completions as f64),
            kernel_cpu_percent: (self.measured_ns > 0)
                .then(|| 100.0 * time_ns as f64 / self.measured_ns as f64),
            user_cpu_percent: Some(100.0 * user_ns as f64 / whole.as_nanos().max(1) as f64),
            memory_bytes: memory,
            programs: self.programs.clone(),
        }
    }
}
