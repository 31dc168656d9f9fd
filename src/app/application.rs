//! The calls that every transport makes.

pub mod agents;
pub mod contract;
pub mod lifecycle;
mod retention;

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio::sync::watch as channel;

use crate::app::a2a_tasks::Tasks;
use crate::app::batch;
use crate::app::batch::Keyed;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::check_limiter::CheckLimiter;
use crate::app::conversations::Conversations;
use crate::app::delivery::Delivery;
use crate::app::dependencies::Dependencies;
use crate::app::directory::Services;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::handle::ScenarioHandle;
use crate::app::idempotency;
use crate::app::intake;
use crate::app::registry;
use crate::app::registry::ScenarioRegistry;
use crate::app::reply;
use crate::app::reply::SubmitReply;
use crate::app::scenario_index;
use crate::app::scenario_index::ScenarioIndex;
use crate::app::secrets::Body;
use crate::app::sessions::SessionService;
use crate::app::stats;
use crate::app::task_contexts::TaskContextService;
use engine::evolution::review::Seat;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::nearest::nearest;
use schema::nearest::with_near;

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

/// What is hosted, and those who use it: what is kept once is there once it was begun.
struct Inner {
    registry: Arc<ScenarioRegistry>,
    scenario_index: Arc<ScenarioIndex>,
    /// Templates of earlier are read one at a time.
    history: Arc<Semaphore>,
    /// Checks of candidate schemas read submissions one at a time.
    checks: Arc<Semaphore>,
    /// Count of each publisher's checks of candidates against stored submissions.
    check_limiter: Mutex<CheckLimiter>,
    /// Files of the schemas folder that are not published.
    schemas_left_out: AtomicUsize,
    /// Backups are one at a time.
    backups: Arc<Semaphore>,
    delivery: OnceLock<Arc<Delivery>>,
    tasks: OnceLock<Arc<Tasks>>,
    sessions: OnceLock<Arc<SessionService>>,
    conversations: OnceLock<Arc<Conversations>>,
    services: OnceLock<Arc<Services>>,
    task_contexts: OnceLock<Arc<TaskContextService>>,
}

