//! A workload resolved to bytes, files and offsets: nothing is left to guess when it runs.

use super::problem::Place;
use super::spec::{
    Access, Advice, Batch, Check, Content, Distribution, Engine, Fallocate, Generator, Process,
    Rate, Steady, SyncMode, Turn, Way,
};
use super::split::Split;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Every thread that will run, in order, and what a reader must know.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Job file or suite.
    pub name: String,
    /// Where relative file names lie.
    pub directory: PathBuf,
    pub jobs: Vec<Job>,
    pub notes: Vec<String>,
    /// Options of the global sections, as written.
    pub global_options: BTreeMap<&'static str, String>,
    /// Block devices that may be written.
    pub allowed_devices: Vec<PathBuf>,
    /// What such a device holds may be lost.
    pub destroy: bool,
    /// Files that iosage did not make may be written over.
    pub overwrite: bool,
    /// Files that the run made stay when it is over.
    pub keep: bool,
}

/// One clone of a job section.
#[derive(Clone, Debug, Serialize)]
pub struct Job {
    pub name: String,
    pub description: Option<String>,
    /// 0-based clone.
    pub clone: u32,
    /// Jobs of one stage run together; the next stage waits for them (`stonewall`).
    pub stage: u32,
    /// Jobs of one group are reported as one when `group_reporting` is set.
    pub group: u32,
    pub group_reporting: bool,
    pub engine: Engine,
    /// I/Os in flight.
    pub depth: u32,
    pub batch: Batch,
    pub access: Access,
    /// Share of reads in a mixed job.
    pub read_percent: u64,
    /// Block sizes of reads, writes and trims.
    pub blocks: [Split; 3],
    /// Random offsets of reads, writes and trims are multiples of these.
    pub align_bytes: [u64; 3],
    pub distribution: Distribution,
    /// Share of a random job's I/Os that is random.
    pub random_percent: [u64; 3],
    /// The job ends after so many I/Os.
    pub most_ios: Option<u64>,
    pub turn: Turn,
    pub files: Vec<Target>,
    /// The job ends when it has handed in this much (`size` or `io_size`, times `loops`).
    pub io_bytes: u64,
    /// `io_size` was given: the files are gone through again until it is reached.
    pub io_size_given: bool,
    pub loops: u64,
    /// Number of I/Os if neither time nor an error ends the job; `null` when it depends on chance.
    pub expected_ios: Option<u64>,
    pub runtime_ns: Option<u64>,
    pub time_based: bool,
    pub ramp_ns: u64,
    pub delay_ns: u64,
    pub direct: bool,
    pub sync: SyncMode,
    pub fsync_every: u64,
    pub fdatasync_every: u64,
    pub end_fsync: bool,
    pub fsync_on_close: bool,
    pub advice: Advice,
    pub invalidate: bool,
    pub seed: u64,
    /// Each block once a pass.
    pub random_map: bool,
    pub generator: Generator,
    pub think_ns: u64,
    pub think_blocks: u64,
    /// With one, each I/O has an intended start, and its latency counts from there.
    pub rate: [Option<Rate>; 3],
    pub process: Process,
    pub unlink: bool,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Percentiles to report; the report's own when `None`.
    pub percentiles: Option<Vec<f64>>,
    /// The job also ends when its rate is steady.
    pub steady: Option<Steady>,
    pub logs: Option<Logs>,
    /// Files are laid out, and that is all.
    pub create_only: bool,
    /// A file that is not there is made.
    pub may_create: bool,
    /// Files are read into the page cache before the job.
    pub pre_read: bool,
    /// The kernel's own thread takes what is handed in.
    pub kernel_polls: bool,
    /// CPUs that the thread may run on.
    pub cpus: Option<Vec<usize>>,
    /// Starts when all threads of the job of this name have ended.
    pub wait_for: Option<String>,
    pub overwrite: bool,
    pub fallocate: Fallocate,
    pub content: Content,
    pub verify: Check,
    /// Verifying ends at the first block that is wrong.
    pub verify_fatal: bool,
    /// Verify after writing.
    pub read_back: bool,
    pub between_passes: BetweenPasses,
    /// The options of the job's own section, as written; those of `[global]` stand in the plan.
    pub options: BTreeMap<&'static str, String>,
    /// Where the job stands in its file, and where its target and block size do.
    #[serde(skip)]
    pub places: Places,
}

