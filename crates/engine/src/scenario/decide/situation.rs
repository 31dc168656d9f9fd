//! What a decision rests on: the state, the moment and the policy, and what is asked of these again and again.

use crate::evolution::guard::Occupancy;
use crate::evolution::ledger::KeyReading;
use crate::evolution::patch::Patch;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::evolution::stage_dwell;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;

#[derive(Clone, Copy, Debug)]
pub struct Situation<'s> {
    pub state: &'s State,
    /// Never earlier than the last entry.
    pub at: At,
    pub policy: &'s Policy,
}

impl<'s> Situation<'s> {
    pub fn evolution(self) -> &'s EvolutionPolicy {
        &self.policy.evolution
    }

    /// Who is served what is for an audience.
    pub fn addressed<'a>(self, audience: &'a Audience) -> Addressee<'a>
    where
        's: 'a,
    {
        self.policy.cohorts.addressed(audience)
    }

    /// What was measured of a key within the window.
    pub fn reading(self, patch: &Patch) -> KeyReading {
        let days = self.policy.evolution.window_days;
        self.state.ledger.read(&patch.patch_id, self.at, days)
    }

    /// What is on trial.
    pub fn occupancy(self) -> Occupancy<'s> {
        Occupancy::count(self.state.patches.iter())
    }

    /// Whether one more patch may begin its trial beside what is on trial.
    pub fn has_room(self, beside: &Occupancy<'_>, audience: &Audience) -> bool {
        beside.has_room(audience, self.evolution(), &self.policy.cohorts)
    }

    /// A trial that begins now (Z-141).
    pub fn trial(self) -> Trial {
        Trial {
            since: self.at,
            until: self.at.plus_s(self.policy.evolution.trial_s),
            extensions: 0,
        }
    }

    /// A promotion now.
    pub fn stable(self) -> Stage {
        Stage::Stable {
            since: self.at,
            next_look: self.at.plus_s(self.policy.evolution.trial_s),
        }
    }

    /// When a stage that a rule begins now ends by itself ([`stage_dwell`]).
    pub fn end(self, patch: &Patch, length_s: i64) -> At {
        stage_dwell::end(patch, self.at, length_s, self.evolution())
    }

    /// The moment from which a rule may change a patch's stage, where that lies ahead.
    pub fn not_before(self, patch: &Patch) -> Option<At> {
        stage_dwell::free_from(patch, self.evolution()).filter(|free| self.at < *free)
    }
}
