//! Numbers with units: how rules write them, and how people read them.

use crate::facts::{Type, Unit, Value};

/// How a suffix scales: multiply, or divide (so that 93 % is exactly the nearest number to 0.93).
#[derive(Clone, Copy)]
enum Scale {
    Times(f64),
    Over(f64),
}

const KIB: f64 = 1024.0;

const SUFFIXES: &[(&str, Unit, Scale)] = &[
    ("%", Unit::Ratio, Scale::Over(100.0)),
    ("ns", Unit::Duration, Scale::Times(1.0)),
    ("us", Unit::Duration, Scale::Times(1e3)),
    ("ms", Unit::Duration, Scale::Times(1e6)),
    ("s", Unit::Duration, Scale::Times(1e9)),
    ("min", Unit::Duration, Scale::Times(60e9)),
    ("h", Unit::Duration, Scale::Times(3600e9)),
    ("B", Unit::Size, Scale::Times(1.0)),
    ("KiB", Unit::Size, Scale::Times(KIB)),
    ("MiB", Unit::Size, Scale::Times(KIB * KIB)),
    ("GiB", Unit::Size, Scale::Times(KIB * KIB * KIB)),
    ("TiB", Unit::Size, Scale::Times(KIB * KIB * KIB * KIB)),
    ("/s", Unit::Rate, Scale::Times(1.0)),
    ("/min", Unit::Rate, Scale::Over(60.0)),
    ("B/s", Unit::Throughput, Scale::Times(1.0)),
    ("KiB/s", Unit::Throughput, Scale::Times(KIB)),
    ("MiB/s", Unit::Throughput, Scale::Times(KIB * KIB)),
    ("GiB/s", Unit::Throughput, Scale::Times(KIB * KIB * KIB)),
];

/// All suffixes, for suggestions.
pub(crate) fn suffixes() -> impl Iterator<Item = &'static str> {
    SUFFIXES.iter().map(|(name, ..)| *name)
}

/// A number written with a suffix, in the base unit; `None`: there is no such suffix.
pub(crate) fn scaled(number: f64, suffix: &str) -> Option<(f64, Unit)> {
    let (_, unit, scale) = SUFFIXES.iter().find(|(name, ..)| *name == suffix)?;
    let value = match scale {
        Scale::Times(factor) => number * factor,
        Scale::Over(divisor) => number / divisor,
    };
    Some((value, *unit))
}

/// Reads a value of the type as rules and prose write it: `250/s`, `18.4 ms`, `true`, `ext4`.
pub fn parse(text: &str, of: Type) -> Result<Value, String> {
    match of {
        Type::Text => Ok(Value::Text(text.to_owned())),
        Type::Bool => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err("write true or false".to_owned()),
        },
        Type::Number(unit) => parse_number(text, unit).map(Value::Number),
    }
}

fn parse_number(text: &str, unit: Unit) -> Result<f64, String> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '_')))
        .unwrap_or(text.len());
    let number: f64 = text[..end]
        .replace('_', "")
        .parse()
        .map_err(|_| format!("`{text}` does not begin with a number"))?;
    let suffix = text[end..].trim();
    if suffix.is_empty() {
        return match unit {
            Unit::Count | Unit::Ratio => Ok(number),
            _ => Err(format!("{unit} needs a unit, like {}", example(unit))),
        };
    }
    match scaled(number, suffix) {
        Some((value, found)) if found == unit => Ok(value),
        Some((_, found)) => Err(format!("this is {found}, but {unit} is needed")),
        None => Err(format!("unknown unit `{suffix}`")),
    }
}

/// How a value of the unit looks in a rule.
pub(crate) fn example(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "8",
        Unit::Ratio => "80%",
        Unit::Duration => "4ms",
        Unit::Size => "64KiB",
        Unit::Rate => "100/s",
        Unit::Throughput => "3MiB/s",
    }
}

/// Prints a value for people.
pub fn show(value: &Value, of: Type) -> String {
    match (value, of) {
        (Value::Number(number), Type::Number(unit)) => number_for_people(*number, unit),
        (Value::Number(number), _) => digits(*number),
        (Value::Bool(true), _) => "yes".to_owned(),
        (Value::Bool(false), _) => "no".to_owned(),
        (Value::Text(text), _) => text.clone(),
    }
}

