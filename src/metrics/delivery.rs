//! Streams and webhooks, read at scrape time, so that a webhook that is gone leaves no series behind.

use std::sync::Arc;

use prometheus::Gauge;
use prometheus::GaugeVec;
use prometheus::IntCounterVec;
use prometheus::Opts;
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;

use crate::app::delivery::WebhookCensus;

/// What is being delivered at the moment of a scrape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryCensus {
    pub streams_open: usize,
    /// As many as may be registered, at the most.
    pub webhooks: Vec<WebhookCensus>,
}

/// Says what is being delivered.
pub type OnDelivery = Arc<dyn Fn() -> DeliveryCensus + Send + Sync>;

/// One family for each metric that has at least one series.
///
/// # Errors
/// When a metric's definition is refused, which no input can bring about.
pub fn families(census: &DeliveryCensus) -> Result<Vec<MetricFamily>, prometheus::Error> {
    let streams = Gauge::with_opts(Opts::new(
        "otherwise_streams_open",
        "Update streams that clients hold open.",
    ))?;
    streams.set(census.streams_open as f64);
    let letters = IntCounterVec::new(
        Opts::new(
            "otherwise_webhook_letters_total",
            "Letters by webhook and outcome: delivered, or an attempt that failed.",
        ),
        &["webhook", "outcome"],
    )?;
    let waiting = GaugeVec::new(
        Opts::new(
            "otherwise_webhook_waiting",
            "Changes that a webhook may still have to be told of.",
        ),
        &["webhook"],
    )?;
    let paused = GaugeVec::new(
        Opts::new(
            "otherwise_webhook_paused",
            "1 while a webhook is paused because it took nothing for long, else 0.",
        ),
        &["webhook"],
    )?;
    for webhook in &census.webhooks {
        let id = webhook.id.as_str();
        letters.with_label_values(&[id, "delivered"]).inc_by(webhook.delivered);
        letters.with_label_values(&[id, "failed"]).inc_by(webhook.failed);
        waiting.with_label_values(&[id]).set(webhook.waiting as f64);
        paused.with_label_values(&[id]).set(f64::from(u8::from(webhook.paused)));
    }
    let mut families = streams.collect();
    families.extend(letters.collect());
    families.extend(waiting.collect());
    families.extend(paused.collect());
    families.retain(|family| !family.get_metric().is_empty());
    Ok(families)
}
