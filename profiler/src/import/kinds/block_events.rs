//! A plain table of issues and completions, one event a line, whose head names the columns:
//! `# ts_ns event dev rq sector nr_sector rwbs pid comm`.

use super::blkparse;
use crate::import::headed::{has_head, rows};
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::phases::{Action, Event};
use crate::import::source::{Imports, Source};

pub struct BlockEvents;

/// Columns without which there is nothing to follow.
const NEEDED: [&str; 4] = ["ts_ns", "event", "dev", "rwbs"];

impl Kind for BlockEvents {
    fn name(&self) -> &'static str {
        "block-events"
    }

    fn about(&self) -> &'static str {
        "A table of issue and complete events with a head line (ts_ns event dev ...)"
    }

    fn recognises(&self, source: &Source) -> bool {
        has_head(source, head)
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let events = rows(source, into, head, event).into_iter();
        let events: Vec<_> = events.map(|(_, event)| event).collect();
        blkparse::finish(source, &events, into)
    }
}

fn head(line: &str) -> Option<Vec<String>> {
    let words = line
        .trim_start_matches('#')
        .split_whitespace()
        .map(str::to_owned);
    let words: Vec<String> = words.collect();
    NEEDED
        .iter()
        .all(|name| words.iter().any(|word| word == name))
        .then_some(words)
}

fn event(columns: &[String], line: &str) -> Option<Event> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let value = |name: &str| {
        let at = columns.iter().position(|column| column == name)?;
        words.get(at).copied()
    };
    let whole = |name: &str| value(name).and_then(|word| word.parse::<u64>().ok());
    let action = match value("event")? {
        "queue" => Action::Queue,
        "insert" => Action::Insert,
        "issue" => Action::Issue,
        "requeue" => Action::Requeue,
        "complete" => Action::Complete,
        "getrq" | "get" => Action::Get,
        _ => return None,
    };
    Some(Event {
        at_ns: whole("ts_ns")?,
        device: blkparse::number(&value("dev")?.replace(':', ","))?,
        action,
        rwbs: value("rwbs")?.to_owned(),
        request: value("rq").map(str::to_owned),
        sector: whole("sector").unwrap_or(0),
        sectors: whole("nr_sector").unwrap_or(0),
        error: whole("error").is_some_and(|n| n != 0),
        process: value("comm").filter(|name| *name != "-").map(str::to_owned),
    })
}
