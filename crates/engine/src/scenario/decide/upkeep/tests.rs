//! Bases, a scenario that stands still, and what is forgotten.

use super::*;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::effect;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::events::triggered;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use schema::time::HOUR_MS;
use serde_json::Value;
use serde_json::json;

/// [`START`] is a noon.
const MIDNIGHT: i64 = 12 * HOUR_MS;

fn published(id: &str, version: &str, added: &[Value]) -> Command {
    Command::Publish {
        template: Box::new(template(id, version, added)),
        unproved: false,
    }
}

#[test]
fn the_same_content_is_accepted_again_and_other_content_is_refused_z030_z105() {
    let mut scene = Scene::new();
    let before = scene.state.clone();
    assert_eq!(scene.command(published("flight_v1", "1.0.0", &[])), Ok(Vec::new()));
    let key = json!({"key_name": "extra", "key_type": "string", "required": false, "semantic_description": "Extra."});
    let refused = scene.command(published("flight_v1", "1.0.0", &[key]));
    assert_eq!(refused, Err(Refusal::SchemaImmutable(schema_id("flight_v1"))));
    assert_eq!(scene.state, before);
}

#[test]
fn a_published_schema_is_served_with_types_and_annotations_z005_z024() {
    let served = Scene::new().effective(None).document(None, true);
    let keys = served["keys"].as_array().expect("keys");
    assert_eq!(keys.len(), 4, "its three and other");
    for (key, own) in keys.iter().zip(&template("flight_v1", "1.0.0", &[]).keys) {
        assert_eq!(key["key_name"], own.key_name.as_str());
        assert!(key["key_type"].is_string());
        assert_eq!(key["semantic_description"], own.semantic_description.as_str());
    }
}

#[test]
fn in_force_is_the_highest_version_that_is_not_retired_z105() {
    let mut scene = Scene::new();
    for (command, in_force) in [
        (published("flight_v10", "1.10.0", &[]), "flight_v10"),
        (published("flight_v9", "1.9.0", &[]), "flight_v10"),
        (Command::Retire(schema_id("flight_v10")), "flight_v9"),
        // The latest among equals.
        (published("flight_v9b", "1.9.0", &[]), "flight_v9b"),
        (Command::Restore(schema_id("flight_v10")), "flight_v10"),
    ] {
        let retired = scene
            .state
            .bases
            .get(&schema_id("flight_v10"))
            .map(|base| base.revision);
        scene.happens(command);
        let base = scene.state.base_in_force().expect("a base");
        assert_eq!(base.template.schema_id.as_str(), in_force);
        // Clients see that something changed.
        assert!(in_force != "flight_v10" || retired <= Some(base.revision));
    }
}

#[test]
fn a_retired_schema_takes_no_submission_until_it_is_restored_z105_z181() {
    let mut scene = Scene::new();
    let submit = |scene: &Scene, id| {
        let mut submitted = scene.submitted(None);
        submitted.schema_id = schema_id(id);
        Command::Submit(submitted)
    };
    let (own, nobodys) = (schema_id("flight_v1"), schema_id("flight_v3"));
    for (command, refusal) in [
        (submit(&scene, "flight_v1"), None),
        (Command::Retire(own.clone()), None),
        (submit(&scene, "flight_v1"), Some(Refusal::SchemaRetired(own.clone()))),
        (Command::Restore(own), None),
        (submit(&scene, "flight_v1"), None),
        (
            submit(&scene, "flight_v3"),
            Some(Refusal::UnknownSchema(nobodys.clone())),
        ),
        (
            Command::Retire(nobodys.clone()),
            Some(Refusal::UnknownSchema(nobodys.clone())),
        ),
        (Command::Restore(nobodys.clone()), Some(Refusal::UnknownSchema(nobodys))),
    ] {
        assert_eq!(scene.command(command.clone()).err(), refusal);
        if matches!(command, Command::Retire(_) | Command::Restore(_)) && refusal.is_none() {
            assert_eq!(scene.command(command), Ok(Vec::new()), "a second time does nothing");
        }
    }
}

#[test]
fn a_deprecation_is_announced_anew_lifted_and_changes_nothing_that_is_served_z105() {
    let mut scene = Scene::new();
    let own = schema_id("flight_v1");
    let revision = scene.effective(None).revision;
    let deprecate = |sunset: Option<i64>, reason: Option<&str>| Command::Deprecate {
        schema_id: own.clone(),
        sunset: sunset.map(At),
        reason: reason.map(str::to_owned),
    };
    let announced = |scene: &Scene| scene.state.bases[&own].deprecated.clone();
    let (first, why) = (scene.at.plus_ms(DAY_MS).0, Some("superseded"));
    scene.happens(deprecate(Some(first), why));
    let since = announced(&scene).expect("a deprecation").since;
    assert_eq!(
        scene.command(deprecate(Some(first), why)),
        Ok(Vec::new()),
        "a second time does nothing"
    );
    scene.pass(2 * DAY_MS);
    // Past its sunset it takes submissions as before.
    let mut submitted = scene.submitted(None);
    submitted.schema_id = own.clone();
    assert!(scene.command(Command::Submit(submitted)).is_ok());
    scene.happens(deprecate(None, None));
    let again = announced(&scene).expect("a deprecation");
    assert_eq!(
        (again.since, again.sunset, again.reason),
        (since, None, None),
        "announced anew"
    );
    assert_eq!(scene.effective(None).revision, revision);
    scene.happens(Command::Restore(own.clone()));
    assert_eq!(announced(&scene), None);
    assert_eq!(scene.effective(None).revision, revision, "it was never gone");
    scene.happens(Command::Retire(own.clone()));
    assert_eq!(
        scene.command(deprecate(None, why)),
        Err(Refusal::SchemaRetired(own.clone()))
    );
    let nobodys = schema_id("flight_v3");
    let unknown = Command::Deprecate {
        schema_id: nobodys.clone(),
        sunset: None,
        reason: None,
    };
    assert_eq!(scene.command(unknown), Err(Refusal::UnknownSchema(nobodys)));
}

