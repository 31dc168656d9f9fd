//! What no version may change unseen, and what a comparison that proves nothing comes to.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::check;
use super::put;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;

/// A template of one optional key.
fn parcel(id: &str, version: &str, key: &Value) -> Value {
    let mut own = json!({"key_name": "size", "key_type": "string", "required": false,
        "semantic_description": "Size of the parcel, in a format of its own. Example: 'a small one' -> 'S'."});
    json_patch::merge(&mut own, key);
    json!({"schema_id": id, "scenario": "parcel", "version": version, "keys": [own]})
}

fn versions(first: &Value, second: &Value) -> (Server, Reply) {
    let server = Server::with(&[]);
    assert_eq!(put(&server, &parcel("parcel_v1", "1.0.0", first)).status, 201);
    let checked = check(&server, &parcel("parcel_v1_1", "1.1.0", second));
    let refused = put(&server, &parcel("parcel_v1_1", "1.1.0", second));
    assert_eq!(checked.body["refusal"], refused.body, "word for word");
    (server, refused)
}

#[test]
fn a_minor_version_that_turns_strict_is_refused_with_the_payload_that_it_would_refuse_z105() {
    let server = Server::with(&[]);
    let first = parcel("parcel_v1", "1.0.0", &json!({}));
    assert_eq!(put(&server, &first).status, 201);
    let mut strict = parcel("parcel_v1_1", "1.1.0", &json!({}));
    strict["strict"] = json!(true);
    let refused = put(&server, &strict);
    assert_eq!(refused.told(), (409, "incompatible"), "{}", refused.body);
    let change = &refused.body["compatibility"]["compared"][0]["changes"][0];
    has(
        change,
        json!({"kind": "strict_changed", "class": "breaking", "examples/0/effect": "refused"}),
    );
    let body = json!({"schema_id": "parcel_v1", "payload": change["examples"][0]["payload"]}).to_string();
    assert_eq!(server.call("POST", "/v1/submissions:validate", &[], &body).status, 200);
    strict["schema_id"] = json!("parcel_v2");
    strict["version"] = json!("2.0.0");
    assert_eq!(put(&server, &strict).status, 201);
    let body = body.replace("parcel_v1", "parcel_v2");
    assert_eq!(server.call("POST", "/v1/submissions:validate", &[], &body).status, 422);
}

#[test]
fn another_default_and_a_longer_least_list_are_no_minor_version_z043_z105() {
    for (first, second) in [
        (json!({"default_value": "S"}), json!({"default_value": "M"})),
        (json!({"default_value": "S"}), json!({})),
        (
            json!({"key_type": "array", "constraints": {"minItems": 1_000_000, "items": {"type": "integer"}}}),
            json!({"key_type": "array", "constraints": {"minItems": 1_000_001, "items": {"type": "integer"}}}),
        ),
        (
            json!({"constraints": {"format": "date"}}),
            json!({"constraints": {"format": "date", "pattern": "^2"}}),
        ),
        (
            json!({"constraints": {"pattern": "^[ab]*a[ab]{14}$"}}),
            json!({"constraints": {"pattern": "^[ab]*a[ab]{13}$"}}),
        ),
    ] {
        let (_server, refused) = versions(&first, &second);
        assert_eq!(refused.told(), (409, "incompatible"), "{second}: {}", refused.body);
    }
}

#[test]
fn what_is_not_proved_is_published_by_its_owner_s_word_alone_which_is_on_the_decision_log_z105() {
    let distinct = |least: u64| json!({"key_type": "array", "constraints": {"minItems": least, "uniqueItems": true}});
    let (server, refused) = versions(&distinct(1_000_000), &distinct(1_000_001));
    assert_eq!(refused.told(), (409, "not_proved"), "{}", refused.body);
    let change = &refused.body["compatibility"]["compared"][0]["changes"][0];
    has(
        change,
        json!({"class": "may_break", "backward": "may_break", "reason": "undecided"}),
    );
    let second = parcel("parcel_v1_1", "1.1.0", &distinct(1_000_001)).to_string();
    let accepted = server.call("PUT", "/v1/schemas/parcel_v1_1?accept_unproved=true", &[], &second);
    assert_eq!(accepted.status, 201, "{}", accepted.body);
    let log = server.call("GET", "/v1/scenarios/parcel/decision-log", &[], "").body;
    let says = |at: usize| log["decisions"][at]["says"].as_str().unwrap_or_default().to_owned();
    assert!(says(0).ends_with("accepted although not proved compatible"), "{log}");
    assert!(!says(1).contains("accepted"), "{log}");
    let again = server.call("PUT", "/v1/schemas/parcel_v1_1", &[], &second);
    assert_eq!(again.status, 200, "what was agreed on stays agreed on");
}

