//! Where the operator's hand reaches.

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::StageChange;
use crate::evolution::patch::sample;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::scenario::command::Refusal;
use crate::scenario::decide::operate::operate;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::state::State;
use schema::act::By;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::time::At;
use schema::time::DAY_MS;

const HANDS: &[OperatorAction] = OperatorAction::ALL;
const NOW: At = At(DAY_MS);

fn stages() -> [Stage; 9] {
    let since = At(0);
    let until = At(7 * DAY_MS);
    [
        Stage::Queued { since },
        Stage::AwaitingApproval { since },
        Stage::Experimental(Trial {
            since,
            until,
            extensions: 0,
        }),
        Stage::Stable {
            since,
            next_look: until,
        },
        Stage::Deprecated { since, until },
        Stage::Withdrawn { since, until },
        Stage::Expired { since },
        Stage::Lapsed { since },
        Stage::Rejected { since },
    ]
}

/// A scenario that holds the first sample patch in this stage.
fn holding(stage: Stage) -> State {
    let mut patch = sample::patch(1);
    patch.stage = stage;
    State {
        patches: vec![patch],
        ..State::default()
    }
}

fn first() -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), 1)
}

fn order(hand: OperatorAction) -> OperatorRequest {
    OperatorRequest::of(hand, "op".into(), Some("it was time".to_owned()))
}

fn pull(state: &State, hand: OperatorAction, policy: &Policy) -> Result<Event, Refusal> {
    let mut events = operate(state, &first(), order(hand), NOW, policy)?;
    assert_eq!(events.len(), 1);
    Ok(events.remove(0))
}

fn reached(state: &State, hand: OperatorAction, policy: &Policy) -> Result<&'static str, Refusal> {
    match pull(state, hand, policy)? {
        Event::Staged {
            stage,
            by,
            hand: kept,
            because,
            ..
        } => {
            assert_eq!(by.as_ref().map(By::as_str), Some("op"), "who did it is kept");
            assert_eq!((kept, because.as_deref()), (Some(hand), Some("it was time")));
            Ok(stage.name())
        }
        event => panic!("{event:?}"),
    }
}

#[test]
fn the_hand_reaches_what_the_table_says_and_nothing_else_z127_z165() {
    // A row for each stage, a column for each hand; a dash is a refusal.
    // approve, reject, promote, demote, deprecate, withdraw, restore
    let table = [
        ("queued", ["-", "rejected", "-", "-", "-", "-", "-"]),
        (
            "awaiting_approval",
            ["experimental", "rejected", "-", "-", "-", "-", "-"],
        ),
        (
            "experimental",
            ["-", "-", "stable", "-", "deprecated", "withdrawn", "-"],
        ),
        (
            "stable",
            ["-", "-", "-", "experimental", "deprecated", "withdrawn", "-"],
        ),
        ("deprecated", ["-", "-", "-", "-", "-", "withdrawn", "experimental"]),
        ("withdrawn", ["-", "-", "-", "-", "-", "-", "experimental"]),
        ("expired", ["-", "-", "-", "-", "-", "-", "experimental"]),
        ("lapsed", ["-", "-", "-", "-", "-", "-", "experimental"]),
        ("rejected", ["-", "-", "-", "-", "-", "-", "experimental"]),
    ];
    for (stage, (name, row)) in stages().into_iter().zip(table) {
        assert_eq!(stage.name(), name);
        for (hand, expected) in HANDS.iter().copied().zip(row) {
            let found = reached(&holding(stage.clone()), hand, &Policy::default());
            match (found, expected) {
                (Err(Refusal::StageForbids { from, to: _ }), "-") => assert_eq!(from, name),
                (Ok(found), expected) => assert_eq!(found, expected, "{name} {hand:?}"),
                (Err(refusal), expected) => panic!("{name} {hand:?}: {refusal:?}, not {expected}"),
            }
        }
    }
}

#[test]
fn what_was_stable_is_restored_as_stable_and_needs_no_room_z145() {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = 0;
    for stage in stages()
        .into_iter()
        .filter(|stage| matches!(stage.name(), "deprecated" | "withdrawn" | "expired"))
    {
        let mut state = holding(stage);
        assert_eq!(
            reached(&state, OperatorAction::Restore, &policy),
            Err(Refusal::GuardFull)
        );
        state.patches[0].history.push(change("stable"));
        assert_eq!(reached(&state, OperatorAction::Restore, &policy), Ok("stable"));
    }
}

fn change(to: &str) -> StageChange {
    StageChange {
        at: At(0),
        to: to.to_owned(),
        reason: Reason::Operator,
        by: None,
        reading: None,
        hand: None,
        because: None,
        scope: None,
    }
}

