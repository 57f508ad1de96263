//! Many I/Os at a time: the loop of every engine that hands in and is told of completions.
//!
//! A completed I/O is replaced at once; the thread sleeps only when nothing has completed.

use super::course::{Course, Io, Step};
use super::tally::{Kind, Tally, Times};
use crate::workload::Stop;
use crate::workload::plan::Job;
use rustix::io::Errno;

/// What the loop runs on: a ring and the clock, or a model of both.
pub(super) trait Queue {
    fn now(&mut self) -> u64;
    /// Sleeps until that time or a stop request; returns the time.
    fn sleep_until(&mut self, until: u64, stop: &Stop) -> u64;
    /// Makes a slot's buffer ready.
    fn prepare(&mut self, slot: usize, io: &Io);
    /// Hands a slot's work in with the next exchange.
    fn push(&mut self, slot: usize, work: &Work) -> Result<(), String>;
    /// Hands in, at time `now`, and waits until `wait` have completed, or until a time.
    fn exchange(&mut self, now: u64, wait: usize, until: Option<u64>) -> Result<(), String>;
    /// A slot that has completed, with the kernel's result.
    fn pop(&mut self) -> Option<(usize, i32)>;
    fn between(&mut self, job: &Job) -> Result<(), String>;
    /// Told how long an I/O took.
    fn took(&mut self, ns: u64);
    /// What to say of work that failed; a result of 0 is an end of file.
    fn message(&self, work: &Work, result: i32) -> String;
    /// Told once the loop has ended with work in flight.
    fn abandon(&mut self);
}

/// What a slot is doing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// A read, write or trim, and how much of it is done.
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

    pub(super) fn file(&self) -> usize {
        match self {
            Self::Io(io, _) => io.file,
            Self::Sync(_, file) => *file,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Io(io, _) => io.length,
            Self::Sync(..) => 0,
        }
    }
}

#[derive(Clone, Copy)]
struct Flight {
    work: Work,
    taken: u64,
    /// 0: not yet handed over.
    submitted: u64,
}

/// Why no more I/O was taken from the course.
enum Pause {
    /// All slots are taken, or as many as may be handed in at once.
    Full,
    Until(u64),
    Between,
    Over,
}

struct Loop<'q, Q: Queue> {
    queue: &'q mut Q,
    slots: Vec<Option<Flight>>,
    free: Vec<usize>,
    /// Slots handed in with the next exchange.
    fresh: Vec<usize>,
    /// The queue was full, and is let run down to `iodepth_low` first.
    draining: bool,
    error: Option<String>,
}

/// Runs the course to its end or its first error.
pub(super) fn run<Q: Queue>(
    course: &mut Course<'_>,
    queue: &mut Q,
    tally: &mut Tally,
) -> Result<(), String> {
    let depth = course.job.depth as usize;
    let mut work = Loop {
        queue,
        slots: vec![None; depth],
        free: (0..depth).rev().collect(),
        fresh: Vec::with_capacity(depth),
        draining: false,
        error: None,
    };
    let result = work.run(course, tally);
    if work.free.len() < depth {
        work.queue.abandon();
    }
    result
}

impl<Q: Queue> Loop<'_, Q> {
    fn run(&mut self, course: &mut Course<'_>, tally: &mut Tally) -> Result<(), String> {
        let batch = course.job.batch;
        let mut now = self.queue.now();
        loop {
            let pause = self.refill(course, now);
            let flying = self.slots.len() - self.free.len();
            if flying == 0 {
                match (pause, self.error.take()) {
                    (_, Some(error)) => return Err(error),
                    (Pause::Over, None) => return Ok(()),
                    (Pause::Between, None) => self.queue.between(course.job)?,
                    (Pause::Until(until), None) => {
                        self.queue.sleep_until(until, course.stop);
                    }
                    (Pause::Full, None) => return Err("the engine has no slots".to_owned()),
                }
                now = self.queue.now();
                continue;
            }
            let (wait, until) = match pause {
                Pause::Until(until) => (1, Some(until)),
                // There is room for more, but not in this call.
                Pause::Full if !self.free.is_empty() && !self.draining => (0, None),
                _ => ((batch.complete_min as usize).clamp(1, flying), None),
            };
            let submitted = self.hand_over();
            self.queue.exchange(submitted, wait, until)?;
            now = self.queue.now();
            self.reap(now, batch.complete_max, tally);
            if tally.settled() == Some(true) {
                course.finish();
            }
        }
    }

    /// Takes I/O from the course while there is room.
    fn refill(&mut self, course: &mut Course<'_>, now: u64) -> Pause {
        let batch = course.job.batch;
        if self.draining && self.slots.len() - self.free.len() > batch.low as usize {
            return Pause::Full;
        }
        self.draining = false;
        while self.error.is_none() {
            let Some(slot) = self.free.last().copied() else {
                self.draining = (batch.low as usize) < self.slots.len();
                return Pause::Full;
            };
            if self.fresh.len() >= batch.submit as usize {
                return Pause::Full;
            }
            let work = match course.next(now) {
                Step::Io(io) => Work::Io(io, 0),
                Step::Sync { kind, file } => Work::Sync(kind, file),
                Step::Wait(until) => return Pause::Until(until),
                Step::Between => return Pause::Between,
                Step::Done => return Pause::Over,
            };
            self.free.pop();
            if let Work::Io(io, _) = &work {
                self.queue.prepare(slot, io);
            }
            let flight = Flight {
                work,
                taken: now,
                submitted: 0,
            };
            self.hand_in(slot, flight);
        }
        Pause::Over
    }

    fn hand_in(&mut self, slot: usize, flight: Flight) {
        if let Err(error) = self.queue.push(slot, &flight.work) {
            self.error.get_or_insert(error);
            self.free.push(slot);
            return;
        }
        self.slots[slot] = Some(flight);
        self.fresh.push(slot);
    }

    /// Notes when the fresh slots go to the kernel; returns that time.
    fn hand_over(&mut self) -> u64 {
        let submitted = self.queue.now();
        for slot in self.fresh.drain(..) {
            if let Some(flight) = &mut self.slots[slot]
                && flight.submitted == 0
            {
                flight.submitted = submitted;
            }
        }
        submitted
    }

    /// Takes what has completed, at most so many.
    fn reap(&mut self, now: u64, most: u64, tally: &mut Tally) {
        let mut taken = 0;
        while taken < most
            && let Some((slot, result)) = self.queue.pop()
        {
            taken += 1;
            match self.slots.get_mut(slot).and_then(Option::take) {
                Some(flight) => self.ended(slot, flight, result, now, tally),
                None => {
                    self.error.get_or_insert_with(|| {
                        "a completion came that was not asked for".to_owned()
                    });
                }
            }
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
            self.hand_in(slot, Flight { work, ..flight });
            return;
        }
        self.free.push(slot);
        let (kind, bytes) = (flight.work.kind(), flight.work.bytes());
        if result > 0 || (result == 0 && bytes == 0) {
            let due = match flight.work {
                Work::Io(io, _) => io.due,
                Work::Sync(..) => None,
            };
            let times = Times {
                due,
                taken: flight.taken,
                submitted: flight.submitted,
                completed: now,
            };
            tally.add(kind, times, bytes);
            self.queue.took(now.saturating_sub(flight.submitted));
            return;
        }
        tally.error(kind);
        let message = self.queue.message(&flight.work, result);
        self.error.get_or_insert(message);
    }
}
