//! Random numbers that are the same everywhere.

/// SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to 1, 1 left out.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A share in whole thousandths, so that it survives being written and read.
    pub(crate) fn thousandths(&mut self, from: f64, to: f64) -> f64 {
        ((from + (to - from) * self.share()) * 1000.0).round() / 1000.0
    }

    /// 0 to `end`, `end` left out.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len() as u64) as usize;
        from.get(index)
    }

    /// The median times e to the power of a normal variable (twelve uniform ones added up).
    pub(crate) fn log_normal(&mut self, median: f64, spread: f64) -> f64 {
        let normal: f64 = (0..12).map(|_| self.share()).sum::<f64>() - 6.0;
        median * (normal * spread).exp()
    }
}
