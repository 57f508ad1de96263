//! Facts about each filesystem: how it was made and how it is mounted. Its journal and its sync
//! calls are in [`super::journal`].

use super::answer::{Answer, flag, number, text, whole};
use super::{About, Fold, journal, subject, superblock};
use crate::host::{AtimeMode, Mount};
use rules::facts::{self as f, Facts, Measured, Scope};

const MOUNTINFO: &str = "mountinfo";
const FSTAB: &str = "/etc/fstab";

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    for mount in fold.stack.filesystems() {
        let mut about = About::new(facts, subject(Scope::Filesystem, &mount.target));
        about.word("mount", &mount.target);
        about.word("source", &mount.source);
        about.word("options", &options(mount));
        if let Some(top) = fold.stack.top(mount) {
            about.word("device", &top.name);
            about.relate(&subject(Scope::Device, &top.name));
            if let Some(array) = fold.stack.array(top) {
                about.relate(&subject(Scope::Array, &array.name));
            }
        }
        mounted(mount, &mut about);
        about.say(&f::ATIME_DIRTY_RATE, access_times(fold, mount));
        in_fstab(mount, &mut about);
        superblock::put(fold, mount, &mut about);
        databases(fold, mount, &mut about);
        journal::put(fold, mount, &mut about);
    }
}

/// The options in effect, as `mount -o` takes them: what only the kernel says of itself is left out.
fn options(mount: &Mount) -> String {
    const MARKS: [&str; 2] = ["seclabel", "attr2"];
    let own = mount.options.iter().map(String::as_str);
    let own: Vec<&str> = own.filter(|own| !MARKS.contains(own)).collect();
    match own.is_empty() {
        true => "defaults".to_owned(),
        false => own.join(","),
    }
}

pub(super) fn is_ext(mount: &Mount) -> bool {
    matches!(mount.fs.as_str(), "ext2" | "ext3" | "ext4")
}

pub(super) fn has(mount: &Mount, option: &str) -> bool {
    mount.options.iter().any(|own| own == option)
}

pub(super) fn value<'a>(mount: &'a Mount, key: &str) -> Option<&'a str> {
    mount
        .options
        .iter()
        .find_map(|own| own.strip_prefix(key)?.strip_prefix('='))
}

/// Access-time updates pass the common way, where they are counted, on the ext family only: xfs and
/// btrfs have ways of their own.
fn access_times(fold: &Fold<'_>, mount: &Mount) -> Answer {
    const SOURCE: &str = "writeback probe";
    if !is_ext(mount) {
        return Err(format!("{} does not tell of them", mount.fs));
    }
    if let Some(reason) = fold.silence("writeback") {
        return Err(reason);
    }
    let seconds = fold.seconds().ok_or("nothing was recorded")?;
    let numbers = numbers(fold, mount);
    let dirtied = numbers
        .iter()
        .find_map(|number| fold.total.dirtied.get(number));
    let dirtied = dirtied.copied().unwrap_or_default();
    let n = dirtied.atime.saturating_add(dirtied.other);
    Ok(Measured::of(dirtied.atime as f64 / seconds, n, SOURCE))
}

fn mounted(mount: &Mount, about: &mut About<'_>) {
    let option = |value: bool| flag(Some(value), MOUNTINFO, "");
    about.say(&f::FS_TYPE, text(Some(&mount.fs), MOUNTINFO, ""));
    let atime = match mount.atime {
        AtimeMode::Strict => "strict",
        AtimeMode::Relative => "relatime",
        AtimeMode::Off => "noatime",
    };
    about.say(&f::FS_ATIME, text(Some(atime), MOUNTINFO, ""));
    about.say(&f::FS_READ_ONLY, option(mount.read_only));
    let discard = mount
        .options
        .iter()
        .any(|own| own == "discard" || own.starts_with("discard="));
    about.say(&f::FS_DISCARD, option(discard));
    about.say(&f::FS_SYNC_OPTION, option(has(mount, "sync")));
    about.say(
        &f::FS_JOURNAL_ASYNC_COMMIT,
        option(has(mount, "journal_async_commit")),
    );
    about.say(&f::FS_COMMIT_INTERVAL, commit_interval(mount));
    about.say(
        &f::FS_SIZE,
        whole(mount.size_bytes, "statfs", "its size is not known"),
    );
    let used = mount.size_bytes.zip(mount.available_bytes);
    let used = used.filter(|(size, _)| *size > 0);
    let used = used.map(|(size, free)| 1.0 - (free as f64 / size as f64).min(1.0));
    let source = "statfs, what is left for ordinary users";
    about.say(
        &f::FS_USED,
        number(used, source, "its free space is not known"),
    );
}

