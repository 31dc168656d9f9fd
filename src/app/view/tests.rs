//! What a client missed, and the templates of before.

use serde_json::json;

use crate::app::scene::Scene;
use crate::app::scene::candidate;
use crate::app::scene::client;
use crate::app::scene::template;
use crate::app::view::ScenarioView;
use engine::evolution::operator_action::OperatorAction;
use engine::pool::gate::Audience;
use engine::scenario::layer;
use schema::difference::change::Class;
use schema::effective::EffectiveTemplate;
use schema::exchange::other::OtherLimits;
use schema::name::SchemaId;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 16,
    bytes_max: 4_096,
};

#[test]
fn an_earlier_template_is_put_together_as_it_was_served_z105() {
    let mut scene = Scene::new();
    let who = client("ana");
    let mut served = Vec::new();
    let mut look = |scene: &Scene| {
        let base = scene.state.base_in_force().expect("a base");
        for client in [None, Some(&who)] {
            served.push((
                client.cloned(),
                layer::effective(&scene.state, base, scene.policy.cohorts.addressee(client)),
            ));
        }
    };
    look(&scene);
    let seat = scene.propose("seat_preference");
    look(&scene);
    let cabin = scene.propose("cabin_class");
    look(&scene);
    scene.propose_for(&Audience::Client(who.clone()), candidate("meal_preference"));
    look(&scene);
    for (patch, hand) in [
        (&seat, OperatorAction::Promote),
        (&cabin, OperatorAction::Approve),
        (&cabin, OperatorAction::Promote),
        (&seat, OperatorAction::Deprecate),
        (&seat, OperatorAction::Withdraw),
        (&seat, OperatorAction::Restore),
    ] {
        scene.operate(patch, hand).expect("it is done");
        look(&scene);
    }
    let view = ScenarioView::build(&scene.state, &scene.policy, LIMITS);
    let base = &scene.state.base_in_force().expect("a base").template;
    for (client, was) in served {
        let layer = view.layer_at(client.as_ref(), was.revision);
        let again = EffectiveTemplate::compose(base, &layer, was.revision);
        assert_eq!(again, was, "{client:?} at {}", was.revision);
    }
}

#[test]
fn what_a_client_missed_is_told_until_it_holds_what_is_in_force_z120() {
    let mut scene = Scene::new();
    let id = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    let view = |scene: &Scene| ScenarioView::build(&scene.state, &scene.policy, LIMITS);
    let first = view(&scene).revision(&id, None).expect("a revision");
    assert_eq!(view(&scene).missed(&id, None, first), None);
    let seat = scene.propose("seat_preference");
    let now = view(&scene).revision(&id, None).expect("a revision");
    for (held, told) in [
        (first, true),
        (now - 1, true),
        (now, false),
        (now + 1, false),
        (0, true),
    ] {
        let missed = view(&scene).missed(&id, None, held);
        assert_eq!(missed.is_some(), told, "{held}");
        if let Some(missed) = missed {
            assert_eq!(
                (missed.since, missed.revision, missed.class),
                (held, now, Class::Additive)
            );
        }
    }
    scene.operate(&seat, OperatorAction::Withdraw).expect("withdrawn");
    let view = view(&scene);
    assert_eq!(view.missed(&id, None, now).expect("told").class, Class::MayBreak);
    assert_eq!(
        view.missed(&id, None, first).expect("told").class,
        Class::None,
        "it never had it"
    );
    for held in 0..1_000 {
        view.missed(&id, None, held);
        view.pinned(&id, None, held);
    }
    let kept = view.earlier.pinned.lock().expect("whole").len();
    assert!(kept <= 3, "revisions between two changes share one: {kept}");
}

