//! The calls that every mouth makes.

pub mod contract;
pub mod conversing;
pub mod governing;
mod retained;
pub mod running;
pub mod sharing;
pub mod tasking;
pub mod working;

use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::sync::watch as channel;

use crate::service::batch;
use crate::service::caller::Caller;
use crate::service::caller::Deed;
use crate::service::conversations::Conversations;
use crate::service::delivery::Delivery;
use crate::service::directory::Services;
use crate::service::error::ServiceError;
use crate::service::execution;
use crate::service::extension;
use crate::service::gallery;
use crate::service::gallery::Gallery;
use crate::service::history;
use crate::service::history::Until;
use crate::service::hosting;
use crate::service::hosting::Hosting;
use crate::service::idempotency;
use crate::service::intake;
use crate::service::listing;
use crate::service::live::Live;
use crate::service::ownership;
use crate::service::parts::Parts;
use crate::service::pin::Pin;
use crate::service::publishing;
use crate::service::reply;
use crate::service::reply::Held;
use crate::service::reply::Published;
use crate::service::reply::SubmitReply;
use crate::service::reply::TemplateReply;
use crate::service::reply::Wanted;
use crate::service::search;
use crate::service::secrets::Body;
use crate::service::sessions::Sessions;
use crate::service::tasks::Tasks;
use crate::service::updates;
use crate::service::updates::News;
use crate::service::updates::Watch;
use crate::service::wishes;
use crate::service::works::Keeping;
use engine::evolution::review::Seat;
use engine::scenario::event::Via;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::template;

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Otherwise {
    inner: Arc<Inner>,
}

/// What is hosted, and those who use it: what is kept once is there once it was begun.
struct Inner {
    hosting: Arc<Hosting>,
    gallery: Arc<Gallery>,
    /// Reading history is one at a time.
    history: Arc<Semaphore>,
    /// Backups are one at a time.
    backups: Arc<Semaphore>,
    delivery: OnceLock<Arc<Delivery>>,
    tasks: OnceLock<Arc<Tasks>>,
    sessions: OnceLock<Arc<Sessions>>,
    conversations: OnceLock<Arc<Conversations>>,
    services: OnceLock<Arc<Services>>,
    works: OnceLock<Arc<Keeping>>,
}

impl Otherwise {
    /// Reads every journal, restores every scenario, begins to work.
    ///
    /// # Errors
    /// The first fault of the store, named.
    pub async fn open(parts: Parts) -> Result<Otherwise, ServiceError> {
        let hosting = Hosting::open(parts).await?;
        for live in hosting.catalogue.load().scenarios.values() {
            execution::resume(live, &hosting.parts);
        }
        let gallery = Arc::new(Gallery::default());
        gallery::keep(&gallery, &hosting);
        let service = Otherwise {
            inner: Arc::new(Inner {
                hosting,
                gallery,
                history: Arc::new(Semaphore::new(1)),
                backups: Arc::new(Semaphore::new(1)),
                delivery: OnceLock::new(),
                tasks: OnceLock::new(),
                sessions: OnceLock::new(),
                conversations: OnceLock::new(),
                services: OnceLock::new(),
                works: OnceLock::new(),
            }),
        };
        service.begin_to_erase();
        Ok(service)
    }

