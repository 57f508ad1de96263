//! The report's numbers as words, the same in every format for people.

pub(crate) use super::numbers::NO_DATA;
use super::numbers::NONE_SEEN;
use super::shape::*;
use crate::capture::CommitPhase;
use crate::units;
use rules::finding::{Evidence, Finding, Risk, Severity, State};

/// One number that sums up a part of the report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) value: String,
    pub(crate) label: String,
}

impl ReportJson {
    /// `db-07 · Linux 6.1.0-38-amd64 · Debian GNU/Linux 12 · kvm · 4 CPUs · 8 GiB`.
    pub(crate) fn host_line(&self) -> String {
        let HostJson {
            name,
            id: _,
            kernel,
            os,
            virtualisation,
            cpus,
            memory_bytes,
            missing: _,
        } = &self.host;
        let mut words = Vec::new();
        words.extend(name.clone());
        words.push(match kernel.is_empty() {
            true => "kernel unknown".to_owned(),
            false => format!("Linux {kernel}"),
        });
        words.extend(os.clone());
        words.extend(virtualisation.clone().filter(|v| v != "none"));
        words.extend(cpus.map(|n| format!("{n} CPUs")));
        words.extend(memory_bytes.map(|n| units::bytes(n as f64)));
        words.join(" · ")
    }

    /// `20.0 s recorded from 2026-11-30T15:04:05Z; end: SIGINT`.
    pub(crate) fn window_line(&self) -> String {
        let window = &self.window;
        let mut line = match window.seconds > 0.0 {
            true => format!("{} recorded", units::nanos(window.seconds * 1e9)),
            false => "nothing recorded".to_owned(),
        };
        if !window.start.is_empty() {
            line += &format!(" from {}", window.start);
        }
        if !window.ended_by.is_empty() {
            line += &format!("; end: {}", window.ended_by);
        }
        line
    }

    /// The few numbers that a reader wants first: the busiest device, commits, sync calls.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        if let Some(device) = self.devices.first() {
            for (op, told) in device.ops.iter().filter(|(_, told)| told.completed > 0) {
                let span = told.main_span();
                if let (Some(rate), Some((name, p99))) = (told.per_second, span) {
                    figures.push(Figure {
                        value: units::nanos(p99),
                        label: format!(
                            "p99 of a {} on {}, {name} span; {}",
                            op.name(),
                            device.name,
                            units::rate(rate)
                        ),
                    });
                }
            }
        }
        let busiest = |a: &&JournalJson| a.commits;
        if let Some(journal) = self.journals.iter().max_by_key(busiest)
            && let Some(p50) = journal.phases.get("commit").and_then(|p| p.p50_ns)
        {
            figures.push(Figure {
                value: units::nanos(p50),
                label: format!("median journal commit of {}", journal.place()),
            });
        }
        if let Some(call) = self.fsync.iter().max_by_key(|call| call.latency.n)
            && let Some(p99) = call.latency.p99_ns
        {
            figures.push(Figure {
                value: units::nanos(p99),
                label: format!("p99 of {} on {}", call.call, call.mount),
            });
        }
        figures
    }
}

impl OpJson {
    /// The 99th percentile of the span that says most about a whole I/O, with the span's name.
    pub(crate) fn main_span(&self) -> Option<(&'static str, f64)> {
        let SpansJson {
            request,
            bio,
            device,
            ..
        } = &self.spans;
        [("request", request), ("bio", bio), ("device", device)]
            .into_iter()
            .find_map(|(name, span)| Some((name, span.p99_ns?)))
    }

    /// `4.2 % sequential, 6.0 % near, 90 % random`.
    pub(crate) fn pattern(&self) -> String {
        let Some((sequential, (near, random))) = self.sequential.zip(self.near.zip(self.random))
        else {
            return absent(self.pattern_reason.as_deref());
        };
        let all = (sequential as f64 + near as f64 + random as f64).max(1.0);
        let share = |n: u64| units::ratio(n as f64 / all);
        format!(
            "{} sequential, {} near, {} random",
            share(sequential),
            share(near),
            share(random)
        )
    }
}

impl MergesJson {
    /// `12 front, 3,400 back, 2 requests`.
    pub(crate) fn words(&self) -> String {
        match (self.front, self.back, self.request) {
            (Some(front), Some(back), Some(request)) => format!(
                "{} front, {} back, {} requests",
                units::count(front),
                units::count(back),
                units::count(request)
            ),
            _ => absent(self.reason.as_deref()),
        }
    }
}

