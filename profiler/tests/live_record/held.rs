//! What holds I/O back, injected and named: tags, throttling, dirty limits, commits, and our own cost.

use super::{
    fixtures::{self, Ext4, Loop, iosage, read, record, sh, sum, text},
    probe, slices,
};
use crate::need;
use serde_json::Value;
use std::collections::BTreeMap;

/// Requests and nanoseconds by cause of what a command slept for on a device, and all nanoseconds.
fn waits(capture: &Value, number: &str) -> (BTreeMap<String, (u64, u64)>, u64) {
    let mut causes = BTreeMap::<String, (u64, u64)>::new();
    let mut all = 0;
    for slice in capture["slices"].as_array().unwrap() {
        let device = &slice["devices"][number];
        for (cause, wait) in device["waits"].as_object().into_iter().flatten() {
            let sum = causes.entry(cause.clone()).or_default();
            sum.0 += wait["requests"].as_u64().unwrap();
            sum.1 += wait["sum_ns"].as_u64().unwrap();
        }
        for op in device["ops"].as_object().into_iter().flatten() {
            all += op.1["spans"]["wait"]["sum"].as_u64().unwrap_or(0);
        }
    }
    (causes, all)
}

/// What a cause's time is held against: all waits; on an emulated CPU, where the way without sleep
/// takes long too, those with sleep.
fn of_waits(causes: &BTreeMap<String, (u64, u64)>, all: u64) -> u64 {
    match std::env::var_os("IOSAGE_VM") {
        Some(_) => causes.values().map(|wait| wait.1).sum(),
        None => all,
    }
}

#[test]
fn a_recording_that_costs_too_much_gives_up_groups_and_then_ends() {
    need!("fio", "losetup");
    let disk = Loop::new("/dev/shm", 64 << 20);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.json");
    let node = format!("--filename={}", disk.node.display());
    let output = iosage()
        .args(["record", "--device", disk.name(), "--probes", "block,queue"])
        .args(["--max-overhead", "0.001", "-o"])
        .arg(&file)
        .args([
            "--",
            "fio",
            "--output=/dev/null",
            "--name=r",
            "--rw=randread",
            "--bs=4k",
        ])
        .args(["--direct=1", "--time_based", "--runtime=60", &node])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let capture = read(&file);
    let ended = capture["meta"]["ended_by"].as_str().unwrap();
    assert!(
        ended.starts_with("overhead: the probes of requests alone"),
        "{ended}"
    );
    let queue = probe(&capture, "queue");
    assert_eq!(queue["state"], "unavailable");
    let reason = queue["reason"].as_str().unwrap();
    assert!(reason.contains("--max-overhead is 0.001 %"), "{reason}");
    assert_eq!(probe(&capture, "block")["state"], "ok");
}

#[test]
fn a_queue_of_few_tags_is_named_as_the_cause_of_waits() {
    need!("fio", "losetup");
    let disk = Loop::new("/var/tmp", 256 << 20);
    disk.set("queue/nr_requests", "4");
    let node = format!("--filename={}", disk.node.display());
    // Sixteen that want a request each and four requests: three in four wait for a tag.
    let capture = record(
        disk.name(),
        &[
            "fio",
            "--output=/dev/null",
            "--name=r",
            &node,
            "--numjobs=16",
            "--rw=randread",
            "--bs=16k",
            "--direct=1",
            "--number_ios=500",
            "--size=256M",
        ],
    );
    let number = disk.number();
    let (causes, all) = waits(&capture, &number);
    let (requests, ns) = causes["tags"];
    println!("{requests} requests slept {ns} of {all} ns for tags: {causes:?}");
    assert!(requests >= 1000, "{causes:?}");
    assert!(
        ns * 10 >= of_waits(&causes, all) * 8,
        "{ns} of {all} ns: {causes:?}"
    );
    let (n, issued) = (
        histogram_n(&capture, &number, "read", "wait"),
        sum(&capture, &number, "read", "issued"),
    );
    // On the newest kernels a preempted program makes the kernel skip others, and counts them.
    let skipped = capture["losses"]["recursion_missed"].as_u64().unwrap_or(0);
    assert!(
        n.abs_diff(issued) <= skipped,
        "{n} waits of {issued} requests"
    );
}

