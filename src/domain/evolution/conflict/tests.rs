//! Pairs of keys, each with one thing to see.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use super::Collision;
use super::Conflict;
use super::Incumbent;
use super::REFINED_MAX;
use super::decide;
use super::detect;
use super::doubt::Rulings;
use super::learned::GROWING_MIN;
use super::learned::Learned;
use super::mappings;
use super::same_name::same_name;
use super::sibling_name;
use crate::domain::evolution::affinity::COVERED_MIN;
use crate::domain::evolution::affinity::Relation;
use crate::domain::pool::grounds::Barred;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::NEAREST_MAX;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::grounds::Nearest;
use crate::domain::pool::grounds::RunnerUp;
use crate::domain::pool::proposal::Proposal;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::ScenarioKey;

fn key(name: &str, key_type: &str, constraints: Value, description: &str) -> KeyDefinition {
    serde_json::from_value(json!({
        "key_name": name, "key_type": key_type, "required": false,
        "semantic_description": description, "constraints": constraints,
    }))
    .expect("a key")
}

fn string(name: &str) -> KeyDefinition {
    key(name, "string", json!({}), "Something.")
}

fn propose(key: KeyDefinition) -> Proposal {
    Proposal {
        key,
        surfaces: Vec::new(),
        examples: Vec::new(),
        sensitive: None,
        grounds: Grounds::default(),
    }
}

const SEAT: &str = "Seat preference the user wants. Acceptable values: window, aisle, none. Examples: \
                    'window seat please' -> window; 'on the aisle' -> aisle.";

fn seat(name: &str) -> Proposal {
    propose(key(name, "string", json!({"enum": ["window", "aisle", "none"]}), SEAT))
}

fn merged(conflict: &Conflict) -> Option<(&str, Collision)> {
    match conflict {
        Conflict::Merge {
            key_name,
            semantic_description: _,
            by,
        } => Some((key_name.as_str(), *by)),
        Conflict::Free | Conflict::Covered { key_name: _ } => None,
    }
}

fn against(proposal: &Proposal, key: &KeyDefinition, cosine: Option<f64>) -> Conflict {
    decide(proposal, &Relation::default(), &[(key, cosine)], &Learned::default()).0
}

#[test]
fn names_with_the_same_stems_collide_z113_z114_z126() {
    for (candidate, incumbent) in [
        ("seat_preference", "seat_choice"),
        ("seat_preference", "seats"),
        ("seat_preference", "seat_preference"),
        ("seat", "preferred_seat_type"),
    ] {
        let conflict = against(&seat(candidate), &string(incumbent), None);
        assert_eq!(
            merged(&conflict),
            Some((incumbent, Collision::Name)),
            "{candidate} {incumbent}"
        );
    }
    for (candidate, incumbent) in [
        ("seat_preference", "window_seat"),
        ("seat_preference", "meal_preference"),
        ("seat_type", "type"),
        ("name", "seat"),
    ] {
        assert_eq!(
            against(&seat(candidate), &string(incumbent), None),
            Conflict::Free,
            "{candidate} {incumbent}"
        );
    }
}

#[test]
fn roles_keep_names_apart_z113() {
    let date = |name: &str| key(name, "string", json!({"format": "date"}), "A date.");
    for (candidate, incumbent) in [
        ("return_date", "departure_date"),
        ("check_out_date", "check_in_date"),
        ("date", "departure_date"),
        ("from_city", "to_city"),
        ("max_price", "min_price"),
        ("max_price", "price"),
    ] {
        let conflict = against(&propose(date(candidate)), &date(incumbent), None);
        assert_eq!(conflict, Conflict::Free, "{candidate} {incumbent}");
    }
    let described = KeyDefinition {
        semantic_description: "A date. Examples: 'back on May 4' -> 2026-05-04.".to_owned(),
        ..date("returning_date")
    };
    let conflict = against(&propose(described), &date("return_date"), None);
    assert_eq!(merged(&conflict), Some(("return_date", Collision::Name)));
}

