//! Does an example show how what a user says becomes a value, and is that value accepted (Z-040)?

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::domain::template::advice::Advice;
use crate::domain::template::closed_list;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::nearest::nearest;
use crate::domain::template::rule::Rule;

/// Examples of one description that are looked at.
const EXAMPLES_MAX: usize = 16;

/// What an arrow leads to: quoted, or one word.
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:->|→)\s*(?:'([^']+)'|"([^"]+)"|([^\s;,'"\[{][^\s;,]*))"#).expect("the pattern is a constant")
});

/// Looks at every arrow of the description.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = &key.semantic_description;
    if !text.contains("->") && !text.contains('→') {
        let message = "has no mapping example; add \"Example mapping: 'two people' -> 2.\" from what users say";
        let better = literal_example(key).map(|example| with_sentence(text, &example));
        says.of_description(Advice::NoMappingExample, message, better);
        return;
    }
    let rule = Rule::compile(key.key_type, &key.constraints);
    for captures in TARGET.captures_iter(text).take(EXAMPLES_MAX) {
        let Some(target) = captures.iter().skip(1).flatten().next() else {
            continue;
        };
        let bare = captures.get(3).is_some();
        let word = if bare {
            target.as_str().trim_end_matches(['.', ')', '!', '?'])
        } else {
            target.as_str()
        };
        let Some(value) = read(key.key_type, word) else {
            continue;
        };
        if value.as_ref().is_some_and(|value| rule.check(value).is_ok()) {
            continue;
        }
        let message = format!("an example leads to {word:?}, which the key refuses");
        says.of_description(Advice::ExampleRefused, message, put_right(key, target.start(), word));
        return;
    }
}

/// The value that a word stands for; `None` where that cannot be told, `Some(None)` where it stands for none of the type.
fn read(key_type: KeyType, word: &str) -> Option<Option<Value>> {
    match key_type {
        KeyType::String => Some(Some(Value::String(word.to_owned()))),
        KeyType::Integer | KeyType::Number | KeyType::Boolean => Some(serde_json::from_str(word).ok()),
        KeyType::Array | KeyType::Object | KeyType::Null => None,
    }
}

/// The description with the one listed value that was nearly written.
fn put_right(key: &KeyDefinition, start: usize, word: &str) -> Option<String> {
    let values = closed_list::values(&key.constraints)?;
    let meant = nearest(word, values.into_iter())?;
    let text = &key.semantic_description;
    Some(format!("{}{meant}{}", &text[..start], text.get(start + word.len()..)?))
}

/// An example that is true of any list: the value in a user's spelling.
fn literal_example(key: &KeyDefinition) -> Option<String> {
    let values = closed_list::values(&key.constraints)?;
    let value = values.into_iter().find(|value| *value != closed_list::NONE)?;
    let plain = value
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    plain.then(|| format!("Example mapping: '{}' -> '{value}'.", value.replace(['_', '-'], " ")))
}
