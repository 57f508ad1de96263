//! What lies above and below a device: mounts, partitions, the device, its members, the disks.

use super::shape::LayerJson;
use crate::host::{BlockDevice, DeviceClass, Host, Mount};
use crate::units;
use std::collections::BTreeSet;

/// Stacks deeper than this are cut: no host has one, a damaged capture may.
const DEEPEST: u32 = 16;

/// The layers of one device, from the mount points down.
pub(super) fn layers(host: &Host, device: &BlockDevice) -> Vec<LayerJson> {
    let mut layers = Vec::new();
    let partitions: Vec<&BlockDevice> = host
        .devices
        .iter()
        .filter(|d| d.partition_of.as_deref() == Some(&device.name))
        .collect();
    let mut level = 0;
    let on_partition = |mount: &&Mount| {
        let on = mount.device.as_deref();
        on == Some(&device.name) || partitions.iter().any(|p| on == Some(&p.name))
    };
    let mounts: Vec<&Mount> = host.mounts.iter().filter(on_partition).collect();
    for mount in &mounts {
        layers.push(mount_layer(mount, level));
    }
    level += u32::from(!mounts.is_empty());
    for partition in &partitions {
        layers.push(LayerJson {
            level,
            kind: "partition".to_owned(),
            name: partition.name.clone(),
            detail: partition.size_bytes.map(|size| units::bytes(size as f64)),
            on: vec![device.name.clone()],
        });
    }
    level += u32::from(!partitions.is_empty());
    below(host, device, level, &mut layers, &mut BTreeSet::new());
    layers.sort_by_key(|layer| layer.level);
    layers
}

fn mount_layer(mount: &Mount, level: u32) -> LayerJson {
    let options = mount.options.join(",");
    LayerJson {
        level,
        kind: "mount".to_owned(),
        name: mount.target.clone(),
        detail: Some(match options.is_empty() {
            true => mount.fs.clone(),
            false => format!("{} {options}", mount.fs),
        }),
        on: mount.device.iter().cloned().collect(),
    }
}

/// Adds a device and what it stands on; each device once, so that a ring ends.
fn below(
    host: &Host,
    device: &BlockDevice,
    level: u32,
    layers: &mut Vec<LayerJson>,
    seen: &mut BTreeSet<String>,
) {
    if level > DEEPEST || !seen.insert(device.name.clone()) {
        return;
    }
    let mut on = device.below.clone();
    on.extend(device.partition_of.clone());
    let file = device.loop_backing_file.as_deref();
    let backing = file.and_then(|file| mount_of(host, file));
    layers.push(LayerJson {
        level,
        kind: class_name(device.class).to_owned(),
        name: device.name.clone(),
        detail: detail(device),
        on: match file {
            Some(file) => vec![file.to_owned()],
            None => on.clone(),
        },
    });
    if let Some(file) = file {
        let under = backing.and_then(|mount| mount.device.clone());
        layers.push(LayerJson {
            level: level + 1,
            kind: "file".to_owned(),
            name: file.to_owned(),
            detail: backing.map(|mount| format!("on {} ({})", mount.target, mount.fs)),
            on: under.iter().cloned().collect(),
        });
        on = under.into_iter().collect();
    }
    let step = if file.is_some() { 2 } else { 1 };
    for name in on {
        if let Some(next) = host.devices.iter().find(|d| d.name == name) {
            below(host, next, level + step, layers, seen);
        }
    }
}

/// The mount that holds a path: the longest mount point that is a prefix of it.
pub(super) fn mount_of<'a>(host: &'a Host, path: &str) -> Option<&'a Mount> {
    let path = std::path::Path::new(path);
    host.mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.target))
        .max_by_key(|mount| mount.target.len())
}

/// The class as the kernel's people say it.
pub(crate) fn class_name(class: DeviceClass) -> &'static str {
    match class {
        DeviceClass::Nvme => "nvme",
        DeviceClass::Scsi => "scsi",
        DeviceClass::Ata => "ata",
        DeviceClass::Virtio => "virtio",
        DeviceClass::Xen => "xen",
        DeviceClass::Mmc => "mmc",
        DeviceClass::Md => "md",
        DeviceClass::Dm => "dm",
        DeviceClass::Loop => "loop",
        DeviceClass::Zram => "zram",
        DeviceClass::Ram => "ram",
        DeviceClass::Nbd => "nbd",
        DeviceClass::Partition => "partition",
        DeviceClass::Unknown => "device",
    }
}

fn detail(device: &BlockDevice) -> Option<String> {
    let mut words = Vec::new();
    if let Some(md) = &device.md {
        words.push(md.level.clone());
        words.extend(md.raid_disks.map(|n| format!("{n} disks")));
        words.extend(
            md.chunk_bytes
                .map(|c| format!("chunk {}", units::bytes(c as f64))),
        );
    }
    if let Some(dm) = &device.dm {
        words.push(dm.name.clone());
        words.extend(dm.targets.iter().cloned());
    }
    words.extend(device.model.clone());
    words.extend(device.size_bytes.map(|size| units::bytes(size as f64)));
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, below: &[&str]) -> BlockDevice {
        BlockDevice {
            name: name.into(),
            below: below.iter().map(|b| (*b).to_owned()).collect(),
            ..BlockDevice::default()
        }
    }

    #[test]
    fn an_array_stands_on_its_members_and_a_partition_on_its_disk() {
        let mut part = device("sda1", &[]);
        part.partition_of = Some("sda".into());
        let host = Host {
            devices: vec![
                device("md0", &["sda1", "sdb"]),
                part,
                device("sda", &[]),
                device("sdb", &[]),
            ],
            ..Host::default()
        };
        let layers = layers(&host, &host.devices[0]);
        let shape: Vec<(u32, &str)> = layers.iter().map(|l| (l.level, l.name.as_str())).collect();
        assert_eq!(shape, [(0, "md0"), (1, "sda1"), (1, "sdb"), (2, "sda")]);
    }

    #[test]
    fn devices_that_stand_on_each_other_end() {
        let host = Host {
            devices: vec![device("dm-0", &["dm-1"]), device("dm-1", &["dm-0"])],
            ..Host::default()
        };
        assert_eq!(layers(&host, &host.devices[0]).len(), 2);
    }

    #[test]
    fn a_path_belongs_to_the_longest_mount() {
        let mount = |target: &str| Mount {
            target: target.into(),
            ..Mount::default()
        };
        let host = Host {
            mounts: vec![mount("/"), mount("/srv"), mount("/srv/db")],
            ..Host::default()
        };
        let found = |path| mount_of(&host, path).map(|m| m.target.as_str());
        assert_eq!(found("/srv/db/a"), Some("/srv/db"));
        assert_eq!(found("/srv/db2/a"), Some("/srv"));
        assert_eq!(found("relative"), None);
    }
}
