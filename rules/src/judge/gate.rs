//! Where storage is not the bottleneck, tuning it gains nothing: then no tuning is recommended.
//!
//! Pressure does not count waits for asynchronous requests (io_getevents), so the devices must stand
//! idle too. The thresholds are design choices: below 1 % of time waited for, not even a perfect device
//! gains a measurable part of the run time.

use super::Held;
use crate::facts::{self, Facts, Lookup, Scope, Unit, Value};
use crate::rule::Kind;
use crate::units::number_for_people;

/// Pressure below which nothing waits that matters.
const WAITED: f64 = 0.01;

/// What is recorded in less says nothing about the rest of the time.
pub(super) const LEAST_NS: u64 = 10_000_000_000;

/// Busy share below which a device stands idle.
const BUSY: f64 = 0.05;

/// Why storage is not the bottleneck, with the numbers; `None`: it may be, or it is not known.
pub(super) fn closed(facts: &Facts) -> Option<String> {
    if facts.observed_ns < LEAST_NS {
        return None;
    }
    let host = facts.of(Scope::Host).next()?;
    let pressure = number(facts.get(host, &facts::HOST_PRESSURE_IO))?;
    if pressure >= WAITED {
        return None;
    }
    let mut busiest: Option<(f64, &str)> = None;
    for device in facts.of(Scope::Device) {
        let busy = number(facts.get(device, &facts::DEVICE_BUSY));
        let rate = number(facts.get(device, &facts::IO_RATE));
        let busy = match (busy, rate) {
            (_, Some(0.0)) | (None, None) => continue,
            (Some(busy), _) => busy,
            // It served requests, and nobody knows for how long.
            (None, Some(_)) => return None,
        };
        if busy >= BUSY {
            return None;
        }
        if busiest.is_none_or(|(most, _)| busy > most) {
            busiest = Some((busy, &device.name));
        }
    }
    let share = |share: f64| number_for_people(share, Unit::Ratio);
    let devices = match busiest {
        Some((busy, name)) => format!("the busiest device, {name}, was busy for {}", share(busy)),
        None => "no device served requests".to_owned(),
    };
    let waited = share(pressure);
    Some(format!(
        "storage is not the bottleneck: some task was seen to wait for it in {waited} of the time (waits for \
         asynchronous requests are not counted), and {devices}"
    ))
}

/// Withdraws every recommendation to tune.
pub(super) fn close(held: &mut [Held<'_>], reason: &str) {
    let tuning = |held: &&mut Held<'_>| held.rule.kind == Kind::Tuning && held.recommends();
    for held in held.iter_mut().filter(tuning) {
        held.withdraw(reason.to_owned());
    }
}

fn number(found: Lookup<'_>) -> Option<f64> {
    match found {
        Lookup::Known(measured) => match measured.value {
            Value::Number(number) => Some(number),
            Value::Bool(_) | Value::Text(_) => None,
        },
        Lookup::Unknown(_) => None,
    }
}
