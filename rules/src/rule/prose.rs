//! Prose and commands with holes: `{fact.name}`, `{let}`, `{target:KiB}`, `{mount}`.

use crate::facts::{Fact, Type, Unit, Value};
use crate::lang::types::fact_in_reach;
use crate::lang::{Error, Kind, Missing, Names, Scene};
use crate::suggest::did_you_mean;
use crate::units;
use std::ops::Range;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Plain(String),
    /// A word of the subject.
    Word(String),
    Value(Reference, Style),
}

/// What stands in a hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reference {
    Fact(&'static Fact),
    Let(usize, Kind),
}

/// How a value is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Style {
    /// With its unit.
    People,
    /// The bare number, divided by this, with so many decimal places at most.
    Bare(f64, usize),
}

/// Styles after the colon: name, the units it is for, divisor, decimal places.
const STYLES: &[(&str, &[Unit], f64, usize)] = &[
    ("B", &[Unit::Size, Unit::Throughput], 1.0, 0),
    ("KiB", &[Unit::Size, Unit::Throughput], 1024.0, 0),
    ("MiB", &[Unit::Size, Unit::Throughput], 1_048_576.0, 0),
    ("GiB", &[Unit::Size, Unit::Throughput], 1_073_741_824.0, 0),
    ("sectors", &[Unit::Size], 512.0, 0),
    ("s", &[Unit::Duration], 1e9, 3),
    ("ms", &[Unit::Duration], 1e6, 3),
    ("us", &[Unit::Duration], 1e3, 0),
    ("percent", &[Unit::Ratio], 0.01, 0),
    ("fraction", &[Unit::Ratio], 1.0, 6),
    ("int", &[Unit::Count, Unit::Ratio, Unit::Rate], 1.0, 0),
    ("tenths", &[Unit::Count, Unit::Ratio, Unit::Rate], 1.0, 1),
];

impl Reference {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Fact(fact) => fact.of.into(),
            Self::Let(_, kind) => kind,
        }
    }
}

/// A text for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Prose {
    /// As written, with its holes.
    pub(crate) text: String,
    parts: Vec<Part>,
}

impl Prose {
    pub(crate) fn parse(text: &str, names: &Names<'_>) -> Result<Self, Error> {
        let parts = parse(text, names)?.into_iter().map(|(part, _)| part);
        Ok(Self {
            text: text.to_owned(),
            parts: parts.collect(),
        })
    }

    /// The text with its holes filled, or what is missing for it.
    pub(crate) fn fill(&self, scene: &Scene<'_>) -> Result<String, Vec<Missing>> {
        let mut text = String::new();
        let mut missing = Vec::new();
        for part in &self.parts {
            match part.fill(scene) {
                Ok(piece) => text.push_str(&piece),
                Err(more) => crate::lang::eval::merge(&mut missing, more),
            }
        }
        if missing.is_empty() {
            Ok(text)
        } else {
            Err(missing)
        }
    }

    /// The words that stand in the text itself, with what is to be filled in left out.
    pub(crate) fn plain(&self) -> String {
        let plain = self.parts.iter().map(|part| match part {
            Part::Plain(text) => text.as_str(),
            Part::Word(_) | Part::Value(..) => "_",
        });
        plain.collect()
    }
}

impl Part {
    pub(crate) fn fill(&self, scene: &Scene<'_>) -> Result<String, Vec<Missing>> {
        match self {
            Self::Plain(text) => Ok(text.clone()),
            Self::Word(word) => match scene.facts.word_of(scene.subject, word) {
                Some(word) => Ok(word.to_owned()),
                None => Err(vec![Missing {
                    what: format!("{{{word}}}"),
                    why: format!("{} has no such word", scene.subject),
                }]),
            },
            Self::Value(reference, style) => {
                let value = match reference {
                    Reference::Fact(fact) => scene
                        .look(fact)
                        .map_err(|missing| vec![missing])?
                        .value
                        .clone(),
                    Reference::Let(index, _) => match scene.lets.get(*index) {
                        Some(outcome) => outcome.clone()?,
                        None => return Err(Vec::new()),
                    },
                };
                Ok(style.print(&value, reference.kind().as_type()))
            }
        }
    }
}

impl Style {
    fn print(self, value: &Value, of: Type) -> String {
        match (self, value) {
            (Self::Bare(divisor, places), Value::Number(number)) => {
                units::trimmed(number / divisor, places)
            }
            _ => units::show(value, of),
        }
    }
}

