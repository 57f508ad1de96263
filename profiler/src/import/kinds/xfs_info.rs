//! `xfs_info` and the summary of `mkfs.xfs`: sunit and swidth are in filesystem blocks there.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::XfsFile;
use crate::import::source::{Imports, Source};

pub struct XfsInfo;

impl Kind for XfsInfo {
    fn name(&self) -> &'static str {
        "xfs-info"
    }

    fn about(&self) -> &'static str {
        "xfs_info, or what mkfs.xfs prints"
    }

    fn recognises(&self, source: &Source) -> bool {
        let has = |word| source.text.contains(word);
        has("swidth=")
            && has("bsize=")
            && source
                .lines()
                .any(|(_, line)| line.trim_start().starts_with("data "))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut found: Vec<XfsFile> = Vec::new();
        let mut section = "";
        for (_, line) in source.lines() {
            let Some((name, rest)) = line.split_once('=') else {
                continue;
            };
            let name = name.trim();
            if !name.is_empty() {
                section = match name {
                    "meta-data" => "meta",
                    "data" => "data",
                    "log" => "log",
                    _ => "other",
                };
            }
            if section == "meta" && !name.is_empty() {
                found.push(XfsFile {
                    device: rest.split_whitespace().next().map(str::to_owned),
                    ..XfsFile::default()
                });
            } else if found.is_empty() {
                found.push(XfsFile::default());
            }
            if let Some(xfs) = found.last_mut() {
                section_line(xfs, section, rest);
            }
        }
        if found.iter().all(|xfs| xfs.facts.block_size_bytes.is_none()) {
            return Err(source.refuse_all(
                "it has no data section",
                "save the whole of what xfs_info prints",
            ));
        }
        into.host.get_or_insert_default().xfs.append(&mut found);
        Ok(())
    }
}

fn section_line(xfs: &mut XfsFile, section: &str, rest: &str) {
    let value = |name: &str| {
        let words = rest.split([' ', ',', '\t']);
        let mut found = words
            .filter_map(|word| word.split_once('='))
            .filter(|(key, _)| *key == name);
        found
            .next()
            .and_then(|(_, value)| value.parse::<u64>().ok())
    };
    let block = value("bsize").or(xfs.facts.block_size_bytes);
    let bytes = |blocks: Option<u64>| {
        blocks
            .zip(block)
            .map(|(blocks, size)| blocks.saturating_mul(size))
    };
    match section {
        "meta" => xfs.facts.ag_count = value("agcount").or(xfs.facts.ag_count),
        "data" => {
            xfs.facts.block_size_bytes = block;
            xfs.data_blocks = value("blocks").or(xfs.data_blocks);
            xfs.facts.stripe_unit_bytes = bytes(value("sunit")).or(xfs.facts.stripe_unit_bytes);
            xfs.facts.stripe_width_bytes = bytes(value("swidth")).or(xfs.facts.stripe_width_bytes);
        }
        "log" => {
            if let Some(blocks) = value("blocks") {
                xfs.facts.log_bytes = bytes(Some(blocks));
                xfs.facts.log_external = Some(!rest.contains("internal"));
            }
            xfs.facts.log_sunit_bytes = bytes(value("sunit")).or(xfs.facts.log_sunit_bytes);
        }
        _ => {}
    }
}
