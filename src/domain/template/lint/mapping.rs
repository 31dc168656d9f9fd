//! Does an example show how what a user says becomes a value, and is that value accepted (Z-040)?

use crate::domain::template::advice::Advice;
use crate::domain::template::closed_list;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::mapping_example;
use crate::domain::template::nearest::nearest;
use crate::domain::template::rule::Rule;

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
    let refused = mapping_example::targets(key)
        .find(|target| target.value.as_ref().is_none_or(|value| rule.check(value).is_err()));
    if let Some(target) = refused {
        let message = format!("an example leads to {:?}, which the key refuses", target.word);
        says.of_description(
            Advice::ExampleRefused,
            message,
            put_right(key, target.start, target.word),
        );
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