#[test]
fn meaning_collides_at_the_threshold_z126() {
    let place = string("spot_on_board");
    assert_eq!(
        merged(&against(&seat("seat_preference"), &place, Some(COVERED_MIN))),
        Some(("spot_on_board", Collision::Meaning))
    );
    let less = COVERED_MIN - 1e-9;
    assert_eq!(against(&seat("seat_preference"), &place, Some(less)), Conflict::Free);
    assert_eq!(against(&seat("seat_preference"), &place, None), Conflict::Free);
}

#[test]
fn what_a_key_of_another_kind_means_is_covered_and_not_refined_z114_z126() {
    let number = key("spot_on_board", "integer", json!({}), "Something.");
    assert_eq!(
        against(&seat("seat_preference"), &number, Some(0.9)),
        Conflict::Covered {
            key_name: number.key_name.clone()
        }
    );
}

#[test]
fn the_very_name_wins_then_the_nearest_by_meaning_then_what_a_name_says_z113_z126() {
    let (near, nearer, named, same) = (
        string("spot"),
        string("corner"),
        string("seat_choice"),
        string("seat_preference"),
    );
    let decided = |incumbents: &[(&KeyDefinition, Option<f64>)]| {
        let conflict = decide(
            &seat("seat_preference"),
            &Relation::default(),
            incumbents,
            &Learned::default(),
        )
        .0;
        merged(&conflict).map(|(name, by)| (name.to_owned(), by))
    };
    let by = |name: &str, by: Collision| Some((name.to_owned(), by));
    assert_eq!(
        decided(&[(&near, Some(0.85)), (&nearer, Some(0.9))]),
        by("corner", Collision::Meaning)
    );
    assert_eq!(
        decided(&[(&named, Some(0.01)), (&nearer, Some(0.9))]),
        by("corner", Collision::Meaning)
    );
    assert_eq!(
        decided(&[(&nearer, Some(0.4)), (&named, None)]),
        by("seat_choice", Collision::Name)
    );
    assert_eq!(
        decided(&[(&nearer, Some(0.99)), (&same, None)]),
        by("seat_preference", Collision::Name)
    );
}

#[test]
fn the_forms_of_two_names_must_not_differ_z113_z126() {
    let name = |name: &str| KeyName::parse(name).expect("a name");
    for (candidate, incumbent, collides) in [
        ("event_type", "event_name", false),
        ("event_type", "event_category", true),
        ("ticket_count", "number_of_tickets", true),
        ("from_city", "from_location", true),
        ("from_city", "from_station", false),
        ("city", "location", false),
        ("event_name", "event_make", false),
        ("departure_date", "departure_time", false),
    ] {
        assert_eq!(
            same_name(&name(candidate), &name(incumbent)),
            collides,
            "{candidate} {incumbent}"
        );
    }
}

#[test]
fn a_value_that_says_another_and_more_is_no_other_value_z113_z126() {
    let wanted = |values: Value| propose(key("glaze", "string", json!({"enum": values}), "Glaze."));
    let known = key(
        "finish",
        "string",
        json!({"enum": ["matt", "clear varnish"]}),
        "Finish.",
    );
    for (values, collides) in [
        (json!(["deep matt", "blue"]), true),
        (json!(["varnish", "blue"]), true),
        (json!(["clear lacquer", "blue"]), false),
    ] {
        let conflict = against(&wanted(values.clone()), &known, Some(0.99));
        assert_eq!(conflict != Conflict::Free, collides, "{values}");
    }
}

#[test]
fn a_learned_list_that_lacks_the_values_may_take_them_in_z107_z126() {
    let candidate = propose(key("glaze", "string", json!({"enum": ["red", "blue"]}), "Glaze."));
    let finish = key("finish", "string", json!({"enum": ["matt", "glossy"]}), "Finish.");
    let decided = |learned: bool, likely: f64| {
        let held = EffectiveKey {
            patch: learned.then(|| {
                (
                    PatchId::numbered(&ScenarioKey::parse("service").expect("a scenario"), 1),
                    Standing::Experimental,
                )
            }),
            ..EffectiveKey::bare(finish.clone())
        };
        let keys = [held];
        let learned = Learned::of(&keys, std::iter::empty());
        let found = decide(&candidate, &Relation::default(), &[(&finish, Some(likely))], &learned);
        (found.0 != Conflict::Free, found.1.likeliest[0].barred)
    };
    assert_eq!(decided(false, 0.99), (false, Some(Barred::OtherValues)));
    assert_eq!(decided(true, GROWING_MIN), (true, None));
    assert_eq!(decided(true, GROWING_MIN - 0.01), (false, Some(Barred::OtherValues)));
}

