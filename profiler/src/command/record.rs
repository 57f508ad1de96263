//! `iosage record`: trace the live host, a command or a built-in workload into a capture file.

use super::{parse, say};
use crate::{
    capture::{ProbeState, WriterOptions},
    exit::Outcome,
    host::{Host, Root},
    recording::{self, Load, Order, Progress, Recorded},
    session::{self, Settings},
    workload,
};
use anyhow::{Result, bail};
use std::{io::IsTerminal as _, path::PathBuf, time::Duration};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How long to record: `60s`, `5m`, `1h`, `500ms`. Without it: until the command ends, or SIGINT
    #[arg(
        long = "for",
        value_name = "TIME",
        allow_hyphen_values = true,
        value_parser = parse::duration
    )]
    pub duration: Option<Duration>,
    /// Only this disk or stacked device: `sda`, `/dev/mapper/x`, `8:0`, a mount point. May repeat
    #[arg(long, value_name = "DEVICE")]
    pub device: Vec<String>,
    /// The capture file; compressed when the name ends in `.zst`; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = recording::default_output().as_os_str())]
    pub output: PathBuf,
    /// Only these probe groups (see `iosage doctor`), separated by commas
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub probes: Vec<String>,
    /// Stack samples per second and CPU, at most; 0 for none
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(..=10_000)
    )]
    pub stacks: u32,
    /// Kernel memory for the tables, at most: a recording that needs more is refused
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse::size)]
    pub memory_limit: u64,
    /// Share of one CPU that the probes may take, in per cent: then groups of probes are given up, the dearest
    /// first, and at last the recording ends. Unless given, groups are given up at 10 % of all CPUs
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent)]
    pub max_overhead: Option<f64>,
    /// Put a valid file in place this often, in case the recording is killed
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    pub checkpoint: Option<Duration>,
    /// Replace the output file even if it is not a capture
    #[arg(long)]
    pub force: bool,
    /// Run this built-in workload and record it (see `iosage run`)
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub suite: Option<String>,
    /// Where the built-in workload keeps its files
    #[arg(long, value_name = "DIR", requires = "suite")]
    pub target: Option<PathBuf>,
    /// Let the built-in workload write over files that iosage did not make
    #[arg(long, requires = "suite")]
    pub overwrite: bool,
    /// Leave the files of the built-in workload
    #[arg(long, requires = "suite")]
    pub keep: bool,
    /// Run this command and record until it ends, or until `--for`: then it is sent SIGTERM (it
    /// alone: what it has started itself goes on)
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Args {
    /// A recording of a workload with everything else as usual.
    pub(super) fn of_workload(output: PathBuf, device: Vec<String>) -> Self {
        let defaults = Settings::default();
        Self {
            duration: None,
            device,
            output,
            probes: Vec::new(),
            stacks: defaults.stacks_per_second,
            memory_limit: defaults.memory_limit_bytes,
            max_overhead: None,
            checkpoint: None,
            force: false,
            suite: None,
            target: None,
            overwrite: false,
            keep: false,
            command: Vec::new(),
        }
    }
}

pub fn run(mut args: Args) -> Result<Outcome> {
    let load = match &args.suite {
        Some(name) => {
            // The suite ends by itself; what it still does then belongs to the recording.
            let length = args.duration.take().unwrap_or(Duration::from_secs(20));
            let target = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
            let target = std::path::absolute(target)?;
            let how = workload::Options {
                overwrite: args.overwrite,
                keep: args.keep,
                ..workload::Options::default()
            };
            Load::Workload(Box::new(workload::suite(name, &target, length, &how)?))
        }
        None if args.command.is_empty() => Load::Host,
        None => Load::Command(args.command.clone()),
    };
    finish(order(args, load)?)
}

/// Makes the recording and says what came of it.
pub fn finish(order: Order) -> Result<Outcome> {
    let recorded = recording::record(order)?;
    summary(&recorded);
    match recorded.load_error {
        Some(error) => Err(error),
        None => Ok(Outcome::Fine),
    }
}

/// Turns the arguments into a recording order; refuses unknown devices and probe groups.
pub fn order(args: Args, load: Load) -> Result<Order> {
    let known = session::probe_ids();
    if let Some(unknown) = args.probes.iter().find(|id| !known.contains(&id.as_str())) {
        bail!(
            "there is no probe group `{unknown}`; there are {}",
            known.join(", ")
        );
    }
    let mut host = Host::live();
    host.add_cgroup_of(&Root::live(), std::process::id(), "recorder");
    let mut devices = Vec::new();
    for name in &args.device {
        let selection = host.select(name)?;
        if let Some(note) = &selection.note {
            say::err(&format!("note: {note}"));
        }
        devices.push(selection.device.name.clone());
    }
    let mut probes = args.probes;
    if args.stacks == 0 && probes.is_empty() {
        probes = known
            .iter()
            .filter(|id| **id != "stack")
            .map(|id| (*id).to_owned())
            .collect();
    }
    Ok(Order {
        settings: Settings {
            probes,
            devices,
            stacks_per_second: args.stacks,
            memory_limit_bytes: args.memory_limit,
            max_overhead_percent: args.max_overhead,
        },
        host,
        devices: args.device,
        load,
        duration: args.duration,
        output: args.output,
        options: WriterOptions {
            force: args.force,
            checkpoint_ns: args.checkpoint.map(|every| every.as_nanos() as u64),
        },
        progress: progress(),
        warn: say::err,
    })
}

/// A line that is written over once a second, on a terminal only.
fn progress() -> Progress {
    if !std::io::stderr().is_terminal() {
        return Box::new(|_, _| {});
    }
    let mut requests = 0u64;
    Box::new(move |seconds, slice| {
        let ops = slice
            .devices
            .values()
            .flat_map(|device| device.ops.values());
        requests += ops.map(|op| op.completed).sum::<u64>();
        say::progress(&format!("\rrecording: {seconds} s, {requests} requests "));
    })
}

/// What was recorded, on standard error: standard output may carry the capture.
fn summary(recorded: &Recorded) {
    if std::io::stderr().is_terminal() {
        say::progress("\r\x1b[K");
    }
    for probe in &recorded.probes {
        if matches!(
            probe.state,
            ProbeState::Partial | ProbeState::Unavailable | ProbeState::Failed
        ) {
            let reason = probe.reason.as_deref().unwrap_or("no reason known");
            say::err(&format!("probe group {}: {reason}", probe.id));
        }
    }
    let seconds = recorded.window.as_secs_f64();
    let place = recorded
        .path
        .as_ref()
        .map_or("standard output".into(), |path| path.display().to_string());
    say::err(&format!(
        "recorded {seconds:.1} s, {} requests completed, ended by {}: {place}",
        recorded.requests, recorded.ended_by
    ));
}
