//! What stands between a job file and somebody's data: asked before anything is created or written.

mod device;
mod room;
mod signature;

pub(super) use device::Uses;

use super::plan::{Job, Plan, Target};
use super::problem::Problem;
use super::spec::Engine;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Everything that forbids running the plan on this host as it is now.
pub(super) fn check(plan: &Plan) -> Vec<Problem> {
    let uses = Uses::of_this_host();
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for job in plan.jobs.iter().filter(|job| job.engine != Engine::Null) {
        for target in &job.files {
            let fresh = seen.insert((
                &target.path,
                job.access.writes,
                job.direct,
                job.places.index,
            ));
            if fresh && let Err(message) = target_fits(plan, job, target, &uses) {
                problems.push(Problem::new(&job.places.target, message));
            }
        }
        if job.direct {
            problems.extend(room::alignment(job));
        }
    }
    problems.extend(logs(plan));
    if problems.is_empty() {
        problems.extend(room::space(plan));
    }
    problems.extend(ring(plan));
    problems
}

/// Log files must not take the place of anything else.
fn logs(plan: &Plan) -> Vec<Problem> {
    let logs = plan
        .jobs
        .iter()
        .filter_map(|job| Some((job, job.logs.as_ref()?)));
    let files = logs.flat_map(|(job, logs)| logs.paths().into_iter().map(move |path| (job, path)));
    files
        .filter(|(_, path)| {
            let there = path.symlink_metadata().is_ok();
            there && !plan.overwrite && !super::layout::is_ours(path)
        })
        .map(|(job, path)| {
            let message = format!(
                "the log {} exists and was not made by iosage; name another, or give --overwrite",
                path.display()
            );
            Problem::new(&job.places.job, message)
        })
        .collect()
}

/// May this job open this target?
fn target_fits(plan: &Plan, job: &Job, target: &Target, uses: &Uses) -> Result<(), String> {
    let path = &target.path;
    let shown = path.display();
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound && !job.may_create => {
            return Err(format!(
                "{shown} does not exist, and allow_file_create=0 forbids to make it"
            ));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return absent(path),
        Err(error) => return Err(format!("{shown} cannot be looked at: {error}")),
    };
    let kind = meta.file_type();
    if kind.is_file() {
        let grows = target.length_bytes() > meta.len();
        if job.access.writes || grows {
            free_file(path, &meta, uses)?;
        }
        if (job.access.writes || grows)
            && meta.len() > 0
            && !plan.overwrite
            && !super::layout::is_ours(path)
        {
            return Err(format!(
                "{shown} exists, holds {} bytes and was not made by iosage; the job would write over it: name another file, or give --overwrite if it may be lost",
                meta.len()
            ));
        }
        return Ok(());
    }
    if !kind.is_block_device() {
        return Err(format!(
            "{shown} is neither a regular file nor a block device"
        ));
    }
    if !job.access.writes {
        return Ok(());
    }
    let busy = uses.of_device(meta.rdev());
    if !busy.is_empty() {
        return Err(format!(
            "{shown} is in use and is never written: {}",
            busy.join(", ")
        ));
    }
    // The kernel knows of users that no table here shows (mounts of other namespaces).
    let claim = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    if let Err(Errno::BUSY) = rustix::fs::open(path, claim, Mode::empty()) {
        return Err(format!(
            "{shown} is claimed by the kernel (mounted elsewhere, part of an array, swap) and is never written"
        ));
    }
    let allowed = plan.allowed_devices.iter().any(|allowed| {
        std::fs::metadata(allowed)
            .is_ok_and(|m| m.file_type().is_block_device() && m.rdev() == meta.rdev())
    });
    if !allowed {
        return Err(format!(
            "{shown} is a block device and the job would write over it; if that is meant give --allow-device {shown}"
        ));
    }
    match signature::of(path)? {
        Some(whose) if !plan.destroy => Err(format!(
            "{shown} holds {whose}, which the job would write over; give --destroy if it may be lost"
        )),
        _ => Ok(()),
    }
}

/// A file that is not there: may it be made?
fn absent(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if path.symlink_metadata().is_ok() {
        return Err(format!("{shown} is a link that leads nowhere"));
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => return Err(format!("{shown} has no directory")),
    };
    let meta = std::fs::metadata(parent)
        .map_err(|e| format!("directory {}: {e}; create it first", parent.display()))?;
    if !meta.is_dir() {
        return Err(format!("{} is no directory", parent.display()));
    }
    // /dev/shm is another filesystem and a fine place for files.
    if std::fs::metadata("/dev").is_ok_and(|dev| dev.dev() == meta.dev()) {
        return Err(format!(
            "{shown} does not exist, and no regular file is created among the devices in /dev"
        ));
    }
    Ok(())
}

/// A regular file that something else lives in is not written.
fn free_file(path: &Path, meta: &Metadata, uses: &Uses) -> Result<(), String> {
    match uses.of_file(meta.dev(), meta.ino()) {
        None => Ok(()),
        Some(user) => Err(format!(
            "{} is in use and is never written: {user}",
            path.display()
        )),
    }
}

/// Asks for a ring before anything runs, so that a job does not fail half way.
fn ring(plan: &Plan) -> Option<Problem> {
    let job = plan.jobs.iter().find(|job| job.engine == Engine::IoUring)?;
    let error = io_uring::IoUring::new(2).err()?;
    let message = format!(
        "io_uring cannot be used here ({error}); use ioengine=psync, or allow it (kernel.io_uring_disabled, seccomp)"
    );
    Some(Problem::new(&job.places.job, message))
}
