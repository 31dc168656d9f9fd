//! Following a session: what changes for one that takes part, as it changes (S-083).
//!
//! Read off how the session stands, see [`context::session::changes`]. Invariant: each look asks anew whether the follower still
//! takes part.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::watch as channel;

use crate::api::sessions::SessionGone;
use crate::app::caller::Caller;
use crate::app::error::ServiceError;
use crate::app::sessions::SessionService;
use crate::app::sessions::parse_id;
use crate::app::sessions::take_part;
use context::session::changes::Change;
use context::session::changes::Followed;
use context::session::names::SessionId;

/// Seconds after which somebody who follows may have left.
const FOLLOW_AGAIN_S: u64 = 10;

/// One thing that a follower is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// From where on it can go on later: only the last one of those that happened together says so.
    pub id: Option<u64>,
    /// Which event it is.
    pub event: &'static str,
    /// What of it, as JSON text.
    pub data: String,
}

impl Told {
    /// An event with what is said of it.
    pub fn new(id: Option<u64>, event: &'static str, data: &impl Serialize) -> Told {
        let data = serde_json::to_string(data).unwrap_or_default();
        Told { id, event, data }
    }
}

/// Somebody who follows a session.
pub struct SessionWatch {
    sessions: Arc<SessionService>,
    id: SessionId,
    caller: Caller,
    followed: Followed,
    changes: channel::Receiver<u64>,
    known: u64,
    over: bool,
}

impl SessionService {
    /// Follows a session from a record on, or from now on: `keys` of it, with commas between them, or all.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`](context::session::refusal::SessionRefusal::SessionNotFound) and others of the rules;
    /// [`ServiceError::BadParameter`] for what are no keys, and for a record that is still to come; [`ServiceError::LimitReachedFor`].
    pub fn follow(
        self: &Arc<Self>,
        caller: &Caller,
        session: &str,
        keys: Option<&str>,
        since: Option<u64>,
    ) -> Result<SessionWatch, ServiceError> {
        let followed = keys.map_or_else(|| Some(Followed::default()), Followed::parse);
        let followed = followed.ok_or_else(|| {
            let what =
                "the parameter keys must be keys with commas between them, or beginnings of keys with * at their end";
            ServiceError::BadParameter(what.to_owned())
        })?;
        let id = parse_id(session)?;
        let end = self.events.end()?;
        let sessions = self.events.state();
        let (session, _) = take_part(&sessions, &id, caller)?;
        session.config.require(session.config.subscriptions, "subscriptions")?;
        let known = since.unwrap_or_else(|| {
            let everything = session.changes(0, &Followed::default());
            let last = everything.last().map_or(session.seq, |(seq, _)| *seq);
            last.max(session.forgotten)
        });
        if since.is_some_and(|since| since > end) {
            let what = "the event to go on from lies in the future: this service has not come so far";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let changes = self.events.follow(id.as_str(), self.options.followers_max);
        let changes = changes.ok_or_else(|| ServiceError::LimitReachedFor {
            what: format!(
                "one session may be followed by {} (sessions.followers_max); who follows may leave",
                self.options.followers_max
            ),
            retry_after_s: FOLLOW_AGAIN_S,
        })?;
        drop(sessions);
        Ok(SessionWatch {
            sessions: Arc::clone(self),
            id,
            caller: caller.clone(),
            followed,
            changes,
            known,
            over: false,
        })
    }
}

impl SessionWatch {
    /// What changed; waits for it. Nothing is lost when this is given up before it answers. `None` when there is nothing more
    /// to be told.
    pub async fn next(&mut self) -> Option<Vec<Told>> {
        while !self.over {
            // Before the state is read: a change after that wakes again.
            self.changes.borrow_and_update();
            let changes = self.fresh();
            // Where nobody can change it any more, the session is gone; one of the same name is another one.
            let Some(changes) = changes.ok().filter(|_| self.changes.has_changed().is_ok()) else {
                break;
            };
            if let Some((last, _)) = changes.last() {
                self.known = *last;
                return Some(told(&changes));
            }
            if self.changes.changed().await.is_err() {
                break;
            }
        }
        (!std::mem::replace(&mut self.over, true)).then(|| {
            let session_id = self.id.to_string();
            vec![Told::new(None, "gone", &SessionGone { session_id })]
        })
    }

    fn fresh(&self) -> Result<Vec<(u64, Change)>, ServiceError> {
        let sessions = self.sessions.events.state();
        let (session, _) = take_part(&sessions, &self.id, &self.caller)?;
        Ok(session.changes(self.known, &self.followed))
    }
}

fn told(changes: &[(u64, Change)]) -> Vec<Told> {
    let all = changes.iter().enumerate().map(|(place, (seq, change))| {
        let is_last = changes.get(place + 1).is_none_or(|(next, _)| next != seq);
        Told::new(is_last.then_some(*seq), change.name(), change)
    });
    all.collect()
}
