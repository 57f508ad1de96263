//! A small known pattern of I/O on a scratch loop device: every group must report exactly it.
//!
//! The device is ours alone, backed by a file in memory, so nothing else can add to the counts and
//! nothing of the host is touched. Everything lies in a mount namespace of this process and the
//! loop device lets go by itself: even SIGKILL leaves nothing behind. The ext4 image has a journal.

use super::{Session, Settings};
use crate::{
    capture::{
        CommitPhase, DeviceSlice, Histogram, JournalSlice, Op, OpSlice, ProbeState, Slice, Span,
    },
    host::Host,
};
use anyhow::{Context as _, Result, bail, ensure};
use rustix::{
    fs::OFlags,
    mount::{MountFlags, MountPropagationFlags, UnmountFlags},
    thread::UnshareFlags,
};
use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Reads, writes and sync calls of the pattern.
const READS: u64 = 24;
const WRITES: u64 = 40;
const SYNCS: u64 = 8;
const BLOCK: usize = 4096;

/// What one group reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub group: &'static str,
    /// `Ok`: what was compared and agreed. `Err`: what did not, or why it was not checked.
    pub result: Result<String, Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Disagrees(String),
    NotChecked(String),
}

/// Runs the pattern. An error means that it could not be run here.
pub fn run() -> Result<Vec<Check>> {
    let scratch = Scratch::new()?;
    let host = Host::live();
    let number = host
        .device(&scratch.device)
        .map(|device| device.number.clone());
    let number = number.context("the scratch device is not in the inventory")?;
    let file = scratch.file()?;
    let settings = Settings {
        devices: vec![scratch.device.clone()],
        ..Settings::default()
    };
    let mut session = Session::open(&settings, &host)?;
    session.drain()?;
    scratch.write_pattern(&file)?;
    let writes = session.drain()?;
    scratch.read_pattern(&file)?;
    let reads = session.drain()?;
    scratch.sync_pattern(&file)?;
    let measures = |id: &str| {
        let status = session.probes().iter().find(|status| status.id == id);
        match status {
            Some(status) if matches!(status.state, ProbeState::Ok | ProbeState::Partial) => Ok(()),
            Some(status) => Err(Failure::NotChecked(
                status.reason.clone().unwrap_or_default(),
            )),
            None => Err(Failure::NotChecked("there is no such group".to_owned())),
        }
    };
    let groups = ["block", "queue", "wait", "sync", "journal", "writeback"];
    let on = groups.map(|group| (group, measures(group)));
    let syncs = session.close()?.last;
    let check = |(group, on): (&'static str, Result<(), Failure>)| Check {
        group,
        result: on.and_then(|()| match group {
            "block" => block(&writes, &reads, &syncs, &number),
            "queue" => queue(&writes, &reads, &number),
            "wait" => wait(&writes, &reads, &number),
            "sync" => sync(&syncs, &number),
            "journal" => journal(&syncs, &number),
            _ => writeback(&syncs, &number),
        }),
    };
    Ok(on.into_iter().map(check).collect())
}

