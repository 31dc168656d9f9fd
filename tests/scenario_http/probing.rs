//! Candidates that are made to guess what clients sent: none of them tells a value of one client.

use std::sync::Arc;

use otherwise::app::caller::Role;
use otherwise::app::would_break;
use otherwise::app::would_break::BOUNDS;
use otherwise::bootstrap::parts::PartsOverride;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;
use serde_json::Value;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::journals::journals;
use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::server::over;
use crate::support::server::under;

fn clinic(id: &str, version: &str) -> Value {
    json!({"schema_id": id, "scenario": "clinic", "version": version, "keys": [
        {"key_name": "ward", "key_type": "string", "required": true, "semantic_description": "Ward."},
        {"key_name": "weight", "key_type": "number", "required": false, "semantic_description": "Weight in kilograms."},
        {"key_name": "tags", "key_type": "array", "required": false, "semantic_description": "Tags."},
        {"key_name": "extra", "key_type": "object", "required": false, "semantic_description": "Anything else."},
        {"key_name": "diagnosis", "key_type": "string", "required": false, "sensitive": "personal",
         "semantic_description": "Diagnosis."}]})
}

/// The next version with keys changed by name; `null` takes one out.
fn candidate(strict: bool, changes: &[(&str, Value)]) -> Value {
    let mut next = clinic("clinic_v2", "2.0.0");
    next["strict"] = json!(strict);
    let keys = next["keys"].as_array_mut().expect("keys");
    for (name, change) in changes {
        let known = keys.iter().position(|key| key["key_name"] == *name);
        match (known, change) {
            (Some(place), Value::Null) => drop(keys.remove(place)),
            (Some(place), change) => json_patch::merge(&mut keys[place], change),
            (None, change) => {
                let mut key =
                    json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": "New."});
                json_patch::merge(&mut key, change);
                keys.push(key);
            }
        }
    }
    next
}

/// Everything that a publisher may try to learn whether a value is one of two.
fn candidates() -> Vec<Value> {
    let mut changes: Vec<Vec<(&str, Value)>> = Vec::new();
    for name in ["ward", "diagnosis"] {
        let constrained = |constraints: Value| vec![(name, json!({"constraints": constraints}))];
        for pattern in [
            "^[a-m]",
            "^[n-z]",
            "^f",
            "^fl",
            "^(?:[^f]|f[^l])",
            "^.{7}$",
            "^x",
            "flu",
            "^[^f].*$",
        ] {
            changes.push(constrained(json!({"pattern": pattern})));
        }
        changes.push(constrained(json!({"enum": ["flu-17", "a", "b"]})));
        changes.push(constrained(json!({"enum": ["measles", "a", "b"]})));
        changes.push(constrained(json!({"const": "flu-17"})));
        changes.push(constrained(json!({"format": "date"})));
        changes.push(constrained(json!({"maxLength": 6})));
        changes.push(constrained(json!({"minLength": 7})));
        // The same read under another name, and with the mark taken off.
        changes.push(vec![
            (name, Value::Null),
            (
                "other_name",
                json!({"wire_name": name, "constraints": {"pattern": "^f"}}),
            ),
        ]);
        changes.push(vec![(
            name,
            json!({"sensitive": null, "constraints": {"pattern": "^f"}}),
        )]);
        changes.push(vec![(
            name,
            json!({"required": true, "sensitive": null, "constraints": {"pattern": "^f"}}),
        )]);
    }
    for bound in [50, 60, 61, 70, 90, 98] {
        changes.push(vec![("weight", json!({"constraints": {"minimum": bound}}))]);
        changes.push(vec![("weight", json!({"constraints": {"maximum": bound}}))]);
    }
    changes.push(vec![("weight", json!({"key_type": "integer"}))]);
    changes.push(vec![("weight", json!({"constraints": {"multipleOf": 5}}))]);
    changes.push(vec![(
        "tags",
        json!({"constraints": {"items": {"type": "string", "pattern": "^f"}}}),
    )]);
    changes.push(vec![("tags", json!({"constraints": {"maxItems": 1}}))]);
    changes.push(vec![("extra", json!({"constraints": {"required": ["flu"]}}))]);
    changes.push(vec![(
        "extra",
        json!({"constraints": {"additionalProperties": false, "properties": {"flu": {}}}}),
    )]);
    // Names that a client made up, tried as keys.
    changes.push(vec![("flu_shot", json!({}))]);
    changes.push(vec![("flu_shot", json!({"key_type": "integer"}))]);
    changes.push(vec![("flu_shot", json!({"required": true}))]);
    let combined = changes.clone().into_iter().map(|mut changes| {
        changes.push(("ward", json!({"required": true})));
        changes.push(("weight", json!({"required": true})));
        changes
    });
    let all: Vec<_> = combined.chain(changes.clone()).collect();
    let all = [false, true]
        .iter()
        .flat_map(|strict| all.iter().map(|changes| candidate(*strict, changes)));
    let all: Vec<Value> = all
        .filter(|candidate| SchemaTemplate::parse(candidate).is_ok())
        .collect();
    assert!(all.len() > 200, "{} of them are templates", all.len());
    all
}

