//! The shapes of what is sent and answered, as types whose fields are never read: utoipa makes schemas of them.
//!
//! The service answers with documents that the domain writes, so nothing is built from these types; the test of the examples
//! holds them to what the service really says, member by member.

pub mod auditing;

pub mod calling;

pub mod conversing;

pub mod evolution;

pub mod exchange;

pub mod messaging;

pub mod operations;

pub mod publishing;

pub mod reading;

pub mod session_audit;

pub mod sharing;

pub mod telling;

pub mod template;

pub mod working;
