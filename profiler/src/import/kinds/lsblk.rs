//! `lsblk -J` of old util-linux (all strings) and new (booleans, numbers, lists).

use super::iostat_json::document;
use crate::import::amounts::size;
use crate::import::json::Json;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::BlockNode;
use crate::import::source::{Imports, Source};

pub struct Lsblk;

impl Kind for Lsblk {
    fn name(&self) -> &'static str {
        "lsblk"
    }

    fn about(&self) -> &'static str {
        "lsblk -J (JSON), with any columns"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.text.trim_start().starts_with('{') && source.text.contains("\"blockdevices\"")
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let document = document(source)?;
        let Some(devices) = document.get("blockdevices") else {
            return Err(source.refuse_all(
                "the JSON has no `blockdevices`",
                "save the output of `lsblk -J -O -b`",
            ));
        };
        let mut nodes = Vec::new();
        for device in devices.items() {
            add(device, None, &mut nodes);
        }
        if nodes.is_empty() {
            return Err(
                source.refuse_all("it names no device", "save the output of `lsblk -J -O -b`")
            );
        }
        into.host.get_or_insert_default().nodes.append(&mut nodes);
        Ok(())
    }
}

/// Keys differ in case between versions.
fn value<'a>(device: &'a Json, names: &[&str]) -> Option<&'a Json> {
    let members = device.members().iter();
    let mut found =
        members.filter(|(key, _)| names.iter().any(|name| key.eq_ignore_ascii_case(name)));
    found.next().map(|(_, value)| value)
}

/// A node that hangs on several others comes once for each of them.
fn add(device: &Json, below: Option<&str>, nodes: &mut Vec<BlockNode>) {
    let text = |names: &[&str]| value(device, names).and_then(Json::text).map(str::to_owned);
    let Some(name) = text(&["kname"]).or_else(|| text(&["name"])) else {
        return;
    };
    let known = nodes.iter_mut().find(|node| node.name == name);
    match known {
        Some(node) => {
            let below = below.map(str::to_owned);
            if let Some(below) = below.filter(|below| !node.below.contains(below)) {
                node.below.push(below);
            }
        }
        None => {
            let mut node = node(device, &name);
            node.below = below.map(str::to_owned).into_iter().collect();
            nodes.push(node);
        }
    }
    for child in value(device, &["children"]).map_or(&[][..], Json::items) {
        add(child, Some(&name), nodes);
    }
}

fn node(device: &Json, name: &str) -> BlockNode {
    let text = |names: &[&str]| {
        value(device, names)
            .and_then(Json::text)
            .map(|t| t.trim().to_owned())
    };
    let truth = |names: &[&str]| value(device, names).and_then(Json::truth);
    let bytes = |names: &[&str]| size(&text(names)?, 1);
    let one = value(device, &["mountpoint"]).into_iter();
    let many = value(device, &["mountpoints"])
        .map_or(&[][..], Json::items)
        .iter();
    let mut mount_points: Vec<String> = Vec::new();
    for point in one.chain(many).filter_map(Json::text) {
        if !point.is_empty() && !mount_points.iter().any(|known| known == point) {
            mount_points.push(point.to_owned());
        }
    }
    BlockNode {
        name: name.to_owned(),
        mapper_name: text(&["name"]).filter(|own| own != name),
        number: text(&["maj:min"]),
        kind: text(&["type"]),
        size_bytes: bytes(&["size"]),
        rotational: truth(&["rota"]),
        removable: truth(&["rm"]),
        read_only: truth(&["ro"]),
        mount_points,
        fs: text(&["fstype"]),
        model: text(&["model"]),
        serial: text(&["serial"]),
        scheduler: text(&["sched"]),
        nr_requests: bytes(&["rq-size"]),
        read_ahead_kib: bytes(&["ra"]),
        logical_block_size_bytes: bytes(&["log-sec"]),
        physical_block_size_bytes: bytes(&["phy-sec"]),
        minimum_io_size_bytes: bytes(&["min-io"]),
        optimal_io_size_bytes: bytes(&["opt-io"]),
        alignment_offset: text(&["alignment"]).and_then(|t| t.parse().ok()),
        start_sector: bytes(&["start"]),
        below: Vec::new(),
    }
}
