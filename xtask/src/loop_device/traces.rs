//! What is mounted or attached below a folder, as the kernel tells it.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Mounts and loop devices that belong to a folder, and to nobody else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    /// Mount points below the folder, oldest first.
    pub(crate) mounts: Vec<PathBuf>,
    /// `/dev/loopN` whose backing file lies below the folder.
    pub(crate) loops: Vec<PathBuf>,
}

impl Traces {
    /// What there is below `dir`, which must be absolute and free of links.
    pub(crate) fn below(dir: &Path) -> Result<Self> {
        let mountinfo = fs::read("/proc/self/mountinfo").context("reading /proc/self/mountinfo")?;
        Ok(Self {
            mounts: mount_points(&mountinfo, dir),
            loops: loop_devices(Path::new("/sys/block"), dir)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.mounts.is_empty() && self.loops.is_empty()
    }
}

impl fmt::Display for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mounts = self
            .mounts
            .iter()
            .map(|path| format!("the mount {}", path.display()));
        let loops = self
            .loops
            .iter()
            .map(|path| format!("the device {}", path.display()));
        f.write_str(&mounts.chain(loops).collect::<Vec<_>>().join(" and "))
    }
}

/// The fifth field of each line, where it lies strictly below `dir`.
fn mount_points(mountinfo: &[u8], dir: &Path) -> Vec<PathBuf> {
    mountinfo
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(4))
        .map(|field| PathBuf::from(OsString::from_vec(unescape(field))))
        .filter(|point| is_below(point, dir))
        .collect()
}

/// Space, tab, newline and backslash stand as `\` and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        out.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[3..] } else { after };
    }
    out
}

fn loop_devices(sys_block: &Path, dir: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(sys_block).with_context(|| format!("reading {}", sys_block.display()))?;
    let mut devices: Vec<_> = entries
        .flatten()
        .filter(|entry| {
            // The file is there while the device is attached, and ends in ` (deleted)` for a removed file.
            fs::read(entry.path().join("loop/backing_file")).is_ok_and(|mut name| {
                name.pop_if(|last| *last == b'\n');
                is_below(Path::new(&OsString::from_vec(name)), dir)
            })
        })
        .map(|entry| Path::new("/dev").join(entry.file_name()))
        .collect();
    devices.sort();
    Ok(devices)
}

fn is_below(path: &Path, dir: &Path) -> bool {
    path != dir && path.starts_with(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTINFO: &[u8] = b"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        90 27 7:0 / /src/target/demo/mnt rw,relatime shared:1 - ext4 /dev/loop0 rw\n\
        91 90 0:40 / /src/target/demo/mnt/a\\040b\\134c rw - tmpfs none rw\n\
        92 27 7:1 / /src/target/demo-of-another/mnt rw - ext4 /dev/loop1 rw\n\
        93 27 7:2 / /src/target/demo rw - ext4 /dev/loop2 rw\n";

    #[test]
    fn only_mounts_strictly_below_the_folder_are_ours() {
        assert_eq!(
            mount_points(MOUNTINFO, Path::new("/src/target/demo")),
            [
                PathBuf::from("/src/target/demo/mnt"),
                PathBuf::from("/src/target/demo/mnt/a b\\c")
            ]
        );
        assert_eq!(mount_points(b"", Path::new("/")), Vec::<PathBuf>::new());
        assert_eq!(
            mount_points(b"short line\n", Path::new("/")),
            Vec::<PathBuf>::new()
        );
    }

    #[test]
    fn an_escape_that_is_none_stays_as_it_is() {
        assert_eq!(unescape(br"\04"), br"\04");
        assert_eq!(unescape(br"\999x"), br"\999x");
        assert_eq!(unescape(br"\134\011"), b"\\\t");
    }

    #[test]
    fn only_loop_devices_on_files_of_the_folder_are_ours() {
        let sys = tempfile::tempdir().unwrap();
        let attach = |name: &str, file: &str| {
            let dir = sys.path().join(name).join("loop");
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("backing_file"), format!("{file}\n")).unwrap();
        };
        attach("loop0", "/src/target/demo/image.ext4");
        attach("loop1", "/srv/image.ext4");
        attach("loop2", "/src/target/demo/old.ext4 (deleted)");
        fs::create_dir(sys.path().join("vda")).unwrap();
        assert_eq!(
            loop_devices(sys.path(), Path::new("/src/target/demo")).unwrap(),
            [PathBuf::from("/dev/loop0"), PathBuf::from("/dev/loop2")]
        );
    }
}
