//! Public job files and what fio 3.33 makes of them.

use super::*;
use profiler::workload::pattern::{Pattern, Random};
use profiler::workload::spec::Way;
use profiler::workload::split::Split;
use std::collections::BTreeMap;

const KIB: u64 = 1024;
const GIB: u64 = 1 << 30;

#[test]
fn f01_the_five_jobs_of_the_wiki_page() {
    for (name, direction) in [
        ("seq-read", "read"),
        ("seq-write", "write"),
        ("random-read", "randread"),
        ("random-write", "randwrite"),
        ("read-write", "rw"),
    ] {
        let path = case(&format!("F01/{name}.fio"));
        let refused = workload::load(&path, &Options::default()).unwrap_err();
        assert_eq!(refused.problems.len(), 1, "{refused}");
        assert!(refused.problems[0].message.contains("--allow-exec"));
        assert_eq!(
            (refused.problems[0].at.line, refused.problems[0].at.column),
            (if name == "read-write" { 14 } else { 13 }, 13)
        );

        let options = Options {
            allow_exec: true,
            ..Options::default()
        };
        let plan = workload::load(&path, &options).unwrap();
        assert_eq!(plan.jobs.len(), 8);
        for (n, job) in plan.jobs.iter().enumerate() {
            assert_eq!(job.direction(), direction);
            assert_eq!(job.single_block(), Some(8192));
            assert_eq!(job.io_bytes, 8 * GIB, "reads and writes together");
            assert_eq!(job.expected_ios, Some(1_048_576));
            assert_eq!(
                (job.runtime_ns, job.time_based),
                (Some(3_600_000_000_000), false)
            );
            assert!(!job.direct && !job.group_reporting);
            let expected = format!("/test/{name}.{n}.0");
            assert_eq!(job.files[0].path, Path::new(&expected));
            assert_eq!(job.files[0].region_bytes, 8 * GIB);
            assert_eq!(
                job.before.as_deref(),
                Some("echo 3 > /proc/sys/vm/drop_caches")
            );
        }
    }
}

#[test]
fn f01_pasted_together_they_run_at_once_and_a_note_says_so() {
    let text: String = [
        "seq-read",
        "seq-write",
        "random-read",
        "random-write",
        "read-write",
    ]
    .map(|name| case_text(&format!("F01/{name}.fio")))
    .concat();
    let options = Options {
        allow_exec: true,
        ..Options::default()
    };
    let plan = workload::from_text("five.fio", &text, &options).unwrap();
    assert_eq!(plan.jobs.len(), 40);
    assert!(plan.jobs.iter().all(|job| job.stage == 0));
    let told = plan
        .notes
        .iter()
        .any(|note| note.contains("40 threads") && note.contains(&(320 * GIB).to_string()));
    assert!(told, "{:?}", plan.notes);
}

#[test]
fn f01_scaled_down_it_reads_every_block_of_three_files() {
    let scratch = Scratch::new();
    let result = scratch.run("[sr]\nrw=read\nsize=64k\nblocksize=8k\nnumjobs=3\nnrfiles=1\nfadvise_hint=0\ndirect=0\nruntime=1h");
    let expected: Vec<_> = (0..3).map(|n| (format!("sr.{n}.0"), 64 * KIB)).collect();
    assert_eq!(scratch.files(), expected);
    assert_eq!(
        result.jobs.len(),
        3,
        "no group_reporting: a result for each"
    );
    for job in &result.jobs {
        assert_eq!(moved(job), [(8, 64 * KIB), (0, 0)]);
        assert_eq!(op(job, "read").latency_ns.n(), 8);
    }
}

#[test]
fn f03_iec_suffixes_are_inverted_and_a_note_says_so() {
    let result = run_case("F03/units1024.fio");
    let reads: Vec<_> = result
        .jobs
        .iter()
        .map(|job| (job.name.as_str(), op(job, "read").n))
        .collect();
    assert_eq!(reads, [("gib", 244), ("gi", 256), ("gb", 256), ("m", 256)]);
    let plan = workload::load(&case("F03/units1024.fio"), &Options::default()).unwrap();
    let sizes: Vec<_> = plan.jobs.iter().map(|job| job.io_bytes).collect();
    assert_eq!(sizes, [1_000_000, 1_048_576, 1_048_576, 1_048_576]);
    let notes = |word: &str| {
        result
            .notes
            .iter()
            .filter(|note| note.contains(word))
            .count()
    };
    assert_eq!(notes("was read as 1000000 bytes"), 1, "{:?}", result.notes);
}

