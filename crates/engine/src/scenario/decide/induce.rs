//! From a triggered cluster's candidate to a patch: conflict, approval, guard, packaging (Z-107, Z-109 … Z-119).
//!
//! A proposal is made anew while it waits or is on trial: twice as many say it by now as when it was made, or a reader read it
//! otherwise. Invariants: of one key and audience one refinement waits at a time, and what was turned down stays away for its
//! cool-down; what a person had a hand in stays as it is; of a key that clients use the wording alone changes, and its trial goes on; a
//! key that a client may hold keeps its name and its type: another key takes its place, and it is deprecated (Z-147, Z-151).

use std::collections::BTreeSet;

use crate::evolution::backtest::Backtest;
use crate::evolution::collision;
use crate::evolution::collision::Collision;
use crate::evolution::induction::Abstention;
use crate::evolution::patch::Patch;
use crate::evolution::patch::Remade;
use crate::evolution::patch::StageChange;
use crate::evolution::screen::sensitive;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::evolution::stage_dwell;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::hold::Hold;
use crate::pool::micro::ClusterId;
use crate::pool::proposal::Proposal;
use crate::pool::rationale::NearRule;
use crate::pool::rationale::Nearest;
use crate::scenario::command::Induced;
use crate::scenario::command::Refusal;
use crate::scenario::decide::dependents;
use crate::scenario::decide::fold;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::decide::stages;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::state::Base;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::effective::EffectiveKey;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::time::At;

/// Packages a candidate, or settles the cluster.
///
/// # Errors
/// [`Refusal::Done`] when the cluster is not waiting for an induction.
pub fn induce(
    now: Situation<'_>,
    cluster: ClusterId,
    audience: &Audience,
    outcome: Result<Box<Induced>, Abstention>,
) -> Result<Vec<Event>, Refusal> {
    let state = now.state;
    let Some(Claim::Inducing { since: _, gate }) = state.claim(cluster, audience) else {
        return Err(Refusal::Done);
    };
    if state.frozen.is_some() {
        // It is induced anew once evolution goes on, from what is known then.
        return Ok(Vec::new());
    }
    let base = state.base_in_force().ok_or(Refusal::Done)?;
    let settled = |settlement| Event::Settled {
        cluster,
        audience: audience.clone(),
        settlement,
    };
    // A key that has gone comes back, unless another went on in its place.
    let again = |patch: &Patch, backtest: Option<&Box<Backtest>>| match fold::survivor(now, patch) {
        Some(survivor) => settled(Settlement::Covered(survivor.change.key_name().clone())),
        None => match revived(now, patch) {
            Err(until) => settled(Settlement::CoolingDown(until)),
            Ok(stage) => Event::Revived {
                patch_id: patch.patch_id.clone(),
                cluster,
                gate: gate.clone(),
                stage,
                expiration: Patch::expiration_date(now.at, None, now.evolution()),
                backtest: backtest.cloned(),
            },
        },
    };
    let induced = match outcome {
        Ok(induced) => induced,
        Err(abstention) => {
            // What was served needs no new words to come back.
            return Ok(vec![match served_before(now, cluster, audience) {
                Some(patch) => again(patch, None),
                None => settled(Settlement::Abstained(abstention)),
            }]);
        }
    };
    if let Some(own) = keys::of_cluster(state, cluster, audience).find(|patch| is_due(state, patch)) {
        let stays = || vec![settled(Settlement::Covered(own.change.key_name().clone()))];
        let remade = remade(now, own, &induced, gate);
        return Ok(remade.unwrap_or_else(stays));
    }
    let candidate = Candidate::new(now, audience, &induced);
    let proposed = match candidate.change(keys::owner(state, cluster, audience)) {
        Fate::Settled(settlement) => return Ok(vec![settled(settlement)]),
        Fate::Back(patch) => return Ok(vec![again(patch, induced.backtest.as_ref())]),
        Fate::New(proposed) => proposed,
    };
    if matches!(audience, Audience::Client(_)) && is_personal_queue_full(now) {
        return Ok(vec![settled(Settlement::PersonalFull)]);
    }
    let patch = candidate.packaged(base, cluster, gate, *proposed);
    Ok(vec![Event::Proposed { patch: Box::new(patch) }])
}