impl DistributionJson {
    /// `p50 8 KiB, p99 256 KiB, max 512 KiB`.
    pub(crate) fn words(&self, print: impl Fn(f64) -> String) -> String {
        match (self.p50, self.p99, self.max) {
            (Some(p50), Some(p99), Some(max)) => {
                format!("p50 {}, p99 {}, max {}", print(p50), print(p99), print(max))
            }
            _ => absent(self.reason.as_deref()),
        }
    }
}

impl LatencyJson {
    /// `±0.78 %`; nothing where the largest value is beyond the scale.
    pub(crate) fn error_words(&self) -> String {
        self.error.map_or("beyond scale".to_owned(), |error| {
            format!("±{}", units::ratio(error))
        })
    }
}

impl DeviceJson {
    /// `virtio block device · 254:0 · virtio-7f3a91`.
    pub(crate) fn about(&self) -> String {
        let mut about: Vec<&str> = Vec::new();
        about.extend(self.model.as_deref().or(self.class.as_deref()));
        about.push(&self.number);
        about.extend(self.id.as_deref());
        about.join(" · ")
    }

    /// The spans that no op of the device has, and those that only some lack, each with its reason.
    pub(crate) fn not_measured(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for index in 0..5 {
            let lacking: Vec<(&str, &str, &str)> = self
                .ops
                .iter()
                .filter_map(|(op, told)| {
                    let (name, span) = told.spans.named()[index];
                    let reason = span.n.is_none().then_some(span.reason.as_deref()?)?;
                    Some((op.name(), name, reason))
                })
                .collect();
            let Some((_, name, reason)) = lacking.first().copied() else {
                continue;
            };
            let ops: Vec<&str> = lacking.iter().map(|(op, _, _)| *op).collect();
            notes.push(match ops.len() == self.ops.len() {
                true => format!("{name}: {}", absent(Some(reason))),
                false => format!("{name} of {}: {}", ops.join(", "), absent(Some(reason))),
            });
        }
        notes
    }
}

