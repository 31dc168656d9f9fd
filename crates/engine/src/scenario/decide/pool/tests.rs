//! The steps of a change of the model, as a scenario takes them.

use crate::evolution::induction::Abstention;
use crate::evolution::review::Seat;
use crate::evolution::review::answer::Answer;
use crate::evolution::review::answer::Kept;
use crate::evolution::review::answer::Told;
use crate::evolution::review::material::short;
use crate::pool::gate::Audience;
use crate::pool::heading::Heading;
use crate::pool::hold::Hold;
use crate::pool::micro::ClusterId;
use crate::pool::reembed::Anew;
use crate::scenario::blocking_reason;
use crate::scenario::command::Command;
use crate::scenario::command::Digestion;
use crate::scenario::command::Refusal;
use crate::scenario::effect::Effect;
use crate::scenario::effect::outstanding;
use crate::scenario::event::Event;
use crate::scenario::evolve::evolve;
use crate::scenario::inducement;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::fragment;
use crate::scenario::state::State;
use text::vector::Mean;
use text::vector::Vector;

const NEW: &str = "new/3";

/// The next so many micro-clusters, embedded anew.
fn step(scene: &Scene, max: usize) -> Command {
    let vector = Vector::quantise(&[1.0, 0.0, 0.0]).expect("a vector");
    let micros = scene.state.pool.next_stale(NEW, max).into_iter().map(|stale| Anew {
        micro: stale.micro,
        mean: Mean::of(std::slice::from_ref(&vector)),
    });
    Command::Reembed {
        model: NEW.to_owned(),
        micros: micros.collect(),
    }
}

#[test]
fn everything_that_compares_vectors_waits_until_the_pool_is_of_the_model_at_hand_z103() {
    let mut scene = Scene::new();
    for theme in 1..4 {
        scene.say(Some("ana"), theme);
    }
    scene.demand(&Audience::Global);
    scene.rest();
    let waits = scene.submitted(Some("ben"));
    let of = scene.submit(crate::scenario::submission::Submitted { fragments: 1, ..waits });
    let wanted = |scene: &Scene, model: &str| outstanding(&scene.state, &scene.policy, model, 8);
    assert!(
        wanted(&scene, MODEL)
            .iter()
            .any(|effect| matches!(effect, Effect::Induce { .. }))
    );
    let digest = |model: &str| Command::Digest {
        model: model.to_owned(),
        digestions: vec![Digestion {
            of,
            fragments: vec![fragment(9)],
            judgements: Vec::new(),
        }],
    };
    for left in [4_usize, 2] {
        assert_eq!(wanted(&scene, NEW), [Effect::Reembed], "{left} micro-clusters wait");
        assert_eq!(scene.state.pool.waiting(NEW).count(), left);
        assert!(matches!(scene.command(digest(NEW)), Err(Refusal::OtherModel { .. })));
        let next = step(&scene, 2);
        assert_eq!(scene.happens(next.clone()).len(), 1);
        assert_eq!(scene.command(next), Err(Refusal::Done), "the same result twice");
    }
    assert_eq!(scene.state.pool.model, NEW);
    assert!(wanted(&scene, NEW).contains(&Effect::Digest { of }));
    assert!(
        wanted(&scene, NEW)
            .iter()
            .any(|effect| matches!(effect, Effect::Induce { .. }))
    );
    assert_eq!(
        wanted(&scene, MODEL),
        [Effect::Reembed],
        "and back again, were the old model to return"
    );
    let mut replayed = State::default();
    scene.entries.iter().for_each(|entry| evolve(&mut replayed, entry));
    assert_eq!(replayed, scene.state, "a replay asks no model");
}

#[test]
fn a_step_that_is_of_no_use_is_not_recorded_z103() {
    let mut scene = Scene::new();
    scene.say(Some("ana"), 0);
    let empty = Command::Reembed {
        model: NEW.to_owned(),
        micros: Vec::new(),
    };
    assert_eq!(
        scene.command(empty),
        Err(Refusal::Done),
        "something waits, and nothing came"
    );
    let own = Command::Reembed {
        model: MODEL.to_owned(),
        micros: Vec::new(),
    };
    assert_eq!(scene.command(own), Err(Refusal::Done));
}

