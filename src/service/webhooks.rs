//! Webhooks as their owners see them: registered, listed, tried out, deleted.
//!
//! A secret is shown once, at registration; it lies in the sealed part of the record and stands in no answer after that.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use crate::service::delivery::Delivery;
use crate::service::delivery::worker::Desk;
use crate::service::error::ServiceError;
use crate::service::lock::locked;
use crate::service::ports::Delivered;
use crate::service::registry::ScenarioRegistry;
use engine::namespace::webhook::Removal;
use engine::namespace::webhook::Webhook;
use engine::namespace::webhook::WebhookId;
use engine::scenario::notice::Topic;
use schema::name::ScenarioKey;

/// Scenarios that one webhook may name.
const SCENARIOS_MAX: usize = 100;
/// Bytes of a scenario's name, which travels in one record with all the others.
const SCENARIO_BYTES_MAX: usize = 256;
/// Bytes of an address.
const URL_BYTES_MAX: usize = 2_048;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    url: String,
    #[serde(default)]
    scenarios: Vec<String>,
    #[serde(default)]
    events: Vec<String>,
}

/// Registers a webhook: `{"url", "scenarios"?, "events"?}`. Its document, with the `secret` this once, and with `not_hosted`
/// where it names scenarios that nobody has published: they may come, or be misspelt.
///
/// # Errors
/// [`ServiceError::BadRequest`] with what is wrong, [`ServiceError::LimitReached`], or a fault.
pub async fn register(
    registry: &ScenarioRegistry,
    delivery: &Arc<Delivery>,
    body: &str,
) -> Result<(Value, Vec<u8>), ServiceError> {
    let asked = read(body)?;
    let admitted = delivery.webhook_sender.admits(&asked.url);
    admitted.map_err(|what| ServiceError::BadRequest(format!("url must {what}")))?;
    let random = delivery
        .webhook_sender
        .random()
        .ok_or_else(|| ServiceError::Fault("this machine gives no random bytes".to_owned()))?;
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
    delivery.open_at(registry, &id, &webhook, places);
    drop(namespace);
    let desk = found(delivery, id.as_str())?;
    let mut document = document(delivery, &desk);
    let hosted = registry.catalogue.load();
    let not_hosted: Vec<_> = webhook
        .scenarios
        .iter()
        .filter(|name| !hosted.scenarios.contains_key(name))
        .collect();
    if !not_hosted.is_empty() {
        document["not_hosted"] = json!(not_hosted);
    }
    Ok((document, secret))
}

/// `{"webhooks": [webhook]}`, by id.
pub fn list(delivery: &Delivery) -> Value {
    let desks = delivery.desks();
    let webhooks: Vec<Value> = desks.iter().map(|desk| document(delivery, desk)).collect();
    json!({ "webhooks": webhooks })
}

/// One webhook.
///
/// # Errors
/// [`ServiceError::UnknownWebhook`].
pub fn one(delivery: &Delivery, id: &str) -> Result<Value, ServiceError> {
    Ok(document(delivery, &*found(delivery, id)?))
}

/// Deletes a webhook: nothing is told to it any more.
///
/// # Errors
/// [`ServiceError::UnknownWebhook`], or a fault.
pub async fn delete(registry: &ScenarioRegistry, delivery: &Delivery, id: &str) -> Result<Value, ServiceError> {
    let mut namespace = registry.namespace.lock().await;
    let event = namespace
        .remove_webhook(id, Removal::Asked)
        .ok_or_else(|| ServiceError::UnknownWebhook(id.to_owned()))?;
    registry.record(&mut namespace, &event).await?;
    drop(namespace);
    if let Some(desk) = delivery.desk(id) {
        locked(&registry.secrets).remove(&desk.id);
        delivery.shut(&desk.id);
    }
    Ok(json!({"id": id, "deleted": true}))
}

