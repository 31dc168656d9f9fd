//! Which step a task may take, and what makes room for a new one.

use crate::a2a_task::book::Book;
use crate::a2a_task::book::Order;
use crate::a2a_task::book::Task;
use crate::a2a_task::event::TaskEvent;
use crate::a2a_task::event::TaskId;
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

impl Book {
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

    /// A task begins while so many others of its owner, and so many of anyone, begin beside it; what makes room for it comes
    /// first.
    ///
    /// # Errors
    /// [`TaskRefusal::Full`] when nothing can make room.
    pub fn begin(
        &self,
        begun: TaskEvent,
        owner: Option<&ClientId>,
        beside: (usize, usize),
        now: At,
        limits: &TaskLimits,
    ) -> Result<Vec<TaskEvent>, TaskRefusal> {
        let mut gone: Vec<TaskId> = Vec::new();
        let lapsed = |task: &Task| now.since_ms(task.at) >= limits.ended_kept_ms;
        for id in self.order.ended.values().take(LAPSED_AT_ONCE) {
            if self.tasks.get(id).is_some_and(lapsed) {
                gone.push(id.clone());
            }
        }
        let empty = Order::default();
        let own = self.by_owner.get(&owner.cloned()).unwrap_or(&empty);
        for (order, beside, max, what) in [
            (own, beside.0, limits.tasks_per_client_max, "tasks of one client"),
            (&self.order, beside.1, limits.tasks_max, "tasks"),
        ] {
            let left = order.len() + beside + 1;
            let going = order.ended.values().filter(|id| gone.contains(id)).count();
            let over = left.saturating_sub(going).saturating_sub(max);
            if over == 0 {
                continue;
            }
            let waited_long = |id: &&TaskId| {
                let task = self.tasks.get(*id);
                task.is_some_and(|task| {
                    task.phase.waits_for_client() && now.since_ms(task.at) >= limits.waiting_kept_ms
                })
            };
            let room = order.ended.values().chain(order.open.values().filter(waited_long));
            let found: Vec<TaskId> = room.filter(|id| !gone.contains(id)).take(over).cloned().collect();
            if found.len() < over {
                return Err(TaskRefusal::Full(what, max));
            }
            gone.extend(found);
        }
        let mut events: Vec<TaskEvent> = gone.into_iter().map(|task| TaskEvent::Removed { task }).collect();
        events.push(begun);
        Ok(events)
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
        Ok(TaskEvent::Became {
            task: task.id.clone(),
            phase: Phase::Canceled,
            said: false,
            more: 0,
        })
    }

