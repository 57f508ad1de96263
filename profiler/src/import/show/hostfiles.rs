//! Files of a host's configuration.

use super::{or_none, size, table, text, whole};
use crate::import::model::hostfiles::{ArrayFile, BlockNode, DatabaseFile, HostFiles};
use crate::units;
use std::collections::BTreeMap;

pub(super) fn host(host: &HostFiles, lines: &mut Vec<String>) {
    if let Some(release) = &host.kernel_release {
        lines.push(format!("  kernel {release}"));
    }
    if let Some(line) = &host.kernel_command_line {
        lines.push(format!("  started with {line}"));
    }
    for entry in &host.fstab {
        lines.push(format!(
            "  to be mounted: {} on {}: {} ({})",
            entry.source,
            entry.target,
            entry.fs,
            entry.options.join(",")
        ));
    }
    settings(&host.sysctls, &BTreeMap::new(), lines);
    if let Some(total) = host.memory_bytes.get("MemTotal") {
        lines.push(format!("  memory {}", units::bytes(*total as f64)));
    }
    for mount in &host.mounts {
        let stripes = match (mount.stripe_unit_bytes, mount.stripe_width_bytes) {
            (None, None) => String::new(),
            (unit, width) => format!(", stripe unit {}, width {}", size(unit), size(width)),
        };
        lines.push(format!(
            "  {} on {}: {} ({}){stripes}",
            mount.source,
            mount.target,
            mount.fs,
            mount.options.join(",")
        ));
    }
    arrays(&host.arrays, lines);
    nodes(&host.nodes, lines);
    for volume in &host.logical_volumes {
        lines.push(format!(
            "  {}/{}: {}, stripes {}, of {}",
            volume.group,
            volume.name,
            size(volume.size_bytes),
            whole(volume.stripes),
            size(volume.stripe_bytes)
        ));
    }
    for ext in &host.ext {
        let facts = &ext.facts;
        lines.push(format!(
            "  ext on {}: block {}, stride {} blocks, stripe width {} blocks, journal {}",
            text(ext.mounted_on.as_deref()),
            size(facts.block_size_bytes),
            whole(facts.stride_blocks),
            whole(facts.stripe_width_blocks),
            size(facts.journal_bytes)
        ));
    }
    for xfs in &host.xfs {
        let facts = &xfs.facts;
        let unit = facts.stripe_unit_bytes.filter(|n| *n > 0);
        let disks = facts
            .stripe_width_bytes
            .zip(unit)
            .map(|(width, unit)| width / unit);
        lines.push(format!(
            "  XFS {}: block {}, stripe unit {}, stripe width {}, data disks {}, log stripe unit {}",
            text(xfs.device.as_deref()), size(facts.block_size_bytes), size(facts.stripe_unit_bytes), size(facts.stripe_width_bytes), whole(disks), size(facts.log_sunit_bytes)
        ));
    }
    for mapping in &host.mappings {
        lines.push(format!(
            "  {}: {}, {} stripes, of {}",
            mapping.name,
            mapping.target,
            whole(mapping.stripes),
            size(mapping.stripe_chunk_bytes)
        ));
    }
    for database in host.postgresql.iter().chain(&host.mysql) {
        let DatabaseFile {
            settings: own,
            settings_bytes,
            ..
        } = database;
        settings(own, settings_bytes, lines);
    }
    for (device, attributes) in &host.attributes {
        for (name, value) in attributes {
            lines.push(format!("  {device} {name}: {value}"));
        }
    }
    let rows = host.partitions.iter().map(|p| {
        let state = match p.misaligned_bytes {
            Some(0) => "aligned".to_owned(),
            Some(n) => format!("MISALIGNED by {n} bytes"),
            None => "not known".to_owned(),
        };
        vec![
            p.name.clone(),
            units::count(p.start_bytes),
            size(p.physical_block_size_bytes),
            state,
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        table(
            &["partition", "begins at byte", "physical block", "alignment"],
            &rows,
            lines,
        );
    }
    lines.extend(
        host.log
            .iter()
            .map(|line| format!("  {} (line {}): {}", line.topic, line.line, line.text)),
    );
}

fn settings(
    settings: &BTreeMap<String, String>,
    bytes: &BTreeMap<String, u64>,
    lines: &mut Vec<String>,
) {
    for (name, value) in settings {
        let amount = bytes
            .get(name)
            .map_or_else(String::new, |n| format!(" ({})", units::bytes(*n as f64)));
        lines.push(format!("  {name} = {value}{amount}"));
    }
}

fn arrays(arrays: &[ArrayFile], lines: &mut Vec<String>) {
    for array in arrays {
        let percent = or_none(array.sync_percent, units::percent);
        let action = match array.sync_action.as_deref() {
            Some(action) => format!(", {action} {percent}"),
            None => String::new(),
        };
        lines.push(format!(
            "  {}: {}, {} disks, {} missing, {} with data, chunk {}{action}",
            array.name,
            text(array.level.as_deref()),
            whole(array.disks),
            whole(array.degraded),
            whole(array.data_disks),
            size(array.chunk_bytes)
        ));
    }
}

fn nodes(nodes: &[BlockNode], lines: &mut Vec<String>) {
    if nodes.is_empty() {
        return;
    }
    let rows = nodes.iter().map(|node| {
        let rotational = match node.rotational {
            Some(true) => "yes",
            Some(false) => "no",
            None => "-",
        };
        vec![
            node.name.clone(),
            text(node.kind.as_deref()),
            size(node.size_bytes),
            rotational.to_owned(),
            or_none(node.read_ahead_kib.map(|n| n as f64 * 1024.0), units::bytes),
            node.below.join(" "),
            node.mount_points.join(" "),
        ]
    });
    table(
        &[
            "device",
            "kind",
            "size",
            "rotational",
            "readahead",
            "on",
            "mounted",
        ],
        &rows.collect::<Vec<_>>(),
        lines,
    );
}
