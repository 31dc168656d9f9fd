//! From a candidate to a patch, or to none; and what is made anew.

use super::*;
use crate::evolution::evidence::Evidence;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::operator_action::Scope;
use crate::evolution::policy::Autonomy;
use crate::scenario::command::Command;
use crate::scenario::event::Via;
use crate::scenario::policy::Policy;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::NAMES;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::client;
use crate::scenario::sample::described;
use crate::scenario::sample::events::settlement;
use crate::scenario::sample::key_name;
use crate::scenario::sample::template;
use schema::closed_list;
use schema::time::DAY_MS;
use serde_json::json;

fn held(name: &str, hold: Hold) -> Box<Induced> {
    let mut induced = candidate(name);
    induced.proposal.holds.push(hold);
    induced
}

/// A candidate for the key of the seat, with an example of each value.
fn seat(values: &[&str]) -> Box<Induced> {
    let examples = values.iter().map(|value| format!("'the {value} seat' -> {value}"));
    let examples: Vec<String> = examples.collect();
    described("seat_preference", &format!("Seat. Examples: {}.", examples.join("; ")))
}

fn worded(description: &str) -> Box<Induced> {
    described("seat_preference", description)
}

fn covered(name: &str) -> Option<Settlement> {
    Some(Settlement::Covered(key_name(name)))
}

#[test]
fn a_candidate_becomes_a_patch_with_all_that_it_must_carry_z109_z115_z116_z117_z118_z119_z140_z141() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let patch = scene.patch(&id);
    assert_eq!(patch.patch_id.as_str(), "flight_booking.p1");
    assert_eq!(patch.parent_schema_id.as_str(), "flight_v1");
    assert_eq!((patch.timestamp, patch.expiration), (START, START.plus_ms(90 * DAY_MS)));
    assert_eq!((patch.revision, patch.gate.clients), (scene.state.seq, 5));
    assert_eq!(patch.coverage_ppm, 1_000_000, "five of five payloads asked for it");
    assert!(
        matches!(&patch.change, KeyChange::Add(key) if key.key_name == key_name("seat_preference") && !key.required)
    );
    let trial = Trial {
        since: START,
        until: START.plus_ms(7 * DAY_MS),
        extensions: 0,
    };
    assert_eq!(patch.stage, Stage::Experimental(trial));
    assert_eq!(patch.history.len(), 1);
    assert_eq!(&patch.history[0].reason, &Reason::GateOpened);
    assert!(scene.serves(None, "seat_preference"));
    let mut policy = Policy::default();
    policy.evolution.expiration_s = 86_400;
    let mut short = Scene::with(policy);
    let id = short.propose("seat_preference");
    assert_eq!(short.patch(&id).expiration, START.plus_ms(7 * DAY_MS), "Z-128");
}

#[test]
fn a_sensitive_key_waits_for_a_person_and_is_shown_to_nobody_z127_z128_z165() {
    let mut scene = Scene::new();
    let mut sensitive = candidate("seat_preference");
    sensitive.proposal.sensitive = Some("payment".to_owned());
    let id = scene.propose_for(&Audience::Global, sensitive);
    assert_eq!(scene.stage(&id), "awaiting_approval");
    assert_eq!(scene.patch(&id).history[0].reason, Reason::NeedsApproval);
    assert!(!scene.serves(None, "seat_preference"));
    // A key that only waits is collided with as well.
    let other = scene.propose_for(&Audience::Global, worded("Seat. Examples: 'by the window' -> window."));
    // Z-113, Z-126.
    assert!(matches!(&scene.patch(&other).change, KeyChange::Refine { .. }));
    scene.pass(400 * DAY_MS);
    scene.rest();
    assert_eq!(scene.stage(&id), "awaiting_approval", "time does not approve");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    assert_eq!(scene.stage(&id), "experimental");
    assert_eq!(scene.patch(&id).approved_by(), Some("op"));
    assert!(scene.patch(&id).expiration >= scene.at.plus_ms(7 * DAY_MS));
}

