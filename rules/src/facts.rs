//! The vocabulary: every fact that a rule may name, with its type, unit and scope.
//!
//! One entry in `facts!` adds a fact: the rule language knows it, `docs/facts.md` lists it, and
//! the profile can put it. A fact that is not put is unknown, with a reason; unknown is not false.

mod held;
mod kind;

pub use held::{Facts, Lookup, Measured};
pub use kind::{Fact, Scope, Subject, Type, Unit, Value};

/// Defines one constant per fact and the list [`ALL`].
macro_rules! facts {
    ($($(#[doc = $about:literal])* $id:ident = $name:literal: $type:ident per $scope:ident;)*) => {
        $($(#[doc = $about])* pub const $id: Fact = Fact {
            name: $name,
            of: facts!(@ $type),
            scope: Scope::$scope,
            about: concat!($($about),*).trim_ascii(),
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
    /// Swap space configured.
    HOST_SWAP_TOTAL = "host.swap.total": Size per Host;
    /// Share of the time in which some task waited for I/O; waits for asynchronous requests are not counted.
    HOST_PRESSURE_IO = "host.pressure.io": Ratio per Host;
    /// Share of time in which the busiest device had a request in flight.
    HOST_BUSIEST_DEVICE = "host.busiest_device.busy": Ratio per Host;
    /// Share of CPU time spent busy.
    HOST_CPU_BUSY = "host.cpu.busy": Ratio per Host;
    /// Pages swapped in.
    HOST_SWAP_IN = "host.swap.in": Rate per Host;
    /// Times that a task had to reclaim memory itself before it got a page.
    HOST_ALLOC_STALLS = "host.alloc.stalls": Rate per Host;
    /// Times that something dropped the page cache by hand.
    HOST_DROP_CACHES = "host.drop_caches": Count per Host;
    /// A database process was found.
    HOST_HAS_DATABASE = "host.has_database": Bool per Host;
    /// Active profile of the tuned service; empty where tuned does not run.
    HOST_TUNED_PROFILE = "host.tuned_profile": Text per Host;
    /// `elevator=` on the kernel command line.
    HOST_CMDLINE_ELEVATOR = "host.cmdline.elevator": Bool per Host;
    /// `use_blk_mq` of scsi_mod or dm_mod on the kernel command line.
    HOST_CMDLINE_USE_BLK_MQ = "host.cmdline.use_blk_mq": Bool per Host;
    /// Transparent huge pages: `always`, `madvise` or `never`.
    HOST_THP = "host.thp": Text per Host;
    /// How readily the kernel swaps instead of dropping page cache, 0 to 200.
    VM_SWAPPINESS = "vm.swappiness": Count per Host;
    /// Share of available memory at which writers are made to write back themselves; 0 where bytes are set.
    VM_DIRTY_RATIO = "vm.dirty_ratio": Ratio per Host;
    /// Share of available memory at which background writeback starts; 0 where bytes are set.
    VM_DIRTY_BACKGROUND_RATIO = "vm.dirty_background_ratio": Ratio per Host;
    /// Dirty memory at which writers are made to write back themselves; 0 where the ratio is set.
    VM_DIRTY_BYTES = "vm.dirty_bytes": Size per Host;
    /// Dirty memory at which background writeback starts; 0 where the ratio is set.
    VM_DIRTY_BACKGROUND_BYTES = "vm.dirty_background_bytes": Size per Host;
    /// The limit in force, in bytes, whether set by ratio or by bytes.
    VM_DIRTY_LIMIT = "vm.dirty_limit": Size per Host;
    /// Age from which dirty memory is written back.
    VM_DIRTY_EXPIRE = "vm.dirty_expire": Duration per Host;
    /// How often the background writeback wakes; 0: never.
    VM_DIRTY_WRITEBACK = "vm.dirty_writeback": Duration per Host;
    /// Whether writeback is gathered to let a disk sleep; 0: no.
    VM_LAPTOP_MODE = "vm.laptop_mode": Count per Host;
    /// Whether memory is reclaimed from the local NUMA node before another is used; 0: no.
    VM_ZONE_RECLAIM = "vm.zone_reclaim_mode": Count per Host;
    /// How much memory reclaim keeps free, in units of 0.01 %.
    VM_WATERMARK_SCALE = "vm.watermark_scale_factor": Count per Host;
    /// Most dirty memory seen.
    WB_DIRTY_MAX = "writeback.dirty.max": Size per Host;
    /// Devices under filesystems that took at least 1 % of the bytes written to all of them.
    WB_DEVICES = "writeback.devices": Count per Host;
    /// The kernel mounts with relatime unless told otherwise: Linux 2.6.30 and later.
    HOST_RELATIME_DEFAULT = "host.kernel.relatime": Bool per Host;
    // ---- host: what was told or collected beside the configuration ----
    /// Share of reads among the requests, as notes on the load tell it.
    TOLD_READ_SHARE = "told.read_share": Ratio per Host;
    /// Size of a read of the application, as notes on the load tell it.
    TOLD_READ_SIZE = "told.read.size": Size per Host;
    /// Size of a write of the application, as notes on the load tell it.
    TOLD_WRITE_SIZE = "told.write.size": Size per Host;
    /// The load is random, as notes on it tell.
    TOLD_RANDOM = "told.random": Bool per Host;
    /// Random requests that one disk does, as notes on the load tell it.
    TOLD_DISK_RATE = "told.disk.rate": Rate per Host;
    /// Requests that the load needs, as notes on it tell.
    TOLD_LOAD = "told.load": Rate per Host;
    /// Kind of the cloud volume, as notes on it tell: `gp2`, `gp3`, ...
    VOLUME_KIND = "volume.kind": Text per Host;
    /// Size of the cloud volume, as notes on it tell.
    VOLUME_SIZE = "volume.size": Size per Host;
    /// Requests that a gp2 volume of this size always does: 3 for each GiB, at least 100, at most 16,000.
    VOLUME_BASELINE = "volume.baseline": Rate per Host;
    /// Time in which a gp2 volume of this size uses up full burst credits (5.4 million requests) at 3,000 requests a second.
    VOLUME_TIME_TO_EMPTY = "volume.time_to_empty": Duration per Host;
    /// fsync calls for one write each that pg_test_fsync counted.
    FSYNC_TEST_FSYNC = "fsync_test.fsync.rate": Rate per Host;
    /// fdatasync calls for one write each that pg_test_fsync counted.
    FSYNC_TEST_FDATASYNC = "fsync_test.fdatasync.rate": Rate per Host;
    /// Calls of the fastest method that pg_test_fsync counted.
    FSYNC_TEST_BEST = "fsync_test.best.rate": Rate per Host;
    /// The fastest method of pg_test_fsync.
    FSYNC_TEST_METHOD = "fsync_test.best.method": Text per Host;
    /// Calls of the slowest method that pg_test_fsync counted.
    FSYNC_TEST_WORST = "fsync_test.worst.rate": Rate per Host;
    /// Every whole disk that was collected has heads, by the kernel's flag or its model.
    HOST_ALL_ROTATIONAL = "host.all_rotational": Bool per Host;
    /// The log says that a RAID controller stopped caching writes (write-through).
    CONTROLLER_WRITE_THROUGH = "controller.write_through": Bool per Host;
    /// When the log says that the controller stopped caching writes.
    CONTROLLER_WRITE_THROUGH_AT = "controller.write_through.at": Text per Host;
    /// Until when, as the log tells: a time, or that it does not say.
    CONTROLLER_WRITE_THROUGH_UNTIL = "controller.write_through.until": Text per Host;
    /// Why it did, as the log tells: a learn cycle of the battery, a bad battery, or unknown.
    CONTROLLER_CAUSE = "controller.cause": Text per Host;
    // ---- device ----
    /// What it is: `nvme`, `ssd`, `hdd`, `virtio`, `md`, `dm`, `loop`, ...
    DEVICE_CLASS = "device.class": Text per Device;
    /// The kernel's flag; virtual disks often carry it without spinning.
    DEVICE_ROTATIONAL = "device.rotational": Bool per Device;
    /// Behaves like a spinning disk: random reads at low depth take milliseconds and seek distance shows.
    DEVICE_SEEKS = "device.seeks": Bool per Device;
    /// A physical disk rather than a stack, a loop or a virtual disk.
    DEVICE_BARE = "device.bare": Bool per Device;
    /// The I/O scheduler in force: `none`, `mq-deadline`, `bfq` or `kyber`.
    DEVICE_SCHEDULER = "device.scheduler": Text per Device;
    /// The device offers the scheduler `none`.
    DEVICE_HAS_NONE = "device.scheduler.has_none": Bool per Device;
    /// The device offers the scheduler `mq-deadline`.
    DEVICE_HAS_MQ_DEADLINE = "device.scheduler.has_mq_deadline": Bool per Device;
    /// Of the schedulers that the device offers, the one for a server: mq-deadline or deadline, else none or noop without heads.
    DEVICE_SERVER_SCHEDULER = "device.scheduler.for_server": Text per Device;
    /// Requests that may be allocated for each hardware queue.
    DEVICE_NR_REQUESTS = "device.nr_requests": Count per Device;
    /// Tags of each hardware queue: what the driver can have in flight.
    DEVICE_TAGS = "device.tags": Count per Device;
    /// Hardware queues of the driver.
    DEVICE_HW_QUEUES = "device.hardware_queues": Count per Device;
    /// Commands that may be outstanding at a SCSI device.
    DEVICE_SCSI_DEPTH = "device.scsi_queue_depth": Count per Device;
    /// Largest readahead window of the device.
    DEVICE_READAHEAD = "device.readahead": Size per Device;
    /// The readahead of the devices below is the kernel's default.
    DEVICE_LEAF_READAHEAD_DEFAULT = "device.below.readahead_default": Bool per Device;
    /// The readahead of the device is the kernel's default.
    DEVICE_READAHEAD_DEFAULT = "device.readahead_default": Bool per Device;
    /// Largest request that the block layer builds.
    DEVICE_MAX_REQUEST = "device.max_request": Size per Device;
    /// Largest request that the driver takes.
    DEVICE_MAX_HW_REQUEST = "device.max_hw_request": Size per Device;
    /// Request size that the device names as best; 0 where it names none.
    DEVICE_OPTIMAL_IO = "device.optimal_io": Size per Device;
    /// Smallest unit that the device writes without reading first.
    DEVICE_PHYSICAL_BLOCK = "device.physical_block": Size per Device;
    /// What the kernel takes the cache for: `write back` or `write through`.
    DEVICE_WRITE_CACHE = "device.write_cache": Text per Device;
    /// The volatile cache as the device itself reports it.
    DEVICE_TRUE_WRITE_CACHE = "device.true_write_cache": Bool per Device;
    /// The device can write through its cache request by request.
    DEVICE_FUA = "device.fua": Bool per Device;
    /// Read latency above which background writeback is throttled; 0: off.
    DEVICE_WBT_LATENCY = "device.wbt_latency": Duration per Device;
    /// Where completions run: 0 anywhere, 1 in the submitter's group, 2 on its very CPU.
    DEVICE_RQ_AFFINITY = "device.rq_affinity": Count per Device;
    /// Merging: 0 tried fully, 1 only the cheap ones, 2 never.
    DEVICE_NOMERGES = "device.nomerges": Count per Device;
    /// The device takes discards.
    DEVICE_DISCARD = "device.discard": Bool per Device;
    /// Its start lies on a boundary of the device below.
    DEVICE_ALIGNED = "device.aligned": Bool per Device;
    /// How far past a physical block its first partition that is off begins; 0 where none is.
    DEVICE_MISALIGNED = "device.misaligned": Size per Device;
    /// Its partitions begin on multiples of 4 KiB.
    DEVICE_ALIGNED_4K = "device.aligned_4k": Bool per Device;
    /// It, or a partition of it, is a member of an md array.
    DEVICE_IN_ARRAY = "device.in_array": Bool per Device;
    /// Where the data of the layers stacked on one of its partitions begins: the sum of their offsets.
    STACK_START = "stack.start": Size per Device;
    /// How far that lies past a physical block of the disk (of 4 KiB where its size is not known).
    STACK_MISALIGNED = "stack.misaligned": Size per Device;
    /// Largest power of two, up to 1 GiB, that divides where the data of the layers begins.
    STACK_ALIGNMENT = "stack.alignment": Size per Device;
    /// It is built from other block devices.
    DEVICE_STACKED = "device.stacked": Bool per Device;
    /// It has zones that must be written in order.
    DEVICE_ZONED = "device.zoned": Bool per Device;
    /// Disks that hold data below it.
    DEVICE_DATA_DISKS = "device.data_disks": Count per Device;
    /// A database keeps its data or its WAL on it, or on something stacked on it.
    DEVICE_HAS_DATABASE = "device.has_database": Bool per Device;
    /// Reads completed.
    READ_RATE = "read.rate": Rate per Device;
    /// Bytes read.
    READ_THROUGHPUT = "read.throughput": Throughput per Device;
    /// Share of reads that continue an earlier read.
    READ_SEQUENTIAL = "read.sequential": Ratio per Device;
    /// Share of reads that neither continue nor follow closely on an earlier one.
    READ_RANDOM = "read.random": Ratio per Device;
    /// Median size of a read.
    READ_SIZE_P50 = "read.size.p50": Size per Device;
    /// Size that 90 % of reads do not exceed.
    READ_SIZE_P90 = "read.size.p90": Size per Device;
    /// Share of reads that the kernel marked as readahead.
    READ_READAHEAD = "read.readahead": Ratio per Device;
    /// Share of the pages read ahead that were used before they were dropped; no probe counts it, so it is never known.
    READAHEAD_HIT = "readahead.hit": Ratio per Device;
    /// Median time of a read in the device, from issue to completion.
    READ_DEVICE_P50 = "read.device.p50": Duration per Device;
    /// Time in the device that 99 % of reads do not exceed.
    READ_DEVICE_P99 = "read.device.p99": Duration per Device;
    /// Time in the device that 99 % of the reads do not exceed in seconds in which discards completed.
    READ_P99_DURING_DISCARDS = "read.device.p99_during_discards": Duration per Device;
    /// The same in seconds without discards that wrote about as much.
    READ_P99_WITHOUT_DISCARDS = "read.device.p99_without_discards": Duration per Device;
    /// Median time of a read in the queue, from allocation to issue.
    READ_QUEUE_P50 = "read.queue.p50": Duration per Device;
    /// Time in the queue that 95 % of reads do not exceed.
    READ_QUEUE_P95 = "read.queue.p95": Duration per Device;
    /// Time in the queue that 99 % of reads do not exceed.
    READ_QUEUE_P99 = "read.queue.p99": Duration per Device;
    /// Median time of a read from allocation to completion.
    READ_REQUEST_P50 = "read.request.p50": Duration per Device;
    /// Time from allocation to completion that 99 % of reads do not exceed.
    READ_REQUEST_P99 = "read.request.p99": Duration per Device;
    /// Writes completed.
    WRITE_RATE = "write.rate": Rate per Device;
    /// Bytes written.
    WRITE_THROUGHPUT = "write.throughput": Throughput per Device;
    /// Best second of writing.
    WRITE_THROUGHPUT_MAX = "write.throughput.max": Throughput per Device;
    /// Requests in the device on average in that second (Little's law).
    WRITE_BEST_DEPTH = "write.throughput.max.depth": Count per Device;
    /// Share of writes (by bytes) that continue an earlier write.
    WRITE_SEQUENTIAL = "write.sequential": Ratio per Device;
    /// Median size of a write.
    WRITE_SIZE_P50 = "write.size.p50": Size per Device;
    /// Size that 90 % of writes do not exceed.
    WRITE_SIZE_P90 = "write.size.p90": Size per Device;
    /// Median time of a write in the device, from issue to completion.
    WRITE_DEVICE_P50 = "write.device.p50": Duration per Device;
    /// Time in the device that 99 % of writes do not exceed.
    WRITE_DEVICE_P99 = "write.device.p99": Duration per Device;
    /// Median time of a write in the queue, from allocation to issue.
    WRITE_QUEUE_P50 = "write.queue.p50": Duration per Device;
    /// Time in the queue that 99 % of writes do not exceed.
    WRITE_QUEUE_P99 = "write.queue.p99": Duration per Device;
    /// Share of writes that somebody waits for.
    WRITE_SYNC = "write.sync": Ratio per Device;
    /// Cache flushes completed.
    FLUSH_RATE = "flush.rate": Rate per Device;
    /// Median time of a cache flush in the device.
    FLUSH_DEVICE_P50 = "flush.device.p50": Duration per Device;
    /// Time in the device that 99 % of cache flushes do not exceed.
    FLUSH_DEVICE_P99 = "flush.device.p99": Duration per Device;
    /// Discards completed.
    DISCARD_RATE = "discard.rate": Rate per Device;
    /// Time in the device that 99 % of discards do not exceed.
    DISCARD_DEVICE_P99 = "discard.device.p99": Duration per Device;
    /// Requests of every kind completed.
    IO_RATE = "io.rate": Rate per Device;
    /// Bytes read and written.
    IO_THROUGHPUT = "io.throughput": Throughput per Device;
    /// Requests in flight at issue.
    DEPTH_P50 = "depth.p50": Count per Device;
    /// Requests in flight at issue that 95 % of requests do not exceed.
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
    /// Time that writers to it were made to pause over dirty memory, by time observed; several may pause at once.
    WRITERS_PAUSED = "writers.paused": Ratio per Device;
    /// Time that bios slept for want of a free request, over all time that requests took with their wait.
    WAIT_TAGS_SHARE = "wait.tags.share": Ratio per Device;
    /// The same for write-back throttling.
    WAIT_WBT_SHARE = "wait.wbt.share": Ratio per Device;
    /// Share of bios that were merged into a request already there.
    MERGE_RATIO = "merge.ratio": Ratio per Device;
    /// Splits per bio or request.
    SPLIT_RATIO = "split.ratio": Ratio per Device;
    /// Requests that completed with an error.
    IO_ERRORS = "io.errors": Count per Device;
    /// Requests that the driver handed back.
    REQUEUES = "io.requeues": Count per Device;
    /// Most I/O comes from one process.
    TOP_PROCESS_SHARE = "top_process.share": Ratio per Device;
    /// A cgroup limits I/O on this device.
    CGROUP_LIMIT = "cgroup.io_limit": Bool per Device;
    /// Largest of rate or throughput over the tightest cgroup limit on this device.
    CGROUP_LIMIT_USE = "cgroup.io_limit.use": Ratio per Device;
    /// Reads completed, from collected iostat reports.
    COLLECTED_READ_RATE = "collected.read.rate": Rate per Device;
    /// Mean size of a read, from collected iostat reports.
    COLLECTED_READ_SIZE = "collected.read.size": Size per Device;
    /// Mean time of a write with its wait, from the first of several collected iostat reports.
    COLLECTED_WRITE_LATENCY_FIRST = "collected.write.latency.first": Duration per Device;
    /// The same from the last of them.
    COLLECTED_WRITE_LATENCY_LAST = "collected.write.latency.last": Duration per Device;
    /// Requests completed before the rate fell to the volume's baseline and stayed there, from collected iostat reports.
    COLLECTED_RATE_BEFORE = "collected.rate.before_plateau": Rate per Device;
    /// Requests completed while it stayed within 3 % of the volume's baseline.
    COLLECTED_RATE_PLATEAU = "collected.rate.plateau": Rate per Device;
    /// Mean time of a request before that.
    COLLECTED_LATENCY_BEFORE = "collected.latency.before_plateau": Duration per Device;
    /// Mean time of a request while it stayed there.
    COLLECTED_LATENCY_PLATEAU = "collected.latency.plateau": Duration per Device;
    /// Most time that a discard took, from a collected list of requests.
    COLLECTED_DISCARD_MAX = "collected.discard.latency.max": Duration per Device;
    /// Largest discard of that list.
    COLLECTED_DISCARD_SIZE = "collected.discard.size.max": Size per Device;
    /// Most time that a read or write took that was begun while a discard was under way.
    COLLECTED_DURING_DISCARD = "collected.latency.during_discard": Duration per Device;
    /// Median time of the reads and writes of the list that no discard was under way for.
    COLLECTED_WITHOUT_DISCARD = "collected.latency.without_discard": Duration per Device;
    // ---- array ----
    /// What builds it: `md` or `dm`.
    ARRAY_KIND = "array.kind": Text per Array;
    /// `raid0`, `raid1`, `raid5`, `raid6`, `raid10`, `linear` or `striped`.
    ARRAY_LEVEL = "array.level": Text per Array;
    /// It keeps parity: level 4, 5 or 6.
    ARRAY_PARITY = "array.parity": Bool per Array;
    /// Requests of members for one small random write: 2 with copies, 4 on RAID 4 and 5, 6 on RAID 6.
    ARRAY_WRITE_PENALTY = "array.write_penalty": Count per Array;
    /// Contiguous bytes on one member before the next one follows.
    ARRAY_CHUNK = "array.chunk": Size per Array;
    /// Data bytes of one full stripe: chunk times data disks.
    ARRAY_STRIPE_WIDTH = "array.stripe_width": Size per Array;
    /// Members that it should have.
    ARRAY_DISKS = "array.disks": Count per Array;
    /// Members that are missing.
    ARRAY_DEGRADED = "array.degraded": Count per Array;
    /// What it does beside serving: `idle`, `resync`, `recover`, `check`, `repair` or `reshape`.
    ARRAY_SYNC_ACTION = "array.sync_action": Text per Array;
    /// Entries of one page per member.
    ARRAY_STRIPE_CACHE = "array.stripe_cache": Count per Array;
    /// How it stays consistent over a crash: `resync`, `bitmap`, `journal` or `ppl`.
    ARRAY_CONSISTENCY = "array.consistency": Text per Array;
    /// Bytes that one bit of the write-intent bitmap stands for.
    ARRAY_BITMAP_CHUNK = "array.bitmap_chunk": Size per Array;
    /// Share of bios that cross a chunk boundary.
    ARRAY_CROSSINGS = "array.crossings": Ratio per Array;
    /// Median size of a read handed to the array.
    ARRAY_READ_SIZE = "array.read.size.p50": Size per Array;
    /// Median size of a write handed to the array.
    ARRAY_WRITE_SIZE = "array.write.size.p50": Size per Array;
    /// Share of writes (by bytes) that continue an earlier write.
    ARRAY_WRITE_SEQUENTIAL = "array.write.sequential": Ratio per Array;
    /// Share of reads (by bytes) that continue an earlier read.
    ARRAY_READ_SEQUENTIAL = "array.read.sequential": Ratio per Array;
    /// Reads of members beyond those for the array's own reads, for each write handed to the array.
    ARRAY_MEMBER_READS_PER_WRITE = "array.member_reads_per_write": Ratio per Array;
    /// Writes handed to the array.
    ARRAY_WRITE_RATE = "array.write.rate": Rate per Array;
    /// Reads handed to the array.
    ARRAY_READ_RATE = "array.read.rate": Rate per Array;
    // ---- filesystem ----
    /// `ext4`, `xfs`, `btrfs`, ...
    FS_TYPE = "fs.type": Text per Filesystem;
    /// When reads write access times: `strict`, `relatime` or `noatime`.
    FS_ATIME = "fs.atime": Text per Filesystem;
    /// Inodes dirtied for their access time alone (ext2, ext3, ext4).
    ATIME_DIRTY_RATE = "atime.dirty.rate": Rate per Filesystem;
    /// Both noatime and nodiratime are written in fstab.
    FS_NODIRATIME_REDUNDANT = "fs.nodiratime_redundant": Bool per Filesystem;
    /// Mounted read-only.
    FS_READ_ONLY = "fs.read_only": Bool per Filesystem;
    /// Data mode of ext3 and ext4: `ordered`, `writeback` or `journal`.
    FS_DATA_MODE = "fs.data_mode": Text per Filesystem;
    /// The data mode comes from the superblock, not from the mount options.
    FS_DATA_MODE_FROM_SUPERBLOCK = "fs.data_mode.from_superblock": Bool per Filesystem;
    /// The filesystem has a journal.
    FS_JOURNAL = "fs.journal": Bool per Filesystem;
    /// Size of the journal.
    FS_JOURNAL_SIZE = "fs.journal.size": Size per Filesystem;
    /// The filesystem flushes device caches where its journal needs it.
    FS_BARRIER = "fs.barrier": Bool per Filesystem;
    /// Barriers are off because of a default in the superblock, not by a mount option.
    FS_BARRIER_FROM_SUPERBLOCK = "fs.barrier.from_superblock": Bool per Filesystem;
    /// Longest time between two commits of the journal.
    FS_COMMIT_INTERVAL = "fs.commit_interval": Duration per Filesystem;
    /// Discards are sent as blocks are freed.
    FS_DISCARD = "fs.discard": Bool per Filesystem;
    /// Mounted with `sync`: every write waits for the device.
    FS_SYNC_OPTION = "fs.sync_option": Bool per Filesystem;
    /// Directories are hashed trees.
    FS_DIR_INDEX = "fs.dir_index": Bool per Filesystem;
    /// The commit block may be written without waiting for the blocks before it.
    FS_JOURNAL_ASYNC_COMMIT = "fs.journal_async_commit": Bool per Filesystem;
    /// Errors that the filesystem has recorded about itself.
    FS_ERRORS_COUNT = "fs.errors_count": Count per Filesystem;
    /// What an error does: `continue`, `remount-ro` or `panic`.
    FS_ERRORS_BEHAVIOUR = "fs.errors_behaviour": Text per Filesystem;
    /// Full stripe that the filesystem was told of; 0 where none.
    FS_STRIPE_WIDTH = "fs.stripe_width": Size per Filesystem;
    /// Chunk that the filesystem was told of; 0 where none.
    FS_STRIPE_UNIT = "fs.stripe_unit": Size per Filesystem;
    /// Size of the filesystem.
    FS_SIZE = "fs.size": Size per Filesystem;
    /// Block size of the filesystem.
    FS_BLOCK_SIZE = "fs.block_size": Size per Filesystem;
    /// Share of its blocks in use.
    FS_USED = "fs.used": Ratio per Filesystem;
    /// XFS log buffer size.
    FS_LOG_BUFFER = "fs.log_buffer": Size per Filesystem;
    /// fstab gives XFS a barrier option that newer kernels refuse.
    FS_FSTAB_XFS_BARRIER = "fs.fstab.xfs_barrier": Bool per Filesystem;
    /// fstab gives an option that kernels no longer know.
    FS_FSTAB_REMOVED_OPTION = "fs.fstab.removed_option": Bool per Filesystem;
    /// A database keeps its data or its WAL here.
    FS_HAS_DATABASE = "fs.has_database": Bool per Filesystem;
    /// A database keeps its WAL or redo log here.
    FS_HAS_WAL = "fs.has_wal": Bool per Filesystem;
    /// Several databases' or one database's data and WAL share this filesystem.
    FS_WAL_SHARES_DATA = "fs.wal_shares_data": Bool per Filesystem;
    /// It lies on overlayfs, FUSE, NFS or a loop device rather than on a disk of its own.
    FS_ON_VIRTUAL_LAYER = "fs.on_virtual_layer": Bool per Filesystem;
    /// Commits of the journal.
    JOURNAL_COMMIT_RATE = "journal.commit.rate": Rate per Filesystem;
    /// Median time of a commit.
    JOURNAL_COMMIT_P50 = "journal.commit.p50": Duration per Filesystem;
    /// Time that 99 % of commits do not exceed.
    JOURNAL_COMMIT_P99 = "journal.commit.p99": Duration per Filesystem;
    /// Time waiting for open handles that 99 % of commits do not exceed.
    JOURNAL_LOCKED_P99 = "journal.locked.p99": Duration per Filesystem;
    /// Share of all commit time spent waiting for open handles.
    JOURNAL_LOCKED_SHARE = "journal.locked.share": Ratio per Filesystem;
    /// Share of all commit time spent writing file data first.
    JOURNAL_FLUSHING_SHARE = "journal.flushing.share": Ratio per Filesystem;
    /// Share of all commit time spent writing the journal itself.
    JOURNAL_LOGGING_SHARE = "journal.logging.share": Ratio per Filesystem;
    /// Metadata updates handed to the journal.
    JOURNAL_HANDLES_RATE = "journal.handles.rate": Rate per Filesystem;
    /// Metadata updates that share one commit, on average.
    JOURNAL_HANDLES_PER_COMMIT = "journal.handles_per_commit": Count per Filesystem;
    /// Blocks written to the journal by one commit, on average.
    JOURNAL_BLOCKS_PER_COMMIT = "journal.blocks_per_commit": Count per Filesystem;
    /// Bytes written to the journal.
    JOURNAL_THROUGHPUT = "journal.throughput": Throughput per Filesystem;
    /// Journal bytes over all bytes written to the device.
    JOURNAL_SHARE_OF_WRITES = "journal.share_of_writes": Ratio per Filesystem;
    /// Checkpoints that a full journal forced.
    JOURNAL_FORCED_CHECKPOINTS = "journal.forced_checkpoints": Rate per Filesystem;
    /// fsync, fdatasync and the like completed.
    SYNC_RATE = "sync.rate": Rate per Filesystem;
    /// Median time of a sync call.
    SYNC_P50 = "sync.p50": Duration per Filesystem;
    /// Time that 95 % of sync calls do not exceed.
    SYNC_P95 = "sync.p95": Duration per Filesystem;
    /// Time that 99 % of sync calls do not exceed.
    SYNC_P99 = "sync.p99": Duration per Filesystem;
    /// Share of sync calls that were fsync rather than fdatasync.
    SYNC_FSYNC_SHARE = "sync.fsync_share": Ratio per Filesystem;
    /// Sync calls that returned an error.
    SYNC_ERRORS = "sync.errors": Count per Filesystem;
    /// Median flush of the device below over the median sync call.
    SYNC_FLUSH_SHARE = "sync.flush_share": Ratio per Filesystem;
    /// Share of the time of sync calls that the commit's own work took: an earlier commit, running handles, the log's blocks.
    SYNC_WAIT_COMMIT = "sync.wait.commit": Ratio per Filesystem;
    /// Share of the time of sync calls that cache flushes took: behind a commit record, or of the calls themselves.
    SYNC_WAIT_FLUSH = "sync.wait.flush": Ratio per Filesystem;
    /// Share of the time of sync calls that went into the data of their own files.
    SYNC_WAIT_DATA = "sync.wait.data": Ratio per Filesystem;
    /// Commits of the journal for each sync call.
    SYNC_COMMITS_PER_CALL = "sync.commits_per_call": Ratio per Filesystem;
    // ---- database ----
    /// `postgresql`, `mysql` or `mariadb`.
    DB_KIND = "db.kind": Text per Database;
    /// Major * 100 + minor: PostgreSQL 15.4 is 1504, MySQL 8.0.36 is 800.
    DB_VERSION = "db.version": Count per Database;
    /// `fsync` of PostgreSQL: commits reach the device.
    DB_FSYNC = "db.fsync": Bool per Database;
    /// `full_page_writes` of PostgreSQL: torn pages can be repaired.
    DB_FULL_PAGE_WRITES = "db.full_page_writes": Bool per Database;
    /// `data_sync_retry` of PostgreSQL: a failed fsync is tried again instead of stopping the server.
    DB_DATA_SYNC_RETRY = "db.data_sync_retry": Bool per Database;
    /// `synchronous_commit` of PostgreSQL: a commit waits for its WAL.
    DB_SYNCHRONOUS_COMMIT = "db.synchronous_commit": Bool per Database;
    /// `wal_sync_method` of PostgreSQL.
    DB_WAL_SYNC_METHOD = "db.wal_sync_method": Text per Database;
    /// `max_wal_size` of PostgreSQL.
    DB_MAX_WAL_SIZE = "db.max_wal_size": Size per Database;
    /// `checkpoint_completion_target` of PostgreSQL.
    DB_CHECKPOINT_TARGET = "db.checkpoint_completion_target": Ratio per Database;
    /// `innodb_doublewrite` of MySQL: torn pages can be repaired.
    DB_DOUBLEWRITE = "db.doublewrite": Bool per Database;
    /// `innodb_flush_log_at_trx_commit` of MySQL.
    DB_FLUSH_AT_COMMIT = "db.flush_log_at_trx_commit": Count per Database;
    /// MySQL or MariaDB writes a binary log (`log_bin`).
    DB_BINLOG = "db.binlog": Bool per Database;
    /// `sync_binlog` of MySQL.
    DB_SYNC_BINLOG = "db.sync_binlog": Count per Database;
    // ---- workload ----
    /// The page cache was measured: the working set fits in memory, or it ran faster than the device can.
    WORKLOAD_WARM_CACHE = "workload.warm_cache": Bool per Workload;
    /// It wrote without ever syncing.
    WORKLOAD_NO_SYNC = "workload.no_sync": Bool per Workload;
    /// It had one request in flight at a time.
    WORKLOAD_SINGLE_STREAM = "workload.single_stream": Bool per Workload;
}

/// The fact of this name.
pub fn named(name: &str) -> Option<&'static Fact> {
    ALL.iter().copied().find(|fact| fact.name == name)
}

#[cfg(test)]
mod tests;
