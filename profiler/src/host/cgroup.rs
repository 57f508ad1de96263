//! I/O and memory limits on the cgroup of a process: version 2, version 1, or both side by side
//! (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/blkio-controller.rst).

use super::model::{Cgroup, IoLimit};
use super::mountinfo::{self, Line, contains};
use super::notes::Notes;
use super::root::Root;

/// Version 1 says "no limit" by the largest number of pages.
const NO_LIMIT_V1: u64 = 1 << 62;

/// Where one controller has its files for one process.
struct Place {
    /// Mount point of the hierarchy.
    mount: String,
    /// Path below it, beginning with `/`.
    path: String,
    version: u64,
}

/// Limits on the cgroup of `pid`; `subject` says what the process is looked up for.
pub fn of(root: &Root, pid: u32, subject: &str, notes: &mut Notes) -> Option<Cgroup> {
    let what = format!("cgroup of {subject} {pid}");
    let memberships = notes.text(root, &what, &format!("/proc/{pid}/cgroup"))?;
    let mounts = notes.text(root, &what, "/proc/self/mountinfo")?;
    let (mounts, _) = mountinfo::parse(&mounts);
    let mounts = mountinfo::reachable(mounts);
    let place = |controller| place(&memberships, &mounts, controller);
    let io = match place("blkio") {
        Ok(place) => place,
        Err(reason) => {
            notes.add(what, reason);
            return None;
        }
    };
    let mut cgroup = Cgroup {
        path: io.path.clone(),
        version: io.version,
        subject: subject.to_owned(),
        io_limits: if io.version == 2 {
            limits_v2(root, &io, notes)
        } else {
            limits_v1(root, &io, notes)
        },
        ..Cgroup::default()
    };
    match place("memory") {
        Ok(place) if place.version == 2 => {
            cgroup.memory_max_bytes = lowest(root, &place, "memory.max", notes);
            cgroup.memory_high_bytes = lowest(root, &place, "memory.high", notes);
        }
        Ok(place) => {
            cgroup.memory_max_bytes = lowest(root, &place, "memory.limit_in_bytes", notes)
                .filter(|bytes| *bytes < NO_LIMIT_V1);
        }
        Err(reason) => notes.add(format!("memory limit of {subject} {pid}"), reason),
    }
    Some(cgroup)
}

/// The hierarchy that has the controller: a version 1 one that names it, else version 2.
fn place(memberships: &str, mounts: &[Line], controller: &str) -> Result<Place, String> {
    let lines = || {
        memberships.lines().filter_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            Some((controllers, path))
        })
    };
    let first = lines().find(|(names, _)| names.split(',').any(|name| name == controller));
    let second = lines().find(|(names, _)| names.is_empty());
    let (version, path) = match (first, second) {
        (Some((_, path)), _) => (1, path),
        (None, Some((_, path))) => (2, path),
        (None, None) => return Err(format!("no hierarchy has the {controller} controller")),
    };
    let mount = mounts
        .iter()
        .filter(|line| match version {
            1 => line.fs == "cgroup" && line.super_options.iter().any(|name| name == controller),
            _ => line.fs == "cgroup2",
        })
        .find(|line| contains(&line.root, path))
        .ok_or_else(|| {
            format!("the hierarchy of {path} (version {version}) is not mounted here")
        })?;
    let below = if mount.root == "/" {
        path
    } else {
        &path[mount.root.len()..]
    };
    if below.split('/').any(|name| name == "..") {
        return Err(format!("{path} lies outside this cgroup namespace"));
    }
    Ok(Place {
        mount: mount.target.clone(),
        path: format!("/{}", below.trim_matches('/')),
        version,
    })
}

impl Place {
    fn file(&self, path: &str, name: &str) -> String {
        let separator = if path == "/" { "" } else { path };
        format!("{}{separator}/{name}", self.mount)
    }

    /// The cgroup and its ancestors, the root last.
    fn upwards(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self.path.as_str()), |path| {
            match path.rsplit_once('/') {
                Some(("", "")) | None => None,
                Some(("", _)) => Some("/"),
                Some((parent, _)) => Some(parent),
            }
        })
    }
}

