//! Who uses a device, and which disk a name means.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "host_support/disks.rs"]
mod disks;
#[path = "host_support/tree.rs"]
mod tree;

use disks::{mount, sata, volumes};
use profiler::host::{DeviceClass, Host};
use tree::Tree;

#[test]
fn users_are_found_through_the_whole_stack() {
    let host = volumes().read();
    assert_eq!(
        host.users_of("sda"),
        [
            "dm-0 on sda",
            "dm-2 on dm-0",
            "/data on dm-2",
            "dm-3 on dm-0",
            "/other on dm-3"
        ]
        .map(|user| user.replace(" on sda", ""))
    );
    // Another volume on the same disks is no use of this one.
    assert_eq!(host.users_of("dm-2"), ["/data"]);
    assert_eq!(host.users_of("nothing"), Vec::<String>::new());
}

#[test]
fn a_disk_is_found_by_each_of_its_names() {
    let tree = volumes();
    sata(&tree, 'k', 160);
    tree.link("/dev/disk/by-id/wwn-0x5000-part2", "../../sdk2")
        .link("/dev/oracle/asm1", "../sdk")
        .file("/dev/sdk", "")
        .file("/dev/sdk2", "");
    let host = tree.read();
    for (name, disk, note) in [
        ("sda", "sda", None),
        ("/dev/sda", "sda", None),
        ("8:0", "sda", Some("8:0 is sda")),
        ("/data", "dm-2", Some("/data is dm-2")),
        ("/data/", "dm-2", Some("/data/ is dm-2")),
        (
            "/dev/mapper/vg--0-pg--data",
            "dm-2",
            Some("/dev/mapper/vg--0-pg--data is dm-2"),
        ),
        // No link in /dev: by the name that device-mapper and LVM give.
        (
            "/dev/mapper/luks1",
            "dm-1",
            Some("/dev/mapper/luks1 is dm-1"),
        ),
        ("/dev/vg-0/other", "dm-3", Some("/dev/vg-0/other is dm-3")),
        ("vg-0/other", "dm-3", Some("vg-0/other is dm-3")),
        ("/dev/oracle/asm1", "sdk", Some("/dev/oracle/asm1 is sdk")),
        (
            "sdk1",
            "sdk",
            Some("sdk1 is a partition of sdk: all of sdk is meant"),
        ),
        (
            "8:161",
            "sdk",
            Some("8:161 is sdk1, a partition of sdk: all of sdk is meant"),
        ),
        (
            "/dev/disk/by-id/wwn-0x5000-part2",
            "sdk",
            Some(
                "/dev/disk/by-id/wwn-0x5000-part2 is sdk2, a partition of sdk: all of sdk is meant",
            ),
        ),
    ] {
        let found = host.select(name).unwrap();
        assert_eq!(
            (found.device.name.as_str(), found.note.as_deref()),
            (disk, note),
            "{name}"
        );
        assert_eq!(host.whole_disk(name).unwrap().name, disk);
    }
    for (name, error) in [
        (
            "/dev/sdz",
            "no such device or mount point: /dev/sdz; did you mean sda or sdb or sdk?",
        ),
        (
            "luks7",
            "no such device or mount point: luks7; did you mean luks0 or luks1?",
        ),
        (
            "/data/pg",
            "no such device or mount point: /data/pg; the mount point above it is /data (dm-2)",
        ),
        (
            "nvme0n1",
            "no such device or mount point: nvme0n1; there are dm-0, dm-1, dm-2, dm-3, sda, sdb, sdk",
        ),
        (
            "",
            "no such device or mount point: ; there are dm-0, dm-1, dm-2, dm-3, sda, sdb, sdk",
        ),
    ] {
        let found = host.whole_disk(name).unwrap_err().to_string();
        assert_eq!(found, error);
    }
    assert_eq!(
        Host::default().whole_disk("sda").unwrap_err().to_string(),
        "no such device or mount point: sda; the inventory has no block devices"
    );
}

#[test]
fn loops_on_files_and_on_devices() {
    let tree = Tree::new();
    sata(&tree, 'a', 0);
    tree.disk(
        "virtual/block/loop0",
        &[("dev", "7:0"), ("size", "2048"), ("loop/backing_file", "/srv/disk image"), ("loop/dio", "1"), ("mq/0/nr_tags", "128")],
    )
    .disk(
        "virtual/block/loop1",
        &[("dev", "7:1"), ("size", "2048"), ("loop/backing_file", "/dev/sda1"), ("loop/dio", "0")],
    )
    .disk("virtual/block/loop2", &[("dev", "7:2"), ("size", "0")])
    .disk("virtual/block/zram0", &[("dev", "252:0"), ("size", "64")])
    .file(
        "/proc/self/mountinfo",
        mount(2, "8:2", "/srv", "ext4", "/dev/sda2") + &mount(3, "7:0", "/mnt", "ext4", "/dev/loop0"),
    )
    .file(
        "/proc/swaps",
        "Filename Type Size Used Priority\n/dev/zram0 partition 32 4 100\n/srv/swap\\040file file 1024 0 -2\n",
    );
    let host = tree.read();
    let image = host.device("loop0").unwrap();
    assert_eq!(image.class, DeviceClass::Loop);
    assert_eq!(
        (image.loop_backing_file.as_deref(), image.loop_direct_io),
        (Some("/srv/disk image"), Some(true))
    );
    assert_eq!(image.below, Vec::<String>::new());
    assert_eq!(host.device("loop1").unwrap().below, ["sda1"]);
    assert!(host.device("loop2").is_none(), "nothing is attached to it");
    assert_eq!(host.device("sda1").unwrap().used_by, ["loop1"]);
    assert_eq!(
        host.device("sda2").unwrap().used_by,
        ["/srv", "swap file /srv/swap file", "loop0"]
    );
    assert_eq!(
        host.users_of("sda2"),
        ["/srv", "swap file /srv/swap file", "loop0", "/mnt on loop0"]
    );
    assert_eq!(host.users_of("zram0"), ["swap"]);
    assert_eq!(host.swaps[1].path, "/srv/swap file");
    assert_eq!(
        (
            host.swaps[0].size_bytes,
            host.swaps[0].used_bytes,
            host.swaps[0].priority
        ),
        (Some(32 << 10), Some(4 << 10), Some(100))
    );
    assert_eq!(
        (
            host.swaps[1].is_file,
            host.swaps[1].device.as_deref(),
            host.swaps[1].priority
        ),
        (true, Some("sda2"), Some(-2))
    );
    // Below the loop device lies a filesystem; the disk below a partition is used as a whole.
    assert_eq!(host.users_of("loop1"), Vec::<String>::new());
}

#[test]
fn a_path_of_a_multipath_device_is_in_use_with_its_partitions() {
    let tree = Tree::new();
    sata(&tree, 'a', 0);
    tree.disk(
        "virtual/block/dm-0",
        &[
            ("dev", "253:0"),
            ("size", "80"),
            ("dm/name", "mpatha"),
            ("dm/uuid", "mpath-36005"),
            ("slaves/sda/dev", ""),
        ],
    )
    .file(
        "/proc/self/mountinfo",
        mount(2, "253:0", "/data", "xfs", "/dev/mapper/mpatha"),
    );
    let host = tree.read();
    assert_eq!(host.users_of("sda1"), ["dm-0 on sda", "/data on dm-0"]);
    assert_eq!(host.users_of("dm-0"), ["/data"]);
}
