//! The draft's example messages, verbatim, against the service with the shipped schemas.
//!
//! Whole documents are compared where the draft fixes them; what the service adds is written out beside them.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

const FIGURE_2: &str = include_str!("golden/figure_2.json");
const FIGURE_3: &str = include_str!("golden/figure_3.json");
const FIGURE_4: &str = include_str!("golden/figure_4.json");
const FIGURE_5: &str = include_str!("golden/figure_5.json");
const FIGURE_6: &str = include_str!("golden/figure_6.json");
const FIGURE_7: &str = include_str!("golden/figure_7.json");
const FIGURE_8: &str = include_str!("golden/figure_8.json");
const FIGURE_9: &str = include_str!("golden/figure_9.json");
const FIGURE_10: &str = include_str!("golden/figure_10.json");

const ME: (&str, &str) = ("Otherwise-Client", "assistant");

fn figure(text: &str) -> Value {
    serde_json::from_str(text).expect("a figure is JSON")
}

/// The service as it is shipped.
fn shipped() -> Server {
    Server::set(&[], |settings| {
        settings.schemas.folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR"))
    })
}

fn with(name: &str, document: Value) -> Server {
    Server::with(&[(name, document)])
}

fn template(server: &Server, scenario: &str) -> Value {
    let reply = server.call("GET", &format!("/v1/scenarios/{scenario}/template"), &[ME], "");
    assert_eq!(reply.status, 200, "{}", reply.body);
    digested(reply.body)
}

/// A template as the draft shows it, after each of its keys was found to have a digest.
fn digested(mut template: Value) -> Value {
    let digests = template
        .as_object_mut()
        .and_then(|members| members.shift_remove("key_digests"));
    let keys = template["keys"].as_array().expect("keys").iter();
    let named: Vec<&str> = keys.filter_map(|key| key["key_name"].as_str()).collect();
    let digests = digests.as_ref().and_then(Value::as_object).expect("digests");
    assert_eq!(digests.keys().collect::<Vec<_>>(), named);
    template
}

fn submit(server: &Server, client: &str, body: &str) -> Reply {
    server.call("POST", "/v1/submissions", &[("Otherwise-Client", client)], body)
}

/// A figure's keys as they are served: a null default is none (Z-045), and what the description says of values and
/// ranges is written out (Z-048).
fn served(figure: &Value, constraints: &[(&str, Value)]) -> Vec<Value> {
    let keys = figure["keys"].as_array().expect("keys").iter();
    keys.map(|key| {
        let mut key = key.as_object().expect("a key").clone();
        if key.get("default_value") == Some(&Value::Null) {
            key.shift_remove("default_value");
        }
        let own = constraints.iter().find(|(name, _)| key["key_name"] == *name);
        if let Some((_, constraints)) = own {
            key.insert("constraints".to_owned(), constraints.clone());
        }
        Value::Object(key)
    })
    .collect()
}

