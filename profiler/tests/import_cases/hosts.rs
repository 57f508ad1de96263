//! Host files.
