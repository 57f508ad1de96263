//! J cases (fio) and B cases (bonnie++).

use super::{auto, near, notes, of, try_auto};
use profiler::import::model::bonnie::{BonnieRun, RateUnit};
use profiler::import::model::fio::{FioJob, FioOp};
use profiler::import::model::{Figure, Imported, Level};

fn job(imported: &Imported) -> &FioJob {
    let [run] = &imported.fio[..] else {
        panic!("{} runs", imported.fio.len())
    };
    let [job] = &run.jobs[..] else {
        panic!("{} jobs", run.jobs.len())
    };
    job
}

/// Values as fio prints them: bytes, bandwidth in KiB/s, iops, runtime in ms, clat in `unit`.
struct Printed {
    io_bytes: u64,
    bandwidth: f64,
    iops: f64,
    runtime_ms: u64,
    unit: &'static str,
    mean: f64,
    max: f64,
    p50: f64,
    p99: f64,
}

#[track_caller]
fn check(op: &FioOp, printed: &Printed) {
    let factor = if printed.unit == "us" { 1000.0 } else { 1.0 };
    let clat = op.completion.as_ref().expect("a latency");
    assert_eq!(op.io_bytes, Some(printed.io_bytes));
    assert_eq!(op.runtime_ns, Some(printed.runtime_ms * 1_000_000));
    assert_eq!(clat.unit, printed.unit);
    near(op.bandwidth_bytes_per_s, printed.bandwidth);
    near(op.iops, printed.iops);
    near(clat.mean_ns, printed.mean * factor);
    near(clat.max_ns, printed.max * factor);
    near(clat.percentile(50.0), printed.p50 * factor);
    near(clat.percentile(99.0), printed.p99 * factor);
}

#[test]
fn j02_terse_2_has_a_banner_and_bandwidth_in_powers_of_ten() {
    let imported = auto("J02/terse-v2.txt");
    let run = &imported.fio[0];
    assert_eq!(
        (run.format.as_str(), run.version.as_deref()),
        ("terse-2", Some("fio-1.59"))
    );
    let job = job(&imported);
    assert_eq!(job.name, "db-mix");
    let read = &job.ops["read"];
    assert_eq!(read.io_bytes, Some(784 * 1024));
    assert_eq!(read.runtime_ns, Some(5_000_000));
    near(read.bandwidth_bytes_per_s, 160_563.0 * 1000.0);
    near(read.completion.as_ref().unwrap().mean_ns, 38_204.082);
    assert_eq!(job.ops["write"].io_bytes, Some(240 * 1024));
    assert_eq!(read.iops, None, "fio 1 does not print it");
    assert!(notes(&imported, Level::Warning).is_empty());
}

#[test]
fn j03_terse_3_is_in_kib_and_microseconds() {
    let old = auto("J03/2.1.10.txt");
    assert_eq!(old.fio[0].version.as_deref(), Some("fio-2.1.10"));
    let read = &job(&old).ops["read"];
    assert_eq!(
        (read.io_bytes, read.runtime_ns),
        (Some(768 * 1024), Some(7_000_000))
    );
    near(read.bandwidth_bytes_per_s, 109_714.0 * 1024.0);
    near(read.iops, 13_714.0);

    let new = auto("J03/3.33.txt");
    let read = &job(&new).ops["read"];
    assert_eq!(
        (read.io_bytes, read.runtime_ns),
        (Some(728 * 1024), Some(8_000_000))
    );
    near(read.bandwidth_bytes_per_s, 91_000.0 * 1024.0);
    near(read.iops, 11_375.0);
    near(read.completion.as_ref().unwrap().mean_ns, 74_022.978);
    assert_eq!(new.fio[0].disks[0].name, "vda");

    let oldest = auto("J03/2.0.8.txt");
    assert_eq!(oldest.fio[0].version.as_deref(), Some("fio-2.0.8"));
    let clat = job(&oldest).ops["read"].completion.clone().unwrap();
    // Twenty places, three of them `0%=0`.
    assert_eq!(clat.percentiles.len(), 17);
    near(clat.percentile(1.0), 2_000.0);
    near(clat.percentile(99.0), 346_000.0);
    for imported in [old, new, oldest] {
        assert!(notes(&imported, Level::Warning).is_empty());
    }
}

