//! The calls that every mouth makes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use serde_json::Value;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::sync::mpsc;
use tokio::sync::oneshot;

use crate::domain::exchange::envelope::Envelope;
use crate::domain::exchange::validator::OtherLimits;
use crate::domain::namespace::Namespace;
use crate::domain::namespace::NamespaceEvent;
use crate::domain::namespace::NamespaceRefusal;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::command::Hand;
use crate::domain::scenario::effect;
use crate::domain::scenario::event::Via;
use crate::domain::scenario::layer;
use crate::domain::scenario::policy::Policy;
use crate::domain::template::defect::Defect;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::ScenarioKey;
use crate::domain::template::name::SchemaId;
use crate::domain::template::schema::SchemaTemplate;
use crate::service::caller::Caller;
use crate::service::caller::Deed;
use crate::service::census::ScenarioCensus;
use crate::service::error::ServiceError;
use crate::service::inspect;
use crate::service::intake;
use crate::service::live::Live;
use crate::service::live::Request;
use crate::service::ports::Clock;
use crate::service::ports::Draft;
use crate::service::ports::Embedder;
use crate::service::ports::Journal;
use crate::service::ports::JournalFault;
use crate::service::ports::JournalName;
use crate::service::ports::Kind;
use crate::service::ports::Observer;
use crate::service::restore;
use crate::service::steward::Steward;
use crate::service::view::View;

/// What the service is built of.
pub struct Parts {
    pub journal: Arc<dyn Journal>,
    pub embedder: Arc<dyn Embedder>,
    pub clock: Arc<dyn Clock>,
    pub observer: Arc<dyn Observer>,
    pub policy: Policy,
    pub options: Options,
}

/// The service's own settings (not the scenario's policy).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Bytes taken from one string of `other`.
    pub other_bytes_max: usize,
    /// Strings taken from one `other`.
    pub other_strings_max: usize,
    /// How long an idempotency key is remembered, in seconds.
    pub idempotency_s: i64,
    /// Idempotency keys remembered at once, per scenario.
    pub idempotency_keys_max: usize,
    /// Records between two snapshots of a journal.
    pub snapshot_every_records: u64,
    /// Seconds between two looks at what is due.
    pub tick_s: u64,
    /// Committed records waiting for their scenario before it reads them back from the journal.
    pub tail_records_max: usize,
    /// Scenarios hosted at most.
    pub scenarios_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            other_bytes_max: 2_000,
            other_strings_max: 16,
            idempotency_s: 86_400,
            idempotency_keys_max: 100_000,
            snapshot_every_records: 20_000,
            tick_s: 1,
            tail_records_max: 8_192,
            scenarios_max: 10_000,
        }
    }
}

/// What a published schema is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// False when the same content was published before.
    pub created: bool,
    /// `{"schema_id", "scenario", "version", "findings": [{"pointer","requirement","message"}], "constraints": {...}}`
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
}

/// An accepted submission, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitReply {
    /// JSON text in the shape `accepted` of DESIGN §8.
    pub body: String,
    pub submission_id: Option<String>,
    /// Whether this is the stored reply of an earlier call with the same idempotency key.
    pub replayed: bool,
}

/// Requests that may wait for one scenario's steward.
const REQUESTS_MAX: usize = 1_024;
/// Ticks of the timer after which a scenario is looked at even if nothing is due, so that failed effects are retried.
const IDLE_TICKS: u64 = 30;
/// The namespace of the default server agent.
const NAMESPACE: &str = "default";

/// What is hosted, replaced whole.
#[derive(Clone, Default)]
struct Catalogue {
    scenarios: BTreeMap<ScenarioKey, Arc<Live>>,
    schemas: BTreeMap<SchemaId, ScenarioKey>,
}

struct Inner {
    parts: Arc<Parts>,
    limits: OtherLimits,
    catalogue: ArcSwap<Catalogue>,
    /// Publishing is one at a time.
    namespace: Mutex<Namespace>,
}

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Otherwise {
    inner: Arc<Inner>,
}

