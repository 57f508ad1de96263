//! What a job does next: direction, file, offset, syncs, waits, and when it is over.

use super::schedule::Schedule;
use super::tally::Kind;
use crate::workload::Stop;
use crate::workload::pattern::{Pattern, Random};
use crate::workload::plan::{BetweenPasses, Job};
use crate::workload::spec::{Turn, Way};

/// One I/O; the offset counts from the start of the file's region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Io {
    pub(super) way: Way,
    pub(super) file: usize,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// When it was meant to start, in a job with a rate.
    pub(super) due: Option<u64>,
}

impl Io {
    pub(super) fn kind(&self) -> Kind {
        match self.way {
            Way::Read => Kind::Read,
            Way::Write => Kind::Write,
            Way::Trim => Kind::Trim,
        }
    }
}

/// The next thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Io(Io),
    Sync {
        kind: Kind,
        file: usize,
    },
    /// Nothing before that time.
    Wait(u64),
    /// The files are through and begin again: first finish what is in flight.
    Between,
    Done,
}

/// The course of one clone.
pub(super) struct Course<'a> {
    pub(super) job: &'a Job,
    pub(super) stop: &'a Stop,
    patterns: Vec<Pattern>,
    random: Random,
    /// Whose turn it is, and for how many I/Os more.
    file: usize,
    turn_left: u64,
    pass: u64,
    issued_in_pass: u64,
    issued_bytes: u64,
    issued: u64,
    /// Writes handed out.
    writes: u64,
    schedule: Schedule,
    end: u64,
    /// The way of an I/O that had to wait.
    wished: Option<Way>,
    sync: Option<(Kind, usize)>,
    think: Think,
}

/// Where the job stands with `thinktime`.
enum Think {
    No,
    /// An I/O that is followed by a pause was handed out.
    Due,
    Until(u64),
}

impl<'a> Course<'a> {
    pub(super) fn new(job: &'a Job, stop: &'a Stop, start: u64) -> Self {
        let end = job.runtime_ns.map_or(u64::MAX, |length| {
            start.saturating_add(job.ramp_ns).saturating_add(length)
        });
        let mut course = Self {
            job,
            stop,
            patterns: Vec::new(),
            random: Random::new(job.seed),
            file: 0,
            turn_left: 0,
            pass: 0,
            issued_in_pass: 0,
            issued_bytes: 0,
            issued: 0,
            writes: 0,
            schedule: Schedule::new(job, start),
            end,
            wished: None,
            sync: None,
            think: Think::No,
        };
        course.begin_pass();
        course
    }

    fn begin_pass(&mut self) {
        let (job, pass) = (self.job, self.pass);
        self.patterns = (0..job.files.len())
            .map(|file| Pattern::new(job, file, pass))
            .collect();
        self.file = 0;
        self.turn_left = match job.turn {
            Turn::Around(ios) => ios,
            // The first is drawn as all others are.
            Turn::Random(_) => 0,
            Turn::Sequential => u64::MAX,
        };
        self.issued_in_pass = 0;
    }

    /// The next step at time `now`.
    #[inline]
    pub(super) fn next(&mut self, now: u64) -> Step {
        let job = self.job;
        let spent = self.issued_bytes >= job.io_bytes && !job.time_based;
        let counted = job.most_ios.is_some_and(|most| self.issued >= most);
        if spent || counted || now >= self.end || self.stop.is_set() {
            return Step::Done;
        }
        // As in fio the sync that a write asks for comes before the next I/O, so none follows the
        // last one of a job that ends by its bytes.
        if let Some((kind, file)) = self.sync.take() {
            return Step::Sync { kind, file };
        }
        if let Some(until) = self.thinking(now) {
            return Step::Wait(until.min(self.end));
        }
        let way = match self.wished {
            Some(way) => way,
            None => self.direction(),
        };
        let due = self.schedule.due(way);
        if let Some(due) = due
            && due > now
        {
            self.wished = Some(way);
            return Step::Wait(due.min(self.end));
        }
        self.wished = None;
        self.io(way, due)
    }

    /// I/Os that a rate asked for before the job ended at `end`, and that were not begun.
    pub(super) fn missed(&self, end: u64) -> Option<u64> {
        let by_time = self.job.runtime_ns.is_some() && end >= self.end;
        self.schedule.missed(self.end).filter(|_| by_time)
    }

    /// Nothing more is begun.
    pub(super) fn finish(&mut self) {
        self.end = 0;
    }

