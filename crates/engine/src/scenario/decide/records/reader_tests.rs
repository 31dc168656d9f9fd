//! What a reader says, and what of it holds.

use super::tests::FIRST;
use super::tests::gate;
use super::tests::wanted;
use super::*;
use crate::evolution::induction::Abstention;
use crate::evolution::review::Seat;
use crate::evolution::review::answer::Kept;
use crate::evolution::review::answer::Told;
use crate::evolution::review::material::short;
use crate::evolution::stage::Waiting;
use crate::pool::gate::Audience;
use crate::pool::heading::Heading;
use crate::pool::hold::Hold;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::recluster::recluster;
use crate::scenario::blocking_reason;
use crate::scenario::command::Command;
use crate::scenario::effect::Effect;
use crate::scenario::event;
use crate::scenario::event::Entry;
use crate::scenario::evolve::evolve;
use crate::scenario::inducement;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;

/// The ids of a cluster's fragments.
fn ids(scene: &Scene, cluster: u64) -> Vec<String> {
    let micros = scene.state.pool.micros_of(ClusterId(cluster));
    micros.flat_map(|micro| &micro.examples).map(|id| short(*id)).collect()
}

fn told(name: &str, ids: Vec<String>) -> Told {
    Told {
        ids,
        name: name.to_owned(),
        type_name: "boolean".to_owned(),
        description: "Whether it is wanted.".to_owned(),
        ..Told::default()
    }
}

fn answer(scene: &mut Scene, answer: Answer) {
    scene.happens(Command::Review {
        answer: Box::new(answer),
        by: "ada".to_owned(),
        digest: None,
        tokens: None,
    });
}

/// A reader names these wishes and nothing else.
fn read(scene: &mut Scene, wishes: Vec<Told>) {
    answer(
        scene,
        Answer {
            wishes,
            ..Answer::default()
        },
    );
}

fn kept(key: &str, ids: Vec<String>) -> Kept {
    let key = key.to_owned();
    Kept { key, ids }
}

/// What a reader was refused, by its place.
fn refused(scene: &Scene) -> Vec<&str> {
    let asked = scene.state.review.as_ref();
    let refused = asked.map_or(&scene.state.refused_by_hand, |asked| &asked.refused);
    refused.iter().map(|refused| refused.at.as_str()).collect()
}

/// Why a cluster is blocked.
fn blocked(scene: &Scene, cluster: u64) -> Waiting {
    let cluster = &scene.state.pool.clusters[&ClusterId(cluster)];
    let gate = gate(scene, cluster.id);
    blocking_reason::of(&scene.state, cluster, &gate, scene.at, &scene.policy).expect("it waits")
}

#[test]
fn clusters_that_a_reader_calls_one_wish_are_one_and_stay_so_z088() {
    for at_once in [true, false] {
        let mut scene = Scene::new();
        scene.voice(0);
        scene.voice(1);
        let (one, two) = (ids(&scene, 0), ids(&scene, 1));
        let wishes = match at_once {
            true => vec![told("quiet_seat", [one, two].concat())],
            false => vec![told("quiet_seat", one), told("quiet_seat", two)],
        };
        read(&mut scene, wishes);
        assert_eq!((scene.state.pool.clusters.len(), refused(&scene)), (1, vec![]));
        let looked = recluster(&scene.state.pool, &scene.policy.pool);
        scene.happens(Command::Regroup(looked));
        assert_eq!(scene.state.pool.members(FIRST), 10, "no look takes them apart");
        scene.voice(2);
        let three = scene.state.pool.clusters.keys().last().expect("a cluster").0;
        let more = told("quiet_seat", ids(&scene, three));
        read(&mut scene, vec![more]);
        let wish = scene.state.wish(FIRST).expect("a wish");
        assert_eq!((wish.key_name.as_str(), wish.by.as_str()), ("quiet_seat", "ada"));
        // What was read before stays in it.
        assert_eq!((scene.state.pool.clusters.len(), wish.ids.len()), (1, 15));
    }
}

#[test]
fn what_asks_for_nothing_or_is_a_keys_never_fires_and_no_reader_opens_a_gate_z093_z104() {
    let mut scene = Scene::new();
    scene.voice(0);
    scene.voice(1);
    scene.all_say(["c1"; 4], 2);
    let (nothing, held) = (ids(&scene, 0), vec![kept("legroom", ids(&scene, 1))]);
    // One client is not many, whoever read it.
    let wishes = vec![told("quiet_seat", ids(&scene, 2))];
    answer(&mut scene, Answer { wishes, held, nothing });
    scene.rest();
    assert_eq!(scene.induction(), None);
    assert_eq!(
        [0, 1, 2].map(|cluster| blocked(&scene, cluster).code),
        ["nothing", "held", "gate"]
    );
}

