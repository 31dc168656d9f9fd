//! What is measured of executors: calls by scenario and ending, seconds, how many are left alone.
//!
//! No series bears an address: who runs what is nobody's business who may scrape.

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
use engine::scenario::execution::Ending;

/// Says how many executors stand so: (open, half open).
pub type LeftAlone = Arc<dyn Fn() -> (usize, usize) + Send + Sync>;

/// Series of all executors.
pub struct Executions {
    calls: IntCounterVec,
    seconds: Histogram,
    left_alone: IntGaugeVec,
    read: OnceLock<LeftAlone>,
}

impl std::fmt::Debug for Executions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executions").finish_non_exhaustive()
    }
}

impl Executions {
    /// Series in a registry.
    ///
    /// # Errors
    /// When the registry holds them already.
    pub fn within(registry: &Registry) -> Result<Executions, prometheus::Error> {
        let left_alone = IntGaugeVec::new(
            Opts::new(
                "otherwise_executors_left_alone",
                "Executors that are not called after failures in a row (open), or by one call alone (half_open).",
            ),
            &["state"],
        )?;
        registry.register(Box::new(left_alone.clone()))?;
        let executions = Executions {
            calls: counter(
                registry,
                "otherwise_executions_total",
                "Calls of executors by scenario and outcome (answered, failed, timed_out, bad_result and so on).",
                &["scenario", "outcome"],
            )?,
            seconds: histogram(
                registry,
                "otherwise_execution_seconds",
                "Time that one call of an executor took, attempts and pauses included.",
                &[SECONDS, &[20.0, 60.0, 180.0, 600.0]].concat(),
            )?,
            left_alone,
            read: OnceLock::new(),
        };
        executions.read();
        Ok(executions)
    }

    /// Counters of a scenario stand at zero before their first call.
    pub fn begin(&self, scenario: &str) {
        for ending in Ending::ALL {
            self.calls.with_label_values(&[scenario, ending.name()]);
        }
    }

    /// Counts one call.
    pub fn count(&self, scenario: &str, ending: Ending, seconds: f64) {
        self.calls.with_label_values(&[scenario, ending.name()]).inc();
        self.seconds.observe(seconds);
    }

    /// Where to read how many are left alone; the first one counts.
    pub fn read_from(&self, left_alone: LeftAlone) {
        let _ = self.read.set(left_alone);
    }

    /// Reads how many are left alone.
    pub fn read(&self) {
        let (open, half_open) = self.read.get().map_or((0, 0), |read| read());
        for (state, count) in [("open", open), ("half_open", half_open)] {
            let count = number(count);
            self.left_alone.with_label_values(&[state]).set(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prometheus::Registry;
    use prometheus::TextEncoder;

    use super::Executions;
    use engine::scenario::execution::Ending;

    #[test]
    fn calls_are_counted_by_ending_and_who_is_left_alone_is_read_z007() {
        let registry = Registry::new();
        let executions = Executions::within(&registry).expect("series");
        executions.begin("trip");
        executions.count("trip", Ending::TimedOut, 1.5);
        executions.read_from(Arc::new(|| (2, 1)));
        executions.read();
        let page = TextEncoder::new().encode_to_string(&registry.gather()).expect("a page");
        for line in [
            r#"otherwise_executions_total{outcome="timed_out",scenario="trip"} 1"#,
            r#"otherwise_executions_total{outcome="answered",scenario="trip"} 0"#,
            r#"otherwise_executors_left_alone{state="open"} 2"#,
            r#"otherwise_executors_left_alone{state="half_open"} 1"#,
            "otherwise_execution_seconds_count 1",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }
}
