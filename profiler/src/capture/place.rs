//! Where something stands in a capture: `slices[3].devices."8:0".ops.read.completed`.

use serde_path_to_error::{Path, Segment};
use std::fmt;

/// One step down into a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(usize),
    /// All entries of a list together.
    Every,
}

/// A way from the root of a JSON document to one of its values. Empty: the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(pub Vec<Step>);

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        let steps = path.iter().filter_map(|segment| match segment {
            Segment::Seq { index } => Some(Step::Index(*index)),
            Segment::Map { key } => Some(Step::Key(key.clone())),
            Segment::Enum { variant } => Some(Step::Key(variant.clone())),
            Segment::Unknown => None,
        });
        Self(steps.collect())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Every => write!(f, "[*]")?,
                Step::Key(key) => {
                    let dot = if depth == 0 { "" } else { "." };
                    match is_word(key) {
                        true => write!(f, "{dot}{key}")?,
                        false => write!(f, "{dot}{key:?}")?,
                    }
                }
            }
        }
        Ok(())
    }
}

fn is_word(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_no_words_are_quoted() {
        let key = |k: &str| Step::Key(k.to_owned());
        let place = Place(vec![
            key("slices"),
            Step::Index(3),
            key("devices"),
            key("8:0"),
            key("in_flight_end"),
        ]);
        assert_eq!(place.to_string(), "slices[3].devices.\"8:0\".in_flight_end");
    }
}
