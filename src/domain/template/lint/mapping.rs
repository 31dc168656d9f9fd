//! Does an example show how what a user says becomes a value, and is that value accepted (Z-040)?

use serde_json::Value;

use crate::domain::template::advice::Advice;
use crate::domain::template::closed_list;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::draft;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::mapping_example;
use crate::domain::template::nearest::nearest;
use crate::domain::template::rule::Rule;

/// Looks at every arrow of the description.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = &key.semantic_description;
    let rule = Rule::compile(key.key_type, &key.constraints);
    if !has_arrow(text) {
        let shown = draft::example(key, &rule).map(|example| format!(", such as \"{example}\""));
        let message = format!(
            "has no mapping example; add one from what users say{}",
            shown.unwrap_or_default()
        );
        let better = literal_example(key, &rule).map(|example| with_sentence(text, &example));
        says.of_description(Advice::NoMappingExample, message, better);
        return;
    }
    let refused = mapping_example::targets(key)
        .find(|target| target.value.as_ref().is_none_or(|value| rule.check(value).is_err()));
    if let Some(target) = refused {
        let message = format!("an example leads to {:?}, which the key refuses", target.word);
        says.of_description(
            Advice::ExampleRefused,
            message,
            put_right(key, &rule, target.start, target.word),
        );
    }
}

/// Whether a text has an example at all.
pub fn has_arrow(text: &str) -> bool {
    text.contains("->") || text.contains('→')
}

/// The description with the one listed value that was nearly written.
fn put_right(key: &KeyDefinition, rule: &Rule, start: usize, word: &str) -> Option<String> {
    let meant = nearest(word, accepted(key, rule)?)?;
    let text = &key.semantic_description;
    Some(format!("{}{meant}{}", &text[..start], text.get(start + word.len()..)?))
}

/// An example that is true of any list: the value in a user's spelling.
pub fn literal_example(key: &KeyDefinition, rule: &Rule) -> Option<String> {
    let value = accepted(key, rule)?.find(|value| *value != closed_list::NONE)?;
    let plain = value
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    plain.then(|| format!("Example mapping: '{}' -> '{value}'.", value.replace(['_', '-'], " ")))
}

/// The listed values that nothing else about the key refuses: a list beside a format may hold what the format does not.
fn accepted<'k>(key: &'k KeyDefinition, rule: &'k Rule) -> Option<impl Iterator<Item = &'k str>> {
    let values = closed_list::values(&key.constraints)?;
    let holds = |value: &&str| rule.check(&Value::String((*value).to_owned())).is_ok();
    Some(values.into_iter().filter(holds))
}
