//! Mounted filesystems: mountinfo joined with the devices, fstab and each filesystem's own facts.

use super::devices::find_node;
use super::model::{AtimeMode, BlockDevice, Ext4, Mount};
use super::mountinfo::{self, Line};
use super::notes::{Notes, plain};
use super::root::Root;
use super::{ext4, fstab, xfs};
use std::collections::HashMap;

const FSTAB: &str = "/etc/fstab";

/// What the mounts say, and which devices hold a journal of one of them: `(device, use)`.
pub(super) struct Mounts {
    pub(super) mounts: Vec<Mount>,
    pub(super) logs: Vec<(String, String)>,
}

pub(super) fn read(root: &Root, devices: &[BlockDevice], notes: &mut Notes) -> Mounts {
    let mut mounts = of_process(root, "self", devices, notes);
    add_fstab(root, &mut mounts, devices, notes);
    let mut logs = Vec::new();
    let mut seen: HashMap<String, Ext4> = HashMap::new();
    for mount in &mut mounts {
        let Some(device) = mount.device.clone() else {
            continue; // statvfs on a dead network filesystem never returns.
        };
        if root.is_live() {
            add_sizes(mount, notes);
        }
        if mount.fs == "xfs" {
            mount.xfs = Some(xfs::read(root, mount, notes));
            logs.extend(xfs_log(mount, devices));
        } else if ext4::is_ext(&mount.fs) {
            if let Some(facts) = seen.get(&device) {
                mount.ext4 = Some(facts.clone());
                continue;
            }
            let Some(below) = devices.iter().find(|other| other.name == device) else {
                continue;
            };
            let (facts, journal) = ext4::read(root, below, &mount.options, notes);
            logs.extend(journal.and_then(|uuid| ext4_journal(mount, &uuid, devices)));
            seen.insert(device, facts.clone());
            mount.ext4 = Some(facts);
        }
    }
    Mounts { mounts, logs }
}

/// The mounts that one process sees.
pub(super) fn of_process(
    root: &Root,
    process: &str,
    devices: &[BlockDevice],
    notes: &mut Notes,
) -> Vec<Mount> {
    let path = format!("/proc/{process}/mountinfo");
    let text = match root.read(&path) {
        Ok(text) => text,
        Err(error) => {
            notes.unreadable("mounts", &path, &error);
            return Vec::new();
        }
    };
    let (lines, bad) = mountinfo::parse(&text);
    for line in bad {
        notes.add(
            "mounts",
            format!("{path}, line {line}: not in the form of a mount"),
        );
    }
    mountinfo::reachable(lines)
        .into_iter()
        .map(|line| mount(line, devices))
        .collect()
}

fn mount(line: Line, devices: &[BlockDevice]) -> Mount {
    let device = devices
        .iter()
        .find(|device| device.number == line.number)
        // btrfs gives every subvolume a number of its own, which no device has.
        .or_else(|| {
            let anonymous = line.number.starts_with("0:");
            anonymous.then(|| find_node(devices, &line.source))?
        })
        .map(|device| device.name.clone());
    let has = |name: &str| line.options.iter().any(|option| option == name);
    let read_only = has("ro") || line.super_options.iter().any(|option| option == "ro");
    // The kernel has no word for strictatime: it is there when the two others are not.
    let atime = if has("noatime") {
        AtimeMode::Off
    } else if has("relatime") || device.is_none() {
        AtimeMode::Relative
    } else {
        AtimeMode::Strict
    };
    let mut options: Vec<String> = Vec::new();
    for option in line.options.into_iter().chain(line.super_options) {
        let is_overruled = read_only && option == "rw";
        if !is_overruled && !options.contains(&option) {
            options.push(option);
        }
    }
    Mount {
        lazytime: options.iter().any(|option| option == "lazytime"),
        target: line.target,
        source: line.source,
        fs: line.fs,
        number: line.number,
        root: line.root,
        options,
        device,
        atime,
        read_only,
        propagation: Some(line.propagation),
        ..Mount::default()
    }
}

fn add_fstab(root: &Root, mounts: &mut [Mount], devices: &[BlockDevice], notes: &mut Notes) {
    let Some(text) = notes.text(root, "fstab options", FSTAB) else {
        return;
    };
    let entries = fstab::parse(&text);
    for mount in mounts {
        let mut other = None;
        for entry in entries.iter().filter(|entry| entry.target == mount.target) {
            let meant = fstab::device(&entry.source, devices).map(|device| &device.name);
            if meant.is_none() || mount.device.is_none() || meant == mount.device.as_ref() {
                mount.fstab_options = Some(entry.options.clone());
                break;
            }
            other = meant.map(|device| (entry.line, device.clone()));
        }
        if let (None, Some((line, device))) = (&mount.fstab_options, other) {
            let mounted = mount.device.as_deref().unwrap_or(&mount.source);
            notes.add(
                format!("fstab options of {}", mount.target),
                format!("{FSTAB}, line {line} means {device}, but {mounted} is mounted there"),
            );
        }
    }
}

fn add_sizes(mount: &mut Mount, notes: &mut Notes) {
    match rustix::fs::statvfs(mount.target.as_str()) {
        Ok(found) => {
            mount.size_bytes = Some(found.f_blocks.saturating_mul(found.f_frsize));
            mount.available_bytes = Some(found.f_bavail.saturating_mul(found.f_frsize));
        }
        Err(errno) => notes.add(
            format!("size of {}", mount.target),
            format!("{}: {}", mount.target, plain(&errno.into())),
        ),
    }
}

fn ext4_journal(mount: &Mount, uuid: &str, devices: &[BlockDevice]) -> Option<(String, String)> {
    let device = fstab::device(&format!("UUID={uuid}"), devices)?;
    Some((device.name.clone(), format!("journal of {}", mount.target)))
}

fn xfs_log(mount: &Mount, devices: &[BlockDevice]) -> Option<(String, String)> {
    let path = mount
        .options
        .iter()
        .find_map(|option| option.strip_prefix("logdev="))?;
    let device = find_node(devices, path)?;
    Some((device.name.clone(), format!("log of {}", mount.target)))
}

/// The mount that holds `path`: the one with the longest mount point above it.
pub(super) fn holding<'a>(mounts: &'a [Mount], path: &str) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| mountinfo::contains(&mount.target, path))
        .max_by_key(|mount| mount.target.len())
}
