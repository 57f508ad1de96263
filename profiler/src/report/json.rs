//! The report for programs: the one computation that every other format prints from.

pub(crate) mod checked;
mod device;
mod dirty;
mod numbers;
mod processes;
pub mod shape;
mod stack;
mod syncs;
pub(crate) mod words;
mod workload;

use super::{Format, Report};
use crate::capture::{Capture, JournalSlice, Slice};
use crate::host::Host;
use anyhow::{Context, Result};
use numbers::{finite, latency, per_second, reason};
use shape::*;
use std::collections::BTreeMap;
use std::io::Write;

use device::name_of;
pub(crate) use numbers::state_words;

/// `--format json`.
pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "The stable shape for programs (`iosage schema report`)"
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        serde_json::to_writer_pretty(&mut *out, &ReportJson::new(report))
            .context("writing the JSON report")?;
        writeln!(out)?;
        Ok(())
    }
}

impl ReportJson {
    /// Computes every number of the report.
    pub fn new(report: &Report) -> Self {
        let Report {
            capture,
            total,
            judgement,
            page: _,
        } = report;
        let journals = journals(capture, total);
        let fsync = syncs::calls(capture, total);
        let (processes, processes_reason) = processes::processes(capture);
        Self {
            tool: capture.meta.tool.clone(),
            host: host(&capture.host),
            window: window(capture, total),
            devices: device::all(capture, total),
            journals_reason: journals
                .is_empty()
                .then(|| reason(&capture.probes, &["journal"])),
            journals,
            fsync_reason: fsync.is_empty().then(|| reason(&capture.probes, &["sync"])),
            slow_syncs: syncs::slowest(capture, total),
            dirty: dirty::dirty(capture, total),
            processes,
            processes_reason,
            fsync,
            workload: capture
                .workload
                .as_ref()
                .map(|w| workload::workload(capture, total, w)),
            workload_reason: capture
                .workload
                .is_none()
                .then(|| "the built-in workload was not run".to_owned()),
            imported: capture.imported.clone(),
            findings: judgement.findings.clone(),
            verdict: judgement.verdict.clone(),
            probes: probes(capture),
            losses: losses(capture),
            own_cost: own_cost(capture),
        }
    }
}

fn host(host: &Host) -> HostJson {
    HostJson {
        name: host.hostname.clone(),
        id: host.id.clone(),
        kernel: host.kernel_release.clone(),
        os: host.os.clone(),
        virtualisation: host.virtualisation.clone(),
        cpus: host.cpus,
        memory_bytes: host.memory.total_bytes,
        missing: host
            .missing
            .iter()
            .map(|missing| MissingJson {
                what: missing.what.clone(),
                reason: missing.reason.clone(),
            })
            .collect(),
    }
}

fn window(capture: &Capture, total: &Slice) -> Window {
    Window {
        start: capture.meta.started.clone(),
        seconds: capture.meta.window_ns as f64 / 1e9,
        command: capture.meta.command.clone(),
        ended_by: capture.meta.ended_by.clone(),
        covered_seconds: total.length_ns as f64 / 1e9,
    }
}

/// The mount point of a filesystem's device number, the shortest where there are several.
fn mount_target<'a>(host: &'a Host, number: &str) -> Option<&'a str> {
    host.mounts
        .iter()
        .filter(|mount| mount.number == number)
        .map(|mount| mount.target.as_str())
        .min_by_key(|target| target.len())
}

/// Whether a probe group did not run, and that is known.
fn silent(capture: &Capture, probe: &str) -> bool {
    use crate::capture::ProbeState;
    let found = capture.probes.iter().find(|status| status.id == probe);
    !found.is_some_and(|status| matches!(status.state, ProbeState::Ok | ProbeState::Partial))
}

fn journals(capture: &Capture, total: &Slice) -> Vec<JournalJson> {
    let one = |(number, journal): (&String, &JournalSlice)| JournalJson {
        device: name_of(&capture.host, number),
        mount: mount_target(&capture.host, number).map(str::to_owned),
        kind: "jbd2".to_owned(),
        commits: journal.commits,
        commits_per_second: per_second(journal.commits, total.length_ns),
        phases: journal
            .phases
            .iter()
            .map(|(phase, histogram)| {
                (
                    phase.name().to_owned(),
                    latency(Some(histogram), String::new),
                )
            })
            .collect(),
        handles: journal.handles,
        handles_max: journal.handles_max,
        blocks: journal.blocks,
        blocks_logged: journal.blocks_logged,
        checkpoints: journal.checkpoints,
        checkpoint_blocks_written: journal.checkpoint_blocks_written,
        checkpoint_forced_to_close: journal.checkpoint_forced_to_close,
    };
    total.journals.iter().map(one).collect()
}

fn probes(capture: &Capture) -> Vec<ProbeJson> {
    capture
        .probes
        .iter()
        .map(|probe| ProbeJson {
            id: probe.id.clone(),
            about: probe.about.clone(),
            state: probe.state,
            reason: probe.reason.clone(),
        })
        .collect()
}

fn losses(capture: &Capture) -> LossesJson {
    let losses = &capture.losses;
    LossesJson {
        ring_dropped: losses.ring_dropped.clone(),
        recursion_missed: losses.recursion_missed,
        unknown_device: losses.unknown_device,
        unknown_tag: losses.unknown_tag,
        negative_durations: losses.negative_durations,
        table_full: losses.table_full.clone(),
        stacks_missing: losses.stacks_missing,
        reason: losses
            .recursion_missed
            .is_none()
            .then(|| "this kernel does not say which program runs it skipped".to_owned()),
    }
}

impl LossesJson {
    /// Every kind of loss with its count, in words; zeros included.
    pub fn named(&self) -> BTreeMap<String, Option<u64>> {
        let mut named: BTreeMap<String, Option<u64>> = BTreeMap::new();
        let mut put = |name: String, n| named.insert(name, n);
        for (probe, n) in &self.ring_dropped {
            put(format!("records dropped (ring of {probe} full)"), Some(*n));
        }
        for (table, n) in &self.table_full {
            put(format!("not followed (table of {table} full)"), Some(*n));
        }
        put("program runs skipped".into(), self.recursion_missed);
        put(
            "requests of unknown devices".into(),
            Some(self.unknown_device),
        );
        put("requests with unknown tags".into(), Some(self.unknown_tag));
        put(
            "negative durations left out".into(),
            Some(self.negative_durations),
        );
        put("samples without a stack".into(), Some(self.stacks_missing));
        named
    }
}

fn own_cost(capture: &Capture) -> OwnCostJson {
    let cost = &capture.own_cost;
    let kernel = finite(cost.kernel_cpu_percent);
    let user = finite(cost.user_cpu_percent);
    let together = kernel.zip(user).map(|(kernel, user)| kernel + user);
    let ns_per_event = finite(cost.ns_per_event);
    let ns_per_request = finite(cost.ns_per_request);
    let all = ns_per_event.and(ns_per_request).and(together).is_some();
    OwnCostJson {
        ns_per_event,
        ns_per_request,
        cpu_percent: finite(together),
        kernel_cpu_percent: kernel,
        user_cpu_percent: user,
        memory_bytes: cost.memory_bytes,
        reason: (!all).then(|| "the kernel's program statistics were not available".to_owned()),
    }
}
