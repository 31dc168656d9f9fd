//! Covered demand: a fragment that says what a key in force for its client already holds (DESIGN §5.5, Z-088).
//!
//! Judged by values and cues, never by similarity: siblings such as origin and destination look alike. Conservative: a
//! fragment that says anything beyond the key and its value stays open demand. What is in force for whom is the
//! caller's business.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Map;
use serde_json::Value;

use crate::domain::pool::pattern::fixed;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::roles::journey_role;
use crate::domain::pool::roles::place_role;
use crate::domain::pool::tagger::tag;
use crate::domain::pool::tagger::tagged_part;
use crate::domain::pool::words::is_empty_word;
use crate::domain::pool::words::is_preposition;
use crate::domain::pool::words::is_stop_word;
use crate::domain::pool::words::stem;
use crate::domain::template::closed_list;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;

/// Which value types a key may hold, read off its name, else off its description.
static KEY_TYPES: LazyLock<Vec<(ValueType, Regex)>> = LazyLock::new(|| {
    [
        (ValueType::Time, r"\btime\b"),
        (ValueType::Date, r"\bdate\b|\bday of\b|\bwhen\b"),
        (ValueType::Place, r"\b(?:city|cities|location|place|town|area|where|origin|destination)\b"),
        (ValueType::Address, r"\b(?:address|location|place|destination|where)\b"),
        (ValueType::Money, r"\b(?:price|cost|amount|fare|balance|fee|rent|money|charge|budget)\b"),
        (ValueType::Duration, r"\b(?:duration|length|days|nights|hours|long)\b"),
        (ValueType::Number, r"\b(?:number|how many|count|rating|stars?|year|size|quantity)\b"),
        (
            ValueType::Name,
            r"\b(?:name|title|artist|actor|director|person|album|song|movie|hotel|restaurant|venue|who|airline|station|airport)\b",
        ),
    ]
    .map(|(value_type, pattern)| (value_type, fixed(pattern)))
    .into()
});
static WORD: LazyLock<Regex> = LazyLock::new(|| fixed(r"[\p{L}\d][\p{L}\d'’]*"));

/// Words before a value that turn it into its opposite or into a comparison.
const NEGATIONS: [&str; 12] = [
    "not", "no", "without", "except", "never", "neither", "nor", "instead", "avoid", "don't", "than", "non",
];

/// Words in a key's name that say it speaks of somebody else, or of what is not the first choice: a value without such a
/// word is more likely meant for the speaker's own.
const OF_ANOTHER: [&str; 24] = [
    "recipient",
    "payee",
    "beneficiary",
    "receiver",
    "addressee",
    "sender",
    "guest",
    "companion",
    "spouse",
    "partner",
    "child",
    "dependent",
    "dependant",
    "emergency",
    "secondary",
    "alternate",
    "alternative",
    "backup",
    "fallback",
    "spare",
    "previous",
    "former",
    "old",
    "past",
];
/// Words that speak of somebody else without a name.
const THIRD_PERSON: [&str; 8] = ["he", "she", "they", "his", "her", "hers", "their", "theirs"];

/// The key that already holds what the fragment says, judged by the key's values and cues rather than by similarity.
/// Demand finer than the key's type (Z-071, Z-072) is not covered: a boolean key covers nothing, and a closed list
/// covers only its own values.
pub fn covered_by(fragment: &str, reading: &Reading, keys: &[EffectiveKey]) -> Option<KeyName> {
    let said = Said::of(tagged_part(fragment));
    if said.words.iter().any(|word| NEGATIONS.contains(&word.text.as_str())) {
        return None;
    }
    let mut best: Option<(usize, &KeyName)> = None;
    for key in keys {
        let Some(matched) = said.matched_by(key, reading) else {
            continue;
        };
        if best.is_none_or(|(most, _)| matched > most) {
            best = Some((matched, &key.definition.key_name));
        }
    }
    best.map(|(_, name)| name.clone())
}

struct Word {
    text: String,
    stem: String,
    start: usize,
}

/// A fragment as its words and values.
struct Said<'f> {
    fragment: &'f str,
    words: Vec<Word>,
    /// Found when a key first asks for them: most keys are told apart by words alone.
    spans: OnceCell<Vec<Span>>,
}

