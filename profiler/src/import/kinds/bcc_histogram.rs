//! Tables of powers of two as bcc and libbpf-tools print them: biolatency, biosize, ext4dist, ...

use crate::import::kinds::Kind;
use crate::import::model::histograms::{Bucket, RangeHistogram};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct BccHistogram;

impl Kind for BccHistogram {
    fn name(&self) -> &'static str {
        "bcc-histogram"
    }

    fn about(&self) -> &'static str {
        "Histograms of bcc and libbpf-tools (biolatency and others)"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| unit(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut found: Vec<RangeHistogram> = Vec::new();
        let (mut title, mut time) = (None, None);
        for (number, line) in source.lines() {
            let trimmed = line.trim();
            if let Some(unit) = unit(line) {
                found.push(RangeHistogram {
                    file: source.name.clone(),
                    line: number as u64,
                    title: title.take(),
                    time: time.clone(),
                    unit,
                    ..RangeHistogram::default()
                });
            } else if let (Some(bucket), Some(last)) = (bucket(trimmed), found.last_mut()) {
                last.buckets.push(bucket);
            } else if trimmed.contains(" = ") && !trimmed.starts_with("avg") {
                title = Some(trimmed.to_owned());
            } else if trimmed.len() == 8 && trimmed.matches(':').count() == 2 {
                time = Some(trimmed.to_owned());
            }
        }
        finish(source, found, into)
    }
}

/// Sorts out impossible buckets, with notes; refuses a file without values.
pub(super) fn finish(
    source: &Source,
    mut found: Vec<RangeHistogram>,
    into: &mut Imported,
) -> Imports<()> {
    found.retain(|histogram| !histogram.buckets.is_empty());
    if found.is_empty() {
        return Err(source.refuse_all(
            "it has the head of a histogram and no bucket",
            "let the tool run until it prints its buckets",
        ));
    }
    for histogram in &mut found {
        histogram.settle();
        let line = Some(histogram.line as usize);
        for bucket in &histogram.impossible {
            let low = bucket.low.unwrap_or(0);
            let text = format!(
                "{} impossible value (bucket from {low}): a clock or an underflow, left out",
                bucket.count
            );
            into.note(Level::Warning, &source.name, line, text);
        }
        match (&histogram.unit, histogram.unit_is_assumed) {
            (None, _) => {
                let text = "the file does not say the unit of the values: it is not known";
                into.note(Level::Warning, &source.name, line, text);
            }
            (Some(unit), true) => {
                let name = histogram.title.as_deref().unwrap_or("the map");
                let text = format!("the unit is assumed to be {unit}, by the name {name}");
                into.note(Level::Warning, &source.name, line, text);
            }
            (Some(_), false) => {}
        }
    }
    into.histograms.append(&mut found);
    Ok(())
}

/// The unit in the head `usecs : count distribution`; `Some(None)` for a head without a unit.
fn unit(line: &str) -> Option<Option<String>> {
    let (unit, rest) = line.split_once(':')?;
    let mut words = rest.split_whitespace();
    if words.next() != Some("count") || words.next() != Some("distribution") {
        return None;
    }
    let unit = match unit.trim() {
        "nsecs" | "ns" => "ns",
        "usecs" | "us" => "us",
        "msecs" | "ms" => "ms",
        "secs" | "s" => "s",
        "bytes" => "bytes",
        "Kbytes" | "kbytes" | "KB" => "kbytes",
        _ => return Some(None),
    };
    Some(Some(unit.to_owned()))
}

/// `128 -> 255 : 16 |****|`, or `3 : 16 |****|` of linear ones.
fn bucket(line: &str) -> Option<Bucket> {
    let (range, rest) = line.split_once(':')?;
    let count = rest.split('|').next()?.trim().parse().ok()?;
    // Beyond 2^63 there is no need to tell one from another.
    let bound = |text: &str| {
        let value = text.trim().parse::<u64>().ok()?;
        Some(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    };
    let (low, high) = range.split_once("->").unwrap_or((range, range));
    Some(Bucket {
        low: bound(low)?,
        high: bound(high)?,
        count,
    })
}
