//! Joins sampled stacks with the time their requests took, and gives the frames names.
//!
//! User frames are named while their process lives; kernel frames at the end.

use super::{number_of, wire::text};
use crate::capture::{Op, Stack};
use blazesym::{
    MaybeDefault, Pid,
    symbolize::{
        Input, Symbolized, Symbolizer,
        source::{Kernel, Process, Source},
    },
};
use profiler_ebpf::probes::stack::{self, Pace};
use std::collections::HashMap;

/// Different stacks that are kept; more are counted as missing.
const MOST_STACKS: usize = 20_000;
/// The smallest period.
const QUIET_PERIOD: u32 = 4;
/// Samples whose request is still in flight; more are counted as missing.
const MOST_PENDING: usize = 65_536;

/// A stack as addresses, innermost first.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    dev: u32,
    op: u32,
    tgid: u32,
    command: String,
    kernel: Vec<u64>,
    user: Vec<u64>,
}

#[derive(Clone, Copy, Default)]
struct Weight {
    samples: u64,
    requests: u64,
    device_ns: u64,
    bytes: u64,
}

/// Stacks of one recording.
pub(super) struct Stacks {
    per_second: u32,
    keys: HashMap<Key, usize>,
    weights: Vec<Weight>,
    /// Sample id to stack and period.
    pending: HashMap<u64, (usize, u32)>,
    /// User addresses without a name yet, and the names found.
    unnamed: Vec<(u32, u64)>,
    names: HashMap<(u32, u64), String>,
    symbolizer: Option<Symbolizer>,
    missing: u64,
    turn: u32,
}

impl Stacks {
    pub(super) fn new(per_second: u32) -> Self {
        Self {
            per_second,
            keys: HashMap::new(),
            weights: Vec::new(),
            pending: HashMap::new(),
            unnamed: Vec::new(),
            names: HashMap::new(),
            symbolizer: None,
            missing: 0,
            turn: 0,
        }
    }

    /// Samples without a usable stack so far.
    pub(super) fn missing(&self) -> u64 {
        self.missing
    }

    /// The pace for the next second: the last second's load sets the period, the limit holds
    /// whatever the next one brings.
    pub(super) fn pace(&mut self, requests: u64, length_ns: u64) -> Pace {
        self.turn = self.turn.wrapping_add(1);
        let per_second = requests as f64 * 1e9 / length_ns.max(1) as f64;
        let period = (per_second / f64::from(self.per_second.max(1))).ceil();
        Pace {
            // After a quiet second the load is not known: sampling every request would be too many.
            period: period.clamp(f64::from(QUIET_PERIOD), 1e6) as u32,
            limit: self.per_second,
            turn: self.turn,
        }
    }

    /// Takes a stack that was seen at issue.
    pub(super) fn taken(&mut self, sample: &stack::Stack) {
        let kernel = frames(&sample.kernel, sample.kernel_bytes);
        let user = frames(&sample.user, sample.user_bytes);
        if kernel.is_empty() && user.is_empty() || self.pending.len() >= MOST_PENDING {
            self.missing += 1;
            return;
        }
        let tgid = sample.tgid;
        let key = Key {
            dev: sample.dev,
            op: sample.op,
            tgid,
            command: text(&sample.command),
            kernel,
            user,
        };
        if self.keys.len() >= MOST_STACKS && !self.keys.contains_key(&key) {
            self.missing += 1;
            return;
        }
        let fresh: Vec<_> = key.user.iter().map(|address| (tgid, *address)).collect();
        self.unnamed.extend(
            fresh
                .into_iter()
                .filter(|frame| !self.names.contains_key(frame)),
        );
        let next = self.weights.len();
        let index = *self.keys.entry(key).or_insert(next);
        if index == next {
            self.weights.push(Weight::default());
        }
        self.pending.insert(sample.id, (index, sample.period));
    }

    /// Takes the end of a sampled request.
    pub(super) fn done(&mut self, done: &stack::Done) {
        let Some((index, period)) = self.pending.remove(&done.id) else {
            return;
        };
        let weight = &mut self.weights[index];
        let period = u64::from(period);
        weight.samples += 1;
        weight.requests += period;
        weight.device_ns += done.device_ns * period;
        weight.bytes += u64::from(done.bytes) * period;
    }

    /// Names the user frames that came in.
    pub(super) fn symbolise(&mut self) {
        let mut unnamed = std::mem::take(&mut self.unnamed);
        unnamed.sort_unstable();
        unnamed.dedup();
        for frames in unnamed.chunk_by(|a, b| a.0 == b.0) {
            let tgid = frames[0].0;
            let mut process = Process::new(Pid::from(tgid));
            process.debug_syms = false;
            process.perf_map = false;
            let addresses: Vec<u64> = frames.iter().map(|frame| frame.1).collect();
            let names = self.name(&Source::Process(process), &addresses);
            self.names.extend(frames.iter().copied().zip(names));
        }
    }

