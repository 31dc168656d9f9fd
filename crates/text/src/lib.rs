//! What a text says by its form alone, in any language: sentences, phrases, denial, numbers.
//!
//! Pure: knows no schema, no model and no client.

pub mod pattern;

pub mod table;

pub mod closed;

pub mod language;

pub mod number;

pub mod phrase;

pub mod sentence;

pub mod name;

pub mod placeholder;

pub mod personal_data;

pub mod redaction;

pub mod secrets;

pub mod harmless;

pub mod packed;

pub mod vector;

pub mod vector_sum;
