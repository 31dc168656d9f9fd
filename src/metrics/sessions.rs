//! What is measured of shared contexts: operations by kind and outcome, seconds, how many sessions and keys there are.
//!
//! No series bears a session, a key or a client.

use std::sync::Arc;
use std::sync::OnceLock;

use prometheus::HistogramOpts;
use prometheus::HistogramVec;
use prometheus::IntCounterVec;
use prometheus::IntGauge;
use prometheus::IntGaugeVec;
use prometheus::Opts;
use prometheus::Registry;

use crate::app::sessions::SessionCounts;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::SESSION_OPERATIONS;
use crate::metrics::OUTCOMES;
use crate::metrics::SECONDS;
use crate::metrics::counter;
use crate::metrics::number;

/// Counts the sessions.
pub type OnSessions = Arc<dyn Fn() -> SessionCounts + Send + Sync>;

/// Series of all shared contexts.
pub struct Contexts {
    operations: IntCounterVec,
    seconds: HistogramVec,
    sessions: IntGaugeVec,
    keys: IntGauge,
    read: OnceLock<OnSessions>,
}

impl std::fmt::Debug for Contexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contexts").finish_non_exhaustive()
    }
}

impl Contexts {
    /// Series in a registry.
    ///
    /// # Errors
    /// When the registry holds them already.
    pub fn within(registry: &Registry) -> Result<Contexts, prometheus::Error> {
        let seconds = HistogramVec::new(
            HistogramOpts::new(
                "otherwise_context_seconds",
                "Time that one operation on a shared context took, durable commit included, by operation.",
            )
            .buckets(SECONDS.to_vec()),
            &["operation"],
        )?;
        registry.register(Box::new(seconds.clone()))?;
        let sessions = IntGaugeVec::new(
            Opts::new(
                "otherwise_context_sessions",
                "Sessions of shared context, open and archived.",
            ),
            &["state"],
        )?;
        registry.register(Box::new(sessions.clone()))?;
        let keys = IntGauge::new("otherwise_context_keys", "Keys of all sessions together.")?;
        registry.register(Box::new(keys.clone()))?;
        let operations = counter(
            registry,
            "otherwise_context_operations_total",
            "Operations on shared contexts by operation and outcome: accepted, turned_away (4xx), failed (5xx).",
            &["operation", "outcome"],
        )?;
        for operation in SESSION_OPERATIONS {
            for outcome in OUTCOMES {
                operations.with_label_values(&[operation, outcome.name()]);
            }
            seconds.with_label_values(&[operation]);
        }
        let contexts = Contexts {
            operations,
            seconds,
            sessions,
            keys,
            read: OnceLock::new(),
        };
        contexts.read();
        Ok(contexts)
    }

    /// Counts one operation.
    pub fn count(&self, operation: &'static str, outcome: Outcome, seconds: f64) {
        self.operations.with_label_values(&[operation, outcome.name()]).inc();
        self.seconds.with_label_values(&[operation]).observe(seconds);
    }

    /// Where to read how many there are; the first one counts.
    pub fn read_from(&self, sessions: OnSessions) {
        let _ = self.read.set(sessions);
    }

    /// Reads how many there are.
    pub fn read(&self) {
        let census = self.read.get().map(|read| read()).unwrap_or_default();
        self.sessions.with_label_values(&["open"]).set(number(census.open));
        self.sessions
            .with_label_values(&["archived"])
            .set(number(census.archived));
        self.keys.set(number(census.keys));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prometheus::Registry;
    use prometheus::TextEncoder;

    use super::Contexts;
    use super::Outcome;
    use super::SessionCounts;

    #[test]
    fn operations_are_counted_from_zero_and_sessions_are_read() {
        let registry = Registry::new();
        let contexts = Contexts::within(&registry).expect("series");
        contexts.count("write", Outcome::Accepted, 0.002);
        contexts.read_from(Arc::new(|| SessionCounts {
            open: 3,
            archived: 1,
            keys: 17,
        }));
        contexts.read();
        let page = TextEncoder::new().encode_to_string(&registry.gather()).expect("a page");
        for line in [
            r#"otherwise_context_operations_total{operation="write",outcome="accepted"} 1"#,
            r#"otherwise_context_operations_total{operation="rollback",outcome="failed"} 0"#,
            r#"otherwise_context_seconds_count{operation="write"} 1"#,
            r#"otherwise_context_sessions{state="open"} 3"#,
            r#"otherwise_context_sessions{state="archived"} 1"#,
            "otherwise_context_keys 17",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }
}
