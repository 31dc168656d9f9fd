//! The message of the Agent Context Protocol: what the work is about, beside the workload itself (M-001 … M-037).
//!
//! Reads the five contexts and keeps what it does not know, takes secrets out, writes the message as text for a model, and turns
//! its task context into that of the Agent Context Distribution draft and back. Binds to no transport. Invariant: nothing that a
//! message says of security or policy decides anything here or elsewhere in this service (M-034): a policy is guidance that is
//! passed on, and a token is taken out before anybody sees it.

pub mod shape;

pub mod agent_context;

pub mod markdown;

pub mod policy;

pub mod convert;

pub mod directory;
