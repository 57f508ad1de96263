//! Job files from their text to their files on disk, and against fio itself.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod against_fio;
mod cases;
mod corrupt;
mod running;

use profiler::capture::{JobOp, JobResult, Workload};
use profiler::workload::{self, Options, Plan, Refused, Stop};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory on a real filesystem that is gone after the test.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn options(&self) -> Options {
        Options {
            target: Some(self.path().to_owned()),
            // Tests put files there before and look at them afterwards.
            overwrite: true,
            keep: true,
            ..Options::default()
        }
    }

    /// Resolves a job file text whose files go here.
    fn plan(&self, text: &str) -> Result<Plan, Refused> {
        workload::from_text("t.fio", text, &self.options())
    }

    fn run(&self, text: &str) -> Workload {
        self.plan(text).unwrap().run(&Stop::default()).unwrap()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }

    /// Names and lengths of the files here, sorted.
    fn files(&self) -> Vec<(String, u64)> {
        let mut files: Vec<_> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                (name, entry.metadata().unwrap().len())
            })
            .collect();
        files.sort();
        files
    }

    /// The program itself, started here.
    fn iosage(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_iosage"))
            .args(arguments)
            .current_dir(self.path())
            .output()
            .unwrap()
    }
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name)
}

fn case_text(name: &str) -> String {
    std::fs::read_to_string(case(name)).unwrap()
}

fn op<'a>(job: &'a JobResult, name: &str) -> &'a JobOp {
    job.ops
        .get(name)
        .unwrap_or_else(|| panic!("{} has no {name}: {:?}", job.name, job.ops.keys()))
}

/// Reads and writes of a job: number and bytes.
fn moved(job: &JobResult) -> [(u64, u64); 2] {
    ["read", "write"].map(|name| job.ops.get(name).map_or((0, 0), |op| (op.n, op.bytes)))
}
