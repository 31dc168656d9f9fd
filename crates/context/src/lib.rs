//! Context: what agents that work together must know of each other's work, beside the payload itself.
//!
//! [`session`] is the working memory of one session; [`task_context`] a task and what each agent is told of it; [`message`] the message of the
//! Agent Context Protocol; [`conversation`] what was said, and what of it goes to whom. Pure like all of the domain: knows where
//! contents lie, not what they are; no journal, no transport. Invariants: who may read what is decided here, from names that the
//! identity layer established; what a message says of security is never believed (M-034).

pub mod session;

pub mod task_context;

pub mod message;

pub mod conversation;

pub mod a2a_task;

pub mod aggregate;

pub mod fields;
