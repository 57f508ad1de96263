//! Lines of dmesg, journalctl or /var/log/messages that are about storage.

use crate::import::kinds::Kind;
use crate::import::model::hostfiles::LogLine;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct Log;

/// Words in lower case and what they are about; the first that is found counts.
const TOPICS: [(&str, &str); 28] = [
    ("md: data-check", "array-check"),
    ("md: requested-resync", "array-check"),
    ("md: recovery of raid", "array-rebuild"),
    ("md: resync of raid", "array-rebuild"),
    ("md/raid", "array-rebuild"),
    ("disk failure on", "array-degraded"),
    ("learn cycle", "controller-battery"),
    ("relearn", "controller-battery"),
    ("controller battery", "controller-battery"),
    ("battery charge", "controller-battery"),
    ("write policy has been changed", "write-cache"),
    ("cache policy has changed", "write-cache"),
    ("policy change on vd", "write-cache"),
    ("write through", "write-cache"),
    ("write-through", "write-cache"),
    ("writethrough", "write-cache"),
    ("bbu disabled", "write-cache"),
    ("write cache:", "write-cache"),
    ("asking for cache data failed", "write-cache"),
    ("bbu", "controller-battery"),
    ("i/o error", "io-error"),
    ("blk_update_request", "io-error"),
    ("medium error", "io-error"),
    ("failed command: ", "io-error"),
    ("ext4-fs error", "filesystem-error"),
    ("ext3-fs error", "filesystem-error"),
    ("xfs (", "filesystem-error"),
    ("hung_task", "throttled"),
];

impl Kind for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn about(&self) -> &'static str {
        "dmesg, journalctl or /var/log/messages"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().take(200).any(|(_, line)| is_log(line))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        if !self.recognises(source) {
            return Err(source.refuse_all(
                "no line has the time of a log",
                "give dmesg, journalctl or /var/log/messages",
            ));
        }
        let mut lines = Vec::new();
        for (number, line) in source.lines() {
            let lower = line.to_lowercase();
            let topic = TOPICS.iter().find(|(word, _)| lower.contains(word));
            if let Some((_, topic)) = topic {
                lines.push(LogLine {
                    line: number as u64,
                    topic: (*topic).to_owned(),
                    text: line.trim().to_owned(),
                });
            }
        }
        if lines.is_empty() {
            into.note(Level::Info, &source.name, None, "no line is about storage");
        }
        into.host.get_or_insert_default().log.append(&mut lines);
        Ok(())
    }
}

/// `Apr 26 12:55:31 host ...`, `2024-05-06T11:00:00 host ...` or `[    1.234567] ...`.
fn is_log(line: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    let clock = |word: &str| {
        word.len() >= 8
            && word.matches(':').count() >= 2
            && word.starts_with(|c: char| c.is_ascii_digit())
    };
    let syslog = words.len() == 4 && MONTHS.contains(&words[0]) && clock(words[2]);
    let iso = words.len() == 4 && words[0].contains('T') && words[0].len() >= 19 && clock(words[0]);
    let dmesg = line.starts_with('[')
        && line[1..].split_once(']').is_some_and(|(at, rest)| {
            rest.len() > 1 && at.trim().parse::<f64>().is_ok() && at.contains('.')
        });
    syslog || iso || dmesg
}
