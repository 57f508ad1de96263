//! Host, databases and workload.

use super::*;
use crate::capture::{JobOp, JobResult, OpSpans, SystemSlice, Workload};
use rules::facts::{self as f};

const H: Scope = Scope::Host;

#[test]
fn settings_come_in_base_units() {
    let host = json!({
        "hostname": "db1", "kernel_release": "6.1.0-30-amd64", "virtualisation": "kvm",
        "kernel_command_line": "ro elevator=noop quiet",
        "memory": { "total_bytes": 51_539_607_552u64, "available_bytes": 48_000_000_000u64 },
        "sysctls": { "vm.dirty_ratio": "40", "vm.dirty_background_ratio": "10", "vm.dirty_bytes": "0",
            "vm.dirty_expire_centisecs": "3000", "vm.dirty_writeback_centisecs": "500",
            "vm.swappiness": "60" }
    });
    let facts = facts(&capture(host, vec![]));
    let number = |fact| number(&facts, H, "db1", fact);
    assert_eq!(number(&f::HOST_KERNEL), 6001.0);
    assert!(close(number(&f::VM_DIRTY_RATIO), 0.4));
    // 40 % of the 48 GB available, not of the 51.5 GB in all.
    assert!(close(number(&f::VM_DIRTY_LIMIT), 19.2e9));
    assert_eq!(number(&f::VM_DIRTY_EXPIRE), 30e9);
    assert_eq!(number(&f::VM_DIRTY_WRITEBACK), 5e9);
    assert!(truth(&facts, H, "db1", &f::HOST_VIRTUAL));
    assert!(truth(&facts, H, "db1", &f::HOST_CMDLINE_ELEVATOR));
    assert!(!truth(&facts, H, "db1", &f::HOST_CMDLINE_USE_BLK_MQ));
    assert_eq!(
        why_not(&facts, H, "db1", &f::HOST_PRESSURE_IO),
        "nothing was recorded"
    );
    let why = why_not(&facts, H, "db1", &f::VM_LAPTOP_MODE);
    assert_eq!(why, "vm.laptop_mode is not among the settings read");
}

#[test]
fn bytes_win_over_the_ratio() {
    let host = json!({ "hostname": "db1", "sysctls": { "vm.dirty_ratio": "0", "vm.dirty_bytes": "1073741824" } });
    let facts = facts(&capture(host, vec![]));
    assert_eq!(
        number(&facts, H, "db1", &f::VM_DIRTY_LIMIT),
        1_073_741_824.0
    );
}

#[test]
fn load_is_summed_or_averaged_over_the_slices() {
    let second = |pressure: f64, swapped: u64, dirty: u64| Slice {
        system: Some(SystemSlice {
            pressure_io_some: Some(pressure),
            swap_in_pages: Some(swapped),
            dirty_bytes: Some(dirty),
            ..SystemSlice::default()
        }),
        ..Slice::default()
    };
    let slices = vec![second(0.1, 30, 5 * MIB), second(0.3, 10, 2 * MIB)];
    let facts = facts(&capture(json!({ "hostname": "db1" }), slices));
    let pressure = known(&facts, H, "db1", &f::HOST_PRESSURE_IO);
    assert!(matches!(pressure.value, Value::Number(share) if close(share, 0.2)));
    assert_eq!(pressure.n, Some(2));
    assert_eq!(number(&facts, H, "db1", &f::HOST_SWAP_IN), 20.0);
    assert_eq!(number(&facts, H, "db1", &f::WB_DIRTY_MAX), 5.0 * MIB as f64);
    let why = why_not(&facts, H, "db1", &f::HOST_ALLOC_STALLS);
    assert_eq!(why, "the recording does not hold it");
}

fn database(kind: &str, version: &str, settings: Json) -> Facts {
    let host = json!({ "databases": [{ "kind": kind, "pid": 4711, "version": version,
        "settings": settings }] });
    facts(&capture(host, vec![]))
}

