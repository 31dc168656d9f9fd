//! The listed values of a closed key, and which words mean which of them.
//!
//! A value is listed only when it may be shown to everyone: said by two clients (or the key is one client's own), no
//! name of a place or person, made of ordinary words. And a list stands only when enough was said to tell its values
//! apart: the more there are, the likelier two of them are one in other words, or one of them is none. Invariant: no
//! fewer than two values, or none at all.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::decision::degree;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::harmless;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::often;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::induction::values::phrase::Phrase;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::synonym::synonymous;
use crate::domain::pool::grounds::LeftOut;
use crate::domain::template::closed_list::NONE;

/// Cosine from which on two values are one: the rarer stays a way to say the more frequent.
const SYNONYM_COSINE_MIN: f64 = 0.86;

/// Share of the fragments with a value in which the same noun must follow before it is part of the value, and how many
/// fragments that takes.
const HEADED_MIN: f64 = 0.70;
const HEADED_LEAST: u64 = 3;

/// Fragments that ask for a listed value, for each two of the values: a pair is told apart by what is said of both.
const FRAGMENTS_PER_PAIR_MIN: usize = 4;
/// Share of the fragments that must ask for a listed value: what leaves most of them unsaid is no list.
const COVERED_MIN: f64 = 0.45;

/// Listed values and the phrases that mean them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Most frequent first, without `none`.
    pub values: Vec<String>,
    /// Values that would be listed if more was said; then none is.
    pub unproven: Vec<String>,
    /// Lemmas of a phrase -> its value, most frequent first.
    pub meanings: Vec<(String, String)>,
    /// How the phrases are said, lower case, most frequent first.
    pub surfaces: Vec<String>,
    /// Phrases that could not be listed, by the first test that they failed.
    pub left_out: LeftOut,
}

/// A value that a fragment speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meant<'a> {
    pub value: &'a str,
    /// Whether it is asked for, and not mentioned to refuse it.
    pub wanted: bool,
}

impl Listing {
    /// Lists what the decision found; empty for keys that are not closed. `entity` is the service's own noun.
    pub fn of(cluster: &Cluster, decision: &Decision, entity: &str, meanings: &Meanings, personal: bool) -> Listing {
        let listing = match decision.kind {
            Kind::Closed => {
                let listing = phrases(cluster, &decision.values.values, meanings, personal);
                proven(cluster, whole(cluster, listing, &decision.name, entity))
            }
            Kind::Level => degrees(cluster),
            Kind::Rhythm => often::listing(cluster),
            Kind::Percent
            | Kind::Money
            | Kind::Date
            | Kind::Time
            | Kind::Duration
            | Kind::Number
            | Kind::Place(_)
            | Kind::Person
            | Kind::Title
            | Kind::Contact(_)
            | Kind::Boolean => Listing::default(),
        };
        if listing.values.len() >= 2 {
            return listing;
        }
        // One value is no list, but what is said for it still means it.
        Listing {
            values: Vec::new(),
            ..listing
        }
    }

    /// The values that are listed, or that would be if more was said.
    pub fn found(&self) -> &[String] {
        if self.values.is_empty() {
            &self.unproven
        } else {
            &self.values
        }
    }

    /// The value that a fragment asks for: that of the longest phrase in it, the last among equals.
    pub fn value_in(&self, fragment: &Fragment) -> Option<Meant<'_>> {
        let mut best: Option<((bool, usize, usize), &str)> = None;
        for (lemmas, value) in &self.meanings {
            for (from, to) in places(lemmas, fragment) {
                let rank = (!fragment.denies_words(from, to), lemmas.len(), from);
                if best.is_none_or(|(most, _)| rank > most) {
                    best = Some((rank, value));
                }
            }
        }
        best.map(|((wanted, _, _), value)| Meant { value, wanted })
    }
}

/// Where a fragment holds the words of a phrase: the first, and the one behind the last.
fn places<'f>(lemmas: &str, fragment: &'f Fragment) -> impl Iterator<Item = (usize, usize)> + use<'f> {
    let words: Vec<String> = lemmas.split(' ').map(str::to_owned).collect();
    let length = words.len();
    let windows = fragment.lemmas.windows(length).enumerate();
    windows
        .filter(move |(_, window)| *window == words.as_slice())
        .map(move |(at, _)| (at, at + length))
}

/// How many of the values found could be listed.
pub fn usable(cluster: &Cluster, found: &ValueSet, meanings: &Meanings) -> usize {
    phrases(cluster, &found.values, meanings, true).values.len()
}

