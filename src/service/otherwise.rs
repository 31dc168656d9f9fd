//! The calls that every mouth makes.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;
use tokio::sync::oneshot;

use crate::domain::evolution::hand::Hand;
use crate::domain::exchange::envelope::Envelope;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::event::Via;
use crate::domain::scenario::layer;
use crate::domain::template::export::Form;
use crate::domain::template::export::loss::Loss;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::SchemaId;
use crate::service::approvals;
use crate::service::backup;
use crate::service::batch;
use crate::service::caller::Caller;
use crate::service::caller::Deed;
use crate::service::census::ScenarioCensus;
use crate::service::error::ServiceError;
use crate::service::history;
use crate::service::history::Until;
use crate::service::hosting::Hosting;
use crate::service::inspect;
use crate::service::intake;
use crate::service::listing;
use crate::service::live::Live;
use crate::service::live::Request;
use crate::service::observed::Outcome;
use crate::service::operating;
use crate::service::parts::Parts;
use crate::service::ports::JournalFault;
use crate::service::publishing;
use crate::service::retention;
use crate::service::search;
use crate::service::view::View;
use crate::service::view::matches_tag;

/// What a published schema is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// False when the same content was published before.
    pub created: bool,
    /// `{"schema_id", "scenario", "version", "score", "key_scores": {"k": 100}, "findings": [finding], "constraints": {…},
    /// "compatibility": assessment, "taken_over": [{"patch_id", "key_name", "stage", "changes"}]}`
    pub document: Value,
}

/// An effective template, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateReply {
    /// JSON text.
    pub body: Arc<str>,
    /// Strong entity tag, with its quotes.
    pub etag: String,
    pub revision: u64,
    /// BCP 47 tag of the descriptions.
    pub language: String,
    /// What is known of the text where it is in a form of its own; `None` for the template itself.
    pub exported: Option<Exported>,
}

/// What is known of an export beside its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    pub form: Form,
    /// Estimated.
    pub tokens: u64,
    pub lost: Arc<[Loss]>,
}

/// How a template is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// BCP 47.
    pub language: Option<&'a str>,
    /// With what is on trial.
    pub experimental: bool,
    /// `None` for the template itself.
    pub form: Option<Form>,
}

/// An accepted submission, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitReply {
    /// JSON text in the shape `accepted` of DESIGN §8.
    pub body: String,
    pub submission_id: Option<String>,
    /// Whether this is the stored reply of an earlier call with the same idempotency key.
    pub replayed: bool,
    /// Seconds of the time to this reply that an executor took.
    pub executor_seconds: f64,
}

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Otherwise {
    hosting: Arc<Hosting>,
}

impl Otherwise {
    /// Reads every journal, restores every scenario, begins to work.
    ///
    /// # Errors
    /// The first fault of the store, named; or vectors of another model in a pool (Z-103).
    pub async fn open(parts: Parts) -> Result<Otherwise, ServiceError> {
        Ok(Otherwise {
            hosting: Hosting::open(parts).await?,
        })
    }