/// Answers to all candidates in a world where one client sent this, among others who each sent something else.
fn answers(of_ada: &Value, others: usize) -> Vec<Value> {
    let (clock, journal) = (Arc::new(VirtualClock::at(At(20_000 * DAY_MS))), Arc::new(journals()));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..over(&journal)
    };
    let server = Server::start(&[("clinic_v1.json", clinic("clinic_v1", "1.0.0"))], |_| {}, parts);
    let submit = |client: &str, payload: &Value| {
        let body = json!({"schema_id": "clinic_v1", "payload": payload}).to_string();
        let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", client)], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
    };
    for n in 0..others {
        let ward = format!("{}{n}", ["a", "f", "flu", "z"][n % 4]);
        submit(
            &format!("other{n}"),
            &json!({"ward": ward, "weight": 40 + 10 * n, "diagnosis": format!("d{n}")}),
        );
    }
    submit("ada", of_ada);
    server.settle();
    let handle = server.service().handle("clinic").expect("hosted");
    let look = |candidate: &Value| {
        let template = SchemaTemplate::parse(candidate)
            .unwrap_or_else(|defects| panic!("{defects:?}"))
            .0;
        let told = would_break::look(journal.as_ref(), &*clock, &handle, template, BOUNDS).expect("read");
        serde_json::to_value(told).expect("an answer")
    };
    candidates().iter().map(look).collect()
}

#[test]
fn no_candidate_tells_one_clients_value_whatever_it_asks() {
    let flu = json!({"ward": "flu-17", "weight": 61, "tags": ["flu"], "extra": {"flu": 1}, "flu_shot": "yes", "diagnosis": "flu-17"});
    let measles = json!({"ward": "measles", "weight": 97.5, "tags": ["a", "b"], "extra": {"x": 2}, "shot": 3, "diagnosis": "measles"});
    // Alone, among as many as may be told of, and beside one fewer and one more.
    for others in [0, 4, 5, 6] {
        let [first, second] = [answers(&flu, others), answers(&measles, others)];
        for ((first, second), candidate) in first.iter().zip(&second).zip(candidates()) {
            assert_eq!(first, second, "{others} others: {candidate}");
            assert!(!first["clients"].to_string().contains("diagnosis"), "{first}");
        }
        // The answers are not empty: who breaks by a missing key is told.
        let asks = first.iter().filter(|told| told["clients"] != json!([]));
        assert!(asks.count() > 0);
    }
}

