//! What is measured (docs/design.md §12): counters and histograms that are told, gauges that are read at scrape time.
//!
//! Owns its registry; there is no global one. Invariant: the number of series is bounded, whatever scenarios and keys
//! there are: beyond the caps everything is counted under `_overflow`.

pub mod admitted;
pub mod census;
pub mod families;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use prometheus::Registry;
use prometheus::TextEncoder;

use crate::app::conversations::ConversationCensus;
use crate::app::ports::Observer;
use crate::app::scenario_stats::ScenarioStats;
use crate::app::sessions::SessionCounts;
use crate::app::task_contexts::TaskContextCounts;
use crate::app::telemetry::AUDIENCES;
use crate::app::telemetry::Change;
use crate::app::telemetry::Fate;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::ReaderOutcome;
use crate::app::telemetry::SESSION_OPERATIONS;
use crate::app::telemetry::conversations::CONVERSATION_EVENTS;
use crate::app::telemetry::conversations::FETCHED;
use crate::app::telemetry::conversations::MESSAGE_OPERATIONS;
use crate::app::telemetry::conversations::WITHHELD;
use crate::app::telemetry::task_contexts::TaskContextStep;
use crate::metrics::admitted::Admitted;
use crate::metrics::census::DeliveryCensus;
use crate::metrics::census::NO_LABELS;
use crate::metrics::families::Families;
use crate::wire::authenticator::Health;
use crate::wire::authenticator::MetricsPage;
use context::a2a_task::phase::Phase;
use context::conversation::recipient::Pattern;
use context::conversation::summary::Method;
use context::task_context::evaluation::Judged;
use engine::scenario::submission::Ending;
use schema::question::Use;
use schema::time::At;

/// The label under which everything beyond a cap is counted.
pub const OVERFLOW: &str = "_overflow";
/// Outcomes of an operation that is no submission.
const OUTCOMES: [Outcome; 3] = [Outcome::Accepted, Outcome::TurnedAway, Outcome::Failed];
/// The outcome of a question to the model that was answered.
const ANSWERED: &str = "answered";

/// Told by the store after each commit: (seconds, records).
pub type OnCommit = Arc<dyn Fn(f64, usize) + Send + Sync>;
/// Told by the embedder after each batch: seconds.
pub type OnEmbed = Arc<dyn Fn(f64) + Send + Sync>;
/// Told of each question to the language model: use, outcome, seconds, tokens.
pub type OnModel = Arc<dyn Fn(&'static str, &'static str, f64, u64) + Send + Sync>;
/// Reads something into its families at scrape time.
type Source = Box<dyn Fn(&Families) + Send + Sync>;