fn limits_v2(root: &Root, place: &Place, notes: &mut Notes) -> Vec<IoLimit> {
    let mut limits = Vec::new();
    for path in place.upwards() {
        let file = place.file(path, "io.max");
        let Some(text) = notes.optional(root, &file, &file) else {
            continue;
        };
        for line in text.lines() {
            match io_max(line, path) {
                Some(limit) => limits.push(limit),
                None => notes.add(&file, format!("{file}: `{line}` is not a limit")),
            }
        }
    }
    limits
}

/// `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn io_max(line: &str, path: &str) -> Option<IoLimit> {
    let mut words = line.split_whitespace();
    let mut limit = IoLimit {
        path: path.to_owned(),
        device: words.next()?.to_owned(),
        ..IoLimit::default()
    };
    for word in words {
        let (name, value) = word.split_once('=')?;
        let value = if value == "max" {
            None
        } else {
            Some(value.parse().ok()?)
        };
        match name {
            "rbps" => limit.read_bytes_per_s = value,
            "wbps" => limit.write_bytes_per_s = value,
            "riops" => limit.read_iops = value,
            "wiops" => limit.write_iops = value,
            _ => {}
        }
    }
    Some(limit)
}

/// Each file holds `MAJOR:MINOR VALUE` lines. Ancestors do not count: blk-throttle has
/// hierarchies in version 2 alone.
fn limits_v1(root: &Root, place: &Place, notes: &mut Notes) -> Vec<IoLimit> {
    type Field = fn(&mut IoLimit) -> &mut Option<u64>;
    let files: [(&str, Field); 4] = [
        ("read_bps", |limit| &mut limit.read_bytes_per_s),
        ("write_bps", |limit| &mut limit.write_bytes_per_s),
        ("read_iops", |limit| &mut limit.read_iops),
        ("write_iops", |limit| &mut limit.write_iops),
    ];
    let mut limits: Vec<IoLimit> = Vec::new();
    for (name, field) in files {
        let file = place.file(&place.path, &format!("blkio.throttle.{name}_device"));
        let Some(text) = notes.optional(root, &file, &file) else {
            continue;
        };
        for line in text.lines() {
            let Some((device, value)) = line.split_once(' ') else {
                notes.add(&file, format!("{file}: `{line}` is not a limit"));
                continue;
            };
            let index = limits.iter().position(|limit| limit.device == device);
            let index = index.unwrap_or_else(|| {
                limits.push(IoLimit {
                    path: place.path.clone(),
                    device: device.to_owned(),
                    ..IoLimit::default()
                });
                limits.len() - 1
            });
            *field(&mut limits[index]) = value.trim().parse().ok();
        }
    }
    limits
}

