//! Captures whose facts were computed by hand.
