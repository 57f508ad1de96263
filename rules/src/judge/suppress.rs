//! Findings that the user has accepted, with a reason and, if wanted, a last day.

use super::Held;
use crate::diagnostic::{Diagnostic, Source};
use serde::Deserialize;
use std::sync::Arc;

/// One entry: which findings, why they are accepted, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppress {
    /// Rule ids; `*` stands for any text, `?` for one character: `mount/*`.
    pub id: String,
    /// Subjects as findings print them: `filesystem /srv/*`. Where nothing is said, all.
    #[serde(default = "any")]
    pub subject: String,
    pub reason: String,
    /// The last day on which it holds, as `2026-11-30`.
    #[serde(default)]
    pub expires: Option<String>,
}

fn any() -> String {
    "*".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    suppress: Vec<toml::Spanned<Suppress>>,
}

impl Suppress {
    /// Reads a file of `[[suppress]]` entries.
    pub fn read(path: &str, text: &str) -> Result<Vec<Self>, Diagnostic> {
        let source = Arc::new(Source {
            id: String::new(),
            path: path.to_owned(),
            text: text.to_owned(),
        });
        let wrong = |span, message: &str| Diagnostic::new(&source, span, message, None);
        let file: File = toml::from_str(text)
            .map_err(|error| wrong(error.span().unwrap_or(0..0), error.message().trim()))?;
        let mut entries = Vec::new();
        for entry in file.suppress {
            let span = entry.span();
            let entry = entry.into_inner();
            if entry.reason.trim().is_empty() {
                return Err(wrong(span, "an accepted finding needs a reason"));
            }
            if entry.expires.as_ref().is_some_and(|day| !is_day(day)) {
                return Err(wrong(span, "`expires` is a day as 2026-11-30"));
            }
            entries.push(entry);
        }
        Ok(entries)
    }

    fn covers(&self, held: &Held<'_>) -> bool {
        let Held { rule, subject, .. } = held;
        let named = matches(&self.subject, &held.finding.subject);
        matches(&self.id, &rule.id) && (named || matches(&self.subject, &subject.name))
    }

    /// Days are compared as text, which is right for `YYYY-MM-DD`.
    fn has_expired(&self, today: &str) -> bool {
        self.expires.as_deref().is_some_and(|last| last < today)
    }
}

/// Withdraws what is accepted; what no longer is says since when.
pub(super) fn apply(held: &mut [Held<'_>], accepted: &[Suppress], today: &str) {
    for held in held.iter_mut().filter(|held| held.recommends()) {
        let mut covering = accepted
            .iter()
            .filter(|entry| entry.covers(held))
            .peekable();
        let Some(first) = covering.peek().copied() else {
            continue;
        };
        match covering.find(|entry| !entry.has_expired(today)) {
            Some(entry) => {
                let until = entry.expires.as_ref().map(|day| format!(" until {day}"));
                held.withdraw(format!(
                    "accepted{}: {}",
                    until.unwrap_or_default(),
                    entry.reason
                ));
            }
            None => {
                let day = first.expires.as_deref().unwrap_or_default();
                held.finding
                    .because
                    .push_str(&format!(" It was accepted until {day}: {}", first.reason));
            }
        }
    }
}

fn is_day(text: &str) -> bool {
    let shape = |(index, c): (usize, char)| match index {
        4 | 7 => c == '-',
        _ => c.is_ascii_digit(),
    };
    text.len() == 10 && text.char_indices().all(shape)
}

/// Whether the whole text matches; takes time in proportion to both lengths at most.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t) = (0, 0);
    // Where to go on when the text after the last star fits no more.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                g += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_texts() {
        for (glob, text, fits) in [
            ("*", "", true),
            ("mount/*", "mount/discard", true),
            ("mount/*", "remount/discard", false),
            ("*card", "mount/discard", true),
            ("device sd?", "device sda", true),
            ("device sd?", "device sdaa", false),
            ("*a*b*c", "xxaxxbxxbc", true),
            ("*a*b*c", "xxaxxcxxb", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(glob, text), fits, "{glob} {text}");
        }
    }

    #[test]
    fn a_file_of_accepted_findings_is_read_or_refused_with_its_place() {
        let good =
            "[[suppress]]\nid = \"mount/*\"\nreason = \"scratch\"\nexpires = \"2027-01-31\"\n";
        let entries = Suppress::read("accepted.toml", good).unwrap();
        assert_eq!(entries[0].subject, "*");
        for (bad, place) in [
            ("[[suppress]]\nid = \"x\"\nreason = \"\"\n", (1, 1)),
            (
                "[[suppress]]\nid = \"x\"\nreason = \"y\"\nexpires = \"soon\"\n",
                (1, 1),
            ),
            (
                "[[suppress]]\nid = \"x\"\nreason = \"y\"\nuntil = \"soon\"\n",
                (4, 1),
            ),
        ] {
            let error = Suppress::read("accepted.toml", bad).unwrap_err();
            assert_eq!(error.position(), place, "{error}");
        }
    }
}
