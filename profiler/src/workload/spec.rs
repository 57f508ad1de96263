//! What one job section says, typed, with fio's defaults; not yet resolved against the disk.

mod words;

pub use words::*;

use super::problem::{Place, Problem};
use super::split::Split;
use super::units::{Amount, Base};
use std::collections::BTreeMap;

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
    pub complete_max: u64,
    /// Files open at a time; all when `None`.
    pub open_files: Option<u64>,
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
            complete_max: u64::MAX,
            open_files: None,
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
