//! What a client agreed to, key by key, and what of a newer template it does not take unasked.

use std::collections::BTreeMap;

use crate::template::Template;

/// Which changes of a template are taken unasked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// Every change.
    None,
    /// New optional keys; no key that reads otherwise, is gone, or became required.
    #[default]
    Additive,
    /// None.
    Exact,
    /// The versions that fit, such as `^1` or `~1.2`, and of their changes those of [`Pin::Additive`].
    Range(String),
}

/// One key that was agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    /// What its wording comes to.
    digest: String,
    required: bool,
    on_trial: bool,
}

/// The keys that were agreed to, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreed(BTreeMap<String, Key>);

impl Agreed {
    /// Agrees to a template as it stands.
    pub fn to(template: &Template) -> Agreed {
        let keys = template.keys.iter().map(|key| {
            let name = key.key_name.to_string();
            let digest = template.key_digests.get(&name).cloned().unwrap_or_default();
            let agreed = Key {
                digest,
                required: key.required,
                on_trial: key.unknown.get("experimental").is_some_and(|mark| mark == true),
            };
            (name, agreed)
        });
        Agreed(keys.collect())
    }

    /// The keys of a newer template that a pin does not take, in the order of their names.
    pub fn refused(&self, pin: &Pin, newer: &Template) -> Vec<String> {
        if *pin == Pin::None {
            return Vec::new();
        }
        let came = Agreed::to(newer);
        let changed = self.0.iter().filter(|(name, held)| match came.0.get(*name) {
            Some(now) => now.digest != held.digest || (now.required && !held.required),
            // What is on trial may end so.
            None => !held.on_trial || *pin == Pin::Exact,
        });
        let added = came
            .0
            .iter()
            .filter(|(name, now)| !self.0.contains_key(*name) && (now.required || *pin == Pin::Exact));
        let mut refused: Vec<String> = changed.chain(added).map(|(name, _)| name.clone()).collect();
        refused.sort();
        refused
    }
}
