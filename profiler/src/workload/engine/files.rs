//! The files of one thread, open; and errors told with name, file and offset.

use super::clock;
use super::course::Io;
use super::tally::{Kind, Tally, Times};
use crate::workload::plan::{BetweenPasses, Job, Target};
use crate::workload::spec::{Advice, Engine, SyncMode, Way};
use rustix::fs::{Advice as Fadvise, FallocateFlags, FileType, Mode, OFlags, fadvise};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// One open file.
pub(super) struct Open {
    pub(super) fd: OwnedFd,
    pub(super) path: PathBuf,
    /// Added to every offset of the job.
    pub(super) start: u64,
    /// A block device, not a regular file.
    pub(super) device: bool,
}

/// All files of a thread; empty for the engine that does no I/O.
pub(super) struct Files(pub(super) Vec<Open>);

impl Files {
    /// Opens, tells the kernel the order of the I/O, drops cached pages.
    pub(super) fn open(job: &Job) -> Result<Self, String> {
        if job.engine == Engine::Null {
            return Ok(Self(Vec::new()));
        }
        let mut files = Vec::new();
        for target in &job.files {
            let (fd, device) = open(job, &target.path)?;
            if job.pre_read {
                read_through(&fd, target).map_err(|error| {
                    failure(error, "reading ahead of the job", &target.path, 0, 0)
                })?;
            } else if job.invalidate {
                drop_cache(&fd);
            }
            if let Some(advice) = advice(job) {
                // Advice: a filesystem that does not take it changes nothing.
                let _ = fadvise(&fd, 0, None, advice);
            }
            files.push(Open {
                fd,
                path: target.path.clone(),
                start: target.offset_bytes,
                device,
            });
        }
        let files = Self(files);
        if job.between_passes == BetweenPasses::Truncate {
            // What an earlier run left is no part of this log.
            files.between(job)?;
        }
        Ok(files)
    }

    /// What the job does between two passes over its files.
    pub(super) fn between(&self, job: &Job) -> Result<(), String> {
        for open in &self.0 {
            match job.between_passes {
                BetweenPasses::Nothing => {}
                BetweenPasses::DropCache => drop_cache(&open.fd),
                BetweenPasses::Truncate => rustix::fs::ftruncate(&open.fd, 0)
                    .map_err(|error| failure(error, "truncating", &open.path, 0, 0))?,
            }
        }
        Ok(())
    }

    /// The syncs a job ends with (`end_fsync`, `fsync_on_close`), counted with the others.
    pub(super) fn finish(&self, job: &Job, tally: &mut Tally) -> Result<(), String> {
        let end = u32::from(job.end_fsync && job.access.writes);
        let close = u32::from(job.fsync_on_close);
        for open in &self.0 {
            for _ in 0..end + close {
                sync(open, Kind::Fsync, tally)?;
            }
        }
        Ok(())
    }
}

/// Syncs a file and counts it.
fn sync(open: &Open, kind: Kind, tally: &mut Tally) -> Result<(), String> {
    let submitted = clock::now();
    let result = flush(open, kind);
    let times = Times {
        due: None,
        taken: submitted,
        submitted,
        completed: clock::now(),
    };
    match result {
        Ok(()) => tally.add(kind, times, 0),
        Err(_) => tally.error(kind),
    }
    result
}

/// Makes a file durable.
pub(super) fn flush(open: &Open, kind: Kind) -> Result<(), String> {
    match kind {
        Kind::Fdatasync => rustix::fs::fdatasync(&open.fd),
        _ => rustix::fs::fsync(&open.fd),
    }
    .map_err(|error| failure(error, "syncing", &open.path, 0, 0))
}

/// Gives the blocks back: a discard on a device, a hole in a file.
pub(super) fn trim(open: &Open, io: &Io) -> Result<(), String> {
    /// `_IO(0x12, 119)`: the range in bytes, start and length.
    const BLKDISCARD: rustix::ioctl::Opcode = 0x1277;
    let at = open.start + io.offset;
    let result = if open.device {
        // SAFETY: BLKDISCARD reads two numbers of 64 bits, which is what is passed.
        unsafe {
            let range = rustix::ioctl::Setter::<BLKDISCARD, [u64; 2]>::new([at, io.length]);
            rustix::ioctl::ioctl(&open.fd, range)
        }
    } else {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        rustix::fs::fallocate(&open.fd, flags, at, io.length)
    };
    result.map_err(|error| failure(error, doing(io), &open.path, at, io.length))
}

pub(super) fn doing(io: &Io) -> &'static str {
    match io.way {
        Way::Read => "reading",
        Way::Write => "writing",
        Way::Trim => "trimming",
    }
}

/// The kernel moved nothing: the file is shorter than when the job began.
pub(super) fn ended(open: &Open, io: &Io, at: u64) -> String {
    format!(
        "end of file {} {} bytes at offset {at} of {}: it has become shorter",
        doing(io),
        io.length,
        open.path.display()
    )
}

