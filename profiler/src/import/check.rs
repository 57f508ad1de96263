//! Cross-checks of a benchmark's figures against each other.

use super::model::Level;
use super::model::fio::FioOp;
use crate::units;

/// Runtimes are printed in whole milliseconds; beyond this a difference is no rounding.
const SLACK: f64 = 0.03;

/// Bandwidth against bytes / runtime, and sampled means against totals.
pub(super) fn fio(
    op: &mut FioOp,
    processes: Option<u64>,
    place: &str,
    note: &mut dyn FnMut(Level, String),
) {
    let bytes = op.io_bytes.filter(|n| *n > 0);
    let runtime_ns = op.runtime_ns.filter(|n| *n > 0);
    if let (Some(bytes), Some(ns), Some(told)) = (bytes, runtime_ns, op.bandwidth_bytes_per_s) {
        let worked = bytes as f64 / (ns as f64 / 1e9);
        let ms = ns as f64 / 1e6;
        // A short run may be off by one millisecond.
        if differ(told, worked, SLACK + 1.0 / ms) {
            let text = format!(
                "{place}: the bandwidth {} does not agree with bytes / runtime, {}",
                units::throughput(told),
                units::throughput(worked)
            );
            note(Level::Warning, text);
        }
    }
    let (Some(iops), Some(mean)) = (op.iops, op.iops_mean) else {
        return;
    };
    let processes = processes.filter(|n| *n > 1).unwrap_or(1) as f64;
    if processes > 1.0 && differ(iops, mean, 0.3) && !differ(iops, mean * processes, 0.2) {
        op.mean_is_per_process = true;
        let text = format!(
            "{place}: iops_mean is of one process (per process mean {mean:.0} x {processes}); \
             totals are taken from iops ({iops:.0})"
        );
        note(Level::Info, text);
    }
}

fn differ(a: f64, b: f64, slack: f64) -> bool {
    (a - b).abs() > slack * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bandwidth_that_the_bytes_do_not_bear_out_is_noted() {
        let mut op = FioOp {
            io_bytes: Some(1 << 30),
            runtime_ns: Some(10_000_000_000),
            bandwidth_bytes_per_s: Some(131e6),
            ..FioOp::default()
        };
        let mut notes = Vec::new();
        fio(&mut op, None, "job a, read", &mut |_, text| {
            notes.push(text)
        });
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("does not agree with bytes / runtime"));
        op.bandwidth_bytes_per_s = Some(107_374_182.0);
        fio(&mut op, None, "job a, read", &mut |_, text| {
            notes.push(text)
        });
        assert_eq!(notes.len(), 1);
    }
}
