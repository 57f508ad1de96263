//! /proc/mounts, mountinfo, and what `mount` prints.

use crate::host::mountinfo;
use crate::host::unescape;
use crate::import::kinds::Kind;
use crate::import::model::hostfiles::MountFile;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct Mounts;

impl Kind for Mounts {
    fn name(&self) -> &'static str {
        "mounts"
    }

    fn about(&self) -> &'static str {
        "/proc/mounts, /proc/PID/mountinfo or the output of mount"
    }

    fn recognises(&self, source: &Source) -> bool {
        let mut lines = source.lines().filter(|(_, line)| !line.trim().is_empty());
        lines.next().is_some_and(|(_, line)| mount(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut mounts = Vec::new();
        let mut bad = Vec::new();
        for (number, line) in source.lines().filter(|(_, line)| !line.trim().is_empty()) {
            match mount(line) {
                Some(mount) => mounts.push(mount),
                None => bad.push(number),
            }
        }
        if mounts.is_empty() {
            return Err(source.refuse_all("no line is a mount", "copy /proc/self/mountinfo again"));
        }
        for number in bad {
            into.note(
                Level::Warning,
                &source.name,
                Some(number),
                "line left out: not in the form of a mount",
            );
        }
        into.host.get_or_insert_default().mounts.append(&mut mounts);
        Ok(())
    }
}

fn mount(line: &str) -> Option<MountFile> {
    let mut mount = of_mountinfo(line)
        .or_else(|| of_command(line))
        .or_else(|| of_proc(line))?;
    if mount.fs == "xfs" {
        // Mount options count in sectors of 512 bytes, unlike xfs_info.
        let sectors = |name: &str| {
            let value = mount
                .options
                .iter()
                .find_map(|o| o.strip_prefix(name)?.strip_prefix('='));
            value
                .and_then(|v| v.parse::<u64>().ok())
                .map(|n| n.saturating_mul(512))
        };
        (mount.stripe_unit_bytes, mount.stripe_width_bytes) = (sectors("sunit"), sectors("swidth"));
    }
    Some(mount)
}

fn of_mountinfo(line: &str) -> Option<MountFile> {
    let (lines, _) = mountinfo::parse(line);
    let line = lines.into_iter().next()?;
    let mut options = line.options;
    for option in line.super_options {
        if !options.contains(&option) {
            options.push(option);
        }
    }
    Some(MountFile {
        source: line.source,
        target: line.target,
        fs: line.fs,
        number: Some(line.number),
        options,
        ..MountFile::default()
    })
}

/// `/dev/sda1 on /srv type ext4 (rw,relatime)`.
fn of_command(line: &str) -> Option<MountFile> {
    let (source, rest) = line.split_once(" on ")?;
    let (target, rest) = rest.rsplit_once(" type ")?;
    let (fs, options) = rest.split_once(" (")?;
    let (options, _) = options.split_once(')')?;
    Some(MountFile {
        source: source.to_owned(),
        target: target.to_owned(),
        fs: fs.to_owned(),
        options: mountinfo::options(options),
        ..MountFile::default()
    })
}

/// `/dev/sda1 /srv ext4 rw,relatime 0 0`.
fn of_proc(line: &str) -> Option<MountFile> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [source, target, fs, options, dump, pass] = words[..] else {
        return None;
    };
    let flags = dump.parse::<u8>().is_ok() && pass.parse::<u8>().is_ok();
    let is_target = target.starts_with('/') || target == "none";
    let is_fs = fs.starts_with(|c: char| c.is_ascii_alphabetic());
    (flags && is_target && is_fs).then(|| MountFile {
        source: unescape(source),
        target: unescape(target),
        fs: fs.to_owned(),
        options: mountinfo::options(options),
        ..MountFile::default()
    })
}
