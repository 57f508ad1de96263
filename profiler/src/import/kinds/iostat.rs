//! iostat of sysstat 9 to 12, with -x or without. Columns go by their names, never by their places.

use crate::import::amounts::number;
use crate::import::kinds::Kind;
use crate::import::model::iostat::{IostatDevice, IostatReport};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};

pub struct Iostat;

impl Kind for Iostat {
    fn name(&self) -> &'static str {
        "iostat"
    }

    fn about(&self) -> &'static str {
        "iostat and iostat -x of sysstat 9 to 12, any locale"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| Head::of(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let mut reader = Reader {
            source,
            reports: Vec::new(),
            head: None,
            cpu: None,
            pending: Pending::default(),
            wrapped: None,
            service_time: None,
            bad: Vec::new(),
        };
        for (number, line) in source.lines() {
            reader.line(number, line)?;
        }
        reader.finish(into)
    }
}

/// The columns of one table.
#[derive(Clone, Debug)]
struct Head {
    columns: Vec<String>,
    /// Where the device's name stands; -h puts it last.
    name: usize,
}

impl Head {
    /// A line that names columns of devices. The first word is a word of the locale.
    fn of(line: &str) -> Option<Self> {
        let columns: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let has = |name: &str| columns.iter().any(|c| c == name);
        let extended = has("r/s") && has("w/s");
        let basic = has("tps") && columns.iter().any(|c| c.contains("_read/s"));
        if !extended && !basic {
            return None;
        }
        let is_known = |c: &String| known(c) || ["tps", "svctm"].contains(&c.as_str());
        let name = columns
            .iter()
            .position(|c| !is_known(c) && !c.contains('/') && !c.contains('%'))?;
        Some(Self { columns, name })
    }
}

/// Whether the column is one of those that [`fill`] knows.
fn known(column: &str) -> bool {
    fill(&mut IostatDevice::default(), column, 0.0)
}

/// What has been read of a report before its table.
#[derive(Default)]
struct Pending {
    time: Option<String>,
    cpu: Option<std::collections::BTreeMap<String, f64>>,
}

struct Reader<'a> {
    source: &'a Source,
    reports: Vec<IostatReport>,
    head: Option<Head>,
    /// Columns of the CPU, whose values are on the next line.
    cpu: Option<Vec<String>>,
    pending: Pending,
    /// A long name alone on its line.
    wrapped: Option<String>,
    service_time: Option<usize>,
    bad: Vec<(usize, String)>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Imports<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            // A table ends with an empty line; -h and -z may leave none.
            return Ok(());
        }
        if let Some(head) = Head::of(line) {
            self.open(number, head);
        } else if words.contains(&"%idle") && words.contains(&"%iowait") {
            self.cpu = Some(
                words
                    .iter()
                    .filter(|w| w.starts_with('%'))
                    .map(|w| w[1..].to_owned())
                    .collect(),
            );
            self.head = None;
        } else if let Some(columns) = self.cpu.take() {
            let values = words.iter().map(|w| number_or_unit(w).map(|(n, _)| n));
            let named = columns
                .into_iter()
                .zip(values)
                .filter_map(|(c, v)| Some((c, v?)));
            self.pending.cpu = Some(named.collect());
        } else if is_time(&words) {
            self.pending.time = Some(line.trim().to_owned());
            self.head = None;
        } else if line.starts_with("Linux ") || line.trim_start().starts_with('(') {
            self.head = None;
        } else if let Some(head) = self.head.clone() {
            self.row(number, &head, words)?;
        }
        Ok(())
    }

    fn open(&mut self, number: usize, head: Head) {
        let Pending { time, cpu } = std::mem::take(&mut self.pending);
        if head.columns.iter().any(|c| c == "svctm") {
            self.service_time.get_or_insert(number);
        }
        // iostat -g and -p print several tables; a new one opens a report only with new devices.
        self.reports.push(IostatReport {
            file: self.source.name.clone(),
            line: number as u64,
            time,
            since_boot: false,
            cpu_percent: cpu.unwrap_or_default(),
            devices: Vec::new(),
        });
        self.head = Some(head);
        self.wrapped = None;
    }

    fn row(&mut self, number: usize, head: &Head, words: Vec<&str>) -> Imports<()> {
        if words.len() == 1 && head.columns.len() > 2 {
            self.wrapped = Some(words[0].to_owned());
            return Ok(());
        }
        let wrapped = self.wrapped.take();
        let mut words: Vec<&str> = words;
        if let (Some(name), true) = (&wrapped, words.len() + 1 == head.columns.len()) {
            words.insert(head.name, name);
        }
        if words.len() != head.columns.len() {
            let why = format!(
                "{} values under {} columns",
                words.len(),
                head.columns.len()
            );
            self.bad.push((number, why));
            return Ok(());
        }
        let mut device = IostatDevice {
            name: words[head.name].trim_end_matches(':').to_owned(),
            ..IostatDevice::default()
        };
        for (at, (column, word)) in head.columns.iter().zip(&words).enumerate() {
            if at == head.name {
                continue;
            }
            let Some((value, bytes)) = number_or_unit(word) else {
                let why = format!("`{word}` in column {column} is no number");
                self.bad.push((number, why));
                return Ok(());
            };
            // A suffix of -h overrules the column's unit.
            match bytes {
                true => fill(&mut device, &in_bytes(column), value),
                false => fill(&mut device, column, value),
            };
        }
        settle(&mut device);
        if let Some(report) = self.reports.last_mut() {
            report.devices.push(device);
        }
        Ok(())
    }

    fn finish(mut self, into: &mut Imported) -> Imports<()> {
        self.reports.retain(|report| !report.devices.is_empty());
        let Some(first) = self.reports.first_mut() else {
            if let Some((line, why)) = self.bad.first() {
                return Err(self.source.refuse(
                    *line,
                    why.clone(),
                    "give the table as iostat printed it",
                ));
            }
            let next = "let iostat run to the end of a report";
            return Err(self.source.refuse_all(
                "it is of iostat and holds no data: no device line follows a head",
                next,
            ));
        };
        let line = first.line as usize;
        first.since_boot = true;
        let name = &self.source.name;
        let text = match self.reports.len() {
            1 => {
                "the only report shows the average since boot (unless iostat ran with -y): every conclusion from it is about the time since boot"
            }
            _ => {
                "the first report is the average since boot (unless iostat ran with -y); it is left out of peaks and averages"
            }
        };
        into.note(Level::Info, name, Some(line), text);
        if let Some(line) = self.service_time {
            let text = "svctm is left out: it was never right for disks with a queue, and sysstat 12.1 removed it";
            into.note(Level::Info, name, Some(line), text);
        }
        for (line, why) in self.bad {
            into.note(
                Level::Warning,
                name,
                Some(line),
                format!("line left out: {why}"),
            );
        }
        into.iostat.append(&mut self.reports);
        Ok(())
    }
}