#[test]
fn f05_percentages_are_of_the_file_and_end_with_it() {
    let scratch = Scratch::new();
    let path = case("F05/percent.fio");
    let refused = workload::load(&path, &scratch.options()).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("a percentage needs a file that exists"),
        "{refused}"
    );

    std::fs::write(scratch.path().join("pf"), vec![0; 65536]).unwrap();
    let result = workload::load(&path, &scratch.options())
        .unwrap()
        .run(&Stop::default())
        .unwrap();
    let pf = scratch.read("pf");
    assert_eq!(pf.len(), 65536);
    for (quarter, byte) in pf.chunks(16384).zip([0x11, 0x22, 0x00, 0x33]) {
        assert!(quarter.iter().all(|b| *b == byte), "{byte:#x}");
    }
    assert!(result.jobs.iter().all(|job| moved(job)[1] == (4, 16384)));
}

#[test]
fn f07_an_escaped_colon_belongs_to_the_name() {
    let scratch = Scratch::new();
    let plan = workload::load(&case("F07/colon.fio"), &scratch.options()).unwrap();
    plan.run(&Stop::default()).unwrap();
    let expected = [("e", 8192), ("f", 8192), ("pci-0000:06:00.0", 16384)];
    assert_eq!(
        scratch.files(),
        expected.map(|(name, n)| (name.to_owned(), n))
    );
}

#[test]
fn f07_a_device_path_cut_at_a_colon_is_refused() {
    let scratch = Scratch::new();
    let refused = scratch
        .plan("[c]\nrw=write\nsize=16k\nfilename=/dev/disk/by-path/pci-0000:06:00.0")
        .unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("t.fio:4:10: "), "{text}");
    assert!(
        text.contains(r"/dev/disk/by-path/pci-0000\:06\:00.0"),
        "{text}"
    );
}

#[test]
fn f09_an_unclosed_header_is_an_error_and_the_rest_is_as_in_fio() {
    let refused = workload::load(&case("F09/headers.fio"), &Options::default()).unwrap_err();
    assert_eq!(
        (refused.problems[0].at.line, refused.problems[0].at.column),
        (1, 1)
    );
    assert!(refused.problems[0].message.contains("not closed"));
    assert_eq!(refused.problems.len(), 1, "only the header: {refused}");

    let text = case_text("F09/headers.fio").replace("[job12\n", "[job12]\n");
    let plan = workload::from_text("h.fio", &text, &Options::default()).unwrap();
    let jobs: Vec<_> = plan
        .jobs
        .iter()
        .map(|job| {
            (
                job.name.as_str(),
                job.single_block().unwrap(),
                job.expected_ios.unwrap(),
            )
        })
        .collect();
    assert_eq!(
        jobs,
        [
            ("job12", 4096, 16),
            ("next", 16384, 4),
            ("two words", 16384, 2),
            ("dup", 16384, 4),
            ("dup", 16384, 2)
        ]
    );
    assert!(
        plan.notes
            .iter()
            .any(|note| note.starts_with("h.fio:5:1: [globalish]")),
        "{:?}",
        plan.notes
    );
}

#[test]
fn f10_values_are_cut_at_comment_marks() {
    let plan = workload::load(&case("F10/comments.fio"), &Options::default()).unwrap();
    assert_eq!(plan.jobs.len(), 4);
    for job in &plan.jobs {
        assert_eq!(job.name, "j1");
        assert_eq!(job.io_bytes, 65536);
        assert_eq!(job.direction(), "read");
        assert_eq!(job.runtime_ns, Some(60_000_000_000));
        assert_eq!(job.description.as_deref(), Some("a"));
        assert_eq!(job.expected_ios, Some(16));
    }
}

