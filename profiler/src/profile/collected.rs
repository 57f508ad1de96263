//! Facts out of collected files that are no configuration: iostat's reports, notes on the load and
//! the volume, tests of sync calls, lists of requests. Recorded facts have names of their own, so
//! that neither is taken for the other.

mod requests;
mod series;

use super::answer::{flag, number, text, whole};
use super::{About, Fold, controller, subject};
use crate::host::DeviceClass;
use crate::import::model::collected::Collected;
use crate::import::model::iostat::{IostatDevice, IostatReport};
use rules::facts::{self as f, Facts, Measured, Scope};
use std::collections::BTreeSet;

const GIB: f64 = 1_073_741_824.0;
/// Burst credits of a full gp2 bucket, and the rate that they pay for.
const CREDITS: f64 = 5_400_000.0;
const BURST: f64 = 3_000.0;

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    let name = fold.capture.host.hostname.as_deref().unwrap_or("host");
    let mut about = About::new(facts, subject(Scope::Host, name));
    let collected = merged(fold);
    told(&collected, &mut about);
    let baseline = volume(&collected, &mut about);
    sync_test(&collected, &mut about);
    about.say(&f::HOST_ALL_ROTATIONAL, all_rotational(fold));
    controller::put(fold, &mut about);
    devices(fold, &collected, baseline, facts);
}

fn merged(fold: &Fold<'_>) -> Collected {
    let mut all = Collected::default();
    for one in fold
        .capture
        .imported
        .iter()
        .filter_map(|one| one.collected.clone())
    {
        all.workload = one.workload.or(all.workload.take());
        all.volume = one.volume.or(all.volume.take());
        all.sync_tests.extend(one.sync_tests);
        all.requests.extend(one.requests);
        all.layers.extend(one.layers);
    }
    all
}

fn told(collected: &Collected, about: &mut About<'_>) {
    let notes = collected.workload.clone().unwrap_or_default();
    let source = format!("{}, told", notes.file);
    let missing = "no notes on the load tell it";
    about.say(
        &f::TOLD_READ_SHARE,
        number(notes.read_share, &source, missing),
    );
    about.say(
        &f::TOLD_READ_SIZE,
        whole(notes.read_bytes, &source, missing),
    );
    about.say(
        &f::TOLD_WRITE_SIZE,
        whole(notes.write_bytes, &source, missing),
    );
    about.say(&f::TOLD_RANDOM, flag(notes.random, &source, missing));
    about.say(
        &f::TOLD_DISK_RATE,
        number(notes.disk_per_s, &source, missing),
    );
    about.say(&f::TOLD_LOAD, number(notes.load_per_s, &source, missing));
}

/// The baseline of a gp2 volume, for the series of its requests.
fn volume(collected: &Collected, about: &mut About<'_>) -> Option<f64> {
    let notes = collected.volume.as_ref();
    let source = notes.map_or("", |notes| notes.file.as_str());
    let missing = "no notes on the volume tell it";
    let kind = notes.map(|notes| notes.kind.as_str());
    let size = notes.and_then(|notes| notes.size_bytes);
    about.say(&f::VOLUME_KIND, text(kind, source, missing));
    about.say(&f::VOLUME_SIZE, whole(size, source, missing));
    let gp2 = size.filter(|_| kind == Some("gp2"));
    let baseline = gp2.map(|bytes| (bytes as f64 / GIB * 3.0).clamp(100.0, 16_000.0));
    let formula = format!("{source}: 3 for each GiB, at least 100");
    about.say(&f::VOLUME_BASELINE, number(baseline, &formula, missing));
    let empty = baseline.filter(|own| *own < BURST);
    let empty = empty.map(|own| CREDITS / (BURST - own) * 1e9);
    let formula = format!("{source}: 5.4 million credits / (3,000 - baseline)");
    let missing = "no gp2 volume with burst credits is known";
    about.say(&f::VOLUME_TIME_TO_EMPTY, number(empty, &formula, missing));
    baseline
}

fn sync_test(collected: &Collected, about: &mut About<'_>) {
    let facts = [
        &f::FSYNC_TEST_FSYNC,
        &f::FSYNC_TEST_FDATASYNC,
        &f::FSYNC_TEST_BEST,
        &f::FSYNC_TEST_METHOD,
        &f::FSYNC_TEST_WORST,
    ];
    let Some(test) = collected.sync_tests.last() else {
        return about.say_unknown(&facts, "no output of pg_test_fsync was collected");
    };
    let missing = "pg_test_fsync did not measure it";
    let rate = |name: &str| {
        let method = test.methods.iter().find(|method| method.name == name);
        number(method.map(|method| method.per_s), &test.file, missing)
    };
    about.say(&f::FSYNC_TEST_FSYNC, rate("fsync"));
    about.say(&f::FSYNC_TEST_FDATASYNC, rate("fdatasync"));
    let by_rate = |a: &&_, b: &&_| per_s(a).total_cmp(&per_s(b));
    let best = test.methods.iter().max_by(by_rate);
    let worst = test.methods.iter().min_by(by_rate);
    about.say(
        &f::FSYNC_TEST_BEST,
        number(best.map(per_s), &test.file, missing),
    );
    about.say(
        &f::FSYNC_TEST_WORST,
        number(worst.map(per_s), &test.file, missing),
    );
    let name = best.map(|best| best.name.as_str());
    about.say(&f::FSYNC_TEST_METHOD, text(name, &test.file, missing));
}

