//! What one client sent: the envelope, the check of its payload, violations and repairs, and what was said in `other`.
//!
//! Knows templates; knows nothing of pools, evolution, time or storage. Invariant: no value of a payload appears in a
//! message (docs/design.md §4).

pub mod violation;

pub mod length;

pub mod envelope;

pub mod extension;

pub mod verdict;

pub mod repair;

pub mod skim;

pub mod other;

pub mod scan;

pub mod walk;

pub mod long_number;

pub mod repeated;

pub mod key_check;

mod key_table;

pub mod nested;

pub mod validator;

pub mod result;
