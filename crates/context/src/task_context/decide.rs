//! Which step a task may take, how much there may be, and what is over.

use std::collections::BTreeMap;

use crate::task_context::access::Lives;
use crate::task_context::agent_context::Filed;
use crate::task_context::agent_context::of;
use crate::task_context::event::TaskContextEvent;
use crate::task_context::form::wrong;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::round;
use crate::task_context::round::Disorder;
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

/// Others build on what was given back: it stays as it is until the master says no to it.
const RELEASED: &str =
    "what depends on the subtask was handed out; a verdict of the master's with `verified` false opens it again";

impl TaskContextLimits {
    /// Whether a client may begin one more task.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Full`].
    pub fn one_more_task(&self, tasks: &TaskContexts, client: &ClientId) -> Result<(), TaskContextRefusal> {
        let own = tasks.tasks.values().filter(|task| task.master == *client).count();
        if own >= self.tasks_per_client_max {
            let what = format!(
                "one client may have {} tasks (tasks.tasks_per_client_max); delete one",
                self.tasks_per_client_max
            );
            return Err(TaskContextRefusal::Full(what));
        }
        if tasks.tasks.len() >= self.tasks_max {
            return Err(TaskContextRefusal::Full(format!(
                "there may be {} tasks (tasks.tasks_max)",
                self.tasks_max
            )));
        }
        Ok(())
    }

    /// Whether a task may take so many more steps.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Full`].
    pub fn more_changes(&self, task: Option<&Task>, more: usize) -> Result<(), TaskContextRefusal> {
        if task.map_or(0, |task| task.records.len()) + more > self.changes_max {
            let what = format!("one task may take {} steps (tasks.changes_max)", self.changes_max);
            return Err(TaskContextRefusal::Full(what));
        }
        Ok(())
    }

