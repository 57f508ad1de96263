//! Bytes: how long each file is, which part of it is worked on, how much is done in all.

use super::names::Names;
use crate::workload::pattern::Random;
use crate::workload::plan::{Job, Target};
use crate::workload::problem::Problem;
use crate::workload::spec::{Engine, Spec, Way};
use crate::workload::units::Amount;
use std::collections::BTreeMap;
use std::io::Seek;
use std::path::{Path, PathBuf};

/// Lengths of files: what is there, and what jobs above will have made.
#[derive(Default)]
pub(super) struct Disk(BTreeMap<PathBuf, u64>);

impl Disk {
    fn length(&self, path: &Path) -> Option<u64> {
        if let Some(planned) = self.0.get(path) {
            return Some(*planned);
        }
        let meta = std::fs::metadata(path).ok()?;
        if super::names::is_block_device(path) {
            let mut device = std::fs::File::open(path).ok()?;
            return device.seek(std::io::SeekFrom::End(0)).ok();
        }
        meta.is_file().then_some(meta.len())
    }

    fn will_hold(&mut self, path: &Path, length: u64) {
        let planned = self.length(path).unwrap_or(0).max(length);
        self.0.insert(path.to_owned(), planned);
    }
}

/// The files of a clone with their parts, and the bytes to do.
pub(super) struct Amounts {
    pub(super) files: Vec<Target>,
    pub(super) io_bytes: u64,
    pub(super) io_size_given: bool,
}

pub(super) fn of(
    spec: &Spec,
    clone: u64,
    names: Names,
    disk: &mut Disk,
) -> Result<Amounts, Problem> {
    let smallest = smallest_block(spec);
    let n = names.paths.len() as u64;
    let mut files = Vec::new();
    for (index, path) in names.paths.into_iter().enumerate() {
        let existing = if spec.engine == Engine::Null {
            None
        } else {
            disk.length(&path)
        };
        let part = part(spec, clone, index as u64, n, smallest, existing)?;
        let target = Target {
            path,
            named: names.named,
            offset_bytes: part.0,
            region_bytes: part.1,
            existing_bytes: existing,
        };
        if target.length_bytes() > i64::MAX as u64 {
            let message = "offset and size together are beyond what a file can hold";
            return Err(Problem::new(spec.place("size"), message));
        }
        too_short(spec, &target)?;
        if spec.engine != Engine::Null {
            disk.will_hold(&target.path, target.length_bytes());
        }
        files.push(target);
    }
    if files.iter().all(|file| file.region_bytes < smallest) {
        let each = files
            .iter()
            .map(|file| file.region_bytes)
            .max()
            .unwrap_or(0);
        let message = format!("{each} bytes a file are less than one block of {smallest}");
        return Err(Problem::new(spec.place("size"), message));
    }
    total(spec, files)
}

/// A job that only reads a file it names must not make it longer.
fn too_short(spec: &Spec, target: &Target) -> Result<(), Problem> {
    let Some(existing) = target.existing_bytes else {
        return Ok(());
    };
    let short = target.length_bytes() > existing;
    let device = short && super::names::is_block_device(&target.path);
    if !device && (!short || !target.named || spec.access.writes || existing == 0) {
        return Ok(());
    }
    let (path, needed) = (target.path.display(), target.length_bytes());
    let what = if device {
        "a device does not grow: lower size= or offset="
    } else {
        "a job that reads does not change a file it names: lower size=, or remove the file to have it laid out"
    };
    let message = format!("{path} holds {existing} bytes, {needed} are needed; {what}");
    Err(Problem::new(spec.place("size"), message))
}

/// Offset and length of the part of file `index` (of `n`) that the clone works on.
fn part(
    spec: &Spec,
    clone: u64,
    index: u64,
    n: u64,
    smallest: u64,
    existing: Option<u64>,
) -> Result<(u64, u64), Problem> {
    let file_size = spec.file_size.map(|(low, high)| match existing {
        Some(length) if (low..=high).contains(&length) => length,
        _ => Random::new(low ^ (clone << 32) ^ index).between(low, high),
    });
    let base = file_size.or(existing.filter(|length| *length > 0));
    let offset = offset(spec, clone, smallest, base)?;
    let beyond = |length: u64| {
        let message = format!("offset {offset} lies beyond the {length} bytes of the file");
        Problem::new(spec.place("offset"), message)
    };
    let rest = |length: u64| length.checked_sub(offset).ok_or_else(|| beyond(length));
    let region = match (file_size, spec.size) {
        (Some(length), Some(Amount::Percent(share))) => {
            share_of(length, share, rest(length)?, smallest)
        }
        (Some(length), _) => rest(length)?,
        (None, Some(Amount::Bytes(size))) => {
            // As in fio the first files take the whole blocks that do not divide.
            let each = size.bytes / n;
            let extra = (size.bytes - each * n) / smallest;
            each + if index < extra { smallest } else { 0 }
        }
        (None, Some(Amount::Percent(share))) => {
            let length = base.ok_or_else(|| needs_a_file(spec, "size", share))?;
            share_of(length, share, rest(length)?, smallest)
        }
        (None, None) => {
            let length = base.ok_or_else(|| {
                Problem::new(
                    &spec.at,
                    "size= is missing, and there is no file to take it from",
                )
            })?;
            rest(length)?
        }
    };
    Ok((offset, region))
}

