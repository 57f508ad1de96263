//! T cases (iostat, traces, histograms, counters) and E cases (events).

use super::{auto, near, notes, of};
use profiler::capture::{Op, Span};
use profiler::import::model::histograms::{Bounds, Bucket};
use profiler::import::model::iostat::IostatDevice;
use profiler::import::model::{Imported, Level};
use profiler::import::source::Source;

const MS: f64 = 1e6;
const KIB: f64 = 1024.0;

fn sda(imported: &Imported, report: usize) -> &IostatDevice {
    &imported.iostat[report].devices[0]
}

#[test]
fn t01_columns_go_by_their_names() {
    let v9 = auto("T01/v9.txt");
    let device = sda(&v9, 0);
    assert_eq!(
        (device.reads_per_s, device.writes_per_s),
        (Some(0.12), Some(0.41))
    );
    near(device.await_ns, 18.98 * MS);
    assert_eq!((device.read_await_ns, device.write_await_ns), (None, None));
    near(device.request_bytes, 37.59 * 512.0);
    near(device.read_bytes_per_s, 3.38 * 512.0);
    assert_eq!(
        (device.queue_depth, device.util_percent),
        (Some(0.01), Some(0.17))
    );
    assert_eq!(
        (device.reads_merged_per_s, device.writes_merged_per_s),
        (Some(0.04), Some(0.22))
    );

    let v10 = auto("T01/v10.txt");
    let device = sda(&v10, 0);
    near(device.read_await_ns, 7.70 * MS);
    near(device.write_await_ns, 22.18 * MS);
    near(device.await_ns, 18.98 * MS);
    near(device.request_bytes, 37.59 * 512.0);
    assert_eq!(
        (device.queue_depth, device.util_percent),
        (Some(0.01), Some(0.17))
    );
    assert!(
        notes(&v10, Level::Info)
            .iter()
            .any(|note| note.contains("svctm"))
    );

    let v11 = auto("T01/v11.txt");
    let device = sda(&v11, 0);
    assert_eq!(
        (device.reads_per_s, device.writes_per_s),
        (Some(5.81), Some(84.0))
    );
    near(device.read_await_ns, 1.5 * MS);
    near(device.write_await_ns, 5.61 * MS);
    near(device.read_request_bytes, 26.8 * KIB);
    near(device.write_request_bytes, 10.4 * KIB);
    near(device.read_bytes_per_s, 0.15 * KIB * KIB);
    assert_eq!(
        (device.queue_depth, device.util_percent),
        (Some(0.52), Some(8.37))
    );

    let v12 = auto("T01/v12.txt");
    let device = sda(&v12, 0);
    assert_eq!(
        (device.reads_per_s, device.writes_per_s),
        (Some(1283.42), Some(181.95))
    );
    near(device.read_await_ns, 0.41 * MS);
    near(device.write_await_ns, 0.88 * MS);
    near(device.discard_await_ns, 0.55 * MS);
    near(device.flush_await_ns, 0.04 * MS);
    near(device.read_request_bytes, 6.89 * KIB);
    near(device.write_request_bytes, 61.63 * KIB);
    assert_eq!(
        (device.queue_depth, device.util_percent),
        (Some(0.69), Some(4.56))
    );
}

/// The first report is the average since boot (T04).
#[test]
fn t01_the_first_report_is_since_boot() {
    let two = auto("T01/v11.txt");
    let since: Vec<_> = two.iostat.iter().map(|report| report.since_boot).collect();
    assert_eq!(since, [true, false]);
    assert_eq!(
        two.iostat[1].time.as_deref(),
        Some("09/24/2021 11:45:20 AM")
    );
    assert_eq!(two.iostat[0].cpu_percent["iowait"], 0.25);
    let one = auto("T01/v12.txt");
    assert!(one.iostat[0].since_boot);
    assert!(notes(&one, Level::Info)[0].contains("since boot"));
}

