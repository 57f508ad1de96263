//! Notes of people: a key and a value on each line, with `:`, `=` or blanks between.

use super::amounts;
use super::source::Source;

/// Keys in lower case with `_` between words, their values, and their lines.
pub(super) fn pairs(source: &Source) -> Vec<(usize, String, String)> {
    let lines = source.lines().filter_map(|(number, line)| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (key, value) = match line.split_once([':', '=']) {
            Some(pair) => pair,
            None => line.split_once(char::is_whitespace)?,
        };
        let key = key.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        let value = value.trim().trim_matches(['"', '\'', ',']).trim();
        (!key.is_empty() && !value.is_empty()).then(|| (number, key, value.to_owned()))
    });
    lines.collect()
}

/// A size whose unit stands in the key (`read_kib 8`) or behind the number (`read 8KiB`).
pub(super) fn bytes(key: &str, value: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 7] = [
        ("_kib", 1 << 10),
        ("_kb", 1 << 10),
        ("_mib", 1 << 20),
        ("_gib", 1 << 30),
        ("_gb", 1 << 30),
        ("_tib", 1 << 40),
        ("_bytes", 1),
    ];
    let unit = UNITS.iter().find(|(suffix, _)| key.ends_with(suffix));
    amounts::size(value, unit.map_or(1, |(_, unit)| *unit))
}

/// The key without the unit at its end.
pub(super) fn stem(key: &str) -> &str {
    const UNITS: [&str; 10] = [
        "_kib", "_kb", "_mib", "_gib", "_gb", "_tib", "_bytes", "_percent", "_pct", "_per_s",
    ];
    let found = UNITS.iter().find_map(|unit| key.strip_suffix(unit));
    found.unwrap_or(key)
}

/// A share as `0.7`, `70%`, or `70` under a key that ends with `_percent`.
pub(super) fn share(key: &str, value: &str) -> Option<f64> {
    let percent = value.ends_with('%') || key.ends_with("_percent") || key.ends_with("_pct");
    let number = amounts::number(value.trim_end_matches('%'))?;
    let share = if percent { number / 100.0 } else { number };
    (0.0..=1.0).contains(&share).then_some(share)
}

pub(super) fn yes(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "on" | "random" => Some(true),
        "no" | "false" | "0" | "off" | "sequential" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_in_the_key_or_behind_the_number() {
        assert_eq!(bytes("app_read_kib", "8"), Some(8192));
        assert_eq!(bytes("read", "16KiB"), Some(16_384));
        assert_eq!(bytes("size_gib", "100"), Some(100 << 30));
        assert_eq!(stem("mean_write_kib"), "mean_write");
        assert_eq!(share("read_share", "0.70"), Some(0.7));
        assert_eq!(share("reads", "70%"), Some(0.7));
        assert_eq!(share("reads_percent", "70"), Some(0.7));
        assert_eq!(share("reads", "70"), None);
    }

    #[test]
    fn a_line_is_a_key_and_a_value() {
        let text = b"# note\nsize_gib 100\nVolume Type: gp2\nread-share=0.7\nalone\n".to_vec();
        let source = Source::new("x", text).unwrap();
        let keys: Vec<_> = pairs(&source).into_iter().map(|(_, k, v)| (k, v)).collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            keys,
            [
                pair("size_gib", "100"),
                pair("volume_type", "gp2"),
                pair("read_share", "0.7")
            ]
        );
    }
}
