//! One figure of a bench, and how it stands to its target.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    name: String,
    unit: &'static str,
    value: Result<f64, String>,
    /// A figure without one is for information.
    target: Option<Bound>,
}

/// What is asked of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Figure {
    /// The median of the values, or why there is none.
    pub(crate) fn new(
        name: &str,
        unit: &'static str,
        values: Result<Vec<f64>, String>,
        target: Option<f64>,
    ) -> Self {
        Self {
            target: target.map(Bound::AtMost),
            ..Self::bounded(name, unit, values, Bound::AtMost(0.0))
        }
    }

    /// As [`Figure::new`], with a bound of either kind.
    pub(crate) fn bounded(
        name: &str,
        unit: &'static str,
        values: Result<Vec<f64>, String>,
        bound: Bound,
    ) -> Self {
        let value = values.and_then(|values| median(values).ok_or_else(|| "no rounds".to_owned()));
        Self {
            name: name.to_owned(),
            unit,
            value,
            target: Some(bound),
        }
    }

    pub(crate) fn is_measured(&self) -> bool {
        self.value.is_ok()
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            unit,
            value,
            target,
        } = self;
        let value = match value {
            Ok(value) => value,
            Err(reason) => return write!(f, "figure {name} not measured: {reason}"),
        };
        let digits = if *unit == "ns" { 0 } else { 3 };
        write!(f, "figure {name} {value:.digits$} {unit}")?;
        match target {
            Some(bound) => {
                let (target, met) = match *bound {
                    Bound::AtMost(target) => (target, *value <= target),
                    Bound::AtLeast(target) => (target, *value >= target),
                };
                write!(f, " target {target} {}", if met { "met" } else { "short" })
            }
            None => Ok(()),
        }
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        Some((values.get(middle.checked_sub(1)?)? + values[middle]) / 2.0)
    } else {
        Some(values[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_none_one_two_three() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![4.0]), Some(4.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(vec![9.0, 1.0, 4.0]), Some(4.0));
    }

    #[test]
    fn a_figure_says_whether_it_meets_its_target() {
        let shown = |value, target| {
            Figure::new("block.ratio", "ratio", Ok(vec![value]), target).to_string()
        };
        assert_eq!(
            shown(0.28, Some(0.33)),
            "figure block.ratio 0.280 ratio target 0.33 met"
        );
        assert_eq!(
            shown(0.34, Some(0.33)),
            "figure block.ratio 0.340 ratio target 0.33 short"
        );
        let least = Figure::bounded("x", "ratio", Ok(vec![1.5]), Bound::AtLeast(1.25));
        assert_eq!(least.to_string(), "figure x 1.500 ratio target 1.25 met");
        assert_eq!(shown(0.34, None), "figure block.ratio 0.340 ratio");
        let missing = Figure::new("x", "ns", Err("bpftrace is missing".to_owned()), Some(1.0));
        assert_eq!(
            missing.to_string(),
            "figure x not measured: bpftrace is missing"
        );
    }
}