fn phrases(cluster: &Cluster, found: &[Phrase], meanings: &Meanings, personal: bool) -> Listing {
    let mut listing = Listing::default();
    let mut listed: Vec<&Phrase> = Vec::new();
    for phrase in found {
        let count = asking(cluster, phrase).len() as f64;
        if count < (0.02 * cluster.size()).max(2.0) {
            listing.left_out.too_rare += 1;
            continue;
        }
        if phrase.contrast < 0.35 {
            listing.left_out.usual += 1;
            continue;
        }
        if !ordinary(&phrase.lemmas) || !harmless::shareable(&phrase.surface) || phrase.surface == NONE {
            listing.left_out.no_ordinary_words += 1;
            continue;
        }
        let clients = asking(cluster, phrase)
            .into_iter()
            .map(|fragment| fragment.client.as_ref())
            .collect::<BTreeSet<_>>();
        if !personal && clients.len() < 2 {
            listing.left_out.one_client += 1;
            continue;
        }
        let value = match listed
            .iter()
            .find(|other| one_value(&phrase.lemmas, &other.lemmas) || mean_one(meanings, phrase, other))
        {
            Some(other) => other.surface.clone(),
            None => {
                listed.push(phrase);
                listing.values.push(phrase.surface.clone());
                phrase.surface.clone()
            }
        };
        listing.meanings.push((phrase.lemmas.clone(), value));
        listing.surfaces.push(phrase.surface.clone());
    }
    listing
}

/// The listing with its values where the fragments that ask for one are enough to tell each two of them apart.
fn proven(cluster: &Cluster, listing: Listing) -> Listing {
    let asks = |fragment: &&Fragment| listing.value_in(fragment).is_some_and(|meant| meant.wanted);
    let needed = fragments_needed(listing.values.len(), cluster.fragments.len());
    if listing.values.len() < 2 || cluster.fragments.iter().filter(asks).count() >= needed {
        return listing;
    }
    Listing {
        values: Vec::new(),
        unproven: listing.values,
        ..listing
    }
}

/// How many of the fragments must ask for one of so many values before they are listed.
pub fn fragments_needed(values: usize, fragments: usize) -> usize {
    let pairs = values * values.saturating_sub(1) / 2;
    let share = COVERED_MIN * fragments as f64;
    (pairs * FRAGMENTS_PER_PAIR_MIN).max(share.ceil() as usize)
}

/// The fragments that hold a phrase and do not refuse what it means; all that hold it, where most refuse it: "no onions" is then
/// what is asked for.
fn asking<'c>(cluster: &'c Cluster, phrase: &Phrase) -> Vec<&'c Fragment> {
    let held = cluster.fragments.iter().enumerate();
    let held: Vec<&Fragment> = held
        .filter(|(at, _)| phrase.held_by.has(*at))
        .map(|(_, fragment)| fragment)
        .collect();
    let wants =
        |fragment: &&Fragment| places(&phrase.lemmas, fragment).any(|(from, to)| !fragment.denies_words(from, to));
    let wanting: Vec<&Fragment> = held.iter().copied().filter(wants).collect();
    if wanting.len() * 2 > held.len() { wanting } else { held }
}

/// The values with the noun that nearly always stands behind them: `credit card` and not `credit`. What the key is called
/// after, and the service's own thing, say nothing more.
fn whole(cluster: &Cluster, listing: Listing, name: &str, entity: &str) -> Listing {
    let stem = |word: &str| lexicon::stem(&lexicon::lemma(word));
    let called: BTreeSet<String> = name.split('_').chain([entity]).map(stem).collect();
    let full = |value: &String| {
        let (lemmas, _) = listing.meanings.iter().find(|(_, meant)| meant == value)?;
        let head = head_behind(cluster, lemmas)?;
        (!called.contains(&stem(head))).then(|| format!("{value} {head}"))
    };
    let longer: BTreeMap<String, String> = listing
        .values
        .iter()
        .filter_map(|value| Some((value.clone(), full(value)?)))
        .collect();
    let told = |value: String| longer.get(&value).cloned().unwrap_or(value);
    Listing {
        values: listing.values.into_iter().map(told).collect(),
        meanings: listing
            .meanings
            .into_iter()
            .map(|(lemmas, value)| (lemmas, told(value)))
            .collect(),
        ..listing
    }
}

