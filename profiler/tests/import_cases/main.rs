//! Output of other tools with known right answers, in `tests/cases/`.

mod benchmarks;
mod command;
mod diagnosis;
mod hosts;
mod mutations;
mod traces;

use profiler::import::model::{Imported, Level};
use profiler::import::source::{Refusal, Source};
use profiler::import::{import, kinds};
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")).join(name)
}

/// The file `CASE/NAME`, recognised by its content.
fn auto(name: &str) -> Imported {
    let mut all = try_auto(name).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn try_auto(name: &str) -> Result<Vec<Imported>, Refusal> {
    import(None, &[Source::open(&path(name))?])
}

fn of(kind: &str, text: &str) -> Result<Vec<Imported>, Refusal> {
    let kind = kinds::by_name(kind).expect("a kind of that name");
    import(
        Some(kind),
        &[Source::new("given", text.as_bytes().to_vec())?],
    )
}

fn notes(imported: &Imported, level: Level) -> Vec<&str> {
    let notes = imported.notes.iter().filter(|note| note.level == level);
    notes.map(|note| note.text.as_str()).collect()
}

#[track_caller]
fn near(value: Option<f64>, expected: f64) {
    let value = value.expect("a value");
    let slack = expected.abs() * 1e-9 + 1e-9;
    assert!(
        (value - expected).abs() <= slack,
        "{value} instead of {expected}"
    );
}
