//! What stands at the moment of a scrape, as gauges: scenarios and their keys, health, deliveries, and what agents share.
//!
//! Invariant: what is gone leaves no series behind.

use std::collections::BTreeMap;

use prometheus::GaugeVec;

use crate::app::conversations::ConversationCensus;
use crate::app::delivery::WebhookCensus;
use crate::app::learning::KeyStats;
use crate::app::learning::ScenarioStats;
use crate::app::sessions::SessionCounts;
use crate::app::task_contexts::TaskContextCounts;
use crate::metrics::OVERFLOW;
use crate::metrics::families::Families;
use crate::wire::authenticator::Health;
use context::a2a_task::phase::Phase;
use context::task_context::rounds;

/// Labels of a family that has none.
pub const NO_LABELS: &[&str] = &[];

/// What is being delivered at the moment of a scrape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryCensus {
    pub streams_open: usize,
    /// As many as may be registered, at the most.
    pub webhooks: Vec<WebhookCensus>,
}

/// Reads one ratio of a key.
type Ratio = fn(&KeyStats) -> Option<f64>;

fn set(gauge: &GaugeVec, value: f64) {
    gauge.with_label_values(NO_LABELS).set(value);
}

fn flag(set: bool) -> f64 {
    f64::from(u8::from(set))
}

impl Families {
    /// Reads the sessions.
    pub fn read_sessions(&self, census: &SessionCounts) {
        for (state, count) in [("open", census.open), ("archived", census.archived)] {
            self.sessions.with_label_values(&[state]).set(count as f64);
        }
        set(&self.session_keys, census.keys as f64);
    }

    /// Reads what agents know of tasks.
    pub fn read_task_contexts(&self, census: &TaskContextCounts) {
        for (state, count) in [("open", census.open), ("closed", census.closed)] {
            self.task_contexts.with_label_values(&[state]).set(count as f64);
        }
        for state in rounds::STATES {
            let count = census.subtasks.get(state).copied().unwrap_or_default();
            self.subtasks.with_label_values(&[state]).set(count as f64);
        }
        set(&self.contents, census.contents as f64);
        set(&self.content_bytes, census.content_bytes as f64);
        set(&self.content_bytes_max, census.content_bytes_max as f64);
    }

    /// Reads the conversations.
    pub fn read_conversations(&self, census: &ConversationCensus) {
        set(&self.conversations, census.conversations as f64);
        set(&self.turns, census.turns as f64);
        set(&self.summarised_turns, census.summarised_turns as f64);
    }

    /// Reads how many A2A tasks stand in each state.
    pub fn read_a2a_tasks(&self, census: &BTreeMap<Phase, usize>) {
        for phase in Phase::all() {
            let count = census.get(&phase).copied().unwrap_or_default();
            self.a2a_tasks.with_label_values(&[phase.word()]).set(count as f64);
        }
    }

    /// Reads how many executors are left alone, and how many are on probation.
    pub fn read_executors(&self, (open, half_open): (usize, usize)) {
        for (state, count) in [("open", open), ("half_open", half_open)] {
            self.executors_left_alone.with_label_values(&[state]).set(count as f64);
        }
    }

    /// Reads what is left of a model's budget.
    pub fn read_budget(&self, (calls, tokens): (u64, u64)) {
        for (unit, left) in [("calls", calls), ("tokens", tokens)] {
            self.budget_left.with_label_values(&[unit]).set(left as f64);
        }
    }

    /// Reads streams and webhooks.
    pub fn read_delivery(&self, census: &DeliveryCensus) {
        self.letters.reset();
        self.webhook_waiting.reset();
        self.webhook_paused.reset();
        set(&self.streams_open, census.streams_open as f64);
        for webhook in &census.webhooks {
            let id = webhook.id.as_str();
            self.letters
                .with_label_values(&[id, "delivered"])
                .inc_by(webhook.delivered);
            self.letters.with_label_values(&[id, "failed"]).inc_by(webhook.failed);
            self.webhook_waiting
                .with_label_values(&[id])
                .set(webhook.waiting as f64);
            self.webhook_paused.with_label_values(&[id]).set(flag(webhook.paused));
        }
    }

