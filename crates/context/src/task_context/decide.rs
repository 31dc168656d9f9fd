//! Which step a task may take, how much there may be, and what is over.

use crate::task_context::access::Lives;
use crate::task_context::agent_context::AgentContext;
use crate::task_context::agent_context::wrong;
use crate::task_context::event::TaskContextEvent;
use crate::task_context::form;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::rounds;
use crate::task_context::tasks::Content;
use crate::task_context::tasks::Standing;
use crate::task_context::tasks::Subtask;
use crate::task_context::tasks::Task;
use crate::task_context::tasks::TaskContexts;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::name::ClientId;
use schema::time::At;

/// How much of what there may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskContextLimits {
    pub tasks_max: usize,
    pub tasks_per_client_max: usize,
    pub subtasks_max: usize,
    /// Records of one task.
    pub changes_max: usize,
    /// Bytes of one context as JSON.
    pub context_bytes_max: usize,
    pub content_bytes_max: usize,
    /// Bytes of all contents, and of those that one client stored.
    pub contents_bytes_max: u64,
    pub contents_per_client_bytes_max: u64,
    pub content_kept_ms: i64,
    pub lives: Lives,
}

/// Why a step is not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskContextRefusal {
    /// The context does not fit the task.
    Invalid(Vec<Violation>),
    /// The task's or subtask's state does not allow it.
    Forbids(&'static str),
    /// As many as may be: the whole sentence.
    Full(String),
}

impl TaskContextLimits {
    /// Whether a client may begin one more task.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Full`].
    pub fn one_more_task(&self, tasks: &TaskContexts, client: &ClientId) -> Result<(), TaskContextRefusal> {
        let own = tasks.tasks.values().filter(|task| task.master == *client).count();
        let max = self.tasks_per_client_max;
        full(own >= max, || {
            format!("one client may have {max} tasks (tasks.tasks_per_client_max); delete one")
        })?;
        let max = self.tasks_max;
        full(tasks.tasks.len() >= max, || {
            format!("there may be {max} tasks (tasks.tasks_max)")
        })
    }

    /// Whether a task may take so many more steps.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Full`].
    pub fn more_changes(&self, task: Option<&Task>, more: usize) -> Result<(), TaskContextRefusal> {
        let taken = task.map_or(0, |task| task.records.len());
        let max = self.changes_max;
        full(taken + more > max, || {
            format!("one task may take {max} steps (tasks.changes_max)")
        })
    }

    /// Whether a context is no longer than it may be.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Invalid`], saying where what is long belongs: waiting would not help.
    pub fn fits(&self, what: &str, bytes: usize) -> Result<(), TaskContextRefusal> {
        let max = self.context_bytes_max;
        fits(what, bytes > max, || {
            format!(
                "{what} may have {max} bytes as JSON (tasks.context_bytes_max); store what is long by POST /v1/contents and refer to it"
            )
        })
    }

    /// Whether a client may store a content.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Invalid`] where it is too long, else [`TaskContextRefusal::Full`].
    pub fn one_more_content(
        &self,
        tasks: &TaskContexts,
        client: &ClientId,
        id: &ContentId,
        bytes: u64,
    ) -> Result<(), TaskContextRefusal> {
        let max = self.content_bytes_max;
        fits("content", bytes > max as u64, || {
            format!("a content may have {max} bytes (tasks.content_bytes_max)")
        })?;
        let there = tasks.contents.get(id);
        let is_own = |content: &&Content| content.owners.contains_key(client);
        let own: u64 = tasks
            .contents
            .values()
            .filter(is_own)
            .map(|content| content.bytes)
            .sum();
        let max = self.contents_per_client_bytes_max;
        full(there.filter(is_own).is_none() && own + bytes > max, || {
            format!(
                "one client may store {max} bytes (tasks.contents_per_client_bytes_max); delete some, or wait until they expire"
            )
        })?;
        let max = self.contents_bytes_max;
        full(there.is_none() && tasks.content_bytes() + bytes > max, || {
            format!("all contents may have {max} bytes (tasks.contents_bytes_max)")
        })
    }
}

impl Task {
    /// Whether anything may still be done for the task.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Forbids`] where it is closed.
    pub fn is_open(&self) -> Result<(), TaskContextRefusal> {
        if self.closed {
            return Err(TaskContextRefusal::Forbids("the task is closed"));
        }
        Ok(())
    }

    /// Whether an agent may give a subtask back.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Forbids`].
    pub fn may_return(&self, subtask: &Subtask) -> Result<(), TaskContextRefusal> {
        self.is_open()?;
        match subtask.standing {
            Standing::Complete => Err(TaskContextRefusal::Forbids("the subtask is complete")),
            Standing::Sent | Standing::Returned | Standing::Incomplete => Ok(()),
        }
    }

