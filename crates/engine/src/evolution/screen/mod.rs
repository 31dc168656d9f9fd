//! The screen: what must hold of a proposal before it is staged, whoever or whatever made it (Z-041, Z-112, Z-165, Z-169 … Z-171).
//!
//! Takes a proposal and what was said, and gives the same proposal without anything that tells of one client, with what a person
//! has to look at first. Makes nothing up and reads no cluster. Invariants: no word of a key for others that fewer clients said
//! than the policy asks for, but those of the publisher.

pub mod heard;
pub mod orders;
pub mod person;
pub mod sensitive;
pub mod told;

use std::collections::BTreeSet;

use crate::evolution::screen::heard::Heard;
use crate::evolution::screen::told::Told;
use crate::pool::hold::Hold;
use crate::pool::proposal::Proposal;
use crate::pool::proposal::Shown;
use schema::name::ClientId;
use text::personal_data;

/// Characters of an induced description.
const DESCRIPTION_MAX: usize = 400;
/// Examples in one description.
const EXAMPLES_MAX: usize = 3;
/// Share of the clients' fragments that a model takes for demand before a key of them needs no look: of wishes it finds nine in ten, of
/// thanks, questions and remarks it takes two or three in ten for one.
const DEMAND_MIN: f64 = 0.6;

/// What somebody said, and who; `None` where nobody knows.
pub type Text = (String, Option<ClientId>);

/// What was said around a proposal, and to whom it will be shown.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// The cluster's fragments.
    members: Vec<Text>,
    /// Who said which word, in the cluster and around it.
    pub heard: Heard,
    /// Whether only the one client sees it who said all of it.
    personal: bool,
    /// What each model tells of the members.
    pub told: Vec<Told>,
    /// Whether a model that should have told could not.
    pub unread: bool,
}

/// Whether a text may be shown to others as it was said, by who said its words.
pub fn may_show(heard: &Heard, text: &str) -> bool {
    heard.shares_all(text) && is_open(text)
}

impl Screen {
    /// Of a cluster and the pool around it; `published` are the publisher's own texts.
    pub fn of(members: Vec<Text>, around: Vec<Text>, published: &[String], clients_min: u64, personal: bool) -> Screen {
        let all = members.iter().chain(&around);
        let said = all.map(|(text, client)| (text.as_str(), client.as_ref()));
        let heard = Heard::count(said, published.iter().map(String::as_str), clients_min);
        Screen {
            members,
            heard,
            personal,
            told: Vec::new(),
            unread: false,
        }
    }

    /// Whether a text may be shown to others as it was said.
    pub fn shows(&self, text: &str) -> bool {
        self.personal || may_show(&self.heard, text)
    }

    /// Whether enough of what was said reads like orders.
    fn instructs(&self) -> Option<Hold> {
        let by_words = self.members.iter();
        let by_words = orders::share(by_words.map(|(text, client)| (orders::orders(text), client.as_ref())));
        let by_model = self.largest_share(|told| &told.orders);
        (by_words >= orders::BY_WORDS_MIN || by_model >= orders::BY_MODEL_MIN).then_some(Hold::Instruction)
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

    /// Screens a proposal whose name is made of words that [`Heard::shares`].
    #[must_use]
    pub fn pass(&self, mut proposal: Proposal) -> Proposal {
        let texts = || self.members.iter().map(|(text, _)| text.as_str());
        let name = proposal.key.key_name.as_str().to_owned();
        let by_model = || self.largest_share(|told| &told.sensitive) >= sensitive::BY_MODEL_MIN;
        let sensitive = sensitive::of(&name, texts());
        let told = proposal.key.sensitive.is_some();
        proposal.key.sensitive = sensitive.or_else(|| (told || by_model()).then(|| sensitive::likeliest(texts())));
        proposal.sensitive = proposal
            .key
            .sensitive
            .map(|sensitive| sensitive::word(sensitive).to_owned());
        proposal.holds.extend(self.instructs());
        let is_told = self.told.iter().any(|told| !told.demand.is_empty());
        // Whoever read it says that something is asked for.
        if is_told && !proposal.is_read() && self.largest_share(|told| &told.demand) < DEMAND_MIN {
            proposal.holds.push(Hold::Demand);
        }
        if self.unread {
            proposal.holds.push(Hold::Unscreened);
        }
        if !self.personal {
            proposal.surfaces.retain(|surface| self.shows(surface));
            proposal.examples.retain(|example| self.shows(example));
        }
        let shown = self.examples(&proposal);
        if shown.is_empty() && !self.personal && !proposal.is_read() {
            proposal.holds.push(Hold::Examples);
        }
        proposal.key.semantic_description = describe(&proposal.about, &shown);
        proposal
    }

    /// Different values first, then the same in other words.
    fn examples(&self, proposal: &Proposal) -> Vec<Shown> {
        let (mut said, mut values) = (BTreeSet::new(), BTreeSet::new());
        let mut may = |shown: &&Shown| self.shows(&shown.fragment) && said.insert(shown.fragment.to_lowercase());
        let shown = proposal.shown.iter().filter(|shown| may(shown)).cloned();
        let (first, again): (Vec<Shown>, Vec<Shown>) = shown.partition(|shown| values.insert(shown.value.clone()));
        first.into_iter().chain(again).take(EXAMPLES_MAX).collect()
    }
}

/// What the key is, and examples; those that do not fit are left out from the end.
fn describe(about: &str, examples: &[Shown]) -> String {
    let mut text = about.to_owned();
    let mut open = String::new();
    for example in examples {
        let lead = if open.is_empty() { " Examples: " } else { "; " };
        let next = match &example.value {
            Some(value) => format!("{lead}'{}' -> {value}", example.fragment),
            None => format!("{lead}'{}'", example.fragment),
        };
        if text.chars().count() + open.chars().count() + next.chars().count() < DESCRIPTION_MAX {
            open.push_str(&next);
        }
    }
    if !open.is_empty() {
        text.push_str(&open);
        text.push('.');
    }
    text.chars().take(DESCRIPTION_MAX).collect()
}

/// Whether nothing of a text is private, somebody's name, or an order.
pub fn is_open(text: &str) -> bool {
    !personal_data::is_private(text) && !person::names_somebody(text) && !orders::orders(text)
}

#[cfg(test)]
mod tests;