#[test]
fn j06_json_of_fio_2_counts_in_kib_and_microseconds() {
    let older = auto("J06/fio-2.2.10.json");
    let job_of = |imported: &Imported| job(imported).clone();
    let read = Printed {
        io_bytes: 786_432,
        bandwidth: 85_333.0 * 1024.0,
        iops: 10_666.67,
        runtime_ms: 9,
        unit: "us",
        mean: 85.56,
        max: 2120.0,
        p50: 57.0,
        p99: 2128.0,
    };
    check(&job_of(&older).ops["read"], &read);
    assert_eq!(job_of(&older).ops["read"].ios, Some(96));
    let write = Printed {
        io_bytes: 262_144,
        bandwidth: 28_444.0 * 1024.0,
        iops: 3555.56,
        mean: 3.62,
        max: 10.0,
        p50: 3.0,
        p99: 10.0,
        ..read
    };
    check(&job_of(&older).ops["write"], &write);
    let newer = auto("J06/fio-2.14.json");
    let read = Printed {
        bandwidth: 96_000.0 * 1024.0,
        iops: 12_000.0,
        runtime_ms: 8,
        mean: 68.46875,
        max: 899.0,
        p50: 66.0,
        p99: 900.0,
        ..read
    };
    check(&job_of(&newer).ops["read"], &read);
    assert_eq!(job_of(&newer).ops["read"].ios, Some(96));
    let write = Printed {
        bandwidth: 32_000.0 * 1024.0,
        iops: 4000.0,
        runtime_ms: 8,
        mean: 14.9375,
        max: 30.0,
        p50: 16.0,
        p99: 30.0,
        ..write
    };
    check(&job_of(&newer).ops["write"], &write);
    assert!(notes(&newer, Level::Warning).is_empty());
}

#[test]
fn j08_repeated_keys_are_no_error_and_percentile_0_is_dropped() {
    let imported = auto("J08/fio-3.1.json");
    let read = Printed {
        io_bytes: 745_472,
        bandwidth: 121_333.0 * 1024.0,
        iops: 15_166.666667,
        runtime_ms: 6,
        unit: "ns",
        mean: 54_609.923077,
        max: 257_656.0,
        p50: 59_648.0,
        p99: 257_024.0,
    };
    check(&job(&imported).ops["read"], &read);
    let write = Printed {
        io_bytes: 303_104,
        bandwidth: 49_333.0 * 1024.0,
        iops: 6_166.666667,
        mean: 7_523.378378,
        max: 14_541.0,
        p50: 7_200.0,
        p99: 14_528.0,
        ..read
    };
    check(&job(&imported).ops["write"], &write);
    let percentiles = &job(&imported).ops["read"]
        .completion
        .as_ref()
        .unwrap()
        .percentiles;
    assert_eq!(percentiles.len(), 17);
    assert!(percentiles.iter().all(|p| p.percent > 0.0));
    assert!(notes(&imported, Level::Info)[0].contains("duplicate"));
}

#[test]
fn j10_keys_that_are_not_there_are_unknown() {
    let imported = auto("J10/fio-3.42.json");
    let read = Printed {
        io_bytes: 745_472,
        bandwidth: 82_830_222.0,
        iops: 10_111.111111,
        runtime_ms: 9,
        unit: "ns",
        mean: 81_657.571429,
        max: 467_214.0,
        p50: 90_624.0,
        p99: 468_992.0,
    };
    check(&job(&imported).ops["read"], &read);
    let write = Printed {
        io_bytes: 303_104,
        bandwidth: 33_678_222.0,
        iops: 4_111.111111,
        mean: 8_079.621622,
        max: 29_474.0,
        p50: 7_200.0,
        p99: 29_568.0,
        ..read
    };
    check(&job(&imported).ops["write"], &write);
    let ops: Vec<_> = job(&imported).ops.keys().collect();
    assert_eq!(ops, ["read", "write"], "trim and sync were not used");
    assert_eq!(
        job(&imported).ops["read"].completion.as_ref().unwrap().n,
        Some(91)
    );
}