#[test]
fn a_name_that_nearly_was_the_keys_own_collides_z113_z126() {
    let known = string("device");
    let mut candidate = seat("tool");
    candidate.grounds.name.score = Some(0.5);
    candidate.grounds.name.runners_up = vec![RunnerUp {
        name: "device".to_owned(),
        score: 0.48,
    }];
    let decided = |likely| {
        decide(
            &candidate,
            &Relation::default(),
            &[(&known, Some(likely))],
            &Learned::default(),
        )
    };
    let (conflict, nearest) = decided(0.10);
    assert_eq!(merged(&conflict), Some(("device", Collision::Name)));
    assert_eq!(nearest.rule, NearRule::NearlySameName);
    assert_eq!(decided(0.0999).0, Conflict::Free, "the fragments mean something else");
}

#[test]
fn the_name_it_would_have_had_collides_unless_the_meanings_are_far_apart_z113_z126() {
    let days = key("number_of_days", "integer", json!({}), "Length of the stay.");
    let candidate = propose(key("number_of_days_scale", "integer", json!({}), "Length."));
    let relation = Relation {
        called: KeyName::parse("number_of_days"),
        ..Relation::default()
    };
    let decided = |likely: f64| decide(&candidate, &relation, &[(&days, Some(likely))], &Learned::default()).0;
    assert_eq!(decided(0.0999), Conflict::Free);
    assert_ne!(decided(0.10), Conflict::Free);
}

#[test]
fn a_name_that_is_a_guess_collides_with_none_z113_z126() {
    let known = string("seat_choice");
    let candidate = seat("seat_preference");
    let decided = |guessed: bool| {
        let relation = Relation {
            guessed,
            ..Relation::default()
        };
        decide(&candidate, &relation, &[(&known, Some(0.2))], &Learned::default()).0
    };
    assert_ne!(decided(false), Conflict::Free);
    assert_eq!(decided(true), Conflict::Free);
}

#[test]
fn two_names_for_the_sort_of_the_services_own_thing_collide_z113_z126() {
    let genre = key("genre", "string", json!({"enum": ["comedy", "none"]}), "Genre.");
    let candidate = |name: &str| propose(key(name, "string", json!({"enum": ["drama", "none"]}), "Type."));
    let patch_id = PatchId::numbered(&ScenarioKey::parse("service").expect("a scenario"), 1);
    let held = [EffectiveKey {
        patch: Some((patch_id, Standing::Experimental)),
        ..EffectiveKey::bare(genre.clone())
    }];
    let decided = |name: &str, learned: &Learned<'_>| {
        let relation = Relation {
            entity: "movie".to_owned(),
            ..Relation::default()
        };
        decide(&candidate(name), &relation, &[(&genre, Some(0.2))], learned).0
    };
    let learned = Learned::of(&held, std::iter::empty());
    // What its list lacks is added to it (`widening.rs`).
    let key_name = genre.key_name.clone();
    assert_eq!(decided("movie_type", &learned), Conflict::Covered { key_name });
    for other in ["ticket_type", "movie_name", "departure_type"] {
        assert_eq!(decided(other, &learned), Conflict::Free, "{other}");
    }
    // What a publisher listed is closed on purpose.
    assert_eq!(decided("movie_type", &Learned::default()), Conflict::Free);
}

#[test]
fn lists_without_a_common_value_are_two_demands_z126() {
    let class = key(
        "seat_class",
        "string",
        json!({"enum": ["economy", "business", "none"]}),
        "Class.",
    );
    assert_eq!(against(&seat("seat_preference"), &class, Some(0.95)), Conflict::Free);
    let shares = key("seat_class", "string", json!({"enum": ["window", "roof"]}), "Class.");
    assert!(merged(&against(&seat("seat_preference"), &shares, None)).is_some());
}

