//! The draft's conversation over HTTP: publish, negotiate, submit, be refused, be told what changed.

use serde_json::Value;
use serde_json::json;

use crate::support::server::Server;

const ME: (&str, &str) = ("Otherwise-Client", "travel-desk");

fn template(schema_id: &str, required: &str) -> Value {
    json!({
        "schema_id": schema_id,
        "scenario": "train booking",
        "language": "en",
        "keys": [
            {"key_name": required, "key_type": "string", "required": true, "default_value": null,
             "semantic_description": "City of departure, e.g. \"from Berlin\" -> \"Berlin\"."},
            {"key_name": "seats", "key_type": "integer", "required": false, "default_value": 1,
             "semantic_description": "Number of seats, e.g. \"two of us\" -> 2."},
            {"key_name": "other", "key_type": "string", "required": false, "default_value": null,
             "semantic_description": "Whatever no other key holds."},
        ],
    })
}

fn server() -> Server {
    Server::with(&[("train.json", template("train_v1", "origin"))])
}

#[test]
fn a_template_is_negotiated_in_either_form_z016_z173_z174() {
    let server = server();
    let request = json!({"method": "get_schema_template",
                         "params": {"scenario": "train_booking", "preferred_language": "en-US"}});
    let negotiated = server.call("POST", "/v1/scenarios:negotiate", &[ME], &request.to_string());
    assert_eq!(
        (negotiated.status, &negotiated.body["schema_id"]),
        (200, &json!("train_v1"))
    );
    for path in [
        "/v1/scenarios/train_booking/template",
        "/v1/scenarios/Train%20Booking/template",
        "/v1/namespaces/default/scenarios/train-booking/template",
    ] {
        let fetched = server.call("GET", path, &[ME], "");
        assert_eq!((fetched.status, fetched.body), (200, negotiated.body.clone()), "{path}");
    }
    let unknown = server.call("GET", "/v1/scenarios/moon_landing/template", &[ME], "");
    assert_eq!(
        (unknown.status, &unknown.body["code"]),
        (404, &json!("unknown_scenario"))
    );
}

#[test]
fn a_preferred_language_that_is_none_gets_the_template_s_own_z041() {
    let server = server();
    for asked in ["%00", "%0D%0AX-Evil:%201", "%1B[31m", "%C3%BC", "", "de%00"] {
        let path = format!("/v1/scenarios/train_booking/template?preferred_language={asked}");
        let reply = server.call("GET", &path, &[ME], "");
        assert_eq!(reply.status, 200, "{asked}");
        assert_eq!(reply.headers["content-language"], "en", "{asked}");
        assert!(!reply.headers.contains_key("x-evil"), "{asked}");
        assert_eq!(reply.body["language"], "en", "{asked}");
    }
    let request = json!({"method": "get_schema_template",
                         "params": {"scenario": "train_booking", "preferred_language": "\u{0}\r\n"}});
    let reply = server.call("POST", "/v1/scenarios:negotiate", &[ME], &request.to_string());
    assert_eq!((reply.status, &reply.body["language"]), (200, &json!("en")));
}

#[test]
fn what_a_client_holds_is_not_sent_again_z182() {
    let server = server();
    let path = "/v1/scenarios/train_booking/template";
    let first = server.call("GET", path, &[ME], "");
    let etag = first.headers["etag"].to_str().expect("a tag").to_owned();
    assert_eq!(first.headers["cache-control"], "private, no-cache");
    assert!(first.headers.contains_key("content-language") && first.headers.contains_key("vary"));
    for held in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"old\", {etag}"),
        "*".to_owned(),
    ] {
        let again = server.call("GET", path, &[ME, ("If-None-Match", &held)], "");
        assert_eq!(again.status, 304, "{held}");
        assert_eq!(again.headers["etag"].to_str().ok(), Some(etag.as_str()), "{held}");
    }
    assert_eq!(
        server.call("GET", path, &[ME, ("If-None-Match", "\"old\"")], "").status,
        200
    );
}

#[test]
fn a_payload_is_accepted_or_refused_with_every_violation_z006_z019_z176() {
    let server = server();
    let right = json!({"schema_id": "train_v1", "payload": {"origin": "Berlin", "other": "a quiet coach"}}).to_string();
    let wrong = json!({"schema_id": "train_v1", "payload": {"seats": "two"}}).to_string();
    let unknown = json!({"schema_id": "ship_v1", "payload": {}}).to_string();
    for (body, status, code) in [
        (right.as_str(), 200, Value::Null),
        (&wrong, 422, json!("invalid_payload")),
        (&unknown, 404, json!("unknown_schema")),
        ("{", 400, json!("bad_request")),
    ] {
        for path in ["/v1/submissions:validate", "/v1/submissions"] {
            let reply = server.call("POST", path, &[ME], body);
            assert_eq!(
                (reply.status, &reply.body["code"]),
                (status, &code),
                "{path}: {}",
                reply.body
            );
            if status == 422 {
                let keys = reply.body["violations"].as_array().expect("violations").iter();
                let keys: Vec<&Value> = keys.map(|violation| &violation["key"]).collect();
                assert!(
                    keys.contains(&&json!("origin")) && keys.contains(&&json!("seats")),
                    "{}",
                    reply.body
                );
            }
        }
    }
}

