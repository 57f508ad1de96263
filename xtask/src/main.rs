//! The project's chores, run as `cargo xtask CHORE`: one file each, none of them needs our own crates.

mod bench;
mod build_ebpf;
mod ci;
mod compiler;
mod demo;
mod loop_device;
mod setup;
mod signals;
mod step;
mod test;
mod tree;
mod vm;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use tree::Tree;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Chores of iosage", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Find or install a BPF compiler, and build bpf-linker into target/tools
    Setup(setup::Args),
    /// Build the probes into target/probes/profiler-ebpf.o
    BuildEbpf,
    /// Record, judge and report a database-like workload on this machine
    Demo(demo::Args),
    /// Run every test that this machine can run
    Test(test::Args),
    /// Measure iosage beside its peers
    Bench(bench::Args),
    /// Do what CI does
    Ci(ci::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = Tree::find().and_then(|tree| match cli.chore {
        Chore::Setup(args) => setup::run(&tree, args).map(|_| ExitCode::SUCCESS),
        Chore::BuildEbpf => build_ebpf::run(&tree).map(|_| ExitCode::SUCCESS),
        Chore::Demo(args) => demo::run(&tree, args),
        Chore::Test(args) => test::run(&tree, args),
        Chore::Bench(args) => bench::run(&tree, args),
        Chore::Ci(args) => ci::run(&tree, args),
    });
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
