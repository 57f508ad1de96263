//! Which device stands on which: from a filesystem to its disk and from a stack to its leaves.

use super::Fold;
use crate::host::{BlockDevice, Database, DeviceClass, Host, Missing, Mount};
use crate::import::assemble::NOT_COLLECTED;
use std::collections::{BTreeMap, BTreeSet};

/// Deeper stacks are taken for a mistake of the inventory.
const DEEPEST: usize = 16;

/// The devices and filesystems of a host, to be found by name and number.
pub(super) struct Stack<'a> {
    host: &'a Host,
    by_name: BTreeMap<&'a str, &'a BlockDevice>,
    by_number: BTreeMap<&'a str, &'a BlockDevice>,
}

impl<'a> Stack<'a> {
    pub(super) fn new(host: &'a Host) -> Self {
        let devices = || host.devices.iter();
        Self {
            host,
            by_name: devices()
                .map(|device| (device.name.as_str(), device))
                .collect(),
            by_number: devices()
                .map(|device| (device.number.as_str(), device))
                .collect(),
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<&'a BlockDevice> {
        self.by_name.get(name).copied()
    }

    pub(super) fn numbered(&self, number: &str) -> Option<&'a BlockDevice> {
        self.by_number.get(number).copied()
    }

    /// The whole disk of a partition; any other device itself.
    pub(super) fn whole(&self, device: &'a BlockDevice) -> &'a BlockDevice {
        let disk = device
            .partition_of
            .as_deref()
            .and_then(|name| self.named(name));
        disk.unwrap_or(device)
    }

    /// The whole disk or stacked node that a filesystem is on.
    pub(super) fn top(&self, mount: &Mount) -> Option<&'a BlockDevice> {
        let device = mount.device.as_deref().and_then(|name| self.named(name));
        let device = device.or_else(|| self.numbered(&mount.number))?;
        Some(self.whole(device))
    }

    /// The whole disks and nodes directly below.
    pub(super) fn below(&self, device: &BlockDevice) -> Vec<&'a BlockDevice> {
        let below = device.below.iter().filter_map(|name| self.named(name));
        below.map(|device| self.whole(device)).collect()
    }

    /// Everything below, nearest first, each once.
    pub(super) fn all_below(&self, device: &BlockDevice) -> Vec<&'a BlockDevice> {
        let mut found: Vec<&BlockDevice> = Vec::new();
        let mut level = self.below(device);
        for _ in 0..DEEPEST {
            let mut next = Vec::new();
            for device in level {
                if !found.iter().any(|known| known.name == device.name) {
                    next.extend(self.below(device));
                    found.push(device);
                }
            }
            level = next;
        }
        found
    }

    /// The array that a device is, or that it lies on whole.
    pub(super) fn array(&self, device: &'a BlockDevice) -> Option<&'a BlockDevice> {
        let mut here = device;
        for _ in 0..DEEPEST {
            if is_array(here) {
                return Some(here);
            }
            let [only] = self.below(here)[..] else {
                return None;
            };
            here = only;
        }
        None
    }

    /// The mounts to judge: one for each filesystem on a block device or under a database.
    pub(super) fn filesystems(&self) -> Vec<&'a Mount> {
        let mut chosen: BTreeMap<&str, &Mount> = BTreeMap::new();
        for mount in &self.host.mounts {
            let used = self
                .host
                .databases
                .iter()
                .any(|database| uses(database, mount));
            let image = matches!(mount.fs.as_str(), "squashfs" | "iso9660" | "erofs" | "udf");
            if !used && (image || self.top(mount).is_none()) {
                continue;
            }
            // Bind mounts show one filesystem many times; a database knows it by the path it uses.
            let rank = |mount: &Mount| {
                let used = self
                    .host
                    .databases
                    .iter()
                    .any(|database| uses(database, mount));
                (!used, mount.root != "/", mount.target.len())
            };
            let best = chosen.entry(mount.number.as_str()).or_insert(mount);
            if rank(mount) < rank(best) {
                *best = mount;
            }
        }
        let mut mounts: Vec<&Mount> = chosen.into_values().collect();
        mounts.sort_by(|a, b| a.target.cmp(&b.target));
        // Something mounted over another mount hides it.
        mounts.dedup_by(|a, b| a.target == b.target);
        mounts
    }

    /// The filesystem to judge for a mount point.
    pub(super) fn filesystem(&self, target: &str) -> Option<&'a Mount> {
        let mounted = self
            .host
            .mounts
            .iter()
            .rfind(|mount| mount.target == target)?;
        let chosen = self.filesystems();
        chosen
            .into_iter()
            .find(|mount| mount.number == mounted.number)
    }

    /// The filesystems that hold a database's data and its log.
    pub(super) fn homes(&self, database: &Database) -> [Option<&'a Mount>; 2] {
        let home = |target: &Option<String>| self.filesystem(target.as_deref()?);
        [home(&database.data_mount), home(&database.wal_mount)]
    }

    /// Why a database may live where none was found, if it may.
    pub(super) fn hidden_database(&self) -> Option<String> {
        let host = self.host;
        if let Some(missing) = host
            .missing
            .iter()
            .find(|missing| missing.what == "processes")
        {
            return Some(missing.reason.clone());
        }
        let lost = |database: &&Database| database.data_mount.is_none();
        let lost = host.databases.iter().find(lost)?;
        Some(format!(
            "it is not known where the database with process {} keeps its data",
            lost.pid
        ))
    }

    /// Names of the devices that a database's files pass through.
    pub(super) fn database_devices(&self) -> BTreeSet<&'a str> {
        let homes = self
            .host
            .databases
            .iter()
            .flat_map(|database| self.homes(database));
        let tops = homes.flatten().filter_map(|mount| self.top(mount));
        let all = tops.flat_map(|top| self.all_below(top).into_iter().chain([top]));
        all.map(|device| device.name.as_str()).collect()
    }
}

