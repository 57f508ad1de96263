//! One I/O at a time: the loop of every engine whose calls return when the I/O is done.

use super::course::{Course, Io, Step};
use super::tally::{Kind, Tally, Times};
use crate::workload::Stop;
use crate::workload::plan::Job;

/// What the loop runs on: files and the clock, or a model of both.
pub(super) trait Serial {
    fn now(&mut self) -> u64;
    /// Sleeps until that time or a stop request; returns the time.
    fn sleep_until(&mut self, until: u64, stop: &Stop) -> u64;
    /// Makes the buffer ready; its time is not the I/O's.
    fn prepare(&mut self, io: &Io);
    fn transfer(&mut self, io: &Io) -> Result<(), String>;
    fn sync(&mut self, kind: Kind, file: usize) -> Result<(), String>;
    fn between(&mut self, job: &Job) -> Result<(), String>;
}

/// Runs the course to its end or its first error.
pub(super) fn run(
    course: &mut Course<'_>,
    target: &mut impl Serial,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut now = target.now();
    loop {
        match course.next(now) {
            Step::Io(io) => {
                target.prepare(&io);
                let submitted = target.now();
                let result = target.transfer(&io);
                now = target.now();
                let times = Times {
                    due: io.due,
                    taken: submitted,
                    submitted,
                    completed: now,
                };
                count(tally, io.kind(), times, io.length, result)?;
                if tally.settled() == Some(true) {
                    course.finish();
                }
            }
            Step::Sync { kind, file } => {
                let submitted = target.now();
                let result = target.sync(kind, file);
                now = target.now();
                let times = Times {
                    due: None,
                    taken: submitted,
                    submitted,
                    completed: now,
                };
                count(tally, kind, times, 0, result)?;
            }
            Step::Wait(until) => now = target.sleep_until(until, course.stop),
            Step::Between => target.between(course.job)?,
            Step::Done => return Ok(()),
        }
    }
}

#[inline]
fn count(
    tally: &mut Tally,
    kind: Kind,
    times: Times,
    bytes: u64,
    result: Result<(), String>,
) -> Result<(), String> {
    match result {
        Ok(()) => tally.add(kind, times, bytes),
        Err(_) => tally.error(kind),
    }
    result
}
