//! What docs/formats.md says about histograms is so.

use profiler::capture::Histogram;
use profiler_ebpf::bucket::{LATENCY, SCALES};

const FORMATS: &str = include_str!("../../docs/formats.md");

#[test]
fn the_example_is_the_histogram_that_the_text_speaks_of() {
    let example = FORMATS.lines().find(|l| l.starts_with("{\"scale\":"));
    let example: Histogram = serde_json::from_str(example.unwrap()).unwrap();
    let mut counted = Histogram::new(&LATENCY);
    for ns in [100_000, 200_000, 300_000] {
        counted.add(ns);
    }
    assert_eq!(example, counted);
    let bounds = (LATENCY.floor(545), LATENCY.ceiling(545));
    assert_eq!(bounds, (198_656, Some(200_704)));
}

#[test]
fn the_table_has_every_scale_with_its_numbers() {
    for scale in SCALES {
        let row = format!(
            "| `{}` | {} | {} | {} | {} |",
            scale.name,
            scale.unit_shift,
            scale.sub_bits,
            scale.max_bits,
            scale.buckets()
        );
        assert!(FORMATS.contains(&row), "{row}");
    }
}

#[test]
fn the_formula_gives_the_floor_of_every_bucket() {
    for scale in SCALES {
        let sub = 1u64 << scale.sub_bits;
        for i in 0..scale.buckets() as u64 {
            let units = match i < sub {
                true => i,
                false => (sub + i % sub) << (i / sub - 1),
            };
            assert_eq!(scale.floor(i as usize), units << scale.unit_shift);
        }
    }
}
