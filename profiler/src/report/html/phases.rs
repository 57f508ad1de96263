//! Where the mean journal commit spends its time, as one bar.

use super::svg::Svg;
use crate::capture::{CommitPhase, JournalSlice};
use crate::units;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 32.0;
const LEFT: f64 = 2.0;
const RIGHT: f64 = 518.0;

/// The bar, and each phase with its share.
pub(super) struct Phases {
    pub(super) svg: String,
    pub(super) shares: Vec<(&'static str, String)>,
}

/// The mean time of each phase side by side; `None` when no phase was timed.
pub(super) fn draw(mount: &str, journal: &JournalSlice) -> Option<Phases> {
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
    let share = |mean: f64| units::ratio(mean / sum);
    let shares = parts
        .iter()
        .map(|(phase, mean)| (phase.name(), share(*mean)));
    let shares = shares.collect();
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
            (x, 3.0),
            (width - 1.0, 26.0),
            &tooltip,
        );
        x += width;
    }
    Some(Phases {
        svg: svg.finish(),
        shares,
    })
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
        let drawn = draw("/", &journal).unwrap();
        let expected = [
            ("locked", "25 %".to_owned()),
            ("logging", "75 %".to_owned()),
        ];
        assert_eq!(drawn.shares, expected);
    }
}