/// The noun right behind a phrase in nearly all fragments that hold it.
fn head_behind<'c>(cluster: &'c Cluster, lemmas: &str) -> Option<&'c str> {
    let words: Vec<&str> = lemmas.split(' ').collect();
    let mut behind: BTreeMap<&str, u64> = BTreeMap::new();
    let mut said = 0_u64;
    for fragment in &cluster.fragments {
        let mut windows = fragment.lemmas.windows(words.len());
        let Some(place) = windows.position(|window| window.iter().map(String::as_str).eq(words.iter().copied())) else {
            continue;
        };
        said += 1;
        if let Some(next) = fragment.tokens.get(place + words.len())
            && (lexicon::noun(&next.word) || hyphened(cluster, words.last().copied(), &next.word))
        {
            *behind.entry(next.word.as_str()).or_default() += 1;
        }
    }
    let nearly_all = |count: u64| said >= HEADED_LEAST && count as f64 >= HEADED_MIN * said as f64;
    behind
        .into_iter()
        .find(|(_, count)| nearly_all(*count))
        .map(|(word, _)| word)
}

/// Whether somebody writes two words as one: "drive-through".
fn hyphened(cluster: &Cluster, first: Option<&str>, second: &str) -> bool {
    let written = |fragment: &Fragment| {
        let pairs = fragment
            .tokens
            .iter()
            .zip(fragment.tokens.iter().skip(1))
            .zip(&fragment.lemmas);
        let mut joined = pairs.filter(|((one, next), _)| fragment.text.get(one.end..next.start) == Some("-"));
        joined.any(|((_, next), lemma)| Some(lemma.as_str()) == first && next.word == second)
    };
    cluster.fragments.iter().any(written)
}

/// Whether two phrases mean nearly the same to the embedder.
fn mean_one(meanings: &Meanings, one: &Phrase, other: &Phrase) -> bool {
    meanings
        .cosine(&one.surface, &other.surface)
        .is_some_and(|cosine| cosine >= SYNONYM_COSINE_MIN)
}

/// Whether two phrases are one value in two forms or two words, or begin alike: those who ask for one thing rarely ask for
/// two whose first letters are the same.
fn one_value(a: &str, b: &str) -> bool {
    let single = !a.contains(' ') && !b.contains(' ');
    let start = |text: &str| text.chars().take(5).collect::<String>();
    let long = a.chars().count() > 4 && b.chars().count() > 4;
    lexicon::stem(a) == lexicon::stem(b) || synonymous(a, b) || (single && long && start(a) == start(b))
}

/// Whether a phrase is made of ordinary words, and names no place and no person.
pub fn ordinary(lemmas: &str) -> bool {
    let words: Vec<&str> = lemmas.split(' ').collect();
    let classes = lexicon::classes();
    let domain = words.iter().all(|word| classes.domainish.contains(*word));
    let place = lexicon::place(lemmas) || words.iter().any(|word| lexicon::place(word));
    let person = words
        .iter()
        .any(|word| lexicon::given_name(word) && (words.len() > 1 || !lexicon::known(word)));
    let foreign = words.len() > 1 && words.iter().any(|word| !lexicon::known(word));
    let tells = words.iter().any(|word| lexicon::may_describe(word));
    tells && !domain && !place && !person && !foreign
}

