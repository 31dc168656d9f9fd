//! Which scenarios are hosted, and how they begin: namespace first, then each scenario's own journal, then the timer.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex as StdMutex;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Mutex;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

use crate::app::actor::ScenarioActor;
use crate::app::dependencies::Answer;
use crate::app::dependencies::Dependencies;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::feed::Counted;
use crate::app::feed::Feed;
use crate::app::feed::News;
use crate::app::handle::Request;
use crate::app::handle::ScenarioHandle;
use crate::app::handle::Signals;
use crate::app::restore;
use crate::app::used_keys;
use crate::app::view::ScenarioView;
use engine::namespace::Namespace;
use engine::namespace::NamespaceEvent;
use engine::namespace::webhook::WebhookId;
use engine::scenario::command::Command;
use engine::scenario::effect;
use schema::act::By;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::nearest::with_near;
use schema::template::SchemaTemplate;
use schema::time::At;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Kind;

/// Requests that may wait for one scenario's actor.
const REQUESTS_MAX: usize = 1_024;
/// Ticks of the timer after which a scenario is looked at even if nothing is due, so that failed effects are retried.
const IDLE_TICKS: u64 = 30;
/// Ticks after which who looks on is told how the scenarios stand: often enough for a person, and ten thousand are counted in some
/// milliseconds.
const COUNT_TICKS: u64 = 5;

/// What is hosted, replaced whole.
#[derive(Clone, Default)]
pub struct Catalogue {
    pub scenarios: BTreeMap<ScenarioKey, Arc<ScenarioHandle>>,
    pub schemas: BTreeMap<SchemaId, ScenarioKey>,
}

impl Catalogue {
    /// The scenario that a schema is hosted for.
    pub fn by_schema(&self, id: &SchemaId) -> Option<&Arc<ScenarioHandle>> {
        self.scenarios.get(self.schemas.get(id)?)
    }
}

/// The hosted scenarios and what they are hosted with; who uses them is not known here.
pub struct ScenarioRegistry {
    pub deps: Arc<Dependencies>,
    pub catalogue: ArcSwap<Catalogue>,
    /// Publishing is one at a time.
    pub namespace: Mutex<Namespace>,
    /// Rings when there is something to tell outsiders.
    pub bell: watch::Sender<u64>,
    /// Moves when the view of any scenario was replaced.
    pub shown: watch::Sender<u64>,
    /// What happens, for who looks on.
    pub feed: Feed,
    /// What webhooks' deliveries are signed with.
    pub secrets: StdMutex<BTreeMap<WebhookId, Vec<u8>>>,
}

impl ScenarioRegistry {
    /// Restores the namespace and every scenario in it, and begins to work.
    pub async fn open(deps: Dependencies) -> Result<Arc<ScenarioRegistry>, ServiceError> {
        let (namespace, secrets) = restore_namespace(deps.journal.as_ref())?;
        let registry = Arc::new(ScenarioRegistry {
            deps: Arc::new(deps),
            catalogue: ArcSwap::from_pointee(Catalogue::default()),
            namespace: Mutex::new(Namespace::default()),
            bell: watch::Sender::new(0),
            shown: watch::Sender::new(0),
            feed: Feed::default(),
            secrets: StdMutex::new(secrets),
        });
        let scenarios: BTreeSet<ScenarioKey> = namespace
            .schemas
            .values()
            .map(|registered| registered.scenario.clone())
            .collect();
        // One catalogue for all of them: it is copied whole with each change.
        let mut hosted = Catalogue::default();
        for key in scenarios {
            hosted.scenarios.insert(key.clone(), registry.restore(&key)?);
        }
        registry.catalogue.store(Arc::new(hosted.clone()));
        if let Some(closed) = &namespace.writes_closed {
            let since = closed.since.rfc3339();
            administered!(warn, Some(&closed.by), since, "read-only since a person said so");
            registry.deps.write_gate.close(closed.clone());
        }
        for (schema_id, registered) in &namespace.schemas {
            let (template, retired) = (&registered.template, registered.retired);
            match registry.settle(schema_id, template, retired, None, false).await {
                // A crash between the two journals is made good at the first start that may write.
                Err(ServiceError::ReadOnly | ServiceError::DiskFull) => {
                    tracing::warn!(%schema_id, "its scenario's journal lags behind, and nothing may be written");
                }
                settled => {
                    hosted.schemas.insert(schema_id.clone(), settled?);
                }
            }
        }
        registry.catalogue.store(Arc::new(hosted));
        *registry.namespace.lock().await = namespace;
        registry.begin_to_tick();
        Ok(registry)
    }

    /// Every hosted scenario, in the order of their names.
    pub fn handles(&self) -> Vec<Arc<ScenarioHandle>> {
        self.catalogue.load().scenarios.values().cloned().collect()
    }

    /// A hosted scenario by any spelling of its name (Z-049).
    pub fn by_scenario(&self, scenario: &str) -> Result<Arc<ScenarioHandle>, ServiceError> {
        self.scenario(scenario).ok_or_else(|| {
            let listed = self.listed();
            ServiceError::UnknownScenario(with_near(scenario, listed.iter().map(ScenarioKey::as_str)))
        })
    }

