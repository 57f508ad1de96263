//! pg_test_fsync: how many writes a second each method makes durable.

use crate::import::amounts::number;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::collected::{SyncMethod, SyncTest};
use crate::import::source::{Imports, Source};

pub struct PgTestFsync;

const METHODS: [&str; 5] = [
    "open_datasync",
    "fdatasync",
    "fsync",
    "fsync_writethrough",
    "open_sync",
];

impl Kind for PgTestFsync {
    fn name(&self) -> &'static str {
        "pg-test-fsync"
    }

    fn about(&self) -> &'static str {
        "pg_test_fsync"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| method(line).is_some())
    }

    /// Only the block of one write is kept: a database waits for one sync at a time.
    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut test = SyncTest {
            file: source.name.clone(),
            ..SyncTest::default()
        };
        for (_, line) in source.lines() {
            let known = |name: &str| test.methods.iter().any(|own| own.name == name);
            match method(line) {
                // The block of two writes lists the methods again.
                Some(method) if known(&method.name) => break,
                Some(method) => test.methods.push(method),
                None => {}
            }
        }
        if test.methods.is_empty() {
            return Err(source.refuse_all(
                "no line gives a method and its ops/sec",
                "let pg_test_fsync run to its end",
            ));
        }
        into.collected.get_or_insert_default().sync_tests.push(test);
        Ok(())
    }
}

/// `fdatasync   11.920 ops/sec   83892 usecs/op`
fn method(line: &str) -> Option<SyncMethod> {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| METHODS.contains(name))?;
    let value = number(words.next()?).filter(|value| *value > 0.0)?;
    words.next().filter(|unit| *unit == "ops/sec")?;
    Some(SyncMethod {
        name: name.to_owned(),
        per_s: value,
    })
}