/// Types that a value of a key may have.
fn value_types(name: &str, description: &str) -> BTreeSet<ValueType> {
    let named = |text: &str| {
        KEY_TYPES
            .iter()
            .filter(|(_, pattern)| pattern.is_match(text))
            .map(|(t, _)| *t)
            .collect::<BTreeSet<_>>()
    };
    let by_name = named(name);
    if by_name.is_empty() {
        named(description)
    } else {
        by_name
    }
}

impl<'f> Said<'f> {
    fn of(fragment: &'f str) -> Said<'f> {
        let words = WORD
            .find_iter(fragment)
            .map(|found| {
                let text = found.as_str().to_lowercase();
                Word {
                    stem: stem(&text),
                    text,
                    start: found.start(),
                }
            })
            .collect();
        Said {
            fragment,
            words,
            spans: OnceCell::new(),
        }
    }

    fn spans(&self) -> &[Span] {
        self.spans.get_or_init(|| tag(self.fragment))
    }

    /// How many words of the key and its value the fragment holds, when it holds nothing else.
    fn matched_by(&self, key: &EffectiveKey, reading: &Reading) -> Option<usize> {
        let definition = &key.definition;
        let name = definition.key_name.as_str();
        match definition.key_type {
            KeyType::Boolean | KeyType::Null | KeyType::Object => return None,
            KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Array => {}
        }
        let name_text = name.replace('_', " ");
        if name == OTHER || roles_clash(&name_text, reading) || self.is_of_the_speaker(&name_text) {
            return None;
        }
        let name_words = name_text.split(' ').map(stem).collect::<BTreeSet<_>>();
        let matched = match listing(&definition.constraints) {
            Some(list) => self.listed_value(&closed_list::values(list)?, &name_words),
            None => self.named_value(&name_words, &value_types(&name_text, &definition.semantic_description)),
        }?;
        let remains = self.words.iter().enumerate().any(|(index, word)| {
            !(matched.contains(&index)
                || name_words.contains(&word.stem)
                || is_empty_word(&word.text)
                || is_stop_word(&word.text)
                || is_preposition(&word.text))
        });
        let of_name = self.words.iter().filter(|word| name_words.contains(&word.stem)).count();
        (!remains).then_some(matched.len() + of_name)
    }

    /// Whether the key's name says that it is another's or a second choice, and the fragment does not.
    fn is_of_the_speaker(&self, name: &str) -> bool {
        let said = |word: &str| {
            let wanted = stem(word);
            self.words
                .iter()
                .any(|said| said.stem == wanted || THIRD_PERSON.contains(&said.text.as_str()))
        };
        name.split(' ').any(|word| OF_ANOTHER.contains(&word) && !said(word))
    }

    /// The places of the words of a listed value. A value that is an everyday word needs the key's name beside it.
    fn listed_value(&self, values: &[&str], name_words: &BTreeSet<String>) -> Option<BTreeSet<usize>> {
        let mut longest: Option<BTreeSet<usize>> = None;
        for value in values {
            let wanted = value.to_lowercase().replace('_', " ");
            let wanted = WORD.find_iter(&wanted).map(|word| word.as_str()).collect::<Vec<_>>();
            if wanted.is_empty() || wanted.len() > self.words.len() {
                continue;
            }
            let everyday = wanted
                .iter()
                .all(|word| is_empty_word(word) || is_stop_word(word) || word.chars().all(char::is_numeric));
            if everyday && !self.holds_all(name_words) {
                continue;
            }
            let at = self
                .words
                .windows(wanted.len())
                .position(|run| run.iter().zip(&wanted).all(|(w, v)| w.text == **v));
            let Some(at) = at else { continue };
            if longest.as_ref().is_none_or(|found| wanted.len() > found.len()) {
                longest = Some((at..at + wanted.len()).collect());
            }
        }
        longest
    }

    /// The places of the words of a value of a fitting type, where all words of the key's name stand in the fragment.
    fn named_value(&self, name_words: &BTreeSet<String>, types: &BTreeSet<ValueType>) -> Option<BTreeSet<usize>> {
        if !self.holds_all(name_words) {
            return None;
        }
        let span = self.spans().iter().find(|span| types.contains(&span.value_type))?;
        let only = self
            .spans()
            .iter()
            .all(|other| other == span || !other.value_type.is_strong());
        let inside = self
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| (span.start..span.end).contains(&word.start));
        only.then(|| inside.map(|(index, _)| index).collect())
    }

    fn holds_all(&self, name_words: &BTreeSet<String>) -> bool {
        let held = self.words.iter().map(|word| &word.stem).collect::<BTreeSet<_>>();
        name_words.iter().all(|word| held.contains(word))
    }
}

