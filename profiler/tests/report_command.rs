//! `iosage report` and `iosage flame` as they are typed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/demo.capture.json")
}

fn iosage(args: &[&str], input: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iosage"));
    command
        .args(args)
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR");
    match input {
        Some(path) => command.stdin(std::fs::File::open(path).unwrap()),
        None => command.stdin(Stdio::null()),
    };
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_capture_on_standard_input_is_shown_as_text_without_colour() {
    let out = iosage(&["report", "--from", "-"], Some(&demo()));
    let shown = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        shown.contains("VERDICT:") && !shown.contains('\x1b'),
        "{shown}"
    );
    assert!(shown.contains("mount/strict-atime"), "{shown}");
}

#[test]
fn the_ending_of_the_output_chooses_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let demo = demo();
    for (name, start) in [
        ("r.html", "<!doctype html>"),
        ("r.json", "{\n"),
        ("r.md", "# Storage of"),
        ("r.txt", "iosage 0.1.0"),
        ("r.folded", "jbd2/loop0-8;"),
        ("r.svg", "<?xml"),
    ] {
        let path = folder.path().join(name);
        let args = [
            "report",
            "--from",
            demo.to_str().unwrap(),
            "-o",
            path.to_str().unwrap(),
        ];
        let out = iosage(&args, None);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(out.stdout.is_empty());
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.starts_with(start), "{name}: {}", &written[..60]);
    }
    // Nothing but the files asked for is left behind.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6);
}

#[test]
fn wrong_input_and_wrong_endings_are_named_and_exit_with_2() {
    let demo = demo();
    let demo = demo.to_str().unwrap();
    for (args, said) in [
        (vec!["report", "--from", "/nonexistent/x"], "/nonexistent/x"),
        (vec!["report", "--from", demo, "-o", "/tmp/x.pdf"], ".pdf"),
        (
            vec!["report", "--from", demo, "--format", "pdf"],
            "possible values: text, json",
        ),
        (
            vec!["flame", "--from", demo, "--weight", "heat"],
            "device-time",
        ),
    ] {
        let out = iosage(&args, None);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(
            text(&out.stderr).contains(said),
            "{args:?}: {}",
            text(&out.stderr)
        );
    }
}

#[test]
fn a_failed_flame_graph_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let bare = folder.path().join("bare.json");
    let demo = std::fs::read_to_string(demo()).unwrap();
    let mut capture: serde_json::Value = serde_json::from_str(&demo).unwrap();
    capture["stacks"] = serde_json::json!([]);
    std::fs::write(&bare, capture.to_string()).unwrap();
    let flame = folder.path().join("flame.svg");
    let args = [
        "flame",
        "--from",
        bare.to_str().unwrap(),
        "-o",
        flame.to_str().unwrap(),
    ];
    let out = iosage(&args, None);
    assert_eq!(out.status.code(), Some(2));
    let said = text(&out.stderr);
    assert!(
        said.contains("holds no stacks: the 41 samples taken had no usable stack"),
        "{said}"
    );
    assert!(!flame.exists());
}

#[test]
fn flame_writes_the_weight_asked_for() {
    let demo = demo();
    let args = |weight| {
        let args = [
            "flame",
            "--from",
            demo.to_str().unwrap(),
            "--format",
            "folded",
            "--weight",
            weight,
        ];
        text(&iosage(&args, None).stdout)
    };
    let first = |weight| {
        args(weight)
            .lines()
            .next()
            .unwrap()
            .rsplit_once(' ')
            .unwrap()
            .1
            .to_owned()
    };
    // 96 samples of jbd2/loop0-8, each for 8 requests of 4 KiB and 880 us: their part of what the
    // samples of all writes to loop0 stand for is their part of what was counted.
    let capture = profiler::capture::Capture::read(&demo).unwrap();
    let (number, op) = ("7:0", profiler::capture::Op::Write);
    let writes = capture.total().devices[number].ops[&op].clone();
    let all = capture.stacks.iter();
    let all = all.filter(|stack| stack.device == number && stack.op == op);
    let sampled = |of: fn(&profiler::capture::Stack) -> u64| -> u64 { all.clone().map(of).sum() };
    let part = |own: u64, sampled: u64, counted: u64| {
        (u128::from(own) * u128::from(counted) / u128::from(sampled)).to_string()
    };
    let time_ns = writes.spans[&profiler::capture::Span::Device].sum;
    assert_eq!(first("samples"), "96");
    assert_eq!(
        first("requests"),
        part(768, sampled(|s| s.requests), writes.completed)
    );
    assert_eq!(
        first("bytes"),
        part(768 * 4096, sampled(|s| s.bytes), writes.bytes)
    );
    assert_eq!(
        first("device-time"),
        part(768 * 880_000, sampled(|s| s.device_ns), time_ns)
    );
}

#[test]
fn a_recording_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.json");
    std::fs::copy(demo(), &other).unwrap();
    let before = std::fs::read(&other).unwrap();
    let (demo, target) = (demo(), other.to_str().unwrap());
    for command in ["report", "flame"] {
        let out = iosage(
            &[command, "--from", demo.to_str().unwrap(), "-o", target],
            None,
        );
        assert_eq!(out.status.code(), Some(2), "{command}");
        let said = text(&out.stderr);
        assert!(
            said.contains("other.json is a recording"),
            "{command}: {said}"
        );
    }
    assert_eq!(std::fs::read(&other).unwrap(), before);
}
