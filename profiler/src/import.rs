//! What other tools have printed, read into plain data with its units.
//!
//! An importer is one file in `import/kinds/` and its entry in [`kinds::ALL`]. Nothing is guessed
//! silently: what was not measured stays so, what was left out or doubted is a note with its line.

pub mod assemble;
pub mod folder;
pub mod kinds;
pub mod model;
pub mod phases;
pub mod show;
pub mod source;

mod amounts;
mod cells;
mod check;
mod columns;
mod documents;
mod headed;
mod json;
mod notes;
mod terse;

use crate::capture::{self, Capture, Losses, Meta, OwnCost, ProbeState, ProbeStatus, Slice};
use crate::host::Host;
use kinds::Kind;
use model::Imported;
use serde_json::Map;
use source::{Imports, Refusal, Source};

/// Reads files of one kind, or of whatever kinds they are. All or nothing: a file that is refused
/// refuses the import.
pub fn import(kind: Option<&'static dyn Kind>, sources: &[Source]) -> Imports<Vec<Imported>> {
    let mut all: Vec<Imported> = Vec::new();
    let mut kinds = Vec::new();
    for source in sources {
        let kind = match kind {
            Some(kind) => told(kind, source)?,
            None => kinds::recognise(source).ok_or_else(|| unknown(source))?,
        };
        // Traces are analysed one by one.
        let place = all
            .iter()
            .position(|one| one.kind == kind.name() && one.events.is_none());
        let place = place.unwrap_or_else(|| {
            all.push(Imported {
                kind: kind.name().to_owned(),
                ..Imported::default()
            });
            kinds.push(kind);
            all.len() - 1
        });
        kind.read(source, &mut all[place])?;
        all[place].files.push(source.name.clone());
    }
    for (kind, one) in kinds.iter().zip(&mut all) {
        kind.finish(one);
    }
    Ok(all)
}

/// The kind asked for, unless the content is plainly that of another.
fn told(kind: &'static dyn Kind, source: &Source) -> Imports<&'static dyn Kind> {
    if kind.recognises(source) {
        return Ok(kind);
    }
    match kinds::recognise(source) {
        Some(other) => Err(source.refuse_all(
            format!(
                "it does not look like {}, but like {} ({})",
                kind.name(),
                other.name(),
                other.about()
            ),
            format!("say `iosage import {} FILE`, or `auto`", other.name()),
        )),
        // Its own reader says best what is missing.
        None => Ok(kind),
    }
}

/// What other output looks like that is known and cannot be used.
const HINTS: [(&str, &str, &str); 3] = [
    (
        "Run status group",
        "it is fio's output for people",
        "run fio with --output-format=json",
    ),
    (
        "\"lat_ns\"",
        "it looks like a part of fio's JSON",
        "give the whole document, from its `{ \"fio version\"` on",
    ),
    (
        "Throughput (R/W):",
        "it is the summary of blkparse",
        "give the events themselves",
    ),
];

fn unknown(source: &Source) -> Refusal {
    let hint = HINTS.iter().find(|(mark, ..)| source.text.contains(mark));
    if let Some((_, why, next)) = hint {
        return source.refuse_all(*why, *next);
    }
    source.refuse_all(
        "its content is like none of the kinds that iosage knows",
        "name the kind (`iosage import --help` lists them) to learn what is missing",
    )
}

/// A capture that holds imports and nothing that was recorded. What they tell of the host becomes
/// the inventory, and a trace becomes its time line, so that rules and reports can use them.
pub fn capture(mut imported: Vec<Imported>) -> Capture {
    for (file, text) in assemble::contradictions(&imported) {
        let one = imported
            .iter_mut()
            .find(|one| one.files.first() == Some(&file));
        if let Some(one) = one {
            one.note(model::Level::Warning, &file, None, text);
        }
    }
    let mut capture = empty(assemble::host(&imported));
    let traced = imported
        .iter()
        .find_map(|one| Some((&one.kind, one.events.as_ref()?)));
    if let Some((kind, events)) = traced {
        capture.meta.window_ns = events.window_ns;
        capture.slices.push(Slice {
            length_ns: events.window_ns,
            devices: events.devices.clone(),
            ..Slice::default()
        });
        capture.probes.push(ProbeStatus {
            id: "block".to_owned(),
            about: "requests, from a trace of another tool".to_owned(),
            state: ProbeState::Partial,
            reason: Some(format!(
                "imported from {kind}: what it does not trace is not known"
            )),
        });
    }
    capture.imported = imported;
    capture
}

/// A capture in which nothing was recorded: the host's configuration alone.
pub fn empty(host: Host) -> Capture {
    Capture {
        format: capture::Format::CURRENT,
        meta: Meta {
            tool: format!("iosage {}", env!("CARGO_PKG_VERSION")),
            started: jiff::Timestamp::now().to_string(),
            started_monotonic_ns: 0,
            window_ns: 0,
            command: None,
            devices: Vec::new(),
            ended_by: "nothing was recorded".to_owned(),
            extra: Map::new(),
        },
        host,
        probes: Vec::new(),
        slices: Vec::new(),
        stacks: Vec::new(),
        workload: None,
        imported: Vec::new(),
        losses: Losses::default(),
        own_cost: OwnCost::default(),
        extra: Map::new(),
    }
}
