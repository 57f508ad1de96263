//! The workload engine beside Debian's fio: the same job on the same file in turn, IOPS and CPU.
//!
//! Nothing else should run meanwhile. On a busy machine fio's processes, each of which begins a
//! session, get a share of the CPU each, and the threads of iosage get one together (autogroups);
//! CPU for each I/O is hardly touched by that.

use super::figure::{Bound, Figure};
use crate::step::{Step, found};
use crate::tree::Tree;
use crate::{demo, signals};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Args {
    /// How many pairs of runs for each job
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How long each run takes, in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=60))]
    seconds: u32,
}

const FILE_BYTES: u64 = 256 << 20;

/// One job and what is asked of our ratios to fio's: IOPS at least, CPU for each I/O at most.
struct Cell {
    name: &'static str,
    options: &'static str,
    /// Added for fio alone: its best tuning.
    tuned: &'static str,
    iops: f64,
    cpu: f64,
}

const CELLS: &[Cell] = &[
    Cell {
        name: "cached.psync",
        options: "rw=randread\nbs=4k\ninvalidate=0\nioengine=psync\n",
        tuned: "",
        iops: 1.25,
        cpu: 0.80,
    },
    Cell {
        name: "cached.uring.qd1",
        options: "rw=randread\nbs=4k\ninvalidate=0\nioengine=io_uring\niodepth=1\n",
        tuned: "",
        iops: 1.25,
        cpu: 0.80,
    },
    Cell {
        name: "cached.uring.qd32",
        options: "rw=randread\nbs=4k\ninvalidate=0\nioengine=io_uring\niodepth=32\n",
        tuned: "",
        iops: 1.9,
        cpu: 0.55,
    },
    Cell {
        name: "cached.uring.qd128",
        options: "rw=randread\nbs=4k\ninvalidate=0\nioengine=io_uring\niodepth=128\n",
        tuned: "",
        iops: 1.9,
        cpu: 0.55,
    },
    Cell {
        name: "cached.uring.qd32.tuned",
        options: "rw=randread\nbs=4k\ninvalidate=0\nioengine=io_uring\niodepth=32\n",
        tuned: "fixedbufs=1\nregisterfiles=1\ngtod_reduce=1\niodepth_batch_submit=8\niodepth_batch_complete_min=8\n",
        iops: 1.2,
        cpu: 0.82,
    },
    Cell {
        name: "direct.uring.qd1",
        options: "rw=randread\nbs=4k\ndirect=1\nioengine=io_uring\niodepth=1\n",
        tuned: "",
        iops: 1.0,
        cpu: 1.05,
    },
    Cell {
        name: "direct.uring.qd32",
        options: "rw=randread\nbs=4k\ndirect=1\nioengine=io_uring\niodepth=32\n",
        tuned: "",
        iops: 1.0,
        cpu: 0.70,
    },
    Cell {
        name: "direct.uring.qd128",
        options: "rw=randread\nbs=4k\ndirect=1\nioengine=io_uring\niodepth=128\n",
        tuned: "",
        iops: 1.0,
        cpu: 0.70,
    },
    Cell {
        name: "sequential.read.8",
        options: "rw=read\nbs=8k\ninvalidate=0\nioengine=psync\nnumjobs=8\ngroup_reporting\n",
        tuned: "",
        iops: 1.3,
        cpu: 0.78,
    },
    Cell {
        name: "sequential.write.8",
        options: "rw=write\nbs=8k\ninvalidate=0\nioengine=psync\nnumjobs=8\ngroup_reporting\n",
        tuned: "",
        iops: 1.25,
        cpu: 0.80,
    },
];

/// What one run came to.
struct Run {
    iops: f64,
    cpu_us_per_io: f64,
}

pub(crate) fn run(tree: &Tree, args: Args) -> Result<ExitCode> {
    if !found("fio") {
        bail!("the peer is fio; run `apt-get install fio`, then repeat");
    }
    demo::build_iosage(tree)?;
    let dir = tree.target().join("bench/engine");
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
    lay_out(&dir.join("data"))?;
    signals::hold();
    let measured = cells(tree, &dir, args);
    fs::remove_dir_all(&dir).with_context(|| format!("removing {}", dir.display()))?;
    if let Some(code) = signals::exit_code() {
        eprintln!("interrupted");
        return Ok(code);
    }
    println!();
    measured?.iter().for_each(|figure| println!("{figure}"));
    Ok(ExitCode::SUCCESS)
}

