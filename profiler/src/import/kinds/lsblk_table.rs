//! The table of `lsblk`, whose tree is drawn with lines. Cells may be empty: they are found by where
//! their column's head stands.

use crate::import::amounts::size;
use crate::import::cells::{Columns, heads};
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::hostfiles::BlockNode;
use crate::import::source::{Imports, Source};

pub struct LsblkTable;

impl Kind for LsblkTable {
    fn name(&self) -> &'static str {
        "lsblk-table"
    }

    fn about(&self) -> &'static str {
        "lsblk as text, with its head line"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().take(50).any(|(_, line)| is_head(line))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut columns = Columns::default();
        let mut nodes: Vec<BlockNode> = Vec::new();
        // Names above, with how far in they stand.
        let mut above: Vec<(usize, String)> = Vec::new();
        for (_, line) in source.lines() {
            if is_head(line) {
                columns = heads(line);
                continue;
            }
            let plain: Vec<char> = line
                .chars()
                .map(|c| if is_branch(c) { ' ' } else { c })
                .collect();
            let Some(depth) = plain.iter().position(|c| *c != ' ') else {
                continue;
            };
            if columns.is_empty() {
                continue;
            }
            let plain: String = plain.into_iter().collect();
            let name = plain
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned();
            above.retain(|(other, _)| *other < depth);
            let below = above.last().map(|(_, name)| name.clone());
            above.push((depth, name.clone()));
            add(&mut nodes, &columns, &plain, name, below);
        }
        if nodes.is_empty() {
            return Err(source.refuse_all(
                "it has a head and no device",
                "save the output of `lsblk -J -O -b`",
            ));
        }
        into.host.get_or_insert_default().nodes.append(&mut nodes);
        Ok(())
    }
}

fn is_head(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |name: &str| words.contains(&name);
    words.first() == Some(&"NAME") && (has("TYPE") || has("MAJ:MIN") || has("SIZE") || has("ROTA"))
}

/// Lines of the tree; `|-` and the backquote with -i.
fn is_branch(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c) || "|`".contains(c)
}

/// A node that hangs on several others is listed below each of them.
fn add(
    nodes: &mut Vec<BlockNode>,
    columns: &Columns,
    line: &str,
    name: String,
    below: Option<String>,
) {
    // `-` belongs to the drawing with -i.
    let name = name.trim_start_matches('-').to_owned();
    if let Some(known) = nodes.iter_mut().find(|node| node.name == name) {
        known
            .below
            .extend(below.filter(|below| !known.below.contains(below)));
        return;
    }
    let cell = |name: &str| columns.cell(line, name);
    let truth = |name: &str| cell(name).map(|text| text == "1");
    let bytes = |name: &str| size(&cell(name)?, 1);
    let points = cell("MOUNTPOINT").or_else(|| cell("MOUNTPOINTS"));
    nodes.push(BlockNode {
        name,
        number: cell("MAJ:MIN"),
        kind: cell("TYPE"),
        size_bytes: bytes("SIZE"),
        rotational: truth("ROTA"),
        removable: truth("RM"),
        read_only: truth("RO"),
        mount_points: points.into_iter().collect(),
        fs: cell("FSTYPE"),
        model: cell("MODEL"),
        scheduler: cell("SCHED"),
        nr_requests: bytes("RQ-SIZE"),
        read_ahead_kib: bytes("RA"),
        logical_block_size_bytes: bytes("LOG-SEC"),
        physical_block_size_bytes: bytes("PHY-SEC"),
        minimum_io_size_bytes: bytes("MIN-IO"),
        optimal_io_size_bytes: bytes("OPT-IO"),
        alignment_offset: cell("ALIGNMENT").and_then(|text| text.parse().ok()),
        below: below
            .into_iter()
            .map(|name| name.trim_start_matches('-').to_owned())
            .collect(),
        ..BlockNode::default()
    });
}
