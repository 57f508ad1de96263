//! The time line cut into as many columns as a picture can show.

use crate::capture::{Capture, Slice};

/// More columns than this are thinner than a reader can tell apart.
const MOST: usize = 120;

/// The recording in equal stretches; a stretch without a slice is `None`.
pub(super) struct Columns {
    /// Length of all columns together.
    pub(super) seconds: f64,
    pub(super) slices: Vec<Option<Slice>>,
}

impl Columns {
    pub(super) fn new(capture: &Capture) -> Self {
        let end = capture
            .slices
            .iter()
            .map(|slice| slice.at_ns.saturating_add(slice.length_ns))
            .max()
            .unwrap_or(0);
        let longest = capture
            .slices
            .iter()
            .map(|s| s.length_ns)
            .max()
            .unwrap_or(0);
        // Columns as long as the slices where these are few, else a whole number of slices each.
        let few = end.checked_div(longest).unwrap_or(0).max(1);
        let together = few.div_ceil(MOST as u64);
        let width = longest.saturating_mul(together).max(1);
        let count = end.div_ceil(width).min(MOST as u64 + 1) as usize;
        let mut slices: Vec<Option<Slice>> = vec![None; count];
        for slice in &capture.slices {
            let middle = slice.at_ns.saturating_add(slice.length_ns / 2);
            let column = (middle / width) as usize;
            match slices.get_mut(column) {
                Some(Some(sum)) => sum.merge(slice),
                Some(empty) => *empty = Some(slice.clone()),
                None => {}
            }
        }
        Self {
            seconds: count as f64 * width as f64 / 1e9,
            slices,
        }
    }

    /// One value a column.
    pub(super) fn map<T>(&self, value: impl Fn(&Slice) -> Option<T>) -> Vec<Option<T>> {
        let value = |slice: &Option<Slice>| slice.as_ref().and_then(&value);
        self.slices.iter().map(value).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.slices.len()
    }

    /// Where a column starts, in seconds.
    pub(super) fn start(&self, column: usize) -> f64 {
        self.seconds * column as f64 / self.len().max(1) as f64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::capture::arbitrary;

    pub(in crate::report::html) fn capture(slices: Vec<Slice>) -> Capture {
        Capture {
            slices,
            ..arbitrary::small()
        }
    }

    fn second(at: u64) -> Slice {
        Slice {
            at_ns: at * 1_000_000_000,
            length_ns: 1_000_000_000,
            ..Slice::default()
        }
    }

    #[test]
    fn a_short_recording_keeps_its_slices_and_shows_its_gaps() {
        let columns = Columns::new(&capture(vec![second(0), second(1), second(3)]));
        let there: Vec<bool> = columns.slices.iter().map(Option::is_some).collect();
        assert_eq!(there, [true, true, false, true]);
        assert_eq!(columns.seconds, 4.0);
    }

    #[test]
    fn a_long_recording_is_gathered_without_loss() {
        let columns = Columns::new(&capture((0..1000).map(second).collect()));
        assert!(columns.len() <= MOST + 1, "{}", columns.len());
        let total: u64 = columns.slices.iter().flatten().map(|s| s.length_ns).sum();
        assert_eq!(total, 1_000_000_000_000);
    }

    #[test]
    fn an_empty_recording_has_no_columns() {
        assert_eq!(Columns::new(&capture(vec![])).len(), 0);
    }
}
