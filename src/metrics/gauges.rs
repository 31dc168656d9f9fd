//! The census as gauges, made anew at each scrape so that what is gone leaves no series behind.

use std::collections::BTreeMap;

use prometheus::CounterVec;
use prometheus::Gauge;
use prometheus::GaugeVec;
use prometheus::Opts;
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;

use crate::app::scenario_stats::KeyStats;
use crate::app::scenario_stats::ScenarioStats;
use crate::metrics::OVERFLOW;
use crate::metrics::admitted::Admitted;
use crate::wire::authenticator::Health;

/// The gauges of one scrape.
struct Gauges {
    ready: Gauge,
    /// Without a label, so that it can be left out.
    writable: GaugeVec,
    read_only: GaugeVec,
    free_bytes: GaugeVec,
    other_ratio: GaugeVec,
    clients: GaugeVec,
    pending: GaugeVec,
    stalled: GaugeVec,
    frozen: GaugeVec,
    approval_waits: GaugeVec,
    waits: GaugeVec,
    languages: GaugeVec,
    audits_waiting: GaugeVec,
    /// Counted by the state, so that it outlives the process.
    audits: CounterVec,
    reembedding: GaugeVec,
    clusters: GaugeVec,
    heat_max: GaugeVec,
    keys: GaugeVec,
    queue_length: GaugeVec,
    usage: GaugeVec,
    alignment: GaugeVec,
    type_ok: GaugeVec,
    adoption: GaugeVec,
}

/// Reads one ratio of a key.
type Ratio = fn(&KeyStats) -> Option<f64>;

/// The ratios of the keys that share one stage, for a mean.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

/// One family for each gauge that has at least one series.
///
/// # Errors
/// When a gauge's definition is refused, which no input can bring about.
pub fn families(
    census: &[ScenarioStats],
    health: Health,
    admitted: &Admitted,
    keys_max: usize,
) -> Result<Vec<MetricFamily>, prometheus::Error> {
    let gauges = Gauges::new()?;
    gauges.health(health);
    for scenario in census {
        gauges.scenario(scenario, admitted.label(&scenario.scenario), keys_max);
    }
    Ok(gauges.gather())
}

impl Gauges {
    fn new() -> Result<Gauges, prometheus::Error> {
        let gauge = |name: &str, help: &str, labels: &[&str]| GaugeVec::new(Opts::new(name, help), labels);
        let key = ["scenario", "key", "stage"];
        Ok(Gauges {
            ready: Gauge::with_opts(Opts::new("otherwise_ready", "1 while /readyz answers 200, else 0."))?,
            writable: gauge(
                "otherwise_store_writable",
                "1 while the store takes appends, else 0; none before it is open.",
                &[],
            )?,
            read_only: gauge(
                "otherwise_read_only",
                "1 while a person or the settings keep the service from writing, else 0; none before the store is open.",
                &[],
            )?,
            free_bytes: gauge(
                "otherwise_store_free_bytes",
                "Bytes free on the disk that holds the journals; none where that is not known.",
                &[],
            )?,
            other_ratio: gauge(
                "otherwise_other_ratio",
                "Share of payloads that used other, over the ledger's window.",
                &["scenario"],
            )?,
            clients: gauge(
                "otherwise_clients",
                "Distinct clients over the ledger's window.",
                &["scenario"],
            )?,
            pending: gauge(
                "otherwise_submissions_pending",
                "Submissions whose fragments have not been read into the pool yet.",
                &["scenario"],
            )?,
            stalled: gauge(
                "otherwise_scenario_stalled",
                "1 when nothing is learned because the journal cannot be read back or a worker panicked, else 0.",
                &["scenario"],
            )?,
            frozen: gauge(
                "otherwise_scenario_frozen",
                "1 while a person has stopped evolution, else 0.",
                &["scenario"],
            )?,
            approval_waits: gauge(
                "otherwise_approval_waiting_seconds",
                "How long the proposal that waits longest for a person has waited; 0 when none does.",
                &["scenario"],
            )?,
            waits: gauge(
                "otherwise_waits",
                "Proposals and clusters that wait, by what they wait for; a proposal counts for each of its reasons.",
                &["scenario", "reason"],
            )?,
            languages: gauge(
                "otherwise_pool_languages",
                "Share of a pool's fragments, of those whose language could be told, by language.",
                &["scenario", "language"],
            )?,
            audits_waiting: gauge(
                "otherwise_audits_waiting",
                "Values of patch keys that wait for a person's verdict.",
                &["scenario"],
            )?,
            audits: CounterVec::new(
                Opts::new(
                    "otherwise_audits_total",
                    "Verdicts that people gave on values of patch keys.",
                ),
                &["scenario", "verdict"],
            )?,
            reembedding: gauge(
                "otherwise_pool_reembedding",
                "Micro-clusters that still have to be embedded anew after a change of the model; 0 when none.",
                &["scenario"],
            )?,
            clusters: gauge("otherwise_pool_clusters", "Clusters in the pool.", &["scenario"])?,
            heat_max: gauge("otherwise_heat_max", "Heat of the hottest cluster.", &["scenario"])?,
            keys: gauge(
                "otherwise_keys",
                "Keys of the patch layer by stage.",
                &["scenario", "stage"],
            )?,
            queue_length: gauge(
                "otherwise_queue_length",
                "Proposals that wait for room in the convergence guard.",
                &["scenario"],
            )?,
            usage: gauge("otherwise_key_usage_ratio", "Usage frequency of a key.", &key)?,
            alignment: gauge(
                "otherwise_key_alignment_ratio",
                "Semantic alignment accuracy of a key.",
                &key,
            )?,
            type_ok: gauge("otherwise_key_type_ratio", "Value type correctness of a key.", &key)?,
            adoption: gauge("otherwise_key_adoption_ratio", "Client adoption rate of a key.", &key)?,
        })
    }

