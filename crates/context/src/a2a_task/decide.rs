//! Which step a task may take, what makes room for a new one, and which tasks a client sees (A2A §3.1.4).

use std::cmp::Reverse;

use crate::a2a_task::event::TaskEvent;
use crate::a2a_task::event::TaskId;
use crate::a2a_task::index::Task;
use crate::a2a_task::index::TaskIndex;
use crate::a2a_task::phase::Phase;
use schema::name::ClientId;
use schema::time::At;

/// Tasks that are let go because of their age when another begins.
const LAPSED_AT_ONCE: usize = 16;

/// How many of what there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLimits {
    pub tasks_max: usize,
    pub tasks_per_client_max: usize,
    /// Messages of one client in one task.
    pub messages_max: usize,
    pub pushes_max: usize,
    pub pushes_per_task_max: usize,
    /// How long a task that has ended is kept.
    pub ended_kept_ms: i64,
    /// After how long a task that waits for its client may make room.
    pub waiting_kept_ms: i64,
}

/// Why a step is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskRefusal {
    /// There is no such task, or it is another one's.
    Unknown,
    /// The message names another context than the task's.
    OtherContext,
    /// The task takes no message now.
    Takes(Phase),
    /// It is too late.
    NotCancelable(Phase),
    /// As many as may be, of what.
    Full(&'static str, usize),
}

/// Tasks of a page where nothing is said.
pub const PAGE_SIZE: usize = 50;
/// Tasks of a page at most.
pub const PAGE_SIZE_MAX: usize = 100;

/// Which tasks are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Empty for any.
    pub context: String,
    pub phase: Option<Phase>,
    /// Only those that changed then or later.
    pub after: Option<At>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    pub tasks: Vec<&'a Task>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<u64>,
    /// How many tasks there are on all pages.
    pub total: usize,
}

impl TaskIndex {
    /// Somebody's own task.
    ///
    /// # Errors
    /// [`TaskRefusal::Unknown`], also of another one's.
    pub fn own(&self, owner: Option<&ClientId>, id: &str) -> Result<&Task, TaskRefusal> {
        let found = self.tasks.get(&TaskId::named(id));
        found
            .filter(|task| task.owner.as_ref() == owner)
            .ok_or(TaskRefusal::Unknown)
    }

    /// What goes to make room for a new task, while so many others of its owner, and so many of anyone, begin beside it.
    ///
    /// # Errors
    /// [`TaskRefusal::Full`] when nothing can make room.
    pub fn make_room(
        &self,
        owner: Option<&ClientId>,
        beside: (usize, usize),
        now: At,
        limits: &TaskLimits,
    ) -> Result<Vec<TaskEvent>, TaskRefusal> {
        let mut gone: Vec<&TaskId> = Vec::new();
        let is_lapsed = |task: &&Task| task.phase.has_ended() && now.since_ms(task.at) >= limits.ended_kept_ms;
        let mut lapsed: Vec<&Task> = self.tasks.values().filter(is_lapsed).collect();
        lapsed.sort_unstable_by_key(|task| task.changed);
        gone.extend(lapsed.into_iter().take(LAPSED_AT_ONCE).map(|task| &task.id));
        for (owned, beside, max, what) in [
            (true, beside.0, limits.tasks_per_client_max, "tasks of one client"),
            (false, beside.1, limits.tasks_max, "tasks"),
        ] {
            let counted = self.tasks.values().filter(|task| {
                let counts = !owned || task.owner.as_ref() == owner;
                counts && !gone.contains(&&task.id)
            });
            let counted: Vec<&Task> = counted.collect();
            let over = (counted.len() + beside + 1).saturating_sub(max);
            if over == 0 {
                continue;
            }
            let waited_long =
                |task: &Task| task.phase.waits_for_client() && now.since_ms(task.at) >= limits.waiting_kept_ms;
            let mut room = counted;
            room.retain(|task| task.phase.has_ended() || waited_long(task));
            if room.len() < over {
                return Err(TaskRefusal::Full(what, max));
            }
            room.sort_unstable_by_key(|task| (!task.phase.has_ended(), task.changed));
            gone.extend(room.into_iter().take(over).map(|task| &task.id));
        }
        let removed = |task: &TaskId| TaskEvent::Removed { task: task.clone() };
        Ok(gone.into_iter().map(removed).collect())
    }