#[test]
fn a_schema_that_is_younger_than_what_a_client_holds_is_compared_with_what_was_served_then_z120() {
    let mut scene = Scene::new();
    let first = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    let held = scene.state.seq;
    let key = |name: &str, required: bool| json!({"key_name": name, "key_type": "string", "required": required, "semantic_description": "What it is."});
    scene.publish(template("flight_v1_1", "1.1.0", &[key("meal", false)]));
    let minor = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    let between = scene.state.seq;
    scene.publish(template("flight_v2", "2.0.0", &[key("passport", true)]));
    let major = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    let class = |scene: &Scene, id, held| {
        let view = ScenarioView::build(&scene.state, &scene.policy, LIMITS);
        view.missed(id, None, held).map(|told| told.class)
    };
    for held in [held, between] {
        assert_eq!(class(&scene, &major, held), Some(Class::Breaking), "{held}");
        assert_eq!(class(&scene, &minor, held), Some(Class::Breaking), "{held}");
    }
    assert_eq!(class(&scene, &first, held), Some(Class::Breaking));
    assert_eq!(class(&scene, &major, scene.state.seq), None);
    // What was in force by then is of another major than what is submitted by now, and what asks more is told.
    let after = scene.state.seq;
    scene.publish(template(
        "flight_v1_2",
        "1.2.0",
        &[key("meal", false), key("drink", false)],
    ));
    let late = SchemaId::parse("flight_v1_2").expect("an id");
    assert_eq!(class(&scene, &late, after), Some(Class::Breaking));
}

#[test]
fn a_pin_leaves_out_what_is_newer_and_brings_back_nothing_that_has_gone() {
    let mut scene = Scene::new();
    let id = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    let seat = scene.propose("seat_preference");
    let with_seat = ScenarioView::build(&scene.state, &scene.policy, LIMITS)
        .revision(&id, None)
        .expect("a revision");
    let wording = scene.propose("cabin_class");
    scene
        .operate(&wording, OperatorAction::Approve)
        .expect("a person says yes");
    let keys = |scene: &Scene, revision: u64| {
        let view = ScenarioView::build(&scene.state, &scene.policy, LIMITS);
        let pinned = view.pinned(&id, None, revision).expect("a template");
        let seat = pinned
            .effective
            .keys
            .iter()
            .any(|key| key.definition.key_name.as_str() == "seat_preference");
        let reworded = pinned.effective.keys.iter().any(|key| key.refined_by.is_some());
        (seat, reworded, pinned.effective.withdrawn.len())
    };
    assert_eq!(keys(&scene, with_seat - 1), (false, false, 0));
    assert_eq!(keys(&scene, with_seat), (true, false, 0));
    assert_eq!(keys(&scene, u64::MAX), (true, true, 0));
    scene.operate(&seat, OperatorAction::Withdraw).expect("withdrawn");
    assert_eq!(
        keys(&scene, with_seat),
        (false, false, 1),
        "it is accepted with a warning, as for everyone"
    );
}

#[test]
fn what_a_client_was_not_given_is_told_of_the_schema_and_of_the_patches_over_it_z120() {
    let mut scene = Scene::new();
    let key =
        json!({"key_name": "meal", "key_type": "string", "required": false, "semantic_description": "What to eat."});
    let first = scene.state.base_in_force().expect("a base").template.schema_id.clone();
    assert_eq!(ScenarioView::build(&scene.state, &scene.policy, LIMITS).came(&first), 0);
    scene.publish(template("flight_v1_1", "1.1.0", &[key]));
    let came = scene.state.seq;
    scene.propose("seat_preference");
    let view = ScenarioView::build(&scene.state, &scene.policy, LIMITS);
    let in_force = view.in_force.clone().expect("a base");
    assert_eq!((view.came(&in_force), view.came(&first)), (came, 0));
    let mut new = view.since(&in_force, None, 0);
    view.add_other_keys(&mut new, &in_force, None, 0);
    let names: Vec<&str> = new
        .new_keys
        .iter()
        .map(|key| key.definition.key_name.as_str())
        .collect();
    assert_eq!(names, ["seat_preference", "meal"]);
    assert!(new.modified_keys.is_empty() && new.withdrawn_keys.is_empty());
}