#[test]
fn what_waits_is_as_the_policy_and_the_screens_say_z127_z165_z170() {
    use Hold::*;
    for (autonomy, holds, stage, kept) in [
        (Autonomy::Review, vec![], "awaiting_approval", &[][..]),
        (Autonomy::Auto, vec![Name], "experimental", &[Name]),
        (Autonomy::Auto, vec![Polarity], "experimental", &[Polarity]),
        (Autonomy::Auto, vec![Instruction], "awaiting_approval", &[Instruction]),
        (Autonomy::Auto, vec![Unscreened], "awaiting_approval", &[Unscreened]),
        (
            Autonomy::Certain,
            vec![Language, Instruction, Language],
            "awaiting_approval",
            &[Instruction, Language],
        ),
    ] {
        for audience in [Audience::Global, alone("c1")] {
            let mut scene = Scene::new();
            scene.policy.evolution.autonomy = autonomy;
            let mut induced = candidate("seat_preference");
            induced.proposal.holds.clone_from(&holds);
            let id = scene.propose_for(&audience, induced);
            assert_eq!(scene.stage(&id), stage, "{autonomy:?} {holds:?}");
            assert_eq!(scene.patch(&id).holds, kept, "it stays on record");
            let served = scene.serves(Some(&client("c1")), "seat_preference");
            assert_eq!(served, stage == "experimental");
        }
    }
}

#[test]
fn beyond_the_guard_a_key_is_queued_and_not_applied_z154_z155_z156() {
    let mut scene = Scene::new();
    for name in &NAMES[..10] {
        let id = scene.propose(name);
        assert_eq!(scene.stage(&id), "experimental", "{name}");
    }
    let id = scene.propose("umbrella_rental");
    assert_eq!(scene.stage(&id), "queued");
    assert_eq!(scene.patch(&id).history[0].reason, Reason::GuardFull);
    assert!(!scene.serves(None, "umbrella_rental"));
}

#[test]
fn beyond_the_guard_of_personal_keys_one_waits_for_a_place_z154_z156() {
    let mut policy = Policy::default();
    policy.evolution.personal_max = 1;
    let mut scene = Scene::with(policy);
    let clients: Vec<Audience> = (0..12).map(|n| alone(&format!("c{n}"))).collect();
    let ids = clients[..11]
        .iter()
        .map(|own| scene.propose_for(own, candidate("seat_preference")));
    let ids: Vec<PatchId> = ids.collect();
    let on_trial = |scene: &Scene| ids.iter().filter(|id| scene.stage(id) == "experimental").count();
    assert_eq!((on_trial(&scene), scene.stage(&ids[0])), (1, "experimental"));
    assert!(ids[1..].iter().all(|id| scene.stage(id) == "queued"));
    // As many as ten times the keys that may be in force wait.
    scene.wanted(&clients[11]);
    let events = scene.induce(candidate("seat_preference"));
    assert_eq!(settlement(&events), Some(Settlement::PersonalFull));
    scene.operate(&ids[0], OperatorAction::Withdraw).expect("withdrawn");
    scene.rest();
    assert_eq!((on_trial(&scene), scene.stage(&ids[0])), (1, "withdrawn"));
}

