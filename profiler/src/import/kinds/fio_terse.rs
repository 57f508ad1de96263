//! fio's terse (minimal) output, versions 2 to 5: one line a job, fields parted by `;`.

use super::fio_json::settle_error;
use crate::import::check;
use crate::import::kinds::Kind;
use crate::import::model::fio::{FioDisk, FioJob, FioLatency, FioOp, FioPercentile, FioRun};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};
use crate::import::terse::Layout;

pub struct FioTerse;

impl Kind for FioTerse {
    fn name(&self) -> &'static str {
        "fio-terse"
    }

    fn about(&self) -> &'static str {
        "fio --minimal, terse versions 2 to 5"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| is_terse(line))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut banner = None;
        let mut found = false;
        for (number, line) in source.lines() {
            let line = line.trim();
            if is_terse(line) {
                let run = run(source, number, line, banner.clone(), into)?;
                into.fio.push(run);
                found = true;
            } else if line.starts_with("fio ") && line.len() < 40 {
                banner = Some(line.replacen("fio ", "fio-", 1));
            } else if !line.is_empty() {
                let text = format!("no terse result: {line}");
                into.note(Level::Warning, &source.name, Some(number), text);
            }
        }
        match found {
            true => Ok(()),
            false => Err(source.refuse_all(
                "no line has the fields of terse version 2 to 5",
                "save what fio prints with --minimal",
            )),
        }
    }
}

/// A version from 2 to 5 and many fields; or no version, and the oldest layout.
fn is_terse(line: &str) -> bool {
    let line = line.trim();
    let version = ["2;", "3;", "4;", "5;"].iter().any(|v| line.starts_with(v));
    let many = line.matches(';').count() >= 30;
    many && (version || {
        let fields: Vec<&str> = line.split(';').collect();
        let whole = |at: usize| fields[at].trim().parse::<u64>().is_ok();
        !whole(0) && whole(1) && whole(2) && Layout::of(0, &fields).is_some()
    })
}

fn run(
    source: &Source,
    number: usize,
    line: &str,
    banner: Option<String>,
    into: &mut Imported,
) -> Imports<FioRun> {
    let fields: Vec<&str> = line.split(';').collect();
    // The oldest have no version: their first field is the job's name.
    let version: u32 = fields[0].trim().parse().unwrap_or(0);
    let Some(layout) = Layout::of(version, &fields) else {
        let why = format!(
            "its {} fields do not fit terse version {version}: no op count puts CPU and depths in place",
            fields.len()
        );
        return Err(source.refuse(
            number,
            why,
            "give the line as fio printed it, or fio's JSON",
        ));
    };
    let name = layout.name;
    let mut job = FioJob {
        name: fields[name].to_owned(),
        group: fields[name + 1].trim().parse().ok(),
        error: fields[name + 2].trim().parse().unwrap_or(0),
        ..FioJob::default()
    };
    let mut note = |level, text: String| into.note(level, &source.name, Some(number), text);
    settle_error(&mut job, &mut note);
    let mut at = layout.first();
    for op_name in ["read", "write", "trim"].into_iter().take(layout.ops) {
        let block = &fields[at..at + layout.block()];
        at += layout.block();
        if let Some(mut op) = op(block, layout) {
            check::fio(
                &mut op,
                None,
                &format!("job {}, {op_name}", job.name),
                &mut note,
            );
            job.ops.insert(op_name.to_owned(), op);
        }
    }
    job.user_cpu_percent = percent(fields[at]);
    job.system_cpu_percent = percent(fields[at + 1]);
    job.context_switches = fields[at + 2].trim().parse().ok();
    // 5 of CPU, 7 of depths, 10 and 12 of latencies.
    let disks = fields.get(at + 34..).unwrap_or_default();
    let version_text = match version {
        0 | 2 => banner,
        _ => Some(fields[1].trim_start_matches("fio-")).map(|v| format!("fio-{v}")),
    };
    let mut run = FioRun {
        file: source.name.clone(),
        line: number as u64,
        format: format!("terse-{version}"),
        version: version_text,
        time: None,
        jobs: Vec::new(),
        disks: Vec::new(),
    };
    let (read, rest) = self::disks(disks);
    run.disks = read;
    let text = rest
        .iter()
        .map(|text| text.trim())
        .rfind(|text| text.parse::<f64>().is_err() && !text.is_empty());
    job.description = text.map(str::to_owned);
    run.jobs.push(job);
    Ok(run)
}