#[test]
fn j11_lines_beside_the_json_are_kept_as_notes() {
    let plain = auto("J11/after.txt");
    for (name, warnings) in [("warn-generator", 2), ("warn-brace", 1), ("after", 1)] {
        let imported = auto(&format!("J11/{name}.txt"));
        assert_eq!(job(&imported).ops, job(&plain).ops, "{name}");
        assert_eq!(notes(&imported, Level::Warning).len(), warnings, "{name}");
        assert!(!job(&imported).failed);
    }
    let read = &job(&plain).ops["read"];
    assert_eq!((read.io_bytes, read.ios), (Some(745_472), Some(91)));
    near(read.bandwidth_bytes_per_s, 124_245_333.0);
    near(read.completion.as_ref().unwrap().mean_ns, 55_346.0);
    let failed = auto("J11/warn-ioerror.txt");
    assert_eq!(job(&failed).ops, job(&plain).ops);
    assert_eq!((job(&failed).error, job(&failed).failed), (5, true));
    let errors = notes(&failed, Level::Error);
    assert!(
        errors
            .iter()
            .any(|text| text.contains("io_u error on file /dev/sdx")),
        "{errors:?}"
    );
    assert!(
        errors
            .iter()
            .any(|text| text.contains("I/O errors happened")),
        "{errors:?}"
    );
}

#[test]
fn several_documents_in_one_file_are_several_runs() {
    let one = std::fs::read_to_string(super::path("J08/fio-3.1.json")).unwrap();
    let people =
        format!("x: (groupid=0, jobs=1): err= 0: pid=9\n{one}\nRun status group 0 (all jobs):\n");
    let imported = of("fio-json", &people).unwrap().remove(0);
    assert!(
        notes(&imported, Level::Error).is_empty() && notes(&imported, Level::Warning).is_empty()
    );
    let two = format!("starting\n{one}\nfio: pid=1, got signal=15\n{one}");
    let imported = of("fio-json", &two).unwrap().remove(0);
    assert_eq!(imported.fio.len(), 2);
    assert_eq!(imported.fio[0].jobs, imported.fio[1].jobs);
    assert_eq!(imported.fio[1].line as usize, 4 + one.lines().count());
}

#[test]
fn j16_totals_come_from_iops_and_never_from_its_mean() {
    let old = auto("J16/old-3.3.json");
    let read = &job(&old).ops["read"];
    near(read.iops, 25_345.2);
    assert_eq!(read.ios, Some(126_726));
    assert_eq!(job(&old).processes, Some(4));
    assert!(read.mean_is_per_process);
    assert!(notes(&old, Level::Info)[0].contains("per process mean 6334 x 4"));
    let new = auto("J16/new-3.33.json");
    let read = &job(&new).ops["read"];
    near(read.iops, 1000.0);
    near(read.iops_mean, 1_000.466667);
    assert!(!read.mean_is_per_process);
    assert!(new.notes.is_empty(), "{:?}", new.notes);
}

#[test]
fn j17_a_cut_file_is_refused_whole_and_a_failed_job_is_marked() {
    let said = try_auto("J17/truncated.json").unwrap_err().to_string();
    assert!(
        said.contains("ends at byte 2500 inside jobs[0].write"),
        "{said}"
    );
    let failed = auto("J17/failed.json");
    let job = job(&failed);
    assert_eq!((job.error, job.failed), (28, true));
    assert_eq!(job.error_text.as_deref(), Some("no space left on device"));
    assert!(!job.ops.contains_key("read"), "it did no reads");
    assert_eq!(notes(&failed, Level::Error).len(), 1);
}

