//! The mapping examples of a description (Z-040): what the arrows in it lead to.
//!
//! Reads `'two people' -> 2`, with or without quotes, and with `→`. Knows the type that a value is read by; whether the key
//! accepts it is for the caller. Arrays and objects are read where they are JSON.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Value;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::punctuation::DIVIDING;
use crate::domain::template::punctuation::is_stop;

/// Examples of one description that are looked at.
pub const EXAMPLES_MAX: usize = 16;

/// What an arrow leads to: quoted, in whatever marks, or one word.
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    let ends = format!(r"\s;,{DIVIDING}。｡！？");
    Regex::new(&format!(
        r#"(?:->|→)\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`|‘([^’]+)’|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<word>[^'"\[{{`‘“„«「『{ends}][^{ends}]*))"#
    ))
    .expect("the pattern is a constant")
});

/// What a user says, in quotes before an arrow.
static SAYING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:'([^']+)'|"([^"]+)"|`([^`]+)`|‘([^’]+)’|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』)\s*(?:->|→)"#)
        .expect("the pattern is a constant")
});

/// What stands before an array or object.
static ARROW: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:->|→)\s*").expect("the pattern is a constant"));

/// What one example leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    /// Bytes of the description before the word.
    pub start: usize,
    /// As it is written, without quotes.
    pub word: &'a str,
    /// The value; `None` where the word is none of the key's type.
    pub value: Option<Value>,
}

/// What users say in the examples of a key, in order.
pub fn sayings(key: &KeyDefinition) -> impl Iterator<Item = &str> {
    let found = SAYING.captures_iter(&key.semantic_description).take(EXAMPLES_MAX);
    found.filter_map(|captures| Some(captures.iter().skip(1).flatten().next()?.as_str()))
}

/// What the examples of a key lead to, in order.
pub fn targets(key: &KeyDefinition) -> impl Iterator<Item = Target<'_>> {
    let text = &key.semantic_description;
    let trees = matches!(key.key_type, KeyType::Array | KeyType::Object);
    let of_trees = ARROW
        .find_iter(text)
        .filter(move |_| trees)
        .filter_map(move |arrow| tree(text, arrow.end()));
    let of_words = TARGET
        .captures_iter(text)
        .filter(move |_| !trees)
        .filter_map(move |captures| word(key, &captures));
    of_trees.chain(of_words).take(EXAMPLES_MAX)
}

/// An array or object behind an arrow; its texts may stand in single quotes, as in the draft's figures. Anything else there
/// shows none.
fn tree(text: &str, start: usize) -> Option<Target<'_>> {
    let rest = text.get(start..).filter(|rest| rest.starts_with(['[', '{']))?;
    let plain = rest.replace('\'', "\"");
    [rest, &plain].into_iter().find_map(|json| {
        let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        let value = values.next()?.ok()?;
        Some(Target {
            start,
            word: rest.get(..values.byte_offset())?,
            value: Some(value),
        })
    })
}

/// What is quoted behind an arrow, or one word.
fn word<'k>(key: &KeyDefinition, captures: &Captures<'k>) -> Option<Target<'k>> {
    let found = captures.iter().skip(1).flatten().next()?;
    let word = if captures.name("word").is_some() {
        found
            .as_str()
            .trim_end_matches(|c| is_stop(c) || matches!(c, ')' | '）'))
    } else {
        found.as_str()
    };
    let value = match key.key_type {
        KeyType::String => Some(Value::String(word.to_owned())),
        KeyType::Integer | KeyType::Number | KeyType::Boolean => serde_json::from_str(word).ok(),
        KeyType::Array | KeyType::Object | KeyType::Null => return None,
    };
    Some(Target {
        start: found.start(),
        word,
        value,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::sayings;
    use super::targets;
    use crate::domain::template::key::KeyDefinition;

    fn values(key_type: &str, text: &str) -> Vec<Option<Value>> {
        let document = json!({"key_name": "k", "key_type": key_type, "required": false, "semantic_description": text});
        let (key, _) = KeyDefinition::parse(&document).expect("a key");
        targets(&key).map(|target| target.value).collect()
    }

    #[test]
    fn what_users_say_stands_before_the_arrows_z040() {
        let text = "Acceptable values: 'a', 'b'. 'to Rome' -> 'FCO'; \"two of 'em\" → 2. x -> y.";
        let document = json!({"key_name": "k", "key_type": "string", "required": false, "semantic_description": text});
        let (key, _) = KeyDefinition::parse(&document).expect("a key");
        assert_eq!(sayings(&key).collect::<Vec<_>>(), ["to Rome", "two of 'em"]);
    }

    #[test]
    fn arrows_lead_to_values_of_the_key_s_type_z040() {
        let text = "'from Beijing' -> 'PEK'; \"to Rome\" → \"FCO\"; 'x' -> none.";
        assert_eq!(
            values("string", text),
            [Some(json!("PEK")), Some(json!("FCO")), Some(json!("none"))]
        );
        assert_eq!(values("integer", "'two' -> 2. 'many' -> many"), [Some(json!(2)), None]);
        assert_eq!(values("boolean", "'yes' -> true."), [Some(json!(true))]);
        assert_eq!(
            values("array", "'a' -> ['a']; 'b' -> [\"b\", 2]; 'c' -> c"),
            [Some(json!(["a"])), Some(json!(["b", 2]))]
        );
        assert_eq!(
            values("object", "'a' -> {\"a\": [1]}. 'b' → {b"),
            [Some(json!({"a": [1]}))]
        );
        for text in [
            "'两位' -> 2。另外：无",
            "'两位' -> 2；无",
            "（'两位' -> 2）。",
            "'दो' -> 2। और",
            "'دو' -> 2۔",
            "'deux' -> 2 !",
        ] {
            assert_eq!(values("integer", text), [Some(json!(2))], "{text}");
        }
        for text in [
            "x -> “up”.",
            "x -> „up“.",
            "x -> «up».",
            "x -> 「up」。",
            "x -> `up`.",
            "x -> up。",
        ] {
            assert_eq!(values("string", text), [Some(json!("up"))], "{text}");
        }
        assert_eq!(values("string", "No arrow, only a - and a >."), []);
    }
}
