//! The inventory of the host that runs the tests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use profiler::host::{AtimeMode, DeviceClass, Host, Root, cgroup};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

#[test]
fn the_root_filesystem_and_memory_are_the_kernels() {
    let begin = Instant::now();
    let host = Host::live();
    println!("reading the inventory took {:?}", begin.elapsed());

    let meminfo = fs::read_to_string("/proc/meminfo").unwrap();
    let total = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .unwrap();
    let kib: u64 = total.trim().trim_end_matches(" kB").parse().unwrap();
    assert_eq!(host.memory.total_bytes, Some(kib * 1024));
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert_eq!(host.kernel_release, release.trim());
    assert!(host.memory.page_size_bytes.is_some());

    let root = host
        .mounts
        .iter()
        .find(|mount| mount.target == "/")
        .unwrap();
    let Some(name) = &root.device else {
        println!("skipped: / is {} and not on a block device", root.fs);
        return;
    };
    let device = host.device(name).unwrap();
    assert!(device.used_by.iter().any(|user| user == "/"));
    assert!(host.users_of(name).iter().any(|user| user == "/"));
    let size: u64 = fs::read_to_string(format!("/sys/class/block/{name}/size"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert_eq!(device.size_bytes, Some(size * 512));
    assert!(root.size_bytes.unwrap() <= size * 512);
    if device.class == DeviceClass::Virtio {
        let scheduler = fs::read_to_string(format!("/sys/block/{name}/queue/scheduler")).unwrap();
        let current = device.queue.as_ref().unwrap().scheduler.clone().unwrap();
        assert!(scheduler.contains(&format!("[{current}]")) || scheduler.trim() == current);
    }
    if let Some(ext4) = &root.ext4 {
        let has_journal_thread = fs::read_dir("/proc/fs/jbd2").is_ok_and(|mut list| {
            list.any(|entry| {
                entry
                    .unwrap()
                    .file_name()
                    .to_string_lossy()
                    .starts_with(&format!("{name}-"))
            })
        });
        assert_eq!(ext4.has_journal, Some(has_journal_thread));
        assert_eq!(ext4.data_mode.is_some(), has_journal_thread);
    }
}

#[test]
fn the_cgroup_of_this_process() {
    let mut host = Host::default();
    host.add_cgroup_of(&Root::live(), std::process::id(), "traced process");
    let lines = fs::read_to_string("/proc/self/cgroup").unwrap();
    match &host.cgroups[..] {
        [found] => {
            assert_eq!(found.subject, "traced process");
            assert!(lines.contains(&found.path), "{lines}");
            assert!(host.missing.is_empty(), "{:?}", host.missing);
        }
        _ => println!("skipped: {:?}", host.missing),
    }
    let mut notes = profiler::host::Notes::default();
    assert!(cgroup::of(&Root::live(), u32::MAX, "nobody", &mut notes).is_none());
    assert_eq!(notes.into_missing().len(), 1);
}

/// A filesystem image, mounted through a loop device; both are gone when it is dropped.
struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    /// The reason, where this cannot be done here.
    fn new(mkfs: &[&str], bytes: u64, options: &str) -> Result<Self, String> {
        if !rustix::process::geteuid().is_root() {
            return Err("mounting needs root".into());
        }
        let mounted = Self {
            folder: tempfile::tempdir().map_err(|error| error.to_string())?,
        };
        let image = mounted.image();
        fs::File::create(&image).unwrap().set_len(bytes).unwrap();
        fs::create_dir(mounted.target()).unwrap();
        let made = Command::new(mkfs[0]).args(&mkfs[1..]).arg(&image).output();
        let made = made.map_err(|error| format!("{}: {error}", mkfs[0]))?;
        assert!(made.status.success(), "{mkfs:?}: {made:?}");
        run(Command::new("mount")
            .args(["-o", &format!("loop,{options}")])
            .arg(&image)
            .arg(mounted.target()))?;
        Ok(mounted)
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("disk image")
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("mount point")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // `mount -o loop` detaches the loop device with the mount.
        let _ = Command::new("umount").arg(self.target()).output();
    }
}

fn run(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

fn text(path: &Path) -> String {
    fs::canonicalize(path)
        .unwrap()
        .to_string_lossy()
        .into_owned()
}

#[test]
fn a_loop_mounted_image_with_strict_atime_and_writeback() {
    let mkfs = ["mke2fs", "-q", "-F", "-t", "ext4", "-J", "size=4"];
    let mounted = match Mounted::new(&mkfs, 32 << 20, "strictatime,data=writeback,commit=17") {
        Ok(mounted) => mounted,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let host = Host::live();
    let mount = host
        .mounts
        .iter()
        .find(|mount| mount.target == text(&mounted.target()))
        .unwrap();
    assert_eq!(mount.atime, AtimeMode::Strict);
    let ext4 = mount.ext4.as_ref().unwrap();
    assert_eq!(ext4.data_mode.as_deref(), Some("writeback"));
    assert_eq!((ext4.has_journal, ext4.barrier), (Some(true), Some(true)));
    assert_eq!(ext4.commit_interval_s, Some(17));
    assert_eq!(ext4.journal_bytes, Some(4 << 20));
    assert_eq!(ext4.errors_count, Some(0));
    let device = host.device(mount.device.as_deref().unwrap()).unwrap();
    assert_eq!(device.class, DeviceClass::Loop);
    assert_eq!(
        device.loop_backing_file.as_deref(),
        Some(text(&mounted.image()).as_str())
    );
    assert_eq!(device.size_bytes, Some(32 << 20));
    assert_eq!(host.users_of(&device.name), [text(&mounted.target())]);
    assert_eq!(
        host.whole_disk(&text(&mounted.target())).unwrap().name,
        device.name
    );
}

#[test]
fn the_geometry_of_a_mounted_xfs() {
    let mkfs = [
        "mkfs.xfs",
        "-q",
        "-f",
        "-d",
        "su=64k,sw=8",
        "-l",
        "size=64m",
    ];
    let mounted = match Mounted::new(&mkfs, 1 << 30, "logbsize=64k") {
        Ok(mounted) => mounted,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let host = Host::live();
    let mount = host
        .mounts
        .iter()
        .find(|mount| mount.target == text(&mounted.target()))
        .unwrap();
    let xfs = mount.xfs.as_ref().unwrap();
    assert_eq!(xfs.block_size_bytes, Some(4096));
    assert_eq!(
        (xfs.stripe_unit_bytes, xfs.stripe_width_bytes),
        (Some(65_536), Some(524_288))
    );
    assert_eq!(
        (xfs.log_bytes, xfs.log_external),
        (Some(64 << 20), Some(false))
    );
    assert_eq!(xfs.log_buffer_bytes, Some(65_536));
    let info = run(Command::new("xfs_info").arg(mounted.target())).unwrap();
    let info = String::from_utf8_lossy(&info.stdout).into_owned();
    assert!(
        info.contains(&format!("agcount={},", xfs.ag_count.unwrap())),
        "{info}"
    );
    let sunit = xfs.log_sunit_bytes.unwrap() / 4096;
    assert!(
        info.lines().any(
            |line| line.contains("lazy-count") && line.contains(&format!("sunit={sunit} blks"))
        ),
        "{info}"
    );
}

/// A process by the name of the server, as the kernel sees it; killed when it is dropped.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `sleep` under the name `postgres`, by `launcher` if there is one.
fn start(folder: &Path, launcher: &[&str]) -> Option<Server> {
    let binary = folder.join("postgres");
    fs::copy(fs::canonicalize("/bin/sleep").ok()?, &binary).unwrap();
    let mut words: Vec<&std::ffi::OsStr> = launcher.iter().map(|word| word.as_ref()).collect();
    words.extend([binary.as_os_str(), "60".as_ref()]);
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env("PGDATA", folder.join("data"))
        .current_dir(folder);
    let mut server = Server(command.spawn().ok()?);
    let name = format!("/proc/{}/comm", server.0.id());
    while fs::read_to_string(&name).ok()?.trim() != "postgres" {
        if server.0.try_wait().ok()?.is_some() {
            return None;
        }
        std::thread::yield_now(); // Until the launcher has become the server.
    }
    Some(server)
}

#[test]
fn a_server_process_is_found_with_its_directories() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir_all(folder.path().join("wal")).unwrap();
    fs::create_dir(&data).unwrap();
    fs::write(data.join("PG_VERSION"), "16\n").unwrap();
    fs::write(data.join("postgresql.conf"), "fsync = on\nport = 1\n").unwrap();
    std::os::unix::fs::symlink(folder.path().join("wal"), data.join("pg_wal")).unwrap();
    let launchers: [&[&str]; 2] = [&[], &["unshare", "--mount"]];
    for launcher in launchers {
        let is_apart = !launcher.is_empty();
        if is_apart && !rustix::process::geteuid().is_root() {
            println!("skipped: a mount namespace needs root");
            continue;
        }
        let Some(server) = start(folder.path(), launcher) else {
            println!("skipped: {launcher:?} does not start");
            continue;
        };
        let host = Host::live();
        let pid = server.0.id();
        let found = host
            .databases
            .iter()
            .find(|database| database.pid == pid)
            .unwrap();
        assert_eq!(found.version.as_deref(), Some("16"));
        assert_eq!(found.data_directory.as_deref(), Some(text(&data).as_str()));
        assert_eq!(
            found.wal_directory.as_deref(),
            Some(text(&folder.path().join("wal")).as_str())
        );
        assert_eq!(found.settings.len(), 1);
        assert_eq!(found.settings["fsync"], "on");
        let mounts = host
            .missing
            .iter()
            .filter(|note| note.what == format!("mounts of postgresql {pid}"));
        assert_eq!(mounts.count(), usize::from(is_apart), "{:?}", host.missing);
        let holding = found.data_mount.as_deref().unwrap();
        assert!(text(&data).starts_with(holding));
        assert_eq!(found.wal_mount.as_deref(), Some(holding));
    }
}
