//! The effective template for a caller, and what changed in it since a revision: asked for once, or watched.
//!
//! Both say the same in the same form. A watch holds no queue: it looks at the view when it is woken, so that whatever
//! happened meanwhile is one piece of news, and a reader that is slow costs no memory. Invariant: a client is told of
//! patches for all and of its own, and of no other client's (Z-122).

use std::sync::Arc;

use sha2::Digest;
use sha2::Sha256;
use tokio::sync::watch;

use crate::api::templates::Updates;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::pin::Pin;
use crate::app::reply::Held;
use crate::app::reply::TemplateReply;
use crate::app::reply::Wanted;
use crate::app::view::ScenarioView;
use engine::scenario::event::Via;
use schema::name::ClientId;
use schema::name::SchemaId;
use text::name::hexadecimal;

impl App {
    /// The effective template for the caller. `held` says whether the caller holds what bears an entity tag: then `Err`
    /// of that tag comes back within, and no receipt is recorded.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn template(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: &Pin,
        wanted: Wanted<'_>,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<TemplateReply, Held>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let handle = self.registry().by_scenario(scenario)?;
        let view = handle.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.meant(scenario, pin)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let reply = compiled.render(wanted);
        if held(&reply.etag) {
            return Ok(Err(Held(reply.etag)));
        }
        receipt(&handle, &view, self.remembered(caller), Via::Fetch);
        Ok(Ok(reply))
    }

    /// What changed for the caller since a revision; [`Held`] and no receipt where the caller holds the answer already.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for a revision that the
    /// journal has not reached.
    pub fn updates(
        &self,
        caller: &Caller,
        scenario: &str,
        since: u64,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<News, Held>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let handle = self.registry().by_scenario(scenario)?;
        has_been(&handle, since)?;
        let view = handle.view.load();
        let news = News::since(&view, caller.client.as_ref(), since)
            .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?;
        let etag = news.etag();
        if held(&etag) {
            return Ok(Err(Held(etag)));
        }
        receipt(&handle, &view, self.remembered(caller), Via::Poll);
        Ok(Ok(news))
    }

    /// Follows what changes for the caller from a revision on, see [`Watch::from`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`].
    pub fn watch(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Watch, ServiceError> {
        caller.require(Permission::Negotiate)?;
        Watch::from(self.registry().by_scenario(scenario)?, caller.client.clone(), since)
    }
}

/// What changed, ready to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Of the effective template that the caller has now.
    pub revision: u64,
    /// [`Updates`] in one line of JSON.
    pub body: String,
}

impl News {
    /// What is new to a client since a revision; `None` while no base is in force.
    pub fn since(view: &ScenarioView, client: Option<&ClientId>, since: u64) -> Option<News> {
        let schema_id = view.in_force.as_ref()?;
        let revision = view.revision(schema_id, client)?;
        let new = view.since(client, since);
        let updates = Updates {
            revision,
            schema_id: schema_id.to_string(),
            patches: new.patches,
            withdrawn_keys: new.withdrawn_keys,
        };
        Some(News {
            revision,
            body: serde_json::to_string(&updates).ok()?,
        })
    }

    /// Strong entity tag, with its quotes.
    pub fn etag(&self) -> String {
        let digest = Sha256::digest(self.body.as_bytes());
        format!("\"{}\"", hexadecimal(&digest[..12]))
    }
}

/// Follows one scenario for one caller.
pub struct Watch {
    handle: Arc<ScenarioHandle>,
    client: Option<ClientId>,
    changes: watch::Receiver<u64>,
    /// The revision up to which the caller was told.
    known: u64,
    /// What it was told last: the base in force and the revision. `None` before the first time.
    told: Option<(SchemaId, u64)>,
}

impl Watch {
    /// Follows from a revision on. What changed since is told at once; where that revision is the current one, nothing is.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`] for a revision that the journal has not reached.
    pub fn from(handle: Arc<ScenarioHandle>, client: Option<ClientId>, known: u64) -> Result<Watch, ServiceError> {
        has_been(&handle, known)?;
        let changes = handle.view_changes();
        let view = handle.view.load();
        let current = view.in_force.as_ref().and_then(|schema_id| {
            let revision = view.revision(schema_id, client.as_ref())?;
            (revision == known).then(|| (schema_id.clone(), revision))
        });
        drop(view);
        Ok(Watch {
            handle,
            client,
            changes,
            known,
            told: current,
        })
    }

    /// The next piece of news; waits for it. Nothing is lost when this is given up before it answers. `None` when the
    /// scenario is gone.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            // Before the view is read: a change after that wakes again.
            self.changes.borrow_and_update();
            if let Some(news) = self.fresh() {
                return Some(news);
            }
            self.changes.changed().await.ok()?;
        }
    }

    fn fresh(&mut self) -> Option<News> {
        let view = self.handle.view.load();
        let schema_id = view.in_force.as_ref()?;
        let revision = view.revision(schema_id, self.client.as_ref())?;
        let current = Some((schema_id.clone(), revision));
        if current == self.told {
            return None;
        }
        let news = News::since(&view, self.client.as_ref(), self.known)?;
        // It falls when the base in force is retired and an older one takes its place. No patch lies between the two.
        self.known = revision;
        self.told = current;
        Some(news)
    }

    /// Says that the caller was handed what it was told (docs/design.md §7).
    pub fn received(&self) {
        receipt(
            &self.handle,
            &self.handle.view.load(),
            self.client.as_ref(),
            Via::Stream,
        );
    }
}

/// Whether the scenario has come so far: a client that holds a later revision holds one of another history, and would be told
/// nothing of this one.
///
/// # Errors
/// [`ServiceError::BadParameter`].
fn has_been(handle: &ScenarioHandle, revision: u64) -> Result<(), ServiceError> {
    if handle.has_applied(revision) {
        return Ok(());
    }
    Err(ServiceError::BadParameter(
        "the revision to go on from lies in the future: this scenario has not come so far; fetch the template and go on from \
         its revision"
            .to_owned(),
    ))
}

/// Records that a client was shown patches, unless it is known to have seen them or has no name.
pub fn receipt(handle: &ScenarioHandle, view: &ScenarioView, client: Option<&ClientId>, via: Via) {
    let Some(client) = client else { return };
    let latest = view.patch_revision(Some(client));
    let known = handle
        .state()
        .acquaintances
        .get(client)
        .map_or(0, |known| known.revision);
    if latest > known {
        handle.receive(client, via);
    }
}

#[cfg(test)]
mod tests;
