//! What happened on filesystems: commits, sync calls, dirty inodes and paused writers.

use super::Extra;
use crate::capture::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One journal (jbd2) in one stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JournalSlice {
    pub commits: u64,
    /// Durations by phase, `commit` being the whole.
    #[serde(default)]
    pub phases: BTreeMap<CommitPhase, Histogram>,
    pub handles: u64,
    /// Most handles in one commit.
    pub handles_max: u64,
    pub blocks: u64,
    pub blocks_logged: u64,
    /// Checkpoints: how many, blocks written by them, transactions forced to close.
    pub checkpoints: u64,
    pub checkpoint_blocks_written: u64,
    pub checkpoint_forced_to_close: u64,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Phases of a jbd2 commit (fs/jbd2/commit.c), timed by the probes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CommitPhase {
    /// `jbd2_start_commit` to `jbd2_commit_locking`.
    Start,
    /// Waiting for running handles to stop: `locking` to `flushing`.
    Locked,
    /// Writing the data of ordered files: `flushing` to `logging`.
    Flushing,
    /// Writing the log, the commit record and the cache flush: `logging` to `jbd2_end_commit`.
    Logging,
    /// All of it.
    Commit,
}

impl CommitPhase {
    pub const ALL: [Self; 5] = [
        Self::Start,
        Self::Locked,
        Self::Flushing,
        Self::Logging,
        Self::Commit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Locked => "locked",
            Self::Flushing => "flushing",
            Self::Logging => "logging",
            Self::Commit => "commit",
        }
    }
}

/// Sync calls on one filesystem in one stretch of time, by call: `fsync`, `fdatasync`, ...
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncSlice {
    #[serde(default)]
    pub calls: BTreeMap<String, SyncCalls>,
    /// The slowest calls, the slowest first; at most [`SyncSlice::SLOWEST`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<SlowSync>,
}

impl SyncSlice {
    /// Calls that are kept one by one.
    pub const SLOWEST: usize = 10;
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncCalls {
    pub errors: u64,
    /// Entered to returned; its n is the number of calls.
    pub latency_ns: Histogram,
    /// What the calls waited for, summed over them; the sum of all phases is that of `latency_ns`.
    /// Empty: not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases_ns: BTreeMap<SyncPhase, u64>,
}

/// What a sync call waits for, in the order in which it comes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SyncPhase {
    /// Its own file's data: written and waited for.
    Data,
    /// A commit that was running when the call needed one.
    EarlierCommit,
    /// Running handles to stop, so that the commit can begin.
    Locked,
    /// The data of files that the commit must have on disk first: of other files too.
    Ordered,
    /// The log's blocks; where the commit record cannot be told apart (no barriers), that too.
    Journal,
    /// The commit record, behind a flush of the device's cache.
    Record,
    /// A cache flush sent by the call itself.
    Flush,
    /// The rest: what no mark explains, the wake-up among it.
    Other,
}

impl SyncPhase {
    pub const ALL: [Self; 8] = [
        Self::Data,
        Self::EarlierCommit,
        Self::Locked,
        Self::Ordered,
        Self::Journal,
        Self::Record,
        Self::Flush,
        Self::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::EarlierCommit => "earlier-commit",
            Self::Locked => "locked",
            Self::Ordered => "ordered",
            Self::Journal => "journal",
            Self::Record => "record",
            Self::Flush => "flush",
            Self::Other => "other",
        }
    }
}

/// One slow sync call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowSync {
    /// When it was entered, from the start of the capture.
    pub at_ns: u64,
    pub took_ns: u64,
    #[serde(default)]
    pub phases_ns: BTreeMap<SyncPhase, u64>,
    pub command: String,
    pub pid: u32,
    /// Last two parts of the path, each cut to 47 bytes. Empty: not known.
    pub folder: String,
    pub file: String,
    pub inode: u64,
    /// Pages that the call itself wrote (ext4; else 0).
    pub pages: u64,
    /// Another file whose data the commit waited for, and pages of files it waited for.
    /// `null`: none was seen.
    pub waited_for_file: Option<String>,
    pub waited_for_pages: Option<u64>,
}

/// Inodes that became dirty (`writeback_dirty_inode_start`): each costs a journal handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirtiedSlice {
    /// For a new access time alone.
    pub atime: u64,
    pub other: u64,
}

/// Pauses of writers (`balance_dirty_pages`) on one disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PauseSlice {
    pub all: PauseSum,
    /// By the command that was paused; what is missing to `all` is of further commands.
    #[serde(default)]
    pub by_command: BTreeMap<String, PauseSum>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PauseSum {
    pub pauses: u64,
    /// As asked for by the kernel, in whole ticks.
    pub sum_ns: u64,
}
