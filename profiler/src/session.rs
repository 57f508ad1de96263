//! A recording in progress: probes loaded, attached, drained once a second, detached.
//!
//! The only part that talks to the kernel through aya. Everything it gives away is plain data:
//! one [`Slice`] per drain, and at the end losses, costs and stacks. Dropping a session, or the
//! death of the process, detaches everything, since nothing is pinned.

mod attach;
mod cost;
mod directory;
mod dirtied;
mod events;
mod floor;
mod limit;
mod object;
mod pauses;
mod selfcheck;
mod stacks;
mod syncs;
mod tables;
mod unseen;
mod waits;
mod wire;

pub use attach::probe_ids;
pub use directory::Choice;
pub use floor::Floor;
pub use object::embedded;
pub use selfcheck::{Check, Failure, run as self_check};

use crate::{
    capture::{Losses, OwnCost, ProbeStatus, Slice, Stack},
    exit::CannotMeasure,
    host::Host,
    kernel::{btf::Btf, layout, support},
    units,
};
use anyhow::{Context as _, Result, bail};
use attach::Attached;
use directory::Directory;
use std::{collections::BTreeMap, time::Instant};

/// What to record.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Probe groups, by id. Empty: all.
    pub probes: Vec<String>,
    /// Kernel names of devices. Empty: all.
    pub devices: Vec<String>,
    /// Stacks taken per second and CPU, at most.
    pub stacks_per_second: u32,
    /// Kernel memory that the tables may take.
    pub memory_limit_bytes: u64,
    /// Share of one CPU that the probes may take, in per cent: then groups are given up, the
    /// dearest first, and at last the recording. `None`: groups are given up at 10 % of all CPUs.
    pub max_overhead_percent: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            probes: Vec::new(),
            devices: Vec::new(),
            stacks_per_second: 100,
            memory_limit_bytes: 256 << 20,
            max_overhead_percent: None,
        }
    }
}

/// A recording in progress.
pub struct Session {
    attached: Attached,
    directory: Directory,
    tables: tables::Tables,
    events: events::Events,
    dirtied: dirtied::Counts,
    stacks: stacks::Stacks,
    cost: cost::Cost,
    max_overhead_percent: Option<f64>,
    /// Why the recording must end.
    too_dear: Option<String>,
    started: Instant,
    started_ns: u64,
    drained: Instant,
}

/// What is known once a recording has ended.
#[derive(Debug)]
pub struct Closing {
    /// Counted between the last drain and the end.
    pub last: Slice,
    pub losses: Losses,
    pub own_cost: OwnCost,
    pub probes: Vec<ProbeStatus>,
    pub stacks: Vec<Stack>,
}

impl Session {
    /// Loads and attaches. Fails with [`CannotMeasure`] when not even the block group can run.
    pub fn open(settings: &Settings, host: &Host) -> Result<Self> {
        let missing = support::missing();
        if !missing.is_empty() {
            return Err(CannotMeasure { missing }.into());
        }
        let btf = Btf::of_running_kernel().map_err(|error| CannotMeasure {
            missing: vec![format!("{error:#}")],
        })?;
        let directory = Directory::choose(host, settings)?;
        let (values, wrong) = layout::of_kernel(&btf);
        let attached = attach::attach(attach::Request {
            btf: &btf,
            values,
            wrong,
            directory: &directory,
            settings,
            host,
        })?;
        let needed = cost::memory_bytes(&attached);
        if needed > settings.memory_limit_bytes {
            bail!(
                "the probes' tables take {} of kernel memory and --memory-limit is {}: raise it, or \
                 name fewer devices with --device",
                units::bytes(needed as f64),
                units::bytes(settings.memory_limit_bytes as f64)
            );
        }
        let now = Instant::now();
        let mut session = Self {
            tables: tables::Tables::new(&directory),
            events: events::Events::default(),
            dirtied: dirtied::Counts::default(),
            stacks: stacks::Stacks::new(settings.stacks_per_second),
            cost: cost::Cost::new(),
            max_overhead_percent: settings.max_overhead_percent,
            too_dear: None,
            attached,
            directory,
            started: now,
            started_ns: 0,
            drained: now,
        };
        session.begin()?;
        Ok(session)
    }

