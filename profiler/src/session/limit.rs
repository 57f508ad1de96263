//! The limit of what a recording may cost: the dearest group goes first, requests last.

use std::collections::BTreeMap;

/// What is to be done about the cost of one stretch.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    Nothing,
    /// Give up a group.
    Shed {
        group: &'static str,
        why: String,
    },
    /// Only the requests are left, and the limit that was asked for is still exceeded.
    End(String),
}

/// `percent`: of a CPU, by group; `asked`: the limit is the user's own.
pub(super) fn act(percent: &BTreeMap<&'static str, f64>, limit: f64, asked: bool) -> Act {
    let all: f64 = percent.values().sum();
    if all <= limit {
        return Act::Nothing;
    }
    let dearest = percent
        .iter()
        .filter(|(group, took)| **group != "block" && **took > 0.0)
        .max_by(|a, b| a.1.total_cmp(b.1));
    match dearest {
        Some((group, took)) => Act::Shed {
            group,
            why: format!(
                "given up while recording: it took {took:.2} % of a CPU, all probes {all:.2} %, and \
                 --max-overhead is {limit} %"
            ),
        },
        None if asked => Act::End(format!(
            "the probes of requests alone took {all:.2} % of a CPU, and --max-overhead is {limit} %"
        )),
        None => Act::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_group_goes_first_and_requests_last() {
        let costs = |costs: &[(&'static str, f64)]| costs.iter().copied().collect();
        let all = [("block", 3.0), ("queue", 0.5), ("wait", 1.0)];
        assert_eq!(act(&costs(&all), 5.0, true), Act::Nothing);
        let shed = act(&costs(&all), 4.0, true);
        assert!(matches!(shed, Act::Shed { group: "wait", .. }), "{shed:?}");
        let shed = act(&costs(&all[..2]), 3.2, false);
        assert!(matches!(shed, Act::Shed { group: "queue", .. }), "{shed:?}");
        assert!(matches!(act(&costs(&all[..1]), 2.0, true), Act::End(_)));
        // A limit that nobody asked for does not end a recording.
        assert_eq!(act(&costs(&all[..1]), 2.0, false), Act::Nothing);
    }
}
