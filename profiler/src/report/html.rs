//! One page that holds everything: no network, no script needed, light and dark, screen and paper.

mod bars;
mod columns;
mod density;
mod device;
mod finding;
mod heatmap;
mod overview;
mod phases;
mod scale;
mod settings;
mod svg;
mod table;
mod timeline;
mod workload;

use super::json::shape::{
    DeviceJson, FsyncJson, JournalJson, LayerJson, ProcessJson, ReportJson, SlowSyncJson,
};
use super::json::words::{Figure, absent};
use super::{Format, Report};
use crate::import;
use crate::units;
use anyhow::{Context, Result};
use askama::Template;
use columns::Columns;
use std::io::Write;

/// `--format html`.
pub struct Html;

impl Format for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn extension(&self) -> &'static str {
        "html"
    }

    fn about(&self) -> &'static str {
        "One self-contained page with pictures"
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        let told = ReportJson::new(report);
        let page = Page::new(report, &told);
        let text = page.render().context("filling in the HTML report")?;
        // The template escapes markup; what is left is characters that hide or turn text around.
        let text: String = text
            .chars()
            .map(|c| match c {
                '\n' => c,
                c if units::is_hidden(c) => char::REPLACEMENT_CHARACTER,
                c => c,
            })
            .collect();
        out.write_all(text.as_bytes())
            .context("writing the HTML report")
    }
}

/// What the template shows; the order is the page's.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    told: &'a ReportJson,
    host_line: String,
    window_line: String,
    command: Option<String>,
    verdict_kind: String,
    /// The first sentence, and the rest.
    verdict: (&'a str, &'a str),
    figures: Vec<Figure>,
    cards: Vec<finding::Card<'a>>,
    quiet: Vec<finding::Quiet<'a>>,
    heatmaps: Vec<overview::Picture>,
    timelines: Vec<overview::Picture>,
    heads: [(&'static str, bool); 8],
    devices: Vec<device::DeviceView<'a>>,
    journals: Vec<JournalView<'a>>,
    journals_reason: String,
    sync_rows: Vec<table::SpanRow>,
    sync_reason: String,
    imported: Vec<String>,
    sync_phases: Vec<String>,
    slow_syncs: Vec<String>,
    dirty: Vec<String>,
    processes: Vec<String>,
    jobs: Vec<workload::JobRow>,
    stacks: Vec<StackView<'a>>,
    settings: Vec<settings::Group>,
    losses: Vec<(String, String, bool)>,
    own_cost: String,
    probes: Vec<ProbeRow<'a>>,
}

struct JournalView<'a> {
    journal: &'a JournalJson,
    picture: Option<phases::Phases>,
    rows: Vec<table::SpanRow>,
    counts: String,
}

struct StackView<'a> {
    device: &'a DeviceJson,
    levels: Vec<Vec<&'a LayerJson>>,
}

struct ProbeRow<'a> {
    id: &'a str,
    about: &'a str,
    state: &'static str,
    ok: bool,
    reason: &'a str,
}

impl<'a> Page<'a> {
    fn new(report: &'a Report, told: &'a ReportJson) -> Self {
        let columns = Columns::new(&report.capture);
        let devices = told.devices.iter().filter_map(|device| {
            let slice = report.total.devices.get(&device.number)?;
            Some(device::view(device, slice))
        });
        Self {
            title: format!("iosage: {}", told.host.name.as_deref().unwrap_or("a host")),
            host_line: told.host_line(),
            window_line: told.window_line(),
            command: told.window.command.as_ref().map(|words| words.join(" ")),
            verdict_kind: told.verdict.kind.replace('-', " "),
            verdict: super::json::checked::first_sentence(&told.verdict.text),
            figures: told.figures(),
            cards: finding::cards(&told.findings),
            quiet: finding::quiet(&told.findings),
            heatmaps: overview::heatmaps(told, report, &columns),
            timelines: overview::timelines(told, &columns),
            heads: table::HEADS,
            devices: devices.collect(),
            journals: journals(report, told),
            journals_reason: absent(told.journals_reason.as_deref()),
            sync_rows: table::sync_rows(&told.fsync),
            sync_reason: absent(told.fsync_reason.as_deref()),
            imported: imported(told),
            sync_phases: told
                .fsync
                .iter()
                .filter_map(FsyncJson::phases_words)
                .collect(),
            dirty: told.dirty.lines(),
            processes: processes(told),
            slow_syncs: told.slow_syncs.iter().map(SlowSyncJson::words).collect(),
            jobs: told.workload.as_ref().map_or_else(Vec::new, workload::rows),
            stacks: told
                .devices
                .iter()
                .filter(|device| !device.stack.is_empty())
                .map(|device| StackView {
                    device,
                    levels: device::levels(device),
                })
                .collect(),
            settings: settings::groups(&report.capture.host),
            losses: losses(told),
            own_cost: told.own_cost.words(),
            probes: probes(told),
            told,
        }
    }
}

fn journals<'a>(report: &Report, told: &'a ReportJson) -> Vec<JournalView<'a>> {
    let slices = report.total.journals.values();
    let view = |(journal, slice): (&'a JournalJson, _)| JournalView {
        journal,
        picture: phases::draw(journal.place(), slice),
        rows: table::phase_rows(journal),
        counts: journal.counts_words(),
    };
    told.journals.iter().zip(slices).map(view).collect()
}

/// The text of each import, its tables as they are.
fn imported(told: &ReportJson) -> Vec<String> {
    let texts = told
        .imported
        .iter()
        .map(|one| import::show::lines(one).join("\n"));
    texts.map(|text| units::printable_lines(&text)).collect()
}

/// Each loss, its count, and whether it is one.
fn losses(told: &ReportJson) -> Vec<(String, String, bool)> {
    let unknown = told.losses.reason.as_deref().unwrap_or("unknown");
    told.losses
        .named()
        .into_iter()
        .map(|(name, n)| match n {
            Some(n) => (name, units::count(n), n > 0),
            None => (name, units::not_measured(unknown), false),
        })
        .collect()
}

/// A line for each process; at least one.
fn processes(told: &ReportJson) -> Vec<String> {
    if told.processes.is_empty() {
        return vec![absent(told.processes_reason.as_deref())];
    }
    told.processes.iter().map(ProcessJson::words).collect()
}

fn probes(told: &ReportJson) -> Vec<ProbeRow<'_>> {
    told.probes
        .iter()
        .map(|probe| ProbeRow {
            id: &probe.id,
            about: &probe.about,
            state: super::json::state_words(probe.state),
            ok: probe.state == crate::capture::ProbeState::Ok,
            reason: probe.reason.as_deref().unwrap_or(""),
        })
        .collect()
}