#[test]
fn postgresql_settings_are_read_as_the_server_reads_them() {
    const P: &str = "postgresql 4711";
    let db = Scope::Database;
    let facts = database(
        "postgresql",
        "13.9",
        json!({ "fsync": "off", "max_wal_size": "4GB", "synchronous_commit": "remote_write", "port": "5432" }),
    );
    assert!(!truth(&facts, db, P, &f::DB_FSYNC));
    assert!(truth(&facts, db, P, &f::DB_SYNCHRONOUS_COMMIT));
    assert_eq!(
        number(&facts, db, P, &f::DB_MAX_WAL_SIZE),
        4.0 * 1024.0 * MIB as f64
    );
    let full = known(&facts, db, P, &f::DB_FULL_PAGE_WRITES);
    assert_eq!(
        (full.value, full.source.as_str()),
        (Value::Bool(true), "default of postgresql")
    );
    // 0.5 until 13, 0.9 since 14.
    assert_eq!(number(&facts, db, P, &f::DB_CHECKPOINT_TARGET), 0.5);
    let newer = database("postgresql", "16.1", json!({ "port": "5432" }));
    assert_eq!(number(&newer, db, P, &f::DB_CHECKPOINT_TARGET), 0.9);
    assert_eq!(
        why_not(&facts, db, P, &f::DB_DOUBLEWRITE),
        "this is PostgreSQL"
    );
}

#[test]
fn a_database_whose_files_were_not_read_has_no_defaults() {
    let found = database("postgresql", "16.1", json!({}));
    let why = |facts: &Facts| why_not(facts, Scope::Database, "postgresql 4711", &f::DB_FSYNC);
    assert_eq!(why(&found), "its configuration files were not found");
    let host = json!({
        "databases": [{ "kind": "postgresql", "pid": 4711, "version": "16.1",
            "data_directory": "/pg", "settings": { "fsync": "on" } }],
        "missing": [{ "what": "PostgreSQL settings", "reason": "/pg/site.conf: Permission denied" }]
    });
    let some = facts(&capture(host, vec![]));
    // What was read stands; what was not may be anything.
    assert!(truth(
        &some,
        Scope::Database,
        "postgresql 4711",
        &f::DB_FSYNC
    ));
    let why = why_not(
        &some,
        Scope::Database,
        "postgresql 4711",
        &f::DB_FULL_PAGE_WRITES,
    );
    assert!(why.ends_with("(/pg/site.conf: Permission denied)"), "{why}");
}

#[test]
fn mysql_settings_are_read_in_every_spelling() {
    let db = Scope::Database;
    let name = "mysql 4711";
    let off = |value: &str| {
        let facts = database("mysql", "8.0.36", json!({ "innodb-doublewrite": value }));
        !truth(&facts, db, name, &f::DB_DOUBLEWRITE)
    };
    assert!(off("OFF") && off("0") && off("DETECT_ONLY"));
    assert!(!off("DETECT_AND_RECOVER"));
    let facts = database(
        "mysql",
        "8.0.36",
        json!({ "innodb_flush_log_at_trx_commit": "2" }),
    );
    assert_eq!(number(&facts, db, name, &f::DB_FLUSH_AT_COMMIT), 2.0);
    assert_eq!(number(&facts, db, name, &f::DB_SYNC_BINLOG), 1.0);
    let facts = database("mariadb", "10.11.6", json!({ "port": "3306" }));
    assert_eq!(number(&facts, db, "mariadb 4711", &f::DB_SYNC_BINLOG), 0.0);
}

fn job(name: &str, engine: &str, direct: bool, ops: &[(&str, u64, u64)]) -> JobResult {
    let op = |n, bytes| JobOp {
        n,
        bytes,
        errors: 0,
        min_ns: None,
        max_ns: None,
        latency_ns: Histogram::new(&LATENCY),
        spans: OpSpans::default(),
    };
    JobResult {
        name: name.to_owned(),
        clone: 0,
        group: 0,
        group_reporting: false,
        engine: engine.to_owned(),
        runtime_ns: SECOND,
        ops: ops
            .iter()
            .map(|(name, n, bytes)| ((*name).to_owned(), op(*n, *bytes)))
            .collect(),
        error: None,
        files: Vec::new(),
        direct,
        cost: None,
    }
}

fn worked(jobs: Vec<JobResult>, device_reads: u64) -> Facts {
    let slices = vec![slice(
        "8:0",
        &[(Op::Read, requests(device_reads, 4096, MS, 1))],
    )];
    let mut capture = capture(json!({ "devices": [disk("sda", "8:0")] }), slices);
    capture.workload = Some(Workload {
        name: "t".to_owned(),
        jobs,
        notes: Vec::new(),
    });
    facts(&capture)
}

#[test]
fn a_workload_that_read_from_memory_is_found_out() {
    let w = Scope::Workload;
    let reader = |direct| job("r", "psync", direct, &[("read", 1000, 4_096_000)]);
    // 1000 reads of 4 KiB by the job, 100 by the device.
    assert!(truth(
        &worked(vec![reader(false)], 100),
        w,
        "r",
        &f::WORKLOAD_WARM_CACHE
    ));
    assert!(!truth(
        &worked(vec![reader(false)], 1000),
        w,
        "r",
        &f::WORKLOAD_WARM_CACHE
    ));
    assert!(!truth(
        &worked(vec![reader(true)], 100),
        w,
        "r",
        &f::WORKLOAD_WARM_CACHE
    ));
}

