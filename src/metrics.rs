//! What is measured (docs/design.md §12): counters and histograms that are told, gauges that are read at scrape time.
//!
//! Owns its registry; there is no global one. Invariant: the number of series is bounded, whatever scenarios and keys
//! there are: beyond the caps everything is counted under `_overflow`.

pub mod census;
pub mod families;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;

use prometheus::HistogramVec;
use prometheus::IntCounterVec;
use prometheus::Registry;
use prometheus::TextEncoder;
use strum::VariantNames;

use crate::app::conversations::ConversationCensus;
use crate::app::learning::ScenarioStats;
use crate::app::ports::Observer;
use crate::app::sessions::SessionCounts;
use crate::app::task_contexts::TaskContextCounts;
use crate::app::telemetry::AUDIENCES;
use crate::app::telemetry::CONVERSATION_EVENTS;
use crate::app::telemetry::FETCHED;
use crate::app::telemetry::Fate;
use crate::app::telemetry::MESSAGE_OPERATIONS;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::ReaderOutcome;
use crate::app::telemetry::TaskContextStep;
use crate::app::telemetry::WITHHELD;
use crate::app::telemetry::key_changes;
use crate::app::telemetry::session_operations;
use crate::metrics::census::NO_LABELS;
use crate::metrics::families::Families;
use crate::wire::authenticator::Health;
use crate::wire::authenticator::MetricsPage;
use context::a2a_task::phase::Phase;
use context::conversation::recipient::Pattern;
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

/// Reads something into its families at scrape time.
type Source = Box<dyn Fn(&Families) + Send + Sync>;

