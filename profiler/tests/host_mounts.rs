//! Mounts from fake trees, and ext4 superblocks from images that mke2fs makes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "host_support/tree.rs"]
mod tree;

use profiler::host::{AtimeMode, Ext4, Host, Mount};
use std::process::{Command, Stdio};
use tree::Tree;

fn disks(tree: &Tree) {
    for (name, minor) in [("sda", 0), ("sdb", 16)] {
        tree.disk(
            &format!("virtual/block/{name}"),
            &[
                ("dev", &format!("8:{minor}")),
                ("size", "4096"),
                ("mq/0/nr_tags", "1"),
            ],
        );
        tree.attributes(
            &format!("/sys/devices/virtual/block/{name}/{name}1"),
            &[
                ("dev", &format!("8:{}", minor + 1)),
                ("partition", "1"),
                ("start", "2048"),
                ("size", "2048"),
            ],
        );
    }
}

fn at<'a>(host: &'a Host, target: &str) -> &'a Mount {
    host.mounts
        .iter()
        .find(|mount| mount.target == target)
        .unwrap_or_else(|| panic!("{target}"))
}

#[test]
fn odd_paths_binds_and_covered_mounts() {
    let tree = Tree::new();
    disks(&tree);
    tree.file(
        "/proc/self/mountinfo",
        concat!(
            "1 1 0:2 / / rw - rootfs none rw\n",
            "20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw,errors=remount-ro\n",
            "21 20 8:17 / /mnt/two\\040words\\011and\\012lines\\134 ro,noatime master:2 - xfs /dev/sdb1 rw,lazytime,logbsize=32k\n",
            "22 20 8:1 /srv/pg /var/lib/pg rw,relatime - ext4 /dev/root rw,errors=remount-ro\n",
            "23 20 0:33 / /tmp rw - tmpfs tmpfs rw\n",
            "24 20 8:17 / /old rw,relatime - xfs /dev/sdb1 rw\n",
            "25 24 8:1 /srv /old rw - ext4 /dev/root rw\n",
        ),
    );
    let host = tree.read();
    let targets: Vec<&str> = host
        .mounts
        .iter()
        .map(|mount| mount.target.as_str())
        .collect();
    assert_eq!(
        targets,
        [
            "/",
            "/mnt/two words\tand\nlines\\",
            "/var/lib/pg",
            "/tmp",
            "/old"
        ]
    );
    let root = at(&host, "/");
    assert_eq!(
        (root.device.as_deref(), root.source.as_str()),
        (Some("sda1"), "/dev/root")
    );
    assert_eq!(root.propagation.as_deref(), Some("shared"));
    let odd = &host.mounts[1];
    assert_eq!(
        (odd.read_only, odd.atime, odd.lazytime),
        (true, AtimeMode::Off, true)
    );
    assert_eq!(odd.options, ["ro", "noatime", "lazytime", "logbsize=32k"]);
    assert_eq!(odd.xfs.as_ref().unwrap().log_buffer_bytes, Some(32_768));
    let bind = at(&host, "/var/lib/pg");
    assert_eq!(
        (bind.root.as_str(), bind.device.as_deref()),
        ("/srv/pg", Some("sda1"))
    );
    assert_eq!(
        (at(&host, "/tmp").device.as_deref(), at(&host, "/tmp").atime),
        (None, AtimeMode::Relative)
    );
    assert_eq!(
        (at(&host, "/old").fs.as_str(), at(&host, "/old").atime),
        ("ext4", AtimeMode::Strict)
    );
    assert_eq!(
        host.device("sda1").unwrap().used_by,
        ["/", "/var/lib/pg", "/old"]
    );
    assert_eq!(
        root.size_bytes, None,
        "sizes are asked of the running host alone"
    );
}

