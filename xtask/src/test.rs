//! `cargo xtask test`: every tier of tests that this machine can run, and one line that sums them up.

pub(crate) mod libtest;
pub(crate) mod tally;
pub(crate) mod targets;

use crate::step::Step;
use crate::tree::Tree;
use crate::{build_ebpf, setup, vm};
use anyhow::{Context, Result};
use libtest::Reader;
use std::io::{BufRead, BufReader, pipe};
use std::process::ExitCode;
use tally::Tally;
use targets::Targets;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// One tier only; without it all that this machine can run
    tier: Option<Tier>,
    /// Install nothing: tests that need what is missing are skipped
    #[arg(long)]
    no_install: bool,
    /// With `vm`: every kernel of the matrix instead of the oldest and the newest
    #[arg(long)]
    all: bool,
    /// With `vm`: this kernel of the matrix only; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    kernel: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Tier {
    /// Unit, property, case and command-line tests: no rights needed
    Unit,
    /// Tests on this kernel: needs the probes and the rights to load them
    Live,
    /// The live tests on other kernels, in virtual machines
    Vm,
}

pub(crate) fn run(tree: &Tree, args: Args) -> Result<ExitCode> {
    let Args {
        tier,
        no_install,
        all: all_kernels,
        kernel,
    } = args;
    let kernels = vm::Choice {
        all: all_kernels,
        only: kernel,
    };
    let tally = match tier {
        None => all(tree, no_install),
        Some(Tier::Unit) => Targets::read(tree).and_then(|targets| unit(tree, &targets)),
        Some(Tier::Live) => {
            Targets::read(tree).and_then(|targets| live(tree, &targets, &probes(tree, no_install)))
        }
        Some(Tier::Vm) => {
            probes(tree, no_install).and_then(|()| vm::run(tree, &kernels, no_install))
        }
    };
    Ok(Tally::of(tally).close())
}

/// Every tier, without the closing line.
fn all(tree: &Tree, no_install: bool) -> Result<Tally> {
    let (mut tally, probes) = here(tree, no_install)?;
    tally.add(vm_tier(tree, &probes)?);
    Ok(tally)
}

/// The tiers that test on this kernel, and whether there are probes.
pub(crate) fn here(tree: &Tree, no_install: bool) -> Result<(Tally, Result<()>)> {
    // The probes come first: the build of the tests embeds them.
    let probes = probes(tree, no_install);
    let targets = Targets::read(tree)?;
    let mut tally = unit(tree, &targets)?;
    tally.add(live(tree, &targets, &probes)?);
    Ok((tally, probes))
}

fn probes(tree: &Tree, no_install: bool) -> Result<()> {
    let ready = setup::run(tree, setup::Args { no_install })?;
    build_ebpf::with(tree, &ready).map(|_| ())
}

/// The oldest and the newest kernel, where QEMU is at hand: it is installed only when this tier is
/// asked for by name.
fn vm_tier(tree: &Tree, probes: &Result<()>) -> Result<Tally> {
    if let Err(reason) = probes {
        let mut tally = Tally::default();
        tally.skip("vm tier", &format!("no probes: {reason:#}"));
        return Ok(tally);
    }
    vm::run(tree, &vm::Choice::default(), true)
}

fn cargo_test(tree: &Tree) -> Step {
    Step::new(tree.cargo()).args(["test", "--workspace", "--no-fail-fast"])
}

fn unit(tree: &Tree, targets: &Targets) -> Result<Tally> {
    let programs = cargo_test(tree)
        .args(["--lib", "--bins", "--examples"])
        .args(targets.unit.iter().flat_map(|name| ["--test", name]))
        .args(["--", "--show-output"]);
    let mut tally = read(programs)?;
    tally.add(read(cargo_test(tree).arg("--doc"))?);
    Ok(tally)
}

fn live_step(tree: &Tree, targets: &Targets) -> Step {
    cargo_test(tree).args(targets.live.iter().flat_map(|name| ["--test", name]))
}

fn live(tree: &Tree, targets: &Targets, probes: &Result<()>) -> Result<Tally> {
    if targets.live.is_empty() {
        let mut tally = Tally::default();
        tally.skip("live tier", "the tree has no tests named live_*");
        return Ok(tally);
    }
    if let Err(reason) = probes {
        return skip_live(tree, targets, &format!("no probes: {reason:#}"));
    }
    read(
        live_step(tree, targets)
            // One at a time: they count what the whole machine does.
            .args([
                "--",
                "--include-ignored",
                "--show-output",
                "--test-threads=1",
            ])
            .env("IOSAGE_LIVE", "1"),
    )
}

/// Each live test counts as skipped, under its own name.
fn skip_live(tree: &Tree, targets: &Targets, reason: &str) -> Result<Tally> {
    let listed = live_step(tree, targets)
        .args(["--", "--include-ignored", "--list", "--format=terse"])
        .read()?;
    let mut tally = Tally::default();
    for test in listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
    {
        tally.skip(&format!("live: {test}"), reason);
    }
    Ok(tally)
}

/// Runs `cargo test`, shows what a person wants to see of it, and counts.
fn read(step: Step) -> Result<Tally> {
    // One pipe for both streams: cargo names the programs on stderr, they print on stdout.
    let (reader, writer) = pipe().context("making a pipe")?;
    let mut command = step.env("CARGO_TERM_COLOR", "never").announce();
    command
        .stdout(writer.try_clone().context("copying a pipe")?)
        .stderr(writer);
    let mut child = command.spawn().context("starting cargo")?;
    // The command holds the pipe's other end; without this the end of the lines would never come.
    drop(command);
    let mut tests = Reader::default();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.context("reading the output of cargo test")?;
        let line = String::from_utf8_lossy(&line);
        if tests.line(&line) {
            println!("{line}");
        }
    }
    let status = child.wait().context("waiting for cargo test")?;
    Ok(tests.finish(status.success()))
}
