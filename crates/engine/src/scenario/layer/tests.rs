//! What one client sees and nobody may change; what a rebase takes in, and what stays in the layer.

use super::*;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::patch::sample;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::pool::cohort::Cohorts;
use crate::scenario::command::Command;
use crate::scenario::event::Event;
use crate::scenario::event::Via;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::cohort;
use crate::scenario::sample::key_name;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use crate::scenario::submission::Submitted;
use proptest::prelude::ProptestConfig;
use proptest::prelude::any;
use proptest::proptest;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::json;

fn seen(scene: &Scene, whom: Option<&str>) -> u64 {
    let whom = whom.and_then(ClientId::parse);
    scene.effective(whom.as_ref()).revision
}

#[test]
fn a_clients_revision_moves_when_and_only_when_it_sees_a_change_z122_z123_z127_z156() {
    let mut scene = Scene::new();
    let published = scene.state.seq;
    let mut reviewed = Scene::reviewed();
    let waiting = reviewed.propose("seat_preference");
    assert_eq!(seen(&reviewed, None), published);
    reviewed.operate(&waiting, OperatorAction::Reject).expect("rejected");
    assert_eq!(seen(&reviewed, None), published);
    scene.say(Some("ana"), 0);
    assert_eq!(seen(&scene, Some("ana")), published, "a submission changes no template");
    let own = scene.propose_for(&alone("ana"), candidate("seat_preference"));
    assert_eq!(seen(&scene, Some("ana")), scene.patch(&own).revision);
    assert_eq!((seen(&scene, Some("ben")), seen(&scene, None)), (published, published));
    let all = scene.propose("meal_choice");
    let changed = scene.patch(&all).revision;
    assert_eq!(seen(&scene, Some("ana")), changed);
    assert_eq!(seen(&scene, Some("ben")), changed);
    scene.operate(&own, OperatorAction::Deprecate).expect("deprecated");
    assert_eq!(seen(&scene, Some("ana")), scene.state.seq);
    assert_eq!(seen(&scene, Some("ben")), changed);
}

#[test]
fn a_cohorts_key_is_in_every_members_template_laid_after_those_for_all_z098_z122() {
    let mut scene = Scene::cohorts();
    let published = seen(&scene, Some("b1"));
    let shared = scene.propose_for(&cohort("a"), candidate("seat_preference"));
    let revision = scene.patch(&shared).revision;
    for (name, sees) in [("a1", true), ("a9", true), ("b1", false), ("zoe", false)] {
        assert_eq!(scene.serves(Some(&client(name)), "seat_preference"), sees, "{name}");
        assert_eq!(
            seen(&scene, Some(name)),
            if sees { revision } else { published },
            "{name}"
        );
    }
    assert!(!scene.serves(None, "seat_preference"));
    assert_eq!(scene.state.triggers_cohort, 1);
    let own = scene.propose_for(&alone("a1"), candidate("meal_choice"));
    let all = scene.propose("pet_travel");
    let member = client("a1");
    let to = scene.policy.cohorts.addressee(Some(&member));
    let laid: Vec<_> = in_force(&scene.state, to).map(|patch| patch.patch_id.clone()).collect();
    assert_eq!(laid, [all, shared, own]);
}

#[test]
fn a_patch_stands_as_it_was_noted_last_before_a_revision_z105() {
    let mut patch = sample::patch(1);
    let id = patch.patch_id.clone();
    let mut standings = Standings::default();
    let (since, next_look) = (At(0), At(0));
    let stable = Stage::Stable { since, next_look };
    let (queued, expired) = (Stage::Queued { since }, Stage::Expired { since });
    for (revision, stage) in [(3, queued), (5, stable.clone()), (7, stable), (9, expired)] {
        (patch.revision, patch.stage) = (revision, stage);
        standings.note(&patch);
    }
    for (revision, standing, since) in [
        (2, None, None),
        (3, None, Some(3)),
        (4, None, Some(3)),
        (5, Some(Standing::Stable), Some(5)),
        (8, Some(Standing::Stable), Some(5)),
        (9, None, Some(9)),
        (u64::MAX, None, Some(9)),
    ] {
        let found = (standings.at(&id, revision), standings.since(&id, revision));
        assert_eq!(found, (standing, since), "{revision}");
    }
}