#[test]
fn freezing_and_thawing_twice_does_nothing_and_says_who_and_since_when_z073() {
    let mut scene = Scene::new();
    assert_eq!(scene.thaw(), []);
    let at = scene.at;
    assert_eq!(scene.freeze().len(), 1);
    scene.pass(DAY_MS);
    assert_eq!(scene.freeze(), []);
    let frozen = scene.state.frozen.clone().expect("frozen");
    assert_eq!((frozen.since, frozen.by.as_str(), frozen.reason), (at, "op", None));
    assert_eq!(scene.thaw().len(), 1);
    assert_eq!((scene.state.frozen.clone(), scene.thaw()), (None, vec![]));
}

#[test]
fn a_frozen_scenario_counts_but_fires_no_trigger_and_an_induction_is_made_anew_after_z073_z093_z102() {
    let mut scene = Scene::new();
    scene.freeze();
    scene.demand(&Audience::Global);
    assert_eq!(triggered(&scene.rest()), []);
    assert!(scene.state.pool.demand > 0, "what is said is still counted");
    scene.thaw();
    assert_eq!(triggered(&scene.rest()).len(), 1, "its gate still stands open");
    let (cluster, audience) = scene.induction().expect("a trigger");
    scene.freeze();
    assert_eq!(scene.induction(), None, "none is begun");
    let outcome = Ok(candidate("seat_preference"));
    let late = Command::Induce {
        cluster,
        audience,
        outcome,
    };
    assert_eq!(scene.happens(late), [], "nor does one end");
    scene.thaw();
    assert!(matches!(
        scene.induce(candidate("seat_preference"))[..],
        [Event::Proposed { .. }]
    ));
}

#[test]
fn trial_and_grace_last_longer_by_the_time_that_stood_still_z073_z141_z148() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let leaving = scene.propose("meal_choice");
    scene.traffic(&id, GOOD);
    scene.operate(&leaving, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(3 * DAY_MS);
    scene.freeze();
    scene.pass(40 * DAY_MS);
    assert_eq!(scene.staged(), [], "both ends pass without a verdict");
    let idle = effect::next_due(&scene.state);
    assert!(
        idle.is_none_or(|due| due > scene.at),
        "and nothing wakes for it: {idle:?}"
    );
    scene.thaw();
    scene.traffic(&id, GOOD);
    for (left, staged) in [(4, ("stable", Reason::Promoted)), (7, ("withdrawn", Reason::GraceOver))] {
        scene.pass(left * DAY_MS - 1);
        assert!(!scene.staged().contains(&staged));
        scene.pass(1);
        assert!(scene.staged().contains(&staged), "days were left of seven and fourteen");
    }
    assert_eq!(scene.patch(&id).stood_still_ms, 40 * DAY_MS);
}

#[test]
fn the_operators_hand_works_on_what_is_frozen_and_the_queue_waits_z127_z156() {
    let mut scene = Scene::new();
    scene.policy.evolution.experimental_max = 1;
    let first = scene.propose("seat_preference");
    let second = scene.propose("meal_choice");
    assert_eq!(scene.stage(&second), "queued");
    scene.freeze();
    scene.operate(&first, OperatorAction::Promote).expect("promoted");
    scene.operate(&first, OperatorAction::Demote).expect("demoted");
    scene.pass(30 * DAY_MS);
    assert_eq!(scene.staged(), []);
    scene.operate(&first, OperatorAction::Deprecate).expect("deprecated");
    assert_eq!(scene.staged(), [], "there is room, and nothing takes it");
    scene.thaw();
    assert_eq!(scene.staged(), [("experimental", Reason::RoomInGuard)]);
}

fn trims(scene: &mut Scene) -> usize {
    let events = scene.rest().into_iter();
    events.filter(|event| matches!(event, Event::Trimmed { .. })).count()
}

