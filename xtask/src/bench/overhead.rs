//! What the always-on block probes cost for each I/O: iosage and its peers in turn, on one load.

use super::bpf_stats::Enabled;
use super::figure::Figure;
use super::load::Load;
use super::tracefs::TraceFs;
use super::tracer::{Cost, Tracer};
use crate::step::{Step, found, is_root};
use crate::tree::Tree;
use crate::{build_ebpf, demo, setup, signals};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The latency script that most people would write: a hash by request, a histogram.
const BPFTRACE_SCRIPT: &str = "\
tracepoint:block:block_rq_issue { @start[args->dev, args->sector] = nsecs; }
tracepoint:block:block_rq_complete /@start[args->dev, args->sector]/ {
  @us = hist((nsecs - @start[args->dev, args->sector]) / 1000);
  delete(@start[args->dev, args->sector]);
}";

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Args {
    /// How many rounds; in each, iosage and every peer are measured once
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How long each is measured, in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=60))]
    seconds: u32,
    /// Install nothing
    #[arg(long)]
    no_install: bool,
}

/// Somebody in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Iosage,
    Floor,
    Bpftrace,
    Biolatency,
    BiolatencyAll,
}

/// The peers, and the ratio of our cost to theirs that must not be exceeded (docs/overhead.md).
const PEERS: [(Who, f64); 3] = [
    (Who::Bpftrace, 0.33),
    (Who::Biolatency, 0.40),
    (Who::BiolatencyAll, 0.30),
];

/// What each round found out about one tracer; the first failure ends its part in the comparison.
type Costs = Result<Vec<Cost>, String>;