#[test]
fn a_publishers_own_key_is_refined_by_nobody_but_a_person_z106_z113_z114() {
    let mut scene = Scene::new();
    let own = scene.effective(None);
    let id = scene.propose("cabin_class");
    let KeyChange::Refine {
        key_name,
        semantic_description,
        ..
    } = &scene.patch(&id).change
    else {
        panic!("a key was added")
    };
    assert_eq!(key_name.as_str(), "cabin_class");
    assert!(semantic_description.starts_with("Cabin class."));
    assert!(semantic_description.contains("'give me cabin_class' -> cabin_class"));
    assert_eq!(scene.stage(&id), "awaiting_approval");
    assert_eq!(&scene.patch(&id).holds[..], &[Hold::BaseKey][..]);
    assert!(scene.patch(&id).held_because()[0].contains("the publisher wrote"));
    scene.pass(400 * DAY_MS);
    assert_eq!(scene.staged(), [], "time does not approve");
    assert_eq!(scene.effective(None).keys, own.keys, "as it was published");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    assert_ne!(scene.effective(None).keys, own.keys, "a person said yes");
    assert_eq!(scene.effective(None).keys.len(), own.keys.len());

    // Nor does its list become another.
    let listed = json!({"key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": "Seat.", "constraints": {"enum": ["window", "aisle"]}});
    scene.publish(template("flight_v2", "2.0.0", &[listed]));
    scene.wanted(&Audience::Global);
    scene.induce(seat(&["aisle", "middle", "none"]));
    let served = scene.effective(None);
    let key = served.key(&crate::scenario::sample::key_name("seat_preference"));
    let values = key.and_then(|key| closed_list::values(&key.definition.constraints));
    assert_eq!(values, Some(vec!["window", "aisle"]));
}

#[test]
fn a_learned_key_is_refined_without_a_person_unless_it_is_sensitive_z114_z165() {
    for (sensitive, stage) in [(None, "experimental"), (Some("personal"), "awaiting_approval")] {
        let mut scene = Scene::new();
        let mut key = json!({"key_name": "seat_preference", "key_type": "string", "required": false,
            "semantic_description": "Seat. Examples: 'by the window' -> window."});
        if let Some(sensitive) = sensitive {
            key["sensitive"] = json!(sensitive);
        }
        scene.propose_for(&Audience::Global, candidate_of(&key));
        let refining = scene.propose("seat_preference");
        assert_eq!(scene.stage(&refining), stage);
        let patch = scene.patch(&refining);
        assert_eq!((patch.holds.len(), patch.sensitive.as_deref()), (0, sensitive));
    }
}

#[test]
fn one_better_description_waits_at_a_time_and_what_was_turned_down_stays_away_z113_z114_z165() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, seat(&["window", "aisle", "none"]));
    scene.policy.evolution.autonomy = Autonomy::Review;
    let wider = scene.propose_for(&Audience::Global, seat(&["aisle", "middle", "none"]));
    assert_eq!(scene.stage(&wider), "awaiting_approval");
    let again = seat(&["aisle", "middle", "none"]);
    assert_eq!(scene.settles(again), covered("seat_preference"));
    scene.operate(&wider, OperatorAction::Reject).expect("turned down");
    let until = scene.patch(&wider).cool_until.expect("a cool-down");
    let other = seat(&["aisle", "exit row", "none"]);
    assert_eq!(scene.settles(other), Some(Settlement::CoolingDown(until)));
}

#[test]
fn what_a_key_says_already_settles_the_cluster_and_something_finer_stands_beside_it_z071_z072_z114() {
    let mut scene = Scene::new();
    let said = described("cabin_class", "Cabin. Examples: 'in business' -> business.");
    assert_eq!(scene.settles(said), covered("cabin_class"));
    assert!(scene.state.patches.is_empty());
    scene.propose("legroom");
    let added = &scene.last().change;
    assert!(
        matches!(added, KeyChange::Add(key) if key.key_name.as_str() == "legroom_level"),
        "{added:?}"
    );
}

#[test]
fn one_clients_key_is_that_clients_alone_z122_z123() {
    let mut scene = Scene::new();
    let ana = client("ana");
    let refining = scene.propose_for(&alone("ana"), candidate("cabin_class"));
    scene.operate(&refining, OperatorAction::Approve).expect("approved");
    // By name it refines the class of the cabin, and for that client alone.
    assert!(matches!(scene.last().change, KeyChange::Refine { .. }));
    scene.propose_for(&alone("ana"), candidate("seat_preference"));
    assert!(scene.serves(Some(&ana), "seat_preference"));
    assert!(!scene.serves(Some(&client("ben")), "seat_preference") && !scene.serves(None, "seat_preference"));
    let class = |whom| {
        scene
            .effective(whom)
            .key(&key_name("cabin_class"))
            .cloned()
            .expect("a key")
            .definition
    };
    assert_ne!(class(Some(&ana)), class(None));
    assert_eq!(class(Some(&client("ben"))), class(None));
}

