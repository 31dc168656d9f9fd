//! What happens to what agents know of tasks, as words.

use context::task_context::event::TaskContextEvent;

/// What happened to a task or to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub const ALL: [TaskContextStep; 11] = [
        TaskContextStep::Begun,
        TaskContextStep::Changed,
        TaskContextStep::Sent,
        TaskContextStep::Returned,
        TaskContextStep::Evaluated,
        TaskContextStep::Closed,
        TaskContextStep::Removed,
        TaskContextStep::Expired,
        TaskContextStep::ContentStored,
        TaskContextStep::ContentReleased,
        TaskContextStep::ContentExpired,
    ];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            TaskContextStep::Begun => "begun",
            TaskContextStep::Changed => "changed",
            TaskContextStep::Sent => "sent",
            TaskContextStep::Returned => "returned",
            TaskContextStep::Evaluated => "evaluated",
            TaskContextStep::Closed => "closed",
            TaskContextStep::Removed => "removed",
            TaskContextStep::Expired => "expired",
            TaskContextStep::ContentStored => "content_stored",
            TaskContextStep::ContentReleased => "content_released",
            TaskContextStep::ContentExpired => "content_expired",
        }
    }

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
    use std::collections::BTreeSet;

    use super::TaskContextEvent;
    use super::TaskContextStep;
    use context::task_context::id::TaskId;

    #[test]
    fn every_word_stands_in_the_list_once_and_age_is_told_from_a_wish() {
        assert_eq!(
            TaskContextStep::ALL
                .map(TaskContextStep::name)
                .iter()
                .collect::<BTreeSet<_>>()
                .len(),
            TaskContextStep::ALL.len()
        );
        let work = TaskId::of([1; 16]);
        let removed = TaskContextEvent::Removed {
            work: work.clone(),
            operator: None,
        };
        assert_eq!(TaskContextStep::asked(&removed), Some(TaskContextStep::Removed));
        assert_eq!(TaskContextStep::lapsed(&removed), Some(TaskContextStep::Expired));
        let closed = TaskContextEvent::Closed { work };
        assert_eq!(TaskContextStep::lapsed(&closed), Some(TaskContextStep::Closed));
    }
}
