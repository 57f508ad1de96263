//! Where things are in the source tree. Chores write below `target/` and nowhere else.

use anyhow::Result;
use std::env;
use std::path::{Path, PathBuf};

/// The root of the tree that this program was built from.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

#[derive(Debug)]
pub(crate) struct Tree {
    root: &'static Path,
}

impl Tree {
    pub(crate) fn find() -> Result<Self> {
        let root = root();
        anyhow::ensure!(
            root.join("Cargo.lock").exists(),
            "the source tree at {} has moved since xtask was built; run `cargo clean -p xtask`",
            root.display()
        );
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        self.root
    }

    pub(crate) fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// Where `cargo install --root` puts what the chores need.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target().join("tools")
    }

    pub(crate) fn bpf_linker(&self) -> PathBuf {
        self.tools().join("bin/bpf-linker")
    }

    /// The object that the build of `iosage` embeds.
    pub(crate) fn probes(&self) -> PathBuf {
        self.target().join("probes/profiler-ebpf.o")
    }

    /// The release binary.
    pub(crate) fn iosage(&self) -> PathBuf {
        self.target().join("release/iosage")
    }

    /// The cargo that runs this chore.
    pub(crate) fn cargo(&self) -> PathBuf {
        env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
    }

    /// A path as the user would type it at the root of the tree.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}
