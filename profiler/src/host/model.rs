//! What is known about a host. `None` means "not known here"; the reason is in [`Host::missing`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    pub hostname: Option<String>,
    /// Hash of the machine id: tells hosts apart without naming them.
    pub id: Option<String>,
    pub kernel_release: String,
    pub kernel_command_line: Option<String>,
    pub os: Option<String>,
    /// The hypervisor below: `none`, `kvm`, `xen`, `amazon`, `unknown`, ...
    pub virtualisation: Option<String>,
    /// The container that this was read in: `docker`, `lxc`, ... `None`: no sign of one.
    #[serde(default)]
    pub container: Option<String>,
    pub cpus: Option<u64>,
    pub memory: Memory,
    /// `vm.*` and `fs.*` sysctls by full name, as text; the ones the rules read.
    #[serde(default)]
    pub sysctls: BTreeMap<String, String>,
    pub transparent_hugepages: Option<String>,
    pub tuned_profile: Option<String>,
    #[serde(default)]
    pub devices: Vec<BlockDevice>,
    #[serde(default)]
    pub mounts: Vec<Mount>,
    #[serde(default)]
    pub swaps: Vec<Swap>,
    #[serde(default)]
    pub databases: Vec<Database>,
    /// Limits on the cgroup of the traced process (or of each database).
    #[serde(default)]
    pub cgroups: Vec<Cgroup>,
    /// Averages of /proc/pressure/io at the start.
    pub pressure_io: Option<Pressure>,
    /// What could not be read, and why.
    #[serde(default)]
    pub missing: Vec<Missing>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    pub what: String,
    pub reason: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    pub total_bytes: Option<u64>,
    pub available_bytes: Option<u64>,
    pub swap_total_bytes: Option<u64>,
    pub hugepages_total: Option<u64>,
    pub page_tables_bytes: Option<u64>,
    pub page_size_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pressure {
    /// Percent, as the kernel prints it.
    pub some_avg10: f64,
    pub some_avg60: f64,
    pub some_avg300: f64,
    pub full_avg10: f64,
    pub full_avg60: f64,
    pub full_avg300: f64,
}

/// One line of /proc/swaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Swap {
    /// Device node or file, unescaped.
    pub path: String,
    /// Kernel name of the device: the partition itself, or the one below the file.
    pub device: Option<String>,
    pub is_file: bool,
    pub size_bytes: Option<u64>,
    pub used_bytes: Option<u64>,
    pub priority: Option<i64>,
}

/// A whole disk, a partition or a stacked node. Loop, zram and nbd devices that hold nothing are
/// left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockDevice {
    /// Name in /sys/block: `sda`, `nvme0n1p2`, `md0`, `dm-3`, `cciss!c0d0`.
    pub name: String,
    /// `MAJOR:MINOR`.
    pub number: String,
    /// Stable id: wwid, serial, dm uuid, md uuid, loop backing file, virtio serial; for a
    /// partition that of its disk and `-partN`.
    pub id: Option<String>,
    /// Other names of the device node: /dev/disk/by-id/..., /dev/mapper/..., /dev/vg/lv.
    #[serde(default)]
    pub links: Vec<String>,
    pub class: DeviceClass,
    /// The whole disk's name, for partitions.
    pub partition_of: Option<String>,
    /// First 512-byte sector on the disk, for partitions.
    pub start_sector: Option<u64>,
    pub size_bytes: Option<u64>,
    /// Kernel names of the devices directly below (md members, dm targets, the device that backs a
    /// loop device without a file between).
    #[serde(default)]
    pub below: Vec<String>,
    pub model: Option<String>,
    /// SCSI `device/queue_depth`.
    pub scsi_queue_depth: Option<u64>,
    pub hardware_queues: Option<u64>,
    /// Largest `mq/*/nr_tags`.
    pub tags_per_queue: Option<u64>,
    /// No request queue: bios go through (md, dm, zram, ...).
    pub bio_based: bool,
    pub read_only: Option<bool>,
    pub removable: Option<bool>,
    pub alignment_offset: Option<i64>,
    /// What uses the device directly: mount points, `swap`, `swap file FILE`, `journal of MOUNT`,
    /// `log of MOUNT`, and kernel names (`md0`, `loop3`). Empty: nothing known.
    #[serde(default)]
    pub used_by: Vec<String>,
    pub queue: Option<Queue>,
    pub md: Option<Md>,
    pub dm: Option<Dm>,
    /// Backing file and its direct I/O mode, for loop devices.
    pub loop_backing_file: Option<String>,
    pub loop_direct_io: Option<bool>,
}

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceClass {
    Nvme,
    Scsi,
    /// SCSI disk on libata.
    Ata,
    Virtio,
    Xen,
    Mmc,
    Md,
    Dm,
    Loop,
    Zram,
    Ram,
    Nbd,
    Partition,
    #[default]
    Unknown,
}