/// What a candidate comes to.
enum Fate<'s> {
    Settled(Settlement),
    /// A key that has gone is wanted again.
    Back(&'s Patch),
    New(Box<Proposed>),
}

/// A change with what was found on the way to it.
struct Proposed {
    change: KeyChange,
    /// The name that it would have had, were that free.
    wanted: Option<String>,
    /// What holds it beside what the candidate brought.
    hold: Option<Hold>,
    nearest: Nearest,
}

/// An induced key beside all keys that it could collide with.
struct Candidate<'s> {
    now: Situation<'s>,
    audience: &'s Audience,
    induced: &'s Induced,
    keys: Vec<EffectiveKey>,
}

impl<'s> Candidate<'s> {
    fn new(now: Situation<'s>, audience: &'s Audience, induced: &'s Induced) -> Candidate<'s> {
        Candidate {
            now,
            audience,
            induced,
            keys: keys::incumbents(now, audience),
        }
    }

    fn key(&self) -> &'s KeyDefinition {
        &self.induced.proposal.key
    }

    /// What the candidate changes. A cluster that has a key, the owner, asks for no second one.
    fn change(&self, owner: Option<&KeyName>) -> Fate<'s> {
        let (collision, nearest) = match owner {
            Some(owner) => {
                let nearest = Nearest {
                    rule: NearRule::SameCluster,
                    key_name: Some(owner.clone()),
                    ..Nearest::default()
                };
                let key_name = owner.clone();
                (Collision::Covered { key_name }, nearest)
            }
            None => collision::of(&self.induced.proposal, &self.keys),
        };
        let wanted = self.induced.proposal.grounds.name.wanted.clone();
        let new = |change, wanted, hold, nearest| {
            Fate::New(Box::new(Proposed {
                change,
                wanted,
                hold,
                nearest,
            }))
        };
        let (key_name, wording) = match collision {
            Collision::Free => match self.wrong_until() {
                None => return new(KeyChange::Add(self.key().clone()), wanted, None, nearest),
                // Its own name belongs to a key that a person rejected as wrong: a person looks at another.
                Some(until) => match self.renamed() {
                    Some(key) => {
                        let wanted = Some(self.key().key_name.to_string());
                        return new(KeyChange::Add(key), wanted, Some(Hold::Name), nearest);
                    }
                    None => return Fate::Settled(Settlement::CoolingDown(until)),
                },
            },
            Collision::Covered { key_name } => (key_name, None),
            Collision::Merge {
                key_name,
                semantic_description,
            } => (key_name, Some(semantic_description)),
        };
        if key_name == self.key().key_name && self.is_finer() {
            return match self.renamed() {
                Some(key) => new(KeyChange::Add(key), Some(key_name.to_string()), None, nearest),
                None => Fate::Settled(Settlement::Covered(key_name)),
            };
        }
        if let Some(patch) = self.gone(&key_name) {
            return Fate::Back(patch);
        }
        let Some(semantic_description) = wording.filter(|_| self.may_be_refined(&key_name)) else {
            return Fate::Settled(Settlement::Covered(key_name));
        };
        // Until when no refinement of the key is proposed, because one was turned down.
        let refinements = keys::refinements(self.now.state, self.audience, &key_name);
        let cooling = refinements.filter(|patch| patch.cooling(self.now.at));
        if let Some(until) = cooling.filter_map(|patch| patch.cool_until).max() {
            return Fate::Settled(Settlement::CoolingDown(until));
        }
        let change = KeyChange::Refine {
            key_name,
            semantic_description,
            values: Vec::new(),
            closes: false,
        };
        new(change, wanted, None, nearest)
    }

    /// Until when the candidate's name cools down, since a person rejected the key of that name as wrong.
    fn wrong_until(&self) -> Option<At> {
        let is_wrong = |patch: &&Patch| {
            patch.is_wrong_key()
                && &patch.audience == self.audience
                && *patch.change.key_name() == self.key().key_name
                && patch.cooling(self.now.at)
        };
        let wrong = self.now.state.patches.iter().filter(is_wrong);
        wrong.filter_map(|patch| patch.cool_until).max()
    }

    /// The candidate's key under a name beside its own that no key has.
    fn renamed(&self) -> Option<KeyDefinition> {
        let key = self.key();
        let mut taken: BTreeSet<KeyName> = self.keys.iter().map(|key| key.definition.key_name.clone()).collect();
        taken.insert(key.key_name.clone());
        let key_name = collision::sibling_name(&key.key_name, key.key_type, &taken)?;
        Some(KeyDefinition {
            key_name,
            ..key.clone()
        })
    }

    /// Whether the candidate is finer than the boolean key whose name it would take (Z-071, Z-072).
    fn is_finer(&self) -> bool {
        self.keys.iter().any(|key| {
            key.definition.key_name == self.key().key_name
                && key.definition.key_type == KeyType::Boolean
                && self.key().key_type != KeyType::Boolean
        })
    }

    /// The patch that once added this key for this audience and has gone.
    fn gone(&self, key_name: &KeyName) -> Option<&'s Patch> {
        self.now.state.patches.iter().rev().find(|patch| {
            &patch.audience == self.audience
                && matches!(&patch.change, KeyChange::Add(key) if &key.key_name == key_name)
                && patch.stage.has_ended()
                && !patch.is_wrong_key()
        })
    }

    /// Whether there is a key that a refinement can rest on, and none of it is on its way already.
    fn may_be_refined(&self, key_name: &KeyName) -> bool {
        !keys::refinements(self.now.state, self.audience, key_name).any(keys::waits)
            && keys::bears(self.now, self.audience, key_name)
    }

    fn packaged(&self, base: &Base, cluster: ClusterId, gate: &GateReading, proposed: Proposed) -> Patch {
        let (now, proposal) = (self.now, &self.induced.proposal);
        let mut grounds = proposal.grounds.clone();
        grounds.name.wanted = proposed.wanted;
        grounds.nearest = Some(proposed.nearest);
        let number = u64::try_from(now.state.patches.len())
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let (sensitive, mut holds) = held(base, &self.keys, &proposed.change, proposal);
        holds.extend(proposed.hold.filter(|hold| !proposal.holds.contains(hold)));
        let waits = now.evolution().autonomy.waits(sensitive.is_some(), &holds);
        let (stage, reason) = stages::first_stage(now, self.audience, waits);
        Patch {
            patch_id: PatchId::numbered(&base.template.scenario_key(), number),
            parent_schema_id: base.template.schema_id.clone(),
            timestamp: now.at,
            expiration: Patch::expiration_date(now.at, None, now.evolution()),
            revision: 0,
            audience: self.audience.clone(),
            change: proposed.change,
            history: vec![StageChange::by_rule(now.at, &stage, reason)],
            edits: Vec::new(),
            stage,
            times: 0,
            cool_until: None,
            cluster,
            members: now.state.pool.members(cluster),
            coverage_ppm: stages::coverage_ppm(now, cluster),
            heat_curve: vec![(now.at.day(), gate.heat_micro)],
            credited: 0,
            gate: gate.clone(),
            examples: proposal.examples.clone(),
            surfaces: proposal.surfaces.clone(),
            sensitive,
            holds,
            grounds: Some(Box::new(grounds)),
            backtest: self.induced.backtest.clone(),
            read: proposal.read.clone(),
            stood_still_ms: 0,
        }
    }
}

