//! The screen of a proposal that was made of clients' words alone, in whatever language: nothing is masked and nothing cut out of a
//! text; what may not be shown as it was said is not shown (Z-112, Z-165, Z-171).

use crate::domain::evolution::induction::wording;
use crate::domain::evolution::screen::Screen;
use crate::domain::evolution::screen::is_open;
use crate::domain::evolution::screen::sensitive;
use crate::domain::pool::hold::Hold;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::proposal::Shown;

/// Examples in one description.
const EXAMPLES_MAX: usize = 3;

/// Share of the clients' fragments that a model takes for demand before a key of them needs no look: of wishes it finds nine in ten, of
/// thanks, questions and remarks it takes two or three in ten for one.
const DEMAND_MIN: f64 = 0.6;

impl Screen {
    /// Whether a word may stand in a name that others see.
    pub fn shares(&self, word: &str) -> bool {
        self.heard.shares(word)
    }

    /// Screens a proposal whose name is made of words that [`Screen::shares`].
    #[must_use]
    pub fn pass_plain(&self, mut proposal: Proposal) -> Proposal {
        let texts = || self.members.iter().map(|(text, _)| text.as_str());
        let name = proposal.key.key_name.as_str().to_owned();
        let by_model = || self.largest_share(|told| &told.sensitive) >= sensitive::BY_MODEL_MIN;
        let sensitive = sensitive::of(&name, texts());
        proposal.key.sensitive = sensitive.or_else(|| by_model().then(|| sensitive::likeliest(texts())));
        proposal.sensitive = proposal
            .key
            .sensitive
            .map(|sensitive| sensitive::word(sensitive).to_owned());
        proposal.holds.extend(self.instructs());
        let is_told = self.told.iter().any(|told| !told.demand.is_empty());
        if is_told && self.largest_share(|told| &told.demand) < DEMAND_MIN {
            proposal.holds.push(Hold::Demand);
        }
        if self.unread {
            proposal.holds.push(Hold::Unscreened);
        }
        if !self.personal {
            let shows = |value: &str| self.heard.shares_all(value) && is_open(value);
            proposal.surfaces.retain(|surface| shows(surface));
            proposal.examples.retain(|example| self.shows(example));
        }
        let shown = self.plain_examples(&proposal);
        if shown.is_empty() && !self.personal {
            proposal.holds.push(Hold::Examples);
        }
        let listed: [&str; 0] = [];
        proposal.key.semantic_description = wording::describe(proposal.about.clone(), &listed, &shown);
        proposal
    }

    /// Different values first, then the same in other words.
    fn plain_examples(&self, proposal: &Proposal) -> Vec<Shown> {
        let may = |shown: &&Shown| self.shows(&shown.fragment);
        let mut chosen: Vec<Shown> = Vec::new();
        for is_first_pass in [true, false] {
            for candidate in proposal.shown.iter().filter(may) {
                let is_new = !chosen.iter().any(|other| other.value == candidate.value);
                let is_said = chosen
                    .iter()
                    .any(|other| other.fragment.eq_ignore_ascii_case(&candidate.fragment));
                if chosen.len() < EXAMPLES_MAX && !is_said && (is_new || !is_first_pass) {
                    chosen.push(candidate.clone());
                }
            }
        }
        chosen
    }
}
