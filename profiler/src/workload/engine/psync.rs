//! One I/O at a time with pread(2) and pwrite(2); also the engine that does none.

use super::buffer::Buffers;
use super::clock;
use super::course::Io;
use super::files::{self, Files, Open};
use super::serial::Serial;
use super::tally::Kind;
use crate::workload::Stop;
use crate::workload::plan::Job;
use crate::workload::spec::Way;
use rustix::io::Errno;

/// The files of a thread and its one buffer.
pub(super) struct Calls<'a> {
    files: &'a Files,
    buffers: Buffers,
}

impl<'a> Calls<'a> {
    pub(super) fn new(job: &Job, files: &'a Files) -> Result<Self, String> {
        Ok(Self {
            files,
            buffers: Buffers::new(job, 1)?,
        })
    }
}

impl Serial for Calls<'_> {
    #[inline]
    fn now(&mut self) -> u64 {
        clock::now()
    }

    fn sleep_until(&mut self, until: u64, stop: &Stop) -> u64 {
        clock::sleep_until(until, stop)
    }

    #[inline]
    fn prepare(&mut self, io: &Io) {
        if io.way == Way::Write {
            let start = self.files.0.get(io.file).map_or(0, |open| open.start);
            self.buffers
                .prepare(0, io.length as usize, start + io.offset);
        }
    }

    #[inline]
    fn transfer(&mut self, io: &Io) -> Result<(), String> {
        match self.files.0.get(io.file) {
            Some(open) if io.way == Way::Trim => files::trim(open, io),
            Some(open) => transfer(open, io, self.buffers.get(0, io.length as usize)),
            None => Ok(()),
        }
    }

    fn sync(&mut self, kind: Kind, file: usize) -> Result<(), String> {
        match self.files.0.get(file) {
            Some(open) => files::flush(open, kind),
            None => Ok(()),
        }
    }

    fn between(&mut self, job: &Job) -> Result<(), String> {
        self.files.between(job)
    }
}

/// Moves the whole block; what the kernel leaves of it is asked for again.
#[inline]
fn transfer(open: &Open, io: &Io, buffer: &mut [u8]) -> Result<(), String> {
    let mut done = 0;
    while done < buffer.len() {
        let at = open.start + io.offset + done as u64;
        let result = if io.way == Way::Write {
            rustix::io::pwrite(&open.fd, &buffer[done..], at)
        } else {
            rustix::io::pread(&open.fd, &mut buffer[done..], at)
        };
        match result {
            Ok(0) => return Err(files::ended(open, io, at)),
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(error) => {
                let doing = files::doing(io);
                return Err(files::failure(error, doing, &open.path, at, io.length));
            }
        }
    }
    Ok(())
}
