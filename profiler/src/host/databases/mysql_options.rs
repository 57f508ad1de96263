//! Option files of MySQL and MariaDB (my.cnf), in the order in which the server reads them.

use crate::host::notes::{Notes, plain};
use crate::host::root::Root;
use std::collections::BTreeMap;
use std::io;

const DEPTH_LIMIT: usize = 10;
const WHAT: &str = "MySQL settings";

/// Settings by name, hyphens turned into underscores; the last one read wins.
pub(super) type Settings = BTreeMap<String, String>;

/// Sections that a server reads.
pub(super) struct Sections {
    /// `8.0` or `10.11`, where known.
    pub(super) version: Option<String>,
    pub(super) is_mariadb: bool,
}

impl Sections {
    /// Whether the server reads this section; `None` where that hangs on an unknown version.
    fn includes(&self, section: &str) -> Option<bool> {
        if matches!(section, "mysqld" | "server") {
            return Some(true);
        }
        let (name, version) = match section.rsplit_once('-') {
            Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => {
                (name, Some(version))
            }
            _ => (section, None),
        };
        let own = match name {
            "mysqld" => true,
            "mariadb" | "mariadbd" | "server" => self.is_mariadb,
            _ => false,
        };
        match (own, version, &self.version) {
            (false, ..) => Some(false),
            (true, None, _) => Some(true),
            (true, Some(wanted), Some(version)) => Some(wanted == version),
            (true, Some(_), None) => None,
        }
    }
}

/// Reads one file and its includes into `settings`.
pub(super) fn read(
    root: &Root,
    path: &str,
    sections: &Sections,
    settings: &mut Settings,
    notes: &mut Notes,
) -> io::Result<()> {
    let mut reader = Reader {
        root,
        sections,
        settings,
        notes,
    };
    reader.file(path, 0)
}

struct Reader<'a> {
    root: &'a Root,
    sections: &'a Sections,
    settings: &'a mut Settings,
    notes: &'a mut Notes,
}

impl Reader<'_> {
    /// A file begins outside any section, an included one too.
    fn file(&mut self, path: &str, depth: usize) -> io::Result<()> {
        let text = self.root.read(path)?;
        let mut inside = false;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(directive) = line.strip_prefix('!') {
                self.directive(path, index + 1, directive, depth);
            } else if let Some(section) = section(line) {
                let included = self.sections.includes(section);
                if included.is_none() {
                    self.notes.add(
                        WHAT,
                        format!(
                            "{path}, line {}: [{section}] is taken to apply, \
                             as the server's version is not known",
                            index + 1
                        ),
                    );
                }
                inside = included.unwrap_or(true);
            } else if inside && let Some((name, value)) = option(line) {
                self.settings.insert(name, value);
            }
        }
        Ok(())
    }

    fn directive(&mut self, path: &str, line: usize, directive: &str, depth: usize) {
        if depth >= DEPTH_LIMIT {
            let reason = format!("{path}: more than {DEPTH_LIMIT} includes within each other");
            return self.notes.add(WHAT, reason);
        }
        let (name, target) = directive
            .split_once(char::is_whitespace)
            .unwrap_or((directive, ""));
        let target = target.trim();
        match name {
            "include" | "includedir" if !target.starts_with('/') => self.notes.add(
                WHAT,
                format!(
                    "{path}, line {line}: `{target}` is relative to where the server was started"
                ),
            ),
            "include" => self.included(target, depth + 1),
            "includedir" => match self.root.list(target) {
                Ok(mut names) => {
                    names.retain(|name| name.ends_with(".cnf"));
                    names.sort();
                    for name in names {
                        self.included(&format!("{target}/{name}"), depth + 1);
                    }
                }
                Err(error) => self.notes.unreadable(WHAT, target, &error),
            },
            _ => self.notes.add(
                WHAT,
                format!("{path}, line {line}: `!{name}` is no directive"),
            ),
        }
    }

    fn included(&mut self, path: &str, depth: usize) {
        if let Err(error) = self.file(path, depth) {
            self.notes.add(WHAT, format!("{path}: {}", plain(&error)));
        }
    }
}

pub(crate) fn section(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix('[')?.split_once(']')?;
    Some(name.trim())
}

/// `name = value # comment`, or a bare name, which switches on. `None` for a comment.
pub(crate) fn option(line: &str) -> Option<(String, String)> {
    if line.is_empty() || line.starts_with(['#', ';']) {
        return None;
    }
    let (name, value) = match line.split_once('=') {
        Some((name, value)) => (name, Some(value_of(value.trim()))),
        None => (line.split('#').next()?, None),
    };
    Some(assignment(name.trim(), value))
}

/// Text up to a comment; within quotation marks a `#` is no comment.
fn value_of(text: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote)
            && let Some((inside, _)) = rest.split_once(quote)
        {
            return inside.to_owned();
        }
    }
    text.split('#').next().unwrap_or_default().trim().to_owned()
}

/// Undoes the forms that one option may be written in: hyphens, `loose_`, `skip_`, and a bare
/// name.
pub(super) fn assignment(name: &str, value: Option<String>) -> (String, String) {
    let name = name.replace('-', "_").to_lowercase();
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    let on = |value: Option<String>| value.unwrap_or_else(|| "ON".to_owned());
    let inverted = ["skip_", "disable_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    match inverted {
        // skip_name_resolve and skip_networking are names of their own.
        Some(rest) if value.is_none() && !matches!(rest, "name_resolve" | "networking") => {
            (rest.to_owned(), "OFF".to_owned())
        }
        _ => {
            let name = name.strip_prefix("enable_").unwrap_or(name);
            (name.to_owned(), on(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_of_an_option() {
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(
            option("innodb-flush-log-at-trx-commit = 2 # note"),
            pair("innodb_flush_log_at_trx_commit", "2")
        );
        assert_eq!(
            option("loose_innodb_doublewrite=OFF"),
            pair("innodb_doublewrite", "OFF")
        );
        assert_eq!(
            option("skip-innodb-doublewrite"),
            pair("innodb_doublewrite", "OFF")
        );
        assert_eq!(option("skip-name-resolve"), pair("skip_name_resolve", "ON"));
        assert_eq!(
            option("innodb_doublewrite"),
            pair("innodb_doublewrite", "ON")
        );
        assert_eq!(option("datadir='/a#b' # c"), pair("datadir", "/a#b"));
        assert_eq!(option("; comment"), None);
    }

    #[test]
    fn sections_of_each_server() {
        let mysql = Sections {
            version: Some("8.0".into()),
            is_mariadb: false,
        };
        let mariadb = Sections {
            version: None,
            is_mariadb: true,
        };
        assert_eq!(mysql.includes("mysqld-8.0"), Some(true));
        assert_eq!(mysql.includes("mysqld-5.7"), Some(false));
        assert_eq!(mysql.includes("mariadb"), Some(false));
        assert_eq!(mysql.includes("client"), Some(false));
        assert_eq!(mysql.includes("server"), Some(true));
        assert_eq!(mariadb.includes("mariadb"), Some(true));
        assert_eq!(mariadb.includes("mariadb-10.11"), None);
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(text in any::<String>()) {
            let _ = (option(&text), section(&text));
        }
    }
}
