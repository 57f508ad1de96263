//! Databases found by their processes, with the settings that rules read.

mod mysql;
mod mysql_options;
mod postgresql;
mod postgresql_conf;

pub(crate) use mysql_options::{option as mysql_option, section as mysql_section};
pub(crate) use postgresql_conf::parse_line as postgresql_line;

use super::cgroup;
use super::model::{Database, Host, Mount};
use super::mounts;
use super::notes::Notes;
use super::process::{self, View};
use super::root::Root;

/// Fills `databases` and the cgroups of their main processes.
pub(super) fn fill(root: &Root, host: &mut Host, notes: &mut Notes) {
    let processes = process::all(root, notes);
    for process in &processes {
        let parent = processes.iter().find(|other| other.pid == process.parent);
        let parent = parent.map(|parent| parent.name.as_str());
        let view;
        let found = if postgresql::is_main(&process.name, parent) {
            view = process::view(root, process.pid, notes);
            postgresql::read(root, &view.root, process.pid, notes)
        } else if mysql::is_main(&process.name, parent) {
            view = process::view(root, process.pid, notes);
            mysql::read(root, &view.root, process, notes)
        } else {
            continue;
        };
        let mut database = found;
        let subject = format!("{:?}", database.kind).to_lowercase();
        add_mounts(root, &view, host, &mut database, &subject, notes);
        if let Some(cgroup) = cgroup::of(root, process.pid, &subject, notes) {
            database.cgroup = Some(cgroup.path.clone());
            host.cgroups.push(cgroup);
        }
        host.databases.push(database);
    }
}

fn add_mounts(
    root: &Root,
    view: &View,
    host: &Host,
    database: &mut Database,
    subject: &str,
    notes: &mut Notes,
) {
    let what = format!("mounts of {subject} {}", database.pid);
    let inner = if view.is_apart {
        notes.add(
            &what,
            format!(
                "process {} has its own mounts: its paths are those it sees, and a mount point \
                 is the host's where the same filesystem is mounted here",
                database.pid
            ),
        );
        mounts::of_process(root, &database.pid.to_string(), &host.devices, notes)
    } else {
        Vec::new()
    };
    let mut target = |path: &str| {
        if !view.is_apart {
            return Some(mounts::holding(&host.mounts, path)?.target.clone());
        }
        let found = mounts::holding(&inner, path)?;
        let here = same_filesystem(host, found);
        if here.is_none() {
            notes.add(
                &what,
                format!(
                    "{path} lies on {} ({}), which is not mounted on the host",
                    found.target, found.source
                ),
            );
        }
        here
    };
    database.data_mount = database.data_directory.as_deref().and_then(&mut target);
    database.wal_mount = database.wal_directory.as_deref().and_then(&mut target);
}

/// Where the host has mounted the filesystem that another namespace has at `inner`: the mount of
/// its root if there is one, since a bind mount shows a part of it.
fn same_filesystem(host: &Host, inner: &Mount) -> Option<String> {
    let same = || {
        host.mounts.iter().filter(|mount| {
            mount.number == inner.number || mount.device.is_some() && mount.device == inner.device
        })
    };
    let mount = same()
        .find(|mount| mount.root == "/")
        .or_else(|| same().next())?;
    Some(mount.target.clone())
}

/// Folder of a file.
fn folder(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

/// `path`, from `base` unless it is absolute.
fn joined(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{path}", base.trim_end_matches('/'))
    }
}

/// Symbolic links resolved; the path as it stands, with a reason, where that cannot be.
fn resolved(root: &Root, what: &str, path: &str, notes: &mut Notes) -> String {
    match root.canonical(path) {
        Ok(found) => found,
        Err(error) => {
            notes.unreadable(what, path, &error);
            path.to_owned()
        }
    }
}