    /// Begins to count, now that every probe is in place: what came in while some were not yet
    /// attached is left out.
    fn begin(&mut self) -> Result<()> {
        let pace = self.stacks.pace(0, 1);
        self.attached.set_pace(pace);
        self.attached.each_record(|_| {});
        self.tables
            .begin(&self.attached, &self.directory)
            .context("reading the probes' tables")?;
        self.dirtied.drain(&self.attached)?;
        self.started = Instant::now();
        self.started_ns = support::monotonic_ns();
        self.events.begin(self.started_ns);
        self.drained = self.started;
        Ok(())
    }

    /// CLOCK_MONOTONIC when the probes were in place.
    pub fn started_ns(&self) -> u64 {
        self.started_ns
    }

    /// What each probe group can do.
    pub fn probes(&self) -> &[ProbeStatus] {
        &self.attached.statuses
    }

    /// Devices that are traced, and those left out with the reason.
    pub fn devices(&self) -> &[Choice] {
        &self.directory.choices
    }

    /// Empties the ring of single records. To be called several times a second.
    pub fn poll(&mut self) {
        let (events, stacks) = (&mut self.events, &mut self.stacks);
        self.attached
            .each_record(|record| events.take(record, stacks));
        stacks.symbolise();
    }

    /// What was counted since the last drain.
    pub fn drain(&mut self) -> Result<Slice> {
        self.poll();
        let now = Instant::now();
        let at_ns = self.drained.duration_since(self.started).as_nanos() as u64;
        let length_ns = now.duration_since(self.drained).as_nanos() as u64;
        self.drained = now;
        let mut slice = Slice {
            at_ns,
            length_ns,
            ..Slice::default()
        };
        slice.devices = self
            .tables
            .drain(&self.attached, &self.directory)
            .context("reading the probes' tables")?;
        slice.dirtied = self.dirtied.drain(&self.attached)?;
        self.events.drain(&mut slice);
        let stacks = &mut self.stacks;
        self.events
            .waits
            .drain(&mut slice, |at| stacks.kernel_names(at));
        let requests = slice
            .devices
            .values()
            .flat_map(|d| d.ops.values())
            .map(|op| op.issued)
            .sum();
        let pace = self.stacks.pace(requests, length_ns);
        self.attached.set_pace(pace);
        self.cost.tick(&self.attached, length_ns);
        self.limit();
        Ok(slice)
    }

    /// Gives up what is too dear, by the stretch that was measured last.
    fn limit(&mut self) {
        let Some(percent) = self.cost.percent() else {
            return;
        };
        let mut groups = BTreeMap::new();
        for (program, percent) in percent {
            if let Some(group) = attach::group_of(program) {
                *groups.entry(group).or_default() += percent;
            }
        }
        let usual = 10.0 * aya::util::nr_cpus().unwrap_or(1) as f64;
        let limit = self.max_overhead_percent.unwrap_or(usual);
        match limit::act(&groups, limit, self.max_overhead_percent.is_some()) {
            limit::Act::Nothing => {}
            limit::Act::Shed { group, why } => {
                self.attached.shed(group, why);
                self.cost.again();
            }
            limit::Act::End(why) => self.too_dear = Some(why),
        }
    }

    /// Why the recording must end at once, if it must: it costs more than was allowed.
    pub fn too_dear(&self) -> Option<&str> {
        self.too_dear.as_deref()
    }

    /// Detaches everything, counts what came in since the last drain, and sums up.
    pub fn close(mut self) -> Result<Closing> {
        self.cost.finish(&self.attached);
        let missed = self.cost.recursion_missed(&self.attached);
        let own_cost = self.cost.own_cost(&self.attached, self.started.elapsed());
        let unseen = unseen::find(&self.attached, &self.directory)
            .context("looking for requests whose end was not seen")?;
        self.attached.detach();
        let mut last = self.drain()?;
        for (number, unseen) in unseen {
            if let Some(device) = last.devices.get_mut(&number) {
                unseen::settle(device, &unseen);
            }
        }
        let mut losses = Losses {
            recursion_missed: missed,
            stacks_missing: self.stacks.missing() + tables::stacks_skipped(&self.attached)?,
            ..self.tables.losses(&self.attached, &self.directory)?
        };
        self.attached.dropped(&mut losses.ring_dropped)?;
        Ok(Closing {
            last,
            losses,
            own_cost,
            probes: std::mem::take(&mut self.attached.statuses),
            stacks: self.stacks.finish(),
        })
    }
}

/// Kernel device number as the probes send it.
fn number_of(dev: u32) -> String {
    format!("{}:{}", dev >> 20, dev & 0xf_ffff)
}

/// Sums by name.
type Counts = BTreeMap<String, u64>;
