//! Who may read what (C-003, C-021, C-035, C-036, C-065, C-067).
//!
//! The one place that lets anyone in: every call asks here, by the names that the identity layer established. Invariant: what is
//! not one's own is as if it were not there.

use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::TaskId;
use crate::task_context::round;
use crate::task_context::tasks::Content;
use crate::task_context::tasks::Subtask;
use crate::task_context::tasks::Task;
use crate::task_context::tasks::TaskContexts;
use schema::name::ClientId;
use schema::time::At;

/// How long tasks are kept without a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lives {
    pub open_kept_ms: i64,
    pub closed_kept_ms: i64,
}

impl Lives {
    /// When a task ends by itself if nothing happens any more.
    pub fn end(&self, task: &Task) -> At {
        let kept = if task.closed {
            self.closed_kept_ms
        } else {
            self.open_kept_ms
        };
        task.changed.plus_ms(kept)
    }

    /// Whether a task is over, be it removed already or not.
    pub fn is_over(&self, task: &Task, now: At) -> bool {
        self.end(task) <= now
    }
}

/// A subtask with its task.
pub type Found<'a> = (&'a Task, &'a SubtaskId, &'a Subtask);

/// What there is at a moment.
#[derive(Clone, Copy)]
pub struct Living<'a> {
    pub all: &'a TaskContexts,
    pub now: At,
    pub lives: &'a Lives,
}

