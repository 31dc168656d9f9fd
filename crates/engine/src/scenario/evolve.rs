//! What an event means: applied, never judged. The same entries give the same state, byte for byte.

mod acquaintances;

mod hand;

use crate::evolution::freeze;
use crate::evolution::ledger::Basis;
use crate::evolution::operator_action::Scope;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::review::Asked;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::assignment::Assignment;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::pool::heading::Heading;
use crate::pool::micro::ClusterId;
use crate::pool::recluster::Reclustering;
use crate::pool::source::Source;
use crate::scenario::audits::Waiting;
use crate::scenario::event::Audited;
use crate::scenario::event::Drawn;
use crate::scenario::event::Entry;
use crate::scenario::event::Event;
use crate::scenario::event::Judgement;
use crate::scenario::event::Settlement;
use crate::scenario::execution::Executed;
use crate::scenario::layer;
use crate::scenario::notice;
use crate::scenario::state::Base;
use crate::scenario::state::Claim;
use crate::scenario::state::Frozen;
use crate::scenario::state::Pending;
use crate::scenario::state::Run;
use crate::scenario::state::State;
use crate::scenario::state::UsedKey;
use crate::scenario::submission::Submitted;
use schema::act::By;
use schema::name::PatchId;
use schema::time::At;

/// Days of a patch's heat curve that are kept.
const HEAT_CURVE_DAYS_MAX: usize = 120;

