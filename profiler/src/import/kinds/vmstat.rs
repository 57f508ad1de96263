//! vmstat, with or without -w, -a and -t. Columns go by their names.

use crate::import::kinds::Kind;
use crate::import::model::iostat::VmstatReport;
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct Vmstat;

impl Kind for Vmstat {
    fn name(&self) -> &'static str {
        "vmstat"
    }

    fn about(&self) -> &'static str {
        "vmstat (in KiB, its default unit)"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| is_head(line))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut columns: Vec<&str> = Vec::new();
        let mut reports: Vec<VmstatReport> = Vec::new();
        let mut first = None;
        for (number, line) in source.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if is_head(line) {
                columns = words;
                first.get_or_insert(number);
            } else if !columns.is_empty()
                && words
                    .iter()
                    .all(|w| w.contains(|c: char| c.is_ascii_digit()))
            {
                match row(source, number, &columns, &words) {
                    Some(report) => reports.push(report),
                    None if words.is_empty() => {}
                    None => {
                        let text = format!(
                            "line left out: {} values under {} columns",
                            words.len(),
                            columns.len()
                        );
                        into.note(Level::Warning, &source.name, Some(number), text);
                    }
                }
            }
        }
        let Some(report) = reports.first_mut() else {
            let next = "let vmstat run to the end of a line";
            return Err(source.refuse_all("it is of vmstat and holds no data", next));
        };
        report.since_boot = true;
        let text = "memory is taken to be in KiB (no -S); the first line is the average since boot";
        into.note(Level::Info, &source.name, first, text);
        into.vmstat.append(&mut reports);
        Ok(())
    }
}

fn is_head(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    ["r", "b", "swpd", "bi", "bo"]
        .iter()
        .all(|name| words.contains(name))
}

fn row(source: &Source, number: usize, columns: &[&str], words: &[&str]) -> Option<VmstatReport> {
    // With -t the time follows in one or two words, and the head has the zone or `timestamp`.
    let named = columns
        .iter()
        .position(|c| ["wa", "st", "gu"].contains(c))
        .map(|_| columns);
    let last = columns
        .iter()
        .rposition(|c| ["id", "wa", "st", "gu"].contains(c))?
        + 1;
    let columns = &named?[..last];
    let (values, time) = words.split_at_checked(columns.len())?;
    let values: Vec<u64> = values
        .iter()
        .map(|w| w.parse().ok())
        .collect::<Option<_>>()?;
    let value = |names: &[&str]| {
        let at = columns.iter().position(|c| names.contains(c))?;
        values.get(at).copied()
    };
    let kib = |names: &[&str]| value(names).map(|n| n.saturating_mul(1024));
    Some(VmstatReport {
        file: source.name.clone(),
        line: number as u64,
        time: Some(time.join(" ")).filter(|t| !t.is_empty()),
        since_boot: false,
        running: value(&["r"]),
        blocked: value(&["b"]),
        swapped_bytes: kib(&["swpd"]),
        free_bytes: kib(&["free"]),
        buffer_bytes: kib(&["buff"]),
        cache_bytes: kib(&["cache"]),
        inactive_bytes: kib(&["inact"]),
        active_bytes: kib(&["active"]),
        swap_in_bytes_per_s: kib(&["si"]),
        swap_out_bytes_per_s: kib(&["so"]),
        read_bytes_per_s: kib(&["bi"]),
        write_bytes_per_s: kib(&["bo"]),
        interrupts_per_s: value(&["in"]),
        context_switches_per_s: value(&["cs"]),
        user_percent: value(&["us"]),
        system_percent: value(&["sy"]),
        idle_percent: value(&["id"]),
        iowait_percent: value(&["wa"]),
        steal_percent: value(&["st"]),
        guest_percent: value(&["gu"]),
    })
}
