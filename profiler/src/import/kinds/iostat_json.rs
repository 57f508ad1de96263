//! `iostat -o JSON` of sysstat 11.5 and later.

use crate::import::columns::{fill, settle};
use crate::import::json::{self, Json};
use crate::import::kinds::Kind;
use crate::import::model::iostat::{IostatDevice, IostatReport};
use crate::import::model::{Imported, Level};
use crate::import::source::{Imports, Refusal, Source};

pub struct IostatJson;

impl Kind for IostatJson {
    fn name(&self) -> &'static str {
        "iostat-json"
    }

    fn about(&self) -> &'static str {
        "iostat -o JSON"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.text.trim_start().starts_with('{') && source.text.contains("\"sysstat\"")
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let document = document(source)?;
        let hosts = document
            .get("sysstat")
            .and_then(|s| s.get("hosts"))
            .map_or(&[][..], Json::items);
        let statistics = hosts
            .iter()
            .filter_map(|host| host.get("statistics"))
            .flat_map(Json::items);
        let reports: Vec<_> = statistics
            .map(|s| report(source, s))
            .filter(|r| !r.devices.is_empty())
            .collect();
        if reports.is_empty() {
            let next = "let iostat run to the end of a report";
            return Err(source.refuse_all("it is of iostat and holds no device", next));
        }
        let text = "the first report is the average since boot (unless iostat ran with -y)";
        into.note(Level::Info, &source.name, None, text);
        let first = into.iostat.len();
        into.iostat.extend(reports);
        into.iostat[first].since_boot = true;
        Ok(())
    }
}

/// The one document of a file.
pub(super) fn document(source: &Source) -> Imports<Json> {
    let begin = source.text.find(['{', '[']).unwrap_or(0);
    match json::parse(&source.text, begin) {
        Ok((document, _)) => Ok(document),
        Err(fault) => {
            let (line, column) = source.place(fault.at);
            let inside = if fault.inside.is_empty() {
                "the document"
            } else {
                &fault.inside
            };
            let verb = if fault.ended {
                "ends"
            } else {
                "is not well formed"
            };
            let why = format!("the JSON {verb} at byte {} inside {inside}", fault.at);
            Err(Refusal {
                column: Some(column),
                ..source.refuse(line, why, "give the whole of what the tool printed")
            })
        }
    }
}

fn report(source: &Source, statistics: &Json) -> IostatReport {
    let mut report = IostatReport {
        file: source.name.clone(),
        line: 1,
        at_s: None,
        time: statistics
            .get("timestamp")
            .and_then(Json::text)
            .map(str::to_owned),
        ..IostatReport::default()
    };
    let cpu = statistics
        .get("avg-cpu")
        .map_or(&[][..], Json::members)
        .iter();
    report.cpu_percent = cpu
        .filter_map(|(name, value)| Some((name.clone(), value.f64()?)))
        .collect();
    for disk in statistics.get("disk").map_or(&[][..], Json::items) {
        let name = disk
            .get("disk_device")
            .and_then(Json::text)
            .unwrap_or("(no name)");
        let mut device = IostatDevice {
            name: name.to_owned(),
            ..IostatDevice::default()
        };
        for (column, value) in disk.members() {
            // Some versions print `rrqm` for `%rrqm`.
            let column = match column.as_str() {
                "rrqm" | "wrqm" | "drqm" => format!("%{column}"),
                other => other.to_owned(),
            };
            if let Some(value) = value.f64() {
                fill(&mut device, &column, value);
            }
        }
        settle(&mut device);
        report.devices.push(device);
    }
    report
}
