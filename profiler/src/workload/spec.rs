//! What one job section says, typed, with fio's defaults; not yet resolved against the disk.

use super::problem::{Place, Problem};
use super::split::Split;
use super::units::{Amount, Base};
use serde::Serialize;
use std::collections::BTreeMap;

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

/// One job section.
#[derive(Clone, Debug)]
pub struct Spec {
    pub name: String,
    pub at: Place,
    pub base: Base,
    pub description: Option<String>,
    pub access: Access,
    pub read_percent: u64,
    pub block: [u64; 3],
    pub split: Option<[Split; 3]>,
    pub align: Option<[u64; 3]>,
    pub distribution: Distribution,
    /// Share of a random job's I/Os that is random.
    pub random_percent: [u64; 3],
    pub ios: Option<u64>,
    pub turn: Turn,
    pub size: Option<Amount>,
    pub file_size: Option<(u64, u64)>,
    pub io_size: Option<Amount>,
    pub offset: Amount,
    pub offset_increment: Amount,
    pub clones: u64,
    pub runtime_ns: Option<u64>,
    pub time_based: bool,
    pub ramp_ns: u64,
    pub delay_ns: (u64, u64),
    pub loops: u64,
    pub direct: bool,
    pub sync: SyncMode,
    pub fsync_every: u64,
    pub fdatasync_every: u64,
    pub end_fsync: bool,
    pub fsync_on_close: bool,
    pub depth: u64,
    /// 0 or `None`: as many as there is room for.
    pub submit: u64,
    pub complete_min: u64,
    pub low: Option<u64>,
    pub engine: Engine,
    /// The engine as written, when it is run as another.
    pub engine_alias: Option<String>,
    pub filename: Option<String>,
    pub filename_format: String,
    pub directory: Option<String>,
    pub files: u64,
    pub advice: Advice,
    pub invalidate: bool,
    pub stonewall: bool,
    pub new_group: bool,
    pub group_reporting: bool,
    pub repeatable: bool,
    pub seed: Option<u64>,
    pub random_map: bool,
    pub generator: Generator,
    pub think_ns: u64,
    pub think_blocks: u64,
    pub rate: [Option<Rate>; 3],
    pub process: Process,
    pub unlink: bool,
    pub before: Option<String>,
    pub after: Option<String>,
    pub percentiles: Option<Vec<f64>>,
    pub steady: Option<Steady>,
    /// Its criterion was given, not only its times.
    pub steady_wanted: bool,
    /// Beginnings of the names of log files: bandwidth, I/Os a second, latency.
    pub logs: [Option<String>; 3],
    pub log_window_ns: u64,
    pub create_only: bool,
    pub may_create: bool,
    pub pre_read: bool,
    pub kernel_polls: bool,
    pub cpus: Option<Vec<usize>>,
    /// Start when the job of this name, which stands above, has ended.
    pub wait_for: Option<String>,
    pub overwrite: bool,
    pub fallocate: Fallocate,
    pub content: Content,
    pub verify: Check,
    pub verify_pattern: Option<Vec<u8>>,
    pub verify_fatal: bool,
    /// Verify after writing.
    pub read_back: bool,
    /// Where each option that was given stands.
    pub places: BTreeMap<&'static str, Place>,
    /// What was given, as written, by the first name of the option.
    pub given: BTreeMap<&'static str, String>,
    /// Options whose value cannot be run here, by name: the job must not start.
    pub blocked: BTreeMap<&'static str, Problem>,
    /// What a reader of the results must know.
    pub notes: Vec<String>,
}

impl Spec {
    /// fio's defaults.
    pub fn new(at: Place) -> Self {
        const NO_BYTES: Amount = Amount::Bytes(super::units::Size {
            bytes: 0,
            inverted: false,
        });
        Self {
            name: String::new(),
            at,
            base: Base::K1024,
            description: None,
            access: Access {
                reads: true,
                writes: false,
                trims: false,
                random: false,
                gap_bytes: 0,
                run: 1,
                stays: false,
            },
            read_percent: 50,
            block: [4096; 3],
            split: None,
            align: None,
            distribution: Distribution::Even,
            random_percent: [100; 3],
            ios: None,
            turn: Turn::Around(1),
            size: None,
            file_size: None,
            io_size: None,
            offset: NO_BYTES,
            offset_increment: NO_BYTES,
            clones: 1,
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            delay_ns: (0, 0),
            loops: 1,
            direct: false,
            sync: SyncMode::None,
            fsync_every: 0,
            fdatasync_every: 0,
            end_fsync: false,
            fsync_on_close: false,
            depth: 1,
            submit: 0,
            complete_min: 1,
            low: None,
            engine: Engine::Psync,
            engine_alias: None,
            filename: None,
            filename_format: "$jobname.$jobnum.$filenum".to_owned(),
            directory: None,
            files: 1,
            advice: Advice::ByOrder,
            invalidate: true,
            stonewall: false,
            new_group: false,
            group_reporting: false,
            repeatable: true,
            seed: None,
            random_map: true,
            generator: Generator::Tausworthe,
            think_ns: 0,
            think_blocks: 1,
            rate: [None; 3],
            process: Process::Linear,
            unlink: false,
            before: None,
            after: None,
            percentiles: None,
            steady: None,
            steady_wanted: false,
            logs: [None, None, None],
            log_window_ns: 0,
            create_only: false,
            may_create: true,
            pre_read: false,
            kernel_polls: false,
            cpus: None,
            wait_for: None,
            overwrite: false,
            fallocate: Fallocate::Native,
            content: Content::Random {
                stamped: true,
                refilled: false,
            },
            verify: Check::None,
            verify_pattern: None,
            verify_fatal: false,
            read_back: true,
            places: BTreeMap::new(),
            given: BTreeMap::new(),
            blocked: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Where an option was set; the section's header when it was not.
    pub fn place(&self, option: &str) -> &Place {
        self.places.get(option).unwrap_or(&self.at)
    }

    /// Block sizes of reads, writes and trims.
    pub fn splits(&self) -> [Split; 3] {
        self.split
            .clone()
            .unwrap_or_else(|| self.block.map(Split::one))
    }
}