    /// Whether a context is no longer than it may be.
    ///
    /// # Errors
    /// [`TaskContextRefusal::Invalid`], saying where what is long belongs: waiting would not help.
    pub fn fits(&self, what: &str, bytes: usize) -> Result<(), TaskContextRefusal> {
        if bytes > self.context_bytes_max {
            let message = format!(
                "{what} may have {} bytes as JSON (tasks.context_bytes_max); store what is long by POST /v1/contents and refer to \
                 it",
                self.context_bytes_max
            );
            return Err(TaskContextRefusal::Invalid(vec![whole(what, message)]));
        }
        Ok(())
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
        if bytes > self.content_bytes_max as u64 {
            let what = format!(
                "a content may have {} bytes (tasks.content_bytes_max)",
                self.content_bytes_max
            );
            return Err(TaskContextRefusal::Invalid(vec![whole("content", what)]));
        }
        let there = tasks.contents.get(id);
        let is_own = |content: &Content| content.owners.contains_key(client);
        let own = tasks.contents.values().filter(|content| is_own(content));
        let own: u64 = own.map(|content| content.bytes).sum();
        let is_own = there.is_some_and(is_own);
        if !is_own && own + bytes > self.contents_per_client_bytes_max {
            return Err(TaskContextRefusal::Full(format!(
                "one client may store {} bytes (tasks.contents_per_client_bytes_max); delete some, or wait until they expire",
                self.contents_per_client_bytes_max
            )));
        }
        if there.is_none() && tasks.content_bytes() + bytes > self.contents_bytes_max {
            return Err(TaskContextRefusal::Full(format!(
                "all contents may have {} bytes (tasks.contents_bytes_max)",
                self.contents_bytes_max
            )));
        }
        Ok(())
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
            Standing::Returned if self.releases(subtask) => Err(TaskContextRefusal::Forbids(RELEASED)),
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
    pub fn may_resend(&self, subtask: &Subtask, id: &SubtaskId, filed: &Filed) -> Result<(), TaskContextRefusal> {
        self.is_open()?;
        if subtask.standing == Standing::Complete {
            return Err(TaskContextRefusal::Forbids("the subtask is complete"));
        }
        if self.releases(subtask) {
            return Err(TaskContextRefusal::Forbids(RELEASED));
        }
        let mut violations = Vec::new();
        if filed.subtask != *id {
            let message = "`SubTaskID` must be the one in the address";
            violations.push(of("SubTaskID", "", ViolationCode::NotAcceptable, message));
        }
        if filed.after != subtask.after {
            let message = "`Dependencies` stay as they were: the subtask has its place in the order";
            violations.push(of("Dependencies", "", ViolationCode::NotAcceptable, message));
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
pub fn places(task: Option<&Task>, new: &[Filed], limits: &TaskContextLimits) -> Result<Vec<u32>, TaskContextRefusal> {
    let there: BTreeMap<SubtaskId, u32> = task
        .iter()
        .flat_map(|task| &task.subtasks)
        .map(|(id, subtask)| (id.clone(), subtask.round))
        .collect();
    if let Some(task) = task {
        task.is_open()?;
    }
    if there.len() + new.len() > limits.subtasks_max {
        let what = format!(
            "one task may have {} subtasks (tasks.subtasks_max)",
            limits.subtasks_max
        );
        return Err(TaskContextRefusal::Full(what));
    }
    let wanted: Vec<(&SubtaskId, &[SubtaskId])> = new
        .iter()
        .map(|filed| (&filed.subtask, filed.after.as_slice()))
        .collect();
    let earliest = task.map_or(1, round::earliest);
    round::places(&there, &wanted, earliest).map_err(|disorder| {
        let (nth, mut violation) = match disorder {
            Disorder::Taken { nth } => {
                let message = "the task has a subtask with this `SubTaskID` already";
                (nth, of("SubTaskID", "", ViolationCode::NotAcceptable, message))
            }
            Disorder::Unknown { nth, place } => {
                let below = format!("/{place}");
                let message = "the task has no subtask with this id";
                (nth, of("Dependencies", &below, ViolationCode::NotAcceptable, message))
            }
            Disorder::Cycle { nth } => {
                let message = "the subtask would wait for itself, be it by way of others";
                (nth, of("Dependencies", "", ViolationCode::BadShape, message))
            }
        };
        if task.is_none() {
            violation.pointer = among(&violation.pointer, nth);
        }
        TaskContextRefusal::Invalid(vec![violation])
    })
}

/// Something that is too long as a whole.
fn whole(what: &str, message: String) -> Violation {
    wrong(what, "", "", ViolationCode::OutOfRange, message)
}

/// The place of a violation where several contexts are sent at once.
pub fn among(pointer: &str, nth: usize) -> String {
    pointer.replacen("/AgentContext", &format!("/AgentContexts/{nth}"), 1)
}

/// What is over by now: tasks, and contents that their owners keep no longer. At most so many at once.
pub fn lapsed(tasks: &TaskContexts, now: At, lives: &Lives, max: usize) -> Vec<TaskContextEvent> {
    let over = tasks.tasks.values().filter(|task| lives.is_over(task, now));
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
    use serde_json::json;

    use super::TaskContextLimits;
    use super::TaskContextRefusal;
    use super::places;
    use crate::task_context::access::Lives;
    use crate::task_context::agent_context::AgentContext;
    use crate::task_context::agent_context::Filed;
    use crate::task_context::form::Form;
    use crate::task_context::tasks::tests::begun;
    use crate::task_context::tasks::tests::content;
    use crate::task_context::tasks::tests::evaluated;
    use crate::task_context::tasks::tests::sent;
    use crate::task_context::tasks::tests::stored;
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

    fn filed(id: &str, after: &[&str]) -> Filed {
        let document = json!({"AgentID": "a", "AgentName": "A", "SubTaskID": id, "SubTaskName": "S", "Dependencies": after,
            "Context": "", "todoItems": [{"itemId": "1", "description": "find"}], "ItemstateUpdates": [], "KeyInformation": []});
        let form = Form::of_agent().expect("a form");
        AgentContext::read(&form, &document)
            .expect("it fits")
            .filed()
            .expect("names")
    }

    fn pointer(refusal: TaskContextRefusal) -> String {
        match refusal {
            TaskContextRefusal::Invalid(violations) => violations[0].pointer.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn long(result: Result<(), TaskContextRefusal>, place: &str) -> bool {
        result.is_err_and(|refusal| pointer(refusal) == place)
    }

    fn full<T: std::fmt::Debug>(result: Result<T, TaskContextRefusal>) -> bool {
        matches!(result, Err(TaskContextRefusal::Full(_)))
    }

    #[test]
    fn subtasks_get_their_place_or_a_reason_c017_c042() {
        assert_eq!(
            places(None, &[filed("a", &[]), filed("b", &["a"])], &LIMITS),
            Ok(vec![1, 2])
        );
        let refused = |new: &[Filed]| pointer(places(None, new, &LIMITS).expect_err("no order"));
        assert_eq!(
            refused(&[filed("a", &[]), filed("b", &["z"])]),
            "/AgentContexts/1/Dependencies/0"
        );
        assert_eq!(
            refused(&[filed("a", &["b"]), filed("b", &["a"])]),
            "/AgentContexts/0/Dependencies"
        );
        let tasks = told(&[
            begun(1, "m", None),
            sent(1, "a", "x", 1, &[], &[]),
            sent(1, "b", "x", 2, &["a"], &[]),
            evaluated(1, "a", true),
        ]);
        let there = &tasks.tasks[&work(1)];
        assert_eq!(
            places(Some(there), &[filed("c", &[])], &LIMITS),
            Ok(vec![2]),
            "the first round is over"
        );
        let taken = places(Some(there), &[filed("a", &[])], &LIMITS).expect_err("taken");
        assert_eq!(pointer(taken), "/AgentContext/SubTaskID");
        assert!(full(places(Some(there), &[filed("c", &[]), filed("d", &[])], &LIMITS)));
    }

    #[test]
    fn each_limit_holds_at_its_edge_c058_c065() {
        let tasks = told(&[begun(1, "m", None), begun(2, "n", None)]);
        assert!(LIMITS.one_more_task(&tasks, &who("m")).is_ok());
        let tasks = told(&[begun(1, "m", None), begun(2, "m", None)]);
        assert!(full(LIMITS.one_more_task(&tasks, &who("m"))) && LIMITS.one_more_task(&tasks, &who("n")).is_ok());
        let tasks = told(&[begun(1, "m", None), begun(2, "m", None), begun(3, "n", None)]);
        assert!(full(LIMITS.one_more_task(&tasks, &who("n"))));
        let found = &tasks.tasks[&work(1)];
        assert!(LIMITS.more_changes(Some(found), 3).is_ok() && full(LIMITS.more_changes(Some(found), 4)));
        assert!(LIMITS.more_changes(None, 4).is_ok() && full(LIMITS.more_changes(None, 5)));
        assert!(LIMITS.fits("AgentContext", 100).is_ok() && long(LIMITS.fits("AgentContext", 101), "/AgentContext"));
        let tasks = told(&[stored(7, "m")]);
        let more = |client: &str, n: u8, bytes: u64| LIMITS.one_more_content(&tasks, &who(client), &content(n), bytes);
        assert!(
            more("m", 8, 10).is_ok() && full(more("m", 8, 11)),
            "ten of its twenty are there"
        );
        assert!(more("n", 8, 20).is_ok() && long(more("n", 8, 21), "/content"));
        let tasks = told(&[stored(7, "m"), stored(8, "m")]);
        let more = |client: &str, n: u8, bytes: u64| LIMITS.one_more_content(&tasks, &who(client), &content(n), bytes);
        assert!(more("m", 7, 10).is_ok(), "it is stored already");
        assert!(
            more("n", 9, 10).is_ok() && full(more("n", 9, 11)),
            "twenty of all thirty are there"
        );
        assert!(more("n", 7, 10).is_ok(), "it is there already");
    }
}