    /// What is hosted, or what of it bears a label with this value:
    /// `{"scenarios": [{"scenario","schema_id","version","revision","description","language","owner"?,"labels"?,
    /// "frozen"?}]}`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn scenarios(&self, caller: &Caller, label: Option<(&str, &str)>) -> Result<Value, ServiceError> {
        caller.demand(Deed::Negotiate)?;
        let listed = listing::listed(&self.inner.hosting, caller, label);
        let rows: Vec<Value> = listed.into_iter().map(|(_, row)| row).collect();
        Ok(json!({ "scenarios": rows }))
    }

    /// Moves whenever what is hosted may read otherwise: who follows the list of scenarios compares it then.
    pub fn list_changes(&self) -> channel::Receiver<u64> {
        self.inner.hosting.shown.subscribe()
    }

    /// What is hosted and answers a wish in plain words, see [`search::find`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`search::find`] says.
    pub async fn search(&self, caller: &Caller, asked: search::Asked<'_>) -> Result<Value, ServiceError> {
        caller.demand(Deed::Negotiate)?;
        search::find(&self.inner.hosting, &self.inner.gallery, caller, asked).await
    }

    /// Publishes a base schema under its id; the same content again is accepted.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::SchemaImmutable`],
    /// [`ServiceError::SchemaRetired`], [`ServiceError::Incompatible`] with what breaks, or a fault.
    pub async fn publish(&self, caller: &Caller, schema_id: &str, document: &str) -> Result<Published, ServiceError> {
        caller.demand(Deed::Publish)?;
        publishing::publish(&self.inner.hosting, caller, schema_id, document).await
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
        caller.demand(Deed::Publish)?;
        publishing::check(&self.inner.hosting, caller, document).await
    }

    /// Publishes the base in force with its stable keys in it, see [`publishing::rebase`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`publishing::rebase`] says.
    pub async fn rebase(&self, caller: &Caller, scenario: &str, dry_run: bool) -> Result<Value, ServiceError> {
        caller.demand(Deed::Publish)?;
        publishing::rebase(&self.inner.hosting, caller, scenario, dry_run).await
    }

    /// A base schema as published.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::Forbidden`].
    pub fn schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        caller.demand(Deed::Negotiate)?;
        let (live, id) = self.by_schema(schema_id)?;
        let view = live.view.load();
        let base = view
            .bases
            .get(&id)
            .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_owned()))?;
        let mut document =
            serde_json::to_value(&base.template).map_err(|error| ServiceError::Fault(error.to_string()))?;
        if let Some(members) = document.as_object_mut().filter(|_| base.retired) {
            members.insert(template::RETIRED.to_owned(), Value::Bool(true));
        }
        Ok(document)
    }

    /// Retires a base schema: submissions by it are refused from now on (410).
    ///
    /// # Errors
    /// As [`publishing::retire`], and [`ServiceError::Forbidden`].
    pub async fn retire(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        caller.demand(Deed::Publish)?;
        let (live, id) = self.by_schema(schema_id)?;
        publishing::retire(&self.inner.hosting, caller, &live, id).await
    }

    /// Restores a retired base schema, if it still keeps what its line promises.
    ///
    /// # Errors
    /// As [`publishing::restore`], and [`ServiceError::Forbidden`].
    pub async fn restore_schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        caller.demand(Deed::Publish)?;
        let (live, id) = self.by_schema(schema_id)?;
        publishing::restore(&self.inner.hosting, caller, &live, id).await
    }

    /// Whose a scenario is.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub async fn owner(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        caller.demand(Deed::Inspect)?;
        let live = self.inner.hosting.by_scenario(scenario)?;
        Ok(ownership::told(&*self.inner.hosting.namespace.lock().await, &live.key))
    }

    /// Gives a scenario to somebody, or to nobody.
    ///
    /// # Errors
    /// As [`ownership::give`], [`ServiceError::UnknownScenario`] and [`ServiceError::Forbidden`].
    pub async fn give_scenario(&self, caller: &Caller, scenario: &str, body: &str) -> Result<Value, ServiceError> {
        caller.demand(Deed::Operate)?;
        let live = self.inner.hosting.by_scenario(scenario)?;
        ownership::give(&self.inner.hosting, caller, &live.key, body).await
    }

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
        caller.demand(Deed::Negotiate)?;
        let live = self.inner.hosting.by_scenario(scenario)?;
        let view = live.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.meant(scenario, pin)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let reply = compiled.render(wanted);
        if held(&reply.etag) {
            return Ok(Err(Held(reply.etag)));
        }
        updates::receipt(&live, &view, self.remembered(caller), Via::Fetch);
        Ok(Ok(reply))
    }

    /// The effective template for the caller as it was served at a moment or revision, byte for byte; no receipt.
    ///
    /// # Errors
    /// As [`history::template`], and [`ServiceError::Forbidden`].
    pub async fn template_as_of(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: Pin,
        wanted: Wanted<'_>,
        until: Until,
    ) -> Result<TemplateReply, ServiceError> {
        caller.demand(Deed::Negotiate)?;
        history::template(
            &self.inner.hosting,
            &self.inner.history,
            caller,
            scenario,
            pin,
            wanted,
            until,
        )
        .await
    }

    /// What became of the caller's own wishes, see [`wishes::wishes`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadRequest`] for a caller without a name, or
    /// [`ServiceError::BadParameter`] for a limit that is not 1 to [`wishes::PAGE_MAX`].
    pub async fn wishes(&self, caller: &Caller, scenario: &str, limit: Option<u64>) -> Result<Value, ServiceError> {
        caller.demand(Deed::Submit)?;
        let unnamed = || {
            ServiceError::BadRequest("wishes are told to the client who said them, and this call names none".to_owned())
        };
        let client = caller.client.clone().ok_or_else(unnamed)?;
        let limit = limit.unwrap_or(wishes::PAGE);
        if !(1..=wishes::PAGE_MAX).contains(&limit) {
            return Err(ServiceError::BadParameter(format!(
                "the parameter limit must be 1 to {}",
                wishes::PAGE_MAX
            )));
        }
        let (live, parts) = (
            self.inner.hosting.by_scenario(scenario)?,
            Arc::clone(&self.inner.hosting.parts),
        );
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let told = tokio::task::spawn_blocking(move || wishes::wishes(parts.journal.as_ref(), &live, &client, limit));
        Ok(told.await?)
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
        caller.demand(Deed::Negotiate)?;
        let live = self.inner.hosting.by_scenario(scenario)?;
        updates::has_been(&live, since)?;
        let view = live.view.load();
        let news = News::since(&view, caller.client.as_ref(), since)
            .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?;
        let etag = news.etag();
        if held(&etag) {
            return Ok(Err(Held(etag)));
        }
        updates::receipt(&live, &view, self.remembered(caller), Via::Poll);
        Ok(Ok(news))
    }

    /// Follows what changes for the caller from a revision on, see [`Watch::from`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`].
    pub fn watch(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Watch, ServiceError> {
        caller.demand(Deed::Negotiate)?;
        Watch::from(self.inner.hosting.by_scenario(scenario)?, caller.client.clone(), since)
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
        caller.demand(Deed::Submit)?;
        let begin = Instant::now();
        let client = caller.client.as_ref();
        // Before anything is kept of it.
        let body = Body::of(&self.inner.hosting, client, body);
        let sent = body.sent()?;
        idempotency::one_key(sent.kept(), idempotency_key)?;
        let (live, schema_id) = self.by_schema(&sent.kept().schema_id)?;
        if sent.kept().dry_run {
            return intake::validate(&live, client, &sent);
        }
        if idempotency_key.is_none() && !intake::executes(&live, &self.inner.hosting.parts, &schema_id) {
            let outcome = intake::submit(&live, &self.inner.hosting.parts, client, &body, None).await;
            self.observe(&live, &outcome, begin);
            return outcome;
        }
        // A caller that hangs up must not leave the key held or its submission half done: this runs to its end.
        let (parts, client) = (Arc::clone(&self.inner.hosting.parts), caller.client.clone());
        let (body, key) = (body.clone().into_owned(), idempotency_key.map(str::to_owned));
        let held = Arc::clone(&live);
        let outcome =
            tokio::spawn(async move { intake::submit(&live, &parts, client.as_ref(), &body, key.as_deref()).await })
                .await?;
        self.observe(&held, &outcome, begin);
        outcome
    }

    /// How many submissions a batch holds, of which each counts for one request.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] when it is none, is empty, or holds too many.
    pub fn size_of_batch(&self, caller: &Caller, body: &str) -> Result<usize, ServiceError> {
        caller.demand(Deed::Submit)?;
        Ok(batch::texts(body, self.inner.hosting.parts.options.batch_submissions_max)?.len())
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
        caller.demand(Deed::Submit)?;
        let begin = Instant::now();
        let (service, client, body) = (self.clone(), caller.client.clone(), body.to_owned());
        // As with a single one: what has begun runs to its end.
        let ended = tokio::spawn(async move {
            let parts = &service.inner.hosting.parts;
            let texts = batch::texts(&body, parts.options.batch_submissions_max)?;
            let of = |text| Body::of(&service.inner.hosting, client.as_ref(), text);
            let bodies: Vec<Body<'_>> = texts.into_iter().map(of).collect();
            let find = |schema_id: &str| service.by_schema(schema_id).map(|(live, _)| live);
            Ok::<_, ServiceError>(batch::submit(parts, client.as_ref(), &bodies, find).await)
        });
        let ended = ended.await??;
        let observed = ended.into_iter().map(|(live, outcome)| {
            if let Some(live) = live {
                self.observe(&live, &outcome, begin);
            }
            outcome
        });
        Ok(observed.collect())
    }

    /// Asks for what a scenario's template cannot say (Z-022): recorded durably, pooled with the weight of an explicit request.
    ///
    /// # Errors
    /// As [`extension::request`], or [`ServiceError::UnknownScenario`].
    pub async fn request_extension(
        &self,
        caller: &Caller,
        scenario: &str,
        body: &str,
        idempotency_key: Option<&str>,
    ) -> Result<SubmitReply, ServiceError> {
        caller.demand(Deed::Submit)?;
        let live = self.inner.hosting.by_scenario(scenario)?;
        let (parts, client) = (Arc::clone(&self.inner.hosting.parts), caller.client.clone());
        let (body, key, asked) = (body.to_owned(), idempotency_key.map(str::to_owned), Arc::clone(&live));
        // As with a submission: what has begun runs to its end.
        let outcome =
            tokio::spawn(
                async move { extension::request(&asked, &parts, client.as_ref(), &body, key.as_deref()).await },
            )
            .await?;
        let ended = reply::outcome(&outcome);
        self.inner.hosting.parts.observer.extension(live.key.as_str(), ended);
        outcome
    }

    /// The same check, nothing recorded.
    ///
    /// # Errors
    /// Whatever the check says.
    pub fn validate(&self, caller: &Caller, body: &str) -> Result<SubmitReply, ServiceError> {
        caller.demand(Deed::Submit)?;
        let client = caller.client.as_ref();
        let body = Body::of(&self.inner.hosting, client, body);
        let sent = body.sent()?;
        idempotency::one_key(sent.kept(), None)?;
        let (live, _) = self.by_schema(&sent.kept().schema_id)?;
        intake::validate(&live, client, &sent)
    }

    fn observe(&self, live: &Live, outcome: &Result<SubmitReply, ServiceError>, begin: Instant) {
        let ended = reply::outcome(outcome);
        // How long an executor takes is the server agent's affair, and measured by itself.
        let elsewhere = match outcome {
            Ok(reply) => reply.executor_seconds,
            Err(ServiceError::NotExecuted { seconds, .. }) => *seconds,
            Err(_) => 0.0,
        };
        let seconds = (begin.elapsed().as_secs_f64() - elsewhere).max(0.0);
        self.inner
            .hosting
            .parts
            .observer
            .submission(live.key.as_str(), ended, seconds);
    }

    /// Whether some scenario lets somebody read what its clients said.
    pub fn seats_a_reader(&self) -> bool {
        let catalogue = self.inner.hosting.catalogue.load();
        let mut scenarios = catalogue.scenarios.values();
        scenarios.any(|live| live.view.load().policy.evolution.reader != Seat::None)
    }

    /// Now, but never before the scenario's last entry.
    fn now(&self, state: &engine::scenario::state::State) -> schema::time::At {
        self.inner.hosting.parts.clock.now().max(state.at)
    }

    /// The caller's name, unless nothing may be written: then nothing is remembered of it.
    fn remembered<'a>(&self, caller: &'a Caller) -> Option<&'a ClientId> {
        caller
            .client
            .as_ref()
            .filter(|_| self.inner.hosting.parts.writes.are_open())
    }

    fn by_schema(&self, schema_id: &str) -> Result<(Arc<Live>, SchemaId), ServiceError> {
        let unknown = || ServiceError::UnknownSchema(schema_id.to_owned());
        let id = SchemaId::parse(schema_id).ok_or_else(unknown)?;
        let catalogue = self.inner.hosting.catalogue.load();
        let live = catalogue
            .schemas
            .get(&id)
            .and_then(|key| catalogue.scenarios.get(key))
            .cloned();
        live.map(|live| (hosting::noted(live), id)).ok_or_else(unknown)
    }
}
