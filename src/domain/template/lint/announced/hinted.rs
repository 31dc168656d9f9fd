//! Words and marks by which a description may say which values are right, though no rule reads what.
//!
//! Where they stand, no text is drafted that says that any value is right, and no example is made up. Knows English words, and
//! marks of any language. Invariant: what is enforced already hints at nothing.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::domain::template::constraint::FORMATS;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::BOUNDS;
use crate::domain::template::lint::announced::figures;
use crate::domain::template::lint::announced::has;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::announced::prose;
use crate::domain::template::lint::announced::ranges::stated;

/// Words of choosing, and of what is right.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:only|must|either|one\s+of|choose|chosen|select(?:ed)?|pick(?:ed)?|allow(?:s|ed)?|permit(?:s|ted)?|accept(?:s|ed|able)?|valid|values?|options?|choices?|following|limited|restricted|exactly|never|always|except|unless|otherwise|available|comes?\s+in|nothing\s+but|means|not|sizes\s+are|whichever)\b|(?:^|[.!?:]\s+)(?:answer|enter|give|put|reply|say|send|state|take|type|use|write)\b",
    )
});

/// Marks between values, and of a list in lines, brackets or behind a colon.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?mi)[=|;；、]|(?:^|[.!?]\s+)\p{L}+(?:\s\p{L}+)?\s+or\s|\p{L}+,\s+(?:\p{L}+,\s+)*\p{L}+,?\s+or\s+\p{L}|\p{L}/\p{L}|^\s*(?:[-*•]|[0-9]+[.)])\s|["“„«「‘`]|(?:^|[\s(:,])'\p{L}|[:：(（][^.)]*(?:[,，]|\s(?:or|and|oder|ou|o)\s)|[:：]\s*\p{L}+\s*[.。]?$|\s[-–—]\s[^.]*,"#,
    )
});

/// Words of how a text is written.
static FORM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:digits?|letters?|characters?|chars|codes?|upper\s*case|lower\s*case|capitals?|numeric|alphanumeric|prefix|suffix|(?:starts?|begins?|ends?)\s+with|max(?:imum)?|min(?:imum)?|longer|shorter|short|iso|hex(?:adecimal)?|abbreviat\w+|initials?)\b",
    )
});

/// A format that is named, where it is another than any text or number.
static FORMAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bformat(?:s|ted)?\b(?::\s*(?<open>(?:free\s+)?text\b|as\b|any\b|a\s+(?:whole\s+)?number\b|an?\s+(?:list|object)\b))?",
    )
});

/// Words that bound a number, or say which ones are right.
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)%|\b(?:more|less|fewer|over|under|above|below|most|least|max|min|maximum|minimum|up\s+to|between|exceed\w*|limit\w*|dozens?|couple|few|half|halves|positive|negative|non-\w+|even|odd|multiples?|steps?|percent\w*|share|fraction|ratio)\b",
    )
});

/// Whether a description hints at values that are right where the constraints say nothing of them.
pub fn is_hinted(key: &KeyDefinition) -> bool {
    let prose = &stated(prose(&key.semantic_description));
    let chooses = || CHOICE.is_match(prose) || MARKS.is_match(prose);
    match key.key_type {
        KeyType::String if has(key, &["enum", "const", "pattern"]) => false,
        KeyType::String if has(key, &["format"]) => !is_known(key),
        KeyType::String if has(key, &["minLength", "maxLength"]) => chooses() || names_format(prose),
        KeyType::String => {
            chooses() || FORM.is_match(prose) || prose.contains(|c: char| c.is_ascii_digit()) || names_format(prose)
        }
        KeyType::Integer | KeyType::Number if has(key, &BOUNDS) || has(key, &["multipleOf"]) => false,
        KeyType::Integer | KeyType::Number => {
            chooses() || MEASURE.is_match(prose) || figures::has_any(prose) || names_format(prose)
        }
        KeyType::Array => !says_elements(key) && (chooses() || FORM.is_match(prose)),
        KeyType::Boolean | KeyType::Object | KeyType::Null => false,
    }
}

/// Whether marks of any language hint at values in a text that is not read.
pub fn shows_values(text: &str) -> bool {
    MARKS.is_match(text) || text.contains(char::is_numeric)
}

/// Whether constraints say of an array which elements are right, and not their type alone.
fn says_elements(key: &KeyDefinition) -> bool {
    let items = key.constraints.get("items").and_then(Value::as_object);
    has(key, &["enum", "const"]) || items.is_some_and(|items| items.keys().any(|keyword| keyword != "type"))
}

/// Whether the key's format is one that is enforced.
fn is_known(key: &KeyDefinition) -> bool {
    let format = key.constraints.get("format").and_then(Value::as_str);
    format.is_some_and(|format| FORMATS.contains(&format))
}

fn names_format(prose: &str) -> bool {
    FORMAT.captures_iter(prose).any(|found| found.name("open").is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_hinted;
    use crate::domain::template::key::KeyDefinition;

    #[test]
    fn words_and_marks_hint_at_values_that_no_rule_reads_z040() {
        for (key_type, text, hinted) in [
            ("string", "Where the guest sits.", false),
            ("string", "What the user wants to eat or drink.", false),
            ("string", "Where the guest sits. Format: free text.", false),
            ("string", "The airport. Format: IATA code.", true),
            ("string", "A code of six letters.", true),
            ("string", "Window or aisle, whichever is free.", true),
            ("string", "How one arrives by car, train or plane.", true),
            ("string", "Nothing but tea.", true),
            ("string", "S = small.", true),
            ("string", "Use 'S' for small ones.", true),
            ("string", "The colour: rouge, bleu.", true),
            ("integer", "How many guests there are.", false),
            ("integer", "How old one is.", false),
            ("integer", "An even number of them.", true),
            ("integer", "Not many.", true),
            ("integer", "A handful, five or so.", true),
        ] {
            let document =
                json!({"key_name": "k", "key_type": key_type, "required": false, "semantic_description": text});
            let (key, _) = KeyDefinition::parse(&document).expect("a key");
            assert_eq!(is_hinted(&key), hinted, "{text}");
        }
    }
}
