//! The compiled keys of one effective template, found by name.
//!
//! Knows names and positions; how a key's value is checked is the key's own.

use crate::effective::EffectiveTemplate;
use crate::exchange::key_check::KeyCheck;

/// Compiled once per effective template.
#[derive(Debug)]
pub(in crate::exchange) struct KeyTable {
    /// Advertised keys in the template's order, then withdrawn ones.
    keys: Vec<KeyCheck>,
    /// Positions in `keys`, sorted by name.
    by_name: Vec<usize>,
    /// What a document outside of templates calls its keys (`wire_name`), with their positions; read beside the keys' own names.
    by_wire: Vec<(String, usize)>,
}

impl KeyTable {
    /// Compiles the keys of a template, those withdrawn included.
    pub fn compile(template: &EffectiveTemplate) -> KeyTable {
        let keys: Vec<KeyCheck> = template
            .keys
            .iter()
            .chain(&template.withdrawn)
            .map(KeyCheck::compile)
            .collect();
        let mut by_name: Vec<usize> = (0..keys.len()).collect();
        by_name.sort_by(|a, b| {
            keys.get(*a)
                .map(|key| &key.name)
                .cmp(&keys.get(*b).map(|key| &key.name))
        });
        let definitions = template.keys.iter().chain(&template.withdrawn).enumerate();
        let by_wire = definitions
            .filter_map(|(place, key)| Some((key.definition.unknown.get("wire_name")?.as_str()?.to_owned(), place)))
            .collect();
        KeyTable { keys, by_name, by_wire }
    }

    /// Each key's check, by its position.
    pub fn checks(&self) -> &[KeyCheck] {
        &self.keys
    }

    /// The position of a key; the `expected` one is tried first.
    pub fn find(&self, name: &str, expected: usize) -> Option<usize> {
        if self.keys.get(expected).is_some_and(|key| key.name.as_str() == name) {
            return Some(expected);
        }
        let place = self
            .by_name
            .binary_search_by(|index| self.keys.get(*index).map_or("", |key| key.name.as_str()).cmp(name))
            .ok();
        let named = place.and_then(|place| self.by_name.get(place));
        let wired = || {
            self.by_wire
                .iter()
                .find(|(wire, _)| wire == name)
                .map(|(_, place)| *place)
        };
        named.copied().or_else(wired)
    }
}