#[test]
fn btrfs_has_numbers_of_its_own_and_several_devices() {
    let tree = Tree::new();
    disks(&tree);
    tree.folder("/sys/fs/btrfs/features")
        .folder("/sys/fs/btrfs/5b1c/devices/sda1")
        .folder("/sys/fs/btrfs/5b1c/devices/sdb")
        .file(
            "/proc/self/mountinfo",
            "20 1 0:31 /@data /data rw,relatime - btrfs /dev/sda1 rw,space_cache=v2,subvol=/@data\n",
        );
    let host = tree.read();
    assert_eq!(at(&host, "/data").device.as_deref(), Some("sda1"));
    assert_eq!(host.users_of("sdb"), ["/data"]);
    assert_eq!(host.users_of("sda"), ["/data on sda1"]);
    assert_eq!(host.whole_disk("/data").unwrap().name, "sda");
}

#[test]
fn fstab_by_uuid_label_and_mount_point() {
    let tree = Tree::new();
    disks(&tree);
    tree.link("/dev/disk/by-uuid/11-aa", "../../sda1")
        .link("/dev/disk/by-label/pg\\x20data", "../../sdb1")
        .file("/dev/sda1", "")
        .file("/dev/sdb1", "")
        .file(
            "/proc/self/mountinfo",
            concat!(
                "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n",
                "21 20 8:17 / /pg\\040data rw - xfs /dev/sdb1 rw\n",
                "22 20 8:17 / /elsewhere rw - xfs /dev/sdb1 rw\n",
            ),
        )
        .file(
            "/etc/fstab",
            concat!(
                "# <file system> <mount point>\n",
                "UUID=11-aa / ext4 noatime,nodiratime,errors=remount-ro 0 1\n",
                "LABEL=\"pg\\040data\" /pg\\040data/ xfs nobarrier 0 2\n",
                "/dev/sda1 /elsewhere ext4 defaults 0 0\n",
            ),
        );
    let host = tree.read();
    assert_eq!(
        at(&host, "/").fstab_options.as_deref().unwrap(),
        ["noatime", "nodiratime", "errors=remount-ro"]
    );
    assert_eq!(
        at(&host, "/pg data").fstab_options.as_deref().unwrap(),
        ["nobarrier"]
    );
    assert_eq!(at(&host, "/elsewhere").fstab_options, None);
    let note = host
        .missing
        .iter()
        .find(|note| note.what == "fstab options of /elsewhere")
        .unwrap();
    assert_eq!(
        note.reason,
        "/etc/fstab, line 4 means sda1, but sdb1 is mounted there"
    );
}

/// Facts of a filesystem that mke2fs made with these arguments, 64 MiB long, seen through a tree.
/// `None`, aloud, without mke2fs.
fn made(arguments: &[&str], fs: &str, mount_options: &str, kernel: Option<&str>) -> Option<Ext4> {
    let tree = Tree::new();
    disks(&tree);
    tree.folder("/dev");
    let image = tree.path("/dev/sda1");
    std::fs::File::create(&image)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let status = Command::new("mke2fs")
        .args(["-q", "-F"])
        .args(arguments)
        .arg(&image)
        .status();
    match status {
        Ok(status) => assert!(status.success(), "mke2fs {arguments:?}"),
        Err(error) => {
            eprintln!("skipped: mke2fs: {error}");
            return None;
        }
    }
    tree.file(
        "/proc/self/mountinfo",
        format!("20 1 8:1 / /data rw,relatime - {fs} /dev/sda1 {mount_options}\n"),
    );
    if let Some(text) = kernel {
        tree.file("/proc/fs/ext4/sda1/options", text);
        tree.file("/sys/fs/ext4/sda1/errors_count", "3\n");
    }
    let host = tree.read();
    assert!(
        !host
            .missing
            .iter()
            .any(|note| note.what.starts_with("superblock")),
        "{:?}",
        host.missing
    );
    at(&host, "/data").ext4.clone()
}