    /// The client says more in a task.
    ///
    /// # Errors
    /// [`TaskRefusal::Unknown`], [`TaskRefusal::OtherContext`], [`TaskRefusal::Takes`] of a task that has ended or is under
    /// way, [`TaskRefusal::Full`].
    pub fn say(
        &self,
        owner: Option<&ClientId>,
        id: &str,
        context: &str,
        limits: &TaskLimits,
    ) -> Result<TaskEvent, TaskRefusal> {
        let task = self.own(owner, id)?;
        if !context.is_empty() && context != task.context {
            return Err(TaskRefusal::OtherContext);
        }
        if !task.phase.waits_for_client() {
            return Err(TaskRefusal::Takes(task.phase));
        }
        if task.turns >= limits.messages_max {
            return Err(TaskRefusal::Full("messages of one task", limits.messages_max));
        }
        Ok(TaskEvent::Said {
            task: task.id.clone(),
            more: 0,
        })
    }

    /// Whether what the service does for a task still counts: not when it has ended, or the client spoke again meanwhile.
    pub fn goes_on(&self, id: &TaskId, turn: usize) -> bool {
        let task = self.tasks.get(id);
        task.is_some_and(|task| task.phase.is_under_way() && task.turns == turn)
    }

    /// The client wants no more of it.
    ///
    /// # Errors
    /// [`TaskRefusal::Unknown`], [`TaskRefusal::NotCancelable`].
    pub fn cancel(&self, owner: Option<&ClientId>, id: &str) -> Result<TaskEvent, TaskRefusal> {
        let task = self.own(owner, id)?;
        if task.phase.has_ended() {
            return Err(TaskRefusal::NotCancelable(task.phase));
        }
        Ok(TaskEvent::became(&task.id, Phase::Canceled, false))
    }

    /// Whether somebody may be told of a task's steps; under a name that is there already, instead of the one before.
    ///
    /// # Errors
    /// [`TaskRefusal::Unknown`], [`TaskRefusal::Full`].
    pub fn check_push(
        &self,
        owner: Option<&ClientId>,
        id: &str,
        config: &str,
        limits: &TaskLimits,
    ) -> Result<(), TaskRefusal> {
        let task = self.own(owner, id)?;
        if task.pushes.contains_key(config) {
            return Ok(());
        }
        if task.pushes.len() >= limits.pushes_per_task_max {
            let max = limits.pushes_per_task_max;
            return Err(TaskRefusal::Full("push addresses of one task", max));
        }
        let all: usize = self.tasks.values().map(|task| task.pushes.len()).sum();
        if all >= limits.pushes_max {
            return Err(TaskRefusal::Full("push addresses", limits.pushes_max));
        }
        Ok(())
    }

    /// At most `size` tasks of an owner, those that changed last first, from the last change before `before` on.
    pub fn page(&self, owner: Option<&ClientId>, filter: &Filter, size: usize, before: Option<u64>) -> Page<'_> {
        let own = self
            .tasks
            .values()
            .filter(|task| task.owner.as_ref() == owner && filter.takes(task));
        let mut matching: Vec<&Task> = own.collect();
        matching.sort_unstable_by_key(|task| Reverse(task.changed));
        let total = matching.len();
        matching.retain(|task| before.is_none_or(|before| task.changed < before));
        let more = matching.len() > size;
        matching.truncate(size);
        let next = matching.last().filter(|_| more).map(|task| task.changed);
        Page {
            tasks: matching,
            next,
            total,
        }
    }
}

impl Filter {
    fn takes(&self, task: &Task) -> bool {
        (self.context.is_empty() || self.context == task.context)
            && self.phase.is_none_or(|phase| phase == task.phase)
            && self.after.is_none_or(|after| task.at >= after)
    }
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::ClientId;
    use super::Filter;
    use super::Phase;
    use super::TaskEvent;
    use super::TaskId;
    use super::TaskIndex;
    use super::TaskLimits;
    use super::TaskRefusal;
    use crate::aggregate::Aggregate;

