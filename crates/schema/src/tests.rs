//! What tests of several modules draw from.

pub mod drawn;
