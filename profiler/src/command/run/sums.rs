//! Sums of several jobs that are reported as one.

use crate::capture::{JobOp, JobResult, JobSpan, Moments};
use std::collections::BTreeMap;

/// All ops of some jobs.
pub(in crate::command::run) fn ops(jobs: &[&JobResult]) -> BTreeMap<String, JobOp> {
    let mut all: BTreeMap<String, JobOp> = BTreeMap::new();
    for (name, op) in jobs.iter().flat_map(|job| &job.ops) {
        match all.get_mut(name) {
            Some(sum) => add(sum, op),
            None => {
                all.insert(name.clone(), op.clone());
            }
        }
    }
    all
}

pub(in crate::command::run) fn add(sum: &mut JobOp, op: &JobOp) {
    sum.n += op.n;
    sum.bytes += op.bytes;
    sum.errors += op.errors;
    sum.min_ns = least(sum.min_ns, op.min_ns);
    sum.max_ns = sum.max_ns.max(op.max_ns);
    sum.latency_ns.merge(&op.latency_ns);
    let (spans, more) = (&mut sum.spans, &op.spans);
    spans.squares_ns2 = spans.squares_ns2.zip(more.squares_ns2).map(|(a, b)| a + b);
    moments(&mut spans.submission, &more.submission);
    moments(&mut spans.total, &more.total);
    span(&mut spans.completion, &more.completion);
    span(&mut spans.lag, &more.lag);
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn moments(sum: &mut Option<Moments>, more: &Option<Moments>) {
    let Some(more) = more else { return };
    let sum = sum.get_or_insert_default();
    sum.n += more.n;
    sum.min_ns = least(sum.min_ns, more.min_ns);
    sum.max_ns = sum.max_ns.max(more.max_ns);
    sum.sum_ns = sum.sum_ns.saturating_add(more.sum_ns);
    sum.squares_ns2 += more.squares_ns2;
}

fn span(sum: &mut Option<JobSpan>, more: &Option<JobSpan>) {
    match (sum.as_mut(), more) {
        (_, None) => {}
        (None, Some(more)) => *sum = Some(more.clone()),
        (Some(sum), Some(more)) => {
            let mut all = Some(sum.moments.clone());
            moments(&mut all, &Some(more.moments.clone()));
            sum.moments = all.unwrap_or_default();
            sum.histogram.merge(&more.histogram);
        }
    }
}
