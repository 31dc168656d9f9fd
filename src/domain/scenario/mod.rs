//! One scenario as a value.
