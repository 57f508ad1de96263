//! `blockdev --report`: readahead in 512-byte sectors, sizes in bytes.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::BlockNode;
use crate::import::source::{Imports, Source};

pub struct Blockdev;

impl Kind for Blockdev {
    fn name(&self) -> &'static str {
        "blockdev"
    }

    fn about(&self) -> &'static str {
        "blockdev --report"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| head(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut columns = Vec::new();
        let mut nodes = Vec::new();
        for (_, line) in source.lines() {
            match head(line) {
                Some(found) => columns = found,
                None => nodes.extend(node(&columns, line)),
            }
        }
        if nodes.is_empty() {
            return Err(source.refuse_all(
                "it has a head and no device",
                "save the output of `blockdev --report`",
            ));
        }
        into.host.get_or_insert_default().nodes.append(&mut nodes);
        Ok(())
    }
}

fn head(line: &str) -> Option<Vec<String>> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    (has("RO") && has("RA") && has("Device")).then_some(words)
}

fn node(columns: &[String], line: &str) -> Option<BlockNode> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let cell = |name: &str| words.get(columns.iter().position(|c| c == name)?).copied();
    let whole = |name: &str| cell(name).and_then(|text| text.parse::<u64>().ok());
    let start = whole("StartSec").or_else(|| whole("StartSec."));
    Some(BlockNode {
        name: cell("Device")?.trim_start_matches("/dev/").to_owned(),
        read_only: Some(cell("RO")? == "ro"),
        // Sectors of 512 bytes: two make a KiB.
        read_ahead_kib: whole("RA").map(|sectors| sectors / 2),
        logical_block_size_bytes: whole("SSZ"),
        size_bytes: whole("Size"),
        start_sector: start,
        ..BlockNode::default()
    })
}
