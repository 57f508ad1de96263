//! Runs a plan: stage after stage, one thread for each clone, each with its own exact tally.

mod buffer;
mod clock;
mod cost;
mod course;
mod crc;
mod files;
mod log;
mod mmap;
#[cfg(test)]
mod model;
mod psync;
mod queue;
mod schedule;
mod serial;
mod stage;
mod steady;
mod tally;
mod uring;
mod verify;

use super::Stop;
use super::plan::{Job, Plan};
use super::spec::{Check, Engine};
use crate::capture::{JobResult, ThreadCost};
use anyhow::{Context, Result};
use course::Course;
use files::Files;
use stage::{Ended, Gate, Running};
use std::num::NonZero;
use std::process::Command;
use tally::Tally;
pub(super) use verify::HEADER;

/// What a thread brings back.
struct Outcome {
    tally: Tally,
    runtime_ns: u64,
    cost: Option<ThreadCost>,
    error: Option<String>,
    notes: Vec<String>,
}

impl Outcome {
    fn failed(error: String) -> Self {
        Self {
            tally: Tally::new(0, false, false),
            runtime_ns: 0,
            cost: None,
            error: Some(error),
            notes: Vec::new(),
        }
    }
}

/// Runs all stages; results come in the order of the plan.
pub(super) fn run(plan: &Plan, stop: &Stop, notes: &mut Vec<String>) -> Result<Vec<JobResult>> {
    let mut results = Vec::new();
    if plan.jobs.iter().any(|job| job.create_only) {
        notes.push("create_only: files were laid out, nothing was run".to_owned());
        return Ok(results);
    }
    for stage in plan.jobs.chunk_by(|a, b| a.stage == b.stage) {
        if stop.is_set() {
            let left = plan.jobs.len() - results.len();
            notes.push(format!("stopped on request: {left} jobs did not start"));
            break;
        }
        for (job, outcome) in stage.iter().zip(together(stage, stop)?) {
            notes.extend(
                outcome
                    .notes
                    .iter()
                    .map(|note| format!("job `{}`: {note}", job.title())),
            );
            results.push(result(job, outcome));
        }
    }
    Ok(results)
}

fn result(job: &Job, outcome: Outcome) -> JobResult {
    JobResult {
        name: job.name.clone(),
        clone: job.clone,
        group: job.group,
        group_reporting: job.group_reporting,
        engine: job.engine.name().to_owned(),
        runtime_ns: outcome.runtime_ns,
        ops: outcome.tally.into_ops(),
        error: outcome.error,
        files: job
            .files
            .iter()
            .map(|file| file.path.to_string_lossy().into_owned())
            .collect(),
        direct: job.direct,
        cost: outcome.cost,
    }
}

/// Runs the jobs of one stage at the same time.
fn together(stage: &[Job], stop: &Stop) -> Result<Vec<Outcome>> {
    let gate = Gate::default();
    let running = Running::new(stage);
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut failure = None;
        for job in stage {
            let builder = std::thread::Builder::new().name(format!("job {}", job.title()));
            let (gate, running) = (&gate, &running);
            match builder.spawn_scoped(scope, move || thread(job, gate, running, stop)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    stop.set();
                    // Those that were not started are waited for by nobody.
                    running.forget_all();
                    failure = Some(error);
                    break;
                }
            }
        }
        gate.open_for(threads.len());
        let outcomes = threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Outcome::failed("the job's thread broke off".to_owned()))
            })
            .collect();
        match failure {
            None => Ok(outcomes),
            Some(error) => {
                Err(error).context("starting the thread of a job; use a smaller numjobs=")
            }
        }
    })
}

/// One clone from its first preparation to its last fsync.
fn thread<'a>(job: &'a Job, gate: &Gate, running: &Running<'a>, stop: &Stop) -> Outcome {
    let _ended = Ended::new(running, &job.name);
    let ready = job
        .before
        .as_deref()
        .map_or(Ok(()), |command| execute("exec_prerun", command))
        .and_then(|()| pin(job))
        .and_then(|()| Files::open(job));
    gate.pass();
    if let Some(name) = &job.wait_for {
        running.wait_for(name);
    }
    let mut outcome = match ready {
        Ok(files) => work(job, files, stop),
        Err(error) => return Outcome::failed(error),
    };
    if let Some(command) = &job.after
        && let Err(error) = execute("exec_postrun", command)
    {
        outcome.error.get_or_insert(error);
    }
    outcome
}

