//! Whether partitions, and what is stacked on them, begin on blocks of the disk.

use super::answer::{Answer, flag};
use super::{About, Fold};
use crate::host::BlockDevice;
use crate::import::model::collected::Layer;
use rules::facts::{self as f, Measured, Value};

/// Blocks of a disk that does not tell their size.
const USUAL_BLOCK: u64 = 4096;
/// A finer question than this is not asked.
const COARSEST: u64 = 1 << 30;

pub(super) fn put(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    let worst = misaligned(fold, device);
    let aligned = worst
        .clone()
        .and_then(|(past, source)| flag(Some(past == 0), &source, ""));
    about.say(&f::DEVICE_ALIGNED, aligned);
    about.say(
        &f::DEVICE_MISALIGNED,
        worst.map(|(past, source)| size(past, &source)),
    );
    about.say(&f::DEVICE_ALIGNED_4K, aligned_4k(fold, device));
    let own = |name: &String| {
        let partition = fold
            .stack
            .named(name)
            .and_then(|part| part.partition_of.as_ref());
        *name == device.name || partition == Some(&device.name)
    };
    let arrays = fold
        .capture
        .host
        .devices
        .iter()
        .filter(|array| array.md.is_some());
    let member = arrays.flat_map(|array| &array.below).any(own);
    about.say(
        &f::DEVICE_IN_ARRAY,
        flag(Some(member), "members of the arrays", ""),
    );
    layers(fold, device, about);
}

fn size(bytes: u64, source: &str) -> Measured {
    Measured::set(Value::Number(bytes as f64), source)
}

fn parts<'a>(fold: &Fold<'a>, device: &BlockDevice) -> Vec<&'a BlockDevice> {
    let all = fold.capture.host.devices.iter();
    let own = |part: &&BlockDevice| part.partition_of.as_deref() == Some(device.name.as_str());
    all.filter(own).collect()
}

fn block(device: &BlockDevice) -> Option<u64> {
    let queue = device.queue.as_ref()?;
    queue.physical_block_size_bytes.filter(|bytes| *bytes > 0)
}

/// How far a place lies past a block of the disk, the disk's own offset allowed for.
fn past(device: &BlockDevice, start_bytes: u64, block: u64) -> u64 {
    let offset = i128::from(device.alignment_offset.unwrap_or(0));
    let distance = (i128::from(start_bytes) - offset).rem_euclid(i128::from(block));
    u64::try_from(distance).unwrap_or(0)
}

/// Of the first partition that is off, and where that is read.
fn misaligned(fold: &Fold<'_>, device: &BlockDevice) -> Result<(u64, String), String> {
    let block = block(device).ok_or("the size of its physical blocks is not known")?;
    for part in parts(fold, device) {
        let start = part.start_sector;
        let start = start.ok_or_else(|| format!("the start of {} is not known", part.name))?;
        let past = past(device, start.saturating_mul(512), block);
        if past != 0 {
            return Ok((past, format!("start sector {start} of {}", part.name)));
        }
    }
    Ok((0, "start sectors of its partitions".to_owned()))
}

fn aligned_4k(fold: &Fold<'_>, device: &BlockDevice) -> Answer {
    let mut known = false;
    for part in parts(fold, device) {
        let Some(start) = part.start_sector else {
            continue;
        };
        known = true;
        if past(device, start.saturating_mul(512), USUAL_BLOCK) != 0 {
            let source = format!("start sector {start} of {}", part.name);
            return flag(Some(false), &source, "");
        }
    }
    let missing = "no partition of it with a known start";
    flag(
        known.then_some(true),
        "start sectors of its partitions",
        missing,
    )
}

/// Each `start` begins a stack; the others lie on it.
fn layers(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    let collected = fold
        .capture
        .imported
        .iter()
        .filter_map(|one| one.collected.as_ref());
    let layers: Vec<&Layer> = collected.flat_map(|one| &one.layers).collect();
    let mut starts = layers.iter().enumerate().filter(|(_, layer)| {
        let partition = fold.stack.named(&layer.name);
        let disk = partition.and_then(|part| part.partition_of.as_ref());
        layer.kind == "start" && (layer.name == device.name || disk == Some(&device.name))
    });
    let Some((first, _)) = starts.next() else {
        let facts = [&f::STACK_START, &f::STACK_MISALIGNED, &f::STACK_ALIGNMENT];
        return about.say_unknown(&facts, "the offsets of stacked layers were not collected");
    };
    let above = layers[first + 1..]
        .iter()
        .take_while(|layer| layer.kind != "start");
    let all: Vec<&&Layer> = layers[first..=first].iter().chain(above).collect();
    let sum = all
        .iter()
        .fold(0u64, |sum, layer| sum.saturating_add(layer.offset_bytes));
    let terms: Vec<String> = all
        .iter()
        .map(|layer| format!("{} {} {} B", layer.name, layer.kind, layer.offset_bytes))
        .collect();
    let source = terms.join(" + ");
    about.say(&f::STACK_START, Ok(size(sum, &source)));
    let off = past(device, sum, block(device).unwrap_or(USUAL_BLOCK));
    about.say(&f::STACK_MISALIGNED, Ok(size(off, &source)));
    let mut alignment = COARSEST;
    while alignment > 1 && past(device, sum, alignment) != 0 {
        alignment /= 2;
    }
    about.say(&f::STACK_ALIGNMENT, Ok(size(alignment, &source)));
}