/// The two parts of the pattern that are one request a time.
fn parts<'s>(
    writes: &'s Slice,
    reads: &'s Slice,
    number: &str,
) -> [(Op, u64, Option<&'s DeviceSlice>); 2] {
    let device = |slice: &'s Slice| slice.devices.get(number);
    [
        (Op::Write, WRITES, device(writes)),
        (Op::Read, READS, device(reads)),
    ]
}

/// Each of the pattern's bios gets a request of its own.
fn queue(writes: &Slice, reads: &Slice, number: &str) -> Result<String, Failure> {
    for (op, n, device) in parts(writes, reads, number) {
        let allocated = device
            .and_then(|device| device.queue)
            .map_or(0, |queue| queue.allocated);
        expect(
            &format!("requests allocated for {}s", op.name()),
            allocated,
            n,
        )?;
    }
    Ok(format!("{} requests allocated", WRITES + READS))
}

/// Each of them has a wait, however short.
fn wait(writes: &Slice, reads: &Slice, number: &str) -> Result<String, Failure> {
    for (op, n, device) in parts(writes, reads, number) {
        let op_slice = device.and_then(|device| device.ops.get(&op));
        let timed = op_slice
            .and_then(|op| op.spans.get(&Span::Wait))
            .map_or(0, Histogram::n);
        expect(&format!("waits of {}s", op.name()), timed, n)?;
    }
    Ok(format!("{} waits timed", WRITES + READS))
}

/// A file that grows dirties its inode at least once for each sync of it.
fn writeback(slice: &Slice, number: &str) -> Result<String, Failure> {
    let dirtied = slice.dirtied.get(number).copied().unwrap_or_default();
    match dirtied.other >= SYNCS {
        true => Ok(format!("{} inodes dirtied", dirtied.other)),
        false => Err(Failure::Disagrees(format!(
            "{} inodes dirtied seen, at least {SYNCS} made",
            dirtied.other
        ))),
    }
}

fn expect(what: &str, found: u64, expected: u64) -> Result<String, Failure> {
    if found == expected {
        Ok(format!("{found} {what}"))
    } else {
        Err(Failure::Disagrees(format!(
            "{found} {what} seen, {expected} made"
        )))
    }
}

/// Each direct write or read of the pattern is one request, and nothing else is under way.
fn block(writes: &Slice, reads: &Slice, end: &Slice, number: &str) -> Result<String, Failure> {
    let said = [(writes, Op::Write, WRITES), (reads, Op::Read, READS)].map(|(slice, op, n)| {
        let nothing = OpSlice::default();
        let seen = slice
            .devices
            .get(number)
            .and_then(|device| device.ops.get(&op))
            .unwrap_or(&nothing);
        expect(&format!("{}s", op.name()), seen.completed, n)?;
        expect(
            &format!("bytes of {}s", op.name()),
            seen.bytes,
            n * BLOCK as u64,
        )?;
        let timed = seen.spans.get(&Span::Device).map_or(0, Histogram::n);
        expect(&format!("{}s timed", op.name()), timed, n)
    });
    let left = end
        .devices
        .get(number)
        .and_then(|device| device.in_flight_end)
        .unwrap_or(0);
    expect("requests in flight at the end", left, 0)?;
    let [writes, reads] = said;
    Ok(format!("{}, {}, none left in flight", writes?, reads?))
}

fn sync(slice: &Slice, number: &str) -> Result<String, Failure> {
    let calls = slice.syncs.get(number).map(|sync| &sync.calls);
    let n = |call: &str| {
        calls
            .and_then(|c| c.get(call))
            .map_or(0, |calls| calls.latency_ns.n())
    };
    let data = expect("fdatasync calls", n("fdatasync"), SYNCS)?;
    Ok(format!(
        "{data}, {}",
        expect("fsync calls", n("fsync"), SYNCS)?
    ))
}

/// Each fsync of a file that has just grown forces a commit of its own.
fn journal(slice: &Slice, number: &str) -> Result<String, Failure> {
    let nothing = JournalSlice::default();
    let journal = slice.journals.get(number).unwrap_or(&nothing);
    let timed = journal
        .phases
        .get(&CommitPhase::Commit)
        .map_or(0, Histogram::n);
    if journal.commits < SYNCS || timed != journal.commits {
        let seen = format!("{} commits seen, {timed} timed", journal.commits);
        return Err(Failure::Disagrees(format!("{seen}, at least {SYNCS} made")));
    }
    Ok(format!("{timed} commits timed"))
}

/// A loop device on a file in memory, formatted and mounted where only this process sees it.
struct Scratch {
    mounted: PathBuf,
    device: String,
}

/// Hidden from the process by a scratch filesystem of its own.
const HIDDEN: &str = "/dev/shm";

impl Scratch {
    fn new() -> Result<Self> {
        ensure!(
            Path::new(HIDDEN).is_dir(),
            "there is no {HIDDEN} to mount a scratch image on"
        );
        // SAFETY: only the view of mounts changes, which no other thread here depends on.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }
            .context("making a mount namespace")?;
        let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
        rustix::mount::mount_change("/", private).context("keeping mounts to this process")?;
        rustix::mount::mount("tmpfs", HIDDEN, "tmpfs", MountFlags::empty(), None)
            .with_context(|| format!("mounting a scratch filesystem on {HIDDEN}"))?;
        let image = Path::new(HIDDEN).join("image");
        File::create_new(&image)?.set_len(64 << 20)?;
        let now = "lazy_itable_init=0,lazy_journal_init=0";
        quiet(
            Command::new("mkfs.ext4")
                .args(["-q", "-F", "-J", "size=4", "-E", now])
                .arg(&image),
        )?;
        let node = quiet(
            Command::new("losetup")
                .args(["--find", "--show"])
                .arg(&image),
        )?;
        let mounted = Path::new(HIDDEN).join("mnt");
        let made = fs::create_dir(&mounted)
            .map_err(anyhow::Error::from)
            .and_then(|()| {
                rustix::mount::mount(&node, &mounted, "ext4", MountFlags::NOATIME, c"commit=600")
                    .with_context(|| format!("mounting {node}"))
            });
        // In use it goes with the last mount; not in use it goes at once.
        quiet(Command::new("losetup").args(["--detach", &node]))?;
        made?;
        let name = Path::new(&node).file_name().and_then(|name| name.to_str());
        let device = name.context("losetup named no device")?.to_owned();
        Ok(Self { mounted, device })
    }

    fn path(&self) -> PathBuf {
        self.mounted.join("pattern")
    }

    /// A file whose blocks are allocated and written, opened for direct I/O.
    fn file(&self) -> Result<File> {
        fs::write(self.path(), vec![0u8; BLOCK * WRITES as usize])?;
        File::open(self.path())?.sync_all()?;
        let direct = OFlags::DIRECT.bits() as i32;
        Ok(fs::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(direct)
            .open(self.path())?)
    }

    fn write_pattern(&self, file: &File) -> Result<()> {
        let block = Aligned([1; BLOCK]);
        for i in 0..WRITES {
            file.write_all_at(&block.0, i * BLOCK as u64)?;
        }
        Ok(())
    }

    fn sync_pattern(&self, file: &File) -> Result<()> {
        for _ in 0..SYNCS {
            file.sync_data()?;
        }
        let mut grown = File::create(self.path().with_extension("grown"))?;
        for i in 0..SYNCS {
            grown.write_all(&[i as u8; BLOCK])?;
            grown.sync_all()?;
        }
        Ok(())
    }

    fn read_pattern(&self, file: &File) -> Result<()> {
        let mut block = Aligned([0; BLOCK]);
        for i in 0..READS {
            file.read_exact_at(&mut block.0, i * BLOCK as u64)?;
            if block.0 != [1; BLOCK] {
                bail!("the scratch file reads otherwise than it was written");
            }
        }
        Ok(())
    }
}

#[repr(align(4096))]
struct Aligned([u8; BLOCK]);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be undone here goes with the process.
        let _ = rustix::mount::unmount(&self.mounted, UnmountFlags::DETACH);
        let _ = rustix::mount::unmount(HIDDEN, UnmountFlags::DETACH);
    }
}

/// Runs a program; its first output, or what it said when it failed.
fn quiet(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("`{name}` is needed for the self-check"))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    ensure!(output.status.success(), "`{name}` failed: {said}");
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
