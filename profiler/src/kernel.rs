//! What the running kernel is: its types (BTF), its tracepoints, our rights.

pub mod btf;
pub mod layout;
pub mod placeholders;
pub mod support;