impl App {
    /// Reads every journal, restores every scenario, begins to work.
    pub async fn open(deps: Dependencies) -> Result<App, ServiceError> {
        let registry = ScenarioRegistry::open(deps).await?;
        for handle in registry.catalogue.load().scenarios.values() {
            execution::resume(handle, &registry.deps);
        }
        let scenario_index = Arc::new(ScenarioIndex::default());
        scenario_index::keep(&scenario_index, &registry);
        stats::keep(&registry);
        let service = App {
            inner: Arc::new(Inner {
                registry,
                scenario_index,
                history: Arc::new(Semaphore::new(1)),
                checks: Arc::new(Semaphore::new(1)),
                check_limiter: Mutex::default(),
                schemas_left_out: AtomicUsize::default(),
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

    /// Moves whenever what is hosted may read otherwise: who follows the list of scenarios compares it then.
    pub fn list_changes(&self) -> channel::Receiver<u64> {
        self.inner.registry.shown.subscribe()
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
        let (body, said) = Body::of(&self.inner.registry, caller, body);
        let find = |schema_id: &str| self.by_schema(schema_id).map(|(handle, _)| handle);
        let deps = &self.inner.registry.deps;
        let (handle, outcome) =
            batch::submit_one(deps, caller.client.as_ref(), &body, said, idempotency_key, find).await?;
        if let Some(handle) = handle {
            self.observe(&handle, &outcome, begin);
        }
        outcome
    }

    /// Submits many: each as [`App::submit`] would, recorded together, answered in their order. `idempotency_key` in an
    /// item is what the header is for a single one. `count` hears how many there are, of which each counts for one request.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] when the body is no batch or too long, [`ServiceError::Forbidden`]; what is wrong with one
    /// submission stands in its place among the outcomes.
    pub async fn submit_batch<E: From<ServiceError>>(
        &self,
        caller: &Caller,
        body: &str,
        count: impl FnOnce(usize) -> Result<(), E>,
    ) -> Result<Vec<batch::Outcome>, E> {
        caller.require(Permission::Submit)?;
        let texts = batch::texts(body, self.inner.registry.deps.options.batch_submissions_max)?;
        count(texts.len())?;
        Ok(self.submit_all(caller, texts, |body| batch::key(body.kept())).await?)
    }

    async fn submit_all(
        &self,
        caller: &Caller,
        texts: Vec<&str>,
        key: impl Fn(&Body<'_>) -> Result<Option<String>, ServiceError>,
    ) -> Result<Vec<batch::Outcome>, ServiceError> {
        caller.require(Permission::Submit)?;
        let begin = Instant::now();
        let (service, client) = (self.clone(), caller.client.clone());
        let sent = texts.into_iter().map(|text| {
            // Before anything is kept of it.
            let body = Body::of(&self.inner.registry, caller, text).0.into_owned();
            let key = key(&body);
            Keyed { body, key }
        });
        let sent: Vec<Keyed> = sent.collect();
        // A caller that hangs up must not leave a key held or a submission half done: what has begun runs to its end.
        let ended = tokio::spawn(async move {
            let find = |schema_id: &str| service.by_schema(schema_id).map(|(handle, _)| handle);
            batch::submit(&service.inner.registry.deps, client.as_ref(), &sent, find).await
        });
        let observed = ended.await?.into_iter().map(|(handle, outcome)| {
            if let Some(handle) = handle {
                self.observe(&handle, &outcome, begin);
            }
            outcome
        });
        Ok(observed.collect())
    }

    /// Asks for what a scenario's template cannot say (Z-022): recorded durably, pooled with the weight of an explicit request.
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
        let outcome = tokio::spawn(async move {
            intake::request_extension(&asked, &deps, client.as_ref(), &body, key.as_deref()).await
        })
        .await?;
        let ended = reply::outcome(&outcome);
        self.inner.registry.deps.observer.extension(handle.key.as_str(), ended);
        outcome
    }

    /// The same check, nothing recorded.
    pub fn validate(&self, caller: &Caller, body: &str) -> Result<SubmitReply, ServiceError> {
        caller.require(Permission::Submit)?;
        let client = caller.client.as_ref();
        let (body, said) = Body::of(&self.inner.registry, caller, body);
        let sent = body.sent_as(said)?;
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
    pub(in crate::app) fn now(&self, state: &engine::scenario::state::State) -> schema::time::At {
        self.inner.registry.deps.clock.now().max(state.at)
    }

    /// The caller's name, unless it only looks or nothing may be written: then nothing is remembered of it.
    pub(in crate::app) fn remembered<'a>(&self, caller: &'a Caller) -> Option<&'a ClientId> {
        let remembers = !caller.origin.looks_only && self.inner.registry.deps.write_gate.are_open();
        caller.client.as_ref().filter(|_| remembers)
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

    /// Counts files of the schemas folder that are not published.
    pub fn leave_out_schemas(&self, count: usize) {
        self.inner.schemas_left_out.fetch_add(count, Ordering::Relaxed);
    }

    /// Files of the schemas folder that are not published; the log names them.
    pub fn schemas_left_out(&self) -> usize {
        self.inner.schemas_left_out.load(Ordering::Relaxed)
    }

    pub(in crate::app) fn check_limiter(&self) -> &Mutex<CheckLimiter> {
        &self.inner.check_limiter
    }

    pub(in crate::app) fn checks(&self) -> &Arc<Semaphore> {
        &self.inner.checks
    }

    pub(in crate::app) fn backups(&self) -> &Arc<Semaphore> {
        &self.inner.backups
    }

    pub(in crate::app) fn delivery(&self) -> Result<&Arc<Delivery>, ServiceError> {
        let delivery = self.inner.delivery.get();
        delivery.ok_or_else(|| ServiceError::Fault("webhooks are not told in this process".to_owned()))
    }

    pub(in crate::app) fn by_patch(
        &self,
        caller: &Caller,
        patch_id: &str,
    ) -> Result<(Arc<ScenarioHandle>, PatchId), ServiceError> {
        let found = self.inner.registry.by_patch(patch_id);
        found.ok_or_else(|| self.unknown_patch(caller, patch_id))
    }

    /// Returns the error for an unknown patch, with the one that was meant among those of its scenario that the caller sees.
    pub(in crate::app) fn unknown_patch(&self, caller: &Caller, patch_id: &str) -> ServiceError {
        let registry = &self.inner.registry;
        let scenario = patch_id.rsplit_once(".p").map_or(patch_id, |(scenario, _)| scenario);
        let listed = registry.listed();
        let near = || registry.scenario(nearest(scenario, listed.iter().map(ScenarioKey::as_str))?);
        let meant = registry.scenario(scenario).or_else(near);
        let seen = meant
            .map(|handle| self.seen_patches(caller, &handle))
            .unwrap_or_default();
        ServiceError::UnknownPatch(with_near(patch_id, seen.iter().map(PatchId::as_str)))
    }

    pub(in crate::app) fn by_schema(&self, schema_id: &str) -> Result<(Arc<ScenarioHandle>, SchemaId), ServiceError> {
        let catalogue = self.inner.registry.catalogue.load();
        let unknown = || {
            let published = catalogue.schemas.keys().map(SchemaId::as_str);
            ServiceError::UnknownSchema(with_near(schema_id, published))
        };
        let id = SchemaId::parse(schema_id).ok_or_else(unknown)?;
        let handle = catalogue.by_schema(&id).cloned();
        handle.map(|handle| (registry::noted(handle), id)).ok_or_else(unknown)
    }
}
