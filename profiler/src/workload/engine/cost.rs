//! What the calling thread has cost so far: CPU time, switches, page faults.

use crate::capture::ThreadCost;
use rustix::time::{ClockId, clock_gettime};
use std::fs;

/// The cost of this thread since it began; `None` where the kernel does not tell.
pub(super) fn of_this_thread() -> Option<ThreadCost> {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let all = (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64;
    let stat = fs::read_to_string("/proc/thread-self/stat").ok()?;
    let status = fs::read_to_string("/proc/thread-self/status").ok()?;
    parsed(all, &stat, &status)
}

/// The clock is exact and the ticks are not: they only part its time into user and system.
fn parsed(all_ns: u64, stat: &str, status: &str) -> Option<ThreadCost> {
    // The name may hold blanks and parentheses; the last one closes it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let (user, system) = (field(14)?, field(15)?);
    let user_ns = match user + system {
        0 => all_ns / 2,
        ticks => (u128::from(all_ns) * u128::from(user) / u128::from(ticks)) as u64,
    };
    let switches = status
        .lines()
        .filter(|line| line.contains("ctxt_switches:"))
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum();
    Some(ThreadCost {
        wall_ns: 0,
        user_ns,
        system_ns: all_ns - user_ns,
        switches,
        major_faults: field(12)?,
        minor_faults: field(10)?,
    })
}

/// What was added since `before`, `wall_ns` ago.
pub(super) fn since(before: Option<ThreadCost>, wall_ns: u64) -> Option<ThreadCost> {
    let (before, now) = (before?, of_this_thread()?);
    Some(ThreadCost {
        wall_ns,
        user_ns: now.user_ns.saturating_sub(before.user_ns),
        system_ns: now.system_ns.saturating_sub(before.system_ns),
        switches: now.switches.saturating_sub(before.switches),
        major_faults: now.major_faults.saturating_sub(before.major_faults),
        minor_faults: now.minor_faults.saturating_sub(before.minor_faults),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticks_part_the_exact_time() {
        // Fields as in proc(5): 10 minflt, 12 majflt, 14 utime, 15 stime.
        let stat = "7 (job a) b) S 1 7 7 0 -1 64 11 0 2 0 30 10 0 0 20 0 1 0 5 0 0";
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n";
        let cost = parsed(1_000, stat, status).unwrap();
        assert_eq!((cost.user_ns, cost.system_ns), (750, 250));
        assert_eq!(
            (cost.switches, cost.minor_faults, cost.major_faults),
            (7, 11, 2)
        );
        assert_eq!(parsed(1, "7 (x", ""), None);
    }

    #[test]
    fn this_thread_can_be_asked() {
        assert!(of_this_thread().is_some());
    }
}
