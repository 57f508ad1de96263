//! Which devices are traced, and where their rows are.

use super::Settings;
use crate::{
    host::{BlockDevice, DeviceClass, Host},
    units,
};
use anyhow::{Context as _, Result, bail};
use profiler_ebpf::{
    device::{DIRECTORY_BITS, Device, OPS, place},
    probes::{block, queue, stacked, wait},
};

/// Whether a device is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub name: String,
    /// Why not; `None`: it is.
    pub left_out: Option<String>,
}

/// The traced devices and the sizes of the tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    pub(super) devices: Vec<Device>,
    /// Their kernel names.
    names: Vec<String>,
    /// Their partitions: requests name these.
    partitions: Vec<Device>,
    pub(super) choices: Vec<Choice>,
    pub(super) multiplier: u32,
    pub(super) tags: u32,
    /// Whether every device of the host was asked for.
    pub(super) all: bool,
}

/// Devices beyond this number could not be told apart quickly; hosts with more name theirs.
const MOST_DEVICES: usize = 256;

impl Directory {
    /// Picks the devices and lays out their rows.
    pub(super) fn choose(host: &Host, settings: &Settings) -> Result<Self> {
        let mut directory = Self {
            all: settings.devices.is_empty(),
            ..Self::default()
        };
        for device in &host.devices {
            let asked = settings.devices.is_empty() || settings.devices.contains(&device.name);
            if device.class == DeviceClass::Partition || !asked {
                continue;
            }
            let left_out = directory.add(device, settings);
            directory.choices.push(Choice {
                name: device.name.clone(),
                left_out,
            });
        }
        if directory.devices.is_empty() {
            let reasons: Vec<_> = directory.choices.iter().filter_map(said).collect();
            bail!("no block device to trace ({})", reasons.join("; "));
        }
        directory.add_partitions(host);
        let both = [&*directory.devices, &*directory.partitions].concat();
        // Without its partitions a disk is still found, by a longer way.
        let found = multiplier(&both).or_else(|| {
            directory.partitions.clear();
            multiplier(&directory.devices)
        });
        directory.multiplier = found
            .context("no way was found to tell the devices apart; name fewer with --device")?;
        Ok(directory)
    }

    /// Adds a device, or says why not.
    fn add(&mut self, device: &BlockDevice, settings: &Settings) -> Option<String> {
        let Some(dev) = kernel_number(&device.number) else {
            return Some(format!("its number `{}` is not MAJOR:MINOR", device.number));
        };
        if device.size_bytes == Some(0) && settings.devices.is_empty() {
            return Some("it has no size".to_owned());
        }
        if self.devices.len() == MOST_DEVICES {
            return Some(format!(
                "{MOST_DEVICES} others come first; name it with --device"
            ));
        }
        let queues = device.hardware_queues.unwrap_or(1).max(1) as u32;
        // With a scheduler its own tags count, nr_requests of them. Either number can be raised
        // after attach; up to the next power of two there is room for that.
        let scheduled = device.queue.as_ref().and_then(|queue| queue.nr_requests);
        let tags = device
            .tags_per_queue
            .unwrap_or(256)
            .max(scheduled.unwrap_or(0))
            .clamp(64, 1 << 16);
        let tags = (tags as u32).next_power_of_two();
        let mut entry = Device {
            dev,
            slot: self.count(device.bio_based),
            bio_based: u32::from(device.bio_based),
            chunk_sectors: chunk_sectors(device),
            ..Device::default()
        };
        if !device.bio_based {
            (entry.tag_base, entry.tags, entry.queues) = (self.tags, tags, queues);
        }
        let mut larger = self.clone();
        larger.devices.push(entry);
        larger.names.push(device.name.clone());
        larger.tags += entry.tags * entry.queues;
        if larger.table_bytes() > settings.memory_limit_bytes {
            return Some(format!(
                "its tables would bring them to {}, and --memory-limit is {}",
                units::bytes(larger.table_bytes() as f64),
                units::bytes(settings.memory_limit_bytes as f64)
            ));
        }
        *self = larger;
        None
    }

    fn add_partitions(&mut self, host: &Host) {
        let number_of = |name: &str| {
            let disk = host.devices.iter().find(|disk| disk.name == name)?;
            kernel_number(&disk.number)
        };
        let entry = |partition: &BlockDevice| {
            let disk = number_of(partition.partition_of.as_deref()?)?;
            let disk = self.devices.iter().find(|device| device.dev == disk)?;
            let dev = kernel_number(&partition.number)?;
            Some(Device { dev, ..*disk })
        };
        let partitions = host.devices.iter().filter_map(entry);
        self.partitions = partitions.take(MOST_DEVICES).collect();
    }

    /// The devices that take requests, with their kernel names.
    pub(super) fn disks(&self) -> impl Iterator<Item = (&Device, &str)> {
        let all = self.devices.iter().zip(&self.names);
        all.filter(|(device, _)| device.bio_based == 0)
            .map(|(device, name)| (device, name.as_str()))
    }

    pub(super) fn count(&self, bio_based: bool) -> u32 {
        self.devices
            .iter()
            .filter(|d| (d.bio_based != 0) == bio_based)
            .count() as u32
    }

