//! postgresql.conf and postgresql.auto.conf. Includes are not followed: a file that was given is read.

use crate::host::postgresql_line;
use crate::import::kinds::Kind;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct PostgresqlConf;

/// Settings that no other file has; one is enough to know it.
const MARKS: [&str; 14] = [
    "shared_buffers",
    "wal_buffers",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "checkpoint_timeout",
    "max_wal_size",
    "checkpoint_segments",
    "effective_cache_size",
    "wal_sync_method",
    "effective_io_concurrency",
    "random_page_cost",
    "wal_level",
    "max_connections",
];

/// Amounts of memory, and how many bytes a bare number of them stands for.
const AMOUNTS: [(&str, u64); 12] = [
    ("shared_buffers", 8192),
    ("wal_buffers", 8192),
    ("effective_cache_size", 8192),
    ("temp_buffers", 8192),
    ("work_mem", 1024),
    ("maintenance_work_mem", 1024),
    ("autovacuum_work_mem", 1024),
    ("max_wal_size", 1 << 20),
    ("min_wal_size", 1 << 20),
    ("wal_keep_size", 1 << 20),
    ("wal_segment_size", 1),
    ("checkpoint_flush_after", 8192),
];

impl Kind for PostgresqlConf {
    fn name(&self) -> &'static str {
        "postgresql-conf"
    }

    fn about(&self) -> &'static str {
        "postgresql.conf, postgresql.auto.conf"
    }

    fn recognises(&self, source: &Source) -> bool {
        let settings = source
            .lines()
            .filter_map(|(_, line)| postgresql_line(line).ok().flatten());
        settings
            .take(2000)
            .any(|(name, value)| MARKS.contains(&name.as_str()) && !value.is_empty())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut settings = Vec::new();
        for (number, line) in source.lines() {
            match postgresql_line(line) {
                Ok(None) => {}
                Ok(Some((name, value))) if name.starts_with("include") => {
                    let text = format!(
                        "`{name} '{value}'` is not followed: give that file too, if it was collected"
                    );
                    into.note(Level::Info, &source.name, Some(number), text);
                }
                Ok(Some((name, value))) if value.is_empty() && !line.contains('\'') => {
                    let text = format!("line left out: `{}` has no value", shown(&name));
                    into.note(Level::Warning, &source.name, Some(number), text);
                }
                Ok(Some(setting)) => settings.push(setting),
                Err(why) => into.note(
                    Level::Warning,
                    &source.name,
                    Some(number),
                    format!("line left out: {why}"),
                ),
            }
        }
        if settings.is_empty() {
            return Err(source.refuse_all(
                "it sets nothing",
                "give the postgresql.conf that the server reads",
            ));
        }
        let auto = source.base().contains("auto");
        let database = into
            .host
            .get_or_insert_default()
            .postgresql
            .get_or_insert_default();
        if database.file.is_empty() {
            database.file.clone_from(&source.name);
        }
        // What ALTER SYSTEM wrote overrules every other file, in whatever order they are given.
        let overruling = auto || !database.file.contains("auto");
        for (name, value) in settings {
            if overruling || !database.settings.contains_key(&name) {
                database.settings.insert(name, value);
            }
        }
        if auto {
            database.file.clone_from(&source.name);
        }
        let amounts = AMOUNTS.iter().filter_map(|(name, unit)| {
            let bytes = amount(database.settings.get(*name)?, *unit)?;
            Some(((*name).to_owned(), bytes))
        });
        database.settings_bytes = amounts.collect();
        Ok(())
    }
}

/// `16384`, `32MB`, `1GB`; -1 is "automatic" and no amount.
fn amount(value: &str, unit: u64) -> Option<u64> {
    let end = value
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(value.len());
    let number: u64 = value[..end].parse().ok()?;
    let unit = match value[end..].trim() {
        "" => unit,
        "B" => 1,
        "kB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        "TB" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(unit)
}

/// The beginning of a name that may be no name.
fn shown(name: &str) -> String {
    name.chars().take(60).collect()
}
