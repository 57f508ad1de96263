//! PostgreSQL: the main server process, its data directory, WAL and settings.

use super::postgresql_conf::{self as conf, Settings};
use super::{joined, resolved};
use crate::host::model::{Database, DatabaseKind};
use crate::host::notes::Notes;
use crate::host::process;
use crate::host::root::Root;

/// Settings kept in the inventory.
const KEPT: [&str; 34] = [
    "autovacuum_max_workers",
    "backend_flush_after",
    "bgwriter_delay",
    "bgwriter_flush_after",
    "bgwriter_lru_maxpages",
    "checkpoint_completion_target",
    "checkpoint_flush_after",
    "checkpoint_timeout",
    "commit_delay",
    "commit_siblings",
    "data_checksums",
    "data_sync_retry",
    "debug_io_direct",
    "effective_io_concurrency",
    "fsync",
    "full_page_writes",
    "huge_pages",
    "io_method",
    "io_workers",
    "maintenance_io_concurrency",
    "max_wal_size",
    "min_wal_size",
    "random_page_cost",
    "shared_buffers",
    "synchronous_commit",
    "temp_tablespaces",
    "track_io_timing",
    "wal_buffers",
    "wal_compression",
    "wal_init_zero",
    "wal_level",
    "wal_recycle",
    "wal_sync_method",
    "wal_writer_flush_after",
];

/// The postmaster: its children carry the same name.
pub(super) fn is_main(name: &str, parent: Option<&str>) -> bool {
    let server = |name: &str| matches!(name, "postgres" | "postmaster" | "edb-postgres");
    server(name) && !parent.is_some_and(server)
}

/// `files` is the tree as the server sees it, `root` the one with its /proc entry.
pub(super) fn read(root: &Root, files: &Root, pid: u32, notes: &mut Notes) -> Database {
    let given = command_line(&process::arguments(root, pid, notes));
    let mut database = Database {
        kind: DatabaseKind::Postgresql,
        pid,
        ..Database::default()
    };
    let start = start_directory(root, pid, &given, notes);
    let config = given
        .get("config_file")
        .cloned()
        .or_else(|| Some(joined(start.as_deref()?, "postgresql.conf")));
    let mut settings = Settings::new();
    if let Some(path) = &config {
        conf::read(files, path, &mut settings, notes);
    }
    let data = given
        .get("data_directory")
        .or_else(|| settings.get("data_directory"))
        .filter(|path| path.starts_with('/'))
        .cloned()
        .or(start);
    let what = format!("data directory of postgresql {pid}");
    match data {
        Some(path) => {
            let path = resolved(files, &what, &path, notes);
            conf::read_if_exists(
                files,
                &joined(&path, "postgresql.auto.conf"),
                &mut settings,
                notes,
            );
            let version = joined(&path, "PG_VERSION");
            database.version = notes.text(files, &format!("version of postgresql {pid}"), &version);
            database.wal_directory = wal(files, &path, pid, notes);
            database.data_directory = Some(path);
        }
        None => notes.add(
            what,
            "neither -D, PGDATA nor the working directory tells it",
        ),
    }
    settings.extend(given);
    settings.retain(|name, _| KEPT.contains(&name.as_str()));
    database.settings = settings;
    database
}

/// `-D`, then PGDATA, then the working directory: the server changes to its data directory.
fn start_directory(root: &Root, pid: u32, given: &Settings, notes: &mut Notes) -> Option<String> {
    let told = given
        .get("-D")
        .cloned()
        .or_else(|| process::variable(root, pid, "PGDATA", notes));
    match told {
        Some(path) if path.starts_with('/') => Some(path),
        // Relative to where it was started, which nobody remembers.
        _ => process::working_directory(root, pid, notes),
    }
}

fn wal(files: &Root, data: &str, pid: u32, notes: &mut Notes) -> Option<String> {
    for name in ["pg_wal", "pg_xlog"] {
        let path = joined(data, name);
        if let Ok(found) = files.canonical(&path)
            && files.is_dir(&path)
        {
            return Some(found);
        }
    }
    notes.add(
        format!("WAL directory of postgresql {pid}"),
        format!("{data}: neither pg_wal nor pg_xlog can be read there"),
    );
    None
}

/// Settings of the command line: `-c name=value`, `--name=value`, and the letters that stand for
/// one; `-D` under its own name.
fn command_line(arguments: &[String]) -> Settings {
    let mut given = Settings::new();
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            assign(&mut given, long);
            continue;
        }
        let Some(letter) = word.strip_prefix('-').and_then(|rest| rest.chars().next()) else {
            continue;
        };
        let attached = &word[1 + letter.len_utf8()..];
        match letter {
            'F' => {
                given.insert("fsync".to_owned(), "off".to_owned());
            }
            'c' | 'D' | 'B' => {
                let value = if attached.is_empty() {
                    words.next().map(String::as_str).unwrap_or_default()
                } else {
                    attached
                };
                match letter {
                    'c' => assign(&mut given, value),
                    'D' => drop(given.insert("-D".to_owned(), value.to_owned())),
                    _ => drop(given.insert("shared_buffers".to_owned(), value.to_owned())),
                }
            }
            _ => {}
        }
    }
    given
}

fn assign(given: &mut Settings, text: &str) {
    if let Some((name, value)) = text.split_once('=') {
        given.insert(name.replace('-', "_").to_lowercase(), value.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_sets_too() {
        let words: Vec<String> = "postgres -D /data -c config_file=/etc/pg.conf -cfsync=on --wal-level=minimal -F -B 128 -i"
            .split(' ')
            .map(str::to_owned)
            .collect();
        let given = command_line(&words);
        let expected = [
            ("-D", "/data"),
            ("config_file", "/etc/pg.conf"),
            ("fsync", "off"),
            ("shared_buffers", "128"),
            ("wal_level", "minimal"),
        ];
        let expected: Settings = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(given, expected);
    }

    #[test]
    fn children_are_not_the_server() {
        assert!(is_main("postgres", Some("systemd")));
        assert!(is_main("postgres", None));
        assert!(!is_main("postgres", Some("postgres")));
        assert!(!is_main("postmaster", Some("postmaster")));
    }
}
