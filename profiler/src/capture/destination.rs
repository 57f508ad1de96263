//! A file that appears whole or not at all.
//!
//! The content is written to a file without a name (O_TMPFILE) in the target's directory, so that a
//! killed process leaves nothing behind, and gets its name when it is complete. A name cannot be given
//! over another file in one call: then the file is first linked as `.NAME.iosage-tmp` and renamed,
//! under a lock on the directory, and what a kill between the two calls may leave is removed by the
//! next one. Where the filesystem has no O_TMPFILE (NFS, FUSE, vfat) the file is called
//! `.NAME.PID.iosage-tmp` from the start, and only a kill leaves it behind.

use anyhow::{Context, Result, bail};
use rustix::fs::{self, AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// As many symbolic links as the kernel follows in one path.
const MOST_LINKS: usize = 40;

/// Where a file is to appear: a name in an open directory.
#[derive(Clone, Debug)]
pub struct Destination {
    directory: Rc<OwnedFd>,
    name: OsString,
    /// The path to show.
    pub path: PathBuf,
}

/// A file that has no name yet.
#[derive(Debug)]
pub struct Unnamed {
    pub file: File,
    /// On filesystems without O_TMPFILE: the name it has to have until it is complete.
    temporary: Option<(Rc<OwnedFd>, OsString)>,
}

impl Destination {
    /// Finds the directory and name behind a path, through symbolic links; refuses what is no place
    /// for a regular file.
    pub fn resolve(path: &Path) -> Result<Self> {
        let mut target = path.to_owned();
        for _ in 0..MOST_LINKS {
            let destination = Self::open(&target)?;
            let Some(stat) = destination.stat()? else {
                return Ok(destination);
            };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => return Ok(destination),
                FileType::Symlink => target = destination.follow(&stat)?,
                kind => bail!(
                    "{} is {}; give the name of a file, or `-` for standard output",
                    path.display(),
                    describe(kind)
                ),
            }
        }
        bail!("{} leads through too many symbolic links", path.display())
    }

    fn open(path: &Path) -> Result<Self> {
        let Some(name) = path.file_name() else {
            bail!("{} is not the name of a file", path.display());
        };
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = match fs::open(parent, flags, Mode::empty()) {
            Ok(directory) => directory,
            Err(Errno::NOENT) => bail!(
                "the directory {} does not exist; create it first",
                parent.display()
            ),
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("opening the directory {}", parent.display()));
            }
        };
        Ok(Self {
            directory: Rc::new(directory),
            name: name.to_owned(),
            path: path.to_owned(),
        })
    }

    fn stat(&self) -> Result<Option<Stat>> {
        match fs::statat(&*self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error).with_context(|| self.path.display().to_string()),
        }
    }

    /// Where a symbolic link leads. Links are followed here and not by the kernel, so its rule for
    /// directories that anyone may write to (fs.protected_symlinks) is kept here too.
    fn follow(&self, link: &Stat) -> Result<PathBuf> {
        let directory = fs::fstat(&*self.directory).context("reading the directory's owner")?;
        let mode = Mode::from_raw_mode(directory.st_mode);
        let shared = mode.contains(Mode::SVTX) && mode.contains(Mode::WOTH);
        let own = link.st_uid == rustix::process::geteuid().as_raw();
        if shared && !own && link.st_uid != directory.st_uid {
            bail!(
                "{} is a symbolic link that another user made in a directory open to all; \
                 choose another name",
                self.path.display()
            );
        }
        let to = fs::readlinkat(&*self.directory, &self.name, Vec::new())
            .with_context(|| format!("reading the symbolic link {}", self.path.display()))?;
        let to: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(to.to_bytes());
        Ok(self.path.parent().unwrap_or(Path::new(".")).join(to))
    }

    /// The file that is there now, if any.
    pub fn existing(&self) -> Result<Option<File>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match fs::openat(&*self.directory, &self.name, flags, Mode::empty()) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error).with_context(|| format!("opening {}", self.path.display())),
        }
    }

    /// A new file, in the same directory, that can take the name later.
    pub fn unnamed(&self) -> Result<Unnamed> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let opened = fs::openat(&*self.directory, ".", flags | OFlags::TMPFILE, mode);
        match opened {
            // Without /proc the file could never be given a name.
            Ok(file) if Path::new(&proc_path(&file)).exists() => Ok(Unnamed {
                file: File::from(file),
                temporary: None,
            }),
            Ok(_) | Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {
                let name = self.temporary_name(&format!(".{}", std::process::id()));
                let flags = flags | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
                let file = fs::openat(&*self.directory, &name, flags, mode)
                    .with_context(|| self.cannot_write())?;
                Ok(Unnamed {
                    file: File::from(file),
                    temporary: Some((Rc::clone(&self.directory), name)),
                })
            }
            Err(error) => Err(error).with_context(|| self.cannot_write()),
        }
    }

    /// What to say when writing fails.
    pub fn cannot_write(&self) -> String {
        format!("cannot write {}", self.path.display())
    }

    /// Gives a complete file its name, for good: content and name are on the disk when this returns.
    /// With `replace` whatever has the name is replaced; otherwise an existing file is EEXIST.
    pub fn publish(&self, content: &Unnamed, replace: bool) -> Result<(), Errno> {
        fs::fsync(&content.file)?;
        match self.link(content, &self.name) {
            Err(Errno::EXIST) if replace => self.replace(content)?,
            linked => linked?,
        }
        fs::fsync(&*self.directory)
    }

    /// Keeps a file whose name was taken meanwhile: `NAME.1`, or the first number that is free.
    pub fn publish_beside(&self, content: &Unnamed) -> Result<PathBuf, Errno> {
        for number in 1..1000 {
            let mut name = self.name.clone();
            name.push(format!(".{number}"));
            match self.link(content, &name) {
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    fs::fsync(&*self.directory)?;
                    return Ok(self.path.with_file_name(name));
                }
            }
        }
        Err(Errno::EXIST)
    }

    fn link(&self, content: &Unnamed, name: &OsStr) -> Result<(), Errno> {
        let here = &*self.directory;
        let Some((_, temporary)) = &content.temporary else {
            let file = proc_path(&content.file);
            return fs::linkat(fs::CWD, file, here, name, AtFlags::SYMLINK_FOLLOW);
        };
        match fs::renameat_with(here, temporary, here, name, RenameFlags::NOREPLACE) {
            // NFS cannot rename without replacing, but it can link.
            Err(Errno::INVAL | Errno::NOSYS) => {
                fs::linkat(here, temporary, here, name, AtFlags::empty())
            }
            renamed => renamed,
        }
    }

    fn replace(&self, content: &Unnamed) -> Result<(), Errno> {
        let here = &*self.directory;
        if let Some((_, temporary)) = &content.temporary {
            return fs::renameat(here, temporary, here, &self.name);
        }
        // A lock that the filesystem refuses costs nothing but the order of two writers.
        let _ = fs::flock(here, FlockOperation::LockExclusive);
        let name = self.temporary_name("");
        let _ = fs::unlinkat(here, &name, AtFlags::empty());
        let renamed = self
            .link(content, &name)
            .and_then(|()| fs::renameat(here, &name, here, &self.name));
        let _ = fs::flock(here, FlockOperation::Unlock);
        renamed
    }

    fn temporary_name(&self, middle: &str) -> OsString {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(middle);
        name.push(".iosage-tmp");
        name
    }
}

#[cfg(test)]
impl From<File> for Unnamed {
    fn from(file: File) -> Self {
        Self {
            file,
            temporary: None,
        }
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        if let Some((directory, name)) = &self.temporary {
            // Gone already if the file was renamed; if it cannot be removed, nobody can do anything.
            let _ = fs::unlinkat(&**directory, name, AtFlags::empty());
        }
    }
}

fn proc_path(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn describe(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a directory",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "not a regular file",
    }
}
