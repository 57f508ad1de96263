//! Software RAID: /sys/block/mdX/md (Documentation/admin-guide/md.rst).

use crate::host::model::{BlockDevice, Md};
use crate::host::notes::Attributes;

/// `None` for an array that is not running: it has no level.
pub(super) fn read(sys: &mut Attributes) -> Option<Md> {
    Some(Md {
        level: sys.text("md/level")?,
        // Zero for levels without chunks.
        chunk_bytes: sys.number("md/chunk_size").filter(|bytes| *bytes > 0),
        layout: sys.number("md/layout"),
        raid_disks: raid_disks(sys),
        degraded: sys.number("md/degraded"),
        sync_action: sys.text("md/sync_action"),
        stripe_cache_size: sys.number("md/stripe_cache_size"),
        consistency_policy: sys.text("md/consistency_policy"),
        bitmap_chunk_bytes: bitmap_chunk(sys),
        metadata_version: sys.text("md/metadata_version"),
    })
}

/// `4`, or `5 (4)` while the array is being reshaped from four to five disks.
fn raid_disks(sys: &mut Attributes) -> Option<u64> {
    let text = sys.text("md/raid_disks")?;
    text.split_whitespace().next()?.parse().ok()
}

/// Without a bitmap the kernel still has a chunk size to offer for one.
fn bitmap_chunk(sys: &mut Attributes) -> Option<u64> {
    let place = sys.text("md/bitmap/location");
    if place.is_none_or(|place| place == "none") {
        return None;
    }
    sys.number("md/bitmap/chunksize")
}

/// Kernels before 6.0 have no `md/uuid`: udev's link carries it.
pub(super) fn identify(devices: &mut [BlockDevice]) {
    for device in devices {
        if device.md.is_some() && device.id.is_none() {
            device.id = device.links.iter().find_map(|link| {
                let id = link.strip_prefix("/dev/disk/by-id/md-uuid-")?;
                Some(id.to_owned())
            });
        }
    }
}
