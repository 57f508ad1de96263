//! Sync calls: how long, what they waited for, and the slowest one by one.

use super::{
    latency, mount_target, per_second,
    shape::{FsyncJson, SlowSyncJson, SyncPhaseJson},
};
use crate::{
    capture::{Capture, Slice, SlowSync, SyncCalls, SyncPhase, SyncSlice},
    profile::file_class,
    units,
};
use std::{cmp::Reverse, collections::BTreeMap};

pub(super) fn calls(capture: &Capture, total: &Slice) -> Vec<FsyncJson> {
    let calls = |(number, slice): (&String, &SyncSlice)| -> Vec<FsyncJson> {
        let mount = mount_target(&capture.host, number).unwrap_or(number);
        let one = |(call, counted): (&String, &SyncCalls)| FsyncJson {
            mount: mount.to_owned(),
            number: number.clone(),
            call: call.clone(),
            errors: counted.errors,
            per_second: per_second(counted.latency_ns.n(), total.length_ns),
            latency: latency(Some(&counted.latency_ns), String::new),
            phases: (!counted.phases_ns.is_empty()).then(|| phases(&counted.phases_ns)),
            phases_reason: counted
                .phases_ns
                .is_empty()
                .then(|| "this recording timed whole calls only".to_owned()),
        };
        slice.calls.iter().map(one).collect()
    };
    total.syncs.iter().flat_map(calls).collect()
}

/// The slowest of all filesystems.
pub(super) fn slowest(capture: &Capture, total: &Slice) -> Vec<SlowSyncJson> {
    let of = |(number, slice): (&String, &SyncSlice)| -> Vec<SlowSyncJson> {
        let mount = mount_target(&capture.host, number).unwrap_or(number);
        let calls = slice.slowest.iter();
        calls.map(|call| one(mount, call)).collect()
    };
    let mut all: Vec<_> = total.syncs.iter().flat_map(of).collect();
    all.sort_by_key(|call| Reverse(call.took_ns));
    all.truncate(SyncSlice::SLOWEST);
    all
}

fn one(mount: &str, call: &SlowSync) -> SlowSyncJson {
    let path = [call.folder.as_str(), call.file.as_str()];
    let path: Vec<_> = path.into_iter().filter(|part| !part.is_empty()).collect();
    SlowSyncJson {
        mount: mount.to_owned(),
        at_seconds: call.at_ns as f64 / 1e9,
        took_ns: call.took_ns,
        phases: phases(&call.phases_ns),
        command: call.command.clone(),
        pid: call.pid,
        file: path.join("/"),
        file_class: file_class::class(&call.folder, &call.file),
        waited_for_file: call.waited_for_file.clone(),
        waited_for_pages: call.waited_for_pages,
    }
}

fn phases(sums: &BTreeMap<SyncPhase, u64>) -> Vec<SyncPhaseJson> {
    let all: u64 = sums.values().sum();
    let one = |(phase, ns): (&SyncPhase, &u64)| SyncPhaseJson {
        phase: phase.name(),
        sum_ns: *ns,
        share: *ns as f64 / all.max(1) as f64,
    };
    sums.iter().map(one).collect()
}

/// `data 3 %, ordered 61 %, journal 36 %`; what is below half a per cent is left out.
fn shares(phases: &[SyncPhaseJson]) -> String {
    let told = phases.iter().filter(|phase| phase.share >= 0.005);
    let words = told.map(|phase| format!("{} {}", phase.phase, units::ratio(phase.share)));
    words.collect::<Vec<_>>().join(", ")
}

impl FsyncJson {
    /// What the calls spent their time on.
    pub(crate) fn phases_words(&self) -> Option<String> {
        let phases = self.phases.as_ref()?;
        Some(format!(
            "{} on {} waited for: {}",
            self.call,
            self.mount,
            shares(phases)
        ))
    }
}

impl SlowSyncJson {
    /// `212 ms at 3.1 s: postgres (4711) on pg_wal/0000... (wal): ordered 97 %; for 4,096 pages of bulk`.
    pub(crate) fn words(&self) -> String {
        let file = match self.file.as_str() {
            "" => "a file without a name".to_owned(),
            file => format!("{file} ({})", self.file_class),
        };
        let other = self.waited_for_file.as_ref().map(|other| {
            let pages = units::count(self.waited_for_pages.unwrap_or(0));
            let other = if other.is_empty() {
                "a file without a name"
            } else {
                other
            };
            format!("; its commit waited for {pages} pages of files, last of {other}")
        });
        format!(
            "{} at {}: {} ({}) on {file} of {}: {}{}",
            units::nanos(self.took_ns as f64),
            units::nanos(self.at_seconds * 1e9),
            self.command,
            self.pid,
            self.mount,
            shares(&self.phases),
            other.unwrap_or_default()
        )
    }
}
