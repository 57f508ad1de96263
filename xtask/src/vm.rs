//! `cargo xtask test vm`: the live tests on other kernels, each in a virtual machine.
//!
//! Debian's kernels, fetched with a package list of our own and unpacked below `target/vm`. QEMU
//! emulates the machine (no KVM is asked for), its root is an initramfs with the modules, and the
//! host's root, read-only over 9p, brings every tool: nothing is packed but the kernel.

mod cpio;
mod debian;
mod image;
mod machine;

use crate::setup::packages;
use crate::step::{Step, found, is_root};
use crate::test::tally::Tally;
use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use debian::Kernel;
use std::path::PathBuf;

/// A line of kernels; the newest package of the line is taken.
#[derive(Clone, Copy, Debug)]
struct Line {
    name: &'static str,
    /// Versions start so; empty: the newest of all.
    prefix: &'static str,
    /// Whether it runs without `--all`.
    usual: bool,
}

/// From the oldest that iosage supports to the newest.
const LINES: [Line; 5] = [
    Line {
        name: "5.10",
        prefix: "5.10.",
        usual: true,
    },
    Line {
        name: "6.1",
        prefix: "6.1.",
        usual: false,
    },
    Line {
        name: "6.12",
        prefix: "6.12.",
        usual: false,
    },
    Line {
        name: "6.18",
        prefix: "6.18.",
        usual: false,
    },
    Line {
        name: "newest",
        prefix: "",
        usual: true,
    },
];

/// Programs and the packages that bring them.
const TOOLS: [(&str, &str); 5] = [
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("busybox", "busybox-static"),
    ("dpkg-deb", "dpkg"),
    ("xz", "xz-utils"),
    ("zstd", "zstd"),
];
const BIOS: (&str, &str) = ("/usr/share/seabios/bios-256k.bin", "seabios");

/// Which kernels to run on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) all: bool,
    /// Names of lines; with any, only these.
    pub(crate) only: Vec<String>,
}

/// The live tests on the chosen kernels. What keeps them from running is a skip with its reason; a
/// machine that does not come up is a failure.
pub(crate) fn run(tree: &Tree, choice: &Choice, no_install: bool) -> Result<Tally> {
    let unknown = choice
        .only
        .iter()
        .find(|name| LINES.iter().all(|line| line.name != **name));
    if let Some(name) = unknown {
        let names: Vec<_> = LINES.iter().map(|line| line.name).collect();
        bail!("no kernel `{name}`; choose from {}", names.join(", "));
    }
    let wanted = LINES.iter().filter(|line| match choice.only.as_slice() {
        [] => choice.all || line.usual,
        only => only.iter().any(|name| name == line.name),
    });
    let mut tally = Tally::default();
    let ready = hindrance(no_install).and_then(|reason| match reason {
        Some(reason) => Ok(Err(reason)),
        None => Ok(Ok((
            debian::Archive::open(&tree.target().join("vm"))?,
            programs(tree)?,
        ))),
    })?;
    let (archive, programs) = match ready {
        Ok(ready) => ready,
        Err(reason) => {
            wanted.for_each(|line| tally.skip(&format!("vm: {}", line.name), &reason));
            return Ok(tally);
        }
    };
    for line in wanted {
        let one = archive
            .newest(line.prefix)
            .and_then(|version| archive.fetch(&version))
            .and_then(|kernel| on(&kernel, &programs));
        match one {
            Ok(one) => tally.add(one),
            Err(error) => tally.fail(&format!("vm: {}: {error:#}", line.name)),
        }
    }
    Ok(tally)
}

/// Boots a kernel and runs every program in it.
fn on(kernel: &Kernel, programs: &[PathBuf]) -> Result<Tally> {
    let image = image::build(kernel).context("packing the initramfs")?;
    machine::run(kernel, &image, programs)
}

fn hindrance(no_install: bool) -> Result<Option<String>> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Some("the machines are x86_64".to_owned()));
    }
    if !found("apt-get") {
        return Ok(Some("the kernels come from Debian by apt-get".to_owned()));
    }
    let tools = TOOLS.iter().filter(|(program, _)| !found(program));
    let bios = [&BIOS]
        .into_iter()
        .filter(|(file, _)| !PathBuf::from(file).exists());
    let missing: Vec<_> = tools
        .chain(bios)
        .map(|(_, package)| (*package).to_owned())
        .collect();
    if missing.is_empty() {
        return Ok(None);
    }
    if no_install || !is_root() {
        return Ok(Some(format!(
            "it needs {}; `cargo xtask test vm`, as root, installs them",
            missing.join(", ")
        )));
    }
    packages::install(&missing)?;
    Ok(None)
}

/// The compiled live tests.
fn programs(tree: &Tree) -> Result<Vec<PathBuf>> {
    let targets = crate::test::targets::Targets::read(tree)?;
    let messages = Step::new(tree.cargo())
        .args(["test", "--workspace", "--no-run", "--message-format=json"])
        .args(targets.live.iter().flat_map(|name| ["--test", name]))
        .read()?;
    Ok(executables(&messages))
}

/// Test programs named in cargo's messages.
fn executables(messages: &str) -> Vec<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["profile"]["test"] == true)
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_are_taken_from_cargo_s_messages() {
        let messages = r#"{"reason":"compiler-artifact","profile":{"test":true},"executable":"/t/live_record-1"}
{"reason":"compiler-artifact","profile":{"test":false},"executable":"/t/iosage"}
{"reason":"compiler-artifact","profile":{"test":true},"executable":null}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executables(messages), [PathBuf::from("/t/live_record-1")]);
    }
}
