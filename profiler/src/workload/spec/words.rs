//! The values that options choose from.

use serde::Serialize;

/// How I/O is handed to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// pread(2) and pwrite(2), one at a time.
    Psync,
    /// io_uring, up to `iodepth` at a time.
    IoUring,
    /// A mapping of the file, one I/O at a time.
    Mmap,
    /// No I/O at all: the job loop alone.
    Null,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Psync => "psync",
            Self::IoUring => "io_uring",
            Self::Mmap => "mmap",
            Self::Null => "null",
        }
    }
}

/// What one I/O does to its block. The number is its place in arrays of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    Read,
    Write,
    Trim,
}

impl Way {
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];

    /// What was there before is gone afterwards.
    pub fn destroys(self) -> bool {
        self != Self::Read
    }
}

/// Directions and order of a job's I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    pub reads: bool,
    /// It writes or trims.
    pub writes: bool,
    /// What it does to blocks, it does by trimming them.
    pub trims: bool,
    pub random: bool,
    /// Added to the position after each sequential I/O; negative: the job goes backwards.
    pub gap_bytes: i64,
    /// A random job draws a new offset after so many I/Os.
    pub run: u64,
    /// Between two draws it stays where it is, instead of going on in order.
    pub stays: bool,
}

impl Access {
    /// The way that is not reading.
    pub fn change(self) -> Way {
        if self.trims { Way::Trim } else { Way::Write }
    }

    pub fn does(self, way: Way) -> bool {
        match way {
            Way::Read => self.reads,
            Way::Write => self.writes && !self.trims,
            Way::Trim => self.trims,
        }
    }
}

/// How a random job chooses among the blocks of its region.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All alike.
    Even,
    /// The k-th most popular block is used in proportion to 1 / k^theta.
    Zipf { theta: f64, center: Option<f64> },
    /// A share `h` of the blocks gets the share `1 - h` of the I/Os, and so on within them.
    Pareto { h: f64, center: Option<f64> },
    /// A bell around the center; the deviation is a percentage of the region.
    Normal { percent: f64, center: Option<f64> },
    /// Parts of the region, each with its share of the I/Os.
    Zones([Vec<Zone>; 3]),
}

/// A part of the region.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Zone {
    /// Share of the I/Os.
    pub percent: u64,
    pub length: ZoneLength,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneLength {
    Percent(u64),
    Bytes(u64),
}

/// Whose turn it is among several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// One after another, so many I/Os each.
    Around(u64),
    /// Any, for so many I/Os.
    Random(u64),
    /// The next when one is through.
    Sequential,
}

/// How a queue is filled and emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Batch {
    /// Most I/Os handed in with one call.
    pub submit: u64,
    /// A call that waits, waits for so many completions.
    pub complete_min: u64,
    /// Most completions taken before more is handed in.
    pub complete_max: u64,
    /// A full queue is let run down to this many before more is handed in.
    pub low: u64,
}

/// What paces a job with a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Process {
    /// Even steps.
    Linear,
    /// Steps at random (exponential), as of many independent users.
    Poisson,
}

/// An upper bound on how much is begun in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    IosPerSecond(u64),
    BytesPerSecond(u64),
}

/// What the write calls promise by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncMode {
    None,
    Sync,
    Dsync,
}

/// How the room for a file is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fallocate {
    None,
    /// fallocate(2) where the filesystem has it.
    Native,
    /// The same, and an error where it has not.
    Posix,
    /// Reserved, the length left alone.
    Keep,
    /// Only the length is set.
    Truncate,
}

/// What the kernel is told about the order of the I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Advice {
    None,
    /// Random for random jobs, else sequential.
    ByOrder,
    Random,
    Sequential,
    Noreuse,
}

/// What write buffers hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Random bytes, made once; each block is stamped so that no two are alike if `stamped`.
    Random {
        stamped: bool,
        refilled: bool,
    },
    Zeros,
    Pattern(Vec<u8>),
}

/// How what was written is verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    None,
    /// Each block carries its place and a CRC.
    Crc32c,
    /// The whole block is this pattern again and again.
    Pattern(Vec<u8>),
}

/// What a steady state is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Watched {
    Ios,
    Bytes,
}

/// The job ends once what is watched has not changed by more than a limit for a while.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Steady {
    pub watched: Watched,
    /// By the slope of the line that fits best, instead of the largest deviation from the mean.
    pub slope: bool,
    /// The limit is a percentage of the mean.
    pub percent: bool,
    pub limit: f64,
    pub duration_ns: u64,
    pub ramp_ns: u64,
    pub interval_ns: u64,
}

impl Steady {
    /// Intervals in its duration.
    pub fn intervals(&self) -> usize {
        (self.duration_ns / self.interval_ns).max(1) as usize
    }
}

/// Which numbers a random job draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Generator {
    Tausworthe,
    Lfsr,
}
