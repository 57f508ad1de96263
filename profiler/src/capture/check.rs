//! What a capture must satisfy beyond its types: order in time, buckets that exist, possible numbers.
//!
//! Checked when a capture is read, so that everything behind the reader may rely on it. Counts of one
//! slice may be a few events apart, because tables are read while they are counted into; what must
//! agree is checked over the whole recording.

use super::place::{Place, Step};
use super::{Capture, DeviceSlice, Histogram, JournalSlice, OpSlice, Slice, Span, SystemSlice};
use profiler_ebpf::bucket::{COUNT, LATENCY, SIZE, Scale};
use std::collections::BTreeSet;
use std::fmt;

/// The first thing that is wrong with a capture, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub place: Place,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl std::error::Error for Violation {}

type Checked<T = ()> = Result<T, Violation>;

fn wrong<T>(what: impl Into<String>) -> Checked<T> {
    Err(Violation {
        place: Place::default(),
        what: what.into(),
    })
}

/// Says where a check was made; the steps are gathered from the inside out.
trait Within {
    fn within(self, key: &str) -> Self;
    fn at(self, index: usize) -> Self;
}

impl<T> Within for Checked<T> {
    fn within(self, key: &str) -> Self {
        self.map_err(|v| v.below(Step::Key(key.to_owned())))
    }

    fn at(self, index: usize) -> Self {
        self.map_err(|v| v.below(Step::Index(index)))
    }
}

impl Violation {
    fn below(mut self, step: Step) -> Self {
        self.place.0.insert(0, step);
        self
    }
}

impl Capture {
    /// Whether this can be the recording of something.
    pub fn check(&self) -> Result<(), Violation> {
        let mut end_ns = 0;
        for (i, slice) in self.slices.iter().enumerate() {
            end_ns = check_time(slice, end_ns).at(i).within("slices")?;
            check_slice(slice).at(i).within("slices")?;
        }
        check_balance(&self.total())
            .map_err(|v| v.below(Step::Every))
            .within("slices")?;
        self.check_probes().within("probes")?;
        self.check_workload().within("workload")?;
        self.check_own_cost().within("own_cost")?;
        self.check_pressure().within("pressure_io").within("host")
    }

    fn check_probes(&self) -> Checked {
        let mut seen = BTreeSet::new();
        for (i, probe) in self.probes.iter().enumerate() {
            if !seen.insert(&probe.id) {
                return wrong(format!("`{}` is listed twice", probe.id))
                    .within("id")
                    .at(i);
            }
        }
        Ok(())
    }

    fn check_workload(&self) -> Checked {
        for (i, job) in self.workload.iter().flat_map(|w| w.jobs.iter().enumerate()) {
            for (name, op) in &job.ops {
                let checked = check_histogram(&op.latency_ns, &LATENCY).within("latency_ns");
                checked.within(name).within("ops").at(i).within("jobs")?;
            }
        }
        Ok(())
    }

    fn check_own_cost(&self) -> Checked {
        let cost = &self.own_cost;
        check_amount(cost.ns_per_event).within("ns_per_event")?;
        check_amount(cost.ns_per_request).within("ns_per_request")?;
        check_amount(cost.kernel_cpu_percent).within("kernel_cpu_percent")?;
        check_amount(cost.user_cpu_percent).within("user_cpu_percent")
    }

    fn check_pressure(&self) -> Checked {
        let Some(pressure) = &self.host.pressure_io else {
            return Ok(());
        };
        check_amount(Some(pressure.some_avg10)).within("some_avg10")?;
        check_amount(Some(pressure.some_avg60)).within("some_avg60")?;
        check_amount(Some(pressure.some_avg300)).within("some_avg300")?;
        check_amount(Some(pressure.full_avg10)).within("full_avg10")?;
        check_amount(Some(pressure.full_avg60)).within("full_avg60")?;
        check_amount(Some(pressure.full_avg300)).within("full_avg300")
    }
}

/// Returns when the slice ends.
fn check_time(slice: &Slice, after_ns: u64) -> Checked<u64> {
    let at_ns = slice.at_ns;
    if at_ns < after_ns {
        let what = format!("{at_ns} lies before the end of the slice before it, {after_ns}");
        return wrong(what).within("at_ns");
    }
    match at_ns.checked_add(slice.length_ns) {
        Some(end_ns) => Ok(end_ns),
        None => wrong("the slice ends beyond 2^64 ns").within("length_ns"),
    }
}

