//! What an event means: applied, never judged. The same entries give the same state, byte for byte.

mod patches;

use std::collections::BTreeMap;

use crate::evolution::freeze;
use crate::evolution::ledger::Basis;
use crate::evolution::review::Asked;
use crate::evolution::review::Refused;
use crate::pool::assignment::Assignment;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::pool::heat;
use crate::pool::micro::ClusterId;
use crate::pool::reclustering::Reclustering;
use crate::pool::source::Source;
use crate::scenario::audits::Waiting;
use crate::scenario::change_feed;
use crate::scenario::decision_log;
use crate::scenario::event::Audited;
use crate::scenario::event::Drawn;
use crate::scenario::event::Entry;
use crate::scenario::event::Event;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::layer;
use crate::scenario::state::Acquaintance;
use crate::scenario::state::Base;
use crate::scenario::state::Claim;
use crate::scenario::state::Deferred;
use crate::scenario::state::Deprecation;
use crate::scenario::state::Dismissal;
use crate::scenario::state::Frozen;
use crate::scenario::state::Run;
use crate::scenario::state::State;
use crate::scenario::submission::Pending;
use crate::scenario::submission::Submitted;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::time::At;

/// Clients whose acquaintance with the patch layer is remembered: some tens of megabytes.
const ACQUAINTANCES_MAX: usize = 200_000;

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
    if change_feed::tells(&entry.event) {
        state.news.push(entry.seq);
    }
    if state.decisions.since == 0 {
        state.decisions.since = entry.seq;
    }
    if decision_log::tells(&entry.event) {
        state.decisions.told.push(entry.seq);
    }
    match &entry.event {
        Event::Submitted(submitted) => on_submitted(state, submitted),
        Event::Continued | Event::SchemaChecked { .. } => {}
        // The ledger knows nothing of executions: what a server agent does with a payload says nothing about its keys.
        Event::Executed(executed) => {
            state.unexecuted.remove(&executed.of);
        }
        Event::Redacted { of } => {
            state.as_said.remove(of);
        }
        Event::Received {
            client,
            revision,
            patches,
            via: _,
        } => {
            state.ledger.received(client, patches);
            if let Some(in_force) = state.base_in_force().map(|base| base.template.schema_id.clone()) {
                state.clients.received(at, client, &in_force, *revision);
            }
            if let Some(known) = acquaintance(state, client) {
                known.revision = known.revision.max(*revision);
            }
        }
        Event::BasePublished {
            template,
            by: _,
            unproved: _,
        } => {
            state.scenario.get_or_insert_with(|| template.scenario_key());
            let base = Base {
                template: (**template).clone(),
                revision: entry.seq,
                retired: None,
                deprecated: None,
                published: entry.seq,
            };
            state.bases.insert(template.schema_id.clone(), base);
        }
        Event::BaseRetired { schema_id, by: _ } => {
            if let Some(base) = state.bases.get_mut(schema_id) {
                base.retired = Some(at);
                base.revision = entry.seq;
            }
        }
        Event::BaseRestored { schema_id, by: _ } => {
            if let Some(base) = state.bases.get_mut(schema_id) {
                base.deprecated = None;
                // One that was not gone is served as before.
                if base.retired.take().is_some() {
                    base.revision = entry.seq;
                }
            }
        }
        Event::BaseDeprecated {
            schema_id,
            sunset,
            reason,
            by: _,
        } => {
            if let Some(base) = state.bases.get_mut(schema_id) {
                let since = base.deprecated.as_ref().map_or(at, |known| known.since);
                base.deprecated = Some(Deprecation {
                    since,
                    sunset: *sunset,
                    reason: reason.clone(),
                });
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
            let is_joined = |placed: &Assignment| matches!(placed, Assignment::Joined { .. });
            if state.pool.model.is_empty() && placements.iter().any(is_joined) {
                state.pool.model.clone_from(model);
            }
            for placement in placements {
                state.pool.apply(placement, pending.client.as_ref(), pending.at);
                credit(state, placement);
            }
            let source = Source::of(pending.client.as_ref());
            for judgement in judgements {
                count(state, judgement, pending.at, Some(&source));
            }
            if let Some(drawn) = drawn {
                draw(state, *of, pending.at, &source, drawn, judgements);
            }
            warm(state, heats, pending.at);
        }
        Event::Deferred { after, source } => on_deferred(state, *after, source.as_ref()),
        Event::Recalled {
            through,
            submissions,
            erased,
            source,
        } => on_recalled(state, source.as_ref(), *through, submissions, *erased),
        Event::Judged(judged) => on_judged(state, judged),
        Event::Audited(audited) => on_audited(state, audited, at),
        Event::Regrouped(part) => {
            if let Some(regrouping) = state.pool.gather(part) {
                on_regrouped(state, &regrouping, at);
            }
        }
        Event::Reviewed(review) => {
            if let Some(regrouping) = state.pool.gather(&review.regrouping) {
                on_regrouped(state, &regrouping, at);
                on_reviewed(state, &regrouping);
            }
            // Whoever reads next has as much to read as before.
            match review.unread {
                true => state.refused_by_hand.clone_from(&review.refused),
                false => asked(state, None, &review.refused),
            }
        }
        Event::ReviewFailed { why } => asked(state, Some(why), &[]),
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
            let gate = gate.clone();
            state.set_claim(*cluster, audience, Claim::Inducing { since: at, gate });
        }
        Event::Settled {
            cluster,
            audience,
            settlement,
        } => patches::settled(state, *cluster, audience, settlement),
        Event::Rehomed { patch_id, cluster } => {
            if let Some(patch) = state.patch_mut(patch_id) {
                patch.cluster = *cluster;
            }
        }
        Event::Proposed { patch } => patches::proposed(state, patch),
        Event::Revived { .. } => patches::revived(state, &entry.event),
        Event::Edited { .. } => patches::edited(state, &entry.event),
        Event::Staged { .. } => patches::staged(state, &entry.event),
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
        Event::Dismissed {
            cluster,
            until,
            by,
            reason,
        } => {
            let dismissal = Dismissal {
                since: at,
                until: *until,
                by: by.clone(),
                reason: reason.clone(),
            };
            state.dismissals.insert(*cluster, dismissal);
            // What is being made of it comes to nothing.
            if let Some(claims) = state.claims.get_mut(cluster) {
                claims.retain(|(_, claim)| !matches!(claim, Claim::Inducing { .. }));
            }
            state.claims.retain(|_, claims| !claims.is_empty());
        }
        Event::Erased { through } => {
            state.erased_through = state.erased_through.max(*through);
            state.audits.erased(*through);
            // What lies there no more is not waited for.
            state.pending.retain(|seq, _| seq > through);
        }
        Event::Trimmed {
            arrivals_before,
            ledger_before,
            idempotency_before: _,
            examples_before,
        } => {
            state.trimmed = at.day();
            state.dismissals.retain(|_, dismissal| at < dismissal.until);
            state.pool.forget_before(*arrivals_before);
            state.ledger.forget_before(*ledger_before);
            state.audits.forget_before(*ledger_before);
            if let Some(before) = examples_before {
                for patch in state.patches.iter_mut().filter(|patch| patch.over_since(*before)) {
                    patch.examples = Vec::new();
                    patch.surfaces = Vec::new();
                }
            }
        }
    }
}

