//! The calls that every transport makes.

pub mod administration;
pub mod agents;
pub mod contract;
pub mod lifecycle;
mod retention;
pub mod sessions;
pub mod task_contexts;

use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::sync::watch as channel;

use crate::api::scenarios::Ownership;
use crate::api::scenarios::Scenarios;
use crate::api::schemas::Retirement;
use crate::app::a2a_tasks::Tasks;
use crate::app::batch;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::conversations::Conversations;
use crate::app::delivery::Delivery;
use crate::app::dependencies::Dependencies;
use crate::app::directory::Services;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::extension;
use crate::app::handle::ScenarioHandle;
use crate::app::idempotency;
use crate::app::intake;
use crate::app::ownership;
use crate::app::pin::Pin;
use crate::app::publishing;
use crate::app::registry;
use crate::app::registry::ScenarioRegistry;
use crate::app::reply;
use crate::app::reply::Held;
use crate::app::reply::Published;
use crate::app::reply::SubmitReply;
use crate::app::reply::TemplateReply;
use crate::app::reply::Wanted;
use crate::app::scenario_index;
use crate::app::scenario_index::ScenarioIndex;
use crate::app::scenario_list;
use crate::app::secrets::Body;
use crate::app::sessions::Sessions;
use crate::app::task_contexts::TaskContexts;
use crate::app::updates;
use crate::app::updates::News;
use crate::app::updates::Watch;
use engine::evolution::review::Seat;
use engine::scenario::event::Via;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template;

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

/// What is hosted, and those who use it: what is kept once is there once it was begun.
struct Inner {
    registry: Arc<ScenarioRegistry>,
    scenario_index: Arc<ScenarioIndex>,
    /// Reading history is one at a time.
    history: Arc<Semaphore>,
    /// Backups are one at a time.
    backups: Arc<Semaphore>,
    delivery: OnceLock<Arc<Delivery>>,
    tasks: OnceLock<Arc<Tasks>>,
    sessions: OnceLock<Arc<Sessions>>,
    conversations: OnceLock<Arc<Conversations>>,
    services: OnceLock<Arc<Services>>,
    task_contexts: OnceLock<Arc<TaskContexts>>,
}

impl App {
    /// Reads every journal, restores every scenario, begins to work.
    ///
    /// # Errors
    /// The first fault of the store, named.
    pub async fn open(deps: Dependencies) -> Result<App, ServiceError> {
        let registry = ScenarioRegistry::open(deps).await?;
        for handle in registry.catalogue.load().scenarios.values() {
            execution::resume(handle, &registry.deps);
        }
        let scenario_index = Arc::new(ScenarioIndex::default());
        scenario_index::keep(&scenario_index, &registry);
        let service = App {
            inner: Arc::new(Inner {
                registry,
                scenario_index,
                history: Arc::new(Semaphore::new(1)),
                backups: Arc::new(Semaphore::new(1)),
                delivery: OnceLock::new(),
                tasks: OnceLock::new(),
                sessions: OnceLock::new(),
                conversations: OnceLock::new(),
                services: OnceLock::new(),
                task_contexts: OnceLock::new(),
            }),
        };
        service.begin_to_erase();
        Ok(service)
    }

