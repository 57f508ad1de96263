//! Log-linear buckets, the same function in the probe and in user space.
//!
//! A scale cuts the values below `2^sub_bits` units into single units and every power of two above
//! into `2^sub_bits` equal parts, so a bucket is never wider than `2^-sub_bits` of its lower bound.
//! What lies beyond the last bucket is counted in one overflow bucket, never dropped.

/// How values of one kind are cut into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Stable name, written to capture files.
    pub name: &'static str,
    /// log2 of the unit that values are counted in (4: sixteen nanoseconds, 9: one sector).
    pub unit_shift: u32,
    /// log2 of the number of buckets in one power of two.
    pub sub_bits: u32,
    /// Values from `2^max_bits` units on go to the overflow bucket.
    pub max_bits: u32,
}

/// Nanoseconds: 0.8 % half-width from 1 us to 137 s.
pub const LATENCY: Scale = Scale {
    name: "latency_ns",
    unit_shift: 4,
    sub_bits: 6,
    max_bits: 33,
};
/// Bytes, counted in sectors: exact for multiples of 4 KiB up to 256 KiB, then 1.6 % half-width to 4 GiB.
pub const SIZE: Scale = Scale {
    name: "size_bytes",
    unit_shift: 9,
    sub_bits: 5,
    max_bits: 23,
};
/// Requests in flight or bios in a request: exact below 32, then 3.1 % half-width to 65,535.
pub const COUNT: Scale = Scale {
    name: "count",
    unit_shift: 0,
    sub_bits: 4,
    max_bits: 16,
};

/// Every scale, for reading a capture file.
pub const SCALES: &[Scale] = &[LATENCY, SIZE, COUNT];

impl Scale {
    /// Number of buckets, the overflow bucket (the last one) included.
    pub const fn buckets(&self) -> usize {
        (((self.max_bits - self.sub_bits + 1) as usize) << self.sub_bits) + 1
    }

    /// The bucket that `value` belongs to, always below [`Scale::buckets`].
    #[inline(always)]
    pub fn index(&self, value: u64) -> usize {
        let units = value >> self.unit_shift;
        if units >> self.max_bits != 0 {
            return self.buckets() - 1;
        }
        if units >> self.sub_bits == 0 {
            return units as usize;
        }
        let shift = log2(units) - self.sub_bits;
        ((shift as usize) << self.sub_bits) + (units >> shift) as usize
    }

    /// The smallest value of a bucket.
    pub const fn floor(&self, index: usize) -> u64 {
        let sub = 1usize << self.sub_bits;
        if index < sub {
            return (index as u64) << self.unit_shift;
        }
        let shift = (index >> self.sub_bits) - 1;
        let units = ((index & (sub - 1)) + sub) as u64;
        (units << shift) << self.unit_shift
    }

    /// The bound below which all values of a bucket lie; `None` for the overflow bucket.
    pub const fn ceiling(&self, index: usize) -> Option<u64> {
        if index + 1 >= self.buckets() {
            None
        } else {
            Some(self.floor(index + 1))
        }
    }
}

/// The position of the highest bit of a number that is not 0 and below 2^40. BPF has no instruction for it; a
/// table and three well-predicted branches are a third of the work of LLVM's expansion.
#[inline(always)]
fn log2(value: u64) -> u32 {
    const fn table() -> [u8; 256] {
        let mut table = [0; 256];
        let mut value = 1u32;
        while value < 256 {
            table[value as usize] = value.ilog2() as u8;
            value += 1;
        }
        table
    }
    static OF_BYTE: [u8; 256] = table();
    let mut shift = 0;
    while shift < 32 && value >> (shift + 8) != 0 {
        shift += 8;
    }
    let shift = opaque(shift);
    let byte = low_bits::<8>(value >> shift);
    // SAFETY: at most 255.
    shift as u32 + u32::from(unsafe { *OF_BYTE.get_unchecked(byte) })
}

#[cfg(target_arch = "bpf")]
use crate::asm::opaque;

#[cfg(not(target_arch = "bpf"))]
fn opaque(value: usize) -> usize {
    value
}

#[cfg(target_arch = "bpf")]
use crate::asm::masked as low_bits;

#[cfg(not(target_arch = "bpf"))]
fn low_bits<const BITS: u32>(value: u64) -> usize {
    value as usize & ((1 << BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_bucket_of_each_scale_is_the_overflow() {
        for scale in SCALES {
            let limit = 1u64 << (scale.max_bits + scale.unit_shift);
            assert_eq!(scale.index(limit), scale.buckets() - 1, "{}", scale.name);
            assert_eq!(
                scale.index(limit - 1),
                scale.buckets() - 2,
                "{}",
                scale.name
            );
            assert_eq!(scale.floor(scale.buckets() - 1), limit, "{}", scale.name);
        }
    }

    #[test]
    fn bucket_counts_are_those_the_tables_are_sized_for() {
        // (33 - 6 + 1) * 64 + 1, (23 - 5 + 1) * 32 + 1, (16 - 4 + 1) * 16 + 1
        assert_eq!(
            (LATENCY.buckets(), SIZE.buckets(), COUNT.buckets()),
            (1793, 609, 209)
        );
    }

    #[test]
    fn sizes_that_databases_use_are_exact() {
        for kib in (4..=256).step_by(4) {
            let bytes = kib * 1024;
            assert_eq!(SIZE.floor(SIZE.index(bytes)), bytes, "{kib} KiB");
        }
    }

    proptest! {
        #[test]
        fn the_highest_bit_is_found(value in 1u64..1 << 40) {
            prop_assert_eq!(log2(value), 63 - value.leading_zeros());
        }

        #[test]
        fn a_value_lies_in_its_bucket(value in 0u64..1 << 40, which in 0usize..3) {
            let scale = &SCALES[which];
            let index = scale.index(value);
            prop_assert!(scale.floor(index) <= value);
            if let Some(end) = scale.ceiling(index) {
                prop_assert!(value < end);
            }
        }

        #[test]
        fn the_middle_of_a_latency_bucket_is_within_one_percent(value in 1_000u64..100_000_000_000) {
            let index = LATENCY.index(value);
            let middle = (LATENCY.floor(index) + LATENCY.ceiling(index).unwrap()) as f64 / 2.0;
            prop_assert!((middle - value as f64).abs() / value as f64 <= 0.01);
        }
    }
}
