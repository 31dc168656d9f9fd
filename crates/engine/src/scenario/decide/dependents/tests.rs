//! Refinements beside the keys that they rest on.

use crate::evolution::evidence;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::pool::gate::Audience;
use crate::scenario::command::Refusal;
use crate::scenario::decide::dependents::bears;
use crate::scenario::decide::entry;
use crate::scenario::event::Event;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::key_name;
use schema::act::By;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::time::At;
use schema::time::DAY_MS;

/// A learned key that is stable, and a refinement of it in a stage of its own.
fn refined(audience: Audience, stage: impl Fn(&Scene) -> Stage) -> (Scene, PatchId, PatchId) {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    scene.pass(7 * DAY_MS);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
    let refining = refine(&mut scene, audience, "seat_preference", stage);
    (scene, id, refining)
}

fn refine(scene: &mut Scene, audience: Audience, name: &str, stage: impl Fn(&Scene) -> Stage) -> PatchId {
    let stage = stage(scene);
    let change = |to: &str, reason| StageChange {
        at: scene.at,
        to: to.to_owned(),
        reason,
        by: None,
        reading: None,
        hand: None,
        because: None,
        scope: None,
    };
    let history = match &stage {
        Stage::Stable { .. } => vec![
            change("experimental", Reason::GateOpened),
            change("stable", Reason::Promoted),
        ],
        other => vec![change(other.name(), Reason::GateOpened)],
    };
    let patch = Patch {
        patch_id: PatchId::numbered(&ScenarioKey::parse("flight_booking").expect("a scenario"), 77),
        audience,
        change: KeyChange::Refine {
            key_name: key_name(name),
            semantic_description: "Where to sit.".to_owned(),
            values: Vec::new(),
            closes: false,
        },
        stage,
        history,
        ..scene.state.patches[0].clone()
    };
    let id = patch.patch_id.clone();
    scene.state.patches.push(patch);
    id
}

fn stable(scene: &Scene) -> Stage {
    Stage::Stable {
        since: scene.at,
        next_look: scene.at.plus_ms(7 * DAY_MS),
    }
}

/// Who went where, and why.
fn moved(events: &[Event]) -> Vec<(String, &'static str, Reason)> {
    let one = |event: &Event| match event {
        Event::Staged {
            patch_id,
            stage,
            reason,
            ..
        } => Some((patch_id.to_string(), stage.name(), reason.clone())),
        _ => None,
    };
    events.iter().filter_map(one).collect()
}

#[test]
fn what_refines_a_key_goes_with_it_and_comes_back_by_a_persons_hand_z114_z127_z150() {
    for (hand, stage) in [
        (OperatorAction::Withdraw, "withdrawn"),
        (OperatorAction::Deprecate, "deprecated"),
    ] {
        for audience in [Audience::Global, Audience::Client(client("c1"))] {
            let (mut scene, id, refining) = refined(audience, stable);
            let events = scene.operate(&id, hand).expect("done");
            let both = [
                (id.to_string(), stage, Reason::Operator),
                (refining.to_string(), stage, Reason::WithKey),
            ];
            assert_eq!(moved(&events), both);
            assert!(!scene.patch(&refining).cooling(scene.at), "nothing was said against it");
            assert_eq!(scene.staged(), []);
            let events = scene.operate(&id, OperatorAction::Restore).expect("restored");
            let both = [
                (id.to_string(), "stable", Reason::Operator),
                (refining.to_string(), "stable", Reason::Operator),
            ];
            assert_eq!(moved(&events), both);
            let said = scene
                .effective(Some(&client("c1")))
                .keys
                .pop()
                .expect("the key")
                .definition;
            assert_eq!(said.semantic_description, "Where to sit.");
        }
    }
}

#[test]
fn what_a_person_withdrew_by_itself_does_not_come_back_with_its_key_z127() {
    let (mut scene, id, refining) = refined(Audience::Global, stable);
    scene.operate(&refining, OperatorAction::Withdraw).expect("withdrawn");
    assert_eq!(scene.stage(&id), "stable", "a key does not rest on what refines it");
    scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
    scene.operate(&id, OperatorAction::Restore).expect("restored");
    assert_eq!((scene.stage(&id), scene.stage(&refining)), ("stable", "withdrawn"));
}

