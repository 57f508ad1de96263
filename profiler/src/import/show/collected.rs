//! Notes, tests of sync calls, timed requests and layers.

use super::{or_none, size, text};
use crate::import::model::collected::Collected;
use crate::units;

pub(super) fn collected(collected: &Collected, lines: &mut Vec<String>) {
    if let Some(notes) = &collected.workload {
        let yes = |flag: Option<bool>| text(flag.map(|flag| if flag { "yes" } else { "no" }));
        lines.push(format!(
            "  told of the load: read share {}, reads of {}, writes of {}, random {}, mapped {}, one disk {}, needed {}",
            or_none(notes.read_share.map(|share| share * 100.0), units::percent),
            size(notes.read_bytes),
            size(notes.write_bytes),
            yes(notes.random),
            yes(notes.mapped),
            or_none(notes.disk_per_s, units::rate),
            or_none(notes.load_per_s, units::rate),
        ));
    }
    if let Some(notes) = &collected.volume {
        lines.push(format!(
            "  volume {} of {}",
            notes.kind,
            size(notes.size_bytes)
        ));
    }
    for method in collected.sync_tests.iter().flat_map(|test| &test.methods) {
        lines.push(format!("  {}: {}", method.name, units::rate(method.per_s)));
    }
    if let (Some(first), Some(last)) = (collected.requests.first(), collected.requests.last()) {
        lines.push(format!(
            "  {} requests from {} s to {} s",
            collected.requests.len(),
            first.at_s,
            last.at_s
        ));
    }
    for layer in &collected.layers {
        lines.push(format!(
            "  {} {}: {} B",
            layer.name, layer.kind, layer.offset_bytes
        ));
    }
}