fn flight_constraints() -> [(&'static str, Value); 2] {
    [
        (
            "cabin_class",
            json!({"enum": ["economy", "premium_economy", "business", "first"]}),
        ),
        ("passenger_count", json!({"minimum": 1, "maximum": 9})),
    ]
}

fn flight_template(figure: &Value) -> Value {
    json!({
        "schema_id": "flight_booking_v1",
        "scenario": "flight_booking",
        "version": "1.0.0",
        "revision": 1,
        "language": "en",
        "keys": served(figure, &flight_constraints()),
        "patches": [],
    })
}

/// The shipped template: the figure's, with a description and with the format of its date.
fn shipped_flight() -> Value {
    let mut template = flight_template(&figure(FIGURE_2));
    template["description"] = json!("Books a flight.");
    template["keys"][2]["constraints"] = json!({"format": "date"});
    template
}

#[test]
fn figure_2_is_served_whole_z045_z052() {
    let server = shipped();
    let document = template(&server, "flight_booking");
    assert_eq!(document, shipped_flight());
    let keys: Vec<(&str, &str, bool, Option<&Value>)> = document["keys"]
        .as_array()
        .expect("keys")
        .iter()
        .map(|key| {
            (
                key["key_name"].as_str().expect("a name"),
                key["key_type"].as_str().expect("a type"),
                key["required"] == true,
                key.get("default_value"),
            )
        })
        .collect();
    assert_eq!(
        keys,
        [
            ("origin", "string", true, None),
            ("destination", "string", true, None),
            ("departure_date", "string", true, None),
            ("cabin_class", "string", false, Some(&json!("economy"))),
            ("passenger_count", "integer", false, Some(&json!(1))),
            ("other", "string", false, None),
        ]
    );
    let published = server.call("GET", "/v1/schemas/flight_booking_v1", &[ME], "");
    assert_eq!(published.body["keys"], document["keys"]);
}

#[test]
fn figure_3_is_one_of_its_keys_z053() {
    let document = template(&shipped(), "flight_booking");
    let mut key = document["keys"][3].clone();
    key.as_object_mut().expect("a key").shift_remove("constraints");
    assert_eq!(key, figure(FIGURE_3));
    let alone = json!({"schema_id": "cabin_v1", "scenario": "cabin", "keys": [figure(FIGURE_3)]});
    let server = with("cabin_v1.json", alone);
    let mut key = template(&server, "cabin")["keys"][0].clone();
    key.as_object_mut().expect("a key").shift_remove("constraints");
    assert_eq!(key, figure(FIGURE_3));
}

fn accepted(payload: &Value, submission_id: &str, schema_id: &str) -> Value {
    json!({
        "payload": payload,
        "exchange": {
            "submission_id": submission_id,
            "schema_id": schema_id,
            "revision": 1,
            "status": "accepted",
            "defaults_applied": [],
            "warnings": [],
        },
    })
}

#[test]
fn figures_4_and_8_are_accepted_as_they_stand_z067_z176_z177() {
    let server = shipped();
    assert_eq!(figure(FIGURE_4), figure(FIGURE_8));
    let first = submit(&server, "assistant", FIGURE_4);
    assert_eq!(first.status, 200, "{}", first.body);
    let payload = &figure(FIGURE_4)["payload"];
    assert_eq!(first.body, accepted(payload, "flight_booking.2", "flight_booking_v1"));
    let second = submit(&server, "assistant", FIGURE_8);
    let id = second.body["exchange"]["submission_id"].as_str().expect("an id");
    assert_ne!(id, "flight_booking.2");
    assert_eq!(second.body, accepted(payload, id, "flight_booking_v1"));
}

#[test]
fn figure_5_is_accepted_as_it_stands_z070() {
    let server = shipped();
    let reply = submit(&server, "assistant", FIGURE_5);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let payload = figure(FIGURE_5)["payload"].clone();
    assert_eq!(reply.body, accepted(&payload, "photo_retouch.2", "photo_retouch_v2"));
}

#[test]
fn figure_6_is_answered_with_figure_7_z016_z173_z174_z175() {
    let server = with("flight.json", figure(FIGURE_7));
    let reply = server.call("POST", "/v1/scenarios:negotiate", &[ME], FIGURE_6);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.headers["content-language"], "en");
    assert_eq!(digested(reply.body.clone()), flight_template(&figure(FIGURE_7)));
    let mut wrapped = figure(FIGURE_6);
    wrapped["jsonrpc"] = json!("2.0");
    wrapped["id"] = json!(1);
    let wrapped = server.call("POST", "/v1/scenarios:negotiate", &[ME], &wrapped.to_string());
    assert_eq!(wrapped.body, reply.body);
}

#[test]
fn an_unsupported_language_falls_back_and_says_so_z174() {
    let mut request = figure(FIGURE_6);
    request["params"]["preferred_language"] = json!("zh-Hans-CN");
    let reply = shipped().call("POST", "/v1/scenarios:negotiate", &[ME], &request.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.body["language"], "en");
    assert_eq!(
        reply.body["language_fallback"],
        json!({"requested": "zh-Hans-CN", "served": "en"})
    );
    assert_eq!(reply.body["keys"], shipped_flight()["keys"]);
}

#[test]
fn figure_7_says_what_figure_2_says_but_for_wording_z175() {
    let unworded = |mut document: Value| {
        for key in document["keys"].as_array_mut().expect("keys") {
            key["semantic_description"] = Value::Null;
        }
        document
    };
    let [one, other] = [FIGURE_2, FIGURE_7].map(|text| template(&with("flight.json", figure(text)), "flight_booking"));
    assert_ne!(one, other);
    assert_eq!(unworded(one), unworded(other));
}