fn check_slice(slice: &Slice) -> Checked {
    for (number, device) in &slice.devices {
        let checked = check_number(number).and_then(|()| check_device(device));
        checked.within(number).within("devices")?;
    }
    for (number, journal) in &slice.journals {
        let checked = check_number(number).and_then(|()| check_journal(journal));
        checked.within(number).within("journals")?;
    }
    for (number, sync) in &slice.syncs {
        check_number(number).within(number).within("syncs")?;
        for (name, call) in &sync.calls {
            let checked = check_histogram(&call.latency_ns, &LATENCY).within("latency_ns");
            let checked = checked.within(name).within("calls");
            checked.within(number).within("syncs")?;
        }
    }
    for (numbers, part) in [
        (slice.dirtied.keys().collect::<Vec<_>>(), "dirtied"),
        (slice.pauses.keys().collect(), "pauses"),
    ] {
        for number in numbers {
            check_number(number).within(number).within(part)?;
        }
    }
    match &slice.system {
        Some(system) => check_system(system).within("system"),
        None => Ok(()),
    }
}

fn check_number(number: &str) -> Checked {
    let part = |text: &str| {
        let plain = text == "0" || !text.starts_with('0');
        plain && text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u32>().is_ok()
    };
    match number.split_once(':') {
        Some((major, minor)) if part(major) && part(minor) => Ok(()),
        _ => wrong("not a device number MAJOR:MINOR"),
    }
}

fn check_device(device: &DeviceSlice) -> Checked {
    for (op, counts) in &device.ops {
        check_op(counts).within(op.name()).within("ops")?;
    }
    Ok(())
}

fn check_op(op: &OpSlice) -> Checked {
    for (span, histogram) in &op.spans {
        let checked = check_histogram(histogram, &LATENCY);
        checked.within(span.name()).within("spans")?;
    }
    check_optional(&op.size_bytes, &SIZE).within("size_bytes")?;
    check_optional(&op.depth, &COUNT).within("depth")?;
    check_optional(&op.bios_per_request, &COUNT).within("bios_per_request")
}

fn check_journal(journal: &JournalSlice) -> Checked {
    for (phase, histogram) in &journal.phases {
        let checked = check_histogram(histogram, &LATENCY);
        checked.within(phase.name()).within("phases")?;
    }
    Ok(())
}

fn check_system(system: &SystemSlice) -> Checked {
    check_share(system.pressure_io_some).within("pressure_io_some")?;
    check_share(system.pressure_io_full).within("pressure_io_full")?;
    check_share(system.cpu_busy).within("cpu_busy")?;
    check_share(system.cpu_iowait).within("cpu_iowait")
}

/// A bit more than the whole is let through: the stretch and the share are read from two clocks.
fn check_share(share: Option<f64>) -> Checked {
    match share {
        Some(share) if !(0.0..=1.05).contains(&share) => wrong(format!(
            "{share} is no share of time; it must lie between 0 and 1"
        )),
        _ => Ok(()),
    }
}

fn check_amount(amount: Option<f64>) -> Checked {
    match amount {
        Some(amount) if !amount.is_finite() || amount < 0.0 => {
            wrong(format!("{amount} cannot be; it must be 0 or more"))
        }
        _ => Ok(()),
    }
}

fn check_optional(histogram: &Option<Histogram>, scale: &Scale) -> Checked {
    match histogram {
        Some(histogram) => check_histogram(histogram, scale),
        None => Ok(()),
    }
}

/// A scale that is unknown here is let through: its values are withheld by [`Histogram`].
fn check_histogram(histogram: &Histogram, expected: &Scale) -> Checked {
    if let Some(scale) = histogram.scale() {
        if scale != expected {
            let what = format!("`{}` where `{}` belongs", scale.name, expected.name);
            return wrong(what).within("scale");
        }
        if let Some((&index, _)) = histogram.counts.last_key_value()
            && index as usize >= scale.buckets()
        {
            let what = format!(
                "the last bucket of {} is {}",
                scale.name,
                scale.buckets() - 1
            );
            return wrong(what).within(&index.to_string()).within("counts");
        }
    }
    let n = histogram
        .counts
        .values()
        .try_fold(0u64, |n, count| n.checked_add(*count));
    match n {
        Some(_) => Ok(()),
        None => wrong("adds up to more than 2^64").within("counts"),
    }
}

/// What holds for all slices together.
fn check_balance(total: &Slice) -> Checked {
    for (number, device) in &total.devices {
        for (op, counts) in &device.ops {
            let checked = check_op_balance(counts);
            let checked = checked.within(op.name()).within("ops");
            checked.within(number).within("devices")?;
        }
    }
    Ok(())
}

