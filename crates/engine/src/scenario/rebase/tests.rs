//! What a rebase takes in, and what stays in the layer.

use serde_json::json;

use super::NoRebase;
use super::rebase;
use crate::evolution::operator_action::OperatorAction;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::event::Event;
use crate::scenario::event::Via;
use crate::scenario::layer;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use crate::scenario::submission::Submitted;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::DAY_MS;

const NONE_TAKEN: fn(&SchemaId) -> bool = |_| false;

fn promoted(scene: &mut Scene, name: &str) -> PatchId {
    let id = scene.propose(name);
    // What changes a key of the publisher's waits for a person.
    if scene.stage(&id) == "awaiting_approval" {
        scene.operate(&id, OperatorAction::Approve).expect("approved");
    }
    scene.operate(&id, OperatorAction::Promote).expect("promoted");
    id
}

/// What everyone is served, key by key, without who added it.
fn said(scene: &Scene) -> Vec<serde_json::Value> {
    let keys = scene.effective(None).keys;
    keys.iter().map(|key| json!(key.definition)).collect()
}

#[test]
fn stable_keys_become_the_bases_own_in_its_next_minor_version_z105_z129() {
    let mut scene = Scene::new();
    let seat = promoted(&mut scene, "seat_preference");
    let before = said(&scene);
    let rebased = rebase(&scene.state, NONE_TAKEN).expect("a new base");
    assert_eq!(rebased.patches, [seat]);
    assert_eq!(rebased.template.schema_id.as_str(), "flight_booking_v1_1");
    assert_eq!(rebased.template.version().to_string(), "1.1.0");
    scene.publish(rebased.template);
    assert_eq!(said(&scene), before, "nobody is served anything else");
    assert!(
        scene.effective(None).keys.iter().all(|key| key.patch.is_none()),
        "the base says it all"
    );
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NothingStable), "once");
}

#[test]
fn a_stable_wording_becomes_the_bases_own_z114() {
    let mut scene = Scene::new();
    let wording = promoted(&mut scene, "cabin_class");
    let before = said(&scene);
    let rebased = rebase(&scene.state, NONE_TAKEN).expect("a new base");
    assert_eq!(rebased.patches, [wording]);
    let keys: Vec<_> = rebased.template.keys.iter().map(|key| json!(key)).collect();
    assert_eq!(keys, before);
}

#[test]
fn what_is_on_trial_deprecated_or_one_clients_stays_in_the_layer_z122_z142_z147() {
    let mut scene = Scene::new();
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NothingStable));
    scene.propose("seat_preference");
    let gone = promoted(&mut scene, "meal_choice");
    scene.operate(&gone, OperatorAction::Deprecate).expect("deprecated");
    let own = scene.propose_for(&Audience::Client(client("ana")), candidate("quiet_cabin"));
    scene.operate(&own, OperatorAction::Promote).expect("promoted");
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NothingStable));
    let kept = promoted(&mut scene, "pet_transport");
    let rebased = rebase(&scene.state, NONE_TAKEN).expect("a new base");
    assert_eq!(rebased.patches, [kept]);
    let added: Vec<&str> = rebased.template.keys.iter().map(|key| key.key_name.as_str()).collect();
    assert!(
        added.contains(&"pet_transport") && !added.contains(&"seat_preference"),
        "{added:?}"
    );
    assert!(
        !added.contains(&"meal_choice") && !added.contains(&"quiet_cabin"),
        "{added:?}"
    );
}

#[test]
fn an_id_that_is_taken_is_passed_over_z030() {
    let mut scene = Scene::new();
    promoted(&mut scene, "seat_preference");
    let taken = |schema_id: &SchemaId| schema_id.as_str().ends_with("_1") || schema_id.as_str().ends_with("_2");
    let rebased = rebase(&scene.state, taken).expect("a new base");
    assert_eq!(rebased.template.schema_id.as_str(), "flight_booking_v1_3");
    assert_eq!(rebased.template.version().to_string(), "1.3.0");
}