fn on_submitted(state: &mut State, submitted: &Submitted) {
    let (seq, at) = (state.seq, state.at);
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
    let Submitted {
        with_other,
        accepted,
        observed,
        ..
    } = submitted;
    // An extension request brings no payload in which a key could have been used or left out.
    if !submitted.requested {
        state
            .ledger
            .submitted(at, client, *with_other, *accepted, observed, &active);
    }
    if let Some(client) = client {
        if let Some(suggested) = suggested {
            state.ledger.suggested(client, &suggested);
        }
        acquaint(state, client, submitted);
        if let Some(base) = state.bases.get(&submitted.schema_id) {
            state.clients.submitted(at, client, submitted, &base.template);
        }
    }
    let of_source = state.deferred_by_source.get_mut(&Source::of(client));
    if let Some(deferred) = of_source.or(state.deferred.as_mut()) {
        deferred.count += u64::from(submitted.is_to_be_read());
    } else if let Some(pending) = Pending::of(submitted, at) {
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
}

fn on_deferred(state: &mut State, after: u64, source: Option<&Source>) {
    let is_of = |pending: &Pending| source.is_none_or(|source| Source::of(pending.client.as_ref()) == *source);
    let mut beyond = Vec::new();
    state.pending.retain(|seq, pending| {
        let goes = *seq > after && is_of(pending);
        beyond.extend(goes.then_some(pending.at));
        !goes
    });
    let since = beyond.first().copied().unwrap_or(state.at);
    let count = beyond.len() as u64 + state.deferred_of(source).map_or(0, |deferred| deferred.count);
    state.defer(source, Some(Deferred { after, since, count }));
}

fn on_recalled(
    state: &mut State,
    source: Option<&Source>,
    through: u64,
    submissions: &BTreeMap<u64, Pending>,
    erased: u64,
) {
    let Some(mut deferred) = state.deferred_of(source) else {
        return;
    };
    deferred.after = through;
    if let Some(last) = submissions.values().next_back() {
        deferred.since = last.at;
    }
    deferred.count = deferred.count.saturating_sub(erased + submissions.len() as u64);
    // Where everything up to this entry was read nothing waits, whatever was counted.
    let waits = deferred.count > 0 && through + 1 != state.seq;
    // While all others wait as well, a source keeps its own place, so that what it sent is not read once more with theirs.
    let keeps = source.is_some() && state.deferred.is_some();
    state.defer(source, (waits || keeps).then_some(deferred));
    state
        .pending
        .extend(submissions.iter().map(|(seq, pending)| (*seq, pending.clone())));
}

/// Notes what a client has used of the patch layer, or was told of it.
fn acquaint(state: &mut State, client: &ClientId, submitted: &Submitted) {
    if submitted.observed.is_empty() && submitted.suggested.is_none() {
        return;
    }
    let rightly = submitted.observed.iter().filter(|seen| seen.type_ok);
    let used = rightly.filter_map(|seen| Some(state.patch(&seen.patch_id)?.revision));
    let used = used.max().unwrap_or_default();
    let Some(known) = acquaintance(state, client) else {
        return;
    };
    known.revision = known.revision.max(used);
    if let Some(revision) = submitted.suggested {
        let before = if known.suggested == revision { known.times } else { 0 };
        known.times = before.saturating_add(1);
        known.suggested = revision;
    }
}

fn acquaintance<'s>(state: &'s mut State, client: &ClientId) -> Option<&'s mut Acquaintance> {
    if !state.acquaintances.contains_key(client) && state.acquaintances.len() >= ACQUAINTANCES_MAX {
        return None;
    }
    Some(state.acquaintances.entry(client.clone()).or_default())
}

