//! A folder of collected files in any subset: what is recognised, what it tells, what is missing.

use super::kinds::{self, Kind};
use super::model::{Imported, Level};
use super::source::{Refusal, Source};
use crate::capture::Capture;
use crate::host::{Host, Root};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders within folders beyond this are not looked into.
const DEPTH_LIMIT: usize = 8;
/// A whole sosreport has some ten thousand files.
const FILES_LIMIT: usize = 20_000;
/// A longer file is no collected configuration.
const SIZE_LIMIT: u64 = 64 << 20;
/// Longer lists of unknown files are cut.
const UNKNOWN_SHOWN: usize = 50;

/// What a folder told.
pub struct Folder {
    pub capture: Capture,
    /// Files that no importer knows, or that were refused, with the reason.
    pub unknown: Vec<String>,
}

/// Reads every file that is recognised. Only a folder without any is refused.
pub fn read(dir: &Path) -> Result<Folder, Refusal> {
    let refused = |why: String| Refusal {
        file: dir.display().to_string(),
        line: None,
        column: None,
        why,
        next: "give a folder of files collected from one host".to_owned(),
    };
    let mut paths = Vec::new();
    find(dir, 0, &mut paths).map_err(|error| refused(error.to_string()))?;
    paths.sort();
    let mut all: Vec<Imported> = Vec::new();
    let mut seen: Vec<&dyn Kind> = Vec::new();
    let mut unknown = Vec::new();
    // A copied tree of /proc and /sys is read as a host is.
    let tree = tree(dir);
    for path in &paths {
        let shown = path.strip_prefix(dir).unwrap_or(path).display().to_string();
        let inside_tree =
            tree.is_some() && ["proc/", "sys/"].iter().any(|top| shown.starts_with(top));
        if inside_tree {
            continue;
        }
        if let Err(why) = add(path, &shown, &mut all, &mut seen) {
            unknown.push(format!("{shown}: {why}"));
        }
    }
    if all.is_empty() && tree.is_none() {
        return Err(refused(
            "no file in it is of a kind that iosage knows".to_owned(),
        ));
    }
    for (kind, one) in seen.iter().zip(&mut all) {
        kind.finish(one);
    }
    let mut capture = super::capture(all);
    if let Some(tree) = tree {
        capture.host = joined(tree, capture.host);
    }
    let left_out = unknown.len().saturating_sub(UNKNOWN_SHOWN);
    unknown.truncate(UNKNOWN_SHOWN);
    if left_out > 0 {
        unknown.push(format!("and {left_out} more"));
    }
    Ok(Folder { capture, unknown })
}

fn find(dir: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEPTH_LIMIT {
            // One folder that cannot be read hides no other.
            let _ = find(&entry.path(), depth + 1, paths);
        } else if kind.is_file() && paths.len() < FILES_LIMIT {
            paths.push(entry.path());
        }
    }
    Ok(())
}

fn add(
    path: &Path,
    shown: &str,
    all: &mut Vec<Imported>,
    seen: &mut Vec<&dyn Kind>,
) -> Result<(), String> {
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > SIZE_LIMIT {
        return Err("longer than 64 MiB".to_owned());
    }
    let mut source = Source::open(path).map_err(|refusal| refusal.why)?;
    source.name = shown.to_owned();
    let kind = kinds::recognise(&source).ok_or("not recognised")?;
    let place = all
        .iter()
        .position(|one| one.kind == kind.name() && one.events.is_none());
    let mut one = match place {
        Some(place) => all[place].clone(),
        None => Imported {
            kind: kind.name().to_owned(),
            ..Imported::default()
        },
    };
    kind.read(&source, &mut one)
        .map_err(|refusal| refusal.why)?;
    one.files.push(shown.to_owned());
    if place.is_some() && kind.name() == "mounts" {
        let text = "more than one file of mounts: of two on one mount point the later counts";
        one.note(Level::Warning, shown, None, text);
    }
    match place {
        Some(place) => all[place] = one,
        None => {
            all.push(one);
            seen.push(kind);
        }
    }
    Ok(())
}

fn tree(dir: &Path) -> Option<Host> {
    let has = |path: &str| dir.join(path).exists();
    let is_tree = has("proc/self/mountinfo") || has("sys/block");
    is_tree.then(|| Host::read(&Root::at(dir)))
}

/// What the tree does not tell is taken from the other files.
fn joined(tree: Host, files: Host) -> Host {
    let mut host = tree;
    if host.kernel_release.is_empty() {
        host.kernel_release = files.kernel_release;
    }
    if host.memory.total_bytes.is_none() {
        host.memory = files.memory;
    }
    if host.devices.is_empty() {
        host.devices = files.devices;
    }
    if host.mounts.is_empty() {
        host.mounts = files.mounts;
    }
    if host.databases.is_empty() {
        host.databases = files.databases;
    }
    for (name, value) in files.sysctls {
        host.sysctls.entry(name).or_insert(value);
    }
    host
}
