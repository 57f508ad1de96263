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

/// Lays out what the plan's jobs need; returns the files that were not there before.
pub(super) fn lay_out(plan: &Plan, stop: &Stop) -> Result<BTreeSet<PathBuf>> {
    let mut created = BTreeSet::new();
    for job in plan.jobs.iter().filter(|job| job.engine != Engine::Null) {
        for target in &job.files {
            if stop.is_set() {
                return Ok(created);
            }
            if one(job, target, stop)
                .with_context(|| format!("laying out {}", target.path.display()))?
            {
                created.insert(target.path.clone());
            }
        }
    }
    Ok(created)
}

/// One file; whether it was made.
fn one(job: &Job, target: &Target, stop: &Stop) -> Result<bool> {
    let (file, made) = open(&target.path, job.access.writes)?;
    let Some(file) = file else {
        return Ok(false);
    };
    let kind = file.metadata()?;
    if kind.file_type().is_block_device() {
        return Ok(false);
    }
    if !kind.is_file() {
        bail!("it is neither a regular file nor a block device");
    }
    let (there, wanted) = (kind.len(), target.length_bytes());
    if there >= wanted || job.between_passes == BetweenPasses::Truncate {
        return Ok(made);
    }
    if target.named && !job.access.writes && there > 0 {
        bail!(
            "it holds {there} bytes, {wanted} are needed, and a job that reads does not change a file it names"
        );
    }
    reserve(&file, job.fallocate, there, wanted)?;
    if job.access.reads || job.overwrite {
        fill(&file, job.seed, there, wanted, stop)?;
        file.sync_all().context("syncing")?;
    }
    Ok(made)
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

/// Removes what the job was asked to leave nothing of; a file it named but did not make stays.
pub(super) fn remove(plan: &Plan, created: &BTreeSet<PathBuf>, notes: &mut Vec<String>) {
    let jobs = plan
        .jobs
        .iter()
        .filter(|job| job.unlink && job.engine != Engine::Null);
    for target in jobs.flat_map(|job| &job.files) {
        let path = &target.path;
        if target.named && !created.contains(path) {
            notes.push(format!(
                "{}: was there before and is not removed (unlink)",
                path.display()
            ));
        } else if let Ok(meta) = path.symlink_metadata()
            && meta.is_file()
            && let Err(error) = std::fs::remove_file(path)
        {
            notes.push(format!("{}: cannot be removed: {error}", path.display()));
        }
    }
}
