//! From a fragment to the value that it asks for, as far as rules can tell.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::cluster::is_person;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::fragment::Value;
use crate::domain::evolution::induction::listing::Listing;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::moment;
use crate::domain::evolution::moment::tense;
use crate::domain::evolution::negation;
use crate::domain::template::closed_list::NONE;

static NO_PREFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)no preference|not picky|(?:don't|doesn't) (?:care|matter)",
        r"|any(?:thing)? (?:is|will be|works)"
    ))
});
static NOTHING: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)\b(?:no|none|without)\b"));
static ONESELF: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)\b(?:me|myself|alone)\b"));
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)[%$€£]|percent|\b(?:dollars?|bucks?|usd|euros?|eur|pounds?|quid|hours?|hrs?|minutes?|mins?|nights?",
        r"|days?|weeks?|months?)\b"
    ))
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant that a test compiles")
}

/// A value and how sure it is, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    pub text: String,
    /// The span that it was read from.
    pub from: Option<Value>,
    pub confidence: f64,
    /// Whether it is mentioned to refuse it: "no window seat".
    pub refused: bool,
}

/// Maps fragments of one cluster.
#[derive(Clone, Debug)]
pub struct Mapping<'a> {
    pub kind: &'a Kind,
    pub listing: &'a Listing,
    /// Share of the fragments whose name follows a word.
    before_names: BTreeMap<String, f64>,
    /// Lemmas that at least 12 % say: what stands around values, and is part of none.
    frame: BTreeSet<String>,
}

impl<'a> Mapping<'a> {
    /// Without a cluster to learn from.
    pub fn plain(kind: &'a Kind, listing: &'a Listing) -> Mapping<'a> {
        Mapping {
            kind,
            listing,
            before_names: BTreeMap::new(),
            frame: BTreeSet::new(),
        }
    }

    /// Learns from the cluster which words stand before its names.
    pub fn learn(cluster: &Cluster, kind: &'a Kind, listing: &'a Listing) -> Mapping<'a> {
        let mut before_names: BTreeMap<String, f64> = BTreeMap::new();
        for fragment in &cluster.fragments {
            for value in fragment
                .values
                .iter()
                .filter(|v| matches!(v.tag, Tag::Name | Tag::Address))
            {
                if let Some(word) = fragment.before(*value).next_back() {
                    *before_names.entry(word.to_owned()).or_default() += 1.0 / cluster.size();
                }
            }
        }
        Mapping {
            kind,
            listing,
            before_names,
            frame: cluster
                .said
                .keys()
                .filter(|word| cluster.share_of(word) >= 0.12)
                .cloned()
                .collect(),
        }
    }

    /// The value that a fragment asks for.
    pub fn map(&self, fragment: &Fragment) -> Option<Mapped> {
        match self.kind {
            Kind::Date => wanted_first(fragment, &[Tag::Date]).find_map(|(value, refused)| {
                let tense = tense::of(&fragment.text, value.start, value.end);
                let date = moment::parse_date(fragment.value_text(value), tense, fragment.at)?;
                Some(Mapped {
                    text: date.to_string(),
                    from: Some(value),
                    confidence: 0.95,
                    refused,
                })
            }),
            Kind::Time => wanted_first(fragment, &[Tag::Time]).find_map(|(value, refused)| {
                let said = fragment.value_text(value);
                let (minutes, _) = moment::parse_time(said)?;
                Some(Mapped {
                    text: moment::clock(minutes),
                    from: Some(value),
                    confidence: if moment::is_of_either_half(said) { 0.45 } else { 0.95 },
                    refused,
                })
            }),
            Kind::Number => number(fragment, &[Tag::Number, Tag::Duration, Tag::Money]).or_else(|| implied(fragment)),
            Kind::Duration => number(fragment, &[Tag::Duration, Tag::Number]),
            Kind::Money => number(fragment, &[Tag::Money, Tag::Number]),
            Kind::Percent => number(fragment, &[Tag::Percent, Tag::Number]),
            Kind::Boolean => Some(sure((!refused(fragment)).to_string(), 0.7)),
            Kind::Closed | Kind::Level | Kind::Rhythm => match self.listing.value_in(fragment) {
                Some(meant) => Some(Mapped {
                    refused: !meant.wanted,
                    ..sure(meant.value.to_owned(), 0.9)
                }),
                None if self.listing.values.is_empty() => None,
                None => NO_PREFERENCE
                    .is_match(&fragment.text)
                    .then(|| sure(NONE.to_owned(), 0.6)),
            },
            Kind::Place(_) | Kind::Person | Kind::Title => self.name(fragment),
            Kind::Contact(contact) => {
                (fragment.contact == Some(*contact)).then(|| sure(contact.word().to_owned(), 0.9))
            }
        }
    }

    fn name(&self, fragment: &Fragment) -> Option<Mapped> {
        let mut best: Option<(bool, f64, Value)> = None;
        for (value, refused) in wanted_first(fragment, &[Tag::Name, Tag::Address]) {
            let text = fragment.value_text(value);
            let cue = fragment
                .before(value)
                .next_back()
                .and_then(|word| self.before_names.get(word))
                .copied()
                .unwrap_or(0.0);
            let fits = match self.kind {
                Kind::Place(_) => value.tag == Tag::Address || lexicon::place(&text.to_lowercase()),
                Kind::Person => is_person(text),
                _ => false,
            };
            let score = 2.0 * cue + 0.01 * text.chars().count() as f64 + if fits { 0.3 } else { 0.0 };
            if best.is_none_or(|(other, most, _)| (other && !refused) || (other == refused && score > most)) {
                best = Some((refused, score, value));
            }
        }
        let best = best.map(|(refused, score, value)| match self.kind {
            Kind::Title => (refused, self.title(fragment, value, score)),
            _ => (refused, (score, value)),
        });
        best.map(|(refused, (score, value))| Mapped {
            text: fragment
                .value_text(value)
                .trim_end_matches("'s")
                .trim_matches([' ', '.', ',', '!', '?'])
                .to_owned(),
            from: Some(value),
            confidence: (0.6 + score).min(1.0),
            refused,
        })
        .filter(|mapped| !mapped.text.is_empty())
    }
}

