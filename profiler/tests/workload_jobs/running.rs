//! What jobs do to files, how they end, and what is told about it.

use super::*;
use std::io::Read;
use std::process::Stdio;

#[test]
fn a_relative_target_is_taken_from_here_and_once() {
    let options = Options {
        target: Some("tests".into()),
        ..Options::default()
    };
    let plan = workload::from_text("t.fio", "[a]\nrw=write\nsize=64k\n", &options).unwrap();
    let here = std::env::current_dir().unwrap();
    assert_eq!(plan.jobs[0].files[0].path, here.join("tests/a.0.0"));
}

#[test]
fn random_writes_touch_every_block_with_each_engine() {
    for engine in [
        "psync",
        "mmap",
        "io_uring\niodepth=16",
        "io_uring\niodepth=16\nsqthread_poll=1",
    ] {
        let scratch = Scratch::new();
        std::fs::write(scratch.path().join("f"), vec![0; 1 << 20]).unwrap();
        let result = scratch.run(&format!(
            "[a]\nrw=randwrite\nfilename=f\nsize=1m\nbs=4k\nbuffer_pattern=0xab\nfsync=32\nioengine={engine}"
        ));
        assert_eq!(moved(&result.jobs[0]), [(0, 0), (256, 1 << 20)]);
        assert_eq!(
            op(&result.jobs[0], "fsync").n,
            7,
            "none after the last write"
        );
        assert!(
            scratch.read("f").iter().all(|byte| *byte == 0xab),
            "{engine}"
        );
    }
}

#[test]
fn mixed_jobs_count_reads_and_writes_apart() {
    for engine in ["psync", "mmap", "libaio\niodepth=4"] {
        let scratch = Scratch::new();
        let result = scratch.run(&format!(
            "[a]\nrw=randrw\nrwmixread=70\nsize=4m\nbs=4k,8k\nioengine={engine}"
        ));
        let job = &result.jobs[0];
        let [(reads, read_bytes), (writes, write_bytes)] = moved(job);
        assert!(reads > 0 && writes > 0);
        assert_eq!((read_bytes, write_bytes), (reads * 4096, writes * 8192));
        assert_eq!((op(job, "read").errors, op(job, "write").errors), (0, 0));
        let alias = result
            .notes
            .iter()
            .any(|n| n.contains("ioengine=libaio is run as io_uring"));
        assert_eq!(alias, engine.starts_with("libaio"));
    }
}

#[test]
fn syncs_at_the_end_are_counted_with_the_others() {
    let scratch = Scratch::new();
    let result =
        scratch.run("[a]\nrw=write\nsize=64k\nfsync=4\nend_fsync=1\nfsync_on_close=1\nnrfiles=2");
    // 3 among the writes, then one more for each of two files and each of two reasons.
    assert_eq!(op(&result.jobs[0], "fsync").n, 3 + 4);
}

#[test]
fn a_mapping_of_a_file_that_became_shorter_is_an_error_and_no_signal() {
    let scratch = Scratch::new();
    let plan = scratch
        .plan("[a]\nrw=read\nsize=64k\nfilename=f\nioengine=mmap\n")
        .unwrap();
    let stop = Stop::default();
    let prepared = plan.prepare(&stop).unwrap();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(scratch.path().join("f"))
        .unwrap();
    file.set_len(20_000).unwrap();
    let result = prepared.run(&stop).unwrap();
    let error = result.jobs[0].error.as_deref().unwrap();
    if error.starts_with("EINVAL") {
        eprintln!("skipped: this kernel has no MADV_POPULATE_READ");
        return;
    }
    assert!(
        error.starts_with("EIO reading 4096 bytes at offset 20480"),
        "{error}"
    );
    assert_eq!(op(&result.jobs[0], "read").n, 5);
}

