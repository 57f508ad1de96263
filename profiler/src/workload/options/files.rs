//! Setters for files: names, places, how they are opened, laid out and left behind.

use super::shape::Done;
use super::{Argument, Fault};
use crate::workload::spec::{Advice, Fallocate, Spec};

pub(super) fn name(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.name = a.text()?.to_owned();
    Ok(())
}

pub(super) fn description(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.description = a.text.map(str::to_owned);
    Ok(())
}

pub(super) fn filename(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    if text == "-" {
        return Err(Fault::Blocked(
            "standard input and output (`-`) are not supported".to_owned(),
        ));
    }
    spec.filename = Some(text.to_owned());
    Ok(())
}

pub(super) fn filename_format(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    if text.contains("$clientuid") {
        return Err(Fault::Blocked(
            "`$clientuid` (client and server) is not supported".to_owned(),
        ));
    }
    spec.filename_format = text.to_owned();
    Ok(())
}

pub(super) fn directory(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.directory = Some(a.text()?.to_owned());
    Ok(())
}

pub(super) fn nrfiles(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.files = a.integer(1, 65_536)?;
    Ok(())
}

pub(super) fn direct(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.direct = a.yes()?;
    Ok(())
}

pub(super) fn buffered(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.direct = !a.yes()?;
    Ok(())
}

pub(super) fn fadvise_hint(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.advice = match a.text {
        None | Some("1") => Advice::ByOrder,
        Some("0" | "none") => Advice::None,
        Some("random") => Advice::Random,
        Some("sequential") => Advice::Sequential,
        Some("noreuse") => Advice::Noreuse,
        Some(other) => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of 0, 1, none, random, sequential, noreuse"
            )));
        }
    };
    Ok(())
}

pub(super) fn invalidate(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.invalidate = a.yes()?;
    Ok(())
}

pub(super) fn create_on_open(_spec: &mut Spec, a: &Argument<'_>) -> Done {
    if a.yes()? {
        return Err(Fault::Blocked(
            "files are laid out before the job, never when it opens them".to_owned(),
        ));
    }
    Ok(())
}

pub(super) fn unlink(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.unlink = a.yes()?;
    Ok(())
}

pub(super) fn overwrite(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.overwrite = a.yes()?;
    Ok(())
}

pub(super) fn fallocate(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.fallocate = match a.text()? {
        "none" | "0" => Fallocate::None,
        "native" => Fallocate::Native,
        "posix" | "1" => Fallocate::Posix,
        "keep" => Fallocate::Keep,
        "truncate" => Fallocate::Truncate,
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of none, native, posix, keep, truncate"
            )));
        }
    };
    Ok(())
}

/// Commands of a job file run only when the user says so.
fn command(spec: &mut Spec, a: &Argument<'_>) -> Result<Option<String>, Fault> {
    let text = a.text()?;
    if a.allow_exec {
        return Ok(Some(text.to_owned()));
    }
    if a.lenient {
        spec.notes.push(format!(
            "ignored: the command `{text}` was not run (no --allow-exec)"
        ));
        return Ok(None);
    }
    Err(Fault::Blocked(format!(
        "`{text}` is a command to run; give --allow-exec to let it"
    )))
}

pub(super) fn exec_prerun(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.before = command(spec, a)?;
    Ok(())
}

pub(super) fn exec_postrun(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.after = command(spec, a)?;
    Ok(())
}
