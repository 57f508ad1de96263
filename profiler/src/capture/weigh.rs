//! Sampled stacks, weighed by what was counted exactly.

use super::{Capture, Op, OpSlice, Span, Stack};
use std::collections::BTreeMap;

/// Estimated sums of the samples of one device and op.
#[derive(Default)]
struct Estimated {
    requests: u64,
    device_ns: u64,
    bytes: u64,
}

impl Capture {
    /// The stacks, with estimates that add up to the exact sums of their device and op: samples tell
    /// how a sum is divided, and one slow request in a small sample does not make it larger. Where
    /// nothing was counted the estimates stay as they are.
    pub fn weighed_stacks(&self) -> Vec<Stack> {
        let total = self.total();
        let mut estimated: BTreeMap<(&str, Op), Estimated> = BTreeMap::new();
        for stack in &self.stacks {
            let sums = estimated.entry((&stack.device, stack.op)).or_default();
            sums.requests = sums.requests.saturating_add(stack.requests);
            sums.device_ns = sums.device_ns.saturating_add(stack.device_ns);
            sums.bytes = sums.bytes.saturating_add(stack.bytes);
        }
        let weighed = |stack: &Stack| {
            let exact = total.devices.get(&stack.device);
            let exact = exact.and_then(|device| device.ops.get(&stack.op));
            let sums = estimated.get(&(stack.device.as_str(), stack.op));
            match exact.zip(sums) {
                Some((exact, sums)) => scaled(stack, exact, sums),
                None => stack.clone(),
            }
        };
        self.stacks.iter().map(weighed).collect()
    }
}

fn scaled(stack: &Stack, exact: &OpSlice, estimated: &Estimated) -> Stack {
    let part = |own: u64, estimated: u64, exact: u64| match exact {
        0 => own,
        // `own` is a part of `estimated`, so the result is a part of `exact`.
        _ => (u128::from(own) * u128::from(exact) / u128::from(estimated.max(1))) as u64,
    };
    let device_ns = exact.spans.get(&Span::Device).map_or(0, |span| span.sum);
    Stack {
        requests: part(stack.requests, estimated.requests, exact.completed),
        device_ns: part(stack.device_ns, estimated.device_ns, device_ns),
        bytes: part(stack.bytes, estimated.bytes, exact.bytes),
        ..stack.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::arbitrary::small;

    #[test]
    fn estimates_are_divided_as_sampled_and_add_up_to_what_was_counted() {
        let mut capture = small();
        let read = capture.total().devices["8:0"].ops[&Op::Read].clone();
        let time_ns = read.spans[&Span::Device].sum;
        let stack = |command: &str, device: &str, device_ns| Stack {
            device: device.to_owned(),
            op: Op::Read,
            command: command.to_owned(),
            tgid: 1,
            user: Vec::new(),
            kernel: Vec::new(),
            samples: 1,
            requests: 100,
            device_ns,
            bytes: 0,
        };
        // One slow sample makes nine tenths of a sum that is far too large.
        capture.stacks = vec![
            stack("slow", "8:0", 9 * time_ns),
            stack("quick", "8:0", time_ns),
            stack("unknown", "9:9", 77),
        ];
        let weighed = capture.weighed_stacks();
        assert_eq!(weighed[0].device_ns, time_ns * 9 / 10);
        assert_eq!(weighed[1].device_ns, time_ns / 10);
        assert_eq!(weighed[0].requests, read.completed / 2);
        assert_eq!(weighed[2], capture.stacks[2]);
    }
}