    /// What is hosted, or what of it bears a label with this value:
    /// `{"scenarios": [{"scenario","schema_id","version","revision","description","language","owner"?,"labels"?,
    /// "frozen"?}]}`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn scenarios(&self, caller: &Caller, label: Option<(&str, &str)>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let listed = listing::listed(&self.hosting, caller, label);
        let rows: Vec<Value> = listed.into_iter().map(|(_, row)| row).collect();
        Ok(json!({ "scenarios": rows }))
    }

    /// What is hosted and answers a wish in plain words, see [`search::find`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`search::find`] says.
    pub async fn search(&self, caller: &Caller, asked: search::Asked<'_>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        search::find(&self.hosting, caller, asked).await
    }

    /// Publishes a base schema under its id; the same content again is accepted.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::SchemaImmutable`],
    /// [`ServiceError::SchemaRetired`], [`ServiceError::Incompatible`] with what breaks, or a fault.
    pub async fn publish(&self, caller: &Caller, schema_id: &str, document: &str) -> Result<Published, ServiceError> {
        demand(caller, Deed::Publish)?;
        publishing::publish(&self.hosting, schema_id, document).await
    }

    /// What publishing a template would say, nothing stored; with it why it would be refused, if it would be.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::BadRequest`], [`ServiceError::Forbidden`].
    pub async fn check_schema(
        &self,
        caller: &Caller,
        document: &str,
    ) -> Result<(Value, Option<ServiceError>), ServiceError> {
        demand(caller, Deed::Publish)?;
        publishing::check(&self.hosting, document).await
    }

    /// Publishes the base in force with its stable keys in it, see [`publishing::rebase`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`publishing::rebase`] says.
    pub async fn rebase(&self, caller: &Caller, scenario: &str, dry_run: bool) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        publishing::rebase(&self.hosting, scenario, dry_run).await
    }

    /// A base schema as published.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::Forbidden`].
    pub fn schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let (live, id) = self.by_schema(schema_id)?;
        let view = live.view.load();
        let base = view
            .bases
            .get(&id)
            .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_owned()))?;
        let mut document =
            serde_json::to_value(&base.template).map_err(|error| ServiceError::Fault(error.to_string()))?;
        if let Some(members) = document.as_object_mut().filter(|_| base.retired) {
            members.insert("retired".to_owned(), Value::Bool(true));
        }
        Ok(document)
    }

    /// Retires a base schema: submissions by it are refused from now on (410).
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::Forbidden`], or a fault.
    pub async fn retire(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        let (live, id) = self.by_schema(schema_id)?;
        drop(self.hosting.parts.writes.pass()?);
        let mut namespace = self.hosting.namespace.lock().await;
        let event = namespace
            .retire(&id)
            .map_err(|_unknown| ServiceError::UnknownSchema(schema_id.to_owned()))?;
        if let Some(event) = event {
            self.hosting.record(&mut namespace, &event).await?;
        }
        live.command(Command::Retire(id)).await?;
        Ok(json!({ "schema_id": schema_id, "retired": true }))
    }

    /// Restores a retired base schema, if it still keeps what its line promises.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::Incompatible`], [`ServiceError::Forbidden`], or a fault.
    pub async fn restore_schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        let (live, id) = self.by_schema(schema_id)?;
        drop(self.hosting.parts.writes.pass()?);
        let mut namespace = self.hosting.namespace.lock().await;
        let event = namespace
            .restore(&id)
            .map_err(|_unknown| ServiceError::UnknownSchema(schema_id.to_owned()))?;
        if let Some(event) = event {
            if let Some(registered) = namespace.schemas.get(&id) {
                publishing::keeps_its_line(&self.hosting, &registered.template).await?;
            }
            self.hosting.record(&mut namespace, &event).await?;
        }
        live.command(Command::Restore(id)).await?;
        Ok(json!({ "schema_id": schema_id, "retired": false }))
    }

    /// The effective template for the caller. `seen` is the caller's `If-None-Match`: when it still holds, `None` comes
    /// back and no receipt is recorded.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn template(
        &self,
        caller: &Caller,
        scenario: &str,
        wanted: Wanted<'_>,
        seen: Option<&str>,
    ) -> Result<Option<TemplateReply>, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let live = self.hosting.by_scenario(scenario)?;
        let view = live.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.in_force.as_ref().ok_or_else(unknown)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let reply = compiled.render(wanted);
        if seen.is_some_and(|seen| matches_tag(seen, &reply.etag)) {
            return Ok(None);
        }
        self.receipt(&live, &view, caller, Via::Fetch);
        Ok(Some(reply))
    }

    /// The effective template for the caller as it was served at a moment or revision, byte for byte; no receipt.
    ///
    /// # Errors
    /// As [`history::template`], and [`ServiceError::Forbidden`].
    pub async fn template_as_of(
        &self,
        caller: &Caller,
        scenario: &str,
        wanted: Wanted<'_>,
        until: Until,
    ) -> Result<TemplateReply, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        history::template(&self.hosting, caller, scenario, wanted, until).await
    }

    /// `{"revision", "patches": [], "withdrawn_keys": []}` since a revision, for the caller.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn updates(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let live = self.hosting.by_scenario(scenario)?;
        let view = live.view.load();
        let client = caller.client.as_ref();
        let news = view.since(client, since);
        let schema_id = view
            .in_force
            .as_ref()
            .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?;
        let revision = view
            .compiled(schema_id, client)
            .map_or(0, |compiled| compiled.effective.revision);
        self.receipt(&live, &view, caller, Via::Poll);
        Ok(json!({
            "revision": revision,
            "patches": news["patches"],
            "withdrawn_keys": news["withdrawn_keys"],
        }))
    }

    /// Submits: validates, records durably, answers. The whole body as text.
    ///
    /// # Errors
    /// Whatever the check, the idempotency key or the journal say.
    pub async fn submit(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&str>,
    ) -> Result<SubmitReply, ServiceError> {
        demand(caller, Deed::Submit)?;
        let begin = Instant::now();
        let envelope = Envelope::parse(body).map_err(|fault| ServiceError::BadRequest(fault.to_string()))?;
        let (live, schema_id) = self.by_schema(&envelope.schema_id)?;
        let client = caller.client.as_ref();
        if envelope.dry_run {
            return intake::validate(&live, client, &envelope);
        }
        if idempotency_key.is_none() && !intake::executes(&live, &self.hosting.parts, &schema_id) {
            let outcome = intake::submit(&live, &self.hosting.parts, client, &envelope, None, body).await;
            self.observe(&live, &outcome, begin);
            return outcome;
        }
        // A caller that hangs up must not leave the key held or its submission half done: this runs to its end.
        let (parts, client) = (Arc::clone(&self.hosting.parts), caller.client.clone());
        let (body, key) = (body.to_owned(), idempotency_key.map(str::to_owned));
        let held = Arc::clone(&live);
        let outcome = tokio::spawn(async move {
            let envelope = Envelope::parse(&body).map_err(|fault| ServiceError::BadRequest(fault.to_string()))?;
            intake::submit(&live, &parts, client.as_ref(), &envelope, key.as_deref(), &body).await
        })
        .await
        .map_err(|error| ServiceError::Fault(error.to_string()))?;
        self.observe(&held, &outcome, begin);
        outcome
    }

    /// Submits many: each as [`Otherwise::submit`] would, recorded together, answered in their order. `idempotency_key` in an
    /// item is what the header is for a single one.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] when the body is no batch or too long, [`ServiceError::Forbidden`]; what is wrong with one
    /// submission stands in its place among the outcomes.
    pub async fn submit_batch(
        &self,
        caller: &Caller,
        body: &str,
    ) -> Result<Vec<Result<SubmitReply, ServiceError>>, ServiceError> {
        demand(caller, Deed::Submit)?;
        batch::texts(body, self.hosting.parts.options.batch_submissions_max)?;
        let begin = Instant::now();
        let (service, client, body) = (self.clone(), caller.client.clone(), body.to_owned());
        // As with a single one: what has begun runs to its end.
        let ended = tokio::spawn(async move {
            let parts = &service.hosting.parts;
            let texts = batch::texts(&body, parts.options.batch_submissions_max)?;
            let find = |schema_id: &str| service.by_schema(schema_id).map(|(live, _)| live);
            Ok::<_, ServiceError>(batch::submit(parts, client.as_ref(), &texts, find).await)
        });
        let ended = ended.await.map_err(|error| ServiceError::Fault(error.to_string()))??;
        let observed = ended.into_iter().map(|(live, outcome)| {
            if let Some(live) = live {
                self.observe(&live, &outcome, begin);
            }
            outcome
        });
        Ok(observed.collect())
    }

    /// The same check, nothing recorded.
    ///
    /// # Errors
    /// Whatever the check says.
    pub fn validate(&self, caller: &Caller, body: &str) -> Result<SubmitReply, ServiceError> {
        demand(caller, Deed::Submit)?;
        let envelope = Envelope::parse(body).map_err(|fault| ServiceError::BadRequest(fault.to_string()))?;
        let (live, _) = self.by_schema(&envelope.schema_id)?;
        intake::validate(&live, caller.client.as_ref(), &envelope)
    }

    /// The pool: clusters with heat and gate.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn pool(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        let policy = live.view.load().policy.clone();
        let state = live.state();
        Ok(inspect::pool(&state, self.now(&state), &policy))
    }

    /// `{"patches": [patch]}`: every patch of the scenario.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn patches(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        let state = live.state();
        Ok(json!({ "patches": state.patches.iter().map(|patch| patch.document()).collect::<Vec<_>>() }))
    }

    /// The ledger in the shape of DESIGN §8.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn ledger(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        let policy = live.view.load().policy.clone();
        let state = live.state();
        let at = self.now(&state);
        Ok(inspect::ledger(&state, at, &policy))
    }

    /// One patch; a patch for another client, or one that never came into force, is unknown to clients.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPatch`], [`ServiceError::Forbidden`].
    pub fn patch(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let (live, id) = self.by_patch(patch_id)?;
        let state = live.state();
        let patch = state.patch(&id).filter(|patch| {
            caller.sees_all() || (layer::concerns(patch, caller.client.as_ref()) && layer::was_in_force(patch))
        });
        patch
            .map(|patch| patch.document())
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    /// Why a patch exists and how it fared.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPatch`], [`ServiceError::Forbidden`].
    pub fn evidence(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let (live, id) = self.by_patch(patch_id)?;
        let window = live.view.load().policy.evolution.window_days;
        let state = live.state();
        let patch = state
            .patch(&id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))?;
        Ok(patch.evidence(&state.ledger.read(&id, self.now(&state), window)))
    }

    /// The operator's hand; the patch as it stands afterwards.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`operating::operate`].
    pub async fn operate(
        &self,
        caller: &Caller,
        patch_id: &str,
        hand: Hand,
        reason: Option<&str>,
    ) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let (live, id) = self.by_patch(patch_id)?;
        operating::operate(&self.hosting, &live, caller, id, hand, reason).await
    }

    /// Stops evolution of a scenario, or lets it go on.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], and as [`operating::freeze`].
    pub async fn freeze(
        &self,
        caller: &Caller,
        scenario: &str,
        stop: bool,
        reason: Option<&str>,
    ) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let live = self.hosting.by_scenario(scenario)?;
        operating::freeze(&self.hosting, &live, caller, stop, reason).await
    }

    /// What waits for a person, longest waiting first.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`approvals::approvals`].
    pub fn approvals(&self, caller: &Caller, limit: Option<u64>, after: Option<&str>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        approvals::approvals(&self.hosting, limit, after)
    }

    /// Closes the service for writing, or opens it.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`operating::set_read_only`].
    pub async fn set_read_only(
        &self,
        caller: &Caller,
        close: bool,
        reason: Option<&str>,
    ) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        operating::set_read_only(&self.hosting, caller, close, reason).await
    }

    /// Whether the service writes, and who closed it.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn standing(&self, caller: &Caller) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        Ok(operating::standing(&self.hosting))
    }

    /// In a word, whether the service writes: `open`, `read_only`, `disk_full` or `broken`.
    pub fn writing(&self) -> &'static str {
        operating::writing(&self.hosting)
    }

    /// Whether a person or the settings closed the service for writing.
    pub fn is_read_only(&self) -> bool {
        !self.hosting.parts.writes.are_open()
    }

    /// Bytes free where the store writes, where that is known.
    pub fn free_bytes(&self) -> Option<u64> {
        self.hosting.parts.journal.free_bytes()
    }

    /// A backup of everything that was acknowledged until now; the service goes on.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`backup::begin`].
    pub fn backup(&self, caller: &Caller) -> Result<backup::Begun, ServiceError> {
        demand(caller, Deed::Operate)?;
        backup::begin(&self.hosting, caller)
    }

    /// Every scenario in numbers.
    pub fn census(&self) -> Vec<ScenarioCensus> {
        let catalogue = self.hosting.catalogue.load();
        catalogue
            .scenarios
            .values()
            .map(|live| {
                let policy = live.view.load().policy.clone();
                let state = live.state();
                ScenarioCensus {
                    stalled: live.stands_still(),
                    ..inspect::census(&state, live.key.as_str(), self.now(&state), &policy)
                }
            })
            .collect()
    }

    /// Why nothing is recorded now; `None` while all is well. A full disk passes by itself, anything else with the next
    /// start.
    pub fn broken(&self) -> Option<JournalFault> {
        self.hosting.parts.journal.broken()
    }

    /// A hosted scenario, for tests and for the command line.
    pub fn live(&self, scenario: &str) -> Option<Arc<Live>> {
        self.hosting.by_scenario(scenario).ok()
    }

    /// Waits until all outstanding effects (embedding, looks, inductions) of all scenarios are done.
    pub async fn settle(&self) {
        self.ask_all(Request::Settle).await;
    }

    /// Lets every scenario do what is due by now, as the timer does, and erases what retention asks.
    pub async fn tick(&self) {
        retention::pass(&self.hosting).await;
        self.ask_all(Request::Tick).await;
    }

    /// Keeps snapshots and closes the journal. Calls that come later are answered with
    /// [`ServiceError::ShuttingDown`].
    pub async fn close(&self) {
        self.ask_all(Request::Close).await;
        self.hosting.parts.journal.close();
    }

    async fn ask_all(&self, request: impl Fn(oneshot::Sender<()>) -> Request) {
        let lives: Vec<Arc<Live>> = self.hosting.catalogue.load().scenarios.values().cloned().collect();
        for live in lives {
            let (reply, answer) = oneshot::channel();
            if live.requests.send(request(reply)).await.is_ok() {
                let _ = answer.await;
            }
        }
    }

    fn observe(&self, live: &Live, outcome: &Result<SubmitReply, ServiceError>, begin: Instant) {
        let ended = match outcome {
            Ok(reply) if reply.replayed => Outcome::Replayed,
            Ok(_) => Outcome::Accepted,
            Err(error) => Outcome::of(error),
        };
        // How long an executor takes is the server agent's affair, and measured by itself.
        let elsewhere = match outcome {
            Ok(reply) => reply.executor_seconds,
            Err(ServiceError::NotExecuted { seconds, .. }) => *seconds,
            Err(_) => 0.0,
        };
        let seconds = (begin.elapsed().as_secs_f64() - elsewhere).max(0.0);
        self.hosting
            .parts
            .observer
            .submission(live.key.as_str(), ended, seconds);
    }

    /// Now, but never before the scenario's last entry.
    fn now(&self, state: &crate::domain::scenario::state::State) -> crate::domain::time::At {
        self.hosting.parts.clock.now().max(state.at)
    }

    fn receipt(&self, live: &Live, view: &View, caller: &Caller, via: Via) {
        let Some(client) = caller.client.as_ref().filter(|_| self.hosting.parts.writes.are_open()) else {
            return;
        };
        let latest = view.patch_revision(Some(client));
        let known = live.state().acquaintances.get(client).map_or(0, |known| known.revision);
        if latest > known {
            live.receive(client, via);
        }
    }

    fn by_schema(&self, schema_id: &str) -> Result<(Arc<Live>, SchemaId), ServiceError> {
        let unknown = || ServiceError::UnknownSchema(schema_id.to_owned());
        let id = SchemaId::parse(schema_id).ok_or_else(unknown)?;
        let catalogue = self.hosting.catalogue.load();
        let live = catalogue
            .schemas
            .get(&id)
            .and_then(|key| catalogue.scenarios.get(key))
            .cloned();
        live.map(|live| (live, id)).ok_or_else(unknown)
    }

    fn by_patch(&self, patch_id: &str) -> Result<(Arc<Live>, PatchId), ServiceError> {
        let found = self.hosting.by_patch(patch_id);
        found.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }
}

fn demand(caller: &Caller, deed: Deed) -> Result<(), ServiceError> {
    if caller.may(deed) {
        Ok(())
    } else {
        Err(ServiceError::Forbidden)
    }
}