/// Cuts a text at its holes; `{{` and `}}` stand for braces. Each part comes with its place.
pub(crate) fn parse(text: &str, names: &Names<'_>) -> Result<Vec<(Part, Range<usize>)>, Error> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let twice = text[at..].starts_with("{{") || text[at..].starts_with("}}");
        match c {
            '{' | '}' if twice => {
                plain.push(c);
                at += 2;
            }
            '}' => return Err(brace(at..at + 1, "this brace closes nothing")),
            '{' => {
                let end = text[at + 1..]
                    .find(['{', '}'])
                    .map(|length| at + 1 + length);
                let Some(end) = end.filter(|end| text[*end..].starts_with('}')) else {
                    return Err(brace(at..at + 1, "this brace is never closed"));
                };
                if !plain.is_empty() {
                    parts.push((Part::Plain(std::mem::take(&mut plain)), from..at));
                }
                let hole = at + 1..end;
                parts.push((self::hole(&text[hole.clone()], hole, names)?, at..end + 1));
                at = end + 1;
                from = at;
            }
            _ => {
                plain.push(c);
                at += c.len_utf8();
            }
        }
    }
    if !plain.is_empty() {
        parts.push((Part::Plain(plain), from..text.len()));
    }
    Ok(parts)
}

fn brace(span: Range<usize>, message: &str) -> Error {
    Error {
        span,
        message: message.to_owned(),
        help: Some("write {{ and }} for braces that stand for themselves".to_owned()),
    }
}

/// What stands between braces.
fn hole(text: &str, span: Range<usize>, names: &Names<'_>) -> Result<Part, Error> {
    let (name, style) = match text.split_once(':') {
        Some((name, style)) => (name, Some(style)),
        None => (text, None),
    };
    if names.scope.words().contains(&name) && style.is_none() {
        return Ok(Part::Word(name.to_owned()));
    }
    let reference = match names.lets.iter().position(|(own, _)| own == name) {
        Some(index) => Reference::Let(index, names.lets[index].1),
        None => Reference::Fact(fact_in_reach(name, names).map_err(|error| {
            unknown_name(name, error, span.start..span.start + name.len(), names)
        })?),
    };
    let Some(style_name) = style else {
        return Ok(Part::Value(reference, Style::People));
    };
    let style_span = span.start + name.len() + 1..span.end;
    Ok(Part::Value(
        reference,
        self::style(style_name, reference, style_span)?,
    ))
}

/// The error for a name that is neither fact nor let nor word.
fn unknown_name(name: &str, error: Error, span: Range<usize>, names: &Names<'_>) -> Error {
    if crate::facts::named(name).is_some() {
        return Error { span, ..error };
    }
    let words = names.scope.words();
    let help = did_you_mean(name, words.iter().copied()).or(error.help);
    let listed = match words {
        [] => "no words".to_owned(),
        words => format!("the words {}", words.join(", ")),
    };
    let message = format!(
        "`{name}` is no fact, no [let], and no word: a {} has {listed}",
        names.scope
    );
    let plain = !name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    let help = match plain {
        true => brace(0..0, "").help,
        false => help,
    };
    Error {
        span,
        message,
        help,
    }
}

fn style(name: &str, reference: Reference, span: Range<usize>) -> Result<Style, Error> {
    let error = |message: String, help: Option<String>| Error {
        span: span.clone(),
        message,
        help,
    };
    let Some((_, units, divisor, places)) = STYLES.iter().find(|(own, ..)| *own == name) else {
        let known = STYLES.iter().map(|(name, ..)| *name);
        let help = did_you_mean(name, known.clone())
            .unwrap_or_else(|| format!("there are {}", known.collect::<Vec<_>>().join(", ")));
        return Err(error(format!("unknown style `{name}`"), Some(help)));
    };
    let kind = reference.kind();
    match kind.as_type() {
        Type::Number(unit) if units.contains(&unit) => Ok(Style::Bare(*divisor, *places)),
        _ => {
            let fit = STYLES.iter().filter(|(_, units, ..)| {
                matches!(kind.as_type(), Type::Number(unit) if units.contains(&unit))
            });
            let fit: Vec<&str> = fit.map(|(name, ..)| *name).collect();
            let help =
                (!fit.is_empty()).then(|| format!("{kind} can be printed as {}", fit.join(", ")));
            Err(error(
                format!("this is {kind}, which `{name}` cannot print"),
                help,
            ))
        }
    }
}
