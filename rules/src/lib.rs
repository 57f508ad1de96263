//! Facts, typed rules and findings: the judgement of iosage.
//!
//! Pure but for [`source`]: no kernel, no clock, no environment. Facts go in, findings come out.

pub mod diagnostic;
pub mod docs;
pub mod facts;
pub mod finding;
pub mod judge;
pub mod lang;
pub mod library;
pub mod rule;
pub mod source;
mod suggest;
pub mod units;

pub use judge::{Judgement, Suppress};
pub use library::Library;
pub use rule::Rule;
