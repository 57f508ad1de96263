//! Tables whose columns are named by a line of their own, which may come again.

use super::model::{Imported, Level};
use super::source::Source;

/// Takes the names of the columns from a line, if it is a head.
pub(super) type Head = fn(&str) -> Option<Vec<String>>;

/// Whether a head is near the beginning.
pub(super) fn has_head(source: &Source, head: Head) -> bool {
    let mut first = source.lines().take(20);
    first.any(|(_, line)| head(line).is_some())
}

/// The rows below a head, each with its line. Empty lines and comments are passed over, a row that
/// cannot be read leaves a note.
pub(super) fn rows<T>(
    source: &Source,
    into: &mut Imported,
    head: Head,
    mut row: impl FnMut(&[String], &str) -> Option<T>,
) -> Vec<(usize, T)> {
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (number, line) in source.lines() {
        if let Some(found) = head(line) {
            columns = found;
            continue;
        }
        if columns.is_empty() || line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match row(&columns, line) {
            Some(row) => rows.push((number, row)),
            None => into.note(
                Level::Warning,
                &source.name,
                Some(number),
                format!("line left out: {line}"),
            ),
        }
    }
    rows
}
