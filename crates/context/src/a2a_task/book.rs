//! All tasks as a value: a view of their journal.
//!
//! A task knows at which records its contents lie, not what they are. Invariant ([`Book::check`]): the orders name exactly the
//! tasks that there are, each where its last change of state put it.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::a2a_task::event::TaskEvent;
use crate::a2a_task::event::TaskId;
use crate::a2a_task::phase::Phase;
use crate::aggregate::Aggregate;
use schema::name::ClientId;
use schema::time::At;

/// A piece of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The record that holds it.
    pub seq: u64,
    /// Whether it goes on the piece before.
    pub append: bool,
    pub last: bool,
}

/// What those who follow a task are told, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    Status { seq: u64, at: At, phase: Phase, said: bool },
    Artifact(Piece),
}

/// Somebody who is told what becomes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Push {
    /// The record that says whom to call.
    pub seq: u64,
    /// The first step that is told.
    pub from: usize,
    /// Everything was told or given up.
    pub settled: bool,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub context: String,
    pub owner: Option<ClientId>,
    pub phase: Phase,
    /// When it came into this state.
    pub at: At,
    /// The record of that: later ones are greater.
    pub changed: u64,
    /// Its first record.
    pub began: u64,
    /// The record with what the service says of the state.
    pub saying: Option<u64>,
    /// Records of messages, oldest first.
    pub history: Vec<u64>,
    /// How often the client spoke.
    pub turns: usize,
    /// By name, in the order of their first pieces.
    pub artifacts: Vec<(String, Vec<Piece>)>,
    pub steps: Vec<Step>,
    pub pushes: BTreeMap<String, Push>,
}

/// Tasks in the order of their last changes of state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Those that have ended.
    pub ended: BTreeMap<u64, TaskId>,
    pub open: BTreeMap<u64, TaskId>,
}

impl Order {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ended.len() + self.open.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn put(&mut self, changed: u64, phase: Phase, id: &TaskId) {
        let side = if phase.has_ended() {
            &mut self.ended
        } else {
            &mut self.open
        };
        side.insert(changed, id.clone());
    }

    fn take(&mut self, changed: u64) {
        self.ended.remove(&changed);
        self.open.remove(&changed);
    }
}

/// Every task. Written as the tasks alone, since the orders follow from them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Task>", into = "Vec<Task>")]
pub struct Book {
    pub tasks: BTreeMap<TaskId, Task>,
    pub order: Order,
    pub by_owner: BTreeMap<Option<ClientId>, Order>,
    /// First records, so that it is known from where on contents are needed.
    pub began: BTreeSet<u64>,
    /// Of all tasks together.
    pub pushes: usize,
}

impl From<Book> for Vec<Task> {
    fn from(book: Book) -> Vec<Task> {
        book.tasks.into_values().collect()
    }
}

impl From<Vec<Task>> for Book {
    fn from(tasks: Vec<Task>) -> Book {
        let mut book = Book::default();
        for task in tasks {
            book.put(task);
        }
        book
    }
}

impl Aggregate for Book {
    type Event = TaskEvent;

