//! Many I/Os at a time with io_uring: one system call hands in a batch and takes what has completed.
//!
//! Files and buffers are registered where the kernel allows it. A completed I/O is replaced at once;
//! the thread sleeps only when nothing has completed, after a short spin on devices that are faster
//! than a sleep.

use super::buffer::Buffers;
use super::clock;
use super::course::{Course, Io, Step};
use super::files::{self, Files};
use super::psync::{doing, ended};
use super::tally::{Kind, Tally};
use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, opcode, squeue};
use rustix::io::Errno;
use std::io::IoSliceMut;
use std::os::fd::AsRawFd;

/// Longest spin before the thread sleeps.
const SPIN_NS: u64 = 4_000;
/// A spin pays where I/Os take about this long or less.
const FAST_NS: u64 = 12_000;

/// Runs the course to its end or its first error.
pub(super) fn run(
    course: &mut Course<'_>,
    files: &mut Files,
    tally: &mut Tally,
) -> Result<(), String> {
    let depth = course.job.depth as usize;
    let mut engine = Engine {
        ring: ring(depth as u32)?,
        buffers: Some(Buffers::new(course.job, depth)?),
        files,
        slots: vec![None; depth],
        free: (0..depth).rev().collect(),
        fresh: Vec::with_capacity(depth),
        fixed_files: false,
        fixed_buffers: false,
        usual_ns: u64::MAX,
        error: None,
    };
    engine.register();
    engine.run(course, tally)
}

/// The ring with the cheapest way to learn of completions that this kernel knows.
fn ring(depth: u32) -> Result<IoUring, String> {
    let entries = depth.next_power_of_two();
    // 6.1: completions are handled when this thread asks for them.
    let newest = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(entries);
    newest
        // 5.19: at least no other CPU is interrupted for them.
        .or_else(|_| IoUring::builder().setup_coop_taskrun().build(entries))
        .or_else(|_| IoUring::new(entries))
        .map_err(|error| format!("io_uring cannot be set up: {error}"))
}

/// What a slot is doing.
#[derive(Clone, Copy)]
struct Flight {
    work: Work,
    submitted: u64,
}

#[derive(Clone, Copy)]
enum Work {
    /// A read or write, and how much of it is done.
    Io(Io, u64),
    Sync(Kind, usize),
}

impl Work {
    fn kind(&self) -> Kind {
        match self {
            Self::Io(io, _) => io.kind(),
            Self::Sync(kind, _) => *kind,
        }
    }
}

struct Engine<'a> {
    ring: IoUring,
    /// `None` only after they had to be given up to the kernel.
    buffers: Option<Buffers>,
    files: &'a mut Files,
    slots: Vec<Option<Flight>>,
    free: Vec<usize>,
    /// Slots handed in with the next system call.
    fresh: Vec<usize>,
    fixed_files: bool,
    fixed_buffers: bool,
    /// Running mean of how long an I/O takes.
    usual_ns: u64,
    error: Option<String>,
}

/// Why no more I/O was taken from the course.
enum Pause {
    /// All slots are taken.
    Full,
    Until(u64),
    Between,
    Over,
}

