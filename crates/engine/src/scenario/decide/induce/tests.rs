//! From a candidate to a patch, or to none.

use serde_json::json;

use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::scenario::command::Command;
use crate::scenario::command::Induced;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::policy::Policy;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::client;
use schema::effective::KeyChange;
use schema::time::DAY_MS;

fn sensitive(name: &str) -> Box<Induced> {
    let mut induced = candidate(name);
    induced.proposal.sensitive = Some("payment".to_owned());
    induced
}

fn settlement(events: &[Event]) -> Option<&Settlement> {
    match events {
        [Event::Settled { settlement, .. }] => Some(settlement),
        _ => None,
    }
}

#[test]
fn a_candidate_becomes_a_patch_with_all_that_it_must_carry_z109_z115_z116_z117_z118_z119() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let patch = scene.patch(&id);
    assert_eq!(patch.patch_id.as_str(), "flight_booking.p1");
    assert_eq!(patch.parent_schema_id.as_str(), "flight_v1");
    assert_eq!((patch.timestamp, patch.expiration), (START, START.plus_ms(90 * DAY_MS)));
    assert_eq!(patch.revision, scene.state.seq);
    assert_eq!(patch.gate.clients, 5);
    assert_eq!(patch.coverage_ppm, 1_000_000, "five of five payloads asked for it");
    assert!(
        matches!(&patch.change, KeyChange::Add(key) if key.key_name.as_str() == "seat_preference" && !key.required)
    );
    assert_eq!(patch.history.len(), 1);
}

#[test]
fn a_patch_lives_at_least_until_its_trial_ends_z128() {
    let mut policy = Policy::default();
    policy.evolution.expiration_s = 86_400;
    let mut scene = Scene::with(policy);
    let id = scene.propose("seat_preference");
    assert_eq!(scene.patch(&id).expiration, START.plus_ms(7 * DAY_MS));
}

#[test]
fn a_new_key_begins_on_trial_z140_z141() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let Stage::Experimental(trial) = &scene.patch(&id).stage else {
        panic!("not on trial")
    };
    assert_eq!((trial.since, trial.until), (START, START.plus_ms(7 * DAY_MS)));
    assert_eq!(scene.patch(&id).history[0].reason, Reason::GateOpened);
    assert!(scene.serves(None, "seat_preference"));
}

#[test]
fn a_sensitive_key_waits_for_a_person_and_is_shown_to_nobody_z127_z165() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Global, sensitive("seat_preference"));
    assert_eq!(scene.stage(&id), "awaiting_approval");
    assert_eq!(scene.patch(&id).history[0].reason, Reason::NeedsApproval);
    assert!(!scene.serves(None, "seat_preference"));
    scene.pass(400 * DAY_MS);
    assert_eq!(scene.staged(), [], "time does not approve");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    assert_eq!(scene.stage(&id), "experimental");
    assert_eq!(scene.patch(&id).approved_by(), Some("op"));
    assert!(scene.patch(&id).expiration >= scene.at.plus_ms(7 * DAY_MS), "Z-128");
}

#[test]
fn every_key_waits_where_the_policy_asks_for_it_z127() {
    let mut policy = Policy::default();
    policy.evolution.autonomy = Autonomy::Review;
    let mut scene = Scene::with(policy);
    let id = scene.propose("seat_preference");
    assert_eq!(scene.stage(&id), "awaiting_approval");
}

#[test]
fn what_may_only_be_wrong_goes_on_trial_where_the_policy_says_so_z127_z165() {
    for (hold, stage) in [
        (Hold::Name, "experimental"),
        (Hold::Polarity, "experimental"),
        (Hold::Instruction, "awaiting_approval"),
        (Hold::Unscreened, "awaiting_approval"),
    ] {
        let mut scene = Scene::new();
        scene.policy.evolution.autonomy = Autonomy::Auto;
        let mut induced = candidate("seat_preference");
        induced.proposal.holds = vec![hold];
        let id = scene.propose_for(&Audience::Global, induced);
        assert_eq!(scene.stage(&id), stage, "{hold:?}");
        assert_eq!(scene.patch(&id).holds, [hold], "it stays on record");
    }
}

#[test]
fn beyond_the_guard_a_key_is_queued_and_not_applied_z154_z155_z156() {
    let mut scene = Scene::new();
    for name in &crate::scenario::sample::NAMES[..10] {
        let id = scene.propose(name);
        assert_eq!(scene.stage(&id), "experimental", "{name}");
    }
    let id = scene.propose("umbrella_rental");
    assert_eq!(scene.stage(&id), "queued");
    assert_eq!(scene.patch(&id).history[0].reason, Reason::GuardFull);
    assert!(!scene.serves(None, "umbrella_rental"));
}

