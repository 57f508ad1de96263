//! `tune2fs -l` and `dumpe2fs -h`.

use crate::import::amounts::size;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::ExtFile;
use crate::import::source::{Imports, Source};

pub struct Tune2fs;

impl Kind for Tune2fs {
    fn name(&self) -> &'static str {
        "tune2fs"
    }

    fn about(&self) -> &'static str {
        "tune2fs -l or dumpe2fs -h"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.text.contains("Filesystem features:") && source.text.contains("Block size:")
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut found: Vec<ExtFile> = Vec::new();
        for (_, line) in source.lines() {
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            if key == "Filesystem volume name" || found.is_empty() {
                found.push(ExtFile::default());
            }
            if let Some(ext) = found.last_mut() {
                setting(ext, key, value);
            }
        }
        if found.iter().all(|ext| ext.facts.block_size_bytes.is_none()) {
            return Err(source.refuse_all(
                "it names no block size",
                "save the whole of `tune2fs -l DEVICE`",
            ));
        }
        into.host.get_or_insert_default().ext.append(&mut found);
        Ok(())
    }
}

fn setting(ext: &mut ExtFile, key: &str, value: &str) {
    let whole = || {
        value
            .split_whitespace()
            .next()
            .and_then(|v| v.parse::<u64>().ok())
    };
    let words = || -> Vec<String> {
        let words = value.split_whitespace().filter(|word| *word != "(none)");
        words.map(str::to_owned).collect()
    };
    let facts = &mut ext.facts;
    match key {
        "Last mounted on" if value.starts_with('/') => ext.mounted_on = Some(value.to_owned()),
        "Filesystem features" => {
            facts.features = words();
            facts.has_journal = Some(facts.features.iter().any(|f| f == "has_journal"));
        }
        "Default mount options" => facts.default_mount_options = words(),
        "Block size" => facts.block_size_bytes = whole(),
        "RAID stride" => facts.stride_blocks = whole(),
        "RAID stripe width" => facts.stripe_width_blocks = whole(),
        "Journal size" | "Total journal size" => facts.journal_bytes = size(value, 1),
        "Journal device" => facts.journal_external = Some(true),
        "Journal inode" => facts.journal_external = Some(false),
        "FS Error count" => facts.errors_count = whole(),
        "Errors behavior" => {
            let behaviour = match value {
                "Continue" => "continue",
                "Remount read-only" => "remount-ro",
                "Panic" => "panic",
                _ => return,
            };
            facts.errors_behaviour = Some(behaviour.to_owned());
        }
        _ => {}
    }
}
