//! What two captures make together.

use super::*;
use crate::capture::arbitrary::{SLICE_NS, any_slices, small};
use proptest::prelude::*;

/// A capture of `slices`, started `seconds` after the small one.
fn part(slices: Vec<Slice>, seconds: u64) -> Capture {
    let mut capture = small();
    let (minutes, seconds_left) = (seconds / 60, seconds % 60);
    let (hour, minute) = (12 + minutes / 60, minutes % 60);
    capture.meta.started = format!("2026-03-01T{hour:02}:{minute:02}:{seconds_left:02}Z");
    capture.meta.started_monotonic_ns += seconds * SLICE_NS;
    capture.meta.window_ns = slices.len() as u64 * SLICE_NS;
    capture.slices = slices;
    capture
}

fn said(a: &Capture, b: &Capture) -> String {
    Capture::merge(a, b, false).unwrap_err().to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_capture_cut_in_two_is_put_together_again(slices in any_slices(6), cut in any::<prop::sample::Index>()) {
        let whole = part(slices.clone(), 0);
        let cut = cut.index(slices.len() + 1).max(1);
        let (left, right) = slices.split_at(cut.min(slices.len()));
        let mut right = right.to_vec();
        for slice in &mut right {
            let calls = slice.syncs.values_mut().flat_map(|sync| &mut sync.slowest);
            let times = calls.map(|call| &mut call.at_ns).chain([&mut slice.at_ns]);
            times.for_each(|at_ns| *at_ns -= cut as u64 * SLICE_NS);
        }
        let (a, b) = (part(left.to_vec(), 0), part(right, cut as u64));
        let merged = Capture::merge(&b, &a, false).unwrap();
        prop_assert_eq!(&merged.slices, &whole.slices);
        prop_assert_eq!(merged.total().devices, whole.total().devices);
        prop_assert_eq!(merged.check(), Ok(()));
        let parts = merged.meta.extra["merged"].as_array().map(Vec::len);
        prop_assert_eq!(parts, Some(2));
    }
}

#[test]
fn a_gap_stays_a_gap() {
    let (a, b) = (small(), part(small().slices, 3600));
    // A clock that was not set in between, but another boot: only the wall clock tells.
    let mut b_after_boot = b.clone();
    b_after_boot.meta.started_monotonic_ns = 1;
    for b in [b, b_after_boot] {
        let merged = Capture::merge(&a, &b, false).unwrap();
        let starts: Vec<u64> = merged.slices.iter().map(|s| s.at_ns / SLICE_NS).collect();
        assert_eq!(starts, [0, 1, 3600, 3601]);
        assert_eq!(merged.meta.window_ns, 3602 * SLICE_NS);
        // Four seconds were observed, and rates must be those of the four.
        assert_eq!(merged.total().length_ns, 4 * SLICE_NS);
    }
}

#[test]
fn different_hosts_and_the_same_time_are_refused() {
    let (a, mut b) = (small(), part(small().slices, 60));
    b.host.id = Some("77aa".to_owned());
    b.host.hostname = Some("db2".to_owned());
    assert_eq!(
        said(&a, &b),
        "the captures are of different hosts, db1 and db2"
    );
    assert!(Capture::merge(&a, &b, true).is_ok());
    let said = said(&a, &small());
    assert!(said.starts_with("the captures overlap"), "{said}");
}

#[test]
fn devices_are_followed_to_their_new_number() {
    let (a, mut b) = (small(), part(small().slices, 60));
    b.host.devices[0].number = "8:16".to_owned();
    for slice in &mut b.slices {
        let device = slice.devices.remove("8:0").unwrap();
        slice.devices.insert("8:16".to_owned(), device);
    }
    let merged = Capture::merge(&a, &b, false).unwrap();
    let total = merged.total();
    assert_eq!(total.devices.keys().collect::<Vec<_>>(), ["8:0"]);
    assert_eq!(total.devices["8:0"].all_ops().completed, 6);
    assert_eq!(merged.host.devices[0].number, "8:0");
    b.host.devices[0].number = "253:0".to_owned();
    b.host.devices[0].id = Some("wwid.other".to_owned());
    b.host.devices.truncate(1);
    let refused = said(&a, &b);
    assert_eq!(
        refused,
        "device 253:0 is dm-0 in one capture and sda in the other; they cannot be merged"
    );
}

#[test]
fn probes_say_when_they_measured_a_part_only() {
    let (a, mut b) = (small(), part(small().slices, 60));
    b.probes[0].state = ProbeState::Shed;
    b.probes[0].reason = Some("cost 3 % of a CPU".to_owned());
    let probes = Capture::merge(&a, &b, false).unwrap().probes;
    assert_eq!(probes[0].state, ProbeState::Partial);
    let reason = "in one of the merged captures only: cost 3 % of a CPU";
    assert_eq!(probes[0].reason.as_deref(), Some(reason));
    assert_eq!(probes[1], a.probes[1]);
}

#[test]
fn losses_add_up_and_costs_are_weighted() {
    let (mut a, mut b) = (small(), part(small().slices, 60));
    a.losses.unknown_tag = 2;
    b.losses.unknown_tag = 3;
    let program = |runs| ProgramCost { runs, time_ns: 1 };
    a.own_cost.programs.insert("p".to_owned(), program(30));
    b.own_cost.programs.insert("p".to_owned(), program(10));
    a.own_cost.ns_per_event = Some(100.0);
    b.own_cost.ns_per_event = Some(200.0);
    let merged = Capture::merge(&a, &b, false).unwrap();
    assert_eq!(merged.losses.unknown_tag, 5);
    // 30 runs of 100 ns and 10 of 200 ns.
    assert_eq!(merged.own_cost.ns_per_event, Some(125.0));
    assert_eq!(merged.own_cost.programs["p"].runs, 40);
}
