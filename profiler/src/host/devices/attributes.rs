//! Attributes that every block device has: /sys/block/X and its `queue/`, `mq/` and `device/`.

use super::SECTOR;
use crate::host::model::{BlockDevice, DeviceClass, Queue};
use crate::host::notes::Attributes;

/// Size, place in the stack, hardware queues, and the other attributes outside `queue/`.
pub(super) fn fill(sys: &mut Attributes, device: &mut BlockDevice) {
    device.size_bytes = sys
        .number::<u64>("size")
        .and_then(|sectors| sectors.checked_mul(SECTOR));
    device.read_only = sys.flag("ro");
    device.removable = sys.flag("removable");
    device.alignment_offset = sys.number("alignment_offset");
    device.below = sys.list("slaves");
    device.used_by = sys.list("holders");
    device.model = model(sys, device.class);
    if matches!(device.class, DeviceClass::Scsi | DeviceClass::Ata) {
        device.scsi_queue_depth = sys.number("device/queue_depth");
    }
    let queues: Vec<String> = sys
        .list("mq")
        .into_iter()
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    device.bio_based = !sys.exists("mq");
    if !device.bio_based {
        device.hardware_queues = Some(queues.len() as u64);
        device.tags_per_queue = queues
            .iter()
            .filter_map(|queue| sys.number(&format!("mq/{queue}/nr_tags")))
            .max();
    }
}

fn model(sys: &mut Attributes, class: DeviceClass) -> Option<String> {
    let name = match class {
        DeviceClass::Scsi | DeviceClass::Ata | DeviceClass::Nvme => "device/model",
        DeviceClass::Mmc => "device/name",
        _ => return None,
    };
    let model = sys.text(name)?;
    let vendor = (class == DeviceClass::Scsi).then(|| sys.text("device/vendor"));
    Some(match vendor.flatten() {
        Some(vendor) => format!("{vendor} {model}"),
        None => model,
    })
}

/// `None` without a `queue` directory.
pub(super) fn queue(sys: &mut Attributes) -> Option<Queue> {
    if !sys.exists("queue") {
        return None;
    }
    let (scheduler, schedulers_available) = scheduler(sys.text("queue/scheduler").as_deref());
    Some(Queue {
        scheduler,
        schedulers_available,
        rotational: sys.flag("queue/rotational"),
        nr_requests: sys.number("queue/nr_requests"),
        read_ahead_kib: sys.number("queue/read_ahead_kb"),
        max_sectors_kib: sys.number("queue/max_sectors_kb"),
        max_hw_sectors_kib: sys.number("queue/max_hw_sectors_kb"),
        logical_block_size_bytes: sys.number("queue/logical_block_size"),
        physical_block_size_bytes: sys.number("queue/physical_block_size"),
        minimum_io_size_bytes: sys.number("queue/minimum_io_size"),
        optimal_io_size_bytes: sys.number("queue/optimal_io_size"),
        chunk_sectors: sys.number("queue/chunk_sectors"),
        write_cache: sys.text("queue/write_cache"),
        fua: sys.flag("queue/fua"),
        wbt_lat_usec: sys.number("queue/wbt_lat_usec"),
        rq_affinity: sys.number("queue/rq_affinity"),
        nomerges: sys.number("queue/nomerges"),
        add_random: sys.number("queue/add_random"),
        iostats: sys.flag("queue/iostats"),
        discard_max_bytes: sys.number("queue/discard_max_bytes"),
        discard_granularity_bytes: sys.number("queue/discard_granularity"),
        stable_writes: sys.flag("queue/stable_writes"),
        io_timeout_ms: sys.number("queue/io_timeout"),
        zoned: sys.text("queue/zoned"),
        iosched: sys
            .list("queue/iosched")
            .into_iter()
            .filter_map(|name| {
                let value = sys.text(&format!("queue/iosched/{name}"))?;
                Some((name, value))
            })
            .collect(),
    })
}

/// `none [mq-deadline] kyber`: the current one in brackets; a single `none` stands alone.
fn scheduler(text: Option<&str>) -> (Option<String>, Vec<String>) {
    let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(['[', ']']).to_owned();
    let current = match words[..] {
        [only] => Some(bare(only)),
        _ => words
            .iter()
            .find(|word| word.starts_with('['))
            .map(|word| bare(word)),
    };
    (current, words.into_iter().map(bare).collect())
}

#[cfg(test)]
mod tests {
    use super::scheduler;

    #[test]
    fn the_bracketed_scheduler_is_the_current_one() {
        let names = |list: &[&str]| {
            list.iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            scheduler(Some("none mq-deadline-nodefault [bfq]")),
            (
                Some("bfq".into()),
                names(&["none", "mq-deadline-nodefault", "bfq"])
            )
        );
        assert_eq!(
            scheduler(Some("none")),
            (Some("none".into()), names(&["none"]))
        );
        assert_eq!(
            scheduler(Some("[none]")),
            (Some("none".into()), names(&["none"]))
        );
        assert_eq!(scheduler(None), (None, vec![]));
    }
}
