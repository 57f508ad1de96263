//! What kind of database file a path names, told by the names that the databases give.
//!
//! PostgreSQL: <https://www.postgresql.org/docs/current/storage-file-layout.html>; MySQL: reference
//! manual, "InnoDB On-Disk Structures" and "The Binary Log".

/// `wal`, `redo`, `binlog`, `data`, `temp`, or `other`.
pub fn class(folder: &str, file: &str) -> &'static str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    let after = |prefix: &str| file.strip_prefix(prefix).is_some_and(digits);
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    if folder == "pg_wal" || folder == "pg_xlog" || (file.len() == 24 && hex(file)) {
        "wal"
    } else if after("ib_logfile") || after("#ib_redo") || folder == "#innodb_redo" {
        "redo"
    } else if folder.starts_with("pgsql_tmp")
        || file.starts_with("pgsql_tmp")
        || folder == "#innodb_temp"
        || file.starts_with("#sql")
        || file == "ibtmp1"
    {
        "temp"
    } else if (file.contains("bin.") && digits(extension))
        || (file.contains("binlog.") && digits(extension))
    {
        "binlog"
    } else if matches!(extension, "ibd" | "ibu" | "MYD" | "MYI" | "MAD" | "MAI")
        || after("ibdata")
        || file.starts_with("undo_0")
        || relation(folder, file)
    {
        "data"
    } else {
        "other"
    }
}

/// `16384/24601`, `global/1262_fsm`, `5/2619.3`: a relation of PostgreSQL and its forks.
fn relation(folder: &str, file: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let file = file.split_once('.').map_or(file, |(file, _)| file);
    let file = ["_fsm", "_vm", "_init"]
        .iter()
        .find_map(|fork| file.strip_suffix(fork))
        .unwrap_or(file);
    (digits(folder) || folder == "global") && digits(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_postgresql_and_mysql_are_told_apart() {
        for (folder, file, expected) in [
            ("pg_wal", "000000010000000A000000FF", "wal"),
            ("archive", "000000010000000A000000FF", "wal"),
            ("16384", "24601", "data"),
            ("global", "1262_fsm", "data"),
            ("5", "2619.3", "data"),
            ("pgsql_tmp", "pgsql_tmp31337.0", "temp"),
            ("mysql", "ib_logfile0", "redo"),
            ("#innodb_redo", "#ib_redo42", "redo"),
            ("mysql", "mysql-bin.000042", "binlog"),
            ("mysql", "binlog.000007", "binlog"),
            ("shop", "orders.ibd", "data"),
            ("mysql", "ibdata1", "data"),
            ("mysql", "undo_001", "data"),
            ("tmp", "#sql-1_2.ibd", "temp"),
            ("home", "notes.txt", "other"),
            ("", "", "other"),
        ] {
            assert_eq!(class(folder, file), expected, "{folder}/{file}");
        }
    }
}
