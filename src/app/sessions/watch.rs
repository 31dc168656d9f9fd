//! Following a session: what changes for one that takes part, as it changes (S-083).
//!
//! Read off how the session stands, see [`context::session::changes`]. Invariant: each look asks anew whether the
//! follower still takes part.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use tokio::sync::watch as channel;

use crate::app::caller::Caller;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::sessions::Sessions;
use crate::app::sessions::named;
use crate::app::sessions::part;
use context::session::changes::Change;
use context::session::changes::Followed;
use context::session::name::SessionId;
use context::session::refusal::ContextRefusal;

/// Seconds after which somebody who follows may have left.
const FOLLOW_AGAIN_S: u64 = 10;

/// One thing that a follower is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// From where on it can go on later: only the last one of those that happened together says so.
    pub id: Option<u64>,
    /// `written`, `deleted`, `snapshot`, `archived`, `relist` or `gone`.
    pub event: &'static str,
    pub data: Value,
}

/// Somebody who follows a session.
pub struct ContextWatch {
    sessions: Arc<Sessions>,
    id: SessionId,
    caller: Caller,
    followed: Followed,
    changes: channel::Receiver<u64>,
    known: u64,
    over: bool,
}

impl Sessions {
    /// Follows a session from a record on, or from now on.
    ///
    /// # Errors
    /// [`ContextRefusal::SessionNotFound`] and others of the rules; [`ServiceError::BadParameter`] for a record that is still to
    /// come; [`ServiceError::LimitReachedFor`].
    pub fn follow(
        self: &Arc<Self>,
        caller: &Caller,
        session: &str,
        followed: Followed,
        since: Option<u64>,
    ) -> Result<ContextWatch, ServiceError> {
        let id = named(session)?;
        let known = {
            let contexts = self.events.state();
            let (session, who) = part(&contexts, &id, caller)?;
            session.config.demand(session.config.subscriptions, "subscriptions")?;
            let everything = session.changes(0, &Followed::default(), &who, self.now());
            let last = everything.last().map_or(session.seq, |(seq, _)| *seq);
            since.unwrap_or(last.max(session.forgotten))
        };
        if known > self.events.end()? {
            let what = "the event to go on from lies in the future: this service has not come so far";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let lock = locked(&self.locks).get(&id).cloned();
        let lock = lock.ok_or(ContextRefusal::SessionNotFound)?;
        if lock.changes.receiver_count() >= self.options.followers_max {
            let what = format!(
                "one session may be followed by {} (sessions.followers_max); who follows may leave",
                self.options.followers_max
            );
            return Err(ServiceError::LimitReachedFor {
                what,
                retry_after_s: FOLLOW_AGAIN_S,
            });
        }
        Ok(ContextWatch {
            sessions: Arc::clone(self),
            id,
            caller: caller.clone(),
            followed,
            changes: lock.changes.subscribe(),
            known,
            over: false,
        })
    }
}

impl ContextWatch {
    /// What changed; waits for it. Nothing is lost when this is given up before it answers. `None` when there is nothing more
    /// to be told.
    pub async fn next(&mut self) -> Option<Vec<Told>> {
        while !self.over {
            // Before the state is read: a change after that wakes again.
            self.changes.borrow_and_update();
            let Ok(changes) = self.fresh() else {
                return Some(self.end());
            };
            if let Some((last, _)) = changes.last() {
                self.known = *last;
                return Some(told(&changes));
            }
            let next_end = self.next_end();
            tokio::select! {
                // Where whoever could change it is gone, the session is; one of the same name is another one.
                changed = self.changes.changed() => if changed.is_err() {
                    return Some(self.end());
                },
                () = ends(next_end) => self.take_out_expired().await,
            }
        }
        None
    }

    fn end(&mut self) -> Vec<Told> {
        self.over = true;
        let gone = Told {
            id: None,
            event: "gone",
            data: json!({"session_id": self.id}),
        };
        vec![gone]
    }

    /// How long it is until the next key's time is over.
    fn next_end(&self) -> Option<Duration> {
        let (contexts, now) = (self.sessions.events.state(), self.sessions.now());
        let session = contexts.sessions.get(&self.id)?;
        let milliseconds = session.next_end(now)?.0.saturating_sub(now.0);
        Some(Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)))
    }

    /// Where it cannot be done now, the timer does it later.
    async fn take_out_expired(&self) {
        if let Err(error) = self.sessions.take_out_expired(&self.id).await {
            tracing::debug!(session_id = %self.id, %error, "what has expired is told later");
        }
    }

    fn fresh(&self) -> Result<Vec<(u64, Change)>, ServiceError> {
        let contexts = self.sessions.events.state();
        let (session, who) = part(&contexts, &self.id, &self.caller)?;
        Ok(session.changes(self.known, &self.followed, &who, self.sessions.now()))
    }
}

/// Waits so long; for ever where there is nothing to wait for.
async fn ends(next: Option<Duration>) {
    match next {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

fn told(changes: &[(u64, Change)]) -> Vec<Told> {
    let mut told: Vec<Told> = Vec::with_capacity(changes.len());
    for (place, (seq, change)) in changes.iter().enumerate() {
        let is_last = changes.get(place + 1).is_none_or(|(next, _)| next != seq);
        let (event, data) = match change {
            Change::Written {
                key,
                version,
                incarnation,
                by,
                at,
                tokens,
            } => (
                "written",
                json!({"key": key, "version": version, "incarnation": incarnation, "written_by": by,
                    "written_at": at.rfc3339(), "value_size_tokens": tokens}),
            ),
            Change::Deleted { key, version, by, at } => (
                "deleted",
                json!({"deleted": key, "previous_version": version, "deleted_by": by, "deleted_at": at.rfc3339(),
                    "expired": by.is_none()}),
            ),
            Change::Snapshotted { label, by, at } => (
                "snapshot",
                json!({"snapshot": label, "taken_by": by, "taken_at": at.rfc3339()}),
            ),
            Change::Archived { at } => ("archived", json!({"archived_at": at.rfc3339()})),
            Change::Forgotten => (
                "relist",
                json!({"message": "keys went that are not remembered any more: list_keys says which ones are there"}),
            ),
        };
        told.push(Told {
            id: is_last.then_some(*seq),
            event,
            data,
        });
    }
    told
}
