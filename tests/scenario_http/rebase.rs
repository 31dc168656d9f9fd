//! Stable keys become the base's own.

use serde_json::Value;
use serde_json::json;

use super::airline;
use super::name_of;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

fn rebase(server: &Server, query: &str) -> Reply {
    let path = format!("/v1/scenarios/flight_booking:rebase{query}");
    let reply = server.call("POST", &path, &[("Otherwise-Client", "paul")], "");
    server.settle();
    reply
}

fn keys_of(template: &Value) -> Vec<Value> {
    let keys = template["keys"].as_array().expect("keys").iter();
    keys.map(|key| json!([key["key_name"], key["key_type"], key["semantic_description"]]))
        .collect()
}

#[test]
fn a_stable_key_is_published_in_the_next_minor_version_z105_z129() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    let name = name_of(&patch);
    let early = rebase(&server, "");
    assert_eq!(early.told(), (409, "nothing_stable"), "it is on trial");
    assert_eq!(server.act(&patch, "promote", "").status, 200);
    let before = keys_of(&server.template_of("reader"));

    let told = rebase(&server, "?dry_run=true");
    told.has(200, json!({"publishable": true}));
    assert_eq!(
        server.get("paul", "/v1/schemas/flight_booking_v1_1").status,
        404,
        "nothing is stored"
    );
    let done = rebase(&server, "");
    done.has(
        201,
        json!({
            "schema_id": "flight_booking_v1_1", "patches": [patch["patch_id"]], "compatibility/compatible": true
        }),
    );

    let template = server.template_of("reader");
    has(
        &template,
        json!({"schema_id": "flight_booking_v1_1", "version": "1.1.0"}),
    );
    assert_eq!(keys_of(&template), before, "nobody is served anything else");
    let key = server.learned("reader", &name).expect("the key");
    assert_eq!(key.get("patch_id"), None, "it is the base's own");
    let published = server.get("paul", "/v1/schemas/flight_booking_v1_1").body;
    assert_eq!(
        published["policy"],
        server.get("paul", "/v1/schemas/flight_booking_v1").body["policy"]
    );
    let told = server
        .get("reader", "/v1/scenarios/flight_booking/updates?since=0")
        .body;
    assert_eq!(
        (&told["patches"], &told["withdrawn_keys"]),
        (&json!([]), &json!([])),
        "the base says it"
    );
    let fresh = server.book("newcomer", &[]);
    assert_eq!(
        fresh.body.get("schema_update_suggestion"),
        None,
        "nothing is new to one who knows the base"
    );
    let old = server.book("reader", &[(&name, json!(true))]);
    assert_eq!(
        (old.status, &old.body["payload"][&name]),
        (200, &json!(true)),
        "by the older id too"
    );

    for hand in ["deprecate", "demote", "withdraw"] {
        let void = server.act(&patch, hand, "");
        assert_eq!(void.told(), (409, "key_in_base"), "{hand}");
        let detail = void.body["detail"].as_str().expect("a detail");
        assert!(detail.contains("flight_booking_v1_1 has the key"), "{detail}");
    }

    let again = rebase(&server, "");
    assert_eq!(again.told(), (409, "nothing_stable"));
    let nowhere = server.call(
        "POST",
        "/v1/scenarios/nowhere:rebase",
        &[("Otherwise-Client", "paul")],
        "",
    );
    assert_eq!(nowhere.told(), (404, "unknown_scenario"));
}
