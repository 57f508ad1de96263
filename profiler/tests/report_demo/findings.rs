//! One finding in each state, as the rules would give them for the demonstration.

use rules::finding::*;
use serde_json::json;

pub(crate) fn verdict() -> Verdict {
    Verdict {
        kind: "fix-first".into(),
        text: "Storage holds the database back: a commit on /srv/pg waits 3.91 ms at the median and \
               stood still for two seconds. Turn off access-time updates before you tune anything else."
            .into(),
    }
}

pub(crate) fn findings() -> Vec<Finding> {
    vec![
        atime(),
        scheduler(),
        write_back(),
        barrier(),
        quiet(
            "cache/write-back-real",
            State::InsufficientEvidence,
            "device vda",
            "Is the write cache of vda safe?",
        ),
        quiet(
            "readahead/limited",
            State::NoChangeNeeded,
            "device vda",
            "Read-ahead fits what is read",
        ),
        quiet(
            "array/stripe",
            State::NotApplicable,
            "host",
            "Stripe size against request size",
        ),
    ]
}

fn atime() -> Finding {
    Finding {
        id: "mount/strict-atime".into(),
        state: State::Recommend,
        severity: Severity::Warning,
        risk: Risk::None,
        subject: "filesystem /srv/pg".into(),
        title: "Every read of /srv/pg dirties an inode".into(),
        because:
            "/srv/pg is mounted strictatime. Reads (310 /s) mark inodes dirty, and the journal \
                  commits 18.2 times a second although the workload syncs 19 times."
                .into(),
        advice: Some(
            "Mount it with relatime, which every kernel since 2.6.30 does by default.".into(),
        ),
        evidence: vec![
            evidence(
                "fs.atime",
                "strict",
                json!("strict"),
                None,
                None,
                "/proc/self/mountinfo",
            ),
            evidence(
                "journal.commit.rate",
                "18.2 /s",
                json!(18.2),
                Some(("17.9 /s", "18.5 /s")),
                Some(364),
                "journal probe",
            ),
            evidence(
                "sync.p99",
                "11.2 ms",
                json!(11_200_000),
                Some(("11.1 ms", "11.3 ms")),
                Some(357),
                "sync probe",
            ),
        ],
        apply: vec!["mount -o remount,relatime /srv/pg".into()],
        persist: vec!["sed -i 's/strictatime/relatime/' /etc/fstab".into()],
        undo: vec!["mount -o remount,strictatime /srv/pg".into()],
        expect: Some("journal.commit.rate falls".into()),
        sources: vec![
            "Documentation/filesystems/ext4/overview.rst".into(),
            "mount(8), strictatime".into(),
        ],
        ..empty()
    }
}

fn scheduler() -> Finding {
    Finding {
        id: "scheduler/on-virtual-disk".into(),
        state: State::Recommend,
        severity: Severity::Notice,
        risk: Risk::Performance,
        subject: "device vda".into(),
        title: "vda is scheduled twice".into(),
        because: "vda is a virtual disk behind mq-deadline; the hypervisor schedules again below it. \
                  Its queue span is 2.60 µs at the median, so the gain is small."
            .into(),
        evidence: vec![
            evidence("device.scheduler", "mq-deadline", json!("mq-deadline"), None, None, "/sys/block/vda/queue/scheduler"),
            evidence("read.queue.p99", "21.1 µs", json!(21_100), Some(("20.9 µs", "21.2 µs")), Some(5_612), "block probe"),
        ],
        apply: vec!["echo none > /sys/block/vda/queue/scheduler".into()],
        persist: vec!["printf 'ACTION==\"add|change\", KERNEL==\"vda\", ATTR{queue/scheduler}=\"none\"\\n' > /etc/udev/rules.d/60-vda.rules".into()],
        undo: vec!["echo mq-deadline > /sys/block/vda/queue/scheduler".into()],
        expect: Some("read.request.p99 falls".into()),
        after: vec!["mount/strict-atime".into()],
        sources: vec!["Documentation/block/switching-sched.rst".into()],
        ..empty()
    }
}

fn write_back() -> Finding {
    Finding {
        id: "writeback/dirty-limits".into(),
        state: State::Recommend,
        severity: Severity::Info,
        risk: Risk::Performance,
        subject: "host".into(),
        title: "Dirty pages pile up to 1.64 GiB before writers are held".into(),
        because: "vm.dirty_ratio is 20 of 8 GiB; in seconds 12 and 13 a burst of write-back held reads for 53 ms.".into(),
        evidence: vec![evidence("vm.dirty_ratio", "20 %", json!(0.2), None, None, "/proc/sys/vm/dirty_ratio")],
        apply: vec![
            "sysctl -w vm.dirty_background_bytes=67108864".into(),
            "sysctl -w vm.dirty_bytes=268435456".into(),
        ],
        undo: vec!["sysctl -w vm.dirty_background_ratio=10".into(), "sysctl -w vm.dirty_ratio=20".into()],
        sources: vec!["Documentation/admin-guide/sysctl/vm.rst".into()],
        ..empty()
    }
}

fn barrier() -> Finding {
    Finding {
        id: "durability/barrier".into(),
        state: State::Unsafe,
        severity: Severity::Critical,
        risk: Risk::DataLoss,
        subject: "filesystem /srv/pg".into(),
        title: "Turning barriers off would make commits faster, and lose them".into(),
        because: "vda has a volatile write cache (write back); flushes take 1.15 ms at the median and are what makes a commit durable.".into(),
        evidence: vec![evidence("device.write_cache", "write back", json!("write back"), None, None, "/sys/block/vda/queue/write_cache")],
        suppressed_by: Some("a volatile cache below a journal".into()),
        sources: vec!["Documentation/block/writeback_cache_control.rst".into()],
        ..empty()
    }
}

fn quiet(id: &str, state: State, subject: &str, title: &str) -> Finding {
    Finding {
        id: id.into(),
        state,
        severity: Severity::Info,
        subject: subject.into(),
        title: title.into(),
        because: "Judged from the facts at hand.".into(),
        missing: match state {
            State::InsufficientEvidence => {
                vec!["device.plp: a virtual disk does not say whether its cache survives a power cut".into()]
            }
            _ => vec![],
        },
        ..empty()
    }
}

fn evidence(
    fact: &str,
    value: &str,
    raw: serde_json::Value,
    interval: Option<(&str, &str)>,
    n: Option<u64>,
    source: &str,
) -> Evidence {
    Evidence {
        fact: fact.into(),
        value: value.into(),
        raw,
        interval: interval.map(|(low, high)| (low.to_owned(), high.to_owned())),
        n,
        source: source.into(),
    }
}

fn empty() -> Finding {
    Finding {
        id: String::new(),
        state: State::Recommend,
        severity: Severity::Info,
        risk: Risk::None,
        subject: String::new(),
        title: String::new(),
        because: String::new(),
        advice: None,
        evidence: vec![],
        missing: vec![],
        apply: vec![],
        persist: vec![],
        undo: vec![],
        expect: None,
        after: vec![],
        suppressed_by: None,
        sources: vec![],
    }
}
