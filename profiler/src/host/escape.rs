//! The octal escapes of mountinfo, fstab and /proc/swaps.

/// Turns `\040` into a space, and so on; whatever is no escape stays as it is.
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\'
            && let Some(byte) = octal(&bytes[at + 1..])
        {
            out.push(byte);
            at += 4;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn octal(digits: &[u8]) -> Option<u8> {
    let digits = digits.get(..3)?;
    digits.iter().try_fold(0u8, |sum, digit| match digit {
        b'0'..=b'7' => sum.checked_mul(8)?.checked_add(digit - b'0'),
        _ => None,
    })
}

/// Escapes as fs/proc_namespace.c `mangle` does.
#[cfg(test)]
pub(super) fn escape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            ' ' | '\t' | '\n' | '\\' | '#' => format!("\\{:03o}", u32::from(c)),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_three_octal_digits_are_an_escape() {
        assert_eq!(unescape(r"a\040b\011c\012d\134e"), "a b\tc\nd\\e");
        assert_eq!(unescape(r"a\04"), r"a\04");
        assert_eq!(unescape(r"a\999\777"), r"a\999\777");
        assert_eq!(unescape(r"\303\244"), "ä");
    }

    proptest! {
        #[test]
        fn escaped_text_comes_back(text in any::<String>()) {
            prop_assert_eq!(unescape(&escape(&text)), text);
        }
    }
}
