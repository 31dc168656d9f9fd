//! Which texts induction reads, and what it ends in.

use crate::evolution::induction::Abstention;
use crate::evolution::screen::told::Multilingual;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::scenario::command::Command;
use crate::scenario::inducement::Source;
use crate::scenario::inducement::gather;
use crate::scenario::inducement::wanted;
use crate::scenario::sample::Scene;
use crate::scenario::sample::client;
use crate::scenario::sample::fragment;
use schema::name::ClientId;
use schema::name::CohortId;

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
    for n in 0..12 {
        scene.say(Some(&format!("c{n}")), 0);
    }
    for _ in 0..10 {
        scene.say(Some("c0"), 0);
    }
    for n in 0..3 {
        scene.say_all(Some(&format!("c{n}")), vec![fragment(1)]);
    }
    scene.look();
    scene
}

fn text_of(id: FragmentId) -> &'static str {
    TEXTS[usize::try_from(id.submission / 2).unwrap_or(0) % TEXTS.len()]
}

fn source(scene: &Scene) -> impl Fn(FragmentId) -> Option<Source> + '_ {
    move |id| {
        Some(Source {
            text: text_of(id).to_owned(),
            client: client(&format!("c{}", id.submission % 12)).into(),
            at: scene.at,
        })
    }
}

#[test]
fn the_members_and_some_of_the_others_are_wanted_z112() {
    let scene = scene();
    let found = wanted(&scene.state, SEATS, &Audience::Global, &scene.policy);
    assert_eq!((found.members.len(), found.background.len()), (22, 3));
    assert!(found.members.iter().all(|id| !found.background.contains(id)));
    let mut policy = scene.policy.clone();
    policy.evolution.induction_fragments_max = 5;
    assert_eq!(wanted(&scene.state, SEATS, &Audience::Global, &policy).members.len(), 5);
}

#[test]
fn a_clients_own_key_is_made_of_its_own_words_z123() {
    let scene = scene();
    let audience = Audience::Client(client("c0"));
    let found = wanted(&scene.state, SEATS, &audience, &scene.policy);
    assert_eq!(found.members.len(), 11);
    let own: Vec<u64> = scene.state.pool.micros[&crate::pool::micro::MicroId(0)]
        .arrivals
        .iter()
        .filter(|arrival| arrival.client == Some(client("c0")))
        .map(|arrival| arrival.fragment.submission)
        .collect();
    assert_eq!(found.members.iter().map(|id| id.submission).collect::<Vec<_>>(), own);
}

#[test]
fn a_cohorts_key_is_made_of_its_clients_words_and_shows_what_three_of_them_said_z098_z123() {
    let mut scene = scene();
    scene.policy.pool.mature_members_min = 2;
    // Of the twelve clients, two and three.
    for (members, shown) in [(vec!["c1", "c2"], false), (vec!["c1", "c2", "c3"], true)] {
        let cohorts = Cohorts::declare([("few", members.clone())]).expect("a cohort");
        scene.policy.cohorts = cohorts;
        let audience = Audience::Cohort(CohortId::parse("few").expect("a cohort"));
        let found = wanted(&scene.state, SEATS, &audience, &scene.policy);
        let said_by = |id: &FragmentId| {
            let arrivals = scene.state.pool.micros.values().flat_map(|micro| &micro.arrivals);
            let mut arrivals = arrivals.filter(|arrival| arrival.fragment == *id);
            arrivals.next().and_then(|arrival| arrival.client.clone())
        };
        let clients: std::collections::BTreeSet<_> = found.members.iter().filter_map(said_by).collect();
        let names: Vec<_> = clients.iter().map(ClientId::as_str).collect();
        let present: Vec<&str> = members.iter().copied().filter(|name| names.contains(name)).collect();
        assert_eq!(names, present, "nobody else's words");
        let say = |id: FragmentId| {
            Some(Source {
                text: "a window seat please".to_owned(),
                client: said_by(&id),
                at: scene.at,
            })
        };
        let work = gather(&scene.state, &found, &say, &scene.policy).expect("work");
        let Command::Induce { outcome, .. } = work.settle(None, None, Multilingual::Absent) else {
            panic!("no induction")
        };
        let Ok(induced) = outcome else {
            assert!(!shown || names.len() < 3, "three clients said it: {names:?}");
            continue;
        };
        let says = induced.proposal.key.semantic_description.contains("a window seat");
        assert_eq!(
            says,
            shown && names.len() >= 3,
            "{:?}: {}",
            names,
            induced.proposal.key.semantic_description
        );
    }
}

#[test]
fn induction_ends_in_a_candidate_for_the_cluster_that_asked_z109_z110_z111_z112() {
    let scene = scene();
    let found = wanted(&scene.state, SEATS, &Audience::Global, &scene.policy);
    let work = gather(&scene.state, &found, &source(&scene), &scene.policy).expect("work");
    let Command::Induce {
        cluster,
        audience,
        outcome: Ok(induced),
    } = work.settle(None, None, Multilingual::Absent)
    else {
        panic!("no candidate")
    };
    assert_eq!((cluster, audience), (SEATS, Audience::Global));
    let key = &induced.proposal.key;
    assert!(key.key_name.as_str().contains("seat"), "{}", key.key_name);
    assert!(!key.required);
    assert!(
        key.semantic_description.contains(" seat' -> true"),
        "{}",
        key.semantic_description
    );
}

#[test]
fn texts_that_are_not_to_be_had_are_left_out_z171() {
    let scene = scene();
    let found = wanted(&scene.state, SEATS, &Audience::Global, &scene.policy);
    let work = gather(&scene.state, &found, &|_| None, &scene.policy).expect("work");
    let command = work.settle(None, None, Multilingual::Absent);
    assert!(matches!(
        command,
        Command::Induce {
            cluster: SEATS,
            outcome: Err(Abstention::FewFragments(0)),
            ..
        }
    ));
}

#[test]
fn without_a_base_in_force_there_is_nothing_to_induce_for() {
    let mut scene = scene();
    let found = wanted(&scene.state, SEATS, &Audience::Global, &scene.policy);
    scene.happens(Command::Retire(crate::scenario::sample::schema_id("flight_v1")));
    assert!(gather(&scene.state, &found, &source(&scene), &scene.policy).is_none());
}
