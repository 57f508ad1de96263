//! Facts, typed rules and findings: the judgement of iosage.
//!
//! Pure: no kernel, no files, no clock, no environment. Facts go in, findings come out.

pub mod facts;
pub mod finding;
