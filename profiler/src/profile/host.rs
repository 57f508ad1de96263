//! Facts about the host: its memory, its settings, its load.

use super::answer::{Answer, flag, number, text, whole};
use super::{About, Fold, stack, subject};
use crate::capture::SystemSlice;
use rules::facts::{self as f, Facts, Measured, Scope};

const MISSING: &str = "it could not be read from this host";

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    let name = fold.capture.host.hostname.as_deref().unwrap_or("host");
    let mut about = About::new(facts, subject(Scope::Host, name));
    machine(fold, &mut about);
    memory(fold, &mut about);
    load(fold, &mut about);
}

fn machine(fold: &Fold<'_>, about: &mut About<'_>) {
    let host = &fold.capture.host;
    let release = kernel_version(&host.kernel_release);
    about.say(
        &f::HOST_KERNEL,
        whole(release, "uname", "the kernel release has no version in it"),
    );
    let relatime = relatime_default(&host.kernel_release);
    about.say(
        &f::HOST_RELATIME_DEFAULT,
        flag(relatime, "uname", "the kernel release has no version in it"),
    );
    let virt = stack::virtual_machine(host);
    about.say(
        &f::HOST_VIRTUAL,
        flag(virt, "hypervisor detection", MISSING),
    );
    let reason = host
        .missing
        .iter()
        .find(|missing| missing.what == "processes");
    let found = match (host.databases.is_empty(), reason) {
        (true, Some(missing)) => Err(missing.reason.clone()),
        (empty, _) => flag(Some(!empty), "/proc", MISSING),
    };
    about.say(&f::HOST_HAS_DATABASE, found);
    let tuned = "the tuned service does not run, or its profile cannot be read";
    about.say(
        &f::HOST_TUNED_PROFILE,
        text(host.tuned_profile.as_deref(), "tuned", tuned),
    );
    let line = host.kernel_command_line.as_deref();
    let has = |word: &str| {
        let found = line.map(|line| line.split_whitespace().any(|part| part.starts_with(word)));
        flag(found, "/proc/cmdline", MISSING)
    };
    about.say(&f::HOST_CMDLINE_ELEVATOR, has("elevator="));
    let old =
        line.map(|line| line.contains("scsi_mod.use_blk_mq") || line.contains("dm_mod.use_blk_mq"));
    about.say(
        &f::HOST_CMDLINE_USE_BLK_MQ,
        flag(old, "/proc/cmdline", MISSING),
    );
    let thp = host.transparent_hugepages.as_deref();
    about.say(
        &f::HOST_THP,
        text(thp, "/sys/kernel/mm/transparent_hugepage/enabled", MISSING),
    );
}

fn memory(fold: &Fold<'_>, about: &mut About<'_>) {
    let host = &fold.capture.host;
    let meminfo = |value: Option<u64>| whole(value, "/proc/meminfo", MISSING);
    about.say(&f::HOST_MEMORY, meminfo(host.memory.total_bytes));
    about.say(
        &f::HOST_MEMORY_AVAILABLE,
        meminfo(host.memory.available_bytes),
    );
    about.say(&f::HOST_SWAP_TOTAL, meminfo(host.memory.swap_total_bytes));
    let sysctl = |name: &str, scale: f64| -> Answer {
        let value = host.sysctls.get(name);
        let value = value.ok_or_else(|| format!("{name} is not among the settings read"))?;
        let value: Option<f64> = value.trim().parse().ok();
        number(
            value.map(|value| value * scale),
            name,
            &format!("{name} is not a number"),
        )
    };
    // Centiseconds.
    const CS: f64 = 1e7;
    about.say(&f::VM_SWAPPINESS, sysctl("vm.swappiness", 1.0));
    about.say(&f::VM_DIRTY_RATIO, sysctl("vm.dirty_ratio", 0.01));
    about.say(
        &f::VM_DIRTY_BACKGROUND_RATIO,
        sysctl("vm.dirty_background_ratio", 0.01),
    );
    about.say(&f::VM_DIRTY_BYTES, sysctl("vm.dirty_bytes", 1.0));
    about.say(
        &f::VM_DIRTY_BACKGROUND_BYTES,
        sysctl("vm.dirty_background_bytes", 1.0),
    );
    about.say(&f::VM_DIRTY_EXPIRE, sysctl("vm.dirty_expire_centisecs", CS));
    about.say(
        &f::VM_DIRTY_WRITEBACK,
        sysctl("vm.dirty_writeback_centisecs", CS),
    );
    about.say(&f::VM_LAPTOP_MODE, sysctl("vm.laptop_mode", 1.0));
    about.say(&f::VM_ZONE_RECLAIM, sysctl("vm.zone_reclaim_mode", 1.0));
    about.say(
        &f::VM_WATERMARK_SCALE,
        sysctl("vm.watermark_scale_factor", 1.0),
    );
    let read = |name: &str| host.sysctls.get(name)?.trim().parse::<f64>().ok();
    let limit = match (
        read("vm.dirty_bytes"),
        read("vm.dirty_ratio"),
        host.memory.available_bytes,
    ) {
        (Some(bytes), ..) if bytes > 0.0 => number(Some(bytes), "vm.dirty_bytes", ""),
        (_, Some(ratio), Some(memory)) if ratio > 0.0 => {
            let bytes = Some(ratio / 100.0 * memory as f64);
            number(bytes, "vm.dirty_ratio of the available memory", "")
        }
        _ => Err("neither vm.dirty_bytes nor vm.dirty_ratio and the memory are known".to_owned()),
    };
    about.say(&f::VM_DIRTY_LIMIT, limit);
}

