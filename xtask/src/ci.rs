//! `cargo xtask ci`: what CI does, in the order of what fails soonest.

use crate::demo;
use crate::step::{Step, found, is_root};
use crate::test;
use crate::test::tally::Tally;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const DENY_VERSION: &str = "0.20.2";

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Args {
    /// Install nothing: checks that need what is missing are skipped
    #[arg(long)]
    no_install: bool,
}

/// How one check ended.
#[derive(Debug)]
enum End {
    Passed,
    Failed(String),
    Skipped(String),
}

pub(crate) fn run(tree: &Tree, args: Args) -> Result<ExitCode> {
    let no_install = args.no_install;
    let mut checks = Checks::default();
    checks.check("fmt", || {
        component(tree, "fmt", &["fmt", "--all", "--check"])
    });
    checks.check("clippy", || {
        let clippy = [
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ];
        component(tree, "clippy", &clippy)
    });
    checks.check("doc", || doc(tree));
    checks.check("generated docs", || generated_docs(tree));
    checks.check("licences", || licences(tree, no_install));
    checks.test(tree, no_install);
    checks.check("demo", || demo(tree, no_install));
    Ok(checks.close())
}

/// Runs a part of cargo that not every Rust installation brings.
fn component(tree: &Tree, name: &str, args: &[&str]) -> Result<End> {
    if let Err(error) = cargo(tree).args([name, "--version"]).read() {
        return Ok(End::Skipped(format!(
            "cargo {name} is not installed: {error:#}"
        )));
    }
    cargo(tree).args(args).run().map(|()| End::Passed)
}

fn cargo(tree: &Tree) -> Step {
    Step::new(tree.cargo())
}

fn doc(tree: &Tree) -> Result<End> {
    cargo(tree)
        .args([
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ])
        // Links to private items resolve where those are documented too.
        .env(
            "RUSTDOCFLAGS",
            "-D warnings -A rustdoc::private_intra_doc_links",
        )
        .run()
        .map(|()| End::Passed)
}

/// `docs/rules.md`, `docs/facts.md` and `docs/jobs.md` are what the binary prints.
fn generated_docs(tree: &Tree) -> Result<End> {
    for (command, name) in [
        ("rules docs rules", "rules"),
        ("rules docs facts", "facts"),
        ("job docs", "jobs"),
    ] {
        let printed = cargo(tree)
            .args(["run", "--quiet", "-p", "profiler", "--bin", "iosage", "--"])
            .args(command.split(' '))
            .read()?;
        let path = tree.root().join("docs").join(name).with_extension("md");
        let kept =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        ensure!(
            kept == printed,
            "docs/{name}.md is old; run `cargo run -p profiler -- {command} > docs/{name}.md`"
        );
    }
    Ok(End::Passed)
}

/// The first command of the README, to its end.
fn demo(tree: &Tree, no_install: bool) -> Result<End> {
    if !is_root() {
        return Ok(End::Skipped("it records, which needs root".to_owned()));
    }
    let code = demo::run(tree, demo::Args::of_readme(no_install))?;
    ensure!(code == ExitCode::SUCCESS, "it ended with {code:?}");
    let mounts = fs::read_to_string("/proc/self/mounts").context("reading the mounts")?;
    let dir = tree.target().join("demo");
    ensure!(
        !mounts.contains(&dir.display().to_string()),
        "it left something mounted below {}",
        dir.display()
    );
    Ok(End::Passed)
}

/// Licences, banned crates and sources; advisories need a database from elsewhere and are left out.
fn licences(tree: &Tree, no_install: bool) -> Result<End> {
    let own = tree.tools().join("bin/cargo-deny");
    if !found("cargo-deny") && !own.exists() {
        if no_install {
            return Ok(End::Skipped("cargo-deny is not installed".to_owned()));
        }
        let install = Step::new(tree.cargo())
            .args([
                "install",
                "cargo-deny",
                "--version",
                DENY_VERSION,
                "--locked",
            ])
            .arg("--root")
            .arg(tree.tools());
        if let Err(error) = install.run() {
            return Ok(End::Skipped(format!(
                "cargo-deny could not be installed: {error:#}"
            )));
        }
    }
    let program = if own.exists() {
        own
    } else {
        "cargo-deny".into()
    };
    Step::new(program)
        .args([
            "--workspace",
            "--all-features",
            "check",
            "licenses",
            "bans",
            "sources",
        ])
        .run()
        .map(|()| End::Passed)
}

/// The checks so far, with their times.
#[derive(Debug, Default)]
struct Checks {
    tally: Tally,
    times: Vec<(&'static str, Duration, &'static str)>,
}

impl Checks {
    fn check(&mut self, name: &'static str, run: impl FnOnce() -> Result<End>) {
        println!("\n== {name}");
        let started = Instant::now();
        let end = run().unwrap_or_else(|error| End::Failed(format!("{error:#}")));
        let word = match end {
            End::Passed => {
                self.tally.pass(1);
                "passed"
            }
            End::Failed(reason) => {
                println!("{name} failed: {reason}");
                self.tally.fail(&format!("{name}: {reason}"));
                "failed"
            }
            End::Skipped(reason) => {
                println!("{name} skipped: {reason}");
                self.tally.skip(name, &reason);
                "skipped"
            }
        };
        self.times.push((name, started.elapsed(), word));
    }

    fn test(&mut self, tree: &Tree, no_install: bool) {
        println!("\n== test");
        let started = Instant::now();
        let mut tally = Tally::of(test::here(tree, no_install).map(|(tally, _)| tally));
        tally.skip(
            "vm tier",
            "minutes a kernel; run `cargo xtask test vm` before what touches the probes is merged",
        );
        let word = if tally.failures.is_empty() {
            "passed"
        } else {
            "failed"
        };
        self.tally.add(tally);
        self.times.push(("test", started.elapsed(), word));
    }

    fn close(self) -> ExitCode {
        println!();
        for (name, time, word) in &self.times {
            println!("{name:<16} {:>7.1} s  {word}", time.as_secs_f64());
        }
        self.tally.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_counts_as_passed_failed_or_skipped() {
        let mut checks = Checks::default();
        checks.check("good", || Ok(End::Passed));
        checks.check("bad", || anyhow::bail!("it is broken"));
        checks.check("absent", || Ok(End::Skipped("no tool".to_owned())));
        assert_eq!(checks.tally.to_string(), "1 passed, 1 failed, 1 skipped");
        assert_eq!(checks.tally.failures, ["bad: it is broken"]);
        assert_eq!(checks.times.len(), 3);
    }
}
