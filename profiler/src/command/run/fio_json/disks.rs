//! What the disks below the files did during the run, from /proc/diskstats.

use crate::workload::Plan;
use crate::workload::spec::Engine;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The counters of some disks at one time.
pub(in crate::command::run) struct Disks {
    names: BTreeSet<String>,
    stats: String,
    at: Instant,
}

impl Disks {
    /// The disks that the plan's files lie on, as far as they can be told.
    pub(in crate::command::run) fn of(plan: &Plan) -> Self {
        let jobs = plan.jobs.iter().filter(|job| job.engine != Engine::Null);
        let names = jobs
            .flat_map(|job| &job.files)
            .filter_map(|file| disk(&file.path))
            .collect();
        Self {
            names,
            stats: fs::read_to_string("/proc/diskstats").unwrap_or_default(),
            at: Instant::now(),
        }
    }

    /// What was added since.
    pub(in crate::command::run) fn until_now(&self) -> Vec<Value> {
        let after = fs::read_to_string("/proc/diskstats").unwrap_or_default();
        let ms = self.at.elapsed().as_millis() as u64;
        let rows = self.names.iter().filter_map(|name| {
            let (before, after) = (counters(&self.stats, name)?, counters(&after, name)?);
            Some(row(name, &before, &after, ms))
        });
        rows.collect()
    }
}

/// The whole disk that a file lies on, or that a device is.
fn disk(path: &Path) -> Option<String> {
    let meta = fs::metadata(path)
        .ok()
        .or_else(|| fs::metadata(path.parent()?).ok())?;
    let number = if meta.rdev() != 0 {
        meta.rdev()
    } else {
        meta.dev()
    };
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let directory = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let directory = directory.canonicalize().ok()?;
    let whole = match directory.join("partition").exists() {
        true => directory.parent()?,
        false => &directory,
    };
    Some(whole.file_name()?.to_str()?.to_owned())
}

/// The numbers after a disk's name.
fn counters(stats: &str, name: &str) -> Option<Vec<u64>> {
    let line = stats
        .lines()
        .find(|line| line.split_whitespace().nth(2) == Some(name))?;
    let numbers = line.split_whitespace().skip(3);
    numbers.map(|number| number.parse().ok()).collect()
}

fn row(name: &str, before: &[u64], after: &[u64], ms: u64) -> Value {
    let added = |index: usize| {
        let value = |from: &[u64]| from.get(index).copied().unwrap_or(0);
        // The kernel keeps some of these in 32 bits.
        value(after).saturating_sub(value(before))
    };
    let util = if ms == 0 {
        0.0
    } else {
        (added(9) as f64 * 100.0 / ms as f64).min(100.0)
    };
    json!({
        "name": name,
        "read_ios": added(0),
        "write_ios": added(4),
        "read_merges": added(1),
        "write_merges": added(5),
        "read_ticks": added(3),
        "write_ticks": added(7),
        "in_queue": added(10),
        "util": util,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_those_of_the_kernel() {
        // Documentation/admin-guide/iostats.rst: reads, merges, sectors, ms, the same of writes, in
        // flight, ms busy, ms weighted.
        let before = counters("8 0 sda 1 2 3 4 5 6 7 8 0 10 20\n", "sda").unwrap();
        let after = counters("8 0 sda 11 3 3 9 25 7 7 18 0 60 90\n", "sda").unwrap();
        let row = row("sda", &before, &after, 100);
        assert_eq!(row["read_ios"], 10);
        assert_eq!(
            (&row["write_ios"], &row["write_ticks"]),
            (&json!(20), &json!(10))
        );
        assert_eq!((&row["util"], &row["in_queue"]), (&json!(50.0), &json!(70)));
        assert_eq!(counters("8 0 sda 1\n", "sdb"), None);
    }
}
