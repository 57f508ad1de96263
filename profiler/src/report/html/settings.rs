//! The host's settings that storage depends on, as they were during the recording.

use crate::host::{AtimeMode, BlockDevice, Host, Mount};
use crate::units;

/// A heading and its settings.
pub(super) struct Group {
    pub(super) title: String,
    pub(super) settings: Vec<(String, String)>,
}

/// Disks and their queues, filesystems, memory, databases, limits.
pub(super) fn groups(host: &Host) -> Vec<Group> {
    let mut groups: Vec<Group> = host
        .devices
        .iter()
        .filter(|device| device.queue.is_some())
        .map(device)
        .collect();
    groups.extend(host.mounts.iter().filter(|m| m.device.is_some()).map(mount));
    groups.push(memory(host));
    groups.extend(host.databases.iter().map(database));
    groups.extend(limits(host));
    groups.retain(|group| !group.settings.is_empty());
    groups
}

/// Collects the settings that are known.
struct Known(Vec<(String, String)>);

impl Known {
    fn put(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push((name.to_owned(), value.to_string()));
        }
    }
}

fn device(device: &BlockDevice) -> Group {
    let mut known = Known(Vec::new());
    if let Some(queue) = &device.queue {
        let yes = |value: Option<bool>| value.map(|v| if v { "yes" } else { "no" });
        known.put("scheduler", queue.scheduler.clone());
        known.put("nr_requests", queue.nr_requests);
        known.put("tags per queue", device.tags_per_queue);
        known.put("hardware queues", device.hardware_queues);
        known.put(
            "read-ahead",
            queue
                .read_ahead_kib
                .map(|kib| units::bytes(kib as f64 * 1024.0)),
        );
        known.put(
            "largest request",
            queue
                .max_sectors_kib
                .map(|kib| units::bytes(kib as f64 * 1024.0)),
        );
        known.put("write cache", queue.write_cache.clone());
        known.put("rotational", yes(queue.rotational));
        known.put(
            "wbt target",
            queue.wbt_lat_usec.map(|us| match us {
                0 => "off".to_owned(),
                us => units::nanos(us as f64 * 1e3),
            }),
        );
        known.put("nomerges", queue.nomerges);
        known.put("rq_affinity", queue.rq_affinity);
    }
    known.put(
        "direct I/O to the file",
        device
            .loop_direct_io
            .map(|on| if on { "on" } else { "off" }),
    );
    Group {
        title: device.name.clone(),
        settings: known.0,
    }
}

fn mount(mount: &Mount) -> Group {
    let mut known = Known(Vec::new());
    known.put("filesystem", Some(&mount.fs));
    known.put(
        "options",
        Some(mount.options.join(", ")).filter(|text| !text.is_empty()),
    );
    known.put(
        "access times",
        Some(match mount.atime {
            AtimeMode::Strict => "strict",
            AtimeMode::Relative => "relative",
            AtimeMode::Off => "off",
        }),
    );
    if let Some(ext4) = &mount.ext4 {
        known.put(
            "journal",
            ext4.has_journal.map(|has| match (has, ext4.journal_bytes) {
                (true, Some(size)) => units::bytes(size as f64),
                (true, None) => "yes".to_owned(),
                (false, _) => "none".to_owned(),
            }),
        );
        known.put("data mode", ext4.data_mode.clone());
        known.put(
            "barriers",
            ext4.barrier.map(|on| if on { "on" } else { "off" }),
        );
        known.put(
            "commit interval",
            ext4.commit_interval_s.map(|s| format!("{s} s")),
        );
    }
    if let Some(xfs) = &mount.xfs {
        known.put("log", xfs.log_bytes.map(|size| units::bytes(size as f64)));
        known.put(
            "stripe unit",
            xfs.stripe_unit_bytes.map(|size| units::bytes(size as f64)),
        );
        known.put(
            "stripe width",
            xfs.stripe_width_bytes.map(|size| units::bytes(size as f64)),
        );
    }
    if let Some((size, free)) = mount.size_bytes.zip(mount.available_bytes) {
        known.put(
            "free",
            Some(format!(
                "{} of {}",
                units::bytes(free as f64),
                units::bytes(size as f64)
            )),
        );
    }
    Group {
        title: mount.target.clone(),
        settings: known.0,
    }
}

fn memory(host: &Host) -> Group {
    let mut known = Known(Vec::new());
    let size = |bytes: Option<u64>| bytes.map(|n| units::bytes(n as f64));
    known.put("memory", size(host.memory.total_bytes));
    known.put("available", size(host.memory.available_bytes));
    known.put("swap", size(host.memory.swap_total_bytes));
    known.put("transparent huge pages", host.transparent_hugepages.clone());
    known.put("tuned profile", host.tuned_profile.clone());
    for (name, value) in &host.sysctls {
        known.put(name, Some(value));
    }
    if let Some(pressure) = &host.pressure_io {
        let words = format!(
            "some {}, full {}",
            units::percent(pressure.some_avg60),
            units::percent(pressure.full_avg60)
        );
        known.put("I/O pressure, last minute", Some(words));
    }
    Group {
        title: "Memory and write-back".to_owned(),
        settings: known.0,
    }
}

fn database(database: &crate::host::Database) -> Group {
    use crate::host::DatabaseKind;
    let kind = match database.kind {
        DatabaseKind::Postgresql => "PostgreSQL",
        DatabaseKind::Mysql => "MySQL",
        DatabaseKind::Mariadb => "MariaDB",
    };
    let mut known = Known(Vec::new());
    known.put("version", database.version.clone());
    known.put("data", database.data_directory.clone());
    known.put("log", database.wal_directory.clone());
    for (name, value) in &database.settings {
        known.put(name, Some(value));
    }
    Group {
        title: format!("{kind}, process {}", database.pid),
        settings: known.0,
    }
}

fn limits(host: &Host) -> Vec<Group> {
    let rate = |n: Option<u64>| n.map(|n| units::rate(n as f64));
    let flow = |n: Option<u64>| n.map(|n| units::throughput(n as f64));
    host.cgroups
        .iter()
        .flat_map(|cgroup| &cgroup.io_limits)
        .map(|limit| {
            let mut known = Known(Vec::new());
            known.put("reads", rate(limit.read_iops));
            known.put("writes", rate(limit.write_iops));
            known.put("read", flow(limit.read_bytes_per_s));
            known.put("written", flow(limit.write_bytes_per_s));
            Group {
                title: format!("Limit of {} on {}", limit.path, limit.device),
                settings: known.0,
            }
        })
        .collect()
}
