//! Block events as `perf script`, `trace-cmd report` and the kernel's own trace file print them.

use super::blkparse::{self, Tail, number, seconds};
use crate::import::kinds::Kind;
use crate::import::model::{Imported, Level};
use crate::import::phases::{Action, Event};
use crate::import::source::{Imports, Source};

pub struct PerfScript;

/// Tracepoints and what they are in a trace.
const ACTIONS: [(&str, Action); 13] = [
    ("block_bio_queue", Action::Queue),
    ("block_getrq", Action::Get),
    ("block_rq_insert", Action::Insert),
    ("block_bio_backmerge", Action::BackMerge),
    ("block_bio_frontmerge", Action::FrontMerge),
    ("block_rq_issue", Action::Issue),
    ("block_rq_requeue", Action::Requeue),
    ("block_rq_complete", Action::Complete),
    ("block_bio_complete", Action::Complete),
    ("block_split", Action::Split),
    ("block_bio_remap", Action::Remap),
    ("block_plug", Action::Plug),
    ("block_unplug", Action::Unplug),
];

impl Kind for PerfScript {
    fn name(&self) -> &'static str {
        "perf-script"
    }

    fn about(&self) -> &'static str {
        "perf script (or trace-cmd report) of block events"
    }

    fn recognises(&self, source: &Source) -> bool {
        source
            .lines()
            .take(200)
            .any(|(_, line)| event(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut events = Vec::new();
        let mut skipped = 0;
        for (_, line) in source.lines() {
            match event(line) {
                Some(event) => events.push(event),
                None if line.trim().is_empty() || line.starts_with('#') => {}
                None => skipped += 1,
            }
        }
        if skipped > 0 {
            let text = format!("{skipped} lines that are no block event were skipped");
            into.note(Level::Info, &source.name, None, text);
        }
        blkparse::finish(source, &events, into)
    }
}

/// `fio 1234 [001] 12345.678901: block:block_rq_issue: 8,16 WS 4096 () 20480 + 8 none,0,0 [fio]`.
fn event(line: &str) -> Option<Event> {
    let begin = line.find("block_")?;
    let (name, fields) = line[begin..].split_once(':')?;
    let (_, action) = *ACTIONS.iter().find(|(known, _)| *known == name)?;
    let before = line[..begin].trim_end_matches("block:").trim_end();
    let at_ns = seconds(before.split_whitespace().last()?.strip_suffix(':')?)?;
    let mut words = fields.split_whitespace();
    if matches!(action, Action::Plug | Action::Unplug) {
        // They name no device.
        let tail = Tail::of(words, fields, action);
        return Some(tail.event(at_ns, "0:0".to_owned(), action, "N".to_owned()));
    }
    let device = number(words.next()?)?;
    let rwbs = words.next()?.to_owned();
    // Requests also print their bytes and a command in parentheses.
    let rest: Vec<&str> = words.collect();
    let from = rest
        .iter()
        .position(|word| word.starts_with('('))
        .filter(|at| *at <= 1);
    let rest = match (from, action) {
        (Some(0), Action::Remap) => &rest[..],
        (Some(at), _) => &rest[at + 1..],
        (None, _) => &rest[..],
    };
    let mut event =
        Tail::of(rest.iter().copied(), fields, action).event(at_ns, device, action, rwbs);
    // A flush is at no place; the kernel prints -1.
    if event.sectors == 0 && event.sector == u64::MAX {
        event.sector = 0;
    }
    Some(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_old_and_new_kernels() {
        let old =
            "fio  4001 [001] 12345.678901: block:block_rq_issue: 8,16 WS 4096 () 20480 + 8 [fio]";
        let new = " jbd2/sda-8-77 [003] d..1. 9.000001: block_rq_complete: 8,0 FF () 18446744073709551615 + 0 none,0,0 [-5]";
        let event_of = |line| event(line).unwrap();
        let issue = event_of(old);
        assert_eq!(
            (issue.sector, issue.sectors, issue.at_ns),
            (20_480, 8, 12_345_678_901_000)
        );
        assert_eq!(issue.process.as_deref(), Some("fio"));
        let end = event_of(new);
        assert_eq!((end.sector, end.sectors, end.error), (0, 0, true));
        assert_eq!(end.device, "8:0");
    }
}