impl<'a> Living<'a> {
    /// A task, whoever's it is.
    pub fn task(self, id: &str) -> Option<&'a Task> {
        let task = self.all.tasks.get(&TaskId::named(id))?;
        (!self.lives.is_over(task, self.now)).then_some(task)
    }

    /// Every task.
    pub fn tasks(self) -> impl Iterator<Item = &'a Task> {
        let tasks = self.all.tasks.values();
        tasks.filter(move |task| !self.lives.is_over(task, self.now))
    }

    /// A task by its master.
    pub fn of_master(self, client: &ClientId, id: &str) -> Option<&'a Task> {
        self.task(id).filter(|task| task.master == *client)
    }

    /// A subtask by its agent: its own, and only once it was handed out.
    pub fn of_agent(self, client: &ClientId, id: &str, subtask: &str) -> Option<Found<'a>> {
        let task = self.task(id)?;
        let (subtask, found) = task.subtasks.get_key_value(&SubtaskId::parse(subtask)?)?;
        let is_own = found.agent == *client && round::is_handed_out(task, found);
        is_own.then_some((task, subtask, found))
    }

    /// Every subtask that was handed out to an agent, of closed tasks too, in the order of their names.
    pub fn handed_out(self, client: &'a ClientId) -> impl Iterator<Item = Found<'a>> {
        self.tasks().flat_map(move |task| {
            let own = task.subtasks.iter().filter(|(_, found)| found.agent == *client);
            let own = own.filter(|(_, found)| round::is_handed_out(task, found));
            own.map(move |(subtask, found)| (task, subtask, found))
        })
    }

    /// What an agent's list holds: its subtasks of tasks that are not closed.
    pub fn assigned(self, client: &'a ClientId) -> impl Iterator<Item = Found<'a>> {
        self.handed_out(client).filter(|(task, ..)| !task.closed)
    }

    /// A content by who stored it, by the master of a task that refers to it, or by the agent whose own context does, once that
    /// was handed out (C-058).
    pub fn content(self, client: &ClientId, id: &ContentId) -> Option<&'a Content> {
        let content = self.all.contents.get(id)?;
        (content.is_owned(client, self.now) || self.is_told(client, id)).then_some(content)
    }

    /// Whether a context of a task that goes on lets this client read a content, whoever stored it.
    pub fn is_told(self, client: &ClientId, id: &ContentId) -> bool {
        self.tasks().any(|task| {
            let mut referring = task.subtasks.values().filter(|subtask| subtask.refers_to(id));
            let is_own = |subtask: &Subtask| subtask.agent == *client && round::is_handed_out(task, subtask);
            referring.any(|subtask| task.master == *client || is_own(subtask))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Lives;
    use super::Living;
    use crate::aggregate::Aggregate;
    use crate::task_context::event::TaskContextEvent;
    use crate::task_context::tasks::TaskContexts;
    use crate::task_context::tasks::tests::begun;
    use crate::task_context::tasks::tests::content;
    use crate::task_context::tasks::tests::evaluated;
    use crate::task_context::tasks::tests::sent;
    use crate::task_context::tasks::tests::stored;
    use crate::task_context::tasks::tests::told;
    use crate::task_context::tasks::tests::who;
    use crate::task_context::tasks::tests::work;
    use schema::time::At;

    const LIVES: Lives = Lives {
        open_kept_ms: 100,
        closed_kept_ms: 10,
    };
    const NOW: At = At(10);

    fn at(all: &TaskContexts, now: At) -> Living<'_> {
        let lives = &LIVES;
        Living { all, now, lives }
    }

    fn doctor() -> TaskContexts {
        told(&[
            stored(7, "master"),
            stored(8, "master"),
            begun(1, "master", None),
            sent(1, "diagnosis", "d", 1, &[], &[7]),
            sent(1, "prescription", "p", 2, &["diagnosis"], &[8]),
            begun(2, "p", None),
        ])
    }

    fn agent(tasks: &TaskContexts, name: &str, subtask: &str) -> bool {
        let found = at(tasks, NOW).of_agent(&who(name), work(1).as_str(), subtask);
        found.is_some()
    }

    fn reads(tasks: &TaskContexts, name: &str, n: u8) -> bool {
        at(tasks, NOW).content(&who(name), &content(n)).is_some()
    }

    #[test]
    fn nobody_but_the_master_has_the_task_c021_c065() {
        let tasks = doctor();
        let has = |name: &str| at(&tasks, NOW).of_master(&who(name), work(1).as_str()).is_some();
        assert_eq!(["master", "d", "p", "stranger"].map(has), [true, false, false, false]);
    }

    #[test]
    fn an_agent_has_its_own_subtask_once_it_is_handed_out_c035_c036_c067() {
        let tasks = doctor();
        assert!(agent(&tasks, "d", "diagnosis"));
        assert!(!agent(&tasks, "d", "prescription"), "another one's");
        assert!(!agent(&tasks, "p", "prescription"), "not handed out yet");
        assert!(!agent(&tasks, "master", "diagnosis") && !agent(&tasks, "stranger", "diagnosis"));
        assert!(!agent(&tasks, "d", "nothing") && !agent(&tasks, "d", "a b"));
        let mut tasks = tasks;
        tasks.evolve(9, At(9), &evaluated(1, "diagnosis", true));
        assert!(agent(&tasks, "p", "prescription"));
        assert!(agent(&tasks, "d", "diagnosis"), "its own stays its own");
    }

    #[test]
    fn what_is_closed_is_in_no_agents_list_and_can_still_be_fetched_c059() {
        let mut tasks = doctor();
        let listed = |tasks: &TaskContexts| at(tasks, NOW).assigned(&who("d")).count();
        assert_eq!(listed(&tasks), 1);
        tasks.evolve(9, At(9), &TaskContextEvent::Closed { work: work(1) });
        assert_eq!(listed(&tasks), 0);
        assert!(agent(&tasks, "d", "diagnosis"));
    }

    #[test]
    fn a_content_is_read_by_who_is_told_of_it_c058_c067() {
        let tasks = doctor();
        assert!(reads(&tasks, "master", 7) && reads(&tasks, "master", 8));
        assert!(reads(&tasks, "d", 7), "its context refers to it");
        assert!(!reads(&tasks, "d", 8), "another one's does");
        assert!(!reads(&tasks, "p", 8), "its own is not handed out");
        assert!(!reads(&tasks, "stranger", 7), "to know the address is not enough");
        let own = told(&[stored(7, "agent")]);
        assert!(reads(&own, "agent", 7));
        assert!(at(&own, At(999)).content(&who("agent"), &content(7)).is_some());
        assert!(
            at(&own, At(1_000)).content(&who("agent"), &content(7)).is_none(),
            "its time is over"
        );
    }

    #[test]
    fn what_is_over_is_gone_for_everyone_c022() {
        let tasks = doctor();
        let last = tasks.tasks[&work(1)].changed;
        for (after, there) in [(99, true), (100, false)] {
            let now = last.plus_ms(after);
            assert_eq!(
                at(&tasks, now).of_master(&who("master"), work(1).as_str()).is_some(),
                there
            );
            assert_eq!(
                at(&tasks, now)
                    .of_agent(&who("d"), work(1).as_str(), "diagnosis")
                    .is_some(),
                there
            );
            assert_eq!(at(&tasks, now).content(&who("d"), &content(7)).is_some(), there);
        }
        let closed = told(&[begun(1, "master", None), TaskContextEvent::Closed { work: work(1) }]);
        assert!(
            at(&closed, At(11))
                .of_master(&who("master"), work(1).as_str())
                .is_some()
        );
        assert!(
            at(&closed, At(12))
                .of_master(&who("master"), work(1).as_str())
                .is_none()
        );
    }
}