#[test]
fn what_refines_a_key_that_has_gone_does_not_come_back_before_it_z127_z150() {
    let (mut scene, id, refining) = refined(Audience::Global, stable);
    let gone = Refusal::KeyGone(key_name("seat_preference"));
    for hand in [OperatorAction::Deprecate, OperatorAction::Withdraw] {
        scene.operate(&id, hand).expect("gone");
        assert_eq!(
            scene.operate(&refining, OperatorAction::Restore),
            Err(gone.clone()),
            "{hand:?}"
        );
    }
    scene
        .operate(&refining, OperatorAction::Restore)
        .expect_err("it is still gone");
    scene
        .operate(&id, OperatorAction::Restore)
        .expect("the key, and what went with it");
    scene.operate(&refining, OperatorAction::Withdraw).expect("by itself");
    scene
        .operate(&refining, OperatorAction::Restore)
        .expect("its key is there");
    assert_eq!(scene.stage(&refining), "stable");
}

#[test]
fn where_there_is_no_room_only_the_key_comes_back_z154() {
    let trial = |scene: &Scene| Stage::Experimental(entry::trial(scene.at, &scene.policy));
    for (room, stage) in [(1, "experimental"), (0, "withdrawn")] {
        let (mut scene, id, refining) = refined(Audience::Global, trial);
        scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
        scene.policy.evolution.experimental_max = room;
        scene.operate(&id, OperatorAction::Restore).expect("restored");
        assert_eq!((scene.stage(&id), scene.stage(&refining)), ("stable", stage), "{room}");
    }
}

#[test]
fn what_refines_a_key_never_stands_firmer_than_it_when_a_rule_ends_that_z146_z150() {
    let (mut scene, id, refining) = refined(Audience::Global, stable);
    scene.traffic(
        &id,
        Traffic {
            aligned: 0,
            judged: 80,
            with_key: 80,
            type_ok: 80,
            payloads: 80,
        },
    );
    let mut ways: Vec<(&'static str, &'static str)> = Vec::new();
    for _ in 0..120 {
        scene.pass(DAY_MS);
        scene.rest();
        let now = (scene.stage(&id), scene.stage(&refining));
        if ways.last() != Some(&now) {
            ways.push(now);
        }
    }
    assert_eq!(
        ways,
        [
            ("stable", "stable"),
            ("deprecated", "deprecated"),
            ("withdrawn", "withdrawn"),
            ("expired", "expired")
        ]
    );
    let reasons: Vec<&Reason> = scene
        .patch(&refining)
        .history
        .iter()
        .map(|change| &change.reason)
        .collect();
    assert!(
        reasons.contains(&&Reason::WithKey) && !reasons.contains(&&Reason::LowAlignment),
        "{reasons:?}"
    );
}

#[test]
fn what_waits_lapses_with_the_key_and_what_a_base_says_stays_z106_z156() {
    let (mut scene, id, refining) = refined(Audience::Global, |scene| Stage::AwaitingApproval { since: scene.at });
    assert!(bears(
        &scene.state,
        &Audience::Global,
        &key_name("seat_preference"),
        &scene.policy
    ));
    scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
    assert_eq!(scene.stage(&refining), "lapsed");
    assert!(!bears(
        &scene.state,
        &Audience::Global,
        &key_name("seat_preference"),
        &scene.policy
    ));

    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let own = scene.effective(None).keys[0].definition.key_name.to_string();
    let refining = refine(&mut scene, Audience::Global, &own, stable);
    scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
    assert_eq!((scene.staged(), scene.stage(&refining)), (vec![], "stable"));
    assert!(bears(&scene.state, &Audience::Global, &key_name(&own), &scene.policy));
}

