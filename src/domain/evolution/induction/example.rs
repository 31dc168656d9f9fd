//! Mapping examples for a description, and fragments that may be shown as evidence (Z-112, DESIGN §11).
//!
//! A fragment is shown word for word only when enough clients said something alike, or to the one who said it; else
//! only the value is shown that several of them named. Invariant: nothing that [`harmless`] refuses is ever shown.

use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::harmless;
use crate::domain::evolution::induction::mapping;
use crate::domain::evolution::induction::mapping::Mapped;
use crate::domain::evolution::induction::mapping::Mapping;
use crate::domain::evolution::lexicon;
use crate::domain::pool::proposal::Shown;
use crate::domain::template::name::KeyName;

/// Examples in one description, and how many there shall be where the cluster says as much in different words.
const EXAMPLES_MAX: usize = 4;
const EXAMPLES_WANTED: usize = 3;
/// Fragments that are looked at for examples, where the first may not be shown.
const CANDIDATES_MAX: usize = 60;
/// Share of its words that an example may have in common with one that shows the same value.
const COMMON_MAX: f64 = 0.6;
/// What an example loses that goes on from something left out, and for each other value in it.
const GOES_ON_COST: f64 = 0.3;
const OTHER_VALUE_COST: f64 = 0.15;
/// Fragments kept as evidence.
const EVIDENCE_MAX: usize = 8;
/// Characters of one example.
const LENGTH_MAX: usize = 70;
/// Verbs that begin the name of a switch.
const SWITCHING: [&str; 6] = ["has", "have", "is", "are", "needs", "wants"];
/// What stands for a person's name.
const NAME: &str = "NAME";

/// What may be shown.
#[derive(Clone, Copy, Debug)]
pub struct Discretion {
    /// Whether fragments may be shown word for word.
    pub verbatim: bool,
    /// Whether only the one client sees it who said all of it.
    pub personal: bool,
    /// Whether the values are names of private people.
    pub private_names: bool,
}

impl Discretion {
    /// Whether whole fragments may be shown as they were said.
    pub fn shows_sentences(self) -> bool {
        self.verbatim && !self.private_names
    }
}

/// Up to four fragments with different values, the most typical and shortest first; where there are fewer than three
/// values, the same ones in other words, then wishes whose value is not told apart.
pub fn examples(cluster: &Cluster, mapping: &Mapping<'_>, name: &KeyName, discretion: Discretion) -> Vec<Shown> {
    let rows = rows(cluster, mapping, name, discretion);
    let mut seen: BTreeSet<Option<String>> = BTreeSet::new();
    let (examples, again): (Vec<Shown>, Vec<Shown>) = rows
        .into_iter()
        .partition(|example| seen.insert(example.value.as_ref().map(|value| value.to_lowercase())));
    // First what is said in different words, then what is left.
    let mut told: Vec<Shown> = Vec::new();
    let mut like: Vec<Shown> = Vec::new();
    for example in examples {
        let repeats = told.iter().any(|shown| alike(&shown.fragment, &example.fragment));
        let to = if repeats { &mut like } else { &mut told };
        if to.len() < EXAMPLES_MAX {
            to.push(example);
        }
    }
    let mut examples: Vec<Shown> = told.into_iter().chain(like).take(EXAMPLES_MAX).collect();
    if examples.is_empty() || !discretion.verbatim {
        return examples;
    }
    let unlisted = *mapping.kind == Kind::Closed && mapping.listing.values.is_empty();
    let wishes = wishes(cluster, discretion, |fragment| fragment.contact.is_none())
        .filter(|_| unlisted)
        .map(|fragment| Shown {
            fragment,
            value: None,
            from: None,
        });
    for more in again.into_iter().chain(wishes) {
        if examples.len() >= EXAMPLES_WANTED {
            break;
        }
        if !examples.iter().any(|example| alike(&example.fragment, &more.fragment)) {
            examples.push(more);
        }
    }
    examples
}

/// Everything that could be an example, those of the description first: what may be shown of it is asked elsewhere.
pub fn candidates(
    cluster: &Cluster,
    mapping: &Mapping<'_>,
    decision: &Decision,
    name: &KeyName,
    discretion: Discretion,
) -> Vec<Shown> {
    let mut all = examples(cluster, mapping, name, discretion);
    let more = rows(cluster, mapping, name, discretion)
        .into_iter()
        .chain(unmapped(cluster, decision, name, discretion));
    for candidate in more {
        if all.len() == CANDIDATES_MAX {
            break;
        }
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    }
    all
}

