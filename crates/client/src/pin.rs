//! What of a newer template a client does not take unasked.

use crate::template::Template;
use schema::key::KeyDefinition;

/// Which changes of a template are taken unasked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// Every change.
    None,
    /// New optional keys; no key that reads otherwise, is gone, or became required. A key on trial may go.
    #[default]
    Additive,
    /// None.
    Exact,
    /// The versions that fit, such as `^1` or `~1.2`, and of their changes those of [`Pin::Additive`].
    Range(String),
}

impl Pin {
    /// The keys of a newer template that are not taken, in the order of their names.
    pub(crate) fn refused(&self, held: &Template, newer: &Template) -> Vec<String> {
        if *self == Pin::None {
            return Vec::new();
        }
        let is_exact = *self == Pin::Exact;
        let key = |of: &Template, name: &str| of.keys.iter().find(|key| key.key_name.as_str() == name).cloned();
        let is_on_trial = |key: &KeyDefinition| key.unknown.get("experimental").is_some_and(|mark| mark == true);
        let names = held.keys.iter().chain(&newer.keys).map(|key| key.key_name.to_string());
        let mut refused: Vec<String> = names
            .filter(|name| match (key(held, name), key(newer, name)) {
                (Some(was), Some(is)) => {
                    held.key_digests.get(name) != newer.key_digests.get(name) || (is.required && !was.required)
                }
                (Some(was), None) => is_exact || !is_on_trial(&was),
                (None, is) => is_exact || is.is_some_and(|is| is.required),
            })
            .collect();
        refused.sort();
        refused.dedup();
        refused
    }
}
