//! Writers that were made to pause because too much memory was dirty.

use super::wire::text;
use crate::capture::{PauseSlice, PauseSum};
use profiler_ebpf::probes::writeback::Pause;
use rustix::time::{ClockId, clock_getres};
use std::collections::BTreeMap;

/// Commands told apart in a slice; the rest is in the sum only.
const MOST_COMMANDS: usize = 32;

/// Pauses since the last drain, by disk.
pub(super) struct Pauses {
    jiffy_ns: u64,
    by_disk: BTreeMap<String, PauseSlice>,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            // The coarse clock moves with the tick (clock_getres(2)).
            jiffy_ns: clock_getres(ClockId::MonotonicCoarse).tv_nsec as u64,
            by_disk: BTreeMap::new(),
        }
    }
}

impl Pauses {
    pub(super) fn take(&mut self, pause: &Pause) {
        let one = PauseSum {
            pauses: 1,
            sum_ns: pause.jiffies.saturating_mul(self.jiffy_ns),
        };
        let slice = self.by_disk.entry(text(&pause.disk)).or_default();
        slice.all.add(&one);
        let command = text(&pause.command);
        if slice.by_command.len() < MOST_COMMANDS || slice.by_command.contains_key(&command) {
            slice.by_command.entry(command).or_default().add(&one);
        }
    }

    pub(super) fn drain(&mut self) -> BTreeMap<String, PauseSlice> {
        std::mem::take(&mut self.by_disk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::FromZeros as _;

    #[test]
    fn pauses_add_up_by_disk_and_command() {
        let mut pauses = Pauses {
            jiffy_ns: 4_000_000,
            ..Pauses::default()
        };
        let mut pause = Pause::new_zeroed();
        pause.disk[..5].copy_from_slice(b"254:0");
        for number in 0..40u8 {
            pause.command[..2].copy_from_slice(&[b'a' + number / 20, b'a' + number % 20]);
            pause.jiffies = 5;
            pauses.take(&pause);
        }
        let slices = pauses.drain();
        let slice = &slices["254:0"];
        // 40 pauses of 5 jiffies of 4 ms.
        assert_eq!((slice.all.pauses, slice.all.sum_ns), (40, 800_000_000));
        assert_eq!(slice.by_command.len(), MOST_COMMANDS);
        assert_eq!(slice.by_command["aa"].sum_ns, 20_000_000);
    }
}