    /// Whether the master may evaluate a subtask; a complete one only where its own word `reopens` it, so that a wrong verdict is
    /// not for ever (C-005).
    ///
    /// # Errors
    /// [`TaskContextRefusal::Forbids`].
    pub fn may_evaluate(&self, subtask: &Subtask, reopens: bool) -> Result<(), TaskContextRefusal> {
        self.is_open()?;
        match subtask.standing {
            Standing::Complete if reopens => Ok(()),
            Standing::Complete => Err(TaskContextRefusal::Forbids(
                "the subtask is complete; a verdict of yours with `verified` false opens it again",
            )),
            Standing::Sent => Err(TaskContextRefusal::Forbids("its agent has not given the subtask back")),
            Standing::Returned | Standing::Incomplete => Ok(()),
        }
    }

    /// Whether the master may make a subtask out anew: it is not complete, and its place in the order stays.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Forbids`], [`TaskContextRefusal::Invalid`].
    pub fn may_resend(&self, subtask: &Subtask, id: &SubtaskId, anew: &AgentContext) -> Result<(), TaskContextRefusal> {
        self.is_open()?;
        if subtask.standing == Standing::Complete {
            return Err(TaskContextRefusal::Forbids("the subtask is complete"));
        }
        let mut violations = Vec::new();
        if anew.sub_task_id != *id {
            let message = "`SubTaskID` must be the one in the address";
            violations.push(wrong("SubTaskID", "", ViolationCode::NotAcceptable, message));
        }
        if anew.dependencies != subtask.after {
            let message = "`Dependencies` stay as they were: the subtask has its place in the order";
            violations.push(wrong("Dependencies", "", ViolationCode::NotAcceptable, message));
        }
        if violations.is_empty() {
            Ok(())
        } else {
            Err(TaskContextRefusal::Invalid(violations))
        }
    }
}

/// The rounds of new subtasks, beside those of a task that is there or begins with them.
///
/// # Errors
/// [`TaskContextRefusal::Full`], [`TaskContextRefusal::Invalid`], [`TaskContextRefusal::Forbids`].
pub fn places(
    task: Option<&Task>,
    new: &[AgentContext],
    limits: &TaskContextLimits,
) -> Result<Vec<u32>, TaskContextRefusal> {
    task.map_or(Ok(()), Task::is_open)?;
    let there = task.map_or(0, |task| task.subtasks.len());
    full(there + new.len() > limits.subtasks_max, || {
        format!(
            "one task may have {} subtasks (tasks.subtasks_max)",
            limits.subtasks_max
        )
    })?;
    rounds::places(task, new).map_err(|(nth, mut violations)| {
        for violation in violations.iter_mut().filter(|_| task.is_none()) {
            violation.pointer = among(&violation.pointer, nth);
        }
        TaskContextRefusal::Invalid(violations)
    })
}

/// Says no where as many as may be are there; `what` is the whole sentence.
fn full(is_full: bool, what: impl FnOnce() -> String) -> Result<(), TaskContextRefusal> {
    if is_full {
        return Err(TaskContextRefusal::Full(what()));
    }
    Ok(())
}

/// Says no to what is too long as a whole.
fn fits(what: &str, is_long: bool, message: impl FnOnce() -> String) -> Result<(), TaskContextRefusal> {
    if is_long {
        let violation = form::wrong(what, "", "", ViolationCode::OutOfRange, message());
        return Err(TaskContextRefusal::Invalid(vec![violation]));
    }
    Ok(())
}

/// The place of a violation where several contexts are sent at once.
pub fn among(pointer: &str, nth: usize) -> String {
    pointer.replacen("/AgentContext", &format!("/AgentContexts/{nth}"), 1)
}

/// What is over by now: tasks, and contents that their owners keep no longer. At most so many at once.
pub fn lapsed(tasks: &TaskContexts, now: At, lives: &Lives, max: usize) -> Vec<TaskContextEvent> {
    let over = tasks.tasks.values().filter(|task| lives.end(task) <= now);
    let removed = over.map(|task| TaskContextEvent::Removed {
        work: task.id.clone(),
        operator: None,
    });
    let expired = tasks.contents.values().flat_map(|content| {
        let owners = content.owners.iter().filter(move |(_, until)| **until <= now);
        owners.map(|(owner, _)| TaskContextEvent::Released {
            content: content.id.clone(),
            owner: owner.clone(),
        })
    });
    removed.chain(expired).take(max).collect()
}