/// Fragments with a value, the most typical and shortest first.
fn rows(cluster: &Cluster, mapping: &Mapping<'_>, name: &KeyName, discretion: Discretion) -> Vec<Shown> {
    let mut rows: Vec<(f64, Shown)> = cluster
        .fragments
        .iter()
        .filter_map(|fragment| row(cluster, mapping, name, fragment, discretion))
        .collect();
    rows.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.fragment.cmp(&b.1.fragment))
            .then_with(|| a.1.value.cmp(&b.1.value))
    });
    rows.into_iter().map(|(_, example)| example).collect()
}

/// Whether two fragments say nearly the same in the same words.
fn alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> { letters(text).split(' ').map(str::to_owned).collect() };
    let (one, other) = (words(one), words(other));
    let common = one.intersection(&other).count() as f64;
    common > COMMON_MAX * one.len().min(other.len()).max(1) as f64
}

/// Examples where no value could be told apart (Z-112): the wish alone, for a sentence is no value of a text; a day that
/// depends on the day of the request is shown by its form.
pub fn unmapped(cluster: &Cluster, decision: &Decision, name: &KeyName, discretion: Discretion) -> Vec<Shown> {
    let value = match &decision.kind {
        Kind::Date => Some("YYYY-MM-DD"),
        Kind::Boolean => Some("true"),
        Kind::Place(_)
        | Kind::Person
        | Kind::Title
        | Kind::Contact(_)
        | Kind::Closed
        | Kind::Level
        | Kind::Rhythm
        | Kind::Percent
        | Kind::Money
        | Kind::Duration
        // A time of which nobody says the half of the day would be shown as a wrong one.
        | Kind::Time
        | Kind::Number => None,
    };
    let is_contact = matches!(decision.kind, Kind::Contact(_));
    let asks = |fragment: &Fragment| {
        (is_contact || fragment.contact.is_none()) && (decision.kind != Kind::Boolean || !mapping::refused(fragment))
    };
    let wishes: Vec<String> = if discretion.shows_sentences() {
        wishes(cluster, discretion, asks).collect()
    } else if decision.kind == Kind::Boolean {
        switched(name).into_iter().collect()
    } else {
        decision::telling_noun(cluster, 0.5)
            .into_iter()
            .filter(|noun| harmless::shareable(noun))
            .collect()
    };
    let shown = wishes.into_iter().take(2);
    shown
        .map(|fragment| Shown {
            fragment,
            value: value.map(str::to_owned),
            from: None,
        })
        .collect()
}

/// Fragments for which something holds and that may be shown word for word, the shortest first.
fn wishes(
    cluster: &Cluster,
    discretion: Discretion,
    holds: impl Fn(&Fragment) -> bool,
) -> impl Iterator<Item = String> {
    let mut texts: Vec<String> = cluster
        .fragments
        .iter()
        .filter(|fragment| discretion.shows_sentences() && holds(fragment))
        .map(|fragment| without_grammar(&fragment.text))
        .filter(|text| text.chars().count() <= LENGTH_MAX && !text.contains('?') && !colon(text))
        .filter(|text| harmless::shareable(text))
        .collect();
    texts.sort_by(|a, b| a.chars().count().cmp(&b.chars().count()).then_with(|| a.cmp(b)));
    texts.dedup();
    texts.into_iter()
}

/// Fragments that may be shown as evidence; none unless fragments may be shown at all. Where somebody can be reached is evidence of
/// nothing else.
pub fn evidence(cluster: &Cluster, kind: &Kind, discretion: Discretion) -> Vec<String> {
    let is_contact = matches!(kind, Kind::Contact(_));
    if !discretion.shows_sentences() {
        return Vec::new();
    }
    let mut shown: Vec<String> = Vec::new();
    let speaks_of_it = |fragment: &&Fragment| is_contact || fragment.contact.is_none();
    for fragment in cluster.fragments.iter().filter(speaks_of_it) {
        if !shown.contains(&fragment.text) {
            shown.push(fragment.text.clone());
        }
        if shown.len() == EVIDENCE_MAX {
            break;
        }
    }
    shown
}

