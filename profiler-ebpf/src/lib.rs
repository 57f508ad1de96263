//! The kernel side of iosage, and everything that crosses the border between kernel and user space.
//!
//! On the host this crate is the description of the probes: which programs there are, what they
//! need from the kernel, and the layout of the tables they fill. For `bpfel-unknown-none` it also
//! holds the programs. Nothing here allocates; all memory is fixed when the tables are created.
#![cfg_attr(target_arch = "bpf", no_std)]
#![cfg_attr(target_arch = "bpf", feature(asm_experimental_arch))]
#![cfg_attr(
    target_arch = "bpf",
    allow(
        unreachable_pub,
        dead_code,
        reason = "programs are reached by the loader, not by Rust"
    )
)]

pub mod bucket;
pub mod device;
pub mod floor;
pub mod kernel;
pub mod placeholder;
pub mod probe;
pub mod probes;
pub mod ring;

#[cfg(target_arch = "bpf")]
mod asm;
