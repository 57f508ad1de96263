//! MySQL and MariaDB: the server process, its data and redo log directories, and its settings.

use super::mysql_options::{self as options, Sections, Settings};
use super::{joined, resolved};
use crate::host::model::{Database, DatabaseKind};
use crate::host::notes::{Notes, plain};
use crate::host::process::{self, Process};
use crate::host::root::Root;
use serde_json::Value;
use std::io;

/// Settings kept in the inventory.
const KEPT: [&str; 26] = [
    "aria_log_dir_path",
    "binlog_order_commits",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_data_home_dir",
    "innodb_doublewrite",
    "innodb_doublewrite_dir",
    "innodb_flush_log_at_timeout",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "innodb_log_group_home_dir",
    "innodb_log_write_ahead_size",
    "innodb_page_size",
    "innodb_read_io_threads",
    "innodb_redo_log_capacity",
    "innodb_use_fdatasync",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
    "log_bin",
    "skip_log_bin",
    "sync_binlog",
];

/// Read when the command line names no file, in this order; a missing one is no fault.
const DEFAULT_FILES: [&str; 2] = ["/etc/my.cnf", "/etc/mysql/my.cnf"];

pub(super) fn is_main(name: &str, parent: Option<&str>) -> bool {
    let server = |name: &str| matches!(name, "mysqld" | "mariadbd");
    server(name) && !parent.is_some_and(server)
}

/// `files` is the tree as the server sees it, `root` the one with its /proc entry.
pub(super) fn read(root: &Root, files: &Root, process: &Process, notes: &mut Notes) -> Database {
    let pid = process.pid;
    let arguments = process::arguments(root, pid, notes);
    let binary = root.link(&format!("/proc/{pid}/exe")).ok();
    let given = command_line(&arguments);
    let current = process::working_directory(root, pid, notes);
    // The server changes to its data directory, and says in a file which version last ran there.
    let stamp = given
        .get("datadir")
        .or(current.as_ref())
        .and_then(|data| upgrade_stamp(files, data));
    let is_mariadb = process.name == "mariadbd"
        || binary
            .as_deref()
            .is_some_and(|path| path.contains("mariadb"))
        || stamp
            .as_deref()
            .is_some_and(|text| text.contains("MariaDB"));
    let version = version(binary.as_deref());
    let sections = Sections {
        version: version.clone(),
        is_mariadb,
    };
    let mut settings = Settings::new();
    option_files(files, &given, &sections, &mut settings, notes);
    settings.extend(given);
    let data = settings
        .get("datadir")
        .cloned()
        .filter(|path| path.starts_with('/'))
        .or(current);
    let mut database = Database {
        kind: if is_mariadb {
            DatabaseKind::Mariadb
        } else {
            DatabaseKind::Mysql
        },
        pid,
        version,
        ..Database::default()
    };
    match data {
        Some(path) => {
            let what = format!("data directory of mysql {pid}");
            let path = resolved(files, &what, &path, notes);
            persisted(files, &path, &mut settings, notes);
            database.wal_directory = Some(redo(files, &path, &settings, pid, notes));
            database.data_directory = Some(path);
        }
        None => notes.add(
            format!("data directory of mysql {pid}"),
            "neither datadir nor the working directory tells it",
        ),
    }
    settings.retain(|name, _| KEPT.contains(&name.as_str()));
    database.settings = settings;
    database
}

fn option_files(
    files: &Root,
    given: &Settings,
    sections: &Sections,
    settings: &mut Settings,
    notes: &mut Notes,
) {
    if given.contains_key("no_defaults") {
        return;
    }
    let named = given.get("defaults_file").map(String::as_str);
    let extra = given.get("defaults_extra_file").map(String::as_str);
    let list: Vec<&str> = match named {
        Some(file) => vec![file],
        None => DEFAULT_FILES.into_iter().chain(extra).collect(),
    };
    let mut seen = Vec::new();
    for path in list {
        // One is often a link to the other.
        let real = files.canonical(path).unwrap_or_else(|_| path.to_owned());
        if seen.contains(&real) {
            continue;
        }
        seen.push(real);
        match options::read(files, path, sections, settings, notes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => {}
            Err(error) => notes.unreadable("MySQL settings", path, &error),
            Ok(()) => {}
        }
    }
}

