//! Waits for a request, by cause: the functions in which the task slept name it.

use super::number_of;
use crate::capture::{Slice, WaitCause, WaitSum};
use profiler_ebpf::probes::wait::{FRAMES, Wait};
use std::collections::{BTreeMap, HashMap};

/// Different sleeping places that are remembered by name; more are looked up each time.
const REMEMBERED: usize = 4096;

type Frames = [u64; FRAMES];

/// Waits since the last drain, by device and sleeping place.
#[derive(Default)]
pub(super) struct Waits {
    sums: HashMap<(u32, Frames), WaitSum>,
    causes: HashMap<Frames, WaitCause>,
}

impl Waits {
    pub(super) fn take(&mut self, wait: &Wait) {
        let sum = self.sums.entry((wait.dev, wait.frames)).or_default();
        sum.requests += 1;
        sum.sum_ns += wait.wait_ns;
    }

    /// `names` gives addresses of the kernel their names, innermost first.
    pub(super) fn drain(
        &mut self,
        slice: &mut Slice,
        mut names: impl FnMut(&[u64]) -> Vec<String>,
    ) {
        for ((dev, frames), sum) in std::mem::take(&mut self.sums) {
            if self.causes.len() >= REMEMBERED {
                self.causes.clear();
            }
            let cause = *self
                .causes
                .entry(frames)
                .or_insert_with(|| cause(&names(&used(&frames))));
            let device = slice.devices.get_mut(&number_of(dev));
            let waits = device.map(|device| &mut device.waits);
            if let Some(waits) = waits {
                add(waits, cause, sum);
            }
        }
    }
}

fn add(waits: &mut BTreeMap<WaitCause, WaitSum>, cause: WaitCause, sum: WaitSum) {
    let all = waits.entry(cause).or_default();
    all.requests += sum.requests;
    all.sum_ns += sum.sum_ns;
}

fn used(frames: &Frames) -> Vec<u64> {
    frames.iter().copied().filter(|at| *at != 0).collect()
}

/// The cause, by functions that have kept their names from 5.10 to 7.3 (block/blk-wbt.c,
/// blk-iocost.c, blk-iolatency.c, blk-mq-tag.c, blk-core.c). The innermost that is known decides:
/// several throttles sleep in one common function.
fn cause(names: &[String]) -> WaitCause {
    let of = |name: &String| {
        // `.constprop.0` and the like are the compiler's.
        Some(match name.split('.').next()? {
            "wbt_wait" | "__wbt_wait" => WaitCause::Wbt,
            "ioc_rqos_throttle" => WaitCause::IoCost,
            "blkcg_iolatency_throttle" | "__blkcg_iolatency_throttle" => WaitCause::IoLatency,
            "blk_mq_get_tag" => WaitCause::Tags,
            "blk_queue_enter" | "__bio_queue_enter" | "blk_mq_queue_enter" => WaitCause::Frozen,
            _ => return None,
        })
    };
    names.iter().find_map(of).unwrap_or(WaitCause::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_known_function_names_the_cause() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        for (stack, expected) in [
            (
                &[
                    "__schedule",
                    "io_schedule",
                    "blk_mq_get_tag",
                    "__blk_mq_alloc_requests",
                ][..],
                WaitCause::Tags,
            ),
            (
                &[
                    "io_schedule",
                    "rq_qos_wait",
                    "wbt_wait",
                    "__rq_qos_throttle",
                    "blk_mq_submit_bio",
                ],
                WaitCause::Wbt,
            ),
            (
                &[
                    "rq_qos_wait",
                    "blkcg_iolatency_throttle.isra.0",
                    "__rq_qos_throttle",
                ],
                WaitCause::IoLatency,
            ),
            (&["io_schedule", "ioc_rqos_throttle"], WaitCause::IoCost),
            (&["schedule", "__bio_queue_enter"], WaitCause::Frozen),
            (&["schedule", "0xffffffff81000000"], WaitCause::Other),
            (&[], WaitCause::Other),
        ] {
            assert_eq!(cause(&names(stack)), expected, "{stack:?}");
        }
    }
}
