//! Where the mean journal commit spends its time, as one bar.

use super::svg::{Svg, text_width};
use crate::capture::{CommitPhase, JournalSlice};
use crate::units;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 58.0;
const LEFT: f64 = 2.0;
const RIGHT: f64 = 518.0;

/// The mean time of each phase side by side; `None` when no phase was timed.
pub(super) fn draw(mount: &str, journal: &JournalSlice) -> Option<String> {
    let parts: Vec<(CommitPhase, f64)> = CommitPhase::ALL
        .into_iter()
        .filter(|phase| *phase != CommitPhase::Commit)
        .filter_map(|phase| Some((phase, share_of_commit(journal, phase)?)))
        .collect();
    let sum: f64 = parts.iter().map(|(_, mean)| mean).sum();
    if sum <= 0.0 {
        return None;
    }
    let words: Vec<String> = parts
        .iter()
        .map(|(phase, mean)| format!("{} {}", phase.name(), units::nanos(*mean)))
        .collect();
    let mut svg = Svg::new(
        WIDTH,
        HEIGHT,
        &format!("Phases of the mean commit of {mount}"),
        &words.join(", "),
    );
    let mut x = LEFT;
    for (phase, mean) in parts {
        let width = mean / sum * (RIGHT - LEFT);
        let tooltip = format!(
            "{}: {} of the mean commit, {}",
            phase.name(),
            units::nanos(mean),
            units::ratio(mean / sum)
        );
        svg.rect(
            &format!("phase {}", phase.name()),
            (x, 4.0),
            (width - 1.0, 26.0),
            &tooltip,
        );
        let label = format!("{} {}", phase.name(), units::ratio(mean / sum));
        if text_width(&label) < width {
            svg.text("tick", (x, 48.0), &label);
        }
        x += width;
    }
    Some(svg.finish())
}

/// Time in a phase for each commit, whether or not every commit had the phase.
fn share_of_commit(journal: &JournalSlice, phase: CommitPhase) -> Option<f64> {
    let histogram = journal.phases.get(&phase)?;
    let commits = journal
        .phases
        .get(&CommitPhase::Commit)
        .map_or(journal.commits, |whole| whole.n());
    (commits > 0).then(|| histogram.sum as f64 / commits as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Histogram;
    use profiler_ebpf::bucket::LATENCY;

    #[test]
    fn a_journal_without_commits_draws_nothing() {
        assert!(draw("/", &JournalSlice::default()).is_none());
    }

    #[test]
    fn phases_are_weighed_by_their_time() {
        let of = |value| {
            let mut histogram = Histogram::new(&LATENCY);
            histogram.add(value);
            histogram
        };
        let journal = JournalSlice {
            commits: 1,
            phases: [
                (CommitPhase::Locked, of(1_000_000)),
                (CommitPhase::Logging, of(3_000_000)),
                (CommitPhase::Commit, of(4_000_000)),
            ]
            .into(),
            ..JournalSlice::default()
        };
        let svg = draw("/", &journal).unwrap();
        assert!(
            svg.contains("logging: 3 ms of the mean commit, 75 %")
                || svg.contains("logging: 3.00 ms of the mean commit, 75 %"),
            "{svg}"
        );
    }
}