/// What a person has to look at before this change begins: a sensitive meaning, its own or that of the key that it changes, and
/// whatever else holds it. Clients never change a key of the publisher's by themselves (Z-106, Z-107).
fn held(base: &Base, keys: &[EffectiveKey], change: &KeyChange, proposal: &Proposal) -> (Option<String>, Vec<Hold>) {
    let mut holds = proposal.holds.clone();
    let mut sensitive = proposal.sensitive.clone();
    if let KeyChange::Refine { key_name, .. } = change {
        if base.template.key(key_name).is_some() {
            holds.push(Hold::BaseKey);
        }
        let changed = keys.iter().find(|key| &key.definition.key_name == key_name);
        let marked = changed.and_then(|key| key.definition.sensitive);
        sensitive = sensitive.or_else(|| marked.map(|sensitive| sensitive::word(sensitive).to_owned()));
    }
    holds.sort_unstable();
    holds.dedup();
    (sensitive, holds)
}

/// The key that a cluster had on trial for this audience and that has gone, where nobody says since that the cluster is another and no
/// other key has its name.
fn served_before<'s>(now: Situation<'s>, cluster: ClusterId, audience: &Audience) -> Option<&'s Patch> {
    let was_on_trial = |patch: &Patch| patch.history.iter().any(|change| change.to == "experimental");
    keys::of_cluster(now.state, cluster, audience).rev().find(|patch| {
        matches!(patch.change, KeyChange::Add(_))
            && patch.stage.has_ended()
            && was_on_trial(patch)
            && !patch.is_wrong_key()
            && !is_read_otherwise(now.state, patch)
            && !keys::is_taken(now, patch, patch.change.key_name())
    })
}

