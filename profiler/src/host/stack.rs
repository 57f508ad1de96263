//! Who uses a device, and which disk a name means: questions that walk the stack of devices.

use super::devices::find_node;
use super::model::{BlockDevice, Host, Mount, Swap};
use super::{mounts, root::Root};
use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// A whole disk or stacked node, and what had to be said to get there.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection<'a> {
    pub device: &'a BlockDevice,
    /// For the user: `sda1 is a partition of sda: all of sda is meant`.
    pub note: Option<String>,
}

impl Host {
    /// The disk that the user means by a kernel name, a device node or a link to one, a
    /// `MAJOR:MINOR`, or a mount point. A partition means its disk.
    pub fn whole_disk(&self, name: &str) -> Result<&BlockDevice> {
        Ok(self.select(name)?.device)
    }

    /// As [`Host::whole_disk`], with a note where the disk is another device than the one named.
    pub fn select(&self, name: &str) -> Result<Selection<'_>> {
        let named = match self.named(name) {
            Some(device) => device,
            None => self.mounted(name)?,
        };
        let Some(disk) = &named.partition_of else {
            let note = (named.name != name && !name.ends_with(&format!("/{}", named.name)))
                .then(|| format!("{name} is {}", named.name));
            return Ok(Selection {
                device: named,
                note,
            });
        };
        let Some(device) = self.device(disk) else {
            bail!(
                "{} is a partition of {disk}, which is not in the inventory",
                named.name
            );
        };
        let note = if named.name == name {
            format!("{name} is a partition of {disk}: all of {disk} is meant")
        } else {
            format!(
                "{name} is {}, a partition of {disk}: all of {disk} is meant",
                named.name
            )
        };
        Ok(Selection {
            device,
            note: Some(note),
        })
    }

    fn named(&self, name: &str) -> Option<&BlockDevice> {
        self.devices
            .iter()
            .find(|device| device.name == name || device.number == name)
            .or_else(|| find_node(&self.devices, name))
            .or_else(|| find_node(&self.devices, &format!("/dev/{name}")))
    }

    fn mounted(&self, name: &str) -> Result<&BlockDevice> {
        let target = match name.trim_end_matches('/') {
            "" if name.starts_with('/') => "/",
            short => short,
        };
        let Some(mount) = self.mounts.iter().find(|mount| mount.target == target) else {
            bail!("no such device or mount point: {name}{}", self.hint(name));
        };
        match mount.device.as_deref().and_then(|name| self.device(name)) {
            Some(device) => Ok(device),
            None => bail!(
                "{name} is mounted from {} ({}), which is not on a block device of this host",
                mount.source,
                mount.fs
            ),
        }
    }

    /// What else could have been meant.
    fn hint(&self, name: &str) -> String {
        if name.starts_with('/')
            && !name.starts_with("/dev/")
            && let Some(mount) = mounts::holding(&self.mounts, name)
            && let Some(device) = &mount.device
        {
            return format!("; the mount point above it is {} ({device})", mount.target);
        }
        let wanted = name.strip_prefix("/dev/").unwrap_or(name);
        let known = || {
            let names = self.devices.iter().map(|device| device.name.as_str());
            names.chain(
                self.devices
                    .iter()
                    .filter_map(|device| Some(device.dm.as_ref()?.name.as_str())),
            )
        };
        let least = known().map(|known| distance(known, wanted)).min();
        let near: Vec<&str> = known()
            .filter(|known| Some(distance(known, wanted)) == least.filter(|edits| *edits <= 2))
            .collect();
        match near[..] {
            [] => {
                let disks = self
                    .devices
                    .iter()
                    .filter(|device| device.partition_of.is_none());
                let names: Vec<&str> = disks.map(|device| device.name.as_str()).collect();
                match names.is_empty() {
                    true => "; the inventory has no block devices".to_owned(),
                    false => format!("; there are {}", names.join(", ")),
                }
            }
            _ => format!("; did you mean {}?", near.join(" or ")),
        }
    }

    /// Everything that uses the device: its partitions, whatever is stacked on them, their mounts
    /// and swap; and what is mounted from a device below it or from the disk it is a part of.
    /// Empty: no use is known. A use in another mount namespace cannot be seen.
    pub fn users_of(&self, name: &str) -> Vec<String> {
        let Some(device) = self.device(name) else {
            return Vec::new();
        };
        let mut walk = Walk {
            host: self,
            asked: name,
            seen: BTreeSet::new(),
            users: Vec::new(),
        };
        walk.up(device);
        walk.down(device);
        walk.users
    }
}

