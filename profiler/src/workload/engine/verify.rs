//! Reads back what a job wrote and holds it against what it should be.
//!
//! Blocks are not remembered: the course is gone through once more with the same random numbers, so
//! memory does not grow with the job. With `crc32c` each block carries its own header, which is
//! iosage's and no other tool's.

use super::clock;
use super::course::{Course, Io, Step};
use super::crc::crc32c;
use super::files::{self, Files};
use super::tally::{Kind, Tally, Times};
use crate::workload::Stop;
use crate::workload::plan::Job;
use crate::workload::spec::{Check, Way};
use rustix::io::Errno;

const MAGIC: &[u8; 8] = b"iosage\x01\n";
/// Magic, offset in the file, CRC of the rest, length.
pub(in crate::workload) const HEADER: usize = 24;

/// Puts the header on a block that goes to byte `at` of its file.
pub(super) fn seal(block: &mut [u8], at: u64) {
    let Some((head, rest)) = block.split_at_mut_checked(HEADER) else {
        return;
    };
    head[..8].copy_from_slice(MAGIC);
    head[8..16].copy_from_slice(&at.to_le_bytes());
    head[16..20].copy_from_slice(&crc32c(rest).to_le_bytes());
    head[20..].copy_from_slice(&(rest.len() as u32).to_le_bytes());
}

/// What is wrong with a block that was read from byte `at`.
fn fault(check: &Check, block: &[u8], at: u64) -> Option<String> {
    match check {
        Check::None => None,
        Check::Pattern(pattern) => {
            let wrong = block
                .iter()
                .zip(pattern.iter().cycle())
                .position(|(a, b)| a != b)?;
            Some(format!(
                "byte {wrong} of it is {:#04x}, the pattern says {:#04x}",
                block[wrong],
                pattern[wrong % pattern.len()]
            ))
        }
        Check::Crc32c => {
            let (head, rest) = block.split_at_checked(HEADER)?;
            let number = |from: usize| -> u32 {
                head[from..from + 4]
                    .iter()
                    .rev()
                    .fold(0, |n, b| n << 8 | u32::from(*b))
            };
            let place = u64::from(number(12)) << 32 | u64::from(number(8));
            if &head[..8] != MAGIC {
                Some("it does not begin with the header that was written".to_owned())
            } else if place != at {
                Some(format!("it was written for offset {place}"))
            } else if number(20) as usize != rest.len() {
                Some(format!(
                    "it was written with {} bytes",
                    number(20) as usize + HEADER
                ))
            } else if number(16) != crc32c(rest) {
                Some("its CRC-32C does not match".to_owned())
            } else {
                None
            }
        }
    }
}

/// Reads back the first `writes` writes of the job; an error names the first block that is wrong.
pub(super) fn run(
    job: &Job,
    files: &Files,
    writes: u64,
    stop: &Stop,
    tally: &mut Tally,
) -> Result<(), String> {
    for open in &files.0 {
        // What is still only in memory was not verified.
        files::flush(open, Kind::Fdatasync)?;
        files::drop_cache(&open.fd);
    }
    let plain = Job {
        rate: [None; 3],
        think_ns: 0,
        runtime_ns: None,
        fsync_every: 0,
        fdatasync_every: 0,
        ..job.clone()
    };
    let never = Stop::default();
    let mut course = Course::new(&plain, &never, 0);
    let mut back = Back::new(job)?;
    let mut left = writes;
    while left > 0 && !stop.is_set() {
        match course.next(0) {
            Step::Io(io) => {
                left -= 1;
                back.one(job, files, &io, tally)?;
            }
            Step::Between | Step::Sync { .. } => {}
            Step::Wait(_) | Step::Done => break,
        }
    }
    match back.wrong {
        None => Ok(()),
        Some((first, 1)) => Err(first),
        Some((first, n)) => Err(format!("{first}; {n} blocks are wrong in all")),
    }
}

/// The state of reading back.
struct Back {
    buffers: super::buffer::Buffers,
    /// Blocks that were read already, by file, in jobs whose blocks can be numbered.
    seen: Vec<Vec<bool>>,
    block: u64,
    /// The first wrong block, and how many there are.
    wrong: Option<(String, u64)>,
}

impl Back {
    fn new(job: &Job) -> Result<Self, String> {
        let block = job.single_block().unwrap_or(0);
        let blocks = |region: u64| region.checked_div(block).unwrap_or(0) as usize;
        Ok(Self {
            buffers: super::buffer::Buffers::new(job, 1)?,
            seen: job
                .files
                .iter()
                .map(|file| vec![false; blocks(file.region_bytes)])
                .collect(),
            block,
            wrong: None,
        })
    }

    fn one(&mut self, job: &Job, files: &Files, io: &Io, tally: &mut Tally) -> Result<(), String> {
        let Some(open) = files.0.get(io.file).filter(|_| io.way == Way::Write) else {
            return Ok(());
        };
        if self.block > 0
            && io.offset.is_multiple_of(self.block)
            && let Some(seen) = self.seen[io.file].get_mut((io.offset / self.block) as usize)
            && std::mem::replace(seen, true)
        {
            return Ok(());
        }
        let at = open.start + io.offset;
        let buffer = self.buffers.get(0, io.length as usize);
        let submitted = clock::now();
        let mut done = 0;
        while done < buffer.len() {
            match rustix::io::pread(&open.fd, &mut buffer[done..], at + done as u64) {
                Ok(0) => return Err(files::ended(open, io, at)),
                Ok(n) => done += n,
                Err(Errno::INTR) => {}
                Err(error) => {
                    tally.error(Kind::Verify);
                    return Err(files::failure(
                        error,
                        "verifying",
                        &open.path,
                        at,
                        io.length,
                    ));
                }
            }
        }
        let times = Times {
            due: None,
            taken: submitted,
            submitted,
            completed: clock::now(),
        };
        tally.add(Kind::Verify, times, io.length);
        if let Some(fault) = fault(&job.verify, buffer, at) {
            tally.error(Kind::Verify);
            let told = format!(
                "verify: the {} bytes at offset {at} of {} are not what was written: {fault}",
                io.length,
                open.path.display()
            );
            if job.verify_fatal {
                return Err(told);
            }
            self.wrong.get_or_insert((told, 0)).1 += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_damage_is_told_apart() {
        let mut good = vec![5; 512];
        seal(&mut good, 4096);
        assert_eq!(fault(&Check::Crc32c, &good, 4096), None);
        let told = |change: fn(&mut Vec<u8>)| {
            let mut block = good.clone();
            change(&mut block);
            fault(&Check::Crc32c, &block, 4096).unwrap()
        };
        assert!(told(|b| b[100] ^= 1).contains("CRC-32C"));
        assert!(told(|b| b[0] = 0).contains("does not begin"));
        assert!(told(|b| b.truncate(256)).contains("with 512 bytes"));
        assert!(told(|b| seal(b, 8192)).contains("for offset 8192"));
        let pattern = Check::Pattern(vec![1, 2]);
        assert_eq!(fault(&pattern, &[1, 2, 1], 0), None);
        assert!(
            fault(&pattern, &[1, 2, 3], 0)
                .unwrap()
                .starts_with("byte 2 of it is 0x03")
        );
    }
}
