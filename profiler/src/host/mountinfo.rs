//! /proc/PID/mountinfo (proc_pid_mountinfo(5)): parsing, and which mounts can be reached.

use super::escape::unescape;
use std::collections::HashMap;

/// One line, unescaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    /// `MAJOR:MINOR`.
    pub(crate) number: String,
    pub(crate) root: String,
    pub(crate) target: String,
    pub(crate) options: Vec<String>,
    pub(crate) propagation: String,
    pub(crate) fs: String,
    pub(crate) source: String,
    pub(crate) super_options: Vec<String>,
}

/// The lines that parse, and the numbers (from 1) of those that do not.
pub(crate) fn parse(text: &str) -> (Vec<Line>, Vec<usize>) {
    let mut bad = Vec::new();
    let lines = text
        .split('\n')
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .filter_map(|(index, line)| {
            let parsed = parse_line(line);
            if parsed.is_none() {
                bad.push(index + 1);
            }
            parsed
        })
        .collect();
    (lines, bad)
}

/// Fields are parted by single spaces, so that an empty source stays in its place.
fn parse_line(line: &str) -> Option<Line> {
    let mut fields = line.split(' ');
    let id = fields.next()?.parse().ok()?;
    let parent = fields.next()?.parse().ok()?;
    let number = fields.next()?;
    let (major, minor) = number.split_once(':')?;
    let _: (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    let root = unescape(fields.next()?);
    let target = unescape(fields.next()?);
    let options = options(fields.next()?);
    let tags: Vec<&str> = fields.by_ref().take_while(|field| *field != "-").collect();
    Some(Line {
        id,
        parent,
        number: number.to_owned(),
        root,
        target,
        options,
        propagation: propagation(&tags),
        fs: unescape(fields.next()?),
        source: unescape(fields.next()?),
        super_options: options_or_none(fields.next()),
    })
}

fn options_or_none(field: Option<&str>) -> Vec<String> {
    field.map(options).unwrap_or_default()
}

/// Commas within a value are escaped, so that splitting comes first.
pub(crate) fn options(field: &str) -> Vec<String> {
    field
        .split(',')
        .filter(|option| !option.is_empty())
        .map(unescape)
        .collect()
}

fn propagation(tags: &[&str]) -> String {
    let has = |name: &str| tags.iter().any(|tag| tag.starts_with(name));
    match (has("shared:"), has("master:"), has("unbindable")) {
        (true, true, _) => "shared slave",
        (true, false, _) => "shared",
        (false, true, _) => "slave",
        (false, false, true) => "unbindable",
        (false, false, false) => "private",
    }
    .to_owned()
}

/// Leaves out what a later mount covers: the last one on a mount point is the one that is seen.
pub(super) fn reachable(lines: Vec<Line>) -> Vec<Line> {
    let mut children: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut by_id: HashMap<u64, usize> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        by_id.insert(line.id, index);
        if line.id != line.parent {
            children.entry(line.parent).or_default().push(index);
        }
    }
    let hidden: Vec<bool> = (0..lines.len())
        .map(|index| is_hidden(&lines, &children, index))
        .collect();
    let keep: Vec<bool> = (0..lines.len())
        .map(|index| {
            !is_covered(&lines, &children, index) && !below_hidden(&lines, &by_id, &hidden, index)
        })
        .collect();
    let mut keep = keep.into_iter();
    let mut lines = lines;
    lines.retain(|_| keep.next() == Some(true));
    lines
}

/// Another mount sits on the root of this one.
fn is_covered(lines: &[Line], children: &HashMap<u64, Vec<usize>>, index: usize) -> bool {
    let line = &lines[index];
    children
        .get(&line.id)
        .is_some_and(|list| list.iter().any(|child| lines[*child].target == line.target))
}

/// A sibling covers the directory that this mount point is in, or the same mount point later.
fn is_hidden(lines: &[Line], children: &HashMap<u64, Vec<usize>>, index: usize) -> bool {
    let line = &lines[index];
    let Some(siblings) = children
        .get(&line.parent)
        .filter(|_| line.parent != line.id)
    else {
        return false; // The first mount of a namespace is its own parent.
    };
    siblings.iter().any(|sibling| {
        let other = &lines[*sibling];
        if other.target == line.target {
            *sibling > index
        } else {
            *sibling != index && contains(&other.target, &line.target)
        }
    })
}