/// Prints a number of a unit for people: `18.4 ms`, `128 KiB`, `93 %`, `250 /s`.
pub fn number_for_people(value: f64, unit: Unit) -> String {
    let steps: &[(f64, &str)] = match unit {
        Unit::Count => return digits(value),
        Unit::Ratio => return format!("{} %", digits(value * 100.0)),
        Unit::Rate => return format!("{} /s", digits(value)),
        Unit::Duration => &[
            (600e9, "min"),
            (1e9, "s"),
            (1e6, "ms"),
            (1e3, "us"),
            (0.0, "ns"),
        ],
        Unit::Size => &[
            (KIB * KIB * KIB * KIB, "TiB"),
            (KIB * KIB * KIB, "GiB"),
            (KIB * KIB, "MiB"),
            (KIB, "KiB"),
            (0.0, "B"),
        ],
        Unit::Throughput => &[
            (KIB * KIB * KIB, "GiB/s"),
            (KIB * KIB, "MiB/s"),
            (KIB, "KiB/s"),
            (0.0, "B/s"),
        ],
    };
    if value == 0.0 {
        let zero = if unit == Unit::Duration {
            "s"
        } else {
            steps[steps.len() - 1].1
        };
        return format!("0 {zero}");
    }
    let (from, name) = steps
        .iter()
        .find(|(from, _)| value.abs() >= *from)
        .unwrap_or(&steps[steps.len() - 1]);
    let step = match *name {
        "min" => 60e9,
        _ => from.max(1.0),
    };
    format!("{} {name}", digits(value / step))
}

/// Three significant digits below 100, whole numbers above, no trailing zeros.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    let places = match size {
        s if s >= 100.0 || s == 0.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 1.0 => 2,
        s if s >= 0.001 => 3,
        _ => 6,
    };
    trimmed(value, places)
}

/// A number with at most so many decimal places and no trailing zeros.
pub(crate) fn trimmed(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    match text {
        "-0" | "" => "0".to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_printed_as_people_write_them() {
        for (value, unit, text) in [
            (18.4e6, Unit::Duration, "18.4 ms"),
            (1.25e9, Unit::Duration, "1.25 s"),
            (300e9, Unit::Duration, "300 s"),
            (900e9, Unit::Duration, "15 min"),
            (0.0, Unit::Duration, "0 s"),
            (131_072.0, Unit::Size, "128 KiB"),
            (1_572_864.0, Unit::Size, "1.5 MiB"),
            (0.0, Unit::Size, "0 B"),
            (0.93, Unit::Ratio, "93 %"),
            (0.004, Unit::Ratio, "0.4 %"),
            (250.0, Unit::Rate, "250 /s"),
            (3_145_728.0, Unit::Throughput, "3 MiB/s"),
            (1024.0, Unit::Count, "1024"),
            (2.5, Unit::Count, "2.5"),
            (-4e6, Unit::Duration, "-4 ms"),
        ] {
            assert_eq!(number_for_people(value, unit), text);
        }
    }

    #[test]
    fn percent_is_exact() {
        assert_eq!(scaled(93.0, "%"), Some((0.93, Unit::Ratio)));
    }

    #[test]
    fn a_number_of_another_unit_is_refused() {
        let of = Type::Number(Unit::Duration);
        assert_eq!(parse("4 ms", of), Ok(Value::Number(4e6)));
        let wrong = parse("4KiB", of).unwrap_err();
        assert_eq!(wrong, "this is a size, but a duration is needed");
        assert_eq!(
            parse("4", of).unwrap_err(),
            "a duration needs a unit, like 4ms"
        );
        assert!(parse("fast", of).is_err());
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_within_its_digits(value in 1.0f64..1e15) {
            for unit in [Unit::Ratio, Unit::Duration, Unit::Size, Unit::Rate, Unit::Throughput] {
                let text = number_for_people(value, unit);
                let Ok(Value::Number(back)) = parse(&text, Type::Number(unit)) else {
                    panic!("{text}");
                };
                prop_assert!((back - value).abs() <= value * 0.006, "{value} {text} {back}");
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            for unit in [Unit::Count, Unit::Ratio, Unit::Duration] {
                let _ = parse(&text, Type::Number(unit));
            }
        }
    }
}
