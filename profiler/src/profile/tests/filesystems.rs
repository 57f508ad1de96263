//! Mounts, journals and sync calls.

use super::*;
use crate::capture::{CommitPhase, JournalSlice, SyncCalls, SyncPhase, SyncSlice};
use rules::facts::{self as f};

const FS: Scope = Scope::Filesystem;

fn ext4(options: Json, fstab: Json, ext4: Json) -> Json {
    let part = json!({ "name": "sda1", "number": "8:1", "class": "partition", "partition_of": "sda",
        "bio_based": false });
    json!({
        "devices": [disk("sda", "8:0"), part],
        "mounts": [{ "target": "/db", "source": "/dev/sda1", "fs": "ext4", "number": "8:1",
            "root": "/", "device": "sda1", "atime": "strict", "read_only": false,
            "options": options, "fstab_options": fstab, "ext4": ext4,
            "size_bytes": 1000, "available_bytes": 40 }],
        "databases": [{ "kind": "postgresql", "pid": 1, "data_mount": "/db", "wal_mount": "/db" }]
    })
}

#[test]
fn options_and_superblock_become_facts() {
    let host = ext4(
        json!(["rw", "discard", "stripe=64"]),
        json!(["defaults", "noatime", "nodiratime"]),
        json!({ "has_journal": true, "data_mode": "writeback", "barrier": true,
            "commit_interval_s": 5, "block_size_bytes": 4096, "journal_bytes": 67_108_864,
            "default_mount_options": ["journal_data_writeback"], "features": ["dir_index"],
            "errors_count": 2, "errors_behaviour": "continue" }),
    );
    let facts = facts(&capture(host, vec![]));
    let truth = |fact| truth(&facts, FS, "/db", fact);
    let number = |fact| number(&facts, FS, "/db", fact);
    assert_eq!(
        known(&facts, FS, "/db", &f::FS_ATIME).value,
        Value::Text("strict".to_owned())
    );
    assert!(truth(&f::FS_DISCARD) && truth(&f::FS_NODIRATIME_REDUNDANT) && truth(&f::FS_DIR_INDEX));
    assert!(truth(&f::FS_DATA_MODE_FROM_SUPERBLOCK));
    assert!(truth(&f::FS_HAS_DATABASE) && truth(&f::FS_HAS_WAL) && truth(&f::FS_WAL_SHARES_DATA));
    assert!(!truth(&f::FS_ON_VIRTUAL_LAYER) && !truth(&f::FS_FSTAB_XFS_BARRIER));
    assert_eq!(number(&f::FS_STRIPE_WIDTH), 64.0 * 4096.0);
    assert_eq!(number(&f::FS_COMMIT_INTERVAL), 5e9);
    assert_eq!(number(&f::FS_ERRORS_COUNT), 2.0);
    assert!(close(number(&f::FS_USED), 0.96));
    let used = super::truth(&facts, Scope::Device, "sda", &f::DEVICE_HAS_DATABASE);
    assert!(used, "the database's partition lies on it");
    let database = Subject {
        scope: Scope::Database,
        name: "postgresql 1".to_owned(),
    };
    assert_eq!(facts.word_of(&database, "mount"), Some("/db"));
    assert_eq!(facts.word_of(&database, "device"), Some("sda"));
}

#[test]
fn a_data_mode_that_fstab_asks_for_is_not_from_the_superblock() {
    let stored = json!({ "has_journal": true, "data_mode": "writeback",
        "default_mount_options": ["journal_data_writeback"] });
    let host = ext4(json!(["rw"]), json!(["data=writeback"]), stored);
    let facts = facts(&capture(host, vec![]));
    assert!(!truth(&facts, FS, "/db", &f::FS_DATA_MODE_FROM_SUPERBLOCK));
}

