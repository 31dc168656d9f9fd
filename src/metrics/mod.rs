//! What is measured (docs/design.md §12): counters and histograms that are told, gauges that are read at scrape time.
//!
//! Owns its registry; there is no global one. Invariant: the number of series is bounded, whatever scenarios and keys
//! there are: beyond the caps everything is counted under `_overflow`.

pub mod admitted;

pub mod asked;

pub mod conversations;
pub mod delivery;
pub mod executed;

pub mod gauges;

pub mod process;

pub mod sessions;
pub mod task_contexts;
pub mod tasks;

use std::sync::Arc;
use std::sync::OnceLock;

use prometheus::GaugeVec;
use prometheus::Histogram;
use prometheus::HistogramOpts;
use prometheus::IntCounterVec;
use prometheus::IntGaugeVec;
use prometheus::Opts;
use prometheus::Registry;
use prometheus::TextEncoder;

use crate::app::ports::Observer;
use crate::app::scenario_stats::ScenarioStats;
use crate::app::telemetry::AUDIENCES;
use crate::app::telemetry::Change;
use crate::app::telemetry::Fate;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::ReaderOutcome;
use crate::app::telemetry::conversations::Talk;
use crate::app::telemetry::conversations::Withheld;
use crate::app::telemetry::task_contexts::TaskContextStep;
use crate::metrics::admitted::Admitted;
use crate::metrics::asked::Asked;
use crate::metrics::asked::BudgetLeft;
use crate::metrics::conversations::Conversations;
use crate::metrics::conversations::OnConversations;
use crate::metrics::delivery::OnDelivery;
use crate::metrics::executed::Executions;
use crate::metrics::executed::LeftAlone;
use crate::metrics::sessions::Contexts;
use crate::metrics::sessions::OnSessions;
use crate::metrics::task_contexts::OnTaskContexts;
use crate::metrics::task_contexts::Works;
use crate::metrics::tasks::OnTasks;
use crate::metrics::tasks::Tasks;
use crate::wire::authenticator::Health;
use crate::wire::authenticator::MetricsPage;
use context::a2a_task::phase::Phase;
use context::conversation::summary::Method;
use context::task_context::evaluation::Judged;
use engine::scenario::execution::Ending;
use schema::time::At;

/// The label under which everything beyond a cap is counted.
pub const OVERFLOW: &str = "_overflow";

/// Seconds from 0.1 ms to 10 s.
const SECONDS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Records in one batch.
const RECORDS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Outcomes of an operation that is no submission.
const OUTCOMES: [Outcome; 3] = [Outcome::Accepted, Outcome::TurnedAway, Outcome::Failed];

/// Told by the store after each commit: (seconds, records).
pub type OnCommit = Arc<dyn Fn(f64, usize) + Send + Sync>;

/// Told by the embedder after each batch: seconds.
pub type OnEmbed = Arc<dyn Fn(f64) + Send + Sync>;

/// Told of each question to the language model: use, outcome, seconds, tokens.
pub type OnModel = Arc<dyn Fn(&'static str, &'static str, f64, u64) + Send + Sync>;

/// Everything that is measured.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    submissions: IntCounterVec,
    extensions: IntCounterVec,
    submission_seconds: Histogram,
    fragments: IntCounterVec,
    triggers: IntCounterVec,
    changes: IntCounterVec,
    reviews: IntCounterVec,
    refusals: IntCounterVec,
    embed_seconds: Histogram,
    commit_seconds: Histogram,
    batch_size: Histogram,
    executed: Executions,
    /// None before there was one.
    backed_up: GaugeVec,
    contexts: Contexts,
    tasks: Tasks,
    works: Works,
    conversations: Conversations,
    /// Where a model is configured.
    asked: OnceLock<Asked>,
    /// Once there is something to deliver.
    delivery: OnceLock<Delivering>,
    scenarios: Admitted,
    keys_max: usize,
    started: At,
}

/// Says what is being delivered.
struct Delivering(OnDelivery);

impl std::fmt::Debug for Delivering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Delivering")
    }
}

/// A count or size as a gauge holds it.
fn number(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// A counter in a registry.
fn counter(registry: &Registry, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
    let counter = IntCounterVec::new(Opts::new(name, help), labels)?;
    registry.register(Box::new(counter.clone()))?;
    Ok(counter)
}

/// A histogram in a registry.
fn histogram(registry: &Registry, name: &str, help: &str, buckets: &[f64]) -> Result<Histogram, prometheus::Error> {
    let histogram = Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec()))?;
    registry.register(Box::new(histogram.clone()))?;
    Ok(histogram)
}

/// When there was a backup: no series before the first.
fn backups(registry: &Registry) -> Result<GaugeVec, prometheus::Error> {
    let opts = Opts::new(
        "otherwise_backup_timestamp_seconds",
        "When the last backup of this process was read to its end, in seconds since 1970; none before there was one.",
    );
    let gauge = GaugeVec::new(opts, &[])?;
    registry.register(Box::new(gauge.clone()))?;
    Ok(gauge)
}

