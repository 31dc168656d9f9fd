//! Where operator actions reach, and what a person approves instead of what was proposed.

use super::*;
use crate::evolution::edit::Edit;
use crate::evolution::evidence::Evidence;
use crate::evolution::patch::StageChange;
use crate::evolution::patch::sample;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Trial;
use crate::pool::cohort::Addressee;
use crate::scenario::command::Command;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::key_name;
use crate::scenario::state::State;
use schema::act::By;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

const NOW: At = At(DAY_MS);
const SINCE: At = At(0);
const UNTIL: At = At(7 * DAY_MS);

/// A scenario that holds the first sample patch in this stage.
fn holding(stage: Stage) -> State {
    let patch = Patch {
        stage,
        ..sample::patch(1)
    };
    State {
        patches: vec![patch],
        ..State::default()
    }
}

fn on_trial() -> Stage {
    Stage::Experimental(Trial {
        since: SINCE,
        until: UNTIL,
        extensions: 0,
    })
}

fn stable() -> Stage {
    Stage::Stable {
        since: SINCE,
        next_look: UNTIL,
    }
}

fn leaving() -> [Stage; 3] {
    let (since, until) = (SINCE, UNTIL);
    [
        Stage::Deprecated { since, until },
        Stage::Withdrawn { since, until },
        Stage::Expired { since },
    ]
}

fn order(hand: OperatorAction) -> OperatorRequest {
    OperatorRequest::of(hand, "op".into(), Some("it was time".to_owned()))
}

/// The stage that a hand brings the first sample patch to, and until when it cools down.
fn pull(state: &State, hand: OperatorAction, policy: &Policy) -> Result<(Stage, Option<At>), Refusal> {
    let now = Situation { state, at: NOW, policy };
    let id = sample::patch(1).patch_id;
    let mut events = operate(now, &id, &order(hand))?;
    match events.pop() {
        Some(Event::Staged {
            stage,
            by,
            hand: kept,
            because,
            cool_until,
            ..
        }) if events.is_empty() => {
            assert_eq!(by.as_ref().map(By::as_str), Some("op"), "who did it is kept");
            assert_eq!((kept, because.as_deref()), (Some(hand), Some("it was time")));
            Ok((stage, cool_until))
        }
        event => panic!("{event:?}"),
    }
}

fn reached(state: &State, hand: OperatorAction, policy: &Policy) -> Result<&'static str, Refusal> {
    pull(state, hand, policy).map(|(stage, _)| stage.name())
}

#[test]
fn the_hand_reaches_what_the_table_says_and_nothing_else_z127_z156_z165() {
    // A row for each stage, a column for each hand: approve, reject, promote, demote, deprecate, withdraw, restore.
    let [deprecated, withdrawn, expired] = leaving();
    let since = SINCE;
    for (stage, row) in [
        (Stage::Queued { since }, ["-", "rejected", "-", "-", "-", "-", "-"]),
        (
            Stage::AwaitingApproval { since },
            ["experimental", "rejected", "-", "-", "-", "-", "-"],
        ),
        (on_trial(), ["-", "-", "stable", "-", "deprecated", "withdrawn", "-"]),
        (
            stable(),
            ["-", "-", "-", "experimental", "deprecated", "withdrawn", "-"],
        ),
        (deprecated, ["-", "-", "-", "-", "-", "withdrawn", "experimental"]),
        (withdrawn, ["-", "-", "-", "-", "-", "-", "experimental"]),
        (expired, ["-", "-", "-", "-", "-", "-", "experimental"]),
        (Stage::Lapsed { since }, ["-", "-", "-", "-", "-", "-", "experimental"]),
        (
            Stage::Rejected { since },
            ["-", "-", "-", "-", "-", "-", "experimental"],
        ),
    ] {
        for (hand, expected) in OperatorAction::ALL.iter().copied().zip(row) {
            match reached(&holding(stage.clone()), hand, &Policy::default()) {
                Err(Refusal::StageForbids { from, to: _ }) => assert_eq!((from, expected), (stage.name(), "-")),
                found => assert_eq!(found, Ok(expected), "{stage:?} {hand:?}"),
            }
        }
    }
    let nobody = reached(&State::default(), OperatorAction::Approve, &Policy::default());
    assert_eq!(nobody, Err(Refusal::UnknownPatch(sample::patch(1).patch_id)));
    let mut full = Policy::default();
    full.evolution.experimental_max = 0;
    let waiting = holding(Stage::AwaitingApproval { since });
    // Without room (Z-154).
    assert_eq!(reached(&waiting, OperatorAction::Approve, &full), Ok("queued"));
}

