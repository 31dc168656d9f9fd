//! Context: what agents must know of each other's work, beside the payload itself.
//!
//! Owns the message of the Agent Context Protocol and the conversations that are passed between agents. Pure like all of the
//! domain. Invariant: nothing here decides who may come in; what a message says of security is never believed (M-034).

pub mod message;

pub mod conversation;