fn rate(run: &BonnieRun, test: &str) -> (Figure, Figure) {
    (run.tests[test].rate, run.tests[test].cpu_percent)
}

fn kib(rate: f64, cpu: f64) -> (Figure, Figure) {
    (Figure::Measured(rate * 1024.0), Figure::Measured(cpu))
}

#[test]
fn b01_empty_cells_did_not_run() {
    let imported = auto("B01/x4500.csv");
    let [first, second] = &imported.bonnie[..] else {
        panic!()
    };
    assert_eq!(
        (first.host.as_str(), second.host.as_str()),
        ("bighost1", "bighost1.corpnet")
    );
    let expected = [
        (
            first,
            [604_173.0, 268_893.0, 543_389.0],
            [98.0, 43.0, 59.0],
            519.2,
            3.0,
        ),
        (
            second,
            [346_595.0, 59_448.0, 132_471.0],
            [94.0, 11.0, 12.0],
            479.4,
            2.0,
        ),
    ];
    for (run, rates, cpus, seeks, seeks_cpu) in expected {
        assert_eq!(run.file_size_bytes, Some(32 << 30));
        assert_eq!(run.chunk_bytes, Some(32 << 10));
        for ((test, value), cpu) in ["put_block", "rewrite", "get_block"]
            .into_iter()
            .zip(rates)
            .zip(cpus)
        {
            assert_eq!(rate(run, test), kib(value, cpu));
            assert_eq!(run.tests[test].unit, RateUnit::BytesPerSecond);
        }
        assert_eq!(
            rate(run, "seeks"),
            (Figure::Measured(seeks), Figure::Measured(seeks_cpu))
        );
        for test in ["put_char", "get_char", "seq_create", "random_delete"] {
            assert_eq!(rate(run, test), (Figure::NotRun, Figure::NotRun));
        }
        assert_eq!(run.files_x1024, None);
    }
}

#[test]
fn b04_versions_differ_in_their_fields() {
    let imported = auto("B04/v198.csv");
    let run = &imported.bonnie[0];
    assert_eq!(run.format_version.as_deref(), Some("1.98"));
    assert_eq!(run.program_version.as_deref(), Some("2.00a"));
    assert_eq!((run.host.as_str(), run.concurrency), ("testhost", Some(1)));
    assert_eq!(run.file_size_bytes, Some(64 << 20));
    assert_eq!((run.seeks, run.seek_processes), (Some(8192), Some(5)));
    assert_eq!(rate(run, "put_char"), kib(1255.0, 97.0));
    assert_eq!(rate(run, "get_char"), kib(2007.0, 97.0));
    let fast = (Figure::TooFast, Figure::TooFast);
    let files = [
        "seq_create",
        "seq_stat",
        "seq_delete",
        "random_create",
        "random_stat",
        "random_delete",
    ];
    for test in ["put_block", "rewrite", "get_block", "seeks"]
        .iter()
        .chain(&files)
    {
        assert_eq!(rate(run, test), fast, "{test}");
    }
    assert_eq!(
        (run.files_x1024, run.files_max_bytes, run.files_min_bytes),
        (Some(1), Some(4096), Some(1024))
    );
    assert_eq!(
        (run.files_directories, run.files_chunk_bytes),
        (None, Some(4))
    );
    let latencies = [
        8682.0, 231.0, 213.0, 6487.0, 119.0, 20_045.0, 198.0, 106.0, 4392.0, 264.0, 197.0, 3490.0,
    ];
    for ((test, _), us) in profiler::import::model::bonnie::TESTS.iter().zip(latencies) {
        near(run.tests[*test].latency_ns, us * 1000.0);
    }

    let imported = auto("B04/v197.csv");
    let run = &imported.bonnie[0];
    assert_eq!(rate(run, "put_char"), kib(786.0, 95.0));
    assert_eq!(rate(run, "put_block"), kib(104_512.0, 18.0));
    assert_eq!(rate(run, "rewrite"), kib(51_201.0, 9.0));
    assert_eq!(rate(run, "get_char"), kib(2105.0, 96.0));
    assert_eq!(rate(run, "get_block"), kib(131_002.0, 11.0));
    assert_eq!(
        rate(run, "seeks"),
        (Figure::Measured(412.7), Figure::Measured(14.0))
    );
    assert_eq!(run.files_x1024, Some(16));
    assert_eq!(
        rate(run, "seq_create"),
        (Figure::Measured(14_211.0), Figure::Measured(52.0))
    );
    near(run.tests["put_char"].latency_ns, 12_421_000.0);
    near(run.tests["put_block"].latency_ns, 1_204_000_000.0);

    let said = try_auto("B04/bad49.csv").unwrap_err().to_string();
    assert!(said.contains("49 fields, expected 48 or 50"), "{said}");
}

