//! A recording that is killed leaves no file, or a valid one, and no litter but one named file.
//!
//! The recording runs in another process: this test binary, started again for the ignored test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use profiler::capture::{Capture, Writer, WriterOptions as Options};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const DIRECTORY: &str = "IOSAGE_TEST_KILL_DIRECTORY";

fn demo() -> Capture {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/demo.capture.json");
    let mut capture = Capture::read(&demo).unwrap();
    capture.slices.truncate(4);
    capture
}

#[test]
#[ignore = "the child process of the other test in this file"]
fn record_until_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let capture = demo();
    loop {
        for (name, checkpoint_ns) in [("kept.json.zst", Some(1)), ("whole.json", None)] {
            let path = Path::new(&directory).join(name);
            let options = Options {
                checkpoint_ns,
                ..Options::default()
            };
            let mut writer = Writer::create(&path, &capture.host, options).unwrap();
            for slice in &capture.slices {
                writer.append(slice).unwrap();
                if writer.checkpoint_due() {
                    writer.checkpoint(&capture.ending()).unwrap();
                }
                println!("step");
            }
            writer.finish(&capture.ending()).unwrap();
            println!("step");
        }
    }
}

/// Starts a recording, kills it after so many steps, and returns the names it leaves.
fn killed_after(steps: usize, directory: &Path) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "record_until_killed"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let lines = output.lines().map(Result::unwrap);
    let seen = lines.filter(|l| l.ends_with("step")).take(steps).count();
    assert_eq!(seen, steps, "the child ended by itself");
    // SIGKILL, wherever the child has got to by now.
    child.kill().unwrap();
    child.wait().unwrap();
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn a_killed_recording_leaves_no_broken_file() {
    let capture = demo();
    for kill in 0..20 {
        let directory = tempfile::tempdir().unwrap();
        let mut names = killed_after(1 + kill * 7 % 31, directory.path());
        for name in &names {
            let read = Capture::read(&directory.path().join(name));
            let read = read.unwrap_or_else(|e| panic!("kill {kill}: {name}: {e:#}"));
            assert!(!read.slices.is_empty() && capture.slices.starts_with(&read.slices));
            if name == "whole.json" {
                assert_eq!(read, capture);
            }
        }
        names.retain(|name| name != "kept.json.zst" && name != "whole.json");
        let litter = [".kept.json.zst.iosage-tmp", ".whole.json.iosage-tmp"];
        assert!(names.len() <= 1, "{names:?}");
        assert!(
            names.iter().all(|n| litter.contains(&n.as_str())),
            "{names:?}"
        );
    }
}
