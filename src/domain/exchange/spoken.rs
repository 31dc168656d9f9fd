//! Whether `other` names a value of a learned key's closed list: then the key's default must not speak for the client.
//!
//! Compares whole words, whatever their case; what a wish means is the pool's affair. Invariant: base keys are left alone,
//! whose defaults their publisher answers for, and no word of the client goes into what is said.

use serde_json::Value;

use crate::domain::template::effective::EffectiveKey;

/// Values of one list that are looked for.
const VALUES_MAX: usize = 64;
/// Characters below which a value is a word of too many meanings.
const CHARS_MIN: usize = 3;

/// The values of a learned key's list but its default, as words between spaces.
pub fn values(key: &EffectiveKey) -> Vec<String> {
    let definition = &key.definition;
    let Some(Value::Array(listed)) = definition.constraints.get("enum") else {
        return Vec::new();
    };
    if key.patch.is_none() || definition.default_value.is_none() {
        return Vec::new();
    }
    let others = listed
        .iter()
        .filter(|value| definition.default_value.as_ref() != Some(value));
    let texts = others.filter_map(Value::as_str).take(VALUES_MAX).map(words);
    texts.filter(|text| text.trim().chars().count() >= CHARS_MIN).collect()
}

/// What was said in `other`, as words between spaces.
pub fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_whole_and_without_their_case_z060() {
        assert_eq!(words("A Window-seat, please!"), " a window seat please ");
        assert_eq!(words("extra_legroom"), " extra legroom ");
        assert_eq!(words("?!"), " ");
        assert!(!words("windowless").contains(&words("window")));
    }
}
