//! A tracer under test: started, watched through the kernel's account of its programs, ended.

use super::bpf_stats::{self, Account};
use super::load::Load;
use crate::signals;
use crate::step::Step;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// How long a tracer may take until its programs run.
const START: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);
/// A tracer of issue and completion runs twice for each I/O. One that runs less has missed some.
const LEAST_RUNS: f64 = 1.95;

/// What one tracer cost in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// Time in its programs, the account's own clock reads included.
    pub(crate) ns_per_io: f64,
    pub(crate) runs_per_io: f64,
}

#[derive(Debug)]
pub(crate) struct Tracer {
    child: Child,
    words: PathBuf,
}

impl Tracer {
    /// Starts it and waits until its programs run; what it says goes to the file `words`.
    pub(crate) fn start(step: Step, words: PathBuf) -> Result<Self> {
        let file = File::create(&words).with_context(|| format!("making {}", words.display()))?;
        let mut command = step.announce();
        command
            .stderr(file.try_clone().context("copying a descriptor")?)
            .stdout(file);
        let child = signals::shield(&mut command)
            .spawn()
            .context("starting a tracer")?;
        let mut tracer = Self { child, words };
        let started = Instant::now();
        while tracer.account().runs == 0 {
            signals::check()?;
            if let Some(status) = tracer.child.try_wait().context("asking for a tracer")? {
                bail!("it ended with {status}: {}", tracer.last_words());
            }
            ensure!(
                started.elapsed() < START,
                "none of its programs ran within {} s: {}",
                START.as_secs(),
                tracer.last_words()
            );
            thread::sleep(POLL);
        }
        Ok(tracer)
    }

    fn account(&self) -> Account {
        bpf_stats::of_process(self.child.id())
    }

    /// What it costs under this load for a while.
    pub(crate) fn measure(&mut self, load: &mut Load, window: Duration) -> Result<Cost> {
        // The first runs are slower: cold code, and tables that are still being filled.
        pause(window / 4)?;
        let (ios, account) = self.reading(load)?;
        pause(window)?;
        let (ios_after, after) = self.reading(load)?;
        if let Some(status) = self.child.try_wait().context("asking for a tracer")? {
            bail!(
                "it ended with {status} while measured: {}",
                self.last_words()
            );
        }
        cost(
            after.run_time_ns.saturating_sub(account.run_time_ns),
            after.runs.saturating_sub(account.runs),
            ios_after.saturating_sub(ios),
        )
    }

    /// I/Os and account at one time: the account is read in the middle between two looks at the load.
    fn reading(&self, load: &mut Load) -> Result<(u64, Account)> {
        let before = load.completed()?;
        let account = self.account();
        Ok((before.midpoint(load.completed()?), account))
    }

    /// The last lines that it wrote.
    fn last_words(&self) -> String {
        let words = fs::read(&self.words).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        let lines: Vec<_> = words
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines[lines.len().saturating_sub(3)..].join(" / ")
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        if let Err(error) = signals::interrupt(&mut self.child) {
            eprintln!("warning: {error:#}");
        }
    }
}

fn cost(run_time_ns: u64, runs: u64, ios: u64) -> Result<Cost> {
    ensure!(ios > 0, "the load completed no I/O");
    let per_io = |count: u64| count as f64 / ios as f64;
    ensure!(
        per_io(runs) >= LEAST_RUNS,
        "its programs ran only {:.2} times for each I/O",
        per_io(runs)
    );
    Ok(Cost {
        ns_per_io: per_io(run_time_ns),
        runs_per_io: per_io(runs),
    })
}

fn pause(length: Duration) -> Result<()> {
    let end = Instant::now() + length;
    while Instant::now() < end {
        signals::check()?;
        thread::sleep(POLL.min(end.saturating_duration_since(Instant::now())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_per_io_and_a_tracer_that_missed_some_has_none() {
        let measured = cost(60_000, 200, 100).unwrap();
        assert_eq!(measured.ns_per_io, 600.0);
        assert_eq!(measured.runs_per_io, 2.0);
        let missed = cost(60_000, 150, 100).unwrap_err().to_string();
        assert_eq!(missed, "its programs ran only 1.50 times for each I/O");
        assert!(cost(1, 1, 0).is_err());
    }
}