impl Metrics {
    /// Metrics of a service that started then, with room for so many scenarios and keys of each.
    ///
    /// # Errors
    /// When a metric's definition is refused, which no input can bring about.
    pub fn new(scenarios_max: usize, keys_max: usize, started: At) -> Result<Metrics, prometheus::Error> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| counter(&registry, name, help, labels);
        let histogram = |name: &str, help: &str, buckets: &[f64]| histogram(&registry, name, help, buckets);
        let metrics = Metrics {
            submissions: counter(
                "otherwise_submissions_total",
                "Submissions by scenario and outcome: accepted, refused, replayed, turned_away (4xx), not_executed, failed (5xx).",
                &["scenario", "outcome"],
            )?,
            extensions: counter(
                "otherwise_extension_requests_total",
                "Explicit requests for a capability by scenario and outcome, as for submissions.",
                &["scenario", "outcome"],
            )?,
            submission_seconds: histogram(
                "otherwise_submission_seconds",
                "Time from a submission's arrival to its answer, durable commit included, an executor's time not.",
                SECONDS,
            )?,
            fragments: counter(
                "otherwise_fragments_total",
                "Fragments of other by scenario and what became of them.",
                &["scenario", "fate"],
            )?,
            triggers: counter(
                "otherwise_triggers_total",
                "Gates that opened, by scenario and audience.",
                &["scenario", "audience"],
            )?,
            changes: counter(
                "otherwise_key_changes_total",
                "What became of keys, by scenario: proposed, revived, extended, or the stage that was entered.",
                &["scenario", "change"],
            )?,
            reviews: counter(
                "otherwise_reader_reviews_total",
                "Reviews of a pool by a reader, by scenario and outcome: answered, failed.",
                &["scenario", "outcome"],
            )?,
            refusals: counter(
                "otherwise_reader_refusals_total",
                "Parts of readers' answers that were refused and have no effect.",
                &["scenario"],
            )?,
            embed_seconds: histogram(
                "otherwise_embed_seconds",
                "Time that one call of the embedding model took.",
                SECONDS,
            )?,
            commit_seconds: histogram(
                "otherwise_journal_commit_seconds",
                "Time that one batch took to be written and synced.",
                SECONDS,
            )?,
            batch_size: histogram(
                "otherwise_journal_batch_size",
                "Records committed with one sync.",
                RECORDS,
            )?,
            executed: Executions::within(&registry)?,
            backed_up: backups(&registry)?,
            contexts: Contexts::within(&registry)?,
            tasks: Tasks::within(&registry)?,
            works: Works::within(&registry)?,
            conversations: Conversations::within(&registry)?,
            asked: OnceLock::new(),
            delivery: OnceLock::new(),
            scenarios: Admitted::at_most(scenarios_max),
            keys_max,
            started,
            registry: registry.clone(),
        };
        let build = IntGaugeVec::new(
            Opts::new("otherwise_build_info", "The running build; its value is always 1."),
            &["version"],
        )?;
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        registry.register(Box::new(build))?;
        Ok(metrics)
    }

    /// What the store is given.
    pub fn on_commit(self: &Arc<Self>) -> OnCommit {
        let metrics = Arc::clone(self);
        Arc::new(move |seconds, records| {
            metrics.commit_seconds.observe(seconds);
            metrics.batch_size.observe(records as f64);
        })
    }

    /// What the embedder is given.
    pub fn on_embed(self: &Arc<Self>) -> OnEmbed {
        let metrics = Arc::clone(self);
        Arc::new(move |seconds| metrics.embed_seconds.observe(seconds))
    }

    /// Takes who says what is being delivered, once.
    pub fn watch_delivery(&self, delivery: OnDelivery) {
        let _ = self.delivery.set(Delivering(delivery));
    }

    /// Takes who counts the sessions of shared context, once.
    pub fn watch_sessions(&self, sessions: OnSessions) {
        self.contexts.read_from(sessions);
    }

    /// What the language model is given; `left` says what is left of its budget. There is one model at the most.
    ///
    /// # Errors
    /// When one is measured already.
    pub fn on_model(self: &Arc<Self>, left: BudgetLeft) -> Result<OnModel, prometheus::Error> {
        let metrics = Arc::clone(self);
        let _ = metrics.asked.set(Asked::within(&metrics.registry, left)?);
        Ok(Arc::new(move |purpose, outcome, seconds, tokens| {
            if let Some(asked) = metrics.asked.get() {
                asked.count(purpose, outcome, seconds, tokens);
            }
        }))
    }
}

