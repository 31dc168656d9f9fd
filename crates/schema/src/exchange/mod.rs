//! What one client sent: the envelope, the check of its payload, violations and repairs, and what was said in `other`.
//!
//! Knows templates; knows nothing of pools, evolution, time or storage. Invariant: no value of a payload appears in a
//! message (docs/design.md §4).

pub mod calendar_date;
pub mod envelope;
pub mod extension;
pub mod key_check;
pub mod other;
pub mod repair;
pub mod validator;
pub mod verdict;
