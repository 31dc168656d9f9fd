//! Refinements beside the keys that they rest on, and promotions that are taken back.

use serde_json::json;

use super::*;
use crate::evolution::evidence::Evidence;
use crate::evolution::evidence::Measured;
use crate::evolution::stage::Trial;
use crate::pool::gate::Audience;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::key_name;
use crate::scenario::sample::patch_id;
use schema::act::By;
use schema::name::PatchId;
use schema::time::DAY_MS;

const WORDS: &str = "Where to sit.";

/// A patch beside those of a scene, made from its first.
fn beside(scene: &mut Scene, change: KeyChange, stage: Stage, history: &[(At, &str, Reason)]) -> PatchId {
    let history = history.iter().map(|(at, to, reason)| StageChange {
        to: (*to).to_owned(),
        ..StageChange::by_rule(*at, &stage, reason.clone())
    });
    let patch = Patch {
        patch_id: patch_id(77),
        change,
        history: history.collect(),
        stage,
        ..scene.state.patches[0].clone()
    };
    scene.state.patches.push(patch);
    patch_id(77)
}

/// A refinement for an audience, in a stage of its own.
fn refine(scene: &mut Scene, audience: Audience, name: &str, stage: Stage) -> PatchId {
    let at = scene.at;
    let change = KeyChange::Refine {
        key_name: key_name(name),
        semantic_description: WORDS.to_owned(),
        values: Vec::new(),
        closes: false,
    };
    let stands = stage.name();
    let begun = [(at, "experimental", Reason::GateOpened), (at, stands, Reason::Promoted)];
    let begun = if stands == "stable" { &begun[..] } else { &begun[1..] };
    let id = beside(scene, change, stage, begun);
    let patch = scene.state.patch_mut(&id).expect("the patch");
    patch.audience = audience;
    id
}

fn stable(scene: &Scene) -> Stage {
    let now = Situation {
        state: &scene.state,
        at: scene.at,
        policy: &scene.policy,
    };
    now.stable()
}

/// A learned key that is stable, and a stable refinement of it.
fn refined(audience: Audience) -> (Scene, PatchId, PatchId) {
    let (mut scene, id) = Scene::promoted();
    let stage = stable(&scene);
    let refining = refine(&mut scene, audience, "seat_preference", stage);
    (scene, id, refining)
}

/// Who went where, and why.
fn moved(events: &[Event]) -> Vec<(PatchId, &'static str, Reason)> {
    let one = |event: &Event| match event {
        Event::Staged {
            patch_id,
            stage,
            reason,
            ..
        } => Some((patch_id.clone(), stage.name(), reason.clone())),
        _ => None,
    };
    events.iter().filter_map(one).collect()
}

/// What everybody reads of the last key.
fn said(scene: &Scene, whom: Option<&str>) -> String {
    let whom = whom.map(client);
    let key = scene.effective(whom.as_ref()).keys.pop().expect("a key");
    key.definition.semantic_description
}

#[test]
fn what_refines_a_key_goes_with_it_and_comes_back_by_a_persons_hand_z114_z127_z150() {
    for (hand, stage) in [
        (OperatorAction::Withdraw, "withdrawn"),
        (OperatorAction::Deprecate, "deprecated"),
    ] {
        for audience in [Audience::Global, alone("c1")] {
            let (mut scene, id, refining) = refined(audience);
            let events = scene.operate(&id, hand).expect("done");
            let both = [
                (id.clone(), stage, Reason::Operator),
                (refining.clone(), stage, Reason::WithKey),
            ];
            assert_eq!(moved(&events), both);
            assert!(!scene.patch(&refining).cooling(scene.at), "nothing was said against it");
            assert_eq!(scene.staged(), []);
            let refused = scene.operate(&refining, OperatorAction::Restore);
            // Not before its key.
            assert_eq!(refused, Err(Refusal::KeyGone(key_name("seat_preference"))));
            let events = scene.operate(&id, OperatorAction::Restore).expect("restored");
            let both = [(id, "stable", Reason::Operator), (refining, "stable", Reason::Operator)];
            assert_eq!(moved(&events), both);
            assert_eq!(said(&scene, Some("c1")), WORDS);
        }
    }
}

