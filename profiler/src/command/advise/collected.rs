//! What a folder of collected files was made of.

use crate::import::folder::Folder;
use crate::import::model::hostfiles::LogLine;
use crate::import::model::{Level, Note};
use crate::units::printable;
use serde::Serialize;
use std::io::{self, Write};

/// The rest of a long log says the same again.
const LOG_LIMIT: usize = 20;

/// Goes behind the findings: which files were used, what they said beside, what is missing.
#[derive(Serialize)]
pub(super) struct Collected {
    used: Vec<Used>,
    /// With the reason.
    not_used: Vec<String>,
    missing: Vec<String>,
    notes: Vec<Note>,
    /// What logs say about storage.
    log: Vec<LogLine>,
}

#[derive(Serialize)]
struct Used {
    kind: String,
    files: Vec<String>,
}

impl Collected {
    pub(super) fn new(folder: &Folder) -> Self {
        let capture = &folder.capture;
        let used = capture.imported.iter().map(|one| Used {
            kind: one.kind.clone(),
            files: one.files.clone(),
        });
        let hosts = capture.imported.iter().filter_map(|one| one.host.as_ref());
        let log = hosts.flat_map(|host| host.log.clone());
        let notes = capture.imported.iter().flat_map(|one| one.notes.clone());
        Self {
            used: used.collect(),
            not_used: folder.unknown.clone(),
            missing: capture
                .host
                .missing
                .iter()
                .map(|missing| missing.what.clone())
                .collect(),
            log: log.take(LOG_LIMIT).collect(),
            notes: notes.filter(|note| note.level != Level::Info).collect(),
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\nCollected files")?;
        for used in &self.used {
            writeln!(
                out,
                "  {}: {}",
                used.kind,
                printable(&used.files.join(", "))
            )?;
        }
        for note in &self.notes {
            let level = if note.level == Level::Error {
                "ERROR"
            } else {
                "warning"
            };
            writeln!(
                out,
                "  {level}: {}: {}",
                printable(&note.file),
                printable(&note.text)
            )?;
        }
        for line in &self.log {
            writeln!(out, "  log, {}: {}", line.topic, printable(&line.text))?;
        }
        for unknown in &self.not_used {
            writeln!(out, "  not used: {}", printable(unknown))?;
        }
        if !self.missing.is_empty() {
            writeln!(
                out,
                "  not in the folder: {}; what hangs on it is not decided (--all lists it)",
                self.missing.join(", ")
            )?;
        }
        Ok(())
    }
}