    /// Somebody is to be told of a task's steps; under a name that is there already, instead of the one before.
    ///
    /// # Errors
    /// [`TaskRefusal::Unknown`], [`TaskRefusal::Full`].
    pub fn set_push(
        &self,
        owner: Option<&ClientId>,
        id: &str,
        config: &str,
        limits: &TaskLimits,
    ) -> Result<TaskEvent, TaskRefusal> {
        let task = self.own(owner, id)?;
        if !task.pushes.contains_key(config) {
            if task.pushes.len() >= limits.pushes_per_task_max {
                return Err(TaskRefusal::Full(
                    "push addresses of one task",
                    limits.pushes_per_task_max,
                ));
            }
            if self.pushes >= limits.pushes_max {
                return Err(TaskRefusal::Full("push addresses", limits.pushes_max));
            }
        }
        Ok(TaskEvent::PushSet {
            task: task.id.clone(),
            config: config.to_owned(),
            more: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::Book;
    use super::ClientId;
    use super::Phase;
    use super::TaskEvent;
    use super::TaskId;
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

    fn id(n: u8) -> TaskId {
        TaskId::of([n; 16])
    }

    /// A book with these tasks, each begun and in its state at its number's moment.
    fn book(tasks: &[(u8, &str, Phase)]) -> Book {
        let mut book = Book::default();
        for (n, owner, phase) in tasks {
            let seq = u64::from(*n) * 2;
            let begun = begun(*n, owner);
            book.evolve(seq, At(i64::from(*n)), &begun);
            let became = TaskEvent::Became {
                task: id(*n),
                phase: *phase,
                said: false,
                more: 0,
            };
            book.evolve(seq + 1, At(i64::from(*n)), &became);
        }
        book
    }

    fn begun(n: u8, owner: &str) -> TaskEvent {
        TaskEvent::Begun {
            task: id(n),
            context: "c".to_owned(),
            owner: ClientId::parse(owner),
            more: 0,
        }
    }

    fn begin(book: &Book, owner: &str, beside: (usize, usize), now: i64) -> Result<Vec<TaskId>, TaskRefusal> {
        let client = ClientId::parse(owner);
        let events = book.begin(begun(99, owner), client.as_ref(), beside, At(now), &LIMITS)?;
        let gone = events.iter().filter_map(|event| match event {
            TaskEvent::Removed { task } => Some(task.clone()),
            _ => None,
        });
        Ok(gone.collect())
    }

    #[test]
    fn the_longest_ended_makes_room_and_no_one_else_while_it_is_needed() {
        let two = book(&[(1, "ana", Phase::Completed), (2, "ana", Phase::Working)]);
        assert_eq!(
            begin(&two, "ana", (0, 0), 3),
            Ok(vec![]),
            "just below the limit of one client"
        );
        assert_eq!(
            begin(&two, "ana", (1, 1), 3),
            Ok(vec![id(1)]),
            "another one begins beside it"
        );
        let three = book(&[
            (1, "ana", Phase::Working),
            (2, "ana", Phase::Failed),
            (3, "ana", Phase::Completed),
        ]);
        assert_eq!(begin(&three, "ana", (0, 0), 4), Ok(vec![id(2)]));
        assert_eq!(begin(&three, "ben", (0, 0), 4), Ok(vec![]), "another client has room");
        let busy = book(&[
            (1, "ana", Phase::Working),
            (2, "ana", Phase::Submitted),
            (3, "ana", Phase::Working),
        ]);
        assert_eq!(
            begin(&busy, "ana", (0, 0), 4),
            Err(TaskRefusal::Full("tasks of one client", 3))
        );
    }

    #[test]
    fn all_tasks_together_are_bounded_too() {
        let four = book(&[
            (1, "ana", Phase::Completed),
            (2, "ben", Phase::Working),
            (3, "cyd", Phase::Working),
            (4, "dan", Phase::Completed),
        ]);
        assert_eq!(begin(&four, "eve", (0, 0), 5), Ok(vec![id(1)]));
        assert_eq!(begin(&four, "eve", (0, 2), 5), Err(TaskRefusal::Full("tasks", 4)));
    }

    #[test]
    fn who_waits_long_for_its_client_makes_room_and_what_ended_long_ago_goes() {
        let three = book(&[
            (1, "ana", Phase::InputRequired),
            (2, "ana", Phase::Working),
            (3, "ana", Phase::AuthRequired),
        ]);
        assert_eq!(
            begin(&three, "ana", (0, 0), 500),
            Err(TaskRefusal::Full("tasks of one client", 3))
        );
        assert_eq!(begin(&three, "ana", (0, 0), 501), Ok(vec![id(1)]));
        let one = book(&[(1, "ana", Phase::Completed)]);
        assert_eq!(begin(&one, "ben", (0, 0), 1_000), Ok(vec![]));
        assert_eq!(begin(&one, "ben", (0, 0), 1_001), Ok(vec![id(1)]));
    }

    #[test]
    fn a_message_goes_to_a_task_that_waits_for_it_and_to_its_own_alone() {
        let ana = ClientId::parse("ana");
        for phase in Phase::ALL {
            let book = book(&[(1, "ana", phase)]);
            let said = book.say(ana.as_ref(), id(1).as_str(), "", &LIMITS);
            assert_eq!(said.is_ok(), phase.waits_for_client(), "{}", phase.name());
            let canceled = book.cancel(ana.as_ref(), id(1).as_str());
            assert_eq!(canceled.is_ok(), !phase.has_ended(), "{}", phase.name());
            assert_eq!(book.goes_on(&id(1), 1), phase.is_under_way(), "{}", phase.name());
            assert!(!book.goes_on(&id(1), 2));
        }
        let mut book = book(&[(1, "ana", Phase::InputRequired)]);
        let say = |book: &Book, context| book.say(ana.as_ref(), id(1).as_str(), context, &LIMITS);
        assert!(say(&book, "c").is_ok());
        assert_eq!(say(&book, "d"), Err(TaskRefusal::OtherContext));
        for other in [None, ClientId::parse("ben")] {
            assert_eq!(
                book.say(other.as_ref(), id(1).as_str(), "", &LIMITS),
                Err(TaskRefusal::Unknown)
            );
            assert_eq!(book.cancel(other.as_ref(), id(1).as_str()), Err(TaskRefusal::Unknown));
        }
        let event = say(&book, "").expect("it waits");
        book.evolve(9, At(9), &event);
        let waits = TaskEvent::Became {
            task: id(1),
            phase: Phase::InputRequired,
            said: true,
            more: 0,
        };
        book.evolve(10, At(10), &waits);
        assert_eq!(say(&book, ""), Err(TaskRefusal::Full("messages of one task", 2)));
    }

    #[test]
    fn push_addresses_are_bounded_for_a_task_and_in_all_and_one_may_replace_itself() {
        let ana = ClientId::parse("ana");
        let mut book = book(&[(1, "ana", Phase::Working), (2, "ana", Phase::Working)]);
        let mut seq = 10;
        let mut set = |book: &mut Book, n: u8, config: &str| {
            let event = book.set_push(ana.as_ref(), id(n).as_str(), config, &LIMITS)?;
            seq += 1;
            book.evolve(seq, At(seq.cast_signed()), &event);
            book.check().expect("it holds");
            Ok(())
        };
        assert_eq!(set(&mut book, 1, "a"), Ok(()));
        assert_eq!(set(&mut book, 1, "b"), Ok(()));
        assert_eq!(
            set(&mut book, 1, "c"),
            Err(TaskRefusal::Full("push addresses of one task", 2))
        );
        assert_eq!(set(&mut book, 1, "a"), Ok(()));
        assert_eq!(set(&mut book, 2, "a"), Ok(()));
        assert_eq!(set(&mut book, 2, "b"), Err(TaskRefusal::Full("push addresses", 3)));
        assert_eq!(
            book.set_push(None, id(1).as_str(), "a", &LIMITS),
            Err(TaskRefusal::Unknown)
        );
    }
}
