//! iosage: record what a host's storage does, judge it, report it.

pub mod capture;
pub mod command;
pub mod exit;
pub mod host;
pub mod workload;