fn commit_interval(mount: &Mount) -> Answer {
    let seconds = mount
        .ext4
        .as_ref()
        .and_then(|ext4| ext4.commit_interval_s)
        .map(|s| s as f64);
    let named = value(mount, "commit").and_then(|seconds| seconds.parse::<f64>().ok());
    let found = match mount.fs.as_str() {
        "btrfs" => named.or(Some(30.0)),
        _ if is_ext(mount) => seconds.or(named),
        _ => None,
    };
    let missing = match is_ext(mount) {
        true => "its commit interval could not be read",
        false => "this filesystem has no such interval",
    };
    number(
        found.map(|seconds| seconds * 1e9),
        "mount options in effect",
        missing,
    )
}

fn in_fstab(mount: &Mount, about: &mut About<'_>) {
    const REMOVED: [&str; 6] = [
        "delaylog",
        "nodelaylog",
        "ihashsize",
        "irixsgid",
        "osyncisdsync",
        "osyncisosync",
    ];
    let line = mount.fstab_options.as_deref();
    let any = |names: &[&str]| {
        line.map(|line| {
            let name = |option: &String| option.split('=').next().unwrap_or_default().to_owned();
            line.iter()
                .any(|option| names.contains(&name(option).as_str()))
        })
    };
    let missing = "it has no line in fstab";
    let both = any(&["noatime"])
        .zip(any(&["nodiratime"]))
        .map(|(a, b)| a && b);
    about.say(&f::FS_NODIRATIME_REDUNDANT, flag(both, FSTAB, missing));
    let xfs = mount.fs == "xfs";
    let barrier = any(&["barrier", "nobarrier"]).map(|found| found && xfs);
    about.say(&f::FS_FSTAB_XFS_BARRIER, flag(barrier, FSTAB, missing));
    let removed = any(&REMOVED).map(|found| found && xfs);
    about.say(&f::FS_FSTAB_REMOVED_OPTION, flag(removed, FSTAB, missing));
}

fn databases(fold: &Fold<'_>, mount: &Mount, about: &mut About<'_>) {
    let host = &fold.capture.host;
    let (mut data, mut wal, mut shared) = (false, false, false);
    for database in &host.databases {
        let own = fold
            .stack
            .homes(database)
            .map(|home| home.is_some_and(|home| home.number == mount.number));
        data |= own[0];
        wal |= own[1];
        shared |= own[0] && own[1];
    }
    let hidden = fold.stack.hidden_database();
    let say = |value: bool| match (value, &hidden) {
        (false, Some(reason)) => Err(reason.clone()),
        (value, _) => flag(Some(value), "directories of the databases found", ""),
    };
    about.say(&f::FS_HAS_DATABASE, say(data || wal));
    about.say(&f::FS_HAS_WAL, say(wal));
    about.say(&f::FS_WAL_SHARES_DATA, say(shared));
}

/// The device numbers under which a filesystem may have been counted.
pub(super) fn numbers(fold: &Fold<'_>, mount: &Mount) -> Vec<String> {
    let device = mount
        .device
        .as_deref()
        .and_then(|name| fold.stack.named(name));
    let mut numbers: Vec<String> = device
        .map(|device| device.number.clone())
        .into_iter()
        .collect();
    if !numbers.contains(&mount.number) {
        numbers.push(mount.number.clone());
    }
    numbers
}

/// The word for a filesystem that the journal probe does not follow.
pub(super) fn jbd2(mount: &Mount) -> Result<(), String> {
    match mount.fs.as_str() {
        "ext3" | "ext4" => Ok(()),
        "ext2" => Err("ext2 has no journal".to_owned()),
        fs => Err(format!(
            "the journal probe follows ext3 and ext4, and this is {fs}"
        )),
    }
}
