//! Setters for what write buffers hold.

use super::shape::Done;
use super::{Argument, Fault};
use crate::workload::spec::{Content, Spec};

pub(super) fn zero_buffers(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if a.yes()? {
        spec.content = Content::Zeros;
    }
    Ok(())
}

pub(super) fn refill_buffers(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let yes = a.yes()?;
    if let Content::Random { refilled, .. } = &mut spec.content {
        *refilled = yes;
    }
    Ok(())
}

pub(super) fn scramble_buffers(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let yes = a.yes()?;
    if let Content::Random { stamped, .. } = &mut spec.content {
        *stamped = yes;
    }
    Ok(())
}

/// `0x11`, `0xdeadbeef`, `-1` or `123` (a number), or `"text"`, or several one after another.
pub(super) fn buffer_pattern(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.content = Content::Pattern(pattern(a)?);
    Ok(())
}

pub(super) fn pattern(a: &Argument<'_>) -> Result<Vec<u8>, Fault> {
    let text = a.text()?;
    let bytes = if let Some(inner) = text.strip_prefix('"') {
        match inner.strip_suffix('"') {
            Some(inner) if !inner.contains('"') => inner.as_bytes().to_vec(),
            _ => {
                return Err(Fault::Blocked(format!(
                    "`{text}`: only one \"text\" is supported"
                )));
            }
        }
    } else if let Some(hex) = text.strip_prefix("0x") {
        hex_bytes(hex).ok_or_else(|| format!("`{text}` is no hexadecimal number"))?
    } else {
        let number: u32 = text
            .parse()
            .map_err(|_| Fault::Blocked(format!("`{text}`: a number or \"text\" is supported")))?;
        let used = 4 - number.leading_zeros() as usize / 8;
        number.to_le_bytes()[..used.max(1)].to_vec()
    };
    if bytes.is_empty() {
        return Err(Fault::Bad("the pattern is empty".to_owned()));
    }
    Ok(bytes)
}

/// Hexadecimal digits in the order written, as fio lays them into the buffer.
fn hex_bytes(hex: &str) -> Option<Vec<u8>> {
    let padded = if hex.len() % 2 == 1 {
        format!("0{hex}")
    } else {
        hex.to_owned()
    };
    padded
        .as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok())
        .collect()
}
