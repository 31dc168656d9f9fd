//! What to try next: three lines for a shell that work with what is hosted.

use std::net::SocketAddr;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::application::App;
use crate::app::negotiation::Pin;
use crate::app::reply::Wanted;
use crate::bootstrap::schema_folder;
use crate::wire::percent;
use context::a2a_task::typed_part;

/// Scenarios that are looked at for one that takes a simple submission.
const LOOKED_AT: usize = 20;

/// Three `curl` lines. The last is a submission only if the service says that it would be accepted.
pub fn lines(address: SocketAddr, open: bool, service: &App) -> Vec<String> {
    let key = if open { "" } else { " -H 'Authorization: Bearer KEY'" };
    // Where keys are required, a key says who calls, and nobody names himself.
    let name = if open { " -H 'Otherwise-Client: me'" } else { "" };
    let base = format!("http://{address}/v1");
    let mut lines = vec![format!("curl -s{key} {base}/scenarios")];
    let hosted = service
        .scenarios(&schema_folder::service_caller(), None)
        .unwrap_or_default();
    let names: Vec<&str> = hosted
        .scenarios
        .iter()
        // Templates for the parts of messages are nothing to begin with.
        .filter(|row| {
            row.labels
                .as_ref()
                .and_then(|labels| labels.get(typed_part::LABEL))
                .is_none()
        })
        .map(|row| row.scenario.as_str())
        .take(LOOKED_AT)
        .collect();
    // Whoever tries something out wants to see it accepted.
    let accepted = names.iter().find_map(|name| Some((*name, sample(service, name)?)));
    let (scenario, submission) = match (accepted, names.first()) {
        (Some((scenario, submission)), _) => (scenario, Some(submission)),
        (None, Some(scenario)) => (*scenario, None),
        (None, None) => {
            lines.push(format!(
                "curl -s{key} -X PUT -H 'Content-Type: application/json' --data @schema.json {base}/schemas/my_schema_v1"
            ));
            return lines;
        }
    };
    let address = format!("{base}/scenarios/{}", percent::segment(scenario));
    lines.push(format!("curl -s{key}{name} {address}/template"));
    lines.push(match submission {
        Some(submission) => format!(
            "curl -s{key}{name} -H 'Content-Type: application/json' -d {} {base}/submissions",
            quoted(&submission.to_string())
        ),
        None => format!("curl -s{key} {address}/updates"),
    });
    lines
}

/// A submission that would be accepted, if one is found.
fn sample(service: &App, scenario: &str) -> Option<Value> {
    let whole = Wanted {
        language: None,
        experimental: true,
        form: None,
    };
    let reply = service
        .template(
            &schema_folder::service_caller(),
            scenario,
            &Pin::default(),
            whole,
            |_| false,
        )
        .ok()?
        .ok()?;
    let template: Value = serde_json::from_str(&reply.body).ok()?;
    let submission = submission(&template)?;
    service
        .validate(&schema_folder::service_caller(), &submission.to_string())
        .ok()?;
    Some(submission)
}

/// A guess at a submission: every required key, and something in `other`.
fn submission(template: &Value) -> Option<Value> {
    let mut payload = Map::new();
    for key in template["keys"].as_array()? {
        let name = key["key_name"].as_str()?;
        if key["required"] == Value::Bool(true) {
            payload.insert(name.to_owned(), value(key));
        }
    }
    payload.insert("other".to_owned(), json!("and something nobody thought of"));
    Some(json!({"schema_id": template["schema_id"], "payload": payload}))
}

fn value(key: &Value) -> Value {
    let constraints = &key["constraints"];
    if let Some(first) = constraints["enum"].get(0) {
        return first.clone();
    }
    if !constraints["const"].is_null() {
        return constraints["const"].clone();
    }
    match key["key_type"].as_str() {
        Some("integer" | "number") => match &constraints["minimum"] {
            Value::Null => json!(1),
            minimum => minimum.clone(),
        },
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        Some(_) | None => json!(text(
            key["key_name"].as_str().unwrap_or_default(),
            constraints["format"].as_str()
        )),
    }
}

/// A text that a key might take: by its format, else by its name.
fn text(name: &str, format: Option<&str>) -> &'static str {
    match format {
        Some("date") => "2027-01-15",
        Some("time") => "09:30:00Z",
        Some("date-time") => "2027-01-15T09:30:00Z",
        Some("email") => "someone@example.com",
        Some("uri") => "https://example.com/",
        Some(_) | None if name.contains("date") => "2027-01-15",
        Some(_) | None if name.contains("time") => "09:30",
        Some(_) | None => "example",
    }
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::quoted;
    use super::submission;

    #[test]
    fn a_guess_holds_every_required_key_and_no_other_z017() {
        let template = json!({"schema_id": "t_v1", "keys": [
            {"key_name": "a", "key_type": "string", "required": true, "constraints": {"enum": ["x", "y"]}},
            {"key_name": "b", "key_type": "integer", "required": true, "constraints": {"minimum": 3}},
            {"key_name": "c", "key_type": "boolean", "required": false},
            {"key_name": "other", "key_type": "string", "required": false},
        ]});
        assert_eq!(
            submission(&template),
            Some(json!({"schema_id": "t_v1",
                        "payload": {"a": "x", "b": 3, "other": "and something nobody thought of"}}))
        );
    }

    #[test]
    fn a_word_is_quoted_for_a_shell() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
