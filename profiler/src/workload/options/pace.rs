//! Setters for time and order: how long, how many, how deep, when to sync, what waits for what.

use super::shape::{Done, triple};
use super::{Argument, Fault};
use crate::workload::spec::{Process, Rate, Spec, SyncMode, Turn};
use crate::workload::units;

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1_000;
/// More threads or I/Os in flight than this is a mistyped number.
const MANY: u64 = 4096;

pub(super) fn numjobs(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.clones = a.integer(1, MANY)?;
    Ok(())
}

pub(super) fn runtime(spec: &mut Spec, a: &Argument<'_>) -> Done {
    // As in fio 0 means no limit.
    spec.runtime_ns = Some(a.time(SECOND)?).filter(|ns| *ns > 0);
    Ok(())
}

pub(super) fn time_based(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.time_based = a.yes()?;
    Ok(())
}

pub(super) fn ramp_time(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.ramp_ns = a.time(SECOND)?;
    Ok(())
}

/// `TIME` or `TIME-TIME`, from which each clone draws.
pub(super) fn startdelay(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (units::time(from, SECOND)?, units::time(to, SECOND)?);
    if from > to {
        return Err(Fault::Bad(format!("`{text}` runs backwards")));
    }
    spec.delay_ns = (from, to);
    Ok(())
}

pub(super) fn loops(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.loops = a.integer(1, u64::from(u32::MAX))?;
    Ok(())
}

pub(super) fn iodepth(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.depth = a.integer(1, MANY)?;
    Ok(())
}

pub(super) fn iodepth_batch(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.submit = a.integer(0, MANY)?;
    Ok(())
}

pub(super) fn iodepth_batch_complete_min(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.complete_min = a.integer(0, MANY)?;
    Ok(())
}

pub(super) fn iodepth_batch_complete_max(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.complete_max = a.integer(1, MANY)?;
    Ok(())
}

pub(super) fn iodepth_low(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.low = Some(a.integer(1, MANY)?);
    Ok(())
}

pub(super) fn sync(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.sync = match a.text()? {
        "0" | "none" => SyncMode::None,
        "1" | "sync" => SyncMode::Sync,
        "dsync" => SyncMode::Dsync,
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of none, sync, dsync"
            )));
        }
    };
    Ok(())
}

pub(super) fn fsync(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.fsync_every = a.integer(0, u64::MAX)?;
    Ok(())
}

pub(super) fn fdatasync(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.fdatasync_every = a.integer(0, u64::MAX)?;
    Ok(())
}

pub(super) fn end_fsync(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.end_fsync = a.yes()?;
    Ok(())
}

pub(super) fn fsync_on_close(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.fsync_on_close = a.yes()?;
    Ok(())
}

pub(super) fn stonewall(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.stonewall = a.yes()?;
    Ok(())
}

pub(super) fn new_group(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.new_group = a.yes()?;
    Ok(())
}

pub(super) fn group_reporting(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.group_reporting = a.yes()?;
    Ok(())
}

pub(super) fn thread(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if !a.yes()? {
        spec.notes
            .push("jobs run as threads of one process, not as processes".to_owned());
    }
    Ok(())
}

pub(super) fn thinktime(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.think_ns = a.time(MICROSECOND)?;
    Ok(())
}

pub(super) fn thinktime_blocks(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.think_blocks = a.integer(1, u64::MAX)?;
    Ok(())
}

/// `READ[,WRITE[,TRIM]]`; an empty part leaves that way free, and so does 0, as in fio.
fn rates(spec: &mut Spec, a: &Argument<'_>, unit: impl Fn(u64) -> Rate) -> Result<(), Fault> {
    spec.rate = triple(a, |text| match text.trim() {
        "" => Ok(None),
        text => Ok(Some(units::integer(text, a.base)?)
            .filter(|n| *n > 0)
            .map(&unit)),
    })?;
    Ok(())
}

pub(super) fn rate_iops(spec: &mut Spec, a: &Argument<'_>) -> Done {
    rates(spec, a, Rate::IosPerSecond)
}

pub(super) fn rate(spec: &mut Spec, a: &Argument<'_>) -> Done {
    rates(spec, a, Rate::BytesPerSecond)
}

pub(super) fn rate_process(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.process = match a.text()? {
        "linear" => Process::Linear,
        "poisson" => Process::Poisson,
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is neither linear nor poisson"
            )));
        }
    };
    Ok(())
}

/// `roundrobin[:N]`, `random[:N]`, `sequential`.
pub(super) fn file_service_type(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    let (kind, ios) = match text.split_once(':') {
        None => (text, 1),
        Some((kind, ios)) => (kind, units::integer(ios, a.base)?.max(1)),
    };
    spec.turn = match kind {
        "roundrobin" => Turn::Around(ios),
        "random" => Turn::Random(ios),
        "sequential" => Turn::Sequential,
        "zipf" | "pareto" | "normal" | "gauss" => {
            return Err(Fault::Blocked(format!(
                "`{kind}`: files are taken around, at random or in order"
            )));
        }
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of roundrobin, random, sequential"
            )));
        }
    };
    Ok(())
}
