//! The demonstration capture and its report.

#[path = "capture.rs"]
mod capture;
#[path = "dice.rs"]
mod dice;
#[path = "findings.rs"]
mod findings;
#[path = "host.rs"]
mod host;
#[path = "stacks.rs"]
mod stacks;
#[path = "workload.rs"]
mod workload;

use profiler::report::Report;
use rules::judge::Judgement;

pub(crate) use capture::demo as capture;

/// The report of the demonstration, with findings made up for it.
pub(crate) fn report() -> Report {
    let judgement = Judgement {
        findings: findings::findings(),
        verdict: findings::verdict(),
    };
    Report::new(capture(), judgement)
}
