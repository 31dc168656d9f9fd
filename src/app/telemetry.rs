//! What is counted, as words: how submissions ended, where fragments went, what became of keys, of conversations and of tasks.
//!
//! Lacks the counting, which is the observer's. Invariant: every word can be listed, so that a counter can stand at zero before its first
//! event; one that begins at 1 hides that event from whoever asks for an increase.

use strum::AsRefStr;
use strum::VariantNames;

use context::conversation::event::ConversationEvent;
use context::session::request::ACTIONS;
use context::task_context::event::TaskContextEvent;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::stage::Reason;
use engine::evolution::stage::StageName;
use engine::pool::analysis::NoDemand;
use engine::pool::assignment::Assignment;
use engine::pool::gate::Audience;
use engine::scenario::event::Event;

/// How a submission ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
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

/// What creators do with their sessions of shared context, beside the actions.
const OF_CREATORS: [&str; 3] = ["create", "archive", "remove"];

/// What is done with sessions of shared context: what agents ask, and what their creators do.
pub fn session_operations() -> impl Iterator<Item = &'static str> {
    ACTIONS.iter().copied().chain(OF_CREATORS)
}

/// Where a fragment went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
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
    /// Where an assignment puts it.
    pub fn of(assignment: &Assignment) -> Fate {
        match assignment {
            Assignment::Dropped { reason, .. } => match reason {
                NoDemand::Secret => Fate::Secret,
                NoDemand::Unread => Fate::Unread,
                _ => Fate::Dropped,
            },
            Assignment::Covered { .. } => Fate::Covered,
            Assignment::Joined { opened: true, .. } => Fate::Opened,
            Assignment::Joined { opened: false, .. } => Fate::Joined,
            Assignment::Failed { .. } => Fate::Failed,
        }
    }
}

/// How a reader ended that was asked, or that answered unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReaderOutcome {
    /// So many parts of its answer were refused.
    Answered {
        refused: usize,
    },
    Failed,
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

/// Every stage that a patch can have, in the order of its life.
pub const STAGES: &[&str] = StageName::VARIANTS;

/// What becomes of a key beside the stages that it enters: it was made from a cluster; one that had gone is wanted again; its trial goes
/// on for another period; a person took its promotion back.
const BESIDE_STAGES: [&str; 4] = ["proposed", "revived", "extended", "demoted"];

/// What can become of a key.
pub fn key_changes() -> impl Iterator<Item = &'static str> {
    BESIDE_STAGES.into_iter().chain(STAGES.iter().copied())
}

/// What an event changes of a key: the stage that it entered, beside it what is no stage; mostly nothing.
pub fn key_changes_of(event: &Event) -> impl Iterator<Item = &'static str> {
    let [proposed, revived, extended, demoted] = BESIDE_STAGES;
    let pair = match event {
        Event::Proposed { patch } => [Some(proposed), Some(patch.stage.name())],
        Event::Revived { stage, .. } => [Some(revived), Some(stage.name())],
        Event::Staged {
            hand: Some(OperatorAction::Demote),
            stage,
            ..
        } => [Some(demoted), Some(stage.name())],
        Event::Staged { stage, reason, .. } if reason.enters() => [Some(stage.name()), None],
        // A key that was looked at and stays as it was has not changed.
        Event::Staged { reason, .. } => [(*reason != Reason::Measured).then_some(extended), None],
        _ => [None, None],
    };
    pair.into_iter().flatten()
}

/// What happens to a conversation. What goes by its age is removed as well.
pub const CONVERSATION_EVENTS: [&str; 7] = [
    "opened",
    "said",
    "shared",
    "summarised",
    "declared",
    "undeclared",
    "removed",
];

/// The one of them that an event is.
pub fn conversation_event(event: &ConversationEvent) -> Option<&'static str> {
    match event {
        ConversationEvent::Opened { .. } => Some("opened"),
        ConversationEvent::Said { .. } => Some("said"),
        ConversationEvent::Shared { .. } => Some("shared"),
        ConversationEvent::Declared { .. } => Some("declared"),
        ConversationEvent::Undeclared { .. } => Some("undeclared"),
        ConversationEvent::Removed { .. } => Some("removed"),
        ConversationEvent::Summarised { .. } => Some("summarised"),
        ConversationEvent::Kept {}
        | ConversationEvent::Dropped {}
        | ConversationEvent::Erased { .. }
        | ConversationEvent::Continued => None,
    }
}