    /// Applies one event that lies at this record. What concerns a task that is not there any more is passed over.
    fn evolve(&mut self, seq: u64, at: At, event: &TaskEvent) {
        match event {
            TaskEvent::Begun {
                task, context, owner, ..
            } => self.add(seq, at, task, context, owner.as_ref()),
            TaskEvent::Said { task, .. } => {
                if let Some(found) = self.tasks.get_mut(task) {
                    found.history.extend(found.saying.take());
                    found.history.push(seq);
                    found.turns += 1;
                }
                self.become_phase(task, seq, at, Phase::Submitted, false);
            }
            TaskEvent::Produced {
                task,
                artifact,
                append,
                last,
                ..
            } => {
                let piece = Piece {
                    seq,
                    append: *append,
                    last: *last,
                };
                if let Some(found) = self.tasks.get_mut(task) {
                    found.produce(artifact, piece);
                }
            }
            TaskEvent::Became {
                task,
                phase,
                said,
                more: _,
            } => self.become_phase(task, seq, at, *phase, *said),
            TaskEvent::PushSet { task, config, more: _ } => {
                if let Some(found) = self.tasks.get_mut(task) {
                    let push = Push {
                        seq,
                        from: found.steps.len(),
                        settled: false,
                    };
                    let replaced = found.pushes.insert(config.clone(), push);
                    self.pushes += usize::from(replaced.is_none());
                }
            }
            TaskEvent::PushRemoved { task, config } => {
                let removed = self.tasks.get_mut(task).and_then(|found| found.pushes.remove(config));
                self.pushes -= usize::from(removed.is_some());
            }
            TaskEvent::PushSettled { task, config } => {
                let found = self.tasks.get_mut(task).and_then(|found| found.pushes.get_mut(config));
                if let Some(push) = found {
                    push.settled = true;
                }
            }
            TaskEvent::Removed { task } => self.remove(task),
            TaskEvent::Continued => {}
        }
    }
}

impl Book {
    fn add(&mut self, seq: u64, at: At, id: &TaskId, context: &str, owner: Option<&ClientId>) {
        let task = Task {
            id: id.clone(),
            context: context.to_owned(),
            owner: owner.cloned(),
            phase: Phase::Submitted,
            at,
            changed: seq,
            began: seq,
            saying: None,
            history: vec![seq],
            turns: 1,
            artifacts: Vec::new(),
            steps: Vec::new(),
            pushes: BTreeMap::new(),
        };
        self.remove(id);
        self.put(task);
    }

    fn put(&mut self, task: Task) {
        self.order.put(task.changed, task.phase, &task.id);
        let own = self.by_owner.entry(task.owner.clone()).or_default();
        own.put(task.changed, task.phase, &task.id);
        self.began.insert(task.began);
        self.pushes += task.pushes.len();
        self.tasks.insert(task.id.clone(), task);
    }

    fn become_phase(&mut self, id: &TaskId, seq: u64, at: At, phase: Phase, said: bool) {
        let Some(task) = self.tasks.get_mut(id) else { return };
        let before = task.changed;
        (task.phase, task.at, task.changed) = (phase, at, seq);
        task.history.extend(task.saying.take());
        task.saying = said.then_some(seq);
        task.steps.push(Step::Status { seq, at, phase, said });
        self.order.take(before);
        self.order.put(seq, phase, id);
        if let Some(own) = self.by_owner.get_mut(&task.owner) {
            own.take(before);
            own.put(seq, phase, id);
        }
    }

    fn remove(&mut self, id: &TaskId) {
        let Some(task) = self.tasks.remove(id) else { return };
        self.order.take(task.changed);
        if let Some(own) = self.by_owner.get_mut(&task.owner) {
            own.take(task.changed);
            if own.is_empty() {
                self.by_owner.remove(&task.owner);
            }
        }
        self.began.remove(&task.began);
        self.pushes -= task.pushes.len();
    }

    /// The first record whose content may still be asked for; `None` while there is no task.
    pub fn needed_from(&self) -> Option<u64> {
        self.began.first().copied()
    }

    /// What must hold after every event.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self) -> Result<(), String> {
        let hold = |right: bool, what: &str| if right { Ok(()) } else { Err(what.to_owned()) };
        hold(self.order.len() == self.tasks.len(), "the order names every task once")?;
        let owned: usize = self.by_owner.values().map(Order::len).sum();
        hold(owned == self.tasks.len(), "the owners' orders name every task once")?;
        hold(self.began.len() == self.tasks.len(), "every task began once")?;
        let pushes: usize = self.tasks.values().map(|task| task.pushes.len()).sum();
        hold(pushes == self.pushes, "every push address is counted")?;
        for task in self.tasks.values() {
            let own = self.by_owner.get(&task.owner);
            for order in own.into_iter().chain([&self.order]) {
                let side = if task.phase.has_ended() {
                    &order.ended
                } else {
                    &order.open
                };
                hold(
                    side.get(&task.changed) == Some(&task.id),
                    "a task stands where its state puts it",
                )?;
            }
            hold(own.is_some(), "a task has its owner's order")?;
        }
        Ok(())
    }
}