/// Everything that is measured.
pub struct Metrics {
    registry: Registry,
    families: Families,
    /// Held while a page is made: a scrape sets its gauges anew.
    sources: Mutex<Vec<Source>>,
    /// Scenarios with series of their own: the first that were seen.
    scenarios: Mutex<BTreeSet<String>>,
    scenarios_max: usize,
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
        for outcome in &OUTCOMES {
            let outcome = outcome.as_ref();
            for operation in session_operations() {
                families.session_operations.with_label_values(&[operation, outcome]);
                families.session_seconds.with_label_values(&[operation]);
            }
            for operation in MESSAGE_OPERATIONS {
                families.message_operations.with_label_values(&[operation, outcome]);
            }
        }
        let named: [(_, Vec<&str>); 6] = [
            (&families.a2a_states, Phase::all().map(Phase::word).collect()),
            (&families.task_events, TaskContextStep::VARIANTS.to_vec()),
            (&families.task_verdicts, Judged::ALL.map(Judged::name).to_vec()),
            (&families.conversation_events, CONVERSATION_EVENTS.to_vec()),
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
            scenarios: Mutex::default(),
            scenarios_max,
            keys_max,
        })
    }

    /// What the store is given, to tell of each commit: seconds, records.
    pub fn on_commit(&self) -> impl Fn(f64, usize) + Send + use<> {
        let seconds = self.families.commit_seconds.with_label_values(NO_LABELS);
        let size = self.families.batch_size.with_label_values(NO_LABELS);
        move |took, records| {
            seconds.observe(took);
            size.observe(records as f64);
        }
    }

    /// What the embedder is given, to tell of each batch: seconds, texts.
    pub fn on_embed(&self) -> impl Fn(f64, usize) + Send + Sync + use<> {
        let seconds = self.families.embed_seconds.with_label_values(NO_LABELS);
        move |took, _texts| seconds.observe(took)
    }

    /// What the language model is given, to tell of each question: use, outcome, seconds, tokens; `left` says what is left of its
    /// budget: (calls, tokens). Without a model there is no such series.
    pub fn on_model<L>(&self, left: L) -> impl Fn(&'static str, &'static str, f64, u64) + Send + Sync + use<L>
    where
        L: Fn() -> (u64, u64) + Send + Sync + 'static,
    {
        let families = self.families.clone();
        let seconds = families.question_seconds.with_label_values(NO_LABELS);
        for purpose in Use::ALL.map(Use::name) {
            families.questions.with_label_values(&[purpose, ANSWERED]);
            families.tokens.with_label_values(&[purpose]);
        }
        self.watch(move |families| families.read_budget(left()));
        move |purpose, outcome, took, tokens| {
            families.questions.with_label_values(&[purpose, outcome]).inc();
            families.tokens.with_label_values(&[purpose]).inc_by(tokens);
            seconds.observe(took);
        }
    }

    /// Takes who reads something into its families at each scrape.
    pub fn watch(&self, source: impl Fn(&Families) + Send + Sync + 'static) {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.push(Box::new(source));
    }

    /// A scenario's own label, or `_overflow` when there is no room for it. Which was admitted once stays.
    fn label<'a>(&self, scenario: &'a str) -> &'a str {
        let mut admitted = self.scenarios.lock().unwrap_or_else(PoisonError::into_inner);
        if admitted.contains(scenario) || admitted.len() < self.scenarios_max && admitted.insert(scenario.to_owned()) {
            scenario
        } else {
            OVERFLOW
        }
    }

    /// Counters of a scenario stand at zero before their first event.
    fn begin(&self, label: &str) {
        let families = &self.families;
        let named: [(_, Vec<&str>); 7] = [
            (&families.submissions, Outcome::VARIANTS.to_vec()),
            (&families.extensions, Outcome::VARIANTS.to_vec()),
            (
                &families.executions,
                Ending::ALL.iter().map(|ending| ending.name()).collect(),
            ),
            (&families.fragments, Fate::VARIANTS.to_vec()),
            (&families.triggers, AUDIENCES.to_vec()),
            (&families.key_changes, key_changes().collect()),
            (&families.reviews, ReaderOutcome::VARIANTS.to_vec()),
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
            let label = self.label(&scenario.scenario);
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

fn count(counter: &IntCounterVec, labels: &[&str]) {
    counter.with_label_values(labels).inc();
}

fn observe(histogram: &HistogramVec, seconds: f64) {
    histogram.with_label_values(NO_LABELS).observe(seconds);
}

impl Observer for Metrics {
    fn submission(&self, scenario: &str, outcome: Outcome, seconds: f64) {
        count(&self.families.submissions, &[self.label(scenario), outcome.as_ref()]);
        observe(&self.families.submission_seconds, seconds);
    }

    fn extension(&self, scenario: &str, outcome: Outcome) {
        count(&self.families.extensions, &[self.label(scenario), outcome.as_ref()]);
    }

    fn fragment(&self, scenario: &str, fate: Fate) {
        count(&self.families.fragments, &[self.label(scenario), fate.as_ref()]);
    }

    fn trigger(&self, scenario: &str, audience: &'static str) {
        count(&self.families.triggers, &[self.label(scenario), audience]);
    }

    fn change(&self, scenario: &str, change: &'static str) {
        count(&self.families.key_changes, &[self.label(scenario), change]);
    }

    fn review(&self, scenario: &str, outcome: ReaderOutcome) {
        let label = self.label(scenario);
        count(&self.families.reviews, &[label, outcome.as_ref()]);
        if let ReaderOutcome::Answered { refused } = outcome {
            let refusals = self.families.refusals.with_label_values(&[label]);
            refusals.inc_by(refused as u64);
        }
    }

    fn execution(&self, scenario: &str, ending: Ending, seconds: f64) {
        count(&self.families.executions, &[self.label(scenario), ending.name()]);
        observe(&self.families.execution_seconds, seconds);
    }

    fn backed_up(&self, at: At) {
        let gauge = self.families.backed_up.with_label_values(NO_LABELS);
        gauge.set(at.0 as f64 / 1_000.0);
    }

    fn context(&self, operation: &'static str, outcome: Outcome, seconds: f64) {
        count(&self.families.session_operations, &[operation, outcome.as_ref()]);
        let histogram = &self.families.session_seconds;
        histogram.with_label_values(&[operation]).observe(seconds);
    }

    fn task(&self, phase: Phase) {
        count(&self.families.a2a_states, &[phase.word()]);
    }

    fn task_seconds(&self, seconds: f64) {
        observe(&self.families.a2a_seconds, seconds);
    }

    fn task_context(&self, step: TaskContextStep) {
        count(&self.families.task_events, &[step.as_ref()]);
    }

    fn verdict(&self, judged: Judged) {
        count(&self.families.task_verdicts, &[judged.name()]);
    }

    fn conversation(&self, event: &'static str) {
        count(&self.families.conversation_events, &[event]);
    }

    fn passed(&self, how: &'static str) {
        count(&self.families.passed, &[how]);
    }

    fn withheld(&self, what: &'static str, number: usize) {
        let counter = self.families.withheld.with_label_values(&[what]);
        counter.inc_by(number as u64);
    }

    fn message(&self, operation: &'static str, outcome: Outcome) {
        count(&self.families.message_operations, &[operation, outcome.as_ref()]);
    }
}

#[cfg(test)]
mod tests;