#[test]
fn a_result_that_nobody_waits_for_is_refused_z109() {
    let mut scene = Scene::new();
    let cluster = scene.wanted(&Audience::Global);
    let came = |audience, outcome| Command::Induce {
        cluster,
        audience,
        outcome,
    };
    let other = came(alone("ana"), Ok(candidate("seat_preference")));
    assert_eq!(scene.command(other), Err(Refusal::Done));
    let mut abstained = scene.clone();
    let events = abstained.abstain(Abstention::NoContent);
    assert_eq!(settlement(&events), Some(Settlement::Abstained(Abstention::NoContent)));
    scene.induce(candidate("seat_preference"));
    for scene in [&mut scene, &mut abstained] {
        let patches = scene.state.patches.len();
        for outcome in [Ok(candidate("meal_choice")), Err(Abstention::NoContent)] {
            let late = came(Audience::Global, outcome);
            // A second result is not applied.
            assert_eq!(scene.command(late), Err(Refusal::Done));
        }
        assert_eq!(scene.state.patches.len(), patches);
    }
}

#[test]
fn a_key_that_cools_down_is_not_brought_back_before_and_is_the_same_patch_measured_anew_after_z113_z158() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    let until = START.plus_ms(14 * DAY_MS);
    assert_eq!(scene.patch(&id).cool_until, Some(until));
    scene.at = until.plus_ms(-1);
    let early = scene.settles(candidate("seat_preference"));
    assert_eq!(early, Some(Settlement::CoolingDown(until)));
    // Another intent, so that twice the members are not waited for.
    scene.at = until;
    scene.demand(&Audience::Global);
    scene.induce_all("seat_preference");
    assert_eq!((scene.state.patches.len(), scene.stage(&id)), (1, "experimental"));
    let patch = scene.patch(&id);
    let last = patch.history.last().expect("a change");
    assert_eq!((last.at, &last.reason), (until, &Reason::Revived));
    assert_eq!((patch.cool_until, patch.expiration), (None, until.plus_ms(90 * DAY_MS)));
    let reading = scene.reading(&id);
    assert_eq!((reading.payloads, reading.judged, reading.used), (0, 0, 0));
    assert_eq!(reading.received, 1, "who knows of it still does");
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
    let early = scene.settles(candidate("seat_preference"));
    assert_eq!(early, Some(Settlement::CoolingDown(day(37))));
    scene.at = day(37);
    scene.demand(&Audience::Global);
    scene.induce_all("seat_preference");
    assert_eq!(scene.stage(&id), "experimental");
    // 30 days after its withdrawal.
    assert_eq!(scene.patch(&id).stage.due(), Some(day(51)));
}

#[test]
fn a_key_that_clients_may_still_use_is_not_taken_from_them_to_wait_z147_z151() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(14 * DAY_MS);
    scene.rest();
    assert!(!scene.patch(&id).cooling(scene.at), "only the window stands against it");
    let window_over = scene.at.plus_ms(30 * DAY_MS);
    let early = scene.settles(candidate("seat_preference"));
    assert_eq!(early, Some(Settlement::CoolingDown(window_over)));
    assert_eq!(scene.stage(&id), "withdrawn", "still accepted");
    scene.at = window_over;
    scene.demand(&Audience::Global);
    scene.induce_all("seat_preference");
    assert_eq!(scene.stage(&id), "awaiting_approval");
}

