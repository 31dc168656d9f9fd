//! What the words of a fragment say before any vector is looked at: typed values, roles, cues, or no demand at all.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::confided::MARK;
use crate::domain::pool::cues::cues_of;
use crate::domain::pool::demand::no_demand;
use crate::domain::pool::names::is_opposed;
use crate::domain::pool::names::is_titled;
use crate::domain::pool::nothing;
use crate::domain::pool::redact::redacted;
use crate::domain::pool::roles::role_of;
use crate::domain::pool::seen::Seen;
use crate::domain::pool::seen::lower_words;
use crate::domain::pool::seen::name_words;
use crate::domain::pool::split::split_demands;
use crate::domain::pool::tagger::tag;
use crate::domain::pool::tagger::tagged_part;

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
/// Values of a fragment that is read; a wish holds five, and the words beside each are looked at.
pub const VALUES_MAX: usize = 24;

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

/// Roles, cues and doubtful names of one fragment that are kept, and bytes of one role or cue.
const ROLES_MAX: usize = 8;
const CUES_MAX: usize = 16;
const NAMES_MAX: usize = 16;
const TAG_BYTES_MAX: usize = 40;

/// A name in a fragment that a pool may know better than to believe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtfulName {
    /// Hashes of its words ([`crate::domain::pool::seen`]).
    pub words: Vec<u32>,
    /// The role and the cues that are this name's alone.
    pub role: Option<String>,
    pub cues: Vec<String>,
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
    /// Hashes of lower-case words; once placed, only those that were new to the pool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<u32>,
    /// Names that are believed only while the pool has not seen all of their words in lower case; empty once placed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<DoubtfulName>,
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
            words: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The reading as a pool believes it: without the names whose words it has all seen in lower case, and with those
    /// words only that it has not seen.
    #[must_use]
    pub fn believed(&self, seen: &Seen) -> Reading {
        let (withdrawn, kept): (Vec<_>, Vec<_>) =
            self.names.iter().partition(|name| seen.all(&name.words, &self.words));
        let gone_roles = exclusive(
            withdrawn.iter().filter_map(|name| name.role.as_ref()),
            kept.iter().filter_map(|name| name.role.as_ref()),
        );
        let gone_cues = exclusive(
            withdrawn.iter().flat_map(|name| &name.cues),
            kept.iter().flat_map(|name| &name.cues),
        );
        let no_name_left = !withdrawn.is_empty() && kept.is_empty();
        let types = self
            .types
            .iter()
            .copied()
            .filter(|&t| t != ValueType::None && !(no_name_left && t == ValueType::Name));
        Reading {
            types: or_none(types.collect()),
            roles: self
                .roles
                .iter()
                .filter(|role| !gone_roles.contains(role))
                .cloned()
                .collect(),
            cues: self
                .cues
                .iter()
                .filter(|cue| !gone_cues.contains(cue))
                .cloned()
                .collect(),
            language: self.language.clone(),
            words: seen.unseen(&self.words),
            names: Vec::new(),
        }
    }
}

/// What is in the first and not in the second.
fn exclusive<'a>(
    gone: impl Iterator<Item = &'a String>,
    kept: impl Iterator<Item = &'a String>,
) -> BTreeSet<&'a String> {
    let kept = kept.collect::<BTreeSet<_>>();
    gone.filter(|word| !kept.contains(word)).collect()
}

fn or_none(types: BTreeSet<ValueType>) -> Vec<ValueType> {
    if types.is_empty() {
        vec![ValueType::None]
    } else {
        types.into_iter().collect()
    }
}

/// Splits what one client said into fragments: sentences and clauses, never inside a value. Keeps at most `max`.
pub fn split(text: &str, max: usize) -> Vec<String> {
    split_demands(text, max)
}

/// Reads one fragment. `service_words` are the content words of the template's description and scenario: they carry no
/// demand of their own.
///
/// # Errors
/// Why the fragment carries no demand (Z-065).
pub fn read(fragment: &str, service_words: &[String]) -> Result<Reading, NoDemand> {
    if !is_readable(fragment) {
        return Err(NoDemand::Unread);
    }
    let text = tagged_part(fragment);
    let spans = tag(text);
    if spans.len() > VALUES_MAX {
        return Err(NoDemand::Unread);
    }
    let service = service_words.iter().map(String::as_str).collect::<BTreeSet<_>>();
    match no_demand(text, &spans, &service) {
        Some(reason) => Err(reason),
        None => Ok(bounded(reading_of(text, &spans))),
    }
}

/// Holds a reading within bounds, so that a fragment made to be odd cannot fill a record: its roles and cues beyond a
/// number, and those longer than a word, say nothing.
fn bounded(mut reading: Reading) -> Reading {
    let fits = |tag: &String| tag.len() <= TAG_BYTES_MAX;
    reading.roles.retain(fits);
    reading.roles.truncate(ROLES_MAX);
    reading.cues.retain(fits);
    reading.cues.truncate(CUES_MAX);
    reading.names.truncate(NAMES_MAX);
    reading
}