#[cfg(test)]
mod tests {
    use super::TaskContextLimits;
    use super::TaskContextRefusal;
    use super::places;
    use crate::task_context::access::Lives;
    use crate::task_context::tasks::tests::begun;
    use crate::task_context::tasks::tests::content;
    use crate::task_context::tasks::tests::context;
    use crate::task_context::tasks::tests::sent;
    use crate::task_context::tasks::tests::stored;
    use crate::task_context::tasks::tests::task;
    use crate::task_context::tasks::tests::told;
    use crate::task_context::tasks::tests::who;
    use crate::task_context::tasks::tests::work;

    const LIMITS: TaskContextLimits = TaskContextLimits {
        tasks_max: 3,
        tasks_per_client_max: 2,
        subtasks_max: 3,
        changes_max: 4,
        context_bytes_max: 100,
        content_bytes_max: 20,
        contents_bytes_max: 30,
        contents_per_client_bytes_max: 20,
        content_kept_ms: 1_000,
        lives: Lives {
            open_kept_ms: 100,
            closed_kept_ms: 10,
        },
    };

    /// What is said to a step: nothing, the place of what is wrong, or what there is too much of.
    fn said<T>(result: Result<T, TaskContextRefusal>) -> String {
        match result {
            Ok(_) => String::new(),
            Err(TaskContextRefusal::Invalid(violations)) => violations[0].pointer.clone(),
            Err(TaskContextRefusal::Full(what)) => {
                let setting = what.split(['(', ')']).nth(1);
                setting.unwrap_or_default().to_owned()
            }
            Err(TaskContextRefusal::Forbids(what)) => what.to_owned(),
        }
    }

    #[test]
    fn subtasks_get_their_place_or_a_reason_c017_c042() {
        let there = task(&[
            begun(1, "m", None),
            sent(1, "a", "x", 1, &[], &[]),
            sent(1, "b", "x", 2, &["a"], &[]),
        ]);
        let new = |after| [context("c", &[]), context("d", after)];
        assert_eq!(places(None, &new(&["c"]), &LIMITS), Ok(vec![1, 2]));
        assert_eq!(
            said(places(None, &new(&["z"]), &LIMITS)),
            "/AgentContexts/1/Dependencies/0"
        );
        assert_eq!(
            said(places(Some(&there), &[context("a", &[])], &LIMITS)),
            "/AgentContext/SubTaskID"
        );
        assert_eq!(said(places(Some(&there), &new(&[]), &LIMITS)), "tasks.subtasks_max");
    }

    #[test]
    fn each_limit_holds_at_its_edge_c058_c065() {
        let tasks = told(&[begun(1, "m", None), begun(2, "n", None)]);
        assert_eq!(said(LIMITS.one_more_task(&tasks, &who("m"))), "");
        let tasks = told(&[begun(1, "m", None), begun(2, "m", None)]);
        assert_eq!(
            said(LIMITS.one_more_task(&tasks, &who("m"))),
            "tasks.tasks_per_client_max"
        );
        assert_eq!(said(LIMITS.one_more_task(&tasks, &who("n"))), "");
        let tasks = told(&[begun(1, "m", None), begun(2, "m", None), begun(3, "n", None)]);
        assert_eq!(said(LIMITS.one_more_task(&tasks, &who("n"))), "tasks.tasks_max");
        let found = &tasks.tasks[&work(1)];
        for (task, more, limit) in [
            (Some(found), 3, ""),
            (Some(found), 4, "tasks.changes_max"),
            (None, 4, ""),
            (None, 5, "tasks.changes_max"),
        ] {
            assert_eq!(said(LIMITS.more_changes(task, more)), limit);
        }
        assert_eq!(said(LIMITS.fits("AgentContext", 100)), "");
        assert_eq!(said(LIMITS.fits("AgentContext", 101)), "/AgentContext");
        let (one, two) = (told(&[stored(7, "m")]), told(&[stored(7, "m"), stored(8, "m")]));
        for (tasks, client, n, bytes, limit) in [
            (&one, "m", 8, 10, ""),
            (&one, "m", 8, 11, "tasks.contents_per_client_bytes_max"),
            (&one, "n", 8, 20, ""),
            (&one, "n", 8, 21, "/content"),
            // It is stored already, or there already.
            (&two, "m", 7, 10, ""),
            (&two, "n", 7, 10, ""),
            (&two, "n", 9, 10, ""),
            (&two, "n", 9, 11, "tasks.contents_bytes_max"),
        ] {
            let may = LIMITS.one_more_content(tasks, &who(client), &content(n), bytes);
            assert_eq!(said(may), limit, "{client} {n} {bytes}");
        }
    }
}