#[test]
fn windows_are_trimmed_once_a_day_at_midnight_and_never_in_an_untouched_scenario_z134() {
    let mut scene = Scene::new();
    let mut untouched = scene.clone();
    untouched.pass(100 * DAY_MS);
    assert_eq!(trims(&mut untouched), 0);
    scene.say(Some("ana"), 0);
    assert_eq!(trims(&mut scene), 1, "never before");
    for (ms, trimmed) in [(MIDNIGHT - 1, 0), (1, 1), (0, 0)] {
        scene.pass(ms);
        assert_eq!(trims(&mut scene), trimmed);
    }
}

#[test]
fn arrivals_stay_for_the_gates_window_and_the_ledger_for_its_own_z100_z134() {
    let mut scene = Scene::new();
    scene.say(Some("ana"), 0);
    scene.at = START.plus_ms(MIDNIGHT);
    let submitted = scene.submitted(Some("ana"));
    scene.submit(submitted);
    // Half days after the first fragment: of this day's arrivals and payloads what is left.
    for (days, arrivals, payloads) in [(1, 1, 2), (6, 1, 2), (7, 0, 2), (28, 0, 2), (29, 0, 1), (30, 0, 0)] {
        scene.at = START.plus_ms(MIDNIGHT + days * DAY_MS);
        scene.rest();
        let micros = scene.state.pool.micros.values();
        assert_eq!(
            micros.map(|micro| micro.arrivals.len()).sum::<usize>(),
            arrivals,
            "{days}"
        );
        assert_eq!(scene.state.ledger.totals(scene.at, 30).0, payloads, "{days}");
    }
    // Who joined stays a member.
    assert_eq!(scene.state.pool.members(crate::pool::micro::ClusterId(0)), 1);
    scene.pass(3 * DAY_MS);
    scene.rest();
    assert!(scene.state.ledger.days.is_empty());
}

#[test]
fn examples_of_a_key_that_has_gone_are_kept_as_long_as_the_policy_says_z167() {
    let mut scene = Scene::reviewed();
    scene.policy.evolution.examples_kept_days = 40;
    let gone = scene.propose("seat_preference");
    let kept = scene.propose("meal_choice");
    scene.operate(&gone, OperatorAction::Reject).expect("rejected");
    let examples = |scene: &Scene, id| scene.patch(id).examples.len() + scene.patch(id).surfaces.len();
    scene.pass(40 * DAY_MS);
    scene.rest();
    assert_eq!(examples(&scene, &gone), 2, "to the day");
    scene.pass(DAY_MS);
    scene.rest();
    assert_eq!((examples(&scene, &gone), examples(&scene, &kept)), (0, 2));
    scene.policy.evolution.examples_kept_days = 0;
    scene.operate(&kept, OperatorAction::Reject).expect("rejected");
    scene.pass(4_000 * DAY_MS);
    scene.rest();
    assert_eq!(examples(&scene, &kept), 2, "for good");
}

#[test]
fn what_is_still_to_be_read_is_not_erased_z084_z167() {
    let mut scene = Scene::new();
    let erasable = |scene: &Scene, days| erasable(&scene.state, scene.at, days, 0);
    assert_eq!(erasable(&scene, 0), None, "nobody asked");
    scene.say(Some("ana"), 0);
    let before = scene.at.plus_ms(-7 * DAY_MS);
    assert_eq!(erasable(&scene, 7), Some((scene.state.seq, before)));
    let of = scene.pending("ben", 1, false);
    scene.say(Some("eve"), 1);
    assert_eq!(erasable(&scene, 7), Some((of - 1, before)));
    assert_eq!(scene.happens(Command::Erased { through: of - 1 }).len(), 1);
    assert_eq!(erasable(&scene, 7), None, "nothing more until it is read");
    assert_eq!(scene.happens(Command::Erased { through: of - 1 }), []);
    // What nobody could read for as long again goes all the same, and is waited for no more.
    scene.pass(14 * DAY_MS);
    assert_eq!(erasable(&scene, 7), None, "to the moment");
    scene.pass(1);
    let late = scene.at.plus_ms(-14 * DAY_MS);
    assert_eq!(erasable(&scene, 7), Some((scene.state.seq, late)));
    scene.happens(Command::Erased { through: of });
    assert!(scene.state.pending.is_empty());
}

#[test]
fn a_scenario_is_closed_when_the_last_of_its_schemas_is_retired_z167() {
    let mut scene = Scene::new();
    scene.publish(template("flight_v2", "1.1.0", &[]));
    scene.happens(Command::Retire(schema_id("flight_v1")));
    assert_eq!(scene.state.closed_since(), None);
    scene.pass(DAY_MS);
    scene.happens(Command::Retire(schema_id("flight_v2")));
    assert_eq!(scene.state.closed_since(), Some(scene.at));
    scene.pass(5 * DAY_MS - 1);
    assert_eq!(erasable(&scene.state, scene.at, 0, 5), None);
    scene.pass(1);
    let all = Some((scene.state.seq, scene.at.plus_ms(1)));
    assert_eq!(erasable(&scene.state, scene.at, 0, 5), all);
    assert_eq!(erasable(&scene.state, scene.at, 7, 5), all, "closing counts first");
    scene.happens(Command::Restore(schema_id("flight_v1")));
    assert_eq!(scene.state.closed_since(), None);
}
