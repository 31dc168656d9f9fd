//! What is counted of a scenario, as words: how submissions ended, where fragments went, what became of keys.
//!
//! Lacks the counting, which is the observer's. Invariant: `ALL` of each holds every word once, so that a counter can stand
//! at zero before its first event; one that begins at 1 hides that event from whoever asks for an increase.

pub mod conversations;

pub mod task_contexts;

use context::session::request::ACTIONS;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::stage::Reason;
use engine::evolution::stage::Stage;
use engine::pool::analysis::NoDemand;
use engine::pool::assignment::Assignment;
use engine::pool::gate::Audience;
use engine::scenario::event::Event;

/// How a submission ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Accepted,
    /// Its payload does not fit the template.
    Refused,
    /// Answered with the reply to an earlier one.
    Replayed,
    /// The caller's doing, payload aside: an idempotency key used twice, a retired schema, a limit.
    TurnedAway,
    /// Accepted and on record, but its executor brought no result.
    NotExecuted,
    /// The service's doing: overload, a full disk, read-only, a fault, shutting down.
    Failed,
}

impl Outcome {
    pub const ALL: [Outcome; 6] = [
        Outcome::Accepted,
        Outcome::Refused,
        Outcome::Replayed,
        Outcome::TurnedAway,
        Outcome::NotExecuted,
        Outcome::Failed,
    ];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Refused => "refused",
            Outcome::Replayed => "replayed",
            Outcome::TurnedAway => "turned_away",
            Outcome::NotExecuted => "not_executed",
            Outcome::Failed => "failed",
        }
    }
}

/// What creators do with their sessions of shared context, beside the actions.
const OF_CREATORS: [&str; 3] = ["create", "archive", "remove"];

/// What is done with sessions of shared context: what agents ask, and what their creators do.
pub const SESSION_OPERATIONS: [&str; ACTIONS.len() + OF_CREATORS.len()] = {
    let mut all = [""; ACTIONS.len() + OF_CREATORS.len()];
    let (actions, creators) = all.split_at_mut(ACTIONS.len());
    actions.copy_from_slice(ACTIONS);
    creators.copy_from_slice(&OF_CREATORS);
    all
};

/// Where a fragment went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Into a micro-cluster that was there.
    Joined,
    /// Into a new one.
    Opened,
    /// A key in force says it already.
    Covered,
    /// It carries no demand.
    Dropped,
    /// Nothing was left of it without the secret that it told.
    Secret,
    /// It is on record, and too long, or of too many values, to be read.
    Unread,
    /// It could not be embedded.
    Failed,
}

impl Fate {
    pub const ALL: [Fate; 7] = [
        Fate::Joined,
        Fate::Opened,
        Fate::Covered,
        Fate::Dropped,
        Fate::Secret,
        Fate::Unread,
        Fate::Failed,
    ];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Joined => "joined",
            Fate::Opened => "opened",
            Fate::Covered => "covered",
            Fate::Dropped => "dropped",
            Fate::Secret => "secret",
            Fate::Unread => "unread",
            Fate::Failed => "failed",
        }
    }

    /// Where a placement puts it.
    pub fn of(placement: &Assignment) -> Fate {
        match placement {
            Assignment::Dropped {
                reason: NoDemand::Secret,
                ..
            } => Fate::Secret,
            Assignment::Dropped {
                reason: NoDemand::Unread,
                ..
            } => Fate::Unread,
            Assignment::Dropped { .. } => Fate::Dropped,
            Assignment::Covered { .. } => Fate::Covered,
            Assignment::Joined { opened: true, .. } => Fate::Opened,
            Assignment::Joined { opened: false, .. } => Fate::Joined,
            Assignment::Failed { .. } => Fate::Failed,
        }
    }
}

/// How a reader ended that was asked, or that answered unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReaderOutcome {
    /// So many parts of its answer were refused.
    Answered {
        refused: usize,
    },
    Failed,
}

impl ReaderOutcome {
    pub const NAMES: [&str; 2] = ["answered", "failed"];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            ReaderOutcome::Answered { .. } => ReaderOutcome::NAMES[0],
            ReaderOutcome::Failed => ReaderOutcome::NAMES[1],
        }
    }
}

/// For whom a gate opened.
pub const AUDIENCES: [&str; 3] = ["global", "client", "cohort"];

/// The label's value of an audience.
pub fn audience_name(audience: &Audience) -> &'static str {
    match audience {
        Audience::Global => AUDIENCES[0],
        Audience::Client(_) => AUDIENCES[1],
        Audience::Cohort(_) => AUDIENCES[2],
    }
}

/// What became of a key: the stage that it entered, or one of four that are no stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was made from a cluster.
    Proposed,
    /// One that had gone is wanted again.
    Revived,
    /// Its trial goes on for another period.
    Extended,
    /// A person took its promotion back.
    Demoted,
    Queued,
    AwaitingApproval,
    Experimental,
    Stable,
    Deprecated,
    Withdrawn,
    Expired,
    Lapsed,
    Rejected,
}

