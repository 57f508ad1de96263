//! fio's way of writing sizes, shares, times and ranges. Nothing is guessed: an unknown suffix is an error.

mod arithmetic;

/// Suffixes of fio: which power of the base `k` stands for (`kb_base`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The default: `k`, `kb`, `ki` are 1024 and, inverted, `KiB` is 1000.
    K1024,
    /// `k`, `kb`, `ki` are 1000 and `KiB` is 1024.
    K1000,
}

/// A number of bytes, and whether an IEC suffix meant a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub bytes: u64,
    pub inverted: bool,
}

/// A size in bytes or as a share of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Bytes(Size),
    Percent(u64),
}

/// `64k`, `1MiB`, `0x1000`, `4*4096`, `(1+3)*1k`.
pub fn size(text: &str, base: Base) -> Result<Size, String> {
    arithmetic::evaluate(text, base)
}

/// A size, or `25%`.
pub fn amount(text: &str, base: Base) -> Result<Amount, String> {
    match text.trim().strip_suffix('%') {
        None => size(text, base).map(Amount::Bytes),
        Some(number) => match number.trim().parse() {
            Ok(percent @ 1..=100) => Ok(Amount::Percent(percent)),
            _ => Err(format!("`{text}` is not a share from 1% to 100%")),
        },
    }
}

/// `64k` (both ends the same) or `64k-1m`.
pub fn range(text: &str, base: Base) -> Result<(Size, Size), String> {
    match text.split_once(['-', ':']) {
        None => size(text, base).map(|s| (s, s)),
        Some((low, high)) => {
            let (low, high) = (size(low, base)?, size(high, base)?);
            if low.bytes > high.bytes {
                return Err(format!("`{text}` runs backwards"));
            }
            Ok((low, high))
        }
    }
}

/// A whole number; suffixes and arithmetic as for sizes.
pub fn integer(text: &str, base: Base) -> Result<u64, String> {
    size(text, base).map(|s| s.bytes)
}

/// A time in nanoseconds; a bare number counts in `unit_ns`.
pub fn time(text: &str, unit_ns: u64) -> Result<u64, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let bad = || format!("`{text}` is not a time such as 90, 500ms, 30s, 10m or 1h");
    let number: u64 = text[..digits].parse().map_err(|_| bad())?;
    let unit = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" => unit_ns,
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return Err(bad()),
    };
    number
        .checked_mul(unit)
        .ok_or_else(|| format!("`{text}` is longer than 584 years"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(text: &str) -> u64 {
        size(text, Base::K1024).unwrap().bytes
    }

    #[test]
    fn iec_suffixes_are_inverted_as_fio_does() {
        // Seen with fio 3.33: sizes 1MiB, 1Mi, 1MB, 1m.
        assert_eq!(
            size("1MiB", Base::K1024),
            Ok(Size {
                bytes: 1_000_000,
                inverted: true
            })
        );
        assert_eq!([bytes("1Mi"), bytes("1MB"), bytes("1m")], [1 << 20; 3]);
        assert_eq!(size("1MiB", Base::K1000).unwrap().bytes, 1 << 20);
        assert_eq!(size("1m", Base::K1000).unwrap().bytes, 1_000_000);
        assert_eq!(
            [bytes("2g"), bytes("1T"), bytes("0x10000"), bytes("512")],
            [2 << 30, 1 << 40, 65536, 512]
        );
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(bytes("(1+3)*1024"), 4096);
        assert_eq!(bytes("10*1000*24000"), 240_000_000);
        assert_eq!(bytes("4*4k"), 16384);
        assert_eq!(bytes("1+2*3"), 7);
        assert_eq!(bytes("64k/2-1k"), 31 * 1024);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in [
            "",
            "x",
            "1.5m",
            "4q",
            "1m2",
            "(1+2",
            "1/0",
            "3-4",
            "999999999999t",
            "-1",
            "4 k b",
        ] {
            assert!(size(text, Base::K1024).is_err(), "{text}");
        }
        for text in ["0%", "101%", "%", "-1%", "1.5%"] {
            assert!(amount(text, Base::K1024).is_err(), "{text}");
        }
        for text in ["", "1h30m", "0.5", "5x", "-1"] {
            assert!(time(text, 1).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_their_own_suffixes() {
        let s = 1_000_000_000;
        assert_eq!(time("1h", s), Ok(3600 * s));
        assert_eq!(time("90", s), Ok(90 * s));
        assert_eq!(time("500ms", s), Ok(s / 2));
        assert_eq!(time("50", 1_000), Ok(50_000));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,20}") {
            let _ = (size(&text, Base::K1024), amount(&text, Base::K1000), range(&text, Base::K1024), time(&text, 1));
        }

        #[test]
        fn numbers_read_back(n in any::<u64>()) {
            prop_assert_eq!(bytes(&n.to_string()), n);
        }
    }
}
