//! Setters for what a job does: direction, block sizes, amounts, random numbers, contents.

use super::{Argument, Fault};
use crate::workload::spec::{Access, Engine, Generator, Spec, Way};
use crate::workload::split::{self, Split};
use crate::workload::units::{self, Amount, Base};

pub(super) type Done = Result<(), Fault>;

/// Notes that an IEC suffix meant a power of ten, which surprises everybody.
fn inverted(spec: &mut Spec, text: &str, size: units::Size) -> u64 {
    if size.inverted {
        spec.notes.push(format!(
            "`{text}` was read as {} bytes: with kb_base=1024 fio takes KiB, MiB, GiB as powers of 1000",
            size.bytes
        ));
    }
    size.bytes
}

fn amount(spec: &mut Spec, a: &Argument<'_>) -> Result<Amount, Fault> {
    let text = a.text()?;
    let amount = units::amount(text, a.base)?;
    if let Amount::Bytes(size) = amount {
        inverted(spec, text, size);
    }
    Ok(amount)
}

pub(super) fn rw(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    let (kind, step) = match text.split_once(':') {
        None => (text, None),
        Some((kind, step)) => (kind, Some(step)),
    };
    let (reads, change, random) = match kind {
        "read" => (true, None, false),
        "write" => (false, Some(Way::Write), false),
        "trim" => (false, Some(Way::Trim), false),
        "rw" | "readwrite" => (true, Some(Way::Write), false),
        "randread" => (true, None, true),
        "randwrite" => (false, Some(Way::Write), true),
        "randtrim" => (false, Some(Way::Trim), true),
        "randrw" | "randreadwrite" => (true, Some(Way::Write), true),
        "trimwrite" | "randtrimwrite" => {
            return Err(Fault::Blocked(format!(
                "`{kind}`: trims and writes in one job are not supported"
            )));
        }
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of read, write, trim, rw, randread, randwrite, randtrim, randrw"
            )));
        }
    };
    let (mut gap_bytes, mut run) = (0, 1);
    match step {
        None => {}
        Some(step) if random => {
            run = units::integer(step, a.base)?;
            if run == 0 {
                return Err(Fault::Bad("`:0` I/Os for each offset".to_owned()));
            }
        }
        Some(step) => {
            let bytes = inverted(
                spec,
                step,
                units::size(step.trim_start_matches('-'), a.base)?,
            );
            let bytes = i64::try_from(bytes).map_err(|_| "the gap is too large")?;
            gap_bytes = if step.starts_with('-') { -bytes } else { bytes };
        }
    }
    spec.access = Access {
        reads,
        writes: change.is_some(),
        trims: change == Some(Way::Trim),
        random,
        gap_bytes,
        run,
        stays: spec.access.stays,
    };
    Ok(())
}

pub(super) fn rw_sequencer(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.access.stays = match a.text()? {
        "sequential" => false,
        "identical" => true,
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is neither sequential nor identical"
            )));
        }
    };
    Ok(())
}

/// `READ[,WRITE[,TRIM]]`; the last that stands counts for those that do not.
pub(super) fn triple<T: Copy>(
    a: &Argument<'_>,
    read: impl Fn(&str) -> Result<T, Fault>,
) -> Result<[T; 3], Fault> {
    let mut parts = a.text()?.split(',');
    let first = read(parts.next().unwrap_or(""))?;
    let second = parts.next().map_or(Ok(first), &read)?;
    let third = parts.next().map_or(Ok(second), &read)?;
    match parts.next() {
        None => Ok([first, second, third]),
        Some(fourth) => Err(Fault::Bad(format!(
            "`{fourth}`: at most three values (read, write, trim)"
        ))),
    }
}

fn blocks(a: &Argument<'_>) -> Result<[u64; 3], Fault> {
    triple(a, |text| Ok(split::block(text, a.base)?))
}

