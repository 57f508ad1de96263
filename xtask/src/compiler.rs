//! Which Rust compiler can build the probes: one that has its own sources beside it (`-Z build-std`
//! compiles `core` for BPF from them), with an LLVM that bpf-linker can be built for.

use crate::step::Step;
use std::fs;
use std::path::{Path, PathBuf};

/// The LLVM versions that this bpf-linker knows.
pub(crate) const LINKER_LLVM: std::ops::RangeInclusive<u32> = 21..=23;
/// The workspace's `rust-version`.
const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// A compiler that has its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    pub(crate) rustc: PathBuf,
    pub(crate) sysroot: PathBuf,
    pub(crate) version: Version,
}

/// What `rustc -vV` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) release: String,
    pub(crate) llvm: u32,
}

/// The compiler to use, or why each of those at hand cannot be used.
pub(crate) fn find() -> Result<Compiler, Vec<String>> {
    let mut refused = Vec::new();
    for rustc in rustup_compilers()
        .into_iter()
        .chain([PathBuf::from("/usr/bin/rustc")])
    {
        match examine(&rustc) {
            Ok(compiler) => return Ok(compiler),
            Err(reason) => refused.push(format!("{}: {reason}", rustc.display())),
        }
    }
    Err(refused)
}

/// The compilers of rustup's toolchains, nightly first.
fn rustup_compilers() -> Vec<PathBuf> {
    let listed = Step::new("rustup")
        .args(["toolchain", "list", "-v"])
        .read()
        .unwrap_or_default();
    let mut dirs: Vec<_> = listed.lines().filter_map(toolchain_dir).collect();
    dirs.sort_by_key(|dir| {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with("nightly")
    });
    dirs.iter().map(|dir| dir.join("bin/rustc")).collect()
}

/// The folder in `nightly-x86_64-unknown-linux-gnu (active, default) /home/ann/.rustup/toolchains/nightly-...`.
fn toolchain_dir(line: &str) -> Option<PathBuf> {
    let start = line.find(['\t', ' '])?;
    let path = start + line[start..].find('/')?;
    Some(PathBuf::from(line[path..].trim_end()))
}

fn examine(rustc: &Path) -> Result<Compiler, String> {
    // `bin/rustc` stands in its sysroot, /usr/bin/rustc too; a look at the folder is quicker than to ask.
    let sysroot = rustc
        .parent()
        .and_then(Path::parent)
        .ok_or("it lies in no toolchain")?;
    if !rustc.exists() {
        return Err("there is none".to_owned());
    }
    let sources = sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs");
    if !sources.exists() {
        return Err("its sources (rust-src) are not installed".to_owned());
    }
    let spoken = Step::new(rustc)
        .arg("-vV")
        .read()
        .map_err(|error| format!("{error:#}"))?;
    let version = parse_version(&spoken).ok_or("`rustc -vV` says no release or LLVM version")?;
    if !new_enough(&version.release) {
        return Err(format!(
            "it is Rust {}, older than {OLDEST_RUST}",
            version.release
        ));
    }
    if !LINKER_LLVM.contains(&version.llvm) {
        return Err(format!(
            "its LLVM {} is not one that bpf-linker is made for ({} to {})",
            version.llvm,
            LINKER_LLVM.start(),
            LINKER_LLVM.end()
        ));
    }
    Ok(Compiler {
        rustc: rustc.to_owned(),
        sysroot: sysroot.to_owned(),
        version,
    })
}

fn parse_version(spoken: &str) -> Option<Version> {
    let value = |key: &str| spoken.lines().find_map(|line| line.strip_prefix(key));
    Some(Version {
        release: value("release: ")?.trim().to_owned(),
        llvm: value("LLVM version: ")?.split('.').next()?.parse().ok()?,
    })
}

/// Whether `1.97.0-nightly` or a package version like `1.96.0+dfsg1-1` reaches `rust-version`.
pub(crate) fn new_enough(release: &str) -> bool {
    numbers(release)
        .is_some_and(|release| numbers(OLDEST_RUST).is_some_and(|oldest| release >= oldest))
}