    fn health(&self, health: Health) {
        self.ready.set(f64::from(u8::from(health.ready)));
        let none: [&str; 0] = [];
        for (gauge, said) in [(&self.writable, health.writable), (&self.read_only, health.read_only)] {
            if let Some(said) = said {
                gauge.with_label_values(&none).set(f64::from(u8::from(said)));
            }
        }
        if let Some(bytes) = health.free_bytes {
            self.free_bytes.with_label_values(&none).set(bytes as f64);
        }
    }

    fn scenario(&self, census: &ScenarioStats, label: &str, keys_max: usize) {
        let one = [label];
        self.reembedding.with_label_values(&one).add(census.reembedding as f64);
        self.clusters.with_label_values(&one).add(census.clusters as f64);
        self.queue_length
            .with_label_values(&one)
            .add(census.queue_length as f64);
        self.clients.with_label_values(&one).add(census.clients as f64);
        self.pending.with_label_values(&one).add(census.pending as f64);
        let stalled = f64::from(u8::from(census.stalled));
        self.stalled.with_label_values(&one).add(stalled);
        self.frozen
            .with_label_values(&one)
            .add(f64::from(u8::from(census.frozen)));
        let waits = self.approval_waits.with_label_values(&one);
        waits.set(waits.get().max(census.approval_waits_s as f64));
        for (reason, count) in &census.waits {
            self.waits.with_label_values(&[label, reason]).add(*count as f64);
        }
        self.audits_waiting
            .with_label_values(&one)
            .add(census.audits_waiting as f64);
        for (verdict, count) in &census.audits {
            self.audits.with_label_values(&[label, verdict]).inc_by(*count as f64);
        }
        let heat = self.heat_max.with_label_values(&one);
        heat.set(heat.get().max(census.heat_max));
        for (stage, keys) in &census.keys_by_stage {
            self.keys.with_label_values(&[label, stage]).add(*keys as f64);
        }
        // Ratios of scenarios that share a label cannot be added, so they are left out.
        if label == OVERFLOW {
            return;
        }
        if let Some(ratio) = census.other_ratio {
            self.other_ratio.with_label_values(&one).set(ratio);
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

    fn gather(&self) -> Vec<MetricFamily> {
        let Gauges {
            ready,
            writable,
            read_only,
            free_bytes,
            other_ratio,
            clients,
            pending,
            stalled,
            frozen,
            approval_waits,
            waits,
            languages,
            audits_waiting,
            audits,
            reembedding,
            clusters,
            heat_max,
            keys,
            queue_length,
            usage,
            alignment,
            type_ok,
            adoption,
        } = self;
        let families = [
            writable,
            read_only,
            free_bytes,
            other_ratio,
            clients,
            pending,
            stalled,
            frozen,
            approval_waits,
            waits,
            languages,
            audits_waiting,
            reembedding,
            clusters,
            heat_max,
            keys,
            queue_length,
            usage,
            alignment,
            type_ok,
            adoption,
        ];
        families
            .into_iter()
            .flat_map(Collector::collect)
            .chain(audits.collect())
            .chain(ready.collect())
            .filter(|family| !family.get_metric().is_empty())
            .collect()
    }
}

/// The mean of a ratio over the keys beyond the cap, by stage; undefined ratios do not count (Z-160).
fn means(keys: &[KeyStats], ratio: Ratio) -> Vec<(&'static str, f64)> {
    let mut by_stage: BTreeMap<&'static str, Mean> = BTreeMap::new();
    for key in keys {
        if let Some(value) = ratio(key) {
            let mean = by_stage.entry(key.stage).or_default();
            mean.sum += value;
            mean.count += 1.0;
        }
    }
    by_stage
        .into_iter()
        .map(|(stage, mean)| (stage, mean.sum / mean.count))
        .collect()
}
