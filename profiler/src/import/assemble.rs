//! An inventory of a host out of collected files, in any subset.

mod devices;
mod stripes;

use super::model::Imported;
use super::model::hostfiles::{DatabaseFile, HostFiles, MountFile};
use crate::host::{
    AtimeMode, BlockDevice, Database, DatabaseKind, Host, Memory, Missing, Mount, ext4_of_options,
    xfs_of_options,
};

/// Why something is missing from such an inventory.
pub const NOT_COLLECTED: &str = "no collected file tells it";

/// What files contradict each other in, where no rule can see both.
pub fn contradictions(imported: &[Imported]) -> Vec<(String, String)> {
    stripes::contradictions(imported)
}

/// Everything that the imports tell of the host; what no file told is in [`Host::missing`].
pub fn host(imported: &[Imported]) -> Host {
    let mut files = HostFiles::default();
    for one in imported.iter().filter_map(|one| one.host.clone()) {
        merge(&mut files, one);
    }
    tell_checks(&mut files);
    let mut host = Host {
        hostname: files.hostname.clone(),
        kernel_release: files.kernel_release.clone().unwrap_or_default(),
        kernel_command_line: files.kernel_command_line.clone(),
        memory: memory(&files),
        sysctls: files.sysctls.clone(),
        devices: devices::all(&files),
        ..Host::default()
    };
    host.mounts = mounts(&files, &host.devices);
    for mount in &host.mounts {
        let used = host
            .devices
            .iter_mut()
            .find(|device| Some(&device.name) == mount.device.as_ref());
        if let Some(device) = used {
            device.used_by.push(mount.target.clone());
        }
    }
    let servers = [
        (DatabaseKind::Postgresql, &files.postgresql),
        (DatabaseKind::Mysql, &files.mysql),
    ];
    for (kind, file) in servers {
        if let Some(file) = file {
            host.databases.push(database(kind, file, &host.mounts));
        }
    }
    host.missing = missing(&files);
    host
}

/// Old mdadm calls a check of a whole array `recovering`. A log that speaks of a data-check, and an
/// array that lacks no disk, tell it from a rebuild.
fn tell_checks(files: &mut HostFiles) {
    let checks: Vec<&str> = files
        .log
        .iter()
        .filter(|line| line.topic == "array-check")
        .map(|line| line.text.as_str())
        .collect();
    for array in &mut files.arrays {
        let whole = array.degraded.unwrap_or(0) == 0 && array.failed.unwrap_or(0) == 0;
        let named = checks
            .iter()
            .any(|text| text.split_whitespace().any(|word| word == array.name));
        if whole && named && matches!(array.sync_action.as_deref(), Some("recovery" | "resync")) {
            array.sync_action = Some("check".to_owned());
        }
    }
}

/// Later files add to earlier ones, and overrule them in single values.
fn merge(all: &mut HostFiles, one: HostFiles) {
    let HostFiles {
        kernel_release,
        hostname,
        kernel_command_line,
        memory_bytes,
        sysctls,
        mounts,
        fstab,
        arrays,
        nodes,
        logical_volumes,
        ext,
        xfs,
        mappings,
        postgresql,
        mysql,
        attributes,
        partitions,
        log,
    } = one;
    all.kernel_release = kernel_release.or(all.kernel_release.take());
    all.hostname = hostname.or(all.hostname.take());
    all.kernel_command_line = kernel_command_line.or(all.kernel_command_line.take());
    all.fstab.extend(fstab);
    all.memory_bytes.extend(memory_bytes);
    all.sysctls.extend(sysctls);
    all.mounts.extend(mounts);
    all.arrays.extend(arrays);
    all.nodes.extend(nodes);
    all.logical_volumes.extend(logical_volumes);
    all.ext.extend(ext);
    all.xfs.extend(xfs);
    all.mappings.extend(mappings);
    all.postgresql = postgresql.or(all.postgresql.take());
    all.mysql = mysql.or(all.mysql.take());
    for (device, attributes) in attributes {
        all.attributes.entry(device).or_default().extend(attributes);
    }
    all.partitions.extend(partitions);
    all.log.extend(log);
}

fn memory(files: &HostFiles) -> Memory {
    let value = |name: &str| files.memory_bytes.get(name).copied();
    // Kernels before 3.14 do not say what is available.
    let parts = [value("MemFree"), value("Cached"), value("Buffers")];
    let free = parts[0].zip(parts[1]).map(|(free, cached)| {
        free.saturating_add(cached)
            .saturating_add(parts[2].unwrap_or(0))
    });
    Memory {
        total_bytes: value("MemTotal"),
        available_bytes: value("MemAvailable").or(free),
        swap_total_bytes: value("SwapTotal"),
        // A count: meminfo has no unit there.
        hugepages_total: value("HugePages_Total"),
        page_tables_bytes: value("PageTables"),
        page_size_bytes: None,
    }
}

fn mounts(files: &HostFiles, devices: &[BlockDevice]) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    for file in &files.mounts {
        let mut mount = mount(file, devices, mounts.len());
        if mount.fs == "xfs" {
            mount.xfs = Some(xfs_of_options(&mount));
        } else if matches!(mount.fs.as_str(), "ext2" | "ext3" | "ext4") {
            mount.ext4 = Some(ext4_of_options(&mount.options));
        }
        // The last one on a mount point is the one that is seen.
        mounts.retain(|other| other.target != mount.target);
        mounts.push(mount);
    }
    for mount in &mut mounts {
        let entry = files
            .fstab
            .iter()
            .find(|entry| entry.target == mount.target);
        mount.fstab_options = entry.map(|entry| entry.options.clone());
    }
    add_ext(files, &mut mounts);
    add_xfs(files, &mut mounts);
    mounts
}

