//! What time brings, to the millisecond.

use crate::evolution::ledger::Basis;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::command::Command;
use crate::scenario::command::Digestion;
use crate::scenario::event::Judgement;
use crate::scenario::policy::Policy;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::client;
use crate::scenario::sample::key_name;
use schema::name::PatchId;
use schema::time::At;
use schema::time::DAY_MS;

fn day(n: i64) -> At {
    START.plus_ms(n * DAY_MS)
}

fn on_trial() -> (Scene, PatchId) {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    (scene, id)
}

/// What a trial with this traffic comes to after its first period.
fn outcome(traffic: Traffic) -> (&'static str, Reason) {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, traffic);
    scene.at = day(7);
    let staged = scene.staged();
    let [one] = staged.as_slice() else {
        panic!("not one change: {staged:?}")
    };
    one.clone()
}

fn extensions(scene: &Scene, id: &PatchId) -> Option<u32> {
    match &scene.patch(id).stage {
        Stage::Experimental(trial) => Some(trial.extensions),
        _ => None,
    }
}

#[test]
fn a_trial_ends_after_seven_days_and_not_a_moment_before_z141_z143() {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, GOOD);
    scene.at = day(7).plus_ms(-1);
    assert_eq!(scene.staged(), []);
    scene.at = day(7);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
    assert_eq!(scene.patch(&id).history.last().expect("a change").at, day(7));
}

#[test]
fn a_trial_is_as_long_as_the_policy_says_z141() {
    let mut policy = Policy::default();
    policy.evolution.trial_s = 3_600;
    let mut scene = Scene::with(policy);
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    scene.pass(3_600_000 - 1);
    assert_eq!(scene.staged(), []);
    scene.pass(1);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
}

#[test]
fn the_three_edges_of_promotion_z144() {
    let at_edge = Traffic {
        payloads: 200,
        with_key: 30,
        type_ok: 27,
        judged: 10,
        aligned: 8,
    };
    assert_eq!(outcome(at_edge), ("stable", Reason::Promoted));
    for below in [
        Traffic {
            with_key: 29,
            ..at_edge
        },
        Traffic { aligned: 7, ..at_edge },
        Traffic { type_ok: 26, ..at_edge },
    ] {
        assert_eq!(outcome(below), ("experimental", Reason::MiddleBand));
    }
}

#[test]
fn the_three_edges_of_deprecation_z146() {
    let at_edge = Traffic {
        payloads: 200,
        with_key: 10,
        type_ok: 7,
        judged: 10,
        aligned: 6,
    };
    assert_eq!(outcome(at_edge), ("experimental", Reason::MiddleBand));
    let rarely = Traffic { with_key: 9, ..at_edge };
    assert_eq!(outcome(rarely), ("deprecated", Reason::LowUsage));
    let wrongly = Traffic { aligned: 5, ..at_edge };
    assert_eq!(outcome(wrongly), ("deprecated", Reason::LowAlignment));
    let badly = Traffic { type_ok: 6, ..at_edge };
    assert_eq!(outcome(badly), ("deprecated", Reason::LowType));
}

#[test]
fn a_promoted_key_loses_its_flag_and_stays_z145() {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, GOOD);
    assert_eq!(scene.patch(&id).document()["new_keys"][0]["experimental"], true);
    scene.at = day(7);
    scene.staged();
    assert!(scene.patch(&id).document()["new_keys"][0].get("experimental").is_none());
    scene.at = day(400);
    scene.staged();
    assert_eq!(scene.stage(&id), "stable", "no traffic is no reason (Z-160)");
    assert!(scene.serves(None, "seat_preference"));
}

#[test]
fn a_change_keeps_the_reading_it_rests_on_z143() {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, GOOD);
    scene.at = day(7);
    scene.staged();
    let last = scene.patch(&id).history.last().expect("a change");
    let reading = last.reading.as_ref().expect("a reading");
    assert_eq!((reading.payloads_with_key, reading.judged), (20, 20));
    assert_eq!(last.by, None);
}

#[test]
fn too_little_data_prolongs_and_does_not_count_z159_z160() {
    let (mut scene, id) = on_trial();
    scene.traffic(
        &id,
        Traffic {
            payloads: 29,
            with_key: 29,
            ..GOOD
        },
    );
    for week in 1..=5 {
        scene.at = day(7 * week).plus_ms(-1);
        assert_eq!(scene.staged(), [], "week {week}");
        scene.at = day(7 * week);
        assert_eq!(scene.staged(), [("experimental", Reason::TooLittleData)], "week {week}");
        assert_eq!(extensions(&scene, &id), Some(0));
    }
}

/// A key whose trial is prolonged three times on this traffic, a moment before the fourth period ends.
fn prolonged(traffic: Traffic) -> (Scene, PatchId) {
    let (mut scene, id) = on_trial();
    for week in 1..=3 {
        scene.traffic(&id, traffic);
        scene.at = day(7 * week);
        assert_eq!(scene.staged(), [("experimental", Reason::MiddleBand)], "week {week}");
        assert_eq!(extensions(&scene, &id), Some(u32::try_from(week).expect("few")));
    }
    scene.traffic(&id, traffic);
    scene.at = day(28);
    (scene, id)
}

