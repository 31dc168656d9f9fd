//! Webhooks as their owners see them: registered, listed, tried out, deleted.
//!
//! A secret is shown once, at registration; it lies in the sealed part of the record and stands in no answer after that.

use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::api::webhooks::Deleted;
use crate::api::webhooks::Failure;
use crate::api::webhooks::Registration;
use crate::api::webhooks::Topic as ToldTopic;
use crate::api::webhooks::Tried;
use crate::api::webhooks::Webhook as WebhookStatus;
use crate::api::webhooks::Webhooks;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::delivery::Delivery;
use crate::app::delivery::DeliveryWorker;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::ports::Delivered;
use crate::app::random;
use engine::namespace::webhook::Removal;
use engine::namespace::webhook::Webhook;
use engine::namespace::webhook::WebhookId;
use engine::scenario::change_feed::Topic;
use schema::exchange::envelope;
use schema::name::ScenarioKey;
use schema::nearest::with_near;
use schema::time::At;

/// Scenarios that one webhook may name.
const SCENARIOS_MAX: usize = 100;
/// Bytes of a scenario's name, which travels in one record with all the others.
const SCENARIO_BYTES_MAX: usize = 256;
/// Bytes of an address.
const URL_BYTES_MAX: usize = 2_048;

impl App {
    /// Registers a webhook.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadRequest`] with what is wrong, [`ServiceError::LimitReached`], or a fault.
    pub async fn register_webhook(&self, caller: &Caller, body: &str) -> Result<WebhookStatus, ServiceError> {
        caller.require(Permission::Publish)?;
        let registry = self.registry();
        let delivery = self.delivery()?;
        let asked = read(body)?;
        let admitted = delivery.webhook_sender.admits(&asked.url);
        admitted.map_err(|what| ServiceError::BadRequest(format!("url must {what}")))?;
        let random = random::bytes(delivery.webhook_sender.as_ref())?;
        let (name, secret) = random.split_at(16);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(name);
        let (id, secret) = (WebhookId::of(bytes), secret.to_vec());
        let mut namespace = registry.namespace.lock().await;
        // Before the moment from which on it is told: what comes in between is looked at, and what is older is not.
        let places = delivery.places(registry, &asked);
        let webhook = Webhook {
            since: registry.deps.clock.now(),
            ..asked
        };
        let event = namespace
            .register_webhook(id.clone(), webhook.clone(), delivery.options.webhooks_max)
            .ok_or_else(|| {
                let max = delivery.options.webhooks_max;
                ServiceError::LimitReached(format!(
                    "{max} webhooks are registered, which is as many as may be (delivery.webhooks_max); delete one"
                ))
            })?;
        registry.record_sealed(&mut namespace, &event, secret.clone()).await?;
        locked(&registry.secrets).insert(id.clone(), secret.clone());
        delivery.open(registry, &id, &webhook, places);
        drop(namespace);
        let worker = found(delivery, id.as_str())?;
        let hosted = registry.catalogue.load();
        let not_hosted = webhook
            .scenarios
            .iter()
            .filter(|name| !hosted.scenarios.contains_key(*name))
            .map(ToString::to_string)
            .collect();
        Ok(WebhookStatus {
            not_hosted,
            secret: Some(format!("whsec_{}", STANDARD.encode(secret))),
            ..status(delivery, &worker)
        })
    }

    /// Every webhook, by id.
    pub fn webhooks(&self, caller: &Caller) -> Result<Webhooks, ServiceError> {
        caller.require(Permission::Publish)?;
        let delivery = self.delivery()?;
        let workers = delivery.workers();
        Ok(Webhooks {
            webhooks: workers.iter().map(|worker| status(delivery, worker)).collect(),
        })
    }

    /// One webhook.
    pub fn webhook(&self, caller: &Caller, id: &str) -> Result<WebhookStatus, ServiceError> {
        caller.require(Permission::Publish)?;
        let delivery = self.delivery()?;
        Ok(status(delivery, &*found(delivery, id)?))
    }

    /// Deletes a webhook: nothing is told to it any more.
    pub async fn delete_webhook(&self, caller: &Caller, id: &str) -> Result<Deleted, ServiceError> {
        caller.require(Permission::Publish)?;
        let registry = self.registry();
        let delivery = self.delivery()?;
        let mut namespace = registry.namespace.lock().await;
        let event = namespace
            .remove_webhook(id, Removal::Asked)
            .ok_or_else(|| unknown(delivery, id))?;
        registry.record(&mut namespace, &event).await?;
        drop(namespace);
        if let Some(worker) = delivery.worker(id) {
            locked(&registry.secrets).remove(&worker.id);
            delivery.shut(&worker.id);
        }
        Ok(Deleted {
            id: id.to_owned(),
            deleted: true,
        })
    }