#[test]
fn a_new_base_takes_over_the_patch_layer_and_the_old_one_keeps_its_content_z105_z129() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.state.bases.clone();
    let added =
        json!({"key_name": "airline", "key_type": "string", "required": false, "semantic_description": "Airline."});
    scene.publish(template("flight_v2", "1.1.0", &[added]));
    let effective = scene.effective(None);
    assert_eq!(effective.base.schema_id.as_str(), "flight_v2");
    assert!(scene.serves(None, "airline") && scene.serves(None, "seat_preference"));
    assert_eq!(effective.revision, scene.state.seq);
    scene.operate(&id, OperatorAction::Promote).expect("promoted");
    for (schema_id, base) in &before {
        // Promotion changes no base.
        assert_eq!(scene.state.bases.get(schema_id), Some(base));
    }
}

#[test]
fn no_template_shows_a_key_twice_and_a_base_that_holds_it_wins_z106_z113_z122() {
    let named = |scene: &Scene| {
        let keys = scene.effective(Some(&client("ana"))).keys.into_iter();
        keys.filter(|key| key.definition.key_name == key_name("seat_preference"))
            .collect::<Vec<_>>()
    };
    let mut scene = Scene::new();
    scene.propose_for(&alone("ana"), candidate("seat_preference"));
    scene.propose("seat_preference");
    assert_eq!(named(&scene).len(), 1);
    let own =
        json!({"key_name": "seat_preference", "key_type": "integer", "required": true, "semantic_description": "Row."});
    scene.publish(template("flight_v2", "2.0.0", &[own]));
    let named = named(&scene);
    assert_eq!(named.len(), 1);
    assert!(named[0].definition.required && named[0].patch.is_none());
}

fn stage(n: u8) -> Stage {
    let (since, until) = (At(0), At(1));
    let trial = Trial {
        since,
        until,
        extensions: 0,
    };
    match n % 9 {
        0 => Stage::Queued { since },
        1 => Stage::AwaitingApproval { since },
        2 => Stage::Experimental(trial),
        3 => Stage::Stable {
            since,
            next_look: until,
        },
        4 => Stage::Deprecated { since, until },
        5 => Stage::Withdrawn { since, until },
        6 => Stage::Expired { since },
        7 => Stage::Lapsed { since },
        _ => Stage::Rejected { since },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_the_patches_a_base_key_keeps_all_but_its_words_z105_z106_z107_z108(
        patches in proptest::collection::vec((0..6_usize, any::<u8>(), any::<bool>(), any::<bool>(), any::<bool>()), 0..20)
    ) {
        let names = ["origin", "cabin_class", "legroom", "other", "seat_preference", "meal_choice"];
        let mut scene = Scene::new();
        for (n, (name, at, required, refines, personal)) in (1..).zip(patches) {
            let key = json!({"key_name": names[name], "key_type": "number", "required": required, "default_value": 7,
                "semantic_description": "Something else."});
            let key: schema::key::KeyDefinition = serde_json::from_value(key).expect("a key");
            let semantic_description = key.semantic_description.clone();
            let change = match refines {
                true => KeyChange::Refine { key_name: key.key_name, semantic_description, values: Vec::new(), closes: false },
                false => KeyChange::Add(key),
            };
            let audience = if personal { alone("ana") } else { Audience::Global };
            scene.state.patches.push(Patch { stage: stage(at), audience, change, ..sample::patch(n) });
        }
        let base = scene.state.base_in_force().expect("a base");
        for whom in [None, Some(client("ana"))] {
            let effective = effective(&scene.state, base, Cohorts::default().addressee(whom.as_ref()));
            for (own, shown) in base.template.keys.iter().zip(&effective.keys) {
                let mut reworded = shown.definition.clone();
                reworded.semantic_description.clone_from(&own.semantic_description);
                assert_eq!(&reworded, own);
            }
            for shown in effective.keys.iter().skip(base.template.keys.len()) {
                assert!(!shown.definition.required, "Z-125");
            }
        }
    }
}

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
fn stable_keys_and_wordings_become_the_bases_own_in_its_next_minor_version_z030_z105_z114_z129() {
    let mut scene = Scene::new();
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NothingStable));
    let stable = ["seat_preference", "cabin_class"].map(|name| promoted(&mut scene, name));
    let before = said(&scene);
    let taken = |schema_id: &SchemaId| schema_id.as_str().ends_with("_1") || schema_id.as_str().ends_with("_2");
    let later = rebase(&scene.state, taken).expect("a new base").template;
    // An id that is taken is passed over.
    assert_eq!(later.schema_id.as_str(), "flight_booking_v1_3");
    assert_eq!(later.version().to_string(), "1.3.0");
    let rebased = rebase(&scene.state, NONE_TAKEN).expect("a new base");
    assert_eq!(rebased.patches, stable);
    assert_eq!(rebased.template.schema_id.as_str(), "flight_booking_v1_1");
    assert_eq!(rebased.template.version().to_string(), "1.1.0");
    scene.publish(rebased.template);
    assert_eq!(said(&scene), before, "nobody is served anything else");
    // The base says it all.
    assert!(scene.effective(None).keys.iter().all(|key| key.patch.is_none()));
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NothingStable), "once");
    for id in ["flight_v1", "flight_booking_v1_1"] {
        scene.happens(Command::Retire(schema_id(id)));
    }
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NoBase));
}