/// Keeps the thread on the CPUs that the job names.
fn pin(job: &Job) -> Result<(), String> {
    let Some(cpus) = &job.cpus else {
        return Ok(());
    };
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    rustix::thread::sched_setaffinity(None, &set).map_err(|error| {
        format!("cpus_allowed={cpus:?} cannot be set: {error}; name CPUs of this host")
    })
}

fn work(job: &Job, files: Files, stop: &Stop) -> Outcome {
    if job.has_rate() || job.think_ns > 0 {
        // The kernel may otherwise let a sleep last 50 us longer. Where it cannot be set, it does.
        let _ = rustix::thread::set_current_timer_slack(NonZero::new(1));
    }
    clock::sleep_until(clock::now().saturating_add(job.delay_ns), stop);
    let before = cost::of_this_thread();
    let start = clock::now();
    let measured_from = start.saturating_add(job.ramp_ns);
    let mut course = Course::new(job, stop, start);
    let queued = job.engine == Engine::IoUring;
    let mut tally = Tally::new(measured_from, queued, job.has_rate());
    tally.watch(job, measured_from);
    let mut error = match job.engine {
        Engine::Psync | Engine::Null => psync::Calls::new(job, &files)
            .and_then(|mut calls| serial::run(&mut course, &mut calls, &mut tally)),
        Engine::Mmap => mmap::Maps::new(job, &files)
            .and_then(|mut maps| serial::run(&mut course, &mut maps, &mut tally)),
        Engine::IoUring => uring::Ring::new(job, &files)
            .and_then(|mut ring| queue::run(&mut course, &mut ring, &mut tally)),
    }
    .err();
    let writes = course.writes();
    let missed = course.missed(clock::now()).unwrap_or(0);
    if error.is_none() {
        error = files.finish(job, &mut tally).err();
    }
    let end = clock::now();
    let cost = cost::since(before, end.saturating_sub(start));
    let mut notes = Vec::new();
    if let Some(settled) = tally.settled().filter(|_| job.steady.is_some()) {
        let seconds = end.saturating_sub(start) as f64 / 1e9;
        notes.push(match settled {
            true => format!("steady state was reached after {seconds:.1} s"),
            false => "steady state was not reached".to_owned(),
        });
    }
    if let Err(failed) = tally.write_logs(end) {
        error.get_or_insert(failed);
    }
    if job.verify != Check::None && job.read_back && job.engine != Engine::Null {
        if error.is_none() && !stop.is_set() {
            error = verify::run(job, &files, writes, stop, &mut tally).err();
        } else {
            notes.push("what it wrote was not verified, for it did not end by itself".to_owned());
        }
    }
    if job.ramp_ns > 0 && tally.is_empty() && error.is_none() {
        notes.push("ended during ramp, no data".to_owned());
    } else if stop.is_set() {
        notes.push("stopped on request before its end".to_owned());
    } else if missed > 0 && error.is_none() {
        notes.push(format!(
            "its time was over before {missed} I/Os of its rate were begun; they are in no latency"
        ));
    }
    Outcome {
        runtime_ns: end.saturating_sub(measured_from.min(end)),
        tally,
        cost,
        error,
        notes,
    }
}

/// Runs a command of the job file, as `sh -c`; its failure is the job's.
fn execute(option: &str, command: &str) -> Result<(), String> {
    let output = Command::new("sh")
        .args(["-c", command])
        .output()
        .map_err(|error| format!("{option}: sh cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said
        .trim_end()
        .lines()
        .next_back()
        .unwrap_or("it said nothing");
    Err(format!(
        "{option} `{command}` failed ({}): {last}",
        output.status
    ))
}
