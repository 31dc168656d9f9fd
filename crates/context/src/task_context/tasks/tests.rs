//! Events and accounts that the tests of this folder share, and what becomes of contexts and contents as events come.

use std::collections::BTreeSet;

use serde_json::json;

use super::Aggregate;
use super::At;
use super::Standing;
use super::Task;
use super::TaskContexts;
use crate::task_context::agent_context::AgentContext;
use crate::task_context::event::Mode;
use crate::task_context::event::TaskContextEvent;
use crate::task_context::form::Form;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::TaskId;
use schema::name::ClientId;

pub fn work(n: u8) -> TaskId {
    TaskId::of([n; 16])
}

pub fn sub(name: &str) -> SubtaskId {
    SubtaskId::parse(name).expect("an id")
}

pub fn who(name: &str) -> ClientId {
    ClientId::parse(name).expect("a name")
}

pub fn content(n: u8) -> ContentId {
    ContentId::parse(&format!("{n:02x}").repeat(32)).expect("an id")
}

pub fn begun(n: u8, master: &str, mode: Option<Mode>) -> TaskContextEvent {
    TaskContextEvent::Begun {
        work: work(n),
        master: who(master),
        mode,
        more: 0,
    }
}

pub fn sent(n: u8, name: &str, agent: &str, round: u32, after: &[&str], refers: &[u8]) -> TaskContextEvent {
    TaskContextEvent::Sent {
        work: work(n),
        subtask: sub(name),
        agent: who(agent),
        after: after.iter().map(|name| sub(name)).collect(),
        round,
        refers: refers.iter().map(|n| content(*n)).collect(),
        more: 0,
    }
}

pub fn returned(n: u8, name: &str) -> TaskContextEvent {
    TaskContextEvent::Returned {
        work: work(n),
        subtask: sub(name),
        refers: BTreeSet::new(),
        more: 0,
    }
}

pub fn evaluated(n: u8, name: &str, complete: bool) -> TaskContextEvent {
    TaskContextEvent::Evaluated {
        work: work(n),
        subtask: sub(name),
        complete,
        structural: false,
        more: 0,
    }
}

pub fn stored(n: u8, owner: &str) -> TaskContextEvent {
    kept(n, owner, true)
}

/// Stored with its text, or only kept.
pub fn kept(n: u8, owner: &str, text: bool) -> TaskContextEvent {
    TaskContextEvent::Stored {
        content: content(n),
        owner: who(owner),
        bytes: 10,
        until: At(1_000),
        text,
        more: 0,
    }
}

/// A new subtask's context.
pub fn context(id: &str, after: &[&str]) -> AgentContext {
    let document = json!({"AgentID": "a", "AgentName": "A", "SubTaskID": id, "SubTaskName": "S", "Dependencies": after,
        "Context": "", "todoItems": [{"itemId": "1", "description": "find"}], "ItemstateUpdates": [], "KeyInformation": []});
    AgentContext::read(&Form::of_agent().expect("a form"), &document).expect("it fits")
}

/// The first task after these events.
pub fn task(events: &[TaskContextEvent]) -> Task {
    told(events).tasks[&work(1)].clone()
}

/// What these events mean, each a millisecond after the one before.
pub fn told(events: &[TaskContextEvent]) -> TaskContexts {
    let mut tasks = TaskContexts::default();
    for (seq, event) in (1..).zip(events) {
        tasks.evolve(seq, At(i64::try_from(seq).expect("small")), event);
    }
    let text = serde_json::to_string(&tasks).expect("JSON");
    let read: TaskContexts = serde_json::from_str(&text).expect("works");
    assert_eq!(read, tasks, "a snapshot is the works");
    tasks
}

#[test]
fn a_task_knows_where_its_contexts_lie_c022_c034() {
    let tasks = told(&[
        begun(1, "m", None),
        sent(1, "a", "agent", 1, &[], &[]),
        TaskContextEvent::Changed { work: work(1), more: 3 },
        returned(1, "a"),
        evaluated(1, "a", false),
        returned(1, "a"),
        evaluated(1, "a", true),
        TaskContextEvent::Closed { work: work(1) },
    ]);
    let found = &tasks.tasks[&work(1)];
    let subtask = &found.subtasks[&sub("a")];
    assert_eq!((found.context, found.closed, found.changed), (3, true, At(8)));
    assert_eq!(
        (subtask.context(), subtask.evaluated, subtask.standing),
        (6, Some(7), Standing::Complete)
    );
    assert_eq!(found.records.len(), 7);
    let anew = told(&[
        begun(1, "m", None),
        sent(1, "a", "x", 1, &[], &[]),
        returned(1, "a"),
        sent(1, "a", "y", 1, &[], &[]),
    ]);
    let subtask = &anew.tasks[&work(1)].subtasks[&sub("a")];
    assert_eq!(
        (subtask.context(), subtask.standing, subtask.agent.as_str()),
        (4, Standing::Sent, "y")
    );
}

#[test]
fn a_content_is_kept_once_and_as_long_as_somebody_keeps_it_c058() {
    let tasks = told(&[stored(7, "m"), kept(7, "n", false)]);
    assert_eq!((tasks.contents.len(), tasks.content_bytes()), (1, 10));
    assert_eq!(tasks.contents[&content(7)].seq, 1, "the text that lies there already");
    let anew = told(&[stored(7, "m"), stored(7, "n")]);
    assert_eq!(
        (anew.contents[&content(7)].seq, anew.content_bytes()),
        (2, 10),
        "the text was stored anew"
    );
    assert_eq!(
        told(&[kept(8, "m", false)]),
        TaskContexts::default(),
        "without a text nothing is kept"
    );
    let gone = told(&[
        stored(7, "m"),
        begun(1, "m", None),
        sent(1, "a", "agent", 1, &[], &[7]),
        TaskContextEvent::Removed {
            work: work(1),
            operator: None,
        },
        returned(1, "a"),
        TaskContextEvent::Released {
            content: content(7),
            owner: who("m"),
        },
    ]);
    assert_eq!(
        gone,
        TaskContexts::default(),
        "what concerns what is gone is passed over"
    );
}
