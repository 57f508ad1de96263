//! What changed between reports of iostat: the latency of writes, and a rate that fell to the
//! baseline of a volume and stayed there.

use super::super::About;
use super::super::answer::Answer;
use crate::import::model::iostat::{IostatDevice, IostatReport};
use rules::facts::{self as f, Measured};

/// How near to the baseline a throttled volume stays.
const NEAR: f64 = 0.03;
/// Fewer reports in a row may be there by chance.
const LEAST: usize = 2;

pub(super) fn put(
    own: &[(&IostatReport, &IostatDevice)],
    baseline: Option<f64>,
    about: &mut About<'_>,
) {
    writes(own, about);
    plateau(own, baseline, about);
}

fn writes(own: &[(&IostatReport, &IostatDevice)], about: &mut About<'_>) {
    let waits = own
        .iter()
        .filter_map(|(report, device)| Some((*report, device.write_await_ns?)));
    let waits: Vec<(&IostatReport, f64)> = waits.collect();
    let facts = [
        &f::COLLECTED_WRITE_LATENCY_FIRST,
        &f::COLLECTED_WRITE_LATENCY_LAST,
    ];
    let (Some((first, before)), Some((last, after)), true) =
        (waits.first(), waits.last(), waits.len() > 1)
    else {
        return about.say_unknown(&facts, "fewer than two reports of iostat -x tell it");
    };
    let source = |report: &IostatReport| format!("{} line {}: w_await", report.file, report.line);
    let said = |value: f64, report: &IostatReport| Ok(Measured::of(value, 1, &source(report)));
    about.say(facts[0], said(*before, first));
    about.say(facts[1], said(*after, last));
}

/// Requests a second, and the mean time of one where it is told.
fn load(device: &IostatDevice) -> Option<(f64, Option<f64>)> {
    let (reads, writes) = (device.reads_per_s, device.writes_per_s);
    reads.or(writes)?;
    let (reads, writes) = (reads.unwrap_or(0.0), writes.unwrap_or(0.0));
    let rate = reads + writes;
    let time = |rate: f64, wait: Option<f64>| match rate > 0.0 {
        true => Some(rate * wait?),
        false => Some(0.0),
    };
    let parts = time(reads, device.read_await_ns).zip(time(writes, device.write_await_ns));
    let mean = parts
        .filter(|_| rate > 0.0)
        .map(|(read, write)| (read + write) / rate);
    Some((rate, mean.or(device.await_ns)))
}

fn plateau(own: &[(&IostatReport, &IostatDevice)], baseline: Option<f64>, about: &mut About<'_>) {
    let facts = [
        &f::COLLECTED_RATE_BEFORE,
        &f::COLLECTED_RATE_PLATEAU,
        &f::COLLECTED_LATENCY_BEFORE,
        &f::COLLECTED_LATENCY_PLATEAU,
    ];
    let found = found(own, baseline);
    let [before, at] = match found {
        Ok(found) => found,
        Err(reason) => return about.say_unknown(&facts, &reason),
    };
    let rate = |of: &[(f64, Option<f64>)]| mean(of.iter().map(|(rate, _)| *rate), of.len());
    let wait = |of: &[(f64, Option<f64>)]| mean(of.iter().filter_map(|(_, wait)| *wait), of.len());
    about.say(facts[0], rate(&before));
    about.say(facts[1], rate(&at));
    about.say(facts[2], wait(&before));
    about.say(facts[3], wait(&at));
}

fn mean(values: impl Iterator<Item = f64>, all: usize) -> Answer {
    let values: Vec<f64> = values.collect();
    match values.len() == all && all > 0 {
        true => Ok(Measured::of(
            values.iter().sum::<f64>() / all as f64,
            all as u64,
            "iostat",
        )),
        false => Err("not every report of iostat tells the time of a request".to_owned()),
    }
}

type Loads = Vec<(f64, Option<f64>)>;

/// The reports above the baseline before it, and the longest run of reports at it.
fn found(
    own: &[(&IostatReport, &IostatDevice)],
    baseline: Option<f64>,
) -> Result<[Loads; 2], String> {
    let baseline = baseline.ok_or("the baseline of the volume is not known")?;
    let reports = own.iter().filter(|(report, _)| !report.since_boot);
    let loads: Loads = reports.filter_map(|(_, device)| load(device)).collect();
    let near = |load: &(f64, Option<f64>)| (load.0 / baseline - 1.0).abs() <= NEAR;
    let (mut best, mut from) = (0..0, 0);
    for at in 0..=loads.len() {
        if !loads.get(at).is_some_and(near) {
            if at - from > best.len() {
                best = from..at;
            }
            from = at + 1;
        }
    }
    if best.len() < LEAST {
        return Err("the rate did not stay at the volume's baseline".to_owned());
    }
    let above = |load: &&(f64, Option<f64>)| load.0 > baseline * 1.1;
    let before: Loads = loads[..best.start].iter().filter(above).copied().collect();
    match before.is_empty() {
        true => Err("no report before the plateau lies above the baseline".to_owned()),
        false => Ok([before, loads[best].to_vec()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(rate: f64, wait_ms: f64) -> IostatDevice {
        IostatDevice {
            reads_per_s: Some(rate),
            writes_per_s: Some(0.0),
            read_await_ns: Some(wait_ms * 1e6),
            ..IostatDevice::default()
        }
    }

    fn of(rates: &[f64], baseline: Option<f64>) -> Result<[Loads; 2], String> {
        let report = IostatReport::default();
        let devices: Vec<_> = rates.iter().map(|rate| device(*rate, 1.0)).collect();
        let own: Vec<_> = devices.iter().map(|device| (&report, device)).collect();
        found(&own, baseline)
    }

    #[test]
    fn a_plateau_lies_at_the_baseline_and_lasts() {
        let [before, at] = of(&[3000.0, 2990.0, 301.0, 298.0, 299.0, 2900.0], Some(300.0)).unwrap();
        assert_eq!((before.len(), at.len()), (2, 3));
        assert!(
            of(&[3000.0, 301.0, 3000.0], Some(300.0)).is_err(),
            "one report"
        );
        assert!(
            of(&[3000.0, 320.0, 321.0], Some(300.0)).is_err(),
            "7 % above"
        );
        assert!(of(&[300.0, 300.0], Some(300.0)).is_err(), "never above");
        assert!(of(&[3000.0, 300.0, 300.0], None).is_err());
    }
}