impl Mapping<'_> {
    /// A title with the nouns behind it that are no frame of the cluster: `Salon visit`. A title that a frame noun follows
    /// may have been cut short and is less sure.
    fn title(&self, fragment: &Fragment, value: Value, score: f64) -> (f64, Value) {
        let mut whole = value;
        for (token, lemma) in fragment.tokens.iter().zip(&fragment.lemmas) {
            if token.start < whole.end {
                continue;
            }
            let near = fragment.text.get(whole.end..token.start) == Some(" ");
            if !near || !lexicon::noun(&token.word) || !fragment.outside(token) {
                break;
            }
            if self.frame.contains(lemma) {
                return (score - 0.3, whole);
            }
            whole.end = token.end;
        }
        (score, whole)
    }
}

/// Whether a fragment will not have what it speaks of: who travels alone shares nothing.
pub fn refused(fragment: &Fragment) -> bool {
    fragment.says(&["alone"]) || !negation::refusals(&fragment.text, &fragment.tokens).is_empty()
}

fn sure(text: String, confidence: f64) -> Mapped {
    Mapped {
        text,
        from: None,
        confidence,
        refused: false,
    }
}

/// The values of some kinds, those that are asked for before those that are refused; `true` beside the latter.
fn wanted_first<'f>(fragment: &'f Fragment, tags: &'f [Tag]) -> impl Iterator<Item = (Value, bool)> {
    let read = fragment.values.iter().filter(|value| tags.contains(&value.tag));
    let (refused, wanted): (Vec<Value>, Vec<Value>) = read.copied().partition(|value| fragment.denies(*value));
    let wanted = wanted.into_iter().map(|value| (value, false));
    wanted.chain(refused.into_iter().map(|value| (value, true)))
}

/// The first span of the kinds in order: the first kind is sure, a neighbouring one less so.
fn number(fragment: &Fragment, tags: &[Tag]) -> Option<Mapped> {
    tags.iter().enumerate().find_map(|(rank, tag)| {
        let (value, refused) = wanted_first(fragment, &[*tag]).next()?;
        let plain = UNIT.replace_all(fragment.value_text(value), " ");
        let plain = plain.trim();
        // "a night" is one night.
        let number = lexicon::number(plain).or_else(|| matches!(plain, "a" | "an").then_some(1.0))?;
        Some(Mapped {
            text: number.to_string(),
            from: Some(value),
            confidence: if rank == 0 { 0.9 } else { 0.6 },
            refused,
        })
    })
}

fn implied(fragment: &Fragment) -> Option<Mapped> {
    // "Call me on …" is one person's number, and counts nobody.
    if fragment.contact.is_some() {
        None
    } else if ONESELF.is_match(&fragment.text) {
        Some(sure("1".to_owned(), 0.4))
    } else {
        NOTHING.is_match(&fragment.text).then(|| sure("0".to_owned(), 0.4))
    }
}
