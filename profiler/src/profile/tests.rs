//! Captures small enough to compute their facts by hand, and any other that must not make it panic.

mod arrays;
mod devices;
mod filesystems;
mod hosts;
mod whole;

use super::facts;
use crate::capture::arbitrary::{histogram, small};
use crate::capture::{
    Capture, DeviceSlice, Histogram, Op, OpSlice, ProbeState, ProbeStatus, Slice, Span,
};
use crate::host::Host;
use profiler_ebpf::bucket::{COUNT, LATENCY, SIZE};
use rules::facts::{Fact, Facts, Lookup, Measured, Scope, Subject, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
const US: u64 = 1_000;
const KIB: u64 = 1024;
const MIB: u64 = 1024 * 1024;

/// A capture of one-second slices with every probe group measuring.
fn capture(host: Json, slices: Vec<Slice>) -> Capture {
    let mut capture = small();
    capture.host = self::host(host);
    capture.slices = slices;
    for (at, slice) in capture.slices.iter_mut().enumerate() {
        (slice.at_ns, slice.length_ns) = (at as u64 * SECOND, SECOND);
    }
    capture.probes = ["block", "queue", "stacked", "journal", "sync", "stack"]
        .map(|id| ProbeStatus {
            id: id.to_owned(),
            about: String::new(),
            state: ProbeState::Ok,
            reason: None,
        })
        .to_vec();
    capture
}

/// A host of which only these things are known.
fn host(known: Json) -> Host {
    let mut whole = json!({ "kernel_release": "6.12.0", "memory": {} });
    for (key, value) in known.as_object().expect("a host is an object") {
        whole[key] = value.clone();
    }
    serde_json::from_value(whole).expect("a host in the shape of the model")
}

/// A physical disk with nothing known but its flag.
fn disk(name: &str, number: &str) -> Json {
    json!({ "name": name, "number": number, "class": "scsi", "bio_based": false })
}

/// One slice in which one device did these things.
fn slice(number: &str, ops: &[(Op, OpSlice)]) -> Slice {
    let device = DeviceSlice {
        ops: ops.iter().cloned().collect(),
        ..DeviceSlice::default()
    };
    Slice {
        devices: BTreeMap::from([(number.to_owned(), device)]),
        ..Slice::default()
    }
}

/// `n` requests of one size, one time in the device and one depth.
fn requests(n: u64, bytes: u64, device_ns: u64, depth: u64) -> OpSlice {
    let times = |value: u64, scale| histogram(scale, &vec![value; n as usize]);
    OpSlice {
        issued: n,
        completed: n,
        bytes: n * bytes,
        random: n,
        spans: BTreeMap::from([(Span::Device, times(device_ns, &LATENCY))]),
        size_bytes: Some(times(bytes, &SIZE)),
        depth: Some(times(depth, &COUNT)),
        ..OpSlice::default()
    }
}

fn sequential(mut op: OpSlice) -> OpSlice {
    (op.sequential, op.random) = (op.random, 0);
    op
}

fn bio_times(mut op: OpSlice) -> OpSlice {
    let time = op
        .spans
        .remove(&Span::Device)
        .unwrap_or_else(|| Histogram::new(&LATENCY));
    op.spans.insert(Span::Bio, time);
    op
}

fn lookup<'a>(facts: &'a Facts, scope: Scope, name: &str, fact: &Fact) -> Lookup<'a> {
    let subject = Subject {
        scope,
        name: name.to_owned(),
    };
    facts.get(&subject, fact)
}

fn known(facts: &Facts, scope: Scope, name: &str, fact: &Fact) -> Measured {
    match lookup(facts, scope, name, fact) {
        Lookup::Known(measured) => measured.clone(),
        Lookup::Unknown(why) => panic!("{} of {name} is not known: {why}", fact.name),
    }
}

fn number(facts: &Facts, scope: Scope, name: &str, fact: &Fact) -> f64 {
    match known(facts, scope, name, fact).value {
        Value::Number(number) => number,
        other => panic!("{} is {other:?}", fact.name),
    }
}

fn truth(facts: &Facts, scope: Scope, name: &str, fact: &Fact) -> bool {
    known(facts, scope, name, fact).value == Value::Bool(true)
}

fn why_not(facts: &Facts, scope: Scope, name: &str, fact: &Fact) -> String {
    match lookup(facts, scope, name, fact) {
        Lookup::Unknown(why) => why,
        Lookup::Known(measured) => panic!("{} of {name} is {measured:?}", fact.name),
    }
}

/// Nearly equal, for what is computed in another order than here.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}
