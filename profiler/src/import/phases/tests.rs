use super::*;
use crate::capture::Span;

fn event(at_ns: u64, action: Action, rwbs: &str, sector: u64, sectors: u64) -> Event {
    Event {
        at_ns,
        device: "8:0".to_owned(),
        action,
        rwbs: rwbs.to_owned(),
        request: None,
        sector,
        sectors,
        error: false,
        process: None,
    }
}

#[test]
fn a_flush_is_no_data_and_parts_are_one_request() {
    let analysis = analyse(&[
        event(0, Action::Issue, "W", 64, 64),
        event(10, Action::Issue, "FF", 0, 0),
        event(2_000, Action::Complete, "W", 64, 32),
        event(4_000, Action::Complete, "W", 96, 32),
        event(9_000, Action::Complete, "FF", 0, 0),
    ]);
    let ops = &analysis.devices["8:0"].ops;
    assert_eq!(ops[&Op::Write].completed, 1);
    assert_eq!(ops[&Op::Write].bytes, 32_768);
    assert_eq!(ops[&Op::Write].spans[&Span::Device].sum, 4_000);
    assert_eq!(ops[&Op::Flush].spans[&Span::Device].sum, 8_990);
    assert_eq!(ops[&Op::Flush].size_bytes, None);
    assert_eq!(analysis.in_flight, 0);
}

#[test]
fn a_stacked_device_has_the_time_of_its_bios_only() {
    let analysis = analyse(&[
        event(0, Action::Queue, "R", 8, 8),
        event(700, Action::Complete, "R", 8, 8),
    ]);
    let read = &analysis.devices["8:0"].ops[&Op::Read];
    assert_eq!((read.issued, read.completed, read.unmatched), (1, 1, 0));
    assert_eq!(read.spans[&Span::Bio].sum, 700);
    assert!(!read.spans.contains_key(&Span::Device));
}

#[test]
fn a_lost_end_is_counted_when_the_place_is_issued_again() {
    let analysis = analyse(&[
        event(0, Action::Issue, "R", 8, 8),
        event(100, Action::Issue, "R", 8, 8),
        event(300, Action::Complete, "R", 8, 8),
    ]);
    let read = &analysis.devices["8:0"].ops[&Op::Read];
    assert_eq!((read.end_unseen, read.completed), (1, 1));
    assert_eq!(read.spans[&Span::Device].sum, 200);
}
