//! The capture: everything one recording knows, as plain data that goes to and comes from a file.
//!
//! Recording ends here and judging starts here; nothing downstream asks the live host again.

#[cfg(test)]
pub mod arbitrary;
pub mod check;
pub mod destination;
pub mod diff;
pub mod histogram;
pub mod join;
pub mod merge;
pub mod model;
pub mod place;
pub mod reader;
pub mod weigh;
pub mod writer;

pub use histogram::Histogram;
pub use model::*;
pub use reader::{FormatError, is_capture};
pub use writer::{Ending, Options as WriterOptions, Writer};