pub(crate) fn run(tree: &Tree, args: Args) -> Result<ExitCode> {
    if !is_root() {
        bail!("`bench overhead` loads BPF programs and attaches a loop device; run it as root");
    }
    if !found("fio") {
        bail!("the load needs fio; run `apt-get install fio`, then repeat");
    }
    let ready = setup::run(
        tree,
        setup::Args {
            no_install: args.no_install,
        },
    )?;
    build_ebpf::with(tree, &ready)?;
    demo::build_iosage(tree)?;

    signals::hold();
    let measured = rounds(tree, args);
    if let Some(code) = signals::exit_code() {
        eprintln!("interrupted");
        return Ok(code);
    }
    let figures = figures(&measured?);
    println!();
    figures.iter().for_each(|figure| println!("{figure}"));
    let ours = figures.first().is_some_and(Figure::is_measured);
    Ok(if ours {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// All rounds, by tracer.
fn rounds(tree: &Tree, args: Args) -> Result<Vec<(Who, Costs)>> {
    let dir = tree.target().join("bench");
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
    let everybody = [Who::Iosage, Who::Floor]
        .into_iter()
        .chain(PEERS.map(|(who, _)| who));
    let mut measured: Vec<(Who, Costs)> = everybody
        .map(|who| (who, who.missing().map_or(Ok(Vec::new()), Err)))
        .collect();
    let _stats = Enabled::new()?;
    let _tracefs = tracefs_for(&mut measured);
    // Each tracer takes its window, a quarter of it before, and some seconds to start and to end.
    let one = u64::from(args.seconds) * 2 + 45;
    let mut load = Load::start(Duration::from_secs(one * u64::from(args.rounds) * 5))?;
    for _ in 0..args.rounds {
        for (who, costs) in &mut measured {
            signals::check()?;
            let Ok(so_far) = costs else { continue };
            let words = dir.join(format!("{}.log", who.name()));
            let step = who.step(tree, load.device(), &dir);
            let window = Duration::from_secs(args.seconds.into());
            match Tracer::start(step, words).and_then(|mut it| it.measure(&mut load, window)) {
                Ok(cost) => {
                    println!(
                        "{}: {:.0} ns and {:.2} runs for each I/O",
                        who.name(),
                        cost.ns_per_io,
                        cost.runs_per_io
                    );
                    so_far.push(cost);
                }
                Err(error) => *costs = Err(format!("{}: {error:#}", who.name())),
            }
        }
    }
    Ok(measured)
}

/// Without tracefs bpftrace takes no part; the others need none.
fn tracefs_for(measured: &mut [(Who, Costs)]) -> Option<TraceFs> {
    TraceFs::mounted()
        .inspect_err(|error| {
            for (_, costs) in measured.iter_mut().filter(|(who, _)| *who == Who::Bpftrace) {
                *costs = Err(format!("bpftrace needs tracefs: {error:#}"));
            }
        })
        .ok()
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Self::Iosage => "block",
            Self::Floor => "floor",
            Self::Bpftrace => "bpftrace",
            Self::Biolatency => "biolatency",
            Self::BiolatencyAll => "biolatency_qdf",
        }
    }

    /// Why it cannot take part.
    fn missing(self) -> Option<String> {
        let (program, package) = match self {
            Self::Iosage | Self::Floor => return None,
            Self::Bpftrace => ("bpftrace", "bpftrace"),
            Self::Biolatency | Self::BiolatencyAll => ("biolatency", "libbpf-tools"),
        };
        (!found(program))
            .then(|| format!("{program} is not installed; run `apt-get install {package}`"))
    }

    fn step(self, tree: &Tree, device: &Path, dir: &Path) -> Step {
        match self {
            Self::Iosage => Step::new(tree.iosage())
                .args(["record", "--probes", "block", "--for", "1h", "--device"])
                .arg(device)
                .arg("-o")
                .arg(dir.join("overhead.json.zst")),
            Self::Floor => Step::new(tree.iosage()).arg("bench-floor"),
            Self::Bpftrace => Step::new("bpftrace").args(["-e", BPFTRACE_SCRIPT]),
            Self::Biolatency => Step::new("/usr/sbin/biolatency"),
            Self::BiolatencyAll => Step::new("/usr/sbin/biolatency").args(["-Q", "-D", "-F"]),
        }
    }
}

/// Our own cost first, then the ratios that have targets, then what the peers cost.
fn figures(measured: &[(Who, Costs)]) -> Vec<Figure> {
    let costs = |who: Who| {
        measured.iter().find(|(one, _)| *one == who).map_or_else(
            || Err("it took no part".to_owned()),
            |(_, costs)| costs.clone(),
        )
    };
    let raw = |who: Who| {
        let values = costs(who).map(|all| all.iter().map(|cost| cost.ns_per_io).collect());
        Figure::new(&format!("{}.raw_ns_per_io", who.name()), "ns", values, None)
    };
    let ratio = |us: Who, who: Who, target: Option<f64>| {
        let ratios = costs(us).and_then(|ours| paired(&ours, &costs(who)?));
        let name = format!("{}.raw_over_{}", us.name(), who.name());
        Figure::new(&name, "ratio", ratios, target)
    };
    [raw(Who::Iosage), ratio(Who::Iosage, Who::Floor, None)]
        .into_iter()
        .chain(PEERS.map(|(who, target)| ratio(Who::Iosage, who, Some(target))))
        .chain(PEERS.map(|(who, _)| ratio(Who::Floor, who, None)))
        .chain([raw(Who::Floor)])
        .chain(PEERS.map(|(who, _)| raw(who)))
        .collect()
}

/// The ratio of each round: what is common to a round cancels out.
fn paired(ours: &[Cost], theirs: &[Cost]) -> Result<Vec<f64>, String> {
    let ratios: Vec<_> = ours
        .iter()
        .zip(theirs)
        .map(|(ours, theirs)| ours.ns_per_io / theirs.ns_per_io)
        .collect();
    if ratios.is_empty() {
        return Err("no rounds".to_owned());
    }
    Ok(ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(ns: &[f64]) -> Costs {
        Ok(ns
            .iter()
            .map(|ns| Cost {
                ns_per_io: *ns,
                runs_per_io: 2.0,
            })
            .collect())
    }

    #[test]
    fn ratios_are_those_of_the_rounds_and_a_missing_peer_says_why() {
        let measured = [
            (Who::Iosage, costs(&[200.0, 300.0, 250.0])),
            (Who::Floor, costs(&[200.0, 200.0, 200.0])),
            (Who::Bpftrace, costs(&[1000.0, 1000.0, 1000.0])),
            (
                Who::Biolatency,
                Err("biolatency is not installed".to_owned()),
            ),
            (Who::BiolatencyAll, costs(&[500.0, 600.0, 500.0])),
        ];
        let shown: Vec<_> = figures(&measured).iter().map(Figure::to_string).collect();
        assert_eq!(
            shown,
            [
                "figure block.raw_ns_per_io 250 ns",
                "figure block.raw_over_floor 1.250 ratio",
                "figure block.raw_over_bpftrace 0.250 ratio target 0.33 met",
                "figure block.raw_over_biolatency not measured: biolatency is not installed",
                "figure block.raw_over_biolatency_qdf 0.500 ratio target 0.3 short",
                "figure floor.raw_over_bpftrace 0.200 ratio",
                "figure floor.raw_over_biolatency not measured: biolatency is not installed",
                "figure floor.raw_over_biolatency_qdf 0.400 ratio",
                "figure floor.raw_ns_per_io 200 ns",
                "figure bpftrace.raw_ns_per_io 1000 ns",
                "figure biolatency.raw_ns_per_io not measured: biolatency is not installed",
                "figure biolatency_qdf.raw_ns_per_io 500 ns",
            ]
        );
    }
}
