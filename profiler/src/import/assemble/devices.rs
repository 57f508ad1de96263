//! Block devices out of whatever names them: lsblk, attributes, arrays, partitions, mounts.

use crate::host::{BlockDevice, DeviceClass, Dm, Md, Queue};
use crate::import::model::hostfiles::{ArrayFile, BlockNode, HostFiles, PartitionFile};
use std::collections::BTreeMap;

pub(super) fn all(files: &HostFiles) -> Vec<BlockDevice> {
    let mut devices = Devices::default();
    for node in &files.nodes {
        place_node(devices.named(&node.name), node);
    }
    for name in files.attributes.keys() {
        devices.named(name);
    }
    for (name, attributes) in &files.attributes {
        place_attributes(devices.named(name), attributes);
    }
    for partition in &files.partitions {
        place_disk(devices.named(&partition.disk), partition);
        let device = devices.named(&partition.name);
        device.class = DeviceClass::Partition;
        device.partition_of = Some(partition.disk.clone());
        device.start_sector = Some(partition.start_bytes / 512);
    }
    for array in &files.arrays {
        for member in &array.members {
            devices.named(member);
        }
        place_array(devices.named(&array.name), array);
    }
    for mount in &files.mounts {
        let name = mount
            .source
            .strip_prefix("/dev/")
            .filter(|name| !name.contains('/'));
        if let Some(name) = name {
            devices.named(name);
        } else if let Some(name) = mount.source.strip_prefix("/dev/mapper/") {
            devices.linked(name, &mount.source);
        }
    }
    for mapping in &files.mappings {
        let link = format!("/dev/mapper/{}", mapping.name);
        let device = devices.linked(&mapping.name, &link);
        let dm = device.dm.get_or_insert_with(|| Dm {
            name: mapping.name.clone(),
            ..Dm::default()
        });
        if !dm.targets.contains(&mapping.target) {
            dm.targets.push(mapping.target.clone());
        }
        dm.stripes = mapping.stripes.or(dm.stripes);
        dm.stripe_chunk_bytes = mapping.stripe_chunk_bytes.or(dm.stripe_chunk_bytes);
    }
    devices.finish()
}

/// Devices by name, each made when it is first named.
#[derive(Default)]
struct Devices {
    by_name: BTreeMap<String, BlockDevice>,
}

impl Devices {
    fn named(&mut self, name: &str) -> &mut BlockDevice {
        self.by_name
            .entry(name.to_owned())
            .or_insert_with(|| BlockDevice {
                name: name.to_owned(),
                class: class(name),
                bio_based: matches!(class(name), DeviceClass::Md | DeviceClass::Dm),
                ..BlockDevice::default()
            })
    }

    /// The device that has the link already, else one of that name.
    fn linked(&mut self, name: &str, link: &str) -> &mut BlockDevice {
        let known = self
            .by_name
            .values()
            .find(|device| device.links.iter().any(|l| l == link));
        let key = known.map_or_else(|| name.to_owned(), |device| device.name.clone());
        let device = self.named(&key);
        device.class = DeviceClass::Dm;
        if !device.links.iter().any(|l| l == link) {
            device.links.push(link.to_owned());
        }
        device
    }

    /// Partitions find their disks by name; a device without a number gets one that no other has.
    fn finish(mut self) -> Vec<BlockDevice> {
        let names: Vec<String> = self.by_name.keys().cloned().collect();
        for name in &names {
            if let Some(disk) = disk_of(name)
                && self
                    .by_name
                    .get(name)
                    .is_some_and(|d| d.partition_of.is_none() && d.class != DeviceClass::Md)
            {
                self.named(&disk);
                let device = self.named(name);
                device.class = DeviceClass::Partition;
                device.partition_of = Some(disk);
            }
        }
        let mut devices: Vec<_> = self.by_name.into_values().collect();
        for (place, device) in devices.iter_mut().enumerate() {
            if device.number.is_empty() {
                device.number = format!("unknown:{place}");
            }
        }
        devices
    }
}

