//! The steps of a change of the model, as a scenario takes them.

use crate::pool::gate::Audience;
use crate::pool::mean::Mean;
use crate::pool::reembed::Anew;
use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::effect::Effect;
use crate::scenario::effect::outstanding;
use crate::scenario::evolve::evolve;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::Scene;
use crate::scenario::sample::fragment;
use crate::scenario::state::State;
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
        of,
        model: model.to_owned(),
        fragments: vec![fragment(9)],
        judgements: Vec::new(),
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
