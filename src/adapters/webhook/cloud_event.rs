//! Deliveries in the form of CloudEvents 1.0, structured JSON.

use serde_json::Value;
use serde_json::json;

use crate::app::ports::WebhookDelivery;
use crate::wire::percent;

/// The body's media type.
pub const MEDIA_TYPE: &str = "application/cloudevents+json";

/// What types begin with.
const TYPES: &str = "dev.otherwise";

/// `{"specversion", "id", "source", "type", "subject"?, "time", "datacontenttype", "data"}`. `source` is the address of the
/// scenario, relative to the service.
pub fn document(delivery: &WebhookDelivery) -> Value {
    let mut event = json!({
        "specversion": "1.0",
        "id": delivery.id,
        "source": "/v1/namespaces/default",
        "type": format!("{TYPES}.{}", delivery.topic),
    });
    if let Some(scenario) = &delivery.scenario {
        event["source"] = json!(format!(
            "/v1/namespaces/default/scenarios/{}",
            percent::segment(scenario.as_str())
        ));
        event["subject"] = json!(scenario);
    }
    event["time"] = json!(delivery.at.rfc3339());
    event["datacontenttype"] = json!("application/json");
    event["data"] = delivery.data.clone();
    event
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::document;
    use crate::app::ports::WebhookDelivery;
    use schema::name::ScenarioKey;
    use schema::time::At;

    #[test]
    fn a_delivery_is_a_cloud_event() {
        let mut delivery = WebhookDelivery {
            url: "https://example.com/hook".to_owned(),
            secret: b"very secret".to_vec(),
            id: "msg_1".to_owned(),
            topic: "patch.staged",
            scenario: ScenarioKey::parse("größe 1"),
            at: At(1_000),
            data: json!({"stage": "stable"}),
        };
        assert_eq!(
            document(&delivery),
            json!({
                "specversion": "1.0", "id": "msg_1", "source": "/v1/namespaces/default/scenarios/gr%C3%B6%C3%9Fe_1",
                "type": "dev.otherwise.patch.staged", "subject": "größe_1", "time": "1970-01-01T00:00:01Z",
                "datacontenttype": "application/json", "data": {"stage": "stable"},
            })
        );
        delivery.scenario = None;
        assert_eq!(document(&delivery).get("subject"), None);
        assert_eq!(document(&delivery)["source"], "/v1/namespaces/default");
    }
}
