//! One fragment as induction reads it: words, lemmas, typed values.
//!
//! Knows the words of one text only. Invariant: spans are sorted, do not overlap, and lie on character boundaries.

use crate::domain::evolution::induction::pooled::Eyes;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Token;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

/// What a span holds, as far as a key's type depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    Percent,
    Money,
    Date,
    Time,
    Duration,
    Number,
    Address,
    /// A name of a place or of anything else.
    Name,
}

/// A typed value within a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub tag: Tag,
    pub start: usize,
    pub end: usize,
}

/// A fragment as read.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub text: String,
    pub tokens: Vec<Token>,
    pub lemmas: Vec<String>,
    pub values: Vec<Value>,
    /// Who said it; `None` for an anonymous client.
    pub client: Option<ClientId>,
    pub at: At,
}

impl Fragment {
    /// Reads a text that is already harmless.
    pub fn read(text: String, client: Option<ClientId>, at: At, eyes: Eyes<'_>) -> Fragment {
        let tokens = lexicon::tokens(&text);
        let lemmas = tokens.iter().map(|token| lexicon::lemma(&token.word)).collect();
        let values = values(&text, eyes);
        Fragment {
            text,
            tokens,
            lemmas,
            values,
            client,
            at,
        }
    }

    /// Whether it mentions a value of that kind.
    pub fn has(&self, tag: Tag) -> bool {
        self.values.iter().any(|value| value.tag == tag)
    }

    /// The text of a value.
    pub fn value_text(&self, value: Value) -> &str {
        self.text.get(value.start..value.end).unwrap_or_default()
    }

    /// The texts of its names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values
            .iter()
            .filter(|value| value.tag == Tag::Name)
            .map(|value| self.value_text(*value))
    }

    /// Whether a word lies outside every typed value.
    pub fn outside(&self, token: &Token) -> bool {
        !self
            .values
            .iter()
            .any(|value| value.start <= token.start && token.start < value.end)
    }

    /// Lemmas outside typed values.
    pub fn context(&self) -> impl Iterator<Item = &str> {
        self.tokens
            .iter()
            .zip(&self.lemmas)
            .filter(|(token, _)| self.outside(token))
            .map(|(_, lemma)| lemma.as_str())
    }

    /// Words before a value, the nearest last.
    pub fn before(&self, value: Value) -> impl DoubleEndedIterator<Item = &str> {
        self.tokens
            .iter()
            .filter(move |token| token.end <= value.start)
            .map(|token| token.word.as_str())
    }

    /// Words after a value.
    pub fn after(&self, value: Value) -> impl Iterator<Item = &str> {
        self.tokens
            .iter()
            .filter(move |token| token.start >= value.end)
            .map(|token| token.word.as_str())
    }

    /// Whether any of the words is in it.
    pub fn says(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| words.contains(&token.word.as_str()))
    }
}

fn values(text: &str, eyes: Eyes<'_>) -> Vec<Value> {
    let mut values: Vec<Value> = (eyes.spans)(text)
        .into_iter()
        .filter(|span| span.start < span.end && text.get(span.start..span.end).is_some())
        .filter_map(|span| {
            let tag = match span.value_type {
                ValueType::Money => Tag::Money,
                ValueType::Time => Tag::Time,
                ValueType::Date => Tag::Date,
                ValueType::Duration => Tag::Duration,
                ValueType::Address => Tag::Address,
                ValueType::Place | ValueType::Name => Tag::Name,
                ValueType::Number => Tag::Number,
                ValueType::None => return None,
            };
            let rest = text.get(span.end..).unwrap_or_default().trim_start();
            let percent = rest.starts_with('%') || rest.to_lowercase().starts_with("percent");
            let within = text.get(span.start..span.end).is_some_and(|inner| inner.contains('%'));
            let tag = if tag == Tag::Number && (percent || within) {
                Tag::Percent
            } else {
                tag
            };
            Some(Value {
                tag,
                start: span.start,
                end: span.end,
            })
        })
        .collect();
    values.sort_by_key(|value| (value.start, value.end));
    let mut end = 0;
    values.retain(|value| {
        let apart = value.start >= end;
        if apart {
            end = value.end;
        }
        apart
    });
    values
}