#[test]
fn a_file_that_became_shorter_stops_its_job_with_a_full_message() {
    for engine in ["psync", "io_uring"] {
        let scratch = Scratch::new();
        let plan = scratch
            .plan(&format!(
                "[a]\nrw=read\nsize=64k\nfilename=f\nioengine={engine}\n[b]\nioengine=null\nsize=8k"
            ))
            .unwrap();
        let stop = Stop::default();
        let prepared = plan.prepare(&stop).unwrap();
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(scratch.path().join("f"))
            .unwrap();
        file.set_len(20_000).unwrap();
        let result = prepared.run(&stop).unwrap();
        let error = result.jobs[0].error.as_deref().unwrap();
        assert!(
            error.starts_with("end of file reading 4096 bytes at offset "),
            "{error}"
        );
        assert!(
            error.contains(&format!("{}/f", scratch.path().display())),
            "{error}"
        );
        // Four whole blocks lie before the end.
        assert_eq!(
            (
                op(&result.jobs[0], "read").n,
                op(&result.jobs[0], "read").errors
            ),
            (4, 1)
        );
        assert_eq!(op(&result.jobs[1], "read").n, 2, "other jobs go on");
    }
}

#[test]
fn a_reading_job_never_changes_a_file_it_names() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("precious"), b"data").unwrap();
    let refused = scratch
        .plan("[a]\nrw=read\nfilename=precious\nsize=64k")
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("holds 4 bytes, 65536 are needed"),
        "{refused}"
    );
    let result = scratch.run("[a]\nrw=read\nfilename=precious\nbs=1\nunlink=1");
    assert_eq!(op(&result.jobs[0], "read").n, 4);
    assert_eq!(
        scratch.read("precious"),
        b"data",
        "and unlink leaves it, for it was there before"
    );
}

#[test]
fn unlink_removes_what_was_made() {
    let scratch = Scratch::new();
    scratch.run("[a]\nrw=write\nsize=64k\nnumjobs=2\nunlink=1\n[b]\nrw=read\nsize=8k\nfilename=x:y\nunlink=1");
    assert_eq!(scratch.files(), []);
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let refused = scratch
        .plan("[a]\nrw=write\nsize=8p\nbs=1m")
        .unwrap()
        .check()
        .unwrap_err();
    assert!(refused.to_string().contains("are free"), "{refused}");
    let refused = scratch
        .plan("[a]\nrw=write\nsize=8k\ndirectory=nowhere")
        .unwrap()
        .check()
        .unwrap_err();
    assert!(refused.to_string().contains("create it first"), "{refused}");
    let refused = scratch
        .plan("[a]\nrw=write\nsize=8k\nfilename=/dev/null")
        .unwrap()
        .check()
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("neither a regular file nor a block device"),
        "{refused}"
    );
    assert_eq!(scratch.files(), []);
}

#[test]
fn a_stage_waits_for_the_one_above() {
    let scratch = Scratch::new();
    let result = scratch.run(
        "[global]\nfilename=f\nsize=64k\nrw=write\n[a]\nbuffer_pattern=0x1\nnumjobs=3\n[b]\nstonewall\nbuffer_pattern=0x2\nnumjobs=2",
    );
    assert!(scratch.read("f").iter().all(|byte| *byte == 2));
    let groups: Vec<_> = result.jobs.iter().map(|job| job.group).collect();
    assert_eq!(groups, [0, 0, 0, 1, 1]);
}

#[test]
fn commands_run_only_when_allowed_and_their_failure_is_the_jobs() {
    let scratch = Scratch::new();
    let text = "[a]\nioengine=null\nsize=8k\nexec_prerun=touch ran\n[b]\nioengine=null\nsize=8k\nexec_prerun=sh -c 'echo no such thing >&2\\, exit 3'\n";
    assert!(scratch.plan(text).is_err());
    let options = Options {
        allow_exec: true,
        ..scratch.options()
    };
    let text = format!(
        "[a]\nioengine=null\nsize=8k\nexec_prerun=touch {}/ran\n[b]\nioengine=null\nsize=8k\nexec_prerun=ls /does/not/exist\n",
        scratch.path().display()
    );
    let result = workload::from_text("t", &text, &options)
        .unwrap()
        .run(&Stop::default())
        .unwrap();
    assert!(scratch.path().join("ran").exists());
    assert_eq!(op(&result.jobs[0], "read").n, 2);
    let error = result.jobs[1].error.as_deref().unwrap();
    assert!(
        error.starts_with("exec_prerun `ls /does/not/exist` failed")
            && error.contains("No such file"),
        "{error}"
    );
    assert!(result.jobs[1].ops.is_empty());
}

