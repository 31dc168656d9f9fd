//! Promotions that are taken back.

use crate::evolution::evidence;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::Scene;
use crate::scenario::sample::key_name;
use schema::act::By;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::time::At;
use schema::time::DAY_MS;

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
