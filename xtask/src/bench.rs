//! `cargo xtask bench`: iosage beside its peers on the same load, one line a figure.

mod bpf_stats;
mod engine;
mod figure;
mod load;
mod overhead;
mod tracefs;
mod tracer;

use crate::tree::Tree;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// What the block probes cost for each I/O, beside bpftrace and libbpf-tools
    Overhead(overhead::Args),
    /// How fast the workload engine is and what it costs, beside fio
    Engine(engine::Args),
}

pub(crate) fn run(tree: &Tree, args: Args) -> Result<ExitCode> {
    match args.what {
        What::Overhead(args) => overhead::run(tree, args),
        What::Engine(args) => engine::run(tree, args),
    }
}
