//! Every rule for every subject: facts go in, findings come out.
//!
//! [`one`] asks one rule about one subject.

mod one;

pub(crate) use one::one;
