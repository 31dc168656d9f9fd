//! What an operator reads of demand that has come to no key.
use serde_json::Value;
use serde_json::json;

use super::airline;
use super::id_of;
use super::payload;
use super::small_gates;
use super::timed;
use crate::support::clock::VirtualClock;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

/// What the clusters of the pool wait for, the hottest first.
fn waiting(server: &Server) -> Vec<Value> {
    let clusters = server.pool()["clusters"].as_array().expect("clusters").clone();
    clusters.iter().map(|cluster| cluster["waits_for"].clone()).collect()
}

#[test]
fn a_cluster_without_a_key_says_what_it_waits_for_z096() {
    let server = airline(&json!({}));
    server.wish("agent-0", SEAT[0]);
    let early = waiting(&server);
    assert_eq!(early[0]["code"], "gate", "{early:?}");
    let detail = early[0]["detail"].as_str().expect("a sentence");
    assert!(detail.contains("its gate is closed"), "{detail}");
    server.wanted_by_many(&SEAT);
    assert_eq!(waiting(&server)[0], Value::Null, "it has its key");
}

#[test]
fn wishes_of_which_nothing_is_left_but_a_secret_are_counted_as_such_z171_x02() {
    let server = airline(&json!({}));
    for (number, said) in [
        "use 5519 as pickup PIN",
        "pickup PIN 4711 please",
        "the pickup PIN should be 9034",
        "make 5521 the pickup PIN",
        "set the pickup PIN to 2210",
    ]
    .iter()
    .enumerate()
    {
        server.wish(&format!("agent-{number}"), said);
    }
    assert_eq!(waiting(&server), [Value::Null; 0]);
    let page = server.page("/metrics");
    let counted = r#"otherwise_fragments_total{fate="secret",scenario="flight_booking"} 5"#;
    assert!(page.contains(counted), "{page}");
    assert!(
        !page.contains(r#"{fate="dropped",scenario="flight_booking"} 5"#),
        "{page}"
    );
}

/// A week in which ten clients book twice each, and one of them says what it wants by the key.
pub(super) fn week(server: &Server, clock: &VirtualClock, patch: &Value) {
    let key = &patch["new_keys"][0];
    let value = match key["key_type"].as_str() {
        Some("boolean") => json!(true),
        _ => json!("window"),
    };
    for number in 0..20 {
        let mut payload = payload();
        if number % 10 == 0 {
            payload[key["key_name"].as_str().expect("a name")] = value.clone();
        }
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload, "utterance": SEAT[0]}).to_string();
        let client = format!("agent-{}", number % 10);
        let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", &client)], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    }
    clock.advance_ms(7 * 86_400_000);
    server.tick();
    server.settle();
}

#[test]
fn a_trial_that_its_usage_leaves_undecided_is_shown_to_those_who_decide_z144_z157() {
    let policy = small_gates(&json!({"extensions_max": 1, "trial_payloads_min": 20, "trial_judgements_min": 2}));
    let (server, clock) = timed(policy, |_| {});
    let patch = server.wanted_by_many(&SEAT);
    let id = id_of(&patch);
    week(&server, &clock, &patch);
    let prolonged = server.evidence(&patch);
    has(&prolonged, json!({"stage": "experimental", "waits_for": null}));
    week(&server, &clock, &patch);
    let waits = server.evidence(&patch);
    has(
        &waits,
        json!({"stage": "experimental", "waits_for/code": "usage_between"}),
    );
    let waits_for = &waits["waits_for"];
    assert_eq!(
        &server.get("olga", &format!("/v1/patches/{id}")).body["waits_for"],
        waits_for
    );
    assert_eq!(&server.patches()[0]["waits_for"], waits_for);
    let ledger = server.ledger();
    let name = patch["new_keys"][0]["key_name"].as_str().expect("a name");
    assert_eq!(&ledger["keys"][name]["waits_for"], waits_for);
    let mean = ledger["keys"][name]["client_mean"]["usage_frequency"]
        .as_f64()
        .expect("a mean");
    assert!((0.05..0.15).contains(&mean), "{ledger:#}");
    assert_eq!(&waiting(&server)[0], waits_for);
    let approvals = server.get("olga", "/v1/approvals").body;
    has(
        &approvals,
        json!({"approvals/0/waits_for": waits_for, "approvals/0/patch_id": id}),
    );
    let promoted = server.act(&patch, "promote", "");
    assert_eq!((promoted.status, &promoted.body["stage"]), (200, &json!("stable")));
    assert_eq!(server.get("olga", "/v1/approvals").body["waiting"], json!(0));
}
