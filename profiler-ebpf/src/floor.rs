//! Programs that only read the clock: what no pair of programs with stamps of its own can undercut.
//! `cargo xtask bench overhead` measures them beside the others.

/// Tracepoints and the programs at them.
pub const PROGRAMS: [(&str, &str); 2] = [
    ("block_rq_issue", "floor_issue"),
    ("block_rq_complete", "floor_complete"),
];

#[cfg(target_arch = "bpf")]
pub mod program {
    use aya_ebpf::{
        helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext,
    };

    #[btf_tracepoint(function = "block_rq_issue")]
    pub fn floor_issue(_: BtfTracePointContext) -> i32 {
        // SAFETY: a helper without arguments.
        unsafe { bpf_ktime_get_ns() as i32 }
    }

    #[btf_tracepoint(function = "block_rq_complete")]
    pub fn floor_complete(_: BtfTracePointContext) -> i32 {
        // SAFETY: as above.
        unsafe { bpf_ktime_get_ns() as i32 }
    }
}
