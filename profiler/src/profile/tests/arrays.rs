//! Geometry and traffic of md and striped devices.

use super::*;
use crate::capture::QueueSlice;
use rules::facts::{self as f};

const A: Scope = Scope::Array;

fn raid5() -> Json {
    json!({ "name": "md0", "number": "9:0", "class": "md", "bio_based": true,
        "below": ["sda", "sdb", "sdc"],
        "md": { "level": "raid5", "chunk_bytes": 65536, "raid_disks": 3, "degraded": 0,
            "stripe_cache_size": 256, "sync_action": "idle" } })
}

fn array_host(top: Json) -> Json {
    let mount = json!({ "target": "/db", "source": "/dev/md0", "fs": "ext4", "number": "9:0",
        "root": "/", "device": "md0", "atime": "relative", "read_only": false,
        "ext4": { "block_size_bytes": 4096, "stride_blocks": 16, "stripe_width_blocks": 32,
            "has_journal": true } });
    json!({ "devices": [disk("sda", "8:0"), disk("sdb", "8:16"), disk("sdc", "8:32"), top],
        "mounts": [mount] })
}

#[test]
fn the_stripe_is_the_chunk_times_the_data_disks() {
    let facts = facts(&capture(array_host(raid5()), vec![]));
    let number = |fact| number(&facts, A, "md0", fact);
    assert_eq!(number(&f::ARRAY_STRIPE_WIDTH), 131_072.0);
    assert_eq!(number(&f::ARRAY_DISKS), 3.0);
    assert!(truth(&facts, A, "md0", &f::ARRAY_PARITY));
    // What the filesystem was told, in bytes, and the array that it finds below itself.
    let fs = Scope::Filesystem;
    assert_eq!(
        super::number(&facts, fs, "/db", &f::FS_STRIPE_WIDTH),
        131_072.0
    );
    assert_eq!(super::number(&facts, fs, "/db", &f::ARRAY_CHUNK), 65536.0);
    assert_eq!(
        super::number(&facts, Scope::Device, "md0", &f::DEVICE_DATA_DISKS),
        2.0
    );
}

#[test]
fn data_disks_follow_the_level() {
    let width = |level: &str, disks: u64, layout: Json| {
        let mut top = raid5();
        top["md"] =
            json!({ "level": level, "chunk_bytes": 4096, "raid_disks": disks, "layout": layout });
        let facts = facts(&capture(array_host(top), vec![]));
        match lookup(&facts, A, "md0", &f::ARRAY_STRIPE_WIDTH) {
            Lookup::Known(measured) => measured.value.clone(),
            Lookup::Unknown(_) => Value::Number(0.0),
        }
    };
    let disks = |n: u64| Value::Number(n as f64 * 4096.0);
    assert_eq!(width("raid0", 4, Json::Null), disks(4));
    assert_eq!(width("raid6", 10, Json::Null), disks(8));
    // near=2 (0x102) on 8 disks; on 3 disks the stripe is no whole number of disks.
    assert_eq!(width("raid10", 8, json!(0x102)), disks(4));
    assert_eq!(width("raid10", 3, json!(0x102)), disks(0));
    assert_eq!(width("raid10", 8, Json::Null), disks(0));
    assert_eq!(width("raid1", 2, Json::Null), disks(1));
}

#[test]
fn reads_for_parity_are_what_the_arrays_own_reads_leave() {
    // 100 writes and 40 reads of the array; members read 60 + 100 + 80 = 240 times. 10 crossings.
    let member = |reads| DeviceSlice {
        ops: BTreeMap::from([(Op::Read, requests(reads, 4096, MS, 1))]),
        ..DeviceSlice::default()
    };
    let mut one = slice(
        "9:0",
        &[
            (Op::Read, bio_times(requests(40, 8 * KIB, MS, 1))),
            (Op::Write, bio_times(requests(100, 8 * KIB, MS, 1))),
        ],
    );
    one.devices.get_mut("9:0").unwrap().queue = Some(QueueSlice {
        bios_queued: Some(140),
        chunk_crossings: Some(10),
        ..QueueSlice::default()
    });
    for (number, reads) in [("8:0", 60), ("8:16", 100), ("8:32", 80)] {
        one.devices.insert(number.to_owned(), member(reads));
    }
    let facts = facts(&capture(array_host(raid5()), vec![one]));
    let number = |fact| number(&facts, A, "md0", fact);
    // 240 - 40 - 10 = 190 for 100 writes.
    assert!(close(number(&f::ARRAY_MEMBER_READS_PER_WRITE), 1.9));
    assert!(close(number(&f::ARRAY_CROSSINGS), 10.0 / 140.0));
    assert_eq!(number(&f::ARRAY_WRITE_SIZE), 8192.0);
    assert_eq!(number(&f::ARRAY_WRITE_RATE), 100.0);
}

#[test]
fn a_striped_volume_below_a_linear_one_is_found() {
    let stripes = json!({ "name": "dm-0", "number": "253:0", "class": "dm", "bio_based": true,
        "below": ["sda", "sdb"],
        "dm": { "name": "vg-s", "targets": ["striped"], "stripes": 2, "stripe_chunk_bytes": 65536 } });
    let linear = json!({ "name": "dm-1", "number": "253:1", "class": "dm", "bio_based": true,
        "below": ["dm-0"], "dm": { "name": "vg-l", "targets": ["linear"] } });
    let mount = json!({ "target": "/db", "source": "/dev/dm-1", "fs": "xfs", "number": "253:1",
        "root": "/", "device": "dm-1", "atime": "relative", "read_only": false });
    let host = json!({ "devices": [disk("sda", "8:0"), disk("sdb", "8:16"), stripes, linear],
        "mounts": [mount] });
    let facts = facts(&capture(host, vec![]));
    let width = number(&facts, Scope::Filesystem, "/db", &f::ARRAY_STRIPE_WIDTH);
    assert_eq!(width, 131_072.0);
    assert_eq!(
        why_not(&facts, A, "dm-0", &f::ARRAY_STRIPE_CACHE),
        "a striped mapping has none"
    );
}