#[test]
fn write_back_throttling_is_named_as_the_cause_of_waits() {
    need!("fio", "losetup");
    let disk = Loop::new("/var/tmp", 256 << 20);
    if !disk.set("queue/wbt_lat_usec", "1") {
        println!("skipped: this kernel has no write-back throttling");
        return;
    }
    let node = format!("--filename={}", disk.node.display());
    let capture = record(
        disk.name(),
        &[
            "fio",
            "--output=/dev/null",
            &node,
            "--bs=16k",
            "--size=256M",
            "--name=w",
            "--rw=randwrite",
            "--end_fsync=1",
            "--name=r",
            "--rw=randread",
            "--direct=1",
            "--number_ios=3000",
        ],
    );
    let (causes, all) = waits(&capture, &disk.number());
    println!("{causes:?} of {all} ns");
    let ns = causes.get("wbt").map_or(0, |wait| wait.1);
    assert!(
        ns * 10 >= of_waits(&causes, all) * 8,
        "{ns} of {all} ns: {causes:?}"
    );
}

/// The number of values in a span's histogram over all slices.
fn histogram_n(capture: &Value, number: &str, op: &str, span: &str) -> u64 {
    slices(capture, |slice| {
        let counts = &slice["devices"][number]["ops"][op]["spans"][span]["counts"];
        Some(
            counts
                .as_object()?
                .values()
                .map(|n| n.as_u64().unwrap())
                .sum(),
        )
    })
}

#[test]
fn access_times_are_told_from_other_changes() {
    need!("mkfs.ext4", "losetup", "sh");
    let fs = Ext4::new(64 << 20);
    let at = fs.at.to_str().unwrap();
    sh("mount", &["-o", "remount,strictatime", at]);
    for n in 0..50 {
        std::fs::write(fs.at.join(format!("f{n}")), "text").unwrap();
    }
    // A time stamp is as coarse as a tick: reads that count come in a later one.
    let script = "for n in $(seq 0 49); do cat $1/f$n; done > /dev/null; \
                  for n in $(seq 0 19); do echo more >> $1/f$n; done";
    let capture = record(fs.disk.name(), &["sh", "-c", script, "sh", at]);
    let number = fs.disk.number();
    let dirtied = |what: &str| slices(&capture, |s| s["dirtied"][&number][what].as_u64());
    let atime = dirtied("atime");
    // cat reads twice, up to the end of the file, and counts twice if a tick passes in between.
    assert!(
        (50..=102).contains(&atime),
        "{atime} for access times, 50 files read"
    );
    assert!(dirtied("other") >= 20, "{} otherwise", dirtied("other"));
}

#[test]
fn writers_that_the_kernel_makes_pause_are_named() {
    need!("fio", "losetup", "mkfs.ext4");
    let fs = Ext4::new(256 << 20);
    // Its own limit of dirty memory, so that the host's is left alone
    // (Documentation/ABI/testing/sysfs-class-bdi).
    let set = |file: &str, value: &str| fs.disk.set(&format!("bdi/{file}"), value);
    // The share first, as it is: put back last, it also takes back the bytes.
    if !set("max_ratio", "100") || !set("strict_limit", "1") || !set("max_bytes", "4194304") {
        println!("skipped: this kernel has no limit of dirty bytes for one device");
        return;
    }
    let file = format!("--filename={}", fs.at.join("f").display());
    let shape = [
        "--name=w",
        "--rw=write",
        "--bs=64k",
        "--size=128M",
        "--loops=3",
    ];
    let command = [&["fio", "--output=/dev/null", &file], &shape[..]].concat();
    let capture = record(fs.disk.name(), &command);
    let number = fs.disk.number();
    let all = slices(&capture, |s| s["pauses"][&number]["all"]["sum_ns"].as_u64());
    let fio = slices(&capture, |s| {
        s["pauses"][&number]["by_command"]["fio"]["sum_ns"].as_u64()
    });
    println!("{fio} of {all} ns");
    assert!(fio > 0 && fio <= all, "{fio} of {all} ns");
}