impl DeviceJson {
    /// `for tags 812 requests, 4.21 s in all; ...`, or why there is nothing to tell.
    pub(crate) fn waits_words(&self) -> String {
        let Some(waits) = &self.waits else {
            return absent(self.waits_reason.as_deref());
        };
        if waits.is_empty() {
            return "no bio slept before it had a request".to_owned();
        }
        let one = |(cause, wait): (&&str, &WaitJson)| {
            let requests = units::count(wait.requests);
            let all = units::nanos(wait.sum_ns as f64);
            format!("for {cause} {requests} requests, {all} in all")
        };
        waits.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

impl QueueJson {
    /// `allocated 8,434, inserted 2,791, plugs 1,661, ...`; what was not counted is left out.
    pub(crate) fn words(&self) -> String {
        let counts = [
            ("allocated", self.allocated),
            ("inserted", self.inserted),
            ("plugs", self.plugs),
            ("unplugs", self.unplugs),
            ("let go by unplugs", self.unplugged_requests),
            ("splits", self.splits),
            ("bios queued", self.bios_queued),
            ("bios completed", self.bios_completed),
            ("chunk crossings", self.chunk_crossings),
        ];
        let known = counts
            .into_iter()
            .filter_map(|(name, n)| Some(format!("{name} {}", units::count(n?))));
        let known: Vec<String> = known.collect();
        match known.is_empty() {
            true => absent(self.reason.as_deref()),
            false => known.join(", "),
        }
    }
}

impl BalanceJson {
    /// Whether all requests are accounted for; `None` where that cannot be said.
    pub(crate) fn holds(&self) -> Option<bool> {
        self.difference.map(|difference| difference == 0)
    }

    /// The sum, and OK or what is missing.
    pub(crate) fn words(&self) -> String {
        let in_flight = match self.in_flight {
            Some(n) => format!("{} in flight", units::count(n)),
            None => "an unknown number in flight".to_owned(),
        };
        let result = match (self.difference, &self.reason) {
            (Some(0), _) => "OK".to_owned(),
            (Some(difference), _) if difference > 0 => {
                format!(
                    "{} not accounted for",
                    units::count(difference.unsigned_abs())
                )
            }
            (Some(difference), _) => {
                format!("{} too many ended", units::count(difference.unsigned_abs()))
            }
            (None, reason) => format!("not known ({})", reason.as_deref().unwrap_or("unknown")),
        };
        let at_start = match self.in_flight_at_start {
            0 => String::new(),
            n => format!(" + {} in flight at the start", units::count(n)),
        };
        let mut words = format!(
            "{} issued{at_start} = {} completed + {in_flight} + {} ended otherwise: {result}",
            units::count(self.issued),
            units::count(self.completed),
            units::count(self.ended_otherwise),
        );
        if let (Some(1..), Some(reason)) = (self.difference, &self.reason) {
            words += &format!(" ({reason})");
        }
        if self.unmatched > 0 {
            words += &format!(
                "; besides, {} completed whose issue was not seen",
                units::count(self.unmatched)
            );
        }
        if self.ended_before_issue > 0 {
            words += &format!(
                "; {} ended before issue",
                units::count(self.ended_before_issue)
            );
        }
        words
    }
}

impl JournalJson {
    /// The mount point, or the device where none is known.
    pub(crate) fn place(&self) -> &str {
        self.mount.as_deref().unwrap_or(&self.device)
    }

    /// `commits 361, handles 5,054, ...`.
    pub(crate) fn counts_words(&self) -> String {
        let counts = [
            ("commits", self.commits),
            ("handles", self.handles),
            ("most handles in a commit", self.handles_max),
            ("blocks", self.blocks),
            ("blocks logged", self.blocks_logged),
            ("checkpoints", self.checkpoints),
            (
                "blocks written by checkpoints",
                self.checkpoint_blocks_written,
            ),
            ("forced to close", self.checkpoint_forced_to_close),
        ];
        let words = counts.map(|(name, n)| format!("{name} {}", units::count(n)));
        words.join(", ")
    }

    /// The phases in their order.
    pub(crate) fn ordered(&self) -> Vec<(&str, &LatencyJson)> {
        CommitPhase::ALL
            .into_iter()
            .filter_map(|phase| Some((phase.name(), self.phases.get(phase.name())?)))
            .collect()
    }
}

impl ComparisonJson {
    /// `5,620, 43.9 MiB`.
    pub(crate) fn jobs_words(&self) -> String {
        amount(self.jobs_n, Some(self.jobs_bytes))
    }

    /// The same of the probes; the reason why not stands beside it.
    pub(crate) fn probes_words(&self) -> String {
        self.probes_n
            .map_or("not measured".to_owned(), |n| amount(n, self.probes_bytes))
    }
}

impl OwnCostJson {
    /// `0.55 % of one CPU, 112 ns an event, 486 ns a request, 11 MiB of kernel memory`.
    pub(crate) fn words(&self) -> String {
        let missing = || absent(self.reason.as_deref());
        let cpu = self
            .cpu_percent
            .map_or_else(missing, |p| format!("{} of one CPU", units::percent(p)));
        let mut words = vec![cpu];
        words.extend(
            self.ns_per_event
                .map(|ns| format!("{} an event", units::nanos(ns))),
        );
        words.extend(
            self.ns_per_request
                .map(|ns| format!("{} a request", units::nanos(ns))),
        );
        words.push(format!(
            "{} of kernel memory",
            units::bytes(self.memory_bytes as f64)
        ));
        words.join(", ")
    }
}

/// Why a number is not there. A measured nothing and a thing without that property are told apart
/// from what was not measured.
pub(crate) fn absent(reason: Option<&str>) -> String {
    match reason {
        Some(NONE_SEEN) => NONE_SEEN.to_owned(),
        Some(NO_DATA) => format!("none ({NO_DATA})"),
        reason => units::not_measured(reason.unwrap_or("unknown")),
    }
}

fn amount(n: u64, bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) if bytes > 0 => format!("{}, {}", units::count(n), units::bytes(bytes as f64)),
        _ => units::count(n),
    }
}

/// `fs.atime  strict  (17.9 /s to 18.5 /s, n 364, journal probe)` without its name and value.
pub(crate) fn evidence_words(evidence: &Evidence) -> String {
    let mut words = Vec::new();
    if let Some((low, high)) = &evidence.interval {
        words.push(format!("{low} to {high}"));
    }
    words.extend(evidence.n.map(|n| format!("n {}", units::count(n))));
    words.push(evidence.source.clone());
    words.join(", ")
}

pub(crate) fn state_name(finding: &Finding) -> &'static str {
    match finding.state {
        State::Recommend => "recommend",
        State::NoChangeNeeded => "no change needed",
        State::InsufficientEvidence => "insufficient evidence",
        State::NotApplicable => "not applicable",
        State::Unsafe => "unsafe",
    }
}

pub(crate) fn severity_name(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Critical => "critical",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
        Severity::Info => "info",
    }
}

pub(crate) fn risk_name(finding: &Finding) -> &'static str {
    match finding.risk {
        Risk::None => "no risk",
        Risk::Performance => "risk: performance",
        Risk::Durability => "risk: durability",
        Risk::DataLoss => "risk: data loss",
        Risk::Downtime => "risk: downtime",
        Risk::Rebuild => "risk: rebuild",
    }
}
