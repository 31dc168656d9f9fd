//! Covered demand: a fragment that says what a key in force for its client already holds (docs/design.md §5.5, Z-088).
//!
//! By words alone, never by likeness: siblings such as origin and destination look alike. A fragment that says anything beyond the key
//! and its value stays open demand: in doubt it is counted. What is in force for whom is the caller's business.

use std::collections::BTreeSet;

use text::analysis::Analysis;
use text::phrase;
use text::phrase::Phrase;

use schema::closed_list;
use schema::effective::EffectiveKey;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::name::KeyName;
use schema::name::OTHER;

/// The key that holds what a fragment says.
pub fn covering(fragment: &Analysis<'_>, keys: &[EffectiveKey]) -> Option<KeyName> {
    let phrase = Phrase::of(fragment);
    let said = phrase.content();
    if said.is_empty() {
        return None;
    }
    let keys = keys.iter().map(|key| &key.definition);
    let mut keys = keys.filter(|key| key.key_name.as_str() != OTHER);
    keys.find(|key| is_held(key, &phrase, &said))
        .map(|key| key.key_name.clone())
}

fn is_held(key: &KeyDefinition, phrase: &Phrase, said: &BTreeSet<String>) -> bool {
    let name = words(key.key_name.as_str());
    match key.key_type {
        KeyType::Boolean => {
            let denies = Phrase::read(&key.key_name.as_str().replace('_', " ")).is_negated();
            name == *said && denies == phrase.is_negated()
        }
        // A list's value, with nothing beside it but what the key is called: "business class".
        KeyType::String | KeyType::Array => closed_list::values(&key.constraints).is_some_and(|values| {
            let is_said = |value: &str| {
                let value = words(value);
                let is_whole = !value.is_empty() && value.is_subset(said);
                is_whole && said.iter().all(|word| value.contains(word) || name.contains(word))
            };
            !phrase.is_negated() && values.iter().any(|value| is_said(value))
        }),
        KeyType::Integer | KeyType::Number | KeyType::Object | KeyType::Null => false,
    }
}

/// Content words of a name or a value.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    lower.split(['_', ' ', '-']).filter_map(phrase::content).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::*;

    fn key(document: &Value) -> EffectiveKey {
        let (definition, _) = KeyDefinition::parse(document).expect("a key");
        EffectiveKey::bare(definition)
    }

    #[test]
    fn what_a_key_holds_is_covered_and_what_says_more_is_not_z088() {
        let keys = [
            key(
                &json!({"key_name": "cabin_class", "key_type": "string", "required": false, "semantic_description": "Cabin.",
                "constraints": {"enum": ["economy", "business"]}}),
            ),
            key(
                &json!({"key_name": "window_seat", "key_type": "boolean", "required": false, "semantic_description": "Window."}),
            ),
            key(
                &json!({"key_name": "no_onions", "key_type": "boolean", "required": false, "semantic_description": "Onions."}),
            ),
        ];
        let held = |text: &str| covering(&text::analysis::Analysis::of(text), &keys).map(|name| name.to_string());
        assert_eq!(held("business class please").as_deref(), Some("cabin_class"));
        assert_eq!(held("I'd like a window seat").as_deref(), Some("window_seat"));
        assert_eq!(held("without onions").as_deref(), Some("no_onions"));
        for open in [
            "not business class",
            "business class with a bed",
            "a window seat over the wing",
            "no window seat",
            "onions please",
            "cabin",
            "please",
        ] {
            assert_eq!(held(open), None, "{open}");
        }
    }
}