fn check_op_balance(op: &OpSlice) -> Checked {
    // The end of a flush sequence can be seen without its data part: `request` may be one ahead.
    let n = op.spans.get(&Span::Device).map_or(0, Histogram::n);
    if n > op.completed {
        let what = format!("{n} durations of {} completed requests", op.completed);
        return wrong(what).within(Span::Device.name()).within("spans");
    }
    if op.errors > op.completed.saturating_add(op.ended_before_issue) {
        let what = format!(
            "{} errors of {} completed requests",
            op.errors, op.completed
        );
        return wrong(what).within("errors");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::arbitrary::small;

    /// Breaks a good capture and returns what the check says.
    fn broken(change: impl FnOnce(&mut Capture)) -> String {
        let mut capture = small();
        assert_eq!(capture.check(), Ok(()));
        change(&mut capture);
        capture.check().unwrap_err().to_string()
    }

    fn read(capture: &mut Capture) -> &mut OpSlice {
        let device = capture.slices[0].devices.get_mut("8:0").unwrap();
        device.ops.get_mut(&crate::capture::Op::Read).unwrap()
    }

    #[test]
    fn slices_must_follow_each_other() {
        let said = broken(|c| c.slices[1].at_ns = 999_999_999);
        assert_eq!(
            said,
            "slices[1].at_ns: 999999999 lies before the end of the slice before it, 1000000000"
        );
        let said = broken(|c| c.slices[1].length_ns = u64::MAX);
        assert_eq!(said, "slices[1].length_ns: the slice ends beyond 2^64 ns");
    }

    #[test]
    fn buckets_must_exist() {
        let said = broken(|c| {
            let device = read(c).spans.get_mut(&Span::Device).unwrap();
            device.counts.insert(1793, 1);
        });
        let place = "slices[0].devices.\"8:0\".ops.read.spans.device.counts.1793";
        assert_eq!(
            said,
            format!("{place}: the last bucket of latency_ns is 1792")
        );
    }

    #[test]
    fn a_histogram_must_be_on_the_scale_of_its_values() {
        let said = broken(|c| {
            read(c).spans.get_mut(&Span::Device).unwrap().scale = "count".to_owned();
        });
        let place = "slices[0].devices.\"8:0\".ops.read.spans.device.scale";
        assert_eq!(said, format!("{place}: `count` where `latency_ns` belongs"));
    }

    #[test]
    fn a_scale_of_a_newer_version_is_let_through() {
        let mut capture = small();
        let device = read(&mut capture).spans.get_mut(&Span::Device).unwrap();
        device.scale = "latency2_ns".to_owned();
        device.counts.insert(u32::MAX, 0);
        let device = device.clone();
        assert_eq!(capture.check(), Ok(()));
        assert_eq!(device.quantile(0.5), None);
        assert_eq!(device.mean(), None);
    }

    #[test]
    fn there_cannot_be_more_durations_than_requests() {
        let said = broken(|c| read(c).completed = 1);
        let place = "slices[*].devices.\"8:0\".ops.read.spans.device";
        assert_eq!(
            said,
            format!("{place}: 3 durations of 2 completed requests")
        );
    }

    #[test]
    fn device_numbers_are_two_numbers() {
        for number in [
            "8",
            "8:",
            ":0",
            "sda",
            "8:0:0",
            "-8:0",
            "8:00",
            "4294967296:0",
        ] {
            let said = broken(|c| {
                let device = DeviceSlice::default();
                c.slices[0].devices.insert(number.to_owned(), device);
            });
            assert_eq!(
                said,
                format!("slices[0].devices.{number:?}: not a device number MAJOR:MINOR")
                    .replace("\"8\"", "8")
                    .replace("\"sda\"", "sda")
            );
        }
    }

    #[test]
    fn shares_and_costs_cannot_be_negative_or_endless() {
        let said = broken(|c| c.slices[0].system.as_mut().unwrap().cpu_busy = Some(-0.1));
        assert!(said.starts_with("slices[0].system.cpu_busy: -0.1 is no share"));
        let said = broken(|c| c.slices[0].system.as_mut().unwrap().cpu_busy = Some(f64::NAN));
        assert!(said.starts_with("slices[0].system.cpu_busy: NaN is no share"));
        let said = broken(|c| c.own_cost.ns_per_event = Some(f64::INFINITY));
        assert_eq!(
            said,
            "own_cost.ns_per_event: inf cannot be; it must be 0 or more"
        );
    }

    #[test]
    fn a_probe_has_one_state() {
        let said = broken(|c| c.probes.push(c.probes[0].clone()));
        assert_eq!(said, "probes[2].id: `block` is listed twice");
    }
}
