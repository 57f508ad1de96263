//! `cargo xtask demo`: record, advise and report on this machine, from a fresh checkout.

use crate::loop_device::Scratch;
use crate::step::{Step, found, is_root};
use crate::tree::Tree;
use crate::{build_ebpf, setup, signals};
use anyhow::{Context, Result, bail};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const IMAGE_BYTES: u64 = 2 << 30;
/// The binary's exit code where it cannot measure.
const CANNOT_MEASURE: i32 = 3;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Only say what would be installed; go on if nothing is missing
    #[arg(long)]
    no_install: bool,
    /// How long to record
    #[arg(long = "for", value_name = "TIME", default_value = "20s")]
    length: String,
    /// Keep the files that the workload wrote
    #[arg(long)]
    keep: bool,
}

impl Args {
    /// As the README has it.
    pub(crate) fn of_readme(no_install: bool) -> Self {
        Self {
            no_install,
            length: "20s".to_owned(),
            keep: false,
        }
    }
}

/// What the demo writes, below `target/demo`.
#[derive(Debug)]
struct Outputs {
    capture: PathBuf,
    report: PathBuf,
    flame: PathBuf,
}

pub(crate) fn run(tree: &Tree, args: Args) -> Result<ExitCode> {
    let Args {
        no_install,
        length,
        keep,
    } = args;
    let ready = setup::run(tree, setup::Args { no_install })?;
    build_ebpf::with(tree, &ready)?;
    build_iosage(tree)?;

    let dir = tree.target().join("demo");
    let _lock = lock(&dir)?;
    let outputs = Outputs::fresh(&dir)?;
    signals::hold();
    let recorded = record(tree, &dir, &length, keep, &outputs);
    if let Some(code) = signals::exit_code() {
        // An error here is the interruption itself, or one that it caused; what counts is what is left.
        Scratch::open(&dir.join("scratch"))?.remove()?;
        eprintln!("interrupted; nothing is left mounted");
        return Ok(code);
    }
    match recorded? {
        Some(code) => {
            without_rights();
            Ok(code)
        }
        None => tell(tree, &outputs).map(|()| ExitCode::SUCCESS),
    }
}

/// The release build, with the probes inside.
pub(crate) fn build_iosage(tree: &Tree) -> Result<()> {
    Step::new(tree.cargo())
        .args(["build", "--release", "-p", "profiler"])
        .run()
}

/// Held while the demo runs: a second one would take the first one's mount away.
fn lock(dir: &Path) -> Result<File> {
    fs::create_dir_all(dir).with_context(|| format!("making {}", dir.display()))?;
    let path = dir.join("lock");
    let file = File::create(&path).with_context(|| format!("making {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("another demo runs in this source tree; wait for its end, then repeat")
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("locking {}", path.display()))
        }
    }
}

/// Records the suite; `Some` is the exit code of a binary that cannot measure here.
fn record(
    tree: &Tree,
    dir: &Path,
    length: &str,
    keep: bool,
    outputs: &Outputs,
) -> Result<Option<ExitCode>> {
    let scratch = Scratch::open(&dir.join("scratch"))?;
    let target = target_dir(tree, &scratch)?;
    let mut command = Step::new(tree.iosage())
        .args(["record", "--suite", "demo", "--target"])
        .arg(&target)
        .args(["--for", length, "-o"])
        .arg(&outputs.capture)
        .args(keep.then_some("--keep"))
        .announce();
    let mut child = signals::shield(&mut command)
        .spawn()
        .context("starting iosage")?;
    let status = signals::wait(&mut child)?;
    if keep {
        scratch.tidy()?;
        println!("kept: {}", tree.shown(scratch.dir()));
    } else {
        scratch.remove()?;
    }
    signals::check()?;
    match status.code() {
        Some(0) => Ok(None),
        Some(CANNOT_MEASURE) => Ok(Some(ExitCode::from(3))),
        _ => bail!("`iosage record` ended with {status}; its own words are above"),
    }
}

/// A small ext4 with a journal where that can be mounted, else a plain folder, with the reason.
fn target_dir(tree: &Tree, scratch: &Scratch) -> Result<PathBuf> {
    let reason = match no_mount_because() {
        Some(reason) => reason.to_owned(),
        None => match scratch.mount_ext4(IMAGE_BYTES) {
            Ok(mount_point) => {
                println!("mounted: {}", tree.shown(&mount_point));
                return Ok(mount_point);
            }
            Err(error) => format!("{error:#}"),
        },
    };
    scratch.tidy()?;
    let plain = scratch.dir().join("files");
    fs::create_dir_all(&plain).with_context(|| format!("making {}", plain.display()))?;
    println!(
        "no ext4 image of our own ({reason}); the workload writes to {}",
        tree.shown(&plain)
    );
    Ok(plain)
}

fn no_mount_because() -> Option<&'static str> {
    if !is_root() {
        Some("only root may mount")
    } else if !Path::new("/dev/loop-control").exists() {
        Some("this kernel has no loop devices")
    } else if !found("mkfs.ext4") {
        Some("mkfs.ext4 is missing: apt-get install e2fsprogs")
    } else {
        None
    }
}

/// Advice to the terminal, report and flame graph to files.
fn tell(tree: &Tree, outputs: &Outputs) -> Result<()> {
    let Outputs {
        capture,
        report,
        flame,
    } = outputs;
    let iosage = |verb: &str| {
        Step::new(tree.iosage())
            .arg(verb)
            .arg("--from")
            .arg(capture)
    };
    iosage("advise").run()?;
    iosage("report").arg("-o").arg(report).run()?;
    iosage("flame").arg("-o").arg(flame).run()?;
    println!();
    for (name, path) in [("capture", capture), ("report", report), ("flame", flame)] {
        let bytes = fs::metadata(path)
            .with_context(|| format!("iosage said nothing, but there is no {}", path.display()))?
            .len();
        println!("{name:<8} {} ({bytes} bytes)", tree.shown(path));
    }
    Ok(())
}

fn without_rights() {
    println!(
        "\nWhat works without those rights:\n  \
         iosage advise                       judges this host's configuration\n  \
         iosage run JOBFILE                  runs and times a workload\n  \
         iosage report --from FILE           shows a capture made elsewhere\n  \
         iosage doctor                       shows what is missing\n\
         With them (as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN) repeat `cargo xtask demo`."
    );
}

impl Outputs {
    /// The paths; what an earlier demo wrote there is removed, so that nothing old is shown as new.
    fn fresh(dir: &Path) -> Result<Self> {
        let outputs = Self {
            capture: dir.join("capture.json.zst"),
            report: dir.join("report.html"),
            flame: dir.join("flame.svg"),
        };
        for path in [&outputs.capture, &outputs.report, &outputs.flame] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("removing {}", path.display()));
                }
                _ => {}
            }
        }
        Ok(outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_demo_is_refused_while_the_first_runs() {
        let dir = tempfile::tempdir().unwrap();
        let first = lock(dir.path()).unwrap();
        let refusal = lock(dir.path()).unwrap_err().to_string();
        assert!(refusal.starts_with("another demo runs"), "{refusal}");
        drop(first);
        lock(dir.path()).unwrap();
    }

    #[test]
    fn what_an_earlier_demo_wrote_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("report.html"), "old").unwrap();
        let outputs = Outputs::fresh(dir.path()).unwrap();
        assert!(!outputs.report.exists());
    }
}