#[test]
fn the_middle_band_is_prolonged_three_times_and_then_goes_z157() {
    let (mut scene, id) = prolonged(Traffic { aligned: 7, ..MIDDLING });
    assert_eq!(scene.staged(), [("deprecated", Reason::ExtensionsSpent)]);
    assert!(scene.patch(&id).cool_until.is_some());
}

#[test]
fn usage_between_its_edges_waits_for_a_person_after_the_last_extension_z144_z157() {
    let (mut scene, id) = prolonged(MIDDLING);
    let since = scene.at;
    assert_eq!(scene.staged(), [("experimental", Reason::UsageBetween)]);
    for week in 5..=8 {
        scene.traffic(&id, MIDDLING);
        scene.at = day(7 * week);
        assert_eq!(
            scene.staged(),
            [("experimental", Reason::UsageBetween)],
            "it goes on being measured"
        );
    }
    let patch = scene.patch(&id);
    assert_eq!(patch.waits_for().map(|(code, _)| code), Some("usage_between"));
    assert_eq!((patch.waits_since(), extensions(&scene, &id)), (Some(since), Some(3)));
    assert!(scene.serves(None, "seat_preference"));
    for (hand, stage) in [
        (OperatorAction::Promote, "stable"),
        (OperatorAction::Deprecate, "deprecated"),
    ] {
        let mut scene = scene.clone();
        scene.operate(&id, hand).expect("a person decides");
        assert_eq!((scene.stage(&id), scene.patch(&id).waits_for()), (stage, None));
    }
    // What is measured since decides as ever.
    let mut used = scene.clone();
    used.at = day(58);
    for _ in 0..3 {
        used.traffic(&id, GOOD);
    }
    used.at = day(63);
    assert_eq!(used.staged(), [("stable", Reason::Promoted)]);
    // Nobody decided until the date that was published.
    for week in 9..=12 {
        scene.traffic(&id, MIDDLING);
        scene.at = day(7 * week);
        scene.rest();
    }
    scene.traffic(&id, MIDDLING);
    scene.at = day(90);
    assert_eq!(
        scene.staged(),
        [("deprecated", Reason::NoEvidence)],
        "its date has come (Z-128)"
    );
}

/// A day on which nineteen clients send one payload each, so many of them with the key, and one client twenty.
fn day_of_twenty(scene: &mut Scene, id: &PatchId, with_key: usize, the_others: bool, loud: Option<bool>) {
    let mut send = |name: &str, value: Option<bool>| {
        let mut submitted = scene.submitted(Some(name));
        submitted.observed.extend(value.map(|right| scene.observed(id, right)));
        let of = scene.submit(submitted);
        let judgements = value.map(|aligned| Judgement {
            patch_id: id.clone(),
            aligned,
            basis: Basis::Lexical,
        });
        if value.is_some() {
            scene.happens(Command::Digest {
                model: MODEL.to_owned(),
                digestions: vec![Digestion {
                    of,
                    fragments: Vec::new(),
                    judgements: judgements.into_iter().collect(),
                }],
            });
        }
    };
    for n in 0..19 {
        send(&format!("n{n}"), (n < with_key).then_some(the_others));
    }
    for _ in 0..20 {
        send("loud", loud);
    }
}

#[test]
fn one_client_neither_kills_a_key_nor_keeps_one_however_much_it_sends_z144_z146() {
    // Five of twenty use it, and rightly; one sends twenty wrong values a day.
    let (mut scene, id) = on_trial();
    for n in 0..28 {
        day_of_twenty(&mut scene, &id, 5, true, Some(false));
        scene.at = day(n + 1);
        let staged = scene.staged();
        assert!(
            staged.iter().all(|(stage, _)| *stage == "experimental"),
            "day {n}: {staged:?}"
        );
    }
    assert_eq!(
        scene.patch(&id).waits_for().map(|(code, _)| code),
        Some("clients_disagree")
    );
    // Five more than twenty clients, none of whom uses it but one.
    let (mut scene, id) = on_trial();
    for n in 0..28 {
        day_of_twenty(&mut scene, &id, 0, true, Some(true));
        for more in 0..5 {
            let submitted = scene.submitted(Some(&format!("more{more}")));
            scene.submit(submitted);
        }
        scene.at = day(n + 1);
        let staged = scene.staged();
        assert!(
            staged.iter().all(|(stage, _)| *stage != "stable"),
            "day {n}: {staged:?}"
        );
    }
    assert_eq!(scene.stage(&id), "deprecated");
    // A client that sends much and leaves it out delays what the others want, and does not end it.
    let (mut scene, id) = on_trial();
    for _ in 0..7 {
        day_of_twenty(&mut scene, &id, 5, true, None);
    }
    scene.at = day(7);
    assert_eq!(
        scene.staged(),
        [("experimental", Reason::MiddleBand)],
        "5 of 39 payloads, 5 of 20 clients"
    );
}

