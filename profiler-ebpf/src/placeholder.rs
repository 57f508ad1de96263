//! Numbers in the programs that user space fills in before loading: offsets of kernel fields, and
//! settings.
//!
//! Each stands as a placeholder in one instruction, so that what is filled in costs nothing at run
//! time. A load of a field has the displacement `FIELD - index`, which no other load has; an
//! addition to a pointer and a move to a register have an immediate whose upper half is a mark.

/// Displacement of a load of field 0; field n is n below. Stack and map offsets never come near.
pub const FIELD: i16 = -0x4000;
/// Upper half of an immediate that becomes a field's offset.
pub const OFFSET: u16 = 0x6f46;
/// Upper half of an immediate that becomes 1 if the kernel has a field, else 0.
pub const PRESENT: u16 = 0x7046;
/// Upper half of an immediate that becomes a setting.
pub const SETTING: u16 = 0x7346;
/// The displacement of a field that the kernel lacks: no struct is that long, so the verifier
/// refuses a program that would read it.
pub const ABSENT: i16 = i16::MAX;

/// What user space decides; the position is the index of the placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Setting {
    /// Under which no two traced devices share a place; see [`crate::device::place`].
    DirectoryMultiplier,
    /// Masks of `request.rq_flags`.
    RqfFlushSeq,
    RqfIoStat,
    /// Number of request devices: the rows of bio devices follow theirs.
    BioRows,
    /// 1: stacks are sampled.
    Stacks,
    /// System call numbers.
    NrFsync,
    NrFdatasync,
    /// 1: ext4 is left to its own tracepoints.
    SkipExt4,
    /// Possible CPUs.
    Cpus,
    /// The depth is looked at once in so many issues; a power of two.
    DepthEvery,
}

/// Number of settings.
pub const SETTINGS: usize = Setting::DepthEvery as usize + 1;

#[cfg(target_arch = "bpf")]
pub use bpf::{Plain, add_offset, number, present};

#[cfg(target_arch = "bpf")]
mod bpf {
    use super::{FIELD, OFFSET, PRESENT};
    use core::arch::asm;

    const fn immediate(mark: u16, index: u16) -> i32 {
        (mark as i32) << 16 | index as i32
    }

    /// A number or pointer that one instruction loads.
    pub trait Plain: Copy {
        /// Loads a field; `base` points to its struct, as the verifier knows.
        fn load<const INDEX: u16>(base: *const u8) -> Self;
    }

    macro_rules! plain {
        ($($t:ty, $class:ident, $width:literal;)*) => {$(
            impl Plain for $t {
                #[inline(always)]
                fn load<const INDEX: u16>(base: *const u8) -> Self {
                    let value;
                    // SAFETY: the verifier knows the type behind the pointer and checks offset and
                    // size; a fault on a stale pointer reads as zero (BPF_PROBE_MEM).
                    unsafe {
                        asm!(
                            concat!("{0} = *(", $width, " *)({1} - {2})"),
                            out($class) value,
                            in(reg) base,
                            const -(FIELD as i32) + INDEX as i32,
                            options(nostack, readonly),
                        );
                    }
                    value
                }
            }
        )*};
    }
    plain! {
        u32, wreg, "u32";
        i32, wreg, "u32";
        u64, reg, "u64";
        *const u8, reg, "u64";
    }

    impl Plain for u8 {
        #[inline(always)]
        fn load<const INDEX: u16>(base: *const u8) -> Self {
            let value: u32;
            // SAFETY: as above.
            unsafe {
                asm!(
                    "{0} = *(u8 *)({1} - {2})",
                    out(wreg) value,
                    in(reg) base,
                    const -(FIELD as i32) + INDEX as i32,
                    options(nostack, readonly),
                );
            }
            value as u8
        }
    }

    /// A pointer to a field, for helpers that read kernel memory.
    #[inline(always)]
    pub fn add_offset<const INDEX: u16>(base: *const u8) -> *const u8 {
        let mut at = base;
        // SAFETY: arithmetic on a register.
        unsafe {
            asm!(
                "{0} += {1}",
                inout(reg) at,
                const immediate(OFFSET, INDEX),
                options(nomem, nostack, pure),
            );
        }
        at
    }

    /// A number that user space fills in.
    #[inline(always)]
    pub fn number<const MARK: u16, const INDEX: u16>() -> u32 {
        let value;
        // SAFETY: a constant to a register.
        unsafe {
            asm!(
                "{0} = {1}",
                out(wreg) value,
                const immediate(MARK, INDEX),
                options(nomem, nostack, pure),
            );
        }
        value
    }

    /// Whether the kernel has a field.
    #[inline(always)]
    pub fn present<const INDEX: u16>() -> bool {
        number::<PRESENT, INDEX>() != 0
    }
}

/// The value of a [`Setting`], by name.
#[cfg(target_arch = "bpf")]
macro_rules! setting {
    ($name:ident) => {
        $crate::placeholder::number::<
            { $crate::placeholder::SETTING },
            { $crate::placeholder::Setting::$name as u16 },
        >()
    };
}
#[cfg(target_arch = "bpf")]
pub(crate) use setting;
