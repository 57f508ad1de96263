//! Facts about each whole disk or stacked node: how it is set up. What it did is in the
//! modules [`super::traffic`] and [`super::timeline`].

use super::answer::{Answer, flag, number, text, whole};
use super::{About, Fold, alignment, cgroup, held, seeks, stack, subject, timeline, traffic};
use crate::host::{BlockDevice, DeviceClass, Queue};
use rules::facts::{self as f, Facts, Scope};

/// The kernel's readahead where nothing else is set (VM_READAHEAD_PAGES).
const USUAL_READAHEAD_KIB: u64 = 128;

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    for device in stack::devices(fold) {
        let mut about = About::new(facts, subject(Scope::Device, &device.name));
        about.word("device", &device.name);
        if let Some(array) = fold.stack.array(device) {
            about.relate(&subject(Scope::Array, &array.name));
        }
        identity(fold, device, &mut about);
        let queue = device.queue.clone().unwrap_or_default();
        scheduler(device, &queue, &mut about);
        sizes(device, &queue, &mut about);
        cache(device, &queue, &mut about);
        readahead(fold, device, &mut about);
        measured(fold, device, &mut about);
    }
    let known = |number: &str| fold.stack.numbered(number).is_some();
    for number in fold.total.devices.keys().filter(|number| !known(number)) {
        // It was traced, but it is not in the inventory: nothing but its traffic is known.
        let mut about = About::new(facts, subject(Scope::Device, number));
        about.word("device", number);
        let device = BlockDevice {
            name: number.clone(),
            number: number.clone(),
            ..BlockDevice::default()
        };
        measured(fold, &device, &mut about);
    }
}

fn measured(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    traffic::put(fold, device, about);
    held::put(fold, device, about);
    timeline::put(fold, device, about);
    cgroup::put(fold, device, about);
    about.say(&f::DEVICE_SEEKS, seeks::answer(fold, device));
}

/// The file of sysfs that a setting comes from.
fn file(device: &BlockDevice, attribute: &str) -> String {
    format!("/sys/block/{}/{attribute}", device.name)
}

fn absent(attribute: &str) -> String {
    format!("the device has no {attribute}")
}

fn identity(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    let class = stack::class_name(device.class);
    about.say(&f::DEVICE_CLASS, text(Some(class), "/sys/block", ""));
    let bare = stack::bare(&fold.capture.host, device);
    let why = "a virtual machine may have been given a whole disk or a made-up one";
    about.say(
        &f::DEVICE_BARE,
        flag(bare, "class, model and hypervisor", why),
    );
    let stacked = matches!(
        device.class,
        DeviceClass::Md | DeviceClass::Dm | DeviceClass::Loop
    );
    let stacked = stacked || !device.below.is_empty();
    about.say(&f::DEVICE_STACKED, flag(Some(stacked), "/sys/block", ""));
    let disks = data_disks(fold, device, 0);
    let why = "the disks behind it are not visible";
    about.say(
        &f::DEVICE_DATA_DISKS,
        whole(disks, "the stack of devices", why),
    );
    alignment::put(fold, device, about);
    let used = fold.stack.database_devices().contains(device.name.as_str());
    let hidden = fold.stack.hidden_database();
    let used = match (used, hidden) {
        (false, Some(reason)) => Err(reason),
        (used, _) => flag(Some(used), "directories of the databases found", ""),
    };
    about.say(&f::DEVICE_HAS_DATABASE, used);
}

fn scheduler(device: &BlockDevice, queue: &Queue, about: &mut About<'_>) {
    let path = file(device, "queue/scheduler");
    let missing = absent("scheduler");
    about.say(
        &f::DEVICE_SCHEDULER,
        text(queue.scheduler.as_deref(), &path, &missing),
    );
    let offers = |name: &str| {
        let listed = queue.schedulers_available.iter().any(|own| own == name);
        let known = queue.scheduler.is_some() || listed;
        flag(known.then_some(listed), &path, &missing)
    };
    about.say(&f::DEVICE_HAS_NONE, offers("none"));
    about.say(&f::DEVICE_HAS_MQ_DEADLINE, offers("mq-deadline"));
    about.say(&f::DEVICE_SERVER_SCHEDULER, for_server(queue, &path));
    let attribute =
        |value: Option<u64>, name: &str| whole(value, &file(device, name), &absent(name));
    about.say(
        &f::DEVICE_NR_REQUESTS,
        attribute(queue.nr_requests, "queue/nr_requests"),
    );
    about.say(
        &f::DEVICE_TAGS,
        attribute(device.tags_per_queue, "mq/*/nr_tags"),
    );
    about.say(
        &f::DEVICE_HW_QUEUES,
        attribute(device.hardware_queues, "mq"),
    );
    about.say(
        &f::DEVICE_SCSI_DEPTH,
        attribute(device.scsi_queue_depth, "device/queue_depth"),
    );
    about.say(
        &f::DEVICE_RQ_AFFINITY,
        attribute(queue.rq_affinity, "queue/rq_affinity"),
    );
    about.say(
        &f::DEVICE_NOMERGES,
        attribute(queue.nomerges, "queue/nomerges"),
    );
    let wbt = queue.wbt_lat_usec.map(|us| us as f64 * 1e3);
    let name = "queue/wbt_lat_usec";
    about.say(
        &f::DEVICE_WBT_LATENCY,
        number(wbt, &file(device, name), &absent(name)),
    );
}

