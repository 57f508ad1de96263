//! What must hold for every format and every capture.

use super::*;
use crate::capture::{ProbeState, Slice, arbitrary};
use proptest::prelude::*;
use rules::finding::Verdict;
use std::collections::BTreeSet;

fn written(format: &dyn Format, report: &Report) -> Result<String> {
    let mut out = Vec::new();
    format.write(report, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

/// A report that does not depend on what the rules say of a made-up host.
fn unjudged(capture: Capture) -> Report {
    let verdict = Verdict {
        kind: "cannot-tell".into(),
        text: "No rule was asked.".into(),
    };
    let findings = Vec::new();
    Report::new(capture, Judgement { findings, verdict })
}

/// The formats that show a capture whatever it holds; the others need stacks.
fn for_any_capture() -> impl Iterator<Item = &'static dyn Format> {
    let needs_stacks = |format: &&dyn Format| !["folded", "svg"].contains(&format.name());
    ALL.iter().copied().filter(needs_stacks)
}

#[test]
fn every_file_in_the_folder_is_a_format_of_the_list() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()))
        .filter(|name| name != "tests")
        .collect();
    let listed: BTreeSet<String> = ALL.iter().map(|f| f.name().to_owned()).collect();
    assert_eq!(files, listed);
    let endings: BTreeSet<&str> = ALL.iter().map(|format| format.extension()).collect();
    assert_eq!(endings.len(), ALL.len(), "two formats share an ending");
}

#[test]
fn an_empty_capture_says_that_nothing_was_recorded() {
    let mut capture = arbitrary::small();
    capture.slices.clear();
    capture.probes.clear();
    capture.meta.window_ns = 0;
    let report = unjudged(capture);
    for format in for_any_capture().filter(|format| format.name() != "json") {
        let text = written(format, &report).unwrap();
        assert!(
            text.contains("nothing recorded"),
            "{}: {text}",
            format.name()
        );
    }
    let json = json::shape::ReportJson::new(&report);
    assert!(json.devices.is_empty() && json.journals.is_empty());
    assert_eq!(
        json.journals_reason.as_deref(),
        Some("this capture was made without the journal probe")
    );
}

#[test]
fn a_capture_without_requests_has_zeros_and_no_quantiles() {
    let mut capture = arbitrary::small();
    for device in capture
        .slices
        .iter_mut()
        .flat_map(|s| s.devices.values_mut())
    {
        device
            .ops
            .values_mut()
            .for_each(|op| *op = Default::default());
    }
    let report = unjudged(capture);
    let json = json::shape::ReportJson::new(&report);
    let op = json.devices[0].ops.values().next().unwrap();
    assert_eq!((op.completed, op.per_second), (0, Some(0.0)));
    assert_eq!(op.spans.device.p50_ns, None);
    assert!(op.spans.device.reason.is_some());
    for format in for_any_capture() {
        written(format, &report).unwrap();
    }
}

#[test]
fn a_capture_of_unavailable_probes_gives_their_reasons() {
    let mut capture = arbitrary::small();
    capture.slices = vec![Slice {
        length_ns: 1_000_000_000,
        ..Slice::default()
    }];
    for probe in &mut capture.probes {
        probe.state = ProbeState::Unavailable;
        probe.reason = Some("CAP_BPF is missing".into());
    }
    let report = unjudged(capture);
    for format in for_any_capture() {
        let text = written(format, &report).unwrap().replace('\\', "");
        assert!(
            text.contains("CAP_BPF is missing"),
            "{}: {text}",
            format.name()
        );
    }
    let json = json::shape::ReportJson::new(&report);
    assert!(json.journals_reason.unwrap().contains("CAP_BPF is missing"));
}

#[test]
fn not_measured_zero_and_unavailable_read_differently() {
    let mut capture = arbitrary::small();
    let op = capture.slices[0].devices.values_mut().next().unwrap();
    op.queue = None;
    let text = written(&text::Text, &unjudged(capture)).unwrap();
    // The small capture has no request span, no bio span and no queue probe.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("0 requeues"), "{text}");
    assert!(
        flat.contains("not measured (this capture was made without"),
        "{text}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_format_panics_or_prints_what_is_no_number(capture in arbitrary::any_capture()) {
        let report = unjudged(capture);
        for format in for_any_capture() {
            let text = written(format, &report).unwrap();
            let words = text.split(|c: char| !c.is_alphanumeric());
            for word in words {
                prop_assert!(!["NaN", "inf", "Infinity"].contains(&word), "{}", format.name());
            }
        }
        for format in [&folded::Folded as &dyn Format, &svg::Svg] {
            // With stacks it is drawn, without it is an error that says why.
            match written(format, &report) {
                Ok(text) => prop_assert!(!text.is_empty()),
                Err(error) => prop_assert!(error.to_string().contains("stack"), "{error:#}"),
            }
        }
    }
}