fn per_s(method: &crate::import::model::collected::SyncMethod) -> f64 {
    method.per_s
}

fn all_rotational(fold: &Fold<'_>) -> super::answer::Answer {
    use DeviceClass::{Ata, Nvme, Scsi};
    let disks = fold.capture.host.devices.iter();
    let disks = disks.filter(|disk| matches!(disk.class, Ata | Nvme | Scsi));
    let flags: Vec<Option<bool>> = disks
        .map(|disk| disk.queue.as_ref().and_then(|queue| queue.rotational))
        .collect();
    let known = !flags.is_empty() && flags.iter().all(Option::is_some);
    let all = flags.iter().all(|flag| *flag == Some(true));
    let missing = "it is not known of every disk whether it has heads";
    flag(
        known.then_some(all),
        "/sys/block/*/queue/rotational",
        missing,
    )
}

fn devices(fold: &Fold<'_>, collected: &Collected, baseline: Option<f64>, facts: &mut Facts) {
    let reports: Vec<&IostatReport> = fold
        .capture
        .imported
        .iter()
        .flat_map(|one| &one.iostat)
        .collect();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for device in reports.iter().flat_map(|report| &report.devices) {
        names.insert(device.name.clone());
    }
    names.extend(facts.of(Scope::Device).map(|device| device.name.clone()));
    // A list of requests without names is about the only device under a filesystem.
    let tops = fold
        .stack
        .filesystems()
        .into_iter()
        .filter_map(|mount| fold.stack.top(mount));
    let tops: BTreeSet<&str> = tops.map(|top| top.name.as_str()).collect();
    let only = (tops.len() == 1).then(|| tops.iter().next().copied().unwrap_or_default());
    let of = |name: &Option<String>| name.clone().or_else(|| only.map(str::to_owned));
    names.extend(
        collected
            .requests
            .iter()
            .filter_map(|request| of(&request.device)),
    );
    for name in names {
        let known = fold.stack.named(&name);
        if known.is_some_and(|device| device.class == DeviceClass::Partition) {
            continue;
        }
        let mut about = About::new(facts, subject(Scope::Device, &name));
        about.word("device", &name);
        let own: Vec<(&IostatReport, &IostatDevice)> = reports
            .iter()
            .filter_map(|report| Some((*report, report.devices.iter().find(|d| d.name == name)?)))
            .collect();
        reads(&own, &mut about);
        series::put(&own, baseline, &mut about);
        let own = collected.requests.iter();
        let own: Vec<_> = own
            .filter(|request| of(&request.device).as_ref() == Some(&name))
            .collect();
        requests::put(&own, &mut about);
    }
}

/// Averages of the intervals; with one report alone, of the time since boot.
fn reads(own: &[(&IostatReport, &IostatDevice)], about: &mut About<'_>) {
    let intervals = own.iter().filter(|(report, _)| !report.since_boot);
    let mut used: Vec<_> = intervals.collect();
    let mut source = "iostat";
    if used.is_empty() {
        used = own.iter().collect();
        source = "iostat, one report alone: since boot unless it ran with -y";
    }
    let rates: Vec<(f64, f64)> = used
        .iter()
        .filter_map(|(_, device)| {
            let rate = device.reads_per_s?;
            let bytes = device.read_request_bytes.map(|size| size * rate);
            Some((rate, bytes.or(device.read_bytes_per_s)?))
        })
        .collect();
    let missing = "no collected report of iostat -x counts its reads";
    let n = rates.len() as f64;
    let rate: f64 = rates.iter().map(|(rate, _)| rate).sum();
    let bytes: f64 = rates.iter().map(|(_, bytes)| bytes).sum();
    let known = |value: f64| match rate > 0.0 {
        true => Ok(Measured::of(value, rates.len() as u64, source)),
        false => Err(missing.to_owned()),
    };
    about.say(&f::COLLECTED_READ_RATE, known(rate / n));
    about.say(&f::COLLECTED_READ_SIZE, known(bytes / rate));
}