/// Only a name from the device's own list: kernels differ in what they offer.
fn for_server(queue: &Queue, path: &str) -> Answer {
    let offered = |name: &&str| queue.schedulers_available.iter().any(|own| own == name);
    let sorting = ["mq-deadline", "deadline"].into_iter().find(offered);
    let plain = ["none", "noop"].into_iter().find(offered);
    let plain = plain.filter(|_| queue.rotational == Some(false));
    let missing = "it offers neither one that sorts for servers nor, without heads, none";
    text(sorting.or(plain), path, missing)
}

fn sizes(device: &BlockDevice, queue: &Queue, about: &mut About<'_>) {
    let size = |value: Option<u64>, unit: u64, name: &str| {
        let bytes = value.and_then(|value| value.checked_mul(unit));
        whole(bytes, &file(device, name), &absent(name))
    };
    about.say(
        &f::DEVICE_READAHEAD,
        size(queue.read_ahead_kib, 1024, "queue/read_ahead_kb"),
    );
    about.say(
        &f::DEVICE_MAX_REQUEST,
        size(queue.max_sectors_kib, 1024, "queue/max_sectors_kb"),
    );
    let limit = size(queue.max_hw_sectors_kib, 1024, "queue/max_hw_sectors_kb");
    about.say(&f::DEVICE_MAX_HW_REQUEST, limit);
    about.say(
        &f::DEVICE_OPTIMAL_IO,
        size(queue.optimal_io_size_bytes, 1, "queue/optimal_io_size"),
    );
    let block = size(
        queue.physical_block_size_bytes,
        1,
        "queue/physical_block_size",
    );
    about.say(&f::DEVICE_PHYSICAL_BLOCK, block);
}

fn cache(device: &BlockDevice, queue: &Queue, about: &mut About<'_>) {
    let setting = |value: Option<bool>, name: &str| flag(value, &file(device, name), &absent(name));
    let name = "queue/write_cache";
    let cache = text(
        queue.write_cache.as_deref(),
        &file(device, name),
        &absent(name),
    );
    about.say(&f::DEVICE_WRITE_CACHE, cache);
    about.say_unknown(
        &[&f::DEVICE_TRUE_WRITE_CACHE],
        "the device itself is not asked",
    );
    about.say(&f::DEVICE_FUA, setting(queue.fua, "queue/fua"));
    about.say(
        &f::DEVICE_ROTATIONAL,
        setting(queue.rotational, "queue/rotational"),
    );
    let discard = queue.discard_max_bytes.map(|bytes| bytes > 0);
    about.say(
        &f::DEVICE_DISCARD,
        setting(discard, "queue/discard_max_bytes"),
    );
    let zoned = queue.zoned.as_deref().map(|zoned| zoned != "none");
    about.say(&f::DEVICE_ZONED, setting(zoned, "queue/zoned"));
}

fn readahead(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    let path = file(device, "queue/read_ahead_kb");
    let missing = absent("readahead");
    about.say(
        &f::DEVICE_READAHEAD_DEFAULT,
        flag(is_usual(device), &path, &missing),
    );
    let below = fold.stack.all_below(device);
    let below = match below.is_empty() {
        true => Err("nothing lies below it".to_owned()),
        false => {
            let all: Option<Vec<bool>> = below.into_iter().map(is_usual).collect();
            let usual = all.map(|all| all.into_iter().all(|usual| usual));
            flag(
                usual,
                "read_ahead_kb of the devices below",
                "a device below has no readahead",
            )
        }
    };
    about.say(&f::DEVICE_LEAF_READAHEAD_DEFAULT, below);
}

/// The default, or twice the optimal size, to which the kernel raises it (block/blk-settings.c).
fn is_usual(device: &BlockDevice) -> Option<bool> {
    let queue = device.queue.as_ref()?;
    let now = queue.read_ahead_kib?;
    let raised = queue.optimal_io_size_bytes.unwrap_or(0).saturating_mul(2) / 1024;
    Some(now == USUAL_READAHEAD_KIB || now == raised.max(USUAL_READAHEAD_KIB))
}

/// Disks that hold data below a device, parity and copies not counted.
fn data_disks(fold: &Fold<'_>, device: &BlockDevice, depth: usize) -> Option<u64> {
    if depth > 8 {
        return None;
    }
    if let Some(md) = &device.md {
        return super::array::data_disks(md);
    }
    if let Some(stripes) = device.dm.as_ref().and_then(|dm| dm.stripes) {
        return Some(stripes);
    }
    match fold.stack.below(device)[..] {
        [] => (stack::bare(&fold.capture.host, device) == Some(true)).then_some(1),
        [only] => data_disks(fold, only, depth + 1),
        _ => None,
    }
}
