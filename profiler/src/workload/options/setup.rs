//! Setters for how files and the ring are set up, and for what changes nothing here.

use super::shape::Done;
use super::{Argument, Fault};
use crate::workload::spec::Spec;

pub(super) fn create_only(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.create_only = a.yes()?;
    Ok(())
}

pub(super) fn allow_file_create(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.may_create = a.yes()?;
    Ok(())
}

pub(super) fn openfiles(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.open_files = Some(a.integer(1, u64::from(u32::MAX))?);
    Ok(())
}

pub(super) fn pre_read(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.pre_read = a.yes()?;
    Ok(())
}

/// Of some switches only one side can be had.
fn always(a: &Argument<'_>, on: bool, why: &str) -> Done {
    match a.yes()? == on {
        true => Ok(()),
        false => Err(Fault::Blocked(why.to_owned())),
    }
}

pub(super) fn create_serialize(_: &mut Spec, a: &Argument<'_>) -> Done {
    always(a, true, "files are laid out one after another")
}

pub(super) fn create_fsync(_: &mut Spec, a: &Argument<'_>) -> Done {
    always(a, true, "files are synced after they are laid out")
}

pub(super) fn registered(_: &mut Spec, a: &Argument<'_>) -> Done {
    always(
        a,
        true,
        "files and buffers are registered wherever the kernel allows it",
    )
}

pub(super) fn sqthread_poll(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.kernel_polls = a.yes()?;
    Ok(())
}

/// `0-3,8`.
pub(super) fn cpus_allowed(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let mut cpus = Vec::new();
    for part in a.text()?.split([',', ':']) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| match text.trim().parse::<usize>() {
            Ok(cpu) if cpu < rustix::thread::CpuSet::MAX_CPU => Ok(cpu),
            _ => Err(Fault::Bad(format!("`{text}` is no CPU number"))),
        };
        let (from, to) = (number(from)?, number(to)?);
        if from > to {
            return Err(Fault::Bad(format!("`{part}` runs backwards")));
        }
        cpus.extend(from..=to);
    }
    spec.cpus = Some(cpus);
    Ok(())
}

/// With a rate latencies count from the intended start, so nothing is gained by a thread that does
/// nothing but submit.
pub(super) fn io_submit_mode(spec: &mut Spec, a: &Argument<'_>) -> Done {
    match a.text()? {
        "inline" => {}
        "offload" => spec.notes.push(
            "io_submit_mode=offload: I/O is handed in by the job's own thread; with a rate latencies count from the intended start all the same".to_owned(),
        ),
        other => return Err(Fault::Bad(format!("`{other}` is neither inline nor offload"))),
    }
    Ok(())
}

/// Which latencies have percentiles is fixed.
pub(super) fn other_percentiles(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if a.yes()? {
        spec.notes
            .push("percentiles are those of clat_ns, and with a rate of lat_ns too".to_owned());
    }
    Ok(())
}

pub(super) fn clat_percentiles(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if !a.yes()? {
        spec.notes
            .push("clat_ns has percentiles all the same".to_owned());
    }
    Ok(())
}

pub(super) fn cpus_allowed_policy(_: &mut Spec, a: &Argument<'_>) -> Done {
    match a.text()? {
        "shared" => Ok(()),
        "split" => Err(Fault::Blocked(
            "`split`: threads share the CPUs that are named".to_owned(),
        )),
        other => Err(Fault::Bad(format!("`{other}` is neither shared nor split"))),
    }
}

pub(super) fn wait_for(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.wait_for = Some(a.text()?.to_owned());
    Ok(())
}

/// Every time is always taken, which costs what the report says; the job runs all the same.
pub(super) fn measured_anyway(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if a.text != Some("0") {
        spec.notes.push(
            "latencies and rates are measured all the same, with the monotonic clock".to_owned(),
        );
    }
    Ok(())
}
