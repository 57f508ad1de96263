//! The laws of merging.

use super::*;
use crate::capture::arbitrary::{any_op, any_slices, small};
use proptest::prelude::*;

fn merged(slices: &[&Slice]) -> Slice {
    let mut all = Slice::default();
    slices.iter().for_each(|slice| all.merge(slice));
    all
}

/// Weighted means are equal to rounding, everything else exactly.
fn same(a: &Slice, b: &Slice) -> bool {
    let shares = |slice: &Slice| {
        let system = slice.system.clone().unwrap_or_default();
        [system.pressure_io_some, system.cpu_busy]
    };
    let plain = |slice: &Slice| {
        let mut slice = slice.clone();
        if let Some(system) = &mut slice.system {
            system.pressure_io_some = None;
            system.cpu_busy = None;
        }
        slice
    };
    let close = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-12,
        (a, b) => a == b,
    };
    plain(a) == plain(b) && shares(a).into_iter().zip(shares(b)).all(close)
}

#[test]
fn the_total_of_two_slices_is_what_was_counted() {
    let total = small().total();
    assert_eq!((total.at_ns, total.length_ns), (0, 2_000_000_000));
    let read = &total.devices["8:0"].ops[&crate::capture::Op::Read];
    assert_eq!((read.completed, read.bytes), (3, 12_288));
    let device = &read.spans[&crate::capture::Span::Device];
    assert_eq!((device.n(), device.sum), (3, 600_000));
    assert_eq!(total.devices["8:0"].in_flight_end, Some(0));
    assert_eq!(total.system.unwrap().cpu_busy, Some(0.25));
}

#[test]
fn a_share_counts_for_the_time_it_was_measured_in() {
    let part = |length_ns, cpu_busy| Slice {
        length_ns,
        system: Some(SystemSlice {
            cpu_busy,
            ..SystemSlice::default()
        }),
        ..Slice::default()
    };
    let all = merged(&[&part(1, Some(1.0)), &part(4, None), &part(3, Some(0.0))]);
    let system = all.system.unwrap();
    // One of the four nanoseconds in which it was measured.
    assert_eq!(system.cpu_busy, Some(0.25));
    assert_eq!(system.measured_ns["cpu_busy"], 4);
    assert_eq!(all.length_ns, 8);
}

#[test]
fn requests_in_flight_are_those_of_the_latest_stretch_that_knows() {
    let part = |at_ns, in_flight_end| Slice {
        at_ns,
        length_ns: 10,
        devices: BTreeMap::from([(
            "8:0".to_owned(),
            DeviceSlice {
                in_flight_end,
                ..DeviceSlice::default()
            },
        )]),
        ..Slice::default()
    };
    let (a, b, c) = (part(0, Some(1)), part(10, Some(7)), part(20, None));
    for order in [[&a, &b, &c], [&c, &b, &a], [&a, &c, &b], [&b, &c, &a]] {
        let device = merged(&order).devices.remove("8:0").unwrap();
        assert_eq!(device.in_flight_end, Some(7));
        assert_eq!(device.in_flight_end_at_ns, Some(20));
    }
}

proptest! {
    #[test]
    fn order_and_grouping_do_not_matter(slices in any_slices(6), swap in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        let all: Vec<&Slice> = slices.iter().collect();
        let whole = merged(&all);
        let mut shuffled = all.clone();
        shuffled.reverse();
        if !all.is_empty() {
            shuffled.rotate_left(swap.index(all.len()));
        }
        prop_assert!(same(&merged(&shuffled), &whole));
        let (left, right) = shuffled.split_at(cut.index(all.len() + 1));
        let mut grouped = merged(left);
        grouped.merge(&merged(right));
        prop_assert!(same(&grouped, &whole), "{:#?} is not {:#?}", grouped, whole);
    }

    #[test]
    fn the_empty_slice_changes_nothing(slices in any_slices(1)) {
        for slice in &slices {
            prop_assert_eq!(&merged(&[slice]), slice);
            let mut with_empty = slice.clone();
            with_empty.merge(&Slice::default());
            prop_assert_eq!(&with_empty, slice);
        }
    }

    #[test]
    fn all_ops_hold_what_each_holds(a in any_op(), b in any_op()) {
        let mut device = DeviceSlice::default();
        device.ops.insert(crate::capture::Op::Read, a.clone());
        device.ops.insert(crate::capture::Op::Write, b.clone());
        let all = device.all_ops();
        prop_assert_eq!(all.completed, a.completed + b.completed);
        prop_assert_eq!(all.merges.back, a.merges.back + b.merges.back);
        prop_assert_eq!(all.flags.fua, a.flags.fua + b.flags.fua);
    }
}
