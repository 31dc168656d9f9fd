//! Whose a scenario is, and who stands on record for what was done with it.

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::flight;
use super::small_gates;
use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

/// Publishers with keys, an operator, and five clients.
fn closed(schemas: &[(&str, Value)]) -> Server {
    Server::start(
        schemas,
        |settings| {
            let people = [
                ("ana", Role::Publisher),
                ("ben", Role::Publisher),
                ("olga", Role::Operator),
                ("c1", Role::Client),
                ("c2", Role::Client),
                ("c3", Role::Client),
                ("c4", Role::Client),
                ("c5", Role::Client),
            ];
            let with_key = |(name, role)| with_key(name, role, &format!("key of {name}"));
            settings.principals = people.into_iter().map(with_key).collect();
        },
        PartsOverride::default(),
    )
}

fn ask(server: &Server, name: &str, method: &str, path: &str, body: &Value) -> Reply {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let headers = [
        ("X-API-Key", &*format!("key of {name}")),
        ("X-Request-Id", &*format!("{name}-asks")),
    ];
    server.call(method, path, &headers, &body)
}

fn template(id: &str, scenario: &str) -> (String, Value) {
    let document = json!({"schema_id": id, "scenario": scenario, "keys": [
        {"key_name": "where", "key_type": "string", "required": true, "semantic_description": "Where to."}]});
    (format!("/v1/schemas/{id}"), document)
}

