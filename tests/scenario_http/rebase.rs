//! Stable keys become the base's own.

use serde_json::Value;
use serde_json::json;

use super::SEAT;
use super::airline;
use super::book;
use super::get;
use super::id_of;
use super::learned;
use super::name_of;
use super::template_of;
use super::wanted_by_many;
use crate::support::server::Reply;
use crate::support::server::Server;

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
    let patch = wanted_by_many(&server, &SEAT);
    let name = name_of(&patch);
    let early = rebase(&server, "");
    assert_eq!(
        (early.status, &early.body["code"]),
        (409, &json!("nothing_stable")),
        "it is on trial"
    );
    let path = format!("/v1/patches/{}:promote", id_of(&patch));
    assert_eq!(
        server.call("POST", &path, &[("Otherwise-Client", "olga")], "").status,
        200
    );
    server.settle();
    let before = keys_of(&template_of(&server, "reader"));

    let told = rebase(&server, "?dry_run=true");
    assert_eq!(
        (told.status, &told.body["publishable"]),
        (200, &json!(true)),
        "{}",
        told.body
    );
    assert_eq!(
        get(&server, "paul", "/v1/schemas/flight_booking_v1_1").status,
        404,
        "nothing is stored"
    );
    let done = rebase(&server, "");
    assert_eq!(done.status, 201, "{}", done.body);
    assert_eq!(done.body["schema_id"], "flight_booking_v1_1");
    assert_eq!(done.body["patches"], json!([patch["patch_id"]]));
    assert_eq!(done.body["compatibility"]["compatible"], true);

    let template = template_of(&server, "reader");
    assert_eq!(
        (&template["schema_id"], &template["version"]),
        (&json!("flight_booking_v1_1"), &json!("1.1.0"))
    );
    assert_eq!(keys_of(&template), before, "nobody is served anything else");
    let key = learned(&server, "reader", &name).expect("the key");
    assert_eq!(key.get("patch_id"), None, "it is the base's own");
    let published = get(&server, "paul", "/v1/schemas/flight_booking_v1_1").body;
    assert_eq!(
        published["policy"],
        get(&server, "paul", "/v1/schemas/flight_booking_v1").body["policy"]
    );
    let told = get(&server, "reader", "/v1/scenarios/flight_booking/updates?since=0").body;
    assert_eq!(
        (&told["patches"], &told["withdrawn_keys"]),
        (&json!([]), &json!([])),
        "the base says it"
    );
    let fresh = book(&server, "newcomer", &[]);
    assert_eq!(
        fresh.body.get("schema_update_suggestion"),
        None,
        "nothing is new to one who knows the base"
    );
    let old = book(&server, "reader", &[(&name, json!(true))]);
    assert_eq!(
        (old.status, &old.body["payload"][&name]),
        (200, &json!(true)),
        "by the older id too"
    );

    for hand in ["deprecate", "demote", "withdraw"] {
        let path = format!("/v1/patches/{}:{hand}", id_of(&patch));
        let void = server.call("POST", &path, &[("Otherwise-Client", "olga")], "");
        assert_eq!(
            (void.status, &void.body["code"]),
            (409, &json!("stage_forbids")),
            "{hand}"
        );
        let detail = void.body["detail"].as_str().expect("a detail");
        assert!(detail.contains("flight_booking_v1_1 has the key"), "{detail}");
    }

    let again = rebase(&server, "");
    assert_eq!((again.status, &again.body["code"]), (409, &json!("nothing_stable")));
    let nowhere = server.call(
        "POST",
        "/v1/scenarios/nowhere:rebase",
        &[("Otherwise-Client", "paul")],
        "",
    );
    assert_eq!(
        (nowhere.status, &nowhere.body["code"]),
        (404, &json!("unknown_scenario"))
    );
}
