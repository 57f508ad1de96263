//! The places with inline assembly: what the verifier needs and LLVM would take away.

use core::arch::asm;

/// `BPF_F_MMAPABLE`: the kernel lays such an array on a page, so that rows of 32 and 64 bytes do not
/// straddle cache lines.
pub const MMAPABLE: usize = 1 << 10;

/// An index below `2^BITS`, in a form whose bound the verifier sees and LLVM does not remove.
#[inline(always)]
pub fn masked<const BITS: u32>(value: u64) -> usize {
    let mut index = value;
    let mask = (1u64 << BITS) - 1;
    // SAFETY: one register is changed, no memory.
    unsafe { asm!("{0} &= {1}", inout(reg) index, in(reg) mask, options(nomem, nostack)) };
    index as usize
}

/// Hides a value from LLVM, so that a bounds check after it survives for the verifier.
#[inline(always)]
pub fn opaque(value: usize) -> usize {
    let mut index = value;
    // SAFETY: a move of a register to itself.
    unsafe { asm!("{0} = {0}", inout(reg) index, options(nomem, nostack)) };
    index
}

/// Adds to a counter that programs on several CPUs share.
#[inline(always)]
pub fn add_shared(counter: *mut u64, value: u64) {
    // SAFETY: `counter` points into a map value, which the verifier checks at load.
    unsafe {
        asm!("lock *(u64 *)({0} + 0) += {1}", in(reg) counter, in(reg) value, options(nostack))
    };
}

/// Counts a value of a histogram that only one program writes.
#[inline(always)]
pub fn count<const N: usize>(counts: &mut [u32; N], index: usize) {
    let index = opaque(index);
    if index < N {
        // SAFETY: checked above; `get_unchecked_mut` leaves no panic path, which BPF cannot have.
        unsafe { *counts.get_unchecked_mut(index) += 1 };
    }
}