fn load(fold: &Fold<'_>, about: &mut About<'_>) {
    let system = fold.total.system.as_ref();
    let slices = || {
        fold.capture
            .slices
            .iter()
            .filter_map(|slice| slice.system.as_ref())
    };
    let nothing = match fold.seconds() {
        None => "nothing was recorded",
        Some(_) => "the recording does not hold it",
    };
    let measured = |value: Option<f64>, n: usize, source: &str| -> Answer {
        let value = value.ok_or_else(|| nothing.to_owned())?;
        Ok(Measured::of(value, n as u64, source))
    };
    let n = |get: fn(&SystemSlice) -> bool| slices().filter(|slice| get(slice)).count();
    let pressure = system.and_then(|system| system.pressure_io_some);
    let pressure = measured(
        pressure,
        n(|s| s.pressure_io_some.is_some()),
        "/proc/pressure/io, some",
    );
    about.say(&f::HOST_PRESSURE_IO, pressure);
    let busy = system.and_then(|system| system.cpu_busy);
    about.say(
        &f::HOST_CPU_BUSY,
        measured(busy, n(|s| s.cpu_busy.is_some()), "/proc/stat"),
    );
    let per_second = |count: Option<u64>| Some(count? as f64 / fold.seconds()?);
    let swap = per_second(system.and_then(|system| system.swap_in_pages));
    about.say(
        &f::HOST_SWAP_IN,
        measured(
            swap,
            n(|s| s.swap_in_pages.is_some()),
            "/proc/vmstat, pswpin",
        ),
    );
    let stalls = per_second(system.and_then(|system| system.alloc_stalls));
    let stalls = measured(
        stalls,
        n(|s| s.alloc_stalls.is_some()),
        "/proc/vmstat, allocstall",
    );
    about.say(&f::HOST_ALLOC_STALLS, stalls);
    let drops = system
        .and_then(|system| system.drop_pagecache)
        .map(|count| count as f64);
    let drops = measured(
        drops,
        n(|s| s.drop_pagecache.is_some()),
        "/proc/vmstat, drop_pagecache",
    );
    about.say(&f::HOST_DROP_CACHES, drops);
    let dirty = system
        .and_then(|system| system.dirty_bytes)
        .map(|bytes| bytes as f64);
    let dirty = measured(
        dirty,
        n(|s| s.dirty_bytes.is_some()),
        "/proc/meminfo, Dirty",
    );
    about.say(&f::WB_DIRTY_MAX, dirty);
}

/// `6.12.3-amd64` as 6012.
fn kernel_version(release: &str) -> Option<u64> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    let major: u64 = parts.next()?.parse().ok()?;
    let minor: u64 = parts.next()?.parse().ok()?;
    major.checked_mul(1000)?.checked_add(minor)
}

/// Linux 2.6.30 made relatime the default.
fn relatime_default(release: &str) -> Option<bool> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    let major: u64 = parts.next()?.parse().ok()?;
    let minor: u64 = parts.next()?.parse().ok()?;
    let patch: u64 = parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    Some((major, minor, patch) >= (2, 6, 30))
}

#[cfg(test)]
mod tests {
    use super::{kernel_version, relatime_default};

    #[test]
    fn relatime_became_the_default_with_2_6_30() {
        assert_eq!(relatime_default("2.5.6"), Some(false));
        assert_eq!(relatime_default("2.6.29.6-server"), Some(false));
        assert_eq!(relatime_default("2.6.32-754.el6"), Some(true));
        assert_eq!(relatime_default("6.1.0"), Some(true));
        assert_eq!(relatime_default(""), None);
    }

    #[test]
    fn kernel_releases_become_numbers_that_compare() {
        assert_eq!(kernel_version("6.12.3-amd64"), Some(6012));
        assert_eq!(kernel_version("4.18.0-553.el8.x86_64"), Some(4018));
        assert_eq!(kernel_version("5.10"), Some(5010));
        assert_eq!(kernel_version("next"), None);
        assert_eq!(kernel_version("99999999999999999999.1"), None);
    }
}
