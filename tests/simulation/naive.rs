//! What a history should have come to, counted in the plainest way, beside the state that it came to.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use engine::evolution::stage::Stage;
use engine::pool::assignment::Assignment;
use engine::pool::source::Source;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use engine::scenario::state::State;
use engine::scenario::submission::Submitted;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::time::At;

/// A recount of what happened, kept by adding up and never by the engine's own code.
#[derive(Default)]
pub struct Naive {
    payloads: u64,
    joined: u64,
    digested: Vec<u64>,
    /// What was not looked at yet, whether it can still be read or not.
    unread: BTreeMap<u64, Source>,
    erased_through: u64,
    stages: BTreeMap<PatchId, Stage>,
    triggered: u64,
    frozen: Option<At>,
    clients: BTreeMap<ClientId, Told>,
    last: Option<ClientId>,
}

/// What the journal holds of one client.
#[derive(Default)]
struct Told {
    seen: At,
    submitted: Vec<(At, Submitted)>,
}

impl Naive {
    pub fn count(&mut self, entry: &Entry) {
        // What only a rule does, none does while the scenario is frozen.
        let by_rule = match &entry.event {
            Event::Staged { by, .. } => by.is_none(),
            Event::Triggered { .. }
            | Event::Proposed { .. }
            | Event::Revived { .. }
            | Event::Settled { .. }
            | Event::Rehomed { .. } => true,
            _ => false,
        };
        assert!(!by_rule || self.frozen.is_none(), "{:?} while frozen", entry.event);
        match &entry.event {
            Event::Submitted(submitted) => {
                self.payloads += 1;
                if submitted.fragments > 0 || !submitted.observed.is_empty() {
                    self.unread.insert(entry.seq, Source::of(submitted.client.as_ref()));
                }
                if let Some(client) = &submitted.client {
                    let told = self.tells(client, entry.at);
                    told.submitted.push((entry.at, submitted.clone()));
                }
            }
            Event::Received { client, .. } => {
                self.tells(client, entry.at);
            }
            Event::Digested { of, placements, .. } => {
                assert!(!self.digested.contains(of), "submission {of} was placed twice");
                self.digested.push(*of);
                assert!(self.unread.remove(of).is_some(), "submission {of} said nothing");
                self.joined += placements
                    .iter()
                    .filter(|placed| matches!(placed, Assignment::Joined { .. }))
                    .count() as u64;
            }
            Event::Erased { through } => self.erased_through = *through,
            Event::Triggered { .. } => self.triggered += 1,
            Event::Proposed { patch } => {
                assert!(!matches!(patch.stage, Stage::Stable { .. }), "born stable (Z-140)");
                self.stages.insert(patch.patch_id.clone(), patch.stage.clone());
            }
            Event::Staged { patch_id, stage, .. } | Event::Revived { patch_id, stage, .. } => {
                self.stages.insert(patch_id.clone(), stage.clone());
            }
            Event::Frozen { .. } => {
                assert!(self.frozen.is_none(), "frozen twice");
                self.frozen = Some(entry.at);
            }
            Event::Thawed { .. } => {
                let since = self.frozen.take().expect("it was frozen");
                self.stages
                    .values_mut()
                    .for_each(|stage| move_on(stage, since, entry.at));
            }
            _ => {}
        }
    }

    fn tells(&mut self, client: &ClientId, at: At) -> &mut Told {
        self.last = Some(client.clone());
        let told = self.clients.entry(client.clone()).or_default();
        told.seen = at;
        told
    }

