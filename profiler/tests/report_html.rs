//! The page: well-formed, self-contained, escaped, of bounded size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "report_demo/demo.rs"]
mod demo;
#[path = "report_demo/markup.rs"]
mod markup;

use profiler::capture::Slice;
use profiler::report::{Format, Report, html::Html};

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    Html.write(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The demonstration with hostile text wherever text comes from outside.
fn hostile() -> Report {
    const EVIL: &str = "\"'><script>alert(1)</script><img src=http://evil/ onerror=x>&\u{1b}[2J";
    let mut report = demo::report();
    let capture = &mut report.capture;
    capture.meta.tool = EVIL.into();
    capture.meta.command = Some(vec![EVIL.into()]);
    capture.host.hostname = Some(EVIL.into());
    for device in &mut capture.host.devices {
        device.name += EVIL;
        device.model = Some(EVIL.into());
        device.id = Some(EVIL.into());
    }
    for mount in &mut capture.host.mounts {
        mount.target += EVIL;
        mount.options.push(EVIL.into());
        mount.device = mount.device.take().map(|device| device + EVIL);
    }
    for probe in &mut capture.probes {
        probe.reason = Some(EVIL.into());
        probe.about = EVIL.into();
    }
    if let Some(workload) = &mut capture.workload {
        workload.name = EVIL.into();
        workload.notes.push(EVIL.into());
        workload
            .jobs
            .iter_mut()
            .for_each(|job| job.name = EVIL.into());
    }
    for finding in &mut report.judgement.findings {
        for text in [
            &mut finding.title,
            &mut finding.because,
            &mut finding.subject,
            &mut finding.id,
        ] {
            *text = EVIL.into();
        }
        finding.apply.push(EVIL.into());
        finding.sources.push(EVIL.into());
        finding
            .evidence
            .iter_mut()
            .for_each(|evidence| evidence.value = EVIL.into());
    }
    report.judgement.verdict.text = EVIL.into();
    report
}

#[test]
fn the_demo_page_is_well_formed_and_small_enough_to_mail() {
    let page = page(&demo::report());
    // To look at: target/tmp/report.html.
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.html");
    std::fs::write(path, &page).unwrap();
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    let tags = markup::tags(&page).unwrap();
    assert!(tags.iter().filter(|tag| tag.name == "svg").count() > 15);
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    for page in [page(&demo::report()), page(&hostile())] {
        for tag in markup::tags(&page).unwrap() {
            assert_ne!(tag.name, "script");
            assert_ne!(tag.name, "link");
            for (name, value) in &tag.attributes {
                assert!(!name.starts_with("on"), "{tag:?}");
                let loads = [
                    "src",
                    "href",
                    "xlink:href",
                    "srcset",
                    "action",
                    "data",
                    "poster",
                ];
                assert!(!loads.contains(&name.as_str()), "{name}={value} in {tag:?}");
            }
        }
        let style = page
            .split_once("<style>")
            .unwrap()
            .1
            .split_once("</style>")
            .unwrap()
            .0;
        assert!(!style.contains("url(") && !style.contains("@import"));
    }
}

#[test]
fn text_from_the_capture_stays_text() {
    let page = page(&hostile());
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert!(!page.contains('\u{1b}'));
    // It is there, as text: in the title, a table, a command, a picture's description.
    assert!(page.matches("&#60;script&#62;").count() + page.matches("&lt;script&gt;").count() > 20);
    markup::tags(&page).unwrap();
}

#[test]
fn pictures_have_titles_and_tables_have_heads() {
    let page = page(&demo::report());
    let pictures = page.matches("role=\"img\"").count();
    assert_eq!(
        page.matches("role=\"img\" preserveAspectRatio=\"xMidYMid meet\"><title>")
            .count(),
        pictures
    );
    assert_eq!(
        page.matches("<table").count(),
        page.matches("<thead").count()
    );
    assert_eq!(
        page.matches("<table").count(),
        page.matches("<caption").count()
    );
}

#[test]
fn a_long_recording_stays_a_page_of_bounded_size() {
    let mut report = demo::report();
    let seconds = report.capture.slices.clone();
    report.capture.slices = (0..600u64)
        .map(|i| Slice {
            at_ns: i * 10_000_000_000,
            length_ns: 10_000_000_000,
            ..seconds[(i % 20) as usize].clone()
        })
        .collect();
    let report = Report::new(report.capture, report.judgement);
    let page = page(&report);
    markup::tags(&page).unwrap();
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
}

/// Relative luminance as WCAG 2 defines it.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        match value <= 0.039_28 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn every_colour_of_text_can_be_read_in_light_and_dark() {
    let page = page(&demo::report());
    let roots: Vec<&str> = page.split(":root {").skip(1).take(2).collect();
    assert_eq!(roots.len(), 2, "light and dark");
    for root in roots {
        let root = root.split('}').next().unwrap();
        let colour = |name: &str| {
            let value = root.split_once(&format!("--{name}: ")).unwrap().1;
            luminance(&value[..7])
        };
        let paper = colour("paper");
        for name in [
            "ink", "muted", "read", "write", "flush", "discard", "other", "critical", "warning",
            "notice", "info", "good",
        ] {
            let (low, high) = (paper.min(colour(name)), paper.max(colour(name)));
            let contrast = (high + 0.05) / (low + 0.05);
            assert!(contrast >= 4.5, "{name}: {contrast:.2}");
        }
    }
}
