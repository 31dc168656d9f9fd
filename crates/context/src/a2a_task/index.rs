//! All tasks as a value: a view of their journal.
//!
//! A task knows at which records its contents lie, not what they are.

use std::collections::BTreeMap;

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

/// Every task, by its id. Written as a list of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Task>", into = "Vec<Task>")]
pub struct TaskIndex {
    pub tasks: BTreeMap<TaskId, Task>,
}

impl From<TaskIndex> for Vec<Task> {
    fn from(index: TaskIndex) -> Vec<Task> {
        index.tasks.into_values().collect()
    }
}

impl From<Vec<Task>> for TaskIndex {
    fn from(tasks: Vec<Task>) -> TaskIndex {
        let by_id = tasks.into_iter().map(|task| (task.id.clone(), task));
        TaskIndex { tasks: by_id.collect() }
    }
}

impl Aggregate for TaskIndex {
    type Event = TaskEvent;

    /// Applies one event that lies at this record. What concerns a task that is not there any more is passed over.
    fn evolve(&mut self, seq: u64, at: At, event: &TaskEvent) {
        if let TaskEvent::Begun {
            task, context, owner, ..
        } = event
        {
            let begun = Task::begun(seq, at, task, context, owner.as_ref());
            self.tasks.insert(task.clone(), begun);
        }
        if let TaskEvent::Removed { task } = event {
            self.tasks.remove(task);
        }
        let Some(found) = event.task().and_then(|task| self.tasks.get_mut(task)) else {
            return;
        };
        match event {
            TaskEvent::Said { .. } => {
                found.history.extend(found.saying.take());
                found.history.push(seq);
                found.turns += 1;
                found.become_phase(seq, at, Phase::Submitted, false);
            }
            TaskEvent::Produced {
                artifact, append, last, ..
            } => {
                let (append, last) = (*append, *last);
                found.produce(artifact, Piece { seq, append, last });
            }
            TaskEvent::Became { phase, said, .. } => found.become_phase(seq, at, *phase, *said),
            TaskEvent::PushSet { config, .. } => {
                let push = Push {
                    seq,
                    from: found.steps.len(),
                    settled: false,
                };
                found.pushes.insert(config.clone(), push);
            }
            TaskEvent::PushRemoved { config, .. } => {
                found.pushes.remove(config);
            }
            TaskEvent::PushSettled { config, .. } => {
                if let Some(push) = found.pushes.get_mut(config) {
                    push.settled = true;
                }
            }
            TaskEvent::Begun { .. } | TaskEvent::Removed { .. } | TaskEvent::Continued => {}
        }
    }

    /// Everything from the first record of the oldest task on.
    fn needed(&self) -> Vec<(u64, u64)> {
        let oldest = self.tasks.values().map(|task| task.began).min();
        oldest.map(|oldest| (oldest, u64::MAX)).into_iter().collect()
    }

    fn concerns(&self, event: &TaskEvent) -> Vec<String> {
        event.task().map(|task| task.as_str().to_owned()).into_iter().collect()
    }

    fn ends(event: &TaskEvent) -> Option<&str> {
        let is_end = matches!(event, TaskEvent::Removed { .. });
        event.task().filter(|_| is_end).map(TaskId::as_str)
    }
}

impl Task {
    fn begun(seq: u64, at: At, id: &TaskId, context: &str, owner: Option<&ClientId>) -> Task {
        Task {
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
        }
    }

    fn become_phase(&mut self, seq: u64, at: At, phase: Phase, said: bool) {
        (self.phase, self.at, self.changed) = (phase, at, seq);
        self.history.extend(self.saying.take());
        self.saying = said.then_some(seq);
        self.steps.push(Step::Status { seq, at, phase, said });
    }

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
    use super::Phase;
    use super::Step;
    use super::TaskEvent;
    use super::TaskId;
    use super::TaskIndex;

    fn id(n: u8) -> TaskId {
        TaskId::named(&format!("task_{n}"))
    }

    fn begun(n: u8) -> TaskEvent {
        TaskEvent::Begun {
            task: id(n),
            context: "c".to_owned(),
            owner: None,
            more: 0,
        }
    }

    fn told(events: &[TaskEvent]) -> TaskIndex {
        let mut index = TaskIndex::default();
        for (seq, event) in (1..).zip(events) {
            index.evolve(seq, At(i64::try_from(seq).expect("small")), event);
        }
        let text = serde_json::to_string(&index).expect("JSON");
        let read: TaskIndex = serde_json::from_str(&text).expect("an index");
        assert_eq!(read, index, "a snapshot is the index");
        index
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
        let index = told(&[
            begun(1),
            TaskEvent::became(&id(1), Phase::InputRequired, true),
            TaskEvent::Said { task: id(1), more: 0 },
            produced(false, false),
            produced(true, true),
            TaskEvent::became(&id(1), Phase::Completed, false),
        ]);
        let task = &index.tasks[&id(1)];
        let stands = (task.phase, task.at, task.changed, task.turns);
        assert_eq!(stands, (Phase::Completed, At(6), 6, 2));
        assert_eq!(task.history, [1, 2, 3], "the question that was answered is history");
        assert_eq!(task.saying, None);
        let pieces: Vec<u64> = task.artifacts[0].1.iter().map(|piece| piece.seq).collect();
        assert_eq!((pieces, task.steps.len()), (vec![4, 5], 5));
        let submitted = Step::Status {
            seq: 3,
            at: At(3),
            phase: Phase::Submitted,
            said: false,
        };
        assert_eq!(task.steps[1], submitted);
    }

    #[test]
    fn removed_tasks_leave_nothing_behind() {
        let config = || "p".to_owned();
        let push = |n| TaskEvent::PushSet {
            task: id(n),
            config: config(),
            more: 0,
        };
        let index = told(&[begun(1), push(1), push(1), begun(2), push(2)]);
        assert_eq!((index.tasks.len(), index.needed()), (2, vec![(1, u64::MAX)]));
        let task = id(1);
        let gone = told(&[
            begun(1),
            push(1),
            begun(2),
            TaskEvent::Removed { task: task.clone() },
            TaskEvent::became(&task, Phase::Failed, false),
            push(1),
            TaskEvent::PushRemoved {
                task: task.clone(),
                config: config(),
            },
            TaskEvent::PushSettled {
                task: task.clone(),
                config: config(),
            },
            TaskEvent::Said { task, more: 0 },
        ]);
        assert_eq!((gone.tasks.len(), gone.needed()), (1, vec![(3, u64::MAX)]));
        let none = told(&[begun(1), TaskEvent::Removed { task: id(1) }]);
        assert_eq!(none, TaskIndex::default());
    }
}
