//! Text to tokens.

use super::Error;
use crate::facts::Unit;
use crate::suggest::did_you_mean;
use crate::units;
use std::ops::Range;

/// The smallest pieces of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// In the base unit; without a unit it is a plain number.
    Number(f64, Option<Unit>),
    /// Between double quotes.
    Text(&'a str),
    /// A fact, a let, a function or a keyword.
    Name(&'a str),
    Symbol(&'static str),
}

/// Longer symbols stand before those that they begin with.
const SYMBOLS: &[&str] = &[
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ",",
];

/// What people write who come from other languages, and what it is here.
const FOREIGN: &[(&str, &str)] = &[
    ("&&", "and"),
    ("||", "or"),
    ("!", "not"),
    ("=", "=="),
    ("<>", "!="),
    ("'", "\""),
];

pub(super) type Tokens<'a> = Vec<(Token<'a>, Range<usize>)>;

pub(super) fn lex(text: &str) -> Result<Tokens<'_>, Error> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = token(&text[at..], at)?;
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

/// The token at the start of `rest`, which stands at byte `at`, and its length.
fn token(rest: &str, at: usize) -> Result<(Token<'_>, usize), Error> {
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() {
        return number(rest, at);
    }
    if first == '"' {
        let Some(length) = rest[1..].find('"') else {
            return Err(Error::new(at..at + rest.len(), "this text is never closed"));
        };
        return Ok((Token::Text(&rest[1..=length]), length + 2));
    }
    if is_name(first) {
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        return Ok((Token::Name(&rest[..length]), length));
    }
    if let Some((foreign, ours)) = FOREIGN
        .iter()
        .find(|(foreign, _)| rest.starts_with(foreign) && !starts_with_symbol(rest))
    {
        let message = format!("`{foreign}` means nothing here");
        let error = Error::new(at..at + foreign.len(), message);
        return Err(error.help(format!("write `{ours}`")));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => {
            let message = format!("`{}` means nothing here", first.escape_debug());
            Err(Error::new(at..at + first.len_utf8(), message))
        }
    }
}

/// `<>` begins with `<`, which is a symbol; two characters of ours win over one of theirs.
fn starts_with_symbol(rest: &str) -> bool {
    let two = SYMBOLS.iter().filter(|symbol| symbol.len() == 2);
    two.into_iter().any(|symbol| rest.starts_with(*symbol))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// A number with its suffix: `4ms`, `80%`, `100/s`, `3MiB/s`, `1_000`.
fn number(rest: &str, at: usize) -> Result<(Token<'_>, usize), Error> {
    let length = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(rest.len());
    let Ok(number) = rest[..length].replace('_', "").parse::<f64>() else {
        return Err(Error::new(at..at + length, "this is not a number"));
    };
    let suffix = suffix(&rest[length..]);
    let whole = length + suffix.len();
    if suffix.is_empty() {
        return Ok((Token::Number(number, None), whole));
    }
    match units::scaled(number, suffix) {
        Some((value, unit)) => Ok((Token::Number(value, Some(unit)), whole)),
        None => {
            let span = at + length..at + whole;
            let error = Error::new(span, format!("unknown unit `{suffix}`"));
            Err(error.help(unit_help(suffix)))
        }
    }
}

/// The suffix of a number. A slash belongs to it only before `s` or `min` alone, so that `8/sync.rate` divides.
fn suffix(rest: &str) -> &str {
    let word = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '%' || c == '_'))
        .unwrap_or(rest.len());
    for per in ["/s", "/min"] {
        let after = rest[word..].strip_prefix(per);
        if after.is_some_and(|after| !after.starts_with(is_name)) {
            return &rest[..word + per.len()];
        }
    }
    &rest[..word]
}

fn unit_help(suffix: &str) -> String {
    let binary = match suffix.trim_end_matches("/s") {
        "k" | "K" | "kB" | "KB" | "kib" => Some("KiB"),
        "m" | "M" | "MB" | "mib" => Some("MiB"),
        "g" | "G" | "GB" | "gib" => Some("GiB"),
        "sec" | "seconds" => Some("s"),
        _ => None,
    };
    match binary {
        Some(unit) => format!("did you mean `{unit}`?"),
        None => did_you_mean(suffix, units::suffixes()).unwrap_or_else(|| {
            "units are ns us ms s min h, B KiB MiB GiB TiB, %, /s, and B/s KiB/s MiB/s GiB/s"
                .to_owned()
        }),
    }
}
