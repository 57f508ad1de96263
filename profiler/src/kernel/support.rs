//! What this kernel and our rights allow.

use std::{collections::BTreeMap, fs, path::Path};

/// Capabilities by bit (include/uapi/linux/capability.h).
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// One thing that tracing needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub what: &'static str,
    /// What was found.
    pub found: String,
    /// `None`: fine. Else what to do.
    pub problem: Option<String>,
}

/// Everything that tracing needs from kernel and rights, in the order of `doctor`'s table.
pub fn needs() -> Vec<Need> {
    vec![kernel_version(), btf(), capabilities(), lockdown()]
}

/// One line for each need that is not met.
pub fn missing() -> Vec<String> {
    let lines = needs().into_iter().filter_map(|need| {
        need.problem
            .map(|problem| format!("{}: {}; {problem}", need.what, need.found))
    });
    lines.collect()
}

fn kernel_version() -> Need {
    let release = release();
    let known = version(&release);
    let problem = match known {
        Some(version) if version < (5, 10) => Some("5.10 or newer is needed".to_owned()),
        _ => None,
    };
    Need {
        what: "kernel",
        found: release,
        problem,
    }
}

fn btf() -> Need {
    let path = crate::kernel::btf::Btf::VMLINUX;
    let (found, problem) = match fs::metadata(path) {
        Ok(meta) => (format!("{path}, {} bytes", meta.len()), None),
        Err(error) => (
            format!("{path}: {error}"),
            Some("use a kernel built with CONFIG_DEBUG_INFO_BTF=y".to_owned()),
        ),
    };
    Need {
        what: "kernel types (BTF)",
        found,
        problem,
    }
}

fn capabilities() -> Need {
    let Some(held) = effective_capabilities() else {
        let problem = Some("mount /proc".to_owned());
        return Need {
            what: "capabilities",
            found: "/proc/self/status has none".into(),
            problem,
        };
    };
    let has = |bit: u32| held >> bit & 1 == 1;
    let names = [
        (CAP_BPF, "CAP_BPF"),
        (CAP_PERFMON, "CAP_PERFMON"),
        (CAP_SYS_ADMIN, "CAP_SYS_ADMIN"),
    ];
    let (got, lacking): (Vec<_>, Vec<_>) = names.into_iter().partition(|(bit, _)| has(*bit));
    let list = |set: &[(u32, &str)]| {
        set.iter()
            .map(|(_, name)| *name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let enough = has(CAP_SYS_ADMIN) || has(CAP_BPF) && has(CAP_PERFMON);
    // CAP_SYS_ADMIN contains the other two; it is not asked for.
    let lacking: Vec<_> = lacking
        .into_iter()
        .filter(|(bit, _)| *bit != CAP_SYS_ADMIN)
        .collect();
    let found = if got.is_empty() {
        "none of those needed".to_owned()
    } else {
        list(&got)
    };
    let found = match enough {
        true => found,
        false if got.is_empty() => found,
        false => format!("only {found}"),
    };
    let problem = (!enough).then(|| format!("run as root, or grant {}", list(&lacking)));
    Need {
        what: "capabilities",
        found,
        problem,
    }
}

fn lockdown() -> Need {
    let path = "/sys/kernel/security/lockdown";
    let Ok(text) = fs::read_to_string(path) else {
        return Need {
            what: "lockdown",
            found: "not in force".to_owned(),
            problem: None,
        };
    };
    let mode = text
        .split_whitespace()
        .find_map(|w| w.strip_prefix('[')?.strip_suffix(']'));
    let mode = mode.unwrap_or("unknown").to_owned();
    let problem = (mode == "confidentiality")
        .then(|| "boot with lockdown=integrity or none: BPF may not read kernel memory".to_owned());
    Need {
        what: "lockdown",
        found: mode,
        problem,
    }
}

/// `uname -r`.
pub fn release() -> String {
    rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned()
}

/// Major and minor version of a kernel release.
pub fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn effective_capabilities() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

/// Whether this process was started with a signal ignored, as under nohup.
pub fn ignores(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Whether a tracepoint exists, of the kernel or of a loaded module. Without tracefs the module
/// or built-in list decides.
pub fn has_tracepoint(category: &str, event: &str) -> bool {
    let roots = [
        "/sys/kernel/tracing/events",
        "/sys/kernel/debug/tracing/events",
    ];
    if let Some(root) = roots.iter().find(|root| Path::new(root).is_dir()) {
        return Path::new(root).join(category).join(event).is_dir();
    }
    // Not visible: let the attempt to attach decide.
    true
}

/// Numbers of `fsync` and `fdatasync` (arch/*/include/asm/unistd; asm-generic elsewhere).
pub fn sync_call_numbers() -> [u32; 2] {
    if cfg!(target_arch = "x86_64") {
        [74, 75]
    } else {
        [82, 83]
    }
}

/// CLOCK_MONOTONIC, the clock of the probes.
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// CPU time of this thread so far: the recorder is one thread, its workload has others.
pub fn own_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The numbers in /proc/self/fdinfo of a program or table (kernel/bpf/syscall.c).
pub fn fd_info(fd: i32) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            Some((key.trim().to_owned(), value.trim().parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_releases() {
        assert_eq!(version("6.18.44-fc-v782"), Some((6, 18)));
        assert_eq!(version("5.10.0-32-amd64"), Some((5, 10)));
        assert_eq!(version("7.3-rc7"), Some((7, 3)));
        assert_eq!(version("linux"), None);
    }
}