#[test]
fn iostat_of_other_places_has_commas_and_other_words() {
    let text = "Linux 3.10.0 (h) \t20.02.2015 \t_x86_64_\t(2 CPU)\n\nGerät            r/s     w/s     rkB/s     wkB/s  r_await w_await aqu-sz  %util\nsda              0,12   84,00      1,69      8,24     0,50    5,61   0,52   8,37\n";
    let imported = of("iostat", text).unwrap().remove(0);
    let device = sda(&imported, 0);
    assert_eq!(
        (device.reads_per_s, device.writes_per_s),
        (Some(0.12), Some(84.0))
    );
    near(device.write_await_ns, 5.61 * MS);
}

#[test]
fn iostat_without_x_and_for_people() {
    let basic = "Device:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda               1.50        10.00        20.00       1000       2000\n";
    let imported = of("iostat", basic).unwrap().remove(0);
    let device = sda(&imported, 0);
    assert_eq!(device.transfers_per_s, Some(1.5));
    near(device.read_bytes_per_s, 10_240.0);
    near(device.write_bytes, 2_048_000.0);
    let human = "     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n    0.00      0.0k     0.00   0.0%    0.00     0.0k sdb\n   12.00      1.5M     0.00   0.0%    0.40    12.3k nvme0n1\n";
    let human = human.to_owned()
        + "\n     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device\n    2.00      8.0k     0.00   0.0%    0.10     4.0k sdb\n    0.00      0.0k     0.00   0.0%    0.00     0.0k nvme0n1\n\n     f/s f_await  aqu-sz  %util Device\n    0.00    0.00    0.00   0.3% sdb\n    1.00    0.20    0.01   4.6% nvme0n1\n";
    let imported = of("iostat", &human).unwrap().remove(0);
    assert_eq!(imported.iostat.len(), 1, "one report in three tables");
    let devices = &imported.iostat[0].devices;
    assert_eq!(devices[0].name, "sdb");
    assert_eq!(devices[0].read_await_ns, None, "no read, no latency");
    near(devices[1].read_bytes_per_s, 1.5 * KIB * KIB);
    near(devices[1].read_request_bytes, 12.3 * KIB);
    near(devices[0].write_await_ns, 0.1 * MS);
    assert_eq!(devices[1].util_percent, Some(4.6));
    assert_eq!(devices[0].flush_await_ns, None);
}

#[test]
fn vmstat_marks_its_first_line() {
    let text = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  0      0 100000  20000 300000    0    0    10    20  100  200  5  1 93  1  0\n 0  2      0  90000  20000 300000    0    4   512  1024  300  400 10  2 60 28  0\n";
    let imported = of("vmstat", text).unwrap().remove(0);
    let [first, second] = &imported.vmstat[..] else {
        panic!()
    };
    assert!(first.since_boot && !second.since_boot);
    assert_eq!((second.blocked, second.iowait_percent), (Some(2), Some(28)));
    assert_eq!(second.write_bytes_per_s, Some(1024 * 1024));
    assert_eq!(second.swap_out_bytes_per_s, Some(4096));
}

#[test]
fn t05_merges_splits_requeues_and_flushes() {
    let imported = auto("T05/mixed.txt");
    let events = imported.events.as_ref().unwrap();
    let device = &events.devices["8:16"];
    let write = &device.ops[&Op::Write];
    let read = &device.ops[&Op::Read];
    let flush = &device.ops[&Op::Flush];
    assert_eq!(write.completed - write.unmatched, 2);
    assert_eq!(read.completed - read.unmatched, 2);
    assert_eq!(
        (flush.completed, flush.bytes, &flush.size_bytes),
        (1, 0, &None)
    );
    assert_eq!(events.incomplete, 1);
    assert_eq!((events.clock_anomalies, events.in_flight), (0, 0));
    let of = |sector: u64| {
        let mut found = events.slowest.iter().filter(|r| r.sector == Some(sector));
        found.next().unwrap()
    };
    // The merged write, once.
    assert_eq!((of(4096).device_ns, of(4096).bytes), (1_000_000, 12_288));
    assert_eq!(write.merges.back, 1);
    // The two halves of the read.
    assert_eq!((of(8192).device_ns, of(8320).device_ns), (500_000, 700_000));
    assert_eq!(events.splits, 1);
    // Requeued: from the last issue, and from the first.
    assert_eq!(
        (of(20_480).device_ns, of(20_480).since_first_issue_ns),
        (2_000_000, 3_000_000)
    );
    assert_eq!((of(20_480).requeues, write.requeued), (1, 1));
    assert_eq!(flush.spans[&Span::Device].sum, 9_800_000);
    // Bios: 1.210 and 1.110 ms of the merged pair, 0.9 ms of the cut one, 3.1 ms of the last.
    assert_eq!(
        write.spans[&Span::Bio].sum,
        1_210_000 + 1_110_000 + 3_100_000
    );
    assert_eq!(read.spans[&Span::Bio].sum, 900_000);
    let q2c = &events.phases["8:16"]["q2c"];
    assert_eq!((q2c.n, q2c.min_ns, q2c.max_ns), (4, 900_000, 3_100_000));
    let d2c = &events.phases["8:16"]["d2c"];
    assert_eq!((d2c.n, d2c.min_ns, d2c.max_ns), (5, 500_000, 9_800_000));
    // The remap is a view of the same bio.
    assert_eq!(events.remaps, 1);
    assert_eq!(device.queue.as_ref().unwrap().bios_queued, Some(4));
    let process = of(8192).process.as_deref();
    assert_eq!(process, Some("pg dump"), "names may have spaces");
}

