//! Block devices from fake sysfs trees, laid out as the kernel lays them out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "host_support/disks.rs"]
mod disks;
#[path = "host_support/tree.rs"]
mod tree;

use disks::{OnBus, mount, sata, volumes};

use profiler::host::{DeviceClass, Host};
use tree::Tree;

fn names(devices: &[profiler::host::BlockDevice]) -> Vec<&str> {
    devices.iter().map(|device| device.name.as_str()).collect()
}

#[test]
fn a_raid_5_on_partitions() {
    let tree = Tree::new();
    for (index, letter) in ['a', 'b', 'c'].into_iter().enumerate() {
        sata(&tree, letter, index as u32 * 16);
        tree.link(
            &format!("/sys/devices/virtual/block/md127/slaves/sd{letter}2"),
            &format!("../../../../../block/sd{letter}/sd{letter}2"),
        );
    }
    tree.disk(
        "virtual/block/md127",
        &[
            ("dev", "9:127"),
            ("size", "11668629278"),
            ("queue/optimal_io_size", "1048576"),
            ("queue/minimum_io_size", "524288"),
            ("md/level", "raid5"),
            ("md/chunk_size", "524288"),
            ("md/raid_disks", "4 (3)"),
            ("md/layout", "2"),
            ("md/degraded", "0"),
            ("md/sync_action", "idle"),
            ("md/stripe_cache_size", "256"),
            ("md/consistency_policy", "bitmap"),
            ("md/metadata_version", "1.2"),
            ("md/bitmap/location", "+8"),
            ("md/bitmap/chunksize", "67108864"),
        ],
    )
    .link("/dev/disk/by-id/md-uuid-aa:bb:cc:dd", "../../md127")
    .file("/dev/md127", "")
    .file(
        "/proc/self/mountinfo",
        mount(2, "9:127", "/var/lib/pg", "xfs", "/dev/md127"),
    );
    let host = tree.read();

    assert_eq!(
        names(&host.devices),
        [
            "md127", "sda", "sda1", "sda2", "sdb", "sdb1", "sdb2", "sdc", "sdc1", "sdc2"
        ]
    );
    let array = host.device("md127").unwrap();
    assert_eq!(array.class, DeviceClass::Md);
    assert!(array.bio_based);
    assert_eq!((array.hardware_queues, array.tags_per_queue), (None, None));
    assert_eq!(array.below, ["sda2", "sdb2", "sdc2"]);
    assert_eq!(array.id.as_deref(), Some("aa:bb:cc:dd"));
    let md = array.md.as_ref().unwrap();
    assert_eq!(
        (md.level.as_str(), md.chunk_bytes),
        ("raid5", Some(524_288))
    );
    assert_eq!(
        (md.raid_disks, md.layout, md.degraded),
        (Some(4), Some(2), Some(0))
    );
    assert_eq!(md.stripe_cache_size, Some(256));
    assert_eq!(md.bitmap_chunk_bytes, Some(67_108_864));
    assert_eq!(md.consistency_policy.as_deref(), Some("bitmap"));

    let disk = host.device("sda").unwrap();
    assert_eq!(disk.class, DeviceClass::Ata);
    assert_eq!(disk.model.as_deref(), Some("ST3000DM001-1CH1"));
    assert_eq!(disk.id.as_deref(), Some("t10.ATA ST3000DM001-1CH1 W1F0a"));
    assert_eq!(disk.size_bytes, Some(5_860_533_168 * 512));
    assert_eq!(
        (
            disk.scsi_queue_depth,
            disk.hardware_queues,
            disk.tags_per_queue
        ),
        (Some(31), Some(1), Some(32))
    );
    let queue = disk.queue.as_ref().unwrap();
    assert_eq!(queue.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(queue.wbt_lat_usec, Some(-1));
    assert_eq!(queue.iosched["fifo_batch"], "16");
    assert_eq!(queue.read_ahead_kib, None, "an absent file is unknown");

    let part = host.device("sda2").unwrap();
    assert_eq!(part.class, DeviceClass::Partition);
    assert_eq!(
        (part.partition_of.as_deref(), part.start_sector),
        (Some("sda"), Some(26_218_496))
    );
    assert_eq!(part.used_by, ["md127"]);
    assert_eq!(
        part.id.as_deref(),
        Some("t10.ATA ST3000DM001-1CH1 W1F0a-part2")
    );
    assert!(part.queue.is_none());

    assert_eq!(
        host.users_of("sda"),
        ["md127 on sda2", "/var/lib/pg on md127"]
    );
    assert_eq!(host.users_of("sda1"), Vec::<String>::new());
    assert_eq!(host.users_of("md127"), ["/var/lib/pg"]);
    assert_eq!(host.whole_disk("/var/lib/pg").unwrap().name, "md127");
}

#[test]
fn striped_volumes_on_encrypted_disks() {
    let host = volumes().read();
    let volume = host.device("dm-2").unwrap();
    let dm = volume.dm.as_ref().unwrap();
    assert_eq!(volume.class, DeviceClass::Dm);
    assert!(volume.bio_based);
    assert_eq!(
        (dm.name.as_str(), dm.subsystem.as_deref()),
        ("vg--0-pg--data", Some("LVM"))
    );
    assert_eq!(volume.id.as_deref(), Some("LVM-abc2"));
    assert_eq!(volume.below, ["dm-0", "dm-1"]);
    assert_eq!(volume.links, ["/dev/mapper/vg--0-pg--data"]);
    assert_eq!((dm.stripes, dm.targets.len()), (None, 0));
    assert!(
        host.missing
            .iter()
            .any(|note| note.what == "device-mapper table of vg--0-pg--data"),
        "{:?}",
        host.missing
    );
    let crypt = host.device("dm-0").unwrap();
    assert_eq!(
        crypt.dm.as_ref().unwrap().subsystem.as_deref(),
        Some("CRYPT")
    );
    assert_eq!(crypt.below, ["sda"]);
    assert_eq!(crypt.used_by, ["dm-2", "dm-3"]);
    let disk = host.device("sdb").unwrap();
    assert_eq!(disk.class, DeviceClass::Scsi);
    assert_eq!(disk.model.as_deref(), Some("HP LUN"));
    assert_eq!(disk.id.as_deref(), Some("SN1"), "from page 0x80");
    assert_eq!(
        (disk.hardware_queues, disk.tags_per_queue),
        (Some(2), Some(256))
    );
    assert!(!disk.bio_based);
}

#[test]
fn nvme_virtio_and_other_buses() {
    let tree = Tree::new();
    let nvme = "pci0000:00/0000:00:04.0/nvme/nvme0";
    tree.disk(
        &format!("{nvme}/nvme0n1"),
        &[
            ("dev", "259:0"),
            ("size", "100"),
            ("wwid", "eui.0025385b71b0e3d5"),
            ("queue/scheduler", "[none] mq-deadline"),
            ("queue/rotational", "0"),
            ("mq/0/nr_tags", "1023"),
            ("mq/1/nr_tags", "1023"),
            ("mq/10/nr_tags", "31"),
        ],
    )
    .on_bus(&format!("{nvme}/nvme0n1"), nvme, "nvme")
    .attributes(
        &format!("/sys/devices/{nvme}"),
        &[("model", "INTEL SSDPE2KX010T8       "), ("serial", "X")],
    );
    // A multipath namespace: the head passes bios on to hidden paths without a number.
    let heads = "virtual/nvme-subsystem/nvme-subsys1";
    tree.disk(
        &format!("{heads}/nvme1n1"),
        &[("dev", "259:4"), ("size", "9"), ("queue/rotational", "0")],
    )
    .on_bus(&format!("{heads}/nvme1n1"), heads, "nvme-subsystem")
    .disk(
        &format!("{heads}/nvme1c0n1"),
        &[("size", "9"), ("hidden", "1")],
    );
    let virtio = "pci0000:00/0000:00:02.0/virtio1";
    tree.disk(
        &format!("{virtio}/block/vda"),
        &[
            ("dev", "254:0"),
            ("size", "8"),
            ("serial", "disk-one"),
            ("mq/0/nr_tags", "128"),
            ("queue/rotational", "1"),
        ],
    )
    .on_bus(&format!("{virtio}/block/vda"), virtio, "virtio");
    tree.disk(
        "vbd-768/block/xvda",
        &[("dev", "202:0"), ("size", "8"), ("mq/0/nr_tags", "32")],
    )
    .on_bus("vbd-768/block/xvda", "vbd-768", "xen");
    let card = "platform/mmc0/mmc0:0001";
    tree.disk(
        &format!("{card}/block/mmcblk0"),
        &[("dev", "179:0"), ("size", "8"), ("mq/0/nr_tags", "64")],
    )
    .on_bus(&format!("{card}/block/mmcblk0"), card, "mmc")
    .attributes(
        &format!("/sys/devices/{card}"),
        &[("name", "SD16G"), ("cid", "03534453")],
    );
    let raid = "pci0000:00/0000:00:05.0/c0d0";
    tree.disk(
        &format!("{raid}/block/cciss!c0d0"),
        &[("dev", "104:0"), ("size", "8")],
    );
    let host = tree.read();

    let class = |name: &str| host.device(name).unwrap().class;
    assert_eq!(class("nvme0n1"), DeviceClass::Nvme);
    assert_eq!(class("nvme1n1"), DeviceClass::Nvme);
    assert_eq!(class("vda"), DeviceClass::Virtio);
    assert_eq!(class("xvda"), DeviceClass::Xen);
    assert_eq!(class("mmcblk0"), DeviceClass::Mmc);
    assert_eq!(class("cciss!c0d0"), DeviceClass::Unknown);
    let nvme = host.device("nvme0n1").unwrap();
    assert_eq!(nvme.id.as_deref(), Some("eui.0025385b71b0e3d5"));
    assert_eq!(nvme.model.as_deref(), Some("INTEL SSDPE2KX010T8"));
    assert_eq!(
        (nvme.hardware_queues, nvme.tags_per_queue),
        (Some(3), Some(1023))
    );
    assert_eq!(nvme.scsi_queue_depth, None);
    assert!(host.device("nvme1n1").unwrap().bio_based);
    assert!(host.device("nvme1c0n1").is_none());
    assert!(
        host.missing.iter().any(|note| note.what == "nvme1c0n1"),
        "{:?}",
        host.missing
    );
    assert_eq!(host.device("vda").unwrap().id.as_deref(), Some("disk-one"));
    assert_eq!(
        host.device("mmcblk0").unwrap().id.as_deref(),
        Some("03534453")
    );
    assert_eq!(
        host.whole_disk("/dev/cciss/c0d0").unwrap().name,
        "cciss!c0d0"
    );
}

#[test]
fn a_multipath_device_has_hardware_queues() {
    let tree = Tree::new();
    tree.disk(
        "virtual/block/dm-0",
        &[
            ("dev", "253:0"),
            ("size", "80"),
            ("dm/name", "mpatha"),
            ("dm/uuid", "mpath-3600508b400105e21"),
            ("mq/0/nr_tags", "2048"),
        ],
    );
    let host = tree.read();
    let device = host.device("dm-0").unwrap();
    assert!(!device.bio_based);
    assert_eq!(
        (device.hardware_queues, device.tags_per_queue),
        (Some(1), Some(2048))
    );
    assert_eq!(
        device.dm.as_ref().unwrap().subsystem.as_deref(),
        Some("mpath")
    );
}

#[test]
fn an_empty_tree_has_reasons_for_everything() {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::read(&profiler::host::Root::at(dir.path()));
    assert!(host.devices.is_empty() && host.mounts.is_empty() && host.databases.is_empty());
    for what in [
        "memory",
        "mounts",
        "block devices",
        "kernel release",
        "I/O pressure",
        "hostname",
    ] {
        assert!(host.missing.iter().any(|note| note.what == what), "{what}");
    }
    assert!(
        host.missing
            .iter()
            .any(|note| note.reason == "/proc/meminfo: No such file or directory"),
        "{:?}",
        host.missing
    );
    let text = serde_json::to_string(&host).unwrap();
    assert_eq!(serde_json::from_str::<Host>(&text).unwrap(), host);
}