#[test]
fn a_frozen_scenario_changes_its_model_all_the_same_z103() {
    let mut scene = Scene::new();
    scene.say(Some("ana"), 0);
    scene.freeze();
    assert_eq!(outstanding(&scene.state, &scene.policy, NEW, 8), [Effect::Reembed]);
    let all = step(&scene, 8);
    scene.happens(all);
    assert_eq!(scene.state.pool.model, NEW);
}

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

fn review(scene: &mut Scene, answer: Answer) -> Vec<Event> {
    scene.happens(Command::Review {
        answer: Box::new(answer),
        by: "ada".to_owned(),
        digest: None,
        tokens: None,
    })
}

/// A reader names these wishes and nothing else.
fn read(scene: &mut Scene, wishes: Vec<Told>) -> Vec<Event> {
    review(
        scene,
        Answer {
            wishes,
            ..Answer::default()
        },
    )
}

fn heading(scene: &Scene, cluster: ClusterId) -> Option<&Heading> {
    scene.state.pool.clusters.get(&cluster)?.heading.as_ref()
}

fn refused(scene: &Scene) -> Vec<&str> {
    let asked = scene.state.review.as_ref().expect("a review");
    asked.refused.iter().map(|refused| refused.at.as_str()).collect()
}

#[test]
fn two_clusters_that_a_reader_calls_one_wish_are_one_and_stay_so_z088() {
    let mut scene = Scene::new();
    scene.voice(0);
    scene.voice(1);
    let both = [ids(&scene, 0), ids(&scene, 1)].concat();
    assert_eq!(both.len(), 10, "{:?}", scene.state.pool.clusters);
    read(&mut scene, vec![told("quiet_seat", both)]);
    assert_eq!(scene.state.pool.clusters.len(), 1);
    assert_eq!(refused(&scene), [""; 0]);
    let looked = crate::pool::recluster::recluster(&scene.state.pool, &scene.policy.pool);
    scene.happens(Command::Regroup(looked));
    assert_eq!(scene.state.pool.members(ClusterId(0)), 10, "no look takes them apart");
    let wish = heading(&scene, ClusterId(0)).and_then(Heading::wish).expect("a wish");
    assert_eq!((wish.key_name.as_str(), wish.by.as_str()), ("quiet_seat", "ada"));
}

#[test]
fn what_asks_for_nothing_or_is_a_keys_never_fires_z093() {
    let mut scene = Scene::new();
    scene.voice(0);
    scene.voice(1);
    let (one, two) = (ids(&scene, 0), ids(&scene, 1));
    let held = Kept {
        key: "legroom".to_owned(),
        ids: two,
    };
    review(
        &mut scene,
        Answer {
            nothing: one,
            held: vec![held],
            ..Answer::default()
        },
    );
    scene.rest();
    assert_eq!(scene.induction(), None);
    let code = |cluster| {
        let cluster = &scene.state.pool.clusters[&ClusterId(cluster)];
        let gate = scene.state.pool.gate(cluster.id, scene.at, &scene.policy.pool);
        blocking_reason::of(&scene.state, cluster, &gate, scene.at, &scene.policy)
            .expect("it waits")
            .code
    };
    assert_eq!((code(0), code(1)), ("nothing", "held"));
}

