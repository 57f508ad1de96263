//! Requests whose end no probe saw, at the end of a recording.
//!
//! The kernel can skip a program (docs/limitations.md). While recording, such a request is found out
//! when its tag has a new user; at the end, when the kernel says that the device has nothing in
//! flight and a tag is still marked. That the request ended is certain then, only not when.

use super::{attach::Attached, directory::Directory, number_of};
use crate::{
    capture::{DeviceSlice, Op},
    host::pulse,
    kernel::support,
};
use anyhow::Result;
use profiler_ebpf::{
    device::{self, Device},
    probes::block::Tag,
};
use std::collections::BTreeMap;

/// One request that ended unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unseen {
    op: Op,
    bytes: u64,
}

/// What is still marked on devices that have nothing in flight, by device number. To be called
/// while the probes are attached.
pub(super) fn find(
    attached: &Attached,
    directory: &Directory,
) -> Result<BTreeMap<String, Vec<Unseen>>> {
    let tags = attached.array::<Tag>("TAGS")?;
    let mut found = BTreeMap::new();
    for (device, name) in directory.disks() {
        // In this order: a request issued before now that is still marked after the kernel has
        // said "nothing in flight" has ended, since its probe runs before it is taken off.
        let now_ns = support::monotonic_ns();
        if pulse::in_flight(name) != Some(0) {
            continue;
        }
        let mut unseen = Vec::new();
        for row in rows(device) {
            unseen.extend(ended(&tags.get(&row, 0)?.0, now_ns));
        }
        if !unseen.is_empty() {
            found.insert(number_of(device.dev), unseen);
        }
    }
    Ok(found)
}

fn rows(device: &Device) -> std::ops::Range<u32> {
    device.tag_base..device.tag_base + device.tags * device.queues
}

/// A marked tag's request, if the kernel's count of requests in flight includes its kind: it does
/// not include flushes (block/blk-mq.c, blk_mq_check_in_flight).
fn ended(tag: &Tag, now_ns: u64) -> Option<Unseen> {
    let op = device::op(tag.flags);
    (tag.request != 0 && tag.issued_ns < now_ns && op < device::FLUSH).then(|| Unseen {
        op: Op::ALL[op as usize],
        bytes: tag.bytes.into(),
    })
}

/// Counts them as completed, at a time that is not known.
pub(super) fn settle(device: &mut DeviceSlice, unseen: &[Unseen]) {
    for one in unseen {
        let Some(in_flight) = device.in_flight_end.filter(|n| *n > 0) else {
            return;
        };
        device.in_flight_end = Some(in_flight - 1);
        let op = device.ops.entry(one.op).or_default();
        op.completed += 1;
        op.end_unseen += 1;
        op.bytes += one.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(flags: u32) -> Tag {
        Tag {
            request: 0x1000,
            issued_ns: 50,
            flags,
            bytes: 8192,
            ..Tag::default()
        }
    }

    #[test]
    fn a_marked_tag_of_an_idle_device_is_a_request_that_ended() {
        // REQ_OP_WRITE is 1, REQ_OP_FLUSH 2 (include/linux/blk_types.h).
        let write = Unseen {
            op: Op::Write,
            bytes: 8192,
        };
        assert_eq!(ended(&tag(1), 100), Some(write));
        assert_eq!(
            ended(&tag(2), 100),
            None,
            "flushes are not in the kernel's count"
        );
        assert_eq!(ended(&tag(1), 50), None, "issued after the look");
        assert_eq!(ended(&Tag::default(), 100), None, "a free tag");
        let mut device = DeviceSlice {
            in_flight_end: Some(1),
            ..DeviceSlice::default()
        };
        settle(&mut device, &[write, write]);
        let op = &device.ops[&Op::Write];
        // Never more than are missing.
        assert_eq!((op.completed, op.end_unseen, op.bytes), (1, 1, 8192));
        assert_eq!(device.in_flight_end, Some(0));
    }
}
