//! The D cases whose evidence lies in collected files: what must be said, and what must not.
//! Beside each case of the collection stand others of its class with other numbers and words.

use super::hosts::{advised, advised_of, commands, ids};
use profiler::import::{self, source::Source};
use profiler::profile;
use rules::finding::{Finding, Severity, State};
use rules::{Judgement, Library};

/// What is advised for files that are written here.
fn advised_for(files: &[(&str, &str)]) -> Judgement {
    let open =
        |(name, text): &(&str, &str)| Source::new(name, text.as_bytes().to_vec()).expect("text");
    let sources: Vec<Source> = files.iter().map(open).collect();
    let imported = import::import(None, &sources).unwrap_or_else(|refusal| panic!("{refusal}"));
    Library::embedded().judge(&profile::facts(&import::capture(imported)))
}

#[track_caller]
fn finding<'a>(judgement: &'a Judgement, id: &str, subject: &str) -> &'a Finding {
    let mut all = judgement.findings.iter();
    all.find(|one| one.id == id && one.subject == subject)
        .unwrap_or_else(|| panic!("no {id} of {subject}: {:?}", ids(judgement)))
}

/// The finding recommends, and says each of these.
#[track_caller]
fn says(judgement: &Judgement, id: &str, subject: &str, words: &[&str]) {
    let finding = finding(judgement, id, subject);
    assert_eq!(finding.state, State::Recommend, "{finding:?}");
    let text = serde_json::to_string(finding).expect("findings are plain data");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in {text}");
    }
}

#[track_caller]
fn state(judgement: &Judgement, id: &str, subject: &str) -> State {
    finding(judgement, id, subject).state
}

/// Ids of what is recommended.
fn advice(judgement: &Judgement) -> Vec<String> {
    ids(judgement)
        .into_iter()
        .map(|(id, _)| id.to_owned())
        .collect()
}

#[test]
fn d03_a_learn_cycle_made_the_writes_slow() {
    let judgement = advised("D03");
    let cause = "learn cycle of its battery, started at Apr 26 12:55:31";
    let words = [
        "14:21:53",
        cause,
        "stagger",
        "backed by flash",
        "power failure loses",
    ];
    says(&judgement, "device/cache-write-through", "host", &words);
    let words = ["430 us", "56.4 ms", cause];
    says(
        &judgement,
        "device/slow-without-cache",
        "device sda",
        &words,
    );
    assert_eq!(advice(&judgement).len(), 2, "nothing else is advised");
    let text = commands(&judgement);
    assert!(!text.contains("innodb") && !text.contains("barrier"));
    assert!(text.contains("no sign that the disks are failing"));
}

#[test]
fn d03_other_controllers_and_a_quiet_log() {
    let log = "2024-05-06T03:00:00 db1 MR_MONITOR: Controller ID: 0 Battery relearn started\n2024-05-06T04:10:00 db1 MR_MONITOR: Controller ID: 0 BBU disabled; changing WB virtual disks to WT\n2024-05-06T06:10:00 db1 MR_MONITOR: Policy change on VD 0 to Write Back\n";
    let words = [
        "2024-05-06T04:10:00",
        "until at 2024-05-06T06:10:00",
        "relearn",
    ];
    says(
        &advised_for(&[("messages", log)]),
        "device/cache-write-through",
        "host",
        &words[..2],
    );
    let quiet = "[    2.100000] sd 0:0:0:0: [sda] Write cache: disabled\n[    2.200000] sd 1:0:0:0: [sdb] Assuming drive cache: write through\n";
    let judgement = advised_for(&[("dmesg", quiet)]);
    assert_eq!(
        state(&judgement, "device/cache-write-through", "host"),
        State::NoChangeNeeded
    );
}

