//! Pairs of keys, each with one thing to see.

mod names;

use serde_json::Value;
use serde_json::json;

use super::Collision;
use super::Conflict;
use super::GUESSED_MIN;
use super::LISTED_SAID_MIN;
use super::REFINED_MAX;
use super::decide;
use super::learned::GROWING_MIN;
use super::learned::Learned;
use crate::domain::evolution::affinity::Affinity;
use crate::domain::evolution::affinity::COVERED_MIN;
use crate::domain::evolution::affinity::Relation;
use crate::domain::pool::grounds::Barred;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::NEAREST_MAX;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::grounds::Nearest;
use crate::domain::pool::proposal::Proposal;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyDefinition;
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
        holds: Vec::new(),
        about: String::new(),
        shown: Vec::new(),
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
fn a_value_in_other_words_is_no_other_value_z113_z126() {
    let wanted = |values: Value| propose(key("length", "string", json!({"enum": values}), "Length."));
    let known = key("size", "string", json!({"enum": ["small", "large", "mid"]}), "Size.");
    for (values, collides) in [
        (json!(["big", "tall"]), true),
        (json!(["midsize", "tall"]), true),
        (json!(["wide", "tall"]), false),
    ] {
        let conflict = against(&wanted(values.clone()), &known, Some(0.99));
        assert_eq!(conflict != Conflict::Free, collides, "{values}");
    }
}

#[test]
fn what_says_a_keys_own_values_means_it_whatever_else_is_said_z113_z126() {
    let candidate = propose(key("sort", "string", json!({"enum": ["interesting", "big"]}), "Sort."));
    let known = key("category", "string", json!({"enum": ["museum", "park"]}), "Category.");
    let decided = |listed: f64| {
        let affinity = Affinity {
            kind: 1.0,
            clash: false,
            role: 0.0,
            listed,
            unsupported: 0.0,
        };
        let relation = Relation {
            affinities: [(known.key_name.clone(), affinity)].into(),
            ..Relation::default()
        };
        decide(&candidate, &relation, &[(&known, Some(0.9))], &Learned::default()).0
    };
    assert_ne!(decided(LISTED_SAID_MIN), Conflict::Free);
    assert_eq!(decided(LISTED_SAID_MIN - 0.01), Conflict::Free);
}

#[test]
fn a_guess_needs_less_to_be_the_likeliest_key_z113_z126() {
    let known = string("remedy");
    let decided = |source: NameSource, guessed: bool, likely: f64| {
        let relation = Relation {
            guessed,
            ..Relation::default()
        };
        let mut candidate = propose(string("shop_name"));
        candidate.grounds.name.source = source;
        let (conflict, nearest) = decide(&candidate, &relation, &[(&known, Some(likely))], &Learned::default());
        (conflict != Conflict::Free, nearest.needed)
    };
    let (own, meant) = (NameSource::Service, NameSource::Vocabulary);
    assert_eq!(decided(own, true, GUESSED_MIN), (true, GUESSED_MIN));
    assert_eq!(decided(own, true, GUESSED_MIN - 0.01), (false, GUESSED_MIN));
    assert_eq!(decided(own, false, GUESSED_MIN), (false, COVERED_MIN));
    assert_eq!(
        decided(meant, true, GUESSED_MIN),
        (false, COVERED_MIN),
        "its meaning gave it a name"
    );
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
fn what_only_its_type_names_is_the_learned_key_of_that_name_z113() {
    let contact = string("contact_name");
    let decided = |learned: bool, source: NameSource, wanted: &str| {
        let mut candidate = propose(string("contact_name_level"));
        candidate.grounds.name.source = source;
        candidate.grounds.name.wanted = Some(wanted.to_owned());
        let patch = || PatchId::numbered(&ScenarioKey::parse("service").expect("a scenario"), 1);
        let keys = [EffectiveKey {
            patch: learned.then(|| (patch(), Standing::Experimental)),
            ..EffectiveKey::bare(contact.clone())
        }];
        let learned = Learned::of(&keys, std::iter::empty());
        let relation = Relation::default();
        let (conflict, near) = decide(&candidate, &relation, &[(&contact, Some(0.02))], &learned);
        (conflict != Conflict::Free, near.rule)
    };
    let named = "contact_name";
    assert_eq!(decided(true, NameSource::Type, named), (true, NearRule::SameName));
    assert_eq!(
        decided(false, NameSource::Type, named),
        (false, NearRule::Nothing),
        "a publisher's"
    );
    assert_eq!(
        decided(true, NameSource::Cue, named),
        (false, NearRule::Nothing),
        "said of it"
    );
    assert_eq!(
        decided(true, NameSource::Type, "driver_name"),
        (false, NearRule::Nothing)
    );
}

#[test]
fn the_escape_valve_is_no_key_to_collide_with_z057() {
    let other = string("other");
    assert_eq!(against(&seat("other_seat"), &other, Some(0.99)), Conflict::Free);
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