/// As in fio: a share of the whole file, cut at its end, in whole blocks.
fn share_of(length: u64, share: u64, rest: u64, block: u64) -> u64 {
    let region = percent(length, share).min(rest);
    region - region % block
}

fn percent(of: u64, share: u64) -> u64 {
    u64::try_from(u128::from(of) * u128::from(share) / 100).unwrap_or(u64::MAX)
}

fn needs_a_file(spec: &Spec, option: &str, share: u64) -> Problem {
    let message = format!(
        "{option}={share}%: a percentage needs a file that exists, or filename= with filesize= for a new one"
    );
    Problem::new(spec.place(option), message)
}

fn offset(spec: &Spec, clone: u64, block: u64, base: Option<u64>) -> Result<u64, Problem> {
    let amount = |amount: Amount, option: &str| match amount {
        Amount::Bytes(size) => Ok(size.bytes),
        Amount::Percent(share) => base
            .map(|length| percent(length, share))
            .ok_or_else(|| needs_a_file(spec, option, share)),
    };
    let start = amount(spec.offset, "offset")?;
    let step = amount(spec.offset_increment, "offset_increment")?;
    let too_far = || Problem::new(spec.place("offset"), "the offset is too large");
    let offset = step
        .checked_mul(clone)
        .and_then(|moved| moved.checked_add(start))
        .ok_or_else(too_far)?;
    if matches!(spec.offset, Amount::Percent(_)) {
        // As in fio a percentage starts at the next whole block.
        return offset.checked_next_multiple_of(block).ok_or_else(too_far);
    }
    Ok(offset)
}

fn smallest_block(spec: &Spec) -> u64 {
    let splits = spec.splits();
    let used = Way::ALL.into_iter().filter(|way| spec.access.does(*way));
    used.map(|way| splits[way as usize].smallest())
        .min()
        .unwrap_or(1)
}

/// The bytes the job does: `io_size`, else `size`, else all of its files; times `loops`.
fn total(spec: &Spec, files: Vec<Target>) -> Result<Amounts, Problem> {
    let too_much = || Problem::new(spec.place("size"), "the amount of I/O is too large");
    let all = files
        .iter()
        .try_fold(0u64, |sum, file| sum.checked_add(file.region_bytes))
        .ok_or_else(too_much)?;
    let size = match spec.size {
        Some(Amount::Bytes(size)) => size.bytes.min(all),
        _ => all,
    };
    let limit = match spec.io_size {
        None => size,
        Some(Amount::Bytes(bytes)) if bytes.bytes == 0 => size,
        Some(Amount::Bytes(bytes)) => bytes.bytes,
        Some(Amount::Percent(share)) => percent(all, share),
    };
    Ok(Amounts {
        files,
        io_bytes: limit.checked_mul(spec.loops).ok_or_else(too_much)?,
        io_size_given: spec.io_size.is_some(),
    })
}

/// How many I/Os the job will do if nothing but its bytes ends it; `None` when chance decides.
pub(super) fn expected_ios(job: &Job) -> Option<u64> {
    let bytes = by_bytes(job);
    match job.most_ios {
        Some(most) if !job.time_based => bytes.map(|ios| ios.min(most)),
        _ => bytes,
    }
}

fn by_bytes(job: &Job) -> Option<u64> {
    let block = job.single_block()?;
    let mixed = job.access.reads && job.access.writes;
    if job.time_based || (job.access.gap_bytes != 0 && (mixed || job.files.len() > 1)) {
        return None;
    }
    let most = job.io_bytes.div_ceil(block);
    if (job.access.random && !job.has_map()) || job.access.gap_bytes < 0 {
        return Some(most);
    }
    let per_pass: u64 = match job.access.gap_bytes {
        0 => job.files.iter().map(|f| f.region_bytes / block).sum(),
        gap => match gapped(&job.files[0], block, gap.unsigned_abs()) {
            Some(per_pass) => per_pass,
            None => return Some(most),
        },
    };
    if mixed && !job.access.random && job.io_bytes > per_pass.checked_mul(block)? {
        return None;
    }
    if !job.io_size_given {
        return Some(per_pass.checked_mul(job.loops)?.min(most));
    }
    let pass = per_pass.checked_mul(block)?.max(1);
    let passes = job.io_bytes / pass;
    if passes == 0 {
        return Some(most);
    }
    // A rest smaller than a block starts no further pass.
    let rest = job.io_bytes - passes * pass;
    let more = if rest < block {
        0
    } else {
        rest.div_ceil(block)
    };
    Some(passes * per_pass + more)
}

/// I/Os of one pass with gaps, which ends where a block no longer fits; `None`: as in fio a gap
/// leads from inside the file past its end and so starts over, without end.
fn gapped(file: &Target, block: u64, gap: u64) -> Option<u64> {
    let step = block.checked_add(gap)?;
    let last = file.region_bytes.checked_sub(block)? / step;
    let end = last * step + block;
    let over = file.offset_bytes + end < file.file_bytes() && end + gap >= file.file_bytes();
    (!over).then_some(last + 1)
}