#[test]
fn what_a_person_withdrew_by_itself_does_not_come_back_with_its_key_z127() {
    let (mut scene, id, refining) = refined(Audience::Global);
    scene.operate(&refining, OperatorAction::Withdraw).expect("withdrawn");
    assert_eq!(scene.stage(&id), "stable", "a key does not rest on what refines it");
    scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
    scene.operate(&id, OperatorAction::Restore).expect("restored");
    assert_eq!((scene.stage(&id), scene.stage(&refining)), ("stable", "withdrawn"));
    scene
        .operate(&refining, OperatorAction::Restore)
        .expect("its key is there");
    assert_eq!(scene.stage(&refining), "stable");
}

#[test]
fn where_there_is_no_room_only_the_key_comes_back_z154() {
    for (room, stage) in [(1, "experimental"), (0, "withdrawn")] {
        let (mut scene, id) = Scene::promoted();
        let (since, until) = (scene.at, scene.at.plus_ms(7 * DAY_MS));
        let trial = Stage::Experimental(Trial {
            since,
            until,
            extensions: 0,
        });
        let refining = refine(&mut scene, Audience::Global, "seat_preference", trial);
        scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
        scene.policy.evolution.experimental_max = room;
        scene.operate(&id, OperatorAction::Restore).expect("restored");
        assert_eq!((scene.stage(&id), scene.stage(&refining)), ("stable", stage), "{room}");
    }
}

#[test]
fn what_refines_a_key_never_stands_firmer_than_it_when_a_rule_ends_that_z146_z150() {
    let (mut scene, id, refining) = refined(Audience::Global);
    let wrong = Traffic {
        aligned: 0,
        judged: 80,
        with_key: 80,
        type_ok: 80,
        payloads: 80,
    };
    scene.traffic(&id, wrong);
    let mut ways = Vec::new();
    for _ in 0..120 {
        scene.pass(DAY_MS);
        scene.rest();
        assert_eq!(scene.stage(&id), scene.stage(&refining));
        ways.push(scene.stage(&id));
    }
    ways.dedup();
    assert_eq!(ways, ["stable", "deprecated", "withdrawn", "expired"]);
    let mut reasons = scene.patch(&refining).history.iter().map(|change| &change.reason);
    assert!(reasons.clone().any(|reason| *reason == Reason::WithKey));
    assert!(reasons.all(|reason| *reason != Reason::LowAlignment));
}

#[test]
fn what_waits_lapses_with_the_key_and_what_a_base_says_stays_z106_z114_z156() {
    for (own, stage) in [(false, "lapsed"), (true, "stable")] {
        let mut scene = Scene::new();
        let id = scene.propose("seat_preference");
        let waiting = Stage::AwaitingApproval { since: scene.at };
        let (name, firm) = if own {
            ("origin", stable(&scene))
        } else {
            ("seat_preference", waiting)
        };
        let refining = refine(&mut scene, Audience::Global, name, firm);
        scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
        assert_eq!((scene.staged(), scene.stage(&refining)), (vec![], stage));
    }
    // So it does when the key is made anew under another name.
    for (name, stage) in [("seat_preference", "awaiting_approval"), ("window_place", "lapsed")] {
        let mut scene = Scene::new();
        scene.propose("seat_preference");
        let waiting = Stage::AwaitingApproval { since: scene.at };
        let refining = refine(&mut scene, Audience::Global, "seat_preference", waiting);
        scene.voice(0);
        scene.rest();
        scene.induce(candidate(name));
        assert_eq!(scene.stage(&refining), stage, "{name}");
    }
}

#[test]
fn what_was_left_standing_before_is_put_right_on_the_next_tick_z150() {
    let (mut scene, id, refining) = refined(Audience::Global);
    let (since, until) = (scene.at, scene.at.plus_ms(DAY_MS));
    scene.state.patch_mut(&id).expect("the key").stage = Stage::Withdrawn { since, until };
    assert_eq!(moved(&scene.rest()), [(refining, "withdrawn", Reason::WithKey)]);
}

