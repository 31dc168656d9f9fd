//! Names that collide, and names that look alike and do not.

use std::collections::BTreeSet;

use serde_json::json;

use super::super::CALLED_MIN;
use super::against;
use super::key;
use super::merged;
use super::propose;
use super::seat;
use super::string;
use crate::domain::evolution::affinity::Relation;
use crate::domain::evolution::conflict::Collision;
use crate::domain::evolution::conflict::Conflict;
use crate::domain::evolution::conflict::Incumbent;
use crate::domain::evolution::conflict::decide;
use crate::domain::evolution::conflict::detect;
use crate::domain::evolution::conflict::doubt::Rulings;
use crate::domain::evolution::conflict::learned::Learned;
use crate::domain::evolution::conflict::same_name::same_name;
use crate::domain::evolution::conflict::sibling_name;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::grounds::RunnerUp;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::ScenarioKey;

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
fn one_sort_of_a_thing_means_the_learned_key_for_its_sorts_z113_z126() {
    let patch_id = PatchId::numbered(&ScenarioKey::parse("service").expect("a scenario"), 1);
    let decided = |candidate: KeyDefinition, known: &KeyDefinition, is_learned: bool| {
        let held = [EffectiveKey {
            patch: is_learned.then(|| (patch_id.clone(), Standing::Experimental)),
            ..EffectiveKey::bare(known.clone())
        }];
        let learned = Learned::of(&held, std::iter::empty());
        let relation = Relation {
            sort_of: KeyName::parse("frame_type"),
            ..Relation::default()
        };
        let (conflict, nearest) = decide(&propose(candidate), &relation, &[(known, Some(0.06))], &learned);
        assert_eq!(conflict == Conflict::Free, nearest.rule == NearRule::Nothing);
        conflict
    };
    let switch = || key("steel", "boolean", json!({}), "Whether the user wants it.");
    let list = || {
        let described = "A finish. Examples: 'a steel frame' -> steel.";
        key("finish", "string", json!({"enum": ["steel", "none"]}), described)
    };
    let any = key("frame_type", "string", json!({}), "Frame.");
    let key_name = any.key_name.clone();
    assert_eq!(
        decided(switch(), &any, true),
        Conflict::Covered {
            key_name: key_name.clone()
        }
    );
    assert_eq!(
        merged(&decided(list(), &any, true)),
        Some(("frame_type", Collision::Meaning))
    );
    // What a learned list lacks is added to it (`widening.rs`).
    let listed = key("frame_type", "string", json!({"enum": ["carbon", "none"]}), "Frame.");
    assert_eq!(decided(list(), &listed, true), Conflict::Covered { key_name });
    // What a publisher describes may leave it out on purpose; another key tells other sorts apart.
    assert_eq!(decided(switch(), &any, false), Conflict::Free);
    let other = key("wheel_type", "string", json!({}), "Wheel.");
    assert_eq!(decided(switch(), &other, true), Conflict::Free);
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
fn a_guessed_title_collides_with_the_title_that_the_service_has_z113_z126() {
    let relation = Relation {
        guessed: true,
        ..Relation::default()
    };
    let decided = |known: &str| {
        let keys = string(known);
        decide(
            &propose(string("movie_name")),
            &relation,
            &[(&keys, Some(0.0))],
            &Learned::default(),
        )
        .0
    };
    assert_ne!(
        decided("movie_title"),
        Conflict::Free,
        "nobody could tell the two apart"
    );
    assert_eq!(decided("theater_name"), Conflict::Free);
    assert_eq!(decided("movie"), Conflict::Free);
}

#[test]
fn a_name_that_adds_the_services_own_thing_alone_collides_whatever_the_values_z113_z126() {
    let known = key(
        "specialty",
        "string",
        json!({"enum": ["dentist", "surgeon"]}),
        "Specialty.",
    );
    let decided = |name: &str, entity: &str| {
        let relation = Relation {
            entity: entity.to_owned(),
            ..Relation::default()
        };
        let candidate = propose(key(name, "string", json!({"enum": ["skin", "family"]}), "Specialty."));
        decide(&candidate, &relation, &[(&known, Some(0.0))], &Learned::default()).0
    };
    assert_ne!(decided("doctor_specialty", "doctor"), Conflict::Free);
    assert_eq!(decided("chef_specialty", "doctor"), Conflict::Free, "somebody else's");
    assert_eq!(decided("doctor_name", "doctor"), Conflict::Free);
}

#[test]
fn a_switch_for_a_thing_whose_values_a_key_lists_is_that_key_z113_z126() {
    let coatings = json!({"enum": ["matt", "glossy", "none"]});
    let listed = |name: &str| key(name, "string", coatings.clone(), "Coating.");
    let decided = |name: &str, known: &KeyDefinition, likely: f64| {
        let candidate = propose(key(name, "boolean", json!({}), "Coating."));
        decide(
            &candidate,
            &Relation::default(),
            &[(known, Some(likely))],
            &Learned::default(),
        )
        .0
    };
    let covered = |known: &KeyDefinition| Conflict::Covered {
        key_name: known.key_name.clone(),
    };
    let (coating, sort) = (listed("lens_coating"), listed("coating_type"));
    assert_eq!(decided("has_coating", &coating, CALLED_MIN), covered(&coating));
    assert_eq!(decided("has_coating", &sort, CALLED_MIN), covered(&sort));
    assert_eq!(
        decided("has_coating", &coating, CALLED_MIN - 0.01),
        Conflict::Free,
        "hardly meant"
    );
    assert_eq!(
        decided("has_coating", &string("lens_coating"), CALLED_MIN),
        Conflict::Free,
        "lists nothing"
    );
    assert_eq!(
        decided("has_lens", &coating, CALLED_MIN),
        Conflict::Free,
        "the coating is told apart, not the lens"
    );
}

#[test]
fn a_mere_date_beside_a_beginning_and_an_end_is_covered_z113() {
    let date = |name: &str| key(name, "string", json!({"format": "date"}), "Day.");
    let (first, last) = (date("pickup_date"), date("return_date"));
    let decided = |name: &str, known: &[(&KeyDefinition, Option<f64>)]| {
        decide(&propose(date(name)), &Relation::default(), known, &Learned::default()).0
    };
    let both = [(&first, Some(0.0)), (&last, Some(0.0))];
    assert_eq!(
        decided("date", &both),
        Conflict::Covered {
            key_name: first.key_name.clone()
        }
    );
    assert_eq!(decided("birth_date", &both), Conflict::Free);
    assert_eq!(decided("date", &[(&last, Some(0.0))]), Conflict::Free);
}