    /// What is hosted, or what of it bears a label with this value.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn scenarios(&self, caller: &Caller, label: Option<(&str, &str)>) -> Result<Scenarios, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let listed = scenario_list::listed(&self.inner.registry, caller, label);
        Ok(Scenarios {
            scenarios: listed.into_iter().map(|(_, row)| row).collect(),
            ..Scenarios::default()
        })
    }

    /// Moves whenever what is hosted may read otherwise: who follows the list of scenarios compares it then.
    pub fn list_changes(&self) -> channel::Receiver<u64> {
        self.inner.registry.shown.subscribe()
    }

    /// Publishes a base schema under its id; the same content again is accepted.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::SchemaImmutable`],
    /// [`ServiceError::SchemaRetired`], [`ServiceError::Incompatible`] with what breaks, or a fault.
    pub async fn publish(&self, caller: &Caller, schema_id: &str, document: &str) -> Result<Published, ServiceError> {
        caller.require(Permission::Publish)?;
        publishing::publish(&self.inner.registry, caller, schema_id, document).await
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
        caller.require(Permission::Publish)?;
        publishing::check(&self.inner.registry, caller, document).await
    }

    /// Publishes the base in force with its stable keys in it, see [`publishing::rebase`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`publishing::rebase`] says.
    pub async fn rebase(&self, caller: &Caller, scenario: &str, dry_run: bool) -> Result<Value, ServiceError> {
        caller.require(Permission::Publish)?;
        publishing::rebase(&self.inner.registry, caller, scenario, dry_run).await
    }

    /// A base schema as published.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::Forbidden`].
    pub fn schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let (handle, id) = self.by_schema(schema_id)?;
        let view = handle.view.load();
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
    pub async fn retire(&self, caller: &Caller, schema_id: &str) -> Result<Retirement, ServiceError> {
        caller.require(Permission::Publish)?;
        let (handle, id) = self.by_schema(schema_id)?;
        publishing::retire(&self.inner.registry, caller, &handle, id).await
    }

    /// Restores a retired base schema, if it still keeps what its line promises.
    ///
    /// # Errors
    /// As [`publishing::restore`], and [`ServiceError::Forbidden`].
    pub async fn restore_schema(&self, caller: &Caller, schema_id: &str) -> Result<Retirement, ServiceError> {
        caller.require(Permission::Publish)?;
        let (handle, id) = self.by_schema(schema_id)?;
        publishing::restore(&self.inner.registry, caller, &handle, id).await
    }

    /// Whose a scenario is.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub async fn owner(&self, caller: &Caller, scenario: &str) -> Result<Ownership, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        Ok(ownership::told(
            &*self.inner.registry.namespace.lock().await,
            &handle.key,
        ))
    }

    /// Gives a scenario to somebody, or to nobody.
    ///
    /// # Errors
    /// As [`ownership::give`], [`ServiceError::UnknownScenario`] and [`ServiceError::Forbidden`].
    pub async fn give_scenario(&self, caller: &Caller, scenario: &str, body: &str) -> Result<Ownership, ServiceError> {
        caller.require(Permission::Operate)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        ownership::give(&self.inner.registry, caller, &handle.key, body).await
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
        caller.require(Permission::Negotiate)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        let view = handle.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.meant(scenario, pin)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let reply = compiled.render(wanted);
        if held(&reply.etag) {
            return Ok(Err(Held(reply.etag)));
        }
        updates::receipt(&handle, &view, self.remembered(caller), Via::Fetch);
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
        let handle = self.inner.registry.by_scenario(scenario)?;
        updates::has_been(&handle, since)?;
        let view = handle.view.load();
        let news = News::since(&view, caller.client.as_ref(), since)
            .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?;
        let etag = news.etag();
        if held(&etag) {
            return Ok(Err(Held(etag)));
        }
        updates::receipt(&handle, &view, self.remembered(caller), Via::Poll);
        Ok(Ok(news))
    }

    /// Follows what changes for the caller from a revision on, see [`Watch::from`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`].
    pub fn watch(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Watch, ServiceError> {
        caller.require(Permission::Negotiate)?;
        Watch::from(self.inner.registry.by_scenario(scenario)?, caller.client.clone(), since)
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
        caller.require(Permission::Submit)?;
        let begin = Instant::now();
        let client = caller.client.as_ref();
        // Before anything is kept of it.
        let body = Body::of(&self.inner.registry, client, body);
        let sent = body.sent()?;
        idempotency::one_key(sent.kept(), idempotency_key)?;
        let (handle, schema_id) = self.by_schema(&sent.kept().schema_id)?;
        if sent.kept().dry_run {
            return intake::validate(&handle, client, &sent);
        }
        if idempotency_key.is_none() && !intake::executes(&handle, &self.inner.registry.deps, &schema_id) {
            let outcome = intake::submit(&handle, &self.inner.registry.deps, client, &body, None).await;
            self.observe(&handle, &outcome, begin);
            return outcome;
        }
        // A caller that hangs up must not leave the key held or its submission half done: this runs to its end.
        let (deps, client) = (Arc::clone(&self.inner.registry.deps), caller.client.clone());
        let (body, key) = (body.clone().into_owned(), idempotency_key.map(str::to_owned));
        let held = Arc::clone(&handle);
        let outcome =
            tokio::spawn(async move { intake::submit(&handle, &deps, client.as_ref(), &body, key.as_deref()).await })
                .await?;
        self.observe(&held, &outcome, begin);
        outcome
    }

    /// How many submissions a batch holds, of which each counts for one request.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] when it is none, is empty, or holds too many.
    pub fn size_of_batch(&self, caller: &Caller, body: &str) -> Result<usize, ServiceError> {
        caller.require(Permission::Submit)?;
        Ok(batch::texts(body, self.inner.registry.deps.options.batch_submissions_max)?.len())
    }

    /// Submits many: each as [`App::submit`] would, recorded together, answered in their order. `idempotency_key` in an
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
        caller.require(Permission::Submit)?;
        let begin = Instant::now();
        let (service, client, body) = (self.clone(), caller.client.clone(), body.to_owned());
        // As with a single one: what has begun runs to its end.
        let ended = tokio::spawn(async move {
            let deps = &service.inner.registry.deps;
            let texts = batch::texts(&body, deps.options.batch_submissions_max)?;
            let of = |text| Body::of(&service.inner.registry, client.as_ref(), text);
            let bodies: Vec<Body<'_>> = texts.into_iter().map(of).collect();
            let find = |schema_id: &str| service.by_schema(schema_id).map(|(handle, _)| handle);
            Ok::<_, ServiceError>(batch::submit(deps, client.as_ref(), &bodies, find).await)
        });
        let ended = ended.await??;
        let observed = ended.into_iter().map(|(handle, outcome)| {
            if let Some(handle) = handle {
                self.observe(&handle, &outcome, begin);
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
        caller.require(Permission::Submit)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        let (deps, client) = (Arc::clone(&self.inner.registry.deps), caller.client.clone());
        let (body, key, asked) = (body.to_owned(), idempotency_key.map(str::to_owned), Arc::clone(&handle));
        // As with a submission: what has begun runs to its end.
        let outcome =
            tokio::spawn(
                async move { extension::request(&asked, &deps, client.as_ref(), &body, key.as_deref()).await },
            )
            .await?;
        let ended = reply::outcome(&outcome);
        self.inner.registry.deps.observer.extension(handle.key.as_str(), ended);
        outcome
    }

    /// The same check, nothing recorded.
    ///
    /// # Errors
    /// Whatever the check says.
    pub fn validate(&self, caller: &Caller, body: &str) -> Result<SubmitReply, ServiceError> {
        caller.require(Permission::Submit)?;
        let client = caller.client.as_ref();
        let body = Body::of(&self.inner.registry, client, body);
        let sent = body.sent()?;
        idempotency::one_key(sent.kept(), None)?;
        let (handle, _) = self.by_schema(&sent.kept().schema_id)?;
        intake::validate(&handle, client, &sent)
    }

    fn observe(&self, handle: &ScenarioHandle, outcome: &Result<SubmitReply, ServiceError>, begin: Instant) {
        let ended = reply::outcome(outcome);
        // How long an executor takes is the server agent's affair, and measured by itself.
        let elsewhere = match outcome {
            Ok(reply) => reply.executor_seconds,
            Err(ServiceError::NotExecuted { seconds, .. }) => *seconds,
            Err(_) => 0.0,
        };
        let seconds = (begin.elapsed().as_secs_f64() - elsewhere).max(0.0);
        self.inner
            .registry
            .deps
            .observer
            .submission(handle.key.as_str(), ended, seconds);
    }

    /// Whether some scenario lets somebody read what its clients said.
    pub fn seats_a_reader(&self) -> bool {
        let catalogue = self.inner.registry.catalogue.load();
        let mut scenarios = catalogue.scenarios.values();
        scenarios.any(|handle| handle.view.load().policy.evolution.reader != Seat::None)
    }

    /// Now, but never before the scenario's last entry.
    fn now(&self, state: &engine::scenario::state::State) -> schema::time::At {
        self.inner.registry.deps.clock.now().max(state.at)
    }

    /// The caller's name, unless nothing may be written: then nothing is remembered of it.
    fn remembered<'a>(&self, caller: &'a Caller) -> Option<&'a ClientId> {
        caller
            .client
            .as_ref()
            .filter(|_| self.inner.registry.deps.write_gate.are_open())
    }

    /// What is hosted.
    pub(in crate::app) fn registry(&self) -> &Arc<ScenarioRegistry> {
        &self.inner.registry
    }

    pub(in crate::app) fn scenario_index(&self) -> &ScenarioIndex {
        &self.inner.scenario_index
    }

    pub(in crate::app) fn history(&self) -> &Arc<Semaphore> {
        &self.inner.history
    }

    pub(in crate::app) fn backups(&self) -> &Arc<Semaphore> {
        &self.inner.backups
    }

    pub(in crate::app) fn delivery(&self) -> Result<&Arc<Delivery>, ServiceError> {
        let delivery = self.inner.delivery.get();
        delivery.ok_or_else(|| ServiceError::Fault("webhooks are not told in this process".to_owned()))
    }

    pub(in crate::app) fn by_patch(&self, patch_id: &str) -> Result<(Arc<ScenarioHandle>, PatchId), ServiceError> {
        let found = self.inner.registry.by_patch(patch_id);
        found.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    fn by_schema(&self, schema_id: &str) -> Result<(Arc<ScenarioHandle>, SchemaId), ServiceError> {
        let unknown = || ServiceError::UnknownSchema(schema_id.to_owned());
        let id = SchemaId::parse(schema_id).ok_or_else(unknown)?;
        let catalogue = self.inner.registry.catalogue.load();
        let handle = catalogue
            .schemas
            .get(&id)
            .and_then(|key| catalogue.scenarios.get(key))
            .cloned();
        handle.map(|handle| (registry::noted(handle), id)).ok_or_else(unknown)
    }
}