#[test]
fn what_sync_calls_wait_for_adds_up_and_names_the_files() {
    need!("fio", "mkfs.ext4", "losetup");
    let fs = Ext4::new(512 << 20);
    let number = fs.disk.number();
    let at = fs.at.to_str().unwrap();
    // With dioread_nolock, the default, blocks become valid when their data is on disk, and a
    // commit waits for nobody's data (Documentation/admin-guide/ext4.rst).
    sh("mount", &["-o", "remount,dioread_lock", at]);
    for folder in ["pg_wal", "16384"] {
        std::fs::create_dir(fs.at.join(folder)).unwrap();
    }
    let file = |name: &str| format!("--filename={}", fs.at.join(name).display());
    let (wal, bulk) = (file("pg_wal/00000001000000000000000A"), file("16384/24601"));
    let wal = [
        "--name=wal",
        &wal,
        "--bs=8k",
        "--rw=write",
        "--fdatasync=1",
        "--size=8M",
    ];
    // Starts the write-back of 16 MiB at a time and does not wait for it.
    let bulk = [
        "--name=bulk",
        &bulk,
        "--bs=1M",
        "--rw=write",
        "--sync_file_range=write:16",
        "--size=256M",
        "--loops=3",
    ];
    let fio = ["fio", "--output=/dev/null"];
    let capture = record(fs.disk.name(), &[&fio[..], &wal[..], &bulk[..]].concat());
    let (mut slow, mut whole, mut record_ns) = (Vec::new(), 0, 0);
    for slice in capture["slices"].as_array().unwrap() {
        let Some(syncs) = slice["syncs"].get(&number) else {
            continue;
        };
        for (call, counted) in syncs["calls"].as_object().unwrap() {
            let phases = counted["phases_ns"].as_object().unwrap();
            let sum: u64 = phases.values().map(|ns| ns.as_u64().unwrap()).sum();
            assert_eq!(
                sum,
                counted["latency_ns"]["sum"].as_u64().unwrap(),
                "{call}"
            );
            whole += sum;
            record_ns += phases.get("record").map_or(0, |ns| ns.as_u64().unwrap());
        }
        slow.extend(syncs["slowest"].as_array().unwrap().iter().cloned());
    }
    // The loop device's cache flush is an fsync of its file: each commit pays for one.
    assert!(
        record_ns > whole / 20,
        "{record_ns} of {whole} ns in commit records"
    );
    let calls: Vec<_> = slow
        .iter()
        .filter(|call| call["folder"] == "pg_wal")
        .collect();
    assert!(!calls.is_empty(), "none of the WAL's calls in {slow:?}");
    for call in &calls {
        assert_eq!(call["file"], "00000001000000000000000A");
        assert_eq!(call["command"], "fio");
    }
    if std::env::var_os("IOSAGE_VM").is_some() {
        println!(
            "skipped: which file a commit waits for, since that hangs on a race of two writers"
        );
        return;
    }
    let sync = probe(&capture, "sync");
    if sync["reason"]
        .as_str()
        .is_some_and(|reason| reason.contains("folio_wait_writeback"))
    {
        println!(
            "skipped: which file a commit waits for ({})",
            sync["reason"]
        );
        return;
    }
    assert!(
        calls.iter().any(|call| call["waited_for_file"] == "24601"),
        "no call waited for the other file's data: {calls:#?}"
    );
}
