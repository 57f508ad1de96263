//! The monotonic clock, read without a system call, and sleeping that a stop request ends.

use crate::workload::Stop;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A sleep is looked after this often.
const SLICE: u64 = 20_000_000;

/// Nanoseconds of CLOCK_MONOTONIC.
#[inline]
pub(super) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps until that time or a stop request; returns the time.
pub(super) fn sleep_until(until: u64, stop: &Stop) -> u64 {
    loop {
        let now = now();
        if now >= until || stop.is_set() {
            return now;
        }
        std::thread::sleep(Duration::from_nanos((until - now).min(SLICE)));
    }
}