#[test]
fn unsynced_writes_and_single_streams_are_told() {
    let w = Scope::Workload;
    let writer = job("w", "psync", false, &[("write", 10, 40960)]);
    let synced = job(
        "s",
        "psync",
        false,
        &[("write", 10, 40960), ("fdatasync", 10, 0)],
    );
    let facts = worked(vec![writer.clone(), synced], 0);
    assert!(truth(&facts, w, "w", &f::WORKLOAD_NO_SYNC));
    assert!(!truth(&facts, w, "s", &f::WORKLOAD_NO_SYNC));
    assert!(!truth(&facts, w, "w", &f::WORKLOAD_SINGLE_STREAM));
    assert!(truth(
        &worked(vec![writer], 0),
        w,
        "w",
        &f::WORKLOAD_SINGLE_STREAM
    ));
    let ring = job("u", "io_uring", true, &[("read", 10, 40960)]);
    let why = why_not(&worked(vec![ring], 0), w, "u", &f::WORKLOAD_SINGLE_STREAM);
    assert!(why.contains("not recorded"), "{why}");
}

#[test]
fn a_binary_log_is_known_by_its_setting_or_by_the_default_of_the_version() {
    let written = |kind: &str, version: &str, settings: Json| {
        let facts = database(kind, version, settings);
        truth(
            &facts,
            Scope::Database,
            &format!("{kind} 4711"),
            &f::DB_BINLOG,
        )
    };
    let none = || json!({ "port": "3306" });
    assert!(!written("mariadb", "10.11.6", none()));
    assert!(written("mysql", "8.0.36", none()));
    assert!(!written("mysql", "5.7.44", none()));
    assert!(!written("mysql", "8.0.36", json!({ "log_bin": "OFF" })));
    assert!(written(
        "mariadb",
        "10.11.6",
        json!({ "log_bin": "/log/db" })
    ));
}

/// Two disks with a filesystem each; both were written to in the same second: sda by 400 requests
/// of 10 ms, sdb by as many of 1 ms as said.
fn two_disks(second: u64) -> Facts {
    let mount = |target: &str, device: &str, number: &str| {
        json!({ "target": target, "source": format!("/dev/{device}"), "fs": "xfs", "number": number,
            "root": "/", "device": device, "atime": "relative", "read_only": false, "options": ["rw"] })
    };
    let host = json!({
        "devices": [disk("sda", "8:0"), disk("sdb", "8:16")],
        "mounts": [mount("/db", "sda", "8:0"), mount("/log", "sdb", "8:16")]
    });
    let mut one = slice("8:0", &[(Op::Write, requests(400, 64 * KIB, 10 * MS, 4))]);
    let other = slice("8:16", &[(Op::Write, requests(second, 64 * KIB, MS, 1))]);
    one.devices.extend(other.devices);
    facts(&capture(host, vec![one]))
}

#[test]
fn the_host_knows_how_many_devices_are_written_to_and_which_is_busiest() {
    let host = |facts: &Facts, fact| number(facts, Scope::Host, "host", fact);
    let both = two_disks(100);
    assert_eq!(host(&both, &f::WB_DEVICES), 2.0);
    // 3 of 403 writes of one size are less than a hundredth.
    let one = two_disks(3);
    assert_eq!(host(&one, &f::WB_DEVICES), 1.0);
    // Of both disks sda has more than one request in flight all the time.
    assert_eq!(host(&one, &f::HOST_BUSIEST_DEVICE), 1.0);
    // 400 requests of 10 ms in a second: four in flight, as near as a bucket tells.
    let depth = number(&one, Scope::Device, "sda", &f::WRITE_BEST_DEPTH);
    assert!((3.5..4.5).contains(&depth), "{depth}");
    let depth = number(&one, Scope::Device, "sdb", &f::WRITE_BEST_DEPTH);
    assert!(depth < 0.1, "{depth}");
}

#[test]
fn what_was_not_recorded_is_not_taken_for_one_device() {
    let host = json!({ "devices": [disk("sda", "8:0")] });
    let facts = facts(&capture(host, vec![]));
    let why = |fact| why_not(&facts, Scope::Host, "host", fact);
    assert_eq!(why(&f::WB_DEVICES), "nothing was recorded");
    assert_eq!(why(&f::HOST_BUSIEST_DEVICE), "of no device it was measured");
}