#[test]
fn a_stop_request_ends_every_stage() {
    let plan = workload::from_text(
        "t",
        "[a]\nioengine=null\nsize=8k\ntime_based\nruntime=1h\n[b]\nstonewall\nioengine=null\nsize=8k",
        &Options::default(),
    )
    .unwrap();
    let stop = Stop::default();
    let result = std::thread::scope(|scope| {
        let run = scope.spawn(|| plan.run(&stop));
        stop.set();
        run.join().unwrap().unwrap()
    });
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.contains("stopped on request")),
        "{:?}",
        result.notes
    );
    assert!(result.jobs.iter().all(|job| job.error.is_none()));
}

#[test]
fn an_interrupt_ends_the_program_with_what_was_done() {
    let scratch = Scratch::new();
    let fifo = scratch.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let text = "[a]\nrw=randwrite\nsize=64k\ntime_based\nruntime=1h\nfilename=f\nexec_prerun=echo go > fifo\n";
    std::fs::write(scratch.path().join("j.fio"), text).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_iosage"))
        .args(["run", "j.fio", "--allow-exec", "--format", "json"])
        .current_dir(scratch.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Opening the pipe waits for the job's own command.
    let mut said = String::new();
    std::fs::File::open(&fifo)
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "go\n");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        !scratch.path().join("f").exists(),
        "what the run made went with it"
    );
    let result: Workload = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result.jobs[0].error, None);
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.contains("stopped on request")),
        "{:?}",
        result.notes
    );
}

#[test]
fn the_demo_suite_reads_writes_and_commits() {
    let scratch = Scratch::new();
    let mut plan = workload::suite(
        "demo",
        scratch.path(),
        std::time::Duration::from_secs(1),
        &scratch.options(),
    )
    .unwrap();
    // A smaller table and log, gone through several times within the second.
    for job in &mut plan.jobs {
        job.files[0].region_bytes = 1 << 20;
    }
    let result = plan.run(&Stop::default()).unwrap();
    let ops =
        |index: usize| -> Vec<&str> { result.jobs[index].ops.keys().map(String::as_str).collect() };
    assert_eq!(
        [ops(0), ops(1), ops(2)],
        [vec!["read"], vec!["read"], vec!["write"]]
    );
    assert_eq!(ops(3), ["fdatasync", "write"]);
    let (writes, syncs) = (
        op(&result.jobs[3], "write").n,
        op(&result.jobs[3], "fdatasync").n,
    );
    assert!(writes - syncs <= 1, "{writes} {syncs}");
    assert!(
        scratch.read("iosage-wal").len() <= 1 << 20,
        "emptied when full"
    );
    assert!(
        result.jobs.iter().all(|job| job.error.is_none()),
        "{:?}",
        result.jobs
    );
}

