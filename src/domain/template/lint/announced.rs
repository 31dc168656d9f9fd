//! Lists and ranges that a description announces and nothing enforces (Z-048): by the words of the grammar of
//! [`crate::domain::template::annotation`], or in prose.
//!
//! What stands in examples announces nothing, nor does a list that says that it goes on. Where it is clear what was meant,
//! a finding shows it as constraints; where it is not, or where the key could not be filled with it, it says how to write it.
//! Invariant: no constraints are shown where the text says more of the values than they do.

mod around;

mod disputes;

mod entries;

mod figures;

pub mod hinted;

mod lists;

mod loose;

pub mod masks;

mod phrases;

mod ranges;

mod remarked;

mod shares;

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::annotation::closed_by;
use crate::domain::template::annotation::named;
use crate::domain::template::constraint::FORMATS;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::values::Obstacle;
use crate::domain::template::lint::values::enforceable;
use crate::domain::template::lint::values::fitting_default;
use crate::domain::template::lint::values::obstacle;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::punctuation::is_stop;

/// The words that announce a list, and a range, in the grammar.
pub const LIST: &str = "Acceptable values:";
pub const RANGE: &str = "Range:";

/// Words by which prose speaks of the values that are right.
pub const VALUES: &str =
    r"(?:acceptable|accepted|allowed|permitted|possible|supported|valid)\s+(?:values?|options?|choices?)";

/// Words by which it speaks of what is right.
const RIGHT: &str = r"(?:acceptable|accepted|allowed|available|permitted|possible|supported|valid)";

/// Keywords that bound a number.
const BOUNDS: [&str; 6] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "enum",
    "const",
];

static OF_VALUES: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?i)\b{VALUES}\b")));
static EXAMPLES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bexamples?\b"));

/// A pattern that is a constant.
pub fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant")
}

/// What is announced: the constraints that were meant where that is clear, and the text that goes with them.
#[derive(Default)]
struct Announced {
    constraints: Option<Map<String, Value>>,
    better_text: Option<String>,
    /// How to write it, where there are no constraints to show.
    hint: String,
}

/// Looks for what is announced and not enforced.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let range = ranges::range(key);
    let is_number = matches!(key.key_type, KeyType::Integer | KeyType::Number);
    // What bounds a number behind the words of a list is told once.
    let list = lists::list(key).filter(|list| !is_number || range.is_none() || list.constraints.is_some());
    for (rule, what, found) in [(Advice::ProseRange, "range", range), (Advice::ProseList, "list", list)] {
        if let Some(found) = found {
            tell(key, rule, what, found, says);
        }
    }
}

/// Whether a list or a range is announced that nothing enforces.
pub fn is_announced(key: &KeyDefinition) -> bool {
    ranges::range(key).is_some() || lists::list(key).is_some()
}

/// The key with the constraints that its description announces as well, where it is clear what these are and its default is
/// among them.
pub fn as_meant(key: &KeyDefinition) -> KeyDefinition {
    let mut meant = key.clone();
    for found in [ranges::range(key), lists::list(key)].into_iter().flatten() {
        let clear = found.constraints.filter(|constraints| enforceable(key, constraints));
        meant.constraints.extend(clear.into_iter().flatten());
    }
    meant
}

/// Whether what a description says of the values that are right is not read: a list or range that is announced and not clear,
/// or words that hint at one where nothing is enforced.
pub fn is_unread(key: &KeyDefinition) -> bool {
    match key.key_type {
        KeyType::Null => return false,
        KeyType::Boolean => return hinted::is_hinted(key),
        KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Array | KeyType::Object => {}
    }
    let unclear = |found: Announced| {
        let clear = found
            .constraints
            .is_some_and(|constraints| enforceable(key, &constraints));
        !clear
    };
    // What the grammar closes and the reading did not take over.
    let open = closed_by(key).is_some_and(|said| {
        let is_enforced = |keyword: &String| key.constraints.contains_key(keyword);
        !said.keys().any(is_enforced) && !enforceable(key, &said)
    });
    let found = [ranges::range(key), lists::list(key)];
    open || found.into_iter().flatten().any(unclear) || hinted::is_hinted(&as_meant(key))
}

/// Whether marks of any language hint at values in a text whose words are not read.
pub fn shows_values(text: &str) -> bool {
    hinted::shows_values(text)
}

/// The bounds that a description sets the value plainly, whatever is enforced.
pub fn stated_bounds(key: &KeyDefinition) -> Option<Map<String, Value>> {
    ranges::stated_bounds(key)
}

