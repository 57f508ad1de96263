//! The command line: one file per subcommand, one variant each.

pub mod advise;
pub mod diff;
pub mod doctor;
pub mod flame;
pub mod floor;
pub mod import;
pub mod job;
pub mod parse;
pub mod record;
pub mod report;
pub mod rules;
pub mod run;
mod say;
pub mod schema;

use crate::exit::{CannotMeasure, Outcome};
use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Linux I/O profiler and advisor for database hosts.
#[derive(Debug, Parser)]
#[command(
    name = "iosage",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Trace the live host, or a command, into a capture file
    Record(record::Args),
    /// Run a fio job file or a built-in workload, recorded under the probes with `-o`
    Run(run::Args),
    /// Show what a fio job file comes to, without running it
    Job(job::Args),
    /// Judge a capture, or the host as it is configured now
    Advise(advise::Args),
    /// Show a capture as text, JSON, Markdown or HTML
    Report(report::Args),
    /// Draw a flame graph of where I/O is issued from
    Flame(flame::Args),
    /// Read what fio, bonnie++, iostat, blkparse and other tools have printed, and host files
    Import(import::Args),
    /// Compare two captures
    Diff(diff::Args),
    /// Show what can be measured on this host, and check that it is measured right
    Doctor(doctor::Args),
    /// List, show and check the rules
    Rules(rules::Args),
    /// Print the JSON schema of the capture file or the report
    Schema(schema::Args),
    /// For the bench: attach programs that only read the clock, until interrupted
    #[command(hide = true, name = "bench-floor")]
    Floor(floor::Args),
}

/// Parses the command line, runs it and prints the error, if any.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli.command) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) => {
            if let Some(cannot) = error.downcast_ref::<CannotMeasure>() {
                say::err("error: cannot measure here");
                cannot
                    .missing
                    .iter()
                    .for_each(|line| say::err(&format!("  {line}")));
                return ExitCode::from(3);
            }
            say::err(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: Command) -> Result<Outcome> {
    match command {
        Command::Record(args) => record::run(args),
        Command::Run(args) => run::run(args),
        Command::Job(args) => job::run(args),
        Command::Advise(args) => advise::run(args),
        Command::Report(args) => report::run(args),
        Command::Flame(args) => flame::run(args),
        Command::Import(args) => import::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Rules(args) => rules::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Floor(args) => floor::run(args),
    }
}
