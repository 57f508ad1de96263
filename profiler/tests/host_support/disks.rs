//! Disks as the kernel lays them out in sysfs.

use super::tree::Tree;

/// The driver core's links: `device` to the parent, and the parent's `subsystem`.
pub(crate) trait OnBus {
    fn on_bus(&self, home: &str, parent: &str, bus: &str) -> &Self;
}

impl OnBus for Tree {
    fn on_bus(&self, home: &str, parent: &str, bus: &str) -> &Self {
        let up = "../".repeat(home.split('/').count());
        self.link(
            &format!("/sys/devices/{home}/device"),
            &format!("{up}{parent}"),
        )
        .link(
            &format!("/sys/devices/{parent}/subsystem"),
            &format!("/sys/bus/{bus}"),
        )
    }
}

const SATA: &str = "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0";

/// A SATA disk with two partitions.
pub(crate) fn sata(tree: &Tree, letter: char, minor: u32) {
    let parent = SATA.replace("ata1", &format!("ata{}", minor / 16 + 1));
    let home = format!("{parent}/block/sd{letter}");
    tree.disk(
        &home,
        &[
            ("dev", &format!("8:{minor}")),
            ("size", "5860533168"),
            ("ro", "0"),
            ("removable", "0"),
            ("alignment_offset", "0"),
            ("queue/scheduler", "none [mq-deadline] bfq"),
            ("queue/rotational", "1"),
            ("queue/nr_requests", "64"),
            ("queue/physical_block_size", "4096"),
            ("queue/wbt_lat_usec", "-1"),
            ("queue/io_timeout", "30000"),
            ("queue/iosched/read_expire", "500"),
            ("queue/iosched/fifo_batch", "16"),
            ("mq/0/nr_tags", "32"),
        ],
    )
    .on_bus(&home, &parent, "scsi")
    .attributes(
        &format!("/sys/devices/{parent}"),
        &[
            ("model", "ST3000DM001-1CH1"),
            ("vendor", "ATA     "),
            ("queue_depth", "31"),
            (
                "wwid",
                &format!("t10.ATA     ST3000DM001-1CH1                        W1F0{letter}"),
            ),
        ],
    );
    for (part, start, size) in [(1, "63", "1000"), (2, "26218496", "5834314639")] {
        tree.attributes(
            &format!("/sys/devices/{home}/sd{letter}{part}"),
            &[
                ("dev", &format!("8:{}", minor + part)),
                ("partition", &part.to_string()),
                ("start", start),
                ("size", size),
                ("ro", "0"),
                ("alignment_offset", "0"),
            ],
        );
    }
}

/// A striped logical volume over two encrypted SCSI disks, with a second volume beside it.
pub(crate) fn volumes() -> Tree {
    let tree = Tree::new();
    for (index, name) in ["sda", "sdb"].into_iter().enumerate() {
        let parent = format!("pci0000:00/0000:00:10.0/host{index}/target{index}:0:0/{index}:0:0:0");
        let home = format!("{parent}/block/{name}");
        tree.disk(
            &home,
            &[
                ("dev", &format!("8:{}", index * 16)),
                ("size", "1000000"),
                ("queue/scheduler", "none"),
                ("mq/0/nr_tags", "254"),
                ("mq/1/nr_tags", "256"),
            ],
        )
        .on_bus(&home, &parent, "scsi")
        .attributes(
            &format!("/sys/devices/{parent}"),
            &[("model", "LUN"), ("vendor", "HP"), ("queue_depth", "64")],
        )
        .file(
            &format!("/sys/devices/{parent}/vpd_pg80"),
            [b"\0\x80\0\x08SN" as &[u8], &[b'0' + index as u8], b"     "].concat(),
        );
        let crypt = format!("dm-{index}");
        tree.disk(
            &format!("virtual/block/{crypt}"),
            &[
                ("dev", &format!("253:{index}")),
                ("size", "990000"),
                ("dm/name", &format!("luks{index}")),
                ("dm/uuid", &format!("CRYPT-LUKS2-00ff-luks{index}")),
                (&format!("slaves/{name}/dev"), ""),
                ("queue/scheduler", "none"),
            ],
        );
    }
    for (minor, name) in [(2, "vg--0-pg--data"), (3, "vg--0-other")] {
        tree.disk(
            &format!("virtual/block/dm-{minor}"),
            &[
                ("dev", &format!("253:{minor}")),
                ("size", "1980000"),
                ("dm/name", name),
                ("dm/uuid", &format!("LVM-abc{minor}")),
                ("slaves/dm-0/dev", ""),
                ("slaves/dm-1/dev", ""),
            ],
        );
    }
    tree.link("/dev/mapper/vg--0-pg--data", "../dm-2")
        .file("/dev/dm-2", "")
        .file(
            "/proc/self/mountinfo",
            mount(2, "253:2", "/data", "xfs", "/dev/mapper/vg--0-pg--data")
                + &mount(3, "253:3", "/other", "xfs", "/dev/mapper/vg--0-other"),
        );
    tree
}

pub(crate) fn mount(id: u32, number: &str, target: &str, fs: &str, source: &str) -> String {
    format!("{id} 1 {number} / {target} rw,relatime shared:1 - {fs} {source} rw\n")
}
