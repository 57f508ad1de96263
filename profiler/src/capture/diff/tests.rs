//! What a comparison says.

use super::*;
use crate::capture::arbitrary::{any_capture, histogram, small};
use crate::capture::{Op, Span};
use profiler_ebpf::bucket::LATENCY;
use proptest::prelude::*;

fn group<'a>(diff: &'a Diff, name: &str, part: &str) -> &'a Group {
    let mut groups = diff.groups.iter();
    let group = groups.find(|g| g.name == name && g.part == part);
    group.unwrap()
}

/// The small capture with `n` reads of `latency_ns` in its first second.
fn with_reads(n: usize, latency_ns: u64) -> Capture {
    let mut capture = small();
    capture.slices.truncate(1);
    let device = capture.slices[0].devices.get_mut("8:0").unwrap();
    let read = device.ops.get_mut(&Op::Read).unwrap();
    read.completed = n as u64;
    read.issued = n as u64;
    let values = vec![latency_ns; n];
    read.spans
        .insert(Span::Device, histogram(&LATENCY, &values));
    capture
}

#[test]
fn counts_and_rates_stand_side_by_side() {
    let diff = diff(&small(), &with_reads(10, 500_000));
    let read = group(&diff, "sda", "read");
    assert_eq!(read.only_in, None);
    let completed = &read.counts[0];
    assert_eq!(completed.metric, "completed");
    assert_eq!((completed.n.a, completed.n.b), (Some(3), Some(10)));
    // Three in two seconds, ten in one.
    let rates = (completed.per_second.a, completed.per_second.b);
    assert_eq!(rates, (Some(1.5), Some(10.0)));
    let device = &read.distributions[0];
    assert_eq!((device.n.a, device.n.b), (Some(3), Some(10)));
    assert_eq!(device.mean.a, Some(200_000.0));
}

#[test]
fn quantiles_differ_when_their_intervals_lie_apart() {
    let p50 = |a: &Capture, b: &Capture| {
        let diff = diff(a, b);
        group(&diff, "sda", "read").distributions[0].p50
    };
    let (fast, slow) = (with_reads(100, 100_000), with_reads(100, 200_000));
    assert_eq!(p50(&fast, &slow).differs, Some(true));
    // 100,000 and 100,100 ns share a bucket of 1,024 ns.
    let same = with_reads(100, 100_100);
    assert_eq!(p50(&fast, &same).differs, Some(false));
    // Three values say next to nothing about a median.
    let few = with_reads(3, 200_000);
    assert_eq!(p50(&fast, &few).differs, Some(false));
    let spread = small();
    assert_eq!(p50(&spread, &with_reads(100, 250_000)).differs, Some(false));
}

#[test]
fn an_idle_device_has_counted_nothing_and_an_unknown_one_was_not_counted() {
    let (a, mut b) = (small(), small());
    b.slices.iter_mut().for_each(|s| s.devices.clear());
    let idle = diff(&a, &b);
    let completed = &group(&idle, "sda", "read").counts[0];
    assert_eq!((completed.n.a, completed.n.b), (Some(3), Some(0)));
    b.host.devices.clear();
    let gone = diff(&a, &b);
    let read = group(&gone, "sda", "read");
    assert_eq!(read.only_in, Some(Which::A));
    assert_eq!(read.counts[0].n.b, None);
}

#[test]
fn a_device_is_followed_by_its_id() {
    let (a, mut b) = (small(), small());
    b.host.devices[0].name = "sdb".to_owned();
    b.host.devices[0].number = "8:16".to_owned();
    for slice in &mut b.slices {
        let device = slice.devices.remove("8:0").unwrap();
        slice.devices.insert("8:16".to_owned(), device);
    }
    let diff = diff(&a, &b);
    assert_eq!(diff.groups.len(), 1);
    let completed = &group(&diff, "sda", "read").counts[0];
    assert_eq!((completed.n.a, completed.n.b), (Some(3), Some(3)));
}

#[test]
fn probes_in_another_state_are_listed() {
    let (a, mut b) = (small(), small());
    b.probes[1].state = ProbeState::Ok;
    let diff = diff(&a, &b);
    assert_eq!(diff.probes.len(), 1);
    assert_eq!(diff.probes[0].id, "journal");
    let state = diff.probes[0].state;
    assert_eq!(
        (state.a, state.b),
        (Some(ProbeState::Unavailable), Some(ProbeState::Ok))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_capture_does_not_differ_from_itself(capture in any_capture()) {
        let diff = diff(&capture, &capture);
        prop_assert!(diff.same_host);
        prop_assert!(diff.configuration.is_empty() && diff.probes.is_empty());
        for group in &diff.groups {
            prop_assert_eq!(group.only_in, None);
            for count in &group.counts {
                prop_assert_eq!(count.n.a, count.n.b);
            }
            for distribution in &group.distributions {
                prop_assert_ne!(distribution.p50.differs, Some(true));
                prop_assert_ne!(distribution.p99.differs, Some(true));
            }
        }
        serde_json::to_string(&diff).unwrap();
    }
}