struct Walk<'a> {
    host: &'a Host,
    asked: &'a str,
    seen: BTreeSet<&'a str>,
    users: Vec<String>,
}

impl<'a> Walk<'a> {
    fn up(&mut self, device: &'a BlockDevice) {
        if !self.seen.insert(&device.name) {
            return;
        }
        for user in &device.used_by {
            self.push(user, device);
            if let Some(above) = self.host.device(user) {
                self.up(above);
            }
        }
        for part in &self.host.devices {
            if part.partition_of.as_deref() == Some(&device.name) {
                self.up(part);
            }
        }
    }

    /// Below, only uses that are no device count: other volumes on the same disk do not touch
    /// this one. Whatever uses the whole disk does touch a partition of it.
    fn down(&mut self, device: &'a BlockDevice) {
        for name in &device.below {
            if let Some(below) = self.host.device(name) {
                self.lower(below, |host, user| host.device(user).is_none());
            }
        }
        if let Some(disk) = device.partition_of.as_deref()
            && let Some(disk) = self.host.device(disk)
        {
            self.lower(disk, |_, _| true);
        }
    }

    fn lower(&mut self, below: &'a BlockDevice, counts: fn(&Host, &str) -> bool) {
        if !self.seen.insert(&below.name) {
            return;
        }
        for user in &below.used_by {
            if counts(self.host, user) {
                self.push(user, below);
                if let Some(above) = self.host.device(user) {
                    self.up(above);
                }
            }
        }
        self.down(below);
    }

    fn push(&mut self, user: &str, device: &BlockDevice) {
        let text = if device.name == self.asked {
            user.to_owned()
        } else {
            format!("{user} on {}", device.name)
        };
        if !self.users.contains(&text) {
            self.users.push(text);
        }
    }
}

/// Fills `used_by` of every device; holders are there already.
pub(super) fn add_users(
    root: &Root,
    devices: &mut [BlockDevice],
    mounts: &[Mount],
    swaps: &[Swap],
    logs: Vec<(String, String)>,
) {
    let mut uses: Vec<(String, String)> = Vec::new();
    for mount in mounts {
        for device in members(root, mount) {
            uses.push((device, mount.target.clone()));
        }
    }
    for swap in swaps {
        if let Some(device) = &swap.device {
            let text = if swap.is_file {
                format!("swap file {}", swap.path)
            } else {
                "swap".into()
            };
            uses.push((device.clone(), text));
        }
    }
    uses.extend(logs);
    for device in devices.iter() {
        uses.extend(
            device
                .below
                .iter()
                .map(|below| (below.clone(), device.name.clone())),
        );
        let mount = device
            .loop_backing_file
            .as_deref()
            .filter(|path| !path.starts_with("/dev/"))
            .and_then(|path| mounts::holding(mounts, path));
        if let Some(below) = mount.and_then(|mount| mount.device.clone()) {
            uses.push((below, device.name.clone()));
        }
    }
    for (name, user) in uses {
        let device = devices.iter_mut().find(|device| device.name == name);
        if let Some(device) = device.filter(|device| !device.used_by.contains(&user)) {
            device.used_by.push(user);
        }
    }
}

/// Devices of a mounted filesystem; btrfs may have several.
fn members(root: &Root, mount: &Mount) -> Vec<String> {
    let Some(device) = &mount.device else {
        return Vec::new();
    };
    if mount.fs == "btrfs" {
        for uuid in root.list("/sys/fs/btrfs").unwrap_or_default() {
            let members = root
                .list(&format!("/sys/fs/btrfs/{uuid}/devices"))
                .unwrap_or_default();
            if members.contains(device) {
                return members;
            }
        }
    }
    vec![device.clone()]
}

/// Edits (insert, delete, replace) between two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn edit_distance() {
        // kitten -> sitten -> sittin -> sitting.
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("sda", "sda"), 0);
        assert_eq!(distance("", "sda"), 3);
    }
}
