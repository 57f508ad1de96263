//! CSV of bonnie++: 27 fields (1.03), 48 (1.96, 1.97) or 50 (from 1.98 on). Any other number of
//! fields is refused: a shifted result would look like a result.

use crate::import::amounts::{number, size, time_ns};
use crate::import::kinds::Kind;
use crate::import::model::bonnie::{BonnieRun, BonnieTest, RateUnit, TESTS};
use crate::import::model::{Figure, Imported, Level};
use crate::import::source::{Imports, Source};

pub struct BonnieCsv;

impl Kind for BonnieCsv {
    fn name(&self) -> &'static str {
        "bonnie-csv"
    }

    fn about(&self) -> &'static str {
        "CSV of bonnie++ 1.03, 1.96, 1.97, 1.98 and 2.00"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| is_csv(line))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut runs = Vec::new();
        let mut skipped = 0;
        for (number, line) in source.lines() {
            if is_csv(line) {
                runs.push(run(source, number, line.trim(), into)?);
            } else if !line.trim().is_empty() {
                skipped += 1;
            }
        }
        if runs.is_empty() {
            return Err(source.refuse_all(
                "no line is a bonnie++ result (27, 48 or 50 fields parted by commas)",
                "save what bonnie++ prints on its last line, or with -q",
            ));
        }
        if skipped > 0 {
            let text = format!("{skipped} lines that are no CSV were skipped");
            into.note(Level::Info, &source.name, None, text);
        }
        into.bonnie.append(&mut runs);
        Ok(())
    }
}

/// Version or host, then a size where that version has it.
fn is_csv(line: &str) -> bool {
    let fields: Vec<&str> = line.trim().split(',').collect();
    let is_size = |at: usize| fields.get(at).is_some_and(|f| size_and_chunk(f).is_some());
    match is_versioned(&fields) {
        true => fields.len() >= 30 && is_size(5),
        false => (20..=34).contains(&fields.len()) && is_size(1),
    }
}

fn is_versioned(fields: &[&str]) -> bool {
    let version = fields[0].trim();
    let mut parts = version.split('.');
    let whole =
        |part: Option<&str>| part.is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit()));
    whole(parts.next()) && whole(parts.next()) && version.len() <= 6 && fields.len() >= 30
}

/// `32G:32k`, `64M`; a bare number is in MiB.
fn size_and_chunk(field: &str) -> Option<(u64, Option<u64>)> {
    let (total, chunk) = match field.split_once(':') {
        Some((total, chunk)) => (total, Some(size(chunk, 1)?)),
        None => (field, None),
    };
    Some((size(total, 1 << 20)?, chunk))
}

fn run(source: &Source, line: usize, text: &str, into: &mut Imported) -> Imports<BonnieRun> {
    let fields: Vec<&str> = text.split(',').collect();
    let count = fields.len();
    let refuse = |expected: &str| {
        source.refuse(
            line,
            format!("{count} fields, expected {expected}"),
            "give the line as bonnie++ printed it; nothing was taken from a line that may be shifted",
        )
    };
    let mut run = BonnieRun {
        file: source.name.clone(),
        line: line as u64,
        format: "csv".to_owned(),
        ..BonnieRun::default()
    };
    let whole = |at: usize| fields[at].trim().parse::<u64>().ok();
    let text_of = |at: usize| Some(fields[at].trim().to_owned()).filter(|f| !f.is_empty());
    if !is_versioned(&fields) {
        if count != 27 {
            return Err(refuse("27 (1.03), 48 (1.96, 1.97) or 50 (1.98 and later)"));
        }
        run.format_version = Some("1.03".to_owned());
        run.host = fields[0].trim().to_owned();
        place_size(&mut run, fields[1]);
        tests(&mut run, &fields[2..14], &fields[15..27], &[]);
        files_of_old(&mut run, fields[14]);
        return Ok(run);
    }
    let extra = match count {
        48 => 0,
        50 => 2,
        _ => return Err(refuse("48 or 50")),
    };
    run.format_version = text_of(0);
    run.program_version = text_of(1);
    run.host = fields[2].trim().to_owned();
    run.concurrency = whole(3);
    run.seed = whole(4);
    place_size(&mut run, fields[5]);
    run.chunk_bytes = size(fields[6], 1).or(run.chunk_bytes);
    if extra == 2 {
        run.seeks = whole(7);
        run.seek_processes = whole(8);
    }
    let at = 7 + extra;
    tests(
        &mut run,
        &fields[at..at + 12],
        &fields[at + 17..at + 29],
        &fields[at + 29..at + 41],
    );
    run.files_x1024 = whole(at + 12);
    run.files_max_bytes = whole(at + 13);
    run.files_min_bytes = whole(at + 14);
    run.files_directories = whole(at + 15);
    run.files_chunk_bytes = whole(at + 16);
    let told_old = fields[0].trim() < "1.98";
    if told_old == (extra == 2) {
        let text = format!(
            "format version {} with {count} fields: the number of fields decides",
            fields[0]
        );
        into.note(Level::Warning, &source.name, Some(line), text);
    }
    Ok(run)
}

fn place_size(run: &mut BonnieRun, field: &str) {
    if let Some((total, chunk)) = size_and_chunk(field) {
        run.file_size_bytes = Some(total);
        run.chunk_bytes = chunk;
    }
}

/// `16`, `16:10000:16/64`.
fn files_of_old(run: &mut BonnieRun, field: &str) {
    let (files, directories) = field.split_once('/').unwrap_or((field, ""));
    let mut parts = files.split(':').map(|part| part.trim().parse().ok());
    run.files_x1024 = parts.next().flatten();
    run.files_max_bytes = parts.next().flatten();
    run.files_min_bytes = parts.next().flatten();
    run.files_directories = directories.trim().parse().ok();
}

fn tests(run: &mut BonnieRun, io: &[&str], files: &[&str], latencies: &[&str]) {
    let pairs = io.chunks(2).chain(files.chunks(2));
    for (at, (pair, (name, unit))) in pairs.zip(TESTS).enumerate() {
        let test = test(
            pair[0],
            pair[1],
            unit,
            latencies.get(at).copied().unwrap_or(""),
        );
        run.tests.insert(name.to_owned(), test);
    }
}

/// Rates of throughput are in KiB/s, or have a suffix (tables of 2.00).
pub(super) fn test(rate: &str, cpu: &str, unit: RateUnit, latency: &str) -> BonnieTest {
    let factor = match unit {
        RateUnit::BytesPerSecond => 1024.0,
        RateUnit::PerSecond => 1.0,
    };
    BonnieTest {
        rate: figure(rate, factor),
        unit,
        cpu_percent: figure(cpu, 1.0),
        latency_ns: time_ns(latency),
    }
}

/// Empty: not run; `+++`: too fast.
fn figure(field: &str, factor: f64) -> Figure {
    let field = field.trim();
    if field.starts_with("++") {
        return Figure::TooFast;
    }
    // In tables of 2.00 rates have a suffix: 1255k is 1255 KiB/s, 12k/s creates are 12,288.
    let measured = match field.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G']) {
        Some(_) => size(field, 1).map(|n| n as f64),
        None => number(field).map(|n| n * factor),
    };
    measured
        .filter(|n| *n >= 0.0)
        .map_or(Figure::NotRun, Figure::Measured)
}