    /// The names that a list of scenarios shows to every caller.
    pub fn listed(&self) -> Vec<ScenarioKey> {
        let catalogue = self.catalogue.load();
        let in_force = catalogue
            .scenarios
            .iter()
            .filter(|(_, handle)| handle.view.load().in_force.is_some());
        in_force.map(|(key, _)| key.clone()).collect()
    }

    /// The same, where it is no error that there is none.
    pub fn scenario(&self, scenario: &str) -> Option<Arc<ScenarioHandle>> {
        let key = ScenarioKey::parse(scenario)?;
        self.catalogue.load().scenarios.get(&key).cloned().map(noted)
    }

    /// A patch by its id with the scenario that hosts it, whether or not there is such a patch. An id is written in one way:
    /// a name of a scenario may vary in case, an id may not.
    pub fn by_patch(&self, patch_id: &str) -> Option<(Arc<ScenarioHandle>, PatchId)> {
        let (scenario, number) = patch_id.rsplit_once(".p")?;
        let key = ScenarioKey::parse(scenario)?;
        let handle = noted(self.catalogue.load().scenarios.get(&key).cloned()?);
        let id = PatchId::numbered(&key, number.parse().ok()?);
        (id.as_str() == patch_id).then_some((handle, id))
    }

    /// Restores and hosts a scenario that is not hosted yet.
    pub fn host(&self, key: &ScenarioKey) -> Result<(), ServiceError> {
        if self.catalogue.load().scenarios.contains_key(key) {
            return Ok(());
        }
        let handle = self.restore(key)?;
        self.change(|next| {
            next.scenarios.insert(key.clone(), Arc::clone(&handle));
        });
        Ok(())
    }

    fn change(&self, change: impl Fn(&mut Catalogue)) {
        self.catalogue.rcu(|catalogue| {
            let mut next = Catalogue::clone(catalogue);
            change(&mut next);
            next
        });
    }

    /// Restores a scenario from its journal and begins its actor.
    fn restore(&self, key: &ScenarioKey) -> Result<Arc<ScenarioHandle>, ServiceError> {
        let deps = &self.deps;
        let journal = JournalName::scenario(key);
        let tail = deps.journal.follow(&journal, deps.options.tail_records_max);
        let restored = restore::restore(deps.journal.as_ref(), &journal)?;
        used_keys::catch_up(deps, &journal, restored.state.seq)?;
        effects::announce_reembedding(&restored.state, key.as_str(), deps.embedder.model());
        let view = ScenarioView::build(&restored.state, &deps.policy, deps.options.other_limits());
        let (requests, mailbox) = mpsc::channel(REQUESTS_MAX);
        let handle = Arc::new(ScenarioHandle::new(
            key.clone(),
            journal,
            restored.state,
            view,
            requests,
            Signals {
                bell: self.bell.clone(),
                shown: self.shown.clone(),
                feed: self.feed.clone(),
            },
        ));
        let actor = ScenarioActor::new(
            Arc::clone(&handle),
            Arc::clone(deps),
            tail,
            mailbox,
            restored.hash,
            restored.snapshot_seq,
        );
        actor.begin();
        Ok(handle)
    }

    /// Brings a scenario's own journal to what the namespace says, and lists the schema.
    pub async fn agree(
        &self,
        schema_id: &SchemaId,
        template: &SchemaTemplate,
        retired: bool,
        by: Option<&By>,
        unproved: bool,
    ) -> Result<(), ServiceError> {
        let key = self.settle(schema_id, template, retired, by, unproved).await?;
        self.change(|next| {
            next.schemas.insert(schema_id.clone(), key.clone());
        });
        Ok(())
    }

    /// Brings a scenario's own journal to what the namespace says: after a crash between the two, this is the rest. Which scenario.
    async fn settle(
        &self,
        schema_id: &SchemaId,
        template: &SchemaTemplate,
        retired: bool,
        by: Option<&By>,
        unproved: bool,
    ) -> Result<ScenarioKey, ServiceError> {
        let key = template.scenario_key();
        let handle = self.by_scenario(key.as_str())?;
        let publish = Command::Publish {
            template: Box::new(template.clone()),
            unproved,
        };
        handle.command_by(publish, by.cloned()).await?;
        let known = handle.state().bases.get(schema_id).map(|base| base.retired.is_some());
        // One that is not retired is not restored: that would lift a deprecation.
        if known != Some(retired) {
            let standing = if retired { Command::Retire } else { Command::Restore };
            handle.command_by(standing(schema_id.clone()), by.cloned()).await?;
        }
        Ok(key)
    }

    /// Records a decision of the namespace and applies it.
    pub async fn record(&self, namespace: &mut Namespace, event: &NamespaceEvent) -> Result<(), ServiceError> {
        self.record_sealed(namespace, event, Vec::new()).await
    }

