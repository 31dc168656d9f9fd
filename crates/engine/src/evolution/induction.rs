//! Induction by what clients said alone, in any language: a name of the words that most of them share, a type that their values have,
//! and nothing that nobody said (Z-109 … Z-112).
//!
//! No vocabulary, no gloss, no default, no closed list. Invariants: the key is optional (Z-125); each word of its name was said; where
//! the reading is not sure the proposal says so, and a person decides.

pub mod read;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use text::analysis::Analysis;
use text::number;
use text::number::Number;
use text::phrase;
use text::phrase::Phrase;
use text::phrase::Shared;
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;

use crate::pool::hold::Hold;
use crate::pool::proposal::Proposal;
use crate::pool::proposal::Shown;
use crate::pool::rationale::Certainty;
use crate::pool::rationale::NameSource;
use crate::pool::rationale::Naming;
use crate::pool::rationale::Rationale;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::name::ClientId;
use schema::name::KeyName;

/// What a time of day looks like.
const CLOCK_PATTERN: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
/// Share of a cluster that one client may have said: beyond that the wish is its own.
const CLIENT_SHARE_MAX: f64 = 0.4;
/// Share of the fragments that hold a value of one kind before the key takes such values.
const TYPED_MIN: f64 = 0.6;
/// Share of the numbers with a fraction from which on the key takes fractions.
const FRACTION_MIN: f64 = 0.08;
/// Share of the fragments that say all of a switch's name, below which it may be one of several values, or of several wishes.
const SAID_MIN: f64 = 0.6;
/// Between these shares of denials it is not clear which of the two the wish is.
const MIXED: std::ops::Range<f64> = 0.2..0.8;
/// What is counted or measured.
const COUNTED: [number::Kind; 2] = [number::Kind::Plain, number::Kind::Money];
/// Surface values that are kept.
const SURFACES_MAX: usize = 32;
/// Example candidates that are handed to the screen.
const SHOWN_MAX: usize = 40;

/// Why no key came of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Abstention {
    /// Mostly questions; in journals of before.
    Question,
    /// Nothing in it says what is wanted; in journals of before.
    NoContent,
    /// Too few fragments say it: so many were read.
    FewFragments(u64),
    /// One client said too much of it.
    OneClient,
    /// No name that is legal and free of sensitive text could be made.
    NoName,
    /// A reader's name for it holds a word that somebody said and too few others did.
    Words,
    /// Too few clients said the same words for an example that may be shown to others; in journals of before.
    Examples,
}

/// One fragment of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub text: &'a str,
    pub client: Option<&'a ClientId>,
    /// How near it is to the middle of the cluster; 0 where that is not known.
    pub near: f64,
    /// Whether a reader saw it, and found that it wants the opposite of what the name says.
    pub is_denied: Option<bool>,
}

/// A cluster as induction reads it.
#[derive(Clone, Copy)]
pub struct Cluster<'a> {
    pub said: &'a [Said<'a>],
    /// Two letters, or empty where the pool's language is not known.
    pub language: &'a str,
    pub is_english: bool,
    /// Whether a word may be shown to others.
    pub shares: &'a dyn Fn(&str) -> bool,
    /// Whether only the one client sees it who said all of it.
    pub personal: bool,
    /// Fragments that a key for others needs.
    pub fragments_min: usize,
}

/// A text with blanks in the place of its numbers: a value is no part of a name.
fn without(text: &str, numbers: &[Number]) -> String {
    let is_number = |at: usize| numbers.iter().any(|number| (number.start..number.end).contains(&at));
    text.char_indices()
        .map(|(at, letter)| if is_number(at) { ' ' } else { letter })
        .collect()
}

/// What the fragments hold.
struct Typing {
    numbers: Vec<Vec<Number>>,
    key_type: KeyType,
    format: Option<&'static str>,
    /// Of each fragment: the value, and the words that it was read from.
    values: Vec<Option<(String, String)>>,
    /// The number behind a noun is more likely the name of a thing than how many of it.
    is_doubtful: bool,
}

