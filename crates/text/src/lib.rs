//! What a text says by its form alone, in any language: sentences, phrases, denial, numbers.
//!
//! Pure: knows no schema, no model and no client.

pub mod clause;

pub mod closed;

pub mod language;

pub mod number;

pub mod phrase;

pub mod sentence;

pub mod name;
