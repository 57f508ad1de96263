//! Traffic, the time line, and whether a disk seeks.

use super::*;
use rules::facts::{self as f};

const D: Scope = Scope::Device;

/// The bucket that a latency falls into, whose middle and bounds a quantile reports.
fn bucket(ns: u64) -> (f64, f64) {
    let index = LATENCY.index(ns);
    let low = LATENCY.floor(index) as f64;
    (low, LATENCY.ceiling(index).unwrap() as f64)
}

fn of(host_disk: Json, slices: Vec<Slice>) -> Facts {
    facts(&capture(
        json!({ "virtualisation": "none", "devices": [host_disk] }),
        slices,
    ))
}

#[test]
fn rates_sizes_and_times_are_those_of_the_whole_recording() {
    // Two seconds: 100 reads of 8 KiB at 200 us, then 300 more and 40 writes of 64 KiB at 1 ms.
    let reads = |n| (Op::Read, requests(n, 8 * KIB, 200 * US, 2));
    let mut writes = requests(40, 64 * KIB, MS, 2);
    writes.flags.sync = 10;
    let facts = of(
        disk("sda", "8:0"),
        vec![
            slice("8:0", &[reads(100)]),
            slice("8:0", &[reads(300), (Op::Write, writes)]),
        ],
    );
    let number = |fact| number(&facts, D, "sda", fact);
    assert_eq!(number(&f::READ_RATE), 200.0);
    assert_eq!(number(&f::READ_THROUGHPUT), 400.0 * 8192.0 / 2.0);
    assert_eq!(number(&f::WRITE_RATE), 20.0);
    assert_eq!(number(&f::WRITE_THROUGHPUT_MAX), 40.0 * 65536.0);
    assert_eq!(number(&f::IO_RATE), 220.0);
    assert_eq!(
        number(&f::IO_THROUGHPUT),
        (400.0 * 8192.0 + 40.0 * 65536.0) / 2.0
    );
    assert_eq!(number(&f::READ_SIZE_P90), 8192.0);
    assert_eq!(number(&f::READ_RANDOM), 1.0);
    assert_eq!(number(&f::WRITE_SYNC), 0.25);
    assert_eq!(number(&f::DEPTH_P95), 2.0);
    assert_eq!(number(&f::IO_ERRORS), 0.0);
    let p50 = known(&facts, D, "sda", &f::READ_DEVICE_P50);
    let (low, high) = bucket(200 * US);
    assert_eq!(p50.value, Value::Number((low + high) / 2.0));
    assert_eq!((p50.interval, p50.n), (Some((low, high)), Some(400)));
    assert_eq!(p50.source, "block probe");
}

#[test]
fn what_did_not_happen_is_not_zero_microseconds() {
    let facts = of(
        disk("sda", "8:0"),
        vec![slice("8:0", &[(Op::Write, requests(5, 4096, MS, 1))])],
    );
    let why = |fact| why_not(&facts, D, "sda", fact);
    assert_eq!(why(&f::READ_DEVICE_P50), "no reads completed in the window");
    assert_eq!(
        why(&f::FLUSH_DEVICE_P50),
        "no cache flushes completed in the window"
    );
    assert_eq!(
        why(&f::WRITE_QUEUE_P50),
        "the queue time of its writes was not measured"
    );
    assert_eq!(number(&facts, D, "sda", &f::READ_RATE), 0.0);
}

#[test]
fn a_probe_that_could_not_run_says_why_everywhere() {
    let mut capture = capture(
        json!({ "devices": [disk("sda", "8:0")], "mounts": [mount("/", "sda", "8:0")] }),
        vec![Slice::default()],
    );
    capture.probes[0].state = ProbeState::Unavailable;
    capture.probes[0].reason = Some("no BTF".to_owned());
    let facts = facts(&capture);
    for fact in [
        &f::READ_RATE,
        &f::DEPTH_TOP_DECILE,
        &f::DEVICE_BUSY,
        &f::DEVICE_SEEKS,
        &f::IO_ERRORS,
    ] {
        let why = why_not(&facts, D, "sda", fact);
        assert_eq!(
            why, "the block probe cannot run here: no BTF",
            "{}",
            fact.name
        );
    }
}

fn mount(target: &str, device: &str, number: &str) -> Json {
    json!({ "target": target, "source": format!("/dev/{device}"), "fs": "ext4", "number": number,
        "root": "/", "device": device, "atime": "relative", "read_only": false })
}

