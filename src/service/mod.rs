//! The conductor.
