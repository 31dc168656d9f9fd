//! The sentences that stand beside a key: what is asked of a value, how the key stands, what is assumed without it.

use serde_json::Number;
use serde_json::Value;

use crate::annotation;
use crate::export::shape::Elements;
use crate::export::shape::Range;
use crate::export::shape::Shape;
use crate::export::shape::Text;
use crate::export::sheet::Mark;
use crate::export::sheet::SheetKey;
use crate::keyword::Keyword;

/// Values of a list that are said in words; more are counted.
const VALUES_SAID_MAX: usize = 100;

/// One thing that is asked of a value, as a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub keyword: Keyword,
    pub phrase: String,
}

/// What is asked of a value itself beside its type and its list; nothing of what lies in it.
pub fn facts(shape: &Shape) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut say = |keyword: Keyword, phrase: Option<String>| {
        facts.extend(phrase.map(|phrase| Fact { keyword, phrase }));
    };
    match shape {
        Shape::Text(Text {
            length_min,
            length_max,
            pattern,
            format,
            hint,
        }) => {
            say(
                Keyword::MinLength,
                length_min.map(|n| format!("at least {} long", characters(n))),
            );
            say(
                Keyword::MaxLength,
                length_max.map(|n| format!("at most {} long", characters(n))),
            );
            say(
                Keyword::Pattern,
                pattern
                    .as_ref()
                    .map(|pattern| format!("matching the pattern {pattern}")),
            );
            let format = format.as_ref().or(hint.as_ref());
            say(Keyword::Format, format.map(|format| format!("in the format {format}")));
        }
        Shape::Number(Range {
            integer: _,
            minimum,
            maximum,
            exclusive_minimum,
            exclusive_maximum,
            multiple_of,
        }) => {
            let number = |words: &str, number: &Option<Number>| number.as_ref().map(|n| format!("{words} {n}"));
            say(Keyword::Minimum, number("at least", minimum));
            say(Keyword::ExclusiveMinimum, number("above", exclusive_minimum));
            say(Keyword::Maximum, number("at most", maximum));
            say(Keyword::ExclusiveMaximum, number("below", exclusive_maximum));
            say(Keyword::MultipleOf, number("a multiple of", multiple_of));
        }
        Shape::Array(Elements {
            each: _,
            items_min,
            items_max,
            unique,
        }) => {
            say(
                Keyword::MinItems,
                items_min.map(|n| format!("at least {}", elements(n))),
            );
            say(Keyword::MaxItems, items_max.map(|n| format!("at most {}", elements(n))));
            say(Keyword::UniqueItems, unique.then(|| "no element twice".to_owned()));
        }
        Shape::Other
        | Shape::Listed { .. }
        | Shape::Boolean
        | Shape::Null
        | Shape::Object(_)
        | Shape::Anything
        | Shape::Any(_)
        | Shape::Never(_) => {}
    }
    facts
}

/// "One of" with the values as JSON.
pub fn one_of(values: &[Value]) -> String {
    let said: Vec<String> = values.iter().take(VALUES_SAID_MAX).map(Value::to_string).collect();
    let more = match values.len().saturating_sub(VALUES_SAID_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("one of {}{more}", said.join(", "))
}

/// Phrases as one sentence; nothing for none.
pub fn sentence(phrases: &[String]) -> Option<String> {
    let said = phrases.join(", ");
    let first = said.chars().next()?;
    let rest = said.get(first.len_utf8()..).unwrap_or_default();
    Some(format!("{}{rest}.", first.to_uppercase()))
}

/// What a client has to know of how a key stands, as a sentence.
pub fn standing(mark: Mark) -> &'static str {
    match mark {
        Mark::Experimental => "Experimental: this key is on trial and may go again.",
        Mark::Deprecated => "Deprecated: this key will be withdrawn.",
    }
}

/// What is assumed when the key is left out, as a sentence.
pub fn assumed(default: &Value) -> String {
    format!("Without it, {default} is assumed.")
}

/// Whether a key's own description says a fact already: it was read from there (Z-048).
pub fn says_itself(key: &SheetKey, keyword: Keyword) -> bool {
    let read = match keyword {
        Keyword::Enum => annotation::closed_list(&key.description),
        Keyword::Minimum | Keyword::Maximum => annotation::closed_range(&key.description, key.key_type),
        Keyword::Const
        | Keyword::ExclusiveMinimum
        | Keyword::ExclusiveMaximum
        | Keyword::MultipleOf
        | Keyword::MinLength
        | Keyword::MaxLength
        | Keyword::Pattern
        | Keyword::Format
        | Keyword::Items
        | Keyword::MinItems
        | Keyword::MaxItems
        | Keyword::UniqueItems
        | Keyword::Properties
        | Keyword::Required
        | Keyword::AdditionalProperties => None,
    };
    let said = read.as_ref().and_then(|read| read.get(keyword.name()));
    said.is_some() && said == key.constraints.get(keyword.name())
}

/// A description and what follows it, each sentence on from the last.
pub fn joined(description: &str, sentences: &[String]) -> String {
    let mut text = description.trim_end().to_owned();
    for sentence in sentences {
        if !text.is_empty() {
            let ended = text.ends_with(['.', '!', '?', '。', ':', ';']);
            text.push_str(if ended { " " } else { ". " });
        }
        text.push_str(sentence);
    }
    text
}

fn characters(count: u64) -> String {
    if count == 1 {
        "1 character".to_owned()
    } else {
        format!("{count} characters")
    }
}

fn elements(count: u64) -> String {
    if count == 1 {
        "1 element".to_owned()
    } else {
        format!("{count} elements")
    }
}