fn row(
    cluster: &Cluster,
    mapping: &Mapping<'_>,
    name: &KeyName,
    fragment: &Fragment,
    discretion: Discretion,
) -> Option<(f64, Shown)> {
    let mapped = mapping
        .map(fragment)
        // What is not wanted is no example of it.
        .filter(|mapped| mapped.confidence >= 0.5 && !mapped.refused)?;
    let tells_the_date = || {
        let months = &lexicon::classes().months;
        let month = |word: &str| word.len() > 2 && months.iter().any(|month| month.starts_with(word));
        fragment.tokens.iter().any(|token| month(&token.word)) || fragment.text.contains(&mapped.text)
    };
    // Any other date depends on the day of the request and would teach a wrong one.
    if *mapping.kind == Kind::Date && !tells_the_date() {
        return None;
    }
    let example = if discretion.verbatim {
        word_for_word(fragment, &mapped, discretion)?
    } else {
        value_alone(mapping, name, &mapped, discretion)?
    };
    let value = example.value.as_deref().unwrap_or_default();
    if !harmless::shareable(&example.fragment) || !harmless::shareable(value) {
        return None;
    }
    // What maps a sentence to itself teaches nothing.
    if discretion.verbatim && letters(&example.fragment) == letters(value) {
        return None;
    }
    let typical: f64 = fragment
        .context()
        .filter(|word| !lexicon::stop(word))
        .map(|word| cluster.share_of(word))
        .sum();
    let length = example.fragment.chars().count() as f64;
    // What was cut out of a longer sentence reads badly, and what names other values is an example of those as well.
    let goes_on = matches!(
        fragment.tokens.first().map(|token| token.word.as_str()),
        Some("and" | "or" | "but" | "so" | "who" | "which" | "that" | "it" | "them")
    ) || match (mapped.from, fragment.values.first()) {
        (Some(own), Some(first)) => first.start == 0 && first.tag == Tag::Name && *first != own,
        (Some(_) | None, Some(_) | None) => false,
    };
    let others = match mapped.from {
        Some(own) => fragment
            .values
            .iter()
            .filter(|value| value.end <= own.start || value.start >= own.end)
            .count(),
        None => 0,
    };
    let cost = if goes_on { GOES_ON_COST } else { 0.0 } + OTHER_VALUE_COST * others.min(3) as f64;
    Some((
        mapped.confidence + 0.3 * typical.min(2.0) - 0.004 * length - cost,
        example,
    ))
}

/// The words of a text, without their punctuation.
fn letters(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn word_for_word(fragment: &Fragment, mapped: &Mapped, discretion: Discretion) -> Option<Shown> {
    let text = if discretion.private_names {
        without_names(fragment)
    } else {
        fragment.text.clone()
    };
    let text = without_grammar(&text);
    let speaks = fragment.tokens.len() >= 2 && !text.contains('?') && !colon(&text);
    let value = if discretion.private_names && mapped.from.is_some() {
        NAME.to_owned()
    } else {
        mapped.text.clone()
    };
    (speaks && text.chars().count() <= LENGTH_MAX).then_some(Shown {
        fragment: text,
        value: Some(value),
        from: mapped.from.map(|from| match discretion.private_names {
            true => NAME.to_owned(),
            false => fragment.value_text(from).to_owned(),
        }),
    })
}

/// A fragment without what parts one example from the next.
fn without_grammar(text: &str) -> String {
    text.replace(';', ",").trim_end_matches([' ', '.', ',', '!']).to_owned()
}

/// A colon that is not a clock's would read as part of the description's own grammar.
fn colon(text: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices(':').any(|(at, _)| {
        !digit(text.get(..at).and_then(|before| before.chars().next_back()))
            || !digit(text.get(at + 1..).and_then(|after| after.chars().next()))
    })
}

fn without_names(fragment: &Fragment) -> String {
    let mut text = fragment.text.clone();
    for value in fragment.values.iter().rev().filter(|value| value.tag == Tag::Name) {
        if text.get(value.start..value.end).is_some() {
            text.replace_range(value.start..value.end, NAME);
        }
    }
    text
}

/// The value in place of the fragment, where that tells nothing about who said it.
fn value_alone(mapping: &Mapping<'_>, name: &KeyName, mapped: &Mapped, discretion: Discretion) -> Option<Shown> {
    let common = match mapping.kind {
        Kind::Closed | Kind::Level | Kind::Rhythm | Kind::Time => true,
        Kind::Number | Kind::Duration | Kind::Percent | Kind::Money => mapped.text.len() <= 4,
        Kind::Place(_) => lexicon::place(&mapped.text.to_lowercase()),
        Kind::Date | Kind::Person | Kind::Title | Kind::Contact(_) => false,
        Kind::Boolean => {
            let fragment = switched(name).filter(|_| mapped.text == "true")?;
            let value = Some(mapped.text.clone());
            return Some(Shown {
                fragment,
                value,
                from: None,
            });
        }
    };
    (common && !discretion.private_names).then(|| Shown {
        fragment: mapped.text.clone(),
        value: Some(mapped.text.clone()),
        from: None,
    })
}

/// What a key switches on, in the words of its name, which everybody sees anyway: `gluten free`.
fn switched(name: &KeyName) -> Option<String> {
    let words: Vec<&str> = name
        .as_str()
        .split('_')
        .skip_while(|word| SWITCHING.contains(word))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}