fn count(state: &mut State, judgement: &Judgement, said_at: At, source: Option<&Source>) {
    let Judgement {
        patch_id,
        aligned,
        basis,
    } = judgement;
    state.ledger.judged(patch_id, said_at, source, *aligned, *basis);
}

/// A model's word takes the place of what was counted.
fn on_judged(state: &mut State, judged: &Judged) {
    let (said_at, source) = (judged.said_at, judged.source.as_ref());
    let Judgement {
        patch_id,
        aligned,
        basis,
    } = &judged.judgement;
    if let Some((was, by)) = judged.instead {
        state.ledger.unjudged(patch_id, said_at, source, was, by);
    }
    count(state, &judged.judgement, said_at, source);
    state.audits.judged_anew(judged.of, patch_id, (*aligned, *basis));
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
        let ledger = &mut state.ledger;
        ledger.judged(patch_id, *said_at, source.as_ref(), aligned, Basis::Audit);
    }
    state.audits.answer(audited, at);
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
    for (cluster, micro) in heats {
        for patch in state.patches.iter_mut().filter(|patch| patch.cluster == *cluster) {
            heat::draw(&mut patch.heat_curve, day, *micro);
        }
    }
}

/// Applies a reclustering; claims, patches and dismissals follow their cluster into the one that absorbed it.
fn on_regrouped(state: &mut State, regrouping: &Reclustering, at: At) {
    let dismissals = dismissals_after(state, regrouping);
    state.pool.apply_reclustering(regrouping, at);
    state.dismissals = dismissals;
    let pool = &state.pool;
    state
        .dismissals
        .retain(|cluster, _| pool.clusters.contains_key(cluster));
    for (old, heir) in &regrouping.absorbed {
        if state.pool.clusters.contains_key(old) || !state.pool.clusters.contains_key(heir) {
            continue;
        }
        for (audience, claimed) in state.claims.remove(old).unwrap_or_default() {
            let standing = state.claim(*heir, &audience);
            if standing.is_none_or(|held| weight(state, held) < weight(state, &claimed)) {
                state.set_claim(*heir, &audience, claimed);
            }
        }
        for patch in state.patches.iter_mut().filter(|patch| patch.cluster == *old) {
            patch.cluster = *heir;
            // That clusters became one is not that more ask for it.
            patch.members = patch.members.max(state.pool.members(*heir));
        }
    }
}