#[test]
fn a_name_that_is_taken_refines_the_key_and_adds_none_z113_z114() {
    let mut scene = Scene::new();
    let keys = scene.effective(None).keys.len();
    let id = scene.propose("cabin_class");
    let KeyChange::Refine {
        key_name,
        semantic_description,
        values: _,
        closes: _,
    } = &scene.patch(&id).change
    else {
        panic!("a key was added")
    };
    assert_eq!(key_name.as_str(), "cabin_class");
    assert!(semantic_description.starts_with("Cabin class."));
    assert!(semantic_description.contains("'give me cabin_class' -> cabin_class"));
    assert_eq!(scene.effective(None).keys.len(), keys);
}

#[test]
fn a_publishers_own_key_is_changed_by_nobody_but_a_person_z106_z114() {
    let mut scene = Scene::new();
    let own = scene.effective(None);
    let id = scene.propose("cabin_class");
    assert_eq!(scene.stage(&id), "awaiting_approval");
    assert_eq!(scene.patch(&id).holds, [Hold::BaseKey]);
    assert!(scene.patch(&id).held_because()[0].contains("the publisher wrote"));
    assert_eq!(scene.effective(None).keys, own.keys, "as it was published");
    scene.pass(400 * DAY_MS);
    assert_eq!(scene.staged(), [], "time does not approve");
    assert_eq!(scene.effective(None).keys, own.keys);
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    assert_ne!(scene.effective(None).keys, own.keys, "a person said yes");
}

#[test]
fn a_learned_key_is_refined_without_a_person_unless_it_is_sensitive_z114_z165() {
    let mut scene = Scene::new();
    let key = |sensitive: bool| {
        let mut key = json!({"key_name": "seat_preference", "key_type": "string", "required": false,
            "semantic_description": "Seat. Examples: 'by the window' -> window."});
        if sensitive {
            key["sensitive"] = json!("personal");
        }
        candidate_of(&key)
    };
    scene.propose_for(&Audience::Global, key(false));
    let refining = scene.propose("seat_preference");
    assert_eq!(scene.stage(&refining), "experimental");
    assert!(scene.patch(&refining).holds.is_empty());

    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, key(true));
    let refining = scene.propose("seat_preference");
    assert_eq!(scene.stage(&refining), "awaiting_approval");
    assert_eq!(scene.patch(&refining).sensitive.as_deref(), Some("personal"));
}

#[test]
fn what_a_screen_holds_waits_for_a_person_in_every_audience_z127_z170() {
    for audience in [Audience::Global, Audience::Client(client("c1"))] {
        let mut scene = Scene::new();
        let mut induced = candidate("seat_preference");
        induced.proposal.holds = vec![Hold::Language, Hold::Instruction, Hold::Language];
        let id = scene.propose_for(&audience, induced);
        assert_eq!(scene.stage(&id), "awaiting_approval", "{audience:?}");
        assert_eq!(scene.patch(&id).holds, [Hold::Instruction, Hold::Language]);
        assert!(!scene.serves(Some(&client("c1")), "seat_preference"));
    }
}

#[test]
fn a_key_that_only_waits_is_collided_with_as_well_z113_z126() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, sensitive("seat_preference"));
    scene.propose_for(
        &Audience::Global,
        candidate_of(&json!({
            "key_name": "seat_preference", "key_type": "string", "required": false,
            "semantic_description": "Seat. Examples: 'by the window' -> window.",
        })),
    );
    assert!(
        matches!(&scene.last().change, KeyChange::Refine { key_name, .. } if key_name.as_str() == "seat_preference")
    );
}

#[test]
fn what_a_key_says_already_settles_the_cluster_z114() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.rest();
    let events = scene.induce(candidate_of(&json!({
        "key_name": "cabin_class", "key_type": "string", "required": false,
        "semantic_description": "Cabin. Examples: 'in business' -> business.",
    })));
    assert!(matches!(settlement(&events), Some(Settlement::Covered(key)) if key.as_str() == "cabin_class"));
    assert!(scene.state.patches.is_empty());
}

#[test]
fn something_finer_than_a_switch_becomes_a_key_beside_it_z071_z072() {
    let mut scene = Scene::new();
    scene.propose("legroom");
    let KeyChange::Add(key) = &scene.last().change else {
        panic!("merged into the switch")
    };
    assert_eq!(key.key_name.as_str(), "legroom_level");
}