#[test]
fn the_busiest_tenth_is_set_against_the_median_second() {
    // Nine usual seconds: 100 reads of 4 KiB, 1 ms each: 0.1 in flight, 400 KiB/s, depth 1.
    // One busy second: 110 reads, 20 ms each: 2.2 in flight, 440 KiB/s, depth 8.
    let usual = slice("8:0", &[(Op::Read, requests(100, 4 * KIB, MS, 1))]);
    let busy = slice("8:0", &[(Op::Read, requests(110, 4 * KIB, 20 * MS, 8))]);
    let mut slices = vec![usual; 9];
    slices.insert(4, busy);
    let facts = of(disk("sda", "8:0"), slices);
    let number = |fact| number(&facts, D, "sda", fact);
    assert_eq!(number(&f::DEPTH_TOP_DECILE), 8.0);
    assert!(close(number(&f::THROUGHPUT_TOP_GAIN), 1.1));
    assert!(close(number(&f::LATENCY_TOP_GAIN), 20.0));
    assert_eq!(known(&facts, D, "sda", &f::DEPTH_TOP_DECILE).n, Some(110));
    // 9 seconds at 0.1 and one at 2.2, cut off at 1, of 10.
    assert!(close(number(&f::DEVICE_BUSY), (0.9 + 1.0) / 10.0));
    let why = why_not(&facts, D, "sda", &f::QUEUED_TOP_DECILE);
    assert_eq!(
        why,
        "the time from allocation to completion was not measured"
    );
}

#[test]
fn requests_queued_are_counted_by_littles_law() {
    // Ten seconds with 100 writes that take 300 ms from allocation to completion: 30 at a time.
    let mut write = requests(100, 4 * KIB, MS, 1);
    write
        .spans
        .insert(Span::Request, histogram(&LATENCY, &vec![300 * MS; 100]));
    let facts = of(
        disk("sda", "8:0"),
        vec![slice("8:0", &[(Op::Write, write)]); 10],
    );
    assert!(close(number(&facts, D, "sda", &f::QUEUED_TOP_DECILE), 30.0));
}

#[test]
fn reads_are_told_apart_by_whether_discards_ran() {
    let write = |n| (Op::Write, requests(n, 4096, MS, 1));
    let reading = |ns, writes| vec![(Op::Read, requests(50, 4096, ns, 1)), write(writes)];
    let mut trimming = reading(40 * MS, 100);
    trimming.push((Op::Discard, requests(3, 0, 5 * MS, 1)));
    // Idle seconds are quick, but they say nothing about discards: those with as many writes do.
    let of_seconds = |busy: usize| {
        let mut slices = vec![slice("8:0", &trimming); 5];
        slices.extend(vec![slice("8:0", &reading(20 * MS, 60)); busy]);
        slices.extend(vec![slice("8:0", &reading(MS, 0)); 20]);
        of(disk("sda", "8:0"), slices)
    };
    let facts = of_seconds(5);
    let number = |fact| number(&facts, D, "sda", fact);
    let middle = |ns| (bucket(ns).0 + bucket(ns).1) / 2.0;
    assert_eq!(number(&f::READ_P99_DURING_DISCARDS), middle(40 * MS));
    assert_eq!(number(&f::READ_P99_WITHOUT_DISCARDS), middle(20 * MS));
    let why = why_not(&of_seconds(4), D, "sda", &f::READ_P99_WITHOUT_DISCARDS);
    assert_eq!(
        why,
        "4 seconds without discards wrote as much, and 5 are needed"
    );
    let calm = of(disk("sda", "8:0"), vec![slice("8:0", &reading(MS, 5)); 9]);
    let why = why_not(&calm, D, "sda", &f::READ_P99_DURING_DISCARDS);
    assert_eq!(why, "no discards completed in the window");
}

#[test]
fn a_disk_seeks_by_what_it_does_not_by_its_flag() {
    let random = |n, ns| slice("8:0", &[(Op::Read, requests(n, 4096, ns, 1))]);
    let scan = |ns| {
        slice(
            "8:0",
            &[(Op::Read, sequential(requests(60, 131_072, ns, 1)))],
        )
    };
    let mut virtual_disk = disk("vda", "8:0");
    virtual_disk["class"] = json!("virtio");
    virtual_disk["queue"] = json!({ "rotational": true });
    let seeks = |slices| of(virtual_disk.clone(), slices);
    // A virtual disk with the flag that answers in 90 us does not seek.
    assert!(!truth(
        &seeks(vec![random(300, 90 * US)]),
        D,
        "vda",
        &f::DEVICE_SEEKS
    ));
    // One that takes 8 ms at random and 1 ms in sequence does.
    let heads = seeks(vec![random(300, 8 * MS), scan(MS)]);
    assert!(truth(&heads, D, "vda", &f::DEVICE_SEEKS));
    assert_eq!(known(&heads, D, "vda", &f::DEVICE_SEEKS).n, Some(300));
    // One that is slow either way is a slow network, and one seen too little is not judged.
    let why = |slices| why_not(&seeks(slices), D, "vda", &f::DEVICE_SEEKS);
    assert!(why(vec![random(300, 8 * MS), scan(8 * MS)]).contains("slow wherever"));
    assert!(why(vec![random(300, 8 * MS)]).contains("no sequential ones"));
    assert!(why(vec![random(199, 90 * US)]).starts_with("199 random reads"));
    // Near reads may be served by the disk's own memory: 40 % random ones decide for themselves.
    let mut mixed = requests(600, 4096, 100 * US, 1);
    mixed.merge(&requests(400, 4096, 8 * MS, 1));
    (mixed.near, mixed.random) = (600, 400);
    assert!(why(vec![slice("8:0", &[(Op::Read, mixed)]), scan(MS)]).contains("both kinds"));
    // A long queue makes every device slow.
    let queued = slice("8:0", &[(Op::Read, requests(500, 4096, 8 * MS, 32))]);
    assert!(why(vec![queued]).starts_with("0 random reads"));
}

