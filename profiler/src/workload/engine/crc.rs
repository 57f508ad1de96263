//! CRC-32C (Castagnoli), by the processor's own instruction where there is one.

/// The polynomial 0x1EDC6F41, its bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut bit) = (byte as u32, 0);
        while bit < 8 {
            rest = (rest >> 1) ^ (POLYNOMIAL * (rest & 1));
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.2") {
        // SAFETY: the instruction was just found to be there.
        return unsafe { by_instruction(bytes) };
    }
    by_table(bytes)
}

fn by_table(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)];
    !bytes.iter().fold(!0, step)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.2")]
fn by_instruction(bytes: &[u8]) -> u32 {
    use std::arch::x86_64::{_mm_crc32_u8, _mm_crc32_u64};
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |crc: u64, word: &[u8; 8]| _mm_crc32_u64(crc, u64::from_le_bytes(*word));
    let crc = words.iter().fold(u64::from(!0u32), step);
    !rest
        .iter()
        .fold(crc as u32, |crc, byte| _mm_crc32_u8(crc, *byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        // RFC 3720, B.4: 32 bytes of zeros, of ones, and 0 to 31; and the check value of the polynomial.
        let counting: Vec<u8> = (0..32).collect();
        for crc in [by_table, crc32c] {
            assert_eq!(crc(&[0; 32]), 0x8a91_36aa);
            assert_eq!(crc(&[0xff; 32]), 0x62a8_ab43);
            assert_eq!(crc(&counting), 0x46dd_794e);
            assert_eq!(crc(b"123456789"), 0xe306_9283);
        }
    }

    proptest! {
        #[test]
        fn both_ways_agree(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(by_table(&bytes), crc32c(&bytes));
        }
    }
}