#[test]
fn a_finer_demand_is_never_merged_into_a_boolean_z071_z072() {
    let boolean = key("eye_enlargement", "boolean", json!({}), "Enlarge the eyes.");
    let finer = |name: &str| {
        propose(key(
            name,
            "number",
            json!({}),
            "Scale. Examples: 'eyes 20 % bigger' -> 1.2.",
        ))
    };
    assert_eq!(against(&finer("eye_size_scale"), &boolean, Some(0.99)), Conflict::Free);
    assert_eq!(
        against(&finer("eye_enlargement"), &boolean, Some(0.99)),
        Conflict::Covered {
            key_name: KeyName::parse("eye_enlargement").expect("a name")
        }
    );
}

#[test]
fn a_sibling_takes_a_name_of_its_own_z072_z113() {
    let name = |text: &str| KeyName::parse(text).expect("a name");
    let mut taken = BTreeSet::from([name("eye_size")]);
    let next = |taken: &BTreeSet<KeyName>| sibling_name(&name("eye_size"), KeyType::Number, taken);
    assert_eq!(sibling_name(&name("free"), KeyType::Number, &taken), Some(name("free")));
    assert_eq!(next(&taken), Some(name("eye_size_scale")));
    taken.insert(name("eye_size_scale"));
    assert_eq!(next(&taken), Some(name("eye_size_detail")));
    taken.insert(name("eye_size_detail"));
    assert_eq!(next(&taken), Some(name("eye_size_2")));
}

#[test]
fn refining_appends_new_examples_and_keeps_the_rest_z108_z114() {
    let incumbent = key(
        "seat_choice",
        "string",
        json!({"enum": ["window", "aisle"]}),
        "Where to sit",
    );
    let Conflict::Merge {
        key_name: _,
        semantic_description,
        by: _,
    } = against(&seat("seat_preference"), &incumbent, None)
    else {
        panic!("a merge");
    };
    assert_eq!(
        semantic_description,
        "Where to sit. Examples: 'window seat please' -> window; 'on the aisle' -> aisle."
    );
    let again = key(
        "seat_choice",
        "string",
        json!({"enum": ["window", "aisle"]}),
        &semantic_description,
    );
    assert_eq!(
        against(&seat("seat_preference"), &again, None),
        Conflict::Covered {
            key_name: again.key_name.clone()
        },
        "everything is said"
    );
}

#[test]
fn refining_goes_on_with_a_list_of_examples_that_is_there_z114() {
    let incumbent = key(
        "seat_choice",
        "string",
        json!({}),
        "Seat. Examples: 'by the glass' -> window.",
    );
    let Conflict::Merge {
        key_name: _,
        semantic_description,
        by: _,
    } = against(&seat("seat_preference"), &incumbent, None)
    else {
        panic!("a merge");
    };
    assert_eq!(
        semantic_description,
        "Seat. Examples: 'by the glass' -> window; 'on the aisle' -> aisle."
    );
}

#[test]
fn a_value_that_the_key_does_not_accept_is_no_example_z107_z114() {
    let incumbent = key("seat_choice", "string", json!({"enum": ["window", "front"]}), "Seat.");
    let Conflict::Merge {
        key_name: _,
        semantic_description,
        by: _,
    } = against(&seat("seat_preference"), &incumbent, None)
    else {
        panic!("a merge");
    };
    assert_eq!(semantic_description, "Seat. Examples: 'window seat please' -> window.");
}

#[test]
fn a_refined_description_has_at_most_five_hundred_characters_z114() {
    let addition = " Examples: 'window seat please' -> window.".chars().count();
    for (spare, fits) in [(0, true), (1, false)] {
        let full = format!("{}.", "é".repeat(REFINED_MAX - addition - 1 + spare));
        let incumbent = key("seat_choice", "string", json!({"enum": ["window"]}), &full);
        match against(&seat("seat_preference"), &incumbent, None) {
            Conflict::Merge {
                key_name: _,
                semantic_description,
                by: _,
            } => {
                assert!(fits);
                assert_eq!(semantic_description.chars().count(), REFINED_MAX);
            }
            Conflict::Free | Conflict::Covered { key_name: _ } => assert!(!fits),
        }
    }
}

