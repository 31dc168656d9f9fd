//! What is measured of A2A tasks: how many came into each state, how many stand in it, and how long they were worked at.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;

use prometheus::Histogram;
use prometheus::IntCounterVec;
use prometheus::IntGaugeVec;
use prometheus::Opts;
use prometheus::Registry;

use crate::metrics::SECONDS;
use crate::metrics::counter;
use crate::metrics::histogram;
use crate::metrics::number;
use context::a2a_task::phase::Phase;

/// Says how many tasks stand in each state.
pub type OnTasks = Arc<dyn Fn() -> BTreeMap<Phase, usize> + Send + Sync>;

/// Series of all tasks.
pub struct Tasks {
    entered: IntCounterVec,
    seconds: Histogram,
    standing: IntGaugeVec,
    read: OnceLock<OnTasks>,
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").finish_non_exhaustive()
    }
}

impl Tasks {
    /// Series in a registry. Each state has one from the beginning, so that an increase counts its first task too.
    ///
    /// # Errors
    /// When the registry holds them already.
    pub fn within(registry: &Registry) -> Result<Tasks, prometheus::Error> {
        let standing = IntGaugeVec::new(
            Opts::new("otherwise_tasks", "A2A tasks that are kept, by state."),
            &["state"],
        )?;
        registry.register(Box::new(standing.clone()))?;
        let tasks = Tasks {
            entered: counter(
                registry,
                "otherwise_task_states_total",
                "A2A tasks that came into a state since the start, by state.",
                &["state"],
            )?,
            seconds: histogram(
                registry,
                "otherwise_task_seconds",
                "Time from a client's message in an A2A task until the task ended or waited for its client, its turn and an executor's \
                 time included.",
                &[SECONDS, &[20.0, 60.0, 180.0, 600.0]].concat(),
            )?,
            standing,
            read: OnceLock::new(),
        };
        for phase in Phase::ALL {
            tasks.entered.with_label_values(&[phase.word()]);
        }
        tasks.read();
        Ok(tasks)
    }

    /// Counts a task that came into a state.
    pub fn count(&self, phase: Phase) {
        self.entered.with_label_values(&[phase.word()]).inc();
    }

    /// Counts the time that a task was worked at.
    pub fn took(&self, seconds: f64) {
        self.seconds.observe(seconds);
    }

    /// Takes who says how many there are, once.
    pub fn read_from(&self, standing: OnTasks) {
        let _ = self.read.set(standing);
    }

    /// Reads how many there are.
    pub fn read(&self) {
        let counts = self.read.get().map(|read| read()).unwrap_or_default();
        for phase in Phase::ALL {
            let count = counts.get(&phase).copied().unwrap_or_default();
            let count = number(count);
            self.standing.with_label_values(&[phase.word()]).set(count);
        }
    }
}
