//! ext2, ext3 and ext4: the options in effect, from the kernel where it tells, else from the
//! superblock and the mount options.

use super::devices::node;
use super::model::{BlockDevice, Ext4};
use super::notes::{Attributes, Notes, plain};
use super::root::Root;
use super::superblock::{self, Superblock};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt};

/// `JBD2_DEFAULT_MAX_COMMIT_AGE`; mountinfo shows any other interval.
const DEFAULT_COMMIT_S: u64 = 5;

pub(super) fn is_ext(fs: &str) -> bool {
    matches!(fs, "ext2" | "ext3" | "ext4")
}

/// Facts about the filesystem on `device`, mounted with `options`; and the uuid of a journal that
/// lies elsewhere.
pub(super) fn read(
    root: &Root,
    device: &BlockDevice,
    options: &[String],
    notes: &mut Notes,
) -> (Ext4, Option<String>) {
    let superblock = match read_superblock(root, &device.name) {
        Ok(superblock) => Some(superblock),
        Err(reason) => {
            notes.add(format!("superblock of {}", device.name), reason);
            None
        }
    };
    let kernel = kernel_options(root, &device.name, notes);
    let mut facts = effective(superblock.as_ref(), kernel.as_deref(), options);
    let mut sys = Attributes::new(root, format!("/sys/fs/ext4/{}", device.name), notes);
    if let Some(count) = sys.number("errors_count") {
        facts.errors_count = Some(count);
    }
    (facts, superblock.and_then(|found| found.journal_uuid))
}

fn read_superblock(root: &Root, name: &str) -> Result<Superblock, String> {
    let node = node(name);
    let block = read_block(root, &node).map_err(|error| format!("{node}: {}", plain(&error)))?;
    superblock::parse(&block).map_err(|reason| format!("{node}: {reason}"))
}

/// A copied tree may hold an image in place of the device.
fn read_block(root: &Root, node: &str) -> io::Result<[u8; superblock::LENGTH]> {
    let file = root.open(node)?;
    let kind = file.metadata()?.file_type();
    if !(kind.is_file() || kind.is_block_device() && root.is_live()) {
        return Err(io::Error::other("neither a block device nor an image"));
    }
    let mut block = [0; superblock::LENGTH];
    file.read_exact_at(&mut block, superblock::OFFSET)?;
    Ok(block)
}

/// Every option in force, one a line, defaults included; ext4 alone has this file.
fn kernel_options(root: &Root, name: &str, notes: &mut Notes) -> Option<Vec<String>> {
    let path = format!("/proc/fs/ext4/{name}/options");
    let text = notes.optional(root, &path, &path)?;
    Some(text.lines().map(|line| line.trim().to_owned()).collect())
}

/// What mount options alone tell.
pub(crate) fn of_options(options: &[String]) -> Ext4 {
    effective(None, None, options)
}

fn effective(superblock: Option<&Superblock>, kernel: Option<&[String]>, mount: &[String]) -> Ext4 {
    let told = kernel.unwrap_or(mount);
    let has_journal = superblock
        .map(|found| found.has("has_journal"))
        .or_else(|| kernel.map(|list| value(list, "data").is_some()));
    let journaled = has_journal != Some(false);
    Ext4 {
        has_journal,
        data_mode: value(told, "data")
            .map(str::to_owned)
            .or_else(|| default_mode(superblock, kernel.is_some())),
        barrier: barrier(superblock, told),
        commit_interval_s: value(told, "commit")
            .and_then(|text| text.parse().ok())
            // `commit=0` asks for the default.
            .map(|seconds| {
                if seconds == 0 {
                    DEFAULT_COMMIT_S
                } else {
                    seconds
                }
            })
            .or((kernel.is_none() && has_journal.is_some()).then_some(DEFAULT_COMMIT_S))
            .filter(|_| journaled),
        errors_behaviour: value(told, "errors")
            .or_else(|| superblock?.errors_behaviour)
            .map(str::to_owned),
        errors_count: superblock.map(|found| found.error_count),
        default_mount_options: superblock
            .map(|found| found.default_mount_options.clone())
            .unwrap_or_default(),
        features: superblock
            .map(|found| found.features.clone())
            .unwrap_or_default(),
        block_size_bytes: superblock.and_then(|found| found.block_size_bytes),
        journal_bytes: superblock.and_then(|found| found.journal_bytes),
        journal_external: superblock
            .filter(|found| found.has("has_journal"))
            .map(|found| found.journal_uuid.is_some()),
        // Zero: the filesystem was not told.
        stride_blocks: superblock.map(|found| found.stride_blocks),
        stripe_width_blocks: superblock.map(|found| found.stripe_width_blocks),
        created_unix_s: superblock.map(|found| found.created_unix_s),
    }
}

