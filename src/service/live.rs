//! One scenario in a running process: its state, its view, and the way to its steward.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use arc_swap::ArcSwap;
use tokio::sync::mpsc;
use tokio::sync::oneshot;

use crate::domain::scenario::command::Command;
use crate::domain::scenario::event::Via;
use crate::domain::scenario::state::State;
use crate::domain::scenario::state::UsedKey;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::ScenarioKey;
use crate::service::error::ServiceError;
use crate::service::ports::JournalName;
use crate::service::view::View;

/// What a steward is asked.
pub enum Request {
    /// Decide and record; answered when the result is applied.
    Command(Box<Command>, oneshot::Sender<Result<(), ServiceError>>),
    /// A client was shown patches; nobody waits.
    Receive(ClientId, Via),
    /// Do what is due; answered when nothing is left that is due.
    Tick(oneshot::Sender<()>),
    /// Answered once nothing is outstanding.
    Settle(oneshot::Sender<()>),
    /// Keep a snapshot and stop.
    Close(oneshot::Sender<()>),
}

/// A scenario that is being hosted.
pub struct Live {
    pub key: ScenarioKey,
    pub journal: JournalName,
    pub view: ArcSwap<View>,
    pub requests: mpsc::Sender<Request>,
    state: Mutex<State>,
    /// Idempotency keys whose submission is not applied yet, (scope, key), with its record once it has one.
    in_flight: Mutex<BTreeMap<(String, String), Option<UsedKey>>>,
}

/// What a submission finds that wants to use an idempotency key.
pub enum Taken<'a> {
    /// The key is its own until it is done.
    Free(InFlight<'a>),
    /// Another submission holds the key and is not answered yet.
    Busy,
    /// Another submission used the key: it is answered, and the state does not know it yet.
    Recorded(UsedKey),
}

/// Holds an idempotency key while its submission is under way.
pub struct InFlight<'a> {
    live: &'a Live,
    key: (String, String),
}

impl Live {
    /// A scenario with its state.
    pub fn new(
        key: ScenarioKey,
        journal: JournalName,
        state: State,
        view: View,
        requests: mpsc::Sender<Request>,
    ) -> Live {
        Live {
            key,
            journal,
            view: ArcSwap::from_pointee(view),
            requests,
            state: Mutex::new(state),
            in_flight: Mutex::new(BTreeMap::new()),
        }
    }

    /// The state, locked. Held for moments only, never across an await.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an idempotency key, unless another submission has it.
    pub fn take(&self, scope: &str, key: &str) -> Taken<'_> {
        let key = (scope.to_owned(), key.to_owned());
        let mut held = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        match held.get(&key) {
            Some(Some(used)) => Taken::Recorded(used.clone()),
            Some(None) => Taken::Busy,
            None => {
                held.insert(key.clone(), None);
                Taken::Free(InFlight { live: self, key })
            }
        }
    }

    /// Lets go of an idempotency key: its submission failed, or the state knows it now.
    pub fn release(&self, scope: &str, key: &str) {
        let mut held = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        held.remove(&(scope.to_owned(), key.to_owned()));
    }

    /// Asks the steward and waits.
    ///
    /// # Errors
    /// What the rules or the journal say; [`ServiceError::ShuttingDown`] when there is no steward any more.
    pub async fn command(&self, command: Command) -> Result<(), ServiceError> {
        let (reply, answer) = oneshot::channel();
        self.requests
            .send(Request::Command(Box::new(command), reply))
            .await
            .map_err(|_closed| ServiceError::ShuttingDown)?;
        answer.await.map_err(|_closed| ServiceError::ShuttingDown)?
    }

    /// Tells the steward of a receipt without waiting; a full queue drops it: the next fetch says it again.
    pub fn receive(&self, client: &ClientId, via: Via) {
        let _ = self.requests.try_send(Request::Receive(client.clone(), via));
    }
}

impl InFlight<'_> {
    /// The submission is on record: until its entry is applied, this is what the key was used for.
    pub fn recorded(self, used: UsedKey) {
        let mut held = self.live.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        // Gone when the entry is applied already.
        if let Some(slot) = held.get_mut(&self.key) {
            *slot = Some(used);
        }
        drop(held);
        std::mem::forget(self);
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.live.release(&self.key.0, &self.key.1);
    }
}