    /// Reads how the service is; what is not known has no series.
    pub fn read_health(&self, health: Health) {
        set(&self.ready, flag(health.ready));
        let known = [
            (&self.writable, health.writable.map(flag)),
            (&self.read_only, health.read_only.map(flag)),
            (&self.free_bytes, health.free_bytes.map(|bytes| bytes as f64)),
        ];
        for (gauge, value) in known {
            gauge.reset();
            if let Some(value) = value {
                set(gauge, value);
            }
        }
    }

    /// Forgets every scenario.
    pub fn reset_scenarios(&self) {
        for gauge in [
            &self.other_ratio,
            &self.clients,
            &self.pending,
            &self.stalled,
            &self.frozen,
            &self.approval_waits,
            &self.waits,
            &self.queue_length,
            &self.audits_waiting,
            &self.languages,
            &self.reembedding,
            &self.clusters,
            &self.heat_max,
            &self.keys,
            &self.usage,
            &self.alignment,
            &self.type_ok,
            &self.adoption,
        ] {
            gauge.reset();
        }
        self.audits.reset();
    }

    /// Adds a scenario to what is under its label.
    pub fn read_scenario(&self, census: &ScenarioStats, label: &str, keys_max: usize) {
        for (gauge, value) in [
            (&self.reembedding, census.reembedding as f64),
            (&self.clusters, census.clusters as f64),
            (&self.queue_length, census.queue_length as f64),
            (&self.clients, census.clients as f64),
            (&self.pending, census.pending as f64),
            (&self.stalled, flag(census.stalled)),
            (&self.frozen, flag(census.frozen)),
            (&self.audits_waiting, census.audits_waiting as f64),
        ] {
            gauge.with_label_values(&[label]).add(value);
        }
        for (gauge, value) in [
            (&self.approval_waits, census.approval_waits_s as f64),
            (&self.heat_max, census.heat_max),
        ] {
            let gauge = gauge.with_label_values(&[label]);
            gauge.set(gauge.get().max(value));
        }
        for (reason, count) in &census.waits {
            self.waits.with_label_values(&[label, reason]).add(*count as f64);
        }
        for (verdict, count) in &census.audits {
            self.audits.with_label_values(&[label, verdict]).inc_by(*count);
        }
        for (stage, keys) in &census.keys_by_stage {
            self.keys.with_label_values(&[label, stage]).add(*keys as f64);
        }
        // Ratios of scenarios that share a label cannot be added, so they are left out.
        if label == OVERFLOW {
            return;
        }
        if let Some(ratio) = census.other_ratio {
            self.other_ratio.with_label_values(&[label]).set(ratio);
        }
        for (language, share) in &census.languages {
            self.languages.with_label_values(&[label, language]).set(*share);
        }
        let (own, rest) = census.keys.split_at(census.keys.len().min(keys_max));
        let ratios: [(&GaugeVec, Ratio); 4] = [
            (&self.usage, |key| key.usage_ratio),
            (&self.alignment, |key| key.alignment_ratio),
            (&self.type_ok, |key| key.type_ratio),
            (&self.adoption, |key| key.adoption_ratio),
        ];
        for (gauge, ratio) in ratios {
            for key in own {
                if let Some(value) = ratio(key) {
                    gauge.with_label_values(&[label, &key.key, key.stage]).set(value);
                }
            }
            for (stage, mean) in means(rest, ratio) {
                gauge.with_label_values(&[label, OVERFLOW, stage]).set(mean);
            }
        }
    }
}

/// The mean of a ratio over the keys beyond the cap, by stage; undefined ratios do not count (Z-160).
fn means(keys: &[KeyStats], ratio: Ratio) -> Vec<(&'static str, f64)> {
    let mut by_stage: BTreeMap<&'static str, (f64, f64)> = BTreeMap::new();
    for (key, value) in keys.iter().filter_map(|key| Some((key, ratio(key)?))) {
        let (sum, count) = by_stage.entry(key.stage).or_default();
        *sum += value;
        *count += 1.0;
    }
    let mean = |(stage, (sum, count)): (_, (f64, f64))| (stage, sum / count);
    by_stage.into_iter().map(mean).collect()
}