impl Engine<'_> {
    /// Registering saves work for each I/O; without it (memory limit, old kernel) all works as well.
    fn register(&mut self) {
        let fds: Vec<_> = self
            .files
            .0
            .iter()
            .map(|open| open.fd.as_raw_fd())
            .collect();
        self.fixed_files = self.ring.submitter().register_files(&fds).is_ok();
        let Some(buffers) = &mut self.buffers else {
            return;
        };
        let each = buffers.each();
        let mut slices: Vec<_> = buffers
            .memory()
            .chunks_mut(each)
            .map(IoSliceMut::new)
            .collect();
        // SAFETY: IoSliceMut is laid out as iovec on Unix, so the array can be read as iovecs. The
        // memory stays where it is until the ring is gone: both live in `self`, and `Drop` gives the
        // memory up (leaks it) when I/O may still be in flight.
        self.fixed_buffers = unsafe {
            let vectors = std::slice::from_raw_parts(slices.as_mut_ptr().cast(), slices.len());
            self.ring.submitter().register_buffers(vectors)
        }
        .is_ok();
    }

    fn run(&mut self, course: &mut Course<'_>, tally: &mut Tally) -> Result<(), String> {
        let mut now = clock::now();
        loop {
            let pause = self.refill(course, now);
            if self.free.len() == self.slots.len() {
                match (pause, self.error.take()) {
                    (_, Some(error)) => return Err(error),
                    (Pause::Over, None) => return Ok(()),
                    (Pause::Between, None) => self.files.between(course.job)?,
                    (Pause::Until(until), None) => {
                        clock::sleep_until(until, course.stop);
                    }
                    (Pause::Full, None) => return Err("the engine has no slots".to_owned()),
                }
                now = clock::now();
                continue;
            }
            let until = match pause {
                Pause::Until(until) => Some(until),
                _ => None,
            };
            self.exchange(until)?;
            now = clock::now();
            self.reap(now, tally);
        }
    }

    /// Takes I/O from the course while there is room.
    fn refill(&mut self, course: &mut Course<'_>, now: u64) -> Pause {
        while self.error.is_none() {
            let Some(slot) = self.free.last().copied() else {
                return Pause::Full;
            };
            let work = match course.next(now) {
                Step::Io(io) => Work::Io(io, 0),
                Step::Sync { kind, file } => Work::Sync(kind, file),
                Step::Wait(until) => return Pause::Until(until),
                Step::Between => return Pause::Between,
                Step::Done => return Pause::Over,
            };
            self.free.pop();
            if let (Work::Io(io, _), Some(buffers)) = (&work, &mut self.buffers)
                && io.write
            {
                buffers.prepare(slot, io.length as usize);
            }
            self.hand_in(slot, work);
        }
        Pause::Over
    }

    /// Puts a slot's work into the submission queue.
    fn hand_in(&mut self, slot: usize, work: Work) {
        let entry = self.entry(slot, &work).user_data(slot as u64);
        // SAFETY: the entry points into the slot's buffer, which no one else touches until the slot
        // is free again, and names a file that stays open as long as the engine.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        if pushed.is_err() {
            // Cannot be: the queue has as many places as there are slots.
            self.error
                .get_or_insert_with(|| "the submission queue is full".to_owned());
            self.free.push(slot);
            return;
        }
        self.slots[slot] = Some(Flight { work, submitted: 0 });
        self.fresh.push(slot);
    }

    fn entry(&mut self, slot: usize, work: &Work) -> squeue::Entry {
        let file = match work {
            Work::Io(io, _) => io.file,
            Work::Sync(_, file) => *file,
        };
        let (fd, start) = (self.files.0[file].fd.as_raw_fd(), self.files.0[file].start);
        /// Builds an operation on the registered file, or on the plain one.
        macro_rules! on {
            ($op:path $(, $argument:expr)*) => {
                if self.fixed_files {
                    $op(Fixed(file as u32) $(, $argument)*)
                } else {
                    $op(Fd(fd) $(, $argument)*)
                }
            };
        }
        let (io, done) = match work {
            Work::Io(io, done) => (io, *done),
            Work::Sync(kind, _) => {
                let flags = match kind {
                    Kind::Fdatasync => FsyncFlags::DATASYNC,
                    _ => FsyncFlags::empty(),
                };
                return on!(opcode::Fsync::new).flags(flags).build();
            }
        };
        let buffer = self
            .buffers
            .as_mut()
            .map_or(std::ptr::null_mut(), |buffers| buffers.pointer(slot))
            .wrapping_add(done as usize);
        let (length, at) = ((io.length - done) as u32, start + io.offset + done);
        let index = slot as u16;
        match (io.write, self.fixed_buffers) {
            (false, false) => on!(opcode::Read::new, buffer, length).offset(at).build(),
            (false, true) => on!(opcode::ReadFixed::new, buffer, length, index)
                .offset(at)
                .build(),
            (true, false) => on!(opcode::Write::new, buffer, length).offset(at).build(),
            (true, true) => on!(opcode::WriteFixed::new, buffer, length, index)
                .offset(at)
                .build(),
        }
    }

    /// Hands in what is new and waits until something has completed, or until `until`.
    fn exchange(&mut self, until: Option<u64>) -> Result<(), String> {
        let submitted = clock::now();
        for slot in self.fresh.drain(..) {
            if let Some(flight) = &mut self.slots[slot]
                && flight.submitted == 0
            {
                flight.submitted = submitted;
            }
        }
        let result = match until {
            // Before 5.11 the wait cannot be bounded: the next completion ends it.
            Some(until) if self.ring.params().is_feature_ext_arg() => {
                let left = until.saturating_sub(submitted);
                let time = Timespec::new()
                    .sec(left / 1_000_000_000)
                    .nsec((left % 1_000_000_000) as u32);
                let arguments = SubmitArgs::new().timespec(&time);
                self.ring.submitter().submit_with_args(1, &arguments)
            }
            None if self.usual_ns <= FAST_NS => match self.spin(submitted) {
                Ok(false) => self.ring.submit_and_wait(1),
                Ok(true) => Ok(0),
                Err(error) => Err(error),
            },
            _ => self.ring.submit_and_wait(1),
        };
        match result {
            Ok(_) => Ok(()),
            // Interrupted, out of time, or full for now: what has completed is taken, then again.
            Err(error)
                if matches!(
                    Errno::from_io_error(&error),
                    Some(Errno::INTR | Errno::TIME | Errno::AGAIN | Errno::BUSY)
                ) =>
            {
                Ok(())
            }
            Err(error) => Err(format!("io_uring broke off: {error}")),
        }
    }

    /// Hands in and asks for completions a few times without sleeping; whether there are some.
    fn spin(&mut self, from: u64) -> std::io::Result<bool> {
        self.ring.submit()?;
        loop {
            if !self.ring.completion().is_empty() {
                return Ok(true);
            }
            if clock::now() >= from + SPIN_NS {
                return Ok(false);
            }
            // SAFETY: no argument is passed, nothing is submitted; the call only runs this ring's
            // finished work.
            unsafe {
                self.ring
                    .submitter()
                    .enter::<()>(0, 0, EnterFlags::GETEVENTS.bits(), None)?;
            }
        }
    }

    /// Takes everything that has completed.
    fn reap(&mut self, now: u64, tally: &mut Tally) {
        loop {
            let Some(done) = self.ring.completion().next() else {
                return;
            };
            let slot = done.user_data() as usize;
            let Some(flight) = self.slots.get_mut(slot).and_then(Option::take) else {
                self.error
                    .get_or_insert_with(|| "io_uring completed what was not asked".to_owned());
                continue;
            };
            self.ended(slot, flight, done.result(), now, tally);
        }
    }

    fn ended(&mut self, slot: usize, flight: Flight, result: i32, now: u64, tally: &mut Tally) {
        let again = result == -Errno::AGAIN.raw_os_error() || result == -Errno::INTR.raw_os_error();
        let moved = u64::try_from(result).unwrap_or(0);
        let unfinished = match flight.work {
            Work::Io(io, done) if again => Some(Work::Io(io, done)),
            Work::Io(io, done) if result > 0 && done + moved < io.length => {
                Some(Work::Io(io, done + moved))
            }
            Work::Sync(..) if again => Some(flight.work),
            _ => None,
        };
        if let Some(work) = unfinished {
            self.hand_in(slot, work);
            if let Some(again) = &mut self.slots[slot] {
                again.submitted = flight.submitted;
            }
            return;
        }
        self.free.push(slot);
        let kind = flight.work.kind();
        let bytes = match flight.work {
            Work::Io(io, _) => io.length,
            Work::Sync(..) => 0,
        };
        if result > 0 || (result == 0 && bytes == 0) {
            tally.add(kind, flight.submitted, now, bytes);
            let took = now.saturating_sub(flight.submitted);
            self.usual_ns = match self.usual_ns {
                u64::MAX => took,
                usual => usual - usual / 8 + took / 8,
            };
            return;
        }
        tally.error(kind);
        let message = self.message(&flight.work, result);
        self.error.get_or_insert(message);
    }

    fn message(&self, work: &Work, result: i32) -> String {
        let error = || Errno::from_raw_os_error(-result);
        match work {
            Work::Io(io, done) => {
                let open = &self.files.0[io.file];
                let at = open.start + io.offset + done;
                if result == 0 {
                    ended(open, io, at)
                } else {
                    files::failure(error(), doing(io), &open.path, at, io.length)
                }
            }
            Work::Sync(_, file) => {
                files::failure(error(), "syncing", &self.files.0[*file].path, 0, 0)
            }
        }
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        if self.free.len() < self.slots.len() {
            // The ring broke off with I/O in flight: the kernel may still write into the buffers, so
            // their memory is never used for anything else.
            std::mem::forget(self.buffers.take());
        }
    }
}