/// Everything that is measured.
pub struct Metrics {
    registry: Registry,
    families: Families,
    /// Held while a page is made: a scrape sets its gauges anew.
    sources: Mutex<Vec<Source>>,
    scenarios: Admitted,
    keys_max: usize,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Metrics with room for so many scenarios and keys of each. What can be named from the beginning stands at zero, so that an
    /// increase counts its first event too.
    ///
    /// # Errors
    /// When a metric's definition is refused, which no input can bring about.
    pub fn new(scenarios_max: usize, keys_max: usize) -> Result<Metrics, prometheus::Error> {
        let registry = Registry::new();
        let families = Families::within(&registry)?;
        #[cfg(target_os = "linux")]
        registry.register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))?;
        families
            .build_info
            .with_label_values(&[env!("CARGO_PKG_VERSION")])
            .set(1.0);
        for histogram in [
            &families.submission_seconds,
            &families.execution_seconds,
            &families.a2a_seconds,
            &families.embed_seconds,
            &families.commit_seconds,
            &families.batch_size,
        ] {
            histogram.with_label_values(NO_LABELS);
        }
        for outcome in OUTCOMES.map(Outcome::name) {
            for operation in SESSION_OPERATIONS {
                families.session_operations.with_label_values(&[operation, outcome]);
                families.session_seconds.with_label_values(&[operation]);
            }
            for operation in MESSAGE_OPERATIONS {
                families.message_operations.with_label_values(&[operation, outcome]);
            }
        }
        let named: [(_, Vec<&str>); 7] = [
            (&families.a2a_states, Phase::all().map(Phase::word).collect()),
            (
                &families.task_events,
                TaskContextStep::ALL.map(TaskContextStep::name).to_vec(),
            ),
            (&families.task_verdicts, Judged::ALL.map(Judged::name).to_vec()),
            (&families.conversation_events, CONVERSATION_EVENTS.to_vec()),
            (&families.summaries, Method::ALL.map(Method::name).to_vec()),
            (
                &families.passed,
                [&Pattern::ALL.map(Pattern::name)[..], &[FETCHED]].concat(),
            ),
            (&families.withheld, WITHHELD.to_vec()),
        ];
        for (counter, values) in named {
            for value in values {
                counter.with_label_values(&[value]);
            }
        }
        families.read_sessions(&SessionCounts::default());
        families.read_task_contexts(&TaskContextCounts::default());
        families.read_conversations(&ConversationCensus::default());
        families.read_a2a_tasks(&BTreeMap::new());
        families.read_executors((0, 0));
        Ok(Metrics {
            registry,
            families,
            sources: Mutex::default(),
            scenarios: Admitted::at_most(scenarios_max),
            keys_max,
        })
    }

    /// What the store is given.
    pub fn on_commit(&self) -> OnCommit {
        let seconds = self.families.commit_seconds.with_label_values(NO_LABELS);
        let size = self.families.batch_size.with_label_values(NO_LABELS);
        Arc::new(move |took, records| {
            seconds.observe(took);
            size.observe(records as f64);
        })
    }

    /// What the embedder is given.
    pub fn on_embed(&self) -> OnEmbed {
        let seconds = self.families.embed_seconds.with_label_values(NO_LABELS);
        Arc::new(move |took| seconds.observe(took))
    }

    /// What the language model is given; `left` says what is left of its budget: (calls, tokens). Without a model there is no
    /// such series.
    pub fn on_model(&self, left: impl Fn() -> (u64, u64) + Send + Sync + 'static) -> OnModel {
        let families = self.families.clone();
        let seconds = families.question_seconds.with_label_values(NO_LABELS);
        for purpose in Use::ALL.map(Use::name) {
            families.questions.with_label_values(&[purpose, ANSWERED]);
            families.tokens.with_label_values(&[purpose]);
        }
        self.watch(move |families| families.read_budget(left()));
        Arc::new(move |purpose, outcome, took, tokens| {
            families.questions.with_label_values(&[purpose, outcome]).inc();
            families.tokens.with_label_values(&[purpose]).inc_by(tokens);
            seconds.observe(took);
        })
    }

    fn watch(&self, source: impl Fn(&Families) + Send + Sync + 'static) {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.push(Box::new(source));
    }

    /// Takes who says what is being delivered.
    pub fn watch_delivery(&self, census: impl Fn() -> DeliveryCensus + Send + Sync + 'static) {
        self.watch(move |families| families.read_delivery(&census()));
    }

    /// Takes who counts the sessions of shared context.
    pub fn watch_sessions(&self, census: impl Fn() -> SessionCounts + Send + Sync + 'static) {
        self.watch(move |families| families.read_sessions(&census()));
    }

    /// Takes who says how many A2A tasks stand in each state.
    pub fn watch_a2a_tasks(&self, census: impl Fn() -> BTreeMap<Phase, usize> + Send + Sync + 'static) {
        self.watch(move |families| families.read_a2a_tasks(&census()));
    }

    /// Takes who counts what agents know of tasks.
    pub fn watch_task_contexts(&self, census: impl Fn() -> TaskContextCounts + Send + Sync + 'static) {
        self.watch(move |families| families.read_task_contexts(&census()));
    }

    /// Takes who counts the conversations.
    pub fn watch_conversations(&self, census: impl Fn() -> ConversationCensus + Send + Sync + 'static) {
        self.watch(move |families| families.read_conversations(&census()));
    }

    /// Takes who says how many executors are left alone: (open, half open).
    pub fn watch_executors(&self, census: impl Fn() -> (usize, usize) + Send + Sync + 'static) {
        self.watch(move |families| families.read_executors(census()));
    }

    /// Counters of a scenario stand at zero before their first event.
    fn begin(&self, label: &str) {
        let families = &self.families;
        let named: [(_, Vec<&str>); 7] = [
            (&families.submissions, Outcome::ALL.map(Outcome::name).to_vec()),
            (&families.extensions, Outcome::ALL.map(Outcome::name).to_vec()),
            (
                &families.executions,
                Ending::ALL.iter().map(|ending| ending.name()).collect(),
            ),
            (&families.fragments, Fate::ALL.map(Fate::name).to_vec()),
            (&families.triggers, AUDIENCES.to_vec()),
            (&families.key_changes, Change::ALL.map(Change::name).to_vec()),
            (&families.reviews, ReaderOutcome::NAMES.to_vec()),
        ];
        for (counter, values) in named {
            for value in values {
                counter.with_label_values(&[label, value]);
            }
        }
        families.refusals.with_label_values(&[label]);
    }
}