#[test]
fn d06_several_turns_of_the_disk_for_each_commit() {
    let judgement = advised("D06");
    let words = [
        "30.5 /s",
        "32.8 ms",
        "3.9 turns",
        "83.9 ms",
        "120 times a second",
        "bitmap",
        "power-loss protection",
        "synchronous_commit = off",
        "unsafe, not better",
    ];
    says(&judgement, "device/slow-sync-test", "host", &words);
    assert_eq!(advice(&judgement), ["device/slow-sync-test"]);
    // The start of the partition is right, and that is said.
    let aligned = finding(&judgement, "raid/misaligned", "device disk");
    assert_eq!(aligned.state, State::NoChangeNeeded, "{aligned:?}");
    let text = commands(&judgement);
    for word in ["barrier", "data=writeback", "stride", "wal_sync_method"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn a_disk_that_syncs_faster_than_it_turns_is_unsafe() {
    let test = "Compare file sync methods using one 8kB write:\n  fdatasync   2600.1 ops/sec   385 usecs/op\n  fsync   2100.0 ops/sec   476 usecs/op\nCompare file sync methods using two 8kB writes:\n  fdatasync   9000.0 ops/sec   111 usecs/op\n";
    let disk = |rotational: &str| format!("/sys/block/sda/queue/rotational: {rotational}\n");
    let judgement = advised_for(&[("sysfs", &disk("1")), ("pg_test_fsync", test)]);
    says(
        &judgement,
        "device/sync-too-fast",
        "host",
        &["2600 /s", "volatile cache"],
    );
    let judgement = advised_for(&[("sysfs", &disk("0")), ("pg_test_fsync", test)]);
    assert!(advice(&judgement).is_empty());
}

#[test]
fn d09_the_arithmetic_of_parity() {
    let judgement = advised("D09");
    let words = [
        "600/s",
        "300/s on RAID 10",
        "150/s on RAID 5",
        "100/s on RAID 6",
        "315.8/s",
        "461.5/s",
        "full stripes",
        "non-volatile cache",
        "acceptable where the load is small",
    ];
    says(&judgement, "raid/parity-arithmetic", "array md0", &words);
    let mdstat = "md3 : active raid6 sdh1[7] sdg1[6] sdf1[5] sde1[4] sdd1[3] sdc1[2] sdb1[1] sda1[0]\n      11720659968 blocks super 1.2 level 6, 256k chunk, algorithm 2 [8/8] [UUUUUUUU]\n";
    let notes =
        |load: &str| format!("reads: 50%\nwrite_size: 16KiB\nrandom: yes\ndisk_iops: 150\n{load}");
    // 8 x 150 = 1200; halves: 1200 / (0.5 + 0.5 * 6) = 342.9 and 1200 / 1.5 = 800.
    let judgement = advised_for(&[("mdstat", mdstat), ("load", &notes(""))]);
    says(
        &judgement,
        "raid/parity-arithmetic",
        "array md3",
        &["200/s on RAID 6", "342.9/s", "800/s on RAID 10"],
    );
    let judgement = advised_for(&[("mdstat", mdstat), ("load", &notes("load_iops: 100\n"))]);
    assert!(advice(&judgement).is_empty(), "so small a load is borne");
}

#[test]
fn d13_readahead_multiplies_random_reads() {
    let judgement = advised("D13");
    let words = [
        "65536 sectors",
        "32 MiB",
        "8 KiB",
        "160 KiB",
        "95 %",
        "16 and 256 sectors",
        "256 sectors are 128 KiB",
        "slower",
    ];
    says(&judgement, "readahead/amplified", "device md0", &words);
    assert_eq!(advice(&judgement), ["readahead/amplified"]);
    let only = advised_of(&["D13/blockdev.txt", "D13/iostat.txt"]);
    assert!(
        advice(&only).is_empty(),
        "nobody told that the reads are random"
    );
}

#[test]
fn d15_strict_access_times() {
    let judgement = advised_of(&["D15/old-mounts.txt", "D15/old-uname.txt"]);
    let words = [
        "noatime",
        "+69 % on ext3",
        "+24 % on ext2",
        "not known beforehand",
    ];
    says(
        &judgement,
        "mount/plain-atime",
        "filesystem /scratch",
        &words,
    );
    assert!(!commands(&judgement).contains("nodiratime"));
    let mounts = "/dev/sdb1 /srv ext4 rw 0 0\n";
    let judgement = advised_for(&[("mounts", mounts), ("uname", "5.10.0-28-amd64\n")]);
    says(
        &judgement,
        "mount/strict-atime",
        "filesystem /srv",
        &["remount,strictatime"],
    );
    let judgement = advised_of(&["D15/new-mounts.txt", "D15/new-uname.txt"]);
    assert!(advice(&judgement).is_empty());
    let all = serde_json::to_string(&judgement.findings).unwrap();
    assert!(!all.contains("+68"));
}

#[test]
fn d18_discards_stop_the_writes_on_an_old_kernel() {
    let judgement = advised("D18");
    let words = ["3.1 s", "2.95 s", "fstrim.timer", "old kernels"];
    says(
        &judgement,
        "mount/discard-stalls",
        "filesystem /var/lib/db",
        &words,
    );
    // A newer kernel may be right to discard, and without a trace nothing is known.
    let mounts = "/dev/nvme0n1 /db xfs rw,noatime,discard 0 0\n";
    let trace = "time_s,op,bytes,lat_us\n1.0,W,4096,90\n2.0,D,1048576,400000\n2.1,W,4096,350000\n";
    let of = |kernel: &str, more: &[(&str, &str)]| {
        let mut files = vec![("mounts", mounts), ("uname", kernel)];
        files.extend(more);
        state(
            &advised_for(&files),
            "mount/discard-stalls",
            "filesystem /db",
        )
    };
    assert_eq!(of("5.15.0\n", &[("trace", trace)]), State::NoChangeNeeded);
    assert_eq!(of("4.4.0\n", &[("trace", trace)]), State::Recommend);
    assert_eq!(of("4.4.0\n", &[]), State::InsufficientEvidence);
}

#[test]
fn d21_burst_credits_are_used_up() {
    let judgement = advised("D21");
    let words = [
        "300 /s",
        "2000 s",
        "3000 /s",
        "730 us",
        "not a slow disk",
        "gp3",
        "1,000 GiB",
    ];
    says(&judgement, "cloud/gp2-burst", "device volume", &words);
    assert_eq!(advice(&judgement), ["cloud/gp2-burst"]);
    // 4 GiB: 100 requests a second, 5.4e6 / 2900 = 1862 s.
    let series = "t_s,device,r_s,w_s,r_await_ms,w_await_ms\n0,nvme1n1,2900,0,0.8,0\n60,nvme1n1,2950,0,0.8,0\n120,nvme1n1,101,0,9.9,0\n180,nvme1n1,99,0,9.8,0\n";
    let judgement = advised_for(&[
        ("series.csv", series),
        ("volume", "VolumeType: gp2\nSize: 4\n"),
    ]);
    says(
        &judgement,
        "cloud/gp2-burst",
        "device nvme1n1",
        &["100 /s", "1862.069 s"],
    );
    for volume in [
        "type gp2\nsize_gib 1000\n",
        "type gp3\nsize_gib 4\n",
        "type gp2\nsize_gib 200\n",
    ] {
        let judgement = advised_for(&[("series.csv", series), ("volume", volume)]);
        assert!(advice(&judgement).is_empty(), "{volume}");
    }
}

#[test]
fn d23_a_scheduler_of_the_kernels_own_list() {
    let judgement = advised("D23");
    let words = [
        "echo none > /sys/block/sda/queue/scheduler",
        "udev",
        "desktop",
        "confidence: medium",
        "elevator=",
    ];
    says(&judgement, "scheduler/bfq-on-flash", "device sda", &words);
    assert_eq!(advice(&judgement), ["scheduler/bfq-on-flash"]);
    let of = |list: &str| {
        let text =
            format!("/sys/block/sdq/queue/rotational: 0\n/sys/block/sdq/queue/scheduler: {list}\n");
        commands(&advised_for(&[("sysfs", &text)]))
    };
    assert!(of("none mq-deadline [bfq] kyber").contains("echo mq-deadline > /sys/block/sdq"));
    assert_eq!(of("kyber-x [bfq]"), "[]", "no name that is not offered");
    assert_eq!(of("none mq-deadline [kyber] bfq"), "[]");
}

#[test]
fn d26_the_offsets_of_a_stack_add_up() {
    let judgement = advised("D26");
    says(
        &judgement,
        "raid/misaligned",
        "device sda",
        &["3584 bytes", "read-modify-write", "touches two"],
    );
    says(&judgement, "raid/misaligned", "device sdb", &["1024 bytes"]);
    // 26218496 + 2048 + 4096 + 2048 sectors.
    let stack = finding(&judgement, "raid/stack-misaligned", "device sdc");
    assert_eq!(stack.state, State::NoChangeNeeded);
    assert!(
        stack.because.contains("26226688 sectors") && stack.because.contains("2 MiB"),
        "{stack:?}"
    );
    let odd = finding(&judgement, "raid/odd-start", "device sdd");
    assert!(
        odd.because.contains("harmless") && odd.state == State::NoChangeNeeded,
        "{odd:?}"
    );
    assert_eq!(
        state(&judgement, "raid/misaligned", "device sde"),
        State::NoChangeNeeded
    );
    let parts =
        "disk,part,start_sector,log_sec,phy_sec,disk_alignment_offset\nsdz,sdz1,2048,512,4096,0\n";
    let layers = "sdz1 start 2048 sectors\nmd7 data_offset 2048 sectors\nluks payload_offset 2056 sectors\nlvm 1st_pe 191 sectors\n";
    let judgement = advised_for(&[("parts.csv", parts), ("stack", layers)]);
    says(
        &judgement,
        "raid/stack-misaligned",
        "device sdz",
        &["3584 bytes"],
    );
}

/// A healthy host of the same kinds of files stays quiet.
#[test]
fn healthy_series_logs_and_tests_give_no_advice() {
    let series = "t_s,r_s,w_s,r_await_ms,w_await_ms,aqu_sz,util\n0,250,50,0.7,0.8,0.2,16\n60,251,49,0.7,0.8,0.2,16\n120,249,51,0.7,0.8,0.2,16\n";
    let test = "Compare file sync methods using one 8kB write:\n  fdatasync   21000.5 ops/sec   48 usecs/op\n  fsync   9000.0 ops/sec   111 usecs/op\n";
    let judgement = advised_for(&[
        ("series.csv", series),
        ("volume", "type gp2\nsize_gib 100\n"),
        ("pg_test_fsync.txt", test),
        (
            "workload.txt",
            "read_share 0.9\napp_read_kib 8\nrandom yes\n",
        ),
        (
            "blockdev.txt",
            "RO    RA   SSZ   BSZ   StartSec            Size   Device\nrw   256   512  4096          0     80026361856   /dev/nvme0n1\n",
        ),
    ]);
    let loud = judgement
        .findings
        .iter()
        .filter(|one| one.state == State::Recommend && one.severity < Severity::Info);
    assert_eq!(loud.count(), 0, "{:?}", ids(&judgement));
}
