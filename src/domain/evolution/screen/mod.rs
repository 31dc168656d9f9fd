//! The screen: what must hold of a proposal before it is staged, whoever or whatever made it (Z-041, Z-112, Z-165, Z-169 … Z-171).
//!
//! Takes a proposal and what was said, and gives the same proposal without anything that tells of one client, with what a person
//! has to look at first. Makes nothing up and reads no cluster. Invariants: no word of a key for others that fewer clients said
//! than the policy asks for, but those of the publisher and of the product's own tables; no example of a switch that says the
//! opposite of its name.

pub mod example;
pub mod heard;
pub mod language;
pub mod orders;
pub mod person;

pub mod plain;
pub mod polarity;
pub mod sensitive;
pub mod told;

use serde_json::Value;
use serde_json::json;

use crate::domain::evolution::induction::Abstention;
use crate::domain::evolution::induction::wording;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::screen::heard::Heard;
use crate::domain::evolution::screen::told::Told;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::hold::Hold;
use crate::domain::pool::privacy;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::proposal::Shown;
use crate::domain::template::closed_list;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::ClientId;

/// Examples in one description, and how many there shall be where as much was said in different words.
const EXAMPLES_MAX: usize = 4;
const EXAMPLES_WANTED: usize = 3;

/// Words that make a name of what clients said, and tell nothing of them.
const SHAPE: &[&str] = &[
    "has",
    "have",
    "is",
    "are",
    "needs",
    "wants",
    "with",
    "number",
    "of",
    "name",
    "title",
    "time",
    "date",
    "type",
    "kind",
    "preference",
    "count",
    "amount",
    "max",
    "min",
    "level",
    "per",
    "in",
    "on",
    "for",
    "location",
    "city",
    "address",
    "option",
    "duration",
    "choice",
];

/// What somebody said, and who; `None` where nobody knows.
pub type Text = (String, Option<ClientId>);

/// What was said around a proposal, and to whom it will be shown.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// The cluster's fragments.
    members: Vec<Text>,
    /// Other fragments of the pool.
    around: Vec<Text>,
    heard: Heard,
    /// Whether only the one client sees it who said all of it.
    personal: bool,
    /// What each model tells of the members.
    pub told: Vec<Told>,
    /// Whether a model that should have told could not.
    pub unread: bool,
}

impl Screen {
    /// Of a cluster and the pool around it; `published` are the publisher's own texts.
    pub fn of(members: Vec<Text>, around: Vec<Text>, published: &[String], clients_min: u64, personal: bool) -> Screen {
        let all = members.iter().chain(&around);
        let said = all.map(|(text, client)| (text.as_str(), client.as_ref()));
        let heard = Heard::count(said, published.iter().map(String::as_str), clients_min);
        Screen {
            members,
            around,
            heard,
            personal,
            told: Vec::new(),
            unread: false,
        }
    }

    /// Whether a text may be shown to others as it was said.
    pub fn shows(&self, text: &str) -> bool {
        self.personal || (self.heard.shares_all(text) && is_open(text))
    }

    /// Screens a proposal; `named_by_model` says that its name is the word of a model, which saw nothing that may not be shown.
    ///
    /// # Errors
    /// Why there is none: its name tells of one client, or no example of it may be shown.
    pub fn pass(&self, mut proposal: Proposal, named_by_model: bool) -> Result<Proposal, Abstention> {
        let texts = || self.members.iter().map(|(text, _)| text.as_str());
        let name = proposal.key.key_name.as_str().to_owned();
        let sensitive = proposal.key.sensitive.or_else(|| sensitive::of(&name, texts()));
        let by_model = || self.largest_share(|told| &told.sensitive) >= sensitive::BY_MODEL_MIN;
        let sensitive = sensitive.or_else(|| by_model().then(|| sensitive::likeliest(texts())));
        proposal.key.sensitive = sensitive;
        proposal.sensitive = sensitive.map(|sensitive| sensitive::word(sensitive).to_owned());
        proposal.holds = self.holds(&proposal);
        if !self.personal {
            if !named_by_model && !self.shows_name(&name, proposal.grounds.name.source) {
                return Err(Abstention::NoName);
            }
            self.screen_values(&mut proposal);
        }
        let shown = self.examples(&proposal);
        if shown.is_empty() && !self.personal {
            return Err(Abstention::Examples);
        }
        let values = closed_list::values(&proposal.key.constraints).unwrap_or_default();
        proposal.key.semantic_description = wording::describe(proposal.about.clone(), &values, &shown);
        Ok(proposal)
    }

    /// Whether enough of what was said reads like orders.
    fn instructs(&self) -> Option<Hold> {
        let by_words = self.members.iter();
        let by_words = orders::share(by_words.map(|(text, client)| (orders::orders(text), client.as_ref())));
        let by_model = self.largest_share(|told| &told.orders);
        (by_words >= orders::BY_WORDS_MIN || by_model >= orders::BY_MODEL_MIN).then_some(Hold::Instruction)
    }