fn of(scenario: &str, id: &str) -> Result<String, NoRebase> {
    let mut scene = Scene::new();
    promoted(&mut scene, "seat_preference");
    for base in scene.state.bases.values_mut() {
        let template = SchemaTemplate {
            scenario: scenario.to_owned(),
            schema_id: schema_id(id),
            ..base.template.clone()
        };
        base.template = template;
    }
    rebase(&scene.state, NONE_TAKEN).map(|rebased| rebased.template.schema_id.to_string())
}

#[test]
fn a_scenario_that_no_id_can_hold_lends_the_stem_of_its_bases_id_z030() {
    assert_eq!(of("航班", "flights_v1"), Ok("flights_v1_1".to_owned()));
    assert_eq!(of("航班", "flights"), Err(NoRebase::NoId));
    assert_eq!(of(&"a".repeat(123), "x_v1"), Ok(format!("{}_v1_1", "a".repeat(123))));
    assert_eq!(of(&"a".repeat(124), "x_v1"), Err(NoRebase::NoId));
}

fn under(scene: &Scene, base: &SchemaId, name: &str) -> Submitted {
    Submitted {
        schema_id: base.clone(),
        ..scene.submitted(Some(name))
    }
}

#[test]
fn what_the_base_took_over_is_neither_counted_nor_judged_by_what_happens_under_it_z135_z162_z164() {
    let mut scene = Scene::new();
    let seat = scene.propose("seat_preference");
    scene.traffic(&seat, GOOD);
    scene.pass(7 * DAY_MS);
    scene.rest();
    assert_eq!(scene.stage(&seat), "stable");
    let before = scene.state.ledger.read(&seat, scene.at, 30);
    let template = rebase(&scene.state, NONE_TAKEN).expect("a new base").template;
    let new = template.schema_id.clone();
    scene.publish(template);
    assert_eq!(layer::taken_over_by(&scene.state, scene.patch(&seat)), Some(&new));
    // The patch names the key no more: a payload under the new base shows no use of it, however it is filled.
    for _ in 0..200 {
        scene.submit(under(&scene, &new, "r"));
    }
    let after = scene.state.ledger.read(&seat, scene.at, 30);
    assert_eq!(after.payloads_of_recipients, before.payloads_of_recipients);
    assert_eq!(after.usage_among_recipients, before.usage_among_recipients);
    let revision = scene.effective(None).revision;
    for _ in 0..12 {
        scene.pass(7 * DAY_MS);
        scene.submit(under(&scene, &new, "r"));
        scene.rest();
        assert_eq!(scene.stage(&seat), "stable");
    }
    assert_eq!(scene.effective(None).revision, revision, "nothing is new to anyone");
    // Who speaks by the older id still has it from the patch, and that counts.
    let old = schema_id("flight_v1");
    scene.submit(under(&scene, &old, "r"));
    let mut used = under(&scene, &old, "s");
    used.observed.push(scene.observed(&seat, true));
    scene.submit(used);
    let last = scene.state.ledger.read(&seat, scene.at, 30);
    assert_eq!((last.payloads_of_recipients, last.payloads_with_key), (2, 1));
}

#[test]
fn what_the_base_took_over_is_received_by_nobody_any_more_z139() {
    let mut scene = Scene::new();
    let seat = promoted(&mut scene, "seat_preference");
    let template = rebase(&scene.state, NONE_TAKEN).expect("a new base").template;
    scene.publish(template);
    let later = scene.propose("meal_choice");
    let command = Command::Receive {
        client: client("ana"),
        via: Via::Fetch,
    };
    let patches: Vec<PatchId> = scene
        .happens(command)
        .into_iter()
        .filter_map(|event| match event {
            Event::Received { patches, .. } => Some(patches),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(patches, [later]);
    assert_eq!(scene.state.ledger.read(&seat, scene.at, 30).received, 0);
}

#[test]
fn without_a_base_there_is_nothing_to_add_to_z105() {
    let mut scene = Scene::new();
    promoted(&mut scene, "seat_preference");
    let base = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    scene.command(Command::Retire(base)).expect("retired");
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NoBase));
    scene.publish(template("flight_booking_v2", "2.0.0", &[]));
    assert!(rebase(&scene.state, NONE_TAKEN).is_ok());
}