/// Attributes of /sys/block/X/queue (Documentation/ABI/stable/sysfs-block). An absent file is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    pub scheduler: Option<String>,
    #[serde(default)]
    pub schedulers_available: Vec<String>,
    pub rotational: Option<bool>,
    pub nr_requests: Option<u64>,
    pub read_ahead_kib: Option<u64>,
    pub max_sectors_kib: Option<u64>,
    pub max_hw_sectors_kib: Option<u64>,
    pub logical_block_size_bytes: Option<u64>,
    pub physical_block_size_bytes: Option<u64>,
    pub minimum_io_size_bytes: Option<u64>,
    pub optimal_io_size_bytes: Option<u64>,
    pub chunk_sectors: Option<u64>,
    /// `write back` or `write through`: the kernel's view.
    pub write_cache: Option<String>,
    pub fua: Option<bool>,
    pub wbt_lat_usec: Option<i64>,
    pub rq_affinity: Option<u64>,
    pub nomerges: Option<u64>,
    pub add_random: Option<u64>,
    pub iostats: Option<bool>,
    pub discard_max_bytes: Option<u64>,
    pub discard_granularity_bytes: Option<u64>,
    pub stable_writes: Option<bool>,
    pub io_timeout_ms: Option<u64>,
    pub zoned: Option<String>,
    /// Attributes of `queue/iosched/`, as text.
    #[serde(default)]
    pub iosched: BTreeMap<String, String>,
}

/// /sys/block/mdX/md (Documentation/admin-guide/md.rst).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Md {
    /// `raid0`, `raid1`, `raid5`, ...
    pub level: String,
    pub chunk_bytes: Option<u64>,
    pub layout: Option<u64>,
    pub raid_disks: Option<u64>,
    pub degraded: Option<u64>,
    pub sync_action: Option<String>,
    pub stripe_cache_size: Option<u64>,
    pub consistency_policy: Option<String>,
    pub bitmap_chunk_bytes: Option<u64>,
    pub metadata_version: Option<String>,
}

