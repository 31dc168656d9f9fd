//! What is measured of a configured model: calls by use and outcome, tokens, seconds, what is left of the day's budget.
//!
//! Without a model there is no such series. What is left is read at scrape time, so that it is right after midnight too.

use std::sync::Arc;

use prometheus::Histogram;
use prometheus::IntCounterVec;
use prometheus::IntGaugeVec;
use prometheus::Opts;
use prometheus::Registry;

use crate::metrics::SECONDS;
use crate::metrics::counter;
use crate::metrics::histogram;
use crate::metrics::number;
use schema::question::Use;

/// The outcome of a question that was answered.
const ANSWERED: &str = "answered";

/// Says what is left of the day's budget: (calls, tokens).
pub type BudgetLeft = Arc<dyn Fn() -> (u64, u64) + Send + Sync>;

/// Series of one model.
pub struct Asked {
    calls: IntCounterVec,
    tokens: IntCounterVec,
    seconds: Histogram,
    left: IntGaugeVec,
    budget: BudgetLeft,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").finish_non_exhaustive()
    }
}

impl Asked {
    /// Series in a registry.
    ///
    /// # Errors
    /// When the registry holds them already.
    pub fn within(registry: &Registry, budget: BudgetLeft) -> Result<Asked, prometheus::Error> {
        let seconds = histogram(
            registry,
            "otherwise_model_seconds",
            "Time from a question to the language model to its end, waiting included.",
            &[SECONDS, &[20.0, 60.0, 180.0]].concat(),
        )?;
        let left = IntGaugeVec::new(
            Opts::new(
                "otherwise_model_budget_left",
                "What is left of the language model's budget of this UTC day, in calls and in tokens.",
            ),
            &["unit"],
        )?;
        registry.register(Box::new(left.clone()))?;
        let asked = Asked {
            calls: counter(
                registry,
                "otherwise_model_questions_total",
                "Questions to the language model by use and outcome (answered, timeout, budget and so on).",
                &["use", "outcome"],
            )?,
            tokens: counter(
                registry,
                "otherwise_model_tokens_total",
                "Tokens of questions and answers by use, as the language model's server counted them.",
                &["use"],
            )?,
            seconds,
            left,
            budget,
        };
        // At zero before the first question, so that an increase counts that one too.
        for purpose in Use::ALL {
            asked.calls.with_label_values(&[purpose.name(), ANSWERED]);
            asked.tokens.with_label_values(&[purpose.name()]);
        }
        Ok(asked)
    }

    /// Counts one question. Both words come out of short lists of this program.
    pub fn count(&self, purpose: &str, outcome: &str, seconds: f64, tokens: u64) {
        self.calls.with_label_values(&[purpose, outcome]).inc();
        self.tokens.with_label_values(&[purpose]).inc_by(tokens);
        self.seconds.observe(seconds);
    }

    /// Reads what is left.
    pub fn read(&self) {
        let (calls, tokens) = (self.budget)();
        for (unit, left) in [("calls", calls), ("tokens", tokens)] {
            let left = number(left);
            self.left.with_label_values(&[unit]).set(left);
        }
    }
}
