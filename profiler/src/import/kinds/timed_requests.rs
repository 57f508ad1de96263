//! A table of requests with their times and latencies, whose head names the columns:
//! `t_s op bytes lat_ms`, with `dev` where there are several devices.

use crate::import::amounts::number;
use crate::import::headed::{has_head, rows};
use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::collected::TimedRequest;
use crate::import::source::{Imports, Source};

pub struct TimedRequests;

impl Kind for TimedRequests {
    fn name(&self) -> &'static str {
        "timed-requests"
    }

    fn about(&self) -> &'static str {
        "A table of requests with a head line (t_s op bytes lat_ms), op being R, W, D or F"
    }

    fn recognises(&self, source: &Source) -> bool {
        has_head(source, head)
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let requests = rows(source, into, head, request).into_iter();
        let mut requests: Vec<_> = requests.map(|(_, request)| request).collect();
        if requests.is_empty() {
            let next = "give one line for each request";
            return Err(source.refuse_all("it has a head and no request", next));
        }
        let all = &mut into.collected.get_or_insert_default().requests;
        all.append(&mut requests);
        Ok(())
    }
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches('#');
    match line.contains(',') {
        true => line.split(',').map(str::trim).collect(),
        false => line.split_whitespace().collect(),
    }
}

fn head(line: &str) -> Option<Vec<String>> {
    let columns = cells(line).into_iter().map(|cell| {
        let cell = cell.to_ascii_lowercase();
        let name = match cell.as_str() {
            "t_s" | "time_s" | "ts_s" | "time" | "time(s)" => "t_s",
            "op" | "t" | "type" | "rwbs" => "op",
            "bytes" | "size" => "bytes",
            "device" | "dev" | "disk" => "dev",
            other => other,
        };
        name.to_owned()
    });
    let columns: Vec<String> = columns.collect();
    let has = |name: &str| columns.iter().any(|column| column == name);
    (has("t_s") && has("op") && (has("lat_ms") || has("lat_us"))).then_some(columns)
}

fn request(columns: &[String], line: &str) -> Option<TimedRequest> {
    let cells = cells(line);
    let cell = |name: &str| cells.get(columns.iter().position(|c| c == name)?).copied();
    let op = match cell("op")?.to_ascii_uppercase().as_str() {
        "DISCARD" | "TRIM" => "D".to_owned(),
        word => word.chars().find(|c| "RWDF".contains(*c))?.to_string(),
    };
    let latency = match (cell("lat_ms"), cell("lat_us")) {
        (Some(ms), _) => number(ms)? * 1e6,
        (None, us) => number(us?)? * 1e3,
    };
    let at_s = number(cell("t_s")?)?;
    (latency >= 0.0).then(|| TimedRequest {
        at_s,
        device: cell("dev").map(|name| name.trim_start_matches("/dev/").to_owned()),
        op,
        bytes: cell("bytes").and_then(|bytes| bytes.parse().ok()),
        latency_ns: latency,
    })
}