/// The constraints that list the values of a key: its own, or those on what it holds several of.
fn listing(constraints: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let items = constraints.get("items").and_then(Value::as_object);
    [Some(constraints), items]
        .into_iter()
        .flatten()
        .find(|constraints| constraints.contains_key("enum"))
}

/// Whether the fragment's role words speak of another side than the key's name does.
fn roles_clash(name: &str, reading: &Reading) -> bool {
    let clash = |own: Option<&str>, sides: &[&str]| {
        reading
            .roles
            .iter()
            .any(|role| sides.contains(&role.as_str()) && own.is_some_and(|own| own != role))
    };
    let side = if name.contains("origin") {
        Some("SRC")
    } else {
        place_role(name)
    };
    clash(journey_role(name), &["RET", "LV", "STA"]) || clash(side, &["SRC", "DST"])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::covered_by;
    use crate::domain::pool::reading::read;
    use crate::domain::template::effective::EffectiveKey;
    use crate::domain::template::key::KeyDefinition;

    fn key(name: &str, key_type: &str, values: &[&str]) -> EffectiveKey {
        let constraints = if values.is_empty() {
            json!({})
        } else {
            json!({ "enum": values })
        };
        let definition = json!({
            "key_name": name,
            "key_type": key_type,
            "required": false,
            "semantic_description": "A key.",
            "constraints": constraints,
        });
        EffectiveKey::bare(serde_json::from_value::<KeyDefinition>(definition).expect("a key"))
    }

    fn covered(fragment: &str, keys: &[EffectiveKey]) -> Option<String> {
        let reading = read(fragment, &[]).unwrap_or_default();
        covered_by(fragment, &reading, keys).map(|name| name.to_string())
    }

    #[test]
    fn a_listed_value_and_nothing_else_is_covered_z088() {
        let keys = [key("seat_preference", "string", &["window", "aisle"])];
        assert_eq!(
            covered("I would like a window seat please", &keys).as_deref(),
            Some("seat_preference")
        );
        assert_eq!(covered("a window seat with extra legroom", &keys), None);
        assert_eq!(covered("windowless room", &keys), None);
        assert_eq!(covered("not a window seat", &keys), None);
    }

    #[test]
    fn a_named_key_and_a_value_of_its_type_are_covered_z088() {
        let keys = [key("departure_date", "string", &[]), key("destination", "string", &[])];
        assert_eq!(
            covered("departure date on March 3", &keys).as_deref(),
            Some("departure_date")
        );
        assert_eq!(covered("destination is Paris", &keys).as_deref(), Some("destination"));
        assert_eq!(covered("two bags", &keys), None);
        assert_eq!(covered("Paris", &keys), None);
    }

    #[test]
    fn what_does_not_say_that_it_is_anothers_is_not_covered_by_anothers_key_z088() {
        let keys = [key("guest_meal", "string", &["vegan", "kosher"])];
        assert_eq!(covered("I would like the vegan meal please", &keys), None);
        assert_eq!(
            covered("vegan meal for the guest please", &keys).as_deref(),
            Some("guest_meal")
        );
        assert_eq!(covered("her meal is vegan", &keys).as_deref(), Some("guest_meal"));
        let keys = [key("alternative_colour", "string", &["red", "blue"])];
        assert_eq!(covered("a red one", &keys), None);
        let keys = [
            key("meal", "string", &["vegan", "kosher"]),
            key("guest_meal", "string", &["vegan", "kosher"]),
        ];
        assert_eq!(
            covered("I would like the vegan meal please", &keys).as_deref(),
            Some("meal")
        );
    }

    #[test]
    fn demand_for_a_sibling_stays_open_z088() {
        let keys = [
            key("departure_date", "string", &[]),
            key("destination_city", "string", &[]),
        ];
        assert_eq!(covered("return date March 9", &keys), None);
        assert_eq!(covered("the city I am leaving from is Boston", &keys), None);
        assert_eq!(covered("departure date March 3 and return date March 9", &keys), None);
    }

    #[test]
    fn a_finer_request_than_a_boolean_key_holds_stays_open_z071_z072() {
        let keys = [key("eye_enlargement", "boolean", &[])];
        assert_eq!(covered("eye enlargement of 20 percent", &keys), None);
    }

    #[test]
    fn the_escape_valve_covers_nothing() {
        assert_eq!(covered("other window", &[key("other", "string", &["window"])]), None);
    }
}
