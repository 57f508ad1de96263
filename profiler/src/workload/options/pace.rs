//! Setters for time and order: how long, how many, how deep, when to sync, what waits for what.

use super::shape::Done;
use super::{Argument, Fault};
use crate::workload::spec::{Spec, SyncMode};

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

pub(super) fn startdelay(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if a.text()?.contains('-') {
        return Err(Fault::Blocked(
            "a range of delays is not supported".to_owned(),
        ));
    }
    spec.delay_ns = a.time(SECOND)?;
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

/// `READ[,WRITE]`; an empty part leaves that direction free.
pub(super) fn rate_iops(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let mut rates = [None; 2];
    let parts: Vec<&str> = a.text()?.split(',').collect();
    if parts.len() > 2 {
        return Err(Fault::Blocked(
            "a third rate (trims) is not supported".to_owned(),
        ));
    }
    for (rate, text) in rates.iter_mut().zip(&parts) {
        if !text.trim().is_empty() {
            let n = crate::workload::units::integer(text, a.base)?;
            // As in fio 0 means no limit.
            *rate = Some(n).filter(|n| *n > 0);
        }
    }
    if parts.len() == 1 {
        rates[1] = rates[0];
    }
    spec.rate_iops = rates;
    Ok(())
}