    /// Bytes of the tables that grow with devices and CPUs.
    fn table_bytes(&self) -> u64 {
        let cpus = aya::util::nr_cpus().unwrap_or(1) as u64;
        let rows = |bio| u64::from(self.count(bio)) * u64::from(OPS);
        let request_row = size_of::<block::Completed>()
            + size_of::<block::Issued>()
            + size_of::<block::Rare>()
            + size_of::<queue::Events>()
            + size_of::<wait::Waited>();
        let bio_row = size_of::<stacked::Queued>() + size_of::<stacked::Finished>();
        cpus * (rows(false) * request_row as u64 + rows(true) * bio_row as u64)
            + u64::from(self.tags) * size_of::<block::Tag>() as u64
            + u64::from(self.count(false)) * size_of::<block::InFlight>() as u64
    }

    /// The devices with the places they belong at.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, Device)> {
        let all = self.devices.iter().chain(&self.partitions);
        all.map(|device| (place(device.dev, self.multiplier), *device))
    }
}

fn said(choice: &Choice) -> Option<String> {
    choice
        .left_out
        .as_ref()
        .map(|reason| format!("{}: {reason}", choice.name))
}

/// A multiplier under which no two devices share a place. For 256 devices in 4,096 places about
/// one candidate in three thousand fits; `None` means that a million did not.
fn multiplier(devices: &[Device]) -> Option<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..1_000_000 {
        let candidate = (state >> 32) as u32 | 1;
        let mut taken = vec![false; 1 << DIRECTORY_BITS];
        let free = |dev| !std::mem::replace(&mut taken[place(dev, candidate) as usize], true);
        if devices.iter().map(|device| device.dev).all(free) {
            return Some(candidate);
        }
        // Knuth's linear congruential generator, MMIX.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
    }
    None
}

/// `8:16` as the kernel's `dev_t`.
fn kernel_number(number: &str) -> Option<u32> {
    let (major, minor) = number.split_once(':')?;
    let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
    (major < 1 << 12 && minor < 1 << 20).then_some(major << 20 | minor)
}

fn chunk_sectors(device: &BlockDevice) -> u32 {
    let md = device
        .md
        .as_ref()
        .filter(|md| md.level != "raid1")
        .and_then(|md| md.chunk_bytes);
    let dm = device.dm.as_ref().and_then(|dm| dm.stripe_chunk_bytes);
    md.or(dm).map_or(0, |bytes| (bytes / 512) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str, number: &str) -> BlockDevice {
        BlockDevice {
            name: name.into(),
            number: number.into(),
            size_bytes: Some(1 << 30),
            hardware_queues: Some(2),
            tags_per_queue: Some(100),
            ..BlockDevice::default()
        }
    }

    #[test]
    fn tag_rows_follow_each_other_without_overlap() {
        let devices = vec![disk("sda", "8:0"), disk("sdb", "8:16")];
        let host = Host {
            devices,
            ..Host::default()
        };
        let directory = Directory::choose(&host, &Settings::default()).unwrap();
        let rows: Vec<_> = directory
            .devices
            .iter()
            .map(|d| (d.slot, d.tag_base, d.tags))
            .collect();
        // 100 tags round up to 128; two queues each.
        assert_eq!(rows, [(0, 0, 128), (1, 256, 128)]);
        assert_eq!(directory.tags, 512);
    }

    #[test]
    fn no_two_devices_share_a_place() {
        let devices: Vec<_> = (0..64)
            .map(|i| disk(&format!("sd{i}"), &format!("8:{}", i * 16)))
            .collect();
        let host = Host {
            devices,
            ..Host::default()
        };
        let directory = Directory::choose(&host, &Settings::default()).unwrap();
        let mut places: Vec<_> = directory.places().map(|(place, _)| place).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), directory.devices.len());
    }

    #[test]
    fn a_partition_leads_to_the_rows_of_its_disk() {
        let part = BlockDevice {
            class: DeviceClass::Partition,
            partition_of: Some("sdb".into()),
            ..disk("sdb1", "8:17")
        };
        let host = Host {
            devices: vec![disk("sda", "8:0"), disk("sdb", "8:16"), part],
            ..Host::default()
        };
        let directory = Directory::choose(&host, &Settings::default()).unwrap();
        let place_of = |dev| place(dev, directory.multiplier);
        let at = |dev| {
            let found = directory
                .places()
                .find(|(place, _)| *place == place_of(dev));
            found.map(|(_, device)| (device.dev, device.slot, device.tag_base))
        };
        assert_eq!(at(8 << 20 | 16), Some((8 << 20 | 16, 1, 256)));
        assert_eq!(at(8 << 20 | 17), Some((8 << 20 | 17, 1, 256)));
        assert_eq!(directory.devices.len(), 2);
    }

    #[test]
    fn a_memory_limit_leaves_devices_out_with_the_reason() {
        let host = Host {
            devices: vec![disk("sda", "8:0")],
            ..Host::default()
        };
        let settings = Settings {
            memory_limit_bytes: 1000,
            ..Settings::default()
        };
        let error = Directory::choose(&host, &settings).unwrap_err().to_string();
        assert!(
            error.contains("sda: its tables would bring them to")
                && error.contains("--memory-limit is 1,000 B"),
            "{error}"
        );
    }

    #[test]
    fn device_numbers_are_the_kernels() {
        assert_eq!(kernel_number("254:0"), Some(254 << 20));
        assert_eq!(kernel_number("8:17"), Some(8 << 20 | 17));
        assert_eq!(kernel_number("8"), None);
        assert_eq!(kernel_number("5000:0"), None);
    }
}