    /// Writes handed out so far.
    pub(super) fn writes(&self) -> u64 {
        self.writes
    }

    fn direction(&mut self) -> Way {
        let access = self.job.access;
        let reads = match (access.reads, access.writes) {
            (true, true) => self.random.below(100) < self.job.read_percent,
            (reads, _) => reads,
        };
        if reads { Way::Read } else { access.change() }
    }

    fn thinking(&mut self, now: u64) -> Option<u64> {
        if let Think::Due = self.think {
            self.think = Think::Until(now.saturating_add(self.job.think_ns));
        }
        match self.think {
            Think::Until(until) if until > now => Some(until),
            _ => {
                self.think = Think::No;
                None
            }
        }
    }

    /// The next I/O, from the file whose turn it is; files that are through are passed over.
    #[inline]
    fn io(&mut self, way: Way, due: Option<u64>) -> Step {
        loop {
            self.turn();
            for _ in 0..self.patterns.len() {
                let file = self.file;
                if let Some(spot) = self.patterns[file].next(self.job, way, &mut self.random) {
                    return self.hand_out(Io {
                        way: spot.way,
                        file,
                        offset: spot.offset,
                        length: spot.length,
                        due,
                    });
                }
                self.next_file();
            }
            if !self.starts_over() {
                return Step::Done;
            }
            self.pass += 1;
            self.begin_pass();
            if self.job.between_passes != BetweenPasses::Nothing {
                self.wished = Some(way);
                return Step::Between;
            }
        }
    }

    fn next_file(&mut self) {
        self.file = if self.file + 1 == self.patterns.len() {
            0
        } else {
            self.file + 1
        };
    }

    /// Goes to another file when this one has had its turn.
    #[inline]
    fn turn(&mut self) {
        if self.patterns.len() == 1 {
            return;
        }
        if self.turn_left > 0 {
            self.turn_left -= 1;
            return;
        }
        match self.job.turn {
            Turn::Around(ios) => {
                self.next_file();
                self.turn_left = ios - 1;
            }
            Turn::Random(ios) => {
                self.file = self.random.below(self.patterns.len() as u64) as usize;
                self.turn_left = ios - 1;
            }
            Turn::Sequential => {}
        }
    }

    fn hand_out(&mut self, io: Io) -> Step {
        self.issued_bytes += io.length;
        self.issued_in_pass += 1;
        self.issued += 1;
        self.schedule.step(io.way, io.length);
        if io.way == Way::Write {
            self.writes += 1;
            let due = |every: u64| every > 0 && self.writes.is_multiple_of(every);
            self.sync = if due(self.job.fsync_every) {
                Some((Kind::Fsync, io.file))
            } else if due(self.job.fdatasync_every) {
                Some((Kind::Fdatasync, io.file))
            } else {
                None
            };
        }
        if self.job.think_ns > 0 && self.issued.is_multiple_of(self.job.think_blocks) {
            self.think = Think::Due;
        }
        Step::Io(io)
    }

