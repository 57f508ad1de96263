//! The bridge between the shared layouts and aya's maps.

use zerocopy::{FromBytes, Immutable, KnownLayout};

/// A value of a kernel table.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Wire<T>(pub(super) T);

// SAFETY: `FromBytes` says that every bit pattern is a valid `T`, which is what `Pod` asks for; the
// wrapper is transparent and `T` is `Copy` and owns nothing.
unsafe impl<T: FromBytes + Immutable + KnownLayout + Copy + 'static> aya::Pod for Wire<T> {}