#[test]
fn a_superblock_that_could_not_be_read_says_why() {
    let mut host = ext4(json!(["rw"]), Json::Null, Json::Null);
    host["missing"] =
        json!([{ "what": "superblock of sda1", "reason": "/dev/sda1: Permission denied" }]);
    let facts = facts(&capture(host, vec![]));
    let why = |fact| why_not(&facts, FS, "/db", fact);
    assert_eq!(why(&f::FS_DATA_MODE), "/dev/sda1: Permission denied");
    assert_eq!(why(&f::FS_NODIRATIME_REDUNDANT), "it has no line in fstab");
}

/// Two commits of 10 ms (8 flushing, 2 logging) and 30 ms (20, 10), 100 blocks logged.
fn journal() -> JournalSlice {
    let phase = |times: [u64; 2]| histogram(&LATENCY, &times.map(|ms| ms * MS));
    JournalSlice {
        commits: 2,
        phases: BTreeMap::from([
            (CommitPhase::Commit, phase([10, 30])),
            (CommitPhase::Flushing, phase([8, 20])),
            (CommitPhase::Logging, phase([2, 10])),
        ]),
        handles: 500,
        blocks_logged: 100,
        checkpoint_forced_to_close: 1,
        ..JournalSlice::default()
    }
}

#[test]
fn commits_are_split_into_phases_and_set_against_all_writes() {
    let host = ext4(
        json!(["rw"]),
        Json::Null,
        json!({ "has_journal": true, "block_size_bytes": 4096 }),
    );
    // The device writes 200 blocks in all, 100 of them to the journal.
    let mut one = slice("8:0", &[(Op::Write, requests(200, 4096, MS, 1))]);
    one.journals.insert("8:1".to_owned(), journal());
    let facts = facts(&capture(host, vec![one, Slice::default()]));
    let number = |fact| number(&facts, FS, "/db", fact);
    assert_eq!(number(&f::JOURNAL_COMMIT_RATE), 1.0);
    assert_eq!(number(&f::JOURNAL_HANDLES_RATE), 250.0);
    assert_eq!(number(&f::JOURNAL_HANDLES_PER_COMMIT), 250.0);
    assert_eq!(number(&f::JOURNAL_FORCED_CHECKPOINTS), 0.5);
    assert_eq!(number(&f::JOURNAL_THROUGHPUT), 100.0 * 4096.0 / 2.0);
    assert!(close(number(&f::JOURNAL_SHARE_OF_WRITES), 0.5));
    assert!(close(number(&f::JOURNAL_FLUSHING_SHARE), 28.0 / 40.0));
    assert!(close(number(&f::JOURNAL_LOGGING_SHARE), 12.0 / 40.0));
    let why = why_not(&facts, FS, "/db", &f::JOURNAL_LOCKED_P99);
    assert_eq!(why, "the phases of its commits were not measured");
}

#[test]
fn sync_calls_are_counted_together_and_compared_with_flush_and_commits() {
    let host = ext4(
        json!(["rw"]),
        Json::Null,
        json!({ "has_journal": true, "block_size_bytes": 4096 }),
    );
    let flush = (Op::Flush, requests(4, 0, 2 * MS, 1));
    let mut one = slice("8:0", &[flush]);
    one.journals.insert("8:1".to_owned(), journal());
    let calls = |n: usize, errors| SyncCalls {
        errors,
        latency_ns: histogram(&LATENCY, &vec![4 * MS; n]),
        phases_ns: [
            (SyncPhase::Data, 10),
            (SyncPhase::Journal, 30),
            (SyncPhase::Record, 60),
        ]
        .into(),
    };
    let both = [
        ("fsync".to_owned(), calls(3, 1)),
        ("fdatasync".to_owned(), calls(1, 0)),
    ];
    one.syncs.insert(
        "8:1".to_owned(),
        SyncSlice {
            calls: BTreeMap::from(both),
            ..SyncSlice::default()
        },
    );
    let facts = facts(&capture(host, vec![one]));
    let number = |fact| number(&facts, FS, "/db", fact);
    assert_eq!(number(&f::SYNC_RATE), 4.0);
    assert_eq!(number(&f::SYNC_FSYNC_SHARE), 0.75);
    assert_eq!(number(&f::SYNC_ERRORS), 1.0);
    assert_eq!(number(&f::SYNC_WAIT_DATA), 0.1);
    assert_eq!(number(&f::SYNC_WAIT_COMMIT), 0.3);
    assert_eq!(number(&f::SYNC_WAIT_FLUSH), 0.6);
    assert_eq!(number(&f::SYNC_COMMITS_PER_CALL), 0.5);
    let middle = |ns| {
        let index = LATENCY.index(ns);
        (LATENCY.floor(index) + LATENCY.ceiling(index).unwrap()) as f64 / 2.0
    };
    assert_eq!(number(&f::SYNC_P50), middle(4 * MS));
    assert!(close(
        number(&f::SYNC_FLUSH_SHARE),
        middle(2 * MS) / middle(4 * MS)
    ));
}

