//! Facts about the host that are made of what its devices did: which one was busiest, how many of
//! them filesystems wrote to.

use super::answer::Answer;
use super::{About, Fold, traffic};
use crate::capture::Op;
use crate::host::BlockDevice;
use rules::facts::{self as f, Facts, Lookup, Measured, Scope, Value};

/// A device that took less of all bytes written than this does not count as written to.
const WRITTEN: f64 = 0.01;

/// Asked for after the facts about the devices are put.
pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    let Some(host) = facts.of(Scope::Host).next().cloned() else {
        return;
    };
    let busiest = busiest(facts);
    let mut about = About::new(facts, host);
    about.say(&f::HOST_BUSIEST_DEVICE, busiest);
    about.say(&f::WB_DEVICES, written(fold));
}

fn busiest(facts: &Facts) -> Answer {
    let mut most: Option<(f64, &Measured)> = None;
    for device in facts.of(Scope::Device) {
        let rate = number(facts.get(device, &f::IO_RATE));
        match (facts.get(device, &f::DEVICE_BUSY), rate) {
            (Lookup::Known(measured), _) => {
                let busy = number(Lookup::Known(measured));
                let more = busy.filter(|busy| most.is_none_or(|(known, _)| *busy > known));
                most = more.map(|busy| (busy, measured)).or(most);
            }
            (Lookup::Unknown(reason), Some(rate)) if rate > 0.0 => {
                return Err(format!("{}: {reason}", device.name));
            }
            (Lookup::Unknown(_), _) => {}
        }
    }
    let (_, measured) = most.ok_or_else(|| "of no device it was measured".to_owned())?;
    Ok(measured.clone())
}

fn number(found: Lookup<'_>) -> Option<f64> {
    match found {
        Lookup::Known(measured) => match measured.value {
            Value::Number(number) => Some(number),
            Value::Bool(_) | Value::Text(_) => None,
        },
        Lookup::Unknown(_) => None,
    }
}

/// Devices under filesystems that took a part of the writes that matters.
fn written(fold: &Fold<'_>) -> Answer {
    let mut tops: Vec<&BlockDevice> = Vec::new();
    for mount in fold.stack.filesystems() {
        let top = fold.stack.top(mount);
        tops.extend(top.filter(|top| tops.iter().all(|known| known.name != top.name)));
    }
    let mut bytes: Vec<u64> = Vec::new();
    let mut n: u64 = 0;
    for top in tops {
        let slice =
            traffic::slice(fold, top).map_err(|reason| format!("{}: {reason}", top.name))?;
        if let Some(write) = slice.ops.get(&Op::Write) {
            bytes.push(write.bytes);
            n = n.saturating_add(write.completed);
        }
    }
    if fold.seconds().is_none() {
        return Err("nothing was recorded".to_owned());
    }
    let all: f64 = bytes.iter().map(|bytes| *bytes as f64).sum();
    let matter = |bytes: &&u64| **bytes > 0 && **bytes as f64 >= WRITTEN * all;
    let count = bytes.iter().filter(matter).count();
    let source = "probes of the devices under filesystems";
    Ok(Measured::of(count as f64, n, source))
}