#[test]
fn a_table_of_1_03_with_columns_run_into_each_other() {
    let table = "\
Version  1.03       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
bighost1     32G:32k            604173  98 268893  43           543389  59 519.2
  3
";
    let run = of("bonnie-table", table)
        .unwrap()
        .remove(0)
        .bonnie
        .remove(0);
    assert_eq!(run.host, "bighost1");
    assert_eq!(rate(&run, "put_block"), kib(604_173.0, 98.0));
    assert_eq!(rate(&run, "get_block"), kib(543_389.0, 59.0));
    assert_eq!(
        rate(&run, "seeks"),
        (Figure::Measured(519.2), Figure::Measured(3.0))
    );
    assert_eq!(rate(&run, "put_char"), (Figure::NotRun, Figure::NotRun));
    let glued = table
        .replace("           604173  98", " 70512  99604173  98")
        .replace("           543389", " 71000  98543389");
    let run = of("bonnie-table", &glued)
        .unwrap()
        .remove(0)
        .bonnie
        .remove(0);
    assert_eq!(rate(&run, "put_char"), kib(70_512.0, 99.0));
    assert_eq!(rate(&run, "put_block"), kib(604_173.0, 98.0));
    assert_eq!(rate(&run, "get_block"), kib(543_389.0, 59.0));
}

#[test]
fn a_table_of_2_00_has_suffixes_and_latencies() {
    let table = "\
Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
testhost        64M 1255k  97 +++++ +++ +++++ +++ 2007k  97 +++++ +++ +++++ +++
Latency              8682us     231us     213us    6487us     119us   20045us
Version 2.00a       ------Sequential Create------ --------Random Create--------
testhost            -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
files:max:min        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
1:4096:1024         16384  50 +++++ +++ +++++ +++ +++++ +++ +++++ +++ +++++ +++
Latency               198us     106us    4392us     264us     197us    3490us
";
    let run = of("bonnie-table", table)
        .unwrap()
        .remove(0)
        .bonnie
        .remove(0);
    assert_eq!(rate(&run, "put_char"), kib(1255.0, 97.0));
    assert_eq!(rate(&run, "put_block"), (Figure::TooFast, Figure::TooFast));
    assert_eq!(
        rate(&run, "seq_create"),
        (Figure::Measured(16_384.0), Figure::Measured(50.0))
    );
    near(run.tests["seeks"].latency_ns, 20_045_000.0);
    near(run.tests["random_delete"].latency_ns, 3_490_000.0);
    assert_eq!(run.files_max_bytes, Some(4096));
}

#[test]
fn output_for_people_is_named_and_refused() {
    use profiler::import::source::Source;
    let text =
        "db: (g=0): rw=read, bs=8K-8K\n\nRun status group 0 (all jobs):\n   READ: io=1024KB\n";
    let source = Source::new("out.txt", text.as_bytes().to_vec()).unwrap();
    let said = profiler::import::import(None, &[source])
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("output for people") && said.contains("--output-format=json"),
        "{said}"
    );
}

