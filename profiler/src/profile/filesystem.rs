//! Facts about each filesystem: how it was made and how it is mounted. Its journal and its sync
//! calls are in [`super::journal`].

use super::answer::{Answer, flag, number, text, whole};
use super::{About, Fold, journal, subject};
use crate::host::{AtimeMode, DeviceClass, Ext4, Mount};
use rules::facts::{self as f, Fact, Facts, Scope};

const MOUNTINFO: &str = "mountinfo";
const FSTAB: &str = "/etc/fstab";
const SUPERBLOCK: &str = "the superblock";

pub(super) fn put(fold: &Fold<'_>, facts: &mut Facts) {
    for mount in fold.stack.filesystems() {
        let mut about = About::new(facts, subject(Scope::Filesystem, &mount.target));
        about.word("mount", &mount.target);
        about.word("source", &mount.source);
        if let Some(top) = fold.stack.top(mount) {
            about.word("device", &top.name);
            about.relate(&subject(Scope::Device, &top.name));
            if let Some(array) = fold.stack.array(top) {
                about.relate(&subject(Scope::Array, &array.name));
            }
        }
        mounted(mount, &mut about);
        in_fstab(mount, &mut about);
        let made = Made {
            fold,
            mount,
            missing: unread(fold, mount),
        };
        made.journal(&mut about);
        made.layout(&mut about);
        made.health(&mut about);
        databases(fold, mount, &mut about);
        journal::put(fold, mount, &mut about);
    }
}

pub(super) fn is_ext(mount: &Mount) -> bool {
    matches!(mount.fs.as_str(), "ext2" | "ext3" | "ext4")
}

fn has(mount: &Mount, option: &str) -> bool {
    mount.options.iter().any(|own| own == option)
}

fn value<'a>(mount: &'a Mount, key: &str) -> Option<&'a str> {
    mount
        .options
        .iter()
        .find_map(|own| own.strip_prefix(key)?.strip_prefix('='))
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
    let reason = "no probe counts the updates of access times apart";
    about.say_unknown(&[&f::ATIME_DIRTY_RATE], reason);
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
        let found = line.map(|line| {
            let name = |option: &String| option.split('=').next().unwrap_or_default().to_owned();
            line.iter()
                .any(|option| names.contains(&name(option).as_str()))
        });
        found
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

/// Why the superblock of a filesystem is not known.
fn unread(fold: &Fold<'_>, mount: &Mount) -> String {
    let about = |what: &str| {
        what.contains(&mount.target) && mount.target != "/"
            || what.contains(&mount.source)
            || mount
                .device
                .as_deref()
                .is_some_and(|device| what.contains(device))
    };
    let host = &fold.capture.host;
    let noted = host.missing.iter().find(|missing| about(&missing.what));
    noted.map_or_else(
        || "its superblock was not read".to_owned(),
        |missing| missing.reason.clone(),
    )
}

/// What the filesystem was made with.
struct Made<'a> {
    fold: &'a Fold<'a>,
    mount: &'a Mount,
    missing: String,
}

