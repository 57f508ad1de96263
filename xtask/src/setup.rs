//! `cargo xtask setup`: a compiler that can build the probes, and bpf-linker. Quick when all is there.

mod linker;
pub(crate) mod packages;

use crate::compiler::{self, Compiler, Llvm};
use crate::tree::Tree;
use anyhow::{Result, bail};

/// What rustc-web's LLVM is called where rustc-web is not installed yet.
const DEBIAN_LLVM: u32 = 22;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Args {
    /// Only say what would be installed
    #[arg(long)]
    pub(crate) no_install: bool,
}

/// What `build-ebpf` needs, all of it at hand.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) compiler: Compiler,
}

/// Installs what is missing; with `--no-install` says what that is, and fails if it is anything.
pub(crate) fn run(tree: &Tree, args: Args) -> Result<Ready> {
    let missing = missing_packages();
    if args.no_install {
        return say(tree, &missing);
    }
    if !missing.is_empty() {
        packages::install(&missing)?;
    }
    let (compiler, llvm) = chosen()?;
    println!("{}", describe(&compiler));
    if linker::is_ready(tree, llvm.major) {
        println!("bpf-linker {} is ready", linker::VERSION);
    } else {
        linker::build(tree, &llvm)?;
    }
    Ok(Ready { compiler })
}

/// As `run`, but installs nothing: the compiler and the linker, or what to run first.
pub(crate) fn ready(tree: &Tree) -> Result<Ready> {
    let (compiler, llvm) = chosen()?;
    if !linker::is_ready(tree, llvm.major) {
        bail!("bpf-linker is not built yet; run `cargo xtask setup`");
    }
    Ok(Ready { compiler })
}

fn say(tree: &Tree, missing: &[String]) -> Result<Ready> {
    if missing.is_empty() {
        let (compiler, llvm) = chosen()?;
        println!("{}", describe(&compiler));
        if linker::is_ready(tree, llvm.major) {
            println!("bpf-linker {} is ready", linker::VERSION);
            return Ok(Ready { compiler });
        }
        println!("would run: {}", linker::command(tree, &llvm).shown());
    } else {
        println!("would run: {}", packages::command(missing).shown());
        println!(
            "then would build bpf-linker {} into {}",
            linker::VERSION,
            tree.shown(&tree.tools())
        );
    }
    bail!("the probes cannot be built yet; run `cargo xtask setup`")
}

fn describe(compiler: &Compiler) -> String {
    format!(
        "BPF compiler: {} (Rust {}, LLVM {})",
        compiler.rustc.display(),
        compiler.version.release,
        compiler.version.llvm
    )
}

fn missing_packages() -> Vec<String> {
    match compiler::find() {
        Ok(compiler) if compiler.llvm().is_some() => Vec::new(),
        Ok(compiler) => vec![llvm_package(compiler.version.llvm)],
        Err(_) => vec![
            "rustc-web".to_owned(),
            "rust-web-src".to_owned(),
            llvm_package(DEBIAN_LLVM),
        ],
    }
}

fn llvm_package(major: u32) -> String {
    format!("llvm-{major}-dev")
}

/// The compiler and the LLVM, once the packages are there.
fn chosen() -> Result<(Compiler, Llvm)> {
    let compiler = compiler::find().map_err(|refused| {
        anyhow::anyhow!(
            "no Rust compiler here can build the probes ({}); run `cargo xtask setup`, or \
             `rustup toolchain install nightly --component rust-src`",
            refused.join("; ")
        )
    })?;
    let Some(llvm) = compiler.llvm() else {
        bail!(
            "bpf-linker needs the LLVM {} library; run `cargo xtask setup`, or install {} yourself",
            compiler.version.llvm,
            llvm_package(compiler.version.llvm)
        );
    };
    Ok((compiler, llvm))
}
