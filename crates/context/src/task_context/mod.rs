//! Who knows what of a task? A master agent keeps the TaskContext, and each agent that it invokes gets its own AgentContext
//! and no other (draft-chang-agent-context-interaction).
//!
//! Owns both contexts, the order of subtasks, the rounds, the two-phase evaluation, and large contents that contexts refer to.
//! Contexts are checked by templates as any payload is; what a template cannot say stands here. A task knows where its contexts lie in
//! the journal, not what they are. It does not know transports, storage or clocks, nor A2A's tasks ([`crate::a2a_task`]), which are
//! another thing. Invariants: nobody but the master reads or writes a task; an agent reads its own subtask alone, and only once it was handed out.

pub mod id;

pub mod form;

pub mod status;

pub mod document;

pub mod agent_context;

pub mod event;

pub mod tasks;

pub mod rounds;

pub mod access;

pub mod decide;

pub mod evaluation;
