//! Text of blkparse in its default format.

use crate::import::kinds::Kind;
use crate::import::model::{Imported, Level};
use crate::import::phases::{self, Action, Event};
use crate::import::source::{Imports, Source};

pub struct Blkparse;

impl Kind for Blkparse {
    fn name(&self) -> &'static str {
        "blkparse"
    }

    fn about(&self) -> &'static str {
        "blkparse text in its default format"
    }

    fn recognises(&self, source: &Source) -> bool {
        source
            .lines()
            .take(100)
            .any(|(_, line)| event(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut events = Vec::new();
        let (mut marks, mut skipped) = (0, 0);
        for (_, line) in source.lines() {
            match event(line) {
                Some(Some(event)) => events.push(event),
                Some(None) => marks += 1,
                None if line.trim().is_empty() => {}
                None => skipped += 1,
            }
        }
        if skipped > 0 || marks > 0 {
            let text = format!(
                "skipped: {marks} messages and timers, {skipped} lines of the summary or of something else"
            );
            into.note(Level::Info, &source.name, None, text);
        }
        finish(source, &events, into)
    }
}

/// Analyses the events of one file and says what was odd about them.
pub(super) fn finish(source: &Source, events: &[Event], into: &mut Imported) -> Imports<()> {
    if events.is_empty() {
        return Err(source.refuse_all(
            "no line of it is an event of the block layer",
            "give the text of the trace itself, not its summary",
        ));
    }
    if into.events.is_some() {
        return Err(source.refuse_all(
            "traces are analysed one by one, and this is the second",
            "import each trace into a capture of its own",
        ));
    }
    let analysis = phases::analyse(events);
    let odd = [
        (
            analysis.clock_anomalies,
            "clock anomalies: ends before their beginning, left out of every latency",
        ),
        (
            analysis.incomplete,
            "incomplete: ends whose beginning is not in the trace, without a latency",
        ),
        (
            analysis.in_flight,
            "requests begun and not ended in the trace",
        ),
    ];
    for (n, what) in odd {
        if n > 0 {
            into.note(Level::Warning, &source.name, None, format!("{n} {what}"));
        }
    }
    if analysis.remaps > 0 {
        let text = format!(
            "{} remaps: views of the same I/O from a stacked device or a partition, counted once",
            analysis.remaps
        );
        into.note(Level::Info, &source.name, None, text);
    }
    into.events = Some(analysis);
    Ok(())
}

/// `None`: no line of a trace; `Some(None)`: a line of a trace that says nothing about I/O.
fn event(line: &str) -> Option<Option<Event>> {
    let mut words = line.split_whitespace();
    let device = number(words.next()?)?;
    let _cpu: u32 = words.next()?.parse().ok()?;
    let _sequence: u64 = words.next()?.parse().ok()?;
    let at_ns = seconds(words.next()?)?;
    let _pid: i64 = words.next()?.parse().ok()?;
    let action = match words.next()? {
        "Q" => Action::Queue,
        "G" => Action::Get,
        "I" => Action::Insert,
        "M" => Action::BackMerge,
        "F" => Action::FrontMerge,
        "D" => Action::Issue,
        "R" => Action::Requeue,
        "C" => Action::Complete,
        "X" => Action::Split,
        "A" => Action::Remap,
        "P" => Action::Plug,
        "U" | "UT" => Action::Unplug,
        // Messages, bounces, sleeps, aborts.
        _ => return Some(None),
    };
    let rwbs = words.next()?.to_owned();
    let rest: Vec<&str> = words.collect();
    // Commands that pass the block layer by: `D R 36 (12 00 ...) [smartd]`.
    if action != Action::Remap && rest.get(1).is_some_and(|word| word.starts_with('(')) {
        return Some(None);
    }
    let tail = Tail::of(rest.into_iter(), line, action);
    Some(Some(tail.event(at_ns, device, action, rwbs)))
}

/// `8,16` is `8:16`.
pub(super) fn number(word: &str) -> Option<String> {
    let (major, minor) = word.split_once(',')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    Some(format!("{major}:{minor}"))
}

/// Seconds with up to nine decimals, without the rounding of a float.
pub(super) fn seconds(word: &str) -> Option<u64> {
    let (whole, part) = word.split_once('.')?;
    let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) || part.len() > 9 {
        return None;
    }
    let ns: u64 = format!("{part:0<9}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000_000)?
        .checked_add(ns)
}

/// What follows the letters: place, size, error or process.
#[derive(Default)]
pub(super) struct Tail {
    sector: u64,
    sectors: u64,
    error: bool,
    process: Option<String>,
}

impl Tail {
    /// `4096 + 24 [fio]`, `8192 / 8320 [fio]`, `[jbd2/sdb1-8]`, `0 [0]`, `[fio] 3`.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>, line: &str, action: Action) -> Self {
        let words: Vec<&str> = words.collect();
        let whole = |at: usize| words.get(at).and_then(|w| w.parse::<u64>().ok());
        let in_brackets = line
            .rfind('[')
            .map(|at| line[at + 1..].split(']').next().unwrap_or(""));
        let mut tail = Self::default();
        match words.get(1) {
            Some(&("+" | "/")) => {
                tail.sector = whole(0).unwrap_or(0);
                tail.sectors = whole(2).unwrap_or(0);
            }
            _ if action == Action::Unplug => {
                tail.sectors = words.last().and_then(|w| w.parse().ok()).unwrap_or(0);
            }
            _ => {}
        }
        match action {
            Action::Complete | Action::Requeue => {
                let error = in_brackets.and_then(|b| b.trim().parse::<i64>().ok());
                tail.error = error.is_some_and(|n| n != 0);
            }
            _ => tail.process = in_brackets.map(str::to_owned),
        }
        tail
    }

    pub(super) fn event(self, at_ns: u64, device: String, action: Action, rwbs: String) -> Event {
        Event {
            at_ns,
            device,
            action,
            rwbs,
            request: None,
            sector: self.sector,
            sectors: self.sectors,
            error: self.error,
            process: self.process,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_every_digit() {
        assert_eq!(seconds("0.000210000"), Some(210_000));
        assert_eq!(seconds("12345.678901"), Some(12_345_678_901_000));
        assert_eq!(seconds("99999999999999.0"), None);
        assert_eq!(seconds("1"), None);
    }
}
