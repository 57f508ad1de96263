//! Where the data of stacked layers begins, each in the one below it:
//! `sdc1 start 26218496 sectors`, `md0 data_offset 2048 sectors`, `lvm 1st_pe 1.00m`.

use crate::import::amounts::size;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::collected::Layer;
use crate::import::source::{Imports, Source};

pub struct Layers;

const KINDS: [&str; 7] = [
    "start",
    "data_offset",
    "payload_offset",
    "1st_pe",
    "pe_start",
    "pe_offset",
    "offset",
];

impl Kind for Layers {
    fn name(&self) -> &'static str {
        "layers"
    }

    fn about(&self) -> &'static str {
        "Offsets of stacked layers, one a line from the partition up: NAME start|data_offset|payload_offset|1st_pe N sectors"
    }

    fn recognises(&self, source: &Source) -> bool {
        let found = source.lines().filter(|(_, line)| layer(line).is_some());
        found.count() >= 2
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let found = source.lines().filter_map(|(_, line)| layer(line));
        let mut found: Vec<Layer> = found.collect();
        if found.is_empty() {
            let next = "write a line as `md0 data_offset 2048 sectors` for each layer";
            return Err(source.refuse_all("no line gives the offset of a layer", next));
        }
        let layers = &mut into.collected.get_or_insert_default().layers;
        layers.append(&mut found);
        Ok(())
    }
}

fn layer(line: &str) -> Option<Layer> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, kind, amount) = match words[..] {
        [name, kind, amount] => (name, kind, amount.to_owned()),
        [name, kind, amount, unit] => (name, kind, format!("{amount}{unit}")),
        _ => return None,
    };
    let kind = kind.trim_end_matches(['=', ':']).to_ascii_lowercase();
    if !KINDS.contains(&kind.as_str()) {
        return None;
    }
    let sectors = amount
        .strip_suffix("sectors")
        .or_else(|| amount.strip_suffix('s'))
        .filter(|sectors| sectors.bytes().all(|b| b.is_ascii_digit()));
    let offset_bytes = match sectors {
        Some(sectors) => sectors.parse::<u64>().ok()?.checked_mul(512)?,
        // A bare number counts sectors, as dmsetup and mdadm do.
        None => size(amount.trim_end_matches("ytes"), 512)?,
    };
    Some(Layer {
        name: name.trim_start_matches("/dev/").to_owned(),
        kind,
        offset_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_units() {
        let bytes = |line: &str| layer(line).map(|layer| layer.offset_bytes);
        assert_eq!(bytes("md0 data_offset 2048 sectors"), Some(1 << 20));
        assert_eq!(bytes("lvm 1st_pe 1.00m"), Some(1 << 20));
        assert_eq!(bytes("lvm pe_start 1 MiB"), Some(1 << 20));
        assert_eq!(bytes("luks payload_offset 4096"), Some(2 << 20));
        assert_eq!(bytes("luks payload_offset 4096 bytes"), Some(4096));
        assert_eq!(bytes("the start of it"), None);
    }
}
