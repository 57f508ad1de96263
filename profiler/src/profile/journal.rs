//! Facts about commits and sync calls of each filesystem.

use super::answer::{Answer, quantile, share};
use super::{About, Fold, filesystem};
use crate::capture::{CommitPhase, Histogram, JournalSlice, Op, Span, SyncPhase, SyncSlice};
use crate::host::Mount;
use profiler_ebpf::bucket::LATENCY;
use rules::facts::{self as f, Fact, Measured};

const JOURNAL: &[&Fact] = &[
    &f::JOURNAL_COMMIT_RATE,
    &f::JOURNAL_COMMIT_P50,
    &f::JOURNAL_COMMIT_P99,
    &f::JOURNAL_LOCKED_P99,
    &f::JOURNAL_LOCKED_SHARE,
    &f::JOURNAL_FLUSHING_SHARE,
    &f::JOURNAL_LOGGING_SHARE,
    &f::JOURNAL_HANDLES_RATE,
    &f::JOURNAL_HANDLES_PER_COMMIT,
    &f::JOURNAL_BLOCKS_PER_COMMIT,
    &f::JOURNAL_THROUGHPUT,
    &f::JOURNAL_SHARE_OF_WRITES,
    &f::JOURNAL_FORCED_CHECKPOINTS,
];
const SYNC: &[&Fact] = &[
    &f::SYNC_RATE,
    &f::SYNC_P50,
    &f::SYNC_P95,
    &f::SYNC_P99,
    &f::SYNC_FSYNC_SHARE,
    &f::SYNC_ERRORS,
    &f::SYNC_FLUSH_SHARE,
    &f::SYNC_COMMITS_PER_CALL,
    &f::SYNC_WAIT_COMMIT,
    &f::SYNC_WAIT_FLUSH,
    &f::SYNC_WAIT_DATA,
];

pub(super) fn put(fold: &Fold<'_>, mount: &Mount, about: &mut About<'_>) {
    let journal = slice(fold, mount);
    match (&journal, fold.seconds()) {
        (Ok(journal), Some(seconds)) => {
            commits(journal, seconds, about);
            volume(fold, mount, journal, seconds, about);
        }
        (Err(reason), _) => about.say_unknown(JOURNAL, reason),
        (_, None) => about.say_unknown(JOURNAL, "nothing was recorded"),
    }
    match (calls(fold, mount), fold.seconds()) {
        (Ok(calls), Some(seconds)) => {
            syncs(fold, mount, &calls, seconds, journal.as_ref().ok(), about)
        }
        (Err(reason), _) => about.say_unknown(SYNC, &reason),
        (_, None) => about.say_unknown(SYNC, "nothing was recorded"),
    }
}

fn slice(fold: &Fold<'_>, mount: &Mount) -> Result<JournalSlice, String> {
    filesystem::jbd2(mount)?;
    if mount
        .ext4
        .as_ref()
        .is_some_and(|ext4| ext4.has_journal == Some(false))
    {
        return Err("it has no journal".to_owned());
    }
    let numbers = filesystem::numbers(fold, mount);
    let found = numbers
        .iter()
        .find_map(|number| fold.total.journals.get(number));
    match (found, fold.silence("journal")) {
        (Some(found), _) => Ok(found.clone()),
        (None, Some(reason)) => Err(reason),
        (None, None) => Ok(JournalSlice::default()),
    }
}