/// `--name=value` and `--name`; `-h DIR` is the data directory.
fn command_line(arguments: &[String]) -> Settings {
    let mut given = Settings::new();
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            let (name, value) = options::assignment(name, value);
            given.insert(name, value);
        } else if let Some(path) = word.strip_prefix("-h") {
            let path = if path.is_empty() {
                words.next().map(String::as_str)
            } else {
                Some(path)
            };
            if let Some(path) = path {
                given.insert("datadir".to_owned(), path.to_owned());
            }
        }
    }
    given
}

fn upgrade_stamp(files: &Root, data: &str) -> Option<String> {
    ["mariadb_upgrade_info", "mysql_upgrade_info"]
        .iter()
        .find_map(|name| files.read(&joined(data, name)).ok())
}

/// Major and minor, from a folder of the binary's path such as `mysql-8.0.36-linux-x86_64`.
fn version(binary: Option<&str>) -> Option<String> {
    binary?.split('/').find_map(|folder| {
        let rest = ["mysql-", "mariadb-", "percona-server-"]
            .iter()
            .find_map(|prefix| folder.strip_prefix(prefix))?;
        let mut numbers = rest.split(['.', '-']);
        let major: u32 = numbers.next()?.parse().ok()?;
        let minor: u32 = numbers.next()?.parse().ok()?;
        Some(format!("{major}.{minor}"))
    })
}

/// What `SET PERSIST` has written; the server lets it win over files and command line.
fn persisted(files: &Root, data: &str, settings: &mut Settings, notes: &mut Notes) {
    let path = joined(data, "mysqld-auto.cnf");
    let Some(text) = notes.optional(files, "MySQL settings", &path) else {
        return;
    };
    match serde_json::from_str(&text) {
        Ok(value) => collect(&value, settings),
        Err(error) => notes.add("MySQL settings", format!("{path}: {error}")),
    }
}

/// Objects with a `Value`, at whatever depth: the layout changed in 8.0.29.
fn collect(value: &Value, settings: &mut Settings) {
    for (name, entry) in value.as_object().into_iter().flatten() {
        match entry.get("Value") {
            Some(Value::String(text)) => drop(settings.insert(name.clone(), text.clone())),
            _ => collect(entry, settings),
        }
    }
}

/// Where the redo log is: MySQL keeps it in a folder of its own since 8.0.30.
fn redo(files: &Root, data: &str, settings: &Settings, pid: u32, notes: &mut Notes) -> String {
    let base = match settings.get("innodb_log_group_home_dir") {
        Some(path) => joined(data, path.trim_start_matches("./")),
        None => data.to_owned(),
    };
    let folder = joined(&base, "#innodb_redo");
    let path = if files.is_dir(&folder) { folder } else { base };
    let what = format!("redo log directory of mysql {pid}");
    match files.canonical(&path) {
        Ok(found) => found,
        Err(error) => {
            notes.add(what, format!("{path}: {}", plain(&error)));
            path
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_that_names_the_version_tells_it() {
        let mysql = "/opt/mysql-8.0.36-linux-glibc2.28-x86_64/bin/mysqld";
        assert_eq!(version(Some(mysql)).as_deref(), Some("8.0"));
        assert_eq!(
            version(Some("/opt/mariadb-10.11/bin/mariadbd")).as_deref(),
            Some("10.11")
        );
        assert_eq!(version(Some("/usr/sbin/mysqld")), None);
        assert_eq!(version(None), None);
    }

    #[test]
    fn both_layouts_of_persisted_variables() {
        for text in [
            r#"{"Version":1,"mysql_server":{"sync_binlog":{"Value":"0","Metadata":{"User":"root"}}}}"#,
            r#"{"Version":2,"mysql_dynamic_variables":{"sync_binlog":{"Value":"0","Metadata":{}}}}"#,
        ] {
            let mut settings = Settings::new();
            collect(&serde_json::from_str(text).unwrap(), &mut settings);
            assert_eq!(
                settings.get("sync_binlog").map(String::as_str),
                Some("0"),
                "{text}"
            );
        }
    }
}
