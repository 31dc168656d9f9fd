//! What a history should have come to, counted in the plainest way, beside the state that it came to.

use std::collections::BTreeMap;

use engine::evolution::stage::Stage;
use engine::pool::assignment::Assignment;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use engine::scenario::state::State;
use schema::name::PatchId;
use schema::time::At;

/// A recount of what happened, kept by adding up and never by the engine's own code.
#[derive(Default)]
pub struct Naive {
    payloads: u64,
    joined: u64,
    digested: Vec<u64>,
    stages: BTreeMap<PatchId, Stage>,
    triggered: u64,
    frozen: Option<At>,
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
            Event::Submitted(_) => self.payloads += 1,
            Event::Digested { of, placements, .. } => {
                assert!(!self.digested.contains(of), "submission {of} was placed twice");
                self.digested.push(*of);
                self.joined += placements
                    .iter()
                    .filter(|placed| matches!(placed, Assignment::Joined { .. }))
                    .count() as u64;
            }
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

    pub fn compare(&self, state: &State) {
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
