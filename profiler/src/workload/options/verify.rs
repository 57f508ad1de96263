//! Setters for verifying.

use super::content::pattern;
use super::shape::Done;
use super::{Argument, Fault};
use crate::workload::spec::{Check, Spec};

pub(super) fn verify(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.verify = match a.text()? {
        "0" | "none" => Check::None,
        "crc32c" | "crc32c-intel" => Check::Crc32c,
        "pattern" => Check::Pattern(Vec::new()),
        other @ ("md5" | "crc64" | "crc32" | "crc16" | "crc7" | "sha1" | "sha256" | "sha512"
        | "sha3-224" | "sha3-256" | "sha3-384" | "sha3-512" | "xxhash" | "meta"
        | "null") => {
            return Err(Fault::Blocked(format!(
                "`{other}` is not supported (crc32c, pattern)"
            )));
        }
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is neither crc32c nor pattern"
            )));
        }
    };
    Ok(())
}

pub(super) fn verify_pattern(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.verify_pattern = Some(pattern(a)?);
    Ok(())
}

pub(super) fn verify_fatal(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.verify_fatal = a.yes()?;
    Ok(())
}

pub(super) fn do_verify(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.read_back = a.yes()?;
    Ok(())
}
