//! The sentences that stand beside a key: what is asked of a value, how the key stands, what is assumed without it.

use serde_json::Value;

use crate::annotation;
use crate::export::shape::Fact;
use crate::export::sheet::SheetKey;
use crate::keyword::Keyword;

/// Values of a list that are said in words; more are counted.
const VALUES_SAID_MAX: usize = 100;

impl Fact {
    /// What is asked, as a phrase.
    pub fn phrase(&self) -> String {
        let Fact { keyword, value } = self;
        let counted = |words: &str, thing: &str| match value.as_u64() {
            Some(1) => format!("{words} 1 {thing}"),
            _ => format!("{words} {value} {thing}s"),
        };
        let text = value.as_str().unwrap_or_default();
        match keyword {
            Keyword::MinLength => counted("at least", "character") + " long",
            Keyword::MaxLength => counted("at most", "character") + " long",
            Keyword::Pattern => format!("matching the pattern {text}"),
            Keyword::Format => format!("in the format {text}"),
            Keyword::Minimum => format!("at least {value}"),
            Keyword::ExclusiveMinimum => format!("above {value}"),
            Keyword::Maximum => format!("at most {value}"),
            Keyword::ExclusiveMaximum => format!("below {value}"),
            Keyword::MultipleOf => format!("a multiple of {value}"),
            Keyword::MinItems => counted("at least", "element"),
            Keyword::MaxItems => counted("at most", "element"),
            Keyword::UniqueItems => "no element twice".to_owned(),
            other => format!("with `{}` {value}", other.name()),
        }
    }
}

/// The phrases of a key's facts, but for those that its own description says already: they were read from there (Z-048).
pub fn unsaid(key: &SheetKey) -> impl Iterator<Item = String> {
    let facts = key.shape.facts().iter();
    facts.filter(|fact| !says_itself(key, fact.keyword)).map(Fact::phrase)
}

/// Whether a key's own description says what a keyword asks.
pub fn says_itself(key: &SheetKey, keyword: Keyword) -> bool {
    let read = match keyword {
        Keyword::Enum => annotation::closed_list(&key.description),
        Keyword::Minimum | Keyword::Maximum => annotation::closed_range(&key.description, key.key_type),
        _ => None,
    };
    let said = read.as_ref().and_then(|read| read.get(keyword.name()));
    said.is_some() && said == key.constraints.get(keyword.name())
}

/// What is not enforced, keyword by keyword, in words.
pub type Unsaid = Vec<(Keyword, String)>;

/// What is not enforced, as a sentence.
pub fn said(unsaid: Unsaid) -> Option<String> {
    let phrases: Vec<String> = unsaid.into_iter().map(|(_, phrase)| phrase).collect();
    sentence(&phrases)
}

/// A key's description with what is not enforced of it, and how it stands; and what is `assumed` without it, where the form has no
/// other place for that.
pub fn beside(key: &SheetKey, unsaid: &Unsaid, assumed: bool) -> String {
    let unsaid = unsaid.iter().filter(|(keyword, _)| !says_itself(key, *keyword));
    let mut sentences: Vec<String> = said(unsaid.cloned().collect()).into_iter().collect();
    let default = key.default.as_ref().filter(|_| assumed);
    sentences.extend(default.map(|default| format!("Without it, {default} is assumed.")));
    sentences.extend(key.mark.map(|mark| standing(mark).to_owned()));
    joined(&key.description, &sentences)
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
pub fn standing(mark: &str) -> &'static str {
    match mark {
        "experimental" => "Experimental: this key is on trial and may go again.",
        _ => "Deprecated: this key will be withdrawn.",
    }
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