    /// What a person has to look at first.
    fn holds(&self, proposal: &Proposal) -> Vec<Hold> {
        let members = || self.members.iter().map(|(text, _)| text.as_str());
        let mut holds: Vec<Hold> = self.instructs().into_iter().collect();
        let pool = members().chain(self.around.iter().map(|(text, _)| text.as_str()));
        if !language::is_english(members(), pool) {
            holds.push(Hold::Language);
        }
        let name = proposal.key.key_name.as_str();
        let is_switch = proposal.key.key_type == KeyType::Boolean;
        let is_unclear = |text: &&str| {
            if is_switch {
                polarity::meant(name, text).is_none()
            } else {
                polarity::denies(text)
            }
        };
        let unclear = members().filter(is_unclear).count();
        if unclear as f64 > polarity::UNCLEAR_MAX * self.members.len() as f64 {
            holds.push(Hold::Polarity);
        }
        if self.unread {
            holds.push(Hold::Unscreened);
        }
        holds
    }

    /// The share of the members that a model tells something of, an even chance or more, as [`orders::share`] counts; of several models'
    /// the largest.
    fn largest_share(&self, scores: impl Fn(&Told) -> &Vec<f64>) -> f64 {
        let shares = self.told.iter().map(|told| {
            let scored = scores(told).iter().zip(&self.members);
            orders::share(scored.map(|(score, (_, client))| (*score >= 0.0, client.as_ref())))
        });
        shares.fold(0.0, f64::max)
    }

    /// Whether a name tells nothing of one client: it is out of the product's tables or the service's own keys, or made of words that
    /// enough clients said.
    fn shows_name(&self, name: &str, source: NameSource) -> bool {
        match source {
            NameSource::Untold | NameSource::Phrase | NameSource::Noun | NameSource::Pair | NameSource::Counted => name
                .split('_')
                .all(|word| SHAPE.contains(&word) || self.heard.shares_form(word)),
            NameSource::Vocabulary
            | NameSource::Sibling
            | NameSource::Role
            | NameSource::Unit
            | NameSource::Cue
            | NameSource::Prefix
            | NameSource::Party
            | NameSource::Service
            | NameSource::Type => true,
        }
    }

    /// Takes out of list, known values, evidence and grounds what may not be shown.
    fn screen_values(&self, proposal: &mut Proposal) {
        let shows = |value: &str| value == NONE || (self.heard.shares_forms(value) && is_open(value));
        if let Some(values) = closed_list::values(&proposal.key.constraints) {
            let kept: Vec<&str> = values.iter().copied().filter(|value| shows(value)).collect();
            if kept.iter().filter(|value| **value != NONE).count() >= 2 {
                let kept = json!(kept);
                proposal.key.constraints.insert("enum".to_owned(), kept);
            } else {
                proposal.key.constraints.shift_remove("enum");
                proposal.key.default_value = proposal.key.default_value.take().filter(Value::is_boolean);
            }
        }
        proposal.surfaces.retain(|surface| shows(surface));
        proposal.examples.retain(|example| self.shows(example));
        let grounds = &mut proposal.grounds;
        grounds.values.listed.retain(|counted| shows(&counted.value));
        let is_name =
            |name: &str| lexicon::vocabulary().iter().any(|term| term.name == name) || shows(&name.replace('_', " "));
        grounds.name.runners_up.retain(|other| is_name(&other.name));
        grounds.name.wanted = grounds.name.wanted.take().filter(|wanted| is_name(wanted));
    }

    /// The examples of the description: different values first, then the same in other words.
    fn examples(&self, proposal: &Proposal) -> Vec<Shown> {
        let name = proposal.key.key_name.as_str();
        let values = closed_list::values(&proposal.key.constraints);
        let listed = |shown: &Shown| {
            let value = shown.value.as_deref();
            // A value that is not listed any more is no example of the list.
            values
                .as_ref()
                .zip(value)
                .is_none_or(|(values, value)| values.contains(&value))
        };
        let mut shown: Vec<Shown> = Vec::new();
        for candidate in &proposal.shown {
            let Some(example) =
                example::shown(candidate, name, proposal.key.key_type, &self.heard, self.personal).filter(listed)
            else {
                continue;
            };
            if !shown
                .iter()
                .any(|other| other.fragment.eq_ignore_ascii_case(&example.fragment))
            {
                shown.push(example);
            }
        }
        let mut chosen: Vec<Shown> = Vec::new();
        let mut again: Vec<Shown> = Vec::new();
        for example in shown {
            let is_new = !chosen.iter().any(|other| other.value == example.value);
            if is_new && chosen.len() < EXAMPLES_MAX {
                chosen.push(example);
            } else {
                again.push(example);
            }
        }
        let room = EXAMPLES_WANTED.saturating_sub(chosen.len());
        chosen.extend(again.into_iter().take(room));
        chosen
    }
}

/// Whether nothing of a text is private, somebody's name, or an order.
fn is_open(text: &str) -> bool {
    !privacy::is_private(text) && !person::names_somebody(text) && !orders::orders(text)
}

#[cfg(test)]
mod tests;
