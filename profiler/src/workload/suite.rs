//! Built-in workloads: job files that come with the program.

use super::plan::{BetweenPasses, Plan};
use super::{Options, resolved};
use anyhow::{Result, bail};
use std::path::Path;
use std::time::Duration;

/// One built-in workload.
struct Suite {
    name: &'static str,
    text: &'static str,
    /// What a job does between passes that a job file cannot say, by the beginning of its name.
    between: &'static [(&'static str, BetweenPasses)],
}

const ALL: &[Suite] = &[
    Suite {
        name: "demo",
        text: include_str!("suite/demo.fio"),
        between: &[
            ("table-read", BetweenPasses::DropCache),
            ("wal", BetweenPasses::Truncate),
        ],
    },
    Suite {
        name: "wal",
        text: include_str!("suite/wal.fio"),
        between: &[("extend-", BetweenPasses::Truncate)],
    },
    Suite {
        name: "streams",
        text: include_str!("suite/streams.fio"),
        between: &[],
    },
    Suite {
        name: "seed-fio",
        text: include_str!("suite/seed-fio.fio"),
        between: &[],
    },
];

/// Names of the suites there are.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|suite| suite.name)
}

/// A suite in a directory, for a time that its stages share; of `how` counts what becomes of files.
pub fn suite(name: &str, directory: &Path, duration: Duration, how: &Options) -> Result<Plan> {
    let Some(suite) = ALL.iter().find(|suite| suite.name == name) else {
        let known: Vec<_> = names().collect();
        bail!("there is no suite `{name}`; there is {}", known.join(", "));
    };
    let options = Options {
        target: Some(directory.to_owned()),
        duration: Some(duration),
        overwrite: how.overwrite,
        keep: how.keep,
        ..Options::default()
    };
    let mut plan = resolved(name, suite.text.as_bytes(), &options)?;
    let stages = plan.jobs.last().map_or(1, |job| job.stage + 1);
    for job in &mut plan.jobs {
        job.runtime_ns = job.runtime_ns.map(|ns| (ns / u64::from(stages)).max(1));
        let between = suite
            .between
            .iter()
            .find(|(name, _)| job.name.starts_with(name));
        if let Some((_, between)) = between {
            job.between_passes = *between;
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::spec::SyncMode;

    #[test]
    fn the_demo_is_a_database_in_small() {
        let dir = tempfile::tempdir().unwrap();
        let plan = suite(
            "demo",
            dir.path(),
            Duration::from_secs(20),
            &Options::default(),
        )
        .unwrap();
        let jobs: Vec<_> = plan
            .jobs
            .iter()
            .map(|job| (job.name.as_str(), job.direction(), job.stage))
            .collect();
        assert_eq!(
            jobs,
            [
                ("table-read", "randread", 0),
                ("table-read", "randread", 0),
                ("table-write", "randwrite", 0),
                ("wal", "write", 0)
            ]
        );
        assert!(plan.jobs.iter().all(|job| job.single_block() == Some(8192)));
        assert!(
            plan.jobs
                .iter()
                .all(|job| job.runtime_ns == Some(20_000_000_000) && job.time_based)
        );
        assert_eq!(plan.jobs[0].files[0].path, plan.jobs[1].files[0].path);
        assert_eq!(plan.jobs[3].between_passes, BetweenPasses::Truncate);
        assert!(
            suite(
                "none",
                dir.path(),
                Duration::from_secs(1),
                &Options::default()
            )
            .is_err()
        );
    }

    #[test]
    fn the_log_is_written_in_every_way_and_the_stages_share_the_time() {
        let dir = tempfile::tempdir().unwrap();
        let how = Options::default();
        let plan = suite("wal", dir.path(), Duration::from_secs(18), &how).unwrap();
        assert_eq!(plan.jobs.len(), 18);
        for (stage, job) in plan.jobs.iter().enumerate() {
            assert_eq!(
                (job.stage, job.runtime_ns),
                (stage as u32, Some(1_000_000_000))
            );
            let grows = job.name.starts_with("extend");
            assert_eq!(job.between_passes == BetweenPasses::Truncate, grows);
            assert_eq!(job.overwrite, job.name.starts_with("overwrite"));
            assert_ne!(job.fdatasync_every == 1, job.sync == SyncMode::Dsync);
        }
        for name in names() {
            assert!(
                suite(name, dir.path(), Duration::from_secs(1), &how).is_ok(),
                "{name}"
            );
        }
    }
}
