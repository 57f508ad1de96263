//! Facts about striped and mirrored devices: md, and striped mappings of the device mapper.

use super::answer::{Answer, flag, quantile, share, text, whole};
use super::{About, Fold, stack, subject, traffic};
use crate::capture::{DeviceSlice, Op, OpSlice};
use crate::host::{BlockDevice, Md};
use rules::facts::{self as f, Fact, Facts, Measured, Scope};

/// Measured facts of an array.
const MEASURED: &[&Fact] = &[
    &f::ARRAY_CROSSINGS,
    &f::ARRAY_READ_SIZE,
    &f::ARRAY_WRITE_SIZE,
    &f::ARRAY_WRITE_SEQUENTIAL,
    &f::ARRAY_READ_SEQUENTIAL,
    &f::ARRAY_MEMBER_READS_PER_WRITE,
    &f::ARRAY_WRITE_RATE,
    &f::ARRAY_READ_RATE,
];

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    let arrays: Vec<&BlockDevice> = {
        let found = stack::devices(fold)
            .into_iter()
            .filter_map(|device| fold.stack.array(device));
        let mut arrays: Vec<&BlockDevice> = found.collect();
        arrays.sort_by(|a, b| a.name.cmp(&b.name));
        arrays.dedup_by(|a, b| a.name == b.name);
        arrays
    };
    for device in arrays {
        let mut about = About::new(facts, subject(Scope::Array, &device.name));
        about.word("device", &device.name);
        about.relate(&subject(Scope::Device, &device.name));
        match &device.md {
            Some(md) => geometry_of_md(device, md, &mut about),
            None => geometry_of_dm(device, &mut about),
        }
        match traffic::slice(fold, device).and_then(|slice| {
            let seconds = fold
                .seconds()
                .ok_or_else(|| "nothing was recorded".to_owned())?;
            Ok((slice, seconds))
        }) {
            Ok((slice, seconds)) => measured(fold, device, &slice, seconds, &mut about),
            Err(reason) => about.say_unknown(MEASURED, &reason),
        }
    }
}

fn geometry_of_md(device: &BlockDevice, md: &Md, about: &mut About<'_>) {
    let dir = format!("/sys/block/{}/md", device.name);
    let file = |name: &str| format!("{dir}/{name}");
    let absent = |name: &str| format!("the array has no {name}");
    about.say(&f::ARRAY_KIND, text(Some("md"), &dir, ""));
    let level = (!md.level.is_empty()).then_some(md.level.as_str());
    about.say(
        &f::ARRAY_LEVEL,
        text(level, &file("level"), &absent("level")),
    );
    let parity = level.map(|level| matches!(level, "raid4" | "raid5" | "raid6"));
    about.say(
        &f::ARRAY_PARITY,
        flag(parity, &file("level"), &absent("level")),
    );
    let penalty = level.and_then(|level| match level {
        "raid0" | "linear" => Some(1),
        "raid1" | "raid10" => Some(2),
        "raid4" | "raid5" => Some(4),
        "raid6" => Some(6),
        _ => None,
    });
    about.say(
        &f::ARRAY_WRITE_PENALTY,
        whole(penalty, "arithmetic of the level", &absent("level")),
    );
    let chunk = md.chunk_bytes.filter(|bytes| *bytes > 0);
    let attribute = |value: Option<u64>, name: &str| whole(value, &file(name), &absent(name));
    about.say(&f::ARRAY_CHUNK, attribute(chunk, "chunk_size"));
    let width = chunk
        .zip(data_disks(md))
        .and_then(|(chunk, disks)| chunk.checked_mul(disks));
    let missing = "chunk and number of data disks are not both known";
    about.say(
        &f::ARRAY_STRIPE_WIDTH,
        whole(width, "chunk times data disks", missing),
    );
    about.say(&f::ARRAY_DISKS, attribute(md.raid_disks, "raid_disks"));
    about.say(&f::ARRAY_DEGRADED, attribute(md.degraded, "degraded"));
    about.say(
        &f::ARRAY_STRIPE_CACHE,
        attribute(md.stripe_cache_size, "stripe_cache_size"),
    );
    let bitmap = md.bitmap_chunk_bytes.filter(|bytes| *bytes > 0);
    about.say(
        &f::ARRAY_BITMAP_CHUNK,
        attribute(bitmap, "bitmap/chunksize"),
    );
    let word =
        |value: &Option<String>, name: &str| text(value.as_deref(), &file(name), &absent(name));
    about.say(&f::ARRAY_SYNC_ACTION, word(&md.sync_action, "sync_action"));
    about.say(
        &f::ARRAY_CONSISTENCY,
        word(&md.consistency_policy, "consistency_policy"),
    );
}

