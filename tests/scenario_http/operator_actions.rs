//! Operator actions, and what clients see of it.

use serde_json::Value;
use serde_json::json;

use super::OLGA;
use super::airline;
use super::id_of;
use super::name_of;
use super::warnings;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

pub(super) const PAYMENT: [&str; 8] = [
    "pay with my credit card",
    "I want to pay by credit card",
    "charge it to my credit card",
    "please use my credit card to pay",
    "pay with credit card",
    "I pay by credit card",
    "take my credit card for the payment",
    "payment by credit card please",
];

fn done(server: &Server, patch: &Value, deed: &str, stage: &str) {
    let reply = server.act(patch, deed, "");
    assert_eq!(reply.status, 200, "{deed}: {}", reply.body);
    assert_eq!(reply.body["stage"], stage, "{deed}");
    let read = server.get("olga", &format!("/v1/patches/{}", id_of(patch)));
    assert_eq!(read.body, reply.body);
}

fn forbidden(server: &Server, patch: &Value, deeds: &[&str]) {
    for deed in deeds {
        let reply = server.act(patch, deed, "");
        assert_eq!(reply.told(), (409, "stage_forbids"), "{deed}");
    }
}

#[test]
fn a_key_goes_through_its_stages_by_hand_z127_z140_z142_z145_z147_z150_z151_z153() {
    let server = airline(&json!({"autonomy": "review"}));
    let patch = server.wanted_by_many(&SEAT);
    let name = name_of(&patch);
    let flags = || {
        let key = server.learned("reader", &name)?;
        Some((key.get("experimental").cloned(), key.get("deprecated").cloned()))
    };
    assert_eq!(patch["stage"], "awaiting_approval");
    assert_eq!(flags(), None, "nobody is shown what nobody approved");
    let early = server.book("eager", &[(&name, json!(true))]);
    assert_eq!(warnings(&early)[0].1, "unknown_key");
    forbidden(
        &server,
        &patch,
        &["promote", "deprecate", "withdraw", "restore", "demote"],
    );

    let approved = server.act(&patch, "approve", r#"{"reason": "asked for daily"}"#);
    approved.has(200, json!({"stage": "experimental"}));
    assert_eq!(flags(), Some((Some(json!(true)), None)));
    forbidden(&server, &patch, &["approve", "reject", "restore", "demote"]);
    done(&server, &patch, "promote", "stable");
    let back = server.act(&patch, "demote", r#"{"reason": "its examples\nare wrong"}"#);
    back.has(200, json!({"stage": "experimental"}));
    assert_eq!(flags(), Some((Some(json!(true)), None)), "it is still served");
    assert!(server.measured(r#"otherwise_key_changes_total{change="demoted",scenario="flight_booking"} 1"#));

    done(&server, &patch, "promote", "stable");
    assert_eq!(flags(), Some((None, None)), "the flag goes, the key stays");
    let stable = server.book("reader", &[(&name, json!(true))]);
    assert_eq!((stable.status, &stable.body["payload"][&name]), (200, &json!(true)));
    // A stable key is part of the contract for who has received it.
    assert_eq!(server.book("reader", &[(&name, json!([7]))]).status, 422);
    forbidden(&server, &patch, &["approve", "reject", "promote", "restore"]);

    done(&server, &patch, "deprecate", "deprecated");
    assert_eq!(flags(), Some((None, Some(json!(true)))));
    let deprecated = server.book("reader", &[(&name, json!(true))]);
    assert_eq!(warnings(&deprecated), [(name.clone(), "deprecated_key".to_owned())]);
    assert_eq!(deprecated.body["payload"][&name], true);

    let before = server.template_of("reader")["revision"].as_u64().expect("a revision");
    done(&server, &patch, "withdraw", "withdrawn");
    assert_eq!(flags(), None, "no longer advertised");
    assert_eq!(server.template_of("reader")["patches"], json!([]));
    let updates = server.get(
        "reader",
        &format!("/v1/scenarios/flight_booking/updates?since={before}"),
    );
    assert_eq!(updates.body["withdrawn_keys"], json!([name]));
    let withdrawn = server.book("reader", &[(&name, json!(true))]);
    assert_eq!(withdrawn.status, 200, "{}", withdrawn.body);
    assert_eq!(withdrawn.body["payload"][&name], true, "still taken");
    assert_eq!(warnings(&withdrawn), [(name.clone(), "withdrawn_key".to_owned())]);
    forbidden(
        &server,
        &patch,
        &["approve", "reject", "promote", "deprecate", "withdraw"],
    );

    done(&server, &patch, "restore", "stable");
    assert_eq!(flags(), Some((None, None)), "what was stable is stable again");
    let evidence = server.evidence(&patch);
    let history = evidence["history"].as_array().expect("history").iter();
    let history: Vec<Value> = history
        .map(|change| json!([change["to"], change["by"]["principal"], change["because"]]))
        .collect();
    assert_eq!(
        history,
        [
            json!(["awaiting_approval", null, null]),
            json!(["experimental", "olga", "asked for daily"]),
            json!(["stable", "olga", null]),
            json!(["experimental", "olga", "its examples are wrong"]),
            json!(["stable", "olga", null]),
            json!(["deprecated", "olga", null]),
            json!(["withdrawn", "olga", null]),
            json!(["stable", "olga", null]),
        ]
    );
    assert_eq!(evidence["approved_by"], "olga");
}

#[test]
fn what_is_rejected_is_shown_to_nobody_and_can_be_restored_z127() {
    let server = airline(&json!({"autonomy": "review"}));
    let patch = server.wanted_by_many(&SEAT);
    done(&server, &patch, "reject", "rejected");
    assert_eq!(server.learned("reader", &name_of(&patch)), None);
    // It cools down: the same wishes do not bring it back.
    server.wanted_by_many(&SEAT);
    assert_eq!(server.patches().len(), 1);
    assert_eq!(server.patches()[0]["stage"], "rejected");
    // No person let it pass: it waits for one again.
    done(&server, &patch, "restore", "awaiting_approval");
    assert_eq!(server.learned("reader", &name_of(&patch)), None);
    let waiting = server.call("GET", "/v1/approvals", &[], "");
    assert!(
        waiting
            .body
            .to_string()
            .contains(patch["patch_id"].as_str().expect("an id")),
        "{}",
        waiting.body
    );
    done(&server, &patch, "approve", "experimental");
    assert_eq!(
        server
            .learned("reader", &name_of(&patch))
            .map(|key| key["experimental"].clone()),
        Some(json!(true))
    );
}

#[test]
fn a_wish_about_payment_waits_for_a_person_z165() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&PAYMENT);
    has(
        &patch,
        json!({"stage": "awaiting_approval", "new_keys/0/sensitive": "payment"}),
    );
    assert_eq!(server.learned("reader", &name_of(&patch)), None);
    server.tick();
    server.settle();
    assert_eq!(server.patches()[0]["stage"], "awaiting_approval");
    done(&server, &patch, "approve", "experimental");
    let key = server.learned("reader", &name_of(&patch)).expect("approved");
    assert_eq!(key["sensitive"], "payment");
    let evidence = server.evidence(&patch);
    has(&evidence, json!({"approved_by": "olga", "sensitive": "payment"}));
}

#[test]
fn a_published_key_takes_a_learned_one_over_which_is_told_and_the_past_stays_as_it_was_z105_z106() {
    let server = airline(&json!({}));
    let template = || server.page("/v1/scenarios/flight_booking/template");
    let before = template();
    let base = server
        .call("GET", "/v1/scenarios/flight_booking/template", &[], "")
        .body["revision"]
        .clone();
    let patch = server.wanted_by_many(&SEAT);
    let name = name_of(&patch);
    let learned = template();
    assert_ne!(before, learned);
    assert_eq!(
        server.page(&format!("/v1/scenarios/flight_booking/template?as_of={base}")),
        before
    );

    let mut next = super::flight(super::small_gates(&json!({})));
    next["schema_id"] = json!("flight_booking_v1_1");
    next["version"] = json!("1.1.0");
    next["keys"].as_array_mut().expect("keys").push(json!({
        "key_name": name, "key_type": "string", "required": false, "constraints": {"enum": ["front", "back"]},
        "semantic_description": "Front or back of the cabin. Example: 'at the front' -> 'front'."}));
    let told = server.call("POST", "/v1/schemas:check", &[OLGA], &next.to_string());
    assert_eq!(told.body["publishable"], true, "{}", told.body);
    let over = &told.body["taken_over"][0];
    has(over, json!({"patch_id": patch["patch_id"], "stage": "experimental"}));
    let classes: Vec<&Value> = over["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .map(|change| &change["class"])
        .collect();
    assert!(classes.contains(&&json!("breaking")), "{over}");
    let published = server.call("PUT", "/v1/schemas/flight_booking_v1_1", &[OLGA], &next.to_string());
    published.has(201, json!({"taken_over": told.body["taken_over"]}));
    let key = server.learned("reader", &name).expect("the key");
    assert_eq!(
        (&key["constraints"]["enum"], key.get("patch_id")),
        (&json!(["front", "back"]), None),
        "the base speaks"
    );
    let earlier = patch["revision"].as_u64().expect("a revision");
    assert_eq!(
        server.page(&format!("/v1/scenarios/flight_booking/template?as_of={earlier}")),
        learned
    );
}