#[test]
fn what_does_not_hold_is_refused_with_its_place_and_changes_nothing_z171() {
    let mut scene = Scene::new();
    scene.voice(0);
    let mine = ids(&scene, 0);
    let before = scene.state.pool.clone();
    let unknown = Kept {
        key: "nobody_has_it".to_owned(),
        ids: mine.clone(),
    };
    let odd = Told {
        type_name: "object".to_owned(),
        ..told("quiet_seat", mine.clone())
    };
    let answer = Answer {
        wishes: vec![
            told("Quiet Seat", mine.clone()),
            odd,
            told("quiet_seat", vec!["999.0".to_owned(), "x".to_owned()]),
        ],
        held: vec![unknown],
        nothing: Vec::new(),
    };
    review(&mut scene, answer);
    assert_eq!(
        refused(&scene),
        ["/wishes/0", "/wishes/1", "/wishes/2/ids", "/wishes/2", "/held/0"]
    );
    assert_eq!(scene.state.pool.clusters, before.clusters);
    let twice = vec![told("quiet_seat", mine.clone()), told("loud_seat", mine)];
    read(&mut scene, twice);
    assert_eq!(refused(&scene), ["/wishes/1/ids", "/wishes/1"]);
    let wish = heading(&scene, ClusterId(0)).and_then(Heading::wish).expect("a wish");
    assert_eq!(wish.key_name.as_str(), "quiet_seat", "the first one stands");
}

#[test]
fn no_reader_opens_a_gate_z093_z104() {
    let mut scene = Scene::new();
    for _ in 0..4 {
        scene.say(Some("c1"), 0);
    }
    let mine = ids(&scene, 0);
    read(&mut scene, vec![told("quiet_seat", mine)]);
    scene.rest();
    assert_eq!(scene.induction(), None, "one client is not many, whoever read it");
}

#[test]
fn what_waits_is_made_anew_in_the_readers_words_and_goes_on_trial_where_nothing_holds_it_z127() {
    let mut scene = Scene::new();
    let mut waits = candidate("meal_choice");
    waits.proposal.holds.push(Hold::Name);
    let id = scene.propose_for(&Audience::Global, waits.clone());
    assert_eq!(scene.stage(&id), "awaiting_approval");
    let mine = ids(&scene, 0);
    read(&mut scene, vec![told("quiet_seat", mine)]);
    scene.rest();
    let (cluster, _) = scene.induction().expect("it is induced anew");
    let wish = heading(&scene, cluster)
        .and_then(Heading::wish)
        .cloned()
        .expect("a wish");
    let mut anew = candidate("quiet_seat");
    anew.proposal.read = Some(Box::new(wish));
    scene.induce(anew);
    assert_eq!((scene.state.patches.len(), scene.stage(&id)), (1, "experimental"));
    assert_eq!(scene.patch(&id).change.key_name().as_str(), "quiet_seat");
    scene.rest();
    assert_eq!(scene.induction(), None, "once");
}

#[test]
fn a_proposal_whose_reading_comes_to_nothing_stays_as_it_was_z127() {
    let mut scene = Scene::new();
    let mut waits = candidate("meal_choice");
    waits.proposal.holds.push(Hold::Name);
    let id = scene.propose_for(&Audience::Global, waits);
    let mine = ids(&scene, 0);
    let wishes = vec![told("quiet_seat", mine)];
    read(&mut scene, wishes);
    scene.rest();
    let (cluster, audience) = scene.induction().expect("it is induced anew");
    scene.happens(Command::Induce {
        cluster,
        audience,
        outcome: Err(Abstention::Words),
    });
    scene.rest();
    assert_eq!((scene.stage(&id), scene.induction()), ("awaiting_approval", None));
    assert_eq!(scene.patch(&id).change.key_name().as_str(), "meal_choice");
}

#[test]
fn a_model_in_the_seat_reads_before_anything_is_induced_and_again_when_half_as_much_is_new_z096() {
    let mut scene = Scene::new();
    scene.policy.evolution.reader = Seat::Model;
    scene.voice(0);
    scene.rest();
    let next = |scene: &Scene| outstanding(&scene.state, &scene.policy, MODEL, 8).into_iter().next();
    assert_eq!(next(&scene), Some(Effect::Review));
    review(&mut scene, Answer::default());
    assert_eq!(next(&scene), None, "what the reader left out waits");
    let cluster = scene.state.pool.clusters[&ClusterId(0)].clone();
    let gate = scene.state.pool.gate(cluster.id, scene.at, &scene.policy.pool);
    let waits = blocking_reason::of(&scene.state, &cluster, &gate, scene.at, &scene.policy).expect("it waits");
    assert_eq!(waits.code, "reader");
    assert!(waits.detail.contains("with 7 fragments"), "{}", waits.detail);
    scene.say(Some("c6"), 0);
    scene.look();
    assert_eq!(next(&scene), None);
    scene.say(Some("c7"), 0);
    scene.look();
    assert_eq!(next(&scene), Some(Effect::Review));
}

