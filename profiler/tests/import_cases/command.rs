//! `iosage import`, and what reads its captures.

use super::path;
use profiler::capture::{Capture, Op};
use std::path::Path;
use std::process::{Command, Output};

fn iosage(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iosage"));
    command.args(arguments).output().expect("iosage runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("iosage prints text")
}

#[test]
fn auto_says_what_a_file_is_and_json_has_its_values() {
    let file = path("J08/fio-3.1.json").display().to_string();
    let output = iosage(&["import", "auto", &file]);
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.starts_with("fio-json: "), "{shown}");
    assert!(shown.contains("db-mix read"), "{shown}");
    let output = iosage(&["import", "auto", &file, "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value[0]["kind"], "fio-json");
    assert_eq!(
        value[0]["fio"][0]["jobs"][0]["ops"]["read"]["io_bytes"],
        745_472
    );
}

#[test]
fn what_cannot_be_imported_exits_with_2_and_one_sentence() {
    for name in [
        "T18/empty.txt",
        "T18/header-only.txt",
        "T18/utf16.txt",
        "T18/nul.txt",
        "J17/truncated.json",
        "B04/bad49.csv",
        "T18/none",
    ] {
        let file = path(name).display().to_string();
        let output = iosage(&["import", "auto", &file]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(output.stdout.is_empty(), "{name}");
        let said = text(&output.stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.contains(name.rsplit('/').next().unwrap()) && said.contains("; "),
            "{said}"
        );
    }
    let iostat = path("T01/v9.txt").display().to_string();
    let said = text(&iosage(&["import", "blkparse", &iostat]).stderr);
    assert!(said.contains("iosage import iostat"), "{said}");
}

#[test]
fn a_capture_of_a_trace_is_reported_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("trace.json.zst");
    let shown = capture.display().to_string();
    let file = path("T05/mixed.txt").display().to_string();
    let output = iosage(&["import", "auto", &file, "-o", &shown]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = Capture::read(Path::new(&shown)).unwrap();
    assert_eq!(read.slices[0].devices["8:16"].ops[&Op::Flush].completed, 1);
    assert_eq!(read.imported[0].kind, "blkparse");
    let report = iosage(&["report", "--from", &shown]);
    assert!(report.status.success(), "{}", text(&report.stderr));
    let report = text(&report.stdout);
    assert!(
        report.contains("8:16") && report.contains("blkparse"),
        "{report}"
    );
    let json = iosage(&["report", "--from", &shown, "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["imported"][0]["kind"], "blkparse");
    let page = text(&iosage(&["report", "--from", &shown, "--format", "html"]).stdout);
    assert!(page.contains("<h2 id=\"imported-1\">Imported</h2>") && page.contains("blkparse: "));
    assert!(iosage(&["advise", "--from", &shown]).status.success());
}

#[test]
fn a_folder_says_what_it_was_made_of() {
    let folder = path("D26").display().to_string();
    let output = iosage(&["advise", "--host-dir", &folder]);
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.contains("partitions: parts.csv"), "{shown}");
    assert!(shown.contains("layers: stack.txt"), "{shown}");
    assert!(!shown.contains("not used:"), "{shown}");
    assert!(shown.contains("not in the folder: mounts"), "{shown}");
    let output = iosage(&["advise", "--host-dir", &folder, "--fail-on", "warning"]);
    assert_eq!(output.status.code(), Some(1));
    let report = iosage(&["report", "--host-dir", &folder, "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(value["imported"][0]["kind"], "partitions");
    assert_eq!(
        iosage(&["advise", "--host-dir", "/nowhere"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_folder_without_settings_does_not_call_the_host_fine() {
    // Only the output of a benchmark.
    let judgement = super::hosts::advised("J02");
    assert_eq!(judgement.verdict.kind, "cannot-tell");
    assert!(
        judgement
            .verdict
            .text
            .contains("nothing can be said of this host"),
        "{}",
        judgement.verdict.text
    );
}