impl Otherwise {
    /// Reads every journal, restores every scenario, begins to work.
    ///
    /// # Errors
    /// The first fault of the store, named; or vectors of another model in a pool (Z-103).
    pub async fn open(parts: Parts) -> Result<Otherwise, ServiceError> {
        let limits = OtherLimits {
            strings_max: parts.options.other_strings_max,
            bytes_max: parts.options.other_bytes_max,
        };
        let namespace = restore_namespace(parts.journal.as_ref())?;
        let inner = Arc::new(Inner {
            parts: Arc::new(parts),
            limits,
            catalogue: ArcSwap::from_pointee(Catalogue::default()),
            namespace: Mutex::new(Namespace::default()),
        });
        let service = Otherwise { inner };
        let scenarios: std::collections::BTreeSet<ScenarioKey> = namespace
            .schemas
            .values()
            .map(|registered| registered.scenario.clone())
            .collect();
        for key in scenarios {
            service.host(&key)?;
        }
        for (schema_id, registered) in &namespace.schemas {
            service
                .agree(schema_id, &registered.template, registered.retired)
                .await?;
        }
        *service.inner.namespace.lock().await = namespace;
        service.clone().begin_to_tick();
        Ok(service)
    }

    /// What is hosted: `{"scenarios": [{"scenario","schema_id","version","revision","description"?,"language"}]}`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn scenarios(&self, caller: &Caller) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let catalogue = self.inner.catalogue.load();
        let mut scenarios = Vec::new();
        for live in catalogue.scenarios.values() {
            let view = live.view.load();
            let Some(schema_id) = &view.in_force else { continue };
            let Some(compiled) = view.compiled(schema_id, caller.client.as_ref()) else {
                continue;
            };
            let base = &compiled.effective.base;
            let version = base.version();
            scenarios.push(json!({
                "scenario": base.scenario,
                "schema_id": schema_id,
                "version": format!("{}.{}.{}", version.major, version.minor, version.patch),
                "revision": compiled.effective.revision,
                "description": base.description,
                "language": base.language.as_deref().unwrap_or("en"),
            }));
        }
        Ok(json!({ "scenarios": scenarios }))
    }

    /// Publishes a base schema under its id; the same content again is accepted.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::SchemaImmutable`], or a fault.
    pub async fn publish(&self, caller: &Caller, schema_id: &str, document: &str) -> Result<Published, ServiceError> {
        demand(caller, Deed::Publish)?;
        let document: Value = serde_json::from_str(document)
            .map_err(|error| ServiceError::BadRequest(format!("the template is not JSON: {error}")))?;
        let (template, findings) = SchemaTemplate::parse(&document).map_err(ServiceError::InvalidTemplate)?;
        if template.schema_id.as_str() != schema_id {
            return Err(ServiceError::InvalidTemplate(vec![Defect {
                pointer: "/schema_id".to_owned(),
                requirement: "Z-029".to_owned(),
                message: format!("schema_id differs from the address it was published at, {schema_id}"),
            }]));
        }
        if let Some(Err(message)) = template
            .policy()
            .map(|overrides| self.inner.parts.policy.overridden(overrides))
        {
            let requirement = "Z-073".to_owned();
            return Err(ServiceError::InvalidTemplate(vec![Defect {
                pointer: "/policy".to_owned(),
                requirement,
                message,
            }]));
        }
        let mut namespace = self.inner.namespace.lock().await;
        let event = namespace
            .register(&template, self.inner.parts.options.scenarios_max)
            .map_err(|refusal| match refusal {
                NamespaceRefusal::Immutable => ServiceError::SchemaImmutable(schema_id.to_owned()),
                NamespaceRefusal::UnknownSchema => ServiceError::UnknownSchema(schema_id.to_owned()),
                NamespaceRefusal::ScenariosFull => {
                    ServiceError::LimitReached("as many scenarios as may be are hosted".to_owned())
                }
            })?;
        let created = event.is_some();
        if let Some(event) = event {
            self.record_namespace(&mut namespace, &event).await?;
        }
        let key = template.scenario_key();
        self.host(&key)?;
        self.agree(&template.schema_id, &template, false).await?;
        drop(namespace);
        let version = template.version();
        let constraints: serde_json::Map<String, Value> = template
            .keys
            .iter()
            .filter(|key| !key.constraints.is_empty())
            .map(|key| (key.key_name.to_string(), Value::Object(key.constraints.clone())))
            .collect();
        let document = json!({
            "schema_id": template.schema_id,
            "scenario": template.scenario,
            "version": format!("{}.{}.{}", version.major, version.minor, version.patch),
            "findings": findings,
            "constraints": constraints,
        });
        Ok(Published { created, document })
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
        let mut namespace = self.inner.namespace.lock().await;
        let event = namespace
            .retire(&id)
            .map_err(|_unknown| ServiceError::UnknownSchema(schema_id.to_owned()))?;
        if let Some(event) = event {
            self.record_namespace(&mut namespace, &event).await?;
        }
        live.command(Command::Retire(id)).await?;
        Ok(json!({ "schema_id": schema_id, "retired": true }))
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
        preferred_language: Option<&str>,
        experimental: bool,
        seen: Option<&str>,
    ) -> Result<Option<TemplateReply>, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let live = self.by_scenario(scenario)?;
        let view = live.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.in_force.as_ref().ok_or_else(unknown)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let reply = compiled.render(preferred_language, experimental);
        if seen.is_some_and(|seen| matches_tag(seen, &reply.etag)) {
            return Ok(None);
        }
        self.receipt(&live, &view, caller, Via::Fetch);
        Ok(Some(reply))
    }

    /// `{"revision", "patches": [], "withdrawn_keys": []}` since a revision, for the caller.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn updates(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let live = self.by_scenario(scenario)?;
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
        let envelope = Envelope::parse(body).map_err(|fault| ServiceError::BadRequest(fault.to_string()))?;
        let (live, _) = self.by_schema(&envelope.schema_id)?;
        let client = caller.client.as_ref();
        if envelope.dry_run {
            return intake::validate(&live, client, &envelope);
        }
        let Some(key) = idempotency_key else {
            return intake::submit(&live, &self.inner.parts, client, &envelope, None, body).await;
        };
        // A caller that hangs up must not leave the key held or its submission half done: this runs to its end.
        let (parts, client) = (Arc::clone(&self.inner.parts), caller.client.clone());
        let (body, key) = (body.to_owned(), key.to_owned());
        tokio::spawn(async move {
            let envelope = Envelope::parse(&body).map_err(|fault| ServiceError::BadRequest(fault.to_string()))?;
            intake::submit(&live, &parts, client.as_ref(), &envelope, Some(&key), &body).await
        })
        .await
        .map_err(|error| ServiceError::Fault(error.to_string()))?
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
        let live = self.by_scenario(scenario)?;
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
        let live = self.by_scenario(scenario)?;
        let state = live.state();
        Ok(json!({ "patches": state.patches.iter().map(|patch| patch.document()).collect::<Vec<_>>() }))
    }

    /// The ledger in the shape of DESIGN §8.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn ledger(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.by_scenario(scenario)?;
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
    /// [`ServiceError::UnknownPatch`], [`ServiceError::StageForbids`], [`ServiceError::Forbidden`], or a fault.
    pub async fn operate(&self, caller: &Caller, patch_id: &str, hand: Hand) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let (live, id) = self.by_patch(patch_id)?;
        let by = caller
            .client
            .as_ref()
            .map_or_else(|| "anonymous".to_owned(), ToString::to_string);
        live.command(Command::Operate {
            patch_id: id.clone(),
            hand,
            by,
        })
        .await?;
        let state = live.state();
        let patch = state
            .patch(&id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))?;
        Ok(patch.document())
    }

    /// Every scenario in numbers.
    pub fn census(&self) -> Vec<ScenarioCensus> {
        let catalogue = self.inner.catalogue.load();
        catalogue
            .scenarios
            .values()
            .map(|live| {
                let policy = live.view.load().policy.clone();
                let state = live.state();
                inspect::census(&state, live.key.as_str(), self.now(&state), &policy)
            })
            .collect()
    }

    /// A hosted scenario, for tests and for the command line.
    pub fn live(&self, scenario: &str) -> Option<Arc<Live>> {
        self.by_scenario(scenario).ok()
    }

    /// Waits until all outstanding effects (embedding, looks, inductions) of all scenarios are done.
    pub async fn settle(&self) {
        self.ask_all(Request::Settle).await;
    }

    /// Lets every scenario do what is due by now, as the timer does.
    pub async fn tick(&self) {
        self.ask_all(Request::Tick).await;
    }

    /// Keeps snapshots and closes the journal. Calls that come later are answered with
    /// [`ServiceError::ShuttingDown`].
    pub async fn close(&self) {
        self.ask_all(Request::Close).await;
        self.inner.parts.journal.close();
    }

    async fn ask_all(&self, request: impl Fn(oneshot::Sender<()>) -> Request) {
        let lives: Vec<Arc<Live>> = self.inner.catalogue.load().scenarios.values().cloned().collect();
        for live in lives {
            let (reply, answer) = oneshot::channel();
            if live.requests.send(request(reply)).await.is_ok() {
                let _ = answer.await;
            }
        }
    }

    /// Now, but never before the scenario's last entry.
    fn now(&self, state: &crate::domain::scenario::state::State) -> crate::domain::time::At {
        self.inner.parts.clock.now().max(state.at)
    }

    fn receipt(&self, live: &Live, view: &View, caller: &Caller, via: Via) {
        let Some(client) = &caller.client else { return };
        let latest = view.patch_revision(Some(client));
        let known = live.state().acquaintances.get(client).map_or(0, |known| known.revision);
        if latest > known {
            live.receive(client, via);
        }
    }

    fn by_scenario(&self, scenario: &str) -> Result<Arc<Live>, ServiceError> {
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let key = ScenarioKey::parse(scenario).ok_or_else(unknown)?;
        self.inner
            .catalogue
            .load()
            .scenarios
            .get(&key)
            .cloned()
            .ok_or_else(unknown)
    }

    fn by_schema(&self, schema_id: &str) -> Result<(Arc<Live>, SchemaId), ServiceError> {
        let unknown = || ServiceError::UnknownSchema(schema_id.to_owned());
        let id = SchemaId::parse(schema_id).ok_or_else(unknown)?;
        let catalogue = self.inner.catalogue.load();
        let live = catalogue
            .schemas
            .get(&id)
            .and_then(|key| catalogue.scenarios.get(key))
            .cloned();
        live.map(|live| (live, id)).ok_or_else(unknown)
    }

    fn by_patch(&self, patch_id: &str) -> Result<(Arc<Live>, PatchId), ServiceError> {
        let unknown = || ServiceError::UnknownPatch(patch_id.to_owned());
        let (scenario, number) = patch_id.rsplit_once(".p").ok_or_else(unknown)?;
        let number: u64 = number.parse().map_err(|_| unknown())?;
        let key = ScenarioKey::parse(scenario).ok_or_else(unknown)?;
        let live = self
            .inner
            .catalogue
            .load()
            .scenarios
            .get(&key)
            .cloned()
            .ok_or_else(unknown)?;
        let id = PatchId::numbered(&key, number);
        Ok((live, id))
    }

    /// Restores and hosts a scenario that is not hosted yet.
    fn host(&self, key: &ScenarioKey) -> Result<(), ServiceError> {
        if self.inner.catalogue.load().scenarios.contains_key(key) {
            return Ok(());
        }
        let parts = &self.inner.parts;
        let journal = JournalName(format!("scenario/{NAMESPACE}/{key}"));
        let tail = parts.journal.follow(&journal, parts.options.tail_records_max);
        let restored = restore::restore(parts.journal.as_ref(), &journal)?;
        let held = &restored.state.pool.model;
        if !held.is_empty() && held != parts.embedder.model() {
            return Err(ServiceError::Fault(format!(
                "scenario {key}: its pool holds vectors of {held}, the model at hand is {}; vectors of two models are \
                 never mixed (Z-103)",
                parts.embedder.model()
            )));
        }
        let view = View::build(&restored.state, &parts.policy, self.inner.limits);
        let (requests, mailbox) = mpsc::channel(REQUESTS_MAX);
        let live = Arc::new(Live::new(key.clone(), journal, restored.state, view, requests));
        let steward = Steward::new(
            Arc::clone(&live),
            Arc::clone(parts),
            parts.policy.clone(),
            self.inner.limits,
            tail,
            mailbox,
            restored.hash,
            restored.snapshot_seq,
        );
        tokio::spawn(steward.run());
        self.inner.catalogue.rcu(|catalogue| {
            let mut next = Catalogue::clone(catalogue);
            next.scenarios.insert(key.clone(), Arc::clone(&live));
            next
        });
        Ok(())
    }

    /// Brings a scenario's own journal to what the namespace says: after a crash between the two, this is the rest.
    async fn agree(&self, schema_id: &SchemaId, template: &SchemaTemplate, retired: bool) -> Result<(), ServiceError> {
        let key = template.scenario_key();
        let live = self.by_scenario(key.as_str())?;
        live.command(Command::Publish(Box::new(template.clone()))).await?;
        if retired {
            live.command(Command::Retire(schema_id.clone())).await?;
        }
        self.inner.catalogue.rcu(|catalogue| {
            let mut next = Catalogue::clone(catalogue);
            next.schemas.insert(schema_id.clone(), key.clone());
            next
        });
        Ok(())
    }

    async fn record_namespace(&self, namespace: &mut Namespace, event: &NamespaceEvent) -> Result<(), ServiceError> {
        let open = serde_json::to_vec(event).map_err(|error| ServiceError::Fault(error.to_string()))?;
        let draft = Draft {
            kind: Kind::Decision,
            at: self.inner.parts.clock.now(),
            open,
            sealed: Vec::new(),
        };
        let journal = namespace_journal();
        let answer = self
            .inner
            .parts
            .journal
            .append(&journal, vec![draft], Some(namespace.seq))?;
        let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
        namespace.evolve(appended.first_seq, event);
        Ok(())
    }

    fn begin_to_tick(self) {
        let period = Duration::from_secs(self.inner.parts.options.tick_s.max(1));
        let inner = Arc::downgrade(&self.inner);
        drop(self);
        tokio::spawn(async move {
            let mut timer = tokio::time::interval(period);
            let mut ticks: u64 = 0;
            loop {
                timer.tick().await;
                ticks += 1;
                let Some(inner) = inner.upgrade() else { return };
                let now = inner.parts.clock.now();
                for live in inner.catalogue.load().scenarios.values() {
                    let policy = live.view.load().policy.clone();
                    let due = effect::next_due(&live.state(), &policy).is_some_and(|due| due <= now);
                    if due || ticks.is_multiple_of(IDLE_TICKS) {
                        let (reply, _nobody) = oneshot::channel();
                        let _ = live.requests.try_send(Request::Tick(reply));
                    }
                }
            }
        });
    }
}

fn namespace_journal() -> JournalName {
    JournalName(format!("namespace/{NAMESPACE}"))
}

fn restore_namespace(journal: &dyn Journal) -> Result<Namespace, ServiceError> {
    let name = namespace_journal();
    let mut namespace = Namespace::default();
    loop {
        let records = journal.read(&name, namespace.seq + 1, 1_024)?;
        if records.is_empty() {
            return Ok(namespace);
        }
        for record in records {
            let event = serde_json::from_slice(&record.open).map_err(|error| JournalFault::Damaged {
                journal: name.0.clone(),
                seq: record.seq,
                what: error.to_string(),
            })?;
            namespace.evolve(record.seq, &event);
        }
    }
}

fn demand(caller: &Caller, deed: Deed) -> Result<(), ServiceError> {
    if caller.may(deed) {
        Ok(())
    } else {
        Err(ServiceError::Forbidden)
    }
}

/// Whether an `If-None-Match` names this tag: a list, weak tags and `*` count.
fn matches_tag(seen: &str, etag: &str) -> bool {
    seen.split(',')
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}