#[test]
fn each_deprecation_doubles_the_cool_down_and_a_rejection_counts_like_one_z127() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    for n in 0..4 {
        if n % 2 == 0 {
            scene.operate(&id, OperatorAction::Reject).expect("rejected");
        } else {
            scene.operate(&id, OperatorAction::Approve).expect("approved");
            scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
        }
        let until = scene.at.plus_ms((14 << n) * DAY_MS);
        assert_eq!(scene.patch(&id).cool_until, Some(until));
        assert_eq!(scene.patch(&id).times, n + 1);
        // Grace and the window after it are over too: what waits for a person leaves its place.
        for days in [14, 30] {
            scene.at = until.max(scene.at.plus_ms(days * DAY_MS));
            scene.rest();
        }
        scene.wanted(&Audience::Global);
        scene.induce(candidate("seat_preference"));
        // A revival is approved like a proposal.
        assert_eq!(scene.stage(&id), "awaiting_approval");
    }
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
        scene.abstain(Abstention::Words);
        assert_eq!(scene.stage(&id), comes);
    }
}

fn reject(scene: &mut Scene, patch_id: &PatchId, scope: Scope) {
    let mut order = OperatorRequest::of(OperatorAction::Reject, "ada".into(), None);
    order.scope = scope;
    let patch_id = patch_id.clone();
    scene.happens(Command::Operate { patch_id, order });
}

#[test]
fn a_key_rejected_as_wrong_leaves_its_demand_to_be_read_anew_under_another_name_z127() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    reject(&mut scene, &id, Scope::Key);
    let claim = scene.state.claim(scene.patch(&id).cluster, &Audience::Global);
    assert!(matches!(
        claim,
        Some(Claim::Settled {
            settlement: Settlement::Refused(_),
            ..
        })
    ));
    scene.rest();
    assert_eq!(scene.induction(), None, "not before twice as many ask");
    scene.voice(0);
    scene.rest();
    scene.policy.evolution.autonomy = Autonomy::Certain;
    scene.induce(candidate("seat_preference"));
    let anew = scene.last();
    // That name cools down.
    assert_ne!(anew.change.key_name(), &key_name("seat_preference"));
    assert_eq!(anew.stage.name(), "awaiting_approval");
    assert_eq!(&anew.holds[..], &[Hold::Name][..]);
    let evidence = json!(Evidence::of(scene.patch(&id), &Default::default(), None));
    assert_eq!(evidence["history"][1]["scope"], "key");

    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    reject(&mut scene, &id, Scope::Demand);
    scene.voice(0);
    scene.voice(0);
    scene.rest();
    assert_eq!(scene.induction(), None, "what is no wish rests with its cluster");
}

/// Twice as many ask for the first intent as when its key was made.
fn doubled(scene: &mut Scene) {
    scene.voice(0);
    scene.rest();
}

