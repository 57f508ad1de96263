//! The queue on io_uring: one system call hands in a batch and takes what has completed.
//!
//! Files and buffers are registered where the kernel allows it. On devices that are faster than a
//! sleep the thread spins a short while before it sleeps.

use super::buffer::Buffers;
use super::clock;
use super::course::Io;
use super::files::{self, Files};
use super::queue::{Queue, Work};
use super::tally::Kind;
use crate::workload::Stop;
use crate::workload::plan::Job;
use crate::workload::spec::Way;
use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, opcode, squeue};
use rustix::io::Errno;
use std::io::IoSliceMut;
use std::os::fd::AsRawFd;

/// Longest spin before the thread sleeps.
const SPIN_NS: u64 = 4_000;
/// A spin pays where I/Os take about this long or less.
const FAST_NS: u64 = 12_000;

/// How long the kernel's thread looks for more before it sleeps (`sqthread_poll`).
const KERNEL_IDLE_MS: u32 = 1000;

/// A ring with the files and buffers it works on.
pub(super) struct Ring<'a> {
    ring: IoUring,
    /// `None` only after they had to be given up to the kernel.
    buffers: Option<Buffers>,
    files: &'a Files,
    fixed_files: bool,
    fixed_buffers: bool,
    /// Slots whose work was done by a call of its own, and what it returned.
    ready: Vec<(usize, i32)>,
    /// What such a call said.
    said: Option<String>,
    /// Running mean of how long an I/O takes.
    usual_ns: u64,
}

/// The ring with the cheapest way to learn of completions that this kernel knows.
fn ring(job: &Job) -> Result<IoUring, String> {
    let entries = job.depth.next_power_of_two();
    if job.kernel_polls {
        return IoUring::builder()
            .setup_sqpoll(KERNEL_IDLE_MS)
            .build(entries)
            .map_err(|error| format!("io_uring cannot be set up with sqthread_poll: {error}"));
    }
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

impl<'a> Ring<'a> {
    pub(super) fn new(job: &Job, files: &'a Files) -> Result<Self, String> {
        let depth = job.depth as usize;
        let mut ring = Self {
            ring: ring(job)?,
            buffers: Some(Buffers::new(job, depth)?),
            files,
            fixed_files: false,
            fixed_buffers: false,
            ready: Vec::with_capacity(depth),
            said: None,
            usual_ns: u64::MAX,
        };
        ring.register();
        Ok(ring)
    }

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

    fn entry(&mut self, slot: usize, work: &Work) -> squeue::Entry {
        let file = work.file();
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
        match (io.way == Way::Write, self.fixed_buffers) {
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
}

impl Queue for Ring<'_> {
    #[inline]
    fn now(&mut self) -> u64 {
        clock::now()
    }

    fn sleep_until(&mut self, until: u64, stop: &Stop) -> u64 {
        clock::sleep_until(until, stop)
    }

    #[inline]
    fn prepare(&mut self, slot: usize, io: &Io) {
        if io.way == Way::Write
            && let Some(buffers) = &mut self.buffers
        {
            let start = self.files.0[io.file].start;
            buffers.prepare(slot, io.length as usize, start + io.offset);
        }
    }

    fn push(&mut self, slot: usize, work: &Work) -> Result<(), String> {
        if let Work::Io(io, _) = work
            && io.way == Way::Trim
        {
            // The ring has no discard of all kernels' devices and files: a call of its own.
            let result = files::trim(&self.files.0[io.file], io);
            let length = i32::try_from(io.length).unwrap_or(i32::MAX);
            self.ready
                .push((slot, if result.is_ok() { length } else { -1 }));
            self.said = result.err().or(self.said.take());
            return Ok(());
        }
        let entry = self.entry(slot, work).user_data(slot as u64);
        // SAFETY: the entry points into the slot's buffer, which no one else touches until the slot
        // is free again, and names a file that stays open as long as the ring.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        // Cannot be: the queue has as many places as there are slots.
        pushed.map_err(|_| "the submission queue is full".to_owned())
    }

    fn exchange(&mut self, now: u64, wait: usize, until: Option<u64>) -> Result<(), String> {
        let wait = if self.ready.is_empty() { wait } else { 0 };
        let result = match until {
            // Before 5.11 the wait cannot be bounded: the next completion ends it.
            Some(until) if self.ring.params().is_feature_ext_arg() => {
                let left = until.saturating_sub(now);
                let time = Timespec::new()
                    .sec(left / 1_000_000_000)
                    .nsec((left % 1_000_000_000) as u32);
                let arguments = SubmitArgs::new().timespec(&time);
                self.ring.submitter().submit_with_args(wait, &arguments)
            }
            None if wait == 1 && self.usual_ns <= FAST_NS => match self.spin(now) {
                Ok(false) => self.ring.submit_and_wait(1),
                Ok(true) => Ok(0),
                Err(error) => Err(error),
            },
            _ => self.ring.submit_and_wait(wait),
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

    #[inline]
    fn pop(&mut self) -> Option<(usize, i32)> {
        if let Some(ready) = self.ready.pop() {
            return Some(ready);
        }
        let done = self.ring.completion().next()?;
        Some((done.user_data() as usize, done.result()))
    }

    fn between(&mut self, job: &Job) -> Result<(), String> {
        self.files.between(job)
    }

    #[inline]
    fn took(&mut self, ns: u64) {
        self.usual_ns = match self.usual_ns {
            u64::MAX => ns,
            usual => usual - usual / 8 + ns / 8,
        };
    }

    fn message(&self, work: &Work, result: i32) -> String {
        let error = || Errno::from_raw_os_error(-result);
        match work {
            Work::Io(io, done) => {
                if let (Way::Trim, Some(said)) = (io.way, &self.said) {
                    return said.clone();
                }
                let open = &self.files.0[io.file];
                let at = open.start + io.offset + done;
                if result == 0 {
                    files::ended(open, io, at)
                } else {
                    files::failure(error(), files::doing(io), &open.path, at, io.length)
                }
            }
            Work::Sync(_, file) => {
                files::failure(error(), "syncing", &self.files.0[*file].path, 0, 0)
            }
        }
    }

    fn abandon(&mut self) {
        // The ring broke off with I/O in flight: the kernel may still write into the buffers, so
        // their memory is never used for anything else.
        std::mem::forget(self.buffers.take());
    }
}
