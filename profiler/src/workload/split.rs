//! Block sizes of one direction: one size, or a table drawn by count (`bssplit`).

use super::units::{self, Base};
use serde::Serialize;

/// The largest block one I/O may have; a length must fit the kernel's 31 bits.
pub const LARGEST: u64 = 1 << 30;

/// One entry of a table: `weight` of every `total` I/Os have this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    pub block_bytes: u64,
    pub percent: u64,
}

/// Which block sizes a direction uses, and how often (by number of I/Os, not by bytes).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Split {
    Table(Vec<Share>),
    /// Every multiple of `from_bytes` below `to_bytes`, all alike, and `to_bytes` for what is left.
    Range {
        from_bytes: u64,
        to_bytes: u64,
    },
}

impl Split {
    /// Always the same size.
    pub fn one(block_bytes: u64) -> Self {
        Self::Table(vec![Share {
            block_bytes,
            percent: 100,
        }])
    }

    /// From one size to another in steps of the smaller one.
    pub fn range(from_bytes: u64, to_bytes: u64) -> Self {
        if from_bytes == to_bytes {
            return Self::one(from_bytes);
        }
        Self::Range {
            from_bytes,
            to_bytes,
        }
    }

    /// The sizes there are; of a range its ends.
    pub fn sizes(&self) -> Vec<u64> {
        match self {
            Self::Table(shares) => shares.iter().map(|s| s.block_bytes).collect(),
            Self::Range {
                from_bytes,
                to_bytes,
            } => vec![*from_bytes, *to_bytes],
        }
    }

    pub fn smallest(&self) -> u64 {
        match self {
            Self::Table(shares) => shares.iter().map(|s| s.block_bytes).min().unwrap_or(1),
            Self::Range { from_bytes, .. } => *from_bytes,
        }
    }

    pub fn largest(&self) -> u64 {
        match self {
            Self::Table(shares) => shares.iter().map(|s| s.block_bytes).max().unwrap_or(1),
            Self::Range { to_bytes, .. } => *to_bytes,
        }
    }

    /// The only size; `None` when there are several.
    #[inline]
    pub fn single(&self) -> Option<u64> {
        (self.smallest() == self.largest()).then(|| self.smallest())
    }

    /// The size that `roll` (any number) chooses among those up to `room`; `None`: none fits.
    pub fn pick(&self, roll: u64, room: u64) -> Option<u64> {
        match self {
            Self::Table(shares) => pick(shares, roll, room),
            Self::Range {
                from_bytes,
                to_bytes,
            } => {
                // As seen in fio: a number up to the largest size, rounded up to a step.
                let most = if room >= *to_bytes {
                    *to_bytes
                } else {
                    room - room % from_bytes
                };
                (most > 0).then(|| ((roll % most / from_bytes + 1) * from_bytes).min(most))
            }
        }
    }
}

fn pick(shares: &[Share], roll: u64, room: u64) -> Option<u64> {
    let fitting = || shares.iter().filter(|s| s.block_bytes <= room);
    let total: u64 = fitting().map(|s| s.percent).sum();
    if total == 0 {
        // Only entries of 0 % fit: the smallest serves, so that a file can be finished.
        return fitting().map(|s| s.block_bytes).min();
    }
    let mut left = roll % total;
    for share in fitting() {
        if left < share.percent {
            return Some(share.block_bytes);
        }
        left -= share.percent;
    }
    None
}

/// What `bssplit` said, with remarks that a reader must know.
pub struct Parsed {
    pub read: Split,
    pub write: Split,
    pub trim: Split,
    pub remarks: Vec<String>,
}

/// `4k/10:64k/50:32k/40`, blanks share the rest; `READ,WRITE` gives each direction its own.
pub fn parse(text: &str, base: Base) -> Result<Parsed, String> {
    let mut remarks = Vec::new();
    let mut tables = text.split(',');
    let read = table(tables.next().unwrap_or(""), base, &mut remarks)?;
    let write = match tables.next() {
        Some(text) => table(text, base, &mut remarks)?,
        None => read.clone(),
    };
    let trim = match tables.next() {
        Some(text) => table(text, base, &mut remarks)?,
        None => write.clone(),
    };
    if let Some(fourth) = tables.next() {
        return Err(format!(
            "`{fourth}`: at most three tables (read, write, trim)"
        ));
    }
    Ok(Parsed {
        read,
        write,
        trim,
        remarks,
    })
}

fn table(text: &str, base: Base, remarks: &mut Vec<String>) -> Result<Split, String> {
    let mut entries = Vec::new();
    for part in text.split(':') {
        let (size, percent) = match part.split_once('/') {
            None => (part, None),
            Some((size, "")) => (size, None),
            Some((size, percent)) => {
                let percent: u64 = percent
                    .trim()
                    .parse()
                    .map_err(|_| format!("`{percent}` is not a percentage"))?;
                (size, Some(percent))
            }
        };
        entries.push((block(size, base)?, percent));
    }
    let given: u64 = entries
        .iter()
        .filter_map(|(_, percent)| *percent)
        .try_fold(0u64, u64::checked_add)
        .unwrap_or(u64::MAX);
    if given > 100 {
        return Err(format!(
            "the percentages of `{text}` add up to {given}, more than 100"
        ));
    }
    Ok(Split::Table(aligned(
        filled(entries, given, text, remarks),
        remarks,
    )))
}