/// Whether a description bounds a number from below, and from above, whatever else it says.
pub fn bounded_sides(key: &KeyDefinition) -> (bool, bool) {
    ranges::bounded_sides(key)
}

/// Whether a text speaks of the values that are right, whether they are closed or not.
pub fn speaks_of_values(text: &str) -> bool {
    OF_VALUES.is_match(text)
}

/// Whether a description names some values, or says of a number how large it is, and leaves open which others are right.
pub fn names_some(key: &KeyDefinition) -> bool {
    let is_number = matches!(key.key_type, KeyType::Integer | KeyType::Number);
    let prose = prose(&key.semantic_description);
    lists::names_instances(prose) || remarked::without_open(prose) != prose || is_number && hinted::is_hinted(key)
}

/// The text without the lists that say that there are other values, though they are announced as closed.
pub fn without_open(text: &str) -> String {
    remarked::without_open(text)
}

/// Whether a text says a number, in digits or in words.
pub fn says_number(text: &str, number: &Number) -> bool {
    figures::says(text, number)
}

fn tell(key: &KeyDefinition, rule: Advice, what: &str, found: Announced, says: &mut Says<'_>) {
    let Some(constraints) = found.constraints else {
        let message = format!("announces a {what} that nothing enforces; {}", found.hint);
        let better = found.better_text.or_else(|| left_to_say(key, rule));
        says.of_description(rule, message, better.filter(|_| says.english));
        return;
    };
    let obstacle = obstacle(key, &constraints);
    let shown = Value::Object(constraints);
    // The reading of the description said already what stands against a list or range of the grammar.
    let said = obstacle.is_some() && closed_by(key).is_some();
    match obstacle {
        None => {
            let message = format!("a {what} in prose is not enforced; as `constraints` it is: {shown}");
            let mut better = json!({ "constraints": shown });
            let text = found.better_text.filter(|_| says.english);
            if let (Some(text), Some(members)) = (text, better.as_object_mut()) {
                members.insert("semantic_description".to_owned(), Value::String(text));
            }
            says.say(rule, "semantic_description", message, Some(better));
        }
        Some(_) if said => {}
        Some(Obstacle::Default) => {
            let message = format!("a {what} is announced that the default is not among, so that it cannot be: {shown}");
            let mut better = fitting_default(key, &shown);
            if let Some(members) = better.as_object_mut() {
                members.insert("constraints".to_owned(), shown);
            }
            says.say(Advice::NotTakenOver, "constraints", message, Some(better));
        }
        Some(Obstacle::Refused(values)) => {
            let message = format!(
                "announces a {what} of which the key's own constraints refuse {}; put the one or the other right",
                named(&values)
            );
            says.say(rule, "semantic_description", message, None);
        }
        Some(Obstacle::Empty) => {
            let message = format!(
                "announces a {what} that nothing enforces, and in which no value conforms to the key's own constraints; put \
                 the one or the other right"
            );
            says.say(rule, "semantic_description", message, None);
        }
    }
}

/// The description with a gap for a list or range that is announced and not clear, where a sentence of the grammar can close it;
/// what stands there in its place keeps its words, and not its mark.
fn left_to_say(key: &KeyDefinition, rule: Advice) -> Option<String> {
    let is_read = match key.key_type {
        KeyType::String => rule == Advice::ProseList,
        KeyType::Integer | KeyType::Number => rule == Advice::ProseRange && !has(key, &BOUNDS),
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => false,
    };
    let is_range = key.semantic_description.to_lowercase().contains(&RANGE.to_lowercase());
    if !is_read || is_range {
        return None;
    }
    let text = &gap::unmarked(&key.semantic_description);
    let (said, examples) = text.split_at(prose(text).len());
    let gap = gap::of_values(key.key_type);
    // A sentence is not cut in two.
    let is_apart = said.trim_end().ends_with(is_stop) && !examples.is_empty();
    Some(if is_apart {
        format!("{} {examples}", with_sentence(said, &gap))
    } else {
        with_sentence(text, &gap)
    })
}

/// What stands before the examples.
fn prose(text: &str) -> &str {
    EXAMPLES.find(text).map_or(text, |found| &text[..found.start()])
}

/// Whether one of these keywords is enforced of a key: a format that nothing knows is not.
pub fn has(key: &KeyDefinition, keywords: &[&str]) -> bool {
    let is_known = |format: &Value| format.as_str().is_some_and(|format| FORMATS.contains(&format));
    keywords.iter().any(|keyword| {
        key.constraints
            .get(*keyword)
            .is_some_and(|value| *keyword != "format" || is_known(value))
    })
}
