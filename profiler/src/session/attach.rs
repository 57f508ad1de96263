//! Loads the programs that fit this kernel and attaches them, group by group.
//!
//! A group that cannot run is not an error: its status says why, and the rest goes on. Only the
//! block group is needed.

use super::{Counts, Settings, directory::Directory, object, wire::Wire};
use crate::{
    capture::{ProbeState, ProbeStatus},
    exit::CannotMeasure,
    host::Host,
    kernel::{
        btf::Btf,
        placeholders::{self, Values},
        support,
    },
};
use anyhow::{Context as _, Result};
use aya::{
    Ebpf, EbpfLoader,
    maps::{Array, HashMap, MapData, PerCpuArray, RingBuf},
    programs::{BtfTracePoint, Program as Loaded, RawTracePoint},
};
use profiler_ebpf::{
    device::OPS,
    placeholder::Setting,
    probe::{Attach, Hook, Probe, Program},
    probes::{self, stack::Pace},
    ring,
};
use std::{
    collections::BTreeMap,
    os::fd::{AsFd as _, AsRawFd as _},
};

/// What [`attach`] needs to know.
pub(super) struct Request<'a> {
    pub(super) btf: &'a Btf,
    pub(super) values: Values,
    /// Fields whose type is not what the probes expect.
    pub(super) wrong: Vec<String>,
    pub(super) directory: &'a Directory,
    pub(super) settings: &'a Settings,
    pub(super) host: &'a Host,
}

/// The attached programs and their tables.
pub(super) struct Attached {
    ebpf: Ebpf,
    ring: RingBuf<MapData>,
    /// Names of attached programs, in the order of attachment.
    programs: Vec<&'static str>,
    pub(super) statuses: Vec<ProbeStatus>,
}

/// Ids of all probe groups.
pub fn probe_ids() -> Vec<&'static str> {
    probes::ALL.iter().map(|probe| probe.id).collect()
}

pub(super) fn attach(request: Request<'_>) -> Result<Attached> {
    let Some(object) = object::embedded() else {
        let missing = "this binary was built without probes: run `cargo xtask build-ebpf`, then \
                       build again";
        return Err(CannotMeasure {
            missing: vec![missing.to_owned()],
        }
        .into());
    };
    let kernel_btf = aya::Btf::from_sys_fs().context("reading the kernel's BTF")?;
    let mut ebpf = load(object, &kernel_btf, &request)?;
    let ring = ebpf
        .take_map("RING")
        .context("the object has no map RING")?;
    let ring = RingBuf::try_from(ring).context("RING is not a ring buffer")?;
    fill_directory(&mut ebpf, request.directory)?;
    let mut attached = Attached {
        ebpf,
        ring,
        programs: Vec::new(),
        statuses: Vec::new(),
    };
    for probe in probes::ALL {
        let status = attached.group(probe, &request, &kernel_btf);
        attached.statuses.push(status);
    }
    let block = &attached.statuses[0];
    if block.state == ProbeState::Unavailable {
        let reason = block.reason.clone().unwrap_or_default();
        return Err(CannotMeasure {
            missing: vec![format!("block probes: {reason}")],
        }
        .into());
    }
    Ok(attached)
}