    /// Calls a webhook once, now. One that takes it goes on at once if it was paused.
    pub async fn test_webhook(&self, caller: &Caller, id: &str) -> Result<Tried, ServiceError> {
        caller.require(Permission::Publish)?;
        let delivery = self.delivery()?;
        let worker = found(delivery, id)?;
        let outcome = delivery.try_out(&worker).await;
        let (status, what) = described(outcome);
        Ok(Tried {
            status,
            what,
            delivered: matches!(outcome, Delivered::Taken(_)),
        })
    }
}

fn found(delivery: &Delivery, id: &str) -> Result<Arc<DeliveryWorker>, ServiceError> {
    delivery.worker(id).ok_or_else(|| unknown(delivery, id))
}

/// Returns the error for an unknown webhook; a caller that may name one sees the others.
fn unknown(delivery: &Delivery, id: &str) -> ServiceError {
    let workers = delivery.workers();
    ServiceError::UnknownWebhook(with_near(id, workers.iter().map(|worker| worker.id.as_str())))
}

fn read(body: &str) -> Result<Webhook, ServiceError> {
    let wrong = |what: &str| ServiceError::BadRequest(what.to_owned());
    let asked: Registration = serde_json::from_str(body).map_err(|error| {
        let why = match unknown_member(body) {
            Some(name) => format!("{name} is no member of it"),
            None => format!("line {}, column {}", error.line(), error.column()),
        };
        ServiceError::BadRequest(format!(
            "not a webhook ({why}): it is {{\"url\": …, \"scenarios\"?: […], \"events\"?: […]}}"
        ))
    })?;
    if asked.url.len() > URL_BYTES_MAX {
        return Err(wrong(&format!("url must not have more than {URL_BYTES_MAX} bytes")));
    }
    if asked.scenarios.len() > SCENARIOS_MAX {
        let what = format!("scenarios must not name more than {SCENARIOS_MAX}; leave it out for all");
        return Err(wrong(&what));
    }
    let scenarios = asked.scenarios.iter().map(|name| {
        ScenarioKey::parse(name)
            .filter(|key| key.as_str().len() <= SCENARIO_BYTES_MAX)
            .ok_or_else(|| wrong("scenarios must be names of scenarios"))
    });
    let topics = asked.events.iter().map(|name| {
        Topic::named(name).ok_or_else(|| {
            let known: Vec<&str> = Topic::ALL.iter().map(|topic| topic.name()).collect();
            wrong(&format!("events must be out of {}", known.join(", ")))
        })
    });
    Ok(Webhook {
        url: asked.url,
        scenarios: scenarios.collect::<Result<BTreeSet<_>, _>>()?,
        topics: topics.collect::<Result<BTreeSet<_>, _>>()?,
        since: At(0),
    })
}

/// The first member that a registration does not have, quoted: the caller's own word, cut and without control characters.
fn unknown_member(body: &str) -> Option<String> {
    let members: serde_json::Map<String, Value> = serde_json::from_str(body).ok()?;
    let known = ["url", "scenarios", "events"];
    let unknown = members.keys().find(|name| !known.contains(&name.as_str()))?;
    Some(format!("`{}`", envelope::shown(unknown)))
}

fn status(delivery: &Delivery, worker: &DeliveryWorker) -> WebhookStatus {
    let standing = worker.standing();
    WebhookStatus {
        id: worker.id.as_str().to_owned(),
        url: worker.webhook.url.clone(),
        scenarios: worker.webhook.scenarios.iter().map(ToString::to_string).collect(),
        events: worker.webhook.topics.iter().copied().map(ToldTopic::from).collect(),
        created_at: worker.webhook.since.rfc3339(),
        status: standing.name().to_owned(),
        failures: standing.failures,
        delivered: standing.delivered,
        waiting: delivery.waiting(worker),
        last_delivered_at: standing.last_delivered.map(At::rfc3339),
        last_failure: standing.last_failure.map(|(at, outcome)| {
            let (status, what) = described(outcome);
            Failure {
                status,
                what,
                at: at.rfc3339(),
            }
        }),
        not_hosted: Vec::new(),
        secret: None,
    }
}

/// The status that a call was answered with, and what is wrong with it.
fn described(outcome: Delivered) -> (Option<u16>, Option<String>) {
    match outcome {
        Delivered::Taken(status) => (Some(status), None),
        Delivered::Gone => (Some(410), None),
        Delivered::Refused { status, .. } => (Some(status), Some("it answered neither 2xx nor 410".to_owned())),
        Delivered::Failed(what) => (None, Some(what.to_owned())),
    }
}