#[test]
fn a_schema_is_immutable_and_can_be_retired_z030_z105() {
    let server = server();
    let path = "/v1/schemas/ferry_v1";
    let mut document = template("ferry_v1", "port");
    document["scenario"] = json!("ferry");
    let put = |document: &Value, status: u16, code: Value| {
        let reply = server.call("PUT", path, &[], &document.to_string());
        assert_eq!((reply.status, &reply.body["code"]), (status, &code), "{}", reply.body);
        reply.body
    };
    put(&document, 201, Value::Null);
    put(&document, 200, Value::Null);
    let mut other = document.clone();
    other["keys"][0]["semantic_description"] = json!("Another thing.");
    put(&other, 409, json!("schema_immutable"));
    assert_eq!(server.call("DELETE", path, &[], "").status, 200);
    let late = json!({"schema_id": "ferry_v1", "payload": {"port": "Kiel"}}).to_string();
    let gone = server.call("POST", "/v1/submissions", &[ME], &late);
    assert_eq!((gone.status, &gone.body["code"]), (410, &json!("schema_retired")));
    let again = put(&document, 410, json!("schema_retired"));
    assert!(again["detail"].to_string().contains("restore"), "{again}");
    put(&other, 409, json!("schema_immutable"));
    let served = server.call("GET", path, &[], "").body;
    assert_eq!(served["retired"], true);
    put(&served, 410, json!("schema_retired"));
    assert_eq!(server.call("POST", &format!("{path}:restore"), &[], "").status, 200);
    // What was said of it is no part of it.
    put(&served, 200, Value::Null);
}

#[test]
fn everything_that_is_wrong_with_a_template_is_said_at_once_z028_z073() {
    let server = server();
    let mut document = template("ship_v1", "port");
    document["policy"] = json!({"pool": {"heat_treshold": 1}});
    document["keys"][1]["key_type"] = json!("text");
    let refused = server.call("PUT", "/v1/schemas/boat_v1", &[], &document.to_string());
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (422, &json!("invalid_template"))
    );
    let mut places: Vec<&str> = refused.body["defects"]
        .as_array()
        .expect("defects")
        .iter()
        .filter_map(|defect| defect["pointer"].as_str())
        .collect();
    places.sort_unstable();
    assert_eq!(places, ["/keys/1/key_type", "/policy/pool/heat_treshold", "/schema_id"]);
    let mut alone = template("ship_v1", "port");
    alone["policy"] = json!(null);
    let refused = server.call("PUT", "/v1/schemas/ship_v1", &[], &alone.to_string());
    assert_eq!(refused.body["defects"][0]["pointer"], "/policy", "{}", refused.body);
}

#[test]
fn a_policy_keeps_to_the_ranges_of_the_settings_and_to_what_the_operator_asks_for_z073_z127() {
    let mut document = template("ship_v1", "port");
    document["scenario"] = json!("ferry");
    document["policy"] = json!({
        "pool": {"heat_half_life_s": 0, "micros_max": 1_000_000_000},
        "evolution": {"trial_s": i64::MAX, "trial_payloads_min": 5, "example_clients_min": 1},
    });
    let server = server();
    let refused = server.call("PUT", "/v1/schemas/ship_v1", &[], &document.to_string());
    assert_eq!(refused.status, 422, "{}", refused.body);
    let defects = refused.body["defects"].as_array().expect("defects");
    let said = |defect: &Value| (defect["pointer"].clone(), defect["message"].clone());
    let range = "must be: whole number, 1 to 3155760000";
    let expected = ["pool/heat_half_life_s", "evolution/trial_s"].map(|path| {
        let message = format!("policy.{} {range}", path.replace('/', "."));
        (json!(format!("/policy/{path}")), json!(message))
    });
    assert_eq!(defects.iter().map(said).collect::<Vec<_>>(), expected);

    document["policy"]["pool"]["heat_half_life_s"] = json!(60);
    document["policy"]["evolution"]["trial_s"] = json!(60);
    let published = server.call("PUT", "/v1/schemas/ship_v1", &[], &document.to_string());
    assert_eq!(published.status, 201, "{}", published.body);
    let findings = published.body["findings"].as_array().expect("findings");
    let held: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["rule"] == "policy_held")
        .map(|finding| &finding["pointer"])
        .collect();
    assert_eq!(
        held,
        ["/policy/pool/micros_max", "/policy/evolution/example_clients_min"]
    );
}

#[test]
fn a_retired_schema_on_the_shelf_stays_retired_and_does_not_stop_the_start_z105() {
    let data = tempfile::tempdir().expect("a folder");
    let ferry = json!({"schema_id": "ferry_v1", "scenario": "ferry", "keys": template("ferry_v1", "port")["keys"]});
    let begin = || {
        Server::set(
            &[
                ("ferry.json", ferry.clone()),
                ("train.json", template("train_v1", "origin")),
            ],
            |settings| settings.data.folder = data.path().display().to_string(),
        )
    };
    let first = begin();
    assert_eq!(first.call("DELETE", "/v1/schemas/ferry_v1", &[], "").status, 200);
    drop(first);
    for round in 0..2 {
        let server = begin();
        let read = server.call("GET", "/v1/schemas/ferry_v1", &[], "");
        assert_eq!((read.status, &read.body["retired"]), (200, &json!(true)), "{round}");
        let again = server.call("PUT", "/v1/schemas/ferry_v1", &[], &ferry.to_string());
        assert_eq!(again.body["code"], "schema_retired", "{round}");
        assert_eq!(
            server
                .call("GET", "/v1/scenarios/train_booking/template", &[], "")
                .status,
            200
        );
    }
}
