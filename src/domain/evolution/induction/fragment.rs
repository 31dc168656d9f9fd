//! One fragment as induction reads it: words, lemmas, typed values.
//!
//! Knows the words of one text only. Invariant: spans are sorted, do not overlap, and lie on character boundaries.

use crate::domain::evolution::induction::contact::Contact;
use crate::domain::evolution::induction::pooled::Eyes;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Token;
use crate::domain::evolution::negation;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

/// Words before a value that make it a bound: "not after 9 am" speaks of 9 am and refuses what is later.
const BOUNDING: [&str; 14] = [
    "above",
    "after",
    "before",
    "below",
    "beyond",
    "by",
    "exceed",
    "exceeding",
    "over",
    "past",
    "than",
    "till",
    "under",
    "until",
];

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
    /// The way to be reached that it gives; its text holds a word in the place of the number or address.
    pub contact: Option<Contact>,
    /// Who said it; `None` for an anonymous client.
    pub client: Option<ClientId>,
    pub at: At,
}

impl Fragment {
    /// Reads a text that is already harmless.
    pub fn read(text: String, client: Option<ClientId>, at: At, eyes: Eyes<'_>) -> Fragment {
        let tokens = lexicon::tokens(&text);
        let lemmas = tokens.iter().map(|token| lexicon::lemma(&token.word)).collect();
        let values = joined(whole(values(&text, eyes), &text, &tokens));
        Fragment {
            text,
            tokens,
            lemmas,
            values,
            contact: None,
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

    /// Whether a value is mentioned only to refuse it: "not on Monday", and not "not before Monday".
    pub fn denies(&self, value: Value) -> bool {
        let from = self.tokens.iter().position(|token| token.start >= value.start);
        let to = self.tokens.iter().rposition(|token| token.end <= value.end);
        let words = from.zip(to).filter(|(from, to)| from <= to);
        let is_bound = self
            .before(value)
            .next_back()
            .is_some_and(|word| BOUNDING.contains(&word));
        !is_bound && words.is_some_and(|(from, to)| self.denies_words(from, to + 1))
    }

    /// Whether the words from one place to just before another are said only to refuse what they mean.
    pub fn denies_words(&self, from: usize, to: usize) -> bool {
        let refusals = negation::refusals(&self.text, &self.tokens);
        negation::denied(&self.text, &self.tokens, &refusals, from, to)
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

/// Names grown to the whole run of capitalised words that they stand in: `Hotel Palomar Los Angeles` is one name, and so is
/// `Giants vs Marlins`.
fn whole(values: Vec<Value>, text: &str, tokens: &[Token]) -> Vec<Value> {
    let upper = |token: &Token| {
        text.get(token.start..)
            .and_then(|rest| rest.chars().next())
            .is_some_and(char::is_uppercase)
    };
    let between = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let typed = |token: &Token| {
        let other = values.iter().filter(|value| value.tag != Tag::Name);
        other
            .clone()
            .any(|value| value.start < token.end && token.start < value.end)
    };
    // A capitalised word within a sentence is part of a name unless it is one of the small words; the first word of a
    // sentence is capitalised anyway.
    let part = |at: usize| {
        let Some(token) = tokens.get(at) else { return false };
        let opens = at == 0
            || between(tokens.get(at - 1).map_or(0, |last| last.end), token.start).contains(['.', '!', '?', ',']);
        let small = lexicon::stop(&token.word) && token.word != "the";
        let opener = opens && (token.word == "the" || lexicon::part_of_speech(&token.word) == 'v');
        upper(token) && !small && !opener && !typed(token)
    };
    let blank = |from: usize, to: usize| between(from, to) == " ";
    let mut grown: Vec<Value> = Vec::new();
    for value in &values {
        let mut value = *value;
        let first = tokens.iter().position(|token| token.start >= value.start);
        let last = tokens.iter().rposition(|token| token.end <= value.end);
        if let (Tag::Name, Some(first), Some(last)) = (value.tag, first, last)
            && first <= last
            && tokens.get(first).is_some_and(upper)
        {
            for at in (0..first).rev() {
                let Some(token) = tokens.get(at).filter(|token| part(at) && blank(token.end, value.start)) else {
                    break;
                };
                value.start = token.start;
            }
            let mut at = last + 1;
            while let Some(token) = tokens.get(at) {
                if part(at) && blank(value.end, token.start) {
                    value.end = token.end;
                    at += 1;
                    continue;
                }
                // One small word may stand between: "Giants vs Marlins", "Bank of Ireland".
                let joint = matches!(
                    token.word.as_str(),
                    "vs" | "v" | "versus" | "of" | "de" | "du" | "von" | "van"
                );
                let gap = |from: usize, to: usize| matches!(between(from, to), " " | ". ");
                match tokens.get(at + 1) {
                    Some(next)
                        if joint && blank(value.end, token.start) && part(at + 1) && gap(token.end, next.start) =>
                    {
                        value.end = next.end;
                        at += 2;
                    }
                    Some(_) | None => break,
                }
            }
        }
        // What a grown name covers is part of it.
        if grown.last().is_none_or(|before| before.end <= value.start) {
            grown.push(value);
        }
    }
    grown
}

/// Dates that were read in two pieces joined: `in March` and `1st` are one day.
fn joined(values: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for value in values {
        match joined.last_mut() {
            Some(before) if before.tag == Tag::Date && value.tag == Tag::Date && value.start <= before.end + 1 => {
                before.end = value.end;
            }
            Some(_) | None => joined.push(value),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::Fragment;
    use super::Tag;
    use crate::domain::evolution::induction::pooled::Eyes;
    use crate::domain::pool::reading::Span;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::time::At;

    /// The values of a text in which the eyes see the given pieces.
    fn seen(text: &str, pieces: &[(&str, ValueType)]) -> Vec<(Tag, String)> {
        let spans = |text: &str| -> Vec<Span> {
            pieces
                .iter()
                .filter_map(|(piece, value_type)| {
                    let start = text.find(piece)?;
                    Some(Span {
                        value_type: *value_type,
                        start,
                        end: start + piece.len(),
                    })
                })
                .collect()
        };
        let eyes = Eyes {
            spans: &spans,
            redact: &|text| text.to_owned(),
        };
        let fragment = Fragment::read(text.to_owned(), None, At(0), eyes);
        let values = fragment.values.iter();
        values
            .map(|value| (value.tag, fragment.value_text(*value).to_owned()))
            .collect()
    }

    fn name(text: &str, piece: &str) -> String {
        let seen = seen(text, &[(piece, ValueType::Name)]);
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].1.clone()
    }

    #[test]
    fn a_name_is_the_whole_run_of_capitals_z112() {
        assert_eq!(
            name("a room at Hotel Palomar Los Angeles please", "Los Angeles"),
            "Hotel Palomar Los Angeles"
        );
        assert_eq!(name("see Giants vs Marlins today", "Giants"), "Giants vs Marlins");
        assert_eq!(name("the Bank of Ireland", "Bank"), "Bank of Ireland");
    }

    #[test]
    fn a_name_ends_at_small_words_and_commas_z112() {
        assert_eq!(name("I like Rome and Paris", "Rome"), "Rome");
        assert_eq!(name("to Rome, Paris", "Rome"), "Rome");
        assert_eq!(
            name("Find Paris", "Paris"),
            "Paris",
            "the verb that opens a sentence is no part"
        );
        assert_eq!(name("to the bank of rome", "bank"), "bank");
    }

    #[test]
    fn pieces_of_one_date_are_joined_z112() {
        let (month, day) = (("in March", ValueType::Date), ("1st", ValueType::Date));
        assert_eq!(
            seen("in March 1st", &[month, day]),
            [(Tag::Date, "in March 1st".to_owned())]
        );
        assert_eq!(seen("in March or 1st", &[month, day]).len(), 2);
    }
}
