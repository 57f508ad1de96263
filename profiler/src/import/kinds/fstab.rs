//! /etc/fstab: what is meant to be mounted, not what is.

use crate::host::{mountinfo, unescape};
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::MountFile;
use crate::import::source::{Imports, Source};

pub struct Fstab;

impl Kind for Fstab {
    fn name(&self) -> &'static str {
        "fstab"
    }

    fn about(&self) -> &'static str {
        "/etc/fstab"
    }

    /// The kernel never prints tags for sources, nor `defaults`.
    fn recognises(&self, source: &Source) -> bool {
        let mut entries = source.lines().filter_map(|(_, line)| entry(line));
        entries.any(|entry| {
            let tag = ["UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="]
                .iter()
                .any(|tag| entry.source.starts_with(tag));
            let asked = entry
                .options
                .iter()
                .any(|option| ["defaults", "noauto", "nofail"].contains(&option.as_str()));
            tag || asked
        }) || (source.base() == "fstab" && source.lines().any(|(_, line)| entry(line).is_some()))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut entries: Vec<_> = source.lines().filter_map(|(_, line)| entry(line)).collect();
        if entries.is_empty() {
            return Err(source.refuse_all("no line is an entry of fstab", "copy /etc/fstab again"));
        }
        into.host.get_or_insert_default().fstab.append(&mut entries);
        Ok(())
    }
}

/// `UUID=... /srv ext4 defaults 0 2`; the last two may be missing.
fn entry(line: &str) -> Option<MountFile> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [source, target, fs, options, rest @ ..] = &words[..] else {
        return None;
    };
    let is_entry = (target.starts_with('/') || matches!(*target, "none" | "swap"))
        && fs.starts_with(|c: char| c.is_ascii_lowercase())
        && rest.len() <= 2
        && rest.iter().all(|word| word.parse::<u8>().is_ok())
        && !source.starts_with('#');
    is_entry.then(|| MountFile {
        source: unescape(source),
        target: unescape(target),
        fs: (*fs).to_owned(),
        options: mountinfo::options(options),
        ..MountFile::default()
    })
}
