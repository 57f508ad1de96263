//! A random order of 0..n that needs no memory per element.
//!
//! Both halves of a number are changed in turn by a function of the other half (a Feistel network),
//! which is one-to-one on a power of two; numbers from `n` on are sent through again until they
//! fall below it. The power of two is less than twice `n`, so that takes two rounds on average.

use super::random::mix;

const ROUNDS: usize = 3;

/// A one-to-one map of 0..n onto itself.
#[derive(Clone, Debug)]
pub struct Permutation {
    n: u64,
    /// Bits of the low and the high half.
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [[u64; 2]; ROUNDS],
}

impl Permutation {
    pub fn new(n: u64, seed: u64) -> Self {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let low_bits = bits.div_ceil(2);
        let mut key = seed;
        let mut next = || {
            key = mix(key);
            key
        };
        Self {
            n,
            low_bits,
            low_mask: (1 << low_bits) - 1,
            high_mask: (1 << (bits - low_bits)) - 1,
            keys: std::array::from_fn(|_| [next(), next()]),
        }
    }

    pub fn len(&self) -> u64 {
        self.n
    }

    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The element at position `index`, which must be below `len`.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.n);
        let mut x = index;
        loop {
            let mut low = x & self.low_mask;
            let mut high = x >> self.low_bits;
            for [a, b] in &self.keys {
                high ^= scramble(low, *a) & self.high_mask;
                low ^= scramble(high, *b) & self.low_mask;
            }
            x = (high << self.low_bits) | low;
            if x < self.n {
                return x;
            }
        }
    }
}

#[inline(always)]
fn scramble(half: u64, key: u64) -> u64 {
    let x = (half ^ key).wrapping_mul(0xd6e8_feb8_6659_fd93);
    // The high bits of the product depend on all bits of the half.
    x >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touches_each_once(n: u64, seed: u64) -> bool {
        let order = Permutation::new(n, seed);
        let mut seen = vec![false; n as usize];
        (0..n).all(|i| {
            let at = order.at(i) as usize;
            !std::mem::replace(&mut seen[at], true)
        })
    }

    #[test]
    fn every_small_size_is_a_permutation() {
        assert!((0..=260).all(|n| touches_each_once(n, n)));
    }

    proptest! {
        #[test]
        fn every_size_and_seed_is_a_permutation(n in 1u64..100_000, seed in any::<u64>()) {
            prop_assert!(touches_each_once(n, seed));
        }

        #[test]
        fn large_orders_stay_inside_and_do_not_meet(n in 1u64 << 32..1 << 40, seed in any::<u64>(), a in 0u64..1 << 32, b in 0u64..1 << 32) {
            let order = Permutation::new(n, seed);
            prop_assert!(order.at(a) < n && order.at(b) < n);
            prop_assert_eq!(order.at(a) == order.at(b), a == b);
        }
    }

    #[test]
    fn the_order_is_random() {
        // Of 100,000 steps of a random order hardly any goes to the next block (1 is expected).
        let order = Permutation::new(100_000, 9);
        let sequential = (1..100_000)
            .filter(|i| order.at(*i) == order.at(i - 1) + 1)
            .count();
        assert!(sequential < 12, "{sequential}");
        // The mean distance of random pairs is n / 3; standard deviation of the mean is 75.
        let total: u64 = (1..100_000)
            .map(|i| order.at(i).abs_diff(order.at(i - 1)))
            .sum();
        let mean = total / 99_999;
        assert!((32_500..34_200).contains(&mean), "{mean}");
    }
}
