//! The bridge between the shared layouts and aya's maps.

use zerocopy::{FromBytes, Immutable, KnownLayout};

/// A value of a kernel table.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Wire<T>(pub(super) T);

// SAFETY: `FromBytes` says that every bit pattern is a valid `T`, which is what `Pod` asks for; the
// wrapper is transparent and `T` is `Copy` and owns nothing.
unsafe impl<T: FromBytes + Immutable + KnownLayout + Copy + 'static> aya::Pod for Wire<T> {}

/// Bytes up to the first zero, as text.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}
