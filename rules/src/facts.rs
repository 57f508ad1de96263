//! The vocabulary: every fact that a rule may name, with its type, unit and scope.
//!
//! One entry in [`facts!`] adds a fact: the rule language knows it, `docs/facts.md` lists it, and
//! the profile can put it. A fact that is not put is unknown, with a reason; unknown is not false.

use std::collections::BTreeMap;

/// What a fact is about. A rule has one scope and may also name facts of the scopes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Host,
    /// A whole disk or stacked node that was traced or inventoried.
    Device,
    /// A stacked device with geometry: md or striped dm.
    Array,
    /// A mounted filesystem.
    Filesystem,
    /// A database instance.
    Database,
    /// The built-in workload or an imported result.
    Workload,
}

/// What a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    Count,
    /// 0 to 1.
    Ratio,
    /// Nanoseconds.
    Duration,
    /// Bytes.
    Size,
    /// Per second.
    Rate,
    /// Bytes per second.
    Throughput,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Number(Unit),
    Bool,
    Text,
}

/// One word of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    pub of: Type,
    pub scope: Scope,
    pub about: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    Bool(bool),
    Text(String),
}

/// A value with what stands behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub value: Value,
    /// Bounds of a number, in the fact's base unit.
    pub interval: Option<(f64, f64)>,
    /// Number of samples; `None` for configuration.
    pub n: Option<u64>,
    pub source: String,
}

/// Something facts are about. Its id is unique within its scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub scope: Scope,
    /// For people and for commands: `sda`, `/var/lib/postgresql`, `postgresql 4711`.
    pub name: String,
}

/// All facts about all subjects of one profile.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    subjects: BTreeMap<Subject, Entry>,
    /// Length of the recording in nanoseconds; 0: nothing was recorded.
    pub observed_ns: u64,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    /// The subject that stands for another scope here (a filesystem's device, a device's array, ...).
    around: BTreeMap<Scope, Subject>,
    known: BTreeMap<&'static str, Measured>,
    unknown: BTreeMap<&'static str, String>,
    /// Words for placeholders in commands: `device`, `mount`, `top`, ...
    words: BTreeMap<String, String>,
}

/// A fact looked up for a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<'a> {
    Known(&'a Measured),
    /// Why it is not known.
    Unknown(String),
}

impl Facts {
    pub fn new(observed_ns: u64) -> Self {
        Self {
            subjects: BTreeMap::new(),
            observed_ns,
        }
    }

    /// Makes a subject known, so that rules of its scope are judged for it.
    pub fn subject(&mut self, subject: &Subject) {
        self.subjects.entry(subject.clone()).or_default();
    }

    /// Says which subject of another scope belongs to this one.
    pub fn relate(&mut self, subject: &Subject, around: &Subject) {
        self.subjects
            .entry(subject.clone())
            .or_default()
            .around
            .insert(around.scope, around.clone());
    }

    /// Sets a word that commands and prose may use as `{word}`.
    pub fn word(&mut self, subject: &Subject, word: &str, value: &str) {
        let entry = self.subjects.entry(subject.clone()).or_default();
        entry.words.insert(word.to_owned(), value.to_owned());
    }

    /// Puts a fact. `fact` is one of the constants of this module.
    pub fn put(&mut self, subject: &Subject, fact: &Fact, measured: Measured) {
        debug_assert_eq!(
            subject.scope, fact.scope,
            "{} is not about {:?}",
            fact.name, subject
        );
        let entry = self.subjects.entry(subject.clone()).or_default();
        entry.unknown.remove(fact.name);
        entry.known.insert(fact.name, measured);
    }

    /// Says why a fact is not known.
    pub fn unknown(&mut self, subject: &Subject, fact: &Fact, reason: &str) {
        let entry = self.subjects.entry(subject.clone()).or_default();
        if !entry.known.contains_key(fact.name) {
            entry.unknown.insert(fact.name, reason.to_owned());
        }
    }

    /// All subjects of a scope, in order.
    pub fn of(&self, scope: Scope) -> impl Iterator<Item = &Subject> {
        self.subjects
            .keys()
            .filter(move |subject| subject.scope == scope)
    }

