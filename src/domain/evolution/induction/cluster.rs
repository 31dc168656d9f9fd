//! A cluster against its background: which words it says more often than its neighbours, and which values it holds.
//!
//! Counts only; what follows for type and name is decided elsewhere. Invariant: every share lies in 0..=1.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::negation;
use crate::domain::pool::names;
use crate::domain::template::name::ClientId;

static YES_OR_NO: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)^(?:yes|yeah|yep|sure|ok|okay|no|nope|nah)\b",
        r"|\b(?:don't|do not|doesn't|not|without|wouldn't|isn't|no) (?:need|want|mind|like|have|be|problem|issue)",
        r"|\b(?:is|are|be|'s|am|i'm) (?:fine|ok|okay|acceptable|cool|good|not)\b"
    ))
});
static AT_MOST: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)\b(?:under|below|less than|at most|maximum|max|up to|not? (?:more|longer) than|cheaper than|within",
        r"|or (?:less|under|below|cheaper|lower)|tops)\b|(?:n['’]t|\bnot|\bnever)(?: \w+){0,3} (?:more than|over|above|exceed)\b",
    ))
});
static AT_LEAST: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"(?i)\b(?:at least|minimum|more than|over|above|or (?:higher|more|above|better|greater))\b")
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant that a test compiles")
}

/// Counts of a cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub fragments: Vec<Fragment>,
    pub background: Vec<Fragment>,
    /// Fragments that hold a lemma outside typed values, here and in the background.
    pub said: BTreeMap<String, u64>,
    pub background_said: BTreeMap<String, u64>,
    /// Nouns that many fragments hold, the most telling first.
    pub heads: Vec<String>,
    /// Shares of fragments with a place; a given name first; a name that is no ordinary word; a word never heard
    /// elsewhere; a word such as `called`; yes or no; an open question; any content at all.
    pub places: f64,
    pub persons: f64,
    pub proper: f64,
    pub novelty: f64,
    pub name_cues: f64,
    pub yes_or_no: f64,
    pub questions: f64,
    pub content: f64,
    /// Shares that set a bound from above or from below.
    pub at_most: f64,
    pub at_least: f64,
}

impl Cluster {
    /// Counts. `fragments` must not be empty.
    pub fn count(fragments: Vec<Fragment>, background: Vec<Fragment>) -> Cluster {
        let mut cluster = Cluster {
            said: document_frequency(&fragments),
            background_said: document_frequency(&background),
            fragments,
            background,
            heads: Vec::new(),
            places: 0.0,
            persons: 0.0,
            proper: 0.0,
            novelty: 0.0,
            name_cues: 0.0,
            yes_or_no: 0.0,
            questions: 0.0,
            content: 0.0,
            at_most: 0.0,
            at_least: 0.0,
        };
        cluster.heads = cluster.find_heads();
        cluster.places = cluster.share_where(|f| f.names().any(|name| lexicon::place(&name.to_lowercase())));
        cluster.persons = cluster.share_where(names_person);
        cluster.proper = cluster.share_where(|f| f.names().any(is_proper));
        cluster.novelty = cluster.find_novelty();
        cluster.name_cues = cluster.share_where(|f| f.context().any(|word| lexicon::classes().namecue.contains(word)));
        cluster.yes_or_no = cluster.share_where(|f| YES_OR_NO.is_match(&f.text));
        cluster.questions = cluster.share_where(|f| f.text.trim_end().ends_with('?') && f.values.is_empty());
        cluster.content = cluster.share_where(|f| {
            !f.values.is_empty()
                || f.context()
                    .any(|word| tells(word) && cluster.share_of(word) >= 0.08 && cluster.contrast(word) > 0.5)
        });
        cluster.at_most = cluster.share_where(|f| AT_MOST.is_match(&f.text));
        cluster.at_least = cluster.share_where(|f| AT_LEAST.is_match(&f.text));
        cluster
    }

    /// Number of fragments.
    pub fn size(&self) -> f64 {
        self.fragments.len().max(1) as f64
    }

    /// Share of the fragments for which something holds.
    pub fn share_where(&self, holds: impl Fn(&Fragment) -> bool) -> f64 {
        self.fragments.iter().filter(|fragment| holds(fragment)).count() as f64 / self.size()
    }

    /// Share of the fragments with a value of that kind.
    pub fn share(&self, tag: Tag) -> f64 {
        self.share_where(|fragment| fragment.has(tag))
    }

    /// Share of the fragments that hold a lemma outside typed values.
    pub fn share_of(&self, lemma: &str) -> f64 {
        self.said.get(lemma).copied().unwrap_or(0) as f64 / self.size()
    }

