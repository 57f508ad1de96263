//! Log files of a job in fio's format: bandwidth, I/Os a second, latencies.
//!
//! One line a window and way, `time, value, way, block, priority`; without `log_avg_msec` latencies
//! have a line for each I/O. Lines are kept in memory until the job is over.

use super::tally::{Kind, Times};
use crate::workload::layout;
use crate::workload::plan::Logs;
use std::fmt::Write;

/// Without `log_avg_msec` fio averages rates over half a second.
const USUAL_NS: u64 = 500_000_000;

#[derive(Clone, Copy, Default)]
struct Sums {
    n: u64,
    bytes: u64,
    lat: u64,
    clat: u64,
    slat: u64,
}

struct Line {
    at_ms: u64,
    way: usize,
    block: u64,
    sums: Sums,
}

pub(super) struct Log {
    logs: Logs,
    start: u64,
    window_ns: u64,
    next: u64,
    current: [Sums; 3],
    windows: Vec<Line>,
    /// Every I/O, where latencies are not averaged.
    each: Option<Vec<Line>>,
}

impl Log {
    pub(super) fn new(logs: &Logs, start: u64) -> Self {
        let window_ns = if logs.window_ns > 0 {
            logs.window_ns
        } else {
            USUAL_NS
        };
        let each = logs.window_ns == 0 && logs.latency.is_some();
        Self {
            logs: logs.clone(),
            start,
            window_ns,
            next: start.saturating_add(window_ns),
            current: [Sums::default(); 3],
            windows: Vec::new(),
            each: each.then(|| Vec::with_capacity(1 << 16)),
        }
    }

    pub(super) fn add(&mut self, kind: Kind, times: &Times, bytes: u64) {
        let way = kind as usize;
        if way > 2 {
            return;
        }
        while times.completed >= self.next {
            self.close(self.next);
            self.next = self.next.saturating_add(self.window_ns);
        }
        let begun = times.due.unwrap_or(times.taken);
        let one = Sums {
            n: 1,
            bytes,
            lat: times.completed.saturating_sub(begun),
            clat: times.completed.saturating_sub(times.submitted),
            slat: times.submitted.saturating_sub(times.taken),
        };
        let sums = &mut self.current[way];
        sums.n += 1;
        sums.bytes += bytes;
        sums.lat += one.lat;
        sums.clat += one.clat;
        sums.slat += one.slat;
        if let Some(each) = &mut self.each {
            each.push(Line {
                at_ms: times.completed.saturating_sub(self.start) / 1_000_000,
                way,
                block: bytes,
                sums: one,
            });
        }
    }

    fn close(&mut self, at: u64) {
        let at_ms = at.saturating_sub(self.start) / 1_000_000;
        for (way, sums) in self.current.iter_mut().enumerate() {
            let sums = std::mem::take(sums);
            if sums.n > 0 {
                self.windows.push(Line {
                    at_ms,
                    way,
                    block: 0,
                    sums,
                });
            }
        }
    }

    /// Writes the files; an error names the first that could not be written.
    pub(super) fn write(mut self, end: u64) -> Result<(), String> {
        // The last window is a part of one, and its rates are over that part.
        let begun = self.next - self.window_ns;
        let last = end.saturating_sub(begun).max(1);
        let full = self.windows.len();
        self.close(end);
        let window_ns = self.window_ns;
        let rate = |amount: u64, index: usize| {
            let ns = if index < full { window_ns } else { last };
            (u128::from(amount) * 1_000_000_000 / u128::from(ns)) as u64
        };
        let lines = &self.windows;
        if let Some(prefix) = &self.logs.bandwidth {
            let text = text(lines, |line, i| rate(line.sums.bytes, i) / 1024);
            layout::write_log(&prefix.named("bw"), &text)?;
        }
        if let Some(prefix) = &self.logs.iops {
            let text = text(lines, |line, i| rate(line.sums.n, i));
            layout::write_log(&prefix.named("iops"), &text)?;
        }
        if let Some(prefix) = &self.logs.latency {
            let lines = self.each.as_ref().unwrap_or(lines);
            for (name, of) in [
                ("lat", (|sums| sums.lat) as fn(&Sums) -> u64),
                ("clat", |sums| sums.clat),
                ("slat", |sums| sums.slat),
            ] {
                let text = text(lines, |line, _| of(&line.sums) / line.sums.n);
                layout::write_log(&prefix.named(name), &text)?;
            }
        }
        Ok(())
    }
}

fn text(lines: &[Line], value: impl Fn(&Line, usize) -> u64) -> String {
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let value = value(line, index);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{}, {value}, {}, {}, 0",
            line.at_ms, line.way, line.block
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::plan::LogName;

    #[test]
    fn rates_and_latencies_are_averaged_over_their_window() {
        let dir = tempfile::tempdir().unwrap();
        let name = || {
            Some(LogName {
                prefix: dir.path().join("x"),
                number: 1,
            })
        };
        let logs = Logs {
            bandwidth: name(),
            iops: name(),
            latency: name(),
            window_ns: 100_000_000,
        };
        let mut log = Log::new(&logs, 0);
        for i in 0..15u64 {
            let submitted = i * 10_000_000;
            let times = Times {
                due: None,
                taken: submitted,
                submitted,
                completed: submitted + 1000 * (i + 1),
            };
            log.add(Kind::Write, &times, 8192);
        }
        log.write(150_000_000).unwrap();
        let read = |kind: &str| {
            std::fs::read_to_string(dir.path().join(format!("x_{kind}.1.log"))).unwrap()
        };
        // 10 I/Os of 8 KiB in 0.1 s, then 5 in 0.05 s; latencies of 1 to 10 us, then 11 to 15.
        assert_eq!(read("iops"), "100, 100, 1, 0, 0\n150, 100, 1, 0, 0\n");
        assert_eq!(read("bw"), "100, 800, 1, 0, 0\n150, 800, 1, 0, 0\n");
        assert_eq!(read("clat"), "100, 5500, 1, 0, 0\n150, 13000, 1, 0, 0\n");
        assert_eq!(read("slat"), "100, 0, 1, 0, 0\n150, 0, 1, 0, 0\n");
    }
}