#[test]
fn who_publishes_first_owns_a_scenario_until_an_operator_gives_it_away() {
    let server = closed(&[]);
    let (first, document) = template("trip_v1", "trip");
    let (second, later) = template("trip_v2", "TRIP");
    assert_eq!(ask(&server, "ana", "PUT", &first, &document).status, 201);
    let owner = |name: &str| ask(&server, name, "GET", "/v1/scenarios/trip/owner", &Value::Null);
    assert_eq!(owner("ben").body, json!({"scenario": "trip", "owner": "ana"}));
    assert_eq!(owner("c1").status, 403);

    let refused = |name: &str, method: &str, path: &str, body: &Value| {
        let reply = ask(&server, name, method, path, body);
        assert_eq!(reply.told(), (409, "scenario_owned"), "{method} {path}: {}", reply.body);
        assert!(
            reply.body["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains("ana")),
            "{}",
            reply.body
        );
    };
    refused("ben", "PUT", &second, &later);
    let mut other = document.clone();
    other["description"] = json!("Something else.");
    refused("ben", "PUT", &first, &other);
    refused("ben", "DELETE", &first, &Value::Null);
    refused("ben", "POST", "/v1/schemas/trip_v1:restore", &Value::Null);
    refused("ben", "POST", "/v1/schemas/trip_v1:deprecate", &Value::Null);
    for (name, status) in [("c1", 403), ("ana", 200), ("olga", 200)] {
        let asked = ask(&server, name, "POST", "/v1/schemas/trip_v1:deprecate", &Value::Null);
        assert_eq!(asked.status, status, "{name}: {}", asked.body);
    }
    refused("ben", "POST", "/v1/scenarios/trip:rebase", &Value::Null);
    let checked = ask(&server, "ben", "POST", "/v1/schemas:check", &later).body;
    has(
        &checked,
        json!({"publishable": false, "refusal/code": "scenario_owned"}),
    );
    assert_eq!(
        ask(&server, "ben", "PUT", &first, &document).status,
        200,
        "nothing is done"
    );
    assert_eq!(
        ask(
            &server,
            "ben",
            "PUT",
            &template("tour_v1", "tour").0,
            &template("tour_v1", "tour").1
        )
        .status,
        201
    );

    assert_eq!(
        ask(&server, "olga", "DELETE", &first, &Value::Null).status,
        200,
        "an operator may"
    );
    assert_eq!(
        ask(&server, "ana", "POST", "/v1/schemas/trip_v1:restore", &Value::Null).status,
        200
    );
    let give = |name: &str, body: Value| ask(&server, name, "PUT", "/v1/scenarios/trip/owner", &body);
    assert_eq!(give("ana", json!({"owner": "ben"})).status, 403);
    for wrong in [
        json!({}),
        json!({"owner": 7}),
        json!({"owner": "a b"}),
        json!({"owner": "ben", "more": 1}),
    ] {
        assert_eq!(give("olga", wrong).told(), (400, "bad_request"));
    }
    let given = give("olga", json!({"owner": "ben", "reason": "ana left"}));
    assert_eq!(
        given.body,
        json!({"scenario": "trip", "owner": "ben"}),
        "{}",
        given.body
    );
    assert_eq!(ask(&server, "ben", "PUT", &second, &later).status, 201);
    assert_eq!(
        ask(&server, "ana", "DELETE", &second, &Value::Null).told(),
        (409, "scenario_owned")
    );

    assert_eq!(give("olga", json!({"owner": null})).body["owner"], Value::Null);
    let (third, last) = template("trip_v3", "trip");
    let refused = ask(&server, "ana", "PUT", &third, &last);
    assert_eq!(refused.told(), (409, "scenario_owned"), "it is the operators'");
    assert_eq!(ask(&server, "olga", "PUT", &third, &last).status, 201);
}

#[test]
fn what_lies_in_the_folder_is_the_folders_and_where_names_are_not_proved_they_own_nothing() {
    let server = closed(&[("trip.json", template("trip_v1", "trip").1)]);
    let owner =
        |server: &Server| ask(server, "olga", "GET", "/v1/scenarios/trip/owner", &Value::Null).body["owner"].clone();
    assert_eq!(owner(&server), "schemas folder");
    let (second, later) = template("trip_v2", "trip");
    assert_eq!(
        ask(&server, "ben", "PUT", &second, &later).told(),
        (409, "scenario_owned")
    );
    assert_eq!(ask(&server, "olga", "PUT", &second, &later).status, 201);
    assert_eq!(owner(&server), "schemas folder");
    let open = Server::start(&[], |_| {}, PartsOverride::default());
    for (name, id) in [("ana", "trip_v1"), ("ben", "trip_v2")] {
        let (path, document) = template(id, "trip");
        let reply = open.call("PUT", &path, &[("Otherwise-Client", name)], &document.to_string());
        assert_eq!(reply.status, 201, "{}", reply.body);
        assert_eq!(owner(&open), Value::Null);
    }
}

#[test]
fn every_act_has_on_record_who_did_it_by_which_key_in_which_request_z169() {
    let server = closed(&[]);
    let by = |name: &str| {
        let key = text::name::hexadecimal(&<sha2::Sha256 as sha2::Digest>::digest(format!("key of {name}")));
        json!({"principal": name, "method": "api_key", "key": &key[..8], "request_id": format!("{name}-asks")})
    };
    let document = flight(small_gates(&json!({"autonomy": "review", "example_clients_min": 3})));
    assert_eq!(
        ask(&server, "ana", "PUT", "/v1/schemas/flight_booking_v1", &document).status,
        201
    );
    let frozen = ask(
        &server,
        "olga",
        "POST",
        "/v1/scenarios/flight_booking:freeze",
        &Value::Null,
    );
    assert_eq!(frozen.body["frozen"]["by"], by("olga"), "{}", frozen.body);
    let thawed = ask(
        &server,
        "olga",
        "POST",
        "/v1/scenarios/flight_booking:thaw",
        &Value::Null,
    );
    assert_eq!(thawed.status, 200);
    for (number, wish) in SEAT.iter().enumerate() {
        let body = json!({"schema_id": "flight_booking_v1", "payload": {"origin": "PEK", "destination": "SHA",
            "departure_date": "2026-05-04", "other": wish}});
        let reply = ask(
            &server,
            &format!("c{}", number % 5 + 1),
            "POST",
            "/v1/submissions",
            &body,
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    server.settle();
    let waiting = ask(&server, "olga", "GET", "/v1/approvals", &Value::Null).body;
    let patch = waiting["approvals"][0]["patch_id"]
        .as_str()
        .expect("one waits")
        .to_owned();
    let hand = |hand: &str| {
        ask(
            &server,
            "olga",
            "POST",
            &format!("/v1/patches/{patch}:{hand}"),
            &Value::Null,
        )
        .status
    };
    assert_eq!([hand("approve"), hand("promote"), hand("deprecate")], [200; 3]);
    let evidence = ask(
        &server,
        "ana",
        "GET",
        &format!("/v1/patches/{patch}/evidence"),
        &Value::Null,
    )
    .body;
    let whose: Vec<&Value> = evidence["history"]
        .as_array()
        .expect("a history")
        .iter()
        .map(|change| &change["by"])
        .collect();
    let olga = by("olga");
    assert_eq!(whose, [&Value::Null, &olga, &olga, &olga]);
    assert_eq!(evidence["approved_by"], "olga");
}