/// Applies one entry. Entries come in the order of their sequence, each once: one that is not the next is passed over.
pub fn evolve(state: &mut State, entry: &Entry) {
    if entry.seq != state.seq + 1 {
        return;
    }
    state.seq = entry.seq;
    state.at = state.at.max(entry.at);
    let at = state.at;
    if !entry.event.is_fact() {
        state.decided = entry.seq;
    }
    if notice::tells(&entry.event) {
        state.news.push(entry.seq);
    }
    match &entry.event {
        Event::Submitted(submitted) => on_submitted(state, entry.seq, at, submitted),
        Event::Continued => {}
        Event::Executed(executed) => on_executed(state, entry.seq, executed),
        Event::Redacted { of } => {
            state.as_said.remove(of);
        }
        Event::Received {
            client,
            revision,
            patches,
            via: _,
        } => acquaintances::received(state, client, *revision, patches),
        Event::BasePublished { template, by: _ } => {
            state.scenario.get_or_insert_with(|| template.scenario_key());
            let base = Base {
                template: (**template).clone(),
                revision: entry.seq,
                retired: None,
                published: entry.seq,
            };
            state.bases.insert(template.schema_id.clone(), base);
        }
        Event::BaseRestored { schema_id, by: _ } => {
            if let Some(base) = state.bases.get_mut(schema_id) {
                base.retired = None;
                base.revision = entry.seq;
            }
        }
        Event::BaseRetired { schema_id, by: _ } => {
            if let Some(base) = state.bases.get_mut(schema_id) {
                base.retired = Some(at);
                base.revision = entry.seq;
            }
        }
        Event::Digested {
            of,
            model,
            placements,
            judgements,
            heats,
            drawn,
        } => {
            let Some(pending) = state.pending.remove(of) else {
                return;
            };
            if state.pool.model.is_empty()
                && placements
                    .iter()
                    .any(|placed| matches!(placed, Assignment::Joined { .. }))
            {
                state.pool.model.clone_from(model);
            }
            for placement in placements {
                state.pool.apply(placement, pending.client.as_ref(), pending.at);
                credit(state, placement);
            }
            let source = Source::of(pending.client.as_ref());
            for Judgement {
                patch_id,
                aligned,
                basis,
            } in judgements
            {
                state
                    .ledger
                    .judged(patch_id, pending.at, Some(&source), *aligned, *basis);
            }
            if let Some(drawn) = drawn {
                draw(state, *of, pending.at, &source, drawn, judgements);
            }
            warm(state, heats, pending.at);
        }
        Event::Judged(judged) => {
            let Judgement {
                patch_id,
                aligned,
                basis,
            } = &judged.judgement;
            let (said_at, source) = (judged.said_at, judged.source.as_ref());
            if let Some((was, by)) = judged.instead {
                state.ledger.unjudged(patch_id, said_at, source, was, by);
            }
            state.ledger.judged(patch_id, said_at, source, *aligned, *basis);
            state.audits.judged_anew(judged.of, patch_id, (*aligned, *basis));
        }
        Event::Audited(audited) => on_audited(state, audited, at),
        Event::Regrouped(regrouping) => on_regrouped(state, regrouping, at),
        Event::Reviewed(review) => {
            on_regrouped(state, &review.regrouping, at);
            on_reviewed(state, &review.regrouping);
            state.review = Some(Asked {
                demand: state.pool.demand,
                failed: None,
                refused: review.refused.clone(),
            });
        }
        Event::ReviewFailed { why } => {
            state.review = Some(Asked {
                demand: state.pool.demand,
                failed: Some(why.clone()),
                refused: Vec::new(),
            });
        }
        Event::Rehomed { patch_id, cluster } => {
            if let Some(patch) = state.patches.iter_mut().find(|patch| &patch.patch_id == patch_id) {
                patch.cluster = *cluster;
            }
        }
        Event::Reembedded { model, micros } => state.pool.reembed(model, micros),
        Event::Triggered {
            cluster,
            audience,
            gate,
        } => {
            match audience {
                Audience::Global => state.triggers_global += 1,
                Audience::Cohort(_) => state.triggers_cohort += 1,
                Audience::Client(_) => state.triggers_client += 1,
            }
            claim(
                state,
                *cluster,
                audience,
                Claim::Inducing {
                    since: at,
                    gate: gate.clone(),
                },
            );
        }
        Event::Settled {
            cluster,
            audience,
            settlement,
        } => {
            let members = state.pool.members(*cluster);
            let settled = match again_for_its_key(state, *cluster, audience, settlement) {
                Some(patch_id) => Claim::Patched(patch_id),
                None => Claim::Settled {
                    at,
                    members,
                    settlement: settlement.clone(),
                },
            };
            claim(state, *cluster, audience, settled);
        }
        Event::Proposed { patch } => {
            let mut patch = (**patch).clone();
            patch.revision = entry.seq;
            claim(
                state,
                patch.cluster,
                &patch.audience,
                Claim::Patched(patch.patch_id.clone()),
            );
            if patch.stage.standing().is_some() {
                state.ledger.open(&patch.patch_id, at);
            }
            state.standings.note(&patch);
            state.patches.push(patch);
        }
        Event::Revived {
            patch_id,
            cluster,
            gate,
            stage,
            expiration,
            backtest,
        } => {
            let Some(patch) = state.patches.iter_mut().find(|patch| &patch.patch_id == patch_id) else {
                return;
            };
            patch.cluster = *cluster;
            patch.gate = gate.clone();
            patch.expiration = *expiration;
            patch.cool_until = None;
            if backtest.is_some() {
                patch.backtest.clone_from(backtest);
            }
            let audience = patch.audience.clone();
            restage(patch, entry.seq, at, stage, &Reason::Revived, None);
            state.standings.note(patch);
            if stage.standing().is_some() {
                state.ledger.open(patch_id, at);
            }
            claim(state, *cluster, &audience, Claim::Patched(patch_id.clone()));
        }
        Event::Edited { .. } => hand::edit(state, entry.seq, at, &entry.event),
        Event::Staged {
            patch_id,
            stage,
            reason,
            by,
            reading,
            cool_until,
            hand,
            because,
            scope,
            expiration,
        } => {
            let Some(patch) = state.patches.iter_mut().find(|patch| &patch.patch_id == patch_id) else {
                return;
            };
            let was_on_trial = matches!(patch.stage, Stage::Experimental(_));
            if let Some(until) = cool_until {
                patch.cool_until = Some(*until);
                patch.times += 1;
            }
            restage(patch, entry.seq, at, stage, reason, by.clone());
            state.standings.note(patch);
            if let Some(change) = patch.history.last_mut() {
                change.reading.clone_from(reading);
                change.hand = *hand;
                change.because.clone_from(because);
                change.scope = *scope;
            }
            patch.expiration = expiration.unwrap_or(patch.expiration);
            if let Stage::Experimental(trial) = stage {
                // A patch that waited gets its date moved on beginning (Z-128).
                patch.expiration = patch.expiration.max(trial.until);
                if !was_on_trial {
                    state.ledger.open(patch_id, at);
                }
            }
            if *scope == Some(Scope::Key) {
                hand::free(state, patch_id, at);
            }
        }
        Event::Frozen { by, reason } => {
            state.frozen.get_or_insert_with(|| Frozen {
                since: at,
                by: by.clone(),
                reason: reason.clone(),
            });
        }
        Event::Thawed { by: _, reason: _ } => {
            if let Some(frozen) = state.frozen.take() {
                for patch in &mut state.patches {
                    freeze::move_on(patch, frozen.since, at);
                }
            }
        }
        Event::Erased { through } => {
            state.erased_through = state.erased_through.max(*through);
            state.audits.erased(*through);
        }
        Event::Trimmed {
            arrivals_before,
            ledger_before,
            idempotency_before,
            examples_before,
        } => {
            state.trimmed = at.day();
            state.pool.forget_before(*arrivals_before);
            state.ledger.forget_before(*ledger_before);
            state.audits.forget_before(*ledger_before);
            for keys in state.idempotency.values_mut() {
                keys.retain(|_, used| used.at >= *idempotency_before);
            }
            state.idempotency.retain(|_, keys| !keys.is_empty());
            if let Some(before) = examples_before {
                for patch in state.patches.iter_mut().filter(|patch| patch.over_since(*before)) {
                    patch.examples = Vec::new();
                    patch.surfaces = Vec::new();
                }
            }
        }
    }
}