#[test]
fn one_clients_key_is_that_clients_alone_z122_z123() {
    let mut scene = Scene::new();
    let ana = client("ana");
    let refining = scene.propose_for(&Audience::Client(ana.clone()), candidate("cabin_class"));
    scene.operate(&refining, OperatorAction::Approve).expect("approved");
    // By name it refines the class of the cabin, and for that client alone.
    assert!(matches!(scene.last().change, KeyChange::Refine { .. }));
    scene.propose_for(&Audience::Client(ana.clone()), candidate("seat_preference"));
    assert!(scene.serves(Some(&ana), "seat_preference"));
    assert!(!scene.serves(Some(&client("ben")), "seat_preference"));
    assert!(!scene.serves(None, "seat_preference"));
    let described = |whom| {
        let effective = scene.effective(whom);
        effective
            .key(&crate::scenario::sample::key_name("cabin_class"))
            .expect("a key")
            .definition
            .clone()
    };
    assert_ne!(described(Some(&ana)), described(None));
    assert_eq!(described(Some(&client("ben"))), described(None));
}

#[test]
fn personal_keys_are_bounded_per_scenario_z154() {
    let mut policy = Policy::default();
    policy.evolution.personal_max = 2;
    let mut scene = Scene::with(policy);
    for name in ["ana", "ben"] {
        scene.propose_for(&Audience::Client(client(name)), candidate("seat_preference"));
        assert_eq!(scene.last().stage.name(), "experimental");
    }
    scene.demand(&Audience::Client(client("cid")));
    scene.rest();
    let events = scene.induce(candidate("seat_preference"));
    assert_eq!(settlement(&events), Some(&Settlement::PersonalFull));
    assert_eq!(scene.state.patches.len(), 2);
}

#[test]
fn an_abstention_settles_the_cluster_z109() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.rest();
    let (cluster, audience) = scene.induction().expect("a trigger");
    let ended = || Command::Induce {
        cluster,
        audience: audience.clone(),
        outcome: Err(Abstention::NoContent),
    };
    let events = scene.happens(ended());
    assert_eq!(settlement(&events), Some(&Settlement::Abstained(Abstention::NoContent)));
    assert_eq!(
        scene.command(ended()),
        Err(Refusal::Done),
        "a second result is not applied"
    );
    assert!(scene.state.patches.is_empty());
}

#[test]
fn a_result_that_nobody_waits_for_is_refused_z109() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.rest();
    let (cluster, _) = scene.induction().expect("a trigger");
    let other = Command::Induce {
        cluster,
        audience: Audience::Client(client("ana")),
        outcome: Ok(candidate("seat_preference")),
    };
    assert_eq!(scene.command(other), Err(Refusal::Done));
    scene.induce(candidate("seat_preference"));
    let again = Command::Induce {
        cluster,
        audience: Audience::Global,
        outcome: Ok(candidate("meal_choice")),
    };
    assert_eq!(scene.command(again), Err(Refusal::Done));
    assert_eq!(scene.state.patches.len(), 1);
}

#[test]
fn a_key_that_cools_down_is_not_brought_back_before_and_is_the_same_patch_after_z113() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    let until = START.plus_ms(14 * DAY_MS);
    assert_eq!(scene.patch(&id).cool_until, Some(until));
    scene.at = until.plus_ms(-1);
    scene.demand(&Audience::Global);
    scene.rest();
    let events = scene.induce(candidate("seat_preference"));
    assert_eq!(settlement(&events), Some(&Settlement::CoolingDown(until)));
    // Another intent, so that twice the members are not waited for.
    scene.at = until;
    scene.demand(&Audience::Global);
    scene.rest();
    while scene.induction().is_some() {
        scene.induce(candidate("seat_preference"));
    }
    assert_eq!(scene.state.patches.len(), 1);
    assert_eq!(scene.stage(&id), "experimental");
    let last = scene.patch(&id).history.last().expect("a change");
    assert_eq!((last.at, &last.reason), (until, &Reason::Revived));
    assert_eq!(scene.patch(&id).cool_until, None);
    assert_eq!(scene.patch(&id).expiration, until.plus_ms(90 * DAY_MS));
}