#[test]
fn what_a_hand_begins_is_a_whole_one_z141_z148_z152() {
    let days = |n: i64| NOW.plus_ms(n * DAY_MS);
    let waiting = Stage::AwaitingApproval { since: SINCE };
    let since = NOW;
    let trial = Stage::Experimental(Trial {
        since,
        until: days(7),
        extensions: 0,
    });
    for (from, hand, to, cools) in [
        (waiting, OperatorAction::Approve, trial, None),
        (
            on_trial(),
            OperatorAction::Deprecate,
            Stage::Deprecated { since, until: days(14) },
            Some(days(14)),
        ),
        // What a person took away does not come back at once by the very wishes that led to it.
        (
            on_trial(),
            OperatorAction::Withdraw,
            Stage::Withdrawn { since, until: days(30) },
            Some(days(14)),
        ),
    ] {
        assert_eq!(pull(&holding(from), hand, &Policy::default()), Ok((to, cools)));
    }
}

fn change(to: &str, by: Option<&str>) -> StageChange {
    StageChange {
        to: to.to_owned(),
        by: by.map(By::from),
        ..StageChange::by_rule(SINCE, &on_trial(), Reason::Operator)
    }
}

#[test]
fn what_was_stable_is_restored_as_stable_unless_that_was_taken_back_z127_z145() {
    let mut full = Policy::default();
    full.evolution.experimental_max = 0;
    for stage in leaving() {
        let mut state = holding(stage);
        assert_eq!(reached(&state, OperatorAction::Restore, &full), Err(Refusal::GuardFull));
        state.patches[0].history.push(change("stable", None));
        // It needs no room.
        assert_eq!(reached(&state, OperatorAction::Restore, &full), Ok("stable"));
    }
    for (stages, restored) in [
        (
            &["experimental", "stable", "experimental", "deprecated"][..],
            "experimental",
        ),
        (
            &["experimental", "stable", "experimental", "deprecated", "withdrawn"],
            "experimental",
        ),
        (&["experimental", "stable", "deprecated", "withdrawn"], "stable"),
        (&["stable", "experimental", "stable", "deprecated"], "stable"),
    ] {
        let [_, withdrawn, _] = leaving();
        let mut state = holding(withdrawn);
        state.patches[0].history = stages.iter().map(|to| change(to, None)).collect();
        let found = reached(&state, OperatorAction::Restore, &Policy::default());
        assert_eq!(found, Ok(restored), "{stages:?}");
    }
}

#[test]
fn what_no_person_let_pass_waits_for_one_when_it_is_restored_z127_z165() {
    let (by_rule, by_op) = (None, Some("op"));
    for (autonomy, history, restored) in [
        (
            Autonomy::Certain,
            vec![("awaiting_approval", by_rule)],
            "awaiting_approval",
        ),
        (
            Autonomy::Certain,
            vec![("awaiting_approval", by_rule), ("queued", by_op)],
            "experimental",
        ),
        (Autonomy::Certain, vec![("queued", by_rule)], "experimental"),
        (Autonomy::Review, vec![("queued", by_rule)], "awaiting_approval"),
        (Autonomy::Review, vec![("queued", by_op)], "experimental"),
        (Autonomy::Review, vec![("experimental", by_rule)], "experimental"),
    ] {
        let mut policy = Policy::default();
        policy.evolution.autonomy = autonomy;
        let mut state = holding(Stage::Rejected { since: SINCE });
        let shown = format!("{autonomy:?} {history:?}");
        let history = history.into_iter().chain([("rejected", by_op)]);
        state.patches[0].history = history.map(|(to, by)| change(to, by)).collect();
        assert_eq!(
            reached(&state, OperatorAction::Restore, &policy),
            Ok(restored),
            "{shown}"
        );
        policy.evolution.experimental_max = 0;
        let full = reached(&state, OperatorAction::Restore, &policy);
        assert_eq!(
            full.is_ok(),
            restored == "awaiting_approval",
            "who waits needs no room: {shown}"
        );
    }
}