    /// The same with a sealed part.
    pub async fn record_sealed(
        &self,
        namespace: &mut Namespace,
        event: &NamespaceEvent,
        sealed: Vec<u8>,
    ) -> Result<(), ServiceError> {
        let (journal, at) = (self.deps.journal.as_ref(), self.deps.clock.now());
        let answer = {
            let _pass = self.deps.write_gate.pass()?;
            append(journal, at, namespace, event, sealed)?
        };
        recorded(namespace, event, answer).await
    }

    /// Records a decision about writing itself, which stands above whether anything may be written.
    pub async fn record_switch(&self, namespace: &mut Namespace, event: &NamespaceEvent) -> Result<(), ServiceError> {
        let (journal, at) = (self.deps.journal.as_ref(), self.deps.clock.now());
        let answer = append(journal, at, namespace, event, Vec::new())?;
        recorded(namespace, event, answer).await
    }

    /// Tells who looks on how those scenarios stand of which figures moved.
    fn tell_counts(&self, at: At) {
        let handles = self.handles();
        let moved = handles
            .iter()
            .filter_map(|handle| Some((handle.key.clone(), handle.count()?)));
        let scenarios: Vec<_> = moved.collect();
        if !scenarios.is_empty() {
            self.feed.tell(News::Counted(Counted { at, scenarios }));
        }
    }

    fn begin_to_tick(self: &Arc<Self>) {
        let period = Duration::from_secs(self.deps.options.tick_s.max(1));
        let registry = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut timer = tokio::time::interval(period);
            let mut ticks: u64 = 0;
            loop {
                timer.tick().await;
                ticks += 1;
                let Some(registry) = registry.upgrade() else { return };
                // A disk that fills while nobody writes stands in the log as well.
                let _ = registry.deps.journal.broken();
                let now = registry.deps.clock.now();
                if ticks.is_multiple_of(COUNT_TICKS) && registry.feed.is_heard() {
                    registry.tell_counts(now);
                }
                for handle in registry.catalogue.load().scenarios.values() {
                    let due = effect::next_due(&handle.state()).is_some_and(|due| due <= now);
                    if due || ticks.is_multiple_of(IDLE_TICKS) {
                        let (reply, _nobody) = oneshot::channel();
                        let _ = handle.requests.try_send(Request::Tick(reply));
                    }
                }
            }
        });
    }
}

/// A scenario that a request means, which the log says of it.
pub fn noted(handle: Arc<ScenarioHandle>) -> Arc<ScenarioHandle> {
    tracing::Span::current().record("scenario", handle.key.as_str());
    handle
}

/// The namespace, and the secrets of its webhooks.
type Restored = (Namespace, BTreeMap<WebhookId, Vec<u8>>);

/// How many webhooks are registered.
pub fn count_webhooks(journal: &dyn Journal) -> Result<usize, ServiceError> {
    Ok(restore_namespace(journal)?.0.webhooks.len())
}

/// Registers a template whose scenario lies in a journal already, in a store that nobody serves. What its id is taken by is
/// left as it is.
pub async fn enrol(journal: &dyn Journal, template: &SchemaTemplate, at: At) -> Result<(), ServiceError> {
    let (mut namespace, _) = restore_namespace(journal)?;
    let Ok(Some(event)) = namespace.register(template, usize::MAX) else {
        return Ok(());
    };
    let answer = append(journal, at, &namespace, &event, Vec::new())?;
    recorded(&mut namespace, &event, answer).await
}

/// Queues a decision of the namespace.
fn append(
    journal: &dyn Journal,
    at: At,
    namespace: &Namespace,
    event: &NamespaceEvent,
    sealed: Vec<u8>,
) -> Result<Answer, ServiceError> {
    let open = serde_json::to_vec(event)?;
    let kind = Kind::Decision;
    let draft = Draft { kind, at, open, sealed };
    Ok(journal.append(&JournalName::namespace(), vec![draft], Some(namespace.seq))?)
}

/// Applies it once it is on disk.
async fn recorded(namespace: &mut Namespace, event: &NamespaceEvent, answer: Answer) -> Result<(), ServiceError> {
    let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
    namespace.evolve(appended.first_seq, event);
    Ok(())
}

fn restore_namespace(journal: &dyn Journal) -> Result<Restored, ServiceError> {
    let name = JournalName::namespace();
    let mut namespace = Namespace::default();
    let mut secrets = BTreeMap::new();
    loop {
        let records = journal.read(&name, namespace.seq + 1, 1_024)?;
        if records.is_empty() {
            secrets.retain(|id, _| namespace.webhooks.contains_key(id));
            return Ok((namespace, secrets));
        }
        for record in records {
            let event = serde_json::from_slice(&record.open).map_err(|error| JournalFault::Damaged {
                journal: name.0.clone(),
                seq: record.seq,
                what: error.to_string(),
            })?;
            namespace.evolve(record.seq, &event);
            if let NamespaceEvent::WebhookRegistered { webhook_id, .. } = event {
                secrets.insert(webhook_id, record.sealed);
            }
        }
    }
}
