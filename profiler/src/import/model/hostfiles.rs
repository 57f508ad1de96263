//! What files collected from a host say of its configuration. Units have been made one: bytes.

use crate::host::model::{Ext4, Xfs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parts of one host, each as far as its files were given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostFiles {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_release: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_command_line: Option<String>,
    /// /proc/meminfo.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub memory_bytes: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctls: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<MountFile>,
    /// What is meant to be mounted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fstab: Vec<MountFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<ArrayFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<BlockNode>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_volumes: Vec<LogicalVolume>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ext: Vec<ExtFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub xfs: Vec<XfsFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mappings: Vec<Mapping>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postgresql: Option<DatabaseFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mysql: Option<DatabaseFile>,
    /// /sys/block/DEVICE/ATTRIBUTE, by device: `queue/scheduler`, `md/level`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<PartitionFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MountFile {
    pub source: String,
    pub target: String,
    pub fs: String,
    /// `MAJOR:MINOR`, from mountinfo only.
    pub number: Option<String>,
    pub options: Vec<String>,
    /// `sunit` and `swidth` of XFS, which mount options count in 512-byte sectors.
    pub stripe_unit_bytes: Option<u64>,
    pub stripe_width_bytes: Option<u64>,
}

/// An md array, from /proc/mdstat or `mdadm --detail`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrayFile {
    pub name: String,
    pub level: Option<String>,
    pub active: Option<bool>,
    pub chunk_bytes: Option<u64>,
    pub disks: Option<u64>,
    pub working: Option<u64>,
    pub failed: Option<u64>,
    pub spares: Option<u64>,
    /// Disks missing from the array.
    pub degraded: Option<u64>,
    /// Disks whose chunks make up a stripe of data; `null`: no stripes (mirrors).
    pub data_disks: Option<u64>,
    pub layout: Option<String>,
    pub metadata_version: Option<String>,
    /// As printed: `clean, recovering`.
    pub state: Option<String>,
    /// `check`, `resync`, `recovery`, `reshape`: what runs now.
    pub sync_action: Option<String>,
    pub sync_percent: Option<f64>,
    pub bitmap: Option<bool>,
    pub bitmap_chunk_bytes: Option<u64>,
    pub members: Vec<String>,
}

/// A node of lsblk. One that hangs on several others is there once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockNode {
    pub name: String,
    /// Of a device-mapper node, where it differs: /dev/mapper/NAME.
    pub mapper_name: Option<String>,
    /// `MAJOR:MINOR`.
    pub number: Option<String>,
    /// `disk`, `part`, `raid1`, `lvm`, `crypt`, ...
    pub kind: Option<String>,
    pub size_bytes: Option<u64>,
    pub rotational: Option<bool>,
    pub removable: Option<bool>,
    pub read_only: Option<bool>,
    pub mount_points: Vec<String>,
    pub fs: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub scheduler: Option<String>,
    pub nr_requests: Option<u64>,
    pub read_ahead_kib: Option<u64>,
    pub logical_block_size_bytes: Option<u64>,
    pub physical_block_size_bytes: Option<u64>,
    pub minimum_io_size_bytes: Option<u64>,
    pub optimal_io_size_bytes: Option<u64>,
    pub alignment_offset: Option<i64>,
    pub start_sector: Option<u64>,
    /// The nodes that it lies on.
    pub below: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogicalVolume {
    pub name: String,
    pub group: String,
    pub attributes: Option<String>,
    pub size_bytes: Option<u64>,
    pub segment_type: Option<String>,
    pub stripes: Option<u64>,
    pub stripe_bytes: Option<u64>,
    pub devices: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtFile {
    /// tune2fs does not say it: from the file's name or a line before.
    pub device: Option<String>,
    pub mounted_on: Option<String>,
    pub facts: Ext4,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct XfsFile {
    pub device: Option<String>,
    pub data_blocks: Option<u64>,
    pub facts: Xfs,
}

/// A line of `dmsetup table`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mapping {
    pub name: String,
    pub start_bytes: u64,
    pub length_bytes: u64,
    /// `linear`, `striped`, `crypt`, ...
    pub target: String,
    pub stripes: Option<u64>,
    pub stripe_chunk_bytes: Option<u64>,
    /// Devices below, as `MAJOR:MINOR` or path.
    pub devices: Vec<String>,
}

/// Settings of a database server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseFile {
    pub file: String,
    /// By name, as text; the last one wins.
    pub settings: BTreeMap<String, String>,
    /// Those that are amounts of memory, with the unit of a bare number applied.
    #[serde(default)]
    pub settings_bytes: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartitionFile {
    pub disk: String,
    pub name: String,
    pub start_bytes: u64,
    pub logical_block_size_bytes: Option<u64>,
    pub physical_block_size_bytes: Option<u64>,
    pub alignment_offset_bytes: Option<i64>,
    /// Bytes by which it begins off a physical block; `null`: the block size is not known.
    pub misaligned_bytes: Option<u64>,
}

/// A line of a kernel or system log that is about storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    pub line: u64,
    /// `array-check`, `array-rebuild`, `array-degraded`, `controller-battery`, `write-cache`,
    /// `io-error`, `filesystem-error`, `throttled`.
    pub topic: String,
    pub text: String,
}
