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
    /// No I/O at all: the job loop alone.
    Null,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Psync => "psync",
            Self::IoUring => "io_uring",
            Self::Null => "null",
        }
    }
}

/// Directions and order of a job's I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    pub reads: bool,
    pub writes: bool,
    pub random: bool,
    /// Added to the position after each sequential I/O.
    pub gap_bytes: u64,
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
    pub block: [u64; 2],
    pub split: Option<[Split; 2]>,
    pub align: Option<[u64; 2]>,
    pub size: Option<Amount>,
    pub file_size: Option<(u64, u64)>,
    pub io_size: Option<Amount>,
    pub offset: Amount,
    pub offset_increment: Amount,
    pub clones: u64,
    pub runtime_ns: Option<u64>,
    pub time_based: bool,
    pub ramp_ns: u64,
    pub delay_ns: u64,
    pub loops: u64,
    pub direct: bool,
    pub sync: SyncMode,
    pub fsync_every: u64,
    pub fdatasync_every: u64,
    pub end_fsync: bool,
    pub fsync_on_close: bool,
    pub depth: u64,
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
    pub rate_iops: [Option<u64>; 2],
    pub unlink: bool,
    pub before: Option<String>,
    pub after: Option<String>,
    pub overwrite: bool,
    pub fallocate: Fallocate,
    pub content: Content,
    /// Where each option that was given stands.
    pub places: BTreeMap<&'static str, Place>,
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
                random: false,
                gap_bytes: 0,
            },
            read_percent: 50,
            block: [4096; 2],
            split: None,
            align: None,
            size: None,
            file_size: None,
            io_size: None,
            offset: NO_BYTES,
            offset_increment: NO_BYTES,
            clones: 1,
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            delay_ns: 0,
            loops: 1,
            direct: false,
            sync: SyncMode::None,
            fsync_every: 0,
            fdatasync_every: 0,
            end_fsync: false,
            fsync_on_close: false,
            depth: 1,
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
            rate_iops: [None; 2],
            unlink: false,
            before: None,
            after: None,
            overwrite: false,
            fallocate: Fallocate::Native,
            content: Content::Random {
                stamped: true,
                refilled: false,
            },
            places: BTreeMap::new(),
            blocked: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Where an option was set; the section's header when it was not.
    pub fn place(&self, option: &str) -> &Place {
        self.places.get(option).unwrap_or(&self.at)
    }

    /// Block sizes of reads and writes.
    pub fn splits(&self) -> [Split; 2] {
        self.split
            .clone()
            .unwrap_or_else(|| self.block.map(Split::one))
    }
}