impl Metrics {
    /// Counters of a scenario stand at zero before their first event, so that an increase counts that one too.
    fn begin(&self, label: &str) {
        for outcome in Outcome::ALL {
            self.submissions.with_label_values(&[label, outcome.name()]);
            self.extensions.with_label_values(&[label, outcome.name()]);
        }
        for fate in Fate::ALL {
            self.fragments.with_label_values(&[label, fate.name()]);
        }
        for audience in AUDIENCES {
            self.triggers.with_label_values(&[label, audience]);
        }
        for change in Change::ALL {
            self.changes.with_label_values(&[label, change.name()]);
        }
        for outcome in ReaderOutcome::NAMES {
            self.reviews.with_label_values(&[label, outcome]);
        }
        self.refusals.with_label_values(&[label]);
        self.executed.begin(label);
    }

    /// Takes who says how many tasks stand in each state, once.
    pub fn watch_tasks(&self, tasks: OnTasks) {
        self.tasks.read_from(tasks);
    }

    /// Takes who counts what agents know of tasks, once.
    pub fn watch_task_contexts(&self, works: OnTaskContexts) {
        self.works.read_from(works);
    }

    /// Takes who counts the conversations, once.
    pub fn watch_conversations(&self, conversations: OnConversations) {
        self.conversations.read_from(conversations);
    }

    /// Says how many executors are left alone, read at scrape time.
    pub fn on_executors(&self, left_alone: LeftAlone) {
        self.executed.read_from(left_alone);
    }
}

impl MetricsPage for Metrics {
    fn page(&self, census: &[ScenarioStats], health: Health) -> Result<String, String> {
        let said = |error: prometheus::Error| error.to_string();
        for scenario in census {
            self.begin(self.scenarios.label(&scenario.scenario));
        }
        let gauges = gauges::families(census, health, &self.scenarios, self.keys_max).map_err(said)?;
        if let Some(asked) = self.asked.get() {
            asked.read();
        }
        self.executed.read();
        self.contexts.read();
        self.tasks.read();
        self.works.read();
        self.conversations.read();
        let mut families = self.registry.gather();
        if let Some(Delivering(delivery)) = self.delivery.get() {
            families.extend(delivery::families(&delivery()).map_err(said)?);
        }
        families.extend(gauges);
        families.extend(process::families(self.started).map_err(said)?);
        families.sort_by(|a, b| a.name().cmp(b.name()));
        TextEncoder::new().encode_to_string(&families).map_err(said)
    }
}

impl Observer for Metrics {
    fn submission(&self, scenario: &str, outcome: Outcome, seconds: f64) {
        let labels = [self.scenarios.label(scenario), outcome.name()];
        self.submissions.with_label_values(&labels).inc();
        self.submission_seconds.observe(seconds);
    }

    fn extension(&self, scenario: &str, outcome: Outcome) {
        let labels = [self.scenarios.label(scenario), outcome.name()];
        self.extensions.with_label_values(&labels).inc();
    }

    fn fragment(&self, scenario: &str, fate: Fate) {
        let labels = [self.scenarios.label(scenario), fate.name()];
        self.fragments.with_label_values(&labels).inc();
    }

    fn trigger(&self, scenario: &str, audience: &'static str) {
        let labels = [self.scenarios.label(scenario), audience];
        self.triggers.with_label_values(&labels).inc();
    }

    fn execution(&self, scenario: &str, ending: Ending, seconds: f64) {
        self.executed.count(self.scenarios.label(scenario), ending, seconds);
    }

    fn backed_up(&self, at: At) {
        self.backed_up.with_label_values::<&str>(&[]).set(at.0 as f64 / 1_000.0);
    }

    fn context(&self, operation: &'static str, outcome: Outcome, seconds: f64) {
        self.contexts.count(operation, outcome, seconds);
    }

    fn task(&self, phase: Phase) {
        self.tasks.count(phase);
    }

    fn task_context(&self, step: TaskContextStep) {
        self.works.count(step);
    }

    fn verdict(&self, judged: Judged) {
        self.works.judged(judged);
    }

    fn talk(&self, talk: Talk) {
        self.conversations.count(talk);
    }

    fn summary(&self, method: Method) {
        self.conversations.summarised(method);
    }

    fn passed(&self, how: &'static str) {
        self.conversations.passed(how);
    }

    fn withheld(&self, what: Withheld, count: usize) {
        self.conversations.withheld(what, count);
    }

    fn message(&self, operation: &'static str, outcome: Outcome) {
        self.conversations.message(operation, outcome);
    }

    fn task_seconds(&self, seconds: f64) {
        self.tasks.took(seconds);
    }

    fn change(&self, scenario: &str, change: Change) {
        let labels = [self.scenarios.label(scenario), change.name()];
        self.changes.with_label_values(&labels).inc();
    }

    fn review(&self, scenario: &str, outcome: ReaderOutcome) {
        let label = self.scenarios.label(scenario);
        self.reviews.with_label_values(&[label, outcome.name()]).inc();
        if let ReaderOutcome::Answered { refused } = outcome {
            self.refusals.with_label_values(&[label]).inc_by(refused as u64);
        }
    }
}

#[cfg(test)]
mod tests;
