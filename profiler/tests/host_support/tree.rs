//! A host made of files, for [`profiler::host::Root::at`].

use profiler::host::{Host, Root};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

pub(crate) struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    /// A host that answers the questions which every host answers.
    pub(crate) fn new() -> Self {
        let tree = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        tree.file(
            "/proc/swaps",
            "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n",
        )
        .file("/proc/self/mountinfo", "")
        .file("/etc/fstab", "")
        .folder("/sys/block");
        tree
    }

    pub(crate) fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn folder(&self, path: &str) -> &Self {
        fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// A disk with its attributes: `("queue/scheduler", "none")`. `home` is its folder below
    /// /sys/devices.
    pub(crate) fn disk(&self, home: &str, attributes: &[(&str, &str)]) -> &Self {
        let name = home.rsplit('/').next().unwrap();
        let dir = format!("/sys/devices/{home}");
        self.folder(&dir)
            .link(&format!("/sys/block/{name}"), &format!("../devices/{home}"));
        self.attributes(&dir, attributes)
    }

    pub(crate) fn attributes(&self, dir: &str, attributes: &[(&str, &str)]) -> &Self {
        for (name, value) in attributes {
            self.file(&format!("{dir}/{name}"), format!("{value}\n"));
        }
        self
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.dir.path().join(path.trim_start_matches('/'))
    }

    pub(crate) fn root(&self) -> Root {
        Root::at(Path::new(self.dir.path()))
    }

    pub(crate) fn read(&self) -> Host {
        Host::read(&self.root())
    }
}
