//! A large context that lies outside of messages, under the hash of its text (C-051, C-058).
//!
//! The same text is kept once, whoever stores it. Who stored it may read it until its time is over; who is told of it in a
//! context may read it as long as that context lives. Invariant: to know an address is not to be let in.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::task_context::id::ContentId;
use schema::name::ClientId;
use schema::time::At;

/// One content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub id: ContentId,
    /// The record that holds its text, and in how many more it goes on.
    pub seq: u64,
    pub more: u32,
    /// Of its text in UTF-8.
    pub bytes: u64,
    /// Who stored it, each until when.
    pub owners: BTreeMap<ClientId, At>,
}

impl Content {
    /// Whether this client stored it and its time is not over.
    pub fn is_owned(&self, client: &ClientId, now: At) -> bool {
        self.owners.get(client).is_some_and(|until| now < *until)
    }
}