#[test]
fn what_does_not_hold_is_refused_with_its_place_and_changes_nothing_z112_z171() {
    let mut scene = Scene::new();
    scene.voice(0);
    let mine = ids(&scene, 0);
    let before = scene.state.pool.clone();
    let odd = Told {
        type_name: "object".to_owned(),
        ..told("quiet_seat", mine.clone())
    };
    let unknown = vec!["999.0".to_owned(), "x".to_owned()];
    let wishes = vec![told("Quiet Seat", mine.clone()), odd, told("quiet_seat", unknown)];
    let held = vec![kept("nobody_has_it", mine.clone())];
    let nothing = Vec::new();
    answer(&mut scene, Answer { wishes, held, nothing });
    assert_eq!(
        refused(&scene),
        ["/wishes/0", "/wishes/1", "/wishes/2/ids", "/wishes/2", "/held/0"]
    );
    assert_eq!(scene.state.pool.clusters, before.clusters);
    let mut denied = told("quiet_seat", mine.clone());
    denied.denied = vec!["999.0".to_owned()];
    read(&mut scene, vec![denied, told("loud_seat", mine)]);
    assert_eq!(refused(&scene), ["/wishes/0/denied", "/wishes/1/ids", "/wishes/1"]);
    let wish = scene.state.wish(FIRST).expect("a wish");
    assert_eq!(wish.key_name.as_str(), "quiet_seat", "the first one stands");
}

#[test]
fn a_whole_cluster_becomes_the_key_that_a_person_makes_of_it_z096_z112() {
    let mut scene = Scene::new();
    scene.voice(0);
    scene.voice(1);
    let whole = |cluster, name| Told {
        cluster: Some(cluster),
        ..told(name, Vec::new())
    };
    let both = Told {
        ids: ids(&scene, 1),
        ..whole(1, "warm_meal")
    };
    let again = whole(0, "loud_seat");
    read(
        &mut scene,
        vec![whole(0, "quiet_seat"), whole(99, "nobody"), both, again],
    );
    assert_eq!(refused(&scene), ["/wishes/1/cluster", "/wishes/2", "/wishes/3/cluster"]);
    let wish = scene.state.wish(FIRST).expect("a wish");
    assert_eq!(
        (wish.key_name.as_str(), wish.by.as_str(), wish.by_hand, wish.ids.len()),
        ("quiet_seat", "ada", true, 0)
    );
    assert_eq!(scene.state.wish(ClusterId(1)), None);
    // What it came to before is tried again.
    scene.rest();
    scene.abstain(Abstention::FewFragments(5));
    read(&mut scene, vec![whole(0, "calm_seat")]);
    scene.rest();
    assert!(scene.induction().is_some());
    // A person is told what would be lost of the words; a reader of ids loses it.
    let long = |description: usize, value: usize| Told {
        type_name: "string".to_owned(),
        description: "x".repeat(description),
        values: vec!["y".repeat(value)],
        ..whole(0, "quiet_seat")
    };
    for (said, lost) in [(long(300, 80), 0), (long(301, 80), 1), (long(300, 81), 1)] {
        read(&mut scene, vec![said]);
        assert_eq!(refused(&scene).len(), lost);
    }
    let by_ids = Told {
        cluster: None,
        ids: ids(&scene, 1),
        ..long(301, 81)
    };
    read(&mut scene, vec![by_ids]);
    assert_eq!(refused(&scene), [""; 0]);
}

#[test]
fn a_key_made_by_hand_is_no_reading_z096_z137() {
    let by_hand = || Told {
        cluster: Some(0),
        ..told("quiet_seat", Vec::new())
    };
    let mut scene = Scene::new();
    scene.policy.evolution.reader = Seat::Model;
    scene.voice(0);
    scene.voice(1);
    let mut never = scene.clone();
    read(&mut never, vec![by_hand()]);
    assert_eq!(never.state.review, None, "nobody was asked");
    let why = "it is down".to_owned();
    scene.happens(Command::ReviewFailed { why });
    let asked = scene.state.review.clone();
    scene.all_say(["c6", "c7"], 1);
    read(&mut scene, vec![by_hand()]);
    assert_eq!(scene.state.review, asked, "the engine goes on alone as before");
    assert!(scene.state.wish(FIRST).is_some());
}

