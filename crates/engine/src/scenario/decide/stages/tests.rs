//! What time brings, to the millisecond; and who waits, who goes first, and who waits no longer.

use serde_json::json;

use super::*;
use crate::evolution::evidence::Evidence;
use crate::evolution::evidence::Measured;
use crate::evolution::ledger::Basis;
use crate::scenario::command::Command;
use crate::scenario::event::Via;
use crate::scenario::policy::Policy;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::key_name;
use crate::scenario::sample::template;
use schema::name::PatchId;
use schema::time::At;

fn day(n: i64) -> At {
    START.plus_ms(n * DAY_MS)
}

fn on_trial() -> (Scene, PatchId) {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    (scene, id)
}

/// What comes at a moment, and nothing just before.
#[track_caller]
fn comes(scene: &mut Scene, at: At, expected: (&'static str, Reason)) {
    scene.at = at.plus_ms(-1);
    assert_eq!(scene.staged(), []);
    scene.at = at;
    assert_eq!(scene.staged(), [expected]);
}

fn extensions(scene: &Scene, id: &PatchId) -> Option<u32> {
    match &scene.patch(id).stage {
        Stage::Experimental(trial) => Some(trial.extensions),
        _ => None,
    }
}

#[test]
fn a_trial_ends_after_its_days_and_a_promoted_key_loses_its_flag_and_stays_z141_z143_z145() {
    let (mut scene, id) = on_trial();
    scene.traffic(&id, GOOD);
    assert_eq!(json!(scene.patch(&id).published())["new_keys"][0]["experimental"], true);
    comes(&mut scene, day(7), ("stable", Reason::Promoted));
    let last = scene.patch(&id).history.last().expect("a change");
    let reading = last.reading.as_ref().expect("the reading that it rests on");
    assert_eq!((reading.payloads_with_key, reading.judged), (20, 20));
    assert_eq!((last.at, &last.by), (day(7), &None));
    assert!(
        json!(scene.patch(&id).published())["new_keys"][0]
            .get("experimental")
            .is_none()
    );
    scene.at = day(400);
    scene.rest();
    assert_eq!(scene.stage(&id), "stable", "no traffic is no reason (Z-160)");
    assert!(scene.serves(None, "seat_preference"));
    let mut policy = Policy::default();
    policy.evolution.trial_s = 3_600;
    let mut short = Scene::with(policy);
    let id = short.propose("seat_preference");
    short.traffic(&id, GOOD);
    comes(&mut short, START.plus_ms(3_600_000), ("stable", Reason::Promoted));
}

#[test]
fn evidence_tells_each_day_of_a_trial_and_the_gates_in_force_z134_z141_z144_z146() {
    let (mut scene, id) = on_trial();
    let told = |scene: &Scene| {
        let patch = scene.patch(&id);
        let measured = Measured::read(&scene.state.ledger, patch, scene.at, &scene.policy.evolution);
        json!(Evidence::of(patch, &measured, None))
    };
    let first = Traffic {
        payloads: 3,
        with_key: 2,
        type_ok: 1,
        judged: 1,
        aligned: 1,
    };
    let without_key = Traffic {
        payloads: 1,
        with_key: 0,
        type_ok: 0,
        judged: 0,
        aligned: 0,
    };
    scene.traffic(&id, first);
    scene.at = day(2);
    scene.send("stranger");
    scene.traffic(&id, without_key);
    let of_day = |day: &str, [payloads, recipients, with_key, used, type_ok, judged, aligned]: [u64; 7]| {
        json!({
            "day": day, "payloads": payloads, "payloads_of_recipients": recipients, "with_key": with_key,
            "recipients_with_key": used, "type_ok": type_ok, "judged": judged, "aligned": aligned,
        })
    };
    let evidence = told(&scene);
    assert_eq!(
        evidence["trial_curve"],
        json!([
            of_day("2024-10-04", [3, 3, 2, 2, 1, 1, 1]),
            of_day("2024-10-05", [0; 7]),
            of_day("2024-10-06", [2, 1, 0, 0, 0, 0, 0]),
        ])
    );
    assert_eq!(
        evidence["gates"],
        json!({
            "usage": {"stays": 0.15, "leaves": 0.05}, "alignment": {"stays": 0.8, "leaves": 0.6},
            "type": {"stays": 0.9, "leaves": 0.7}, "payloads_min": 30, "judgements_min": 10, "until": "2024-10-11T12:00:00Z",
        })
    );
    scene.policy.evolution.promote_usage_min = 0.1;
    scene.traffic(&id, GOOD);
    scene.at = day(7);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
    let evidence = told(&scene);
    assert_eq!(evidence["gates"]["usage"]["stays"], 0.1);
    assert_eq!(
        evidence["gates"]["until"],
        json!(scene.patch(&id).due().map(At::rfc3339)),
        "the next look"
    );
    assert_eq!(evidence["trial_curve"].as_array().map(Vec::len), Some(8));
    scene.policy.evolution.autonomy = Autonomy::Review;
    let waits = scene.propose("meal_choice");
    let patch = scene.patch(&waits);
    let measured = Measured::read(&scene.state.ledger, patch, scene.at, &scene.policy.evolution);
    let evidence = json!(Evidence::of(patch, &measured, None));
    assert_eq!(
        (&evidence["trial_curve"], &evidence["gates"]["until"]),
        (&json!([]), &json!(null))
    );
}

#[test]
fn too_little_data_prolongs_and_does_not_count_z159_z160() {
    let (mut scene, id) = on_trial();
    let few = Traffic {
        payloads: 29,
        with_key: 29,
        ..GOOD
    };
    scene.traffic(&id, few);
    for week in 1..=5 {
        comes(&mut scene, day(7 * week), ("experimental", Reason::TooLittleData));
        assert_eq!(extensions(&scene, &id), Some(0));
    }
}

/// A key whose trial is prolonged three times on this traffic, as the fourth period ends.
fn prolonged(traffic: Traffic) -> (Scene, PatchId) {
    let (mut scene, id) = on_trial();
    for week in 1..=3 {
        scene.traffic(&id, traffic);
        scene.at = day(7 * week);
        assert_eq!(scene.staged(), [("experimental", Reason::MiddleBand)], "week {week}");
        assert_eq!(extensions(&scene, &id), u32::try_from(week).ok());
    }
    scene.traffic(&id, traffic);
    scene.at = day(28);
    (scene, id)
}

#[test]
fn the_middle_band_is_prolonged_three_times_and_then_goes_or_waits_for_a_person_z144_z157() {
    let (mut scene, id) = prolonged(Traffic { aligned: 7, ..MIDDLING });
    assert_eq!(scene.staged(), [("deprecated", Reason::ExtensionsSpent)]);
    assert!(scene.patch(&id).cool_until.is_some());

    let (mut scene, id) = prolonged(MIDDLING);
    let since = scene.at;
    for week in 4..=8 {
        scene.at = day(7 * week);
        // It goes on being measured.
        assert_eq!(scene.staged(), [("experimental", Reason::UsageBetween)]);
        scene.traffic(&id, MIDDLING);
    }
    let patch = scene.patch(&id);
    assert_eq!(patch.waits_for().map(|waits| waits.code), Some("usage_between"));
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
    (0..3).for_each(|_| used.traffic(&id, GOOD));
    used.at = day(63);
    assert_eq!(used.staged(), [("stable", Reason::Promoted)]);
    // Nobody decided until the date that was published.
    for week in 9..=12 {
        scene.at = day(7 * week);
        scene.rest();
        scene.traffic(&id, MIDDLING);
    }
    comes(&mut scene, day(90), ("deprecated", Reason::NoEvidence));
}

/// A day on which nineteen clients send one payload each, so many of them with the key, rightly, and one client twenty.
fn day_of_twenty(scene: &mut Scene, id: &PatchId, with_key: usize, loud: Option<bool>) {
    let mut send = |name: &str, value: Option<bool>| match value {
        Some(right) => scene.carry_judged(name, id, right, Some((right, Basis::Lexical))),
        None => scene.send(name),
    };
    for n in 0..19 {
        send(&format!("n{n}"), (n < with_key).then_some(true));
    }
    for _ in 0..20 {
        send("loud", loud);
    }
}

#[test]
fn one_client_neither_kills_a_key_nor_keeps_one_however_much_it_sends_z144_z146() {
    // Five of twenty use it, and rightly; one sends twenty wrong values a day. Or nobody of twenty-five but one.
    for (with_key, loud, more, never, ends) in [
        (5, false, 0, "deprecated", "stable"),
        (0, true, 5, "stable", "deprecated"),
    ] {
        let (mut scene, id) = on_trial();
        for n in 0..28 {
            day_of_twenty(&mut scene, &id, with_key, Some(loud));
            for more in 0..more {
                scene.send(&format!("more{more}"));
            }
            scene.at = day(n + 1);
            let staged = scene.staged();
            assert!(staged.iter().all(|(stage, _)| *stage != never), "day {n}: {staged:?}");
        }
        assert_eq!(scene.stage(&id), ends);
    }
    // A client that sends much and leaves it out delays what the others want, and does not end it.
    let (mut scene, id) = on_trial();
    for _ in 0..7 {
        day_of_twenty(&mut scene, &id, 5, None);
    }
    scene.at = day(7);
    // 5 of 39 payloads, 5 of 20 clients.
    assert_eq!(scene.staged(), [("experimental", Reason::MiddleBand)]);
}

#[test]
fn a_key_goes_on_its_expiration_date_unless_evidence_comes_before_z119_z128_z144() {
    for (traffic, expected) in [
        (None, ("deprecated", Reason::NoEvidence)),
        (Some(GOOD), ("stable", Reason::Promoted)),
        (
            Some(Traffic { aligned: 0, ..GOOD }),
            ("deprecated", Reason::LowAlignment),
        ),
        (Some(MIDDLING), ("deprecated", Reason::NoEvidence)),
    ] {
        let (mut scene, id) = on_trial();
        for week in 1..=12 {
            comes(&mut scene, day(7 * week), ("experimental", Reason::TooLittleData));
            assert_eq!(scene.patch(&id).expiration, day(90), "the date was published");
        }
        scene.at = day(85);
        if let Some(traffic) = traffic {
            scene.traffic(&id, traffic);
        }
        comes(&mut scene, day(90), expected.clone());
        let counts = expected.1 == Reason::LowAlignment;
        assert_eq!(scene.patch(&id).cool_until.is_some(), counts);
        assert_eq!(scene.patch(&id).times, u32::from(counts));
    }
}

#[test]
fn a_key_leaves_by_grace_and_window_z147_z148_z149_z150_z151_z152_z164() {
    let (mut scene, id) = on_trial();
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    assert_eq!(json!(scene.patch(&id).published())["new_keys"][0]["deprecated"], true);
    assert!(scene.serves(None, "seat_preference"));
    comes(&mut scene, day(14), ("withdrawn", Reason::GraceOver));

    let (mut scene, id) = on_trial();
    scene.operate(&id, OperatorAction::Withdraw).expect("withdrawn");
    let accepted = |scene: &Scene| {
        let mut withdrawn = scene.effective(None).withdrawn.into_iter();
        withdrawn.any(|key| key.definition.key_name == key_name("seat_preference"))
    };
    assert!(!scene.serves(None, "seat_preference") && accepted(&scene));
    comes(&mut scene, day(30), ("expired", Reason::WindowOver));
    assert!(!accepted(&scene));
    scene.at = day(3_000);
    assert_eq!(scene.staged(), []);
}

#[test]
fn grace_lasts_until_a_third_change_is_a_window_after_the_first_z134_z147_z149() {
    let (mut scene, id) = Scene::promoted();
    scene.traffic(&id, Traffic { aligned: 0, ..GOOD });
    scene.at = day(14);
    assert_eq!(scene.staged(), [("deprecated", Reason::LowAlignment)]);
    comes(&mut scene, day(37), ("withdrawn", Reason::GraceOver));
}

#[test]
fn a_stable_key_goes_on_being_measured_and_can_fall_z164_z132() {
    let (mut scene, id) = Scene::promoted();
    let revision = scene.patch(&id).revision;
    comes(&mut scene, day(14), ("stable", Reason::Measured));
    assert_eq!(scene.patch(&id).revision, revision, "nobody sees a look");
    scene.at = day(45);
    let rare = Traffic {
        payloads: 100,
        with_key: 4,
        type_ok: 4,
        judged: 4,
        aligned: 4,
    };
    scene.traffic(&id, rare);
    scene.at = day(49);
    assert_eq!(scene.staged(), [("deprecated", Reason::LowUsage)]);
}

#[test]
fn a_personal_key_is_judged_by_its_own_clients_payloads_z162() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&alone("r"), candidate("seat_preference"));
    scene.traffic(&id, GOOD);
    for _ in 0..2_000 {
        scene.send("elsewhere");
    }
    scene.at = day(7);
    assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
}

