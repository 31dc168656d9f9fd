//! Words and marks by which a description may say which values are right, though no rule reads what.
//!
//! Where they stand, no text is drafted that says that any value is right, and no example is made up. Knows English words, and
//! marks of any language. Invariant: what is enforced already hints at nothing.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::BOUNDS;
use crate::domain::template::lint::announced::as_meant;
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
        r#"(?mi)[=|;；、#*]|(?:^|[.!?]\s+)\p{L}+(?:\s\p{L}+)?\s+or\s|\p{L}+,\s+(?:\p{L}+,\s+)*\p{L}+,?\s+or\s+\p{L}|\)\s*,?\s*or\s+\p{L}|\p{L}/\p{L}|^\s*(?:[-*•]|[0-9]+[.)])\s|["“„«「‘`]|(?:^|[\s(:,])'\p{L}|[:：(（][^.)]*(?:[,，]|\s(?:or|and|oder|ou|o)\s)|[:：]\s*\p{L}+\s*[.。]?$|\s[-–—]\s[^.]*,"#,
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

/// Words of what is written in one form, and of dates and times.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:dates?|days?|times?|noon|midnight|zone|clock|y{2,4}|mm|dd|hh|iban|bic|passport|licen[cs]e|pass(?:word|code)|secret|pin|token|written|spelt|spelled|number|id|identifier|e-?mail|url|uri|uuid|phone)\b|\bas\s+an?\s+(?-i:\p{Lu}{2})",
    )
});

/// Words by which something else than a format would be right too.
static ELSE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:or|none|such\s+as|like|relative|path|below|unknown|empty)\b"));

/// Words that turn a yes round.
static TURNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:no|not|non|never|without|cannot|unless|except|lack\w*|avoid\w*|exclud\w*|declin\w*|refus\w*|instead|younger|older|less|fewer|under|below|over|above|free\s+(?:of|from))\b|n't\b|\w-free\b",
    )
});

/// Words and signs that say how a value is written, or how large it is, without a list or a range that is read.
static SAID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bISO[\s-]*(?:[0-9]{3,}|dates?|times?|(?:country|currency|language)\s+codes?)\b|\b(?:IANA|IATA|ICAO)\b|\ban?\s+(?:BIC|IBAN|ISBN)\b|\b(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen)\s+(?:\p{L}+\s+)?(?:digits?|letters?|characters?)\b|[<>≤≥]=?\s*[0-9]|[0-9]\s*[<>≤≥]|\b(?:never|not|non)[\s-]negative\b|\b(?:always|strictly)\s+positive\b",
    )
});

/// Letters by which a word of a name is known in a description, whatever it ends with.
const STEM_CHARS: usize = 4;

/// Whether a description or a name speaks of texts that are written in one form, where none is enforced: not any text is right.
pub fn is_formed(key: &KeyDefinition) -> bool {
    let (name, said) = (key.key_name.as_str().replace('_', " "), &key.semantic_description);
    let has_figures = || !has(key, &["minLength", "maxLength"]) && said.contains(|c: char| c.is_ascii_digit());
    key.key_type == KeyType::String
        && !has(&as_meant(key), &["enum", "const", "pattern", "format"])
        && (WRITTEN.is_match(said) || WRITTEN.is_match(&name) || has_figures())
}

/// Whether a description lets something else be right beside a format.
pub fn has_alternative(key: &KeyDefinition) -> bool {
    ELSE.is_match(prose(&key.semantic_description))
}

/// Whether a description may mean by "true" that something is not so, or something else than its name says.
fn is_turned(key: &KeyDefinition) -> bool {
    let said = prose(&key.semantic_description).to_lowercase();
    let asked = match (said.find("true"), said.find("false")) {
        (Some(yes), Some(no)) if yes < no => &said[..no],
        (_, Some(_)) => return true,
        (_, None) => &said[..],
    };
    let stem = |word: &str| word.chars().take(STEM_CHARS).collect::<String>();
    let words: Vec<String> = said.split(|c: char| !c.is_alphanumeric()).map(stem).collect();
    let named = key.key_name.as_str().split('_').any(|word| words.contains(&stem(word)));
    TURNED.is_match(asked) || !named
}

