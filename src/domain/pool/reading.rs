//! What the words of a fragment say before any vector is looked at: typed values, roles, cues, or no demand at all.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::confided::MARK;
use crate::domain::pool::nothing;
use crate::domain::pool::redact::redacted;

/// Why a fragment does not reach the pool (Z-065).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoDemand {
    Empty,
    Acknowledgement,
    Thanks,
    Question,
    /// It asks for nothing, as far as its meaning tells.
    NothingAsked,
    /// Nothing is left of it without the secret that it told.
    Secret,
    /// It is too long, or holds too much, to be read: it is on record as it was said, and no more is made of it.
    Unread,
}

/// Characters of a fragment that is read; a wish takes 20 to 200, and what reading costs grows with them.
pub const READ_CHARS_MAX: usize = 400;

/// Whether a text is short enough to be read.
pub fn is_readable(text: &str) -> bool {
    text.chars().nth(READ_CHARS_MAX).is_none()
}

/// The type of a value that a fragment mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    Money,
    Time,
    Date,
    Duration,
    Address,
    Place,
    Number,
    Name,
    /// No value at all.
    None,
}

/// A value found in a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub value_type: ValueType,
    /// Byte range within the fragment.
    pub start: usize,
    pub end: usize,
}

impl ValueType {
    /// Whether a value of this type is reliable enough to keep two groups apart.
    pub fn is_strong(self) -> bool {
        match self {
            ValueType::Money
            | ValueType::Time
            | ValueType::Date
            | ValueType::Duration
            | ValueType::Address
            | ValueType::Place
            | ValueType::Number => true,
            ValueType::Name | ValueType::None => false,
        }
    }

    /// A short name; types are ordered by it where a tie has to be broken.
    pub fn tag(self) -> &'static str {
        match self {
            ValueType::Money => "MONEY",
            ValueType::Time => "TIME",
            ValueType::Date => "DATE",
            ValueType::Duration => "DUR",
            ValueType::Address => "ADDR",
            ValueType::Place => "CITY",
            ValueType::Number => "NUM",
            ValueType::Name => "NAME",
            ValueType::None => "NONE",
        }
    }
}

/// A fragment as read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Distinct types, sorted; `[None]` when no value was found.
    pub types: Vec<ValueType>,
    /// Role words beside the values, as tags such as `SRC`, `DST`, `RET`, `U:bag`; sorted, distinct.
    pub roles: Vec<String>,
    /// Lexical cues such as `p:to` or `u:bag`; sorted, distinct.
    pub cues: Vec<String>,
    /// The language that it votes for, as two letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl Reading {
    /// A reading with these types, roles and cues, brought into order; no type means none was found.
    pub fn of(types: &[ValueType], roles: &[&str], cues: &[&str]) -> Reading {
        let sorted = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned()).collect::<BTreeSet<_>>();
            words.into_iter().collect::<Vec<_>>()
        };
        let types = types
            .iter()
            .copied()
            .filter(|&t| t != ValueType::None)
            .collect::<BTreeSet<_>>();
        Reading {
            types: or_none(types),
            roles: sorted(roles),
            cues: sorted(cues),
            language: None,
        }
    }
}

fn or_none(types: BTreeSet<ValueType>) -> Vec<ValueType> {
    if types.is_empty() {
        vec![ValueType::None]
    } else {
        types.into_iter().collect()
    }
}

/// Reads one fragment by its form alone: whether there is anything to embed. What it asks for is for its vector to say.
///
/// # Errors
/// Why there is nothing (Z-065).
pub fn read(fragment: &str) -> Result<Reading, NoDemand> {
    if !is_readable(fragment) {
        return Err(NoDemand::Unread);
    }
    if fragment.contains(MARK) {
        return Err(NoDemand::Secret);
    }
    if nothing::says_nothing(fragment) {
        return Err(NoDemand::Empty);
    }
    if text::phrase::is_courtesy(fragment) {
        return Err(NoDemand::Acknowledgement);
    }
    Ok(Reading {
        language: text::language::vote(fragment).map(str::to_owned),
        ..Reading::of(&[], &[], &[])
    })
}

/// The fragment with personal data (e-mail, phone, card and account numbers, long digit runs, names after a name cue)
/// replaced by marks such as `[email]`, and with control characters, bidi marks and markup made harmless (Z-169, Z-171).
pub fn redact(fragment: &str) -> String {
    redacted(fragment)
}

#[cfg(test)]
mod tests {
    use super::NoDemand;
    use super::READ_CHARS_MAX;
    use super::Reading;
    use super::ValueType;
    use super::read;

    #[test]
    fn what_says_nothing_is_not_read_and_the_rest_votes_for_its_language_z041_z065() {
        assert_eq!(read(""), Err(NoDemand::Empty));
        assert_eq!(read("thank you very much"), Err(NoDemand::Acknowledgement));
        assert_eq!(
            read("something quiet").map(|read| read.types),
            Ok(vec![ValueType::None])
        );
        assert_eq!(read("ohne Zwiebeln").expect("a demand").language.as_deref(), Some("de"));
        let of = |chars: usize| read(&"\u{e9}".repeat(chars));
        assert_ne!(of(READ_CHARS_MAX), Err(NoDemand::Unread), "characters, not bytes");
        assert_eq!(of(READ_CHARS_MAX + 1), Err(NoDemand::Unread));
    }

    #[test]
    fn a_reading_made_by_hand_is_brought_into_order() {
        let reading = Reading::of(
            &[ValueType::Number, ValueType::Date, ValueType::None],
            &["b", "a", "b"],
            &[],
        );
        assert_eq!(reading.types, [ValueType::Date, ValueType::Number]);
        assert_eq!(reading.roles, ["a", "b"]);
        assert_eq!(Reading::of(&[], &[], &[]).types, [ValueType::None]);
    }
}
