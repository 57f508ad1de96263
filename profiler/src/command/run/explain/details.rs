//! What a job does beside its I/O: syncs, files, buffers, verifying, what it watches.

use crate::workload::plan::Job;
use crate::workload::spec::{
    Advice, Check, Content, Engine, Fallocate, SyncMode, Turn, Watched, Way,
};

/// One line each; what is as usual and changes no number is left out.
pub(super) fn lines(job: &Job) -> Vec<String> {
    let mut lines = Vec::new();
    queue(job, &mut lines);
    syncs(job, &mut lines);
    files(job, &mut lines);
    if job.access.does(Way::Write) {
        lines.push(content(job));
    }
    match &job.verify {
        Check::None => {}
        _ if !job.read_back => lines.push("blocks carry what verifies them".to_owned()),
        Check::Crc32c => lines.push("reads back what it wrote, by place and CRC-32C".to_owned()),
        Check::Pattern(_) => lines.push("reads back what it wrote, by its pattern".to_owned()),
    }
    if let Some(steady) = &job.steady {
        lines.push(format!(
            "ends when {} {} at most {}{} for {} s",
            match steady.watched {
                Watched::Ios => "I/Os a second",
                Watched::Bytes => "bytes a second",
            },
            if steady.slope {
                "slope by"
            } else {
                "deviate by"
            },
            steady.limit,
            if steady.percent { " %" } else { "" },
            steady.duration_ns as f64 / 1e9
        ));
    }
    for log in job.logs.iter().flat_map(|logs| logs.paths()) {
        lines.push(format!("log {}", log.display()));
    }
    if let Some(cpus) = &job.cpus {
        lines.push(format!("runs on CPUs {cpus:?}"));
    }
    if let Some(name) = &job.wait_for {
        lines.push(format!("starts when {name} has ended"));
    }
    lines
}

fn queue(job: &Job, lines: &mut Vec<String>) {
    let (depth, batch) = (u64::from(job.depth), job.batch);
    if batch.submit < depth {
        lines.push(format!("hands in at most {} at once", batch.submit));
    }
    if batch.complete_min > 1 {
        lines.push(format!("waits for {} completions", batch.complete_min));
    }
    if batch.low < depth {
        lines.push(format!("a full queue runs down to {} first", batch.low));
    }
    if job.kernel_polls && job.engine == Engine::IoUring {
        lines.push("the kernel's own thread takes what is handed in".to_owned());
    }
}

fn syncs(job: &Job, lines: &mut Vec<String>) {
    match job.sync {
        SyncMode::None => {}
        SyncMode::Sync => lines.push("each write is durable with its metadata (O_SYNC)".to_owned()),
        SyncMode::Dsync => lines.push("each write is durable (O_DSYNC)".to_owned()),
    }
    if job.end_fsync && job.access.writes {
        lines.push("fsync at the end".to_owned());
    }
    if job.fsync_on_close {
        lines.push("fsync on closing".to_owned());
    }
}

fn files(job: &Job, lines: &mut Vec<String>) {
    if job.files.len() > 1 {
        lines.push(match job.turn {
            Turn::Around(ios) => format!("files take turns, {ios} I/Os each"),
            Turn::Random(ios) => format!("a file at random for every {ios} I/Os"),
            Turn::Sequential => "one file after another".to_owned(),
        });
    }
    if job.pre_read {
        lines.push("files are read into the page cache before".to_owned());
    } else if job.invalidate && job.engine != Engine::Null && !job.direct {
        lines.push("drops the clean cached pages of its files before".to_owned());
    }
    let advice = match job.advice {
        Advice::None => "none",
        Advice::ByOrder if job.access.random => "random",
        Advice::ByOrder | Advice::Sequential => "sequential",
        Advice::Random => "random",
        Advice::Noreuse => "noreuse",
    };
    let room = match job.fallocate {
        Fallocate::None => "is not reserved",
        Fallocate::Native => "is reserved where the filesystem can",
        Fallocate::Posix => "is reserved",
        Fallocate::Keep => "is reserved without a length",
        Fallocate::Truncate => "is only a length",
    };
    if job.engine != Engine::Null {
        lines.push(format!("fadvise {advice}; room for new files {room}"));
    }
    if job.unlink {
        lines.push("its files are removed at the end, kept or not".to_owned());
    }
}

fn content(job: &Job) -> String {
    match &job.content {
        Content::Zeros => "writes zeros".to_owned(),
        Content::Pattern(bytes) => format!("writes a pattern of {} bytes", bytes.len()),
        Content::Random { refilled: true, .. } => {
            "writes random bytes, new for each block".to_owned()
        }
        Content::Random { stamped: true, .. } => {
            "writes random bytes, made once, with a stamp in each 512".to_owned()
        }
        Content::Random { .. } => "writes random bytes, made once".to_owned(),
    }
}
