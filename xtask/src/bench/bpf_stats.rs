//! The kernel's own account of BPF programs: how often each ran, and for how long.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;

const SWITCH: &str = "/proc/sys/kernel/bpf_stats_enabled";

/// Switches the account on, and back to what it was when dropped.
#[derive(Debug)]
pub(crate) struct Enabled {
    before: String,
}

impl Enabled {
    pub(crate) fn new() -> Result<Self> {
        let before = fs::read_to_string(SWITCH).with_context(|| format!("reading {SWITCH}"))?;
        fs::write(SWITCH, "1").with_context(|| format!("switching {SWITCH} on (needs root)"))?;
        Ok(Self { before })
    }
}

impl Drop for Enabled {
    fn drop(&mut self) {
        if let Err(error) = fs::write(SWITCH, self.before.trim()) {
            eprintln!("warning: {SWITCH} could not be set back: {error}");
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) run_time_ns: u64,
    pub(crate) runs: u64,
}

/// The sum over the programs that a process holds, each counted once however many descriptors it has.
pub(crate) fn of_process(pid: u32) -> Account {
    let entries = fs::read_dir(format!("/proc/{pid}/fdinfo"));
    let programs: BTreeMap<u32, Account> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .filter_map(|fdinfo| parse(&fdinfo))
        .collect();
    programs
        .into_values()
        .fold(Account::default(), |sum, one| Account {
            run_time_ns: sum.run_time_ns + one.run_time_ns,
            runs: sum.runs + one.runs,
        })
}

/// Program id and account, if the descriptor is that of a program (a link has an id but no account).
fn parse(fdinfo: &str) -> Option<(u32, Account)> {
    let value = |key: &str| -> Option<u64> {
        fdinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name == key).then(|| value.trim().parse().ok())?
        })
    };
    let account = Account {
        run_time_ns: value("run_time_ns")?,
        runs: value("run_cnt")?,
    };
    Some((u32::try_from(value("prog_id")?).ok()?, account))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_descriptor_is_told_from_the_others() {
        let program = "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t1058\nprog_type:\t26\n\
            prog_jited:\t1\nprog_tag:\t96bb0b3f3f2f4d5d\nmemlock:\t4096\nprog_id:\t41\n\
            run_time_ns:\t604000\nrun_cnt:\t2000\nrecursion_misses:\t0\nverified_insns:\t78\n";
        let account = Account {
            run_time_ns: 604_000,
            runs: 2000,
        };
        assert_eq!(parse(program), Some((41, account)));
        let link =
            "pos:\t0\nlink_type:\traw_tracepoint\nlink_id:\t3\nprog_tag:\t96bb\nprog_id:\t41\n";
        assert_eq!(parse(link), None);
        assert_eq!(parse("pos:\t0\nflags:\t02\n"), None);
        assert_eq!(parse("run_time_ns:\tx\nrun_cnt:\t1\nprog_id:\t2\n"), None);
    }

    #[test]
    fn a_process_that_is_gone_holds_nothing() {
        assert_eq!(of_process(u32::MAX), Account::default());
    }
}