/// How an agent comes by its context, where no message brings it.
pub const FETCHED: &str = "fetched";

/// Turns that a declaration kept from an agent since they are marked sensitive.
pub const SENSITIVE_TURN: &str = "sensitive_turn";
/// Parts that are.
pub const SENSITIVE_PART: &str = "sensitive_part";
/// Parts of a type that is not declared.
pub const UNDECLARED_PART: &str = "undeclared_part";
/// All that is kept from agents.
pub const WITHHELD: [&str; 3] = [SENSITIVE_TURN, SENSITIVE_PART, UNDECLARED_PART];

/// What is done with Agent Context Messages and with what agents offer.
pub const MESSAGE_OPERATIONS: [&str; 4] = ["check", "render", "convert", "register"];

/// What happened to a task or to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum TaskContextStep {
    Begun,
    Changed,
    /// A subtask was made out, or made out anew.
    Sent,
    Returned,
    Evaluated,
    Closed,
    Removed,
    /// The task was over by its age.
    Expired,
    ContentStored,
    ContentReleased,
    /// Somebody's content was over by its age.
    ContentExpired,
}

impl TaskContextStep {
    /// What an event is that somebody asked for.
    pub fn asked(event: &TaskContextEvent) -> Option<TaskContextStep> {
        match event {
            TaskContextEvent::Begun { .. } => Some(TaskContextStep::Begun),
            TaskContextEvent::Changed { .. } => Some(TaskContextStep::Changed),
            TaskContextEvent::Sent { .. } => Some(TaskContextStep::Sent),
            TaskContextEvent::Returned { .. } => Some(TaskContextStep::Returned),
            TaskContextEvent::Evaluated { .. } => Some(TaskContextStep::Evaluated),
            TaskContextEvent::Closed { .. } => Some(TaskContextStep::Closed),
            TaskContextEvent::Removed { .. } => Some(TaskContextStep::Removed),
            TaskContextEvent::Stored { .. } => Some(TaskContextStep::ContentStored),
            TaskContextEvent::Released { .. } => Some(TaskContextStep::ContentReleased),
            TaskContextEvent::Continued => None,
        }
    }

    /// What an event is that came by age alone.
    pub fn lapsed(event: &TaskContextEvent) -> Option<TaskContextStep> {
        match TaskContextStep::asked(event) {
            Some(TaskContextStep::Removed) => Some(TaskContextStep::Expired),
            Some(TaskContextStep::ContentReleased) => Some(TaskContextStep::ContentExpired),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Event;
    use super::Reason;
    use super::TaskContextEvent;
    use super::TaskContextStep;
    use super::key_changes_of;
    use context::task_context::id::TaskId;
    use engine::evolution::stage::Stage;
    use schema::name::PatchId;
    use schema::name::ScenarioKey;
    use schema::time::At;

    #[test]
    fn a_look_that_changes_nothing_is_no_change_and_an_extension_is_no_birth_z141_z157() {
        let stage = Stage::Stable {
            since: At(0),
            next_look: At(1),
        };
        let staged = |reason: Reason| Event::Staged {
            patch_id: PatchId::numbered(&ScenarioKey::parse("a").expect("a name"), 1),
            stage: stage.clone(),
            reason,
            by: None,
            reading: None,
            cool_until: None,
            hand: None,
            because: None,
            scope: None,
            expiration: None,
        };
        for (reason, change) in [
            (Reason::Measured, &[][..]),
            (Reason::Promoted, &["stable"]),
            (Reason::Operator, &["stable"]),
            (Reason::MiddleBand, &["extended"]),
            (Reason::TooLittleData, &["extended"]),
        ] {
            assert_eq!(key_changes_of(&staged(reason)).collect::<Vec<_>>(), change);
        }
    }

    #[test]
    fn age_is_told_from_a_wish() {
        let closed = TaskContextEvent::Closed {
            work: TaskId::of([1; 16]),
        };
        assert_eq!(TaskContextStep::lapsed(&closed), Some(TaskContextStep::Closed));
    }
}