/// A file that no filesystem can shorten, read once so that it is in the page cache.
fn lay_out(path: &Path) -> Result<()> {
    let mut file = File::create(path).with_context(|| format!("making {}", path.display()))?;
    let mut random = File::open("/dev/urandom").context("opening /dev/urandom")?;
    let mut chunk = vec![0; 1 << 20];
    for _ in 0..FILE_BYTES >> 20 {
        random.read_exact(&mut chunk)?;
        file.write_all(&chunk)?;
    }
    file.sync_all().context("syncing")
}

fn cells(tree: &Tree, dir: &Path, args: Args) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for cell in CELLS {
        let pairs = pairs(tree, dir, cell, args).map_err(|error| format!("{error:#}"));
        signals::check()?;
        let ratios = |of: fn(&(Run, Run)) -> f64| match &pairs {
            Ok(pairs) => Ok(pairs.iter().map(of).collect()),
            Err(reason) => Err(reason.clone()),
        };
        figures.push(Figure::bounded(
            &format!("engine.{}.iops", cell.name),
            "ratio",
            ratios(|(ours, theirs)| ours.iops / theirs.iops),
            Bound::AtLeast(cell.iops),
        ));
        figures.push(Figure::bounded(
            &format!("engine.{}.cpu", cell.name),
            "ratio",
            ratios(|(ours, theirs)| ours.cpu_us_per_io / theirs.cpu_us_per_io),
            Bound::AtMost(cell.cpu),
        ));
    }
    Ok(figures)
}

/// Ours and theirs in turn, each round the other one first.
fn pairs(tree: &Tree, dir: &Path, cell: &Cell, args: Args) -> Result<Vec<(Run, Run)>> {
    let text = |more: &str| {
        format!(
            "[bench]\nfilename={}\nsize={FILE_BYTES}\ntime_based\nruntime={}\n{}{more}",
            dir.join("data").display(),
            args.seconds,
            cell.options
        )
    };
    fs::write(dir.join("ours.fio"), text(""))?;
    fs::write(dir.join("theirs.fio"), text(cell.tuned))?;
    let ours = || {
        let step = Step::new(tree.iosage())
            .args(["run", "--overwrite", "--keep", "--format", "fio-json"])
            .arg(dir.join("ours.fio"));
        measured(step)
    };
    let theirs = || {
        let step = Step::new("fio")
            .args(["--output-format=json"])
            .arg(dir.join("theirs.fio"));
        measured(step)
    };
    let mut pairs = Vec::new();
    // A job before this one may have dropped the file from the page cache.
    let mut data = File::open(dir.join("data")).context("opening the file again")?;
    std::io::copy(&mut data, &mut std::io::sink()).context("reading the file")?;
    for round in 0..args.rounds {
        signals::check()?;
        let pair = match round % 2 {
            0 => (ours()?, theirs()?),
            _ => {
                let theirs = theirs()?;
                (ours()?, theirs)
            }
        };
        println!(
            "{}: {:.0} and {:.0} IOPS, {:.2} and {:.2} us of CPU for each I/O (ours, fio)",
            cell.name, pair.0.iops, pair.1.iops, pair.0.cpu_us_per_io, pair.1.cpu_us_per_io
        );
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Runs one of them; its CPU time is what the kernel says of the process, not what it says itself.
fn measured(step: Step) -> Result<Run> {
    let before = children_cpu_us()?;
    let text = step.read()?;
    let cpu = children_cpu_us()? - before;
    let start = text.find('{').context("no JSON was printed")?;
    let json: Value = serde_json::from_str(&text[start..]).context("reading the JSON")?;
    let job = &json["jobs"][0];
    ensure!(job["error"] == 0, "the job failed: {}", job["iosage error"]);
    let sum = |key: &str| -> f64 {
        let of = |way: &str| job[way][key].as_f64().unwrap_or(0.0);
        of("read") + of("write")
    };
    let ios = sum("total_ios");
    ensure!(ios > 0.0, "no I/O was done");
    Ok(Run {
        iops: sum("iops"),
        cpu_us_per_io: cpu / ios,
    })
}

/// CPU time of all children that have ended, in microseconds (proc(5): cutime and cstime).
fn children_cpu_us() -> Result<f64> {
    /// USER_HZ is 100 on every architecture that Linux still has.
    const TICK_US: f64 = 10_000.0;
    let stat = fs::read_to_string("/proc/self/stat").context("reading /proc/self/stat")?;
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.split_whitespace().collect())
        .unwrap_or_default();
    let ticks = |number: usize| -> Option<f64> { fields.get(number - 3)?.parse().ok() };
    let both = ticks(16)
        .zip(ticks(17))
        .context("/proc/self/stat is too short")?;
    Ok((both.0 + both.1) * TICK_US)
}
