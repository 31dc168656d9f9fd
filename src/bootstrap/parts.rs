//! The parts that touch the world: made from the settings, or given by whoever starts the service.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::adapters::clock::SystemClock;
use crate::adapters::embed::Encoder;
use crate::adapters::embed::worker::OnEmbed;
use crate::adapters::execute::HttpExecutor;
use crate::adapters::model::ChatModel;
use crate::adapters::model::OnAsked;
use crate::adapters::model::Told;
use crate::adapters::model::budget;
use crate::adapters::model::budget::Budget;
use crate::adapters::outbound::egress_policy::Reach;
use crate::adapters::webhook::HttpWebhookSender;
use crate::adapters::webhook::delivery_cursors;
use crate::app::a2a_tasks::TaskOptions;
use crate::app::a2a_tasks::worker::Worker;
use crate::app::caller::Principals;
use crate::app::caller::Role;
use crate::app::conversations::ConversationOptions;
use crate::app::delivery::DeliveryOptions;
use crate::app::dependencies::Dependencies;
use crate::app::directory::MessageOptions;
use crate::app::ports::Clock;
use crate::app::ports::Embedder;
use crate::app::ports::Executor;
use crate::app::ports::Model;
use crate::app::ports::WebhookSender;
use crate::app::registry;
use crate::app::sessions::SessionOptions;
use crate::app::write_gate::WriteGate;
use crate::bootstrap::BootFault;
use crate::bootstrap::said;
use crate::config::Settings;
use crate::metrics::Metrics;
use context::a2a_task::decide::TaskLimits;
use context::conversation::decide::ConversationLimits;
use context::conversation::summary::SummaryLimits;
use context::message::policy;
use context::session::limits::SessionLimits;
use context::session::limits::SizeLimits;
use context::task_context::access::Lives;
use context::task_context::decide::TaskContextLimits;
use engine::scenario::policy::Policy;
use schema::name::ClientId;
use store::backup::Backup;
use store::backup::CHUNK_BYTES;
use store::data_folder;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::Verification;
use store::journal_store::JournalStore;
use store::lock;
use store::options::StoreOptions;
use store::options::StoreSettings;
use store::verify;

/// Parts that stand in for those that the settings would make.
#[derive(Clone, Default)]
pub struct PartsOverride {
    pub journal: Option<Arc<dyn Journal>>,
    pub embedder: Option<Arc<dyn Embedder>>,
    pub model: Option<Arc<dyn Model>>,
    pub executor: Option<Arc<dyn Executor>>,
    pub clock: Option<Arc<dyn Clock>>,
    /// Answers messages of tasks.
    pub worker: Option<Arc<dyn Worker>>,
}

/// All parts.
pub fn gather(
    settings: &Settings,
    over: PartsOverride,
    metrics: &Arc<Metrics>,
    clock: Arc<dyn Clock>,
    learning: Handle,
) -> Result<Dependencies, BootFault> {
    let journal = match over.journal {
        Some(journal) => journal,
        None => open_journal(settings, metrics.on_commit())?,
    };
    let embedder = match over.embedder {
        Some(embedder) => embedder,
        None => open_embedder(settings, Some(Arc::new(metrics.on_embed())))?,
    };
    let model = match over.model {
        Some(model) => Some(model),
        None => open_model(settings, metrics, &clock)?,
    };
    let executor = match over.executor {
        Some(executor) => executor,
        None => open_executor(settings, metrics)?,
    };
    Ok(Dependencies {
        journal,
        embedder,
        model,
        executor: Some(executor),
        clock,
        learning,
        observer: metrics.clone(),
        policy: Policy {
            pool: settings.policy.pool.clone(),
            evolution: settings.policy.evolution.clone(),
            cohorts: settings.cohorts().map_err(|what| BootFault::Asked(what.to_string()))?,
        },
        options: settings.service.clone(),
        write_gate: WriteGate::new(settings.service.read_only),
        principals: Principals::of(principals(settings)),
    })
}

/// The principals that can call.
pub fn principals(settings: &Settings) -> BTreeMap<ClientId, BTreeSet<Role>> {
    let able = settings.principals.iter().filter(|principal| !principal.disabled);
    let named = able.filter_map(|principal| {
        let name = ClientId::parse(&principal.name)?;
        Some((name, principal.roles.iter().copied().collect()))
    });
    named.collect()
}