/// The lowest value of the cgroup and its ancestors; `max` is none.
fn lowest(root: &Root, place: &Place, name: &str, notes: &mut Notes) -> Option<u64> {
    place
        .upwards()
        .filter_map(|path| {
            let file = place.file(path, name);
            notes.optional(root, &file, &file)?.parse::<u64>().ok()
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const V1: &str = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";
    const V2: &str = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    const HYBRID: &str = "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    fn look(files: &[(&str, &str)]) -> (Option<Cgroup>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut notes = Notes::default();
        let found = of(&Root::at(dir.path()), 7, "traced process", &mut notes);
        let reasons = notes
            .into_missing()
            .into_iter()
            .map(|note| note.reason)
            .collect();
        (found, reasons)
    }

    #[test]
    fn version_2_counts_the_ancestors() {
        let (found, missing) = look(&[
            ("proc/self/mountinfo", V2),
            ("proc/7/cgroup", "0::/system.slice/postgresql.service\n"),
            (
                "sys/fs/cgroup/system.slice/postgresql.service/io.max",
                "8:0 rbps=1048576 wbps=max riops=max wiops=120\n",
            ),
            (
                "sys/fs/cgroup/system.slice/io.max",
                "259:0 rbps=max wbps=5 riops=max wiops=max\n",
            ),
            (
                "sys/fs/cgroup/system.slice/postgresql.service/memory.max",
                "max\n",
            ),
            (
                "sys/fs/cgroup/system.slice/postgresql.service/memory.high",
                "900\n",
            ),
            ("sys/fs/cgroup/system.slice/memory.max", "1000\n"),
        ]);
        let found = found.unwrap();
        assert_eq!(
            (found.version, found.path.as_str()),
            (2, "/system.slice/postgresql.service")
        );
        assert_eq!(
            found.io_limits,
            [
                IoLimit {
                    path: "/system.slice/postgresql.service".into(),
                    device: "8:0".into(),
                    read_bytes_per_s: Some(1 << 20),
                    write_iops: Some(120),
                    ..IoLimit::default()
                },
                IoLimit {
                    path: "/system.slice".into(),
                    device: "259:0".into(),
                    write_bytes_per_s: Some(5),
                    ..IoLimit::default()
                },
            ]
        );
        assert_eq!(
            (found.memory_max_bytes, found.memory_high_bytes),
            (Some(1000), Some(900))
        );
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn version_1_counts_the_cgroup_alone() {
        let (found, _) = look(&[
            ("proc/self/mountinfo", &format!("{V1}{HYBRID}")),
            (
                "proc/7/cgroup",
                "7:blkio:/db/one\n4:memory:/db\n0::/user.slice\n",
            ),
            (
                "sys/fs/cgroup/blkio/db/one/blkio.throttle.read_bps_device",
                "8:0 1000\n8:16 2000\n",
            ),
            (
                "sys/fs/cgroup/blkio/db/one/blkio.throttle.write_iops_device",
                "8:16 30\n",
            ),
            (
                "sys/fs/cgroup/blkio/db/blkio.throttle.read_bps_device",
                "8:0 1\n",
            ),
            ("sys/fs/cgroup/memory/db/memory.limit_in_bytes", "4096\n"),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ]);
        let found = found.unwrap();
        assert_eq!((found.version, found.path.as_str()), (1, "/db/one"));
        let limits: Vec<_> = found
            .io_limits
            .iter()
            .map(|limit| {
                (
                    limit.device.as_str(),
                    limit.read_bytes_per_s,
                    limit.write_iops,
                )
            })
            .collect();
        assert_eq!(
            limits,
            [("8:0", Some(1000), None), ("8:16", Some(2000), Some(30))]
        );
        assert_eq!(found.memory_max_bytes, Some(4096));
    }

    #[test]
    fn a_hybrid_host_may_have_io_in_version_2() {
        let (found, _) = look(&[
            (
                "proc/self/mountinfo",
                &format!("{}{HYBRID}", V1.lines().next().unwrap().to_owned() + "\n"),
            ),
            ("proc/7/cgroup", "4:memory:/\n0::/db\n"),
            ("sys/fs/cgroup/unified/db/io.max", "8:0 wiops=7\n"),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ]);
        let found = found.unwrap();
        assert_eq!((found.version, found.io_limits[0].write_iops), (2, Some(7)));
        assert_eq!(
            found.memory_max_bytes, None,
            "the largest number of pages is no limit"
        );
    }

    #[test]
    fn the_mount_of_a_container_shows_a_part_of_the_hierarchy() {
        let inside = V2.replace("0:28 / ", "0:28 /docker/abc ");
        let (found, _) = look(&[
            ("proc/self/mountinfo", &inside),
            ("proc/7/cgroup", "0::/docker/abc/db\n"),
            ("sys/fs/cgroup/db/io.max", "8:0 riops=9\n"),
        ]);
        assert_eq!(found.unwrap().io_limits[0].read_iops, Some(9));
        let (found, missing) = look(&[
            ("proc/self/mountinfo", V2),
            ("proc/7/cgroup", "0::/../other\n"),
        ]);
        assert_eq!(found, None);
        assert_eq!(missing, ["/../other lies outside this cgroup namespace"]);
    }

    #[test]
    fn a_process_that_is_gone_is_a_reason() {
        let (found, missing) = look(&[("proc/self/mountinfo", V2)]);
        assert_eq!(found, None);
        assert_eq!(missing, ["/proc/7/cgroup: No such file or directory"]);
    }
}
