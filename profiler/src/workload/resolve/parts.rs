//! Parts of a job that follow from its section alone: when it starts, its rates, seed, logs.

use crate::workload::pattern::Random;
use crate::workload::plan::{LogName, Logs};
use crate::workload::problem::Problem;
use crate::workload::spec::{Engine, Rate, Spec, Steady, Way};
use std::hash::{BuildHasher, Hasher};
use std::path::Path;

/// Options that do not go together.
pub(super) fn fit(spec: &Spec, files: usize) -> Result<(), Problem> {
    if spec.engine == Engine::Mmap && spec.direct {
        let message = "ioengine=mmap goes through the page cache: use direct=0, or another engine";
        return Err(Problem::new(spec.place("direct"), message));
    }
    if let (Some(_), Some(at)) = (spec.places.get("rate"), spec.places.get("rate_iops")) {
        let message = "rate and rate_iops in one job are not supported: give one";
        return Err(Problem::new(at, message));
    }
    if spec.open_files.is_some_and(|open| open < files as u64) {
        let message = "all files of a job stay open: openfiles must not be less than their number";
        return Err(Problem::new(spec.place("openfiles"), message));
    }
    Ok(())
}

pub(super) fn steady(spec: &Spec) -> Result<Option<Steady>, Problem> {
    let Some(steady) = spec.steady.as_ref().filter(|_| spec.steady_wanted) else {
        return match &spec.steady {
            None => Ok(None),
            Some(_) => Err(Problem::new(
                &spec.at,
                "ss_dur, ss_ramp and ss_interval need ss=",
            )),
        };
    };
    if steady.duration_ns < steady.interval_ns {
        let message = "a steady state needs ss_dur=, of at least one interval";
        return Err(Problem::new(spec.place("ss"), message));
    }
    Ok(Some(steady.clone()))
}

pub(super) fn logs(spec: &Spec, directory: &Path, index: u64) -> Option<Logs> {
    let named = |prefix: &Option<String>| {
        let prefix = directory.join(prefix.as_ref()?);
        let number = index + 1;
        Some(LogName { prefix, number })
    };
    let [bandwidth, iops, latency] = spec.logs.each_ref().map(named);
    let any = bandwidth.is_some() || iops.is_some() || latency.is_some();
    any.then_some(Logs {
        bandwidth,
        iops,
        latency,
        window_ns: spec.log_window_ns,
    })
}

/// When the clone starts; of a range a number that is the same on every run.
pub(super) fn delay(spec: &Spec, index: u64) -> u64 {
    let (from, to) = spec.delay_ns;
    match from == to {
        true => from,
        false => Random::new(seed(spec, index) ^ 0xde1a).between(from, to),
    }
}

/// Rates of the ways that the job goes.
pub(super) fn rates(spec: &Spec) -> [Option<Rate>; 3] {
    Way::ALL.map(|way| spec.rate[way as usize].filter(|_| spec.access.does(way)))
}

/// The same numbers on every run unless `randrepeat=0`; other numbers for every clone.
pub(super) fn seed(spec: &Spec, index: u64) -> u64 {
    let base = match (spec.seed, spec.repeatable) {
        (Some(seed), _) => seed,
        (None, true) => 0x105a6e,
        (None, false) => std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish(),
    };
    base.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