/// `sda` of `sda1`, `nvme0n1` of `nvme0n1p1`.
fn disk_of(name: &str) -> Option<String> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() {
        return None;
    }
    let lettered = ["sd", "hd", "vd", "xvd"].iter().any(|prefix| {
        let rest = stem.strip_prefix(prefix);
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_lowercase()))
    });
    let numbered = ["nvme", "mmcblk", "md", "nbd"]
        .iter()
        .any(|prefix| stem.starts_with(prefix));
    match stem.strip_suffix('p') {
        Some(disk) if numbered && disk.ends_with(|c: char| c.is_ascii_digit()) => {
            Some(disk.to_owned())
        }
        _ => lettered.then(|| stem.to_owned()),
    }
}

fn class(name: &str) -> DeviceClass {
    let classes = [
        ("nvme", DeviceClass::Nvme),
        ("sd", DeviceClass::Scsi),
        ("vd", DeviceClass::Virtio),
        ("xvd", DeviceClass::Xen),
        ("mmcblk", DeviceClass::Mmc),
        ("md", DeviceClass::Md),
        ("dm-", DeviceClass::Dm),
        ("loop", DeviceClass::Loop),
        ("zram", DeviceClass::Zram),
        ("ram", DeviceClass::Ram),
        ("nbd", DeviceClass::Nbd),
    ];
    let found = classes.iter().find(|(prefix, _)| name.starts_with(prefix));
    found.map_or(DeviceClass::Unknown, |(_, class)| *class)
}

fn place_node(device: &mut BlockDevice, node: &BlockNode) {
    if let Some(number) = &node.number {
        device.number.clone_from(number);
    }
    device.class = match node.kind.as_deref() {
        Some("part") => DeviceClass::Partition,
        Some("lvm" | "crypt" | "mpath") => DeviceClass::Dm,
        Some(kind) if kind.starts_with("raid") => DeviceClass::Md,
        _ => device.class,
    };
    if device.class == DeviceClass::Dm {
        let name = node.mapper_name.as_ref().unwrap_or(&node.name);
        device.links.push(format!("/dev/mapper/{name}"));
    }
    device.bio_based = matches!(device.class, DeviceClass::Md | DeviceClass::Dm);
    match (device.class, &node.below[..]) {
        (DeviceClass::Partition, [disk]) => device.partition_of = Some(disk.clone()),
        (_, below) => device.below.extend(below.iter().cloned()),
    }
    device.size_bytes = node.size_bytes.or(device.size_bytes);
    device.start_sector = node.start_sector.or(device.start_sector);
    device.model = node.model.clone().or(device.model.take());
    device.read_only = node.read_only.or(device.read_only);
    device.removable = node.removable.or(device.removable);
    device.alignment_offset = node.alignment_offset.or(device.alignment_offset);
    let queue = device.queue.get_or_insert_default();
    queue.rotational = node.rotational.or(queue.rotational);
    queue.scheduler = node.scheduler.clone().or(queue.scheduler.take());
    queue.nr_requests = node.nr_requests.or(queue.nr_requests);
    queue.read_ahead_kib = node.read_ahead_kib.or(queue.read_ahead_kib);
    queue.logical_block_size_bytes = node
        .logical_block_size_bytes
        .or(queue.logical_block_size_bytes);
    queue.physical_block_size_bytes = node
        .physical_block_size_bytes
        .or(queue.physical_block_size_bytes);
    queue.minimum_io_size_bytes = node.minimum_io_size_bytes.or(queue.minimum_io_size_bytes);
    queue.optimal_io_size_bytes = node.optimal_io_size_bytes.or(queue.optimal_io_size_bytes);
}

fn place_attributes(device: &mut BlockDevice, attributes: &BTreeMap<String, String>) {
    let queue = device.queue.get_or_insert_default();
    for (name, value) in attributes {
        let Some(name) = name.strip_prefix("queue/") else {
            continue;
        };
        place_queue(queue, name, value);
    }
    let whole = |name: &str| attributes.get(name).and_then(|value| value.parse().ok());
    device.scsi_queue_depth = whole("device/queue_depth").or(device.scsi_queue_depth);
    device.alignment_offset = attributes
        .get("alignment_offset")
        .and_then(|v| v.parse().ok())
        .or(device.alignment_offset);
    device.model = attributes
        .get("device/model")
        .cloned()
        .or(device.model.take());
    if let Some(level) = attributes.get("md/level") {
        let md = device.md.get_or_insert_default();
        md.level.clone_from(level);
        md.chunk_bytes = whole("md/chunk_size");
        md.raid_disks = whole("md/raid_disks");
        md.degraded = whole("md/degraded");
        md.stripe_cache_size = whole("md/stripe_cache_size");
        md.sync_action = attributes.get("md/sync_action").cloned();
    }
}

