//! What is measured of what agents know of tasks: what happened, what evaluations found, how much is kept.
//!
//! No series bears a task, an agent or a content.

use std::sync::Arc;
use std::sync::OnceLock;

use prometheus::IntCounterVec;
use prometheus::IntGauge;
use prometheus::IntGaugeVec;
use prometheus::Opts;
use prometheus::Registry;

use crate::app::task_contexts::TaskContextCounts;
use crate::app::telemetry::task_contexts::TaskContextStep;
use crate::metrics::counter;
use crate::metrics::number;
use context::task_context::evaluation::Judged;
use context::task_context::round;

/// Counts what is kept.
pub type OnTaskContexts = Arc<dyn Fn() -> TaskContextCounts + Send + Sync>;

/// Series of all task contexts.
pub struct Works {
    events: IntCounterVec,
    verdicts: IntCounterVec,
    tasks: IntGaugeVec,
    subtasks: IntGaugeVec,
    contents: IntGauge,
    content_bytes: IntGauge,
    content_bytes_max: IntGauge,
    read: OnceLock<OnTaskContexts>,
}

impl std::fmt::Debug for Works {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Works").finish_non_exhaustive()
    }
}

impl Works {
    /// Series in a registry; each stands at zero from the beginning.
    ///
    /// # Errors
    /// When the registry holds them already.
    pub fn within(registry: &Registry) -> Result<Works, prometheus::Error> {
        let by_state = |name: &str, help: &str| {
            let gauge = IntGaugeVec::new(Opts::new(name, help), &["state"])?;
            registry.register(Box::new(gauge.clone()))?;
            Ok::<_, prometheus::Error>(gauge)
        };
        let gauge = |name: &str, help: &str| {
            let gauge = IntGauge::new(name, help)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok::<_, prometheus::Error>(gauge)
        };
        let works = Works {
            events: counter(
                registry,
                "otherwise_task_context_events_total",
                "What happened to task contexts, subtasks, rounds and contents since the start, by event.",
                &["event"],
            )?,
            verdicts: counter(
                registry,
                "otherwise_task_context_verdicts_total",
                "Items that were evaluated after an agent gave them back, by verdict: verified, unverified, unfinished.",
                &["verdict"],
            )?,
            tasks: by_state(
                "otherwise_task_contexts",
                "Task contexts that are kept, open and closed.",
            )?,
            subtasks: by_state(
                "otherwise_task_context_subtasks",
                "Subtasks of task contexts that are kept, by state.",
            )?,
            contents: gauge(
                "otherwise_task_context_contents",
                "Contents that are kept outside of contexts.",
            )?,
            content_bytes: gauge(
                "otherwise_task_context_content_bytes",
                "Bytes of these contents together.",
            )?,
            content_bytes_max: gauge(
                "otherwise_task_context_content_bytes_max",
                "Bytes that these contents together may have (tasks.contents_bytes_max).",
            )?,
            read: OnceLock::new(),
        };
        for step in TaskContextStep::ALL {
            works.events.with_label_values(&[step.name()]);
        }
        for judged in Judged::ALL {
            works.verdicts.with_label_values(&[judged.name()]);
        }
        works.read();
        Ok(works)
    }

    /// Counts something that happened.
    pub fn count(&self, step: TaskContextStep) {
        self.events.with_label_values(&[step.name()]).inc();
    }

    /// Counts an item that was evaluated.
    pub fn judged(&self, judged: Judged) {
        self.verdicts.with_label_values(&[judged.name()]).inc();
    }

    /// Takes who says how much there is, once.
    pub fn read_from(&self, works: OnTaskContexts) {
        let _ = self.read.set(works);
    }

    /// Reads how much there is.
    pub fn read(&self) {
        let census = self.read.get().map(|read| read()).unwrap_or_default();
        self.tasks.with_label_values(&["open"]).set(number(census.open));
        self.tasks.with_label_values(&["closed"]).set(number(census.closed));
        for state in round::STATES {
            let count = census.subtasks.get(state).copied().unwrap_or_default();
            self.subtasks.with_label_values(&[state]).set(number(count));
        }
        self.contents.set(number(census.contents));
        self.content_bytes.set(number(census.content_bytes));
        self.content_bytes_max.set(number(census.content_bytes_max));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use prometheus::Registry;
    use prometheus::TextEncoder;

    use super::Judged;
    use super::TaskContextCounts;
    use super::TaskContextStep;
    use super::Works;

    #[test]
    fn steps_are_counted_from_zero_and_what_is_kept_is_read() {
        let registry = Registry::new();
        let works = Works::within(&registry).expect("series");
        works.count(TaskContextStep::Begun);
        works.judged(Judged::Unverified);
        works.read_from(Arc::new(|| TaskContextCounts {
            open: 2,
            closed: 1,
            subtasks: BTreeMap::from([("sent", 4)]),
            contents: 3,
            content_bytes: 700,
            content_bytes_max: 1_000,
        }));
        works.read();
        let page = TextEncoder::new().encode_to_string(&registry.gather()).expect("a page");
        for line in [
            r#"otherwise_task_context_events_total{event="begun"} 1"#,
            r#"otherwise_task_context_events_total{event="expired"} 0"#,
            r#"otherwise_task_context_verdicts_total{verdict="unverified"} 1"#,
            r#"otherwise_task_context_verdicts_total{verdict="verified"} 0"#,
            r#"otherwise_task_contexts{state="open"} 2"#,
            r#"otherwise_task_contexts{state="closed"} 1"#,
            r#"otherwise_task_context_subtasks{state="sent"} 4"#,
            r#"otherwise_task_context_subtasks{state="waiting"} 0"#,
            "otherwise_task_context_contents 3",
            "otherwise_task_context_content_bytes 700",
            "otherwise_task_context_content_bytes_max 1000",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }
}