impl Task {
    fn produce(&mut self, artifact: &str, piece: Piece) {
        match self.artifacts.iter_mut().find(|(name, _)| name == artifact) {
            Some((_, pieces)) if piece.append => pieces.push(piece),
            Some((_, pieces)) => *pieces = vec![piece],
            None => self.artifacts.push((artifact.to_owned(), vec![piece])),
        }
        self.steps.push(Step::Artifact(piece));
    }
}

#[cfg(test)]
mod tests {
    use super::Aggregate;
    use super::At;
    use super::Book;
    use super::Phase;
    use super::Step;
    use super::TaskEvent;
    use super::TaskId;

    fn id(n: u8) -> TaskId {
        TaskId::of([n; 16])
    }

    fn begun(n: u8) -> TaskEvent {
        TaskEvent::Begun {
            task: id(n),
            context: "c".to_owned(),
            owner: None,
            more: 0,
        }
    }

    fn became(n: u8, phase: Phase) -> TaskEvent {
        TaskEvent::Became {
            task: id(n),
            phase,
            said: phase == Phase::InputRequired,
            more: 0,
        }
    }

    fn told(events: &[TaskEvent]) -> Book {
        let mut book = Book::default();
        for (seq, event) in (1..).zip(events) {
            book.evolve(seq, At(i64::try_from(seq).expect("small")), event);
            assert_eq!(book.check(), Ok(()), "{event:?}");
        }
        let text = serde_json::to_string(&book).expect("JSON");
        let read: Book = serde_json::from_str(&text).expect("a book");
        assert_eq!(read, book, "a snapshot is the book");
        book
    }

    #[test]
    fn a_task_knows_where_its_words_and_works_lie() {
        let produced = |append, last| TaskEvent::Produced {
            task: id(1),
            artifact: "a".to_owned(),
            append,
            last,
            more: 0,
        };
        let book = told(&[
            begun(1),
            became(1, Phase::InputRequired),
            TaskEvent::Said { task: id(1), more: 0 },
            produced(false, false),
            produced(true, true),
            became(1, Phase::Completed),
        ]);
        let task = &book.tasks[&id(1)];
        assert_eq!(
            (task.phase, task.at, task.changed, task.turns),
            (Phase::Completed, At(6), 6, 2)
        );
        assert_eq!(task.history, [1, 2, 3], "the question that was answered is history");
        assert_eq!(task.saying, None);
        assert_eq!(
            task.artifacts[0].1.iter().map(|piece| piece.seq).collect::<Vec<_>>(),
            [4, 5]
        );
        assert_eq!(task.steps.len(), 5);
        assert!(matches!(
            task.steps[1],
            Step::Status {
                said: false,
                phase: Phase::Submitted,
                ..
            }
        ));
    }

    #[test]
    fn removed_tasks_leave_nothing_behind() {
        let push = |n| TaskEvent::PushSet {
            task: id(n),
            config: "p".to_owned(),
            more: 0,
        };
        let book = told(&[begun(1), push(1), push(1), begun(2), push(2)]);
        assert_eq!((book.pushes, book.needed_from()), (2, Some(1)));
        let gone = told(&[
            begun(1),
            push(1),
            begun(2),
            TaskEvent::Removed { task: id(1) },
            became(1, Phase::Failed),
            push(1),
            TaskEvent::PushRemoved {
                task: id(1),
                config: "p".to_owned(),
            },
            TaskEvent::PushSettled {
                task: id(1),
                config: "p".to_owned(),
            },
            TaskEvent::Said { task: id(1), more: 0 },
        ]);
        assert_eq!((gone.tasks.len(), gone.pushes, gone.needed_from()), (1, 0, Some(3)));
        let none = told(&[begun(1), TaskEvent::Removed { task: id(1) }]);
        assert_eq!(none, Book::default());
    }
}