#[test]
fn without_evidence_a_key_goes_on_its_expiration_date_without_a_cool_down_z119_z128() {
    let (mut scene, id) = on_trial();
    for week in 1..=12 {
        scene.at = day(7 * week);
        assert_eq!(scene.staged(), [("experimental", Reason::TooLittleData)], "week {week}");
        assert_eq!(scene.patch(&id).expiration, day(90), "the date was published");
    }
    scene.at = day(90).plus_ms(-1);
    assert_eq!(scene.staged(), []);
    scene.at = day(90);
    assert_eq!(scene.staged(), [("deprecated", Reason::NoEvidence)]);
    assert_eq!((scene.patch(&id).cool_until, scene.patch(&id).times), (None, 0));
}

#[test]
fn evidence_that_comes_before_the_expiration_date_still_counts_z128_z144() {
    for (traffic, expected) in [
        (GOOD, ("stable", Reason::Promoted)),
        (Traffic { aligned: 0, ..GOOD }, ("deprecated", Reason::LowAlignment)),
        (MIDDLING, ("deprecated", Reason::NoEvidence)),
    ] {
        let (mut scene, id) = on_trial();
        for week in 1..=12 {
            scene.at = day(7 * week);
            scene.staged();
        }
        scene.at = day(85);
        scene.traffic(&id, traffic);
        scene.at = day(90);
        assert_eq!(scene.staged(), [expected]);
    }
}

#[test]
fn a_deprecated_key_has_fourteen_days_of_grace_z147_z148_z149() {
    let (mut scene, id) = on_trial();
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    assert_eq!(scene.patch(&id).document()["new_keys"][0]["deprecated"], true);
    assert!(scene.serves(None, "seat_preference"));
    scene.at = day(14).plus_ms(-1);
    assert_eq!(scene.staged(), []);
    scene.at = day(14);
    assert_eq!(scene.staged(), [("withdrawn", Reason::GraceOver)]);
}

#[test]
fn grace_lasts_until_a_third_change_is_a_window_after_the_first_z134_z147_z149() {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, GOOD);
    scene.at = day(7);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
    scene.traffic(&id, Traffic { aligned: 0, ..GOOD });
    scene.at = day(14);
    assert_eq!(scene.staged(), [("deprecated", Reason::LowAlignment)]);
    scene.at = day(37).plus_ms(-1);
    assert_eq!(scene.staged(), [], "promoted on the 7th day, deprecated on the 14th");
    scene.at = day(37);
    assert_eq!(scene.staged(), [("withdrawn", Reason::GraceOver)]);
}

#[test]
fn a_withdrawn_key_is_accepted_for_thirty_days_and_then_unknown_z150_z151_z152_z164() {
    let (mut scene, id) = on_trial();
    scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
    let name = key_name("seat_preference");
    let accepted = |scene: &Scene| {
        let effective = scene.effective(None);
        effective.withdrawn.iter().any(|key| key.definition.key_name == name)
    };
    assert!(!scene.serves(None, "seat_preference") && accepted(&scene));
    scene.at = day(30).plus_ms(-1);
    assert_eq!(scene.staged(), []);
    assert!(accepted(&scene));
    scene.at = day(30);
    assert_eq!(scene.staged(), [("expired", Reason::WindowOver)]);
    assert!(!accepted(&scene));
    scene.at = day(3_000);
    assert_eq!(scene.staged(), []);
}

#[test]
fn a_stable_key_goes_on_being_measured_and_can_fall_z164_z132() {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, GOOD);
    scene.at = day(7);
    scene.staged();
    let revision = scene.patch(&id).revision;
    scene.at = day(14).plus_ms(-1);
    assert_eq!(scene.staged(), []);
    scene.at = day(14);
    assert_eq!(scene.staged(), [("stable", Reason::Measured)]);
    assert_eq!(scene.patch(&id).revision, revision, "nobody sees a look");
    scene.at = day(45);
    scene.traffic(
        &id,
        Traffic {
            payloads: 100,
            with_key: 4,
            type_ok: 4,
            judged: 4,
            aligned: 4,
        },
    );
    scene.at = day(49);
    assert_eq!(scene.staged(), [("deprecated", Reason::LowUsage)]);
}

#[test]
fn a_personal_key_is_judged_by_its_own_clients_payloads_z162() {
    use crate::pool::gate::Audience;
    use crate::scenario::sample::candidate;
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Client(client("r")), candidate("seat_preference"));
    scene.traffic(&id, GOOD);
    for _ in 0..2_000 {
        let submitted = scene.submitted(Some("elsewhere"));
        scene.submit(submitted);
    }
    scene.at = day(7);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
}