fn percent(field: &str) -> Option<f64> {
    number(field.trim().strip_suffix('%')?)
}

fn number(field: &str) -> Option<f64> {
    field
        .trim()
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite() && *n >= 0.0)
}

/// Blocks of nine fields, the last in percent; what follows them is something else.
fn disks<'a>(mut fields: &'a [&'a str]) -> (Vec<FioDisk>, &'a [&'a str]) {
    let mut disks = Vec::new();
    while let Some((block, rest)) = fields.split_at_checked(9) {
        let Some(util) = percent(block[8]) else { break };
        let whole = |at: usize| block[at].trim().parse::<u64>().ok();
        let ticks = |at| whole(at).map(|ms| ms.saturating_mul(1_000_000));
        disks.push(FioDisk {
            name: block[0].to_owned(),
            reads: whole(1),
            writes: whole(2),
            reads_merged: whole(3),
            writes_merged: whole(4),
            read_ns: ticks(5),
            write_ns: ticks(6),
            in_queue_ns: ticks(7),
            util_percent: Some(util),
        });
        fields = rest;
    }
    (disks, fields)
}

/// Latencies are in microseconds in every terse version. The bandwidth is in KiB/s with the iops
/// beside it, and in 1000 bytes/s without (fio 1).
fn op(block: &[&str], layout: Layout) -> Option<FioOp> {
    let kib = block[0].trim().parse::<u64>().ok()?;
    let runtime_ms = block[2 + usize::from(layout.iops)]
        .trim()
        .parse::<u64>()
        .ok()?;
    if kib == 0 && runtime_ms == 0 {
        return None;
    }
    let unit = if layout.iops { 1024.0 } else { 1000.0 };
    let slat = 3 + usize::from(layout.iops);
    let clat = slat + 4;
    let after = clat + 4;
    let lat = after + 20 * usize::from(layout.percentiles);
    let mut completion = latency(&block[clat..clat + 4]);
    if let (Some(latency), true) = (&mut completion, layout.percentiles) {
        latency.percentiles = block[after..lat]
            .iter()
            .filter_map(|f| percentile(f))
            .collect();
    }
    Some(FioOp {
        io_bytes: Some(kib.saturating_mul(1024)),
        ios: None,
        runtime_ns: Some(runtime_ms.saturating_mul(1_000_000)),
        bandwidth_bytes_per_s: number(block[1]).map(|n| n * unit),
        iops: layout.iops.then(|| number(block[2])).flatten(),
        bandwidth_mean_bytes_per_s: number(block[lat + 4 * usize::from(layout.total) + 3])
            .filter(|n| *n > 0.0)
            .map(|n| n * unit),
        submission: latency(&block[slat..slat + 4]),
        completion,
        total: layout
            .total
            .then(|| latency(&block[lat..lat + 4]))
            .flatten(),
        ..FioOp::default()
    })
}

/// Minimum, maximum, mean, deviation; all 0: not measured.
fn latency(fields: &[&str]) -> Option<FioLatency> {
    let ns = |at: usize| number(fields[at]).map(|us| us * 1000.0);
    if (0..4).all(|at| ns(at).unwrap_or(0.0) == 0.0) {
        return None;
    }
    Some(FioLatency {
        unit: "us".to_owned(),
        n: None,
        min_ns: ns(0),
        max_ns: ns(1),
        mean_ns: ns(2),
        stddev_ns: ns(3),
        percentiles: Vec::new(),
    })
}

/// `99.000000%=394`; `0%=0` stands in places not in use.
fn percentile(field: &str) -> Option<FioPercentile> {
    let (percent, us) = field.split_once("%=")?;
    let percent = number(percent).filter(|p| *p > 0.0)?;
    Some(FioPercentile {
        percent,
        ns: number(us)? * 1000.0,
    })
}