/// An airline whose clients ask for seats until there is a key for it.
fn airline() -> Server {
    let mut template = figure(FIGURE_2);
    template["policy"] = json!({"pool": {
        "look_every_fragments": 4, "gate_clients_min": 8, "gate_occurrences_min": 24,
    }});
    let server = with("flight.json", template);
    for round in 0..32 {
        let mut body = figure(FIGURE_8);
        body["payload"]["other"] = json!(SEAT[round % SEAT.len()]);
        let reply = submit(&server, &format!("agent-{}", round % 5), &body.to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    }
    server
}

fn names(members: &Map<String, Value>) -> Vec<&str> {
    members.keys().map(String::as_str).collect()
}

#[test]
fn figure_9s_key_is_suggested_in_a_flat_result_z069_z116_z117_z118_z119_z131_z142_z177_z178() {
    let server = airline();
    let reply = submit(&server, "newcomer", FIGURE_8);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let result = reply.body.as_object().expect("one flat object");
    assert_eq!(names(result), ["payload", "exchange", "schema_update_suggestion"]);
    let suggestion = &reply.body["schema_update_suggestion"];
    assert_eq!(suggestion["new_keys"].as_array().map(Vec::len), Some(1), "{suggestion}");
    // The draft's key has a name, values and a default that nobody said; ours says what was said and guesses nothing.
    let key = &suggestion["new_keys"][0];
    let drafts = figure(FIGURE_9)["schema_update_suggestion"]["new_keys"][0].clone();
    let mut members = names(drafts.as_object().expect("a key"));
    members.retain(|member| *member != "default_value");
    for member in members {
        assert!(!key[member].is_null(), "{member}: {key}");
    }
    assert_eq!(key["required"], drafts["required"]);
    assert_eq!(
        (&key["key_name"], &key["key_type"]),
        (&json!("window_seat"), &json!("boolean"))
    );
    let text = key["semantic_description"].as_str().expect("a description");
    assert!(text.starts_with("Window seat. Examples: '"), "{text}");
    assert!(text.contains("' -> true"), "{text}");
    assert_eq!(key["experimental"], true);
    let patch = &suggestion["patches"][0];
    assert!(patch["patch_id"].as_str().is_some_and(|id| !id.is_empty()), "{patch}");
    assert_eq!(patch["parent_schema_id"], "flight_booking_v1");
    for moment in ["timestamp", "expiration_date"] {
        let text = patch[moment].as_str().expect("a moment");
        assert!(schema::time::At::parse(text).is_some(), "{moment}: {text}");
    }
    assert!(
        patch["timestamp"].as_str() < patch["expiration_date"].as_str(),
        "{patch}"
    );
    assert_eq!(patch["stage"], "experimental");
    assert_eq!(patch["audience"], json!({"kind": "global"}));
    assert_eq!(patch["new_keys"], suggestion["new_keys"]);
    assert_eq!(suggestion["modified_keys"], json!([]));
    assert_eq!(suggestion["withdrawn_keys"], json!([]));
}

#[test]
fn figure_10_is_served_whole_z179_z180() {
    let document = template(&shipped(), "photo_retouch");
    let figure = figure(FIGURE_10);
    let constraints = [
        ("skin_smoothing", json!({"minimum": 0, "maximum": 10})),
        (
            "filter_style",
            json!({"enum": ["none", "vintage", "cinematic", "warm", "cool"]}),
        ),
    ];
    assert_eq!(
        document,
        json!({
            "schema_id": "photo_retouch_v2",
            "scenario": "photo_retouch",
            "version": document["version"],
            "revision": 1,
            "language": "en",
            "description": "Retouches a photo.",
            "keys": served(&figure, &constraints),
            "patches": [],
        })
    );
    let kinds: Vec<(&Value, &Value)> = document["keys"]
        .as_array()
        .expect("keys")
        .iter()
        .map(|key| (&key["key_type"], &key["default_value"]))
        .collect();
    assert_eq!(kinds.len(), 6);
    assert_eq!(kinds[0], (&json!("integer"), &json!(0)));
    assert_eq!(kinds.iter().filter(|(kind, _)| *kind == "boolean").count(), 3);
}
