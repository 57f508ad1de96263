//! The probe groups. A new one is a file here, its `pub mod` line and its line in [`ALL`].

pub mod block;
pub mod journal;
pub mod queue;
pub mod stack;
pub mod stacked;
pub mod sync;

use crate::probe::Probe;

/// Every group, in the order in which they are attached.
pub const ALL: &[&Probe] = &[
    &block::PROBE,
    &queue::PROBE,
    &stacked::PROBE,
    &journal::PROBE,
    &sync::PROBE,
    &stack::PROBE,
];