#[test]
fn what_was_left_standing_before_is_put_right_on_the_next_tick_z150() {
    let (mut scene, id, refining) = refined(Audience::Global, stable);
    let (since, until) = (scene.at, scene.at.plus_ms(DAY_MS));
    for patch in scene.state.patches.iter_mut().filter(|patch| patch.patch_id == id) {
        patch.stage = Stage::Withdrawn { since, until };
    }
    assert_eq!(
        moved(&scene.rest()),
        [(refining.to_string(), "withdrawn", Reason::WithKey)]
    );
}

#[test]
fn what_refines_a_key_goes_when_that_is_made_anew_under_another_name_z114() {
    for (name, stage) in [("seat_preference", "awaiting_approval"), ("window_place", "lapsed")] {
        let mut scene = Scene::new();
        scene.propose("seat_preference");
        let refining = refine(&mut scene, Audience::Global, "seat_preference", |scene| {
            Stage::AwaitingApproval { since: scene.at }
        });
        scene.voice(0);
        scene.rest();
        scene.induce(candidate(name));
        assert_eq!(scene.stage(&refining), stage, "{name}");
    }
}

/// A scenario with one key that was promoted by rule.
fn promoted() -> (Scene, PatchId) {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    scene.pass(7 * DAY_MS);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
    (scene, id)
}

/// Another patch beside those of a scene, made from its first.
fn beside(scene: &Scene, number: u64, change: KeyChange, stage: Stage, history: &[(At, &str, Reason)]) -> Patch {
    let history = history.iter().map(|(at, to, reason)| StageChange {
        at: *at,
        to: (*to).to_owned(),
        reason: reason.clone(),
        by: None,
        reading: None,
        hand: None,
        because: None,
        scope: None,
    });
    Patch {
        patch_id: PatchId::numbered(&ScenarioKey::parse("flight_booking").expect("a scenario"), number),
        change,
        stage,
        history: history.collect(),
        ..scene.state.patches[0].clone()
    }
}

fn another(scene: &Scene) -> KeyChange {
    match &scene.state.patches[0].change {
        KeyChange::Add(key) => {
            let mut key = key.clone();
            key.key_name = key_name("window_wish");
            KeyChange::Add(key)
        }
        KeyChange::Refine { .. } => panic!("the first adds a key"),
    }
}

fn wording() -> KeyChange {
    KeyChange::Refine {
        key_name: key_name("seat_preference"),
        semantic_description: "Where to sit.".to_owned(),
        values: Vec::new(),
        closes: false,
    }
}

fn stages(events: &[Event]) -> Vec<(String, &'static str)> {
    let one = |event: &Event| match event {
        Event::Staged { patch_id, stage, .. } => (patch_id.to_string(), stage.name()),
        event => panic!("{event:?}"),
    };
    events.iter().map(one).collect()
}

#[test]
fn a_promotion_is_taken_back_to_a_whole_trial_with_who_when_and_why_z127_z141_z145() {
    let (mut scene, id) = promoted();
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
    assert_eq!(
        (
            change.at,
            change.by.as_ref().map(By::as_str),
            change.hand,
            change.because.as_deref()
        ),
        (at, Some("op"), Some(OperatorAction::Demote), Some("it was time"))
    );
    assert_eq!(
        evidence::document(patch, &scene.state.ledger.read(&id, at, 30), None)["history"][2]["hand"],
        "demote"
    );
    // Nothing that was counted before speaks for it now.
    assert_eq!(scene.state.ledger.read(&id, at, 30).payloads_with_key, 0);
    scene.traffic(&id, GOOD);
    scene.pass(7 * DAY_MS);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)], "it may earn it again");
}

#[test]
fn a_promotion_that_needs_room_is_taken_back_only_where_there_is_some_z154() {
    let (mut scene, id) = promoted();
    scene.policy.evolution.experimental_max = 1;
    let other = scene.propose("meal_choice");
    assert_eq!(scene.stage(&other), "experimental");
    let before = scene.state.clone();
    assert_eq!(scene.operate(&id, OperatorAction::Demote), Err(Refusal::GuardFull));
    assert_eq!(scene.state, before);
    scene.policy.evolution.experimental_max = 2;
    assert!(scene.operate(&id, OperatorAction::Demote).is_ok());
}