#[test]
fn the_escape_valve_is_no_key_to_collide_with_z057() {
    let other = string("other");
    assert_eq!(against(&seat("other_seat"), &other, Some(0.99)), Conflict::Free);
}

#[test]
fn without_vectors_names_alone_decide_z113() {
    let seats = EffectiveKey::bare(string("seat_choice"));
    let incumbents = [Incumbent {
        key: &seats,
        meaning: None,
    }];
    let conflict = detect(
        &seat("seat_preference"),
        &Relation::default(),
        None,
        None,
        &incumbents,
        &Learned::default(),
        &Rulings::default(),
    )
    .0;
    assert_eq!(merged(&conflict), Some(("seat_choice", Collision::Name)));
    assert_eq!(
        detect(
            &seat("seat_preference"),
            &Relation::default(),
            None,
            None,
            &[],
            &Learned::default(),
            &Rulings::default()
        )
        .0,
        Conflict::Free
    );
}

#[test]
fn mappings_are_read_as_they_are_written_z112() {
    assert_eq!(
        mappings(SEAT),
        [
            ("window seat please".to_owned(), "window".to_owned()),
            ("on the aisle".to_owned(), "aisle".to_owned())
        ]
    );
    assert!(mappings("Examples: nothing").is_empty());
    assert!(mappings("").is_empty());
}

fn near(proposal: &Proposal, keys: &[(&KeyDefinition, Option<f64>)]) -> Nearest {
    decide(proposal, &Relation::default(), keys, &Learned::default()).1
}

#[test]
fn the_rule_that_decided_and_the_key_it_found_are_told_z113_z126() {
    let (same, like, other) = (
        string("seat_preference"),
        string("seat_choice"),
        string("meal_preference"),
    );
    let seat = seat("seat_preference");
    let told = |keys: &[(&KeyDefinition, Option<f64>)]| {
        let near = near(&seat, keys);
        (near.rule, near.key_name.map(|name| name.to_string()))
    };
    let found = |rule, name: &str| (rule, Some(name.to_owned()));
    let rivals = [(&like, None), (&other, Some(0.99)), (&same, None)];
    assert_eq!(told(&rivals), found(NearRule::ExactName, "seat_preference"));
    assert_eq!(
        told(&[(&like, None), (&other, Some(COVERED_MIN))]),
        found(NearRule::Likelihood, "meal_preference")
    );
    let below = [(&like, None), (&other, Some(COVERED_MIN - 0.01))];
    assert_eq!(told(&below), found(NearRule::SameName, "seat_choice"));
    assert_eq!(told(&[(&other, Some(COVERED_MIN - 0.01))]), (NearRule::Nothing, None));
}

#[test]
fn the_likeliest_keys_are_told_first_and_few_of_them_z126() {
    let keys: Vec<KeyDefinition> = ["b_key", "a_key", "c_key", "d_key", "other"].map(string).into();
    let likely = [0.1, 0.1, 0.3, 0.0, 0.4];
    let compared: Vec<(&KeyDefinition, Option<f64>)> = keys.iter().zip(likely.map(Some)).collect();
    let near = near(&seat("seat_preference"), &compared);
    let names: Vec<&str> = near.likeliest.iter().map(|near| near.key_name.as_str()).collect();
    assert_eq!(names, ["c_key", "a_key", "b_key"]);
    assert_eq!(
        (names.len(), near.compared),
        (NEAREST_MAX, 4),
        "`other` is no key to compare with"
    );
}

#[test]
fn what_bars_a_likely_key_is_told_z071_z126() {
    let listed = key("cabin", "string", json!({"enum": ["economy", "business"]}), "Cabin.");
    let boolean = key("seat_wanted", "boolean", json!({}), "Whether a seat is wanted.");
    let near = near(&seat("seat_preference"), &[(&listed, Some(0.9)), (&boolean, Some(0.8))]);
    assert_eq!(near.rule, NearRule::Nothing);
    let barred: Vec<Option<Barred>> = near.likeliest.iter().map(|near| near.barred).collect();
    assert_eq!(barred, [Some(Barred::OtherValues), Some(Barred::OnlyOnOrOff)]);
}
