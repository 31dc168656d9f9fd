//! What can happen to tasks and contents. Read forever.
//!
//! The open part says what happened, to which task, and by which names; contexts, verdicts and contents lie in the sealed part of
//! the same record, and go on in `more` records right after it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Event;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::WorkId;
use schema::name::ClientId;
use schema::time::At;

/// How subtasks are handed out (C-012).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Round by round: the next begins when the one before is complete (C-016).
    Synchronous,
    /// Each as soon as what it depends on is complete (C-018).
    Asynchronous,
}

/// What lets the subtasks begin that depend on another one (C-055, C-056).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// The master verified every item of it.
    #[default]
    Verified,
    /// Every item of it is completed with something said of it, whether or not anybody verified that.
    Structural,
}

impl Release {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Release::Verified => "verified",
            Release::Structural => "structural",
        }
    }

    /// The one with this word.
    pub fn named(word: &str) -> Option<Release> {
        [Release::Verified, Release::Structural]
            .into_iter()
            .find(|release| release.name() == word)
    }
}

impl Mode {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Synchronous => "synchronous",
            Mode::Asynchronous => "asynchronous",
        }
    }

    /// The mode with this word.
    pub fn named(word: &str) -> Option<Mode> {
        [Mode::Synchronous, Mode::Asynchronous]
            .into_iter()
            .find(|mode| mode.name() == word)
    }
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkEvent {
    /// A task begins. Sealed: its TaskContext.
    Begun {
        work: WorkId,
        master: ClientId,
        /// `None` leaves it to the dependencies.
        mode: Option<Mode>,
        /// What lets the next ones begin; in old journals, what was verified.
        #[serde(default)]
        release: Release,
        more: u32,
    },
    /// The master changed it. Sealed: its TaskContext.
    Changed { work: WorkId, more: u32 },
    /// A subtask was made out for an agent, or made out anew. Sealed: its AgentContext.
    Sent {
        work: WorkId,
        subtask: SubtaskId,
        agent: ClientId,
        after: Vec<SubtaskId>,
        round: u32,
        /// Contents whose addresses stand in it.
        refers: BTreeSet<ContentId>,
        more: u32,
    },
    /// The agent gave it back. Sealed: its AgentContext.
    Returned {
        work: WorkId,
        subtask: SubtaskId,
        refers: BTreeSet<ContentId>,
        more: u32,
    },
    /// The master evaluated what was given back. Sealed: the verdicts.
    Evaluated {
        work: WorkId,
        subtask: SubtaskId,
        /// Every item is verified.
        complete: bool,
        /// Its structure is whole and the master said no to nothing; in old journals nothing rests on that.
        #[serde(default)]
        structural: bool,
        more: u32,
    },
    /// Nothing more is done for the task.
    Closed { work: WorkId },
    /// The task is gone.
    Removed {
        work: WorkId,
        /// Who runs the service and did it instead of its master.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator: Option<ClientId>,
    },
    /// A content was stored, or is to be kept longer. Sealed: its text, where it is not there already.
    Stored {
        content: ContentId,
        owner: ClientId,
        bytes: u64,
        until: At,
        /// Whether its text lies here.
        text: bool,
        more: u32,
    },
    /// Who stored it keeps it no longer.
    Released { content: ContentId, owner: ClientId },
    /// The sealed part of the record before goes on here.
    Continued,
}

impl WorkEvent {
    /// Which task it concerns.
    pub fn work(&self) -> Option<&WorkId> {
        match self {
            WorkEvent::Begun { work, .. }
            | WorkEvent::Changed { work, .. }
            | WorkEvent::Sent { work, .. }
            | WorkEvent::Returned { work, .. }
            | WorkEvent::Evaluated { work, .. }
            | WorkEvent::Closed { work }
            | WorkEvent::Removed { work, .. } => Some(work),
            WorkEvent::Stored { .. } | WorkEvent::Released { .. } | WorkEvent::Continued => None,
        }
    }

    fn pieces(&mut self) -> Option<&mut u32> {
        match self {
            WorkEvent::Begun { more, .. }
            | WorkEvent::Changed { more, .. }
            | WorkEvent::Sent { more, .. }
            | WorkEvent::Returned { more, .. }
            | WorkEvent::Evaluated { more, .. }
            | WorkEvent::Stored { more, .. } => Some(more),
            WorkEvent::Closed { .. }
            | WorkEvent::Removed { .. }
            | WorkEvent::Released { .. }
            | WorkEvent::Continued => None,
        }
    }
}

impl Event for WorkEvent {
    fn continued() -> WorkEvent {
        WorkEvent::Continued
    }

    fn going_on(mut self, records: u32) -> WorkEvent {
        if let Some(more) = self.pieces() {
            *more = records;
        }
        self
    }

    fn more(&self) -> u32 {
        self.clone().pieces().map_or(0, |more| *more)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Mode;
    use super::WorkEvent;
    use crate::aggregate::Event;
    use crate::task_context::id::SubtaskId;
    use crate::task_context::id::WorkId;
    use schema::name::ClientId;

    #[test]
    fn events_are_written_as_they_will_be_read_for_good_c022() {
        let work = WorkId::of([0xab; 16]);
        let event = WorkEvent::Sent {
            work: work.clone(),
            subtask: SubtaskId::parse("hotel").expect("an id"),
            agent: ClientId::parse("hotel-agent").expect("a name"),
            after: Vec::new(),
            round: 1,
            refers: BTreeSet::new(),
            more: 0,
        };
        let event = event.going_on(2);
        assert_eq!(event.more(), 2);
        let text = serde_json::to_string(&event).expect("JSON");
        let expected = format!(
            r#"{{"sent":{{"work":"{}","subtask":"hotel","agent":"hotel-agent","after":[],"round":1,"refers":[],"more":2}}}}"#,
            work.as_str()
        );
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<WorkEvent>(&text).expect("an event"), event);
        assert_eq!(WorkEvent::continued().more(), 0);
        for mode in [Mode::Synchronous, Mode::Asynchronous] {
            assert_eq!(Mode::named(mode.name()), Some(mode));
        }
    }
}