    /// Log odds of a lemma here against the background; zero is as often as everywhere.
    pub fn contrast(&self, lemma: &str) -> f64 {
        let odds = |count: u64, all: usize| {
            let (count, all) = (count as f64, all.max(1) as f64);
            ((count + 0.5) / (all - count + 0.5).max(0.5)).ln()
        };
        odds(self.said.get(lemma).copied().unwrap_or(0), self.fragments.len())
            - odds(
                self.background_said.get(lemma).copied().unwrap_or(0),
                self.background.len(),
            )
    }

    /// Share of the fragments that deny a lemma: "without insurance", "I don't need any insurance".
    pub fn denied(&self, lemma: &str) -> f64 {
        self.share_where(|fragment| denies(fragment, lemma))
    }

    /// Distinct clients among fragments for which something holds; all anonymous ones together are one.
    pub fn clients_where(&self, holds: impl Fn(&Fragment) -> bool) -> usize {
        self.fragments
            .iter()
            .filter(|fragment| holds(fragment))
            .map(|fragment| fragment.client.as_ref())
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// Distinct clients whose names are known.
    pub fn known_clients(&self) -> u64 {
        let clients: BTreeSet<&ClientId> = self.fragments.iter().filter_map(|f| f.client.as_ref()).collect();
        clients.len() as u64
    }

    fn find_heads(&self) -> Vec<String> {
        let least = (0.04 * self.size()).max(2.0);
        let classes = lexicon::classes();
        let mut heads: Vec<(f64, &String)> = self
            .said
            .iter()
            .filter(|(word, count)| {
                word.chars().count() > 2
                    && **count as f64 >= least
                    && lexicon::noun(word)
                    && !classes.verbish.contains(*word)
            })
            .map(|(word, _)| (-self.share_of(word) * self.contrast(word).max(0.1), word))
            .collect();
        heads.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
        heads.into_iter().map(|(_, word)| word.clone()).collect()
    }

    fn find_novelty(&self) -> f64 {
        let mut here: BTreeMap<&str, u64> = BTreeMap::new();
        for fragment in &self.fragments {
            for lemma in fragment.lemmas.iter().collect::<BTreeSet<_>>() {
                *here.entry(lemma.as_str()).or_default() += 1;
            }
        }
        let elsewhere: BTreeSet<&str> = self
            .background
            .iter()
            .flat_map(|fragment| fragment.lemmas.iter().map(String::as_str))
            .collect();
        self.share_where(|fragment| {
            fragment.lemmas.iter().any(|lemma| {
                here.get(lemma.as_str()) == Some(&1)
                    && !elsewhere.contains(lemma.as_str())
                    && !lexicon::stop(lemma)
                    && lemma.chars().next().is_some_and(char::is_alphabetic)
            })
        })
    }
}

/// Whether a word can say what a cluster is about: "it won't charge" does as well as "battery problem".
fn tells(word: &str) -> bool {
    let classes = lexicon::classes();
    let verb = !lexicon::stop(word) && !classes.verbish.contains(word) && lexicon::part_of_speech(word) == 'v';
    verb || lexicon::noun_or_adjective(word)
}

/// How many words behind a refusal what it refuses may follow.
const DENIED_WITHIN: usize = 5;

/// Whether a refusal stands before the lemma, in the same clause.
fn denies(fragment: &Fragment, lemma: &str) -> bool {
    let refusals = negation::refusals(&fragment.text, &fragment.tokens);
    let near = |refusal: usize, at: usize| {
        (refusal + 1..=refusal + DENIED_WITHIN).contains(&at)
            && !negation::clause_ends(&fragment.text, &fragment.tokens, refusal, at)
    };
    let mut lemmas = fragment.lemmas.iter().enumerate();
    lemmas.any(|(at, own)| own == lemma && refusals.iter().any(|refusal| near(*refusal, at)))
}

fn document_frequency(fragments: &[Fragment]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for fragment in fragments {
        for lemma in fragment.context().collect::<BTreeSet<_>>() {
            *counts.entry(lemma.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Whether a name looks like a person's: behind a title, or a given name first, and not many words.
pub fn is_person(name: &str) -> bool {
    if names::is_titled(name) {
        return true;
    }
    let mut words = name.split_whitespace();
    let first = words.next().map(str::to_lowercase);
    first.is_some_and(|first| lexicon::given_name(&first)) && words.count() <= 2
}

/// Whether a fragment names a person, also in small letters where the word can be nothing but a given name.
fn names_person(fragment: &Fragment) -> bool {
    let given = |word: &str| lexicon::given_name(word) && !lexicon::known(word) && !lexicon::place(word);
    let mut words = fragment.tokens.iter().filter(|token| fragment.outside(token));
    fragment.names().any(is_person) || words.any(|token| given(&token.word))
}

fn is_proper(name: &str) -> bool {
    name.split_whitespace().count() > 2
        || lexicon::tokens(name).iter().any(|token| {
            !lexicon::known(&token.word) || lexicon::given_name(&token.word) || lexicon::place(&token.word)
        })
}
