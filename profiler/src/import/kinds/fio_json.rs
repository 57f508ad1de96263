//! JSON of fio 2 and 3, with whatever else went to the same file.

use crate::import::check;
use crate::import::documents::documents;
use crate::import::json::Json;
use crate::import::kinds::Kind;
use crate::import::model::fio::{FioDisk, FioJob, FioLatency, FioOp, FioPercentile, FioRun};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};
use std::io;

/// Foreign lines that are kept word by word.
const FOREIGN_LIMIT: usize = 20;

pub struct FioJson;

impl Kind for FioJson {
    fn name(&self) -> &'static str {
        "fio-json"
    }

    fn about(&self) -> &'static str {
        "fio --output-format=json or json+, of fio 2 and 3"
    }

    fn recognises(&self, source: &Source) -> bool {
        let has = |word| source.text.contains(word);
        has("\"fio version\"") || (has("\"jobs\"") && has("\"jobname\""))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let found = documents(source)?;
        if found.documents.is_empty() {
            let next = "save what fio prints with --output-format=json";
            return Err(source.refuse_all("it holds no JSON document", next));
        }
        foreign(source, found.foreign, into);
        for (line, document) in found.documents {
            run(source, line, &document, into)?;
        }
        Ok(())
    }
}

/// Keeps what stands beside the JSON: messages word for word, fio's report for people as a number.
fn foreign(source: &Source, mut lines: Vec<(usize, String)>, into: &mut Imported) {
    if lines
        .iter()
        .any(|(_, text)| text.starts_with("Run status group"))
    {
        let all = lines.len();
        lines.retain(|(_, text)| text.starts_with("fio:"));
        let text = format!(
            "{} lines of fio's output for people were skipped",
            all - lines.len()
        );
        into.note(Level::Info, &source.name, None, text);
    }
    let many = lines.len();
    if many > FOREIGN_LIMIT {
        let text =
            format!("{many} lines beside the JSON were skipped; the first {FOREIGN_LIMIT} follow");
        into.note(Level::Warning, &source.name, None, text);
    }
    for (line, text) in lines.into_iter().take(FOREIGN_LIMIT) {
        let lower = text.to_ascii_lowercase();
        let number = lower.split("err=").nth(1).map(str::trim_start);
        let numbered = number.is_some_and(|n| n.starts_with(|c: char| ('1'..='9').contains(&c)));
        let failed = numbered || ["error", "fail"].iter().any(|word| lower.contains(word));
        let level = if failed { Level::Error } else { Level::Warning };
        into.note(
            level,
            &source.name,
            Some(line),
            format!("beside the JSON: {text}"),
        );
    }
}

fn run(source: &Source, line: usize, document: &Json, into: &mut Imported) -> Imports<()> {
    let version = document.get("fio version").and_then(Json::text);
    let stats = ["jobs", "client_stats"]
        .iter()
        .find_map(|key| document.get(key));
    let Some(stats) = stats else {
        if document.get("fio version").is_none() {
            let text = "a JSON document without jobs was passed over";
            into.note(Level::Info, &source.name, Some(line), text);
            return Ok(());
        }
        let next = "check that fio ran any job";
        return Err(source.refuse(line, "the document has no `jobs`", next));
    };
    let mut run = FioRun {
        file: source.name.clone(),
        line: line as u64,
        format: "json".to_owned(),
        version: version.map(str::to_owned),
        time: document.get("time").and_then(Json::text).map(str::to_owned),
        ..FioRun::default()
    };
    let mut repeated = Vec::new();
    repeated_keys(document, &mut repeated);
    if !repeated.is_empty() {
        let text = format!(
            "duplicate keys, of which the last counts (percentile 0 is a place not in use and is dropped): {}",
            repeated.join(", ")
        );
        into.note(Level::Info, &source.name, Some(line), text);
    }
    let global = document.get("global options");
    for stat in stats.items() {
        let read = job(stat, global, version, &mut |level, text| {
            into.note(level, &source.name, Some(line), text);
        });
        run.jobs.push(read);
    }
    let disks = document.get("disk_util").map_or(&[][..], Json::items);
    run.disks = disks.iter().map(disk).collect();
    into.fio.push(run);
    Ok(())
}

fn repeated_keys(value: &Json, found: &mut Vec<String>) {
    let members = value.members();
    let mut names: Vec<_> = members.iter().map(|(name, _)| name).collect();
    names.sort();
    for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
        let name = format!("`{}`", pair[0]);
        if !found.contains(&name) {
            found.push(name);
        }
    }
    let below = members.iter().map(|(_, value)| value);
    below
        .chain(value.items())
        .for_each(|value| repeated_keys(value, found));
}

fn job(stat: &Json, global: Option<&Json>, version: Option<&str>, note: Noting) -> FioJob {
    let whole = |key| stat.get(key).and_then(Json::u64);
    let mut job = FioJob {
        name: stat
            .get("jobname")
            .and_then(Json::text)
            .unwrap_or("(no name)")
            .to_owned(),
        description: stat.get("desc").and_then(Json::text).map(str::to_owned),
        group: whole("groupid"),
        error: whole("error").unwrap_or(0),
        elapsed_s: whole("elapsed"),
        user_cpu_percent: stat.get("usr_cpu").and_then(Json::f64),
        system_cpu_percent: stat.get("sys_cpu").and_then(Json::f64),
        context_switches: whole("ctx"),
        ..FioJob::default()
    };
    for options in [global, stat.get("job options")].into_iter().flatten() {
        let members = options.members().iter();
        let texts =
            members.filter_map(|(key, value)| Some((key.clone(), value.text()?.to_owned())));
        job.options.extend(texts);
    }
    job.processes = job.options.get("numjobs").and_then(|n| n.parse().ok());
    settle_error(&mut job, note);
    for name in ["read", "write", "trim", "sync", "mixed"] {
        let Some(read) = stat.get(name) else { continue };
        if let Some(mut op) = op(read, version) {
            let place = format!("job {}, {name}", job.name);
            check::fio(&mut op, job.processes, &place, note);
            job.ops.insert(name.to_owned(), op);
        }
    }
    if job.ops.is_empty() && !job.failed {
        note(Level::Warning, format!("job {} did no I/O", job.name));
    }
    job
}

