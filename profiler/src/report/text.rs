//! The report for a terminal: the verdict first, then what to do, then what was measured.

mod findings;
mod measured;
mod page;

use super::json::shape::ReportJson;
use super::{Format, Report};
use crate::import;
use crate::units;
use anyhow::{Context, Result};
use page::Paper;
use std::io::Write;

/// `--format text`.
pub struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn extension(&self) -> &'static str {
        "txt"
    }

    fn about(&self) -> &'static str {
        "For a terminal"
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        let told = ReportJson::new(report);
        let mut paper = Paper::new(report.page);
        head(&mut paper, &told);
        findings::verdict(&mut paper, &told);
        findings::findings(&mut paper, &told);
        measured::devices(&mut paper, &told);
        measured::commits(&mut paper, &told);
        measured::dirty(&mut paper, &told);
        measured::processes(&mut paper, &told);
        if let Some(workload) = &told.workload {
            measured::workload(&mut paper, workload);
        }
        imported(&mut paper, &told);
        findings::others(&mut paper, &told);
        measurement(&mut paper, &told);
        out.write_all(paper.finish().as_bytes())
            .context("writing the text report")
    }
}

fn head(paper: &mut Paper, told: &ReportJson) {
    paper.prose(0, "", &told.tool);
    paper.prose(0, "", &told.host_line());
    paper.prose(0, "", &told.window_line());
    if let Some(command) = &told.window.command {
        paper.prose(0, "while running ", &command.join(" "));
    }
}

/// What was read from the output of other tools, with its tables as they are.
fn imported(paper: &mut Paper, told: &ReportJson) {
    for one in &told.imported {
        paper.heading("Imported", "");
        for line in import::show::lines(one) {
            paper.line(&units::printable(&line));
        }
    }
}

/// What the numbers above are worth.
fn measurement(paper: &mut Paper, told: &ReportJson) {
    paper.heading("The measurement", "");
    paper.prose(0, "cost: ", &told.own_cost.words());
    let unknown = told.losses.reason.as_deref();
    let (mut lost, mut none) = (Vec::new(), Vec::new());
    for (name, n) in told.losses.named() {
        match n {
            Some(0) => none.push(name),
            Some(n) => lost.push(format!("{} {name}", units::count(n))),
            None => lost.push(format!(
                "{name}: {}",
                units::not_measured(unknown.unwrap_or("unknown"))
            )),
        }
    }
    if lost.is_empty() {
        lost.push("nothing".to_owned());
    }
    paper.prose(0, "lost: ", &lost.join("; "));
    if !none.is_empty() {
        paper.prose(0, "0 of: ", &none.join("; "));
    }
    let rows = told.probes.iter().map(|probe| {
        vec![
            probe.id.clone(),
            super::json::state_words(probe.state).to_owned(),
            probe.about.clone(),
            probe.reason.clone().unwrap_or_default(),
        ]
    });
    paper.blank();
    paper.table(
        &["probe", "state", "measures", "reason"],
        9,
        &rows.collect::<Vec<_>>(),
    );
    for missing in &told.host.missing {
        paper.prose(
            0,
            "",
            &format!("{}: not known ({})", missing.what, missing.reason),
        );
    }
}
