//! From sections to a plan: inheritance, clones, stages, amounts in bytes.

mod amounts;
mod names;
mod parts;
mod remarks;
mod verify;

use super::Options;
use super::jobfile::{JobFile, Section};
use super::options::{self, Rules};
use super::plan::{BetweenPasses, Job, Places, Plan};
use super::problem::{Problem, Refused};
use super::spec::{Batch, Check, Content, Engine, Generator, Spec};
use amounts::{Amounts, Disk};
pub(super) use remarks::note_what_runs_together;
use std::collections::BTreeMap;
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
        remarks::of(spec, &mut notes);
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
    parts::fit(spec, amounts.files.len())?;
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
            complete_max: spec.complete_max.min(depth),
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
        delay_ns: parts::delay(spec, order.index),
        direct: spec.direct,
        sync: spec.sync,
        fsync_every: spec.fsync_every,
        fdatasync_every: spec.fdatasync_every,
        end_fsync: spec.end_fsync,
        fsync_on_close: spec.fsync_on_close,
        advice: spec.advice,
        invalidate: spec.invalidate,
        seed: parts::seed(spec, order.index),
        // As in fio any other alignment than the block size turns the map off; lfsr is a map itself.
        random_map: (spec.random_map && own_align) || spec.generator == Generator::Lfsr,
        generator: spec.generator,
        think_ns: spec.think_ns,
        think_blocks: spec.think_blocks,
        rate: parts::rates(spec),
        process: spec.process,
        unlink: spec.unlink,
        before: spec.before.clone(),
        after: spec.after.clone(),
        percentiles: spec.percentiles.clone(),
        steady: parts::steady(spec)?,
        logs: parts::logs(spec, directory, order.index),
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
    notes.extend(remarks::unlike_units(&job));
    Ok(job)
}

/// The option that says where the job's files are.
fn target_option(spec: &Spec) -> &'static str {
    match (&spec.filename, &spec.directory) {
        (Some(_), _) => "filename",
        (None, Some(_)) => "directory",
        (None, None) => "filename_format",
    }
}
