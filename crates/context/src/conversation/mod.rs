//! Conversations: what was said between a user and agents, and what of it goes to which agent.
//!
//! A coordinator keeps a conversation under a context id that this service gives out (P-001). Turns lie in the journal in their
//! order; what is older is summarised by taking sentences out of it. Domain agents get what the coordinator declared for them and
//! nothing else. It does not know journals, models or transports: vectors come in as integers. Invariant: who neither began a
//! conversation nor is declared in it learns nothing of it, not even that it exists.

pub mod turn;

pub mod event;

pub mod recipient;

pub mod index;

pub mod decide;

pub mod summary;

pub mod history;
