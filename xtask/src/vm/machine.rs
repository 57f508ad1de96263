//! One machine: started, listened to, and ended.

use super::debian::Kernel;
use crate::signals;
use crate::step::Step;
use crate::test::libtest::Reader;
use crate::test::tally::Tally;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// An emulated machine needs some minutes for the live tests; one that is silent this long hangs.
const SILENCE: Duration = Duration::from_secs(300);

/// Ends the machine with this value.
struct Machine(Child);

impl Drop for Machine {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Boots the kernel and counts what its tests say on the serial line.
pub(super) fn run(kernel: &Kernel, image: &Path, programs: &[PathBuf]) -> Result<Tally> {
    let list: Vec<_> = programs
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut command = Step::new("qemu-system-x86_64")
        .args(["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max"])
        .args(["-m", "3072", "-smp", "2", "-nodefaults", "-display", "none"])
        .args(["-serial", "stdio", "-no-reboot", "-kernel"])
        .arg(&kernel.vmlinuz)
        .arg("-initrd")
        .arg(image)
        .arg("-virtfs")
        .arg("local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap")
        .arg("-append")
        .arg(format!(
            "console=ttyS0 quiet loglevel=0 panic=-1 mitigations=off nokaslr tsc=reliable iosage.run={}",
            list.join(",")
        ))
        .announce();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let mut child = signals::shield(&mut command)
        .spawn()
        .context("starting QEMU")?;
    let output = child.stdout.take().context("QEMU has no output")?;
    let _machine = Machine(child);
    let lines = listen(output);
    let mut reader = Reader::default();
    let mut ended = false;
    let mut heard = Instant::now();
    while !ended {
        signals::check()?;
        match lines.recv_timeout(Duration::from_millis(200)) {
            Ok(line) => {
                heard = Instant::now();
                ended = line == "vm: end";
                if reader.line(&line) {
                    println!("{line}");
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) if heard.elapsed() > SILENCE => {
                bail!("the machine was silent for {} s", SILENCE.as_secs())
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
    let mut tally = reader.finish(true);
    if !ended {
        tally.fail(&format!(
            "vm: {}: the machine stopped before its tests had ended",
            kernel.version
        ));
    }
    Ok(tally)
}

/// Lines of the serial console, without its carriage returns.
fn listen(output: impl std::io::Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).replace('\r', "");
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