fn approve(scene: &mut Scene, id: &PatchId, edit: &Value) -> Result<Vec<Event>, Refusal> {
    let edit = Edit::parse(edit).expect("an edit");
    scene.command(Command::Operate {
        patch_id: id.clone(),
        order: OperatorRequest {
            edit: Some(Box::new(edit)),
            ..order(OperatorAction::Approve)
        },
    })
}

#[test]
fn a_key_is_approved_as_edited_and_both_definitions_stay_on_record_z105_z127_z137() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    let before = scene.state.seq;
    let (was, is) = (key_name("seat_preference"), key_name("seat_wish"));
    let events = approve(&mut scene, &id, &json!({"key_name": "seat_wish"})).expect("approved");
    assert!(
        matches!(&events[..], [Event::Edited { .. }, Event::Staged { .. }]),
        "{events:?}"
    );
    let patch = scene.patch(&id);
    assert_eq!(patch.stage.name(), "experimental");
    assert_eq!((patch.change.key_name(), patch.proposed().key_name()), (&is, &was));
    // What was served before is told as it was.
    assert_eq!(patch.change_at(before).key_name(), &was);
    let layered = layer::layer_at(
        scene.state.patches.iter(),
        &scene.state.standings,
        Addressee::default(),
        scene.state.seq,
    );
    assert_eq!(layered[0].change.key_name(), &is);
    let edited = &json!(Evidence::of(patch, &Default::default(), None))["edits"][0];
    assert_eq!(&edited["by"]["principal"], &json!("op"));
    assert_eq!(&edited["because"], &json!("it was time"));
    assert_eq!(&edited["was"]["key_name"], &json!(was));
    assert_eq!(&edited["became"]["key_name"], &json!(is));
    assert!(scene.serves(None, "seat_wish") && !scene.serves(None, "seat_preference"));
}

#[test]
fn a_name_that_the_same_clients_have_is_not_given_twice_z034_z113() {
    let mut scene = Scene::reviewed();
    let first = scene.propose("seat_preference");
    let other = scene.propose("meal_choice");
    let own = scene.propose_for(&alone("c9"), candidate("pet_travel"));
    for (id, name) in [
        (&first, "origin"),
        (&first, "other"),
        (&first, "meal_choice"),
        (&first, "pet_travel"),
        (&own, "meal_choice"),
    ] {
        let refused = approve(&mut scene, id, &json!({"key_name": name}));
        assert_eq!(refused, Err(Refusal::NameTaken(key_name(name))), "{name}");
    }
    let refused = approve(&mut scene, &first, &json!({"key_name": "Seat Wish"}));
    assert!(matches!(&refused, Err(Refusal::Unfit(defects)) if defects[0].pointer == "/edit/key_name"));
    assert_eq!(scene.stage(&first), "awaiting_approval");
    scene.operate(&other, OperatorAction::Reject).expect("rejected");
    approve(&mut scene, &first, &json!({"key_name": "meal_choice"})).expect("the name is free");
    let back = scene.operate(&other, OperatorAction::Restore);
    assert_eq!(back, Err(Refusal::NameTaken(key_name("meal_choice"))));
}

#[test]
fn who_saw_another_revision_approves_nothing_and_a_refusal_changes_nothing_z127_z156() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    let revision = scene.patch(&id).revision;
    let before = scene.state.clone();
    for (seen, moved) in [
        (vec![revision + 1], true),
        (Vec::new(), true),
        (vec![1, revision], false),
    ] {
        let order = OperatorRequest {
            seen: Some(seen),
            ..order(OperatorAction::Approve)
        };
        let patch_id = id.clone();
        let approved = scene.command(Command::Operate { patch_id, order });
        assert_eq!(approved.err(), moved.then_some(Refusal::PatchMoved { revision }));
        assert_eq!(scene.state == before, moved);
    }
}
