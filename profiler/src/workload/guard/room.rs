//! Whether the job fits: whole logical blocks for direct I/O, free space for what will be laid out.

use crate::workload::plan::{Job, Plan};
use crate::workload::problem::Problem;
use crate::workload::spec::Engine;
use rustix::fs::{AtFlags, CWD, StatxFlags};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Direct I/O in parts of a logical block fails in the kernel with a bare EINVAL: say it before.
pub(super) fn alignment(job: &Job) -> Vec<Problem> {
    let mut problems = Vec::new();
    for target in &job.files {
        let Some(unit) = logical_block(&target.path) else {
            continue;
        };
        let odd_size = job
            .used()
            .flat_map(|split| split.sizes())
            .find(|b| b % unit != 0);
        let others = [target.offset_bytes, job.access.gap_bytes.unsigned_abs()];
        let odd = odd_size.map(|bytes| ("block size", bytes)).or_else(|| {
            let odd_offset = others.into_iter().find(|bytes| bytes % unit != 0);
            odd_offset.map(|bytes| ("offset or gap", bytes))
        });
        if let Some((what, bytes)) = odd {
            let message = format!(
                "direct=1 needs whole logical blocks of {unit} bytes on {}, {what} {bytes} is none; use a multiple of {unit}, or direct=0",
                target.path.display()
            );
            problems.push(Problem::new(&job.places.block, message));
        }
    }
    problems
}

/// The unit of direct I/O: what the file says, else the device below its directory.
fn logical_block(path: &Path) -> Option<u64> {
    if let Ok(found) = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN)
        && StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::DIOALIGN)
        && found.stx_dio_offset_align > 0
    {
        return Some(u64::from(found.stx_dio_offset_align));
    }
    let meta = fs::metadata(path)
        .ok()
        .or_else(|| fs::metadata(path.parent()?).ok())?;
    let own = meta.rdev();
    queue_block(if own != 0 { own } else { meta.dev() })
}

fn queue_block(number: u64) -> Option<u64> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let directory = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let of = |dir: &Path| fs::read_to_string(dir.join("queue/logical_block_size")).ok();
    let text = of(&directory).or_else(|| of(directory.canonicalize().ok()?.parent()?))?;
    text.trim().parse().ok()
}

/// What the plan will allocate on one filesystem.
struct Need<'a> {
    directory: &'a Path,
    bytes: u64,
    job: &'a Job,
}

/// Refuses to fill a filesystem up.
pub(super) fn space(plan: &Plan) -> Vec<Problem> {
    let mut longest: BTreeMap<&Path, (u64, &Job)> = BTreeMap::new();
    for job in plan.jobs.iter().filter(|job| job.engine != Engine::Null) {
        for target in &job.files {
            let entry = longest.entry(&target.path).or_insert((0, job));
            entry.0 = entry.0.max(target.length_bytes());
        }
    }
    let mut needs: BTreeMap<u64, Need<'_>> = BTreeMap::new();
    for (path, (length, job)) in longest {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|meta| !meta.is_file()) {
            continue;
        }
        let allocated = existing.map_or(0, |meta| meta.blocks() * 512);
        let Some(directory) = path.parent() else {
            continue;
        };
        let Ok(meta) = fs::metadata(directory) else {
            continue;
        };
        let need = needs.entry(meta.dev()).or_insert(Need {
            directory,
            bytes: 0,
            job,
        });
        need.bytes = need.bytes.saturating_add(length.saturating_sub(allocated));
    }
    needs
        .into_values()
        .filter_map(|need| short(&need))
        .collect()
}

fn short(need: &Need<'_>) -> Option<Problem> {
    let room = rustix::fs::statvfs(need.directory).ok()?;
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    (need.bytes > free).then(|| {
        let message = format!(
            "the files of this workload need {} bytes more on the filesystem of {}, {free} are free",
            need.bytes,
            need.directory.display()
        );
        Problem::new(&need.job.places.target, message)
    })
}