impl Made<'_> {
    fn ext4(&self) -> Option<&Ext4> {
        self.mount.ext4.as_ref()
    }

    fn flag(&self, value: Option<bool>) -> Answer {
        flag(value, SUPERBLOCK, &self.missing)
    }

    fn journal(&self, about: &mut About<'_>) {
        let ext4 = self.ext4();
        let xfs = self.mount.xfs.as_ref();
        let has = match self.mount.fs.as_str() {
            "xfs" | "jfs" | "reiserfs" => Some(true),
            "ext2" => Some(false),
            _ if is_ext(self.mount) => ext4.and_then(|ext4| ext4.has_journal),
            _ => Some(false),
        };
        about.say(&f::FS_JOURNAL, self.flag(has));
        let size = ext4
            .and_then(|ext4| ext4.journal_bytes)
            .or(xfs.and_then(|xfs| xfs.log_bytes));
        about.say(&f::FS_JOURNAL_SIZE, whole(size, SUPERBLOCK, &self.missing));
        let mode = ext4.and_then(|ext4| ext4.data_mode.as_deref());
        let missing = match is_ext(self.mount) {
            true => self.missing.as_str(),
            false => "only ext3 and ext4 have data modes",
        };
        about.say(
            &f::FS_DATA_MODE,
            text(mode, "mount options in effect", missing),
        );
        about.say(
            &f::FS_BARRIER,
            flag(self.barrier(), "mount options in effect", &self.missing),
        );
        self.superblock_defaults(about);
    }

    fn barrier(&self) -> Option<bool> {
        let off = has(self.mount, "nobarrier") || has(self.mount, "barrier=0");
        match self.mount.fs.as_str() {
            "xfs" | "btrfs" => Some(!off),
            _ if off => Some(false),
            _ => self.ext4().and_then(|ext4| ext4.barrier),
        }
    }

    /// Defaults that `tune2fs -o` left in the superblock and nothing in fstab overrides.
    fn superblock_defaults(&self, about: &mut About<'_>) {
        let stored = self.ext4().filter(|ext4| ext4.has_journal.is_some());
        let Some(ext4) = stored else {
            let facts: [&Fact; 2] = [
                &f::FS_DATA_MODE_FROM_SUPERBLOCK,
                &f::FS_BARRIER_FROM_SUPERBLOCK,
            ];
            return about.say_unknown(&facts, &self.missing);
        };
        let default = |name: &str| ext4.default_mount_options.iter().any(|own| own == name);
        let line = self
            .mount
            .fstab_options
            .as_ref()
            .unwrap_or(&self.mount.options);
        let asked = |name: &str| line.iter().any(|own| own.starts_with(name));
        let mode = match ext4.data_mode.as_deref() {
            Some("writeback") => default("journal_data_writeback"),
            Some("journal") => default("journal_data"),
            _ => false,
        };
        let mode = mode && !asked("data=");
        about.say(&f::FS_DATA_MODE_FROM_SUPERBLOCK, self.flag(Some(mode)));
        let off = self.barrier().map(|on| !on && default("nobarrier"));
        let off = off.map(|off| off && !asked("nobarrier") && !asked("barrier"));
        about.say(&f::FS_BARRIER_FROM_SUPERBLOCK, self.flag(off));
    }

    fn layout(&self, about: &mut About<'_>) {
        let (ext4, xfs) = (self.ext4(), self.mount.xfs.as_ref());
        let block = self.block_size();
        let size = |value: Option<u64>| whole(value, SUPERBLOCK, &self.missing);
        about.say(&f::FS_BLOCK_SIZE, size(block));
        let blocks = |count: Option<u64>| count?.checked_mul(block?);
        let named = value(self.mount, "stripe").and_then(|blocks| blocks.parse().ok());
        let width = named.or(ext4.and_then(|ext4| ext4.stripe_width_blocks));
        let width = blocks(width).or(xfs.and_then(|xfs| xfs.stripe_width_bytes));
        about.say(&f::FS_STRIPE_WIDTH, size(width));
        let unit = blocks(ext4.and_then(|ext4| ext4.stride_blocks));
        about.say(
            &f::FS_STRIPE_UNIT,
            size(unit.or(xfs.and_then(|xfs| xfs.stripe_unit_bytes))),
        );
        about.say(
            &f::FS_LOG_BUFFER,
            size(xfs.and_then(|xfs| xfs.log_buffer_bytes)),
        );
        let index = ext4.filter(|ext4| !ext4.features.is_empty());
        let index = index.map(|ext4| ext4.features.iter().any(|own| own == "dir_index"));
        about.say(&f::FS_DIR_INDEX, self.flag(index));
    }

    fn block_size(&self) -> Option<u64> {
        let ext4 = self.ext4().and_then(|ext4| ext4.block_size_bytes);
        ext4.or(self.mount.xfs.as_ref().and_then(|xfs| xfs.block_size_bytes))
    }

    fn health(&self, about: &mut About<'_>) {
        let ext4 = self.ext4();
        let missing = match is_ext(self.mount) {
            true => self.missing.as_str(),
            false => "only ext2, ext3 and ext4 count their errors",
        };
        let errors = ext4.and_then(|ext4| ext4.errors_count);
        about.say(&f::FS_ERRORS_COUNT, whole(errors, "/sys/fs/ext4", missing));
        let behaviour = ext4.and_then(|ext4| ext4.errors_behaviour.as_deref());
        about.say(
            &f::FS_ERRORS_BEHAVIOUR,
            text(behaviour, SUPERBLOCK, missing),
        );
        let fs = self.mount.fs.as_str();
        let layered = matches!(fs, "overlay" | "aufs" | "9p" | "virtiofs" | "cifs" | "smb3")
            || fs.starts_with("fuse")
            || fs.starts_with("nfs");
        let top = self.fold.stack.top(self.mount);
        let looped = top.is_some_and(|top| top.class == DeviceClass::Loop);
        about.say(
            &f::FS_ON_VIRTUAL_LAYER,
            flag(Some(layered || looped), MOUNTINFO, ""),
        );
    }
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
    let reason = host
        .missing
        .iter()
        .find(|missing| missing.what.contains("database"));
    let say = |value: bool| match (value, reason) {
        (false, Some(missing)) => Err(missing.reason.clone()),
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
