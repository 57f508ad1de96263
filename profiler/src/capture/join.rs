//! Two captures of one host behind each other, as if recorded in one go with a gap.
//!
//! The time lines are kept slice by slice, so nothing is lost; the inventory is the later one. What each
//! part said of itself stays under `meta.merged`.

use super::{
    Capture, Losses, Meta, OwnCost, ProbeState, ProbeStatus, ProgramCost, Slice, Workload,
};
use crate::host::{BlockDevice, Host};
use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Two clocks that differ by less were started together; wall times are often whole seconds.
const CLOCK_SLACK_NS: u64 = 2_000_000_000;

impl Capture {
    /// Joins two captures in the order of their starts. Refuses those of different hosts unless
    /// `any_host`, and those recorded at the same time.
    pub fn merge(a: &Self, b: &Self, any_host: bool) -> Result<Self> {
        if !any_host && !same_host(&a.host, &b.host) {
            bail!(
                "the captures are of different hosts, {} and {}",
                host_name(&a.host),
                host_name(&b.host)
            );
        }
        let (a_start, b_start) = (start(&a.meta)?, start(&b.meta)?);
        match a_start <= b_start {
            true => join(a, b, (b_start - a_start) as u64),
            false => join(b, a, (a_start - b_start) as u64),
        }
    }
}

fn start(meta: &Meta) -> Result<i128> {
    let time: Timestamp = meta
        .started
        .parse()
        .with_context(|| format!("meta.started: `{}` is no time", meta.started))?;
    Ok(time.as_nanosecond())
}

/// Whether two inventories are of one host, as far as they tell.
pub fn same_host(a: &Host, b: &Host) -> bool {
    match (&a.id, &b.id) {
        (Some(a), Some(b)) => a == b,
        _ => a.hostname.is_some() && a.hostname == b.hostname,
    }
}

fn host_name(host: &Host) -> &str {
    let name = host.hostname.as_deref().or(host.id.as_deref());
    name.unwrap_or("one without a name")
}

fn join(first: &Capture, second: &Capture, wall_offset_ns: u64) -> Result<Capture> {
    let offset_ns = offset(first, second, wall_offset_ns)?;
    let numbers = renumbering(&first.host, &second.host)?;
    let Capture {
        format,
        meta,
        host,
        probes,
        slices,
        stacks,
        workload,
        mut imported,
        losses,
        own_cost,
        extra,
    } = first.clone();
    imported.extend(second.imported.iter().cloned());
    let mut slices = slices;
    for slice in &second.slices {
        let mut slice = renumbered(slice, &numbers);
        slice.at_ns = slice.at_ns.saturating_add(offset_ns);
        for call in slice.syncs.values_mut().flat_map(|sync| &mut sync.slowest) {
            call.at_ns = call.at_ns.saturating_add(offset_ns);
        }
        slices.push(slice);
    }
    let mut stacks = stacks;
    stacks.extend_from_slice(&second.stacks);
    let mut all_extra = extra;
    all_extra.extend(second.extra.clone());
    let mut format = format;
    format.minor = format.minor.max(second.format.minor);
    Ok(Capture {
        format,
        meta: join_meta(meta, &second.meta, offset_ns),
        host: join_host(host, &second.host, &numbers),
        probes: join_probes(&probes, &second.probes),
        slices,
        stacks,
        imported,
        workload: join_workloads(workload, second.workload.clone()),
        losses: join_losses(losses, &second.losses),
        own_cost: join_costs(first, second, own_cost),
        extra: all_extra,
    })
}

/// From the start of the first capture to that of the second.
fn offset(first: &Capture, second: &Capture, wall_ns: u64) -> Result<u64> {
    let (a, b) = (&first.meta, &second.meta);
    let monotonic = b.started_monotonic_ns.checked_sub(a.started_monotonic_ns);
    // Within one boot the monotonic clock is exact and is not set.
    let exact = monotonic.filter(|m| m.abs_diff(wall_ns) < CLOCK_SLACK_NS);
    let last = first.slices.last();
    let end_ns = last.map_or(0, |s| s.at_ns.saturating_add(s.length_ns));
    match exact {
        Some(exact) if exact >= end_ns => Ok(exact),
        None if wall_ns.saturating_add(CLOCK_SLACK_NS) > end_ns && wall_ns > 0 => {
            Ok(wall_ns.max(end_ns))
        }
        _ => bail!(
            "the captures overlap: one runs from {} for {} s, the other starts at {}",
            a.started,
            end_ns / 1_000_000_000,
            b.started
        ),
    }
}

