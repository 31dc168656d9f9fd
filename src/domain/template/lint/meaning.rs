//! Does the description say what the key means, and in few enough words (Z-040, Z-026)?

use crate::domain::template::advice::Advice;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::draft;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::sentences;
use crate::domain::template::lint::tongue;
use crate::domain::template::lint::values;

/// Characters below which a description says no more than a name does.
const MEANING_CHARS_MIN: usize = 12;
/// Characters beyond which a description costs more tokens than it helps.
const MEANING_CHARS_MAX: usize = 800;

/// Looks at the length, and for words beyond the key's own name.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let chars = key.semantic_description.trim().chars().count();
    if tongue::letters_worth(&key.semantic_description) < MEANING_CHARS_MIN {
        let message = "says too little of what the key means; write what it is for the business, in a sentence";
        says.of_description(Advice::TooShort, message, None);
    } else if repeats_name(key) {
        let message = "only repeats the key's name; write what it is for the business, in a sentence";
        says.of_description(Advice::TooShort, message, None);
    } else if says.awaits_meaning && is_form_alone(&key.semantic_description) {
        let message =
            "says how values are written and leaves open what they mean; write what the key is for the business";
        says.of_description(Advice::TooShort, message, None);
    }
    if chars > MEANING_CHARS_MAX {
        let message =
            format!("has {chars} characters; {MEANING_CHARS_MAX} are enough for meaning, values and examples");
        let better = shortened(&key.semantic_description);
        let better = better.map(|text| draft::completed(key, text, says.english));
        says.of_description(Advice::LongDescription, message, better);
    }
}

/// The text, shortened where it is too long and can be.
pub fn fitted(text: String) -> String {
    if text.trim().chars().count() <= MEANING_CHARS_MAX {
        return text;
    }
    shortened(&text).unwrap_or(text)
}

/// Whether nothing of a text says what is meant: it has examples, and sentences that say how values are written, alone.
pub fn is_form_alone(text: &str) -> bool {
    const FORMS: [&str; 4] = ["acceptable values:", "example", "format:", "range:"];
    sentences::sentences(text).into_iter().all(|sentence| {
        let lower = sentence.trim_start().to_lowercase();
        mapping::has_arrow(sentence) || FORMS.iter().any(|form| lower.starts_with(form))
    })
}

/// The text without its last sentences, but for those that say values or show an example; `None` where these are too long.
fn shortened(text: &str) -> Option<String> {
    let mut kept = sentences::sentences(text);
    while kept.concat().trim().chars().count() > MEANING_CHARS_MAX {
        let spare = |sentence: &&str| !values::has_cue(sentence) && !mapping::has_arrow(sentence);
        let last = kept.iter().skip(1).rposition(spare)?;
        kept.remove(last + 1);
    }
    Some(kept.concat().trim().to_owned())
}

/// Whether the description says no more than the name.
pub fn says_too_little(key: &KeyDefinition) -> bool {
    tongue::letters_worth(&key.semantic_description) < MEANING_CHARS_MIN || repeats_name(key)
}

/// Whether no word but those of the name, and articles, is there.
pub fn repeats_name(key: &KeyDefinition) -> bool {
    const EMPTY: [&str; 6] = ["the", "a", "an", "of", "this", "is"];
    let name: Vec<String> = key.key_name.as_str().split('_').map(str::to_owned).collect();
    key.semantic_description
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .all(|word| name.iter().any(|own| own == word))
}
