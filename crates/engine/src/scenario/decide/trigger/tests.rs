//! When a cluster fires, and when it does not.

use serde_json::json;

use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorAction;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::command::Command;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::client;
use crate::scenario::sample::triggered;
use schema::name::CohortId;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;

const FIRST: ClusterId = ClusterId(0);

#[test]
fn a_cluster_with_an_open_gate_fires_once_z021_z093_z102() {
    let mut scene = Scene::new();
    let theme = scene.demand(&Audience::Global);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
    scene.voice(theme);
    assert_eq!(triggered(&scene.rest()), [], "its induction is on its way");
    scene.induce(candidate("seat_preference"));
    scene.voice(theme);
    assert_eq!(triggered(&scene.rest()), [], "its patch is on trial");
    assert_eq!((scene.state.triggers_global, scene.state.triggers_client), (1, 0));
}

#[test]
fn both_gates_are_enough_at_the_next_tick_whatever_else_is_said_z093_z095() {
    let mut scene = Scene::new();
    // One client says something else every time, a hundred times; no look was taken.
    for theme in 1..60 {
        scene.say(Some("loud"), theme);
        scene.say(Some("loud"), theme);
    }
    assert_eq!(triggered(&scene.rest()), []);
    for n in 0..30 {
        scene.pass(3 * HOUR_MS / 30);
        scene.say(Some(&format!("c{n}")), 0);
        let fired = triggered(&scene.rest());
        // The fifth client opens the gate: five increments within half an hour are more than 50.
        let expected = usize::from(n == 4);
        assert_eq!(fired.len(), expected, "client {n}");
    }
}

#[test]
fn one_client_fewer_fires_nothing_z095_z096() {
    let mut scene = Scene::new();
    for name in ["c1", "c2", "c3", "c4"] {
        scene.say(Some(name), 0);
    }
    scene.look();
    assert_eq!(triggered(&scene.rest()), []);
    scene.say(Some("c5"), 0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
}

#[test]
fn one_client_fires_for_itself_alone_z123_z130() {
    let mut scene = Scene::new();
    for _ in 0..9 {
        scene.say(Some("ana"), 0);
    }
    scene.look();
    assert_eq!(triggered(&scene.rest()), []);
    scene.say(Some("ana"), 0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Client(client("ana")))]);
    assert_eq!((scene.state.triggers_global, scene.state.triggers_client), (0, 1));
    assert_eq!(triggered(&scene.rest()), []);
    // What then concerns all fires for all, whatever one client has.
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
}

#[test]
fn a_client_fires_for_itself_beside_a_busier_one_z130() {
    let mut scene = Scene::new();
    for _ in 0..12 {
        scene.say(Some("ana"), 0);
    }
    for _ in 0..9 {
        scene.say(Some("bo"), 0);
    }
    // Two clients of which one dominates: no case for all.
    for _ in 0..8 {
        scene.say(Some("ana"), 0);
    }
    scene.look();
    let anas = (FIRST, Audience::Client(client("ana")));
    assert_eq!(triggered(&scene.rest()), [anas], "nine are too few for bo");
    scene.say(Some("bo"), 0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Client(client("bo")))]);
}

#[test]
fn personal_evolution_can_be_switched_off_alone_z073_z123() {
    let mut policy = Policy::default();
    policy.evolution.personal = false;
    let mut scene = Scene::with(policy);
    scene.demand(&Audience::Client(client("ana")));
    assert_eq!(triggered(&scene.rest()), []);
    scene.demand(&Audience::Global);
    assert_eq!(triggered(&scene.rest()).len(), 1);
}

#[test]
fn evolution_can_be_switched_off_and_the_rest_goes_on_z073_z080() {
    let mut off = Policy::default();
    off.evolution.enabled = false;
    let mut cold = Policy::default();
    cold.pool.heat_increment = 0.0;
    for policy in [off, cold] {
        let mut scene = Scene::with(policy);
        scene.demand(&Audience::Global);
        assert_eq!(triggered(&scene.rest()), []);
        assert_eq!(scene.state.pool.demand, 5);
        assert_eq!(scene.state.ledger.totals(scene.at, 1).0, 5);
        let base = scene.state.base_in_force().expect("a base");
        assert_eq!(scene.effective(None).revision, base.revision);
    }
}

#[test]
fn a_settled_cluster_fires_again_with_twice_its_members_z102() {
    let mut scene = Scene::new();
    let theme = scene.demand(&Audience::Global);
    scene.rest();
    let (cluster, audience) = scene.induction().expect("a trigger");
    scene.happens(Command::Induce {
        cluster,
        audience,
        outcome: Err(Abstention::NoContent),
    });
    for n in 0..4 {
        scene.say(Some(&format!("d{n}")), theme);
        assert_eq!(triggered(&scene.rest()), [], "{} members", 6 + n);
    }
    scene.say(Some("d4"), theme);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)], "ten members");
}

#[test]
fn a_cluster_fires_again_when_its_patch_has_ended_and_cooled_down_z102() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    let until = scene.patch(&id).cool_until.expect("a cool-down");
    scene.at = until.plus_ms(-1);
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), []);
    scene.at = until;
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
}

#[test]
fn what_a_trigger_rests_on_is_kept_with_it_z093() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.pass(DAY_MS / 2);
    scene.say(Some("c6"), 0);
    let events = scene.rest();
    let Some(Event::Triggered { gate, .. }) = events.first() else {
        panic!("not triggered: {events:?}")
    };
    assert_eq!((gate.clients, gate.occurrences, gate.top_occurrences), (6, 6, 1));
    assert_eq!(gate, &scene.state.pool.gate(FIRST, scene.at, &scene.policy.pool));
}