/// What a device is recognised by: its stable id, or its name where there is none.
fn identity(device: &BlockDevice) -> (&str, &str) {
    match &device.id {
        Some(id) => ("id", id),
        None => ("name", &device.name),
    }
}

/// The number in the first capture for each number of the second that means a device there, too.
fn renumbering(first: &Host, second: &Host) -> Result<BTreeMap<String, String>> {
    let mut numbers = BTreeMap::new();
    for device in &second.devices {
        let mut known = first.devices.iter();
        if let Some(same) = known.find(|d| identity(d) == identity(device)) {
            numbers.insert(device.number.clone(), same.number.clone());
        }
    }
    for device in &second.devices {
        if numbers.contains_key(&device.number) {
            continue;
        }
        let mut known = first.devices.iter();
        if let Some(other) = known.find(|d| d.number == device.number) {
            bail!(
                "device {} is {} in one capture and {} in the other; they cannot be merged",
                device.number,
                other.name,
                device.name
            );
        }
    }
    Ok(numbers)
}

fn renumbered(slice: &Slice, numbers: &BTreeMap<String, String>) -> Slice {
    fn rename<T: Clone>(
        map: &BTreeMap<String, T>,
        numbers: &BTreeMap<String, String>,
    ) -> BTreeMap<String, T> {
        let name = |number: &String| numbers.get(number).unwrap_or(number).clone();
        map.iter().map(|(k, v)| (name(k), v.clone())).collect()
    }
    Slice {
        devices: rename(&slice.devices, numbers),
        journals: rename(&slice.journals, numbers),
        syncs: rename(&slice.syncs, numbers),
        dirtied: rename(&slice.dirtied, numbers),
        pauses: rename(&slice.pauses, numbers),
        ..slice.clone()
    }
}

fn join_host(first: Host, second: &Host, numbers: &BTreeMap<String, String>) -> Host {
    let mut host = second.clone();
    for device in &mut host.devices {
        if let Some(number) = numbers.get(&device.number) {
            device.number.clone_from(number);
        }
    }
    for mount in &mut host.mounts {
        if let Some(number) = numbers.get(&mount.number) {
            mount.number.clone_from(number);
        }
    }
    for device in first.devices {
        if !host.devices.iter().any(|d| d.number == device.number) {
            host.devices.push(device);
        }
    }
    host
}

fn join_meta(first: Meta, second: &Meta, offset_ns: u64) -> Meta {
    let mut merged = parts(&first);
    merged.extend(parts(second));
    let Meta {
        tool,
        started,
        started_monotonic_ns,
        window_ns: _,
        command,
        devices,
        ended_by: _,
        mut extra,
    } = first;
    extra.extend(second.extra.clone());
    extra.insert("merged".to_owned(), Value::Array(merged));
    Meta {
        tool,
        started,
        started_monotonic_ns,
        window_ns: offset_ns.saturating_add(second.window_ns),
        command: command.filter(|c| second.command.as_ref() == Some(c)),
        // None asked for means all, so all were asked for if one of them says so.
        devices: match devices.is_empty() || second.devices.is_empty() {
            true => Vec::new(),
            false => union(devices, &second.devices),
        },
        ended_by: second.ended_by.clone(),
        extra,
    }
}

fn union(mut a: Vec<String>, b: &[String]) -> Vec<String> {
    let new: Vec<String> = b.iter().filter(|d| !a.contains(d)).cloned().collect();
    a.extend(new);
    a
}

/// The recordings that a capture consists of.
fn parts(meta: &Meta) -> Vec<Value> {
    match meta.extra.get("merged") {
        Some(Value::Array(parts)) => parts.clone(),
        _ => vec![json!({
            "tool": meta.tool,
            "started": meta.started,
            "window_ns": meta.window_ns,
            "command": meta.command,
            "devices": meta.devices,
            "ended_by": meta.ended_by,
        })],
    }
}

fn join_probes(first: &[ProbeStatus], second: &[ProbeStatus]) -> Vec<ProbeStatus> {
    let find = |list: &[ProbeStatus], id: &str| list.iter().find(|p| p.id == id).cloned();
    let mut probes = Vec::new();
    for probe in first {
        let other = find(second, &probe.id);
        probes.push(join_probe(probe, other.as_ref()));
    }
    for probe in second {
        if find(first, &probe.id).is_none() {
            probes.push(join_probe(probe, None));
        }
    }
    probes
}

