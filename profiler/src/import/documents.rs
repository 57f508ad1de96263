//! JSON documents of fio among the lines that went to the same file.

use super::json::{self, Json};
use super::source::{Imports, Refusal, Source};

/// What a file is made of.
pub(super) struct Found {
    /// With the line that each begins in.
    pub(super) documents: Vec<(usize, Json)>,
    /// Lines outside of documents.
    pub(super) foreign: Vec<(usize, String)>,
}

/// Takes apart what is JSON and what is not. A document begins with `{` before a key in quotes.
pub(super) fn documents(source: &Source) -> Imports<Found> {
    let (text, mut foreign) = without_messages(source);
    let mut documents = Vec::new();
    let mut at = 0;
    let mut outside = 0;
    while let Some(open) = text[at..].find('{').map(|n| at + n) {
        if !text[open + 1..].trim_start().starts_with('"') {
            at = open + 1;
            continue;
        }
        match json::parse(&text, open) {
            Ok((document, end)) => {
                lines_between(source, &text, outside, open, &mut foreign);
                documents.push((source.place(open).0, document));
                (at, outside) = (end, end);
            }
            Err(fault) if is_result(&text[open..]) => return Err(cut(source, &fault)),
            Err(_) => at = open + 1,
        }
    }
    lines_between(source, &text, outside, text.len(), &mut foreign);
    foreign.sort();
    Ok(Found { documents, foreign })
}

/// fio's messages begin a line and may stand in the middle of a document: blanked, places kept.
fn without_messages(source: &Source) -> (String, Vec<(usize, String)>) {
    let mut foreign = Vec::new();
    let mut text = String::with_capacity(source.text.len());
    for (index, line) in source.text.split_inclusive('\n').enumerate() {
        if line.starts_with("fio:") && !line.contains('{') {
            foreign.push((index + 1, line.trim().to_owned()));
            text.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        } else {
            text.push_str(line);
        }
    }
    (text, foreign)
}

fn is_result(text: &str) -> bool {
    text.contains("\"fio version\"") || text.contains("\"jobs\"")
}

fn lines_between(
    source: &Source,
    text: &str,
    from: usize,
    to: usize,
    foreign: &mut Vec<(usize, String)>,
) {
    let first = source.place(from).0;
    for (index, line) in text[from..to].split('\n').enumerate() {
        let line = line.trim();
        if !line
            .chars()
            .all(|c| c.is_whitespace() || "[],;".contains(c))
        {
            foreign.push((first + index, line.to_owned()));
        }
    }
}

fn cut(source: &Source, fault: &json::Fault) -> Refusal {
    let (line, column) = source.place(fault.at);
    let inside = match fault.inside.as_str() {
        "" => "the document".to_owned(),
        path => path.to_owned(),
    };
    let (why, next) = match fault.ended {
        true => (
            format!("the JSON ends at byte {} inside {inside}", fault.at),
            "it was cut short, so nothing of it was taken; run fio to its end",
        ),
        false => (
            format!(
                "the JSON is not well formed at byte {} inside {inside}",
                fault.at
            ),
            "nothing of it was taken; mend that place or run fio again",
        ),
    };
    Refusal {
        column: Some(column),
        ..source.refuse(line, why, next)
    }
}
