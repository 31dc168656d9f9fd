//! Whether `other` speaks of what a learned key holds: then the key's default must not speak for the client.
//!
//! Compares words, whatever their case; what a wish means is the pool's affair. In doubt it says yes: a value that is left out
//! misleads nobody. Invariant: base keys are left alone, whose defaults their publisher answers for, and no word of the client
//! goes into what is said.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::template::common_words;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::mapping_example;

/// Values of one list that are looked for.
const VALUES_MAX: usize = 64;
/// Characters below which a value or a word has too many meanings.
const CHARS_MIN: usize = 3;

/// What tells that a text speaks of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// The key's name and the values of its list but the default, as [`between_spaces`].
    phrases: Vec<String>,
    /// What its name and its examples are made of, but for common words; each as [`stem`].
    words: BTreeSet<String>,
}

/// A text as its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    text: String,
    words: BTreeSet<String>,
}

impl Spoken {
    /// Of a learned key with a default; of any other key nothing is looked for.
    pub fn of(key: &EffectiveKey) -> Spoken {
        let definition = &key.definition;
        let Some(default) = definition.default_value.as_ref().filter(|_| key.patch.is_some()) else {
            return Spoken::default();
        };
        let listed = definition.constraints.get("enum").and_then(Value::as_array);
        let others = listed.into_iter().flatten().filter(|value| *value != default);
        let values = others.filter_map(Value::as_str).take(VALUES_MAX);
        let name = definition.key_name.as_str();
        let phrases = values.chain([name]).map(between_spaces);
        let examples = mapping_example::shown(&definition.semantic_description);
        let texts = examples.iter().map(|example| example.said).chain([name]);
        Spoken {
            phrases: phrases
                .filter(|text| text.trim().chars().count() >= CHARS_MIN)
                .collect(),
            words: texts.flat_map(telling).collect(),
        }
    }

    /// Whether anything is looked for.
    pub fn is_sought(&self) -> bool {
        !self.phrases.is_empty() || !self.words.is_empty()
    }

    /// Whether one of these texts speaks of the key.
    pub fn in_any(&self, said: &[Said]) -> bool {
        said.iter().any(|said| {
            self.phrases.iter().any(|phrase| said.text.contains(phrase.as_str()))
                || !self.words.is_disjoint(&said.words)
        })
    }
}

impl Said {
    /// One text of `other`.
    pub fn of(text: &str) -> Said {
        Said {
            text: between_spaces(text),
            words: telling(text).collect(),
        }
    }
}

/// A text as its words between spaces.
fn between_spaces(text: &str) -> String {
    words(text).iter().fold(" ".to_owned(), |all, word| all + word + " ")
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of a text that tell one thing from another.
fn telling(text: &str) -> impl Iterator<Item = String> {
    let tells = |word: &String| {
        word.chars().count() >= CHARS_MIN && !common_words::is_empty(word) && !common_words::is_stop(word)
    };
    words(text).into_iter().filter(tells).map(|word| stem(&word).to_owned())
}

/// A word without the ending of a plural.
fn stem(word: &str) -> &str {
    let bare = word.strip_suffix('s').unwrap_or(word);
    if bare.chars().count() < CHARS_MIN { word } else { bare }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Said;
    use super::Spoken;
    use super::between_spaces;
    use crate::domain::template::effective::EffectiveKey;
    use crate::domain::template::effective::Standing;
    use crate::domain::template::key::KeyDefinition;
    use crate::domain::template::name::PatchId;
    use crate::domain::template::name::ScenarioKey;

    fn learned(document: &serde_json::Value) -> Spoken {
        let key = serde_json::from_value::<KeyDefinition>(document.clone()).expect("a key");
        let patch_id = PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), 1);
        Spoken::of(&EffectiveKey {
            patch: Some((patch_id, Standing::Stable)),
            ..EffectiveKey::bare(key)
        })
    }

    #[test]
    fn words_are_whole_and_without_their_case_z060() {
        assert_eq!(between_spaces("A Window-seat, please!"), " a window seat please ");
        assert_eq!(between_spaces("extra_legroom"), " extra legroom ");
        assert_eq!(between_spaces("?!"), " ");
        assert!(!between_spaces("windowless").contains(&between_spaces("window")));
    }

    #[test]
    fn a_switch_is_spoken_of_by_its_name_z074() {
        let spoken = learned(
            &json!({"key_name": "early_check_ins", "key_type": "boolean", "required": false,
            "default_value": false, "semantic_description": "Whether to come early."}),
        );
        let speaks = |text: &str| spoken.in_any(&[Said::of("thanks"), Said::of(text)]);
        for text in ["EARLY, as always", "two early check-ins", "an early check-in please"] {
            assert!(speaks(text), "{text}");
        }
        for text in ["please", "a quiet room", "nearly", ""] {
            assert!(!speaks(text), "{text}");
        }
    }

    #[test]
    fn what_its_examples_say_speaks_of_it_but_for_common_words_z074() {
        let spoken = learned(&json!({"key_name": "shade", "key_type": "string", "required": false,
            "default_value": "none", "constraints": {"enum": ["grey", "none"]},
            "semantic_description": "Shade. Examples: 'I would like charcoal please' -> grey; 'no' -> none."}));
        let speaks = |text: &str| spoken.in_any(&[Said::of(text)]);
        for text in ["all in charcoal", "Grey", "a lighter shade"] {
            assert!(speaks(text), "{text}");
        }
        for text in ["I would like a receipt please", "no hurry", "none of it"] {
            assert!(!speaks(text), "{text}");
        }
    }
}