    const LIMITS: TaskLimits = TaskLimits {
        tasks_max: 4,
        tasks_per_client_max: 3,
        messages_max: 2,
        pushes_max: 3,
        pushes_per_task_max: 2,
        ended_kept_ms: 1_000,
        waiting_kept_ms: 500,
    };

    use Phase::AuthRequired as Auth;
    use Phase::Completed as Done;
    use Phase::InputRequired as Input;
    use Phase::Working;

    fn id(n: u8) -> TaskId {
        TaskId::named(&format!("task_{n}"))
    }

    /// An index with these tasks, each begun and in its state at its number's moment.
    fn index(tasks: &[(u8, &str, Phase)]) -> TaskIndex {
        let mut index = TaskIndex::default();
        for (n, owner, phase) in tasks {
            let (seq, at) = (u64::from(*n) * 2, At(i64::from(*n)));
            let begun = TaskEvent::Begun {
                task: id(*n),
                context: format!("c{}", n % 2),
                owner: ClientId::parse(owner),
                more: 0,
            };
            index.evolve(seq, at, &begun);
            index.evolve(seq + 1, at, &TaskEvent::became(&id(*n), *phase, false));
        }
        index
    }

    #[test]
    fn the_longest_ended_and_who_waits_long_make_room_and_no_one_else_while_it_is_needed() {
        let own = Err(TaskRefusal::Full("tasks of one client", 3));
        let all = Err(TaskRefusal::Full("tasks", 4));
        let two = &[(1, "ana", Done), (2, "ana", Working)][..];
        let three = &[(1, "ana", Working), (2, "ana", Phase::Failed), (3, "ana", Done)][..];
        let busy = &[(1, "ana", Working), (2, "ana", Phase::Submitted), (3, "ana", Working)][..];
        let four = &[
            (1, "ana", Done),
            (2, "ben", Working),
            (3, "cyd", Working),
            (4, "dan", Done),
        ][..];
        let waiting = &[(1, "ana", Input), (2, "ana", Working), (3, "ana", Auth)][..];
        let one = &two[..1];
        for (tasks, owner, beside, now, gone) in [
            (two, "ana", (0, 0), 3, Ok(vec![])),
            (two, "ana", (1, 1), 3, Ok(vec![id(1)])),
            (three, "ana", (0, 0), 4, Ok(vec![id(2)])),
            (three, "ben", (0, 0), 4, Ok(vec![])),
            (busy, "ana", (0, 0), 4, own.clone()),
            (four, "eve", (0, 0), 5, Ok(vec![id(1)])),
            (four, "eve", (0, 2), 5, all),
            (waiting, "ana", (0, 0), 500, own),
            (waiting, "ana", (0, 0), 501, Ok(vec![id(1)])),
            (one, "ben", (0, 0), 1_000, Ok(vec![])),
            (one, "ben", (0, 0), 1_001, Ok(vec![id(1)])),
        ] {
            let room = index(tasks).make_room(ClientId::parse(owner).as_ref(), beside, At(now), &LIMITS);
            let room = room.map(|events| events.iter().filter_map(TaskEvent::task).cloned().collect::<Vec<_>>());
            assert_eq!(room, gone, "{tasks:?} {owner} {beside:?} {now}");
        }
    }