#[test]
fn a_key_that_nobody_used_is_made_anew_and_its_trial_begins_again_z141() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.patch(&id).clone();
    scene.pass(1_000);
    doubled(&mut scene);
    let events = scene.induce(candidate("window_place"));
    let [Event::Edited { by: None, .. }, Event::Staged { reason, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(reason, &Reason::Remade);
    let patch = scene.patch(&id);
    assert_eq!(patch.stage.name(), "experimental");
    assert_eq!(patch.members, before.members * 2);
    assert_eq!((patch.stage.since(), patch.proposed()), (scene.at, &before.change));
    assert!(scene.serves(None, "window_place"));
    assert!(matches!(scene.state.claim(patch.cluster, &patch.audience), Some(Claim::Patched(own)) if *own == id));
    assert_eq!(scene.induction(), None, "not again before it has doubled once more");
    assert_eq!(scene.state.patches.len(), 1);
}

#[test]
fn an_advertised_key_does_not_vanish_z147_z150_z151() {
    // A client received it, or a caller without a receipt was served it.
    for (recipient, served) in [(Some("ana"), 0), (None, u64::MAX)] {
        let mut scene = Scene::new();
        let id = scene.propose("seat_preference");
        if let Some(name) = recipient {
            scene.happens(Command::Receive {
                client: client(name),
                schema_id: None,
                via: Via::Fetch,
            });
        }
        doubled(&mut scene);
        // Another type under the same name would refuse what the holder sends.
        let mut typed = candidate_of(
            &json!({"key_name": "seat_preference", "key_type": "boolean", "required": false,
            "semantic_description": "Whether a seat is wanted."}),
        );
        typed.served = served;
        scene.induce(typed);
        assert_eq!((scene.patch(&id).edits.len(), scene.stage(&id)), (0, "experimental"));
        scene.voice(0);
        doubled(&mut scene);
        let mut induced = candidate("window_place");
        induced.served = served;
        let events = scene.induce(induced);
        assert!(
            matches!(&events[..], [Event::Staged { .. }, Event::Proposed { .. }]),
            "{events:?}"
        );
        let other = scene.last().patch_id.clone();
        assert_eq!((scene.stage(&id), scene.stage(&other)), ("deprecated", "experimental"));
        assert!(scene.serves(None, "seat_preference") && scene.serves(None, "window_place"));
        assert_eq!(scene.patch(&id).cool_until, None, "it was not measured");
        scene.pass(14 * DAY_MS);
        scene.rest();
        let withdrawn = scene.effective(None).withdrawn;
        let names: Vec<&str> = withdrawn.iter().map(|key| key.definition.key_name.as_str()).collect();
        assert_eq!(names, ["seat_preference"]);
        scene.pass(30 * DAY_MS);
        scene.rest();
        assert_eq!(scene.stage(&id), "expired");
    }
}

#[test]
fn of_a_key_that_was_used_the_words_alone_change_z106() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Global, worded("Where to sit."));
    scene.carry_judged("r", &id, true, None);
    doubled(&mut scene);
    scene.induce(candidate("window_place"));
    assert_eq!(scene.patch(&id).edits.len(), 0, "it stays");
    scene.voice(0);
    doubled(&mut scene);
    let trial = scene.patch(&id).stage.clone();
    let events = scene.induce(worded("Where in the cabin somebody wants to sit."));
    assert_eq!((events.len(), scene.patch(&id).edits.len()), (1, 1));
    assert_eq!(scene.patch(&id).stage, trial, "its trial goes on");
    assert_eq!(scene.reading(&id).payloads_with_key, 1, "with what was measured of it");
}

#[test]
fn a_key_that_waits_after_its_trial_waits_on_in_other_words_z157() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Global, worded("Where to sit."));
    for _ in 0..4 {
        scene.traffic(&id, MIDDLING);
        scene.pass(7 * DAY_MS);
        scene.rest();
    }
    scene.voice(0);
    doubled(&mut scene);
    for edits in 0..2 {
        let waits = scene.patch(&id).waits_for().map(|waits| waits.code);
        assert_eq!((scene.patch(&id).edits.len(), waits), (edits, Some("usage_between")));
        if edits == 0 {
            scene.induce(worded("Where in the cabin somebody wants to sit."));
        }
    }
}

#[test]
fn what_a_person_has_to_do_with_stays_theirs_z127_z147_z165() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    doubled(&mut scene);
    assert_eq!(scene.induction(), None, "what a person let pass is never made anew");
    for (first, then, stage, holds, name) in [
        (
            held("seat_preference", Hold::Name),
            candidate("window_place"),
            "awaiting_approval",
            1,
            "window_place",
        ),
        // A key on trial is not taken from its clients to wait.
        (
            candidate("seat_preference"),
            held("window_place", Hold::Instruction),
            "experimental",
            0,
            "seat_preference",
        ),
    ] {
        let mut scene = Scene::new();
        let id = scene.propose_for(&Audience::Global, first);
        doubled(&mut scene);
        scene.induce(then);
        let patch = scene.patch(&id);
        assert_eq!((patch.stage.name(), patch.holds.len()), (stage, holds));
        assert_eq!(patch.change.key_name(), &key_name(name));
    }
}