/// Mountinfo leaves the mode out where it is the superblock's own, and that is `ordered` unless
/// `tune2fs -o` has set another.
fn default_mode(superblock: Option<&Superblock>, kernel_told: bool) -> Option<String> {
    let superblock = superblock?;
    if kernel_told || !superblock.has("has_journal") {
        return None;
    }
    Some(superblock.default_data_mode.unwrap_or("ordered").to_owned())
}

fn barrier(superblock: Option<&Superblock>, options: &[String]) -> Option<bool> {
    let given = options.iter().find_map(|option| match option.as_str() {
        "barrier" | "barrier=1" => Some(true),
        "nobarrier" | "barrier=0" => Some(false),
        _ => None,
    });
    given.or_else(|| {
        let stored = &superblock?.default_mount_options;
        Some(!stored.iter().any(|option| option == "nobarrier"))
    })
}

fn value<'a>(options: &'a [String], name: &str) -> Option<&'a str> {
    options
        .iter()
        .rev()
        .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_kernel_is_believed_before_the_superblock() {
        let stored = Superblock {
            features: list("has_journal extent"),
            default_data_mode: Some("writeback"),
            ..Superblock::default()
        };
        let kernel = list("rw data=journal nobarrier commit=30 errors=remount-ro");
        let facts = effective(Some(&stored), Some(&kernel), &list("rw relatime"));
        assert_eq!(facts.data_mode.as_deref(), Some("journal"));
        assert_eq!(facts.barrier, Some(false));
        assert_eq!(facts.commit_interval_s, Some(30));
        assert_eq!(facts.errors_behaviour.as_deref(), Some("remount-ro"));
    }

    #[test]
    fn without_the_kernels_list_the_superblocks_default_counts() {
        let mut stored = Superblock {
            features: list("has_journal"),
            ..Superblock::default()
        };
        let facts = effective(Some(&stored), None, &list("rw relatime"));
        assert_eq!(facts.data_mode.as_deref(), Some("ordered"));
        assert_eq!(
            (facts.barrier, facts.commit_interval_s),
            (Some(true), Some(5))
        );
        stored.default_data_mode = Some("writeback");
        let facts = effective(Some(&stored), None, &list("rw relatime barrier=0"));
        assert_eq!(facts.data_mode.as_deref(), Some("writeback"));
        assert_eq!(facts.barrier, Some(false));
    }

    #[test]
    fn without_a_journal_there_is_no_mode_and_no_commit() {
        let stored = Superblock::default();
        let kernel = list("rw barrier commit=5 errors=continue");
        for facts in [
            effective(Some(&stored), Some(&kernel), &[]),
            effective(None, Some(&kernel), &[]),
        ] {
            assert_eq!(facts.has_journal, Some(false));
            assert_eq!((facts.data_mode, facts.commit_interval_s), (None, None));
            assert_eq!(facts.barrier, Some(true));
        }
    }

    #[test]
    fn nothing_known_is_not_the_default() {
        let facts = effective(None, None, &list("rw relatime"));
        assert_eq!(
            (facts.has_journal, facts.data_mode, facts.barrier),
            (None, None, None)
        );
        assert_eq!(facts.commit_interval_s, None);
    }
}