#[test]
fn perf_script_gives_what_blkparse_gives() {
    let text = "\
fio  4001 [000]  100.000000000: block:block_bio_queue: 8,16 W 4096 + 16 [fio]
fio  4001 [000]  100.000010000: block:block_getrq: 8,16 W 4096 + 16 [fio]
fio  4001 [000]  100.000210000: block:block_rq_issue: 8,16 W 8192 () 4096 + 16 none,0,0 [fio]
swapper 0 [001]  100.001210000: block:block_rq_complete: 8,16 W () 4096 + 16 none,0,0 [0]
";
    let imported = of("perf-script", text).unwrap().remove(0);
    let write = &imported.events.as_ref().unwrap().devices["8:16"].ops[&Op::Write];
    assert_eq!(write.spans[&Span::Device].sum, 1_000_000);
    assert_eq!(write.spans[&Span::Queue].sum, 200_000);
    assert_eq!(write.spans[&Span::Bio].sum, 1_210_000);
}

fn bucket(low: i64, high: i64, count: u64) -> Bucket {
    Bucket {
        low: Some(low),
        high: Some(high),
        count,
    }
}

fn bounds(low: i64, high: i64) -> Option<Bounds> {
    Some(Bounds {
        low: Some(low),
        high: Some(high),
    })
}

#[test]
fn t08_histograms_are_ranges() {
    let imported = auto("T08/bpftrace.txt");
    let [b, l, us] = &imported.histograms[..] else {
        panic!()
    };
    assert_eq!(
        (b.title.as_deref(), b.unit.as_deref(), b.total),
        (Some("@b"), None, 111_837)
    );
    assert_eq!(
        b.buckets[..2],
        [bucket(0, 0, 64), bucket(4096, 8191, 111_148)]
    );
    assert_eq!(b.p50, bounds(4096, 8191));
    assert_eq!(l.buckets[2].high, None, "open above");
    assert_eq!((l.buckets[2].low, l.buckets[2].count), (Some(64), 14));
    assert_eq!(
        (us.key.as_deref(), us.unit.as_deref()),
        (Some("nvme0n1, R"), Some("us"))
    );
    assert!(us.unit_is_assumed);
    assert!(
        notes(&imported, Level::Warning)
            .iter()
            .any(|note| note.contains("assumed"))
    );

    let imported = auto("T08/bcc.txt");
    let [bcc] = &imported.histograms[..] else {
        panic!()
    };
    assert_eq!(
        (bcc.unit.as_deref(), bcc.unit_is_assumed, bcc.total),
        (Some("us"), false, 28)
    );
    assert_eq!(bcc.title.as_deref(), Some("disk = 'sdb'"));
    assert_eq!((bcc.p50, bcc.p99), (bounds(128, 255), bounds(256, 511)));

    let imported = auto("T08/bcc-huge.txt");
    let [huge] = &imported.histograms[..] else {
        panic!()
    };
    assert_eq!((huge.total, huge.p999), (6, bounds(2, 3)));
    assert_eq!(huge.impossible[0].count, 1);
    assert!(notes(&imported, Level::Warning)[0].contains("1 impossible value"));
}