#[test]
fn a_cluster_that_one_record_cannot_name_is_read_in_several_z096() {
    let mut scene = Scene::new();
    scene.voice(0);
    let pool = &mut scene.state.pool;
    let micro = pool.micros.values().next().expect("a micro-cluster").clone();
    for id in (1_000..21_000).map(MicroId) {
        pool.micros.insert(id, Micro { id, ..micro.clone() });
        let cluster = pool.clusters.get_mut(&FIRST).expect("a cluster");
        cluster.micros.push(id);
    }
    let micros = pool.clusters[&FIRST].micros.clone();
    let whole = Told {
        cluster: Some(0),
        ..told("quiet_seat", Vec::new())
    };
    let answer = Answer {
        wishes: vec![whole],
        ..Answer::default()
    };
    let events = review(&scene.state, answer, "ada".to_owned(), None, None);
    assert!(events.len() > 1);
    for event in events {
        assert!(event::write(&event).len() < 48 << 10, "a record of the store");
        let (seq, at) = (scene.state.seq + 1, scene.at);
        evolve(&mut scene.state, &Entry { seq, at, event });
    }
    let cluster = &scene.state.pool.clusters[&FIRST];
    assert_eq!(cluster.micros, micros);
    assert_eq!(scene.state.wish(FIRST).map(|wish| wish.by_hand), Some(true));
}

#[test]
fn what_waits_is_made_anew_in_the_readers_words_where_these_come_to_something_z127() {
    for comes in [true, false] {
        let mut scene = Scene::new();
        let mut waits = candidate("meal_choice");
        waits.proposal.holds.push(Hold::Name);
        let id = scene.propose_for(&Audience::Global, waits);
        assert_eq!(scene.stage(&id), "awaiting_approval");
        let mine = ids(&scene, 0);
        read(&mut scene, vec![told("quiet_seat", mine)]);
        scene.rest();
        if comes {
            let mut anew = candidate("quiet_seat");
            anew.proposal.read = scene.state.wish(FIRST).cloned().map(Box::new);
            scene.induce(anew);
        } else {
            scene.abstain(Abstention::Words);
        }
        let (stage, name) = match comes {
            true => ("experimental", "quiet_seat"),
            false => ("awaiting_approval", "meal_choice"),
        };
        assert_eq!((scene.state.patches.len(), scene.stage(&id)), (1, stage));
        assert_eq!(scene.patch(&id).change.key_name().as_str(), name);
        scene.rest();
        assert_eq!(scene.induction(), None, "once");
    }
}

#[test]
fn a_model_in_the_seat_reads_before_anything_is_induced_and_again_when_half_as_much_is_new_z096_z137() {
    let mut scene = Scene::new();
    scene.policy.evolution.reader = Seat::Model;
    scene.voice(0);
    scene.rest();
    let next = |scene: &Scene| wanted(scene, MODEL).into_iter().next();
    assert_eq!(next(&scene), Some(Effect::Review));
    let mut alone = scene.clone();
    let why = "it is down".to_owned();
    alone.happens(Command::ReviewFailed { why });
    // One that cannot be had leaves the engine alone.
    assert!(alone.induction().is_some());
    assert_eq!(
        alone.state.review.and_then(|asked| asked.failed).as_deref(),
        Some("it is down")
    );

    answer(&mut scene, Answer::default());
    assert_eq!(next(&scene), None, "what the reader left out waits");
    let waits = blocked(&scene, 0);
    assert_eq!(waits.code, "reader");
    assert!(waits.detail.contains("with 7 fragments"), "{}", waits.detail);
    for (name, expected) in [("c6", None), ("c7", Some(Effect::Review))] {
        scene.all_say([name], 0);
        assert_eq!(next(&scene), expected);
    }
}

#[test]
fn a_readers_words_are_held_against_everything_that_it_may_have_read_z171() {
    let mut scene = Scene::new();
    (0..3).for_each(|theme| scene.voice(theme));
    let wishes = vec![told("quiet_seat", ids(&scene, 0)), told("warm_meal", ids(&scene, 1))];
    read(&mut scene, wishes);
    let wanted = inducement::wanted(&scene.state, FIRST, &Audience::Global, &scene.policy);
    // Of what was read and of what was not.
    assert_eq!((wanted.members.len(), wanted.background.len()), (5, 10));
}

#[test]
fn what_a_learned_key_holds_is_one_more_voice_of_its_wish_and_no_example_z112() {
    let mut scene = Scene::new();
    scene.propose("quiet_seat");
    let mine = ids(&scene, 0);
    read(&mut scene, vec![told("quiet_seat", mine)]);
    scene.voice(7);
    let other = scene.state.pool.clusters.keys().last().expect("a cluster").0;
    let held = vec![kept("quiet_seat", ids(&scene, other))];
    answer(
        &mut scene,
        Answer {
            held,
            ..Answer::default()
        },
    );
    let heading = scene.state.pool.clusters[&FIRST].heading.as_ref();
    assert_eq!(heading.and_then(Heading::wish).map(|wish| wish.ids.len()), Some(5));
    assert_eq!(scene.state.pool.clusters.len(), 1);
    assert_eq!(scene.state.pool.members(FIRST), 10);
}