/// md with members, or a striped mapping.
fn is_array(device: &BlockDevice) -> bool {
    let striped = device
        .dm
        .as_ref()
        .is_some_and(|dm| dm.stripes.is_some_and(|n| n > 1));
    device.md.is_some() || striped
}

fn uses(database: &Database, mount: &Mount) -> bool {
    let target = Some(mount.target.as_str());
    database.data_mount.as_deref() == target || database.wal_mount.as_deref() == target
}

/// The whole disks and nodes to judge: mounted, below a mount, or seen in the recording.
pub(super) fn devices<'a>(fold: &Fold<'a>) -> Vec<&'a BlockDevice> {
    let stack = fold.stack;
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for top in stack
        .filesystems()
        .into_iter()
        .filter_map(|mount| stack.top(mount))
    {
        wanted.insert(&top.name);
        wanted.extend(
            stack
                .all_below(top)
                .iter()
                .map(|device| device.name.as_str()),
        );
    }
    let seen = fold.total.devices.keys();
    let seen = seen.filter_map(|number| Some(stack.whole(stack.numbered(number)?)));
    wanted.extend(seen.map(|device| device.name.as_str()));
    // Collected files without a list of mounts: every disk that they name is meant.
    let missing = &stack.host.missing;
    if stack.host.mounts.is_empty() && missing.iter().any(|missing| missing.what == "mounts") {
        let all = stack.host.devices.iter();
        let all = all.filter(|device| device.partition_of.is_none());
        wanted.extend(all.map(|device| device.name.as_str()));
    }
    // A collected list of partitions asks about the disks that it names.
    let collected = |missing: &Missing| missing.reason == NOT_COLLECTED;
    if missing.iter().any(collected) {
        let placed = |part: &&BlockDevice| part.start_sector.is_some();
        let parts = stack.host.devices.iter().filter(placed);
        wanted.extend(parts.filter_map(|part| part.partition_of.as_deref()));
    }
    let all = fold.capture.host.devices.iter();
    all.filter(|device| wanted.contains(device.name.as_str()))
        .collect()
}

/// The class as facts name it.
pub(super) fn class_name(class: DeviceClass) -> &'static str {
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
        DeviceClass::Unknown => "unknown",
    }
}

/// Whether it is a physical disk: `None` where a hypervisor may have passed one through.
pub(super) fn bare(host: &Host, device: &BlockDevice) -> Option<bool> {
    const MADE_UP: [&str; 12] = [
        "QEMU",
        "VMWARE",
        "VBOX",
        "VIRTUAL",
        "MSFT",
        "ELASTIC BLOCK STORE",
        "PERSISTENTDISK",
        "RAID",
        "PERC",
        "LOGICAL VOLUME",
        "SMART ARRAY",
        "MR9",
    ];
    use DeviceClass::{Ata, Mmc, Nvme, Scsi};
    if !matches!(device.class, Ata | Mmc | Nvme | Scsi) {
        return Some(false);
    }
    let model = device.model.as_deref().unwrap_or_default().to_uppercase();
    if MADE_UP.iter().any(|name| model.contains(name)) {
        return Some(false);
    }
    match virtual_machine(host) {
        Some(false) => Some(true),
        _ => None,
    }
}

/// Whether a hypervisor stands below.
pub(super) fn virtual_machine(host: &Host) -> Option<bool> {
    let name = host.virtualisation.as_deref()?;
    match name {
        "none" => Some(false),
        name if name.starts_with("container:") => None,
        _ => Some(true),
    }
}