/// Fields as fio 3.33 lays them out, with values made up.
fn terse(head: &str, blocks: &[String]) -> String {
    let depths = "100.0%;0.0%;0.0%;0.0%;0.0%;0.0%;0.0%";
    let latencies = vec!["0.00%"; 22].join(";");
    format!(
        "{head};{};5.000000%;2.000000%;70;0;12;{depths};{latencies}\n",
        blocks.join(";")
    )
}

fn percentiles(us: u32) -> String {
    let used: Vec<_> = (1..=17).map(|n| format!("{n}.000000%={us}")).collect();
    format!("{};0%=0;0%=0;0%=0", used.join(";"))
}

#[test]
fn every_terse_version_has_its_own_places() {
    let bandwidth = "0;0;0.000000%;0.000000;0.000000";
    let zero = format!(
        "0;0;0;0;0;0;0.0;0.0;0;0;0.0;0.0;{};0;0;0.0;0.0;{bandwidth}",
        percentiles(0)
    );
    let read = format!(
        "1024;102400;25600;10;0;0;0.0;0.0;1;411;74.5;53.9;{};2;412;75.0;54.0;{bandwidth}",
        percentiles(88)
    );
    let v4 = terse(
        "4;fio-3.33;job;0;0",
        &[read.clone(), zero.clone(), zero.clone()],
    );
    let samples = ";3;1;2;3.0;4.0;5";
    let v5: Vec<_> = [&read, &zero, &zero]
        .iter()
        .map(|block| format!("{block}{samples}"))
        .collect();
    let v5 = terse("5;fio-3.33;job;0;0", &v5);
    let v2 = terse("2;job;0;0", &[read.clone(), zero.clone(), zero]);
    for (text, format) in [(v2, "terse-2"), (v4, "terse-4"), (v5, "terse-5")] {
        let imported = of("fio-terse", &text).unwrap().remove(0);
        assert_eq!(imported.fio[0].format, format);
        let read = &job(&imported).ops["read"];
        assert_eq!(
            job(&imported).ops.len(),
            1,
            "{format}: the others did nothing"
        );
        assert_eq!(
            (read.io_bytes, read.runtime_ns),
            (Some(1 << 20), Some(10_000_000))
        );
        near(read.iops, 25_600.0);
        near(read.completion.as_ref().unwrap().percentile(17.0), 88_000.0);
        near(read.total.as_ref().unwrap().mean_ns, 75_000.0);
        assert_eq!(job(&imported).context_switches, Some(70));
        assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    }
    // Before version 2: no version, no iops, no total latency.
    let old = format!("1000;102400;10;0;0;0.0;0.0;1;411;74.5;53.9;{bandwidth}");
    let none = format!("0;0;0;0;0;0.0;0.0;0;0;0.0;0.0;{bandwidth}");
    let imported = of("fio-terse", &terse("job;0;0", &[old, none]))
        .unwrap()
        .remove(0);
    let read = &job(&imported).ops["read"];
    assert_eq!(
        (imported.fio[0].format.as_str(), read.io_bytes),
        ("terse-0", Some(1000 * 1024))
    );
    near(read.bandwidth_bytes_per_s, 102_400_000.0);
    near(read.completion.as_ref().unwrap().mean_ns, 74_500.0);
    assert_eq!(read.total, None);
    assert!(imported.notes.is_empty(), "{:?}", imported.notes);
}

#[test]
fn a_bandwidth_that_bytes_and_runtime_do_not_bear_out_is_a_warning() {
    let text = r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "a", "error": 0, "read": {"io_bytes": 1073741824, "io_kbytes": 1048576, "bw_bytes": 137363456, "bw": 134144, "iops": 10, "runtime": 10000, "total_ios": 100, "clat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": -nan, "N": 100}}}]}"#;
    let imported = of("fio-json", text).unwrap().remove(0);
    let warnings = notes(&imported, Level::Warning);
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("131 MiB/s does not agree with bytes / runtime, 102 MiB/s"),
        "{warnings:?}"
    );
    assert_eq!(
        job(&imported).ops["read"]
            .completion
            .as_ref()
            .unwrap()
            .stddev_ns,
        None
    );
}
