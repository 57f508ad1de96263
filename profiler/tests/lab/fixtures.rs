//! Things of the outside world that live tests need, each undone when dropped.
#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails the test"
)]

use serde_json::Value;
use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    time::{Duration, Instant},
};

/// Runs a program to its end; panics with what it said when it fails.
pub(super) fn sh(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Why live tests cannot run here, if they cannot.
pub(super) fn hindrance(programs: &[&str]) -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("needs root".to_owned());
    }
    if profiler::session::embedded().is_none() {
        return Some("built without probes".to_owned());
    }
    if !Path::new("/dev/loop-control").exists() {
        return Some("no loop devices".to_owned());
    }
    let missing = programs.iter().find(|program| {
        let found = std::env::var_os("PATH").into_iter().flat_map(|path| {
            std::env::split_paths(&path)
                .map(|dir| dir.join(program))
                .collect::<Vec<_>>()
        });
        !found.into_iter().any(|path| path.is_file())
    });
    missing.map(|program| format!("`{program}` is not installed"))
}

/// Live tests count what the whole machine does, so one waits for another.
pub(super) fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Lets the test run alone, or ends it with a line that the test runner counts as a skip.
#[macro_export]
macro_rules! need {
    ($($program:literal),*) => {
        if let Some(reason) = fixtures::hindrance(&[$($program),*]) {
            println!("skipped: {reason}");
            return;
        }
        let _alone = fixtures::alone();
    };
}

/// A loop device on a sparse file of its own.
pub(super) struct Loop {
    pub(super) node: PathBuf,
    before: RefCell<Vec<(PathBuf, String)>>,
    _folder: tempfile::TempDir,
}

impl Loop {
    /// `folder`: where the file lies, so which device is below.
    pub(super) fn new(folder: &str, bytes: u64) -> Self {
        let folder = tempfile::tempdir_in(folder).unwrap();
        let image = folder.path().join("image");
        fs::File::create(&image).unwrap().set_len(bytes).unwrap();
        let node = sh("losetup", &["--find", "--show", image.to_str().unwrap()]);
        Self {
            node: node.into(),
            before: RefCell::default(),
            _folder: folder,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.node.file_name().unwrap().to_str().unwrap()
    }

    /// Fields of /sys/block/X/stat (Documentation/block/stat.rst), in order.
    pub(super) fn stat(&self) -> Vec<u64> {
        stat(self.name())
    }

    /// Writes an attribute, until the end; whether the kernel took it.
    pub(super) fn set(&self, attribute: &str, value: &str) -> bool {
        let path = PathBuf::from(format!("/sys/block/{}/{attribute}", self.name()));
        let before = fs::read_to_string(&path).unwrap_or_default();
        let taken = fs::write(&path, value).is_ok();
        if taken {
            self.before.borrow_mut().push((path, before));
        }
        taken
    }

    pub(super) fn number(&self) -> String {
        fs::read_to_string(format!("/sys/block/{}/dev", self.name()))
            .unwrap()
            .trim()
            .to_owned()
    }
}

pub(super) fn stat(disk: &str) -> Vec<u64> {
    let text = fs::read_to_string(format!("/sys/block/{disk}/stat")).unwrap();
    text.split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect()
}

impl Drop for Loop {
    fn drop(&mut self) {
        // A loop device keeps its attributes when its file is gone.
        for (path, value) in self.before.borrow_mut().drain(..).rev() {
            let _ = fs::write(path, value);
        }
        let _ = Command::new("losetup").arg("-d").arg(&self.node).status();
    }
}

/// An ext4 filesystem with a journal on a loop device.
pub(super) struct Ext4 {
    pub(super) at: PathBuf,
    pub(super) disk: Loop,
    _folder: tempfile::TempDir,
}

impl Ext4 {
    pub(super) fn new(bytes: u64) -> Self {
        let disk = Loop::new("/dev/shm", bytes);
        let node = disk.node.to_str().unwrap();
        sh(
            "mkfs.ext4",
            &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", node],
        );
        let folder = tempfile::tempdir().unwrap();
        sh("mount", &[node, folder.path().to_str().unwrap()]);
        Self {
            at: folder.path().to_owned(),
            disk,
            _folder: folder,
        }
    }
}

impl Drop for Ext4 {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

/// The binary under test.
pub(super) fn iosage() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iosage"));
    command.stdin(Stdio::null());
    command
}

/// Records a command on one device and reads the capture.
pub(super) fn record(device: &str, command: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.json");
    let output = iosage()
        .args(["record", "--device", device, "-o"])
        .arg(&file)
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    read(&file)
}

pub(super) fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

pub(super) fn text(output: &Output) -> String {
    let (out, error) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(error)
    )
}

/// Sums a counter of one op of a device over all slices.
pub(super) fn sum(capture: &Value, device: &str, op: &str, counter: &str) -> u64 {
    let slices = capture["slices"].as_array().unwrap();
    slices
        .iter()
        .filter_map(|s| s["devices"][device]["ops"][op][counter].as_u64())
        .sum()
}

/// Waits until something holds; a minute is a hang, not a measure.
pub(super) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{what} did not come about"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits for a child that is expected to end.
pub(super) fn wait(mut child: Child) -> ExitStatus {
    let mut status = None;
    wait_until("the end of the program", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Number of loaded programs of the probes.
pub(super) fn loaded_probes() -> usize {
    let ours = ["block_rq_issue", "block_rq_complet", "jbd2_end_commit"];
    aya::programs::loaded_programs()
        .filter_map(Result::ok)
        .filter(|program| {
            program
                .name_as_str()
                .is_some_and(|name| ours.contains(&name))
        })
        .count()
}