fn below_hidden(
    lines: &[Line],
    by_id: &HashMap<u64, usize>,
    hidden: &[bool],
    index: usize,
) -> bool {
    let mut at = index;
    // A chain of parents is no longer than the list; a circle ends here too.
    for _ in 0..=lines.len() {
        if hidden[at] {
            return true;
        }
        match by_id.get(&lines[at].parent) {
            Some(parent) if *parent != at => at = *parent,
            _ => return false,
        }
    }
    false
}

/// Whether `path` is `folder` or lies below it.
pub(super) fn contains(folder: &str, path: &str) -> bool {
    folder == "/"
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::super::escape::escape;
    use super::*;
    use proptest::prelude::*;

    fn targets(text: &str) -> Vec<String> {
        let (lines, bad) = parse(text);
        assert_eq!(bad, Vec::<usize>::new());
        reachable(lines)
            .into_iter()
            .map(|line| format!("{} {}", line.id, line.target))
            .collect()
    }

    #[test]
    fn every_field_is_read() {
        let (lines, bad) = parse(concat!(
            "36 35 98:0 /mnt1 /mnt\\040two rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue\n",
            "a broken line\n",
            "37 35 0:44 / /none rw - tmpfs  rw\n",
        ));
        assert_eq!(bad, [2]);
        assert_eq!(
            lines[0],
            Line {
                id: 36,
                parent: 35,
                number: "98:0".into(),
                root: "/mnt1".into(),
                target: "/mnt two".into(),
                options: vec!["rw".into(), "noatime".into()],
                propagation: "shared slave".into(),
                fs: "ext3".into(),
                source: "/dev/root".into(),
                super_options: vec!["rw".into(), "errors=continue".into()],
            }
        );
        assert_eq!(
            (lines[1].source.as_str(), lines[1].propagation.as_str()),
            ("", "private")
        );
    }

    #[test]
    fn the_last_mount_on_a_mount_point_is_seen() {
        assert_eq!(
            targets(concat!(
                "1 1 0:2 / / rw - rootfs rootfs rw\n",
                "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
                "21 20 0:5 / /dev rw - devtmpfs devtmpfs rw\n",
                "22 21 0:6 / /dev/pts rw - devpts devpts rw\n",
                "23 22 0:7 / /dev/pts rw - devpts devpts rw\n",
            )),
            ["20 /", "21 /dev", "23 /dev/pts"]
        );
    }

    #[test]
    fn what_lies_below_a_covered_folder_is_not_seen() {
        assert_eq!(
            targets(concat!(
                "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
                "21 20 8:2 / /a rw - ext4 /dev/sda2 rw\n",
                "22 21 8:3 / /a/b rw - ext4 /dev/sda3 rw\n",
                "23 21 8:4 / /a rw - ext4 /dev/sda4 rw\n",
                "24 20 8:5 / /ab rw - ext4 /dev/sda5 rw\n",
                "25 20 8:6 / /c/d rw - ext4 /dev/sda6 rw\n",
                "26 25 8:7 / /c/d/e rw - ext4 /dev/sda7 rw\n",
                "27 20 8:8 / /c rw - ext4 /dev/sda8 rw\n",
            )),
            ["20 /", "23 /a", "24 /ab", "27 /c"]
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let (lines, _) = parse(&text);
            reachable(lines);
        }

        #[test]
        fn no_tree_of_mounts_hangs_it(edges in proptest::collection::vec((0u64..8, 0u64..8, 0usize..4), 0..12)) {
            let lines: Vec<Line> = edges
                .iter()
                .map(|(id, parent, target)| Line {
                    id: *id,
                    parent: *parent,
                    target: ["/", "/a", "/a/b", "/c"][*target].into(),
                    ..Line::default()
                })
                .collect();
            prop_assert!(reachable(lines.clone()).len() <= lines.len());
        }

        #[test]
        fn paths_survive_escaping(target in "/[^\0]{0,12}", source in "[^\0]{1,12}") {
            let text = format!("9 8 8:1 / {} rw - ext4 {} rw", escape(&target), escape(&source));
            let (lines, bad) = parse(&text);
            prop_assert!(bad.is_empty());
            prop_assert_eq!(&lines[0].target, &target);
            prop_assert_eq!(&lines[0].source, &source);
        }
    }
}