/// Whether enough fragments of enough clients say it.
fn enough(cluster: &Cluster<'_>) -> Result<(), Abstention> {
    if !cluster.personal && cluster.said.len() < cluster.fragments_min {
        return Err(Abstention::FewFragments(cluster.said.len() as u64));
    }
    of_several(cluster)
}

/// Whether it is more than what one client wishes.
fn of_several(cluster: &Cluster<'_>) -> Result<(), Abstention> {
    let is_of_one = most_of_one_client(cluster.said) > CLIENT_SHARE_MAX * cluster.said.len() as f64;
    match is_of_one && !cluster.personal {
        true => Err(Abstention::OneClient),
        false => Ok(()),
    }
}

/// The fragments by how near each is to the middle, the nearest first.
fn nearest_first(cluster: &Cluster<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cluster.said.len()).collect();
    order.sort_by(|one, two| cluster.said[*two].near.total_cmp(&cluster.said[*one].near));
    order
}

/// What was read, and who gave it this name.
fn rationale(cluster: &Cluster<'_>, name: &str, source: NameSource, certainty: Certainty) -> Rationale {
    Rationale {
        fragments: cluster.said.len() as u64,
        clients: clients(cluster.said),
        certainty: Some(certainty),
        name: Naming {
            name: name.to_owned(),
            source,
            ..Naming::default()
        },
        ..Rationale::default()
    }
}

/// Makes a proposal of a cluster.
///
/// # Errors
/// Why there is none.
pub fn propose(cluster: &Cluster<'_>) -> Result<Proposal, Abstention> {
    enough(cluster)?;
    let typing = typed(cluster);
    let is_switch = typing.key_type == KeyType::Boolean;
    let phrases = cluster.said.iter().zip(&typing.numbers);
    let phrases: Vec<Phrase> = phrases
        .map(|(said, numbers)| Phrase::read(&without(said.text, numbers)))
        .collect();
    let sides = phrase::sides(&phrases).filter(|_| is_switch);
    let shared = named(cluster, &phrases, sides.as_deref()).ok_or(Abstention::NoName)?;
    let name = key_name(&shared).ok_or(Abstention::NoName)?;
    let mut holds = Vec::new();
    if !cluster.is_english && !cluster.personal {
        holds.push(Hold::Language);
    }
    // Who alone sees a key knows what its words mean.
    if shared.content() < phrase::NAME_CONTENT_MIN && !cluster.personal {
        holds.push(Hold::Name);
    }
    let content: BTreeSet<String> = shared.words.iter().filter_map(|word| phrase::content(word)).collect();
    let named = phrases
        .iter()
        .filter(|phrase| content.is_subset(&phrase.content()))
        .count();
    let is_said = named as f64 >= SAID_MIN * phrases.len() as f64;
    if typing.is_doubtful || is_switch && !is_said && !cluster.personal {
        holds.push(Hold::Values);
    }
    let denied = phrases.iter().filter(|phrase| phrase.is_negated()).count();
    let denials = denied as f64 / phrases.len() as f64;
    if is_switch && sides.is_none() && MIXED.contains(&denials) {
        holds.push(Hold::Polarity);
    }
    let is_denial = denials >= MIXED.end && sides.is_none();
    let order = nearest_first(cluster);
    // What says the name's words with the name's polarity says yes; of anything else it is not sure.
    let switched = |phrase: &Phrase| {
        let is_yes = phrase.is_negated() == is_denial;
        (content.is_subset(&phrase.content()) && (sides.is_some() || is_yes)).then(|| is_yes.to_string())
    };
    let shows = |at: &usize| {
        let (value, from) = match is_switch {
            true => (switched(&phrases[*at])?, None),
            false => typing.values[*at].clone().map(|(value, from)| (value, Some(from)))?,
        };
        Some(Shown {
            fragment: without_courtesy(cluster.said[*at].text),
            value: Some(value),
            from,
        })
    };
    let shown: Vec<Shown> = order.iter().filter_map(shows).take(SHOWN_MAX).collect();
    let mut constraints = Map::new();
    if let Some(format) = typing.format {
        constraints.insert("pattern".to_owned(), json!(format));
    }
    let examples = order
        .iter()
        .map(|at| without_courtesy(cluster.said[*at].text))
        .take(SHOWN_MAX);
    let mut key = optional(name, typing.key_type, constraints);
    // A name of ASCII letters alone does not say how it is written.
    let is_spelt = shared.words.iter().all(|word| word.is_ascii());
    key.set_title((!is_spelt).then(|| shared.words.join(" ")));
    Ok(Proposal {
        surfaces: surfaces(&typing),
        examples: examples.collect(),
        sensitive: None,
        grounds: rationale(
            cluster,
            key.key_name.as_str(),
            NameSource::Phrase,
            Certainty {
                named: named as u64,
                valued: typing.values.iter().flatten().count() as u64,
                denied: denied as u64,
            },
        ),
        holds,
        about: sentence(&shared.words.join(" ")),
        shown,
        key,
        read: None,
    })
}

