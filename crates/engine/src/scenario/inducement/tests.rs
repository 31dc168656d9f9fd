//! Which texts induction reads, and what it ends in.

use super::*;
use crate::evolution::induction::Abstention;
use crate::pool::cohort::Cohorts;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::client;
use crate::scenario::sample::cohort;
use crate::scenario::sample::schema_id;
use std::collections::BTreeSet;

const SEATS: ClusterId = ClusterId(0);
const TEXTS: [&str; 4] = [
    "window seat please",
    "an aisle seat",
    "a window seat",
    "aisle seat please",
];

/// Twelve clients ask for seats, one of them ten times more, and three for something else.
fn scene() -> Scene {
    let mut scene = Scene::new();
    let names: Vec<String> = (0..12).map(|n| format!("c{n}")).collect();
    scene.all_say(names.iter().map(String::as_str), 0);
    scene.all_say(["c0"; 10], 0);
    scene.all_say(["c0", "c1", "c2"], 1);
    scene
}

fn said_by(scene: &Scene, id: FragmentId) -> Option<ClientId> {
    let arrivals = scene.state.pool.micros.values().flat_map(|micro| &micro.arrivals);
    let mut arrivals = arrivals.filter(|arrival| arrival.fragment == id);
    arrivals.next().and_then(|arrival| arrival.client.clone())
}

fn wanted_of(scene: &Scene, audience: &Audience) -> Wanted {
    wanted(&scene.state, SEATS, audience, &scene.policy)
}

/// What comes of the seats for an audience, where each fragment says this.
fn settled(scene: &Scene, audience: &Audience, text: impl Fn(FragmentId) -> Option<&'static str>) -> Command {
    let source = |id| {
        Some(Source {
            text: text(id)?.to_owned(),
            client: said_by(scene, id).filter(|name| name.as_str() != "c0"),
            at: scene.at,
        })
    };
    let work = gather(&scene.state, &wanted_of(scene, audience), &source, &scene.policy).expect("work");
    work.settle(None, None, Multilingual::Absent)
}

#[test]
fn the_members_and_some_of_the_others_are_wanted_and_of_one_client_its_own_words_z112_z123() {
    let mut scene = scene();
    let found = wanted_of(&scene, &Audience::Global);
    assert_eq!((found.members.len(), found.background.len()), (22, 3));
    assert!(found.members.iter().all(|id| !found.background.contains(id)));
    let own = wanted_of(&scene, &alone("c0")).members;
    assert_eq!(own.len(), 11);
    assert!(own.iter().all(|id| said_by(&scene, *id) == Some(client("c0"))));
    scene.policy.evolution.induction_fragments_max = 5;
    assert_eq!(wanted_of(&scene, &Audience::Global).members.len(), 5);
}

#[test]
fn a_cohorts_key_is_made_of_its_clients_words_and_shows_what_three_of_them_said_z098_z123() {
    let mut scene = scene();
    scene.policy.pool.mature_members_min = 2;
    for (members, shown) in [(&["c1", "c2"][..], false), (&["c1", "c2", "c3"], true)] {
        scene.policy.cohorts = Cohorts::declare([("few", members)]).expect("a cohort");
        let few = cohort("few");
        let names = wanted_of(&scene, &few)
            .members
            .into_iter()
            .filter_map(|id| said_by(&scene, id));
        let names: BTreeSet<String> = names.map(|name| name.to_string()).collect();
        assert!(names.iter().eq(members), "nobody else's words: {names:?}");
        let command = settled(&scene, &few, |_| Some("a window seat please"));
        let says = match &command {
            Command::Induce {
                outcome: Ok(induced), ..
            } => induced.proposal.key.semantic_description.contains("a window seat"),
            _ => false,
        };
        assert_eq!(says, shown, "{command:?}");
    }
}

#[test]
fn induction_ends_in_a_candidate_for_the_cluster_that_asked_z109_z110_z111_z112() {
    let scene = scene();
    let text = |id: FragmentId| Some(TEXTS[usize::try_from(id.submission / 2).unwrap_or(0) % TEXTS.len()]);
    let Command::Induce {
        cluster: SEATS,
        audience: Audience::Global,
        outcome: Ok(induced),
    } = settled(&scene, &Audience::Global, text)
    else {
        panic!("no candidate")
    };
    let key = &induced.proposal.key;
    assert!(
        key.key_name.as_str().contains("seat") && !key.required,
        "{}",
        key.key_name
    );
    assert!(
        key.semantic_description.contains(" seat' -> true"),
        "{}",
        key.semantic_description
    );
}

#[test]
fn texts_that_are_not_to_be_had_are_left_out_and_nothing_is_made_without_a_base_z171() {
    let mut scene = scene();
    let command = settled(&scene, &Audience::Global, |_| None);
    let Command::Induce { outcome, .. } = command else {
        panic!("no induction")
    };
    assert_eq!(outcome, Err(Abstention::FewFragments(0)));
    let found = wanted_of(&scene, &Audience::Global);
    scene.happens(Command::Retire(schema_id("flight_v1")));
    assert!(gather(&scene.state, &found, &|_| None, &scene.policy).is_none());
}
