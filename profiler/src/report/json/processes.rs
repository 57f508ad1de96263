//! Who issued the requests, estimated from the sampled stacks.

use super::device::name_of;
use super::reason;
use super::shape::ProcessJson;
use crate::capture::{Capture, Op, Stack};
use crate::units;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Processes that are listed; the others are one line.
const LISTED: usize = 10;
/// Fewer samples than this are no ground for an error bound.
const FEW: u64 = 30;

/// The most device time first; then what is left of all the others. The second value says why
/// there is none.
pub(super) fn processes(capture: &Capture) -> (Vec<ProcessJson>, Option<String>) {
    let mut by: BTreeMap<(&str, &str, u32), ProcessJson> = BTreeMap::new();
    let stacks = capture.weighed_stacks();
    for stack in &stacks {
        let process = by.entry((&stack.device, &stack.command, stack.tgid));
        add(
            process.or_insert_with(|| {
                let device = name_of(&capture.host, &stack.device);
                new(&stack.command, Some(stack.tgid), Some(device))
            }),
            stack,
        );
    }
    let mut all: Vec<_> = by.into_values().collect();
    all.sort_by_key(|process| Reverse(process.device_ns));
    let missing = all.is_empty().then(|| reason(&capture.probes, &["stack"]));
    if all.len() > LISTED + 1 {
        let rest = all.split_off(LISTED);
        let mut others = new(&format!("{} others", rest.len()), None, None);
        for process in rest {
            others.samples += process.samples;
            others.requests += process.requests;
            others.bytes_read += process.bytes_read;
            others.bytes_written += process.bytes_written;
            others.device_ns += process.device_ns;
        }
        all.push(others);
    }
    for process in &mut all {
        process.error = (process.samples > 0).then(|| 1.96 / (process.samples as f64).sqrt());
    }
    (all, missing)
}

fn new(command: &str, pid: Option<u32>, device: Option<String>) -> ProcessJson {
    ProcessJson {
        device,
        command: command.to_owned(),
        pid,
        samples: 0,
        requests: 0,
        bytes_read: 0,
        bytes_written: 0,
        device_ns: 0,
        error: None,
    }
}

fn add(process: &mut ProcessJson, stack: &Stack) {
    process.samples += stack.samples;
    process.requests += stack.requests;
    process.device_ns += stack.device_ns;
    match stack.op {
        Op::Read => process.bytes_read += stack.bytes,
        Op::Write => process.bytes_written += stack.bytes,
        _ => {}
    }
}

impl ProcessJson {
    /// `postgres (4711) on sda: 12,400 requests (11 % either way), ..., some 8.1 s in the device; of 310 samples`.
    pub(crate) fn words(&self) -> String {
        let name = match self.pid {
            Some(pid) => format!("{} ({pid})", self.command),
            None => self.command.clone(),
        };
        let on = match &self.device {
            Some(device) => format!(" on {device}"),
            None => String::new(),
        };
        // The time hangs on how it is spread, which few samples do not show.
        let error = match self.error {
            Some(error) if self.samples >= FEW => format!("{} either way", units::ratio(error)),
            _ => "a guess from few samples".to_owned(),
        };
        format!(
            "{name}{on}: {} requests ({error}), {} read, {} written, some {} in the device; of {} samples",
            units::count(self.requests),
            units::bytes(self.bytes_read as f64),
            units::bytes(self.bytes_written as f64),
            units::nanos(self.device_ns as f64),
            units::count(self.samples)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::arbitrary::small;

    #[test]
    fn what_is_not_listed_is_summed_up() {
        let mut capture = small();
        let stack = |n: u32| Stack {
            // Not counted there: the estimates stay as they are.
            device: "9:9".to_owned(),
            op: if n == 0 { Op::Write } else { Op::Read },
            command: format!("c{n}"),
            tgid: n,
            user: Vec::new(),
            kernel: Vec::new(),
            samples: 4,
            requests: 400,
            device_ns: u64::from(1000 - n),
            bytes: 4096,
        };
        capture.stacks = (0..13).chain([0]).map(stack).collect();
        let (processes, missing) = processes(&capture);
        assert_eq!(missing, None);
        assert_eq!(processes.len(), LISTED + 1);
        let first = &processes[0];
        // Two stacks of the same process: 8 samples, so 1.96 / sqrt(8) = 69 %.
        assert_eq!(
            (first.samples, first.requests, first.bytes_written),
            (8, 800, 8192)
        );
        assert!((first.error.unwrap() - 0.693).abs() < 0.001);
        let others = processes.last().unwrap();
        assert_eq!((others.command.as_str(), others.samples), ("3 others", 12));
    }
}
