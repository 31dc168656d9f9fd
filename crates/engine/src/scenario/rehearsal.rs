//! The rehearsal of a candidate: which key will come of it, which history it is tried on, and what that foretells.
//!
//! Runs beside the scenario's actor, on a copy of what it needs: the decision itself is asked beforehand ([`decide`]), so that a
//! candidate that comes to nothing costs nothing. Texts come in newest first from whoever holds the journal; how many
//! are taken is bounded by policy. Knows no journal.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::evolution::backtest;
use crate::evolution::backtest::Backtest;
use crate::evolution::backtest::Experience;
use crate::evolution::backtest::Past;
use crate::evolution::backtest::Said;
use crate::evolution::policy::EvolutionPolicy;
use crate::pool::assignment::Assignment;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::pool::micro::MicroId;
use crate::scenario::command::Command;
use crate::scenario::decide;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use crate::scenario::submission::Sealed;
use crate::scenario::submission::Submitted;
use schema::closed_list;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::time::At;
use schema::time::DAY_MS;

/// Journal records looked at for each submission that may be taken: facts and decisions lie between them.
const RECORDS_PER_SUBMISSION_MAX: usize = 8;

/// A candidate to be tried, and the history gathered for it so far.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    key: KeyDefinition,
    /// Whom the key is for.
    audience: Audience,
    cohorts: Cohorts,
    /// Micro-clusters of its cluster.
    members: BTreeSet<MicroId>,
    experience: Experience,
    policy: EvolutionPolicy,
    at: At,
    since: At,
    /// Fragments that may ask for it, by submission, and whether each is a member.
    placed: BTreeMap<u64, Vec<(u32, bool)>>,
    records_left: usize,
    history: Vec<Past>,
}

/// Prepares the rehearsal of the key that a command will come to; `None` where none will, or where history is not asked.
pub fn prepare(state: &State, command: &Command, policy: &Policy) -> Option<Rehearsal> {
    if policy.evolution.backtest_days <= 0 {
        return None;
    }
    let Command::Induce { cluster, audience, .. } = command else {
        return None;
    };
    let events = decide::decide(state, command.clone(), state.at, policy).ok()?;
    let patch = events.iter().find_map(|event| state.put_forward(event))?;
    of(state, *cluster, audience, &patch.change, policy)
}

/// Prepares the rehearsal of a change that a cluster came to, whatever was proposed of it.
pub fn of(
    state: &State,
    cluster: ClusterId,
    audience: &Audience,
    change: &KeyChange,
    policy: &Policy,
) -> Option<Rehearsal> {
    let max = policy.evolution.backtest_submissions_max;
    if policy.evolution.backtest_days <= 0 || max == 0 {
        return None;
    }
    Some(Rehearsal {
        key: definition(state, audience, change, policy)?,
        audience: audience.clone(),
        cohorts: policy.cohorts.clone(),
        members: state.pool.micros_of(cluster).map(|micro| micro.id).collect(),
        experience: experience(state, policy),
        policy: policy.evolution.clone(),
        at: state.at,
        since: state.at.plus_ms(policy.evolution.backtest_days.saturating_mul(-DAY_MS)),
        placed: BTreeMap::new(),
        records_left: max.saturating_mul(RECORDS_PER_SUBMISSION_MAX),
        history: Vec::new(),
    })
}

/// The key as a change leaves it; `None` where it refines one that is not there.
pub fn definition(state: &State, audience: &Audience, change: &KeyChange, policy: &Policy) -> Option<KeyDefinition> {
    match change {
        KeyChange::Add(key) => Some(key.clone()),
        KeyChange::Refine {
            key_name,
            semantic_description,
            values,
            closes,
        } => {
            let at = state.at;
            let known = keys::incumbents(Situation { state, at, policy }, audience);
            let mut key = known
                .into_iter()
                .find(|key| key.definition.key_name == *key_name)?
                .definition;
            key.semantic_description.clone_from(semantic_description);
            closed_list::take_in(&mut key.constraints, values, *closes);
            Some(key)
        }
    }
}