fn load(object: &[u8], btf: &aya::Btf, request: &Request<'_>) -> Result<Ebpf> {
    let directory = request.directory;
    let (disks, bios) = (directory.count(false), directory.count(true));
    let rows = |devices: u32| (devices * OPS).max(1);
    let [fsync, fdatasync] = support::sync_call_numbers();
    let wanted = |id: &str| {
        request.settings.probes.is_empty() || request.settings.probes.iter().any(|p| p == id)
    };
    let cpus = aya::util::nr_cpus().unwrap_or(1) as u32;
    let ext4 = support::has_tracepoint("ext4", "ext4_sync_file_enter");
    let mut values = request.values.clone();
    for (setting, value) in [
        (Setting::DirectoryMultiplier, directory.multiplier),
        (Setting::BioRows, disks),
        (Setting::Stacks, u32::from(wanted("stack"))),
        (Setting::NrFsync, fsync),
        (Setting::NrFdatasync, fdatasync),
        (Setting::SkipExt4, u32::from(ext4)),
        (Setting::Cpus, cpus),
        (Setting::DepthEvery, depth_every(cpus)),
    ] {
        values.set(setting, value);
    }
    let object = placeholders::fill(object, &values)?;
    let sizes = [
        ("TAGS", directory.tags.max(1)),
        ("ISSUED", rows(disks)),
        ("COMPLETED", rows(disks)),
        ("RARE", rows(disks)),
        ("ENDS", rows(disks)),
        ("IN_FLIGHT", disks.max(1)),
        ("QUEUE_EVENTS", (disks + bios).max(1)),
        ("WAITED", rows(disks)),
        ("BIOS_QUEUED", rows(bios)),
        ("BIOS_FINISHED", rows(bios)),
    ];
    let mut loader = EbpfLoader::new();
    loader.btf(Some(btf));
    for (name, size) in sizes {
        loader.map_max_entries(name, size);
    }
    loader.load(object.bytes()).map_err(|error| {
        let missing = vec![format!(
            "the kernel refused the probes' tables: {}",
            chain(&error)
        )];
        CannotMeasure { missing }.into()
    })
}

/// How seldom the depth is summed up over the CPUs, so that it costs little per issue on any host.
fn depth_every(cpus: u32) -> u32 {
    (4 * cpus).next_power_of_two().clamp(8, 1 << 16)
}

fn fill_directory(ebpf: &mut Ebpf, directory: &Directory) -> Result<()> {
    let map = ebpf
        .map_mut("DIRECTORY")
        .context("the object has no map DIRECTORY")?;
    let mut array = Array::<_, Wire<profiler_ebpf::device::Device>>::try_from(map)?;
    for (place, device) in directory.places() {
        array
            .set(place, Wire(device), 0)
            .context("filling the device directory")?;
    }
    Ok(())
}

impl Attached {
    /// Attaches one group and says how that went.
    fn group(&mut self, probe: &Probe, request: &Request<'_>, btf: &aya::Btf) -> ProbeStatus {
        let status = |state, reason: Option<String>| ProbeStatus {
            id: probe.id.to_owned(),
            about: probe.about.to_owned(),
            state,
            reason,
        };
        let asked = &request.settings.probes;
        if !asked.is_empty() && !asked.iter().any(|id| id == probe.id) {
            return status(ProbeState::Off, Some("not asked for".to_owned()));
        }
        if let Some(reason) = unneeded(probe, request) {
            return status(ProbeState::Off, Some(reason));
        }
        let before = self.programs.len();
        let mut lost = Vec::new();
        for hook in probe.hooks {
            if let Some(reason) = hook_unneeded(hook, request.host) {
                lost.push((hook, reason, true));
            } else if let Err(error) = self.hook(hook, request, btf) {
                if hook.required {
                    self.detach_from(before);
                    return status(
                        ProbeState::Unavailable,
                        Some(format!("{}: {error:#}", hook.tracepoint)),
                    );
                }
                lost.push((hook, format!("{error:#}"), false));
            }
        }
        let notes: Vec<_> = lost
            .iter()
            .map(|(hook, reason, _)| format!("no {} ({}: {reason})", hook.gives, hook.tracepoint))
            .chain(
                request
                    .wrong
                    .iter()
                    .filter(|_| probe.id == "block")
                    .cloned(),
            )
            .collect();
        let failed = lost.iter().filter(|(_, _, by_choice)| !by_choice).count();
        let reason = (!notes.is_empty()).then(|| notes.join("; "));
        match failed {
            0 => status(ProbeState::Ok, reason),
            n if n == probe.hooks.len() => status(ProbeState::Unavailable, reason),
            _ => status(ProbeState::Partial, reason),
        }
    }

