//! iosage: record what a host's storage does, judge it, report it.

pub mod capture;
pub mod command;
pub mod exit;
pub mod host;
pub mod import;
pub mod kernel;
pub mod profile;
pub mod recording;
pub mod report;
pub mod session;
pub mod units;
pub mod workload;
