//! The workload engine: runs fio job files with an exact tally of its own.
//!
//! A job file is read with the place of every word ([`jobfile`]), typed ([`options`]), resolved to
//! bytes and files ([`plan`]), checked against what it could damage ([`guard`]), laid out
//! ([`layout`]) and run ([`engine`]). Whatever cannot be run is refused before anything is touched.

mod engine;
mod guard;
pub mod jobfile;
mod layout;
mod options;
pub mod pattern;
pub mod plan;
pub mod problem;
mod resolve;
pub mod spec;
pub mod split;
mod suite;
pub mod units;

pub use plan::Plan;
pub use problem::Refused;
pub use suite::{names as suites, suite};

use crate::capture::Workload;
use anyhow::Result;
use jobfile::Variables;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How a job file is taken.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Directory for jobs that name none; the current one otherwise.
    pub target: Option<PathBuf>,
    /// Run every job that long, whatever the file says.
    pub duration: Option<Duration>,
    /// Leave out and note what is not supported, instead of refusing the file.
    pub lenient: bool,
    /// Let `exec_prerun` and `exec_postrun` run commands.
    pub allow_exec: bool,
    /// Block devices that may be written.
    pub allow_devices: Vec<PathBuf>,
    /// What such a device holds may be lost.
    pub destroy: bool,
    /// Files that iosage did not make may be written over.
    pub overwrite: bool,
    /// Files that the run made stay when it is over.
    pub keep: bool,
    /// Environment for `${...}`; this process's when `None`.
    pub environment: Option<BTreeMap<String, String>>,
}

impl Options {
    fn variables(&self) -> Variables {
        match &self.environment {
            Some(environment) => Variables::new(environment.clone()),
            None => Variables::of_this_process(),
        }
    }

    /// Where relative file names lie.
    fn directory(&self) -> PathBuf {
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        match &self.target {
            Some(target) => here.join(target),
            None => here,
        }
    }
}

/// A request to end: jobs stop after the I/O they are in.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Every option of fio and what becomes of it, as Markdown (docs/jobs.md).
pub fn options_markdown() -> String {
    options::markdown()
}

/// Reads and resolves a job file; nothing is created or opened for writing.
pub fn load(path: &Path, options: &Options) -> Result<Plan, Refused> {
    let name = path.to_string_lossy();
    let file = jobfile::read(path, &options.variables())
        .map_err(|problems| Refused::new(&name, problems))?;
    let mut plan = resolve::resolve(&name, &file, options)?;
    resolve::note_what_runs_together(&mut plan);
    Ok(plan)
}

/// As [`load`], from memory.
pub fn from_text(name: &str, text: impl AsRef<[u8]>, options: &Options) -> Result<Plan, Refused> {
    let mut plan = resolved(name, text.as_ref(), options)?;
    resolve::note_what_runs_together(&mut plan);
    Ok(plan)
}

fn resolved(name: &str, text: &[u8], options: &Options) -> Result<Plan, Refused> {
    let file = jobfile::parse(Path::new(name), text, &options.variables())
        .map_err(|problems| Refused::new(name, problems))?;
    resolve::resolve(name, &file, options)
}

impl Plan {
    /// Asks whether this host, as it is now, allows the plan: devices, directories, room.
    pub fn check(&self) -> Result<(), Refused> {
        let problems = guard::check(self);
        if problems.is_empty() {
            return Ok(());
        }
        Err(Refused::new(&self.name, problems))
    }

    /// Checks, then lays the files out. What follows is only the workload itself.
    pub fn prepare(&self, stop: &Stop) -> Result<Prepared<'_>> {
        self.check()?;
        let mut prepared = Prepared {
            plan: self,
            created: BTreeSet::new(),
        };
        layout::lay_out(self, stop, &mut prepared.created)?;
        Ok(prepared)
    }

    /// Prepares and runs; blocks until the last job has ended or `stop` is set.
    pub fn run(&self, stop: &Stop) -> Result<Workload> {
        self.prepare(stop)?.run(stop)
    }
}

/// A plan whose files are laid out. What it made is removed with it, however it ends, unless the
/// plan says `keep`.
#[derive(Debug)]
pub struct Prepared<'a> {
    plan: &'a Plan,
    /// Files that were not there before.
    created: BTreeSet<PathBuf>,
}

impl Prepared<'_> {
    /// Runs the jobs; blocks until the last has ended or `stop` is set. I/O errors are in the result.
    pub fn run(mut self, stop: &Stop) -> Result<Workload> {
        let mut notes = self.plan.notes.clone();
        let jobs = engine::run(self.plan, stop, &mut notes)?;
        layout::remove(self.plan, &mut self.created, &mut notes);
        Ok(Workload {
            name: self.plan.name.clone(),
            jobs,
            notes,
        })
    }
}

impl Drop for Prepared<'_> {
    fn drop(&mut self) {
        if !self.plan.keep {
            layout::remove_made(&mut self.created, &mut Vec::new());
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use plan::Job;

    /// The plan of one job section, on no file at all.
    pub(crate) fn plan(options: &str) -> Plan {
        let text = format!("[t]\nioengine=null\n{options}\n");
        from_text("t.fio", &text, &Options::default()).unwrap()
    }

    /// The first job of [`plan`].
    pub(crate) fn job(options: &str) -> Job {
        plan(options).jobs.remove(0)
    }
}