/// What the values of a fragment and the words beside them say.
fn reading_of(text: &str, spans: &[Span]) -> Reading {
    // What was told by a capital alone may be none.
    let certain = |name: &str| is_opposed(name) || is_titled(name);
    let doubtful = |span: &Span| span.value_type == ValueType::Name && !certain(&text[span.start..span.end]);
    let (names, sure): (Vec<_>, Vec<_>) = spans.iter().enumerate().partition(|(_, span)| doubtful(span));
    let role = |&(index, span): &(usize, &Span)| role_of(text, span, spans.get(index + 1).map(|next| next.start));
    let mut roles = sure.iter().filter_map(role).collect::<BTreeSet<_>>();
    let mut cues = sure
        .iter()
        .flat_map(|(_, span)| cues_of(text, span))
        .collect::<BTreeSet<_>>();
    let names = names
        .iter()
        .map(|entry| DoubtfulName {
            words: name_words(&text[entry.1.start..entry.1.end]),
            role: role(entry).filter(|role| !roles.contains(role)),
            cues: cues_of(text, entry.1)
                .into_iter()
                .filter(|cue| !cues.contains(cue))
                .collect(),
        })
        .collect::<Vec<_>>();
    roles.extend(names.iter().filter_map(|name| name.role.clone()));
    cues.extend(names.iter().flat_map(|name| name.cues.iter().cloned()));
    Reading {
        types: or_none(spans.iter().map(|span| span.value_type).collect()),
        roles: roles.into_iter().collect(),
        cues: cues.into_iter().collect(),
        language: None,
        words: lower_words(text),
        names,
    }
}

/// Reads one fragment by its form alone: whether there is anything to embed. What it asks for is for its vector to say.
///
/// # Errors
/// Why there is nothing (Z-065).
pub fn read_plain(fragment: &str) -> Result<Reading, NoDemand> {
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

/// The typed values of a fragment, in order, without overlaps.
pub fn spans(fragment: &str) -> Vec<Span> {
    tag(fragment)
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
    use super::VALUES_MAX;
    use super::ValueType;
    use super::read;
    use crate::domain::pool::seen::Seen;
    use crate::domain::pool::seen::lower_words;

    #[test]
    fn a_reading_holds_types_roles_and_cues_in_order_z088() {
        let reading = read("from Boston on Monday with two bags", &[]).expect("a demand");
        assert_eq!(reading.types, [ValueType::Date, ValueType::Place, ValueType::Number]);
        assert_eq!(reading.roles, ["BAG", "SRC"]);
        assert_eq!(reading.cues, ["p:from", "p:on", "p:with", "u:bags"]);
        assert_eq!(
            read("something quiet", &[]).map(|reading| reading.types),
            Ok(vec![ValueType::None])
        );
        assert_eq!(read("", &[]), Err(NoDemand::Empty));
        let of = |chars: usize| read(&"\u{e9}".repeat(chars), &[]);
        assert_ne!(of(READ_CHARS_MAX), Err(NoDemand::Unread), "characters, not bytes");
        assert_eq!(of(READ_CHARS_MAX + 1), Err(NoDemand::Unread));
        let values = |count: usize| read(&"a 1 ".repeat(count), &[]);
        assert!(values(VALUES_MAX).is_ok());
        assert_eq!(values(VALUES_MAX + 1), Err(NoDemand::Unread));
    }

    #[test]
    fn a_withdrawn_name_takes_only_its_own_role_and_cue_along() {
        let reading = read("songs by Carbon Leaf from Boston", &[]).expect("a demand");
        assert_eq!(reading.believed(&Seen::default()).roles, ["BY:by", "SRC"]);
        let mut seen = Seen::default();
        seen.learn(&lower_words("a carbon leaf"));
        let believed = reading.believed(&seen);
        assert_eq!(
            (believed.types, believed.roles),
            (vec![ValueType::Place], vec!["SRC".to_owned()])
        );
        assert_eq!(believed.cues, ["p:from"]);
    }

    #[test]
    fn who_is_named_behind_a_title_stays_a_name_whatever_is_written_small_z088() {
        let mut seen = Seen::default();
        seen.learn(&lower_words("ask for dr. chen"));
        for text in [
            "with Dr. Chen please",
            "with dr. chen please",
            "put me down for mrs chen",
        ] {
            let reading = read(text, &[]).expect("a demand");
            assert_eq!(reading.believed(&seen).types, [ValueType::Name], "{text}");
        }
        for text in ["a dr appointment please", "the corner of Sunset Dr and the park"] {
            let reading = read(text, &[]).expect("a demand");
            assert!(
                !reading.names.iter().any(|name| name.words == lower_words("dr chen")),
                "{text}"
            );
        }
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
