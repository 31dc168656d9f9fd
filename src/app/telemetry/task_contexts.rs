//! What happens to what agents know of tasks, as words.

use context::task_context::event::WorkEvent;

/// What happened to a task or to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkStep {
    Begun,
    Changed,
    /// A subtask was made out, or made out anew.
    Sent,
    Returned,
    Evaluated,
    /// All subtasks of a round are complete.
    RoundCompleted,
    Closed,
    Removed,
    /// The task was over by its age.
    Expired,
    ContentStored,
    ContentReleased,
    /// Somebody's content was over by its age.
    ContentExpired,
}

impl WorkStep {
    pub const ALL: [WorkStep; 12] = [
        WorkStep::Begun,
        WorkStep::Changed,
        WorkStep::Sent,
        WorkStep::Returned,
        WorkStep::Evaluated,
        WorkStep::RoundCompleted,
        WorkStep::Closed,
        WorkStep::Removed,
        WorkStep::Expired,
        WorkStep::ContentStored,
        WorkStep::ContentReleased,
        WorkStep::ContentExpired,
    ];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            WorkStep::Begun => "begun",
            WorkStep::Changed => "changed",
            WorkStep::Sent => "sent",
            WorkStep::Returned => "returned",
            WorkStep::Evaluated => "evaluated",
            WorkStep::RoundCompleted => "round_completed",
            WorkStep::Closed => "closed",
            WorkStep::Removed => "removed",
            WorkStep::Expired => "expired",
            WorkStep::ContentStored => "content_stored",
            WorkStep::ContentReleased => "content_released",
            WorkStep::ContentExpired => "content_expired",
        }
    }

    /// What an event is that somebody asked for.
    pub fn asked(event: &WorkEvent) -> Option<WorkStep> {
        match event {
            WorkEvent::Begun { .. } => Some(WorkStep::Begun),
            WorkEvent::Changed { .. } => Some(WorkStep::Changed),
            WorkEvent::Sent { .. } => Some(WorkStep::Sent),
            WorkEvent::Returned { .. } => Some(WorkStep::Returned),
            WorkEvent::Evaluated { .. } => Some(WorkStep::Evaluated),
            WorkEvent::Closed { .. } => Some(WorkStep::Closed),
            WorkEvent::Removed { .. } => Some(WorkStep::Removed),
            WorkEvent::Stored { .. } => Some(WorkStep::ContentStored),
            WorkEvent::Released { .. } => Some(WorkStep::ContentReleased),
            WorkEvent::Continued => None,
        }
    }

    /// What an event is that came by age alone.
    pub fn lapsed(event: &WorkEvent) -> Option<WorkStep> {
        match WorkStep::asked(event) {
            Some(WorkStep::Removed) => Some(WorkStep::Expired),
            Some(WorkStep::ContentReleased) => Some(WorkStep::ContentExpired),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::WorkEvent;
    use super::WorkStep;
    use context::task_context::id::WorkId;

    #[test]
    fn every_word_stands_in_the_list_once_and_age_is_told_from_a_wish() {
        assert_eq!(
            WorkStep::ALL.map(WorkStep::name).iter().collect::<BTreeSet<_>>().len(),
            WorkStep::ALL.len()
        );
        let work = WorkId::of([1; 16]);
        let removed = WorkEvent::Removed {
            work: work.clone(),
            operator: None,
        };
        assert_eq!(WorkStep::asked(&removed), Some(WorkStep::Removed));
        assert_eq!(WorkStep::lapsed(&removed), Some(WorkStep::Expired));
        let closed = WorkEvent::Closed { work };
        assert_eq!(WorkStep::lapsed(&closed), Some(WorkStep::Closed));
    }
}
