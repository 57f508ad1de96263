//! `iosage job`: fio job files without running them.

use super::run::{Format, JobFile, explain};
use super::say;
use crate::exit::Outcome;
use crate::workload;
use anyhow::Result;
use clap::Subcommand;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show every job of a file fully resolved, in bytes and seconds, and do nothing
    Explain(Explain),
    /// Print docs/jobs.md: every option of fio, supported or refused
    #[command(hide = true)]
    Docs,
}

#[derive(Debug, clap::Args)]
struct Explain {
    /// fio job file
    file: PathBuf,
    #[command(flatten)]
    how: JobFile,
    /// As if every job ran that long, whatever the file says
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true, value_parser = super::run::duration)]
    length: Option<Duration>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        What::Docs => say::out(&workload::options_markdown())?,
        What::Explain(args) => {
            let plan = workload::load(&args.file, &args.how.options(args.length)?)?;
            explain::tell(&plan, args.format)?;
        }
    }
    Ok(Outcome::Fine)
}