/// Who calls webhooks: no farther than public addresses, but for this machine where nobody else can register one.
pub fn open_webhook_sender(settings: &Settings, clock: &Arc<dyn Clock>) -> Result<Arc<dyn WebhookSender>, BootFault> {
    let is_open = settings.principals.is_empty();
    let reach = if settings.delivery.webhook_private_addresses {
        Reach::Anywhere
    } else {
        Reach::Public { loopback: is_open }
    };
    let timeout = Duration::from_secs(settings.delivery.webhook_timeout_s);
    let sender = HttpWebhookSender::open(reach, timeout, Arc::clone(clock));
    Ok(Arc::new(sender.map_err(|what| {
        BootFault::Broke(format!("webhooks cannot be called: {what}"))
    })?))
}

/// How tasks are worked at and told of, as set.
pub fn task_options(settings: &Settings) -> TaskOptions {
    let a2a = &settings.a2a;
    TaskOptions {
        limits: TaskLimits {
            tasks_max: a2a.tasks_max,
            tasks_per_client_max: a2a.tasks_per_client_max,
            messages_max: a2a.task_messages_max,
            pushes_max: a2a.pushes_max,
            pushes_per_task_max: a2a.pushes_per_task_max,
            ended_kept_ms: a2a.ended_kept_s.saturating_mul(1_000),
            waiting_kept_ms: a2a.waiting_kept_s.saturating_mul(1_000),
        },
        working_max: a2a.working_max,
        push_concurrency_max: a2a.push_concurrency_max,
        first_pause_ms: a2a.push_first_pause_ms,
        longest_pause_ms: a2a.push_longest_pause_s.saturating_mul(1_000),
        push_attempts_max: a2a.push_attempts_max,
        resume_ms: a2a.resume_s.saturating_mul(1_000),
    }
}

/// How sessions of shared context are bounded, as set.
pub fn session_options(settings: &Settings) -> SessionOptions {
    let sessions = &settings.sessions;
    SessionOptions {
        limits: SessionLimits {
            sessions_max: sessions.sessions_max,
            sessions_per_client_max: sessions.sessions_per_client_max,
            keys_max: sessions.keys_max,
            participants_max: sessions.participants_max,
            history_versions_max: sessions.history_versions_max,
            snapshots_max: sessions.snapshots_max,
            batch_keys_max: sessions.batch_keys_max,
            namespace_bytes_max: sessions.namespace_bytes_max,
            size: SizeLimits {
                value_max: sessions.value_tokens_max,
                value_warned: sessions.value_tokens_warned,
                value_hinted: sessions.value_tokens_hinted,
                total_max: sessions.store_tokens_max,
            },
        },
        cache_bytes: sessions.cache_bytes,
        followers_max: sessions.followers_max,
        log_writes: sessions.log_writes,
        audit_records_max: sessions.audit_records_max,
    }
}

/// How conversations are kept, as set.
pub fn conversation_options(settings: &Settings) -> ConversationOptions {
    let set = &settings.conversations;
    ConversationOptions {
        limits: ConversationLimits {
            conversations_max: set.conversations_max,
            per_client_max: set.per_client_max,
            turns_max: set.turns_max,
            turn_bytes_max: set.turn_bytes_max,
            parts_max: set.parts_max,
            part_bytes_max: set.part_bytes_max,
            recipients_max: set.recipients_max,
            kept_ms: set.kept_s.saturating_mul(1_000),
            summarise_after_turns: set.summarise_after_turns,
        },
        carried_bytes_max: set.carried_bytes_max,
        summary: SummaryLimits {
            sentences_max: set.summary_sentences_max,
            bytes_max: set.summary_bytes_max,
            tokens_max: u64::MAX,
        },
    }
}

/// How what agents know of tasks is bounded and kept, as set.
pub fn task_context_limits(settings: &Settings) -> TaskContextLimits {
    let tasks = &settings.tasks;
    TaskContextLimits {
        tasks_max: tasks.tasks_max,
        tasks_per_client_max: tasks.tasks_per_client_max,
        subtasks_max: tasks.subtasks_max,
        changes_max: tasks.changes_max,
        context_bytes_max: tasks.context_bytes_max,
        content_bytes_max: tasks.content_bytes_max,
        contents_bytes_max: tasks.contents_bytes_max,
        contents_per_client_bytes_max: tasks.contents_per_client_bytes_max,
        content_kept_ms: tasks.content_kept_s.saturating_mul(1_000),
        lives: Lives {
            open_kept_ms: tasks.open_kept_s.saturating_mul(1_000),
            closed_kept_ms: tasks.closed_kept_s.saturating_mul(1_000),
        },
    }
}

/// What is set of agents and their messages.
pub fn message_options(settings: &Settings) -> Result<MessageOptions, BootFault> {
    let set = &settings.messages;
    let policies = policy::read(&set.policies);
    Ok(MessageOptions {
        agents_max: set.agents_max,
        render_tokens: set.render_tokens,
        policies: policies.map_err(|what| BootFault::Asked(format!("messages.policies: {what}")))?,
    })
}