/// A device-mapper node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dm {
    pub name: String,
    pub uuid: Option<String>,
    /// `LVM`, `CRYPT`, `mpath`, ...: the uuid's prefix.
    pub subsystem: Option<String>,
    /// Target types of the table, in order, without repeats: `striped`, `linear`, `crypt`, ...
    #[serde(default)]
    pub targets: Vec<String>,
    pub stripes: Option<u64>,
    pub stripe_chunk_bytes: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mount {
    /// Mount point, unescaped.
    pub target: String,
    /// Source, unescaped: `/dev/sda1`, `tmpfs`.
    pub source: String,
    pub fs: String,
    /// Device number as stat(2) reports it, `MAJOR:MINOR`.
    pub number: String,
    /// Root of the mount within the filesystem, for bind mounts.
    pub root: String,
    /// Per-mount and superblock options of mountinfo, in order, repeats dropped, `rw` of one half
    /// dropped when the other says `ro`.
    #[serde(default)]
    pub options: Vec<String>,
    /// Kernel name of the device the filesystem sits on (partition or whole).
    pub device: Option<String>,
    /// Meaningful for filesystems on a block device.
    pub atime: AtimeMode,
    #[serde(default)]
    pub lazytime: bool,
    pub read_only: bool,
    /// `private`, `shared`, `slave`, `shared slave` or `unbindable`.
    #[serde(default)]
    pub propagation: Option<String>,
    pub fstab_options: Option<Vec<String>>,
    pub size_bytes: Option<u64>,
    pub available_bytes: Option<u64>,
    pub ext4: Option<Ext4>,
    pub xfs: Option<Xfs>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AtimeMode {
    /// Every read dirties the inode.
    Strict,
    #[default]
    Relative,
    Off,
}

/// ext2/3/4 facts from the superblock, /proc/fs/ext4/DEV/options and /sys/fs/ext4.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ext4 {
    pub has_journal: Option<bool>,
    /// Data mode in effect: `ordered`, `journal`, `writeback`.
    pub data_mode: Option<String>,
    /// Options stored by `tune2fs -o`: `acl`, `user_xattr`, `journal_data_writeback`, `nobarrier`, ...
    #[serde(default)]
    pub default_mount_options: Vec<String>,
    #[serde(default)]
    pub features: Vec<String>,
    pub barrier: Option<bool>,
    pub commit_interval_s: Option<u64>,
    pub block_size_bytes: Option<u64>,
    pub journal_bytes: Option<u64>,
    pub journal_external: Option<bool>,
    /// Zero: the filesystem was not told of stripes. So with the width, and with XFS.
    pub stride_blocks: Option<u64>,
    pub stripe_width_blocks: Option<u64>,
    /// `continue`, `remount-ro`, `panic`.
    pub errors_behaviour: Option<String>,
    pub errors_count: Option<u64>,
    pub created_unix_s: Option<u64>,
}

/// XFS geometry (ioctl XFS_IOC_FSGEOMETRY, xfs_fs.h).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Xfs {
    pub block_size_bytes: Option<u64>,
    pub ag_count: Option<u64>,
    pub log_bytes: Option<u64>,
    pub log_external: Option<bool>,
    pub log_sunit_bytes: Option<u64>,
    pub stripe_unit_bytes: Option<u64>,
    pub stripe_width_bytes: Option<u64>,
    pub log_buffer_bytes: Option<u64>,
}

/// A database found by its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Database {
    pub kind: DatabaseKind,
    /// The main process.
    pub pid: u32,
    pub version: Option<String>,
    pub data_directory: Option<String>,
    /// WAL, redo or log directory, symlinks resolved.
    pub wal_directory: Option<String>,
    /// Mount points of the two.
    pub data_mount: Option<String>,
    pub wal_mount: Option<String>,
    /// Path in the unified hierarchy or in the blkio controller.
    pub cgroup: Option<String>,
    /// Settings read from its configuration files, by name, as text.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseKind {
    #[default]
    Postgresql,
    Mysql,
    Mariadb,
}

/// Effective I/O and memory limits of one cgroup, its ancestors included. (Version 1 throttling
/// does not look at ancestors: there only the cgroup itself counts.)
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cgroup {
    pub path: String,
    /// 1 or 2.
    pub version: u64,
    /// What it was looked up for: `traced process`, `postgresql`, ...
    pub subject: String,
    #[serde(default)]
    pub io_limits: Vec<IoLimit>,
    pub memory_max_bytes: Option<u64>,
    pub memory_high_bytes: Option<u64>,
}

/// One line of `io.max` or of the v1 throttle files. `None`: no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoLimit {
    /// The cgroup that sets it.
    pub path: String,
    /// `MAJOR:MINOR`.
    pub device: String,
    pub read_bytes_per_s: Option<u64>,
    pub write_bytes_per_s: Option<u64>,
    pub read_iops: Option<u64>,
    pub write_iops: Option<u64>,
}