/// Calls a webhook once, now: `{"delivered", "status"?, "what"?}`. One that takes it goes on at once if it was paused.
///
/// # Errors
/// [`ServiceError::UnknownWebhook`].
pub async fn test(delivery: &Delivery, id: &str) -> Result<Value, ServiceError> {
    let desk = found(delivery, id)?;
    let outcome = delivery.try_out(&desk).await;
    let mut told = outcome_document(outcome);
    told["delivered"] = json!(matches!(outcome, Delivered::Taken(_)));
    Ok(told)
}

fn found(delivery: &Delivery, id: &str) -> Result<Arc<Desk>, ServiceError> {
    delivery
        .desk(id)
        .ok_or_else(|| ServiceError::UnknownWebhook(id.to_owned()))
}

fn read(body: &str) -> Result<Webhook, ServiceError> {
    let wrong = |what: &str| ServiceError::BadRequest(what.to_owned());
    let asked: Asked = serde_json::from_str(body).map_err(|error| {
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
        since: schema::time::At(0),
    })
}

/// The first member that a registration does not have, quoted: the caller's own word, cut and without control characters.
fn unknown_member(body: &str) -> Option<String> {
    let members: serde_json::Map<String, Value> = serde_json::from_str(body).ok()?;
    let known = ["url", "scenarios", "events"];
    let unknown = members.keys().find(|name| !known.contains(&name.as_str()))?;
    let short: String = unknown.chars().take(64).collect();
    Some(format!("`{}`", short.escape_debug()))
}

fn document(delivery: &Delivery, desk: &Desk) -> Value {
    let standing = desk.standing();
    let mut document = json!({
        "id": desk.id,
        "url": desk.webhook.url,
        "scenarios": desk.webhook.scenarios,
        "events": desk.webhook.topics,
        "created_at": desk.webhook.since.rfc3339(),
        "status": standing.name(),
        "failures": standing.failures,
        "delivered": standing.delivered,
        "waiting": delivery.waiting(desk),
    });
    if let Some(at) = standing.last_delivered {
        document["last_delivered_at"] = json!(at.rfc3339());
    }
    if let Some((at, outcome)) = standing.last_failure {
        let mut failure = outcome_document(outcome);
        failure["at"] = json!(at.rfc3339());
        document["last_failure"] = failure;
    }
    document
}

fn outcome_document(outcome: Delivered) -> Value {
    match outcome {
        Delivered::Taken(status) => json!({"status": status}),
        Delivered::Gone => json!({"status": 410}),
        Delivered::Refused { status, .. } => json!({"status": status, "what": "it answered neither 2xx nor 410"}),
        Delivered::Failed(what) => json!({"what": what}),
    }
}

#[cfg(test)]
mod tests {
    use super::SCENARIOS_MAX;
    use super::URL_BYTES_MAX;
    use super::read;
    use crate::service::error::ServiceError;

    #[test]
    fn a_registration_is_read_up_to_its_limits() {
        let names = |count: usize| (0..count).map(|n| format!("\"s{n}\"")).collect::<Vec<_>>().join(",");
        let body = |url: &str, scenarios: &str, events: &str| {
            format!(r#"{{"url":"{url}","scenarios":[{scenarios}],"events":[{events}]}}"#)
        };
        for (body, ok) in [
            (r#"{"url":"https://a"}"#.to_owned(), true),
            (body("https://a", &names(SCENARIOS_MAX), ""), true),
            (body("https://a", &names(SCENARIOS_MAX + 1), ""), false),
            (body(&"u".repeat(URL_BYTES_MAX), "", ""), true),
            (body(&"u".repeat(URL_BYTES_MAX + 1), "", ""), false),
            (body("https://a", "\"a/b\"", ""), false),
            (body("https://a", "", "\"patch.staged\""), true),
            (body("https://a", "", "\"patch\""), false),
            (r#"{"url":"https://a","secret":"mine"}"#.to_owned(), false),
            ("{}".to_owned(), false),
            ("[".to_owned(), false),
        ] {
            let read = read(&body);
            assert_eq!(read.is_ok(), ok, "{body}");
            assert!(ok || matches!(read, Err(ServiceError::BadRequest(_))), "{body}");
        }
    }
}
