//! Block devices from sysfs: whole disks, their partitions, and what is stacked on them.

mod attributes;
mod class;
mod dm;
mod dm_table;
mod identity;
mod md;

use super::model::{BlockDevice, DeviceClass, Host};
use super::notes::{Attributes, Notes};
use super::root::Root;
use std::collections::BTreeMap;

/// Sectors of sysfs are always 512 bytes, whatever the logical block size.
const SECTOR: u64 = 512;

/// Every block device of the tree, disks in natural order, each followed by its partitions.
pub(super) fn read(root: &Root, notes: &mut Notes) -> Vec<BlockDevice> {
    let names = match root.list("/sys/block") {
        Ok(names) => names,
        Err(error) => {
            notes.unreadable("block devices", "/sys/block", &error);
            return Vec::new();
        }
    };
    let mut devices = Vec::new();
    for name in names {
        let Some(disk) = disk(root, &name, notes) else {
            continue;
        };
        if is_unused(&disk) {
            continue;
        }
        let partitions = partitions(root, &disk, notes);
        devices.push(disk);
        devices.extend(partitions);
    }
    add_links(root, &mut devices);
    md::identify(&mut devices);
    loops_on_devices(&mut devices);
    devices
}

/// The loop devices of an idle host say nothing about it.
fn is_unused(disk: &BlockDevice) -> bool {
    let comes_empty = matches!(
        disk.class,
        DeviceClass::Loop | DeviceClass::Zram | DeviceClass::Nbd
    );
    comes_empty && disk.size_bytes == Some(0)
}

fn disk(root: &Root, name: &str, notes: &mut Notes) -> Option<BlockDevice> {
    let dir = format!("/sys/block/{name}");
    let class = class::of(root, &dir, name);
    let mut sys = Attributes::new(root, dir.clone(), notes);
    let number = number(&mut sys, name)?;
    let mut device = BlockDevice {
        name: name.to_owned(),
        number,
        class,
        ..BlockDevice::default()
    };
    attributes::fill(&mut sys, &mut device);
    device.id = identity::of(&mut sys, class, root);
    device.queue = attributes::queue(&mut sys);
    match class {
        DeviceClass::Md => device.md = md::read(&mut sys),
        DeviceClass::Dm => {
            device.dm = dm::read(&mut sys);
            if let Some(dm) = &mut device.dm {
                dm_table::fill(root, &device.number, dm, notes);
            }
        }
        DeviceClass::Loop => {
            device.loop_backing_file = sys.text("loop/backing_file");
            device.loop_direct_io = sys.flag("loop/dio");
        }
        _ => {}
    }
    Some(device)
}

/// `MAJOR:MINOR`. The hidden paths of a multipath nvme namespace have none.
fn number(sys: &mut Attributes, name: &str) -> Option<String> {
    let number = sys.text("dev");
    if number.is_none() {
        let path = sys.path("dev");
        sys.note(name, format!("{path}: no device number, left out"));
    }
    number
}

fn partitions(root: &Root, disk: &BlockDevice, notes: &mut Notes) -> Vec<BlockDevice> {
    let dir = format!("/sys/block/{}", disk.name);
    let names = root.list(&dir).unwrap_or_default();
    let mut found = Vec::new();
    for name in names {
        if !name.starts_with(&disk.name) || !root.exists(&format!("{dir}/{name}/partition")) {
            continue;
        }
        let mut sys = Attributes::new(root, format!("{dir}/{name}"), notes);
        let Some(number) = number(&mut sys, &name) else {
            continue;
        };
        let position: Option<u64> = sys.number("partition");
        let mut device = BlockDevice {
            id: disk
                .id
                .as_ref()
                .zip(position)
                .map(|(id, n)| format!("{id}-part{n}")),
            partition_of: Some(disk.name.clone()),
            start_sector: sys.number("start"),
            class: DeviceClass::Partition,
            name,
            number,
            ..BlockDevice::default()
        };
        attributes::fill(&mut sys, &mut device);
        device.bio_based = false; // A partition has no queue of its own, of either kind.
        found.push(device);
    }
    found
}

/// Collects every symbolic link below /dev that leads to one of the devices.
fn add_links(root: &Root, devices: &mut [BlockDevice]) {
    let by_node: BTreeMap<String, usize> = devices
        .iter()
        .enumerate()
        .map(|(index, device)| (node(&device.name), index))
        .collect();
    let mut folders = vec![("/dev".to_owned(), 0)];
    while let Some((folder, level)) = folders.pop() {
        let Ok(entries) = root.path(&folder).and_then(std::fs::read_dir) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if kind.is_dir() && level < 3 && !is_crowded(&path) {
                folders.push((path, level + 1));
            } else if kind.is_symlink()
                && let Ok(target) = root.canonical(&path)
                && let Some(index) = by_node.get(&target)
            {
                devices[*index].links.push(path);
            }
        }
    }
    for device in devices {
        device.links.sort();
    }
}

/// Folders of /dev that hold other things, some of them without bound.
fn is_crowded(path: &str) -> bool {
    [
        "shm",
        "pts",
        "mqueue",
        "hugepages",
        "fd",
        "cpu",
        "input",
        "net",
    ]
    .iter()
    .any(|name| path.strip_prefix("/dev/") == Some(name))
}

/// Device node of a name in /sys/block, where `!` stands for `/`.
pub(super) fn node(name: &str) -> String {
    format!("/dev/{}", name.replace('!', "/"))
}

/// A loop device on a block device passes bios to it, with no filesystem between.
fn loops_on_devices(devices: &mut [BlockDevice]) {
    let lower: Vec<Option<String>> = devices
        .iter()
        .map(|device| {
            let path = device.loop_backing_file.as_deref()?;
            Some(find_node(devices, path)?.name.clone())
        })
        .collect();
    for (device, lower) in devices.iter_mut().zip(lower) {
        device.below.extend(lower);
    }
}

/// The device with this node: by name, by a link to it, or by its device-mapper name.
pub(super) fn find_node<'a>(devices: &'a [BlockDevice], path: &str) -> Option<&'a BlockDevice> {
    let rest = path.strip_prefix("/dev/")?;
    devices
        .iter()
        .find(|device| device.name.replace('!', "/") == rest)
        .or_else(|| {
            devices
                .iter()
                .find(|device| device.links.iter().any(|link| link == path))
        })
        .or_else(|| {
            let name = rest.strip_prefix("mapper/")?;
            devices
                .iter()
                .find(|device| device.dm.as_ref().is_some_and(|dm| dm.name == name))
        })
        .or_else(|| {
            devices
                .iter()
                .find(|device| dm::volume(device).as_deref() == Some(rest))
        })
}

impl Host {
    /// The device or partition of this kernel name.
    pub fn device(&self, name: &str) -> Option<&BlockDevice> {
        self.devices.iter().find(|device| device.name == name)
    }
}
