//! From sections to a plan: inheritance, clones, stages, amounts in bytes.

mod amounts;
mod names;
mod verify;

use super::Options;
use super::jobfile::{JobFile, Section};
use super::options::{self, Rules};
use super::pattern::Random;
use super::plan::{BetweenPasses, Job, LogName, Logs, Places, Plan};
use super::problem::{Problem, Refused};
use super::spec::{
    Batch, Check, Content, Distribution, Engine, Generator, Rate, Spec, Steady, Way,
};
use amounts::{Amounts, Disk};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;

/// More threads than this is a mistake, and no host runs them.
const THREADS: usize = 8192;
/// More files than this, over all threads, are a mistake too.
const FILES: usize = 1 << 18;

/// Resolves a job file; everything wrong with it comes back at once.
pub(super) fn resolve(name: &str, file: &JobFile, options: &Options) -> Result<Plan, Refused> {
    let mut problems = Vec::new();
    let mut notes: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
    let mut global_options = BTreeMap::new();
    let specs = specs(
        file,
        options,
        &mut global_options,
        &mut problems,
        &mut notes,
    );
    if !problems.is_empty() {
        // What is missing because of these would only be in the way.
        return Err(Refused::new(name, problems));
    }
    let directory = options.directory();
    let mut disk = Disk::default();
    let mut jobs: Vec<Job> = Vec::new();
    let mut files = 0;
    for spec in &specs {
        files += (spec.clones * spec.files) as usize;
        if spec.clones as usize + jobs.len() > THREADS || files > FILES {
            let message = format!("more than {THREADS} threads or {FILES} files are asked for");
            problems.push(Problem::new(spec.place("numjobs"), message));
            break;
        }
        if let Some(name) = &spec.wait_for
            && (name == &spec.name || !jobs.iter().any(|job| &job.name == name))
        {
            let message = format!("wait_for={name}: no job of that name stands above");
            problems.push(Problem::new(spec.place("wait_for"), message));
        }
        remarks(spec, &mut notes);
        if options.target.is_none() && names::is_homeless(spec) {
            notes.push(format!(
                "job `{}` names no directory: its files are in {}",
                spec.name,
                directory.display()
            ));
        }
        for clone in 0..spec.clones {
            let order = Order::after(jobs.last(), spec, clone);
            match job(spec, clone, order, &directory, &mut disk, &mut notes) {
                Ok(job) => jobs.push(job),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if !problems.is_empty() {
        return Err(Refused::new(name, problems));
    }
    let mut seen = std::collections::HashSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    Ok(Plan {
        name: name.to_owned(),
        directory,
        jobs,
        notes,
        global_options,
        allowed_devices: options.allow_devices.clone(),
        destroy: options.destroy,
        overwrite: options.overwrite,
        keep: options.keep,
    })
}

/// Each job section with the globals above it; what may not run is refused or left out.
fn specs(
    file: &JobFile,
    options: &Options,
    globals: &mut BTreeMap<&'static str, String>,
    problems: &mut Vec<Problem>,
    notes: &mut Vec<String>,
) -> Vec<Spec> {
    let rules = Rules {
        lenient: options.lenient,
        allow_exec: options.allow_exec,
    };
    let mut defaults: Option<Spec> = None;
    let mut specs = Vec::new();
    for section in &file.sections {
        let mut spec = start(defaults.as_ref(), section);
        options::apply(&mut spec, section, rules, problems);
        if section.global {
            globals.extend(spec.given.clone());
            defaults = Some(spec);
            continue;
        }
        if let Some(length) = options.duration {
            spec.runtime_ns = Some(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX));
            spec.time_based = true;
        }
        if spec.time_based && spec.runtime_ns.is_none() {
            let message = "time_based needs runtime= to end";
            problems.push(Problem::new(spec.place("time_based"), message));
        }
        if spec.blocked.is_empty() {
            specs.push(spec);
        } else if options.lenient {
            let why: Vec<String> = spec.blocked.values().map(ToString::to_string).collect();
            notes.push(format!(
                "job `{}` was left out: {}",
                spec.name,
                why.join("; ")
            ));
        } else {
            problems.extend(spec.blocked.into_values());
        }
    }
    if specs.is_empty() && problems.is_empty() {
        let place = file.sections.first().map(|section| &section.at);
        let message = format!("no job is left to run; {}", notes.join("; "));
        problems.extend(place.map(|at| Problem::new(at, message)));
    }
    specs
}

fn start(defaults: Option<&Spec>, section: &Section) -> Spec {
    let mut spec = match defaults {
        Some(defaults) => Spec {
            at: section.at.clone(),
            ..defaults.clone()
        },
        None => Spec::new(section.at.clone()),
    };
    spec.name.clone_from(&section.name);
    spec.given.clear();
    spec
}

/// Where a job stands among the others.
#[derive(Clone, Copy)]
struct Order {
    index: u64,
    stage: u32,
    group: u32,
}

impl Order {
    fn after(last: Option<&Job>, spec: &Spec, clone: u64) -> Self {
        let Some(last) = last else {
            return Self {
                index: 0,
                stage: 0,
                group: 0,
            };
        };
        let wall = u32::from(spec.stonewall && clone == 0);
        let cut = u32::from((spec.stonewall || spec.new_group) && clone == 0);
        Self {
            index: last.places.index + 1,
            stage: last.stage + wall,
            group: last.group + cut,
        }
    }
}

fn job(
    spec: &Spec,
    clone: u64,
    order: Order,
    directory: &Path,
    disk: &mut Disk,
    notes: &mut Vec<String>,
) -> Result<Job, Problem> {
    let names = names::of(spec, clone, directory, notes)?;
    let amounts = amounts::of(spec, clone, names, disk)?;
    if spec.engine == Engine::Mmap && spec.direct {
        let message = "ioengine=mmap goes through the page cache: use direct=0, or another engine";
        return Err(Problem::new(spec.place("direct"), message));
    }
    if let (Some(_), Some(at)) = (spec.places.get("rate"), spec.places.get("rate_iops")) {
        return Err(Problem::new(
            at,
            "rate and rate_iops in one job are not supported: give one",
        ));
    }
    let verify = verify::of(spec)?;
    let depth = match spec.engine {
        Engine::IoUring => spec.depth,
        Engine::Psync | Engine::Mmap | Engine::Null => 1,
    };
    let blocks = spec.splits();
    let smallest = [0, 1, 2].map(|way: usize| blocks[way].smallest());
    let align = spec.align.unwrap_or(smallest);
    let own_align = align == smallest;
    let Amounts {
        files,
        io_bytes,
        io_size_given,
    } = amounts;
    let mut job = Job {
        name: spec.name.clone(),
        description: spec.description.clone(),
        clone: clone as u32,
        stage: order.stage,
        group: order.group,
        group_reporting: spec.group_reporting,
        engine: spec.engine,
        depth: depth as u32,
        batch: Batch {
            submit: match spec.submit {
                0 => depth,
                most => most.min(depth),
            },
            complete_min: spec.complete_min.min(depth),
            low: spec.low.unwrap_or(depth).min(depth),
        },
        access: spec.access,
        read_percent: spec.read_percent,
        blocks,
        align_bytes: align,
        distribution: spec.distribution.clone(),
        random_percent: spec.random_percent,
        most_ios: spec.ios,
        turn: spec.turn,
        files,
        io_bytes,
        io_size_given,
        loops: spec.loops,
        expected_ios: None,
        runtime_ns: spec.runtime_ns,
        time_based: spec.time_based,
        ramp_ns: spec.ramp_ns,
        delay_ns: delay(spec, order.index),
        direct: spec.direct,
        sync: spec.sync,
        fsync_every: spec.fsync_every,
        fdatasync_every: spec.fdatasync_every,
        end_fsync: spec.end_fsync,
        fsync_on_close: spec.fsync_on_close,
        advice: spec.advice,
        invalidate: spec.invalidate,
        seed: seed(spec, order.index),
        // As in fio any other alignment than the block size turns the map off; lfsr is a map itself.
        random_map: (spec.random_map && own_align) || spec.generator == Generator::Lfsr,
        generator: spec.generator,
        think_ns: spec.think_ns,
        think_blocks: spec.think_blocks,
        rate: rates(spec),
        process: spec.process,
        unlink: spec.unlink,
        before: spec.before.clone(),
        after: spec.after.clone(),
        percentiles: spec.percentiles.clone(),
        steady: steady(spec)?,
        logs: logs(spec, directory, order.index),
        create_only: spec.create_only,
        may_create: spec.may_create,
        pre_read: spec.pre_read,
        kernel_polls: spec.kernel_polls,
        cpus: spec.cpus.clone(),
        wait_for: spec.wait_for.clone(),
        overwrite: spec.overwrite,
        fallocate: spec.fallocate,
        content: match &verify {
            Check::Pattern(pattern) => Content::Pattern(pattern.clone()),
            _ => spec.content.clone(),
        },
        verify,
        verify_fatal: spec.verify_fatal,
        read_back: spec.read_back,
        between_passes: BetweenPasses::Nothing,
        options: spec.given.clone(),
        places: Places {
            index: order.index,
            job: spec.at.clone(),
            target: spec.place(target_option(spec)).clone(),
            block: spec
                .place(if spec.split.is_some() {
                    "bssplit"
                } else {
                    "bs"
                })
                .clone(),
        },
    };
    job.expected_ios = amounts::expected_ios(&job);
    notes.extend(unlike_units(&job));
    Ok(job)
}

/// Reads and writes that count one random map in blocks of different sizes end before their size.
fn unlike_units(job: &Job) -> Option<String> {
    let [read, write] = [0, 1].map(|way: usize| job.blocks[way].smallest());
    let mixed = job.access.reads && job.access.writes;
    (mixed && job.access.random && job.has_map() && read != write).then(|| {
        format!(
            "job `{}`: the smallest read block ({read} bytes) is not the smallest write block ({write}); as in fio both share one random map and the job may end before its size is done; norandommap=1 prevents that",
            job.name
        )
    })
}

fn steady(spec: &Spec) -> Result<Option<Steady>, Problem> {
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

fn logs(spec: &Spec, directory: &Path, index: u64) -> Option<Logs> {
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
fn delay(spec: &Spec, index: u64) -> u64 {
    let (from, to) = spec.delay_ns;
    match from == to {
        true => from,
        false => Random::new(seed(spec, index) ^ 0xde1a).between(from, to),
    }
}

/// Rates of the ways that the job goes.
fn rates(spec: &Spec) -> [Option<Rate>; 3] {
    Way::ALL.map(|way| spec.rate[way as usize].filter(|_| spec.access.does(way)))
}

/// The option that says where the job's files are.
fn target_option(spec: &Spec) -> &'static str {
    match (&spec.filename, &spec.directory) {
        (Some(_), _) => "filename",
        (None, Some(_)) => "directory",
        (None, None) => "filename_format",
    }
}

/// The same numbers on every run unless `randrepeat=0`; other numbers for every clone.
fn seed(spec: &Spec, index: u64) -> u64 {
    let base = match (spec.seed, spec.repeatable) {
        (Some(seed), _) => seed,
        (None, true) => 0x105a6e,
        (None, false) => std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish(),
    };
    base.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// What a reader must know about a section.
fn remarks(spec: &Spec, notes: &mut Vec<String>) {
    notes.extend(spec.notes.iter().cloned());
    let name = &spec.name;
    if let Some(alias) = &spec.engine_alias {
        notes.push(format!(
            "job `{name}`: ioengine={alias} is run as {}",
            spec.engine.name()
        ));
    }
    match spec.engine {
        Engine::Null => notes.push(format!(
            "job `{name}`: ioengine=null does no I/O, its latencies are those of the job loop"
        )),
        Engine::Psync | Engine::Mmap if spec.depth > 1 => notes.push(format!(
            "job `{name}`: iodepth={} has no effect with {}, one I/O is in flight",
            spec.depth,
            spec.engine.name()
        )),
        _ => {}
    }
    if spec.runtime_ns.is_some() && !spec.time_based {
        notes.push(format!(
            "job `{name}`: runtime without time_based is an upper bound, the job ends when its bytes are done"
        ));
    }
    if spec.access.random && spec.distribution != Distribution::Even && spec.random_map {
        notes.push(format!(
            "job `{name}`: random_distribution turns the random map off, as in fio"
        ));
    }
    if spec.align.is_some() && spec.random_map && spec.generator != Generator::Lfsr {
        notes.push(format!("job `{name}`: blockalign turns the random map off where it differs from the block size, as in fio"));
    }
}

/// Sections without stonewall run at the same time, which surprises who pasted them together.
pub(super) fn note_what_runs_together(plan: &mut Plan) {
    for stage in plan.jobs.chunk_by(|a, b| a.stage == b.stage) {
        let sections: Vec<&str> = stage
            .iter()
            .filter(|job| job.clone == 0)
            .map(|job| job.name.as_str())
            .collect();
        if sections.len() > 1 {
            let bytes: u128 = stage.iter().map(|job| u128::from(job.io_bytes)).sum();
            plan.notes.push(format!(
                "jobs {} run at the same time: {} threads, {bytes} bytes of I/O; `stonewall` lets a job wait for those above it",
                sections.join(", "),
                stage.len()
            ));
        }
    }
}
