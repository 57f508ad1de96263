//! One I/O at a time with pread(2) and pwrite(2); also the engine that does none.

use super::buffer::Buffers;
use super::clock;
use super::course::{Course, Io, Step};
use super::files::{self, Files, Open};
use super::tally::Tally;
use rustix::io::Errno;

/// Runs the course to its end or its first error.
pub(super) fn run(
    course: &mut Course<'_>,
    files: &mut Files,
    tally: &mut Tally,
) -> Result<(), String> {
    let job = course.job;
    let mut buffers = Buffers::new(job, 1)?;
    let mut now = clock::now();
    loop {
        match course.next(now) {
            Step::Io(io) => {
                let length = io.length as usize;
                if io.write {
                    buffers.prepare(0, length);
                }
                let submitted = clock::now();
                let result = match files.0.get(io.file) {
                    Some(open) => transfer(open, &io, buffers.get(0, length)),
                    None => Ok(()),
                };
                now = clock::now();
                if let Err(error) = result {
                    tally.error(io.kind());
                    return Err(error);
                }
                tally.add(io.kind(), submitted, now, io.length);
            }
            Step::Sync { kind, file } => {
                match files.0.get(file) {
                    Some(open) => files::sync(open, kind, tally)?,
                    None => tally.add(kind, now, now, 0),
                }
                now = clock::now();
            }
            Step::Wait(until) => now = clock::sleep_until(until, course.stop),
            Step::Between => files.between(job)?,
            Step::Done => return Ok(()),
        }
    }
}

/// Moves the whole block; what the kernel leaves of it is asked for again.
#[inline]
fn transfer(open: &Open, io: &Io, buffer: &mut [u8]) -> Result<(), String> {
    let mut done = 0;
    while done < buffer.len() {
        let at = open.start + io.offset + done as u64;
        let result = if io.write {
            rustix::io::pwrite(&open.fd, &buffer[done..], at)
        } else {
            rustix::io::pread(&open.fd, &mut buffer[done..], at)
        };
        match result {
            Ok(0) => return Err(ended(open, io, at)),
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(error) => {
                return Err(files::failure(error, doing(io), &open.path, at, io.length));
            }
        }
    }
    Ok(())
}

pub(super) fn doing(io: &Io) -> &'static str {
    if io.write { "writing" } else { "reading" }
}

/// The kernel moved nothing: the file is shorter than when the job began.
pub(super) fn ended(open: &Open, io: &Io, at: u64) -> String {
    format!(
        "end of file {} {} bytes at offset {at} of {}: it has become shorter",
        doing(io),
        io.length,
        open.path.display()
    )
}