/// Whether a description hints at values that are right where the constraints say nothing of them.
pub fn is_hinted(key: &KeyDefinition) -> bool {
    let prose = &stated(prose(&key.semantic_description));
    let chooses = || CHOICE.is_match(prose) || MARKS.is_match(prose);
    match key.key_type {
        KeyType::String if has(key, &["enum", "const", "pattern"]) => false,
        KeyType::String if has(key, &["format"]) => false,
        KeyType::String if key.constraints.contains_key("format") => true,
        KeyType::String if has(key, &["minLength", "maxLength"]) => chooses() || names_format(prose),
        KeyType::String => {
            chooses() || FORM.is_match(prose) || prose.contains(|c: char| c.is_ascii_digit()) || names_format(prose)
        }
        KeyType::Integer | KeyType::Number if has(key, &BOUNDS) || has(key, &["multipleOf"]) => false,
        KeyType::Integer | KeyType::Number => {
            chooses() || MEASURE.is_match(prose) || figures::has_any(prose) || names_format(prose)
        }
        KeyType::Array => !says_elements(key) && (chooses() || FORM.is_match(prose)),
        KeyType::Boolean => is_turned(key),
        KeyType::Object | KeyType::Null => false,
    }
}

/// Whether a description says how a value is written, or how large it is.
pub fn says_form(text: &str) -> bool {
    SAID.is_match(prose(text))
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

fn names_format(prose: &str) -> bool {
    FORMAT.captures_iter(prose).any(|found| found.name("open").is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::has_alternative;
    use super::is_formed;
    use super::is_hinted;
    use super::says_form;
    use crate::domain::template::key::KeyDefinition;

    fn text_key(name: &str, text: &str) -> KeyDefinition {
        let document = json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": text});
        KeyDefinition::parse(&document).expect("a key").0
    }

    #[test]
    fn what_is_written_in_one_form_is_not_any_text_z040() {
        for (name, text) in [
            ("departure", "When the train leaves, as YYYY-MM-DD."),
            ("account", "The account to pay, as an IBAN."),
            ("when", "Date of the appointment, e.g. 4 May 2026."),
            ("password", "What opens the door."),
            ("leaves", "When it leaves. Example: 'at nine' -> '09:00'."),
        ] {
            assert!(is_formed(&text_key(name, text)), "{text}");
        }
        assert!(!is_formed(&text_key(
            "wish",
            "What the guest wants to eat, as a treat."
        )));
    }

    #[test]
    fn a_text_says_its_values_by_their_form_or_size_z040() {
        for text in [
            "Day of the visit, an ISO date.",
            "Zone of the meeting, an IANA name such as Europe/Berlin.",
            "Language of the guide, an ISO 639-1 code.",
            "Number of the card: two letters and four digits, e.g. AB1234.",
            "The ISBN-13 of the book, thirteen digits.",
            "Distance in km (0 < x <= 1500).",
            "What is left on the account, never negative.",
        ] {
            assert!(says_form(text), "{text}");
        }
        for text in [
            "The animal.",
            "A positive answer.",
            "How isolated it is.",
            "Example: 'x' -> 'two digits'.",
        ] {
            assert!(!says_form(text), "{text}");
        }
    }

    #[test]
    fn a_format_is_not_all_where_something_else_is_right_too_z040_z048() {
        assert!(has_alternative(&text_key(
            "email",
            "Address of the guest, or the word none."
        )));
        assert!(has_alternative(&text_key("url", "Path below our site, such as /menu.")));
        assert!(!has_alternative(&text_key("email", "Address of the guest.")));
    }

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
            ("string", "Free (for one user) or paid.", true),
            ("string", "Colour as #RRGGBB.", true),
            ("string", "Use 'S' for small ones.", true),
            ("string", "The colour: rouge, bleu.", true),
            ("integer", "How many guests there are.", false),
            ("integer", "How old one is.", false),
            ("integer", "An even number of them.", true),
            ("integer", "Not many.", true),
            ("integer", "A handful, five or so.", true),
            ("boolean", "Whether k is wanted.", false),
            ("boolean", "True if k is wanted, false if not.", false),
            ("boolean", "True if no k is wanted.", true),
            ("boolean", "False where k is wanted, true where not.", true),
            ("boolean", "Set when k cannot be changed.", true),
            ("boolean", "Whether there is a window.", true),
        ] {
            let document =
                json!({"key_name": "k", "key_type": key_type, "required": false, "semantic_description": text});
            let (key, _) = KeyDefinition::parse(&document).expect("a key");
            assert_eq!(is_hinted(&key), hinted, "{text}");
        }
    }
}
