//! Numbers as tools print them: decimal commas, suffixes, times with a unit.

/// A number with a decimal point, or a comma where there is no point (other locales).
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = match text.contains('.') {
        false if text.matches(',').count() == 1 => text.replace(',', "."),
        _ => text.to_owned(),
    };
    let looks = plain.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
    plain.parse().ok().filter(|n: &f64| looks && n.is_finite())
}

/// A size with a suffix in powers of 1024: `32k`, `1.5G`, `931.5G`, `64MiB`, `4kB`.
pub(super) fn size(text: &str, bare_unit: u64) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let amount = number(&text[..end]).filter(|n| *n >= 0.0)?;
    let unit = match text[end..]
        .trim()
        .to_ascii_lowercase()
        .trim_end_matches("ib")
        .trim_end_matches('b')
    {
        "" if text[end..].is_empty() => bare_unit as f64,
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1_048_576.0,
        "g" => 1_073_741_824.0,
        "t" => 1_099_511_627_776.0,
        "p" => 1_125_899_906_842_624.0,
        _ => return None,
    };
    let bytes = amount * unit;
    (bytes < 1.8e19).then_some(bytes.round() as u64)
}

/// A time with its unit: `8682us`, `1204ms`, `2s`.
pub(super) fn time_ns(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_alphabetic() || c == 'µ')?;
    let amount = number(&text[..end]).filter(|n| *n >= 0.0)?;
    let factor = match &text[end..] {
        "ns" | "nsec" => 1.0,
        "us" | "µs" | "usec" => 1e3,
        "ms" | "msec" => 1e6,
        "s" | "sec" => 1e9,
        _ => return None,
    };
    Some(amount * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_points_in_some_places() {
        assert_eq!(number("0,12"), Some(0.12));
        assert_eq!(number("1.204"), Some(1.204));
        assert_eq!(number("1,204.5"), None);
        assert_eq!(number("nan"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(size("32k", 1), Some(32_768));
        assert_eq!(size("931.5G", 1), Some(1_000_190_509_056));
        assert_eq!(size("300", 1 << 20), Some(300 << 20));
        assert_eq!(size("12x", 1), None);
        assert_eq!(time_ns("1204ms"), Some(1_204_000_000.0));
        assert_eq!(time_ns("12"), None);
    }
}