fn commits(journal: &JournalSlice, seconds: f64, about: &mut About<'_>) {
    const SOURCE: &str = "journal probe";
    let n = journal.commits;
    let missing = match n {
        0 => "no commits ended in the window",
        _ => "the phases of its commits were not measured",
    };
    let rate = |count: u64| Ok(Measured::of(count as f64 / seconds, n, SOURCE));
    about.say(&f::JOURNAL_COMMIT_RATE, rate(n));
    about.say(&f::JOURNAL_HANDLES_RATE, rate(journal.handles));
    about.say(
        &f::JOURNAL_FORCED_CHECKPOINTS,
        rate(journal.checkpoint_forced_to_close),
    );
    let phase = |phase: CommitPhase| journal.phases.get(&phase);
    let time = |which: CommitPhase, q: f64| quantile(phase(which), q, SOURCE, missing);
    about.say(&f::JOURNAL_COMMIT_P50, time(CommitPhase::Commit, 0.5));
    about.say(&f::JOURNAL_COMMIT_P99, time(CommitPhase::Commit, 0.99));
    about.say(&f::JOURNAL_LOCKED_P99, time(CommitPhase::Locked, 0.99));
    let whole = phase(CommitPhase::Commit).map_or(0.0, |all| all.sum as f64);
    let part = |which: CommitPhase| -> Answer {
        let part = phase(which).ok_or_else(|| missing.to_owned())?;
        share(part.sum as f64, whole, part.n(), SOURCE, missing)
    };
    about.say(&f::JOURNAL_LOCKED_SHARE, part(CommitPhase::Locked));
    about.say(&f::JOURNAL_FLUSHING_SHARE, part(CommitPhase::Flushing));
    about.say(&f::JOURNAL_LOGGING_SHARE, part(CommitPhase::Logging));
    let each = |count: u64| share(count as f64, n as f64, n, SOURCE, missing);
    about.say(&f::JOURNAL_HANDLES_PER_COMMIT, each(journal.handles));
    about.say(&f::JOURNAL_BLOCKS_PER_COMMIT, each(journal.blocks_logged));
}

/// Bytes that went to the journal, and what part that is of all that was written.
fn volume(
    fold: &Fold<'_>,
    mount: &Mount,
    journal: &JournalSlice,
    seconds: f64,
    about: &mut About<'_>,
) {
    let facts: [&Fact; 2] = [&f::JOURNAL_THROUGHPUT, &f::JOURNAL_SHARE_OF_WRITES];
    let block = mount.ext4.as_ref().and_then(|ext4| ext4.block_size_bytes);
    let Some(block) = block else {
        return about.say_unknown(&facts, "the block size of the filesystem is not known");
    };
    let bytes = journal.blocks_logged as f64 * block as f64;
    let n = journal.commits;
    let source = "journal probe, blocks logged times the block size";
    about.say(facts[0], Ok(Measured::of(bytes / seconds, n, source)));
    if mount
        .ext4
        .as_ref()
        .is_some_and(|ext4| ext4.journal_external == Some(true))
    {
        return about.say_unknown(&facts[1..], "its journal is on another device");
    }
    let top = fold.stack.top(mount);
    let written = top.and_then(|top| fold.total.devices.get(&top.number)?.ops.get(&Op::Write));
    let written = written.map_or(0.0, |op| op.bytes as f64);
    let missing = "no writes of its device completed in the window";
    let part = share(bytes, written, n, "journal probe over block probe", missing);
    about.say(facts[1], part);
}

fn calls(fold: &Fold<'_>, mount: &Mount) -> Result<SyncSlice, String> {
    let numbers = filesystem::numbers(fold, mount);
    let found = numbers
        .iter()
        .find_map(|number| fold.total.syncs.get(number));
    if let Some(found) = found {
        return Ok(found.clone());
    }
    match fold.silence("sync") {
        Some(reason) => Err(reason),
        None => {
            let partial = fold
                .capture
                .probes
                .iter()
                .find(|status| status.id == "sync");
            let reason = partial.and_then(|status| status.reason.as_deref());
            match (filesystem::is_ext(mount), reason) {
                (false, Some(reason)) => Err(format!("the sync probe saw none here ({reason})")),
                _ => Ok(SyncSlice::default()),
            }
        }
    }
}

