//! Facts about how each filesystem was made, from its superblock and the options in effect.

use super::answer::{Answer, flag, text, whole};
use super::filesystem::{has, is_ext, value};
use super::{About, Fold};
use crate::host::{DeviceClass, Ext4, Mount};
use rules::facts::{self as f, Fact};

const SUPERBLOCK: &str = "the superblock";

pub(super) fn put(fold: &Fold<'_>, mount: &Mount, about: &mut About<'_>) {
    let made = Made {
        fold,
        mount,
        missing: unread(fold, mount),
    };
    made.journal(about);
    made.layout(about);
    made.health(about);
}

/// Why the superblock of a filesystem is not known.
fn unread(fold: &Fold<'_>, mount: &Mount) -> String {
    let names = [
        Some(mount.target.as_str()),
        Some(&mount.source),
        mount.device.as_deref(),
    ];
    let about = |what: &str| {
        let last = what.rsplit(' ').next().unwrap_or_default();
        names.contains(&Some(last))
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
            flag(Some(layered || looped), "mountinfo", ""),
        );
    }
}
