//! What is measured (DESIGN §12): counters and histograms that are told, gauges that are read at scrape time.
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
pub mod tasks;
pub mod works;

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

use crate::domain::context::conversation::summary::Method;
use crate::domain::context::work::evaluation::Judged;
use crate::domain::scenario::execution::Ending;
use crate::domain::task::phase::Phase;
use crate::domain::time::At;
use crate::edge::metrics::admitted::Admitted;
use crate::edge::metrics::asked::Asked;
use crate::edge::metrics::asked::BudgetLeft;
use crate::edge::metrics::conversations::Conversations;
use crate::edge::metrics::conversations::OnConversations;
use crate::edge::metrics::delivery::OnDelivery;
use crate::edge::metrics::executed::Executions;
use crate::edge::metrics::executed::LeftAlone;
use crate::edge::metrics::sessions::Contexts;
use crate::edge::metrics::sessions::OnSessions;
use crate::edge::metrics::tasks::OnTasks;
use crate::edge::metrics::tasks::Tasks;
use crate::edge::metrics::works::OnWorks;
use crate::edge::metrics::works::Works;
use crate::edge::wire::doors::Health;
use crate::edge::wire::doors::MetricsPage;
use crate::service::census::ScenarioCensus;
use crate::service::observed::AUDIENCES;
use crate::service::observed::Change;
use crate::service::observed::Fate;
use crate::service::observed::Outcome;
use crate::service::observed::conversing::Talk;
use crate::service::observed::conversing::Withheld;
use crate::service::observed::working::WorkStep;
use crate::service::ports::Observer;

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
        self.executed.begin(label);
    }

    /// Takes who says how many tasks stand in each state, once.
    pub fn watch_tasks(&self, tasks: OnTasks) {
        self.tasks.read_from(tasks);
    }

    /// Takes who counts what agents know of tasks, once.
    pub fn watch_works(&self, works: OnWorks) {
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
    fn page(&self, census: &[ScenarioCensus], health: Health) -> Result<String, String> {
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

    fn work(&self, step: WorkStep) {
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
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Command;
    use std::process::Stdio;
    use std::sync::Arc;

    use super::Metrics;
    use super::delivery::DeliveryCensus;
    use crate::domain::time::At;
    use crate::edge::wire::doors::Health;
    use crate::edge::wire::doors::MetricsPage;
    use crate::service::census::KeyCensus;
    use crate::service::census::ScenarioCensus;
    use crate::service::delivery::WebhookCensus;
    use crate::service::observed::Change;
    use crate::service::observed::Fate;
    use crate::service::observed::Outcome;
    use crate::service::ports::Observer;

    const WELL: Health = Health {
        ready: true,
        writable: Some(true),
        read_only: Some(false),
        free_bytes: Some(4_096),
    };

    fn scenario(name: &str, keys: usize) -> ScenarioCensus {
        ScenarioCensus {
            scenario: name.to_owned(),
            other_ratio: Some(0.25),
            clients: 5,
            pending: 2,
            stalled: name == "b",
            frozen: name == "b",
            approval_waits_s: 60,
            audits_waiting: 3,
            audits: vec![("aligned", 7), ("not_aligned", 1)],
            reembedding: 5,
            clusters: 3,
            heat_max: 51.5,
            keys_by_stage: vec![("experimental", 2), ("stable", 1), ("expired", 0)],
            keys: (0..keys)
                .map(|n| KeyCensus {
                    key: format!("key_{n}"),
                    stage: "experimental",
                    usage_ratio: Some(0.5),
                    alignment_ratio: None,
                    type_ratio: Some(1.0),
                    adoption_ratio: Some(0.0),
                })
                .collect(),
            queue_length: 4,
        }
    }

    fn full_page() -> String {
        let metrics = Arc::new(Metrics::new(2, 2, At(1_500)).expect("metrics"));
        metrics.submission("a", Outcome::Accepted, 0.002);
        metrics.fragment("a", Fate::Joined);
        metrics.trigger("a", "global");
        metrics.change("a", Change::Stable);
        metrics.backed_up(At(1_750));
        metrics.on_commit()(0.004, 17);
        metrics.on_embed()(0.02);
        metrics.watch_delivery(Arc::new(|| DeliveryCensus {
            streams_open: 3,
            webhooks: vec![WebhookCensus {
                id: "wh_1".to_owned(),
                paused: true,
                delivered: 5,
                failed: 2,
                waiting: 4,
            }],
        }));
        metrics.on_model(Arc::new(|| (7, 900))).expect("series")("judge", "answered", 0.5, 120);
        metrics
            .page(
                &[scenario("a", 4), scenario("b", 1), scenario("c", 1), scenario("d", 1)],
                WELL,
            )
            .expect("a page")
    }

    #[test]
    fn the_page_holds_exactly_the_designs_names() {
        let page = full_page();
        let mut names: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "))
            .filter_map(|rest| rest.split(' ').next())
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "otherwise_approval_waiting_seconds",
                "otherwise_audits_total",
                "otherwise_audits_waiting",
                "otherwise_backup_timestamp_seconds",
                "otherwise_build_info",
                "otherwise_clients",
                "otherwise_context_keys",
                "otherwise_context_operations_total",
                "otherwise_context_seconds",
                "otherwise_context_sessions",
                "otherwise_conversation_contexts_total",
                "otherwise_conversation_events_total",
                "otherwise_conversation_summaries_total",
                "otherwise_conversation_summarised_turns",
                "otherwise_conversation_turns",
                "otherwise_conversation_withheld_total",
                "otherwise_conversations",
                "otherwise_embed_seconds",
                "otherwise_execution_seconds",
                "otherwise_executions_total",
                "otherwise_executors_left_alone",
                "otherwise_extension_requests_total",
                "otherwise_fragments_total",
                "otherwise_heat_max",
                "otherwise_journal_batch_size",
                "otherwise_journal_commit_seconds",
                "otherwise_key_adoption_ratio",
                "otherwise_key_alignment_ratio",
                "otherwise_key_changes_total",
                "otherwise_key_type_ratio",
                "otherwise_key_usage_ratio",
                "otherwise_keys",
                "otherwise_message_operations_total",
                "otherwise_model_budget_left",
                "otherwise_model_questions_total",
                "otherwise_model_seconds",
                "otherwise_model_tokens_total",
                "otherwise_other_ratio",
                "otherwise_pool_clusters",
                "otherwise_pool_reembedding",
                "otherwise_queue_length",
                "otherwise_read_only",
                "otherwise_ready",
                "otherwise_scenario_frozen",
                "otherwise_scenario_stalled",
                "otherwise_store_free_bytes",
                "otherwise_store_writable",
                "otherwise_streams_open",
                "otherwise_submission_seconds",
                "otherwise_submissions_pending",
                "otherwise_submissions_total",
                "otherwise_task_context_content_bytes",
                "otherwise_task_context_content_bytes_max",
                "otherwise_task_context_contents",
                "otherwise_task_context_events_total",
                "otherwise_task_context_subtasks",
                "otherwise_task_context_verdicts_total",
                "otherwise_task_contexts",
                "otherwise_task_seconds",
                "otherwise_task_states_total",
                "otherwise_tasks",
                "otherwise_triggers_total",
                "otherwise_webhook_letters_total",
                "otherwise_webhook_paused",
                "otherwise_webhook_waiting",
                "process_max_fds",
                "process_open_fds",
                "process_resident_memory_bytes",
                "process_start_time_seconds",
            ]
            .into_iter()
            .filter(|name| *name != "otherwise_key_alignment_ratio")
            .collect::<Vec<_>>(),
            "a ratio that is undefined everywhere has no series (Z-160)"
        );
    }

    #[test]
    fn a_models_calls_tokens_and_budget_are_shown_where_there_is_one() {
        let page = full_page();
        for line in [
            r#"otherwise_model_questions_total{outcome="answered",use="judge"} 1"#,
            r#"otherwise_model_tokens_total{use="judge"} 120"#,
            r#"otherwise_model_questions_total{outcome="answered",use="induction"} 0"#,
            r#"otherwise_model_budget_left{unit="calls"} 7"#,
            r#"otherwise_model_budget_left{unit="tokens"} 900"#,
            "otherwise_model_seconds_count 1",
        ] {
            assert!(page.lines().any(|l| l == line), "{line}\n{page}");
        }
        let without = Metrics::new(2, 2, At(1_500))
            .expect("metrics")
            .page(&[], WELL)
            .expect("a page");
        assert!(!without.contains("otherwise_model"), "{without}");
    }

    #[test]
    fn series_beyond_the_caps_are_counted_together() {
        let page = full_page();
        for line in [
            r#"otherwise_submissions_total{outcome="accepted",scenario="a"} 1"#,
            r#"otherwise_pool_clusters{scenario="_overflow"} 6"#,
            r#"otherwise_pool_reembedding{scenario="_overflow"} 10"#,
            r#"otherwise_queue_length{scenario="_overflow"} 8"#,
            r#"otherwise_heat_max{scenario="_overflow"} 51.5"#,
            r#"otherwise_submissions_pending{scenario="_overflow"} 4"#,
            r#"otherwise_clients{scenario="_overflow"} 10"#,
            r#"otherwise_scenario_stalled{scenario="b"} 1"#,
            r#"otherwise_scenario_stalled{scenario="_overflow"} 0"#,
            r#"otherwise_scenario_frozen{scenario="a"} 0"#,
            r#"otherwise_scenario_frozen{scenario="b"} 1"#,
            r#"otherwise_approval_waiting_seconds{scenario="_overflow"} 60"#,
            r#"otherwise_audits_waiting{scenario="_overflow"} 6"#,
            r#"otherwise_audits_total{scenario="a",verdict="aligned"} 7"#,
            r#"otherwise_audits_total{scenario="_overflow",verdict="not_aligned"} 2"#,
            "otherwise_read_only 0",
            "otherwise_store_free_bytes 4096",
            r#"otherwise_keys{scenario="_overflow",stage="experimental"} 4"#,
            r#"otherwise_keys{scenario="a",stage="expired"} 0"#,
            r#"otherwise_key_usage_ratio{key="_overflow",scenario="a",stage="experimental"} 0.5"#,
            r#"otherwise_key_usage_ratio{key="key_1",scenario="a",stage="experimental"} 0.5"#,
        ] {
            assert!(page.lines().any(|l| l == line), "{line}\n{page}");
        }
        assert!(!page.contains("key_2"), "{page}");
        assert!(!page.contains(r#"scenario="c""#), "{page}");
        assert!(
            !page.contains(r#"otherwise_other_ratio{scenario="_overflow"}"#),
            "{page}"
        );
    }

    #[test]
    fn counters_stand_at_zero_before_their_first_event() {
        let page = full_page();
        for line in [
            r#"otherwise_key_changes_total{change="stable",scenario="a"} 1"#,
            r#"otherwise_key_changes_total{change="proposed",scenario="a"} 0"#,
            r#"otherwise_submissions_total{outcome="failed",scenario="b"} 0"#,
            r#"otherwise_fragments_total{fate="failed",scenario="_overflow"} 0"#,
            r#"otherwise_triggers_total{audience="client",scenario="b"} 0"#,
        ] {
            assert!(page.lines().any(|l| l == line), "{line}\n{page}");
        }
    }

    #[test]
    fn health_is_told_as_it_is_and_so_is_the_start() {
        let metrics = Metrics::new(2, 2, At(1_500)).expect("metrics");
        for (ready, writable) in [(true, true), (false, true), (false, false)] {
            let page = metrics
                .page(
                    &[],
                    Health {
                        ready,
                        writable: Some(writable),
                        ..WELL
                    },
                )
                .expect("a page");
            for line in [
                format!("otherwise_ready {}", u8::from(ready)),
                format!("otherwise_store_writable {}", u8::from(writable)),
                "process_start_time_seconds 1.5".to_owned(),
            ] {
                assert!(page.lines().any(|l| l == line), "{line}\n{page}");
            }
        }
        let starting = Health {
            ready: false,
            writable: None,
            read_only: None,
            free_bytes: None,
        };
        let page = metrics.page(&[], starting).expect("a page");
        assert!(
            !page.contains("otherwise_store_writable"),
            "nothing is known yet: {page}"
        );
    }

    #[test]
    fn promtool_finds_nothing_to_say() {
        let child = Command::new("promtool")
            .args(["check", "metrics"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("skipped: promtool is not installed");
            return;
        };
        child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(full_page().as_bytes())
            .expect("written");
        let output = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.trim().is_empty(), "{said}");
    }
}