fn numbers(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// An LLVM library that bpf-linker can be linked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Llvm {
    pub(crate) major: u32,
    /// The shared library itself.
    pub(crate) library: PathBuf,
}

impl Compiler {
    /// The LLVM that reads this compiler's bitcode: Debian's `llvm-N-dev`, else the compiler's own.
    pub(crate) fn llvm(&self) -> Option<Llvm> {
        let major = self.version.llvm;
        let packaged = PathBuf::from(format!("/usr/lib/llvm-{major}/lib/libLLVM.so"));
        let library = if packaged.exists() {
            packaged
        } else {
            own_library(&self.sysroot)?
        };
        Some(Llvm { major, library })
    }
}

/// `lib/libLLVM.so.22.1-rust-1.97.0-nightly`: rustup's toolchains bring the whole library.
fn own_library(sysroot: &Path) -> Option<PathBuf> {
    fs::read_dir(sysroot.join("lib"))
        .ok()?
        .flatten()
        .find(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libLLVM.so.") && name.contains("-rust-")
        })
        .map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_folder_of_a_toolchain_is_read_from_rustups_list() {
        let line = "nightly-x86_64-unknown-linux-gnu (active, default) /home/ann lee/.rustup/toolchains/nightly";
        assert_eq!(
            toolchain_dir(line),
            Some(PathBuf::from("/home/ann lee/.rustup/toolchains/nightly"))
        );
        assert_eq!(
            toolchain_dir("stable\t/opt/rust"),
            Some(PathBuf::from("/opt/rust"))
        );
        assert_eq!(toolchain_dir("no installed toolchains"), None);
    }

    #[test]
    fn release_and_llvm_are_read_from_rustcs_words() {
        let spoken = "rustc 1.97.0-nightly (e50aa6fba 2026-05-19)\nbinary: rustc\n\
                      release: 1.97.0-nightly\nLLVM version: 22.1.4\n";
        let version = parse_version(spoken).unwrap();
        assert_eq!(version.release, "1.97.0-nightly");
        assert_eq!(version.llvm, 22);
        assert_eq!(numbers(&version.release), Some((1, 97)));
        assert_eq!(parse_version("rustc 1.63.0"), None);
    }

    /// A toolchain folder whose rustc is a script with these words.
    fn toolchain(release: &str, llvm: &str, sources: bool) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bin")).unwrap();
        let rustc = dir.path().join("bin/rustc");
        let words = format!("#!/bin/sh\necho 'release: {release}'\necho 'LLVM version: {llvm}'\n");
        fs::write(&rustc, words).unwrap();
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
        if sources {
            let core = dir.path().join("lib/rustlib/src/rust/library/core/src");
            fs::create_dir_all(&core).unwrap();
            fs::write(core.join("lib.rs"), "").unwrap();
        }
        dir
    }

    #[test]
    fn a_compiler_is_refused_with_its_reason() {
        let refusal = |release: &str, llvm: &str, sources: bool| {
            let dir = toolchain(release, llvm, sources);
            examine(&dir.path().join("bin/rustc")).map(|compiler| compiler.version)
        };
        assert_eq!(
            refusal("1.97.0", "22.1.4", false).unwrap_err(),
            "its sources (rust-src) are not installed"
        );
        assert_eq!(
            refusal("1.85.0", "22.1.4", true).unwrap_err(),
            "it is Rust 1.85.0, older than 1.95"
        );
        assert_eq!(
            refusal("1.99.0", "24.1.0", true).unwrap_err(),
            "its LLVM 24 is not one that bpf-linker is made for (21 to 23)"
        );
        assert_eq!(refusal("1.97.0", "22.1.4", true).unwrap().llvm, 22);
    }

    #[test]
    fn a_rustup_toolchain_brings_its_own_llvm() {
        let dir = toolchain("1.97.0", "22.1.4", true);
        let lib = dir.path().join("lib");
        fs::write(lib.join("libLLVM-22-rust-1.97.0.so"), "a linker script").unwrap();
        assert_eq!(own_library(dir.path()), None);
        let library = lib.join("libLLVM.so.22.1-rust-1.97.0");
        fs::write(&library, "").unwrap();
        assert_eq!(own_library(dir.path()), Some(library));
    }
}