fn join_probe(probe: &ProbeStatus, other: Option<&ProbeStatus>) -> ProbeStatus {
    if other.is_some_and(|o| o.state == probe.state) {
        return probe.clone();
    }
    let measured = |p: &ProbeStatus| matches!(p.state, ProbeState::Ok | ProbeState::Partial);
    let either = measured(probe) || other.is_some_and(measured);
    let worse = [Some(probe), other]
        .into_iter()
        .flatten()
        .find(|p| !measured(p));
    let why = worse.and_then(|p| p.reason.clone());
    ProbeStatus {
        state: match either {
            true => ProbeState::Partial,
            false => ProbeState::Unavailable,
        },
        reason: Some(match why {
            Some(why) => format!("in one of the merged captures only: {why}"),
            None => "in one of the merged captures only".to_owned(),
        }),
        ..probe.clone()
    }
}

fn join_workloads(first: Option<Workload>, second: Option<Workload>) -> Option<Workload> {
    match (first, second) {
        (Some(mut a), Some(b)) => {
            if a.name != b.name {
                a.name = format!("{}, {}", a.name, b.name);
            }
            a.jobs.extend(b.jobs);
            a.notes.extend(b.notes);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

fn join_losses(first: Losses, second: &Losses) -> Losses {
    let Losses {
        ring_dropped,
        recursion_missed,
        unknown_device,
        unknown_tag,
        negative_durations,
        table_full,
        stacks_missing,
        extra,
    } = first;
    let add = |mut a: BTreeMap<String, u64>, b: &BTreeMap<String, u64>| {
        for (key, n) in b {
            let slot = a.entry(key.clone()).or_default();
            *slot = slot.saturating_add(*n);
        }
        a
    };
    let mut all_extra = extra;
    all_extra.extend(second.extra.clone());
    Losses {
        ring_dropped: add(ring_dropped, &second.ring_dropped),
        recursion_missed: match (recursion_missed, second.recursion_missed) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        },
        unknown_device: unknown_device.saturating_add(second.unknown_device),
        unknown_tag: unknown_tag.saturating_add(second.unknown_tag),
        negative_durations: negative_durations.saturating_add(second.negative_durations),
        table_full: add(table_full, &second.table_full),
        stacks_missing: stacks_missing.saturating_add(second.stacks_missing),
        extra: all_extra,
    }
}

/// Means are weighted with what they are means of: runs, requests, time.
fn join_costs(first: &Capture, second: &Capture, a: OwnCost) -> OwnCost {
    let b = &second.own_cost;
    let runs = |cost: &OwnCost| cost.programs.values().map(|p| p.runs as f64).sum::<f64>();
    let (a_runs, b_runs) = (runs(&a), runs(b));
    let requests = |capture: &Capture| {
        let devices = capture.total().devices;
        devices
            .values()
            .map(|d| d.all_ops().issued as f64)
            .sum::<f64>()
    };
    let (a_requests, b_requests) = (requests(first), requests(second));
    let (a_time, b_time) = (first.meta.window_ns as f64, second.meta.window_ns as f64);
    let OwnCost {
        ns_per_event,
        ns_per_request,
        kernel_cpu_percent,
        user_cpu_percent,
        memory_bytes,
        mut programs,
    } = a;
    for (name, cost) in &b.programs {
        let ProgramCost { runs, time_ns } = programs.entry(name.clone()).or_default();
        *runs = runs.saturating_add(cost.runs);
        *time_ns = time_ns.saturating_add(cost.time_ns);
    }
    OwnCost {
        ns_per_event: mean(ns_per_event, a_runs, b.ns_per_event, b_runs),
        ns_per_request: mean(ns_per_request, a_requests, b.ns_per_request, b_requests),
        kernel_cpu_percent: mean(kernel_cpu_percent, a_time, b.kernel_cpu_percent, b_time),
        user_cpu_percent: mean(user_cpu_percent, a_time, b.user_cpu_percent, b_time),
        memory_bytes: memory_bytes.max(b.memory_bytes),
        programs,
    }
}

fn mean(a: Option<f64>, a_weight: f64, b: Option<f64>, b_weight: f64) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) if a_weight + b_weight > 0.0 => {
            Some(a + (b - a) * (b_weight / (a_weight + b_weight)))
        }
        // Two means of unknown weight have no mean.
        (Some(a), Some(b)) => (a == b).then_some(a),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests;