/// How webhooks are called, as set.
pub fn delivery_options(settings: &Settings) -> DeliveryOptions {
    let delivery = &settings.delivery;
    DeliveryOptions {
        webhooks_max: delivery.webhooks_max,
        concurrency_max: delivery.webhook_concurrency_max,
        first_pause_ms: delivery.webhook_first_pause_ms,
        longest_pause_ms: delivery.webhook_longest_pause_s.saturating_mul(1_000),
        attempts_max: delivery.webhook_attempts_max,
        paused_retry_ms: delivery.webhook_paused_retry_s.saturating_mul(1_000),
    }
}

/// The embedded store in the data folder.
pub fn open_journal(
    settings: &Settings,
    on_commit: impl Fn(f64, usize) + Send + 'static,
) -> Result<Arc<dyn Journal>, BootFault> {
    let folder = Path::new(&settings.data.folder);
    if let Some(why) = unusable(folder) {
        return Err(BootFault::Asked(format!(
            "data.folder, {}: {why}; name a folder that this user can write to (--data)",
            folder.display()
        )));
    }
    data_folder::tighten(folder, &[delivery_cursors::FILE, budget::FILE]);
    let options = StoreOptions {
        settings: store_settings(settings),
        on_commit: Some(Box::new(on_commit)),
        ..StoreOptions::default()
    };
    let store = JournalStore::open(folder, options);
    let store = store.map_err(|fault| {
        let remedy = match fault {
            JournalFault::Behind { .. } => {
                "; bring back the store that belongs to the snapshots, or the last backup; or, to go on without the records that \
                 are missing, move the folder snapshots away"
            }
            JournalFault::Damaged { .. } | JournalFault::Truncated { .. } | JournalFault::Store(_) => {
                "; `otherwise verify` lists what is wrong; where something is damaged, put the folder aside and bring back \
                 the last backup with `otherwise restore`"
            }
            _ => "",
        };
        BootFault::Broke(format!("the data in {}: {fault}{remedy}", settings.data.folder))
    })?;
    Ok(Arc::new(store))
}

/// Why nothing can be kept in a folder, whatever is in it; none where it can.
fn unusable(folder: &Path) -> Option<String> {
    if folder.exists() && !folder.is_dir() {
        return Some("it is a file".to_owned());
    }
    if let Err(error) = fs::create_dir_all(folder) {
        return Some(format!("it cannot be made: {error}"));
    }
    let mut options = fs::OpenOptions::new();
    let written = options.create(true).append(true).open(folder.join(data_folder::LOCK));
    let error = written.err()?;
    // A full disk is another matter: it is told as one, and passes.
    let refused = matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotFound
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::Unsupported
            | io::ErrorKind::IsADirectory
    );
    refused.then(|| format!("it cannot be written to: {error}"))
}

/// The store's settings, as set.
pub fn store_settings(settings: &Settings) -> StoreSettings {
    StoreSettings {
        queue_appends_max: settings.store.queue_max,
        cache_bytes: settings.store.cache_bytes,
        free_bytes_min: settings.store.free_bytes_min,
        stall_ms: settings.store.stall_s.saturating_mul(1_000),
        ..StoreSettings::default()
    }
}

/// The embedding models that the settings name.
pub fn open_embedder(settings: &Settings, on_embed: Option<OnEmbed>) -> Result<Arc<dyn Embedder>, BootFault> {
    let models = &settings.models;
    let encoder = Encoder::open(models, on_embed).map_err(|fault| {
        let is_there = |name| Path::new(&models.folder).join(name).is_dir();
        if is_there(&models.english) && is_there(&models.multilingual) {
            BootFault::Broke(fault.to_string())
        } else {
            BootFault::Asked(fault.to_string())
        }
    });
    Ok(Arc::new(encoder?))
}

/// The language model that the settings name, if they do; what it costs is noted in the data folder.
fn open_model(
    settings: &Settings,
    metrics: &Arc<Metrics>,
    clock: &Arc<dyn Clock>,
) -> Result<Option<Arc<dyn Model>>, BootFault> {
    let wanted = &settings.model;
    if wanted.url.is_empty() {
        return Ok(None);
    }
    let folder = Path::new(&settings.data.folder);
    let budget = Budget::kept(wanted.calls_per_day, wanted.tokens_per_day, folder, clock.now());
    let budget = Arc::new(budget);
    let (read, told_at) = (Arc::clone(&budget), Arc::clone(clock));
    let told = metrics.on_model(move || read.left(told_at.now()));
    let on_asked = move |asked: Told| told(asked.purpose.name(), asked.outcome, asked.seconds, asked.tokens);
    let model = model_at(settings, budget, clock, Box::new(on_asked))?;
    let uses: Vec<&str> = wanted.uses.iter().map(|purpose| purpose.name()).collect();
    tracing::info!(model = %wanted.name, uses = uses.join(","), "a language model helps the rules");
    Ok(Some(model))
}

