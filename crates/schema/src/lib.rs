//! What has been agreed: schema templates, their keys, and the effective template that one client sees.
//!
//! Knows nothing of payloads, pools, time or storage. Invariant: a value of any type here is already valid; what was
//! not valid was named as [`defect::Defect`] and never built.

pub mod act;
pub mod advice;
pub mod annotation;
pub mod backtracking;
pub mod budget;
pub mod capabilities;
pub mod closed_list;
pub mod compatibility;
pub mod constraint;
pub mod cost;
pub mod covers;
pub mod defect;
pub mod difference;
pub mod document;
pub mod ecma;
pub mod effective;
pub mod exchange;
pub mod executor;
pub mod export;
pub mod format;
pub mod import;
pub mod json_schema;
pub mod json_text;
pub mod key;
pub mod keyword;
pub mod language;
pub mod lint;
pub mod mapping_example;
mod members;
pub mod name;
pub mod nearest;
pub mod numeral;
pub mod other;
pub mod pattern;
pub mod place;
pub mod question;
pub mod report;
pub mod response_schema;
pub mod rule;
pub mod staleness;
pub mod template;
pub mod time;
pub mod unsafe_text;
pub mod version_range;
pub mod witness;

#[cfg(test)]
mod tests;