#[test]
fn f12_a_command_line_option_rejects_the_whole_file() {
    let scratch = Scratch::new();
    let path = case("F12/badopt.fio");
    let output = scratch.iosage(&["run", path.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    let expected = format!(
        "{}:4:1: `trigger-file` belongs on the fio command line",
        path.display()
    );
    assert!(error.contains(&expected), "{error}");
    assert!(output.stdout.is_empty());
}

#[test]
fn f14_environment_keywords_and_products() {
    let options = |pairs: &[(&str, &str)]| Options {
        environment: Some(
            pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect::<BTreeMap<_, _>>(),
        ),
        ..Options::default()
    };
    let plan = workload::load(&case("F14/env_ok.fio"), &options(&[("SZ", "128k")])).unwrap();
    let page = rustix::param::page_size() as u64;
    assert_eq!(plan.jobs[0].io_bytes, 131_072);
    assert_eq!(plan.jobs[1].io_bytes, 4 * page);
    assert_eq!(
        (plan.jobs[2].io_bytes, plan.jobs[2].expected_ios),
        (65536, Some(16))
    );
    assert_eq!(plan.jobs[3].description.as_deref(), Some("x-y"));

    let refused = workload::load(&case("F14/env_bad.fio"), &options(&[])).unwrap_err();
    assert!(
        refused.to_string().contains("UNSETVAR is not set"),
        "{refused}"
    );

    let sum = workload::from_text(
        "t",
        "[a]\nioengine=null\nsize=64k\nbs=(1+3)*1024",
        &options(&[]),
    )
    .unwrap();
    assert_eq!(sum.jobs[0].single_block(), Some(4096));
}

#[test]
fn f15_an_include_is_found_beside_its_file_and_holds_no_section() {
    let plan = workload::load(&case("F15/inc_job.fio"), &Options::default()).unwrap();
    let job = &plan.jobs[0];
    assert_eq!(
        (job.direction(), job.single_block(), job.expected_ios),
        ("write", Some(16384), Some(4))
    );

    let refused = workload::load(&case("F15/inc_bad.fio"), &Options::default()).unwrap_err();
    let first = refused.problems[0].to_string();
    assert!(
        first.contains("bad.inc:1:1: an included file may hold options only"),
        "{first}"
    );
}

#[test]
fn f15_include_loops_are_caught() {
    let scratch = Scratch::new();
    let write = |name: &str, text: &str| std::fs::write(scratch.path().join(name), text).unwrap();
    write("a.fio", "[j]\nsize=4k\ninclude b.inc\n");
    write("b.inc", "bs=4k\ninclude c.inc\n");
    write("c.inc", "include b.inc\n");
    let refused = workload::load(&scratch.path().join("a.fio"), &Options::default()).unwrap_err();
    let first = refused.problems[0].to_string();
    assert!(
        first.ends_with("c.inc:1:1: `b.inc` includes itself"),
        "{first}"
    );
}

#[test]
fn f16_a_gap_follows_every_read() {
    let result = run_case("F16/gap.fio");
    assert_eq!(moved(&result.jobs[0]), [(85, 87_040 * KIB), (0, 0)]);
}

#[test]
fn f19_tables_over_100_are_refused_and_the_others_hold_by_count() {
    let path = case("F19/bssplit.fio");
    let refused = workload::load(&path, &Options::default()).unwrap_err();
    assert_eq!(refused.problems.len(), 1, "{refused}");
    assert!(refused.problems[0].message.contains("120"), "{refused}");
    assert_eq!(refused.problems[0].at.line, 21);

    let text = case_text("F19/bssplit.fio");
    let good = &text[..text.find("[over]").unwrap()];
    let plan = workload::from_text("s.fio", good, &Options::default()).unwrap();
    let shares = |split: &Split| -> Vec<(u64, u64)> {
        match split {
            Split::Table(shares) => shares.iter().map(|s| (s.block_bytes, s.percent)).collect(),
            Split::Range { .. } => Vec::new(),
        }
    };
    assert_eq!(
        shares(&plan.jobs[0].blocks[1]),
        [(512, 25), (1024, 25), (2048, 25), (4096, 25)]
    );
    assert_eq!(
        shares(&plan.jobs[1].blocks[0]),
        [(64 * KIB, 40), (1024 * KIB, 60)]
    );
    assert_eq!(shares(&plan.jobs[1].blocks[1]), [(1024 * KIB, 100)]);
    assert_eq!(
        shares(&plan.jobs[2].blocks[0])
            .iter()
            .map(|(_, p)| p)
            .sum::<u64>(),
        100
    );

    // Reads and writes count the random map in other units, which may end [rw] early.
    assert!(
        plan.notes
            .iter()
            .any(|note| note.starts_with("job `rw`: ") && note.contains("norandommap=1")),
        "{:?}",
        plan.notes
    );

    let mut counts = BTreeMap::new();
    let (mut pattern, mut random) = (Pattern::new(&plan.jobs[0], 0, 0), Random::new(1));
    while let Some(spot) = pattern.next(&plan.jobs[0], Way::Write, &mut random) {
        *counts.entry(spot.length).or_insert(0u32) += 1;
    }
    // About 4,369 I/Os; 1,092 of each size, standard deviation 29: six of them.
    for (size, n) in &counts {
        assert!((918..=1266).contains(n), "{size}: {n}");
    }
    assert_eq!(counts.len(), 4);
}

#[test]
fn f23_runtime_bounds_loops_and_ramps() {
    let result = run_case("F23/runtime.fio");
    let [short, looped, ramp] = &result.jobs[..] else {
        panic!("three jobs");
    };
    assert_eq!(op(short, "read").n, 16);
    assert!(short.runtime_ns < 5_000_000_000);
    // 1000 a second for 2 s: it wraps over its 16 blocks, and never outruns the rate.
    assert!((17..=2001).contains(&op(looped, "read").n));
    assert!(looped.runtime_ns >= 2_000_000_000);
    assert!(ramp.ops.is_empty(), "{:?}", ramp.ops);
    assert!(
        result
            .notes
            .iter()
            .any(|n| n == "job `ramp.0`: ended during ramp, no data"),
        "{:?}",
        result.notes
    );
}

#[test]
fn f33_a_sync_after_every_odd_write() {
    let scratch = Scratch::new();
    // `directory=.` of the case is the scratch directory here.
    let text = case_text("F33/wal.fio").replace("directory=.", "");
    let result = scratch.run(&text);
    let job = &result.jobs[0];
    assert_eq!(moved(job), [(0, 0), (102, 234_600)]);
    assert_eq!(op(job, "fdatasync").n, 102);
    assert_eq!(op(job, "fdatasync").latency_ns.n(), 102);
    assert_eq!(scratch.files(), [("wal.0.0".to_owned(), 235_520)]);

    let direct = scratch.plan(&format!("{text}\ndirect=1\n")).unwrap();
    match direct.check() {
        Err(refused) => assert!(
            refused.to_string().contains("logical blocks of"),
            "{refused}"
        ),
        Ok(()) => eprintln!("skipped: this filesystem does not tell its logical block size"),
    }
}

#[test]
fn f37_everything_unsupported_is_listed_at_once() {
    let scratch = Scratch::new();
    let path = case("F37/unsup.fio");
    let output = scratch.iosage(&["run", path.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    for (place, word) in [
        ("2:10", "falloc"),
        ("5:1", "cmdprio_percentage"),
        ("6:1", "flow"),
        ("8:10", "cpuio"),
        ("9:1", "cpuload"),
    ] {
        let line = error
            .lines()
            .find(|l| l.contains(&format!("unsup.fio:{place}: ")));
        assert!(
            line.is_some_and(|l| l.contains(word)),
            "{place} {word}: {error}"
        );
    }

    let text = case_text("F37/unsup.fio") + "[z]\nioengine=null\nsize=64k\nflow=8\n";
    let lenient = Options {
        lenient: true,
        ..Options::default()
    };
    let result = workload::from_text("l.fio", &text, &lenient)
        .unwrap()
        .run(&Stop::default())
        .unwrap();
    let names: Vec<_> = result.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["z"], "no job runs on another engine");
    let notes = result.notes.join("\n");
    for word in [
        "job `x` was left out",
        "job `y` was left out",
        "ignored: l.fio:13:1: option `flow`",
    ] {
        assert!(notes.contains(word), "{word}: {notes}");
    }
}

#[test]
fn f38_a_missing_device_is_never_made() {
    let scratch = Scratch::new();
    let path = case("F38/raw.fio");
    let output = scratch.iosage(&["run", path.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("/dev/XXX does not exist"), "{error}");
    let output = scratch.iosage(&["run", path.to_str().unwrap(), "--explain"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "a refused plan is not shown");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("/dev/XXX does not exist"), "{error}");
    assert!(!Path::new("/dev/XXX").exists());
}

#[test]
fn f38_a_mounted_device_is_never_written_whatever_is_allowed() {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let device = mounts
        .lines()
        .filter_map(|line| line.split(' ').next())
        .find(|source| source.starts_with("/dev/") && Path::new(source).exists());
    let Some(device) = device else {
        eprintln!("skipped: no mounted block device is visible here");
        return;
    };
    let options = Options {
        allow_devices: vec![device.into()],
        ..Options::default()
    };
    let text = format!("[w]\nfilename={device}\nrw=randwrite\nbs=4k\nsize=1m\n");
    // Only asked, never run.
    let refused = workload::from_text("d.fio", &text, &options)
        .unwrap()
        .check()
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("in use and is never written: "),
        "{refused}"
    );
    assert!(refused.to_string().contains("mounted at /"), "{refused}");
}

/// Runs a case that does no I/O.
fn run_case(name: &str) -> Workload {
    workload::load(&case(name), &Options::default())
        .unwrap()
        .run(&Stop::default())
        .unwrap()
}
