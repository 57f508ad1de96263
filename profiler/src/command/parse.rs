//! Values of command line options: times and sizes with their units.

use std::time::Duration;

/// `90s`, `1.5m`, `500ms`, `2h`; a bare number is refused, since its unit would be a guess.
pub fn duration(text: &str) -> Result<Duration, String> {
    let units = [
        ("ms", 1e-3),
        ("us", 1e-6),
        ("s", 1.0),
        ("m", 60.0),
        ("min", 60.0),
        ("h", 3600.0),
    ];
    let (number, factor) = split(text, &units)
        .ok_or_else(|| format!("`{text}` is not a time such as 500ms, 90s, 5m or 1h"))?;
    let seconds = number * factor;
    if seconds <= 0.0 {
        return Err(format!("`{text}` is no time at all; give more than zero"));
    }
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| time.as_secs() < 366 * 24 * 3600)
        .ok_or_else(|| format!("`{text}` is longer than a year"))
}

/// A share in per cent: `2`, `0.5`, `2%`.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent > 0.0 => Ok(percent),
        _ => Err(format!(
            "`{text}` is no share above 0; write it like 2 or 0.5"
        )),
    }
}

/// `256MiB`, `4096`, `1GiB`: bytes, with binary units.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [
        ("", 1.0),
        ("B", 1.0),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];
    let (number, factor) = split(text, &units)
        .ok_or_else(|| format!("`{text}` is not a size such as 64KiB, 256MiB or 1GiB"))?;
    let bytes = number * factor;
    if bytes < 9e15 {
        Ok(bytes as u64)
    } else {
        Err(format!("`{text}` is more than any host has"))
    }
}

fn split(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number = text[..end].parse::<f64>().ok().filter(|n| n.is_finite())?;
    let factor = units
        .iter()
        .find(|(unit, _)| *unit == text[end..].trim())?
        .1;
    Some((number, factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_a_unit() {
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        for bad in [
            "",
            "5",
            "0s",
            "-1s",
            "5 parsecs",
            "nans",
            "1e99h",
            "99999999999h",
        ] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_binary() {
        assert_eq!(size("64KiB"), Ok(65_536));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "KiB", "1kb", "9999999999999999999GiB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