#[test]
fn what_needs_no_value_is_told_of_each_client_and_a_value_where_many_sent_it_alike() {
    let server = Server::start(
        &[("clinic_v1.json", clinic("clinic_v1", "1.0.0"))],
        |_| {},
        under(&Arc::new(VirtualClock::at(At(20_000 * DAY_MS)))),
    );
    let submit = |client: &str, payload: Value| {
        let body = json!({"schema_id": "clinic_v1", "payload": payload}).to_string();
        let named = [("Otherwise-Client", client)];
        let reply = server.call(
            "POST",
            "/v1/submissions",
            if client.is_empty() { &[] } else { &named },
            &body,
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    };
    let told = |candidate: &Value| {
        let checked = server.call("POST", "/v1/schemas:check", &[], &candidate.to_string());
        assert_eq!(checked.status, 200, "{}", checked.body);
        let rows = checked.body["would_break"]["clients"]
            .as_array()
            .expect("clients")
            .clone();
        let row = |row: &Value| format!("{} {} {}", row["client"], row["refused"], row["keys"]);
        rows.iter().map(row).collect::<Vec<_>>()
    };
    for client in ["a", "b", "c", "d", "a", ""] {
        submit(client, json!({"ward": "north", "weight": 5}));
    }
    submit("e", json!({"ward": "south", "diagnosis": "flu"}));
    let without_north = candidate(false, &[("ward", json!({"constraints": {"enum": ["south", "west"]}}))]);
    assert_eq!(told(&without_north), [""; 0], "four clients, and those without a name");
    submit("e", json!({"ward": "north"}));
    let five = ["\"a\" 2", "null 1", "\"b\" 1", "\"c\" 1", "\"d\" 1", "\"e\" 1"];
    assert_eq!(
        told(&without_north),
        five.map(|row| format!("{row} [\"ward\"]")),
        "five sent it alike"
    );
    let south = candidate(false, &[("ward", json!({"constraints": {"enum": ["north", "west"]}}))]);
    assert_eq!(told(&south), [""; 0], "one sent it");

    let asks = candidate(false, &[("weight", json!({"required": true}))]);
    assert_eq!(told(&asks), ["\"e\" 2 [\"weight\"]"]);
    let text = candidate(false, &[("weight", json!({"key_type": "string"}))]);
    assert_eq!(told(&text)[0], "\"a\" 2 [\"weight\"]");
    assert_eq!(told(&text).len(), 5, "e sent none");
    let gone = candidate(true, &[("weight", Value::Null)]);
    assert_eq!(told(&gone).len(), 5);
    for nothing in [
        candidate(false, &[("diagnosis", json!({"required": true}))]),
        candidate(
            false,
            &[("diagnosis", json!({"key_type": "integer", "sensitive": null}))],
        ),
        candidate(true, &[("diagnosis", Value::Null)]),
    ] {
        assert_eq!(told(&nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn checks_are_on_the_decision_log_and_a_publisher_may_make_so_many_an_hour() {
    let people = [
        ("paul", Role::Publisher),
        ("olga", Role::Operator),
        ("ada", Role::Client),
    ];
    let people = people.map(|(name, role)| with_key(name, role, &format!("key of {name}")));
    let clock = Arc::new(VirtualClock::at(At(20_000 * DAY_MS)));
    let server = Server::start(&[], |settings| settings.principals = people.to_vec(), under(&clock));
    let ask = |name: &str, method: &str, path: &str, body: &Value| -> Reply {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        server.call(method, path, &[("X-API-Key", &format!("key of {name}"))], &body)
    };
    assert_eq!(
        ask("paul", "PUT", "/v1/schemas/clinic_v1", &clinic("clinic_v1", "1.0.0")).status,
        201
    );
    let next = candidate(false, &[]);
    let mut elsewhere = next.clone();
    elsewhere["scenario"] = json!("bakery");
    for _ in 0..60 {
        assert_eq!(ask("paul", "POST", "/v1/schemas:check", &next).status, 200);
        assert_eq!(ask("paul", "POST", "/v1/schemas:check", &elsewhere).status, 200);
    }
    let refused = ask("paul", "POST", "/v1/schemas:check", &next);
    assert_eq!(refused.told(), (429, "limit_reached"));
    assert_eq!(refused.headers["retry-after"], "3600");
    assert_eq!(
        ask("paul", "POST", "/v1/schemas:check", &elsewhere).status,
        200,
        "nothing is stored there"
    );
    assert_eq!(
        ask("olga", "POST", "/v1/schemas:check", &next).status,
        200,
        "operators are not limited"
    );
    clock.advance_ms(HOUR_MS);
    assert_eq!(ask("paul", "POST", "/v1/schemas:check", &next).status, 200);
    let log = ask("olga", "GET", "/v1/scenarios/clinic/decision-log?limit=3", &Value::Null);
    has(
        &log.body,
        json!({
            "decisions/0/what": "schema_checked", "decisions/0/schema_id": "clinic_v2", "decisions/0/by/principal": "paul",
            "decisions/0/says": "schema clinic_v2 was checked against stored submissions",
            "decisions/1/by/principal": "olga", "decisions/2/by/principal": "paul",
        }),
    );
}

#[test]
fn a_scenario_of_the_folder_or_without_an_owner_is_the_operators_alone() {
    let people = [
        ("paul", Role::Publisher),
        ("olga", Role::Operator),
        ("ada", Role::Client),
    ];
    let people = people.map(|(name, role)| with_key(name, role, &format!("key of {name}")));
    let server = Server::start(
        &[("clinic_v1.json", clinic("clinic_v1", "1.0.0"))],
        |settings| settings.principals = people.to_vec(),
        PartsOverride::default(),
    );
    let ask = |name: &str, method: &str, path: &str, body: Value| -> Reply {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        server.call(method, path, &[("X-API-Key", &format!("key of {name}"))], &body)
    };
    let submitted = json!({"schema_id": "clinic_v1", "payload": {"ward": "north"}});
    assert_eq!(ask("ada", "POST", "/v1/submissions", submitted).status, 200);
    server.settle();
    let owner = "/v1/scenarios/clinic/owner";
    let next = candidate(false, &[("weight", json!({"required": true}))]);
    let checks = |name: &str| ask(name, "POST", "/v1/schemas:check", next.clone()).body;
    let mut is_pauls = false;
    for gives in [None, Some(Value::Null), Some(json!("paul"))] {
        if let Some(to) = &gives {
            assert_eq!(ask("olga", "PUT", owner, json!({"owner": to})).status, 200);
            is_pauls = *to == json!("paul");
        }
        let told = ask("olga", "GET", owner, Value::Null).body["owner"].clone();
        assert_eq!(told, gives.unwrap_or(json!("schemas folder")));
        assert_eq!(checks("paul").get("would_break").is_some(), is_pauls, "{told}");
        assert_eq!(checks("paul")["publishable"], is_pauls);
        assert_eq!(checks("olga")["would_break"]["clients"][0]["client"], "ada");
        for (method, path, body) in [
            ("PUT", "/v1/schemas/clinic_v2", next.clone()),
            ("DELETE", "/v1/schemas/clinic_v1", Value::Null),
            ("POST", "/v1/schemas/clinic_v1:deprecate", json!({})),
            ("POST", "/v1/schemas/clinic_v1:restore", Value::Null),
            ("POST", "/v1/scenarios/clinic:rebase", Value::Null),
        ] {
            let reply = ask("paul", method, path, body);
            if !is_pauls {
                assert_eq!(reply.told(), (409, "scenario_owned"), "{method} {path}");
            } else {
                assert_ne!(reply.told(), (409, "scenario_owned"), "{method} {path}");
            }
        }
    }
}