    fn hook(&mut self, hook: &Hook, request: &Request<'_>, btf: &aya::Btf) -> Result<()> {
        let program = fitting(hook, request.btf)?;
        let loaded = self.ebpf.program_mut(program.name);
        let loaded =
            loaded.with_context(|| format!("the object has no program {}", program.name))?;
        match hook.attach {
            Attach::Btf => {
                let loaded: &mut BtfTracePoint = loaded.try_into().context("wrong program type")?;
                loaded.load(hook.tracepoint, btf).map_err(refusal)?;
                loaded.attach().map_err(refusal)?;
            }
            Attach::Raw => {
                let loaded: &mut RawTracePoint = loaded.try_into().context("wrong program type")?;
                loaded.load().map_err(refusal)?;
                loaded.attach(hook.tracepoint).map_err(refusal)?;
            }
        }
        self.programs.push(program.name);
        Ok(())
    }

    /// Detaches the programs attached from a position on, the last one first.
    fn detach_from(&mut self, from: usize) {
        for name in self.programs.drain(from..).rev() {
            match self.ebpf.program_mut(name) {
                // The program is gone either way once the session is dropped.
                Some(Loaded::BtfTracePoint(program)) => drop(program.unload()),
                Some(Loaded::RawTracePoint(program)) => drop(program.unload()),
                _ => {}
            }
        }
    }

    /// Detaches one group and says why.
    pub(super) fn shed(&mut self, group: &str, why: String) {
        let Some(probe) = probes::ALL.iter().find(|probe| probe.id == group) else {
            return;
        };
        let own = |name: &&'static str| group_of(name) == Some(probe.id);
        let (shed, kept) = self.programs.iter().copied().partition(own);
        self.programs = shed;
        self.detach_from(0);
        self.programs = kept;
        if let Some(status) = self.statuses.iter_mut().find(|status| status.id == group) {
            (status.state, status.reason) = (ProbeState::Unavailable, Some(why));
        }
    }

    /// Detaches everything; the tables stay readable.
    pub(super) fn detach(&mut self) {
        self.detach_from(0);
    }

    /// Hands out the records that are in the ring.
    pub(super) fn each_record(&mut self, mut take: impl FnMut(&[u8])) {
        while let Some(record) = self.ring.next() {
            take(&record);
        }
    }

    /// Whether a group is measuring.
    pub(super) fn measures(&self, id: &str) -> bool {
        self.statuses.iter().any(|status| {
            status.id == id && matches!(status.state, ProbeState::Ok | ProbeState::Partial)
        })
    }

    fn table(&self, name: &str) -> Result<&aya::maps::Map> {
        let map = self.ebpf.map(name);
        map.with_context(|| format!("the object has no map {name}"))
    }

    pub(super) fn per_cpu<T>(&self, name: &str) -> Result<PerCpuArray<&MapData, Wire<T>>>
    where
        Wire<T>: aya::Pod,
    {
        Ok(PerCpuArray::try_from(self.table(name)?)?)
    }

    pub(super) fn array<T>(&self, name: &str) -> Result<Array<&MapData, Wire<T>>>
    where
        Wire<T>: aya::Pod,
    {
        Ok(Array::try_from(self.table(name)?)?)
    }

    /// All entries of a hash table by number.
    pub(super) fn entries<T>(&self, name: &str) -> Result<BTreeMap<u32, T>>
    where
        Wire<T>: aya::Pod,
    {
        let table = HashMap::<_, u32, Wire<T>>::try_from(self.table(name)?)?;
        let entries = table
            .iter()
            .map(|entry| entry.map(|(key, value)| (key, value.0)));
        Ok(entries.collect::<Result<_, _>>()?)
    }

    pub(super) fn set_pace(&mut self, pace: Pace) {
        if let Some(map) = self.ebpf.map_mut("PACE")
            && let Ok(mut array) = Array::<_, Wire<Pace>>::try_from(map)
        {
            // A pace that could not be set stays as it was, and samples carry their period.
            let _ = array.set(0, Wire(pace), 0);
        }
    }

    /// File descriptors of the attached programs, by name.
    pub(super) fn program_fds(&self) -> impl Iterator<Item = (&'static str, i32)> {
        self.programs.iter().filter_map(|name| {
            let fd = self.ebpf.program(name)?.fd().ok()?;
            Some((*name, fd.as_fd().as_raw_fd()))
        })
    }

    /// File descriptors of the tables.
    pub(super) fn map_fds(&self) -> impl Iterator<Item = i32> {
        let tables = self.ebpf.maps().filter_map(|(_, map)| map_fd(map));
        tables.chain([self.ring.as_raw_fd()])
    }