impl Change {
    pub const ALL: [Change; 13] = [
        Change::Proposed,
        Change::Revived,
        Change::Extended,
        Change::Demoted,
        Change::Queued,
        Change::AwaitingApproval,
        Change::Experimental,
        Change::Stable,
        Change::Deprecated,
        Change::Withdrawn,
        Change::Expired,
        Change::Lapsed,
        Change::Rejected,
    ];

    /// The label's value; a stage's name where it is one.
    pub fn name(self) -> &'static str {
        match self {
            Change::Proposed => "proposed",
            Change::Revived => "revived",
            Change::Extended => "extended",
            Change::Demoted => "demoted",
            Change::Queued => "queued",
            Change::AwaitingApproval => "awaiting_approval",
            Change::Experimental => "experimental",
            Change::Stable => "stable",
            Change::Deprecated => "deprecated",
            Change::Withdrawn => "withdrawn",
            Change::Expired => "expired",
            Change::Lapsed => "lapsed",
            Change::Rejected => "rejected",
        }
    }

    /// What an event changes of a key; nothing, one or two words.
    pub fn of(event: &Event) -> impl Iterator<Item = Change> {
        let pair = match event {
            Event::Proposed { patch } => [Some(Change::Proposed), Some(Change::entered(&patch.stage))],
            Event::Revived { stage, .. } => [Some(Change::Revived), Some(Change::entered(stage))],
            Event::Staged {
                hand: Some(OperatorAction::Demote),
                stage,
                ..
            } => [Some(Change::Demoted), Some(Change::entered(stage))],
            Event::Staged { stage, reason, .. } => [Change::staged(stage, reason), None],
            Event::Submitted(_)
            | Event::Continued
            | Event::Executed(_)
            | Event::Redacted { .. }
            | Event::Received { .. }
            | Event::BasePublished { .. }
            | Event::BaseRetired { .. }
            | Event::BaseRestored { .. }
            | Event::Digested { .. }
            | Event::Judged(_)
            | Event::Audited(_)
            | Event::Regrouped(_)
            | Event::Reviewed(_)
            | Event::ReviewFailed { .. }
            | Event::Rehomed { .. }
            | Event::Reembedded { .. }
            | Event::Triggered { .. }
            | Event::Settled { .. }
            | Event::Edited { .. }
            | Event::Frozen { .. }
            | Event::Thawed { .. }
            | Event::Erased { .. }
            | Event::Trimmed { .. } => [None, None],
        };
        pair.into_iter().flatten()
    }

    fn entered(stage: &Stage) -> Change {
        match stage {
            Stage::Queued { .. } => Change::Queued,
            Stage::AwaitingApproval { .. } => Change::AwaitingApproval,
            Stage::Experimental(_) => Change::Experimental,
            Stage::Stable { .. } => Change::Stable,
            Stage::Deprecated { .. } => Change::Deprecated,
            Stage::Withdrawn { .. } => Change::Withdrawn,
            Stage::Expired { .. } => Change::Expired,
            Stage::Lapsed { .. } => Change::Lapsed,
            Stage::Rejected { .. } => Change::Rejected,
        }
    }

    /// A key that was looked at and stays as it was has not changed.
    fn staged(stage: &Stage, reason: &Reason) -> Option<Change> {
        if reason.enters() {
            return Some(Change::entered(stage));
        }
        (*reason != Reason::Measured).then_some(Change::Extended)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Change;
    use super::Fate;
    use super::Outcome;
    use super::SESSION_OPERATIONS;
    use engine::evolution::stage::Reason;
    use engine::evolution::stage::Stage;
    use schema::time::At;

    #[test]
    fn every_word_stands_in_its_list_once() {
        let distinct = |names: &[&str]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        assert!(distinct(&Outcome::ALL.map(Outcome::name)));
        assert!(distinct(&Fate::ALL.map(Fate::name)));
        assert!(distinct(&Change::ALL.map(Change::name)));
        assert!(distinct(&SESSION_OPERATIONS));
    }

    #[test]
    fn a_look_that_changes_nothing_is_no_change_and_an_extension_is_no_birth_z141_z157() {
        let stable = Stage::Stable {
            since: At(0),
            next_look: At(1),
        };
        assert_eq!(Change::staged(&stable, &Reason::Measured), None);
        assert_eq!(Change::staged(&stable, &Reason::Promoted), Some(Change::Stable));
        assert_eq!(Change::staged(&stable, &Reason::Operator), Some(Change::Stable));
        for reason in [Reason::MiddleBand, Reason::TooLittleData] {
            assert_eq!(Change::staged(&stable, &reason), Some(Change::Extended));
        }
        let rejected = Stage::Rejected { since: At(0) };
        assert_eq!(Change::entered(&rejected).name(), rejected.name());
    }
}
