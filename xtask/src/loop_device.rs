//! Loop devices and their mounts: made, and taken away again whatever happens.

pub(crate) mod traces;

use crate::step::Step;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use traces::Traces;

/// How often and how long to try to take a busy mount away.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(200);

/// A folder below which nothing stays mounted and no loop device stays attached.
#[derive(Debug)]
pub(crate) struct Scratch {
    dir: PathBuf,
}

impl Scratch {
    /// Takes over the folder, and tidies up what a killed run left below it.
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        fs::create_dir_all(dir).with_context(|| format!("making {}", dir.display()))?;
        let dir = dir
            .canonicalize()
            .with_context(|| format!("finding {}", dir.display()))?;
        let left = Traces::below(&dir)?;
        if !left.is_empty() {
            println!("an earlier run left {left}; taking it away");
        }
        let scratch = Self { dir };
        scratch.tidy()?;
        Ok(scratch)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// A sparse file with an ext4 file system, mounted at `mnt`.
    pub(crate) fn mount_ext4(&self, bytes: u64) -> Result<PathBuf> {
        let image = self.sparse_file("image.ext4", bytes)?;
        Step::new("mkfs.ext4")
            .args(["-q", "-F"])
            .arg(&image)
            .run()?;
        let mount_point = self.dir.join("mnt");
        fs::create_dir_all(&mount_point)
            .with_context(|| format!("making {}", mount_point.display()))?;
        Step::new("mount")
            .args(["-t", "ext4", "-o", "loop"])
            .arg(&image)
            .arg(&mount_point)
            .run()?;
        Ok(mount_point)
    }

    /// A file of this length without holes, attached to a free loop device that bypasses the page
    /// cache: `/dev/loopN`.
    pub(crate) fn attach(&self, bytes: u64) -> Result<PathBuf> {
        let path = self.dir.join("disk");
        File::create(&path)
            .and_then(|mut file| io::copy(&mut io::repeat(0xA5).take(bytes), &mut file))
            .with_context(|| format!("filling {}", path.display()))?;
        let device = Step::new("losetup")
            .args(["--find", "--show", "--direct-io=on"])
            .arg(&path)
            .read()?;
        Ok(PathBuf::from(device.trim()))
    }

    fn sparse_file(&self, name: &str, bytes: u64) -> Result<PathBuf> {
        let path = self.dir.join(name);
        File::create(&path)
            .and_then(|file| file.set_len(bytes))
            .with_context(|| format!("making {}", path.display()))?;
        Ok(path)
    }

    /// Unmounts and detaches all below the folder, and checks that nothing is left.
    pub(crate) fn tidy(&self) -> Result<()> {
        let mut words = String::new();
        for _ in 0..TRIES {
            let left = Traces::below(&self.dir)?;
            if left.is_empty() {
                return Ok(());
            }
            // Newest first: what is mounted on top goes first.
            let unmounted = left
                .mounts
                .iter()
                .rev()
                .map(|mount| Step::new("umount").arg(mount).read());
            let detached = left
                .loops
                .iter()
                .map(|device| Step::new("losetup").arg("--detach").arg(device).read());
            for failed in unmounted.chain(detached).filter_map(Result::err) {
                words = format!("{failed:#}");
            }
            if !Traces::below(&self.dir)?.is_empty() {
                thread::sleep(PAUSE);
            }
        }
        let left = Traces::below(&self.dir)?;
        if left.is_empty() {
            return Ok(());
        }
        bail!("{left} could not be taken away: {words}; end what uses it, then unmount it by hand")
    }

    /// Tidies up and removes the folder's content.
    pub(crate) fn remove(self) -> Result<()> {
        self.tidy()?;
        fs::remove_dir_all(&self.dir).with_context(|| format!("removing {}", self.dir.display()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = self.tidy() {
            eprintln!("warning: {error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{found, is_root};

    fn can_mount() -> bool {
        let can = is_root() && Path::new("/dev/loop-control").exists() && found("mkfs.ext4");
        if !can {
            println!("skipped: mounting an image needs root, loop devices and mkfs.ext4");
        }
        can
    }

    #[test]
    fn what_is_mounted_goes_with_its_scratch() {
        if !can_mount() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(dir.path()).unwrap();
        let mount_point = scratch.mount_ext4(16 << 20).unwrap();
        let made = Traces::below(scratch.dir()).unwrap();
        assert_eq!(made.mounts, [mount_point]);
        assert_eq!(made.loops.len(), 1);
        drop(scratch);
        assert_eq!(Traces::below(dir.path()).unwrap(), Traces::default());
    }

    #[test]
    fn what_a_killed_run_left_is_taken_away() {
        if !can_mount() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let killed = Scratch::open(dir.path()).unwrap();
        killed.mount_ext4(16 << 20).unwrap();
        std::mem::forget(killed);
        let next = Scratch::open(dir.path()).unwrap();
        assert_eq!(Traces::below(next.dir()).unwrap(), Traces::default());
        next.remove().unwrap();
        assert!(!dir.path().exists());
    }
}