fn open(job: &Job, path: &Path) -> Result<(OwnedFd, bool), String> {
    let mut flags = OFlags::CLOEXEC;
    flags |= if job.access.writes {
        // A mapping for writing needs both.
        OFlags::RDWR
    } else {
        OFlags::RDONLY
    };
    if job.direct {
        flags |= OFlags::DIRECT;
    }
    match job.sync {
        SyncMode::None => {}
        SyncMode::Sync => flags |= OFlags::SYNC,
        SyncMode::Dsync => flags |= OFlags::DSYNC,
    }
    // As in fio reading does not update access times, where the rights allow it.
    let fd = match rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => rustix::fs::open(path, flags, Mode::empty()),
        other => other,
    }
    .map_err(|error| match error {
        Errno::INVAL if job.direct => format!(
            "{}: this filesystem does not do direct I/O (EINVAL); use direct=0",
            path.display()
        ),
        error => failure(error, "opening", path, 0, 0),
    })?;
    let stat = rustix::fs::fstat(&fd).map_err(|error| failure(error, "looking at", path, 0, 0))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok((fd, false)),
        FileType::BlockDevice => Ok((fd, true)),
        _ => Err(format!(
            "{}: neither a regular file nor a block device",
            path.display()
        )),
    }
}

fn advice(job: &Job) -> Option<Fadvise> {
    match job.advice {
        Advice::None => None,
        Advice::ByOrder if job.access.random => Some(Fadvise::Random),
        Advice::ByOrder | Advice::Sequential => Some(Fadvise::Sequential),
        Advice::Random => Some(Fadvise::Random),
        Advice::Noreuse => Some(Fadvise::NoReuse),
    }
}

/// Reads the job's part of a file, so that the page cache holds it.
fn read_through(fd: &OwnedFd, target: &Target) -> rustix::io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    let mut at = target.offset_bytes;
    while at < target.length_bytes() {
        let most = (target.length_bytes() - at).min(buffer.len() as u64) as usize;
        match rustix::io::pread(fd, &mut buffer[..most], at) {
            Ok(0) => break,
            Ok(n) => at += n as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Drops the file's clean pages; dirty ones stay, as in fio.
pub(super) fn drop_cache(fd: &OwnedFd) {
    // Advice: what cannot be dropped stays cached.
    let _ = fadvise(fd, 0, None, Fadvise::DontNeed);
}

/// `EIO writing 8192 bytes at offset 65536 of /data/f: Input/output error`.
pub(super) fn failure(error: Errno, doing: &str, path: &Path, offset: u64, length: u64) -> String {
    let text = std::io::Error::from_raw_os_error(error.raw_os_error()).to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text);
    let name = name(error);
    let path = path.display();
    if length == 0 {
        format!("{name} {doing} {path}: {reason}")
    } else {
        format!("{name} {doing} {length} bytes at offset {offset} of {path}: {reason}")
    }
}

/// The kernel's name of an error; its number where it is none that storage returns.
fn name(error: Errno) -> String {
    const NAMES: &[(Errno, &str)] = &[
        (Errno::ACCESS, "EACCES"),
        (Errno::AGAIN, "EAGAIN"),
        (Errno::BADF, "EBADF"),
        (Errno::BUSY, "EBUSY"),
        (Errno::DQUOT, "EDQUOT"),
        (Errno::FBIG, "EFBIG"),
        (Errno::ILSEQ, "EILSEQ"),
        (Errno::INVAL, "EINVAL"),
        (Errno::IO, "EIO"),
        (Errno::MFILE, "EMFILE"),
        (Errno::NFILE, "ENFILE"),
        (Errno::NODATA, "ENODATA"),
        (Errno::NODEV, "ENODEV"),
        (Errno::NOENT, "ENOENT"),
        (Errno::NOLINK, "ENOLINK"),
        (Errno::NOMEM, "ENOMEM"),
        (Errno::NOSPC, "ENOSPC"),
        (Errno::NXIO, "ENXIO"),
        (Errno::OPNOTSUPP, "EOPNOTSUPP"),
        (Errno::PERM, "EPERM"),
        (Errno::REMOTEIO, "EREMOTEIO"),
        (Errno::ROFS, "EROFS"),
        (Errno::STALE, "ESTALE"),
        (Errno::TIMEDOUT, "ETIMEDOUT"),
        (Errno::TXTBSY, "ETXTBSY"),
    ];
    NAMES.iter().find(|(errno, _)| *errno == error).map_or_else(
        || format!("errno {}", error.raw_os_error()),
        |(_, name)| (*name).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_error_place_and_file() {
        assert_eq!(
            failure(Errno::IO, "writing", Path::new("/d/f"), 65536, 8192),
            "EIO writing 8192 bytes at offset 65536 of /d/f: Input/output error"
        );
        assert_eq!(
            failure(Errno::ROFS, "opening", Path::new("/d/f"), 0, 0),
            "EROFS opening /d/f: Read-only file system"
        );
    }
}