pub(super) fn bs(spec: &mut Spec, a: &Argument<'_>) -> Done {
    for part in a.text()?.split(',') {
        inverted(spec, part, units::size(part, a.base)?);
    }
    spec.block = blocks(a)?;
    spec.split = None;
    Ok(())
}

/// `4k-64k[,...]`, one range for each way.
pub(super) fn bsrange(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let ranges = triple(a, |text| {
        let (low, high) = units::range(text, a.base)?;
        split::block(&low.bytes.to_string(), a.base)?;
        split::block(&high.bytes.to_string(), a.base)?;
        Ok((low.bytes, high.bytes))
    })?;
    spec.split = Some(ranges.map(|(low, high)| Split::range(low, high)));
    Ok(())
}

pub(super) fn bssplit(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let parsed = split::parse(a.text()?, a.base)?;
    spec.notes.extend(parsed.remarks);
    spec.split = Some([parsed.read, parsed.write, parsed.trim]);
    Ok(())
}

pub(super) fn blockalign(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.align = Some(blocks(a)?);
    Ok(())
}

pub(super) fn number_ios(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.ios = Some(a.integer(1, u64::MAX)?);
    Ok(())
}

pub(super) fn size(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let size = amount(spec, a)?;
    if matches!(size, Amount::Bytes(s) if s.bytes == 0) {
        return Err(Fault::Bad("a size of 0 leaves nothing to do".to_owned()));
    }
    spec.size = Some(size);
    Ok(())
}

pub(super) fn filesize(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    let (low, high) = units::range(text, a.base)?;
    inverted(spec, text, low);
    if low.bytes == 0 {
        return Err(Fault::Bad(
            "a file size of 0 leaves nothing to do".to_owned(),
        ));
    }
    spec.file_size = Some((low.bytes, high.bytes));
    Ok(())
}

pub(super) fn io_size(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.io_size = Some(amount(spec, a)?);
    Ok(())
}

pub(super) fn offset(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.offset = amount(spec, a)?;
    Ok(())
}

pub(super) fn offset_increment(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.offset_increment = amount(spec, a)?;
    Ok(())
}

pub(super) fn rwmixread(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.read_percent = a.integer(0, 100)?;
    Ok(())
}

pub(super) fn rwmixwrite(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.read_percent = 100 - a.integer(0, 100)?;
    Ok(())
}

pub(super) fn kb_base(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.base = match a.text()? {
        "1024" => Base::K1024,
        "1000" => Base::K1000,
        other => return Err(Fault::Bad(format!("`{other}` is neither 1024 nor 1000"))),
    };
    Ok(())
}

pub(super) fn ioengine(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let (engine, alias) = match a.text()? {
        "psync" => (Engine::Psync, None),
        same @ ("sync" | "pvsync") => (Engine::Psync, Some(same)),
        "io_uring" => (Engine::IoUring, None),
        "libaio" => (Engine::IoUring, Some("libaio")),
        "mmap" => (Engine::Mmap, None),
        "null" => (Engine::Null, None),
        other => {
            return Err(Fault::Blocked(format!(
                "engine `{other}` is not supported (psync, sync, pvsync, io_uring, libaio, mmap, null)"
            )));
        }
    };
    spec.engine = engine;
    spec.engine_alias = alias.map(str::to_owned);
    Ok(())
}

pub(super) fn randrepeat(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.repeatable = a.yes()?;
    Ok(())
}

pub(super) fn allrandrepeat(spec: &mut Spec, a: &Argument<'_>) -> Done {
    if a.yes()? {
        spec.repeatable = true;
    }
    Ok(())
}

pub(super) fn randseed(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.seed = Some(a.integer(0, u64::MAX)?);
    Ok(())
}

pub(super) fn norandommap(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.random_map = !a.yes()?;
    Ok(())
}

pub(super) fn random_generator(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.generator = match a.text()? {
        "tausworthe" | "tausworthe64" => Generator::Tausworthe,
        "lfsr" => Generator::Lfsr,
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of tausworthe, tausworthe64, lfsr"
            )));
        }
    };
    Ok(())
}