fn on_submitted(state: &mut State, seq: u64, at: At, submitted: &Submitted) {
    let client = submitted.client.as_ref();
    let to = Addressee {
        client,
        cohort: submitted.cohort.as_ref(),
    };
    // What the base that judged it says by itself was nobody's to use or to leave out.
    let laid_over = |base: Option<&Base>| -> Vec<PatchId> {
        let laid = base.map(|base| layer::laid(state, &base.template, to));
        laid.into_iter().flatten().map(|patch| patch.patch_id.clone()).collect()
    };
    let active = laid_over(state.bases.get(&submitted.schema_id));
    // A suggestion speaks of the base in force, whichever judged the submission.
    let suggested = submitted.suggested.map(|_| laid_over(state.base_in_force()));
    // An extension request brings no payload in which a key could have been used or left out.
    if !submitted.requested {
        state.ledger.submitted(
            at,
            client,
            submitted.with_other,
            submitted.accepted,
            &submitted.observed,
            &active,
        );
    }
    if let Some(client) = client {
        if let Some(suggested) = suggested {
            state.ledger.suggested(client, &suggested);
        }
        acquaintances::acquaint(state, client, submitted);
    }
    if submitted.fragments > 0 || !submitted.observed.is_empty() {
        let pending = Pending {
            at,
            client: submitted.client.clone(),
            schema_id: submitted.schema_id.clone(),
            fragments: submitted.fragments,
            observed: submitted.observed.clone(),
            requested: submitted.requested,
        };
        state.pending.insert(seq, pending);
    }
    if submitted.executes {
        state.unexecuted.insert(seq, at);
    }
    if submitted.as_said > 0 {
        let first = seq + u64::from(submitted.continued) + 1;
        let last = first + u64::from(submitted.as_said) - 1;
        state.as_said.insert(seq, Run { first, last });
    }
    if let Some(used) = &submitted.idempotency {
        let entry = UsedKey {
            submission: seq,
            digest: used.digest.clone(),
            at,
            executed: None,
        };
        state
            .idempotency
            .entry(used.scope.clone())
            .or_default()
            .insert(used.key.clone(), entry);
    }
}

/// Values begin to wait for a person, with what is counted of them now.
fn draw(state: &mut State, of: u64, said_at: At, source: &Source, drawn: &Drawn, judgements: &[Judgement]) {
    let values = drawn.patches.iter().map(|patch_id| {
        let judged = judgements.iter().find(|judgement| judgement.patch_id == *patch_id);
        Waiting {
            of,
            patch_id: patch_id.clone(),
            said_at,
            source: Some(source.clone()),
            judged: judged.map(|judgement| (judgement.aligned, judgement.basis)),
        }
    });
    state.audits.draw(values, drawn.kept);
}

/// A person's verdict takes the place of what was counted, and tells of the judge.
fn on_audited(state: &mut State, audited: &Audited, at: At) {
    let Audited { patch_id, said_at, .. } = audited;
    let waiting = state.audits.waiting(audited.of, patch_id);
    let source = waiting.and_then(|waiting| waiting.source.clone());
    if let Some(aligned) = audited.verdict.aligned().filter(|_| audited.counted) {
        if let Some((was, basis)) = audited.judged {
            state.ledger.unjudged(patch_id, *said_at, source.as_ref(), was, basis);
        }
        state
            .ledger
            .judged(patch_id, *said_at, source.as_ref(), aligned, Basis::Audit);
    }
    state.audits.answer(audited, at);
}

/// The ledger knows nothing of executions: what a server agent does with a payload says nothing about its keys.
fn on_executed(state: &mut State, seq: u64, executed: &Executed) {
    state.unexecuted.remove(&executed.of);
    let Some((scope, key)) = &executed.kept_for else { return };
    let used = state.idempotency.get_mut(scope).and_then(|keys| keys.get_mut(key));
    if let Some(used) = used.filter(|used| used.submission == executed.of) {
        used.executed = Some(seq);
    }
}

/// A covered fragment is evidence that clients do not use a key: its patch counts it, heat and usage do not change.
fn credit(state: &mut State, placement: &Assignment) {
    if let Assignment::Covered { fragment: _, key } = placement {
        for patch in state.patches.iter_mut().filter(|patch| patch.change.key_name() == key) {
            patch.credited += 1;
        }
    }
}

