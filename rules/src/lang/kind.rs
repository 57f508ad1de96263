//! Kinds of values, and the algebra of units.
//!
//! Multiplication and division work on dimensions (bytes and time), so that a size times a rate is
//! a throughput and a throughput times a duration is a size again.

use crate::facts::{Type, Unit};
use std::fmt;

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Text,
    Number(Unit),
    /// A number written without a unit: a count or a ratio, as its neighbour needs.
    Plain,
}

impl From<Type> for Kind {
    fn from(of: Type) -> Self {
        match of {
            Type::Bool => Self::Bool,
            Type::Text => Self::Text,
            Type::Number(unit) => Self::Number(unit),
        }
    }
}

impl Kind {
    /// The type of a value of this kind, where a plain number is a count.
    pub fn as_type(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Text => Type::Text,
            Self::Number(unit) => Type::Number(unit),
            Self::Plain => Type::Number(Unit::Count),
        }
    }

    /// The kind that both can be, if there is one.
    pub(super) fn meet(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Self::Plain, n @ Self::Number(Unit::Count | Unit::Ratio)) => Some(n),
            (n @ Self::Number(Unit::Count | Unit::Ratio), Self::Plain) => Some(n),
            _ => None,
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Number(_) | Self::Plain)
    }

    /// Exponents of bytes and of time.
    fn dimension(self) -> Option<(i8, i8)> {
        match self {
            Self::Bool | Self::Text => None,
            Self::Plain | Self::Number(Unit::Count | Unit::Ratio) => Some((0, 0)),
            Self::Number(Unit::Duration) => Some((0, 1)),
            Self::Number(Unit::Size) => Some((1, 0)),
            Self::Number(Unit::Rate) => Some((0, -1)),
            Self::Number(Unit::Throughput) => Some((1, -1)),
        }
    }

    /// Durations are kept in nanoseconds, everything per time in seconds: the powers of 1e9 to reconcile.
    pub(super) fn nanos(self) -> i32 {
        i32::from(self == Self::Number(Unit::Duration))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("a plain number"),
            kind => kind.as_type().fmt(f),
        }
    }
}

pub(super) fn multiplied(left: Kind, right: Kind) -> Option<Kind> {
    use Unit::{Count, Ratio};
    let ((a, b), (c, d)) = (left.dimension()?, right.dimension()?);
    match (left, right) {
        (Kind::Plain, other) | (other, Kind::Plain) => Some(other),
        (Kind::Number(Ratio), Kind::Number(Ratio)) => Some(Kind::Number(Ratio)),
        _ => of_dimension(a + c, b + d, Count),
    }
}

pub(super) fn divided(left: Kind, right: Kind) -> Option<Kind> {
    use Unit::{Count, Ratio};
    let ((a, b), (c, d)) = (left.dimension()?, right.dimension()?);
    match (left, right) {
        (Kind::Plain, Kind::Plain) => Some(Kind::Plain),
        (n, Kind::Plain) => Some(n),
        (n, m) if n == m => Some(Kind::Number(Ratio)),
        (Kind::Number(Count), Kind::Number(Ratio)) => Some(Kind::Number(Count)),
        _ => of_dimension(a - c, b - d, if (c, d) == (0, 0) { Ratio } else { Count }),
    }
}

fn of_dimension(bytes: i8, time: i8, without: Unit) -> Option<Kind> {
    Some(Kind::Number(match (bytes, time) {
        (0, 0) => without,
        (0, 1) => Unit::Duration,
        (1, 0) => Unit::Size,
        (0, -1) => Unit::Rate,
        (1, -1) => Unit::Throughput,
        _ => return None,
    }))
}