fn syncs(
    fold: &Fold<'_>,
    mount: &Mount,
    slice: &SyncSlice,
    seconds: f64,
    journal: Option<&JournalSlice>,
    about: &mut About<'_>,
) {
    const SOURCE: &str = "sync probe";
    let missing = "no sync calls returned in the window";
    let mut all = Histogram::new(&LATENCY);
    slice
        .calls
        .values()
        .for_each(|calls| all.merge(&calls.latency_ns));
    let n = all.n();
    about.say(
        &f::SYNC_RATE,
        Ok(Measured::of(n as f64 / seconds, n, SOURCE)),
    );
    for (fact, q) in [
        (&f::SYNC_P50, 0.5),
        (&f::SYNC_P95, 0.95),
        (&f::SYNC_P99, 0.99),
    ] {
        about.say(fact, quantile(Some(&all), q, SOURCE, missing));
    }
    let fsync = slice
        .calls
        .get("fsync")
        .map_or(0, |calls| calls.latency_ns.n());
    about.say(
        &f::SYNC_FSYNC_SHARE,
        share(fsync as f64, n as f64, n, SOURCE, missing),
    );
    let errors = slice
        .calls
        .values()
        .fold(0u64, |sum, calls| sum.saturating_add(calls.errors));
    about.say(&f::SYNC_ERRORS, Ok(Measured::of(errors as f64, n, SOURCE)));
    let commits = match journal {
        Some(journal) => share(
            journal.commits as f64,
            n as f64,
            n,
            "journal over sync probe",
            missing,
        ),
        None => Err("the commits of its journal are not known".to_owned()),
    };
    about.say(&f::SYNC_COMMITS_PER_CALL, commits);
    about.say(&f::SYNC_FLUSH_SHARE, flush_share(fold, mount, &all));
    waits(slice, n, journal.is_some(), about);
}

/// What the calls waited for, by the sum of their phases.
fn waits(slice: &SyncSlice, n: u64, journal: bool, about: &mut About<'_>) {
    const COMMIT: &[SyncPhase] = &[
        SyncPhase::EarlierCommit,
        SyncPhase::Locked,
        SyncPhase::Journal,
    ];
    let sum = |wanted: &dyn Fn(&SyncPhase) -> bool| -> u64 {
        let phases = slice.calls.values().flat_map(|calls| &calls.phases_ns);
        phases
            .filter(|(phase, _)| wanted(phase))
            .map(|(_, ns)| ns)
            .sum()
    };
    let whole = sum(&|_| true);
    let part = |wanted: &[SyncPhase]| -> Answer {
        let missing = "what the calls waited for was not measured";
        // Only the marks of jbd2 tell a log from the flush behind it.
        if !journal {
            return Err("the commits of its journal are not known".to_owned());
        }
        let part = sum(&|phase| wanted.contains(phase));
        share(
            part as f64,
            whole as f64,
            n,
            "sync and journal probes",
            missing,
        )
    };
    about.say(&f::SYNC_WAIT_COMMIT, part(COMMIT));
    about.say(
        &f::SYNC_WAIT_FLUSH,
        part(&[SyncPhase::Record, SyncPhase::Flush]),
    );
    about.say(&f::SYNC_WAIT_DATA, part(&[SyncPhase::Data]));
}

/// The median flush of the device over the median call.
fn flush_share(fold: &Fold<'_>, mount: &Mount, calls: &Histogram) -> Answer {
    let top = fold
        .stack
        .top(mount)
        .ok_or_else(|| "it is not on a block device".to_owned())?;
    let flush = fold
        .total
        .devices
        .get(&top.number)
        .and_then(|device| device.ops.get(&Op::Flush));
    let time = flush.and_then(|flush| flush.spans.get(&Span::Device));
    let flush = time.and_then(|time| Some((time.quantile(0.5)?.value, time.n())));
    let (flush, n) = flush.ok_or_else(|| "no cache flushes completed in the window".to_owned())?;
    let call = calls.quantile(0.5).map_or(0.0, |half| half.value);
    share(
        flush,
        call,
        n,
        "block over sync probe",
        "no sync calls returned in the window",
    )
}
