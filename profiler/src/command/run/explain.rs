//! The resolved plan for people: one block a job section, every amount in bytes.

mod details;

use super::Format;
use crate::command::say;
use crate::workload::Plan;
use crate::workload::plan::{BetweenPasses, Job};
use crate::workload::spec::{Distribution, Process, Rate, Way};
use crate::workload::split::Split;
use anyhow::Result;
use std::fmt::Write;

/// More files than this are counted instead of listed.
const LISTED: usize = 16;

/// Tells the plan, unless this host does not allow it: what may not run is not told as if it might.
pub(in crate::command) fn tell(plan: &Plan, format: Format) -> Result<()> {
    plan.check()?;
    match format {
        Format::Text => say::out(&text(plan)),
        Format::Json => say::out(&format!("{}\n", serde_json::to_string_pretty(plan)?)),
    }
}

fn text(plan: &Plan) -> String {
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
    for line in timing(job).into_iter().chain(details::lines(job)) {
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
    for way in Way::ALL {
        if job.access.does(way) {
            let word = word(way);
            writeln!(out, "  {word} blocks: {}", table(&job.blocks[way as usize]))?;
        }
    }
    match job.access.gap_bytes {
        0 => {}
        gap if gap > 0 => writeln!(out, "  {gap} bytes are left out after each block")?,
        gap => writeln!(out, "  {} bytes back after each block", gap.unsigned_abs())?,
    }
    if job.access.random {
        writeln!(out, "  {}", order(job))?;
    }
    Ok(())
}

fn word(way: Way) -> &'static str {
    match way {
        Way::Read => "read",
        Way::Write => "write",
        Way::Trim => "trim",
    }
}

/// How a random job chooses its blocks.
fn order(job: &Job) -> String {
    let mut text = match &job.distribution {
        Distribution::Even if job.has_map() => "each block once a pass, at random".to_owned(),
        Distribution::Even => "all blocks alike, any may come again".to_owned(),
        Distribution::Zipf { theta, .. } => format!("popular blocks by zipf with theta {theta}"),
        Distribution::Pareto { h, .. } => format!("popular blocks by pareto with h {h}"),
        Distribution::Normal { percent, .. } => {
            format!("popular blocks by a bell, deviation {percent} % of the file")
        }
        Distribution::Zones(_) => "zones of the file with shares of their own".to_owned(),
    };
    if job.access.run > 1 {
        let _ = write!(text, "; {} I/Os for each offset drawn", job.access.run);
    }
    for way in Way::ALL {
        let percent = job.random_percent[way as usize];
        if job.access.does(way) && percent < 100 {
            let _ = write!(text, "; {percent} % of {}s at random", word(way));
        }
    }
    let _ = write!(text, "; seed {}", job.seed);
    text
}

fn table(split: &Split) -> String {
    match (split.single(), split) {
        (Some(bytes), _) => format!("{bytes} bytes"),
        (None, Split::Table(shares)) => shares
            .iter()
            .map(|share| format!("{} bytes {} %", share.block_bytes, share.percent))
            .collect::<Vec<_>>()
            .join(", "),
        (
            None,
            Split::Range {
                from_bytes,
                to_bytes,
            },
        ) => format!("{from_bytes} to {to_bytes} bytes in steps of {from_bytes}"),
    }
}

fn amount(job: &Job) -> String {
    if job.time_based {
        return "until its time is over".to_owned();
    }
    match job.expected_ios {
        Some(ios) => format!("at most {} bytes, in {ios} I/Os", job.io_bytes),
        None if job.most_ios.is_some() => {
            let most = job.most_ios.unwrap_or(0);
            format!("at most {} bytes and {most} I/Os", job.io_bytes)
        }
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
    for way in Way::ALL {
        match job.rate[way as usize] {
            None => {}
            Some(Rate::IosPerSecond(n)) => lines.push(format!("{n} {}s a second", word(way))),
            Some(Rate::BytesPerSecond(n)) => {
                lines.push(format!("{n} bytes a second of {}s", word(way)));
            }
        }
    }
    if job.has_rate() {
        let steps = match job.process {
            Process::Linear => "in even steps",
            Process::Poisson => "in steps drawn at random (Poisson)",
        };
        lines.push(format!(
            "I/Os have an intended start, {steps}; latencies count from there"
        ));
    }
    if job.think_ns > 0 {
        lines.push(format!(
            "waits {} s after every {} I/Os",
            seconds(job.think_ns),
            job.think_blocks
        ));
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