fn without_courtesy(said: &str) -> String {
    said.get(Phrase::read(said).range()).unwrap_or(said).to_owned()
}

fn most_of_one_client(said: &[Said<'_>]) -> f64 {
    let mut counts: BTreeMap<&ClientId, usize> = BTreeMap::new();
    for client in said.iter().filter_map(|said| said.client) {
        *counts.entry(client).or_default() += 1;
    }
    counts.into_values().max().unwrap_or(0) as f64
}

fn clients(said: &[Said<'_>]) -> u64 {
    let clients: BTreeSet<&ClientId> = said.iter().filter_map(|said| said.client).collect();
    clients.len() as u64
}

/// The name: of a wish that is said both ways, the side that denies nothing.
fn named(cluster: &Cluster<'_>, phrases: &[Phrase], sides: Option<&[bool]>) -> Option<Shared> {
    let kept = (0..phrases.len()).filter(|at| sides.is_none_or(|sides| !sides[*at]));
    let kept = kept.map(|at| (phrases[at].clone(), cluster.said[at].near));
    let (chosen, near): (Vec<Phrase>, Vec<f64>) = kept.unzip();
    phrase::shared(&chosen, &near, &|word| cluster.personal || (cluster.shares)(word))
}

/// The words as a key's name.
fn key_name(shared: &Shared) -> Option<KeyName> {
    let words: Vec<String> = shared.words.iter().map(|word| slug(word)).collect();
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.join("_");
    KeyName::parse(&name).or_else(|| KeyName::parse(&format!("n_{name}")))
}

/// A word in the letters that a key's name takes.
fn slug(word: &str) -> String {
    let plain = phrase::transliterated(word);
    let letters = plain.nfkd().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// What the key is, as a sentence of its words alone.
fn sentence(words: &str) -> String {
    format!("{}.", phrase::capitalised(words))
}

/// A key that nobody has to fill, yet without a description.
fn optional(key_name: KeyName, key_type: KeyType, constraints: Map<String, Value>) -> KeyDefinition {
    KeyDefinition {
        key_name,
        key_type,
        required: false,
        default_value: None,
        constraints,
        semantic_description: String::new(),
        semantic_descriptions: BTreeMap::new(),
        sensitive: None,
        unknown: Map::new(),
    }
}

/// The one number of these kinds in a text: its value, and the words that it was read from. Of several it is not sure which is meant.
fn only(text: &str, numbers: &[Number], kinds: &[number::Kind]) -> Option<(String, String)> {
    let mut fitting = numbers.iter().filter(|number| kinds.contains(&number.kind));
    let number = fitting.next().filter(|_| fitting.next().is_none())?;
    let from = text.get(number.start..number.end)?;
    Some((number.value.clone(), from.to_owned()))
}

fn typed(cluster: &Cluster<'_>) -> Typing {
    let numbers = cluster
        .said
        .iter()
        .map(|said| number::numbers(&Analysis::of(said.text), cluster.language));
    let numbers: Vec<Vec<Number>> = numbers.collect();
    let each = || cluster.said.iter().map(|said| said.text).zip(&numbers);
    let share = |kinds: &[number::Kind]| {
        let holds = |numbers: &&Vec<Number>| numbers.iter().any(|number| kinds.contains(&number.kind));
        numbers.iter().filter(holds).count() as f64 / numbers.len() as f64
    };
    // Where enough fragments hold one and they are not all the same.
    let values = |kinds: &[number::Kind]| {
        let values: Vec<_> = each().map(|(text, numbers)| only(text, numbers, kinds)).collect();
        let distinct: BTreeSet<&String> = values.iter().flatten().map(|(value, _)| value).collect();
        (share(kinds) >= TYPED_MIN && distinct.len() > 1).then_some(values)
    };
    let (key_type, format, values, is_doubtful) = if let Some(values) = values(&[number::Kind::Time]) {
        (KeyType::String, Some(CLOCK_PATTERN), values, false)
    } else if let Some(values) = values(&COUNTED) {
        let found = values.iter().flatten().count() as f64;
        let fractions = values.iter().flatten().filter(|(value, _)| value.contains('.'));
        let is_fraction =
            fractions.count() as f64 >= FRACTION_MIN * found || share(&[number::Kind::Money]) >= TYPED_MIN / 2.0;
        let names = each().filter(|(text, numbers)| names_a_thing(text, numbers)).count();
        let key_type = if is_fraction { KeyType::Number } else { KeyType::Integer };
        (key_type, None, values, names as f64 >= found / 2.0)
    } else {
        (KeyType::Boolean, None, vec![None; numbers.len()], varies(cluster))
    };
    Typing {
        numbers,
        key_type,
        format,
        values,
        is_doubtful,
    }
}

/// Whether the number stands behind the last word: "bay 9", "room 12" name a thing, "9 bays" counts them.
fn names_a_thing(text: &str, numbers: &[Number]) -> bool {
    let Some(number) = numbers.first() else { return false };
    let has_content = |text: &str| !Phrase::read(text).content().is_empty();
    let behind = text.get(number.end..).unwrap_or_default();
    let before = text
        .get(..number.start)
        .unwrap_or_default()
        .split_whitespace()
        .next_back();
    !has_content(behind) && before.is_some_and(has_content)
}

/// Share of the content that only few say from which on the fragments differ in a value, and are no plain wish.
const VARIED_MIN: f64 = 0.5;

/// Whether most of what is said differs from fragment to fragment, so that a switch would lose it.
fn varies(cluster: &Cluster<'_>) -> bool {
    let contents = cluster.said.iter().map(|said| Phrase::read(said.text).content());
    let contents: Vec<BTreeSet<String>> = contents.collect();
    let mut holders: BTreeMap<&String, usize> = BTreeMap::new();
    for word in contents.iter().flatten() {
        *holders.entry(word).or_default() += 1;
    }
    let few = 2.0_f64.max(0.1 * contents.len() as f64);
    let rare = |content: &BTreeSet<String>| {
        let rare = content.iter().filter(|word| holders[word] as f64 <= few).count();
        rare as f64 / content.len().max(1) as f64
    };
    let mean = contents.iter().map(rare).sum::<f64>() / contents.len().max(1) as f64;
    mean >= VARIED_MIN
}

/// The values that were said, the most frequent first.
fn surfaces(typing: &Typing) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for (value, _) in typing.values.iter().flatten() {
        *counts.entry(value).or_default() += 1;
    }
    let mut values: Vec<(&String, usize)> = counts.into_iter().collect();
    values.sort_by_key(|(_, count)| Reverse(*count));
    values
        .into_iter()
        .take(SURFACES_MAX)
        .map(|(value, _)| value.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(texts: &[&str], language: &str) -> Result<Proposal, Abstention> {
        let clients: Vec<Option<ClientId>> = (0..texts.len()).map(|at| ClientId::parse(&format!("c{at}"))).collect();
        let said: Vec<Said<'_>> = texts
            .iter()
            .zip(&clients)
            .map(|(text, client)| Said {
                text,
                client: client.as_ref(),
                near: 0.0,
                is_denied: None,
            })
            .collect();
        propose(&Cluster {
            said: &said,
            language,
            is_english: language == "en",
            shares: &|_| true,
            personal: false,
            fragments_min: 10,
        })
    }

    #[track_caller]
    fn assert_key(texts: &[&str], language: &str, name: &str, key_type: KeyType) -> Proposal {
        let proposal = proposed(texts, language).expect("a proposal");
        assert_eq!(proposal.key.key_name.as_str(), name);
        assert_eq!(proposal.key.key_type, key_type);
        assert_eq!(proposal.key.default_value, None);
        proposal
    }

    #[test]
    fn a_plain_wish_is_a_switch_that_is_true_as_said_z111() {
        let texts = [
            "leave it at the door",
            "please leave it at the door",
            "at the door please, leave it",
        ]
        .repeat(4);
        let proposal = assert_key(&texts, "en", "leave_it_at_the_door", KeyType::Boolean);
        assert!(
            proposal
                .shown
                .iter()
                .all(|shown| shown.value.as_deref() == Some("true"))
        );
        let texts = ["ohne Besteck bitte", "bitte ohne Besteck", "kein Besteck"].repeat(4);
        let proposal = assert_key(&texts, "de", "ohne_besteck", KeyType::Boolean);
        assert!(proposal.holds.contains(&Hold::Name), "one content word is no name yet");
        assert!(
            proposal
                .shown
                .iter()
                .all(|shown| shown.value.as_deref() == Some("true"))
        );
    }

    #[test]
    fn what_is_said_both_ways_is_named_by_the_side_that_denies_nothing_z112() {
        let texts = [
            "with red onions",
            "red onions please",
            "no red onions",
            "without red onions",
        ]
        .repeat(3);
        let proposal = assert_key(&texts, "en", "red_onions", KeyType::Boolean);
        let value = |text: &str| {
            proposal
                .shown
                .iter()
                .find(|shown| shown.fragment == text)?
                .value
                .clone()
        };
        assert_eq!(value("no red onions").as_deref(), Some("false"));
        assert_eq!(value("with red onions").as_deref(), Some("true"));
    }

    #[test]
    fn numbers_make_a_number_and_the_value_is_no_part_of_the_name_z111() {
        let texts = [
            "two extra pillows",
            "3 extra pillows",
            "extra pillows: four",
            "5 extra pillows please",
        ]
        .repeat(3);
        let proposal = assert_key(&texts, "en", "extra_pillows", KeyType::Integer);
        assert_eq!(proposal.surfaces, ["2", "3", "4", "5"]);
        let texts = ["wake us at 7am", "wake us at 6:30", "please wake us at 8:15"].repeat(4);
        assert_key(&texts, "en", "wake", KeyType::String);
    }

    #[test]
    fn too_few_or_one_client_alone_make_no_key_for_others_z098() {
        assert_eq!(
            proposed(&["a quiet room"; 9], "en").err(),
            Some(Abstention::FewFragments(9))
        );
        let client = ClientId::parse("loud");
        let said = [Said {
            text: "a quiet room",
            client: client.as_ref(),
            near: 0.0,
            is_denied: None,
        }; 12];
        let cluster = Cluster {
            said: &said,
            language: "en",
            is_english: true,
            shares: &|_| true,
            personal: false,
            fragments_min: 10,
        };
        assert_eq!(propose(&cluster).err(), Some(Abstention::OneClient));
        let own = Cluster {
            personal: true,
            ..cluster
        };
        assert!(propose(&own).is_ok());
    }
}