#[test]
fn the_superblock_of_an_ordinary_filesystem() {
    let before = seconds();
    let arguments = [
        "-t",
        "ext4",
        "-b",
        "4096",
        "-E",
        "stride=16,stripe_width=32",
        "-J",
        "size=8",
        "-e",
        "remount-ro",
    ];
    let Some(facts) = made(&arguments, "ext4", "rw", None) else {
        return;
    };
    assert_eq!(facts.has_journal, Some(true));
    assert_eq!(
        (facts.journal_bytes, facts.journal_external),
        (Some(8 << 20), Some(false))
    );
    assert_eq!(facts.block_size_bytes, Some(4096));
    assert_eq!(
        (facts.stride_blocks, facts.stripe_width_blocks),
        (Some(16), Some(32))
    );
    assert_eq!(facts.errors_behaviour.as_deref(), Some("remount-ro"));
    assert_eq!(facts.errors_count, Some(0));
    assert_eq!(facts.data_mode.as_deref(), Some("ordered"));
    assert_eq!(
        (facts.barrier, facts.commit_interval_s),
        (Some(true), Some(5))
    );
    for feature in [
        "has_journal",
        "dir_index",
        "extent",
        "flex_bg",
        "metadata_csum",
    ] {
        assert!(
            facts.features.iter().any(|name| name == feature),
            "{feature}: {:?}",
            facts.features
        );
    }
    let created = facts.created_unix_s.unwrap();
    assert!((before..=seconds()).contains(&created), "{created}");
}

#[test]
fn a_filesystem_without_a_journal() {
    let arguments = ["-t", "ext4", "-O", "^has_journal,^dir_index"];
    let kernel = "rw\nbarrier\nuser_xattr\nerrors=continue\ncommit=5\nstripe=0\n";
    for options in [None, Some(kernel)] {
        let Some(facts) = made(&arguments, "ext4", "rw", options) else {
            return;
        };
        assert_eq!(facts.has_journal, Some(false));
        assert_eq!(
            (facts.data_mode, facts.journal_bytes, facts.journal_external),
            (None, None, None)
        );
        assert_eq!((facts.commit_interval_s, facts.barrier), (None, Some(true)));
        assert!(!facts.features.iter().any(|name| name == "dir_index"));
        assert_eq!(
            facts.errors_count,
            Some(if options.is_some() { 3 } else { 0 })
        );
    }
}

#[test]
fn options_stored_in_the_superblock() {
    let Some(_) = made(&["-t", "ext4"], "ext4", "rw", None) else {
        return;
    };
    let tree = Tree::new();
    disks(&tree);
    tree.folder("/dev");
    let image = tree.path("/dev/sda1");
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program)
            .args(arguments)
            .arg(&image)
            .stdout(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    std::fs::File::create(&image)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    assert!(run("mke2fs", &["-q", "-F", "-t", "ext4"]));
    if !run("tune2fs", &["-o", "journal_data_writeback,nobarrier"]) {
        eprintln!("skipped: tune2fs does not run here");
        return;
    }
    tree.file(
        "/proc/self/mountinfo",
        "20 1 8:1 / /data rw,relatime - ext4 /dev/sda1 rw\n",
    );
    let host = tree.read();
    let facts = at(&host, "/data").ext4.as_ref().unwrap();
    for option in ["user_xattr", "acl", "nobarrier", "journal_data_writeback"] {
        assert!(
            facts
                .default_mount_options
                .iter()
                .any(|name| name == option),
            "{option}"
        );
    }
    assert_eq!(
        facts.data_mode.as_deref(),
        Some("writeback"),
        "nothing else is said"
    );
    assert_eq!(facts.barrier, Some(false));
}

#[test]
fn the_mode_in_force_wins_over_the_stored_one() {
    let kernel = "rw\nbarrier\ndata=journal\ncommit=30\nerrors=panic\n";
    let Some(facts) = made(&["-t", "ext3"], "ext3", "rw,data=journal", Some(kernel)) else {
        return;
    };
    assert_eq!(facts.data_mode.as_deref(), Some("journal"));
    assert_eq!(facts.commit_interval_s, Some(30));
    assert_eq!(facts.errors_behaviour.as_deref(), Some("panic"));
    let Some(facts) = made(&["-t", "ext2"], "ext2", "rw", None) else {
        return;
    };
    assert_eq!(facts.has_journal, Some(false));
}

fn seconds() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
}
