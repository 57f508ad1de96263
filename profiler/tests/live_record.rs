//! `record` on the running kernel, against what others count: fio, the kernel's statistics, jbd2.

#![expect(clippy::unwrap_used, reason = "what is missing fails the test")]

#[path = "lab/fixtures.rs"]
mod fixtures;
#[path = "live_record/held.rs"]
mod held;

use fixtures::{
    Ext4, Loop, iosage, loaded_probes, read, record, sh, stat, sum, text, wait, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{os::unix::process::CommandExt as _, process::Stdio};

fn fio(folder: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(folder.join("fio.json")).unwrap();
    serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap()
}

/// fio's own numbers of a job: I/Os and bytes of a direction.
fn of(fio: &Value, job: usize, direction: &str) -> (u64, u64) {
    let part = &fio["jobs"][job][direction];
    (
        part["total_ios"].as_u64().unwrap(),
        part["io_bytes"].as_u64().unwrap(),
    )
}

#[test]
fn direct_io_of_fio_is_counted_to_the_last_request() {
    need!("fio", "losetup");
    let disk = Loop::new("/dev/shm", 256 << 20);
    let folder = tempfile::tempdir().unwrap();
    let (node, output) = (disk.node.display(), folder.path().join("fio.json"));
    let (filename, output) = (
        format!("--filename={node}"),
        format!("--output={}", output.display()),
    );
    let before = disk.stat();
    let capture = record(
        disk.name(),
        &[
            "fio",
            &output,
            "--output-format=json",
            &filename,
            "--size=256M",
            "--direct=1",
            "--ioengine=libaio",
            "--iodepth=16",
            "--bs=8k",
            "--number_ios=5000",
            "--name=r",
            "--rw=randread",
            "--name=w",
            "--rw=randwrite",
            "--fsync=500",
        ],
    );
    let after = disk.stat();
    let (fio, number) = (fio(folder.path()), disk.number());
    for (job, op) in [(0, "read"), (1, "write")] {
        let ours = ["completed", "bytes"].map(|counter| sum(&capture, &number, op, counter));
        // Neighbours that were sent together may have become one request.
        let merged: u64 = slices(&capture, |slice| {
            let merges = slice["devices"][&number]["ops"][op]["merges"].as_object()?;
            Some(merges.values().map(|n| n.as_u64().unwrap()).sum())
        });
        assert_eq!(
            (ours[0] + merged, ours[1]),
            of(&fio, job, op),
            "{op} against fio"
        );
    }
    // Documentation/block/stat.rst: 0 reads, 4 writes, 15 flushes. An empty flush is counted by
    // the kernel as a write too; ours are told apart as `ended_before_issue`.
    let ours = |op, counter| sum(&capture, &number, op, counter);
    assert_eq!(
        ours("read", "completed"),
        after[0] - before[0],
        "reads against the kernel"
    );
    assert_eq!(
        ours("write", "completed") + ours("write", "ended_before_issue"),
        after[4] - before[4],
        "writes against the kernel"
    );
    assert_eq!(
        ours("flush", "completed"),
        after[15] - before[15],
        "flushes against the kernel"
    );
    let syncs = fio["jobs"][1]["sync"]["lat_ns"]["N"].as_u64().unwrap();
    assert_eq!(ours("flush", "completed"), syncs, "flushes against fio");
    // Where tracepoints can be preempted (the newest kernels), the kernel skips a program that
    // another task on the CPU is in the middle of, and counts that. Nothing else may be missing.
    // (`null` on 5.10, which does not count, nor preempt.)
    let skipped = capture["losses"]["recursion_missed"].as_u64().unwrap_or(0);
    let mut unmatched = 0;
    for op in ["read", "write", "flush"] {
        assert_eq!(
            ours(op, "issued") + ours(op, "unmatched"),
            ours(op, "completed") + ours(op, "requeued"),
            "balance of {op}"
        );
        unmatched += ours(op, "unmatched");
    }
    assert!(
        unmatched <= skipped,
        "{unmatched} issues not seen, {skipped} program runs skipped"
    );
    let last = capture["slices"].as_array().unwrap().last().unwrap();
    assert_eq!(last["devices"][&number]["in_flight_end"], 0);
}

#[test]
fn the_self_check_finds_nothing_wrong() {
    need!("mkfs.ext4");
    let output = iosage()
        .args(["doctor", "--format", "json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let doctor: Value = serde_json::from_slice(&output.stdout).unwrap();
    for part in ["probes", "self_check"] {
        let rows = doctor[part].as_array().unwrap();
        assert!(!rows.is_empty(), "{part} is empty");
        for row in rows {
            println!("{part}: {} {} {}", row["id"], row["state"], row["reason"]);
            let state = row["state"].as_str().unwrap();
            assert!(matches!(state, "ok" | "partial" | "off"), "{part}: {row}");
        }
    }
    assert_eq!(doctor["probes"][0]["state"], "ok", "the block group");
}

#[test]
fn the_root_disk_agrees_with_fio_and_the_kernel() {
    need!("fio");
    let host = profiler::host::Host::live();
    let Ok(disk) = host
        .whole_disk("/")
        .map(|disk| (disk.name.clone(), disk.number.clone()))
    else {
        println!("skipped: the root filesystem is not on a disk");
        return;
    };
    let (name, number) = disk;
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = format!("--filename={}", folder.path().join("data").display());
    let shape = [
        "--name=r",
        "--size=32M",
        "--direct=1",
        "--bs=16k",
        "--rw=randread",
    ];
    sh(
        "fio",
        &[&[file.as_str(), "--create_only=1"], &shape[..]].concat(),
    );
    sh("sync", &["-f", folder.path().to_str().unwrap()]);
    let before = stat(&name);
    let capture = record(
        &name,
        &[&["fio", "--output=/dev/null", &file], &shape[..]].concat(),
    );
    let after = stat(&name);
    // Others use this disk too: fio's 2,048 reads are the floor, the kernel's count the ceiling.
    let reads = sum(&capture, &number, "read", "completed");
    // The kernel now and then skips the probe at a completion: such a request has no times, and
    // is counted all the same.
    let unseen = sum(&capture, &number, "read", "end_unseen");
    assert!(
        reads >= 2048,
        "{reads} reads of fio's 2048, {unseen} of them without times"
    );
    assert!(
        reads <= after[0] - before[0],
        "{reads} reads, the kernel counted fewer"
    );
    let bytes = sum(&capture, &number, "read", "bytes");
    assert!(
        bytes + (unseen << 14) >= 32 << 20 && bytes <= (after[2] - before[2]) * 512,
        "{bytes} bytes"
    );
}

#[test]
fn commits_and_sync_calls_agree_with_the_journal_and_the_load() {
    need!("fio", "mkfs.ext4", "losetup");
    let fs = Ext4::new(256 << 20);
    let number = fs.disk.number();
    let info = format!("/proc/fs/jbd2/{}-8/info", fs.disk.name());
    let transactions = || -> u64 {
        let text = std::fs::read_to_string(&info).unwrap();
        text.split_whitespace().next().unwrap().parse().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let output = format!("--output={}", folder.path().join("fio.json").display());
    let directory = format!("--directory={}", fs.at.display());
    // The journal commits by itself too, every five seconds: its count is taken outside of the
    // recording and, by the recorded command, inside.
    let inside = folder.path().join("inside");
    let script = format!(
        "cat {info} > {inside}; \"$@\" && cat {info} >> {inside}",
        inside = inside.display()
    );
    let outside = transactions();
    let capture = record(
        fs.disk.name(),
        &[
            "sh",
            "-c",
            &script,
            "sh",
            "fio",
            &output,
            "--output-format=json",
            &directory,
            "--size=2M",
            "--bs=8k",
            "--rw=write",
            "--name=a",
            "--fsync=1",
            "--name=b",
            "--fsync=0",
            "--fdatasync=1",
        ],
    );
    let outside = transactions() - outside;
    let counts: Vec<u64> = std::fs::read_to_string(&inside)
        .unwrap()
        .lines()
        .filter(|line| line.contains("transactions ("))
        .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
        .collect();
    let inside = counts[1] - counts[0];
    assert!(inside >= 256, "a commit for each fsync at least, {inside}");
    let seen: u64 = slices(&capture, |s| s["journals"][&number]["commits"].as_u64());
    assert!(
        (inside..=outside).contains(&seen),
        "{seen} commits, {inside} to {outside} by {info}"
    );
    let fio = fio(folder.path());
    for (job, call) in [(0, "fsync"), (1, "fdatasync")] {
        let n = slices(&capture, |slice| {
            let counts =
                slice["syncs"][&number]["calls"][call]["latency_ns"]["counts"].as_object()?;
            Some(counts.values().map(|n| n.as_u64().unwrap()).sum())
        });
        let made = fio["jobs"][job]["sync"]["lat_ns"]["N"].as_u64().unwrap();
        assert!(
            made >= 255,
            "2 MiB are 256 writes of 8 KiB, a {call} between any two"
        );
        // As with requests: a program that another task preempted may have been skipped.
        let skipped = capture["losses"]["recursion_missed"].as_u64().unwrap_or(0);
        assert!(
            n <= made && made - n <= skipped,
            "{n} calls of {call}, {made} by fio, {skipped} program runs skipped"
        );
    }
    let phase = |name: &str| {
        slices(&capture, |s| {
            s["journals"][&number]["phases"][name]["sum"].as_u64()
        })
    };
    let parts = ["start", "locked", "flushing", "logging"].map(phase);
    assert_eq!(
        parts.iter().sum::<u64>(),
        phase("commit"),
        "phases add up to the commits"
    );
}

#[test]
fn a_job_s_own_tally_agrees_with_the_probes() {
    need!("mkfs.ext4", "losetup");
    let fs = Ext4::new(128 << 20);
    let number = fs.disk.number();
    let folder = tempfile::tempdir().unwrap();
    let (jobs, file) = (
        folder.path().join("t.fio"),
        folder.path().join("capture.json"),
    );
    // 2,048 reads of 4 KiB, and 512 writes of 4 KiB with an fdatasync after every eighth.
    let job = "[global]\nbs=4k\ndirect=1\n[reads]\nrw=randread\nsize=8m\nioengine=io_uring\niodepth=8\n\
                [writes]\nstonewall\nrw=write\nsize=2m\noverwrite=1\nfdatasync=8\n";
    std::fs::write(&jobs, job).unwrap();
    let output = iosage()
        .args(["run", "--device", fs.disk.name(), "--target"])
        .arg(&fs.at)
        .arg("-o")
        .arg(&file)
        .arg(&jobs)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let capture = read(&file);
    let tally = |job: usize, op: &str, what: &str| {
        capture["workload"]["jobs"][job]["ops"][op][what]
            .as_u64()
            .unwrap_or(0)
    };
    assert_eq!(
        (tally(0, "read", "n"), tally(0, "read", "bytes")),
        (2048, 8 << 20)
    );
    assert_eq!(
        (tally(1, "write", "n"), tally(1, "write", "bytes")),
        (512, 2 << 20)
    );
    // Only the job reads: what the filesystem needs to know was read when the files were laid out.
    // Neighbours that were sent together may have become one request.
    let merged: u64 = slices(&capture, |slice| {
        let merges = slice["devices"][&number]["ops"]["read"]["merges"].as_object()?;
        Some(merges.values().map(|n| n.as_u64().unwrap()).sum())
    });
    assert_eq!(sum(&capture, &number, "read", "completed") + merged, 2048);
    assert_eq!(sum(&capture, &number, "read", "bytes"), 8 << 20);
    // The journal writes too.
    assert!(sum(&capture, &number, "write", "completed") >= 512);
    let syncs: u64 = slices(&capture, |slice| {
        let counts = &slice["syncs"][&number]["calls"]["fdatasync"]["latency_ns"]["counts"];
        Some(
            counts
                .as_object()?
                .values()
                .map(|n| n.as_u64().unwrap())
                .sum(),
        )
    });
    assert_eq!(syncs, tally(1, "fdatasync", "n"));
    assert!(
        syncs >= 63,
        "{syncs} of 64 calls, the last of which may be left out"
    );
}

fn slices(capture: &Value, of: impl Fn(&Value) -> Option<u64>) -> u64 {
    capture["slices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(of)
        .sum()
}

/// The status of a probe group.
fn probe<'c>(capture: &'c Value, id: &str) -> &'c Value {
    let mut probes = capture["probes"].as_array().unwrap().iter();
    probes.find(|probe| probe["id"] == id).unwrap()
}

#[test]
fn an_interrupted_recording_is_valid_and_nothing_stays_attached() {
    need!("losetup");
    for (signal, name) in [
        (Signal::INT, "SIGINT"),
        (Signal::TERM, "SIGTERM"),
        (Signal::HUP, "SIGHUP"),
        (Signal::QUIT, "SIGQUIT"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("capture.json");
        // The kernel lets go of programs some time after their process: not ours, not to be waited for.
        wait_until("no probes of others", || loaded_probes() == 0);
        let child = iosage()
            .args(["record", "-o"])
            .arg(&file)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("attached probes", || loaded_probes() > 0);
        kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
        assert!(wait(child).success(), "{name}");
        assert_eq!(read(&file)["meta"]["ended_by"], name);
        wait_until("detached probes", || loaded_probes() == 0);
    }
}

#[test]
fn a_killed_recording_leaves_no_program_and_no_broken_file() {
    need!("losetup");
    for checkpoint in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("capture.json.zst");
        let mut command = iosage();
        command
            .args(["record", "-o"])
            .arg(&file)
            .stderr(Stdio::null());
        if checkpoint {
            command.args(["--checkpoint", "1s"]);
        }
        let mut child = command.spawn().unwrap();
        wait_until("attached probes", || loaded_probes() > 0);
        if checkpoint {
            wait_until("a checkpoint", || file.exists());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        wait_until("detached probes", || loaded_probes() == 0);
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        if checkpoint {
            assert_eq!(left, ["capture.json.zst"]);
            profiler::capture::Capture::read(&file).unwrap();
        } else {
            assert_eq!(left, Vec::<std::ffi::OsString>::new());
        }
    }
}

#[test]
fn without_rights_it_says_what_is_missing_and_exits_with_3() {
    need!("losetup");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("iosage");
    std::fs::copy(env!("CARGO_BIN_EXE_iosage"), &copy).unwrap();
    sh("chmod", &["-R", "a+rX", folder.path().to_str().unwrap()]);
    let output = std::process::Command::new(&copy)
        .args(["record", "--for", "1s", "-o", "-"])
        .uid(65_534)
        .gid(65_534)
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("capabilities: none of those needed; run as root, or grant"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn quantiles_agree_with_a_trace_of_every_request() {
    need!("fio", "losetup", "bpftrace", "unshare");
    if std::env::var_os("IOSAGE_VM").is_some() {
        println!(
            "skipped: an emulated CPU takes microseconds between two programs at a tracepoint"
        );
        return;
    }
    let disk = Loop::new("/var/tmp", 64 << 20);
    let folder = tempfile::tempdir().unwrap();
    let number = disk.number();
    let (major, minor) = number.split_once(':').unwrap();
    let dev = (major.parse::<u64>().unwrap() << 20) | minor.parse::<u64>().unwrap();
    let node = format!("--filename={}", disk.node.display());
    let shape = [
        "--output=/dev/null",
        &node,
        "--size=64M",
        "--direct=1",
        // Large and many at a time, so that the microseconds between the stamps of two programs at
        // one tracepoint are little of what is measured.
        "--bs=256k",
    ];
    sh(
        "fio",
        &[&shape[..], &["--name=fill", "--rw=write"]].concat(),
    );
    // The probes first: what the tracer does at a request must not count as the device's time.
    let file = folder.path().join("capture.json");
    let recording = iosage()
        .args(["record", "--device", disk.name(), "-o"])
        .arg(&file)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("attached probes", || loaded_probes() > 0);
    // No block is read twice at a time, so device and sector tell requests apart.
    let script = format!(
        "tracepoint:block:block_rq_issue /args->dev == {dev}/ {{ @s[args->sector] = nsecs; }} \
         tracepoint:block:block_rq_complete /@s[args->sector]/ \
         {{ printf(\"ns %d\\n\", nsecs - @s[args->sector]); delete(@s[args->sector]); }}"
    );
    let trace = folder.path().join("trace");
    let inner = "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; \
                 mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null; \
                 exec bpftrace -B none -o \"$1\" -e \"$2\"";
    let mut tracer = std::process::Command::new("unshare")
        .args(["-m", "sh", "-c", inner, "sh"])
        .arg(&trace)
        .arg(&script)
        .env("BPFTRACE_PERF_RB_PAGES", "1024")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut ended = false;
    wait_until("bpftrace", || {
        ended = tracer.try_wait().unwrap().is_some();
        ended || std::fs::read_to_string(&trace).is_ok_and(|text| text.contains("Attaching"))
    });
    if ended {
        kill_process(Pid::from_raw(recording.id() as i32).unwrap(), Signal::INT).unwrap();
        wait(recording);
        println!("skipped: this bpftrace does not run on this kernel");
        return;
    }
    let reads = [
        "--name=r",
        "--rw=randread",
        "--loops=20",
        "--ioengine=libaio",
        "--iodepth=32",
    ];
    sh("fio", &[&shape[..], &reads].concat());
    kill_process(Pid::from_raw(tracer.id() as i32).unwrap(), Signal::INT).unwrap();
    wait(tracer);
    kill_process(Pid::from_raw(recording.id() as i32).unwrap(), Signal::INT).unwrap();
    assert!(wait(recording).success());
    let capture = read(&file);
    let mut exact: Vec<u64> = std::fs::read_to_string(&trace)
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("ns ")?.parse().ok())
        .collect();
    exact.sort_unstable();
    let capture: profiler::capture::Capture = serde_json::from_value(capture).unwrap();
    let total = capture.total();
    let read = &total.devices[&number].ops[&profiler::capture::Op::Read];
    let ours = &read.spans[&profiler::capture::Span::Device];
    // bpftrace may have attached after, or lost, a few.
    let (n, traced) = (ours.n(), exact.len() as u64);
    assert!(
        n >= 5000 && traced.abs_diff(n) <= n / 100,
        "{n} counted, {traced} traced"
    );
    for q in [0.5, 0.99] {
        let exact = exact[(q * (exact.len() - 1) as f64).round() as usize] as f64;
        let found = ours.quantile(q).unwrap().value;
        println!("quantile {q}: {found} ns, traced {exact} ns");
        assert!(
            (found - exact).abs() <= exact * 0.02,
            "quantile {q}: {found} ns, traced {exact} ns"
        );
    }
}
