//! Steady state: a job ends when its rate has not changed by more than a limit for a while.

use crate::workload::spec::{Steady, Watched};
use std::collections::VecDeque;

/// The rate of one job, interval after interval.
pub(super) struct Monitor {
    steady: Steady,
    /// End of the current interval.
    next: u64,
    current: u64,
    values: VecDeque<f64>,
    settled: bool,
}

impl Monitor {
    pub(super) fn new(steady: &Steady, from: u64) -> Self {
        let start = from.saturating_add(steady.ramp_ns);
        Self {
            next: start.saturating_add(steady.interval_ns),
            values: VecDeque::with_capacity(steady.intervals() + 1),
            steady: steady.clone(),
            current: 0,
            settled: false,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, completed: u64, bytes: u64) {
        if completed < self.next - self.steady.interval_ns {
            return;
        }
        while completed >= self.next && !self.settled {
            self.close();
        }
        self.current += match self.steady.watched {
            Watched::Ios => 1,
            Watched::Bytes => bytes,
        };
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled
    }

    fn close(&mut self) {
        let per_second = self.current as f64 * 1e9 / self.steady.interval_ns as f64;
        self.current = 0;
        self.next = self.next.saturating_add(self.steady.interval_ns);
        self.values.push_back(per_second);
        if self.values.len() > self.steady.intervals() {
            self.values.pop_front();
        }
        if self.values.len() == self.steady.intervals() {
            self.settled =
                criterion(self.values.make_contiguous(), &self.steady) <= self.steady.limit;
        }
    }
}

/// The largest deviation from the mean, or the slope of the line that fits best, a second.
fn criterion(values: &[f64], steady: &Steady) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let raw = if steady.slope {
        let middle = (n - 1.0) / 2.0;
        let offsets = || (0..values.len()).map(|i| i as f64 - middle);
        let up: f64 = offsets().zip(values).map(|(x, y)| x * (y - mean)).sum();
        let across: f64 = offsets().map(|x| x * x).sum();
        let seconds = steady.interval_ns as f64 / 1e9;
        if across == 0.0 {
            0.0
        } else {
            (up / across / seconds).abs()
        }
    } else {
        values.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max)
    };
    match (steady.percent, mean > 0.0) {
        (true, true) => raw * 100.0 / mean,
        // Nothing moved: that is no steady state.
        (_, false) => f64::INFINITY,
        (false, true) => raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn steady(slope: bool, percent: bool, limit: f64) -> Steady {
        Steady {
            watched: Watched::Ios,
            slope,
            percent,
            limit,
            duration_ns: 4 * S,
            ramp_ns: S,
            interval_ns: S,
        }
    }

    #[test]
    fn deviation_and_slope_are_what_their_names_say() {
        let values = [90.0, 100.0, 110.0, 100.0];
        assert_eq!(criterion(&values, &steady(false, false, 0.0)), 10.0);
        assert_eq!(criterion(&values, &steady(false, true, 0.0)), 10.0);
        // Least squares over 0..3: (-1.5*-10 + -0.5*0 + 0.5*10 + 1.5*0) / 5 = 4.
        assert_eq!(criterion(&values, &steady(true, false, 0.0)), 4.0);
        assert_eq!(
            criterion(&[0.0; 4], &steady(false, true, 0.0)),
            f64::INFINITY
        );
    }

    #[test]
    fn it_settles_after_its_duration_and_not_before() {
        let mut monitor = Monitor::new(&steady(false, true, 1.0), 0);
        // 100 I/Os in the ramp, then 10 a second.
        (0..100).for_each(|i| monitor.add(i, 4096));
        let mut settled = None;
        for i in 0..100u64 {
            let at = S + i * S / 10;
            monitor.add(at, 4096);
            if monitor.is_settled() && settled.is_none() {
                settled = Some(at);
            }
        }
        assert_eq!(settled, Some(5 * S));
    }

    #[test]
    fn a_rate_that_falls_does_not_settle() {
        let mut monitor = Monitor::new(&steady(true, true, 1.0), 0);
        let mut at = S as f64;
        for i in 0..1_000 {
            monitor.add(at as u64, 4096);
            at += 1e6 * (1.0 + f64::from(i) / 100.0);
        }
        assert!(!monitor.is_settled());
    }
}
