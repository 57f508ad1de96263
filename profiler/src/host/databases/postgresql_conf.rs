//! postgresql.conf and what it includes, in the order in which the server reads it.

use crate::host::notes::{Notes, plain};
use crate::host::root::Root;
use std::collections::BTreeMap;
use std::io;

/// As the server's own limit on nested includes.
const DEPTH_LIMIT: usize = 10;

/// Settings by name in small letters; the last one read wins.
pub(super) type Settings = BTreeMap<String, String>;

/// Reads one file and its includes into `settings`.
pub(super) fn read(root: &Root, path: &str, settings: &mut Settings, notes: &mut Notes) {
    let mut reader = Reader {
        root,
        settings,
        notes,
    };
    if let Err(error) = reader.file(path, 0) {
        reader.notes.unreadable("PostgreSQL settings", path, &error);
    }
}

/// As [`read`], for a file that need not be there.
pub(super) fn read_if_exists(root: &Root, path: &str, settings: &mut Settings, notes: &mut Notes) {
    let mut reader = Reader {
        root,
        settings,
        notes,
    };
    reader.optional(path, 0);
}

struct Reader<'a> {
    root: &'a Root,
    settings: &'a mut Settings,
    notes: &'a mut Notes,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, depth: usize) -> io::Result<()> {
        let text = self.root.read(path)?;
        for (index, line) in text.lines().enumerate() {
            match parse_line(line) {
                Ok(None) => {}
                Ok(Some((name, value))) => self.take(path, &name, value, depth),
                Err(reason) => self.notes.add(
                    "PostgreSQL settings",
                    format!("{path}, line {}: {reason}", index + 1),
                ),
            }
        }
        Ok(())
    }

    fn take(&mut self, path: &str, name: &str, value: String, depth: usize) {
        let target = super::joined(super::folder(path), &value);
        match name {
            "include" | "include_if_exists" | "include_dir" if depth >= DEPTH_LIMIT => {
                self.notes.add(
                    "PostgreSQL settings",
                    format!("{path}: more than {DEPTH_LIMIT} includes within each other"),
                );
            }
            "include" => {
                if let Err(error) = self.file(&target, depth + 1) {
                    self.notes
                        .unreadable("PostgreSQL settings", &target, &error);
                }
            }
            "include_if_exists" => self.optional(&target, depth + 1),
            "include_dir" => self.folder(&target, depth + 1),
            _ => {
                self.settings.insert(name.to_owned(), value);
            }
        }
    }

    fn optional(&mut self, path: &str, depth: usize) {
        match self.file(path, depth) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.notes.unreadable("PostgreSQL settings", path, &error);
            }
            _ => {}
        }
    }

    /// Every `*.conf` but hidden ones, in the order of their bytes.
    fn folder(&mut self, path: &str, depth: usize) {
        let mut names = match self.root.list(path) {
            Ok(names) => names,
            Err(error) => {
                let reason = format!("{path}: {}", plain(&error));
                self.notes.add("PostgreSQL settings", reason);
                return;
            }
        };
        names.retain(|name| name.ends_with(".conf") && !name.starts_with('.'));
        names.sort();
        for name in names {
            let file = format!("{path}/{name}");
            if let Err(error) = self.file(&file, depth) {
                self.notes.unreadable("PostgreSQL settings", &file, &error);
            }
        }
    }
}

/// `name [=] value [# comment]`, as src/backend/utils/misc/guc-file.l has it.
pub(crate) fn parse_line(line: &str) -> Result<Option<(String, String)>, String> {
    let text = line.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return Err("a setting begins with its name".to_owned());
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    let (value, rest) = match rest.strip_prefix('\'') {
        Some(quoted) => quoted_value(quoted).ok_or("the quotation mark is not closed")?,
        None => {
            let end = rest.find(|c: char| c.is_whitespace() || c == '#' || c == '\'');
            let (value, rest) = rest.split_at(end.unwrap_or(rest.len()));
            (value.to_owned(), rest)
        }
    };
    let rest = rest.trim_start();
    if !(rest.is_empty() || rest.starts_with('#')) {
        return Err(format!("`{rest}` follows the value"));
    }
    Ok(Some((name.to_lowercase(), value)))
}

/// Text up to the closing quotation mark, and what follows it. Two marks are one; backslashes
/// escape as in C.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
                value.push('\'');
            }
            '\'' => return Some((value, &text[at + 1..])),
            '\\' => value.push(match chars.next()?.1 {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                first @ '0'..='7' => {
                    let mut code = first.to_digit(8)?;
                    for _ in 0..2 {
                        let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(8)) else {
                            break;
                        };
                        code = code * 8 + digit;
                        chars.next();
                    }
                    char::from_u32(code & 0xff)?
                }
                other => other,
            }),
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str) -> Option<(String, String)> {
        parse_line(text).unwrap()
    }

    #[test]
    fn forms_of_a_setting() {
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(
            line("shared_buffers = 32MB\t\t# first"),
            pair("shared_buffers", "32MB")
        );
        assert_eq!(
            line("Shared_Buffers 16384"),
            pair("shared_buffers", "16384")
        );
        assert_eq!(
            line("random_page_cost=1.1"),
            pair("random_page_cost", "1.1")
        );
        assert_eq!(line("wal_buffers = -1"), pair("wal_buffers", "-1"));
        assert_eq!(
            line("search = 'it''s \\'so\\' \\101'  # x"),
            pair("search", "it's 'so' A")
        );
        assert_eq!(line("pg_stat.max=5#c"), pair("pg_stat.max", "5"));
        assert_eq!(line("#fsync = off"), None);
        assert_eq!(line("   "), None);
    }

    #[test]
    fn what_the_server_would_refuse_is_named() {
        assert_eq!(
            parse_line("= 5").unwrap_err(),
            "a setting begins with its name"
        );
        assert_eq!(
            parse_line("a = 'b").unwrap_err(),
            "the quotation mark is not closed"
        );
        assert_eq!(
            parse_line("a = 1 GB").unwrap_err(),
            "`GB` follows the value"
        );
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(text in any::<String>()) {
            let _ = parse_line(&text);
        }

        #[test]
        fn a_quoted_value_comes_back(value in "[^\0\r\n]{0,20}") {
            let escaped = value.replace('\\', "\\\\").replace('\'', "''");
            let (name, found) = line(&format!("name = '{escaped}' # comment")).unwrap();
            prop_assert_eq!((name.as_str(), found), ("name", value));
        }
    }
}