/// The language model of the settings, for a replay: with a budget of its own that ends with it.
///
/// # Errors
/// When the settings name none; when its key, or the certificates to check it with, are missing.
pub fn open_model_for_replay(settings: &Settings) -> Result<Arc<dyn Model>, BootFault> {
    let wanted = &settings.model;
    if wanted.url.is_empty() {
        let why = "the settings name no model: model.url is empty";
        return Err(BootFault::Asked(why.to_owned()));
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let budget = Arc::new(Budget::new(wanted.calls_per_day, wanted.tokens_per_day));
    model_at(settings, budget, &clock, Box::new(|_| {}))
}

fn model_at(
    settings: &Settings,
    budget: Arc<Budget>,
    clock: &Arc<dyn Clock>,
    on_asked: OnAsked,
) -> Result<Arc<dyn Model>, BootFault> {
    match ChatModel::open(&settings.model, budget, Arc::clone(clock), on_asked) {
        Ok(model) => Ok(Arc::new(model)),
        Err(what) => Err(BootFault::Asked(format!("the language model: {what}"))),
    }
}

/// Calls executors over HTTP, as templates name them and the settings allow.
fn open_executor(settings: &Settings, metrics: &Arc<Metrics>) -> Result<Arc<dyn Executor>, BootFault> {
    let executor = HttpExecutor::open(&settings.executors);
    let executor = Arc::new(executor.map_err(|what| BootFault::Asked(format!("the executors: {what}")))?);
    let read = Arc::clone(&executor);
    metrics.watch(move |families| families.read_executors(read.left_alone()));
    Ok(executor)
}

/// A backup of the data folder of a service that does not run.
pub fn back_up(settings: &Settings) -> Result<Backup, BootFault> {
    let in_folder = |what: String| BootFault::Broke(format!("the data in {}: {what}", settings.data.folder));
    holds_a_store(settings)?;
    let store = look_into(settings)?;
    let (program, now) = (env!("CARGO_PKG_VERSION"), SystemClock::new().now());
    let backup = Backup::begin(Arc::new(store), program, now, CHUNK_BYTES);
    backup.map_err(|fault| in_folder(fault.to_string()))
}

/// Whether there is a store in the data folder, or what is left of one.
fn holds_a_store(settings: &Settings) -> Result<(), BootFault> {
    let folder = Path::new(&settings.data.folder);
    if data_folder::holds_a_store(folder) {
        return Ok(());
    }
    Err(BootFault::Asked(format!(
        "the data in {}: there is no store in it",
        settings.data.folder
    )))
}

/// How many webhooks are registered in the data folder of a service that does not run.
pub fn count_webhooks(settings: &Settings) -> Result<usize, BootFault> {
    let store = look_into(settings)?;
    let counted = registry::count_webhooks(&store);
    store.close();
    counted.map_err(|error| BootFault::Broke(said(&error)))
}

/// Opens the store of a service that does not run, only to read it.
fn look_into(settings: &Settings) -> Result<JournalStore, BootFault> {
    let folder = Path::new(&settings.data.folder);
    let options = StoreOptions {
        settings: StoreSettings {
            compacts: false,
            ..store_settings(settings)
        },
        ..StoreOptions::default()
    };
    JournalStore::open(folder, options).map_err(|fault| {
        let running = if lock::is_taken(folder) {
            ". Of a running service, a backup is made with --url"
        } else {
            ""
        };
        BootFault::Broke(format!("the data in {}: {fault}{running}", settings.data.folder))
    })
}

/// Checks every record and snapshot in the data folder, on a copy of it in `work`, and changes nothing. `tell` is told how much
/// room that needs, and `progress` how many records of how many are checked.
///
/// # Errors
/// When the folder cannot be read at all, or there is no room for a copy.
pub fn verify_journals(
    settings: &Settings,
    work: &Path,
    tell: &dyn Fn(&str),
    progress: &dyn Fn(u64, u64),
) -> Result<Verification, BootFault> {
    holds_a_store(settings)?;
    verify::verify_copy(Path::new(&settings.data.folder), work, tell, progress)
        .map_err(|fault| BootFault::Broke(format!("the data in {}: {fault}", settings.data.folder)))
}
