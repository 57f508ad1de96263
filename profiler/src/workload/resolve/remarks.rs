//! What a reader of the results must know about a job.

use crate::workload::plan::{Job, Plan};
use crate::workload::spec::{Distribution, Engine, Generator, Spec};

/// What a reader must know about a section.
pub(super) fn of(spec: &Spec, notes: &mut Vec<String>) {
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
pub(in crate::workload) fn note_what_runs_together(plan: &mut Plan) {
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

/// Reads and writes that count one random map in blocks of different sizes end before their size.
pub(super) fn unlike_units(job: &Job) -> Option<String> {
    let [read, write] = [0, 1].map(|way: usize| job.blocks[way].smallest());
    let mixed = job.access.reads && job.access.writes;
    (mixed && job.access.random && job.has_map() && read != write).then(|| {
        format!(
            "job `{}`: the smallest read block ({read} bytes) is not the smallest write block ({write}); as in fio both share one random map and the job may end before its size is done; norandommap=1 prevents that",
            job.name
        )
    })
}
