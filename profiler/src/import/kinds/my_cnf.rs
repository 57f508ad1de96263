//! my.cnf of MySQL and MariaDB: the groups that the server reads.

use crate::host::{mysql_option, mysql_section};
use crate::import::amounts::size;
use crate::import::kinds::Kind;
use crate::import::model::hostfiles::DatabaseFile;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct MyCnf;

impl Kind for MyCnf {
    fn name(&self) -> &'static str {
        "my-cnf"
    }

    fn about(&self) -> &'static str {
        "my.cnf, mysqld.cnf and the like"
    }

    fn recognises(&self, source: &Source) -> bool {
        source
            .lines()
            .any(|(_, line)| mysql_section(line.trim()).is_some_and(is_server))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut settings = Vec::new();
        let mut inside = false;
        for (number, line) in source.lines() {
            let line = line.trim();
            if let Some(directive) = line.strip_prefix('!') {
                let text = format!(
                    "`!{directive}` is not followed: give that file too, if it was collected"
                );
                into.note(Level::Info, &source.name, Some(number), text);
            } else if let Some(section) = mysql_section(line) {
                inside = is_server(section);
                if inside && section.contains('-') {
                    let text = format!(
                        "[{section}] is taken to apply, as the server's version is not known"
                    );
                    into.note(Level::Info, &source.name, Some(number), text);
                }
            } else if inside && let Some(setting) = mysql_option(line) {
                settings.push(setting);
            }
        }
        if settings.is_empty() {
            return Err(source.refuse_all(
                "it sets nothing in a group that the server reads",
                "give the my.cnf of the server, with its [mysqld]",
            ));
        }
        let database: &mut DatabaseFile = into
            .host
            .get_or_insert_default()
            .mysql
            .get_or_insert_default();
        if database.file.is_empty() {
            database.file.clone_from(&source.name);
        }
        database.settings.extend(settings);
        let is_amount = |name: &str| {
            ["_size", "_buffer", "_bytes"]
                .iter()
                .any(|end| name.ends_with(end))
        };
        let amounts = database.settings.iter().filter(|(name, _)| is_amount(name));
        database.settings_bytes = amounts
            .filter_map(|(name, value)| Some((name.clone(), size(value, 1)?)))
            .collect();
        Ok(())
    }
}

/// `mysqld`, `server`, `mariadb`, each with or without a version.
fn is_server(section: &str) -> bool {
    let (name, version) = section.split_once('-').unwrap_or((section, ""));
    let is_version = version.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_version && ["mysqld", "server", "mariadb", "mariadbd"].contains(&name)
}
