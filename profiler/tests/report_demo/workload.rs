//! Four jobs: two readers, a buffered writer, a log writer.

use super::dice::Dice;
use profiler::capture::{Histogram, JobOp, JobResult, OpSpans, Workload};
use profiler_ebpf::bucket::LATENCY;

pub(crate) fn workload(dice: &mut Dice) -> Workload {
    let mut jobs: Vec<JobResult> = (0..2)
        .map(|clone| JobResult {
            clone,
            ops: [op(dice, "read", 2_810, 8192, 301_000.0)].into(),
            ..job("reader", "io_uring", true, "/srv/pg/bench/table.0")
        })
        .collect();
    jobs.push(JobResult {
        ops: [op(dice, "write", 9_240, 8192, 4_200.0)].into(),
        ..job("writer", "psync", false, "/srv/pg/bench/table.1")
    });
    jobs.push(JobResult {
        ops: [
            op(dice, "write", 348, 16_384, 6_900.0),
            op(dice, "fdatasync", 348, 0, 3_950_000.0),
        ]
        .into(),
        ..job("wal", "psync", false, "/srv/pg/bench/wal.0")
    });
    Workload {
        name: "database.fio".into(),
        jobs,
        notes: vec!["the page cache was warm when the jobs started".into()],
    }
}

fn job(name: &str, engine: &str, direct: bool, file: &str) -> JobResult {
    JobResult {
        name: name.into(),
        clone: 0,
        group: 0,
        group_reporting: false,
        engine: engine.into(),
        runtime_ns: 20_000_000_000,
        ops: [].into(),
        error: None,
        files: vec![file.into()],
        direct,
        cost: None,
    }
}

fn op(dice: &mut Dice, name: &str, n: u64, size: u64, median: f64) -> (String, JobOp) {
    let mut latency_ns = Histogram::new(&LATENCY);
    let values: Vec<u64> = (0..n)
        .map(|_| dice.log_normal(median, 0.6) as u64)
        .collect();
    values.iter().for_each(|value| latency_ns.add(*value));
    let op = JobOp {
        n,
        bytes: n * size,
        errors: 0,
        latency_ns,
        min_ns: values.iter().min().copied(),
        max_ns: values.iter().max().copied(),
        spans: OpSpans::default(),
    };
    (name.to_owned(), op)
}