fn place_queue(queue: &mut Queue, name: &str, value: &str) {
    let whole = value.parse::<u64>().ok();
    match name {
        "scheduler" => {
            let names = value
                .split_whitespace()
                .map(|word| word.trim_matches(['[', ']']).to_owned());
            queue.schedulers_available = names.collect();
            let chosen = value.split_whitespace().find(|word| word.starts_with('['));
            // A kernel that offers one only prints it without brackets.
            let only = Some(value).filter(|value| !value.contains(' ') && !value.is_empty());
            queue.scheduler = chosen
                .or(only)
                .map(|word| word.trim_matches(['[', ']']).to_owned());
        }
        "rotational" => queue.rotational = whole.map(|n| n != 0),
        "nr_requests" => queue.nr_requests = whole,
        "read_ahead_kb" => queue.read_ahead_kib = whole,
        "max_sectors_kb" => queue.max_sectors_kib = whole,
        "max_hw_sectors_kb" => queue.max_hw_sectors_kib = whole,
        "logical_block_size" => queue.logical_block_size_bytes = whole,
        "physical_block_size" => queue.physical_block_size_bytes = whole,
        "minimum_io_size" => queue.minimum_io_size_bytes = whole,
        "optimal_io_size" => queue.optimal_io_size_bytes = whole,
        "chunk_sectors" => queue.chunk_sectors = whole,
        "write_cache" => queue.write_cache = Some(value.to_owned()),
        "fua" => queue.fua = whole.map(|n| n != 0),
        "wbt_lat_usec" => queue.wbt_lat_usec = value.parse().ok(),
        "rq_affinity" => queue.rq_affinity = whole,
        "nomerges" => queue.nomerges = whole,
        "add_random" => queue.add_random = whole,
        "iostats" => queue.iostats = whole.map(|n| n != 0),
        "discard_max_bytes" => queue.discard_max_bytes = whole,
        "discard_granularity" => queue.discard_granularity_bytes = whole,
        "stable_writes" => queue.stable_writes = whole.map(|n| n != 0),
        "io_timeout" => queue.io_timeout_ms = whole,
        "zoned" => queue.zoned = Some(value.to_owned()),
        _ => {
            if let Some(name) = name.strip_prefix("iosched/") {
                queue.iosched.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

fn place_disk(disk: &mut BlockDevice, partition: &PartitionFile) {
    let queue = disk.queue.get_or_insert_default();
    queue.logical_block_size_bytes = partition
        .logical_block_size_bytes
        .or(queue.logical_block_size_bytes);
    queue.physical_block_size_bytes = partition
        .physical_block_size_bytes
        .or(queue.physical_block_size_bytes);
    disk.alignment_offset = partition.alignment_offset_bytes.or(disk.alignment_offset);
}

fn place_array(device: &mut BlockDevice, array: &ArrayFile) {
    device.class = DeviceClass::Md;
    for member in &array.members {
        if !device.below.contains(member) {
            device.below.push(member.clone());
        }
    }
    let Md {
        level,
        chunk_bytes,
        raid_disks,
        degraded,
        sync_action,
        bitmap_chunk_bytes,
        metadata_version,
        consistency_policy,
        ..
    } = device.md.get_or_insert_default();
    if let Some(told) = &array.level {
        level.clone_from(told);
    }
    *chunk_bytes = array.chunk_bytes.or(*chunk_bytes);
    *raid_disks = array.disks.or(*raid_disks);
    *degraded = array.degraded.or(*degraded);
    let action = array.sync_action.as_deref().map(|action| match action {
        "recovery" => "recover",
        other => other,
    });
    if array.bitmap == Some(true) {
        consistency_policy.get_or_insert_with(|| "bitmap".to_owned());
    }
    *sync_action = action.map(str::to_owned).or(sync_action.take());
    *bitmap_chunk_bytes = array.bitmap_chunk_bytes.or(*bitmap_chunk_bytes);
    *metadata_version = array.metadata_version.clone().or(metadata_version.take());
}
