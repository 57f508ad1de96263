//! The resolved plan for people: one block a job section, every amount in bytes.

use crate::workload::Plan;
use crate::workload::plan::{BetweenPasses, Job};
use crate::workload::split::Split;
use std::fmt::Write;

/// More files than this are counted instead of listed.
const LISTED: usize = 16;

pub(super) fn text(plan: &Plan) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, plan);
    out
}

fn write(out: &mut String, plan: &Plan) -> std::fmt::Result {
    writeln!(out, "{}: {} threads", plan.name, plan.jobs.len())?;
    writeln!(out, "relative names are in {}", plan.directory.display())?;
    for clones in plan
        .jobs
        .chunk_by(|a, b| b.clone == a.clone + 1 && a.places.job == b.places.job)
    {
        section(out, clones)?;
    }
    if !plan.notes.is_empty() {
        writeln!(out, "\nnotes")?;
        for note in &plan.notes {
            writeln!(out, "  {note}")?;
        }
    }
    Ok(())
}

fn section(out: &mut String, clones: &[Job]) -> std::fmt::Result {
    let Some(job) = clones.first() else {
        return Ok(());
    };
    writeln!(
        out,
        "\n[{}]  stage {}, threads {}",
        job.name,
        job.stage,
        clones.len()
    )?;
    if let Some(description) = &job.description {
        writeln!(out, "  {description}")?;
    }
    writeln!(
        out,
        "  {}, {}, {}, {} in flight",
        job.direction(),
        job.engine.name(),
        if job.direct {
            "direct"
        } else {
            "through the page cache"
        },
        job.depth
    )?;
    blocks(out, job)?;
    writeln!(out, "  each thread: {}", amount(job))?;
    for line in timing(job) {
        writeln!(out, "  {line}")?;
    }
    let files = clones
        .iter()
        .flat_map(|job| job.files.iter().map(move |file| (job.clone, file)));
    for (clone, file) in files.clone().take(LISTED) {
        writeln!(
            out,
            "  {}  bytes {} to {} (thread {clone}; {})",
            file.path.display(),
            file.offset_bytes,
            file.length_bytes(),
            match file.existing_bytes {
                Some(there) => format!("holds {there}"),
                None => "new".to_owned(),
            }
        )?;
    }
    let more = files.count().saturating_sub(LISTED);
    if more > 0 {
        writeln!(out, "  and {more} files more")?;
    }
    Ok(())
}

fn blocks(out: &mut String, job: &Job) -> std::fmt::Result {
    if job.access.reads && job.access.writes {
        writeln!(out, "  reads {} %", job.read_percent)?;
    }
    for (used, word, split) in [
        (job.access.reads, "read", &job.read_blocks),
        (job.access.writes, "write", &job.write_blocks),
    ] {
        if used {
            writeln!(out, "  {word} blocks: {}", table(split))?;
        }
    }
    if job.access.gap_bytes > 0 {
        writeln!(
            out,
            "  {} bytes are left out after each block",
            job.access.gap_bytes
        )?;
    }
    Ok(())
}

fn table(split: &Split) -> String {
    match split.single() {
        Some(bytes) => format!("{bytes} bytes"),
        None => split
            .shares()
            .iter()
            .map(|share| format!("{} bytes {} %", share.block_bytes, share.percent))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn amount(job: &Job) -> String {
    if job.time_based {
        return "until its time is over".to_owned();
    }
    match job.expected_ios {
        Some(ios) => format!("at most {} bytes, in {ios} I/Os", job.io_bytes),
        None => format!("{} bytes", job.io_bytes),
    }
}

fn timing(job: &Job) -> Vec<String> {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let mut lines = Vec::new();
    match job.runtime_ns {
        Some(ns) if job.time_based => lines.push(format!("runs {} s", seconds(ns))),
        Some(ns) => lines.push(format!("at most {} s", seconds(ns))),
        None => {}
    }
    if job.ramp_ns > 0 {
        lines.push(format!(
            "the first {} s are not counted",
            seconds(job.ramp_ns)
        ));
    }
    if job.delay_ns > 0 {
        lines.push(format!("starts {} s late", seconds(job.delay_ns)));
    }
    for (call, every) in [
        ("fsync", job.fsync_every),
        ("fdatasync", job.fdatasync_every),
    ] {
        if every > 0 {
            lines.push(format!("{call} after every {every} writes"));
        }
    }
    match job.between_passes {
        BetweenPasses::Nothing => {}
        BetweenPasses::DropCache => {
            lines.push("drops its file's cache before each new pass".to_owned())
        }
        BetweenPasses::Truncate => lines.push("empties its file before each new pass".to_owned()),
    }
    if let Some(command) = &job.before {
        lines.push(format!("runs before: {command}"));
    }
    if let Some(command) = &job.after {
        lines.push(format!("runs after: {command}"));
    }
    lines
}