    /// Looks a fact up for a subject: its own, or that of the subject around it.
    pub fn get(&self, subject: &Subject, fact: &Fact) -> Lookup<'_> {
        let Some(holder) = self.holder(subject, fact.scope) else {
            return Lookup::Unknown(format!("nothing of scope {:?} belongs to it", fact.scope));
        };
        let Some(entry) = self.subjects.get(&holder) else {
            return Lookup::Unknown("it was not looked at".to_owned());
        };
        match (entry.known.get(fact.name), entry.unknown.get(fact.name)) {
            (Some(measured), _) => Lookup::Known(measured),
            (None, Some(reason)) => Lookup::Unknown(reason.clone()),
            (None, None) => Lookup::Unknown("not measured".to_owned()),
        }
    }

    /// A word of the subject or of those around it.
    pub fn word_of(&self, subject: &Subject, word: &str) -> Option<&str> {
        let entry = self.subjects.get(subject)?;
        let own = entry.words.get(word);
        let mut near = entry
            .around
            .values()
            .filter_map(|s| self.subjects.get(s)?.words.get(word));
        own.or_else(|| near.next()).map(String::as_str)
    }

    fn holder(&self, subject: &Subject, scope: Scope) -> Option<Subject> {
        if subject.scope == scope {
            return Some(subject.clone());
        }
        if scope == Scope::Host {
            return self.of(Scope::Host).next().cloned();
        }
        let mut here = self.subjects.get(subject)?;
        // Relations are short chains: database -> filesystem -> device -> array.
        for _ in 0..4 {
            if let Some(found) = here.around.get(&scope) {
                return Some(found.clone());
            }
            let next = here.around.values().find(|s| s.scope != Scope::Host)?;
            here = self.subjects.get(next)?;
        }
        None
    }
}

impl Measured {
    /// Configuration: a value without samples.
    pub fn set(value: Value, source: &str) -> Self {
        Self {
            value,
            interval: None,
            n: None,
            source: source.to_owned(),
        }
    }

    /// A measurement with its sample count.
    pub fn of(value: f64, n: u64, source: &str) -> Self {
        Self {
            value: Value::Number(value),
            interval: None,
            n: Some(n),
            source: source.to_owned(),
        }
    }
}

