//! Facts about each database: what its configuration files say.

use super::answer::{Answer, flag, number, text, whole};
use super::{About, Fold, subject};
use crate::host::{Database, DatabaseKind};
use rules::facts::{self as f, Facts, Scope};

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    for database in &fold.capture.host.databases {
        let kind = kind(database.kind);
        let name = format!("{kind} {}", database.pid);
        let mut about = About::new(facts, subject(Scope::Database, &name));
        about.word("database", kind);
        about.word("pid", &database.pid.to_string());
        if let Some(data) = &database.data_directory {
            about.word("data", data);
        }
        if let Some(wal) = database
            .wal_directory
            .as_ref()
            .or(database.data_directory.as_ref())
        {
            about.word("wal", wal);
        }
        if let [Some(data), _] = fold.stack.homes(database) {
            about.relate(&subject(Scope::Filesystem, &data.target));
        }
        let version = database.version.as_deref().and_then(version);
        about.say(&f::DB_KIND, text(Some(kind), "/proc", ""));
        about.say(
            &f::DB_VERSION,
            whole(version, "the server's files", "its version is not known"),
        );
        let what = match database.kind {
            DatabaseKind::Postgresql => "PostgreSQL settings",
            DatabaseKind::Mysql | DatabaseKind::Mariadb => "MySQL settings",
        };
        let missing = &fold.capture.host.missing;
        let unread = missing.iter().find(|missing| missing.what == what);
        let settings = Settings {
            database,
            version,
            unread: unread.map(|missing| missing.reason.as_str()),
        };
        match database.kind {
            DatabaseKind::Postgresql => settings.postgresql(&mut about),
            DatabaseKind::Mysql | DatabaseKind::Mariadb => settings.mysql(&mut about),
        }
    }
}

fn kind(kind: DatabaseKind) -> &'static str {
    match kind {
        DatabaseKind::Postgresql => "postgresql",
        DatabaseKind::Mysql => "mysql",
        DatabaseKind::Mariadb => "mariadb",
    }
}

/// `15.4` as 1504, `8.0.36` as 800.
fn version(text: &str) -> Option<u64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let mut parts = text[from..].split('.');
    let digits = |part: &str| {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        part[..end].parse::<u64>().ok()
    };
    let major = digits(parts.next()?)?;
    let minor = parts.next().and_then(digits).unwrap_or(0);
    major.checked_mul(100)?.checked_add(minor.min(99))
}

struct Settings<'a> {
    database: &'a Database,
    version: Option<u64>,
    /// Why some of its files could not be read.
    unread: Option<&'a str>,
}

