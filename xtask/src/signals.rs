//! Ctrl-C and friends while something is mounted or switched on: the chore must tidy up before it ends.

use anyhow::{Context, Result};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;
/// The default action, as a handler.
const SIG_DFL: usize = 0;

/// The first signal that arrived, 0 for none.
static ARRIVED: AtomicI32 = AtomicI32::new(0);

// SAFETY: the prototypes of signal(2), kill(2) and prctl(2) in the C library that std links with;
// `kill` takes any numbers.
unsafe extern "C" {
    fn signal(number: i32, handler: usize) -> usize;
    fn prctl(option: i32, ...) -> i32;
    safe fn kill(pid: i32, number: i32) -> i32;
}

/// Option of prctl(2): the signal that a process gets when its parent is gone.
const PR_SET_PDEATHSIG: i32 = 1;

extern "C" fn note(number: i32) {
    // Only this: an atomic store is all that a signal handler may do here.
    _ = ARRIVED.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
}

/// From now on SIGHUP, SIGINT and SIGTERM are noted instead of ending the program.
pub(crate) fn hold() {
    for number in [SIGHUP, SIGINT, SIGTERM] {
        // SAFETY: `note` is a handler of the right type that only stores to an atomic.
        unsafe { signal(number, note as extern "C" fn(i32) as usize) };
    }
}

/// The exit code that a shell gives to a program ended by the signal that arrived.
pub(crate) fn exit_code() -> Option<ExitCode> {
    match ARRIVED.load(Ordering::SeqCst) {
        0 => None,
        number => Some(ExitCode::from(128 + u8::try_from(number).unwrap_or(0))),
    }
}

/// Fails once a signal has arrived, for loops and between steps.
pub(crate) fn check() -> Result<()> {
    anyhow::ensure!(exit_code().is_none(), "interrupted");
    Ok(())
}

/// Puts a command out of reach of the terminal's signals (`wait` passes on exactly one), and lets it
/// end with this program even where that is killed.
pub(crate) fn shield(command: &mut Command) -> &mut Command {
    let prepare = || {
        // Who was started in the background of a script has SIGINT ignored, and passes that on; but
        // this child is to be ended by it.
        // SAFETY: signal(2) is async-signal-safe, and SIG_DFL is a disposition it knows.
        unsafe { signal(SIGINT, SIG_DFL) };
        // SAFETY: prctl(2) is async-signal-safe, and this option takes one unsigned long.
        match unsafe { prctl(PR_SET_PDEATHSIG, SIGTERM as u64) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls and touches no memory.
    unsafe { command.pre_exec(prepare) };
    command.stdin(Stdio::null()).process_group(0)
}

/// Waits for a shielded child; a signal that arrives is passed on to it.
pub(crate) fn wait(child: &mut Child) -> Result<ExitStatus> {
    let mut passed = false;
    loop {
        if let Some(status) = child.try_wait().context("waiting for a command")? {
            return Ok(status);
        }
        let number = ARRIVED.load(Ordering::SeqCst);
        if number != 0 && !passed {
            send(child, number);
            passed = true;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Ends a child that runs until it is told to stop, as Ctrl-C would.
pub(crate) fn interrupt(child: &mut Child) -> Result<ExitStatus> {
    send(child, SIGINT);
    child.wait().context("waiting for a command")
}

fn send(child: &Child, number: i32) {
    // A child that was not waited for keeps its number, so this cannot reach another process.
    if let Ok(pid) = i32::try_from(child.id()) {
        kill(pid, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn an_interrupted_child_ends_by_that_signal() {
        // As in the background of a script, where SIGINT is ignored: the child must not inherit that.
        let mut command = Command::new("sleep");
        let ignore = || {
            // SAFETY: signal(2) is async-signal-safe, and SIG_IGN (1) is a disposition it knows.
            unsafe { signal(SIGINT, 1) };
            Ok(())
        };
        // SAFETY: the closure makes one system call and touches no memory.
        unsafe { command.pre_exec(ignore) };
        let mut child = shield(command.arg("600")).spawn().unwrap();
        assert_eq!(interrupt(&mut child).unwrap().signal(), Some(SIGINT));
    }
}
