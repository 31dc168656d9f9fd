//! What of an entry is told to who looks on while it happens, and how a scenario stands in a few numbers: names and numbers alone,
//! no word that anybody said.
//!
//! Unlike a notice to outsiders ([`change_feed`](crate::scenario::change_feed)) it says of every patch that something became of it,
//! whoever it is for, and nothing of what. Invariant: it depends on the entry alone, so that it is the same when it is read back.

use serde::Serialize;
use strum::IntoStaticStr;

use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use schema::name::PatchId;
use schema::name::SchemaId;

/// What something happened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Subject {
    /// A patch came to a stage, was prolonged, or got another definition.
    Patch,
    /// A patch was proposed, or waits for a person from now on.
    Proposal,
    Schema,
    /// Whether the scenario evolves.
    Scenario,
    /// A person gave a verdict.
    Audit,
}

impl Subject {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    pub subject: Subject,
    pub patch_id: Option<PatchId>,
    pub schema_id: Option<SchemaId>,
}

/// What is told of an event; `None` where it moves figures alone.
pub fn of(event: &Event) -> Option<Activity> {
    let told = |subject, patch_id: Option<&PatchId>, schema_id: Option<&SchemaId>| Activity {
        subject,
        patch_id: patch_id.cloned(),
        schema_id: schema_id.cloned(),
    };
    let patch = |subject, patch_id| Some(told(subject, Some(patch_id), None));
    let base = |schema_id| Some(told(Subject::Schema, None, Some(schema_id)));
    match event {
        Event::Proposed { patch: proposed } => patch(Subject::Proposal, &proposed.patch_id),
        Event::Revived { patch_id, stage, .. } => patch(of_stage(stage, None), patch_id),
        Event::Staged {
            patch_id,
            stage,
            reason,
            ..
        } => patch(of_stage(stage, Some(reason)), patch_id),
        Event::Edited { patch_id, .. } | Event::Rehomed { patch_id, .. } => patch(Subject::Patch, patch_id),
        Event::BasePublished { template, .. } => base(&template.schema_id),
        Event::BaseRetired { schema_id, .. }
        | Event::BaseRestored { schema_id, .. }
        | Event::BaseDeprecated { schema_id, .. } => base(schema_id),
        Event::Frozen { .. } | Event::Thawed { .. } => Some(told(Subject::Scenario, None, None)),
        // That values wait is a matter of figures: a busy scenario draws many.
        Event::Audited(audited) => patch(Subject::Audit, &audited.patch_id),
        _ => None,
    }
}

fn of_stage(stage: &Stage, reason: Option<&Reason>) -> Subject {
    let waits = matches!(stage, Stage::AwaitingApproval { .. }) || reason.and_then(Reason::waits_for).is_some();
    if waits { Subject::Proposal } else { Subject::Patch }
}

/// A scenario in a few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Patches that wait for a person.
    pub waits: usize,
    pub on_trial: usize,
    /// Clusters of the pool.
    pub clusters: usize,
    /// Values that wait for a verdict.
    pub audits: usize,
    /// Submissions that were not read yet.
    pub pending: u64,
}

impl Counts {
    /// How a scenario stands.
    pub fn of(state: &State) -> Counts {
        let on_trial = |patch: &&Patch| matches!(patch.stage, Stage::Experimental(_));
        let waits =
            |patch: &&Patch| matches!(patch.stage, Stage::AwaitingApproval { .. }) || patch.waits_for().is_some();
        Counts {
            waits: state.patches.iter().filter(waits).count(),
            on_trial: state.patches.iter().filter(on_trial).count(),
            clusters: state.pool.clusters.len(),
            audits: state.audits.waiting.len(),
            pending: state.unread(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::evolution::patch::sample;
    use schema::time::At;

    #[test]
    fn what_begins_to_wait_is_a_proposal_and_what_becomes_of_it_a_patch() {
        let patch = sample::patch(1);
        let staged = |stage, reason| of(&Event::staged(&patch, stage, reason, None)).expect("something");
        let since = At(1);
        let told = of(&Event::Proposed {
            patch: Box::new(patch.clone()),
        });
        assert_eq!(told.map(|told| told.subject), Some(Subject::Proposal));
        let waits = staged(Stage::AwaitingApproval { since }, Reason::GateOpened);
        assert_eq!(
            (waits.subject, waits.patch_id.as_ref()),
            (Subject::Proposal, Some(&patch.patch_id))
        );
        let undecided = staged(patch.stage.clone(), Reason::UsageBetween);
        assert_eq!(undecided.subject.name(), "proposal");
        assert_eq!(
            staged(Stage::Rejected { since }, Reason::Operator).subject,
            Subject::Patch
        );
        assert_eq!(of(&Event::Continued), None);
    }
}