#[test]
fn a_version_stands_for_one_schema_z048() {
    let first = parcel("parcel_a", "1.0.0", &json!({}));
    let twin = parcel(
        "parcel_b",
        "1.0.0",
        &json!({"semantic_description": "Another description of the size."}),
    );
    let server = Server::with(&[("1.json", first), ("2.json", twin.clone())]);
    let listed = server.call("GET", "/v1/scenarios/parcel/versions", &[], "").body;
    assert_eq!(
        listed["versions"].as_array().map(Vec::len),
        Some(1),
        "the second file is left out: {listed}"
    );
    let refused = put(&server, &twin);
    assert_eq!(refused.told(), (409, "version_taken"), "{}", refused.body);
    assert_eq!(check(&server, &twin).body["refusal"], refused.body);
    assert_eq!(server.delete("/v1/schemas/parcel_a").status, 200);
    assert_eq!(put(&server, &twin).status, 201, "what is retired takes no version");
    let restored = server.call("POST", "/v1/schemas/parcel_a:restore", &[], "");
    assert_eq!(restored.told(), (409, "version_taken"));
}

#[test]
fn a_pattern_that_hangs_clients_is_refused_and_exports_of_one_leave_it_to_the_service_z048() {
    let hanging = parcel(
        "parcel_v1",
        "1.0.0",
        &json!({"constraints": {"pattern": "^([a-z]+)+$"}}),
    );
    let refused = put(&Server::with(&[]), &hanging);
    assert_eq!(refused.told(), (422, "invalid_template"), "{}", refused.body);
    let defect = &refused.body["defects"][0];
    assert_eq!(defect["pointer"], "/keys/0/constraints/pattern");
    assert!(
        defect["message"]
            .as_str()
            .is_some_and(|told| told.starts_with("hanging_pattern")),
        "{defect}"
    );

    let server = Server::start(
        &[("parcel.json", hanging)],
        |settings| settings.service.hanging_patterns = true,
        PartsOverride::default(),
    );
    for form in ["json-schema", "zod", "pydantic", "mcp-tool", "bundle"] {
        let path = format!("/v1/scenarios/parcel/template?format={form}");
        let (reply, text) = server.call_with_text("GET", &path, &[], "");
        assert_eq!(reply.status, 200, "{form}: {text}");
        let text = match form {
            // The template in it is served as it was published.
            "bundle" => json!([reply.body["json_schema"], reply.body["tool"]]).to_string(),
            _ => text,
        };
        assert!(!text.contains("[a-z]+)+"), "{form}: {text}");
        assert!(
            reply
                .headers
                .values()
                .any(|value| value.to_str().is_ok_and(|value| value.contains("size.pattern"))),
            "{form}: {:?}",
            reply.headers
        );
    }
    let body = json!({"schema_id": "parcel_v1", "payload": {"size": "7"}}).to_string();
    assert_eq!(
        server.call("POST", "/v1/submissions:validate", &[], &body).status,
        422,
        "the service still checks it"
    );
}

#[test]
fn hostile_templates_and_documents_are_answered_and_not_worked_on_without_end_z048() {
    let server = Server::with(&[]);
    let listed: Vec<String> = (0..1_000).map(|n| format!("value {n}")).collect();
    let references = vec![json!({"$ref": "#/$defs/e"}); 900];
    let document = json!({"title": "s", "$defs": {"e": {"enum": listed}}, "type": "object",
        "properties": {"k": {"allOf": references}}});
    let import = |document: &Value| server.call("POST", "/v1/schemas:import", &[], &document.to_string());
    assert_eq!(import(&document).status, 200, "what is referred to often is read once");
    let signs = parcel(
        "parcel_v1",
        "1.0.0",
        &json!({"semantic_description": "\u{FDFA}".repeat(5_000)}),
    );
    assert_eq!(check(&server, &signs).status, 200);
    let classes: Vec<Value> = (0..120)
        .map(|n| {
            json!({"key_name": format!("k{n}"), "key_type": "string", "required": false,
            "semantic_description": "A text.", "constraints": {"pattern": "^\\p{L}{5}$"}})
        })
        .collect();
    let heavy = json!({"schema_id": "heavy_v1", "scenario": "heavy", "keys": classes});
    let refused = check(&server, &heavy);
    assert_eq!(refused.told(), (422, "invalid_template"), "{}", refused.body);
    assert!(
        refused.body["defects"].to_string().contains("too much work"),
        "{}",
        refused.body
    );
}
