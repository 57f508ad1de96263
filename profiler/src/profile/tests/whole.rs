//! Whole hosts: nothing is forgotten, nothing is recommended without reason, nothing panics.

use super::*;
use crate::capture::arbitrary::any_capture;
use crate::capture::{SyncCalls, SyncSlice, SystemSlice};
use proptest::prelude::*;
use rules::Library;
use rules::facts::ALL;
use rules::finding::State;

/// A well-kept PostgreSQL host: XFS on one NVMe disk, every setting where it should be.
fn healthy() -> Capture {
    let host = json!({
        "hostname": "db1", "virtualisation": "none", "kernel_command_line": "ro quiet",
        "memory": { "total_bytes": 68_719_476_736u64, "available_bytes": 50_000_000_000u64,
            "swap_total_bytes": 0 },
        "sysctls": { "vm.swappiness": "1", "vm.dirty_ratio": "0", "vm.dirty_background_ratio": "0",
            "vm.dirty_bytes": "1073741824", "vm.dirty_background_bytes": "134217728",
            "vm.dirty_expire_centisecs": "3000", "vm.dirty_writeback_centisecs": "500",
            "vm.laptop_mode": "0", "vm.zone_reclaim_mode": "0", "vm.watermark_scale_factor": "10" },
        "devices": [
            { "name": "nvme0n1", "number": "259:0", "class": "nvme", "bio_based": false,
              "hardware_queues": 8, "tags_per_queue": 1023, "alignment_offset": 0,
              "queue": { "scheduler": "none", "schedulers_available": ["none", "mq-deadline"],
                "rotational": false, "nr_requests": 1023, "read_ahead_kib": 128,
                "max_sectors_kib": 1024, "max_hw_sectors_kib": 2048, "optimal_io_size_bytes": 0,
                "physical_block_size_bytes": 4096, "write_cache": "write through", "fua": false,
                "zoned": "none" } },
            { "name": "nvme0n1p1", "number": "259:1", "class": "partition", "bio_based": false,
              "partition_of": "nvme0n1", "start_sector": 2048 }
        ],
        "mounts": [{ "target": "/var/lib/postgresql", "source": "/dev/nvme0n1p1", "fs": "xfs",
            "number": "259:1", "root": "/", "device": "nvme0n1p1", "atime": "off",
            "read_only": false, "options": ["rw", "noatime", "attr2", "inode64", "logbufs=8"],
            "fstab_options": ["noatime"], "size_bytes": 1000, "available_bytes": 600,
            "xfs": { "block_size_bytes": 4096, "stripe_unit_bytes": 0, "stripe_width_bytes": 0 } }],
        "databases": [{ "kind": "postgresql", "pid": 812, "version": "16.2",
            "data_directory": "/var/lib/postgresql/16/main", "data_mount": "/var/lib/postgresql",
            "wal_mount": "/var/lib/postgresql",
            "settings": { "fsync": "on", "full_page_writes": "on", "wal_sync_method": "fdatasync" } }]
    });
    let mut read = requests(2000, 8 * KIB, 90 * US, 2);
    read.spans
        .insert(Span::Queue, histogram(&LATENCY, &vec![2 * US; 2000]));
    read.spans
        .insert(Span::Request, histogram(&LATENCY, &vec![92 * US; 2000]));
    let mut second = slice(
        "259:0",
        &[
            (Op::Read, read),
            (Op::Write, requests(300, 8 * KIB, 30 * US, 2)),
        ],
    );
    let calls = SyncCalls {
        errors: 0,
        latency_ns: histogram(&LATENCY, &vec![60 * US; 250]),
        phases_ns: BTreeMap::new(),
    };
    let calls = BTreeMap::from([("fdatasync".to_owned(), calls)]);
    let syncs = SyncSlice {
        calls,
        ..SyncSlice::default()
    };
    second.syncs.insert("259:1".to_owned(), syncs);
    second.system = Some(SystemSlice {
        pressure_io_some: Some(0.04),
        pressure_io_full: Some(0.02),
        cpu_busy: Some(0.4),
        cpu_iowait: Some(0.05),
        dirty_bytes: Some(30 * MIB),
        writeback_bytes: Some(MIB),
        swap_in_pages: Some(0),
        swap_out_pages: Some(0),
        alloc_stalls: Some(0),
        drop_pagecache: Some(0),
        ..SystemSlice::default()
    });
    capture(host, vec![second; 60])
}