/// What is dismissed once a reclustering is applied: of clusters that become one the largest says whether that is a wish, so that what
/// was said to be none mutes nothing larger that it falls to, nor anything larger that falls to it.
fn dismissals_after(state: &State, regrouping: &Reclustering) -> BTreeMap<ClusterId, Dismissal> {
    let mut largest = BTreeMap::<ClusterId, u64>::new();
    for (old, heir) in &regrouping.absorbed {
        let members = state.pool.members(*old).max(state.pool.members(*heir));
        let known = largest.entry(*heir).or_default();
        *known = members.max(*known);
    }
    let mut dismissals = BTreeMap::<ClusterId, Dismissal>::new();
    for (cluster, dismissal) in &state.dismissals {
        let heir = regrouping.absorbed.get(cluster).unwrap_or(cluster);
        if largest
            .get(heir)
            .is_some_and(|most| state.pool.members(*cluster) < *most)
        {
            continue;
        }
        let known = dismissals.entry(*heir).or_insert_with(|| dismissal.clone());
        if known.until < dismissal.until {
            known.clone_from(dismissal);
        }
    }
    dismissals
}

/// Which of two claims of clusters that became one is kept: what holds the cluster back longest (Z-102).
fn weight(state: &State, claim: &Claim) -> u8 {
    match claim {
        Claim::Patched(id) if state.patch(id).is_some_and(|patch| !patch.stage.has_ended()) => 3,
        Claim::Inducing { .. } => 2,
        Claim::Patched(_) => 1,
        Claim::Settled { .. } => 0,
    }
}

/// A cluster that was read is tried again, whatever it came to before; one that asks for nothing is tried no more.
fn on_reviewed(state: &mut State, regrouping: &Reclustering) {
    for group in &regrouping.groups {
        let Some(heading) = &group.heading else { continue };
        let asks = heading.wish().is_some();
        if let Some(claims) = state.claims.get_mut(&group.cluster) {
            claims.retain(|(_, claim)| match claim {
                Claim::Settled { .. } => false,
                Claim::Inducing { .. } => asks,
                Claim::Patched(_) => true,
            });
        }
    }
    state.claims.retain(|_, claims| !claims.is_empty());
}

/// Notes that a reader was asked.
fn asked(state: &mut State, failed: Option<&String>, refused: &[Refused]) {
    state.review = Some(Asked {
        demand: state.pool.demand,
        failed: failed.cloned(),
        refused: refused.to_vec(),
    });
}

#[cfg(test)]
mod tests;
