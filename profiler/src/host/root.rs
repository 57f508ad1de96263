//! The tree that an inventory is read from: `/`, or a directory that holds a copy of one.
//!
//! Symbolic links are followed inside the tree, as `chroot` would, so that a collected host never
//! leaks files of the host that looks at it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// No file that an inventory reads is longer; a larger one is cut here.
const READ_LIMIT: u64 = 8 << 20;
/// As the kernel's own limit, fs/namei.c MAXSYMLINKS.
const LINK_LIMIT: usize = 40;

/// Where to read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    dir: PathBuf,
    live: bool,
}

impl Root {
    /// The running host.
    pub fn live() -> Self {
        Self {
            dir: PathBuf::from("/"),
            live: true,
        }
    }

    /// A tree below `dir`. Only files are read: no ioctl, no statvfs, no device.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            live: false,
        }
    }

    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Path to give to the kernel for `path` of the tree, symbolic links resolved where the
    /// kernel would resolve them against another root.
    pub fn path(&self, path: &str) -> io::Result<PathBuf> {
        if self.live {
            // Never relative to where this program happens to run.
            return Ok(Path::new("/").join(path));
        }
        Ok(self.outside(&self.resolve(path)?))
    }

    /// `path` with every symbolic link resolved, as seen inside the tree.
    pub fn canonical(&self, path: &str) -> io::Result<String> {
        let found = if self.live {
            fs::canonicalize(self.path(path)?)?
        } else {
            self.resolve(path)?
        };
        Ok(found.to_string_lossy().into_owned())
    }

    /// Text of a file. Bytes that are not UTF-8 become U+FFFD.
    pub fn read(&self, path: &str) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.open(path)?.take(READ_LIMIT).read_to_end(&mut bytes)?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// Opens for reading without waiting for the other end of a pipe.
    pub fn open(&self, path: &str) -> io::Result<File> {
        fs::OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
            .open(self.path(path)?)
    }

    /// Names in a directory, sorted with numbers in their natural order.
    pub fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path(path)?)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort_by(|a, b| natural(a).cmp(&natural(b)));
        Ok(names)
    }

    /// Text of a symbolic link, which need not lead anywhere.
    pub fn link(&self, path: &str) -> io::Result<String> {
        let at = match path.rsplit_once('/') {
            Some((parent, name)) if !self.live => {
                let parent = if parent.is_empty() { "/" } else { parent };
                self.path(parent)?.join(name)
            }
            _ => self.path(path)?,
        };
        Ok(fs::read_link(at)?.to_string_lossy().into_owned())
    }

    pub fn exists(&self, path: &str) -> bool {
        self.path(path).is_ok_and(|path| path.exists())
    }

    pub fn is_dir(&self, path: &str) -> bool {
        self.path(path).is_ok_and(|path| path.is_dir())
    }

    fn outside(&self, inside: &Path) -> PathBuf {
        match inside.strip_prefix("/") {
            Ok(relative) => self.dir.join(relative),
            Err(_) => self.dir.join(inside),
        }
    }

    /// Walks `path` one component at a time; `..` stops at the top of the tree.
    fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        let mut done = PathBuf::from("/");
        let mut ahead: Vec<Box<OsStr>> = backwards(Path::new(path));
        let mut links = 0;
        while let Some(component) = ahead.pop() {
            if &*component == OsStr::new("..") {
                done.pop();
                continue;
            }
            done.push(&*component);
            let Ok(target) = fs::read_link(self.outside(&done)) else {
                continue; // No link, or nothing there: the open that follows says which.
            };
            links += 1;
            if links > LINK_LIMIT {
                return Err(io::Error::from_raw_os_error(
                    rustix::io::Errno::LOOP.raw_os_error(),
                ));
            }
            done.pop();
            if target.is_absolute() {
                done = PathBuf::from("/");
            }
            ahead.extend(backwards(&target));
        }
        Ok(done)
    }
}

/// Components to walk, the first one last.
fn backwards(path: &Path) -> Vec<Box<OsStr>> {
    path.components()
        .rev()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.into()),
            Component::ParentDir => Some(OsStr::new("..").into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// Sort key: `sda2` before `sda10`.
pub(crate) fn natural(name: &str) -> (String, u64, &str) {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, number) = name.split_at(name.len() - digits);
    (stem.to_owned(), number.parse().unwrap_or(0), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_stay_inside_the_tree() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("etc/real")).unwrap();
        fs::write(dir.path().join("etc/real/name"), "inside").unwrap();
        symlink("/etc/real", dir.path().join("etc/absolute")).unwrap();
        symlink("../../../../etc/real", dir.path().join("etc/climbing")).unwrap();
        symlink("/etc/loop", dir.path().join("etc/loop")).unwrap();
        let root = Root::at(dir.path());
        assert_eq!(root.read("/etc/absolute/name").unwrap(), "inside");
        assert_eq!(root.read("/etc/climbing/name").unwrap(), "inside");
        assert_eq!(root.canonical("/etc/climbing").unwrap(), "/etc/real");
        assert_eq!(root.link("/etc/absolute").unwrap(), "/etc/real");
        assert_eq!(
            root.read("/etc/loop").unwrap_err().raw_os_error(),
            Some(rustix::io::Errno::LOOP.raw_os_error())
        );
        assert_eq!(
            root.read("/etc/none").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn numbers_sort_as_numbers() {
        let mut names = ["sda10", "sda2", "md127", "md3", "sda"];
        names.sort_by(|a, b| natural(a).cmp(&natural(b)));
        assert_eq!(names, ["md3", "md127", "sda", "sda2", "sda10"]);
    }
}
