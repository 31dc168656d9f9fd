//! What a text says by its form alone, in any language: words, sentences, denial, numbers, secrets, personal data; and the vector
//! that a model made of it.
//!
//! Pure: knows no schema, no model and no client.

pub mod pattern;

pub mod table;

pub mod analysis;

pub mod clause;

pub mod closed;

pub mod language;

pub mod languages;

pub mod number;

pub mod phrase;

pub mod sentence;

pub mod name;

pub mod placeholder;

pub mod personal_data;

pub mod redaction;

pub mod remembered;

pub mod secrets;

pub mod harmless;

pub mod vector;