/// Draws the heat curve of every patch whose cluster got warmer.
fn warm(state: &mut State, heats: &[(ClusterId, i64)], at: At) {
    let day = at.day();
    for (cluster, heat) in heats {
        for patch in state.patches.iter_mut().filter(|patch| patch.cluster == *cluster) {
            match patch.heat_curve.last_mut() {
                Some((last, highest)) if *last == day => *highest = (*highest).max(*heat),
                Some(_) | None => patch.heat_curve.push((day, *heat)),
            }
            if patch.heat_curve.len() > HEAT_CURVE_DAYS_MAX {
                patch.heat_curve.remove(0);
            }
        }
    }
}

/// Applies a look; claims and patches follow their cluster into the one that absorbed it.
fn on_regrouped(state: &mut State, regrouping: &Reclustering, at: At) {
    state.pool.apply_reclustering(regrouping, at);
    for (old, heir) in &regrouping.absorbed {
        if state.pool.clusters.contains_key(old) || !state.pool.clusters.contains_key(heir) {
            continue;
        }
        for (audience, claimed) in state.claims.remove(old).unwrap_or_default() {
            let standing = state.claim(*heir, &audience);
            if standing.is_none_or(|held| weight(state, held) < weight(state, &claimed)) {
                claim(state, *heir, &audience, claimed);
            }
        }
        for patch in state.patches.iter_mut().filter(|patch| patch.cluster == *old) {
            patch.cluster = *heir;
            // That clusters became one is not that more ask for it.
            patch.members = patch.members.max(state.pool.members(*heir));
        }
    }
}

/// A cluster that was read is tried again, whatever it came to before; one that asks for nothing is tried no more.
fn on_reviewed(state: &mut State, regrouping: &Reclustering) {
    let read = regrouping
        .groups
        .iter()
        .filter_map(|group| Some((group.cluster, group.heading.as_ref()?)));
    for (cluster, heading) in read {
        let asks = heading.wish().is_some();
        if let Some(claims) = state.claims.get_mut(&cluster) {
            claims.retain(|(_, claim)| match claim {
                Claim::Settled { .. } => false,
                Claim::Inducing { .. } => asks,
                Claim::Patched(_) => true,
            });
        }
    }
    state.claims.retain(|_, claims| !claims.is_empty());
}

/// The key in life that came of a cluster, where that was read again for it and nothing came of that: the key stays what the
/// cluster came to.
fn again_for_its_key(
    state: &mut State,
    cluster: ClusterId,
    audience: &Audience,
    settlement: &Settlement,
) -> Option<PatchId> {
    match settlement {
        Settlement::Abstained(_) | Settlement::Covered(_) | Settlement::PersonalFull => {
            let members = state.pool.members(cluster);
            let heading = state
                .pool
                .clusters
                .get(&cluster)
                .and_then(|cluster| cluster.heading.as_ref());
            let wish = heading.and_then(Heading::wish).cloned();
            let of = |patch: &&mut Patch| patch.cluster == cluster && &patch.audience == audience;
            let own = state.patches.iter_mut().filter(of).filter(|patch| patch.adds_in_life());
            // Where several have one cluster, all of them were read again with it.
            let mut read = own.map(|patch| {
                patch.members = members;
                // What a reader says of it was tried.
                patch.read = wish.clone().map(Box::new).or(patch.read.take());
                patch.patch_id.clone()
            });
            let first = read.next();
            read.for_each(drop);
            first
        }
        // It is tried again when that is over, however few ask for it until then.
        Settlement::CoolingDown(_) | Settlement::Refused(_) => None,
    }
}

/// Which of two claims of clusters that became one is kept: what holds the cluster back longest (Z-102).
fn weight(state: &State, claim: &Claim) -> u8 {
    match claim {
        Claim::Patched(id) if state.patch(id).is_some_and(|patch| !patch.stage.has_ended()) => 3,
        Claim::Inducing { since: _, gate: _ } => 2,
        Claim::Patched(_) => 1,
        Claim::Settled {
            at: _,
            members: _,
            settlement: _,
        } => 0,
    }
}

fn claim(state: &mut State, cluster: ClusterId, audience: &Audience, claim: Claim) {
    let claims = state.claims.entry(cluster).or_default();
    match claims.iter_mut().find(|(other, _)| other == audience) {
        Some((_, held)) => *held = claim,
        None => claims.push((audience.clone(), claim)),
    }
}

fn restage(patch: &mut Patch, seq: u64, at: At, stage: &Stage, reason: &Reason, by: Option<By>) {
    let seen_before = patch.stage.standing();
    patch.stage = stage.clone();
    if seen_before != stage.standing() {
        patch.revision = seq;
    }
    patch.history.push(StageChange {
        at,
        to: stage.name().to_owned(),
        reason: reason.clone(),
        by,
        reading: None,
        hand: None,
        because: None,
        scope: None,
    });
}

#[cfg(test)]
mod tests;
