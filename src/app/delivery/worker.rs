//! One webhook's worker: up to where it was told, how its last calls ended, and when it is called next.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use sha2::Digest;
use sha2::Sha256;
use tokio::sync::Notify;

use crate::app::delivery::DeliveryOptions;
use crate::app::lock::locked;
use crate::app::ports::Delivered;
use engine::namespace::webhook;
use engine::namespace::webhook::Webhook;
use engine::namespace::webhook::WebhookId;
use schema::name::ScenarioKey;
use schema::time::At;

/// How a webhook stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Calls in a row that failed.
    pub failures: u32,
    pub paused: bool,
    /// Deliveries taken since the start.
    pub delivered: u64,
    /// Attempts that failed since the start.
    pub failed: u64,
    pub last_delivered: Option<At>,
    /// The last call that failed, and how.
    pub last_failure: Option<(At, Delivered)>,
}

/// A webhook that is told.
pub struct DeliveryWorker {
    pub id: WebhookId,
    pub webhook: Webhook,
    pub secret: Vec<u8>,
    marks: Mutex<BTreeMap<ScenarioKey, u64>>,
    standing: Mutex<Standing>,
    /// It answered: there is no need to wait.
    answers: Notify,
}

impl DeliveryWorker {
    /// A worker that goes on from these marks.
    pub fn new(id: WebhookId, webhook: Webhook, secret: Vec<u8>, marks: BTreeMap<ScenarioKey, u64>) -> DeliveryWorker {
        DeliveryWorker {
            id,
            webhook,
            secret,
            marks: Mutex::new(marks),
            standing: Mutex::default(),
            answers: Notify::new(),
        }
    }

    /// The entry up to which it was told of a scenario.
    pub fn mark(&self, scenario: &ScenarioKey) -> u64 {
        locked(&self.marks).get(scenario).copied().unwrap_or_default()
    }

    /// Moves the mark; never back.
    pub fn move_mark(&self, scenario: &ScenarioKey, seq: u64) {
        let mut marks = locked(&self.marks);
        let mark = marks.entry(scenario.clone()).or_default();
        *mark = seq.max(*mark);
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        locked(&self.standing).clone()
    }

    /// It took a delivery that tried it out: it is called again at once.
    pub fn answered(&self) {
        let mut standing = locked(&self.standing);
        standing.failures = 0;
        standing.paused = false;
        drop(standing);
        self.answers.notify_one();
    }

    /// Notes how a call ended.
    pub fn note(&self, outcome: Delivered, at: At, options: &DeliveryOptions) {
        let mut standing = locked(&self.standing);
        match outcome {
            Delivered::Taken(_) | Delivered::Gone => {
                standing.failures = 0;
                standing.paused = false;
                standing.delivered += 1;
                standing.last_delivered = Some(at);
            }
            Delivered::Refused { .. } | Delivered::Failed(_) => {
                standing.failures = standing.failures.saturating_add(1);
                standing.failed += 1;
                standing.last_failure = Some((at, outcome));
                if standing.failures >= options.attempts_max && !standing.paused {
                    standing.paused = true;
                    tracing::warn!(
                        webhook = self.id.as_str(),
                        failures = standing.failures,
                        "a webhook is paused: it took nothing for long; a test call that it takes lets it go on"
                    );
                }
            }
        }
    }

    /// Waits until it may be called again: for its pause, or until it answers.
    pub async fn wait(&self, outcome: Delivered, options: &DeliveryOptions) {
        let pause = self.pause_ms(outcome, options);
        let _ = tokio::time::timeout(Duration::from_millis(pause), self.answers.notified()).await;
    }

    fn pause_ms(&self, outcome: Delivered, options: &DeliveryOptions) -> u64 {
        let standing = self.standing();
        if standing.paused {
            return options.paused_retry_ms;
        }
        let spread = Sha256::digest(format!("{}{}", self.id.as_str(), standing.failed).as_bytes());
        let share = u32::from_be_bytes([0, spread[0], spread[1], spread[2]]) % 1_000_001;
        let own = webhook::pause_ms(
            standing.failures,
            options.first_pause_ms,
            options.longest_pause_ms,
            share,
        );
        let asked = match outcome {
            Delivered::Refused { retry_after_s, .. } => retry_after_s.unwrap_or_default().saturating_mul(1_000),
            Delivered::Taken(_) | Delivered::Gone | Delivered::Failed(_) => 0,
        };
        own.max(asked.min(options.longest_pause_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryWorker;
    use crate::app::delivery::DeliveryOptions;
    use crate::app::ports::Delivered;
    use engine::namespace::webhook::Webhook;
    use engine::namespace::webhook::WebhookId;
    use schema::name::ScenarioKey;
    use schema::time::At;

    const OPTIONS: DeliveryOptions = DeliveryOptions {
        webhooks_max: 1,
        concurrency_max: 1,
        first_pause_ms: 1_000,
        longest_pause_ms: 8_000,
        attempts_max: 3,
        paused_retry_ms: 60_000,
    };

    fn worker() -> DeliveryWorker {
        let webhook = Webhook {
            url: "https://example.com".to_owned(),
            scenarios: [].into(),
            topics: [].into(),
            since: At(0),
        };
        DeliveryWorker::new(WebhookId::of([1; 16]), webhook, vec![1; 32], [].into())
    }

    #[test]
    fn a_webhook_is_paused_at_its_last_attempt_and_goes_on_when_it_answers() {
        let worker = worker();
        let failed = Delivered::Failed("it cannot be reached");
        for (attempt, name) in [(1, "retrying"), (2, "retrying"), (3, "paused"), (4, "paused")] {
            worker.note(failed, At(attempt), &OPTIONS);
            assert_eq!(worker.standing().name(), name, "{attempt}");
        }
        assert_eq!(worker.pause_ms(failed, &OPTIONS), 60_000);
        worker.note(Delivered::Taken(204), At(5), &OPTIONS);
        let standing = worker.standing();
        assert_eq!((standing.name(), standing.delivered, standing.failed), ("active", 1, 4));
        assert_eq!(standing.last_failure, Some((At(4), failed)));
        worker.note(failed, At(6), &OPTIONS);
        worker.answered();
        assert_eq!(worker.standing().name(), "active");
    }

    #[test]
    fn a_receiver_may_ask_for_patience_up_to_the_longest_pause() {
        let worker = worker();
        let refused = |retry_after_s| Delivered::Refused {
            status: 503,
            retry_after_s,
        };
        worker.note(refused(None), At(1), &OPTIONS);
        let own = worker.pause_ms(refused(None), &OPTIONS);
        assert!((500..=1_000).contains(&own), "{own}");
        assert_eq!(worker.pause_ms(refused(Some(5)), &OPTIONS), 5_000);
        assert_eq!(worker.pause_ms(refused(Some(u64::MAX)), &OPTIONS), 8_000);
        assert_eq!(worker.pause_ms(refused(Some(0)), &OPTIONS), own);
    }

    #[test]
    fn a_mark_never_moves_back() {
        let worker = worker();
        let scenario = ScenarioKey::parse("a").expect("a scenario");
        worker.move_mark(&scenario, 7);
        worker.move_mark(&scenario, 5);
        assert_eq!(worker.mark(&scenario), 7);
    }
}
