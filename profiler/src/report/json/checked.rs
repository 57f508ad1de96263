//! Findings that ask for nothing, gathered by rule: one entry each, however many subjects it had.

use rules::finding::{Finding, State};

/// A rule that was asked and recommends nothing.
pub(crate) struct Checked<'a> {
    pub(crate) title: &'a str,
    pub(crate) id: &'a str,
    pub(crate) outcomes: Vec<Outcome<'a>>,
}

/// Subjects with the same outcome, and what is to be said of it: what is missing, what stood against.
pub(crate) struct Outcome<'a> {
    pub(crate) subjects: Vec<&'a str>,
    pub(crate) notes: Vec<&'a str>,
}

impl Outcome<'_> {
    pub(crate) fn subjects(&self) -> String {
        self.subjects.join(", ")
    }

    pub(crate) fn notes(&self) -> String {
        self.notes.join("; ")
    }
}

/// The rules with findings of a state, in the order of the findings.
pub(crate) fn checked(findings: &[Finding], state: State) -> Vec<Checked<'_>> {
    let mut rules: Vec<Checked> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.state == state) {
        let index = match rules.iter().position(|rule| rule.id == finding.id) {
            Some(index) => index,
            None => {
                rules.push(Checked {
                    title: &finding.title,
                    id: &finding.id,
                    outcomes: Vec::new(),
                });
                rules.len() - 1
            }
        };
        let suppressed = finding.suppressed_by.iter();
        let notes: Vec<&str> = suppressed
            .chain(&finding.missing)
            .map(String::as_str)
            .collect();
        let outcomes = &mut rules[index].outcomes;
        match outcomes.iter_mut().find(|outcome| outcome.notes == notes) {
            Some(outcome) => outcome.subjects.push(&finding.subject),
            None => outcomes.push(Outcome {
                subjects: vec![&finding.subject],
                notes,
            }),
        }
    }
    rules
}

/// A text cut after its first sentence: the part to say aloud, and the rest.
pub(crate) fn first_sentence(text: &str) -> (&str, &str) {
    let ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let next = |at: &usize| text[*at..].trim_start().chars().next();
    let starts =
        |at: &usize| next(at).is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || c == '/');
    match ends.into_iter().find(starts) {
        Some(at) => (text[..at].trim(), text[at..].trim()),
        None => (text.trim(), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_ends_before_the_next_one_starts() {
        let cut = first_sentence;
        assert_eq!(
            cut("A 3.9 ms wait. Turn it off."),
            ("A 3.9 ms wait.", "Turn it off.")
        );
        assert_eq!(cut("One, e.g. this one."), ("One, e.g. this one.", ""));
        assert_eq!(cut(""), ("", ""));
        assert_eq!(cut("Ü. Ä"), ("Ü.", "Ä"));
    }
}