fn degrees(cluster: &Cluster) -> Listing {
    let classes = lexicon::classes();
    let mut counts: Vec<(usize, &str)> = Vec::new();
    for name in ["extra", "half", "less", "none", "regular"] {
        let count = cluster
            .fragments
            .iter()
            .filter(|fragment| degree(fragment) == Some(name))
            .count();
        if count >= 2 {
            counts.push((count, name));
        }
    }
    counts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut listing = Listing::default();
    for (_, name) in counts {
        listing.values.push(name.to_owned());
        for (word, _) in classes.deg.iter().filter(|(_, degree)| *degree == name) {
            listing.meanings.push((lexicon::lemma(word), name.to_owned()));
        }
        listing.surfaces.push(name.to_owned());
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::Listing;
    use super::fragments_needed;
    use crate::domain::evolution::induction::cluster::Cluster;
    use crate::domain::evolution::induction::decision::Decision;
    use crate::domain::evolution::induction::decision::Kind;
    use crate::domain::evolution::induction::decision::Named;
    use crate::domain::evolution::induction::fragment::Fragment;
    use crate::domain::evolution::induction::meanings::Meanings;
    use crate::domain::evolution::induction::pooled;
    use crate::domain::evolution::induction::values;
    use crate::domain::pool::grounds::NameSource;
    use crate::domain::template::key::KeyType;
    use crate::domain::time::At;

    #[test]
    fn a_value_keeps_the_noun_behind_it_unless_the_key_is_called_after_that_z111() {
        let texts = [
            "by credit card please",
            "a credit card",
            "I have a credit card",
            "with my credit card",
            "a debit card please",
            "by debit card",
            "I use a debit card",
            "with my debit card",
        ];
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let cluster = Cluster::count(texts.map(read).to_vec(), vec![read("four bags to check in")]);
        let listed = |name: &str, entity: &str| {
            let named = Named::by(NameSource::Noun, name);
            let found = values::find(&cluster, entity);
            let decision = Decision::among(Kind::Closed, KeyType::String, named, found);
            let listing = Listing::of(&cluster, &decision, entity, &Meanings::default(), true);
            let meant: Vec<Option<String>> = ["debit card please", "my debit"]
                .map(|text| listing.value_in(&read(text)).map(|meant| meant.value.to_owned()))
                .into();
            (listing.values, meant)
        };
        let (values, meant) = listed("payment_method", "flight");
        assert_eq!(values, ["credit card", "debit card"]);
        assert_eq!(meant, [Some("debit card".to_owned()), Some("debit card".to_owned())]);
        assert_eq!(listed("card_type", "flight").0, ["credit", "debit"]);
        assert_eq!(listed("payment_method", "card").0, ["credit", "debit"]);
    }

    #[test]
    fn a_value_keeps_what_somebody_writes_with_it_as_one_word_z111() {
        let texts = [
            "at the drive-in please",
            "the drive in",
            "by the drive in",
            "I take the drive in",
            "at the counter please",
            "the counter",
            "from the counter",
            "I take the counter",
        ];
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let listed = |texts: [&str; 8]| {
            let cluster = Cluster::count(texts.map(read).to_vec(), vec![read("four bags to check in")]);
            let named = Named::by(NameSource::Noun, "pickup_point");
            let found = values::find(&cluster, "flight");
            let decision = Decision::among(Kind::Closed, KeyType::String, named, found);
            Listing::of(&cluster, &decision, "flight", &Meanings::default(), true).values
        };
        assert_eq!(listed(texts), ["counter", "drive in"]);
        assert_eq!(
            listed(texts.map(|text| match text {
                "at the drive-in please" => "at the drive in please",
                other => other,
            })),
            ["counter", "drive"]
        );
    }

    #[test]
    fn what_neither_names_nor_describes_is_no_value_z111() {
        for (word, is_value) in [
            ("walnut", true),
            ("remote", true),
            ("upstairs", true),
            ("before", false),
            ("once", false),
        ] {
            assert_eq!(super::ordinary(word), is_value, "{word}");
        }
    }

    #[test]
    fn values_are_listed_when_enough_ask_for_them_to_be_told_apart_z111() {
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let listing = |said: &[(&str, usize)]| {
            let texts = said
                .iter()
                .flat_map(|(text, times)| std::iter::repeat_n(read(text), *times));
            let cluster = Cluster::count(texts.collect(), vec![read("four bags to check in")]);
            let named = Named::by(NameSource::Noun, "board");
            let found = values::find(&cluster, "flight");
            let decision = Decision::among(Kind::Closed, KeyType::String, named, found);
            Listing::of(&cluster, &decision, "flight", &Meanings::default(), true)
        };
        let boards = |more: usize| {
            listing(&[
                ("an oak board", 4),
                ("a walnut board please", 4),
                ("one pine board", 3 + more),
            ])
        };
        let (short, enough) = (boards(0), boards(1));
        assert_eq!((short.values.len(), short.unproven.len()), (0, 3), "eleven of twelve");
        assert_eq!(
            (enough.values.len(), enough.unproven.len()),
            (3, 0),
            "four for each pair"
        );
        assert_eq!(short.found(), ["oak", "walnut", "pine"]);
        let pine = short.value_in(&read("pine again")).map(|meant| meant.value);
        assert_eq!(pine, Some("pine"), "what is said for it means it all the same");
        let beside = |others: usize| listing(&[("an oak board", 5), ("a walnut board please", 4), ("please", others)]);
        assert_eq!(beside(11).values, ["oak", "walnut"], "nine of twenty");
        assert_eq!(beside(12).unproven, ["oak", "walnut"], "most ask for neither");
        assert_eq!((fragments_needed(2, 8), fragments_needed(5, 60)), (4, 40));
        assert_eq!(fragments_needed(2, 21), 10, "nearly half of them");
    }
}