    /// The stacks with names, largest device time first.
    pub(super) fn finish(&mut self) -> Vec<Stack> {
        self.symbolise();
        let mut kernel: Vec<u64> = self
            .keys
            .keys()
            .flat_map(|key| key.kernel.clone())
            .collect();
        kernel.sort_unstable();
        kernel.dedup();
        let names = self.kernel_names(&kernel);
        let kernel: HashMap<u64, String> = kernel.into_iter().zip(names).collect();
        let mut stacks: Vec<Stack> = self
            .keys
            .iter()
            .filter(|(_, index)| self.weights[**index].samples > 0)
            .map(|(key, index)| self.stack(key, self.weights[*index], &kernel))
            .collect();
        stacks.sort_by(|a, b| {
            b.device_ns
                .cmp(&a.device_ns)
                .then_with(|| a.kernel.cmp(&b.kernel))
        });
        stacks
    }

    fn stack(&self, key: &Key, weight: Weight, kernel: &HashMap<u64, String>) -> Stack {
        let user = key.user.iter().rev();
        let user = user.map(|a| {
            self.names
                .get(&(key.tgid, *a))
                .cloned()
                .unwrap_or_else(|| hex(*a))
        });
        let inner = key.kernel.iter().rev();
        let inner = inner.map(|a| kernel.get(a).cloned().unwrap_or_else(|| hex(*a)));
        // The innermost frames are the tracepoint and the probe itself.
        let inner = inner.take_while(|name| !name.starts_with("bpf_trace_run"));
        Stack {
            device: number_of(key.dev),
            op: Op::ALL.get(key.op as usize).copied().unwrap_or(Op::Other),
            command: key.command.clone(),
            tgid: key.tgid,
            user: user.collect(),
            kernel: inner.collect(),
            samples: weight.samples,
            requests: weight.requests,
            device_ns: weight.device_ns,
            bytes: weight.bytes,
        }
    }

    /// Names of the kernel's addresses.
    pub(super) fn kernel_names(&mut self, addresses: &[u64]) -> Vec<String> {
        let source = Kernel {
            vmlinux: MaybeDefault::None,
            debug_syms: false,
            ..Kernel::default()
        };
        self.name(&Source::Kernel(source), addresses)
    }

    /// Names of addresses; one without a name is printed in hexadecimal.
    fn name(&mut self, source: &Source<'_>, addresses: &[u64]) -> Vec<String> {
        if addresses.is_empty() {
            return Vec::new();
        }
        let symbolizer = self.symbolizer.get_or_insert_with(|| {
            Symbolizer::builder()
                .enable_code_info(false)
                .enable_inlined_fns(false)
                .build()
        });
        match symbolizer.symbolize(source, Input::AbsAddr(addresses)) {
            Ok(symbols) => symbols
                .iter()
                .zip(addresses)
                .map(|(symbol, address)| match symbol {
                    Symbolized::Sym(symbol) => symbol.name.clone().into_owned(),
                    Symbolized::Unknown(_) => hex(*address),
                })
                .collect(),
            // The process is gone, or kallsyms hides addresses.
            Err(_) => addresses.iter().map(|address| hex(*address)).collect(),
        }
    }
}

fn frames(addresses: &[u64], bytes: i32) -> Vec<u64> {
    let n = usize::try_from(bytes).unwrap_or(0) / 8;
    addresses
        .iter()
        .take(n)
        .copied()
        .filter(|address| *address != 0)
        .collect()
}

fn hex(address: u64) -> String {
    format!("0x{address:x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::FromZeros as _;

    #[test]
    fn a_sample_stands_for_its_period() {
        let mut stacks = Stacks::new(100);
        let mut sample = stack::Stack::new_zeroed();
        (sample.id, sample.period, sample.kernel_bytes) = (9, 50, 8);
        sample.kernel[0] = 0xffff_ffff_8100_0000;
        sample.command[..4].copy_from_slice(b"fio\0");
        stacks.taken(&sample);
        stacks.done(&stack::Done {
            kind: 0,
            bytes: 4096,
            id: 9,
            device_ns: 2_000,
        });
        stacks.done(&stack::Done {
            kind: 0,
            bytes: 4096,
            id: 10,
            device_ns: 2_000,
        });
        let stack = &stacks.finish()[0];
        assert_eq!(
            (stack.samples, stack.requests, stack.device_ns),
            (1, 50, 100_000)
        );
        assert_eq!((stack.command.as_str(), stack.bytes), ("fio", 50 * 4096));
    }

    #[test]
    fn the_period_follows_the_load_and_the_limit_stays() {
        let mut stacks = Stacks::new(100);
        let pace = stacks.pace(1000, 1_000_000_000);
        assert_eq!((pace.period, pace.limit, pace.turn), (10, 100, 1));
        let pace = stacks.pace(0, 1_000_000_000);
        assert_eq!((pace.period, pace.limit, pace.turn), (QUIET_PERIOD, 100, 2));
    }
}