/// Room for so many trials at a time.
fn narrow(room: usize) -> Scene {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = room;
    policy.evolution.experimental_per_template_max = room;
    Scene::with(policy)
}

#[test]
fn one_that_waits_is_tried_when_there_is_room_however_long_ago_its_gate_closed_z156() {
    for (audience, hand) in [
        (Audience::Global, OperatorAction::Promote),
        (Audience::Global, OperatorAction::Deprecate),
        (alone("ana"), OperatorAction::Withdraw),
    ] {
        let mut scene = narrow(1);
        let first = scene.propose_for(&audience, candidate("seat_preference"));
        let second = scene.propose_for(&audience, candidate("meal_choice"));
        // Heat halves in a day and the window is seven days: by then nobody asks for it.
        for _ in 0..40 {
            scene.rest();
            assert_eq!(scene.stage(&second), "queued");
            scene.pass(DAY_MS);
        }
        scene.rest();
        scene.operate(&first, hand).expect("it may");
        assert_eq!(scene.staged(), [("experimental", Reason::RoomInGuard)]);
        assert_eq!(scene.stage(&second), "experimental");
        assert!(scene.serves(Some(&client("ana")), "meal_choice"));
    }
}

#[test]
fn the_best_expected_coverage_goes_first_and_among_equals_the_older_z164() {
    for (voiced, stages) in [(false, ["experimental", "queued"]), (true, ["queued", "experimental"])] {
        let mut scene = narrow(1);
        let [first, older, younger] = ["seat_preference", "meal_choice", "pet_travel"].map(|name| scene.propose(name));
        if voiced {
            scene.voice(2);
        }
        scene.operate(&first, OperatorAction::Promote).expect("promoted");
        scene.rest();
        assert_eq!([scene.stage(&older), scene.stage(&younger)], stages);
    }
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    (0..15).for_each(|_| {
        scene.send("zoe");
    });
    let cluster = *scene.state.pool.clusters.keys().next().expect("a cluster");
    for (share, days) in [(250_000, 0), (0, 7)] {
        scene.pass(days * DAY_MS + 1);
        let now = Situation {
            state: &scene.state,
            at: scene.at,
            policy: &scene.policy,
        };
        assert_eq!(coverage_ppm(now, cluster), share, "of the payloads of seven days");
    }
}

