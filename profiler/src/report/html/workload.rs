//! The workload's jobs as rows.

use crate::report::json::shape::WorkloadJson;
use crate::units;

/// One op of one job.
pub(super) struct JobRow {
    pub(super) job: String,
    pub(super) engine: String,
    pub(super) op: String,
    pub(super) n: String,
    pub(super) bytes: String,
    pub(super) rate: String,
    pub(super) p50: String,
    pub(super) p99: String,
    pub(super) max: String,
    pub(super) error: String,
}

pub(super) fn rows(workload: &WorkloadJson) -> Vec<JobRow> {
    let mut rows = Vec::new();
    for job in &workload.jobs {
        for (op, told) in &job.ops {
            let time = |ns: Option<f64>| ns.map_or("none".to_owned(), units::nanos);
            rows.push(JobRow {
                job: format!("{}.{}", job.name, job.clone),
                engine: match job.direct {
                    true => format!("{}, direct", job.engine),
                    false => format!("{}, buffered", job.engine),
                },
                op: op.clone(),
                n: units::count(told.n),
                bytes: match told.bytes {
                    0 => "none".to_owned(),
                    bytes => units::bytes(bytes as f64),
                },
                rate: told.per_second.map_or("unknown".to_owned(), units::rate),
                p50: time(told.latency.p50_ns),
                p99: time(told.latency.p99_ns),
                max: time(told.latency.max_ns),
                error: match (&job.error, told.errors) {
                    (Some(error), _) => error.clone(),
                    (None, 0) => String::new(),
                    (None, n) => format!("{} errors", units::count(n)),
                },
            });
        }
    }
    rows
}