#[test]
fn a_better_wording_is_taken_back_by_itself_and_with_its_key_z107_z114() {
    let (mut scene, id) = promoted();
    let since = scene.at;
    let stable = Stage::Stable {
        since,
        next_look: since.plus_ms(7 * DAY_MS),
    };
    let refined = beside(&scene, 2, wording(), stable, &[(since, "stable", Reason::Promoted)]);
    let refining = refined.patch_id.clone();
    scene.state.patches.push(refined);
    let said = |scene: &Scene| {
        scene
            .effective(None)
            .keys
            .last()
            .map(|key| key.definition.semantic_description.clone())
    };
    assert_eq!(said(&scene).as_deref(), Some("Where to sit."));

    let mut alone = scene.clone();
    let events = alone.operate(&refining, OperatorAction::Demote).expect("demoted");
    assert_eq!(stages(&events), [(refining.to_string(), "experimental")]);
    let shown = alone.effective(None).document(None, false);
    assert!(
        !shown.to_string().contains("Where to sit."),
        "who wants nothing on trial reads the old words"
    );
    alone.operate(&refining, OperatorAction::Withdraw).expect("withdrawn");
    assert_ne!(said(&alone).as_deref(), Some("Where to sit."));

    let events = scene.operate(&id, OperatorAction::Demote).expect("demoted");
    let both = [(id.to_string(), "experimental"), (refining.to_string(), "experimental")];
    assert_eq!(stages(&events), both);
    let mut full = scene.clone();
    full.policy.evolution.experimental_max = 2;
    for id in [&id, &refining] {
        full.operate(id, OperatorAction::Promote).expect("promoted");
    }
    full.policy.evolution.experimental_max = 1;
    assert_eq!(
        full.operate(&id, OperatorAction::Demote),
        Err(Refusal::GuardFull),
        "both or none"
    );
}

#[test]
fn a_key_that_was_folded_into_it_since_comes_back_and_stays_z088_z113() {
    let (scene, id) = promoted();
    let Stage::Stable { since: promoted, .. } = scene.patch(&id).stage else {
        panic!("not stable")
    };
    let gone = Stage::Deprecated {
        since: scene.at,
        until: scene.at.plus_ms(14 * DAY_MS),
    };
    let lapsed = Stage::Lapsed { since: scene.at };
    for (stage, before, folded_at, comes_back) in [
        (gone.clone(), "experimental", promoted, Some("experimental")),
        (gone.clone(), "experimental", promoted.plus_ms(-1), None),
        (lapsed.clone(), "awaiting_approval", promoted, Some("awaiting_approval")),
        (lapsed.clone(), "queued", promoted, Some("experimental")),
    ] {
        let mut scene = scene.clone();
        let history = [
            (promoted.plus_ms(-2), before, Reason::GateOpened),
            (folded_at, stage.name(), Reason::Folded),
        ];
        let folded = beside(&scene, 2, another(&scene), stage, &history);
        let other = folded.patch_id.clone();
        scene.state.patches.push(folded);
        let events = scene.operate(&id, OperatorAction::Demote).expect("demoted");
        let mut expected = vec![(id.to_string(), "experimental")];
        expected.extend(comes_back.map(|stage| (other.to_string(), stage)));
        assert_eq!(stages(&events), expected);
        // Both are of one cluster still; what a person put apart no rule puts together.
        assert_eq!(scene.staged(), []);
    }
}

#[test]
fn a_key_that_a_person_restores_is_not_folded_again_z113() {
    let (mut scene, id) = promoted();
    let now = scene.at;
    let history = [
        (now, "experimental", Reason::GateOpened),
        (now, "lapsed", Reason::Folded),
    ];
    let folded = beside(&scene, 2, another(&scene), Stage::Lapsed { since: now }, &history);
    let other = folded.patch_id.clone();
    assert!(!folded.set_apart());
    scene.state.patches.push(folded);
    scene.operate(&other, OperatorAction::Restore).expect("restored");
    assert!(scene.patch(&other).set_apart());
    assert_eq!(scene.staged(), []);
    assert_eq!((scene.stage(&id), scene.stage(&other)), ("stable", "experimental"));
}
