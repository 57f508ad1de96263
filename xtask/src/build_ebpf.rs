//! `cargo xtask build-ebpf`: the probes, compiled for BPF into `target/probes/profiler-ebpf.o`.

use crate::setup::{self, Ready};
use crate::step::Step;
use crate::tree::Tree;
use anyhow::{Context, Result};
use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};

/// Little-endian BPF; the hosts that iosage runs on are all little-endian.
const TARGET: &str = "bpfel-unknown-none";

pub(crate) fn run(tree: &Tree) -> Result<PathBuf> {
    with(tree, &setup::ready(tree)?)
}

/// Cargo decides what is out of date; the object is replaced only when its bytes differ, so that the
/// build of `iosage` stays fresh too.
pub(crate) fn with(tree: &Tree, ready: &Ready) -> Result<PathBuf> {
    let target_dir = tree.target().join("bpf");
    command(tree, ready, &target_dir)
        .run()
        .context("the probes could not be built")?;
    let built = target_dir.join(TARGET).join("bpf/profiler-ebpf");
    replace(&built, &tree.probes())?;
    println!("probes: {}", tree.shown(&tree.probes()));
    Ok(tree.probes())
}

fn command(tree: &Tree, ready: &Ready, target_dir: &Path) -> Step {
    Step::new(tree.cargo())
        .args(["build", "-p", "profiler-ebpf", "--bin", "profiler-ebpf"])
        .args(["--profile", "bpf", "--target", TARGET, "--target-dir"])
        .arg(target_dir)
        .args(["-Z", "build-std=core"])
        .env("CARGO_ENCODED_RUSTFLAGS", flags(&tree.bpf_linker()))
        // build-std and the BPF assembler are unstable features of a stable compiler.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", &ready.compiler.rustc)
        .without_env("RUSTC_WRAPPER")
        .without_env("RUSTC_WORKSPACE_WRAPPER")
}

/// Separated by 0x1f, as cargo wants them.
fn flags(linker: &Path) -> String {
    [
        format!("-Clinker={}", linker.display()),
        "-Clink-arg=--btf".to_owned(),
        "-Cdebuginfo=2".to_owned(),
        // v3 has 32-bit arithmetic and atomics without a result; 5.10 loads it.
        "-Ctarget-cpu=v3".to_owned(),
        // aya-ebpf asks for the machine whose registers kprobes would read.
        format!("--cfg=bpf_target_arch=\"{ARCH}\""),
    ]
    .join("\u{1f}")
}

/// Copies atomically, unless the bytes are the same.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("reading {}", from.display()))?;
    if fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let part = to.with_extension("o.part");
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&part, bytes))
        .and_then(|()| fs::rename(&part, to))
        .with_context(|| format!("writing {}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_that_is_the_same_keeps_its_time() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to.o"));
        fs::write(&from, "one").unwrap();
        replace(&from, &to).unwrap();
        let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        let first = time(&to);
        replace(&from, &to).unwrap();
        assert_eq!(time(&to), first);
        fs::write(&from, "two").unwrap();
        replace(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "two");
        assert!(!to.with_extension("o.part").exists());
    }

    #[test]
    fn the_flags_are_separated_as_cargo_wants_them() {
        let flags = flags(Path::new("/opt/a b/bpf-linker"));
        assert_eq!(
            flags.split('\u{1f}').next(),
            Some("-Clinker=/opt/a b/bpf-linker")
        );
        assert_eq!(flags.split('\u{1f}').count(), 5);
    }
}