#[test]
fn a_promotion_is_taken_back_to_a_whole_trial_with_who_when_and_why_z127_z141_z145() {
    let (mut scene, id) = Scene::promoted();
    scene.pass(100 * DAY_MS);
    let at = scene.at;
    scene.operate(&id, OperatorAction::Demote).expect("demoted");
    let patch = scene.patch(&id);
    let whole = Trial {
        since: at,
        until: at.plus_ms(7 * DAY_MS),
        extensions: 0,
    };
    assert_eq!(patch.stage, Stage::Experimental(whole));
    assert_eq!(patch.expiration, at.plus_ms(90 * DAY_MS), "the old date was past");
    let change = patch.history.last().expect("a change");
    assert_eq!((change.at, change.by.as_ref().map(By::as_str)), (at, Some("op")));
    assert_eq!(change.hand, Some(OperatorAction::Demote));
    assert_eq!(change.because.as_deref(), Some("it was time"));
    let measured = Measured::read(&scene.state.ledger, patch, scene.at, &scene.policy.evolution);
    assert_eq!(
        json!(Evidence::of(patch, &measured, None))["history"][2]["hand"],
        "demote"
    );
    // Nothing that was counted before speaks for it now.
    assert_eq!(scene.reading(&id).payloads_with_key, 0);
    scene.traffic(&id, GOOD);
    scene.pass(7 * DAY_MS);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)], "it may earn it again");
}

#[test]
fn a_better_wording_is_taken_back_by_itself_and_with_its_key_where_there_is_room_z107_z114_z154() {
    let (mut scene, id, refining) = refined(Audience::Global);
    assert_eq!(said(&scene, None), WORDS);
    let trial = |id: &PatchId| (id.clone(), "experimental", Reason::Operator);
    let mut itself = scene.clone();
    let events = itself.operate(&refining, OperatorAction::Demote).expect("demoted");
    assert_eq!(moved(&events), [trial(&refining)]);
    let shown = itself.effective(None).document(None, false).to_string();
    assert!(!shown.contains(WORDS), "who wants nothing on trial reads the old words");
    itself.operate(&refining, OperatorAction::Withdraw).expect("withdrawn");
    assert_ne!(said(&itself, None), WORDS);

    let before = scene.state.clone();
    scene.policy.evolution.experimental_max = 1;
    let full = scene.operate(&id, OperatorAction::Demote);
    assert_eq!((full, &scene.state), (Err(Refusal::GuardFull), &before), "both or none");
    scene.policy.evolution.experimental_max = 2;
    let events = scene.operate(&id, OperatorAction::Demote).expect("demoted");
    assert_eq!(moved(&events), [trial(&id), trial(&refining)]);
}

#[test]
fn a_key_that_was_folded_into_it_since_comes_back_and_stays_z088_z113() {
    let (scene, id) = Scene::promoted();
    let since = scene.at;
    let KeyChange::Add(mut key) = scene.patch(&id).change.clone() else {
        panic!("the first adds a key")
    };
    key.key_name = key_name("window_wish");
    let until = since.plus_ms(14 * DAY_MS);
    let gone = Stage::Deprecated { since, until };
    let lapsed = Stage::Lapsed { since };
    for (stage, before, folded_at, hand, comes_back) in [
        (&gone, "experimental", since, OperatorAction::Demote, "experimental"),
        (
            &gone,
            "experimental",
            since.plus_ms(-1),
            OperatorAction::Demote,
            "deprecated",
        ),
        (
            &lapsed,
            "awaiting_approval",
            since,
            OperatorAction::Demote,
            "awaiting_approval",
        ),
        (&lapsed, "queued", since, OperatorAction::Demote, "experimental"),
        // A person may bring it back by itself as well.
        (&lapsed, "experimental", since, OperatorAction::Restore, "experimental"),
    ] {
        let mut scene = scene.clone();
        let history = [
            (since.plus_ms(-2), before, Reason::GateOpened),
            (folded_at, stage.name(), Reason::Folded),
        ];
        let other = beside(&mut scene, KeyChange::Add(key.clone()), stage.clone(), &history);
        assert!(!scene.patch(&other).set_apart());
        let whom = if hand == OperatorAction::Demote { &id } else { &other };
        scene.operate(whom, hand).expect("done");
        assert_eq!(scene.stage(&other), comes_back);
        // Both are of one cluster still; what a person put apart no rule puts together.
        assert_eq!(scene.patch(&other).set_apart(), comes_back != "deprecated");
        assert_eq!(scene.staged(), []);
    }
}
