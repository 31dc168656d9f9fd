//! A candidate that is settled as far as the rules can: what a model may still be asked about it, and what becomes of the
//! answers (DESIGN §6).
//!
//! Asks nobody itself. Invariant: without an answer it ends in what the rules said.

use serde_json::Value;

use crate::domain::evolution::conflict;
use crate::domain::evolution::conflict::doubt;
use crate::domain::evolution::induction::Draft;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::question::Part;
use crate::domain::evolution::question::Question;
use crate::domain::evolution::screen::Screen;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::command::Induced;
use crate::domain::scenario::decide::induce;
use crate::domain::scenario::policy::Policy;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::name::KeyName;

/// A candidate with everything that the rules know of it.
#[derive(Clone, Debug)]
pub struct Consultation {
    /// What may be shown of what was said.
    pub screen: Screen,
    pub cluster: ClusterId,
    pub audience: Audience,
    pub scenario: String,
    pub description: String,
    pub incumbents: Vec<EffectiveKey>,
    pub draft: Draft,
    pub known: Meanings,
    pub induced: Induced,
    /// Whether the cluster has its key already and was read again for it: a model was asked when that was found.
    pub has_key: bool,
}

impl Consultation {
    /// What is asked about name, type, values and description; `None` where the fragments must not be shown, or the key is
    /// there.
    pub fn naming(&self) -> Option<Question> {
        if self.has_key {
            return None;
        }
        let shows = |text: &str| self.screen.shows(text);
        self.draft.question(&self.induced.proposal, &self.known, &shows)
    }

    /// Takes what passes of the answer of a model.
    #[must_use]
    pub fn named(mut self, answer: &Value, by: &str) -> Consultation {
        let others: Vec<&KeyName> = self.incumbents.iter().map(|key| &key.definition.key_name).collect();
        let (proposal, parts) = self.draft.advised(&self.induced.proposal, &self.known, answer, &others);
        // What does not pass the screen stays what the rules made of it.
        let screened = (!parts.is_empty()).then(|| self.screen.pass(proposal, parts.contains(&Part::Name)));
        if let Some(Ok(proposal)) = screened {
            self.induced.proposal = proposal;
            self.induced.consulted.model = Some(by.to_owned());
            self.induced.consulted.parts = parts;
        }
        self
    }

    /// What is asked about keys of which the rules cannot tell whether they are the candidate, the likeliest first; the
    /// first yes ends it. Nothing where the candidate is one client's own, or sensitive.
    pub fn doubts(&self, policy: &Policy) -> Vec<(KeyName, Question)> {
        if self.has_key || matches!(self.audience, Audience::Client(_)) || self.induced.proposal.sensitive.is_some() {
            return Vec::new();
        }
        let induced = &self.induced;
        let likely = conflict::likelihoods(
            &induced.relation,
            induced.meaning.as_ref(),
            induced.centroid.as_ref(),
            &induced.against(&self.incumbents),
        );
        let candidate = &induced.proposal.key;
        doubt::doubtful(candidate, &likely, &induce::rulings(&induced.consulted, policy))
            .into_iter()
            .map(|key| {
                let question = doubt::question(&self.scenario, &self.description, candidate, key);
                (key.key_name.clone(), question)
            })
            .collect()
    }

    /// Takes the answer about one key; whether it was a yes.
    pub fn ruled(&mut self, key: KeyName, answer: &Value, by: &str) -> bool {
        let Some(same) = doubt::answer(answer) else {
            return false;
        };
        self.induced.consulted.model = Some(by.to_owned());
        self.induced.consulted.same_key.insert(key, same);
        same
    }

    /// What it ends in.
    pub fn into_command(self) -> Command {
        Command::Induce {
            cluster: self.cluster,
            audience: self.audience,
            outcome: Ok(Box::new(self.induced)),
        }
    }
}