#[test]
fn a_list_that_nobody_is_offered_any_more_is_left_alone_z102_z107() {
    let mut scene = Scene::new();
    let mut key = open();
    key["constraints"] = json!({"enum": ["window", "aisle", "none"]});
    let id = scene.propose_for(&Audience::Global, candidate_of(&key));
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.voice(0);
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), []);
}

fn open() -> serde_json::Value {
    json!({"key_name": "seat_preference", "key_type": "string", "required": false, "semantic_description": "Seat."})
}

/// A scenario whose clients `a…` and `b…` are cohorts, with these wishes for one thing: who, and how often.
fn wished(wishes: &[(&str, usize)]) -> Scene {
    let cohorts = Cohorts::declare([("a", ["a*"]), ("b", ["b*"])]).expect("cohorts");
    let mut scene = Scene::with(Policy {
        cohorts,
        ..Policy::default()
    });
    for (name, times) in wishes {
        for _ in 0..*times {
            scene.say(Some(name), 0);
        }
    }
    scene.look();
    scene
}

fn cohort(name: &str) -> Audience {
    Audience::Cohort(CohortId::parse(name).expect("a cohort"))
}

/// For whom the first cluster fires.
fn fired(scene: &mut Scene) -> Vec<Audience> {
    triggered(&scene.rest())
        .into_iter()
        .map(|(_, audience)| audience)
        .collect()
}

#[test]
fn what_one_cohort_wants_is_its_own_where_there_are_others_z098() {
    let five = [("a1", 1), ("a2", 1), ("a3", 1), ("a4", 1), ("a5", 1)];
    let mut alone = wished(&five);
    assert_eq!(
        fired(&mut alone),
        [Audience::Global],
        "the scenario has no other clients"
    );
    let mut among_others = wished(&five);
    let other = among_others.submitted(Some("zoe"));
    among_others.submit(other);
    assert_eq!(fired(&mut among_others), [cohort("a")]);
    let events = &among_others.entries;
    let gate = events.iter().find_map(|entry| match &entry.event {
        Event::Triggered { gate, .. } => Some(gate.clone()),
        _ => None,
    });
    assert_eq!(gate.map(|gate| (gate.clients, gate.occurrences)), Some((5, 5)));
}

#[test]
fn a_cohort_leans_above_its_share_and_not_at_it_z098() {
    // Twelve of fifteen are exactly four fifths; thirteen of sixteen are more.
    let wishes = |own: usize| [("a1", 3), ("a2", 3), ("a3", own - 6), ("b1", 3)];
    assert_eq!(fired(&mut wished(&wishes(12))), [Audience::Global]);
    assert_eq!(fired(&mut wished(&wishes(13))), [cohort("a")]);
}

#[test]
fn a_cohort_whose_own_gate_is_shut_waits_and_takes_nobody_along_z098_z104() {
    // Nine of ten are the cohort's: too few clients and occurrences for itself, and too much its own for all.
    let wishes = [("a1", 5), ("a2", 4), ("b1", 1)];
    assert_eq!(fired(&mut wished(&wishes)), []);
    let wishes = [("a1", 5), ("a2", 5), ("b1", 1)];
    assert_eq!(fired(&mut wished(&wishes)), [cohort("a")]);
    // One client, however loud, is no cohort; what it opens is its own.
    let wishes = [("a1", 30), ("zoe", 1)];
    assert_eq!(fired(&mut wished(&wishes)), [Audience::Client(client("a1"))]);
}

#[test]
fn a_member_fires_for_itself_only_where_its_cohort_does_not_z098_z130() {
    let mut scene = wished(&[
        ("a1", 10),
        ("a2", 1),
        ("a3", 1),
        ("a4", 1),
        ("a5", 1),
        ("b1", 10),
        ("b2", 1),
    ]);
    scene.policy.pool.gate_client_share_max = 0.3;
    scene.policy.pool.gate_clients_min = 5;
    // Seven clients would open it for everyone, were b1 and b2 not there to keep it from leaning.
    assert_eq!(fired(&mut scene), [Audience::Global]);
    let mut scene = wished(&[("a1", 12), ("a2", 3), ("a3", 3), ("a4", 3), ("a5", 3), ("zoe", 1)]);
    assert_eq!(
        fired(&mut scene),
        [cohort("a")],
        "and a1, loud as it is, needs none of its own"
    );
    scene.induce(candidate("seat_preference"));
    for _ in 0..12 {
        scene.say(Some("a2"), 0);
        scene.say(Some("zoe"), 0);
    }
    scene.look();
    let later = fired(&mut scene);
    assert!(!later.contains(&Audience::Client(client("a2"))), "{later:?}");
}

#[test]
fn what_two_cohorts_want_becomes_everyones_after_it_was_ones_z098() {
    let five = [("a1", 1), ("a2", 1), ("a3", 1), ("a4", 1), ("a5", 1), ("b9", 1)];
    let mut scene = wished(&five);
    assert_eq!(fired(&mut scene), [cohort("a")]);
    scene.induce(candidate("seat_preference"));
    assert!(scene.serves(Some(&client("a6")), "seat_preference"));
    assert!(!scene.serves(Some(&client("b1")), "seat_preference"));
    for name in ["b1", "b2", "b3", "b4", "b5"] {
        scene.say(Some(name), 0);
    }
    scene.look();
    assert_eq!(fired(&mut scene), [Audience::Global]);
    scene.induce(candidate("seat_preference"));
    for name in ["a6", "b1", "zoe"] {
        assert!(scene.serves(Some(&client(name)), "seat_preference"), "{name}");
    }
}
