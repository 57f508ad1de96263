//! How the fields of fio's terse output lie. Its versions differ in more than their number says: fio 1
//! and fio 3 both print a version 2, and the oldest have no version at all.

/// The places of one line's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Field of the job's name; group and error follow.
    pub(super) name: usize,
    /// Blocks: read, write and, in some versions, trim.
    pub(super) ops: usize,
    pub(super) iops: bool,
    pub(super) percentiles: bool,
    /// Total latencies, which the oldest lack.
    pub(super) total: bool,
    /// Numbers behind the bandwidth statistics that only version 5 has.
    samples: usize,
}

impl Layout {
    /// Fields of one op.
    pub(super) fn block(self) -> usize {
        let places = [
            3 + usize::from(self.iops),
            4 + 4,
            20 * usize::from(self.percentiles),
            4 * usize::from(self.total),
            5 + self.samples,
        ];
        places.iter().sum()
    }

    /// First field of the first op.
    pub(super) fn first(self) -> usize {
        self.name + 3
    }

    /// The layout after which the fields of the CPU and of the depths are where they must be.
    pub(super) fn of(version: u32, fields: &[&str]) -> Option<Self> {
        let samples = if version == 5 { 6 } else { 0 };
        // Version 2 has no field for fio's own version, and before it there was no version either.
        let name = match version {
            0 => 0,
            2 => 1,
            _ => 2,
        };
        let yes = [true].as_slice();
        let either = [true, false].as_slice();
        let op_counts = if version == 3 { [2, 3] } else { [3, 2] };
        let iops = if version <= 2 { either } else { yes };
        let totals = if version == 0 { either } else { yes };
        for ops in op_counts {
            for &iops in iops {
                for &total in totals {
                    for percentiles in [true, false] {
                        let layout = Self {
                            name,
                            ops,
                            iops,
                            percentiles,
                            total,
                            samples,
                        };
                        if layout.fits(fields) {
                            return Some(layout);
                        }
                    }
                }
            }
        }
        None
    }

    fn fits(self, fields: &[&str]) -> bool {
        let cpu = self.first() + self.ops * self.block();
        let Some(tail) = fields.get(cpu..cpu + 12) else {
            return false;
        };
        let is_percent = |at: usize| tail[at].ends_with('%');
        let counts = tail[2..5]
            .iter()
            .all(|field| field.trim().parse::<u64>().is_ok());
        is_percent(0) && is_percent(1) && counts && (5..12).all(is_percent)
    }
}
