//! The tables that bonnie++ prints for people, with columns that grow into each other.

use super::bonnie_csv::test;
use crate::import::amounts::{size, time_ns};
use crate::import::kinds::Kind;
use crate::import::model::bonnie::{BonnieRun, TESTS};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct BonnieTable;

impl Kind for BonnieTable {
    fn name(&self) -> &'static str {
        "bonnie-table"
    }

    fn about(&self) -> &'static str {
        "The table of bonnie++ 1.03 to 2.00"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.text.contains("Sequential Output") && source.text.contains("%CP")
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut runs: Vec<BonnieRun> = Vec::new();
        let mut part = Part::None;
        let mut version = None;
        let lines: Vec<_> = source.lines().collect();
        for (at, (number, line)) in lines.iter().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let (Some(&"Version"), Some(told)) = (words.first(), words.get(1)) {
                version = Some(told.trim_end_matches('-').to_owned());
            }
            if line.contains("Sequential Output") {
                part = Part::Io;
            } else if line.contains("Sequential Create") {
                part = Part::Files;
            } else if words.first() == Some(&"Latency") {
                if let Some(run) = runs.last_mut() {
                    latencies(run, part, &words[1..]);
                }
            } else if part == Part::Io
                && let Some(mut run) = io_row(source, *number, &words, lines.get(at + 1))?
            {
                run.program_version.clone_from(&version);
                let text = "read from a table: the host's name may be cut, and digits that ran into each other were parted";
                into.note(Level::Info, &source.name, Some(*number), text);
                runs.push(run);
            } else if part == Part::Files
                && let Some(run) = runs.last_mut()
            {
                files_row(run, &words);
            }
        }
        if runs.is_empty() {
            return Err(source.refuse_all(
                "no row of results follows the table's head",
                "save the whole of what bonnie++ prints, or its CSV line",
            ));
        }
        into.bonnie.append(&mut runs);
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    None,
    Io,
    Files,
}

/// Host, size and six pairs; four where -f left out the tests by character.
fn io_row(
    source: &Source,
    line: usize,
    words: &[&str],
    next: Option<&(usize, &str)>,
) -> Imports<Option<BonnieRun>> {
    let Some((host, total, chunk, rest)) = head(words) else {
        return Ok(None);
    };
    let mut values = parted(rest);
    // The last column may be wrapped to the next line.
    let lone = next
        .map(|(_, line)| line.trim())
        .filter(|l| is_value(l) && l.len() <= 3);
    if let (1, Some(lone)) = (values.len() % 2, lone) {
        values.push(lone.to_owned());
    }
    let places: &[usize] = match values.len() {
        12 => &[0, 1, 2, 3, 4, 5],
        8 => &[1, 2, 4, 5],
        n => {
            let why = format!("{n} values where 12 (or 8 with -f) are expected");
            return Err(source.refuse(line, why, "use bonnie++'s CSV line instead of the table"));
        }
    };
    let mut run = BonnieRun {
        file: source.name.clone(),
        line: line as u64,
        format: "table".to_owned(),
        host: host.to_owned(),
        file_size_bytes: Some(total),
        chunk_bytes: chunk,
        ..BonnieRun::default()
    };
    for (place, (name, unit)) in TESTS.into_iter().enumerate().take(6) {
        let pair = places.iter().position(|p| *p == place).map(|at| 2 * at);
        let (rate, cpu) = pair.map_or(("", ""), |at| {
            (values[at].as_str(), values[at + 1].as_str())
        });
        run.tests.insert(name.to_owned(), test(rate, cpu, unit, ""));
    }
    Ok(Some(run))
}

/// The host's name may be missing or run into the size.
fn head<'a>(words: &'a [&'a str]) -> Option<(&'a str, u64, Option<u64>, &'a [&'a str])> {
    for at in 0..words.len().min(2) {
        let (total, chunk) = words[at]
            .split_once(':')
            .map_or((words[at], None), |(t, c)| (t, Some(c)));
        let is_size = total.ends_with(['K', 'M', 'G', 'T', 'k', 'm', 'g']);
        let rest = &words[at + 1..];
        if is_size && rest.len() >= 5 && rest.iter().all(|w| is_value(w)) {
            let host = if at == 1 { words[0] } else { "" };
            return Some((host, size(total, 1)?, chunk.and_then(|c| size(c, 1)), rest));
        }
    }
    None
}

fn is_value(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || ".+kKmMgG".contains(c))
}

/// Parts a share of the CPU (at most three digits) from the rate that ran into it.
fn parted(words: &[&str]) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for word in words {
        let mut rest = *word;
        while !rest.is_empty() {
            let cut = match (values.len() % 2 == 1, rest.len()) {
                (true, 4..) if rest.starts_with("+++") => 3,
                (true, 4..) if rest.starts_with("100") => 3,
                (true, 4..) if rest.as_bytes()[..2].iter().all(u8::is_ascii_digit) => 2,
                (false, 6..) if rest.starts_with("+++++") => 5,
                _ => rest.len(),
            };
            values.push(rest[..cut].to_owned());
            rest = &rest[cut..];
        }
    }
    values
}

/// Number of files, then six pairs.
fn files_row(run: &mut BonnieRun, words: &[&str]) {
    let Some((files, rest)) = words.split_first() else {
        return;
    };
    let is_files = files.starts_with(|c: char| c.is_ascii_digit());
    if !is_files || rest.len() < 5 || !rest.iter().all(|word| is_value(word)) {
        return;
    }
    let values = parted(rest);
    if values.len() != 12 {
        return;
    }
    let mut parts = files.split([':', '/']).map(|part| part.parse().ok());
    run.files_x1024 = parts.next().flatten();
    run.files_max_bytes = parts.next().flatten();
    run.files_min_bytes = parts.next().flatten();
    for (pair, (name, unit)) in values.chunks(2).zip(TESTS.into_iter().skip(6)) {
        run.tests
            .insert(name.to_owned(), test(&pair[0], &pair[1], unit, ""));
    }
}

fn latencies(run: &mut BonnieRun, part: Part, words: &[&str]) {
    let skip = if part == Part::Files { 6 } else { 0 };
    if words.len() != 6 {
        return;
    }
    for (word, (name, _)) in words.iter().zip(TESTS.into_iter().skip(skip)) {
        if let Some(test) = run.tests.get_mut(name) {
            test.latency_ns = time_ns(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_ran_into_each_other_are_parted() {
        let parted = parted(&["70512", "99604173", "98", "+++++", "+++++++++", "100"]);
        let expected = [
            "70512", "99", "604173", "98", "+++++", "+++", "+++++", "+", "100",
        ];
        assert_eq!(parted[..6], expected[..6]);
    }
}
