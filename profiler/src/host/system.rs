//! The host as a whole: memory, sysctls, pressure, kernel, operating system and its identity.

use super::devices::find_node;
use super::escape::unescape;
use super::model::{BlockDevice, Host, Memory, Mount, Pressure, Swap};
use super::mounts;
use super::notes::Notes;
use super::root::Root;

/// Sysctls that rules read.
const SYSCTLS: [&str; 22] = [
    "dev.raid.speed_limit_max",
    "dev.raid.speed_limit_min",
    "fs.aio-max-nr",
    "fs.aio-nr",
    "kernel.io_uring_disabled",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.dirtytime_expire_seconds",
    "vm.laptop_mode",
    "vm.min_free_kbytes",
    "vm.nr_hugepages",
    "vm.nr_overcommit_hugepages",
    "vm.overcommit_memory",
    "vm.overcommit_ratio",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.watermark_scale_factor",
    "vm.zone_reclaim_mode",
];

/// Fills everything that is neither a device, a mount nor a process.
pub(super) fn fill(root: &Root, host: &mut Host, notes: &mut Notes) {
    host.hostname = notes.text(root, "hostname", "/proc/sys/kernel/hostname");
    host.id = notes
        .text(root, "host id", "/etc/machine-id")
        .map(|id| hashed(&id));
    host.kernel_release = notes
        .text(root, "kernel release", "/proc/sys/kernel/osrelease")
        .unwrap_or_default();
    host.kernel_command_line = notes.text(root, "kernel command line", "/proc/cmdline");
    host.os = os(root, notes);
    host.cpus = cpus(root, notes);
    host.memory = memory(root, notes);
    for name in SYSCTLS {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        if let Some(value) = notes.optional(root, name, &path) {
            host.sysctls.insert(name.to_owned(), value);
        }
    }
    host.transparent_hugepages = notes
        .text(
            root,
            "transparent hugepages",
            "/sys/kernel/mm/transparent_hugepage/enabled",
        )
        .as_deref()
        .and_then(chosen);
    host.tuned_profile = notes
        .text(root, "tuned profile", "/etc/tuned/active_profile")
        .filter(|name| !name.is_empty());
    host.pressure_io = pressure(root, notes);
}

/// FNV-1a, 64 bits, after a salt: tells hosts apart, and 64 bits do not lead back to the 128 of
/// the machine id.
fn hashed(id: &str) -> String {
    let hash = b"iosage host id\0"
        .iter()
        .chain(id.as_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    format!("{hash:016x}")
}

/// `always [madvise] never`: the word in brackets.
fn chosen(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

fn os(root: &Root, notes: &mut Notes) -> Option<String> {
    let path = if root.exists("/etc/os-release") {
        "/etc/os-release"
    } else {
        "/usr/lib/os-release"
    };
    let text = notes.text(root, "operating system", path)?;
    let value = |name: &str| {
        text.lines().find_map(|line| {
            let value = line.strip_prefix(name)?.strip_prefix('=')?;
            Some(value.trim_matches(['"', '\'']).to_owned())
        })
    };
    let name = value("PRETTY_NAME").or_else(|| value("NAME"));
    if name.is_none() {
        notes.add("operating system", format!("{path}: it has no PRETTY_NAME"));
    }
    name
}

/// CPUs that are online: `0-3,8`.
fn cpus(root: &Root, notes: &mut Notes) -> Option<u64> {
    const PATH: &str = "/sys/devices/system/cpu/online";
    let text = notes.text(root, "number of CPUs", PATH)?;
    let count = text.split(',').try_fold(0u64, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    });
    if count.is_none() {
        notes.add(
            "number of CPUs",
            format!("{PATH}: `{text}` is not a list of CPUs"),
        );
    }
    count
}

fn memory(root: &Root, notes: &mut Notes) -> Memory {
    let text = notes
        .text(root, "memory", "/proc/meminfo")
        .unwrap_or_default();
    let number = |name: &str| {
        text.lines().find_map(|line| {
            let value = line.strip_prefix(name)?.strip_prefix(':')?;
            value.split_whitespace().next()?.parse::<u64>().ok()
        })
    };
    let bytes = |name: &str| number(name).and_then(|kib| kib.checked_mul(1024));
    let page_size_bytes = if root.is_live() {
        Some(rustix::param::page_size() as u64)
    } else {
        notes.add("page size", "it is known on the running host only");
        None
    };
    Memory {
        total_bytes: bytes("MemTotal"),
        available_bytes: bytes("MemAvailable"),
        swap_total_bytes: bytes("SwapTotal"),
        hugepages_total: number("HugePages_Total"),
        page_tables_bytes: bytes("PageTables"),
        page_size_bytes,
    }
}

fn pressure(root: &Root, notes: &mut Notes) -> Option<Pressure> {
    const PATH: &str = "/proc/pressure/io";
    let text = notes.text(root, "I/O pressure", PATH)?;
    let average = |kind: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(kind))?;
        let word = line
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name));
        word?.strip_prefix('=')?.parse::<f64>().ok()
    };
    let averages = || {
        Some(Pressure {
            some_avg10: average("some", "avg10")?,
            some_avg60: average("some", "avg60")?,
            some_avg300: average("some", "avg300")?,
            full_avg10: average("full", "avg10")?,
            full_avg60: average("full", "avg60")?,
            full_avg300: average("full", "avg300")?,
        })
    };
    let found = averages();
    if found.is_none() {
        notes.add(
            "I/O pressure",
            format!("{PATH}: not in the form of pressure averages"),
        );
    }
    found
}

/// /proc/swaps.
pub(super) fn swaps(
    root: &Root,
    devices: &[BlockDevice],
    mounts: &[Mount],
    notes: &mut Notes,
) -> Vec<Swap> {
    let text = notes.text(root, "swap", "/proc/swaps").unwrap_or_default();
    let swap = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let path = unescape(fields.next()?);
        let is_file = fields.next()? == "file";
        let device = if is_file {
            mounts::holding(mounts, &path).and_then(|mount| mount.device.clone())
        } else {
            find_node(devices, &path).map(|device| device.name.clone())
        };
        let mut kib = || fields.next()?.parse::<u64>().ok()?.checked_mul(1024);
        let (size_bytes, used_bytes) = (kib(), kib());
        let priority = fields.next().and_then(|text| text.parse().ok());
        Some(Swap {
            path,
            device,
            is_file,
            size_bytes,
            used_bytes,
            priority,
        })
    };
    text.lines().skip(1).filter_map(swap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_a_hash_and_the_same_each_time() {
        // FNV-1a of `iosage host id\0` and the text, computed apart in Python.
        assert_eq!(
            hashed("0123456789abcdef0123456789abcdef"),
            "2f3d9e60eebaefc6"
        );
        assert_ne!(hashed("a"), hashed("b"));
    }

    #[test]
    fn the_chosen_word() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("always"), None);
    }
}
