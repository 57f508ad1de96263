//! The load under which tracers are compared: 4 KiB random reads, 32 at a time, on a loop device
//! over a file in memory. It is bound by the CPU, so the cost of a probe is a large part of it.

use crate::loop_device::Scratch;
use crate::step::Step;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// A folder in memory on every Linux host.
const MEMORY: &str = "/dev/shm/iosage-bench";
const DISK_BYTES: u64 = 256 << 20;

#[derive(Debug)]
pub(crate) struct Load {
    scratch: Option<Scratch>,
    device: PathBuf,
    fio: Child,
}

impl Load {
    /// Starts the load; it ends with this value, and by itself after `at_most`.
    pub(crate) fn start(at_most: Duration) -> Result<Self> {
        let scratch = Scratch::open(Path::new(MEMORY))?;
        let device = scratch.attach(DISK_BYTES)?;
        let mut command = Step::new("fio")
            .args(["--name=load", "--rw=randread", "--bs=4k", "--iodepth=32"])
            .args([
                "--ioengine=libaio",
                "--direct=1",
                "--thread",
                "--time_based",
            ])
            .arg(format!("--runtime={}", at_most.as_secs().max(1)))
            .arg(format!("--filename={}", device.display()))
            .announce();
        let fio = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("starting fio")?;
        Ok(Self {
            scratch: Some(scratch),
            device,
            fio,
        })
    }

    pub(crate) fn device(&self) -> &Path {
        &self.device
    }

    /// Reads that the device has completed since it was attached.
    pub(crate) fn completed(&mut self) -> Result<u64> {
        let ended = self.fio.try_wait().context("asking for fio")?;
        ensure!(ended.is_none(), "fio ended early; its own words are above");
        let name = self.device.file_name().unwrap_or_default();
        let path = Path::new("/sys/block").join(name).join("stat");
        let stat =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        stat.split_whitespace()
            .next()
            .and_then(|reads| reads.parse().ok())
            .with_context(|| format!("{} holds no numbers", path.display()))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // fio may have ended by itself; then there is nothing to end.
        _ = self.fio.kill();
        _ = self.fio.wait();
        if let Some(Err(error)) = self.scratch.take().map(Scratch::remove) {
            eprintln!("warning: {error:#}");
        }
    }
}
