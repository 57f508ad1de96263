//! The host's configuration: what can be read without tracing. Read once, kept in the capture.

pub mod model;
pub mod pulse;

pub use model::*;