/// The stage in which a patch comes back.
///
/// # Errors
/// Until when it waits: its cool-down is to be over, its stages to have been calm for long enough, and its time of grace to
/// have passed where it could not go on at once.
fn revived(now: Situation<'_>, patch: &Patch) -> Result<Stage, At> {
    if let Some(until) = patch.cool_until.filter(|until| now.at < *until) {
        return Err(until);
    }
    if let Some(until) = now.not_before(patch) {
        return Err(until);
    }
    let waits = now.evolution().autonomy.waits(patch.sensitive.is_some(), &patch.holds);
    let stage = match stages::first_stage(now, &patch.audience, waits).0 {
        Stage::Experimental(_) => Stage::Experimental(stages::trial_again(now, patch)),
        stage => stage,
    };
    // A key that clients may still use is not taken from them so that it can wait (Z-147, Z-151).
    let leaving = patch.stage.standing().and(patch.stage.due());
    match leaving.filter(|until| now.at < *until && stage.standing().is_none()) {
        Some(until) => Err(until),
        None => Ok(stage),
    }
}

/// Length of the queue of personal keys, in multiples of the keys that may be in force.
const PERSONAL_QUEUE_FACTOR: usize = 10;

/// Returns whether as many personal keys wait as may: each takes memory, and names of clients cost nothing in open mode.
fn is_personal_queue_full(now: Situation<'_>) -> bool {
    let is_personal = |patch: &&Patch| matches!(patch.audience, Audience::Client(_));
    let waiting = now
        .state
        .patches
        .iter()
        .filter(is_personal)
        .filter(|patch| keys::waits(patch));
    waiting.count() >= now.evolution().personal_max.saturating_mul(PERSONAL_QUEUE_FACTOR)
}

/// Whether a patch is to be made anew of what its cluster says now.
pub fn is_due(state: &State, patch: &Patch) -> bool {
    let has_doubled = || patch.members > 0 && state.pool.members(patch.cluster) >= patch.members.saturating_mul(2);
    let is_proposal = patch.stage.begins() && matches!(patch.change, KeyChange::Add(_)) && !patch.is_handled();
    is_proposal && (has_doubled() || is_read_otherwise(state, patch))
}

/// Whether a reader says since that its cluster is another key, by its name or type.
fn is_read_otherwise(state: &State, patch: &Patch) -> bool {
    state.wish(patch.cluster).is_some_and(|wish| {
        let read = patch.read.as_deref().map(|read| (&read.key_name, read.key_type));
        read != Some((&wish.key_name, wish.key_type))
    })
}

/// Returns whether a client may hold the key of a patch in force: one received or used it, or a caller without a receipt was served it.
fn may_be_held(now: Situation<'_>, patch: &Patch, served: u64) -> bool {
    let edited = patch.edits.iter().map(|edited| edited.seq);
    let begun = edited.chain([patch.revision]).min();
    // Only clients with a name are served what is not for all.
    let is_served = patch.audience == Audience::Global && begun <= Some(served);
    patch.stage.standing().is_some() && (is_served || now.state.ledger.is_known(&patch.patch_id))
}