fn mount(file: &MountFile, devices: &[BlockDevice], place: usize) -> Mount {
    let by_number = devices
        .iter()
        .find(|device| Some(&device.number) == file.number.as_ref());
    let device = by_number.or_else(|| {
        let name = file.source.strip_prefix("/dev/")?;
        devices
            .iter()
            .find(|device| device.name == name || device.links.contains(&file.source))
    });
    let has = |name: &str| file.options.iter().any(|option| option == name);
    let atime = match (has("noatime"), has("relatime") || device.is_none()) {
        (true, _) => AtimeMode::Off,
        (false, true) => AtimeMode::Relative,
        // The kernel has no word for it: it is there when the two others are not.
        (false, false) => AtimeMode::Strict,
    };
    let number = file
        .number
        .clone()
        .or_else(|| device.map(|device| device.number.clone()));
    Mount {
        target: file.target.clone(),
        source: file.source.clone(),
        fs: file.fs.clone(),
        number: number.unwrap_or_else(|| format!("unknown:{place}")),
        root: "/".to_owned(),
        options: file.options.clone(),
        device: device.map(|device| device.name.clone()),
        atime,
        lazytime: has("lazytime"),
        read_only: has("ro"),
        ..Mount::default()
    }
}

/// tune2fs names no device: it is taken for the filesystem that it was last mounted on, or for the
/// only one there is.
fn add_ext(files: &HostFiles, mounts: &mut [Mount]) {
    let count = mounts.iter().filter(|mount| mount.ext4.is_some()).count();
    for file in &files.ext {
        let mut all = mounts.iter_mut().filter(|mount| mount.ext4.is_some());
        let found = match (&file.mounted_on, count) {
            (Some(target), _) => all.find(|mount| mount.target == *target),
            (None, 1) => all.next(),
            (None, _) => None,
        };
        let Some(ext4) = found.and_then(|mount| mount.ext4.as_mut()) else {
            continue;
        };
        let told = file.facts.clone();
        ext4.has_journal = told.has_journal.or(ext4.has_journal);
        ext4.default_mount_options = told.default_mount_options;
        ext4.features = told.features;
        ext4.block_size_bytes = told.block_size_bytes;
        ext4.journal_bytes = told.journal_bytes;
        ext4.journal_external = told.journal_external;
        ext4.stride_blocks = Some(told.stride_blocks.unwrap_or(0));
        ext4.stripe_width_blocks = Some(told.stripe_width_blocks.unwrap_or(0));
        ext4.errors_behaviour = told.errors_behaviour.or(ext4.errors_behaviour.take());
        ext4.errors_count = told.errors_count;
    }
}

/// xfs_info names the device or the mount point. Mount options overrule its stripes.
fn add_xfs(files: &HostFiles, mounts: &mut [Mount]) {
    let count = mounts.iter().filter(|mount| mount.fs == "xfs").count();
    for file in &files.xfs {
        let found = mounts
            .iter_mut()
            .filter(|mount| mount.fs == "xfs")
            .find(|mount| match &file.device {
                Some(device) => mount.source == *device || mount.target == *device,
                None => count == 1,
            });
        let Some(mount) = found else { continue };
        let from_options = mount.xfs.take().unwrap_or_default();
        let mut facts = file.facts.clone();
        facts.log_buffer_bytes = from_options.log_buffer_bytes;
        facts.stripe_unit_bytes = from_options
            .stripe_unit_bytes
            .filter(|n| *n > 0)
            .or(facts.stripe_unit_bytes);
        facts.stripe_width_bytes = from_options
            .stripe_width_bytes
            .filter(|n| *n > 0)
            .or(facts.stripe_width_bytes);
        mount.xfs = Some(facts);
    }
}

fn database(kind: DatabaseKind, file: &DatabaseFile, mounts: &[Mount]) -> Database {
    let directory = ["data_directory", "datadir"]
        .iter()
        .find_map(|name| file.settings.get(*name))
        .cloned();
    let home = directory.as_deref().and_then(|path| {
        let above = mounts.iter().filter(|mount| is_above(&mount.target, path));
        above
            .max_by_key(|mount| mount.target.len())
            .map(|mount| mount.target.clone())
    });
    Database {
        kind,
        data_directory: directory,
        data_mount: home.clone(),
        wal_mount: home,
        settings: file.settings.clone(),
        ..Database::default()
    }
}

fn is_above(target: &str, path: &str) -> bool {
    let target = target.trim_end_matches('/');
    path.strip_prefix(target)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn missing(files: &HostFiles) -> Vec<Missing> {
    let parts = [
        ("mounts", files.mounts.is_empty()),
        ("kernel release", files.kernel_release.is_none()),
        ("memory", files.memory_bytes.is_empty()),
        ("sysctls", files.sysctls.is_empty()),
        (
            "queue attributes",
            files.attributes.is_empty() && files.nodes.iter().all(|n| n.scheduler.is_none()),
        ),
        (
            "database settings",
            files.postgresql.is_none() && files.mysql.is_none(),
        ),
        ("processes", true),
    ];
    let absent = parts.into_iter().filter(|(_, absent)| *absent);
    let reason = NOT_COLLECTED;
    absent
        .map(|(what, _)| Missing {
            what: what.to_owned(),
            reason: reason.to_owned(),
        })
        .collect()
}
