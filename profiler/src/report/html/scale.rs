//! From values to places: a logarithmic axis for latencies, a linear one for amounts and time.

use crate::units;

/// Maps a range of positive values to a range of places, decade by decade.
#[derive(Clone, Copy, Debug)]
pub(super) struct Log {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Log {
    /// An axis over `low..high`, widened to a whole decade at least.
    pub(super) fn new(low: f64, high: f64, from: f64, to: f64) -> Self {
        let low = if low.is_finite() { low.max(1.0) } else { 1.0 };
        let high = if high.is_finite() { high } else { low };
        Self {
            low,
            high: high.max(low * 10.0),
            from,
            to,
        }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = (value / self.low).log10() / self.decades();
        self.from + share * (self.to - self.from)
    }

    pub(super) fn decades(&self) -> f64 {
        (self.high / self.low).log10()
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    /// Powers of ten within the range.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let first = self.low.log10().ceil() as i32;
        let last = (self.high.log10() + 1e-9).floor() as i32;
        (first..=last).map(|power| 10f64.powi(power)).collect()
    }
}

/// Maps `0..high` to a range of places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    high: f64,
    from: f64,
    to: f64,
}

impl Linear {
    pub(super) fn new(high: f64, from: f64, to: f64) -> Self {
        let high = if high.is_finite() && high > 0.0 {
            high
        } else {
            1.0
        };
        Self { high, from, to }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        self.from + (value / self.high).clamp(0.0, 1.0) * (self.to - self.from)
    }
}

/// The round number at or above `value` that an axis ends at, and the step between its ticks.
/// `base` is 10, or 2 for bytes.
pub(super) fn nice(value: f64, base: u32) -> (f64, f64) {
    if !(value.is_finite() && value > 0.0) {
        return (1.0, 0.5);
    }
    let power = f64::from(base).powf(value.log(f64::from(base)).floor());
    let steps: &[(f64, f64)] = match base {
        2 => &[(1.0, 0.5), (1.5, 0.5), (2.0, 1.0)],
        _ => &[
            (1.0, 0.5),
            (1.5, 0.5),
            (2.0, 1.0),
            (3.0, 1.0),
            (4.0, 2.0),
            (6.0, 2.0),
            (8.0, 4.0),
            (10.0, 5.0),
        ],
    };
    let found = steps.iter().find(|(end, _)| end * power >= value * 0.9999);
    let (end, step) = found
        .copied()
        .unwrap_or((f64::from(base), f64::from(base) / 2.0));
    (end * power, step * power)
}

/// Ticks of a time axis of this many seconds: where, and what to write there.
pub(super) fn time_ticks(seconds: f64) -> Vec<(f64, String)> {
    const STEPS: [f64; 17] = [
        0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
        7200.0, 21_600.0, 86_400.0,
    ];
    let step = STEPS
        .iter()
        .copied()
        .find(|step| seconds / step <= 6.0)
        .unwrap_or((seconds / 6.0).max(1.0));
    let ticks = (seconds / step + 1e-9).floor().clamp(0.0, 12.0) as u32;
    (0..=ticks)
        .map(|i| (f64::from(i) * step, time(f64::from(i) * step, step)))
        .collect()
}

fn time(at: f64, step: f64) -> String {
    let whole = |value: f64, unit: &str| format!("{} {unit}", units::short(value));
    if step < 60.0 {
        whole(at, "s")
    } else if step < 3600.0 {
        whole(at / 60.0, "min")
    } else {
        whole(at / 3600.0, "h")
    }
}

/// A tick of a latency axis: `100 µs`.
pub(super) fn latency_tick(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{value:.0} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_axis_gives_each_decade_the_same_room() {
        let axis = Log::new(1e3, 1e6, 0.0, 300.0);
        assert_eq!(axis.at(1e3), 0.0);
        assert!((axis.at(1e4) - 100.0).abs() < 1e-9);
        assert!((axis.at(1e6) - 300.0).abs() < 1e-9);
        assert_eq!(axis.ticks(), [1e3, 1e4, 1e5, 1e6]);
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!(nice(317.0, 10), (400.0, 200.0));
        assert_eq!(nice(1.0, 10), (1.0, 0.5));
        assert_eq!(nice(0.0, 10), (1.0, 0.5));
        assert_eq!(nice(f64::NAN, 10), (1.0, 0.5));
        assert_eq!(nice(300.0 * 1024.0, 2), (384.0 * 1024.0, 128.0 * 1024.0));
    }

    #[test]
    fn time_is_ticked_in_units_that_people_use() {
        let words = |seconds| -> Vec<String> {
            time_ticks(seconds)
                .into_iter()
                .map(|(_, word)| word)
                .collect()
        };
        assert_eq!(words(20.0), ["0 s", "5 s", "10 s", "15 s", "20 s"]);
        assert_eq!(words(600.0).last().unwrap(), "10 min");
        assert!(words(f64::MAX).len() < 20);
        assert_eq!(words(0.0), ["0 s"]);
    }
}