#[test]
fn a_key_that_changed_twice_within_the_window_comes_back_later_and_is_tried_longer_z134_z140_z146() {
    let day = |n: i64| START.plus_ms(n * DAY_MS);
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, Traffic { aligned: 0, ..GOOD });
    for (n, stage) in [(7, "deprecated"), (21, "withdrawn")] {
        scene.at = day(n);
        scene.rest();
        assert_eq!(scene.stage(&id), stage);
    }
    assert!(!scene.patch(&id).cooling(scene.at), "only the changes stand against it");
    scene.demand(&Audience::Global);
    scene.rest();
    let events = scene.induce(candidate("seat_preference"));
    assert_eq!(settlement(&events), Some(&Settlement::CoolingDown(day(37))));
    scene.at = day(37);
    scene.demand(&Audience::Global);
    scene.rest();
    while scene.induction().is_some() {
        scene.induce(candidate("seat_preference"));
    }
    assert_eq!(scene.stage(&id), "experimental");
    assert_eq!(
        scene.patch(&id).stage.due(),
        Some(day(51)),
        "30 days after its withdrawal"
    );
}

#[test]
fn a_key_that_clients_may_still_use_is_not_taken_from_them_to_wait_z147_z151() {
    let mut policy = Policy::default();
    policy.evolution.autonomy = Autonomy::Review;
    let mut scene = Scene::with(policy);
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    let grace_over = scene.at.plus_ms(14 * DAY_MS);
    let window_over = grace_over.plus_ms(30 * DAY_MS);
    scene.at = grace_over;
    scene.rest();
    assert_eq!(scene.stage(&id), "withdrawn");
    assert!(!scene.patch(&id).cooling(scene.at), "only the window stands against it");
    scene.demand(&Audience::Global);
    scene.rest();
    let events = scene.induce(candidate("seat_preference"));
    assert_eq!(settlement(&events), Some(&Settlement::CoolingDown(window_over)));
    assert_eq!(scene.stage(&id), "withdrawn", "still accepted");
    scene.at = window_over;
    scene.demand(&Audience::Global);
    scene.rest();
    while scene.induction().is_some() {
        scene.induce(candidate("seat_preference"));
    }
    assert_eq!(scene.stage(&id), "awaiting_approval");
}

#[test]
fn each_deprecation_doubles_the_cool_down_and_a_rejection_counts_like_one_z127() {
    let mut policy = Policy::default();
    policy.evolution.autonomy = Autonomy::Review;
    let mut scene = Scene::with(policy);
    let id = scene.propose("seat_preference");
    for n in 0..4 {
        if n % 2 == 0 {
            scene.operate(&id, OperatorAction::Reject).expect("rejected");
        } else {
            scene.operate(&id, OperatorAction::Approve).expect("approved");
            scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
        }
        let until = scene.at.plus_ms((14 << n) * DAY_MS);
        assert_eq!(scene.patch(&id).cool_until, Some(until), "after {n}");
        assert_eq!(scene.patch(&id).times, n + 1);
        // Grace and the window after it are over too: what waits for a person leaves its place.
        scene.at = until.max(scene.at.plus_ms(14 * DAY_MS));
        scene.rest();
        scene.at = until.max(scene.at.plus_ms(30 * DAY_MS));
        scene.rest();
        scene.demand(&Audience::Global);
        scene.rest();
        scene.induce(candidate("seat_preference"));
        assert_eq!(
            scene.stage(&id),
            "awaiting_approval",
            "a revival is approved like a proposal"
        );
    }
}

#[test]
fn a_revived_key_begins_its_measurement_anew_z158() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, crate::scenario::sample::GOOD);
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(14 * DAY_MS);
    scene.rest();
    scene.demand(&Audience::Global);
    scene.rest();
    scene.induce(candidate("seat_preference"));
    let reading = scene.state.ledger.read(&id, scene.at, 30);
    assert_eq!((reading.payloads, reading.judged, reading.used), (0, 0, 0));
    assert_eq!(reading.received, 1, "who knows of it still does");
}

#[test]
fn a_key_that_was_served_comes_back_though_nothing_new_can_be_made_of_what_is_said_z140() {
    for (autonomy, gone, comes) in [
        (Autonomy::Certain, "deprecated", "experimental"),
        (Autonomy::Review, "rejected", "rejected"),
    ] {
        let mut scene = Scene::new();
        scene.policy.evolution.autonomy = autonomy;
        let id = scene.propose("seat_preference");
        if autonomy == Autonomy::Review {
            scene.operate(&id, OperatorAction::Reject).expect("rejected");
        }
        scene.pass(90 * DAY_MS);
        scene.rest();
        assert_eq!(scene.stage(&id), gone, "its date has come");
        scene.voice(0);
        scene.rest();
        let (cluster, audience) = scene.induction().expect("its demand goes on");
        scene.happens(Command::Induce {
            cluster,
            audience,
            outcome: Err(Abstention::Words),
        });
        assert_eq!(scene.stage(&id), comes);
    }
}
