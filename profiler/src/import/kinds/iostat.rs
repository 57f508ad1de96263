//! iostat of sysstat 9 to 12, with -x or without. Columns go by their names, never by their places.

use crate::import::columns::{fill, in_bytes, number_or_unit, settle};
use crate::import::kinds::Kind;
use crate::import::model::iostat::{IostatDevice, IostatReport};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Source};
use std::collections::{BTreeMap, BTreeSet};

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
            seen: BTreeSet::new(),
            head: None,
            cpu: None,
            pending: Pending::default(),
            wrapped: None,
            service_time: None,
            bad: Vec::new(),
        };
        for (number, line) in source.lines() {
            reader.line(number, line);
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
        let rates = ["r/s", "w/s", "d/s", "f/s"];
        let extended =
            rates.iter().any(|name| has(name)) && columns.iter().filter(|c| known(c)).count() >= 3;
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
    cpu: Option<BTreeMap<String, f64>>,
}

struct Reader<'a> {
    source: &'a Source,
    reports: Vec<IostatReport>,
    /// Columns of the report so far.
    seen: BTreeSet<String>,
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
    fn line(&mut self, number: usize, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            // A table ends with an empty line; -h and -z may leave none.
            return;
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
            self.row(number, &head, words);
        }
    }

    /// With -h one report is cut into tables of reads, writes and so on: they have no column in
    /// common, and no time between them.
    fn open(&mut self, number: usize, head: Head) {
        let Pending { time, cpu } = std::mem::take(&mut self.pending);
        if head.columns.iter().any(|c| c == "svctm") {
            self.service_time.get_or_insert(number);
        }
        let values = head
            .columns
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != head.name);
        let values: Vec<String> = values.map(|(_, column)| column.clone()).collect();
        let again = values.iter().any(|column| self.seen.contains(column));
        if again || time.is_some() || cpu.is_some() || self.reports.is_empty() {
            self.seen.clear();
            self.reports.push(IostatReport {
                file: self.source.name.clone(),
                line: number as u64,
                time,
                at_s: None,
                since_boot: false,
                cpu_percent: cpu.unwrap_or_default(),
                devices: Vec::new(),
            });
        }
        self.seen.extend(values);
        self.head = Some(head);
        self.wrapped = None;
    }

    fn row(&mut self, number: usize, head: &Head, words: Vec<&str>) {
        if words.len() == 1 && head.columns.len() > 2 {
            self.wrapped = Some(words[0].to_owned());
            return;
        }
        let wrapped = self.wrapped.take();
        let mut words: Vec<&str> = words;
        if let (Some(name), true) = (&wrapped, words.len() + 1 == head.columns.len()) {
            words.insert(head.name, name);
        }
        let Some(report) = self.reports.last_mut() else {
            return;
        };
        match device(report, head, &words) {
            Ok(device) => match report.devices.iter_mut().find(|d| d.name == device.name) {
                Some(known) => *known = device,
                None => report.devices.push(device),
            },
            Err(why) => self.bad.push((number, why)),
        }
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

/// The device of a row, with what an earlier table of the report said of it.
fn device(report: &IostatReport, head: &Head, words: &[&str]) -> Result<IostatDevice, String> {
    if words.len() != head.columns.len() {
        return Err(format!(
            "{} values under {} columns",
            words.len(),
            head.columns.len()
        ));
    }
    let name = words[head.name].trim_end_matches(':');
    let known = report.devices.iter().find(|device| device.name == name);
    let mut device = known.cloned().unwrap_or_default();
    device.name = name.to_owned();
    for (at, (column, word)) in head.columns.iter().zip(words).enumerate() {
        if at == head.name {
            continue;
        }
        let (value, bytes) = number_or_unit(word)
            .ok_or_else(|| format!("`{word}` in column {column} is no number"))?;
        // A suffix of -h overrules the column's unit.
        match bytes {
            true => fill(&mut device, &in_bytes(column), value),
            false => fill(&mut device, column, value),
        };
    }
    settle(&mut device);
    Ok(device)
}

/// A time stamp of -t: `09/24/2021 11:45:19 AM`, `2021-09-24T11:45:19+0200`, `Time: 11:45:19`.
fn is_time(words: &[&str]) -> bool {
    let clock =
        |word: &&str| word.matches(':').count() >= 2 && word.contains(|c: char| c.is_ascii_digit());
    words.len() <= 4 && words.iter().any(clock)
}