    /// What is counted of the client that was seen last is what a recount of the journal says.
    fn compare_client(&self, state: &State) {
        let Some(id) = &self.last else { return };
        let told = &self.clients[id];
        let (_, known) = state
            .clients
            .after(None)
            .find(|(known, _)| *known == id)
            .expect("known");
        assert_eq!(known.seen, told.seen, "{id} was seen");
        let submitted = || told.submitted.iter().filter(|(_, submitted)| !submitted.requested);
        if let Some((_, last)) = submitted().next_back() {
            assert_eq!(known.schema_id, last.schema_id, "{id} submits by");
        }
        let counted = submitted().filter(|(at, _)| at.day().0 > state.at.day().0 - 7).count() as u64;
        assert_eq!(known.submissions(state.at), counted, "submissions of {id}");
        let newest: Vec<&Submitted> = submitted()
            .map(|(_, submitted)| submitted)
            .rev()
            .filter(|one| one.filled.is_some())
            .take(64)
            .collect();
        let share = |counts: &dyn Fn(&Submitted) -> bool| {
            let counted = newest.iter().filter(|one| counts(one)).count();
            (counted > 0).then(|| counted as f64 / newest.len() as f64)
        };
        assert_eq!(
            known.other().filter(|share| *share > 0.0),
            share(&|one| one.with_other),
            "`other` of {id}"
        );
        let own = newest
            .iter()
            .flat_map(|one| one.filled.iter().flatten())
            .map(|_| "origin");
        let learned = newest
            .iter()
            .flat_map(|one| &one.observed)
            .map(|seen| seen.key.as_str());
        let names: BTreeSet<&str> = own.chain(learned).collect();
        let fills = |one: &Submitted, name: &str| match name {
            "origin" => one.filled == Some(vec![0]),
            _ => one.observed.iter().any(|seen| seen.key.as_str() == name),
        };
        let counted: Vec<(&str, Option<f64>)> = names
            .into_iter()
            .map(|name| (name, share(&|one| fills(one, name))))
            .collect();
        let shown: Vec<(&str, Option<f64>)> = known.filled().map(|(key, share)| (key.as_str(), Some(share))).collect();
        assert_eq!(shown, counted, "keys of {id}");
    }

    /// What can be read is held in its order up to where it is held, and what lies beyond is counted.
    fn compare_unread(&self, state: &State) {
        let after = |source: &Source| {
            let deferred = state.deferred_by_source.get(source).or(state.deferred.as_ref());
            deferred.map_or(u64::MAX, |deferred| deferred.after)
        };
        let (within, beyond): (Vec<_>, Vec<_>) = self.unread.iter().partition(|(seq, source)| **seq <= after(source));
        let held = within
            .iter()
            .map(|(seq, _)| *seq)
            .filter(|seq| **seq > self.erased_through);
        let held: Vec<u64> = held.copied().collect();
        assert!(
            held.iter().eq(state.pending.keys()),
            "{held:?} should be held, {:?} is; {:?} {:?}",
            state.pending.keys(),
            state.deferred,
            state.deferred_by_source
        );
        let counted = state.unread() - state.pending.len() as u64;
        assert_eq!(counted, beyond.len() as u64, "waits in the journal alone");
    }

    pub fn compare(&self, state: &State) {
        self.compare_client(state);
        self.compare_unread(state);
        assert_eq!(self.joined, state.pool.demand, "fragments in the pool");
        assert_eq!(
            self.triggered,
            state.triggers_global + state.triggers_client + state.triggers_cohort,
            "triggers"
        );
        for patch in &state.patches {
            assert_eq!(
                self.stages.get(&patch.patch_id),
                Some(&patch.stage),
                "{}",
                patch.patch_id
            );
        }
        let counted: u64 = state.ledger.days.values().map(|day| day.payloads).sum();
        assert!(counted <= self.payloads, "more payloads than submissions");
    }
}

/// What a stage waits for, later by the time that it stood still.
fn move_on(stage: &mut Stage, since: At, at: At) {
    let stood = at.0 - since.0.max(stage.since().0);
    match stage {
        Stage::Experimental(trial) => trial.until.0 += stood,
        Stage::Stable { next_look, .. } => next_look.0 += stood,
        Stage::Deprecated { until, .. } | Stage::Withdrawn { until, .. } => until.0 += stood,
        _ => {}
    }
}
