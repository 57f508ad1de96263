//! What a collected list of requests says of discards: how long they took, and what the reads and
//! writes took meanwhile.

use super::super::About;
use crate::import::model::collected::TimedRequest;
use rules::facts::{self as f, Measured};

const SOURCE: &str = "collected list of requests";

pub(super) fn put(own: &[&TimedRequest], about: &mut About<'_>) {
    let discards: Vec<&&TimedRequest> = own.iter().filter(|one| one.op == "D").collect();
    let facts = [
        &f::COLLECTED_DISCARD_MAX,
        &f::COLLECTED_DISCARD_SIZE,
        &f::COLLECTED_DURING_DISCARD,
        &f::COLLECTED_WITHOUT_DISCARD,
    ];
    if discards.is_empty() {
        let reason = match own.is_empty() {
            true => "no list of requests was collected",
            false => "no discard is in the collected list of requests",
        };
        return about.say_unknown(&facts, reason);
    }
    let end = |one: &TimedRequest| one.at_s + one.latency_ns / 1e9;
    // Begun while a discard was under way, or still under way when one began.
    let beside = |one: &&&TimedRequest| {
        let overlaps =
            |discard: &&&TimedRequest| one.at_s < end(discard) && discard.at_s < end(one);
        discards.iter().any(overlaps)
    };
    let data = own
        .iter()
        .filter(|one| matches!(one.op.as_str(), "R" | "W"));
    let (during, without): (Vec<&&TimedRequest>, Vec<_>) = data.partition(beside);
    let latency = |of: &[&&TimedRequest]| {
        let mut all: Vec<f64> = of.iter().map(|one| one.latency_ns).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let put = |value: Option<f64>, n: usize, missing: &str| {
        let value = value.ok_or_else(|| missing.to_owned())?;
        Ok(Measured::of(value, n as u64, SOURCE))
    };
    let slowest = latency(&discards).last().copied();
    about.say(facts[0], put(slowest, discards.len(), "no discard"));
    let largest = discards.iter().filter_map(|one| one.bytes).max();
    let largest = largest.map(|bytes| bytes as f64);
    about.say(
        facts[1],
        put(largest, discards.len(), "their sizes are not told"),
    );
    let during = latency(&during);
    let missing = "no read or write was begun beside a discard";
    about.say(facts[2], put(during.last().copied(), during.len(), missing));
    let without = latency(&without);
    let median = without.get(without.len() / 2).copied();
    let missing = "no read or write was apart from the discards";
    about.say(facts[3], put(median, without.len(), missing));
}