#[test]
fn a_promotion_that_was_taken_back_stays_taken_back_z127_z145() {
    let (since, until) = (At(0), At(7 * DAY_MS));
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
        let mut state = holding(Stage::Withdrawn { since, until });
        state.patches[0].history = stages.iter().map(|to| change(to)).collect();
        assert_eq!(
            reached(&state, OperatorAction::Restore, &Policy::default()),
            Ok(restored),
            "{stages:?}"
        );
    }
}

#[test]
fn what_no_person_let_pass_waits_for_one_when_it_is_restored_z127_z165() {
    let let_pass = |to: &str| StageChange {
        by: Some("op".into()),
        ..change(to)
    };
    let by_rule = |to: &str| change(to);
    for (required, history, restored) in [
        (
            false,
            vec![by_rule("awaiting_approval"), let_pass("rejected")],
            "awaiting_approval",
        ),
        (
            false,
            vec![by_rule("awaiting_approval"), let_pass("queued"), let_pass("rejected")],
            "experimental",
        ),
        (false, vec![by_rule("queued"), let_pass("rejected")], "experimental"),
        (true, vec![by_rule("queued"), let_pass("rejected")], "awaiting_approval"),
        (true, vec![let_pass("queued"), let_pass("rejected")], "experimental"),
        (
            true,
            vec![by_rule("experimental"), let_pass("withdrawn")],
            "experimental",
        ),
    ] {
        let mut policy = Policy::default();
        policy.evolution.autonomy = match required {
            true => Autonomy::Review,
            false => Autonomy::Certain,
        };
        let mut state = holding(Stage::Rejected { since: At(0) });
        let shown: Vec<String> = history.iter().map(|change| change.to.clone()).collect();
        state.patches[0].history = history;
        assert_eq!(
            reached(&state, OperatorAction::Restore, &policy),
            Ok(restored),
            "{required} {shown:?}"
        );
        policy.evolution.experimental_max = 0;
        let full = reached(&state, OperatorAction::Restore, &policy);
        assert_eq!(
            full.is_ok(),
            restored == "awaiting_approval",
            "who waits needs no room: {full:?}"
        );
    }
}

#[test]
fn approval_without_room_queues_z154_z156() {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = 0;
    let state = holding(Stage::AwaitingApproval { since: At(0) });
    assert_eq!(reached(&state, OperatorAction::Approve, &policy), Ok("queued"));
}

#[test]
fn a_trial_begun_by_hand_is_a_whole_one_z141() {
    let state = holding(Stage::AwaitingApproval { since: At(0) });
    let Ok(Event::Staged {
        stage: Stage::Experimental(trial),
        ..
    }) = pull(&state, OperatorAction::Approve, &Policy::default())
    else {
        panic!("not approved")
    };
    assert_eq!(
        (trial.since, trial.until, trial.extensions),
        (NOW, NOW.plus_ms(7 * DAY_MS), 0)
    );
}

#[test]
fn grace_and_window_are_whole_when_begun_by_hand_z148_z152() {
    let on_trial = holding(stages()[2].clone());
    let Ok(Event::Staged { stage, cool_until, .. }) = pull(&on_trial, OperatorAction::Deprecate, &Policy::default())
    else {
        panic!("not deprecated")
    };
    let deprecated = Stage::Deprecated {
        since: NOW,
        until: NOW.plus_ms(14 * DAY_MS),
    };
    assert_eq!((stage, cool_until), (deprecated, Some(NOW.plus_ms(14 * DAY_MS))));
    let Ok(Event::Staged { stage, cool_until, .. }) = pull(&on_trial, OperatorAction::Withdraw, &Policy::default())
    else {
        panic!("not withdrawn")
    };
    let withdrawn = Stage::Withdrawn {
        since: NOW,
        until: NOW.plus_ms(30 * DAY_MS),
    };
    // What a person took away does not come back at once by the very wishes that led to it.
    assert_eq!((stage, cool_until), (withdrawn, Some(NOW.plus_ms(14 * DAY_MS))));
}

#[test]
fn a_patch_that_is_not_there_is_named_z165() {
    let refused = operate(
        &State::default(),
        &first(),
        order(OperatorAction::Approve),
        NOW,
        &Policy::default(),
    );
    assert_eq!(refused, Err(Refusal::UnknownPatch(first())));
}

#[test]
fn a_refusal_changes_nothing_z156() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.state.clone();
    assert!(scene.operate(&id, OperatorAction::Approve).is_err());
    assert_eq!(scene.state, before);
}