#[test]
fn over_an_older_version_lie_the_patches_that_it_lacks_and_what_changes_a_key_it_has_not_is_left_out_z105_z122() {
    let mut scene = Scene::new();
    let seat = promoted(&mut scene, "seat_preference");
    scene.publish(rebase(&scene.state, NONE_TAKEN).expect("a new base").template);
    let lounge = json!({"key_name": "lounge", "key_type": "string", "required": false,
        "semantic_description": "The lounge."});
    let (wide, narrow) = (schema_id("flight_v3"), schema_id("flight_v1"));
    let meal = promoted(&mut scene, "meal_choice");
    let refines = |scene: &mut Scene, key: &str| {
        let n = scene.state.patches.len() as u64 + 1;
        let change = KeyChange::Refine {
            key_name: key_name(key),
            semantic_description: "Worded by clients.".to_owned(),
            values: Vec::new(),
            closes: false,
        };
        let patch = Patch {
            stage: Stage::Stable {
                since: At(0),
                next_look: At(i64::MAX),
            },
            audience: Audience::Global,
            change,
            ..sample::patch(n)
        };
        scene.state.patches.push(patch.clone());
        patch.patch_id
    };
    scene.publish(template("flight_v3", "3.0.0", &[lounge]));
    let (of_lounge, of_seat) = (refines(&mut scene, "lounge"), refines(&mut scene, "seat_preference"));
    let over = |id: &SchemaId| {
        let (base, to) = (&scene.state.bases[id], Addressee::default());
        let ids = |patches: Vec<&Patch>| -> Vec<PatchId> {
            patches.into_iter().map(|patch| patch.patch_id.clone()).collect()
        };
        let effective = effective(&scene.state, base, to);
        let keys: Vec<String> = effective
            .keys
            .iter()
            .map(|key| key.definition.key_name.to_string())
            .collect();
        (
            ids(laid(&scene.state, &base.template, to).collect()),
            ids(left_out(&scene.state, &base.template, to).collect()),
            keys.contains(&"lounge".to_owned()),
            keys.contains(&"seat_preference".to_owned()),
        )
    };
    // The base in force has the key of the one, and gets the other's from the patch that the rebase took in.
    let all = vec![seat.clone(), meal.clone(), of_lounge.clone(), of_seat.clone()];
    assert_eq!(over(&wide), (all, vec![], true, true));
    assert_eq!(
        over(&narrow),
        (
            vec![seat, meal.clone(), of_seat.clone()],
            vec![of_lounge.clone()],
            false,
            true
        )
    );
    // A rebased base says the key itself, and its wording is still refined.
    assert_eq!(
        over(&schema_id("flight_booking_v1_1")),
        (vec![meal, of_seat], vec![of_lounge], false, true)
    );
}