    /// All files are through: does the job go on?
    fn starts_over(&self) -> bool {
        let job = self.job;
        let rest = job.io_bytes.saturating_sub(self.issued_bytes);
        self.issued_in_pass > 0
            && (job.time_based
                || self.pass + 1 < job.loops
                || (job.io_size_given && rest >= job.largest_block()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::testing::{job, plan};

    /// Runs a course on a clock that stands still but for waits; reads, writes, syncs.
    fn counts(options: &str) -> [u64; 3] {
        let job = job(options);
        let stop = Stop::default();
        let mut course = Course::new(&job, &stop, 0);
        let (mut counts, mut now) = ([0; 3], 0);
        loop {
            match course.next(now) {
                Step::Io(io) => counts[usize::from(io.way.destroys())] += 1,
                Step::Sync { .. } => counts[2] += 1,
                Step::Wait(until) => now = until,
                Step::Between => {}
                Step::Done => return counts,
            }
        }
    }

    #[test]
    fn counts_are_those_of_fio() {
        // Every line was seen with fio 3.33 (ioengine=null).
        for (options, ios, syncs) in [
            ("rw=read\nsize=100k\nbs=3k", 33, 0),
            ("rw=randread\nsize=100k\nbs=3k", 33, 0),
            ("rw=randread\nsize=100k\nbs=3k\nnorandommap", 34, 0),
            ("rw=read\nsize=64k\nio_size=50%", 8, 0),
            ("rw=read\nsize=64k\nio_size=100k", 25, 0),
            ("rw=randread\nsize=64k\nio_size=100k", 25, 0),
            ("rw=read\nsize=64k\nio_size=30k\nbs=8k", 4, 0),
            ("rw=read\nsize=64k\nloops=3", 48, 0),
            ("rw=read\nsize=16k\nloops=2\nbs=3k", 10, 0),
            ("rw=read\nsize=100k\nbs=3k\nio_size=300k", 100, 0),
            ("rw=read\nsize=100k\nnrfiles=3", 24, 0),
            ("rw=read\nfilesize=64k\nnrfiles=2\nsize=64k", 16, 0),
            ("rw=read\nfilesize=64k\nnrfiles=2", 32, 0),
            ("rw=read\nsize=50%\nfilesize=64k", 8, 0),
            ("rw=read:4k\nsize=64k", 16, 0),
            ("rw=read:512k\nsize=128m\nbs=1m", 85, 0),
            ("rw=read\nsize=0x10000", 16, 0),
            ("rw=read:-8k\nsize=1m", 256, 0),
            ("rw=randread:8\nsize=1m", 256, 0),
            ("rw=randread\nsize=1m\npercentage_random=50", 256, 0),
            ("rw=randread\nsize=1m\nrandom_distribution=zipf:1.2", 256, 0),
            ("rw=read\nsize=1m\nnumber_ios=17", 17, 0),
            ("rw=write\nsize=64k\nfsync=5", 16, 3),
            ("rw=write\nsize=64k\nfsync=4", 16, 3),
            ("rw=write\nsize=64k\nfsync=4\nfdatasync=2", 16, 7),
            ("rw=write\nsize=230k\nbs=2300\nfdatasync=1", 102, 102),
        ] {
            let job = job(options);
            let [reads, writes, seen] = counts(options);
            assert_eq!((reads + writes, seen), (ios, syncs), "{options}");
            assert_eq!(job.expected_ios, Some(ios), "{options}");
        }
    }

    #[test]
    fn a_mixed_job_does_its_size_once_and_about_half_of_each() {
        let [reads, writes, _] = counts("rw=rw\nsize=8m\nbs=8k\nrwmixread=50");
        assert_eq!(reads + writes, 1024);
        // 512 expected, standard deviation 16: six of them.
        assert!((416..=608).contains(&reads), "{reads}");
    }

    #[test]
    fn a_rate_and_a_time_bound_the_count() {
        assert_eq!(
            counts("rw=randread\nsize=64k\ntime_based\nruntime=2\nrate_iops=1000"),
            [2000, 0, 0]
        );
        assert_eq!(
            counts("rw=read\nsize=64k\ntime_based\nruntime=1\nthinktime=1000"),
            [1000, 0, 0]
        );
    }

    #[test]
    fn files_take_their_turns() {
        let files = |options: &str| -> Vec<usize> {
            let job = job(&format!(
                "rw=read\nsize=48k\nnrfiles=3\ntime_based\nruntime=1\n{options}"
            ));
            let stop = Stop::default();
            let mut course = Course::new(&job, &stop, 0);
            let ios = (0..14).map(|_| match course.next(0) {
                Step::Io(io) => io.file,
                other => panic!("{other:?}"),
            });
            ios.collect()
        };
        let in_order = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0];
        assert_eq!(files("file_service_type=sequential"), in_order);
        // System calls of fio 3.33: two of each in turn.
        let pairs = [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0];
        assert_eq!(files("file_service_type=roundrobin:2"), pairs);
        let any = files("file_service_type=random");
        assert!(any.iter().any(|file| *file != any[0]), "{any:?}");
    }

    #[test]
    fn a_pass_that_finds_nothing_ends_the_job() {
        let mut plan = plan("rw=read\nsize=64k\ntime_based\nruntime=1");
        plan.jobs[0].files[0].region_bytes = 100;
        let stop = Stop::default();
        assert_eq!(Course::new(&plan.jobs[0], &stop, 0).next(0), Step::Done);
    }

    #[test]
    fn a_stop_request_ends_it() {
        let job = job("rw=read\nsize=64k");
        let stop = Stop::default();
        let mut course = Course::new(&job, &stop, 0);
        assert!(matches!(course.next(0), Step::Io(_)));
        stop.set();
        assert_eq!(course.next(0), Step::Done);
    }
}