/// Gives the blanks their part of what is missing to 100; without blanks the last entry takes it.
fn filled(
    entries: Vec<(u64, Option<u64>)>,
    given: u64,
    text: &str,
    remarks: &mut Vec<String>,
) -> Vec<Share> {
    let blanks = entries.iter().filter(|(_, p)| p.is_none()).count() as u64;
    let each = (100 - given).checked_div(blanks).unwrap_or(0);
    let mut shares: Vec<Share> = entries
        .into_iter()
        .map(|(block_bytes, percent)| Share {
            block_bytes,
            percent: percent.unwrap_or(each),
        })
        .collect();
    let sum: u64 = shares.iter().map(|s| s.percent).sum();
    if let Some(last) = shares.last_mut()
        && sum < 100
    {
        if blanks == 0 {
            remarks.push(format!(
                "the percentages of `{text}` add up to {sum}; the last entry takes the rest, as in fio"
            ));
        }
        last.percent += 100 - sum;
    }
    shares
}

/// As fio without `bs_unaligned`: every size is cut to a multiple of the smallest.
fn aligned(shares: Vec<Share>, remarks: &mut Vec<String>) -> Vec<Share> {
    let smallest = shares.iter().map(|s| s.block_bytes).min().unwrap_or(1);
    shares
        .into_iter()
        .map(|mut share| {
            let excess = share.block_bytes % smallest;
            if excess != 0 {
                let cut = share.block_bytes - excess;
                remarks.push(format!(
                    "block size {} is used as {cut}, a multiple of the smallest ({smallest}), as in fio",
                    share.block_bytes
                ));
                share.block_bytes = cut;
            }
            share
        })
        .collect()
}

/// A block size: at least one byte, at most [`LARGEST`].
pub fn block(text: &str, base: Base) -> Result<u64, String> {
    match units::size(text, base)?.bytes {
        0 => Err("a block size must not be 0".to_owned()),
        bytes if bytes > LARGEST => Err(format!(
            "`{text}` is larger than the limit of 1g for a block"
        )),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percents(split: &Split) -> Vec<(u64, u64)> {
        match split {
            Split::Table(shares) => shares.iter().map(|s| (s.block_bytes, s.percent)).collect(),
            Split::Range { .. } => Vec::new(),
        }
    }

    #[test]
    fn blanks_share_the_rest_and_a_lone_size_is_everything() {
        let parsed = parse("512/25:1k/:2k/:4k/", Base::K1024).unwrap();
        assert_eq!(
            percents(&parsed.read),
            [(512, 25), (1024, 25), (2048, 25), (4096, 25)]
        );
        assert_eq!(
            percents(&parse("4k", Base::K1024).unwrap().write),
            [(4096, 100)]
        );
    }

    #[test]
    fn a_comma_parts_reads_and_writes() {
        let parsed = parse("64k/40:1024k/60,1024k/100", Base::K1024).unwrap();
        assert_eq!(percents(&parsed.read), [(65536, 40), (1 << 20, 60)]);
        assert_eq!(percents(&parsed.write), [(1 << 20, 100)]);
    }

    #[test]
    fn sums_over_100_are_refused_with_the_sum() {
        assert!(
            parse("4k/60:8k/60", Base::K1024)
                .err()
                .unwrap()
                .contains("120")
        );
        for text in [
            "",
            "4k/x",
            "0/100",
            "4k/50,4k/50,4k/50,4k/50",
            "2g",
            "4k/-1:8k",
        ] {
            assert!(parse(text, Base::K1024).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_drawn_as_fio_does() {
        // Latency log of fio 3.33, bsrange=4k-18k: 22.8 %, 21.9 %, 21.8 %, 21.2 % and 11.6 %.
        let split = Split::range(4 << 10, 18 << 10);
        let mut counts = std::collections::BTreeMap::new();
        for roll in 0..18 << 10 {
            *counts.entry(split.pick(roll, u64::MAX)).or_insert(0) += 1;
        }
        let expected = [(4, 4096), (8, 4096), (12, 4096), (16, 4096), (18, 2048)];
        let expected = expected.map(|(kib, n)| (Some(kib << 10), n));
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(split.pick(17 << 10, 9 << 10), Some(4 << 10));
        assert_eq!(split.pick(0, 4095), None);
    }

    #[test]
    fn a_pick_follows_the_table_and_the_room() {
        let split = parse("4k/25:8k/75", Base::K1024).unwrap().read;
        let eights = (0..100)
            .filter(|roll| split.pick(*roll, u64::MAX) == Some(8192))
            .count();
        assert_eq!(eights, 75);
        assert_eq!(split.pick(99, 8191), Some(4096));
        assert_eq!(split.pick(99, 4095), None);
    }
}
