//! The host of the demonstration: one virtio disk, a loop device with a journalled ext4 on it.

use profiler::host::*;

pub(crate) fn host() -> Host {
    Host {
        hostname: Some("db-07".into()),
        id: Some("3f6c0a9be1d24c55".into()),
        kernel_release: "6.1.0-38-amd64".into(),
        kernel_command_line: Some("root=/dev/vda1 ro quiet".into()),
        os: Some("Debian GNU/Linux 12 (bookworm)".into()),
        virtualisation: Some("kvm".into()),
        cpus: Some(4),
        memory: Memory {
            total_bytes: Some(8 << 30),
            available_bytes: Some(5 << 30),
            swap_total_bytes: Some(0),
            ..Memory::default()
        },
        sysctls: [
            ("vm.dirty_ratio", "20"),
            ("vm.dirty_background_ratio", "10"),
            ("vm.dirty_bytes", "0"),
            ("vm.dirty_background_bytes", "0"),
            ("vm.dirty_expire_centisecs", "3000"),
            ("vm.swappiness", "60"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect(),
        transparent_hugepages: Some("always".into()),
        devices: vec![disk(), partition(), image()],
        mounts: vec![root(), data()],
        databases: vec![Database {
            kind: DatabaseKind::Postgresql,
            pid: 811,
            version: Some("15.14".into()),
            data_directory: Some("/srv/pg/15/main".into()),
            wal_directory: Some("/srv/pg/15/main/pg_wal".into()),
            data_mount: Some("/srv/pg".into()),
            wal_mount: Some("/srv/pg".into()),
            ..Database::default()
        }],
        pressure_io: Some(Pressure {
            some_avg10: 14.2,
            some_avg60: 11.8,
            some_avg300: 9.4,
            full_avg10: 5.1,
            full_avg60: 4.0,
            full_avg300: 3.2,
        }),
        missing: vec![Missing {
            what: "tuned profile".into(),
            reason: "tuned is not installed".into(),
        }],
        ..Host::default()
    }
}

fn disk() -> BlockDevice {
    BlockDevice {
        name: "vda".into(),
        number: "254:0".into(),
        id: Some("virtio-7f3a91".into()),
        class: DeviceClass::Virtio,
        size_bytes: Some(64 << 30),
        model: Some("virtio block device".into()),
        hardware_queues: Some(4),
        tags_per_queue: Some(256),
        queue: Some(Queue {
            scheduler: Some("mq-deadline".into()),
            schedulers_available: vec!["none".into(), "mq-deadline".into()],
            rotational: Some(true),
            nr_requests: Some(256),
            read_ahead_kib: Some(128),
            max_sectors_kib: Some(1280),
            write_cache: Some("write back".into()),
            wbt_lat_usec: Some(75_000),
            nomerges: Some(0),
            rq_affinity: Some(1),
            ..Queue::default()
        }),
        ..BlockDevice::default()
    }
}

fn partition() -> BlockDevice {
    BlockDevice {
        name: "vda1".into(),
        number: "254:1".into(),
        class: DeviceClass::Partition,
        partition_of: Some("vda".into()),
        start_sector: Some(2048),
        size_bytes: Some((64 << 30) - (1 << 20)),
        used_by: vec!["/".into()],
        ..BlockDevice::default()
    }
}

fn image() -> BlockDevice {
    BlockDevice {
        name: "loop0".into(),
        number: "7:0".into(),
        id: Some("loop:/var/lib/images/pg.ext4".into()),
        class: DeviceClass::Loop,
        size_bytes: Some(4 << 30),
        loop_backing_file: Some("/var/lib/images/pg.ext4".into()),
        loop_direct_io: Some(false),
        used_by: vec!["/srv/pg".into()],
        queue: Some(Queue {
            scheduler: Some("none".into()),
            rotational: Some(true),
            nr_requests: Some(128),
            read_ahead_kib: Some(128),
            write_cache: Some("write back".into()),
            ..Queue::default()
        }),
        ..BlockDevice::default()
    }
}

fn root() -> Mount {
    Mount {
        target: "/".into(),
        source: "/dev/vda1".into(),
        fs: "ext4".into(),
        number: "254:1".into(),
        root: "/".into(),
        options: vec!["rw".into(), "relatime".into(), "errors=remount-ro".into()],
        device: Some("vda1".into()),
        ext4: Some(Ext4 {
            has_journal: Some(false),
            barrier: Some(true),
            ..Ext4::default()
        }),
        size_bytes: Some(63 << 30),
        available_bytes: Some(41 << 30),
        ..Mount::default()
    }
}

fn data() -> Mount {
    Mount {
        target: "/srv/pg".into(),
        source: "/dev/loop0".into(),
        fs: "ext4".into(),
        number: "7:0".into(),
        root: "/".into(),
        options: vec!["rw".into(), "strictatime".into(), "data=ordered".into()],
        device: Some("loop0".into()),
        atime: AtimeMode::Strict,
        ext4: Some(Ext4 {
            has_journal: Some(true),
            data_mode: Some("ordered".into()),
            barrier: Some(true),
            commit_interval_s: Some(5),
            journal_bytes: Some(64 << 20),
            ..Ext4::default()
        }),
        size_bytes: Some(4 << 30),
        available_bytes: Some(2 << 30),
        ..Mount::default()
    }
}
