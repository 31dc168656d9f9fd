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
/// Characters that are kept free where a sentence is ended early, for values and an example to be added.
const ROOM_CHARS: usize = 160;
/// Characters of a sentence that is ended early, for it to say something still.
const CUT_CHARS_MIN: usize = 40;
/// Marks that end a clause, and what is put there to end the sentence.
const CLAUSE_ENDS: [char; 6] = [',', ';', ':', '(', '–', '—'];
const END: &str = ". ";

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
        let text = &key.semantic_description;
        let better = shortened(text).or_else(|| cut(text));
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

/// The text with its longest sentence ended at a clause, so that it is short enough; `None` where little would be left of that.
fn cut(text: &str) -> Option<String> {
    let excess = text
        .trim()
        .chars()
        .count()
        .checked_sub(MEANING_CHARS_MAX - ROOM_CHARS)?;
    let mut parts: Vec<String> = sentences::sentences(text).into_iter().map(str::to_owned).collect();
    let told = parts.iter_mut().filter(|part| !mapping::has_arrow(part));
    let longest = told.max_by_key(|part| part.chars().count())?;
    let kept = longest.chars().count().checked_sub(excess + END.len())?;
    let begun: String = longest.chars().take(kept).collect();
    let end = begun.rfind(CLAUSE_ENDS).or_else(|| begun.rfind(char::is_whitespace))?;
    let begun = begun.get(..end)?.trim_end();
    *longest = format!("{begun}{END}");
    (begun.chars().count() >= CUT_CHARS_MIN).then(|| parts.concat().trim().to_owned())
}

/// Whether nothing of a text says what is meant: it has examples, and sentences that say how values are written, alone.
pub fn is_form_alone(text: &str) -> bool {
    const FORMS: [&str; 4] = ["acceptable values:", "example", "format:", "range:"];
    sentences::sentences(text).into_iter().all(|sentence| {
        let lower = sentence.trim_start().to_lowercase();
        mapping::has_arrow(sentence) || FORMS.iter().any(|form| lower.starts_with(form))
    })
}

/// The text without its last sentences: first of those that neither say values nor show an example, then of the examples but one, and
/// of the examples of one sentence; `None` where what is left is too long.
fn shortened(text: &str) -> Option<String> {
    let mut kept: Vec<String> = sentences::sentences(text).into_iter().map(str::to_owned).collect();
    while kept.concat().trim().chars().count() > MEANING_CHARS_MAX {
        let spare = |sentence: &String| !values::has_cue(sentence) && !mapping::has_arrow(sentence);
        let examples = kept.iter().filter(|sentence| mapping::has_arrow(sentence)).count();
        let last = kept.iter().skip(1).rposition(spare).map(|last| last + 1);
        let last_example = || kept.iter().rposition(|sentence| mapping::has_arrow(sentence));
        if let Some(last) = last.or_else(|| last_example().filter(|last| examples > 1 && *last > 0)) {
            kept.remove(last);
        } else {
            let at = last_example()?;
            let fewer = mapping::without_last(&kept[at])?;
            kept[at] = fewer;
        }
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
