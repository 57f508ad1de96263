//! Maps of `hist()` and `lhist()` as bpftrace prints them.

use super::bcc_histogram::finish;
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::histograms::{Bucket, RangeHistogram};
use crate::import::source::{Imports, Source};

pub struct BpftraceHistogram;

impl Kind for BpftraceHistogram {
    fn name(&self) -> &'static str {
        "bpftrace-histogram"
    }

    fn about(&self) -> &'static str {
        "hist() and lhist() maps of bpftrace"
    }

    fn recognises(&self, source: &Source) -> bool {
        let mut lines = source.lines();
        lines.any(|(_, line)| line.starts_with('@'))
            && source.lines().any(|(_, line)| bucket(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut found: Vec<RangeHistogram> = Vec::new();
        for (number, line) in source.lines() {
            if let Some(head) = line
                .trim_end()
                .strip_suffix(':')
                .filter(|l| l.starts_with('@'))
            {
                let (name, key) = match head.split_once('[') {
                    Some((name, key)) => (name, Some(key.trim_end_matches(']').to_owned())),
                    None => (head, None),
                };
                let unit = unit(name);
                found.push(RangeHistogram {
                    file: source.name.clone(),
                    line: number as u64,
                    title: Some(name.to_owned()),
                    key,
                    unit_is_assumed: unit.is_some(),
                    unit: unit.map(str::to_owned),
                    ..RangeHistogram::default()
                });
            } else if let (Some(bucket), Some(last)) = (bucket(line), found.last_mut()) {
                last.buckets.push(bucket);
            }
        }
        finish(source, found, into)
    }
}

/// What a map's name says of its unit: `@us`, `@usecs`, `@lat_us`.
fn unit(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('@').to_ascii_lowercase();
    let mut words = name.split('_').rev();
    words.find_map(|word| match word {
        "ns" | "nsec" | "nsecs" => Some("ns"),
        "us" | "usec" | "usecs" => Some("us"),
        "ms" | "msec" | "msecs" => Some("ms"),
        "sec" | "secs" => Some("s"),
        "bytes" => Some("bytes"),
        _ => None,
    })
}

/// `[4K, 8K) 111148 |@@@|`, `[0] 64 |`, `[64, ...) 14 |`, `(..., 0) 3 |`.
fn bucket(line: &str) -> Option<Bucket> {
    let line = line.trim();
    let close = line.find([']', ')'])?;
    let range = line.strip_prefix(['[', '('])?.get(..close - 1)?;
    let count = line[close + 1..].split('|').next()?.trim().parse().ok()?;
    let (low, high) = match range.split_once(',') {
        None => (Some(bound(range)?), Some(bound(range)?)),
        Some((low, high)) => {
            let open = |text: &str| text.trim() == "...";
            let low = if open(low) { None } else { Some(bound(low)?) };
            // The upper bound is not part of the range.
            let high = if open(high) {
                None
            } else {
                Some(bound(high)?.saturating_sub(1))
            };
            (low, high)
        }
    };
    Some(Bucket { low, high, count })
}

/// K is 1024, and so on.
fn bound(text: &str) -> Option<i64> {
    let text = text.trim();
    let (digits, shift) = match text.chars().last()? {
        'K' => (&text[..text.len() - 1], 10),
        'M' => (&text[..text.len() - 1], 20),
        'G' => (&text[..text.len() - 1], 30),
        'T' => (&text[..text.len() - 1], 40),
        'P' => (&text[..text.len() - 1], 50),
        'E' => (&text[..text.len() - 1], 60),
        _ => (text, 0),
    };
    let value: i64 = digits.parse().ok()?;
    Some(value.saturating_mul(1 << shift))
}