    #[test]
    fn a_message_goes_to_a_task_that_waits_for_it_and_to_its_own_alone() {
        let (ana, task) = (ClientId::parse("ana"), id(1));
        for phase in Phase::all() {
            let index = index(&[(1, "ana", phase)]);
            let said = index.say(ana.as_ref(), task.as_str(), "", &LIMITS);
            assert_eq!(said.is_ok(), phase.waits_for_client(), "{}", phase.name());
            let canceled = index.cancel(ana.as_ref(), task.as_str());
            assert_eq!(canceled.is_ok(), !phase.has_ended(), "{}", phase.name());
            assert_eq!(index.goes_on(&task, 1), phase.is_under_way(), "{}", phase.name());
            assert!(!index.goes_on(&task, 2));
        }
        let mut index = index(&[(1, "ana", Input)]);
        let say = |index: &TaskIndex, context| index.say(ana.as_ref(), task.as_str(), context, &LIMITS);
        assert!(say(&index, "c1").is_ok());
        assert_eq!(say(&index, "d"), Err(TaskRefusal::OtherContext));
        for other in [None, ClientId::parse("ben")] {
            let unknown = Err(TaskRefusal::Unknown);
            assert_eq!(index.say(other.as_ref(), task.as_str(), "", &LIMITS), unknown);
            assert_eq!(index.cancel(other.as_ref(), task.as_str()), unknown);
        }
        let event = say(&index, "").expect("it waits");
        index.evolve(9, At(9), &event);
        index.evolve(10, At(10), &TaskEvent::became(&task, Input, true));
        assert_eq!(say(&index, ""), Err(TaskRefusal::Full("messages of one task", 2)));
    }

    #[test]
    fn push_addresses_are_bounded_for_a_task_and_in_all_and_one_may_replace_itself() {
        let ana = ClientId::parse("ana");
        let mut index = index(&[(1, "ana", Working), (2, "ana", Working)]);
        let own = Err(TaskRefusal::Full("push addresses of one task", 2));
        let all = Err(TaskRefusal::Full("push addresses", 3));
        for (n, config, expected) in [
            (1, "a", Ok(())),
            (1, "b", Ok(())),
            (1, "c", own),
            (1, "a", Ok(())),
            (2, "a", Ok(())),
            (2, "b", all),
        ] {
            let task = id(n);
            let checked = index.check_push(ana.as_ref(), task.as_str(), config, &LIMITS);
            assert_eq!(checked, expected, "{config}");
            if checked.is_ok() {
                let config = config.to_owned();
                index.evolve(10, At(10), &TaskEvent::PushSet { task, config, more: 0 });
            }
        }
        let other = index.check_push(None, id(1).as_str(), "a", &LIMITS);
        assert_eq!(other, Err(TaskRefusal::Unknown));
    }

    #[test]
    fn pages_of_own_tasks_that_fit_follow_each_other_without_gap_or_overlap() {
        let index = index(&[
            (1, "ana", Working),
            (2, "ana", Working),
            (3, "ana", Done),
            (4, "ana", Working),
            (5, "ana", Working),
            (6, "ben", Working),
        ]);
        let any = Filter::default;
        let of_context = Filter {
            context: "c1".to_owned(),
            ..any()
        };
        let ended = Filter {
            phase: Some(Done),
            ..any()
        };
        let later = Filter {
            after: Some(At(4)),
            ..any()
        };
        for (owner, filter, size, before, tasks, next, total) in [
            ("ana", any(), 2, None, &[5, 4][..], Some(9), 5),
            ("ana", any(), 2, Some(9), &[3, 2], Some(5), 5),
            ("ana", any(), 2, Some(5), &[1], None, 5),
            ("ana", any(), 5, None, &[5, 4, 3, 2, 1], None, 5),
            ("ana", any(), 2, Some(3), &[], None, 5),
            ("ana", of_context, 9, None, &[5, 3, 1], None, 3),
            ("ana", ended, 9, None, &[3], None, 1),
            ("ana", later, 9, None, &[5, 4], None, 2),
            ("ben", any(), 9, None, &[6], None, 1),
            ("cyd", any(), 9, None, &[], None, 0),
        ] {
            let page = index.page(ClientId::parse(owner).as_ref(), &filter, size, before);
            let ids: Vec<&TaskId> = page.tasks.iter().map(|task| &task.id).collect();
            let expected: Vec<TaskId> = tasks.iter().map(|n| id(*n)).collect();
            assert_eq!(ids, expected.iter().collect::<Vec<_>>(), "{owner} {filter:?}");
            assert_eq!((page.next, page.total), (next, total), "{owner} {filter:?}");
        }
    }
}