#[test]
fn one_lapses_when_another_key_takes_its_name_z156_z113() {
    let mut scene = narrow(1);
    scene.propose("seat_preference");
    let waiting = scene.propose("meal_choice");
    let other = scene.propose_for(&alone("ana"), candidate("pet_travel"));
    let key = serde_json::json!({"key_name": "meal_choice", "key_type": "string", "required": false,
        "semantic_description": "The meal."});
    scene.publish(template("flight_v1_1", "1.1.0", &[key]));
    assert_eq!(scene.staged(), [("lapsed", Reason::NameTaken)]);
    assert_eq!(scene.patch(&waiting).cool_until, None);
    // A base without its key takes nothing from it.
    assert_eq!(scene.stage(&other), "queued");
}

#[test]
fn the_own_trials_of_one_client_keep_nobody_elses_waiting_z154_z156() {
    let mut scene = narrow(3);
    let names = ["seat_preference", "meal_choice", "pet_travel", "lounge_entry"];
    let own = names.map(|name| scene.propose_for(&alone("loud"), candidate(name)));
    let stages = |scene: &Scene| own.each_ref().map(|id| scene.stage(id));
    let trial = "experimental";
    assert_eq!(stages(&scene), [trial, trial, trial, "queued"]);
    let shared = scene.propose("wifi_access");
    scene.rest();
    assert_eq!(scene.stage(&shared), trial);
    assert_eq!(stages(&scene), [trial, trial, "queued", "queued"]);
    let loud = client("loud");
    assert!(scene.serves(Some(&loud), "wifi_access") && !scene.serves(Some(&loud), "pet_travel"));
    // It goes on when there is room in its client's template again.
    scene.operate(&shared, OperatorAction::Promote).expect("promoted");
    scene.rest();
    assert_eq!(stages(&scene), [trial, trial, trial, "queued"]);
}

#[test]
fn a_trial_that_makes_way_keeps_its_key_for_the_client_that_received_it_z147_z151_z156() {
    let mut scene = narrow(1);
    let own = scene.propose_for(&alone("loud"), candidate("pet_travel"));
    let loud = client("loud");
    scene.happens(Command::Receive {
        client: loud.clone(),
        schema_id: None,
        via: Via::Fetch,
    });
    let shared = scene.propose("wifi_access");
    scene.rest();
    assert_eq!(
        (scene.stage(&own), scene.stage(&shared)),
        ("deprecated", "experimental")
    );
    assert!(scene.serves(Some(&loud), "pet_travel"));
}
