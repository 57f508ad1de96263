//! Which blocks of a region are still free: one bit a block, and levels above that skip full words.

/// The free blocks among 0..n.
pub(super) struct Vacancy {
    /// Bit `i` of a level is set when word `i` of the level below is full; in the lowest, when
    /// block `i` is taken. Bits past the end are set.
    levels: Vec<Vec<u64>>,
}

impl Vacancy {
    /// All of `blocks` blocks are free.
    pub(super) fn new(blocks: u64) -> Self {
        let mut levels = Vec::new();
        let mut bits = blocks;
        loop {
            let mut words = vec![0; bits.div_ceil(64).max(1) as usize];
            if let Some(last) = words.last_mut() {
                *last = match (bits, bits % 64) {
                    (0, _) => u64::MAX,
                    (_, 0) => 0,
                    (_, used) => u64::MAX << used,
                };
            }
            bits = words.len() as u64;
            levels.push(words);
            if bits == 1 {
                return Self { levels };
            }
        }
    }

    /// The first free block from `from` on, else the first of all.
    pub(super) fn first_from(&self, from: u64) -> Option<u64> {
        self.search(0, from).or_else(|| self.search(0, 0))
    }

    fn search(&self, level: usize, from: u64) -> Option<u64> {
        let words = self.levels.get(level)?;
        let at = from / 64;
        let here = !words.get(at as usize)? & (u64::MAX << (from % 64));
        if here != 0 {
            return Some(at * 64 + u64::from(here.trailing_zeros()));
        }
        let next = self.search(level + 1, at + 1)?;
        Some(next * 64 + u64::from(words[next as usize].trailing_ones()))
    }

    /// Takes the free blocks from `from` on, `most` of them or up to the first taken; how many.
    pub(super) fn take(&mut self, from: u64, most: u64) -> u64 {
        let mut taken = 0;
        while taken < most {
            let at = from + taken;
            let Some(word) = self.levels[0].get_mut((at / 64) as usize) else {
                break;
            };
            let free = u64::from((!*word >> (at % 64)).trailing_ones());
            let count = free.min(most - taken);
            if count == 0 {
                break;
            }
            *word |= (u64::MAX >> (64 - count)) << (at % 64);
            taken += count;
            self.carry(at / 64);
        }
        taken
    }

    /// Tells the levels above when a word of the lowest has become full.
    fn carry(&mut self, mut word: u64) {
        for level in 1..self.levels.len() {
            if self.levels[level - 1][word as usize] != u64::MAX {
                return;
            }
            self.levels[level][(word / 64) as usize] |= 1 << (word % 64);
            word /= 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The same as a plain list of booleans, over sizes of one to three levels.
        #[test]
        fn it_is_a_list_of_free_blocks(
            blocks in prop_oneof![0u64..200, 4_000u64..9_000],
            steps in prop::collection::vec((any::<u64>(), 0u64..700), 1..60),
        ) {
            let mut vacancy = Vacancy::new(blocks);
            let mut plain = vec![true; blocks as usize];
            for (place, most) in steps {
                let from = place % (blocks + 1);
                let after = (from..blocks).chain(0..from).find(|i| plain[*i as usize]);
                prop_assert_eq!(vacancy.first_from(from), after);
                let Some(start) = after else { continue };
                let run = (start..blocks.min(start + most))
                    .take_while(|i| plain[*i as usize])
                    .count() as u64;
                prop_assert_eq!(vacancy.take(start, most), run);
                plain[start as usize..(start + run) as usize].fill(false);
            }
        }
    }

    #[test]
    fn a_full_one_has_nothing_and_gives_nothing() {
        let mut vacancy = Vacancy::new(300_000);
        assert_eq!(vacancy.take(0, 299_999), 299_999);
        assert_eq!(vacancy.first_from(5), Some(299_999));
        assert_eq!(vacancy.take(299_999, 9), 1);
        assert_eq!(vacancy.first_from(0), None);
        assert_eq!(vacancy.take(7, 1), 0);
    }
}