#[test]
fn a_healthy_host_gives_no_recommendation() {
    let judgement = Library::embedded().judge(&facts(&healthy()));
    let wanted: Vec<String> = judgement
        .findings
        .iter()
        .filter(|finding| matches!(finding.state, State::Recommend | State::Unsafe))
        .map(|finding| format!("{}: {}", finding.id, finding.because))
        .collect();
    assert_eq!(wanted, Vec::<String>::new());
    assert_eq!(judgement.verdict.kind, "fine", "{}", judgement.verdict.text);
}

#[test]
fn every_fact_is_put_or_has_a_reason() {
    let mut capture = healthy();
    capture.host.devices[0].md = Some(crate::host::Md {
        level: "raid1".to_owned(),
        ..crate::host::Md::default()
    });
    capture.workload = Some(crate::capture::Workload {
        name: "w".to_owned(),
        jobs: serde_json::from_value(json!([{ "name": "j", "clone": 0, "engine": "psync",
            "runtime_ns": 1, "ops": {}, "error": null, "files": [], "direct": true }]))
        .unwrap(),
        notes: Vec::new(),
    });
    for capture in [healthy_without_slices(), capture] {
        let facts = facts(&capture);
        for scope in Scope::ALL {
            for subject in facts.of(scope).cloned().collect::<Vec<_>>() {
                for fact in ALL.iter().filter(|fact| fact.scope == scope) {
                    if let Lookup::Unknown(why) = facts.get(&subject, fact) {
                        assert_ne!(why, "not measured", "{} of {subject}", fact.name);
                    }
                }
            }
        }
    }
}

fn healthy_without_slices() -> Capture {
    let mut capture = healthy();
    capture.slices.clear();
    capture
}

#[test]
fn without_a_recording_only_the_configuration_is_judged() {
    let judgement = Library::embedded().judge(&facts(&healthy_without_slices()));
    let open = judgement
        .findings
        .iter()
        .find(|finding| finding.id == "capacity/saturated")
        .unwrap();
    assert_eq!(open.state, State::InsufficientEvidence);
    assert!(
        open.missing
            .iter()
            .any(|line| line.contains("nothing was recorded"))
    );
    let recommends = |finding: &&rules::finding::Finding| finding.state == State::Recommend;
    assert_eq!(judgement.findings.iter().find(recommends), None);
}

/// Every place in a document where a number, text or list stands.
fn places(value: &Json, path: &mut Vec<String>, found: &mut Vec<String>) {
    match value {
        Json::Object(map) => map.iter().for_each(|(key, value)| {
            path.push(key.replace('~', "~0").replace('/', "~1"));
            places(value, path, found);
            path.pop();
        }),
        Json::Array(list) => list.iter().take(3).enumerate().for_each(|(index, value)| {
            path.push(index.to_string());
            places(value, path, found);
            path.pop();
        }),
        _ => found.push(format!("/{}", path.join("/"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_capture_can_be_judged(capture in any_capture()) {
        let judgement = Library::embedded().judge(&facts(&capture));
        prop_assert!(!judgement.verdict.text.is_empty());
    }

    #[test]
    fn a_mutilated_capture_can_be_judged(
        at in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        value in prop::sample::select(vec![
            json!(0), json!(1), json!(u64::MAX), json!(i64::MIN), json!(1e300), json!(""), json!("md0"),
            json!("sda"), json!("raid10"), json!(null), json!(true), json!("0.0.0"), json!("\u{1f980}"),
        ]),
    ) {
        let mut capture = healthy();
        capture.slices.truncate(12);
        capture.host.devices[0].below = vec!["nvme0n1p1".to_owned(), "nvme0n1".to_owned()];
        let mut whole = serde_json::to_value(&capture).unwrap();
        let mut found = Vec::new();
        places(&whole, &mut Vec::new(), &mut found);
        for index in at {
            if let Some(slot) = whole.pointer_mut(index.get(&found[..]).as_str()) {
                *slot = value.clone();
            }
        }
        // Most do not fit the model any more; those that do must not make it panic.
        if let Ok(capture) = serde_json::from_value::<Capture>(whole) {
            let judgement = Library::embedded().judge(&facts(&capture));
            prop_assert!(!judgement.verdict.text.is_empty());
        }
    }
}
