//! Where something stands in a capture: `slices[3].devices."8:0".ops.read.completed`.
//!
//! Found by walking the text, from an offset to its place and back. A deserializer that keeps the way it
//! came would cost on every read, and is not told of keys that are enums.

use std::fmt;
use std::ops::Range;

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

impl Place {
    /// The value of a JSON text that `offset` lies in or just behind; good also for broken texts.
    pub fn of(text: &[u8], offset: usize) -> Self {
        let text = &text[..offset.min(text.len())];
        let steps = walk(text, |_, _| true).into_iter();
        Self(steps.filter_map(|frame| frame.step(text)).collect())
    }

    /// Where in a valid JSON text the value begins.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        let mut found = None;
        walk(text, |offset, frames| {
            // The last step first: it differs most often.
            let here = frames.len() == self.0.len()
                && (frames.iter().zip(&self.0).rev())
                    .all(|(frame, step)| frame.step(text).as_ref() == Some(step));
            if here {
                found = Some(offset);
            }
            !here
        });
        found
    }
}

/// An object or a list that is open at some point of a text.
#[derive(Clone, Debug)]
enum Frame {
    /// The key of the entry, quotes included, once it is known.
    Object(Option<Range<usize>>),
    List(usize),
}

impl Frame {
    fn step(&self, text: &[u8]) -> Option<Step> {
        match self {
            Self::List(index) => Some(Step::Index(*index)),
            Self::Object(key) => {
                let key = text.get(key.clone()?)?;
                serde_json::from_slice(key).ok().map(Step::Key)
            }
        }
    }
}

/// Goes through a text and calls `visit` where a value begins, as long as it returns true.
/// Returns what is open at the end.
fn walk(text: &[u8], mut visit: impl FnMut(usize, &[Frame]) -> bool) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut at = 0;
    // Whether the next thing is a value, not a key or the rest of a number.
    let mut value = true;
    while let Some(byte) = text.get(at) {
        let starts = value && !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b']' | b'}');
        if starts {
            if !visit(at, &frames) {
                break;
            }
            value = false;
        }
        let start = at;
        at += 1;
        match byte {
            b'{' => frames.push(Frame::Object(None)),
            b'[' => {
                frames.push(Frame::List(0));
                value = true;
            }
            b'}' | b']' => {
                frames.pop();
                value = false;
            }
            b':' => value = true,
            b',' => value = next_entry(frames.last_mut()),
            b'"' => {
                at = end_of_string(text, at);
                if let (false, Some(Frame::Object(key @ None))) = (starts, frames.last_mut()) {
                    *key = Some(start..at);
                }
            }
            _ => {}
        }
    }
    frames
}

/// Returns whether a value follows the comma.
fn next_entry(frame: Option<&mut Frame>) -> bool {
    match frame {
        Some(Frame::List(index)) => {
            *index += 1;
            true
        }
        Some(Frame::Object(key)) => {
            *key = None;
            false
        }
        None => false,
    }
}

/// The offset behind the closing quote of a string whose content starts at `at`.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'\\' => 2,
            b'"' => return at + 1,
            _ => 1,
        };
    }
    text.len()
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

    #[test]
    fn places_are_found_in_a_text_and_back() {
        let text = br#"{"a": [1, {"b\"": "x,]}", "8:0": {"c": -5}}, []], "d": null}"#;
        for (place, value) in [
            ("", "{\"a\""),
            ("a", "[1,"),
            ("a[0]", "1,"),
            ("a[1]", "{\"b"),
            ("a[1].\"b\\\"\"", "\"x,]}"),
            ("a[1].\"8:0\".c", "-5"),
            ("a[2]", "[]"),
            ("d", "null"),
        ] {
            let offset = text
                .windows(value.len())
                .position(|w| w == value.as_bytes());
            let offset = offset.unwrap();
            let mut found = Place::of(text, offset);
            if place.is_empty() {
                found = Place::default();
            }
            assert_eq!(found.to_string(), place);
            assert_eq!(found.find(text), Some(offset), "{place}");
        }
        assert_eq!(Place(vec![Step::Key("e".to_owned())]).find(text), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_broken(text in proptest::collection::vec(proptest::sample::select(&b"{}[]:,\"\\a1 "[..]), 0..60)) {
            for offset in 0..=text.len() + 1 {
                let place = Place::of(&text, offset);
                let _ = place.find(&text);
            }
        }
    }
}