fn geometry_of_dm(device: &BlockDevice, about: &mut About<'_>) {
    let source = "device-mapper table";
    let dm = device.dm.clone().unwrap_or_default();
    about.say(&f::ARRAY_KIND, text(Some("dm"), source, ""));
    about.say(&f::ARRAY_LEVEL, text(Some("striped"), source, ""));
    about.say(&f::ARRAY_PARITY, flag(Some(false), source, ""));
    let missing = "the table does not tell it";
    about.say(
        &f::ARRAY_CHUNK,
        whole(dm.stripe_chunk_bytes, source, missing),
    );
    about.say(&f::ARRAY_DISKS, whole(dm.stripes, source, missing));
    let width = dm.stripe_chunk_bytes.zip(dm.stripes);
    let width = width.and_then(|(chunk, stripes)| chunk.checked_mul(stripes));
    about.say(&f::ARRAY_STRIPE_WIDTH, whole(width, source, missing));
    let none = "a striped mapping has none";
    about.say_unknown(
        &[
            &f::ARRAY_DEGRADED,
            &f::ARRAY_SYNC_ACTION,
            &f::ARRAY_STRIPE_CACHE,
            &f::ARRAY_CONSISTENCY,
            &f::ARRAY_BITMAP_CHUNK,
        ],
        none,
    );
}

/// Disks whose space holds data: parity and copies not counted.
pub(super) fn data_disks(md: &Md) -> Option<u64> {
    let disks = md.raid_disks.filter(|disks| *disks > 0)?;
    match md.level.as_str() {
        "raid0" | "linear" => Some(disks),
        "raid1" => Some(1),
        "raid4" | "raid5" => disks.checked_sub(1),
        "raid6" => disks.checked_sub(2),
        "raid10" => {
            // Near copies in the lowest byte of the layout, far ones in the next (md(4)).
            let layout = md.layout?;
            let copies = (layout & 0xff) * ((layout >> 8) & 0xff);
            (copies > 0 && disks % copies == 0).then(|| disks / copies)
        }
        _ => None,
    }
    .filter(|disks| *disks > 0)
}

fn measured(
    fold: &Fold<'_>,
    device: &BlockDevice,
    slice: &DeviceSlice,
    seconds: f64,
    about: &mut About<'_>,
) {
    let op = |op: Op| slice.ops.get(&op).cloned().unwrap_or_default();
    let (read, write) = (op(Op::Read), op(Op::Write));
    let source = if device.bio_based {
        "stacked probe"
    } else {
        "block probe"
    };
    let rate = |op: &OpSlice| {
        Ok(Measured::of(
            op.completed as f64 / seconds,
            op.completed,
            source,
        ))
    };
    about.say(&f::ARRAY_READ_RATE, rate(&read));
    about.say(&f::ARRAY_WRITE_RATE, rate(&write));
    let size = |op: &OpSlice, missing: &str| quantile(op.size_bytes.as_ref(), 0.5, source, missing);
    about.say(
        &f::ARRAY_READ_SIZE,
        size(&read, "no reads completed in the window"),
    );
    about.say(
        &f::ARRAY_WRITE_SIZE,
        size(&write, "no writes completed in the window"),
    );
    let sequential = |op: &OpSlice| {
        let all = traffic::placed(op);
        let missing = "the place of its bios is not compared with earlier ones";
        share(op.sequential as f64, all as f64, all, source, missing)
    };
    about.say(&f::ARRAY_READ_SEQUENTIAL, sequential(&read));
    about.say(&f::ARRAY_WRITE_SEQUENTIAL, sequential(&write));
    about.say(&f::ARRAY_CROSSINGS, crossings(slice));
    let extra = member_reads(fold, device, slice, &read, &write);
    about.say(&f::ARRAY_MEMBER_READS_PER_WRITE, extra);
}

fn crossings(slice: &DeviceSlice) -> Answer {
    let queue = slice.queue.as_ref();
    let counted = queue.and_then(|queue| Some((queue.chunk_crossings?, queue.bios_queued?)));
    let Some((crossings, bios)) = counted else {
        return Err("crossings of chunk boundaries were not counted".to_owned());
    };
    let missing = "no bios were handed to it in the window";
    share(
        crossings as f64,
        bios as f64,
        bios,
        "stacked probe",
        missing,
    )
}

/// Reads of members that the array's own reads do not explain, for each write. Each read of the
/// array is taken to need one read of a member, and one more where it crosses a chunk; merging at
/// the members makes the result too small, never too large.
fn member_reads(
    fold: &Fold<'_>,
    device: &BlockDevice,
    slice: &DeviceSlice,
    read: &OpSlice,
    write: &OpSlice,
) -> Answer {
    let members = fold.stack.below(device);
    if members.is_empty() {
        return Err("its members are not known".to_owned());
    }
    let mut reads = 0u64;
    for member in members {
        let member =
            traffic::slice(fold, member).map_err(|why| format!("{}: {why}", member.name))?;
        let own = member.ops.get(&Op::Read).map_or(0, |op| op.completed);
        reads = reads.saturating_add(own);
    }
    let crossings = slice
        .queue
        .as_ref()
        .and_then(|queue| queue.chunk_crossings)
        .unwrap_or(0);
    let own = read.completed.saturating_add(crossings);
    let extra = reads.saturating_sub(own) as f64;
    let missing = "no writes completed in the window";
    share(
        extra,
        write.completed as f64,
        write.completed,
        "block probe on the members",
        missing,
    )
}
