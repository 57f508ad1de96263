//! Setters for what is watched while a job runs: steady state, log files.

use super::shape::Done;
use super::{Argument, Fault};
use crate::workload::spec::{Spec, Steady, Watched};

const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;

/// `iops:5%`, `bw:10m`, `iops_slope:0.3%`, `bw_slope:1k`.
pub(super) fn steadystate(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    let (kind, limit) = text.split_once(':').unwrap_or((text, "0.01%"));
    let (watched, slope) = match kind {
        "iops" => (Watched::Ios, false),
        "iops_slope" => (Watched::Ios, true),
        "bw" => (Watched::Bytes, false),
        "bw_slope" => (Watched::Bytes, true),
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of iops, iops_slope, bw, bw_slope"
            )));
        }
    };
    let (number, percent) = match limit.strip_suffix('%') {
        Some(number) => (number.trim().parse().ok(), true),
        None => {
            let amount = crate::workload::units::integer(limit, a.base);
            (
                limit.trim().parse().ok().or(amount.ok().map(|n| n as f64)),
                false,
            )
        }
    };
    let limit = match number {
        Some(limit) if f64::is_finite(limit) && limit >= 0.0 => limit,
        _ => {
            return Err(Fault::Bad(format!(
                "`{limit}` is no limit such as 0.5% or 100"
            )));
        }
    };
    let before = steady(spec);
    spec.steady = Some(Steady {
        watched,
        slope,
        percent,
        limit,
        ..before
    });
    spec.steady_wanted = true;
    Ok(())
}

fn steady(spec: &Spec) -> Steady {
    spec.steady.clone().unwrap_or(Steady {
        watched: Watched::Ios,
        slope: true,
        percent: true,
        limit: 0.01,
        duration_ns: 0,
        ramp_ns: 0,
        interval_ns: SECOND,
    })
}

pub(super) fn ss_duration(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let duration_ns = a.time(SECOND)?;
    spec.steady = Some(Steady {
        duration_ns,
        ..steady(spec)
    });
    Ok(())
}

pub(super) fn ss_ramp(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let ramp_ns = a.time(SECOND)?;
    spec.steady = Some(Steady {
        ramp_ns,
        ..steady(spec)
    });
    Ok(())
}

pub(super) fn ss_interval(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let interval_ns = a.time(SECOND)?;
    if interval_ns < MILLISECOND {
        return Err(Fault::Bad("the interval is shorter than 1 ms".to_owned()));
    }
    spec.steady = Some(Steady {
        interval_ns,
        ..steady(spec)
    });
    Ok(())
}

/// The value is the beginning of the file's name; the job's name when there is none.
fn prefix(spec: &Spec, a: &Argument<'_>) -> Option<String> {
    match a.text {
        Some(text) if !text.is_empty() => Some(text.to_owned()),
        _ => Some(spec.name.clone()),
    }
}

pub(super) fn write_bw_log(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.logs[0] = prefix(spec, a);
    Ok(())
}

pub(super) fn write_iops_log(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.logs[1] = prefix(spec, a);
    Ok(())
}

pub(super) fn write_lat_log(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.logs[2] = prefix(spec, a);
    Ok(())
}

pub(super) fn log_avg_msec(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.log_window_ns = a.integer(0, 86_400_000)? * MILLISECOND;
    Ok(())
}
