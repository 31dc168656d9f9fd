//! What has been agreed: schema templates, their keys, and the effective template that one client sees.
//!
//! Knows nothing of payloads, pools, time or storage. Invariant: a value of any type here is already valid; what was
//! not valid was named as [`defect::Defect`] and never built.

pub mod name;

pub mod key;

pub mod template;

pub mod advice;

pub mod lint;

pub mod defect;

pub mod report;

pub mod nearest;

pub mod unknown;

pub mod catalogue;

pub mod executor;

pub mod unsafe_text;

pub mod question;

pub mod response_schema;

pub mod other;

pub mod keyword;

pub mod constraint;

pub mod closed_list;

pub mod punctuation;

pub mod mapping_example;

pub mod annotation;

pub mod numeral;

pub mod scalar;

pub mod scalar_rule;

pub mod omission;

pub mod rule;

pub mod tree;

pub mod language;

pub mod effective;

pub mod digest;

pub mod document;

pub mod json_text;

pub mod inclusion;

pub mod json_schema;

pub mod payload_schema;

pub mod export;

pub mod capabilities;

pub mod containment;

pub mod ecma;

pub mod expression;

pub mod specimen;

pub mod fillable;

pub mod difference;

pub mod compatibility;

pub mod staleness;

pub mod exchange;

pub mod time;

pub mod act;
