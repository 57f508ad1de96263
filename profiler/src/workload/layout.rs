//! Files before the job: created where the job names them, filled for jobs that read, synced.

use super::Stop;
use super::pattern::Random;
use super::plan::{BetweenPasses, Job, Plan, Target};
use super::spec::{Engine, Fallocate};
use anyhow::{Context, Result, bail};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// How much is written at once.
const CHUNK: usize = 1 << 20;

/// On every file that iosage makes, where the filesystem keeps such marks: what it made it may write
/// over in a later run.
const MARK: &str = "user.iosage.made";

/// Did iosage make this file?
pub(super) fn is_ours(path: &Path) -> bool {
    rustix::fs::getxattr(path, MARK, &mut [0u8; 8]).is_ok()
}

/// Lays out what the plan's jobs need; `created` gets the files that were not there before.
pub(super) fn lay_out(plan: &Plan, stop: &Stop, created: &mut BTreeSet<PathBuf>) -> Result<()> {
    for job in plan.jobs.iter().filter(|job| job.engine != Engine::Null) {
        for target in &job.files {
            if stop.is_set() {
                return Ok(());
            }
            one(job, target, stop, created)
                .with_context(|| format!("laying out {}", target.path.display()))?;
        }
    }
    Ok(())
}

fn one(job: &Job, target: &Target, stop: &Stop, created: &mut BTreeSet<PathBuf>) -> Result<()> {
    let (file, made) = open(&target.path, job.access.writes)?;
    if made {
        created.insert(target.path.clone());
    }
    let Some(file) = file else {
        return Ok(());
    };
    let kind = file.metadata()?;
    if kind.file_type().is_block_device() {
        return Ok(());
    }
    if !kind.is_file() {
        bail!("it is neither a regular file nor a block device");
    }
    let (there, wanted) = (kind.len(), target.length_bytes());
    if there >= wanted || job.between_passes == BetweenPasses::Truncate {
        return Ok(());
    }
    if target.named && !job.access.writes && there > 0 {
        bail!(
            "it holds {there} bytes, {wanted} are needed, and a job that reads does not change a file it names"
        );
    }
    reserve(&file, job.fallocate, there, wanted)?;
    if job.engine == Engine::Mmap && file.metadata()?.len() < wanted {
        // What lies past the end of a file cannot be written through a mapping.
        file.set_len(wanted).context("setting the length")?;
    }
    if job.access.reads || job.overwrite {
        fill(&file, job.seed, there, wanted, stop)?;
        file.sync_all().context("syncing")?;
    }
    Ok(())
}

/// Opens for writing what may be written, creates what is missing; `None`: there is nothing to do.
fn open(path: &Path, writes: bool) -> Result<(Option<File>, bool)> {
    let existing = std::fs::metadata(path);
    if let Ok(meta) = existing {
        if meta.file_type().is_block_device() && !writes {
            return Ok((None, false));
        }
        let writable = OpenOptions::new().write(true).open(path);
        return match writable {
            Ok(file) => Ok((Some(file), false)),
            // A job that only reads needs no right to write; too short a file is told when it runs.
            Err(_) if !writes => Ok((None, false)),
            Err(error) => Err(error).context("opening for writing"),
        };
    }
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(path)
        .context("creating")?;
    mark(&file);
    Ok((Some(file), true))
}

fn reserve(file: &File, how: Fallocate, there: u64, wanted: u64) -> Result<()> {
    let flags = match how {
        Fallocate::None => return Ok(()),
        Fallocate::Truncate => return file.set_len(wanted).context("setting the length"),
        Fallocate::Native | Fallocate::Posix => FallocateFlags::empty(),
        Fallocate::Keep => FallocateFlags::KEEP_SIZE,
    };
    match rustix::fs::fallocate(file, flags, there, wanted - there) {
        Ok(()) => Ok(()),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) if how != Fallocate::Posix => Ok(()),
        Err(error) => Err(error).context("reserving room (fallocate)"),
    }
}

/// Writes random data from `from` on, so that neither the filesystem nor the device can save work.
fn fill(file: &File, seed: u64, from: u64, to: u64, stop: &Stop) -> Result<()> {
    let mut random = Random::new(seed);
    let mut chunk = vec![0u8; CHUNK];
    let mut at = from;
    while at < to && !stop.is_set() {
        random.fill(&mut chunk);
        let length = usize::try_from(to - at).unwrap_or(CHUNK).min(CHUNK);
        file.write_all_at(&chunk[..length], at)
            .with_context(|| format!("writing at offset {at}"))?;
        at += length as u64;
    }
    Ok(())
}

/// Writes a log file of a job.
pub(super) fn write_log(path: &Path, text: &str) -> Result<(), String> {
    let write = || -> std::io::Result<()> {
        std::fs::write(path, text)?;
        mark(&File::open(path)?);
        Ok(())
    };
    write().map_err(|error| format!("the log {} cannot be written: {error}", path.display()))
}

/// Without the mark a later run asks before it writes over the file.
fn mark(file: &File) {
    let _ = rustix::fs::fsetxattr(file, MARK, b"1", rustix::fs::XattrFlags::empty());
}

/// Removes what the run made, unless it is kept, and what jobs were asked to leave nothing of; a
/// file that a job named but that was there before stays.
pub(super) fn remove(plan: &Plan, created: &mut BTreeSet<PathBuf>, notes: &mut Vec<String>) {
    let jobs = plan
        .jobs
        .iter()
        .filter(|job| job.unlink && job.engine != Engine::Null);
    let mut unlinked = BTreeSet::new();
    for target in jobs.flat_map(|job| &job.files) {
        let path = &target.path;
        if target.named && !created.contains(path) {
            notes.push(format!(
                "{}: was there before and is not removed (unlink)",
                path.display()
            ));
        } else {
            unlinked.insert(path.clone());
        }
    }
    created.retain(|path| !unlinked.contains(path));
    remove_made(&mut unlinked, notes);
    if !plan.keep {
        remove_made(created, notes);
    }
}

/// Removes these files; one that is gone already is no fault.
pub(super) fn remove_made(files: &mut BTreeSet<PathBuf>, notes: &mut Vec<String>) {
    while let Some(path) = files.pop_first() {
        if path.symlink_metadata().is_ok_and(|meta| meta.is_file())
            && let Err(error) = std::fs::remove_file(&path)
        {
            notes.push(format!("{}: cannot be removed: {error}", path.display()));
        }
    }
}
