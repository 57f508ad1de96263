//! The kernel side of iosage, and everything that crosses the border between kernel and user space.
#![cfg_attr(target_arch = "bpf", no_std)]

pub mod bucket;