/// Defines one constant per fact and the list [`ALL`].
macro_rules! facts {
    ($($(#[doc = $about:literal])* $id:ident = $name:literal: $type:ident per $scope:ident;)*) => {
        $($(#[doc = $about])* pub const $id: Fact = Fact {
            name: $name, of: facts!(@ $type), scope: Scope::$scope, about: concat!($($about),*),
        };)*
        /// The whole vocabulary, in order of definition.
        pub const ALL: &[&Fact] = &[$(&$id),*];
    };
    (@ Bool) => { Type::Bool };
    (@ Text) => { Type::Text };
    (@ $unit:ident) => { Type::Number(Unit::$unit) };
}

facts! {
    // ---- host ----
    /// Kernel version as major * 1000 + minor: 6.12 is 6012.
    HOST_KERNEL = "host.kernel": Count per Host;
    /// Whether a hypervisor stands below.
    HOST_VIRTUAL = "host.virtual": Bool per Host;
    /// Usable memory.
    HOST_MEMORY = "host.memory": Size per Host;
    /// Memory that dirty limits are a share of.
    HOST_MEMORY_AVAILABLE = "host.memory.available": Size per Host;
    HOST_SWAP_TOTAL = "host.swap.total": Size per Host;
    /// Share of the time in which some task waited for I/O.
    HOST_PRESSURE_IO = "host.pressure.io": Ratio per Host;
    /// Share of CPU time spent busy.
    HOST_CPU_BUSY = "host.cpu.busy": Ratio per Host;
    /// Pages swapped in.
    HOST_SWAP_IN = "host.swap.in": Rate per Host;
    HOST_ALLOC_STALLS = "host.alloc.stalls": Rate per Host;
    /// Times that something dropped the page cache by hand.
    HOST_DROP_CACHES = "host.drop_caches": Count per Host;
    /// A database process was found.
    HOST_HAS_DATABASE = "host.has_database": Bool per Host;
    HOST_TUNED_PROFILE = "host.tuned_profile": Text per Host;
    /// `elevator=` on the kernel command line.
    HOST_CMDLINE_ELEVATOR = "host.cmdline.elevator": Bool per Host;
    HOST_CMDLINE_USE_BLK_MQ = "host.cmdline.use_blk_mq": Bool per Host;
    HOST_THP = "host.thp": Text per Host;
    VM_SWAPPINESS = "vm.swappiness": Count per Host;
    VM_DIRTY_RATIO = "vm.dirty_ratio": Ratio per Host;
    VM_DIRTY_BACKGROUND_RATIO = "vm.dirty_background_ratio": Ratio per Host;
    VM_DIRTY_BYTES = "vm.dirty_bytes": Size per Host;
    VM_DIRTY_BACKGROUND_BYTES = "vm.dirty_background_bytes": Size per Host;
    /// The limit in force, in bytes, whether set by ratio or by bytes.
    VM_DIRTY_LIMIT = "vm.dirty_limit": Size per Host;
    VM_DIRTY_EXPIRE = "vm.dirty_expire": Duration per Host;
    VM_DIRTY_WRITEBACK = "vm.dirty_writeback": Duration per Host;
    VM_LAPTOP_MODE = "vm.laptop_mode": Count per Host;
    VM_ZONE_RECLAIM = "vm.zone_reclaim_mode": Count per Host;
    /// How much memory reclaim keeps free, in units of 0.01 %.
    VM_WATERMARK_SCALE = "vm.watermark_scale_factor": Count per Host;
    /// Most dirty memory seen.
    WB_DIRTY_MAX = "writeback.dirty.max": Size per Host;
    // ---- device ----
    DEVICE_CLASS = "device.class": Text per Device;
    /// The kernel's flag; virtual disks often carry it without spinning.
    DEVICE_ROTATIONAL = "device.rotational": Bool per Device;
    /// Behaves like a spinning disk: random reads at low depth take milliseconds and seek distance shows.
    DEVICE_SEEKS = "device.seeks": Bool per Device;
    /// A physical disk rather than a stack, a loop or a virtual disk.
    DEVICE_BARE = "device.bare": Bool per Device;
    DEVICE_SCHEDULER = "device.scheduler": Text per Device;
    DEVICE_HAS_NONE = "device.scheduler.has_none": Bool per Device;
    DEVICE_HAS_MQ_DEADLINE = "device.scheduler.has_mq_deadline": Bool per Device;
    DEVICE_NR_REQUESTS = "device.nr_requests": Count per Device;
    DEVICE_TAGS = "device.tags": Count per Device;
    DEVICE_HW_QUEUES = "device.hardware_queues": Count per Device;
    DEVICE_SCSI_DEPTH = "device.scsi_queue_depth": Count per Device;
    DEVICE_READAHEAD = "device.readahead": Size per Device;
    /// The readahead of the devices below is the kernel's default.
    DEVICE_LEAF_READAHEAD_DEFAULT = "device.below.readahead_default": Bool per Device;
    DEVICE_READAHEAD_DEFAULT = "device.readahead_default": Bool per Device;
    DEVICE_MAX_REQUEST = "device.max_request": Size per Device;
    DEVICE_MAX_HW_REQUEST = "device.max_hw_request": Size per Device;
    DEVICE_OPTIMAL_IO = "device.optimal_io": Size per Device;
    DEVICE_PHYSICAL_BLOCK = "device.physical_block": Size per Device;
    DEVICE_WRITE_CACHE = "device.write_cache": Text per Device;
    /// The volatile cache as the device itself reports it.
    DEVICE_TRUE_WRITE_CACHE = "device.true_write_cache": Bool per Device;
    DEVICE_FUA = "device.fua": Bool per Device;
    DEVICE_WBT_LATENCY = "device.wbt_latency": Duration per Device;
    DEVICE_RQ_AFFINITY = "device.rq_affinity": Count per Device;
    DEVICE_NOMERGES = "device.nomerges": Count per Device;
    DEVICE_DISCARD = "device.discard": Bool per Device;
    DEVICE_ALIGNED = "device.aligned": Bool per Device;
    DEVICE_STACKED = "device.stacked": Bool per Device;
    DEVICE_ZONED = "device.zoned": Bool per Device;
    /// Disks that hold data below it.
    DEVICE_DATA_DISKS = "device.data_disks": Count per Device;
    /// A database keeps its data or its WAL on it, or on something stacked on it.
    DEVICE_HAS_DATABASE = "device.has_database": Bool per Device;
    READ_RATE = "read.rate": Rate per Device;
    READ_THROUGHPUT = "read.throughput": Throughput per Device;
    /// Share of reads that continue an earlier read.
    READ_SEQUENTIAL = "read.sequential": Ratio per Device;
    READ_RANDOM = "read.random": Ratio per Device;
    READ_SIZE_P50 = "read.size.p50": Size per Device;
    READ_SIZE_P90 = "read.size.p90": Size per Device;
    /// Share of reads that the kernel marked as readahead.
    READ_READAHEAD = "read.readahead": Ratio per Device;
    /// Share of the pages read ahead that were used before they were dropped.
    READAHEAD_HIT = "readahead.hit": Ratio per Device;
    READ_DEVICE_P50 = "read.device.p50": Duration per Device;
    READ_DEVICE_P99 = "read.device.p99": Duration per Device;
    /// Time in the device that 99 % of the reads do not exceed in seconds in which discards completed.
    READ_P99_DURING_DISCARDS = "read.device.p99_during_discards": Duration per Device;
    /// The same in seconds without discards.
    READ_P99_WITHOUT_DISCARDS = "read.device.p99_without_discards": Duration per Device;
    READ_QUEUE_P50 = "read.queue.p50": Duration per Device;
    READ_QUEUE_P95 = "read.queue.p95": Duration per Device;
    READ_QUEUE_P99 = "read.queue.p99": Duration per Device;
    READ_REQUEST_P50 = "read.request.p50": Duration per Device;
    READ_REQUEST_P99 = "read.request.p99": Duration per Device;
    WRITE_RATE = "write.rate": Rate per Device;
    WRITE_THROUGHPUT = "write.throughput": Throughput per Device;
    /// Best second of writing.
    WRITE_THROUGHPUT_MAX = "write.throughput.max": Throughput per Device;
    WRITE_SEQUENTIAL = "write.sequential": Ratio per Device;
    WRITE_SIZE_P50 = "write.size.p50": Size per Device;
    WRITE_SIZE_P90 = "write.size.p90": Size per Device;
    WRITE_DEVICE_P50 = "write.device.p50": Duration per Device;
    WRITE_DEVICE_P99 = "write.device.p99": Duration per Device;
    WRITE_QUEUE_P50 = "write.queue.p50": Duration per Device;
    WRITE_QUEUE_P99 = "write.queue.p99": Duration per Device;
    WRITE_SYNC = "write.sync": Ratio per Device;
    FLUSH_RATE = "flush.rate": Rate per Device;
    FLUSH_DEVICE_P50 = "flush.device.p50": Duration per Device;
    FLUSH_DEVICE_P99 = "flush.device.p99": Duration per Device;
    DISCARD_RATE = "discard.rate": Rate per Device;
    DISCARD_DEVICE_P99 = "discard.device.p99": Duration per Device;
    IO_RATE = "io.rate": Rate per Device;
    IO_THROUGHPUT = "io.throughput": Throughput per Device;
    /// Requests in flight at issue.
    DEPTH_P50 = "depth.p50": Count per Device;
    DEPTH_P95 = "depth.p95": Count per Device;
    /// Median depth in the tenth of the seconds with the most requests in flight.
    DEPTH_TOP_DECILE = "depth.top_decile": Count per Device;
    /// Requests allocated and not yet completed, on average over the tenth of the seconds with the most (Little's law).
    QUEUED_TOP_DECILE = "queued.top_decile": Count per Device;
    /// Throughput of those seconds over that of the median second.
    THROUGHPUT_TOP_GAIN = "throughput.top_gain": Ratio per Device;
    /// Device latency of those seconds over that of the median second.
    LATENCY_TOP_GAIN = "latency.top_gain": Ratio per Device;
    /// Share of time in which at least one request was in flight (upper bound from busy seconds).
    DEVICE_BUSY = "device.busy": Ratio per Device;
    MERGE_RATIO = "merge.ratio": Ratio per Device;
    /// Splits per bio or request.
    SPLIT_RATIO = "split.ratio": Ratio per Device;
    IO_ERRORS = "io.errors": Count per Device;
    REQUEUES = "io.requeues": Count per Device;
    /// Most I/O comes from one process.
    TOP_PROCESS_SHARE = "top_process.share": Ratio per Device;
    CGROUP_LIMIT = "cgroup.io_limit": Bool per Device;
    /// Largest of rate or throughput over the tightest cgroup limit on this device.
    CGROUP_LIMIT_USE = "cgroup.io_limit.use": Ratio per Device;
    // ---- array ----
    ARRAY_KIND = "array.kind": Text per Array;
    ARRAY_LEVEL = "array.level": Text per Array;
    ARRAY_PARITY = "array.parity": Bool per Array;
    ARRAY_CHUNK = "array.chunk": Size per Array;
    ARRAY_STRIPE_WIDTH = "array.stripe_width": Size per Array;
    ARRAY_DISKS = "array.disks": Count per Array;
    ARRAY_DEGRADED = "array.degraded": Count per Array;
    ARRAY_SYNC_ACTION = "array.sync_action": Text per Array;
    /// Entries of one page per member.
    ARRAY_STRIPE_CACHE = "array.stripe_cache": Count per Array;
    ARRAY_CONSISTENCY = "array.consistency": Text per Array;
    ARRAY_BITMAP_CHUNK = "array.bitmap_chunk": Size per Array;
    /// Share of bios that cross a chunk boundary.
    ARRAY_CROSSINGS = "array.crossings": Ratio per Array;
    /// Median size of a read and of a write handed to the array.
    ARRAY_READ_SIZE = "array.read.size.p50": Size per Array;
    ARRAY_WRITE_SIZE = "array.write.size.p50": Size per Array;
    ARRAY_WRITE_SEQUENTIAL = "array.write.sequential": Ratio per Array;
    ARRAY_READ_SEQUENTIAL = "array.read.sequential": Ratio per Array;
    /// Reads of members beyond those for the array's own reads, for each write handed to the array.
    ARRAY_MEMBER_READS_PER_WRITE = "array.member_reads_per_write": Ratio per Array;
    ARRAY_WRITE_RATE = "array.write.rate": Rate per Array;
    ARRAY_READ_RATE = "array.read.rate": Rate per Array;
    // ---- filesystem ----
    FS_TYPE = "fs.type": Text per Filesystem;
    FS_ATIME = "fs.atime": Text per Filesystem;
    /// Inodes dirtied for their access time alone.
    ATIME_DIRTY_RATE = "atime.dirty.rate": Rate per Filesystem;
    /// Both noatime and nodiratime are written in fstab.
    FS_NODIRATIME_REDUNDANT = "fs.nodiratime_redundant": Bool per Filesystem;
    FS_READ_ONLY = "fs.read_only": Bool per Filesystem;
    FS_DATA_MODE = "fs.data_mode": Text per Filesystem;
    /// The data mode comes from the superblock, not from the mount options.
    FS_DATA_MODE_FROM_SUPERBLOCK = "fs.data_mode.from_superblock": Bool per Filesystem;
    FS_JOURNAL = "fs.journal": Bool per Filesystem;
    FS_JOURNAL_SIZE = "fs.journal.size": Size per Filesystem;
    FS_BARRIER = "fs.barrier": Bool per Filesystem;
    /// Barriers are off because of a default in the superblock, not by a mount option.
    FS_BARRIER_FROM_SUPERBLOCK = "fs.barrier.from_superblock": Bool per Filesystem;
    FS_COMMIT_INTERVAL = "fs.commit_interval": Duration per Filesystem;
    FS_DISCARD = "fs.discard": Bool per Filesystem;
    FS_SYNC_OPTION = "fs.sync_option": Bool per Filesystem;
    FS_DIR_INDEX = "fs.dir_index": Bool per Filesystem;
    FS_JOURNAL_ASYNC_COMMIT = "fs.journal_async_commit": Bool per Filesystem;
    FS_ERRORS_COUNT = "fs.errors_count": Count per Filesystem;
    FS_ERRORS_BEHAVIOUR = "fs.errors_behaviour": Text per Filesystem;
    FS_STRIPE_WIDTH = "fs.stripe_width": Size per Filesystem;
    FS_STRIPE_UNIT = "fs.stripe_unit": Size per Filesystem;
    FS_SIZE = "fs.size": Size per Filesystem;
    /// Block size of the filesystem.
    FS_BLOCK_SIZE = "fs.block_size": Size per Filesystem;
    FS_USED = "fs.used": Ratio per Filesystem;
    /// XFS log buffer size.
    FS_LOG_BUFFER = "fs.log_buffer": Size per Filesystem;
    FS_FSTAB_XFS_BARRIER = "fs.fstab.xfs_barrier": Bool per Filesystem;
    FS_FSTAB_REMOVED_OPTION = "fs.fstab.removed_option": Bool per Filesystem;
    /// A database keeps its data or its WAL here.
    FS_HAS_DATABASE = "fs.has_database": Bool per Filesystem;
    FS_HAS_WAL = "fs.has_wal": Bool per Filesystem;
    /// Several databases' or one database's data and WAL share this filesystem.
    FS_WAL_SHARES_DATA = "fs.wal_shares_data": Bool per Filesystem;
    FS_ON_VIRTUAL_LAYER = "fs.on_virtual_layer": Bool per Filesystem;
    JOURNAL_COMMIT_RATE = "journal.commit.rate": Rate per Filesystem;
    JOURNAL_COMMIT_P50 = "journal.commit.p50": Duration per Filesystem;
    JOURNAL_COMMIT_P99 = "journal.commit.p99": Duration per Filesystem;
    JOURNAL_LOCKED_P99 = "journal.locked.p99": Duration per Filesystem;
    /// Shares of all commit time.
    JOURNAL_LOCKED_SHARE = "journal.locked.share": Ratio per Filesystem;
    JOURNAL_FLUSHING_SHARE = "journal.flushing.share": Ratio per Filesystem;
    JOURNAL_LOGGING_SHARE = "journal.logging.share": Ratio per Filesystem;
    JOURNAL_HANDLES_RATE = "journal.handles.rate": Rate per Filesystem;
    JOURNAL_HANDLES_PER_COMMIT = "journal.handles_per_commit": Count per Filesystem;
    JOURNAL_BLOCKS_PER_COMMIT = "journal.blocks_per_commit": Count per Filesystem;
    /// Bytes written to the journal.
    JOURNAL_THROUGHPUT = "journal.throughput": Throughput per Filesystem;
    /// Journal bytes over all bytes written to the device.
    JOURNAL_SHARE_OF_WRITES = "journal.share_of_writes": Ratio per Filesystem;
    JOURNAL_FORCED_CHECKPOINTS = "journal.forced_checkpoints": Rate per Filesystem;
    SYNC_RATE = "sync.rate": Rate per Filesystem;
    SYNC_P50 = "sync.p50": Duration per Filesystem;
    SYNC_P95 = "sync.p95": Duration per Filesystem;
    SYNC_P99 = "sync.p99": Duration per Filesystem;
    /// Share of sync calls that were fsync rather than fdatasync.
    SYNC_FSYNC_SHARE = "sync.fsync_share": Ratio per Filesystem;
    SYNC_ERRORS = "sync.errors": Count per Filesystem;
    /// Median flush of the device below over the median sync call.
    SYNC_FLUSH_SHARE = "sync.flush_share": Ratio per Filesystem;
    /// Commits of the journal for each sync call.
    SYNC_COMMITS_PER_CALL = "sync.commits_per_call": Ratio per Filesystem;
    // ---- database ----
    DB_KIND = "db.kind": Text per Database;
    /// Major * 100 + minor: PostgreSQL 15.4 is 1504, MySQL 8.0.36 is 800.
    DB_VERSION = "db.version": Count per Database;
    DB_FSYNC = "db.fsync": Bool per Database;
    DB_FULL_PAGE_WRITES = "db.full_page_writes": Bool per Database;
    DB_DATA_SYNC_RETRY = "db.data_sync_retry": Bool per Database;
    DB_SYNCHRONOUS_COMMIT = "db.synchronous_commit": Bool per Database;
    DB_WAL_SYNC_METHOD = "db.wal_sync_method": Text per Database;
    DB_MAX_WAL_SIZE = "db.max_wal_size": Size per Database;
    DB_CHECKPOINT_TARGET = "db.checkpoint_completion_target": Ratio per Database;
    DB_DOUBLEWRITE = "db.doublewrite": Bool per Database;
    DB_FLUSH_AT_COMMIT = "db.flush_log_at_trx_commit": Count per Database;
    DB_SYNC_BINLOG = "db.sync_binlog": Count per Database;
    // ---- workload ----
    WORKLOAD_WARM_CACHE = "workload.warm_cache": Bool per Workload;
    WORKLOAD_NO_SYNC = "workload.no_sync": Bool per Workload;
    WORKLOAD_SINGLE_STREAM = "workload.single_stream": Bool per Workload;
}
