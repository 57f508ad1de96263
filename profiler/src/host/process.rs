//! Processes from /proc: who runs, with what command line, seeing which files.

use super::notes::{Notes, plain};
use super::root::Root;

/// A process by its /proc/PID/stat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: u32,
    /// Name of its executable, cut to 15 bytes by the kernel.
    pub(super) name: String,
}

/// Every process that can be seen. One that ends meanwhile is left out.
pub(super) fn all(root: &Root, notes: &mut Notes) -> Vec<Process> {
    let names = match root.list("/proc") {
        Ok(names) => names,
        Err(error) => {
            notes.unreadable("processes", "/proc", &error);
            return Vec::new();
        }
    };
    names
        .iter()
        .filter_map(|name| name.parse().ok())
        .filter_map(|pid: u32| parse_stat(pid, &root.read(&format!("/proc/{pid}/stat")).ok()?))
        .collect()
}

/// `PID (NAME) STATE PARENT ...`, where the name may hold anything, parentheses too.
fn parse_stat(pid: u32, text: &str) -> Option<Process> {
    let (_, rest) = text.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let parent = rest.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        name: name.to_owned(),
    })
}

/// Words of the command line.
pub(super) fn arguments(root: &Root, pid: u32, notes: &mut Notes) -> Vec<String> {
    let path = format!("/proc/{pid}/cmdline");
    let text = match root.read(&path) {
        Ok(text) => text,
        Err(error) => {
            notes.unreadable(format!("command line of process {pid}"), &path, &error);
            return Vec::new();
        }
    };
    let text = text.strip_suffix('\0').unwrap_or(&text);
    text.split('\0').map(str::to_owned).collect()
}

/// A variable of the environment that the process began with.
pub(super) fn variable(root: &Root, pid: u32, name: &str, notes: &mut Notes) -> Option<String> {
    let path = format!("/proc/{pid}/environ");
    match root.read(&path) {
        Ok(text) => text.split('\0').find_map(|entry| {
            let value = entry.strip_prefix(name)?.strip_prefix('=')?;
            (!value.is_empty()).then(|| value.to_owned())
        }),
        Err(error) => {
            notes.unreadable(format!("environment of process {pid}"), &path, &error);
            None
        }
    }
}

/// Working directory, as the process names it.
pub(super) fn working_directory(root: &Root, pid: u32, notes: &mut Notes) -> Option<String> {
    let path = format!("/proc/{pid}/cwd");
    match root.link(&path) {
        Ok(folder) => Some(folder),
        Err(error) => {
            notes.unreadable(format!("working directory of process {pid}"), &path, &error);
            None
        }
    }
}

/// The files as a process sees them.
pub(super) struct View {
    pub(super) root: Root,
    /// It has other mounts than this process.
    pub(super) is_apart: bool,
}

/// Its own root where its mount namespace or its root directory is another.
pub(super) fn view(root: &Root, pid: u32, notes: &mut Notes) -> View {
    let same = View {
        root: root.clone(),
        is_apart: false,
    };
    let path = format!("/proc/{pid}/root");
    let ours = root.link("/proc/self/ns/mnt");
    let theirs = root.link(&format!("/proc/{pid}/ns/mnt"));
    let moved = match root.link(&path) {
        Ok(target) => target != "/",
        // A copied tree has a folder in its place.
        Err(_) if !root.is_live() && root.is_dir(&path) => true,
        Err(_) if !root.is_live() => false,
        Err(error) => {
            notes.add(
                format!("mounts of process {pid}"),
                format!("{path}: {}; taken to be the host's", plain(&error)),
            );
            return same;
        }
    };
    let other_namespace = matches!((&ours, &theirs), (Ok(ours), Ok(theirs)) if ours != theirs);
    if !moved && !other_namespace {
        return same;
    }
    let below = if root.is_live() {
        Ok(std::path::PathBuf::from(path))
    } else {
        root.path(&path)
    };
    match below {
        Ok(dir) => View {
            root: Root::at(dir),
            is_apart: true,
        },
        Err(_) => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_parentheses_and_spaces() {
        assert_eq!(
            parse_stat(12, "12 (tmux: (1) x) S 7 12 12 0 -1").unwrap(),
            Process {
                pid: 12,
                parent: 7,
                name: "tmux: (1) x".into()
            }
        );
        assert_eq!(parse_stat(12, "12 (cut"), None);
    }
}