impl MetricsPage for Metrics {
    fn page(&self, census: &[ScenarioStats], health: Health) -> Result<String, String> {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        self.families.reset_scenarios();
        for scenario in census {
            let label = self.scenarios.label(&scenario.scenario);
            self.begin(label);
            self.families.read_scenario(scenario, label, self.keys_max);
        }
        self.families.read_health(health);
        for source in sources.iter() {
            source(&self.families);
        }
        let page = TextEncoder::new().encode_to_string(&self.registry.gather());
        page.map_err(|error| error.to_string())
    }
}

impl Observer for Metrics {
    fn submission(&self, scenario: &str, outcome: Outcome, seconds: f64) {
        let labels = [self.scenarios.label(scenario), outcome.name()];
        self.families.submissions.with_label_values(&labels).inc();
        let histogram = &self.families.submission_seconds;
        histogram.with_label_values(NO_LABELS).observe(seconds);
    }

    fn extension(&self, scenario: &str, outcome: Outcome) {
        let labels = [self.scenarios.label(scenario), outcome.name()];
        self.families.extensions.with_label_values(&labels).inc();
    }

    fn fragment(&self, scenario: &str, fate: Fate) {
        let labels = [self.scenarios.label(scenario), fate.name()];
        self.families.fragments.with_label_values(&labels).inc();
    }

    fn trigger(&self, scenario: &str, audience: &'static str) {
        let labels = [self.scenarios.label(scenario), audience];
        self.families.triggers.with_label_values(&labels).inc();
    }

    fn change(&self, scenario: &str, change: Change) {
        let labels = [self.scenarios.label(scenario), change.name()];
        self.families.key_changes.with_label_values(&labels).inc();
    }

    fn review(&self, scenario: &str, outcome: ReaderOutcome) {
        let label = self.scenarios.label(scenario);
        self.families.reviews.with_label_values(&[label, outcome.name()]).inc();
        if let ReaderOutcome::Answered { refused } = outcome {
            let refusals = self.families.refusals.with_label_values(&[label]);
            refusals.inc_by(refused as u64);
        }
    }

    fn execution(&self, scenario: &str, ending: Ending, seconds: f64) {
        let labels = [self.scenarios.label(scenario), ending.name()];
        self.families.executions.with_label_values(&labels).inc();
        let histogram = &self.families.execution_seconds;
        histogram.with_label_values(NO_LABELS).observe(seconds);
    }

    fn backed_up(&self, at: At) {
        let gauge = self.families.backed_up.with_label_values(NO_LABELS);
        gauge.set(at.0 as f64 / 1_000.0);
    }

    fn context(&self, operation: &'static str, outcome: Outcome, seconds: f64) {
        let labels = [operation, outcome.name()];
        self.families.session_operations.with_label_values(&labels).inc();
        let histogram = &self.families.session_seconds;
        histogram.with_label_values(&[operation]).observe(seconds);
    }

    fn task(&self, phase: Phase) {
        self.families.a2a_states.with_label_values(&[phase.word()]).inc();
    }

    fn task_seconds(&self, seconds: f64) {
        let histogram = &self.families.a2a_seconds;
        histogram.with_label_values(NO_LABELS).observe(seconds);
    }

    fn task_context(&self, step: TaskContextStep) {
        self.families.task_events.with_label_values(&[step.name()]).inc();
    }

    fn verdict(&self, judged: Judged) {
        self.families.task_verdicts.with_label_values(&[judged.name()]).inc();
    }

    fn conversation(&self, event: &'static str) {
        self.families.conversation_events.with_label_values(&[event]).inc();
    }

    fn summary(&self, method: Method) {
        self.families.summaries.with_label_values(&[method.name()]).inc();
    }

    fn passed(&self, how: &'static str) {
        self.families.passed.with_label_values(&[how]).inc();
    }

    fn withheld(&self, what: &'static str, count: usize) {
        let counter = self.families.withheld.with_label_values(&[what]);
        counter.inc_by(count as u64);
    }

    fn message(&self, operation: &'static str, outcome: Outcome) {
        let labels = [operation, outcome.name()];
        self.families.message_operations.with_label_values(&labels).inc();
    }
}

#[cfg(test)]
mod tests;