/// What the scenario's other keys came to: payloads with the key over those that their backtests foretold, values aligned
/// over judged, values of right type over payloads with the key. A key counts once there is as much data as a decision
/// needs.
fn experience(state: &State, policy: &Policy) -> Experience {
    let evolution = &policy.evolution;
    // Parts and wholes of adoption, alignment and type.
    let mut sums = [(0.0, 0.0); 3];
    let mut add = |place: usize, part: f64, whole: f64| {
        sums[place].0 += part;
        sums[place].1 += whole;
    };
    for patch in &state.patches {
        let reading = state.ledger.read(&patch.patch_id, state.at, evolution.window_days);
        let foretold = patch.backtest.as_ref().and_then(|backtest| backtest.if_all.as_ref());
        let payloads = reading.payloads_of(&patch.audience);
        if payloads >= evolution.trial_payloads_min
            && let (Some(usage), Some(foretold)) = (reading.usage(&patch.audience), foretold)
        {
            let payloads = payloads as f64;
            add(0, usage * payloads, foretold.usage * payloads);
        }
        if reading.judged >= evolution.trial_judgements_min {
            add(1, reading.aligned as f64, reading.judged as f64);
            add(2, reading.type_ok as f64, reading.payloads_with_key as f64);
        }
    }
    let [adoption, alignment, value_type_correctness] =
        sums.map(|(part, whole)| (whole > 0.0).then(|| f64::min(part / whole, 1.0)));
    Experience {
        adoption,
        alignment,
        value_type_correctness,
    }
}

impl Rehearsal {
    /// Takes the next older entry; whether an older one is wanted still. `sealed` gives a submission's sealed part.
    pub fn take(&mut self, seq: u64, at: At, event: &Event, sealed: impl FnOnce() -> Option<Sealed>) -> bool {
        if self.records_left == 0 || at < self.since {
            return false;
        }
        self.records_left -= 1;
        match event {
            Event::Digested { of, placements, .. } => {
                let asking = self.asking(placements);
                self.placed.insert(*of, asking);
            }
            // An extension request brings no payload that could have held the key.
            Event::Submitted(submitted) if submitted.requested => {
                self.placed.remove(&seq);
            }
            Event::Submitted(submitted) => self.submitted(seq, at, submitted, sealed),
            _ => {}
        }
        self.history.len() < self.policy.backtest_submissions_max
    }

    /// The fragments of one submission that may ask for the key, and whether each is a member of its cluster or held by the key itself.
    /// What another key holds, or what carries no demand, asks for nothing.
    fn asking(&self, placements: &[Assignment]) -> Vec<(u32, bool)> {
        let asks = |assigned: &Assignment| match assigned {
            Assignment::Joined { fragment, micro, .. } => Some((fragment.ordinal, self.members.contains(micro))),
            Assignment::Covered { fragment, key } => (*key == self.key.key_name).then_some((fragment.ordinal, true)),
            Assignment::Dropped { .. } | Assignment::Failed { .. } => None,
        };
        placements.iter().filter_map(asks).collect()
    }

    fn submitted(&mut self, seq: u64, at: At, submitted: &Submitted, sealed: impl FnOnce() -> Option<Sealed>) {
        let placed = self.placed.remove(&seq);
        let own = self.cohorts.reaches(&self.audience, submitted.client.as_ref());
        // What was not digested yet cannot be asked.
        if !submitted.accepted || !own || (submitted.fragments > 0 && placed.is_none()) {
            return;
        }
        let said = match placed.filter(|placed| !placed.is_empty()) {
            None => Vec::new(),
            Some(placed) => {
                let Some(sealed) = sealed() else { return };
                let said = placed.into_iter().filter_map(|(ordinal, is_member)| {
                    let text = sealed.fragments.get(usize::try_from(ordinal).ok()?)?.clone();
                    Some(Said { text, is_member })
                });
                said.collect()
            }
        };
        let carried = submitted.observed.iter().find(|seen| seen.key == self.key.key_name);
        self.history.push(Past {
            at,
            client: submitted.client.clone(),
            carried: carried.map(|seen| seen.type_ok),
            said,
        });
    }

    /// Tries the key on what was gathered.
    pub fn found(&self) -> Backtest {
        backtest::backtest(&self.key, &self.history, self.experience, self.at, &self.policy)
    }

    /// Tries the key, and puts what that foretells into the command that will propose it.
    pub fn finish(self, mut command: Command) -> Command {
        let found = self.found();
        if let Command::Induce {
            outcome: Ok(induced), ..
        } = &mut command
        {
            induced.backtest = Some(Box::new(found));
        }
        command
    }
}

#[cfg(test)]
mod tests;