    /// Adds the ring records that were dropped, by group.
    pub(super) fn dropped(&self, into: &mut Counts) -> Result<()> {
        let kinds = self.per_cpu::<u64>("DROPPED")?;
        let groups = [
            (ring::COMMIT, "journal"),
            (ring::CHECKPOINT, "journal"),
            (ring::SYNC, "sync"),
            (ring::STACK, "stack"),
            (ring::STACK_DONE, "stack"),
            (ring::WAIT, "wait"),
            (ring::PAUSE, "writeback"),
        ];
        for (kind, group) in groups {
            let n: u64 = kinds.get(&kind, 0)?.iter().map(|value| value.0).sum();
            *into.entry(group.to_owned()).or_default() += n;
        }
        Ok(())
    }
}

/// The group that a program belongs to.
pub(super) fn group_of(program: &str) -> Option<&'static str> {
    let has = |probe: &&&Probe| {
        let mut programs = probe.hooks.iter().flat_map(|hook| hook.programs);
        programs.any(|one| one.name == program)
    };
    probes::ALL.iter().find(has).map(|probe| probe.id)
}

fn map_fd(map: &aya::maps::Map) -> Option<i32> {
    use aya::maps::Map;
    let data = match map {
        Map::Array(data) | Map::PerCpuArray(data) | Map::HashMap(data) => data,
        _ => return None,
    };
    Some(data.fd().as_fd().as_raw_fd())
}

/// The first program of a hook that was written for this kernel's arguments.
fn fitting<'a>(hook: &'a Hook, btf: &Btf) -> Result<&'a Program> {
    if hook.attach == Attach::Raw {
        return hook.programs.first().context("no program");
    }
    let arguments = btf
        .arguments(hook.tracepoint)
        .context("this kernel has no such tracepoint")?;
    let fits = |program: &&Program| {
        program
            .arguments
            .iter()
            .all(|(position, of)| arguments.get(*position).and_then(Option::as_deref) == Some(of))
    };
    hook.programs
        .iter()
        .find(fits)
        .with_context(|| format!("its arguments are of no known form ({arguments:?})"))
}

/// Why a whole group is of no use on this host.
fn unneeded(probe: &Probe, request: &Request<'_>) -> Option<String> {
    match probe.id {
        "stacked" if request.directory.count(true) == 0 => {
            Some("no stacked device is traced".to_owned())
        }
        "journal" if !support::has_tracepoint("jbd2", "jbd2_end_commit") => {
            Some("no filesystem with a jbd2 journal is loaded".to_owned())
        }
        _ => None,
    }
}

/// Why a hook is left alone although it could be attached.
fn hook_unneeded(hook: &Hook, host: &Host) -> Option<String> {
    match hook.tracepoint {
        "sys_enter" | "sys_exit" if !has_other_filesystem(host) => {
            Some("every writable filesystem on a block device is ext4".to_owned())
        }
        "ext4_sync_file_enter" | "ext4_sync_file_exit"
            if !support::has_tracepoint("ext4", "ext4_sync_file_enter") =>
        {
            Some("ext4 is not loaded".to_owned())
        }
        _ => None,
    }
}

fn has_other_filesystem(host: &Host) -> bool {
    host.mounts
        .iter()
        .any(|m| m.device.is_some() && !m.read_only && !matches!(&*m.fs, "ext2" | "ext3" | "ext4"))
}

/// A refusal of the kernel in one line: the verifier's last words, if it was the verifier.
fn refusal(error: aya::programs::ProgramError) -> anyhow::Error {
    if let aya::programs::ProgramError::LoadError {
        io_error,
        verifier_log,
    } = &error
    {
        let log = verifier_log.to_string();
        if let Some(line) = log.lines().rev().find(|line| {
            !line.trim().is_empty()
                && !line.starts_with("processed")
                && !line.starts_with("verification time")
        }) {
            return anyhow::anyhow!("the kernel refused the program ({io_error}): {line}");
        }
    }
    anyhow::anyhow!("{}", chain(&error))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}