#[test]
fn explain_shows_the_plan_and_does_nothing() {
    let scratch = Scratch::new();
    std::fs::write(
        scratch.path().join("j.fio"),
        "[a]\nrw=randread\nsize=1m\nbs=8k\nnumjobs=2\n",
    )
    .unwrap();
    let output = scratch.iosage(&["run", "j.fio", "--explain"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    for line in [
        "[a]  stage 0, threads 2",
        "each thread: at most 1048576 bytes, in 128 I/Os",
        "a.1.0  bytes 0 to 1048576",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let output = scratch.iosage(&["run", "j.fio", "--explain", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["jobs"][1]["expected_ios"], 128);
    assert_eq!(scratch.files(), [("j.fio".to_owned(), 40)]);
}

#[test]
fn results_are_shown_as_a_table_and_as_json() {
    let scratch = Scratch::new();
    std::fs::write(
        scratch.path().join("j.fio"),
        "[wal]\nrw=write\nsize=64k\nbs=8k\nfdatasync=1\n",
    )
    .unwrap();
    let output = scratch.iosage(&["run", "j.fio"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let row = |op: &str| -> Vec<String> {
        let line = text
            .lines()
            .find(|l| l.contains("wal.0") && l.split_whitespace().nth(1) == Some(op));
        line.unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        (row("write")[2].as_str(), row("fdatasync")[2].as_str()),
        ("8", "7"),
        "{text}"
    );
    let output = scratch.iosage(&["run", "j.fio", "--format", "json"]);
    let result: Workload = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(moved(&result.jobs[0]), [(0, 0), (8, 65536)]);
}

#[test]
fn a_file_that_iosage_did_not_make_is_not_written_over() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("precious"), b"data").unwrap();
    let job = "[a]\nrw=write\nsize=64k\nfilename=precious\n";
    std::fs::write(scratch.path().join("j.fio"), job).unwrap();
    let output = scratch.iosage(&["run", "j.fio"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("j.fio:4:10: "), "{error}");
    assert!(
        error.contains("was not made by iosage") && error.contains("--overwrite"),
        "{error}"
    );
    assert_eq!(scratch.read("precious"), b"data");
    let output = scratch.iosage(&["run", "j.fio", "--overwrite"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        scratch.read("precious").len(),
        65536,
        "and it stays, for it was there before"
    );
}

#[test]
fn files_that_a_run_made_go_with_it_unless_they_are_kept() {
    let scratch = Scratch::new();
    let job = "[a]\nrw=write\nsize=64k\nnumjobs=2\n[b]\nrw=read\nsize=8k\n";
    std::fs::write(scratch.path().join("j.fio"), job).unwrap();
    let left = || -> Vec<String> { scratch.files().into_iter().map(|(name, _)| name).collect() };
    let run = |more: &[&str]| {
        let output = scratch.iosage(&[&["run", "j.fio"], more].concat());
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(run(&[]).0, Some(0));
    assert_eq!(left(), ["j.fio"]);
    assert_eq!(run(&["--keep"]).0, Some(0));
    assert_eq!(left(), ["a.0.0", "a.1.0", "b.0.0", "j.fio"]);
    // The mark on them lets a later run write over them, where the filesystem keeps marks.
    match run(&[]) {
        (Some(0), _) => assert_eq!(left(), ["a.0.0", "a.1.0", "b.0.0", "j.fio"]),
        (Some(2), error) if error.contains("was not made by iosage") => {
            eprintln!("skipped: this filesystem keeps no extended attributes of users");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_that_fails_leaves_nothing_either() {
    let scratch = Scratch::new();
    let plan = Options {
        keep: false,
        ..scratch.options()
    };
    let text = "[a]\nrw=write\nsize=64k\n[b]\nrw=read\nsize=8k\nexec_prerun=false\n";
    let plan = Options {
        allow_exec: true,
        ..plan
    };
    let result = workload::from_text("t", text, &plan)
        .unwrap()
        .run(&Stop::default())
        .unwrap();
    assert!(result.jobs[1].error.is_some());
    assert_eq!(scratch.files(), []);
}

#[test]
fn trims_give_blocks_back_with_each_engine() {
    for engine in ["psync", "io_uring\niodepth=4"] {
        let scratch = Scratch::new();
        std::fs::write(scratch.path().join("f"), vec![7; 1 << 20]).unwrap();
        let text = format!("[a]\nrw=randtrim\nfilename=f\nsize=512k\nbs=64k\nioengine={engine}");
        let result = scratch.run(&text);
        if let Some(error) = &result.jobs[0].error {
            assert!(
                error.starts_with("EOPNOTSUPP trimming 65536 bytes"),
                "{error}"
            );
            eprintln!("skipped: this filesystem has no holes");
            return;
        }
        assert_eq!(
            (
                op(&result.jobs[0], "trim").n,
                op(&result.jobs[0], "trim").bytes
            ),
            (8, 512 << 10)
        );
        let left = scratch.read("f");
        assert!(left[..512 << 10].iter().all(|byte| *byte == 0));
        assert!(left[512 << 10..].iter().all(|byte| *byte == 7));
    }
}

#[test]
fn a_rate_splits_latency_into_lag_and_completion() {
    for engine in ["psync", "io_uring\niodepth=8"] {
        let scratch = Scratch::new();
        let text =
            format!("[a]\nrw=randread\nsize=1m\nnumber_ios=50\nrate_iops=5000\nioengine={engine}");
        let read = op(&scratch.run(&text).jobs[0], "read").clone();
        let completion = read.spans.completion.unwrap();
        let lag = read.spans.lag.unwrap();
        assert_eq!((read.n, completion.moments.n, lag.moments.n), (50, 50, 50));
        // From the intended start to the hand-over, and from there to the end: nothing is lost.
        assert_eq!(
            read.latency_ns.sum,
            completion.moments.sum_ns + lag.moments.sum_ns
        );
    }
}

#[test]
fn job_explain_shows_every_job_resolved_in_bytes_and_seconds() {
    let scratch = Scratch::new();
    let text = "[global]\nbs=4k-16k\n[global]\nbs=8k\n[a]\nrw=randrw:4\nsize=1m\nrate_iops=100,50\nrandom_distribution=zipf:1.2\nruntime=1m\ntime_based\n";
    let text = text.replace("bs=4k-16k", "bsrange=4k-16k");
    std::fs::write(scratch.path().join("j.fio"), text).unwrap();
    let output = scratch.iosage(&["job", "explain", "j.fio"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for line in [
        "read blocks: 8192 bytes",
        "popular blocks by zipf with theta 1.2; 4 I/Os for each offset drawn",
        "runs 60 s",
        "100 reads a second",
        "50 writes a second",
        "bytes 0 to 1048576",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let output = scratch.iosage(&["job", "explain", "j.fio", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["jobs"][0]["runtime_ns"], 60_000_000_000u64);
    assert_eq!(json["jobs"][0]["rate"][1]["ios_per_second"], 50);
    assert_eq!(json["global_options"]["bs"], "8k");
}

#[test]
fn what_was_written_is_read_back_and_damage_is_named() {
    for engine in ["psync", "io_uring\niodepth=8"] {
        let scratch = Scratch::new();
        let text = format!(
            "[a]\nrw=randwrite\nsize=1m\noffset=8k\nfilename=f\nverify=crc32c\nnumber_ios=200\nioengine={engine}"
        );
        let result = scratch.run(&text);
        let job = &result.jobs[0];
        assert_eq!(
            (&job.error, op(job, "write").n, op(job, "verify").n),
            (&None, 200, 200)
        );
        let text = format!(
            "[a]\nrw=write\nsize=64k\nfilename=g\nverify=pattern\nverify_pattern=0xabcd\nioengine={engine}"
        );
        let result = scratch.run(&text);
        assert_eq!(
            (&result.jobs[0].error, op(&result.jobs[0], "verify").n),
            (&None, 16)
        );
        assert!(
            scratch
                .read("g")
                .as_chunks::<2>()
                .0
                .iter()
                .all(|two| two == b"\xab\xcd")
        );
    }
}

#[test]
fn what_cannot_be_verified_is_refused() {
    let scratch = Scratch::new();
    let text = "[a]\nrw=write\nsize=64k\nbs=8k\nfilename=f\nverify=crc32c\ndo_verify=0\n[b]\nstonewall\nrw=write\nsize=64k\nbs=4k\nfilename=f\nverify=crc32c\n";
    let result = scratch.run(text);
    assert_eq!(result.jobs[1].error, None);
    assert!(!result.jobs[0].ops.contains_key("verify"));
    for text in [
        "[a]\nrw=randrw\nsize=64k\nverify=crc32c\n",
        "[a]\nrw=write\nsize=64k\nbs=32\nverify=crc32c\n",
        "[a]\nrw=write\nsize=64k\nbsrange=4k-16k\nloops=2\nverify=crc32c\n",
        "[a]\nrw=write\nsize=64k\nverify=pattern\n",
    ] {
        assert!(scratch.plan(text).is_err(), "{text}");
    }
}

#[test]
fn logs_are_written_in_the_lines_of_fio() {
    let scratch = Scratch::new();
    let result = scratch.run("[a]\nrw=write\nsize=64k\nwrite_lat_log=l\nwrite_bw_log=l\nwrite_iops_log\nioengine=io_uring\niodepth=4\n");
    assert_eq!(result.jobs[0].error, None);
    let text = String::from_utf8(scratch.read("l_clat.1.log")).unwrap();
    assert_eq!(text.lines().count(), 16);
    for line in text.lines() {
        let fields: Vec<u64> = line.split(", ").map(|f| f.parse().unwrap()).collect();
        assert_eq!(
            (fields.len(), fields[2], fields[3], fields[4]),
            (5, 1, 4096, 0),
            "{line}"
        );
    }
    for name in ["l_lat.1.log", "l_slat.1.log", "l_bw.1.log", "a_iops.1.log"] {
        assert!(!scratch.read(name).is_empty(), "{name}");
    }
}

#[test]
fn a_steady_job_ends_by_itself() {
    let text = "[a]\nioengine=null\nsize=1m\ntime_based\nruntime=1h\nss=iops:100%\nss_dur=30ms\nss_interval=10ms\n";
    let result = workload::from_text("t", text, &Options::default())
        .unwrap()
        .run(&Stop::default())
        .unwrap();
    assert!(
        result
            .notes
            .iter()
            .any(|n| n.contains("steady state was reached")),
        "{:?}",
        result.notes
    );
}

#[test]
fn files_are_made_or_not_as_the_job_says() {
    let scratch = Scratch::new();
    let refused = scratch
        .plan("[a]\nrw=write\nsize=64k\nallow_file_create=0")
        .unwrap()
        .check()
        .unwrap_err();
    assert!(
        refused.to_string().contains("allow_file_create=0 forbids"),
        "{refused}"
    );
    let result = scratch.run("[a]\nrw=read\nsize=64k\ncreate_only=1");
    assert!(result.jobs.is_empty());
    assert_eq!(scratch.files(), [("a.0.0".to_owned(), 65536)]);
    let result = scratch.run("[a]\nrw=read\nsize=64k\npre_read=1\ncpus_allowed=0");
    assert_eq!(
        (&result.jobs[0].error, op(&result.jobs[0], "read").n),
        (&None, 16)
    );
}

#[test]
fn a_job_waits_for_the_one_it_names() {
    let scratch = Scratch::new();
    let text = "[global]\nfilename=f\nsize=64k\nrw=write\n[a]\nbuffer_pattern=0x1\nnumjobs=3\nthinktime=100\n[b]\nwait_for=a\nbuffer_pattern=0x2\n";
    let result = scratch.run(text);
    assert!(result.jobs.iter().all(|job| job.error.is_none()));
    assert!(scratch.read("f").iter().all(|byte| *byte == 2));
    let refused = scratch
        .plan("[a]\nsize=64k\nwait_for=b\n[b]\nsize=64k\n")
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("no job of that name stands above"),
        "{refused}"
    );
}

#[test]
fn batches_are_taken_in_parts_and_lose_nothing() {
    let scratch = Scratch::new();
    let result = scratch.run("[a]\nrw=randwrite\nsize=1m\nioengine=io_uring\niodepth=16\niodepth_batch=4\niodepth_batch_complete_min=2\niodepth_batch_complete_max=3\niodepth_low=8\nopenfiles=1\n");
    assert_eq!(
        (&result.jobs[0].error, op(&result.jobs[0], "write").n),
        (&None, 256)
    );
    let refused = scratch
        .plan("[a]\nrw=write\nsize=1m\nnrfiles=4\nopenfiles=2\n")
        .unwrap_err();
    assert!(refused.to_string().contains("t.fio:5:11: "), "{refused}");
}