#[test]
fn a_reader_that_cannot_be_had_leaves_the_engine_alone_z137() {
    let mut scene = Scene::new();
    scene.policy.evolution.reader = Seat::Model;
    scene.voice(0);
    scene.rest();
    scene.happens(Command::ReviewFailed {
        why: "it is down".to_owned(),
    });
    assert!(scene.induction().is_some());
    let asked = scene.state.review.as_ref().expect("a note");
    assert_eq!(asked.failed.as_deref(), Some("it is down"));
}

#[test]
fn a_wish_that_an_answer_names_twice_is_one_and_what_was_read_before_stays_in_it_z088() {
    let mut scene = Scene::new();
    scene.voice(0);
    scene.voice(1);
    let (one, two) = (ids(&scene, 0), ids(&scene, 1));
    let wishes = vec![told("quiet_seat", one), told("quiet_seat", two)];
    read(&mut scene, wishes);
    assert_eq!(scene.state.pool.clusters.len(), 1);
    scene.voice(2);
    let three = scene.state.pool.clusters.keys().last().expect("a cluster").0;
    let more = told("quiet_seat", ids(&scene, three));
    read(&mut scene, vec![more]);
    let wish = heading(&scene, ClusterId(0)).and_then(Heading::wish).expect("a wish");
    assert_eq!((scene.state.pool.clusters.len(), wish.ids.len()), (1, 15));
}

#[test]
fn a_readers_words_are_held_against_everything_that_it_may_have_read_z171() {
    let mut scene = Scene::new();
    for theme in 0..3 {
        scene.voice(theme);
    }
    let (one, two) = (ids(&scene, 0), ids(&scene, 1));
    let wishes = vec![told("quiet_seat", one), told("warm_meal", two)];
    read(&mut scene, wishes);
    let wanted = inducement::wanted(&scene.state, ClusterId(0), &Audience::Global, &scene.policy);
    assert_eq!(
        (wanted.members.len(), wanted.background.len()),
        (5, 10),
        "of what was read and of what was not"
    );
}

#[test]
fn what_is_denied_is_said_by_the_wish_or_refused_z112() {
    let mut scene = Scene::new();
    scene.voice(0);
    let mut told = told("quiet_seat", ids(&scene, 0));
    told.denied = vec!["999.0".to_owned()];
    read(&mut scene, vec![told]);
    assert_eq!(refused(&scene), ["/wishes/0/denied"]);
}

#[test]
fn what_a_learned_key_holds_is_one_more_voice_of_its_wish_and_no_example_z112() {
    let mut scene = Scene::new();
    let id = scene.propose("quiet_seat");
    assert_eq!(scene.stage(&id), "experimental");
    let mine = ids(&scene, 0);
    read(&mut scene, vec![told("quiet_seat", mine)]);
    scene.voice(7);
    let other = scene.state.pool.clusters.keys().last().expect("a cluster").0;
    let held = Kept {
        key: "quiet_seat".to_owned(),
        ids: ids(&scene, other),
    };
    review(
        &mut scene,
        Answer {
            held: vec![held],
            ..Answer::default()
        },
    );
    let wish = heading(&scene, ClusterId(0)).and_then(Heading::wish).expect("a wish");
    assert_eq!((scene.state.pool.clusters.len(), wish.ids.len()), (1, 5));
    assert_eq!(scene.state.pool.members(ClusterId(0)), 10);
}