#[test]
fn xfs_has_no_jbd2_journal_to_follow() {
    let mut host = ext4(json!(["rw"]), Json::Null, Json::Null);
    host["mounts"][0]["fs"] = json!("xfs");
    let facts = facts(&capture(host, vec![Slice::default()]));
    let why = why_not(&facts, FS, "/db", &f::JOURNAL_COMMIT_RATE);
    assert_eq!(
        why,
        "the journal probe follows ext3 and ext4, and this is xfs"
    );
    assert_eq!(number(&facts, FS, "/db", &f::SYNC_RATE), 0.0);
}

#[test]
fn bind_mounts_of_one_filesystem_are_judged_once() {
    let mut host = ext4(json!(["rw"]), Json::Null, Json::Null);
    let mut bind = host["mounts"][0].clone();
    (bind["target"], bind["root"]) = (json!("/a"), json!("/sub"));
    host["mounts"].as_array_mut().unwrap().push(bind);
    let facts = facts(&capture(host, vec![]));
    let names: Vec<&str> = facts.of(FS).map(|subject| subject.name.as_str()).collect();
    assert_eq!(names, ["/db"], "the database knows it by this path");
}

#[test]
fn a_database_in_a_container_image_is_judged_too() {
    let host = json!({
        "mounts": [{ "target": "/", "source": "overlay", "fs": "overlay", "number": "0:50",
            "root": "/", "atime": "relative", "read_only": false }],
        "databases": [{ "kind": "mysql", "pid": 9, "data_mount": "/", "wal_mount": "/" }]
    });
    let facts = facts(&capture(host, vec![]));
    assert!(truth(&facts, FS, "/", &f::FS_ON_VIRTUAL_LAYER));
}

#[test]
fn a_database_that_cannot_be_placed_may_be_anywhere() {
    let mut host = ext4(json!(["rw"]), Json::Null, Json::Null);
    host["databases"] = json!([{ "kind": "postgresql", "pid": 7 }]);
    let facts = facts(&capture(host, vec![]));
    let why = why_not(&facts, FS, "/db", &f::FS_HAS_DATABASE);
    assert_eq!(
        why,
        "it is not known where the database with process 7 keeps its data"
    );
    assert_eq!(
        why_not(&facts, Scope::Device, "sda", &f::DEVICE_HAS_DATABASE),
        why
    );
}

#[test]
fn the_options_in_effect_are_a_word_without_what_mount_does_not_take() {
    let host = ext4(
        json!(["rw", "seclabel", "noatime", "data=journal"]),
        Json::Null,
        Json::Null,
    );
    let facts = facts(&capture(host, vec![]));
    let mount = Subject {
        scope: FS,
        name: "/db".to_owned(),
    };
    assert_eq!(
        facts.word_of(&mount, "options"),
        Some("rw,noatime,data=journal")
    );
}