#[test]
fn t10_only_whole_disks_are_summed() {
    let imported = auto("T10/diskstats.txt");
    let stats = imported.diskstats.as_ref().unwrap();
    let devices = &stats.snapshots[0].devices;
    let device = |name: &str| devices.iter().find(|d| d.name == name).unwrap();
    assert_eq!(devices.len(), 8);
    let physical = stats.physical.as_ref().unwrap();
    assert_eq!(physical.reads, 623_374);
    assert_eq!(physical.writes, 5_680_950 + 2000 + 2000);
    assert_eq!(device("sda1").partition_of.as_deref(), Some("sda"));
    assert_eq!(device("nvme0n1p1").partition_of.as_deref(), Some("nvme0n1"));
    assert_eq!(device("nvme0n1").partition_of, None);
    assert!(device("md0").stacked && device("dm-0").stacked && device("loop0").stacked);
    assert_eq!(device("nvme0n1").read_bytes, 8000 * 512);
    assert_eq!(
        (
            device("nvme0n1").flushes,
            device("sda").flushes,
            device("dm-0").discards
        ),
        (Some(10), None, None)
    );
    assert_eq!(
        (device("sda").discards, device("sda").discard_bytes),
        (Some(0), Some(0))
    );
    assert_eq!(
        (device("sda").in_flight, device("sda1").in_flight),
        (Some(0), None)
    );
}

#[test]
fn t18_what_holds_nothing_is_refused() {
    let long = Source::new("long", "x".repeat(1 << 20).into_bytes()).unwrap();
    assert!(profiler::import::import(None, std::slice::from_ref(&long)).is_err());
    for kind in profiler::import::kinds::ALL {
        for name in ["empty.txt", "utf16.txt", "nul.txt"] {
            let source = Source::open(&super::path(&format!("T18/{name}")));
            assert!(source.is_err(), "{name}");
        }
        let header = Source::open(&super::path("T18/header-only.txt")).unwrap();
        let said = profiler::import::import(Some(*kind), &[header])
            .unwrap_err()
            .to_string();
        let is_own = kind.name() == "iostat";
        let expected = if is_own {
            "holds no data"
        } else {
            "like iostat"
        };
        assert!(said.contains(expected), "{}: {said}", kind.name());
        let mut into = Imported::default();
        assert!(kind.read(&long, &mut into).is_err(), "{}", kind.name());
    }
    let said = super::try_auto("T18/utf16.txt").unwrap_err().to_string();
    assert!(said.contains("UTF-16"), "{said}");
}

#[test]
fn e01_an_end_before_its_beginning_is_an_anomaly() {
    let imported = auto("E01/events.txt");
    let events = imported.events.as_ref().unwrap();
    let device = &events.devices["8:0"].ops[&Op::Read].spans[&Span::Device];
    assert_eq!((device.n(), device.sum), (2, 650_000));
    assert_eq!(events.phases["8:0"]["d2c"].max_ns, 400_000);
    assert_eq!(events.clock_anomalies, 1);
    assert!(notes(&imported, Level::Warning)[0].contains("1 clock anomalies"));
}

#[test]
fn e02_parts_make_one_request() {
    let imported = auto("E02/events.txt");
    let write = &imported.events.as_ref().unwrap().devices["8:0"].ops[&Op::Write];
    assert_eq!((write.completed, write.bytes), (1, 32_768));
    assert_eq!(
        (
            write.spans[&Span::Device].n(),
            write.spans[&Span::Device].sum
        ),
        (1, 4_000_000)
    );
}

#[test]
fn e05_flushes_are_a_class_of_their_own() {
    let imported = auto("E05/events.txt");
    let ops = &imported.events.as_ref().unwrap().devices["8:16"].ops;
    assert_eq!(ops[&Op::Write].spans[&Span::Device].sum, 200_000);
    assert_eq!(ops[&Op::Flush].spans[&Span::Device].sum, 9_800_000);
    assert_eq!(
        (ops[&Op::Flush].bytes, &ops[&Op::Flush].size_bytes),
        (0, &None)
    );
    assert_eq!(ops[&Op::Write].size_bytes.as_ref().unwrap().sum, 512);
    assert_eq!(ops[&Op::Flush].flags.fua, 1);
}