/// Another key in the place of one that clients may hold, which stays accepted for its grace and its window (Z-147 … Z-152); `None` where
/// no stage may change yet.
fn replaced(now: Situation<'_>, own: &Patch, induced: &Induced, gate: &GateReading) -> Option<Vec<Event>> {
    if now.not_before(own).is_some() {
        return None;
    }
    let candidate = Candidate::new(now, &own.audience, induced);
    let (_, nearest) = collision::of(&induced.proposal, &candidate.keys);
    let proposed = Proposed {
        change: KeyChange::Add(candidate.key().clone()),
        wanted: induced.proposal.grounds.name.wanted.clone(),
        hold: None,
        nearest,
    };
    let patch = candidate.packaged(now.state.base_in_force()?, own.cluster, gate, proposed);
    let deprecated = Stage::Deprecated {
        since: now.at,
        until: now.end(own, now.evolution().grace_s),
    };
    Some(vec![
        Event::staged(own, deprecated, Reason::Remade, None),
        Event::Proposed { patch: Box::new(patch) },
    ])
}

/// The patch with another definition, and unless clients use it already its trial and ledger from the beginning; another patch in its place
/// where clients may hold it; `None` where it stays as it is.
fn remade(now: Situation<'_>, own: &Patch, induced: &Induced, gate: &GateReading) -> Option<Vec<Event>> {
    let KeyChange::Add(was) = &own.change else { return None };
    let proposal = &induced.proposal;
    let key = &proposal.key;
    let is_wording = was.key_name == key.key_name && was.key_type == key.key_type && was.constraints == key.constraints;
    let is_used = now.reading(own).payloads_with_key > 0;
    let is_held = !is_wording && may_be_held(now, own, induced.served);
    let may = is_wording || (!is_used && is_free(now, own, induced) && !(is_held && was.key_name == key.key_name));
    if key == was || !may {
        return None;
    }
    let change = KeyChange::Add(key.clone());
    let (sensitive, mut holds) = held(now.state.base_in_force()?, &[], &change, proposal);
    let waits = now.evolution().autonomy.waits(sensitive.is_some(), &holds);
    let awaits = matches!(own.stage, Stage::AwaitingApproval { .. });
    // Whoever read it saw what the engine was not sure of.
    let begins_now = awaits && !waits && proposal.is_read();
    if awaits && !begins_now {
        // What waits for a person goes on waiting, for whatever reason is left.
        if sensitive.is_none() && holds.is_empty() {
            holds.clone_from(&own.holds);
        }
    } else if waits {
        return None;
    }
    if is_held {
        return replaced(now, own, induced, gate);
    }
    let mut events = vec![Event::Edited {
        patch_id: own.patch_id.clone(),
        change,
        surfaces: proposal.surfaces.clone(),
        by: None,
        because: None,
        backtest: induced.backtest.clone(),
        remade: Some(Box::new(Remade {
            members: now.state.pool.members(own.cluster),
            examples: proposal.examples.clone(),
            sensitive: sensitive.or_else(|| own.sensitive.clone()),
            holds,
            grounds: Box::new(proposal.grounds.clone()),
            read: proposal.read.clone(),
            is_used,
        })),
    }];
    if begins_now {
        let (stage, reason) = stages::first_stage(now, &own.audience, false);
        events.push(Event::staged(own, stage, reason, None));
    } else if matches!(own.stage, Stage::Experimental(_)) && !is_used {
        // Of a key that clients use the words alone are new: what was measured of it stands.
        let trial = Trial {
            until: stage_dwell::end_within(own, now.at, now.evolution().trial_s, now.evolution()),
            ..now.trial()
        };
        events.push(Event::staged(own, Stage::Experimental(trial), Reason::Remade, None));
    }
    if key.key_name != was.key_name {
        events.extend(dependents::left_behind(now, own));
    }
    Some(events)
}

/// Whether the key is another one than all others, by its name and by what it means.
fn is_free(now: Situation<'_>, own: &Patch, induced: &Induced) -> bool {
    let name = &induced.proposal.key.key_name;
    let mut others = keys::incumbents(now, &own.audience);
    others.retain(|key| key.definition.key_name != *own.change.key_name());
    let was_wrong = |patch: &Patch| patch.is_wrong_key() && patch.change.key_name() == name;
    (name == own.change.key_name() || !keys::is_taken(now, own, name))
        && !now.state.patches.iter().any(was_wrong)
        && matches!(collision::of(&induced.proposal, &others).0, Collision::Free)
}

#[cfg(test)]
mod tests;
