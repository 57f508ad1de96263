//! bpf-linker, built into `target/tools` for the LLVM of the compiler.

use crate::compiler::Llvm;
use crate::step::Step;
use crate::tree::Tree;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(crate) const VERSION: &str = "0.13.0";

/// Whether the right version stands in `target/tools`, was made for this LLVM, and starts.
pub(crate) fn is_ready(tree: &Tree, llvm: u32) -> bool {
    let installs = fs::read_to_string(tree.tools().join(".crates2.json")).unwrap_or_default();
    records(&installs, llvm)
        && Step::new(tree.bpf_linker())
            .arg("--version")
            .read()
            .is_ok_and(|spoken| spoken.contains(VERSION))
}

/// Whether cargo's list of installs names this version with the feature for this LLVM.
fn records(installs: &str, llvm: u32) -> bool {
    let Ok(Value::Object(file)) = serde_json::from_str(installs) else {
        return false;
    };
    let wanted = format!("bpf-linker {VERSION} ");
    let feature = format!("llvm-{llvm}");
    file.get("installs")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(name, _)| name.starts_with(&wanted))
        .filter_map(|(_, install)| install["features"].as_array())
        .any(|features| features.iter().any(|one| one == feature.as_str()))
}

pub(crate) fn build(tree: &Tree, llvm: &Llvm) -> Result<()> {
    println!(
        "building bpf-linker {VERSION} into {} (a few minutes, once)",
        tree.shown(&tree.tools())
    );
    link_library(tree, llvm)?;
    command(tree, llvm).run().context(
        "bpf-linker could not be built; check that crates.io can be reached and `cc` is installed, then repeat",
    )?;
    fs::remove_dir_all(build_dir(tree)).context("removing the build files of bpf-linker")
}

pub(crate) fn command(tree: &Tree, llvm: &Llvm) -> Step {
    Step::new(tree.cargo())
        .args(["install", "bpf-linker", "--version", VERSION, "--locked"])
        .args(["--force", "--no-default-features", "--features"])
        .arg(format!("llvm-{}", llvm.major))
        .arg("--root")
        .arg(tree.tools())
        .arg("--target-dir")
        .arg(build_dir(tree))
        .env("LLVM_PREFIX", prefix(tree, llvm))
}

fn build_dir(tree: &Tree) -> PathBuf {
    tree.tools().join("build")
}

/// The folder whose `lib/` holds the library under the names that bpf-linker looks for.
fn prefix(tree: &Tree, llvm: &Llvm) -> PathBuf {
    tree.tools().join(format!("llvm-{}", llvm.major))
}

/// `lib/libLLVM.so` for the build and, under its own name, for the start of the program.
fn link_library(tree: &Tree, llvm: &Llvm) -> Result<()> {
    let lib = prefix(tree, llvm).join("lib");
    let place = |name: &Path| -> Result<()> {
        let link = lib.join(name);
        if link.is_symlink() {
            fs::remove_file(&link)?;
        }
        symlink(&llvm.library, &link)?;
        Ok(())
    };
    let own_name = llvm.library.file_name().unwrap_or_default();
    fs::create_dir_all(&lib)
        .map_err(Into::into)
        .and_then(|()| place(Path::new("libLLVM.so")))
        .and_then(|()| place(Path::new(own_name)))
        .with_context(|| {
            format!(
                "making links to {} in {}",
                llvm.library.display(),
                lib.display()
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_install_counts_only_with_its_version_and_llvm() {
        let installs = r#"{"installs":{"bpf-linker 0.13.0 (registry+https://github.com/rust-lang/crates.io-index)":
            {"bins":["bpf-linker"],"features":["llvm-22"],"no_default_features":true}}}"#;
        assert!(records(installs, 22));
        assert!(!records(installs, 23));
        assert!(!records(&installs.replace("0.13.0", "0.12.0"), 22));
        assert!(!records("", 22));
        assert!(!records("{\"installs\":3}", 22));
    }
}
