//! `iosage run`: a fio job file or a built-in suite, counted by itself.

pub(super) mod explain;
mod fio_json;
mod sums;
mod table;
mod wal;

use super::{record, say};
use crate::capture::Workload;
use crate::exit::Outcome;
use crate::recording::Load;
use crate::workload::{self, Options, Plan, Stop};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::Value;
use std::io::IsTerminal;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// fio job file
    #[arg(required_unless_present = "suite")]
    file: Option<PathBuf>,
    /// Run a built-in workload: demo, wal (what a commit costs), streams, seed-fio
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    suite: Option<String>,
    #[command(flatten)]
    how: JobFile,
    /// Run every job that long, whatever the file says (a suite: 20s in all)
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    length: Option<Duration>,
    /// Record the run under the probes into this capture file
    #[arg(short, long, value_name = "FILE", conflicts_with = "explain")]
    output: Option<PathBuf>,
    /// With `--output`: record only this device. May repeat
    #[arg(long, value_name = "DEVICE", requires = "output")]
    device: Vec<String>,
    /// Show what would be done, with every byte resolved, and do nothing
    #[arg(long)]
    explain: bool,
    #[arg(long, value_enum, default_value_t = Shown::Text)]
    format: Shown,
}

/// How a job file is taken.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct JobFile {
    /// Directory for jobs that name none (otherwise the current one)
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,
    /// Let exec_prerun and exec_postrun run commands
    #[arg(long)]
    allow_exec: bool,
    /// Let jobs write over this block device (never one in use)
    #[arg(long = "allow-device", value_name = "PATH")]
    allow_devices: Vec<PathBuf>,
    /// What such a device holds may be lost
    #[arg(long, requires = "allow_devices")]
    destroy: bool,
    /// Let jobs write over files that iosage did not make
    #[arg(long)]
    overwrite: bool,
    /// Leave the files that the run makes, for the next one
    #[arg(long)]
    keep: bool,
    /// Leave out and list what is not supported, instead of refusing the file
    #[arg(long)]
    lenient: bool,
}

impl JobFile {
    pub(super) fn options(&self, duration: Option<Duration>) -> Result<Options> {
        let is_device = |path: &PathBuf| {
            std::fs::metadata(path).is_ok_and(|meta| meta.file_type().is_block_device())
        };
        if let Some(path) = self.allow_devices.iter().find(|path| !is_device(path)) {
            bail!("--allow-device {}: it is no block device", path.display());
        }
        Ok(Options {
            target: self.target.clone(),
            duration,
            lenient: self.lenient,
            allow_exec: self.allow_exec,
            allow_devices: self.allow_devices.clone(),
            destroy: self.destroy,
            overwrite: self.overwrite,
            keep: self.keep,
            environment: None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

/// How a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shown {
    Text,
    Json,
    /// As fio's --output-format=json+
    FioJson,
}

/// `20s`, `500ms`, `5m`; a bare number counts in seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    match workload::units::time(text, 1_000_000_000)? {
        0 => Err("it must be longer than 0".to_owned()),
        ns => Ok(Duration::from_nanos(ns)),
    }
}

pub fn run(args: Args) -> Result<Outcome> {
    let plan = plan(&args)?;
    if args.explain {
        let format = match args.format {
            Shown::Text => Format::Text,
            Shown::Json => Format::Json,
            Shown::FioJson => bail!("--explain has no fio-json; use --format json"),
        };
        explain::tell(&plan, format)?;
        return Ok(Outcome::Fine);
    }
    if std::io::stderr().is_terminal() {
        say::err(&format!(
            "running {} threads, files in {}",
            plan.jobs.len(),
            plan.directory.display()
        ));
    }
    if let Some(output) = args.output {
        let recording = record::Args::of_workload(output, args.device);
        let load = Load::Workload(Box::new(plan));
        return record::finish(record::order(recording, load)?);
    }
    let (result, disks) = until_interrupted(&plan)?;
    let json = |value: &Value| say::out(&format!("{value:#}\n"));
    match args.format {
        Shown::Text if args.suite.as_deref() == Some("wal") => say::out(&wal::text(&result))?,
        Shown::Text => say::out(&table::text(&result))?,
        Shown::Json => say::out(&format!("{}\n", serde_json::to_string_pretty(&result)?))?,
        Shown::FioJson => json(&fio_json::document(&plan, &result, &disks))?,
    }
    let failed: Vec<_> = result
        .jobs
        .iter()
        .filter_map(|job| {
            Some(format!(
                "{}.{}: {}",
                job.name,
                job.clone,
                job.error.as_ref()?
            ))
        })
        .collect();
    if let Some(first) = failed.first() {
        bail!(
            "{} of {} jobs failed, first {first}",
            failed.len(),
            result.jobs.len()
        );
    }
    Ok(Outcome::Fine)
}

fn plan(args: &Args) -> Result<Plan> {
    if let Some(name) = &args.suite {
        let here = std::env::current_dir().context("finding the current directory")?;
        let directory = args
            .how
            .target
            .as_ref()
            .map_or(here.clone(), |dir| here.join(dir));
        let length = args.length.unwrap_or(Duration::from_secs(20));
        return workload::suite(name, &directory, length, &args.how.options(None)?);
    }
    let Some(file) = &args.file else {
        bail!("a job file or --suite NAME is needed");
    };
    let options = args.how.options(args.length)?;
    Ok(workload::load(file, &options)?)
}

/// Runs the plan beside a wait for SIGINT, SIGTERM and SIGHUP, which end it with what was done so far.
fn until_interrupted(plan: &Plan) -> Result<(Workload, Vec<Value>)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("preparing for signals")?;
    runtime.block_on(async {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        let stop = Arc::new(Stop::default());
        let mut work = tokio::task::spawn_blocking({
            let (plan, stop) = (plan.clone(), Arc::clone(&stop));
            move || {
                let prepared = plan.prepare(&stop)?;
                let disks = fio_json::Disks::of(&plan);
                let result = prepared.run(&stop)?;
                anyhow::Ok((result, disks.until_now()))
            }
        });
        loop {
            tokio::select! {
                done = &mut work => return done.context("the workload broke off")?,
                _ = interrupt.recv() => stop.set(),
                _ = terminate.recv() => stop.set(),
                _ = hangup.recv() => stop.set(),
            }
        }
    })
}
