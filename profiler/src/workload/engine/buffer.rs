//! Page-aligned buffers, one for each I/O in flight, and what write buffers hold.

use super::verify;
use crate::workload::pattern::Random;
use crate::workload::plan::Job;
use crate::workload::spec::{Check, Content};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Alignment that direct I/O accepts everywhere.
const PAGE: usize = 4096;
/// A stamp every so many bytes: no device sector and no page is twice the same.
const STAMP_EVERY: usize = 512;

#[derive(Clone, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(4096))]
struct Page([u8; PAGE]);

/// Buffers of equal length in one piece of memory.
pub(super) struct Buffers {
    pages: Vec<Page>,
    pages_each: usize,
    content: Content,
    random: Random,
    stamp: u64,
    /// Each block carries a header by which it is verified.
    sealed: bool,
}

impl Buffers {
    /// `count` buffers for the job's largest block; an error when the memory is not there.
    pub(super) fn new(job: &Job, count: usize) -> Result<Self, String> {
        let pages_each = usize::try_from(job.largest_block().div_ceil(PAGE as u64))
            .map_err(|_| "the block size is too large".to_owned())?;
        let total = pages_each
            .checked_mul(count)
            .ok_or("the buffers are too large")?;
        let mut pages = Vec::new();
        pages.try_reserve_exact(total).map_err(|_| {
            format!(
                "no memory for {count} buffers of {} bytes",
                pages_each * PAGE
            )
        })?;
        // Touched now, so that the first I/Os do not pay for page faults.
        pages.resize(total, Page([0; PAGE]));
        let mut buffers = Self {
            pages,
            pages_each,
            content: job.content.clone(),
            random: Random::new(job.seed ^ 0xb0ff),
            stamp: job.seed,
            sealed: job.verify == Check::Crc32c,
        };
        if job.access.writes {
            buffers.fill();
        }
        Ok(buffers)
    }

    fn fill(&mut self) {
        let bytes = self.pages.as_mut_slice().as_mut_bytes();
        match &self.content {
            Content::Random { .. } => self.random.fill(bytes),
            Content::Zeros => bytes.fill(0),
            Content::Pattern(pattern) => {
                for buffer in bytes.chunks_mut(self.pages_each * PAGE) {
                    for (byte, value) in buffer.iter_mut().zip(pattern.iter().cycle()) {
                        *byte = *value;
                    }
                }
            }
        }
    }

    /// Length of each buffer.
    pub(super) fn each(&self) -> usize {
        self.pages_each * PAGE
    }

    /// The memory of all buffers, one after another.
    pub(super) fn memory(&mut self) -> &mut [u8] {
        self.pages.as_mut_slice().as_mut_bytes()
    }

    /// Where a buffer begins.
    pub(super) fn pointer(&mut self, index: usize) -> *mut u8 {
        let each = self.each();
        self.memory().as_mut_ptr().wrapping_add(index * each)
    }

    /// The first `length` bytes of a buffer.
    #[inline]
    pub(super) fn get(&mut self, index: usize, length: usize) -> &mut [u8] {
        let start = index * self.pages_each;
        let pages = &mut self.pages[start..start + self.pages_each];
        &mut pages.as_mut_bytes()[..length]
    }

    /// Makes a buffer ready to be written at byte `at` of a file.
    #[inline]
    pub(super) fn prepare(&mut self, index: usize, length: usize, at: u64) {
        self.fill_anew(index, length);
        if self.sealed {
            verify::seal(self.get(index, length), at);
        }
    }

    #[inline]
    fn fill_anew(&mut self, index: usize, length: usize) {
        let Content::Random { stamped, refilled } = self.content else {
            return;
        };
        if refilled {
            let mut random = self.random.clone();
            random.fill(self.get(index, length));
            self.random = random;
        } else if stamped {
            self.stamp = self.stamp.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut stamp = self.stamp;
            for sector in self.get(index, length).chunks_mut(STAMP_EVERY) {
                if let Some(head) = sector.first_chunk_mut() {
                    *head = stamp.to_le_bytes();
                }
                stamp = stamp.rotate_left(7);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::testing::job;

    #[test]
    fn buffers_are_aligned_and_follow_the_pattern() {
        let mut buffers = Buffers::new(
            &job("rw=write\nsize=64k\nbs=3000\nbuffer_pattern=0x1122"),
            3,
        )
        .unwrap();
        assert_eq!(buffers.each(), 4096);
        for index in 0..3 {
            assert_eq!(buffers.pointer(index) as usize % 4096, 0);
            assert_eq!(buffers.get(index, 4), [0x11, 0x22, 0x11, 0x22]);
        }
    }

    #[test]
    fn no_two_written_blocks_are_alike() {
        let mut buffers = Buffers::new(&job("rw=write\nsize=64k\nbs=8k"), 1).unwrap();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..100 {
            buffers.prepare(0, 8192, 0);
            let block = buffers.get(0, 8192);
            assert!(block.chunks(512).all(|sector| seen.insert(sector.to_vec())));
        }
    }
}