/// A time stamp of -t: `09/24/2021 11:45:19 AM`, `2021-09-24T11:45:19+0200`, `Time: 11:45:19`.
fn is_time(words: &[&str]) -> bool {
    let clock =
        |word: &&str| word.matches(':').count() >= 2 && word.contains(|c: char| c.is_ascii_digit());
    words.len() <= 4 && words.iter().any(clock)
}

/// A number, with whether a suffix made it bytes: `1.2M` is 1,258,291 and true, `4.6%` is 4.6.
fn number_or_unit(word: &str) -> Option<(f64, bool)> {
    let word = word.trim_end_matches('%');
    let unit = match word.chars().last()? {
        'k' | 'K' => 1024.0,
        'M' => 1_048_576.0,
        'G' => 1_073_741_824.0,
        'T' => 1_099_511_627_776.0,
        'B' => 1.0,
        _ => return Some((number(word)?, false)).filter(|(n, _)| *n >= 0.0),
    };
    let amount = number(&word[..word.len() - 1]).filter(|n| *n >= 0.0)?;
    Some((amount * unit, true))
}

/// The name of the column that has the same meaning in bytes.
fn in_bytes(column: &str) -> String {
    match column {
        "rareq-sz" | "wareq-sz" | "dareq-sz" | "areq-sz" => format!("{column}-bytes"),
        _ => column
            .replacen("kB", "B", 1)
            .replacen("MB", "B", 1)
            .replacen("sec", "B", 1)
            .replacen("Blk", "B", 1),
    }
}

