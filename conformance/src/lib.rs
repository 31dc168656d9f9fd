//! The conformance kit: does a server that claims draft-zhou-structured-data-schema-interaction keep to it, as far as can be
//! seen from outside?
//!
//! A client and nothing else: it knows the draft's wire format and no server's inside. What is sent ([`request`]) and what is
//! judged ([`checks`]) are apart, so that each rule is a pure function over the answers. Without `--publish` or
//! `--submit` it sends reads and dry runs alone, so that a server that honours these keeps nothing of it.

pub mod check;
pub mod checks;
pub mod client;
pub mod examination;
pub mod exit_status;
pub mod page;
pub mod probe;
pub mod report;
pub mod request;
pub mod scratch;
pub mod template;
pub mod transcript;
pub mod verdict;
