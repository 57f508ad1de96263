//! Numbers for people: three significant digits and a unit, so that a column can be compared.
//!
//! Programs read the raw values in the JSON report. Three things never look alike: a measured zero
//! (`0`), a value that this recording lacks (`not measured (reason)`) and one that does not exist
//! on this host (`not available here`).

/// What stands where a number cannot: a quotient of nothing, an overflow.
const UNKNOWN: &str = "unknown";

/// Words for a value that exists on this host but was not measured.
pub fn not_measured(reason: &str) -> String {
    format!("not measured ({})", printable(reason))
}

/// Words for a value that does not exist on this host.
pub const NOT_AVAILABLE: &str = "not available here";

/// A duration: `740 ns`, `18.4 ms`, `1.20 s`, `1,230 s`.
pub fn nanos(ns: f64) -> String {
    scaled(ns, &["ns", "µs", "ms", "s"], 1000.0)
}

/// A size, in powers of two: `512 B`, `128 KiB`, `1.50 GiB`. Whole multiples get no fraction.
pub fn bytes(bytes: f64) -> String {
    scaled(bytes, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"], 1024.0)
}

/// A flow of bytes: `18.4 MiB/s`.
pub fn throughput(bytes_per_second: f64) -> String {
    match bytes_per_second.is_finite() {
        true => format!("{}/s", bytes(bytes_per_second)),
        false => UNKNOWN.to_owned(),
    }
}

/// Events a second: `412 /s`, `1.25 k/s`.
pub fn rate(per_second: f64) -> String {
    match per_second.is_finite() {
        true if per_second.abs() < 1000.0 => format!("{} /s", digits(per_second)),
        true => format!("{}/s", scaled(per_second, &["", "k", "M", "G"], 1000.0)),
        false => UNKNOWN.to_owned(),
    }
}

/// A number that need not be exact: `412`, `1.25 k`.
pub fn short(n: f64) -> String {
    match n.is_finite() {
        true if n.abs() < 1000.0 => digits(n),
        true => scaled(n, &["", "k", "M", "G", "T"], 1000.0),
        false => UNKNOWN.to_owned(),
    }
}

/// A share of one, in percent: `93 %`, `4.2 %`, `0.35 %`. Only all is `100 %` and only none `0 %`.
pub fn ratio(share: f64) -> String {
    percent(share * 100.0)
}

/// A number that is in percent already.
pub fn percent(percent: f64) -> String {
    if !percent.is_finite() {
        return UNKNOWN.to_owned();
    }
    let size = percent.abs();
    if percent == 0.0 {
        "0 %".to_owned()
    } else if size < 0.01 {
        "<0.01 %".to_owned()
    } else if size < 1.0 {
        format!("{percent:.2} %")
    } else if size < 9.95 {
        format!("{percent:.1} %")
    } else if (99.5..100.0).contains(&size) {
        ">99 %".to_owned()
    } else {
        format!("{percent:.0} %")
    }
}

/// An exact count with thousands separators: `1,234,567`.
pub fn count(n: u64) -> String {
    let plain = n.to_string();
    let mut out = String::with_capacity(plain.len() + plain.len() / 3);
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Text from outside, made safe for a terminal: control characters are written out.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// The same for text of several lines.
pub fn printable_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// Characters that change what is shown instead of being shown: controls, and the marks that turn
/// the direction of writing.
pub(crate) fn is_hidden(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// Picks the largest unit that leaves at least 1, then writes three significant digits.
fn scaled(value: f64, units: &[&str], step: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let mut scaled = value;
    let mut unit = 0;
    // 999.5 would print as 1000: it belongs to the next unit.
    while rounded(scaled).abs() >= step && unit + 1 < units.len() {
        scaled /= step;
        unit += 1;
    }
    let whole = unit == 0 || (step == 1024.0 && scaled.fract() == 0.0);
    let number = match whole && scaled.abs() >= 1.0 {
        true if scaled.abs() < 1e15 => signed_count(scaled),
        _ => digits(scaled),
    };
    match units[unit] {
        "" => number,
        name => format!("{number} {name}"),
    }
}

/// Three significant digits without an exponent; whole numbers from 1,000 on keep all digits.
fn digits(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if size < 0.001 {
        "<0.001".to_owned()
    } else if size < 0.9995 {
        format!("{value:.3}")
    } else if size < 9.995 {
        trimmed(value, 2)
    } else if size < 99.95 {
        trimmed(value, 1)
    } else if size < 1e15 {
        signed_count(value)
    } else {
        format!("{value:.2e}")
    }
}

/// Whole numbers stay whole; others keep their zeros, so that 1.20 says how exact it is.
fn trimmed(value: f64, places: usize) -> String {
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.places$}"),
    }
}

fn rounded(value: f64) -> f64 {
    match value.abs() >= 99.95 {
        true => value.round(),
        false => value,
    }
}

fn signed_count(value: f64) -> String {
    let sign = if value.round() < 0.0 { "-" } else { "" };
    format!("{sign}{}", count(value.abs().round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_have_three_digits_and_the_unit_that_fits() {
        let cases = [
            (0.0, "0 ns"),
            (740.0, "740 ns"),
            (1_000.0, "1 µs"),
            (18_437_000.0, "18.4 ms"),
            (1_204_000_000.0, "1.20 s"),
            (999_600.0, "1.00 ms"),
            (1_234_000_000_000.0, "1,234 s"),
        ];
        for (ns, text) in cases {
            assert_eq!(nanos(ns), text);
        }
    }

    #[test]
    fn sizes_are_binary_and_whole_when_they_are() {
        assert_eq!(bytes(131_072.0), "128 KiB");
        assert_eq!(bytes(4_096.0), "4 KiB");
        assert_eq!(bytes(1_610_612_736.0), "1.50 GiB");
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1_023.0), "1,023 B");
        assert_eq!(bytes(10_000.0), "9.77 KiB");
        assert_eq!(throughput(19_293_798.4), "18.4 MiB/s");
    }

    #[test]
    fn shares_round_to_all_or_none_only_when_they_are() {
        let cases = [
            (0.0, "0 %"),
            (0.000_01, "<0.01 %"),
            (0.0035, "0.35 %"),
            (0.042, "4.2 %"),
            (0.934, "93 %"),
            (0.9999, ">99 %"),
            (1.0, "100 %"),
            (1.4, "140 %"),
        ];
        for (share, text) in cases {
            assert_eq!(ratio(share), text);
        }
    }

    #[test]
    fn rates_and_counts() {
        assert_eq!(rate(0.0), "0 /s");
        assert_eq!(rate(412.4), "412 /s");
        assert_eq!(rate(1_249.0), "1.25 k/s");
        assert_eq!(rate(0.05), "0.050 /s");
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(short(1_000_000.0), "1 M");
    }

    #[test]
    fn a_terminal_gets_no_control_characters() {
        assert_eq!(printable("a\x1b[31mb\n"), "a\\u{1b}[31mb\\n");
        assert_eq!(printable_lines("/srv\x1b[2J\nb\n"), "/srv\\u{1b}[2J\nb\n");
        assert_eq!(printable("tab\tü"), "tab\\tü");
        assert_eq!(printable("\u{202e}txt.exe"), "\\u{202e}txt.exe");
    }

    #[test]
    fn missing_is_neither_zero_nor_unavailable() {
        let missing = not_measured("no probe");
        assert_eq!(missing, "not measured (no probe)");
        assert_ne!(missing, NOT_AVAILABLE);
        assert_ne!(missing, nanos(0.0));
    }

    proptest! {
        #[test]
        fn no_number_prints_as_nan_or_infinite(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            for text in [nanos(value), bytes(value), rate(value), ratio(value), short(value), throughput(value)] {
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{value}: {text}");
            }
        }

        #[test]
        fn a_printed_duration_is_within_half_a_percent(ns in 1_000.0f64..1e12) {
            let text = nanos(ns).replace(',', "");
            let (number, unit) = text.split_once(' ').unwrap();
            let factor = match unit { "ns" => 1.0, "µs" => 1e3, "ms" => 1e6, _ => 1e9 };
            let back = number.parse::<f64>().unwrap() * factor;
            prop_assert!((back - ns).abs() / ns <= 0.005, "{ns} printed as {text}");
        }
    }
}
