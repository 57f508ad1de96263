//! A small fast generator of pseudo-random numbers (xoshiro256++), seeded and repeatable.

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

/// Spreads a seed over 64 bits (splitmix64).
pub(super) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut state = [0; 4];
        let mut last = seed;
        for word in &mut state {
            last = mix(last);
            *word = last;
        }
        Self(state)
    }

    #[inline]
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless stream needs no Option"
    )]
    pub fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `n`; 0 when `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        // The bias is below n / 2^64: no block count makes it visible.
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high - low).saturating_add(1))
    }

    /// Random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        let (words, rest) = bytes.as_chunks_mut::<8>();
        for word in words {
            *word = self.next().to_le_bytes();
        }
        let last = self.next().to_le_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_spread_evenly_and_stay_below() {
        let mut random = Random::new(3);
        let mut seen = [0u32; 10];
        for _ in 0..100_000 {
            seen[random.below(10) as usize] += 1;
        }
        // 10,000 each, standard deviation 95: six of them.
        assert!(
            seen.iter().all(|n| (9_430..=10_570).contains(n)),
            "{seen:?}"
        );
        assert_eq!(random.below(0), 0);
        assert_eq!(random.between(5, 5), 5);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (mut a, mut b, mut c) = (Random::new(1), Random::new(1), Random::new(2));
        let first: Vec<_> = (0..4).map(|_| a.next()).collect();
        assert_eq!(first, (0..4).map(|_| b.next()).collect::<Vec<_>>());
        assert_ne!(first, (0..4).map(|_| c.next()).collect::<Vec<_>>());
    }
}
