//! The page: well-formed, self-contained, escaped, of bounded size.

#[path = "report_demo/demo.rs"]
mod demo;

use profiler::report::{Format, Report, html::Html};

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    Html.write(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_demo_page_is_small_enough_to_mail() {
    let page = page(&demo::report());
    // To look at: target/tmp/report.html.
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.html");
    std::fs::write(path, &page).unwrap();
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
}