#[test]
fn the_share_of_the_top_process_is_weighted_by_requests() {
    let mut capture = capture(
        json!({ "devices": [disk("sda", "8:0")] }),
        vec![slice("8:0", &[(Op::Read, requests(100, 4096, MS, 1))])],
    );
    let stack = |tgid: u32, requests: u64| crate::capture::Stack {
        device: "8:0".to_owned(),
        op: Op::Read,
        command: "x".to_owned(),
        tgid,
        user: Vec::new(),
        kernel: Vec::new(),
        samples: 1,
        requests,
        device_ns: 0,
        bytes: 0,
    };
    capture.stacks = vec![stack(1, 30), stack(2, 10), stack(1, 60)];
    let share = known(&facts(&capture), D, "sda", &f::TOP_PROCESS_SHARE);
    assert_eq!((share.value, share.n), (Value::Number(0.9), Some(3)));
}

#[test]
fn partitions_off_the_physical_blocks_are_found() {
    let with_start = |start: u64, offset: i64| {
        let mut whole = disk("sda", "8:0");
        whole["queue"] = json!({ "physical_block_size_bytes": 4096 });
        whole["alignment_offset"] = json!(offset);
        let part = json!({ "name": "sda1", "number": "8:1", "class": "partition",
            "partition_of": "sda", "start_sector": start, "bio_based": false });
        let host = json!({ "devices": [whole, part], "mounts": [mount("/", "sda1", "8:1")] });
        truth(&facts(&capture(host, vec![])), D, "sda", &f::DEVICE_ALIGNED)
    };
    // 63 * 512 = 32256, which is 3584 over a multiple of 4096; 26218496 * 512 is a multiple.
    assert!(!with_start(63, 0));
    assert!(with_start(63, 3584));
    assert!(with_start(2048, 0));
    assert!(!with_start(34, 0));
    assert!(with_start(26_218_496, 0));
}

#[test]
fn a_cgroup_limit_is_set_against_the_best_second() {
    let host = json!({ "devices": [disk("sda", "8:0")], "cgroups": [{
        "path": "/db", "version": 2, "subject": "postgresql", "io_limits": [
            { "path": "/db", "device": "8:0", "read_iops": 200, "write_bytes_per_s": 1_048_576 }
        ] }] });
    let second = |reads| slice("8:0", &[(Op::Read, requests(reads, 4096, MS, 1))]);
    let facts = facts(&capture(host, vec![second(40), second(190)]));
    assert!(truth(&facts, D, "sda", &f::CGROUP_LIMIT));
    assert!(close(number(&facts, D, "sda", &f::CGROUP_LIMIT_USE), 0.95));
}

#[test]
fn readahead_is_usual_at_the_default_or_at_twice_the_stripe() {
    let of = |kib: u64, optimal: u64| {
        let mut top = json!({ "name": "md0", "number": "9:0", "class": "md", "bio_based": true,
            "below": ["sda"] });
        top["queue"] = json!({ "read_ahead_kib": kib, "optimal_io_size_bytes": optimal });
        let mut leaf = disk("sda", "8:0");
        leaf["queue"] = json!({ "read_ahead_kib": 4096 });
        let host = json!({ "devices": [leaf, top], "mounts": [mount("/", "md0", "9:0")] });
        facts(&capture(host, vec![]))
    };
    assert!(truth(&of(128, 0), D, "md0", &f::DEVICE_READAHEAD_DEFAULT));
    assert!(truth(
        &of(2048, MIB),
        D,
        "md0",
        &f::DEVICE_READAHEAD_DEFAULT
    ));
    assert!(!truth(
        &of(4096, MIB),
        D,
        "md0",
        &f::DEVICE_READAHEAD_DEFAULT
    ));
    assert!(!truth(
        &of(128, 0),
        D,
        "md0",
        &f::DEVICE_LEAF_READAHEAD_DEFAULT
    ));
}