impl Settings<'_> {
    /// A setting as it is written, else its documented default; neither when no file was read.
    fn value(&self, name: &str, default: Option<&str>) -> Result<(String, String), String> {
        let settings = &self.database.settings;
        let wanted = name.to_lowercase();
        let own = settings
            .iter()
            .find(|(key, _)| key.to_lowercase().replace('-', "_") == wanted);
        if let Some((_, value)) = own {
            let value = value.trim().trim_matches(['\'', '"']).to_owned();
            return Ok((value, "configuration file".to_owned()));
        }
        if let Some(reason) = self.unread {
            return Err(format!(
                "{name} is not in the files that could be read ({reason})"
            ));
        }
        if settings.is_empty() && self.database.data_directory.is_none() {
            return Err("its configuration files were not found".to_owned());
        }
        let kind = self::kind(self.database.kind);
        match default {
            Some(default) => Ok((default.to_owned(), format!("default of {kind}"))),
            None => Err(format!(
                "{name} is not set, and the default of this version is not known"
            )),
        }
    }

    fn flag(&self, name: &str, default: Option<&str>, read: fn(&str) -> Option<bool>) -> Answer {
        let (value, source) = self.value(name, default)?;
        flag(
            read(&value),
            &source,
            &format!("{name} = {value} is not understood"),
        )
    }

    fn number(&self, name: &str, default: Option<&str>, read: fn(&str) -> Option<f64>) -> Answer {
        let (value, source) = self.value(name, default)?;
        number(
            read(&value),
            &source,
            &format!("{name} = {value} is not understood"),
        )
    }

    fn postgresql(&self, about: &mut About<'_>) {
        about.say(&f::DB_FSYNC, self.flag("fsync", Some("on"), boolean));
        about.say(
            &f::DB_FULL_PAGE_WRITES,
            self.flag("full_page_writes", Some("on"), boolean),
        );
        about.say(
            &f::DB_DATA_SYNC_RETRY,
            self.flag("data_sync_retry", Some("off"), boolean),
        );
        // `remote_write` and its like wait for more, not for less.
        let commit = |value: &str| match value {
            "local" | "remote_write" | "remote_apply" => Some(true),
            other => boolean(other),
        };
        let synchronous = self.flag("synchronous_commit", Some("on"), commit);
        about.say(&f::DB_SYNCHRONOUS_COMMIT, synchronous);
        let method = self.value("wal_sync_method", Some("fdatasync"));
        let method =
            method.and_then(|(value, source)| text(Some(&value.to_lowercase()), &source, ""));
        about.say(&f::DB_WAL_SYNC_METHOD, method);
        let since = |release: u64, old: Option<&'static str>, new: &'static str| match self.version
        {
            Some(version) if version >= release => Some(new),
            Some(_) => old,
            None => None,
        };
        let target = since(1400, Some("0.5"), "0.9");
        let target = self.number("checkpoint_completion_target", target, |value| {
            value.parse().ok()
        });
        about.say(&f::DB_CHECKPOINT_TARGET, target);
        let wal = since(1000, None, "1GB");
        about.say(
            &f::DB_MAX_WAL_SIZE,
            self.number("max_wal_size", wal, megabytes),
        );
        let other = "this is PostgreSQL";
        about.say_unknown(
            &[
                &f::DB_DOUBLEWRITE,
                &f::DB_FLUSH_AT_COMMIT,
                &f::DB_BINLOG,
                &f::DB_SYNC_BINLOG,
            ],
            other,
        );
    }

    fn mysql(&self, about: &mut About<'_>) {
        let doublewrite = |value: &str| match value.to_lowercase().as_str() {
            "detect_and_recover" | "fast" => Some(true),
            // Torn pages are found, but cannot be repaired.
            "detect_only" => Some(false),
            other => boolean(other),
        };
        let doublewrite = match self
            .database
            .settings
            .contains_key("skip_innodb_doublewrite")
        {
            true => flag(Some(false), "configuration file", ""),
            false => self.flag("innodb_doublewrite", Some("on"), doublewrite),
        };
        about.say(&f::DB_DOUBLEWRITE, doublewrite);
        let count = |value: &str| value.parse::<f64>().ok();
        let flush = self.number("innodb_flush_log_at_trx_commit", Some("1"), count);
        about.say(&f::DB_FLUSH_AT_COMMIT, flush);
        // On by default since MySQL 8.0; a name for the log switches it on as well.
        let default = match (self.database.kind, self.version) {
            (DatabaseKind::Mariadb, _) => Some("OFF"),
            (_, Some(version)) if version >= 800 => Some("ON"),
            (_, Some(_)) => Some("OFF"),
            (_, None) => None,
        };
        let written = |value: &str| Some(boolean(value).unwrap_or(true));
        about.say(&f::DB_BINLOG, self.flag("log_bin", default, written));
        // MySQL syncs each group since 5.7.7; MariaDB leaves it to the kernel.
        let binlog = match (self.database.kind, self.version) {
            (DatabaseKind::Mariadb, _) => Some("0"),
            (_, Some(version)) if version >= 800 => Some("1"),
            _ => None,
        };
        about.say(
            &f::DB_SYNC_BINLOG,
            self.number("sync_binlog", binlog, count),
        );
        let other = "this is not PostgreSQL";
        about.say_unknown(
            &[
                &f::DB_FSYNC,
                &f::DB_FULL_PAGE_WRITES,
                &f::DB_DATA_SYNC_RETRY,
                &f::DB_SYNCHRONOUS_COMMIT,
                &f::DB_WAL_SYNC_METHOD,
                &f::DB_MAX_WAL_SIZE,
                &f::DB_CHECKPOINT_TARGET,
            ],
            other,
        );
    }
}

fn boolean(value: &str) -> Option<bool> {
    match value.to_lowercase().as_str() {
        "on" | "true" | "tru" | "tr" | "t" | "yes" | "ye" | "y" | "1" => Some(true),
        "off" | "of" | "false" | "fals" | "fal" | "fa" | "f" | "no" | "n" | "0" => Some(false),
        _ => None,
    }
}

/// A size of PostgreSQL in bytes; a bare number counts megabytes.
fn megabytes(value: &str) -> Option<f64> {
    let end = value
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(value.len());
    let number: f64 = value[..end].parse().ok()?;
    let unit = match value[end..].trim() {
        "B" => 1.0,
        "kB" => 1024.0,
        "" | "MB" => 1024.0 * 1024.0,
        "GB" => 1024.0 * 1024.0 * 1024.0,
        "TB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_become_numbers_that_compare() {
        assert_eq!(version("15.4"), Some(1504));
        assert_eq!(version("PostgreSQL 9.6.24"), Some(906));
        assert_eq!(version("8.0.36-28"), Some(800));
        assert_eq!(version("17beta1"), Some(1700));
        assert_eq!(version("devel"), None);
        assert_eq!(version("99999999999999999999"), None);
    }

    #[test]
    fn sizes_are_read_with_the_units_of_postgresql() {
        assert_eq!(megabytes("1GB"), Some(1_073_741_824.0));
        assert_eq!(megabytes("512"), Some(536_870_912.0));
        assert_eq!(megabytes("64 MB"), Some(67_108_864.0));
        assert_eq!(megabytes("1 parsec"), None);
    }
}