/// Places that messages about a resolved job point to.
#[derive(Clone, Debug)]
pub struct Places {
    /// Position among all clones.
    pub index: u64,
    pub job: Place,
    pub target: Place,
    pub block: Place,
}

/// What happens to the files when a job has gone through them and starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BetweenPasses {
    Nothing,
    /// Their pages are dropped, so that buffered reads reach the device again.
    DropCache,
    /// They are emptied, as a log that starts anew.
    Truncate,
}

/// Log files of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Logs {
    pub bandwidth: Option<LogName>,
    pub iops: Option<LogName>,
    pub latency: Option<LogName>,
    /// Lines are averages over this long; 0: rates over half a second, latencies of each I/O.
    pub window_ns: u64,
}

/// `PREFIX_KIND.NUMBER.log`, the number counting threads from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogName {
    pub prefix: PathBuf,
    pub number: u64,
}

impl LogName {
    pub fn named(&self, kind: &str) -> PathBuf {
        let mut name = self.prefix.clone().into_os_string();
        name.push(format!("_{kind}.{}.log", self.number));
        name.into()
    }
}

impl Logs {
    /// Every file that will be written.
    pub fn paths(&self) -> Vec<PathBuf> {
        let latencies = ["lat", "clat", "slat"];
        let latency = self.latency.iter();
        let rates = [(&self.bandwidth, "bw"), (&self.iops, "iops")];
        let rates = rates
            .into_iter()
            .filter_map(|(name, kind)| Some(name.as_ref()?.named(kind)));
        rates
            .chain(latency.flat_map(|name| latencies.map(|kind| name.named(kind))))
            .collect()
    }
}

/// A file or device of a job, and the part of it that the job works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Target {
    pub path: PathBuf,
    /// The job names it itself (`filename`); else the name was made from the job's.
    pub named: bool,
    pub offset_bytes: u64,
    pub region_bytes: u64,
    /// What was there when the plan was made.
    pub existing_bytes: Option<u64>,
}

impl Target {
    /// How long the file must be for the job to stay inside it.
    pub fn length_bytes(&self) -> u64 {
        self.offset_bytes.saturating_add(self.region_bytes)
    }

    /// How long the file is while the job runs.
    pub fn file_bytes(&self) -> u64 {
        self.length_bytes().max(self.existing_bytes.unwrap_or(0))
    }
}

impl Job {
    /// Smallest block of the directions that the job uses.
    pub fn smallest_block(&self) -> u64 {
        self.used().map(Split::smallest).min().unwrap_or(1)
    }

    /// Largest block of the directions that the job uses.
    pub fn largest_block(&self) -> u64 {
        self.used().map(Split::largest).max().unwrap_or(1)
    }

    /// The tables of the directions that the job uses.
    pub fn used(&self) -> impl Iterator<Item = &Split> {
        Way::ALL
            .into_iter()
            .filter(|way| self.access.does(*way))
            .map(|way| &self.blocks[way as usize])
    }

    /// Its I/Os have an intended start.
    pub fn has_rate(&self) -> bool {
        self.rate.iter().any(Option::is_some)
    }

    /// The one block size of the job, if it has only one.
    pub fn single_block(&self) -> Option<u64> {
        (self.smallest_block() == self.largest_block()).then(|| self.smallest_block())
    }

    /// `name` or, for a job with clones, `name.CLONE`.
    pub fn title(&self) -> String {
        format!("{}.{}", self.name, self.clone)
    }

    /// fio's word for the direction.
    pub fn direction(&self) -> &'static str {
        let access = self.access;
        match (access.reads, access.change(), access.writes, access.random) {
            (true, _, false, false) => "read",
            (true, _, false, true) => "randread",
            (true, _, true, false) => "rw",
            (true, _, true, true) => "randrw",
            (false, Way::Trim, _, false) => "trim",
            (false, Way::Trim, _, true) => "randtrim",
            (false, _, _, false) => "write",
            (false, _, _, true) => "randwrite",
        }
    }
}
