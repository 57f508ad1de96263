//! fio's terse (minimal) output, versions 2 to 5: one line a job, fields parted by `;`.

use super::fio_json::settle_error;
use crate::import::check;
use crate::import::kinds::Kind;
use crate::import::model::fio::{FioDisk, FioJob, FioLatency, FioOp, FioPercentile, FioRun};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

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

fn is_terse(line: &str) -> bool {
    let version = ["2;", "3;", "4;", "5;"]
        .iter()
        .any(|v| line.trim_start().starts_with(v));
    version && line.matches(';').count() >= 30
}

/// How the fields of one version lie. Versions 2 of old and new fio differ, and no field says so.
#[derive(Clone, Copy, Debug)]
struct Layout {
    ops: usize,
    iops: bool,
    percentiles: bool,
    /// Numbers behind the bandwidth statistics that only version 5 has.
    samples: usize,
}

impl Layout {
    fn block(self) -> usize {
        3 + usize::from(self.iops)
            + 4
            + 4
            + 20 * usize::from(self.percentiles)
            + 4
            + 5
            + self.samples
    }

    /// The layout after which the fields of the CPU and of the depths are where they must be.
    fn of(version: u32, fields: &[&str], first: usize) -> Option<Self> {
        let iops = if version == 2 {
            &[true, false][..]
        } else {
            &[true]
        };
        let samples = if version == 5 { 6 } else { 0 };
        for ops in if version == 3 { [2, 3] } else { [3, 2] } {
            for &iops in iops {
                for percentiles in [true, false] {
                    let layout = Self {
                        ops,
                        iops,
                        percentiles,
                        samples,
                    };
                    let cpu = first + ops * layout.block();
                    let Some(tail) = fields.get(cpu..cpu + 12) else {
                        continue;
                    };
                    let is_percent = |at: usize| tail[at].ends_with('%');
                    let counts = tail[2..5].iter().all(|f| f.trim().parse::<u64>().is_ok());
                    if is_percent(0) && is_percent(1) && counts && (5..12).all(is_percent) {
                        return Some(layout);
                    }
                }
            }
        }
        None
    }
}

fn run(
    source: &Source,
    number: usize,
    line: &str,
    banner: Option<String>,
    into: &mut Imported,
) -> Imports<FioRun> {
    let fields: Vec<&str> = line.split(';').collect();
    let version: u32 = fields[0].trim().parse().unwrap_or(0);
    // Version 2 has no field for fio's own version.
    let name = if version == 2 { 1 } else { 2 };
    let first = name + 3;
    let Some(layout) = Layout::of(version, &fields, first) else {
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
    let mut job = FioJob {
        name: fields[name].to_owned(),
        group: fields[name + 1].trim().parse().ok(),
        error: fields[name + 2].trim().parse().unwrap_or(0),
        ..FioJob::default()
    };
    let mut note = |level, text: String| into.note(level, &source.name, Some(number), text);
    settle_error(&mut job, &mut note);
    let mut at = first;
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
        2 => banner,
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
        bandwidth_mean_bytes_per_s: number(block[lat + 4 + 3])
            .filter(|n| *n > 0.0)
            .map(|n| n * unit),
        submission: latency(&block[slat..slat + 4]),
        completion,
        total: latency(&block[lat..lat + 4]),
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
