//! The host's state second by second, from counters in /proc.

use crate::capture::SystemSlice;
use std::fs;

/// The counters of the last reading.
#[derive(Debug, Default)]
pub struct Pulse {
    last: Option<Counters>,
}

#[derive(Clone, Debug, Default)]
struct Counters {
    at_ns: u64,
    io_some_us: Option<u64>,
    io_full_us: Option<u64>,
    /// user, nice, system, idle, iowait, irq, softirq, steal: ticks.
    cpu: Option<Vec<u64>>,
    swap_in: Option<u64>,
    swap_out: Option<u64>,
    alloc_stalls: Option<u64>,
    drop_pagecache: Option<u64>,
}

/// Requests that the kernel counts as in flight on a device (Documentation/ABI/stable/sysfs-block).
pub fn in_flight(device: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/sys/block/{device}/inflight")).ok()?;
    let numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    numbers.sum::<Result<_, _>>().ok()
}

impl Pulse {
    /// Starts from the present counters.
    pub fn new(now_ns: u64) -> Self {
        Self {
            last: Some(Counters::read(now_ns)),
        }
    }

    /// What changed since the last call. What cannot be read is `None`.
    pub fn beat(&mut self, now_ns: u64) -> SystemSlice {
        let now = Counters::read(now_ns);
        let before = self.last.replace(now.clone()).unwrap_or_default();
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let kib = |key| field(&meminfo, key).map(|kib| kib * 1024);
        let elapsed_us = now.at_ns.saturating_sub(before.at_ns) as f64 / 1e3;
        let share = |a: Option<u64>, b: Option<u64>| {
            let us = a?.saturating_sub(b?) as f64;
            (elapsed_us > 0.0).then(|| (us / elapsed_us).min(1.0))
        };
        let cpu = |of: &dyn Fn(&[u64]) -> u64| {
            let (a, b) = (now.cpu.as_deref()?, before.cpu.as_deref()?);
            let all = a.iter().sum::<u64>().saturating_sub(b.iter().sum());
            (all > 0).then(|| of(a).saturating_sub(of(b)) as f64 / all as f64)
        };
        let since = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_sub(b?));
        SystemSlice {
            pressure_io_some: share(now.io_some_us, before.io_some_us),
            pressure_io_full: share(now.io_full_us, before.io_full_us),
            cpu_busy: cpu(&|ticks| ticks.iter().sum::<u64>() - ticks[3] - ticks[4]),
            cpu_iowait: cpu(&|ticks| ticks[4]),
            dirty_bytes: kib("Dirty:"),
            writeback_bytes: kib("Writeback:"),
            swap_in_pages: since(now.swap_in, before.swap_in),
            swap_out_pages: since(now.swap_out, before.swap_out),
            alloc_stalls: since(now.alloc_stalls, before.alloc_stalls),
            drop_pagecache: since(now.drop_pagecache, before.drop_pagecache),
            ..SystemSlice::default()
        }
    }
}

impl Counters {
    fn read(at_ns: u64) -> Self {
        let pressure = fs::read_to_string("/proc/pressure/io").unwrap_or_default();
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let vmstat = fs::read_to_string("/proc/vmstat").unwrap_or_default();
        let stalls: Vec<u64> = vmstat
            .lines()
            .filter(|line| line.starts_with("allocstall"))
            .filter_map(|line| line.split_whitespace().nth(1)?.parse().ok())
            .collect();
        Self {
            at_ns,
            io_some_us: total(&pressure, "some"),
            io_full_us: total(&pressure, "full"),
            cpu: cpu_ticks(&stat),
            swap_in: field(&vmstat, "pswpin"),
            swap_out: field(&vmstat, "pswpout"),
            alloc_stalls: (!stalls.is_empty()).then(|| stalls.iter().sum()),
            drop_pagecache: field(&vmstat, "drop_pagecache"),
        }
    }
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=123` (Documentation/accounting/psi.rst).
fn total(pressure: &str, kind: &str) -> Option<u64> {
    let line = pressure
        .lines()
        .find(|line| line.split(' ').next() == Some(kind))?;
    line.rsplit_once("total=")?.1.parse().ok()
}

/// The first eight numbers of the `cpu` line: guest time is part of user time.
fn cpu_ticks(stat: &str) -> Option<Vec<u64>> {
    let line = stat.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .skip(1)
        .take(8)
        .filter_map(|t| t.parse().ok())
        .collect();
    (ticks.len() == 8).then_some(ticks)
}

fn field(text: &str, key: &str) -> Option<u64> {
    let line = text
        .lines()
        .find(|line| line.split_whitespace().next() == Some(key))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_proc_are_read() {
        let pressure = "some avg10=0.10 avg60=0.05 avg300=0.01 total=417963\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=205933\n";
        assert_eq!(
            (total(pressure, "some"), total(pressure, "full")),
            (Some(417_963), Some(205_933))
        );
        assert_eq!(
            cpu_ticks("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1"),
            Some(vec![1, 2, 3, 4, 5, 6, 7, 8])
        );
        assert_eq!(field("Dirty:              12 kB\n", "Dirty:"), Some(12));
        assert_eq!(total("", "some"), None);
    }
}