/// Takes remarks.
pub(super) type Noting<'a> = &'a mut dyn FnMut(Level, String);

/// A job that ended with an error is marked, with the error's name.
pub(super) fn settle_error(job: &mut FioJob, note: Noting) {
    if job.error == 0 {
        return;
    }
    let number = i32::try_from(job.error).unwrap_or(i32::MAX);
    let words = io::Error::from_raw_os_error(number).to_string();
    let words = words
        .split(" (os error")
        .next()
        .unwrap_or("")
        .to_lowercase();
    note(
        Level::Error,
        format!(
            "job {} FAILED with error {number} ({words}): I/O errors happened, so its figures are left out of comparisons",
            job.name
        ),
    );
    job.failed = true;
    job.error_text = Some(words);
}

fn op(stat: &Json, version: Option<&str>) -> Option<FioOp> {
    let number = |key| stat.get(key).and_then(Json::f64);
    let whole = |key| stat.get(key).and_then(Json::u64);
    let scale = bytes_in_kib(stat, version);
    let io_bytes = whole("io_bytes").map(|n| n.saturating_mul(scale));
    let total = latency(stat, "lat");
    // `sync` counts calls only.
    let ios = whole("total_ios").or_else(|| total.as_ref()?.n);
    if ios.or(io_bytes).unwrap_or(0) == 0 {
        return None;
    }
    let bandwidth = number("bw_bytes").or_else(|| number("bw").map(|kib| kib * 1024.0));
    Some(FioOp {
        io_bytes,
        ios,
        runtime_ns: whole("runtime").map(|ms| ms.saturating_mul(1_000_000)),
        bandwidth_bytes_per_s: bandwidth,
        iops: number("iops"),
        iops_mean: number("iops_mean").filter(|n| *n > 0.0),
        bandwidth_mean_bytes_per_s: number("bw_mean").filter(|n| *n > 0.0).map(|n| n * 1024.0),
        mean_is_per_process: false,
        short_ios: whole("short_ios"),
        submission: latency(stat, "slat"),
        completion: latency(stat, "clat"),
        total,
    })
}

/// fio 2 counts `io_bytes` in KiB, fio 3 (2.99 already) in bytes with `io_kbytes` beside them.
fn bytes_in_kib(stat: &Json, version: Option<&str>) -> u64 {
    if stat.get("io_kbytes").is_some() {
        return 1;
    }
    let number = version.and_then(|v| v.trim_start_matches("fio-").split('.').next()?.parse().ok());
    match number {
        Some(major) if major >= 3 => 1,
        Some(2 | 1) => 1024,
        // Without a version the names of the latencies tell.
        _ if stat.get("clat_ns").is_some() => 1,
        _ => 1024,
    }
}

fn latency(stat: &Json, name: &str) -> Option<FioLatency> {
    let in_ns = stat.get(&format!("{name}_ns"));
    let in_us = stat.get(name).or_else(|| stat.get(&format!("{name}_us")));
    let (read, unit, factor) = match (in_ns, in_us) {
        (Some(read), _) => (read, "ns", 1.0),
        (None, Some(read)) => (read, "us", 1000.0),
        (None, None) => return None,
    };
    let value = |key| read.get(key).and_then(Json::f64).map(|n| n * factor);
    let n = read.get("N").and_then(Json::u64);
    let nothing = value("max").unwrap_or(0.0) == 0.0 && value("mean").unwrap_or(0.0) == 0.0;
    if n == Some(0) || (n.is_none() && nothing) {
        return None;
    }
    let percentiles = read.get("percentile").map_or(&[][..], Json::members).iter();
    // Places not in use are printed as "0.00" : 0.
    let percentiles = percentiles.filter_map(|(key, value)| {
        let percent: f64 = key.parse().ok().filter(|p| *p > 0.0 && *p <= 100.0)?;
        let ns = value.f64()? * factor;
        Some(FioPercentile { percent, ns })
    });
    Some(FioLatency {
        unit: unit.to_owned(),
        n,
        min_ns: value("min"),
        max_ns: value("max"),
        mean_ns: value("mean"),
        stddev_ns: value("stddev"),
        percentiles: percentiles.collect(),
    })
}

fn disk(stat: &Json) -> FioDisk {
    let whole = |key| stat.get(key).and_then(Json::u64);
    let ticks = |key| whole(key).map(|ms| ms.saturating_mul(1_000_000));
    FioDisk {
        name: stat
            .get("name")
            .and_then(Json::text)
            .unwrap_or("(no name)")
            .to_owned(),
        reads: whole("read_ios"),
        writes: whole("write_ios"),
        reads_merged: whole("read_merges"),
        writes_merged: whole("write_merges"),
        read_ns: ticks("read_ticks"),
        write_ns: ticks("write_ticks"),
        in_queue_ns: ticks("in_queue"),
        util_percent: stat.get("util").and_then(Json::f64),
    }
}