/// Puts a column's value in its place; false: this name is not known. kB are KiB, MB are MiB, and a
/// sector or block has 512 bytes.
pub(super) fn fill(device: &mut IostatDevice, column: &str, value: f64) -> bool {
    const MS: f64 = 1e6;
    let (stem, unit) = unit_of(column);
    let bytes = value * unit;
    let (place, value) = match stem {
        "tps" => (&mut device.transfers_per_s, value),
        "r/s" => (&mut device.reads_per_s, value),
        "w/s" => (&mut device.writes_per_s, value),
        "d/s" => (&mut device.discards_per_s, value),
        "f/s" => (&mut device.flushes_per_s, value),
        "r?/s" | "?_read/s" => (&mut device.read_bytes_per_s, bytes),
        "w?/s" | "?_wrtn/s" => (&mut device.write_bytes_per_s, bytes),
        "d?/s" | "?_dscd/s" => (&mut device.discard_bytes_per_s, bytes),
        "?_read" => (&mut device.read_bytes, bytes),
        "?_wrtn" => (&mut device.write_bytes, bytes),
        "?_dscd" => (&mut device.discard_bytes, bytes),
        "rrqm/s" => (&mut device.reads_merged_per_s, value),
        "wrqm/s" => (&mut device.writes_merged_per_s, value),
        "drqm/s" => (&mut device.discards_merged_per_s, value),
        "%rrqm" => (&mut device.reads_merged_percent, value),
        "%wrqm" => (&mut device.writes_merged_percent, value),
        "%drqm" => (&mut device.discards_merged_percent, value),
        "await" => (&mut device.await_ns, value * MS),
        "r_await" => (&mut device.read_await_ns, value * MS),
        "w_await" => (&mut device.write_await_ns, value * MS),
        "d_await" => (&mut device.discard_await_ns, value * MS),
        "f_await" => (&mut device.flush_await_ns, value * MS),
        "avgrq-sz" => (&mut device.request_bytes, value * 512.0),
        "areq-sz" => (&mut device.request_bytes, value * 1024.0),
        "areq-sz-bytes" => (&mut device.request_bytes, value),
        "rareq-sz" => (&mut device.read_request_bytes, value * 1024.0),
        "wareq-sz" => (&mut device.write_request_bytes, value * 1024.0),
        "dareq-sz" => (&mut device.discard_request_bytes, value * 1024.0),
        "rareq-sz-bytes" => (&mut device.read_request_bytes, value),
        "wareq-sz-bytes" => (&mut device.write_request_bytes, value),
        "dareq-sz-bytes" => (&mut device.discard_request_bytes, value),
        "avgqu-sz" | "aqu-sz" => (&mut device.queue_depth, value),
        "%util" | "util" => (&mut device.util_percent, value),
        _ => return false,
    };
    *place = Some(value);
    true
}

/// `rkB/s` is `r?/s` with 1024 bytes.
fn unit_of(column: &str) -> (&str, f64) {
    let stems = [
        "r?/s", "w?/s", "d?/s", "?_read/s", "?_wrtn/s", "?_dscd/s", "?_read", "?_wrtn", "?_dscd",
    ];
    let units = [
        ("kB", 1024.0),
        ("MB", 1_048_576.0),
        ("GB", 1_073_741_824.0),
        ("sec", 512.0),
        ("Blk", 512.0),
        ("B", 1.0),
    ];
    for stem in stems {
        let (before, after) = stem.split_once('?').unwrap_or((stem, ""));
        let inner = column
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after));
        let unit = units.iter().find(|(name, _)| inner == Some(*name));
        if let Some((_, unit)) = unit {
            return (stem, *unit);
        }
    }
    (column, 1.0)
}

/// An op that did nothing has no latency and no size: iostat prints 0.00 there.
pub(super) fn settle(device: &mut IostatDevice) {
    let idle = |rate: Option<f64>| rate == Some(0.0);
    let nothing = |value: &mut Option<f64>| *value = value.filter(|n| *n != 0.0);
    if idle(device.reads_per_s) {
        nothing(&mut device.read_await_ns);
        nothing(&mut device.read_request_bytes);
    }
    if idle(device.writes_per_s) {
        nothing(&mut device.write_await_ns);
        nothing(&mut device.write_request_bytes);
    }
    if idle(device.discards_per_s) {
        nothing(&mut device.discard_await_ns);
        nothing(&mut device.discard_request_bytes);
    }
    if idle(device.flushes_per_s) {
        nothing(&mut device.flush_await_ns);
    }
    if idle(device.reads_per_s) && idle(device.writes_per_s) {
        nothing(&mut device.await_ns);
        nothing(&mut device.request_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_go_by_the_columns_name() {
        let mut device = IostatDevice::default();
        for (column, value) in [("rMB/s", 0.15), ("wkB/s", 2.0), ("dsec/s", 4.0)] {
            assert!(fill(&mut device, column, value));
        }
        assert_eq!(device.read_bytes_per_s, Some(0.15 * 1_048_576.0));
        assert_eq!(device.write_bytes_per_s, Some(2048.0));
        assert_eq!(device.discard_bytes_per_s, Some(2048.0));
        assert!(!fill(&mut device, "svctm", 1.0));
    }

    #[test]
    fn a_suffix_is_a_unit_and_a_percent_sign_is_none() {
        assert_eq!(number_or_unit("1.5k"), Some((1536.0, true)));
        assert_eq!(number_or_unit("4,6%"), Some((4.6, false)));
        assert_eq!(number_or_unit("x"), None);
    }
}