#[test]
fn what_is_on_trial_deprecated_or_one_clients_stays_in_the_layer_z122_z142_z147() {
    let mut scene = Scene::new();
    scene.propose("seat_preference");
    let gone = promoted(&mut scene, "meal_choice");
    scene.operate(&gone, OperatorAction::Deprecate).expect("deprecated");
    let own = scene.propose_for(&alone("ana"), candidate("quiet_cabin"));
    scene.operate(&own, OperatorAction::Promote).expect("promoted");
    assert_eq!(rebase(&scene.state, NONE_TAKEN), Err(NoRebase::NothingStable));
    let kept = promoted(&mut scene, "pet_transport");
    let rebased = rebase(&scene.state, NONE_TAKEN).expect("a new base");
    assert_eq!(rebased.patches, [kept]);
    let names: Vec<&str> = rebased.template.keys.iter().map(|key| key.key_name.as_str()).collect();
    assert_eq!(names.last(), Some(&"pet_transport"));
    assert!(
        ["seat_preference", "meal_choice", "quiet_cabin"]
            .iter()
            .all(|name| !names.contains(name)),
        "{names:?}"
    );
}

#[test]
fn a_scenario_that_no_id_can_hold_lends_the_stem_of_its_bases_id_z030() {
    let long = |count| "a".repeat(count);
    for (scenario, id, expected) in [
        ("航班".to_owned(), "flights_v1", Ok("flights_v1_1".to_owned())),
        ("航班".to_owned(), "flights", Err(NoRebase::NoId)),
        (long(123), "x_v1", Ok(format!("{}_v1_1", long(123)))),
        (long(124), "x_v1", Err(NoRebase::NoId)),
    ] {
        let mut scene = Scene::new();
        promoted(&mut scene, "seat_preference");
        for base in scene.state.bases.values_mut() {
            (base.template.scenario, base.template.schema_id) = (scenario.clone(), schema_id(id));
        }
        let rebased = rebase(&scene.state, NONE_TAKEN).map(|rebased| rebased.template.schema_id.to_string());
        assert_eq!(rebased, expected);
    }
}

#[test]
fn what_the_base_took_over_is_neither_counted_judged_nor_received_any_more_z135_z139_z162_z164() {
    let (mut scene, seat) = Scene::promoted();
    let before = scene.reading(&seat);
    let template = rebase(&scene.state, NONE_TAKEN).expect("a new base").template;
    let new = template.schema_id.clone();
    scene.publish(template);
    assert_eq!(taken_over_by(&scene.state, scene.patch(&seat)), Some(&new));
    let under = |scene: &Scene, base: &SchemaId, name: &str| Submitted {
        schema_id: base.clone(),
        ..scene.submitted(Some(name))
    };
    // The patch names the key no more: a payload under the new base shows no use of it, however it is filled.
    for _ in 0..200 {
        scene.submit(under(&scene, &new, "r"));
    }
    let after = scene.reading(&seat);
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
    let last = scene.reading(&seat);
    assert_eq!((last.payloads_of_recipients, last.payloads_with_key), (2, 1));
    let later = scene.propose("meal_choice");
    let (client, via) = (client("ana"), Via::Fetch);
    let events = scene.happens(Command::Receive {
        client,
        schema_id: None,
        via,
    });
    assert!(matches!(&events[..], [Event::Received { patches, .. }] if *patches == [later]));
}
