//! Conflict: does a candidate say what a key already says, by name or by meaning (Z-113, Z-114, Z-126)?
//!
//! Owns the comparison and the refined wording; proposes no key and changes none. Invariants: a refinement touches the
//! description alone; nothing is merged across a role (departure and return), across kinds of value, or from something
//! finer into a boolean key (Z-071, Z-072).

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::domain::evolution::lexicon;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::vector::Vector;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;

/// Raw cosine of two `name: description` texts at or above which keys of one kind mean the same (Z-126). High, because
/// descriptions of one service share their frame; roles and disjoint values veto what still looks alike.
pub const MEANING_COSINE_MIN: f64 = 0.80;

/// Characters of a refined description.
pub const REFINED_MAX: usize = 500;

/// How a candidate relates to the keys that exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// Nothing like it.
    Free,
    /// The same key in other words: refine its description (never type, default or requiredness).
    Merge {
        key_name: KeyName,
        semantic_description: String,
        by: Collision,
    },
    /// A key whose description already says all of it, or whose very name is taken by what cannot be merged: nothing
    /// to do.
    Covered { key_name: KeyName },
}

/// What collided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    Name,
    Meaning,
}

/// An existing key with the vector of its `name: description`.
#[derive(Clone, Debug)]
pub struct Incumbent<'a> {
    pub key: &'a EffectiveKey,
    pub meaning: Option<&'a Vector>,
}

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Listed,
    Date,
    Time,
    Number,
    Boolean,
    Structure,
}

/// Compares a candidate with every incumbent: base keys, and keys of patches that are not expired, for the audience.
/// A key by name goes before one by meaning; among several by meaning the nearest, then the first.
pub fn detect(
    proposal: &Proposal,
    meaning: Option<&Vector>,
    centroid: Option<&Vector>,
    incumbents: &[Incumbent<'_>],
) -> Conflict {
    let compared: Vec<(&KeyDefinition, Option<f64>)> = incumbents
        .iter()
        .map(|incumbent| {
            let cosine = |vector: Option<&Vector>| {
                vector
                    .zip(incumbent.meaning)
                    // Vectors of different models never meet (Z-103).
                    .filter(|(a, b)| a.components().len() == b.components().len())
                    .map(|(a, b)| a.cosine(b).value())
            };
            // The candidate's own words tell more than what people said around them; the centroid stands in for them.
            (&incumbent.key.definition, cosine(meaning).or_else(|| cosine(centroid)))
        })
        .collect();
    decide(proposal, &compared)
}

fn decide(proposal: &Proposal, incumbents: &[(&KeyDefinition, Option<f64>)]) -> Conflict {
    let candidate = &proposal.key;
    let incumbents = || incumbents.iter().filter(|(key, _)| key.key_name.as_str() != OTHER);
    if let Some((same, _)) = incumbents().find(|(key, _)| key.key_name == candidate.key_name) {
        return if mergeable(candidate, same) {
            merge(proposal, same, Collision::Name)
        } else {
            // Two keys of one name cannot be (Z-113), and what cannot be merged must not be (Z-071).
            Conflict::Covered {
                key_name: same.key_name.clone(),
            }
        };
    }
    let alike = |key: &KeyDefinition| mergeable(candidate, key) && !disjoint(candidate, key);
    if let Some((same, _)) = incumbents().find(|(key, _)| alike(key) && same_name(candidate, key)) {
        return merge(proposal, same, Collision::Name);
    }
    let nearest = incumbents()
        .filter_map(|(key, cosine)| cosine.map(|cosine| (key, cosine)))
        .filter(|(key, cosine)| *cosine >= MEANING_COSINE_MIN && alike(key) && !roles_clash(candidate, key))
        .fold(None, |best: Option<(&&KeyDefinition, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            Some(_) | None => Some(next),
        });
    match nearest {
        Some((key, _)) => merge(proposal, key, Collision::Meaning),
        None => Conflict::Free,
    }
}

/// A name for the candidate that no incumbent bears, for a demand finer than the key whose name it would take: the
/// name itself when it is free, else with `_level` or `_scale`, `_detail`, or a number behind it (Z-072, Z-113).
pub fn sibling_name(wanted: &KeyName, key_type: KeyType, taken: &BTreeSet<KeyName>) -> Option<KeyName> {
    if !taken.contains(wanted) {
        return Some(wanted.clone());
    }
    let finer = match key_type {
        KeyType::Integer | KeyType::Number => "scale",
        KeyType::String => "level",
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => "detail",
    };
    std::iter::once(finer.to_owned())
        .chain(std::iter::once("detail".to_owned()))
        .chain((2..100).map(|n| n.to_string()))
        .filter_map(|suffix| KeyName::parse(&format!("{wanted}_{suffix}")))
        .find(|name| !taken.contains(name))
}

fn kind(key: &KeyDefinition) -> Kind {
    match key.key_type {
        KeyType::Boolean => Kind::Boolean,
        KeyType::Integer | KeyType::Number => Kind::Number,
        KeyType::Array | KeyType::Object | KeyType::Null => Kind::Structure,
        KeyType::String => match key.constraints.get("format").and_then(Value::as_str) {
            Some("date" | "date-time") => Kind::Date,
            Some("time") => Kind::Time,
            Some(_) | None => {
                // A time of day is a pattern, and only its name tells it.
                let last = key.key_name.as_str().rsplit('_').next().unwrap_or_default();
                match last {
                    "date" => Kind::Date,
                    "time" => Kind::Time,
                    _ if key.constraints.contains_key("enum") => Kind::Listed,
                    _ => Kind::Text,
                }
            }
        },
    }
}

/// Whether the incumbent could hold what the candidate asks for at all.
fn mergeable(candidate: &KeyDefinition, key: &KeyDefinition) -> bool {
    match (kind(candidate), kind(key)) {
        (Kind::Text | Kind::Listed, Kind::Text | Kind::Listed) => true,
        (a, b) => a == b,
    }
}

/// Whether both list their values and share none: `window, aisle` and `economy, business` are two demands.
fn disjoint(candidate: &KeyDefinition, key: &KeyDefinition) -> bool {
    match (listed(candidate), listed(key)) {
        (Some(a), Some(b)) => a.is_disjoint(&b),
        (Some(_) | None, _) => false,
    }
}

fn listed(key: &KeyDefinition) -> Option<BTreeSet<String>> {
    let values: BTreeSet<String> = key
        .constraints
        .get("enum")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_lowercase)
        .filter(|value| value != "none")
        .collect();
    (!values.is_empty()).then_some(values)
}

/// Words that name a key's form and not what it is about.
const FORM: [&str; 20] = [
    "amount",
    "choice",
    "count",
    "date",
    "detail",
    "flag",
    "is",
    "has",
    "kind",
    "name",
    "num",
    "number",
    "of",
    "option",
    "preference",
    "preferred",
    "selection",
    "time",
    "type",
    "value",
];

/// What a name is about (stems), and the roles that it bears.
fn words(name: &KeyName) -> (BTreeSet<String>, BTreeSet<String>) {
    let classes = lexicon::classes();
    let joined = name
        .as_str()
        .replace("check_in", "checkin")
        .replace("check_out", "checkout")
        .replace("pick_up", "pickup")
        .replace("drop_off", "dropoff");
    let mut about = BTreeSet::new();
    let mut roles = BTreeSet::new();
    for word in joined.split('_') {
        let opposite = |word: &str| classes.antonym.iter().any(|(a, b)| a == word || b == word);
        if let Some(role) = classes.role.get(word) {
            roles.insert(role.clone());
        } else if let Some(side) = classes.concept.get(word) {
            roles.insert(side.clone());
        } else if opposite(word) {
            roles.insert(word.to_owned());
        } else if !FORM.contains(&word) && !lexicon::stop(word) {
            about.insert(lexicon::stem(&lexicon::lemma(word)));
        }
    }
    (about, roles)
}

/// Whether the two bear different roles, or only one of them bears any.
fn roles_clash(candidate: &KeyDefinition, key: &KeyDefinition) -> bool {
    words(&candidate.key_name).1 != words(&key.key_name).1
}

/// By name: the same roles, and what one is about holds what the other is about. Where roles are all there is
/// (`departure_date`), they alone must agree.
fn same_name(candidate: &KeyDefinition, key: &KeyDefinition) -> bool {
    let (about, roles) = words(&candidate.key_name);
    let (other_about, other_roles) = words(&key.key_name);
    if roles != other_roles {
        return false;
    }
    match (about.is_empty(), other_about.is_empty()) {
        (true, true) => !roles.is_empty(),
        (false, false) => about.is_subset(&other_about) || other_about.is_subset(&about),
        (true, false) | (false, true) => false,
    }
}

fn merge(proposal: &Proposal, key: &KeyDefinition, by: Collision) -> Conflict {
    match refined(proposal, key) {
        Some(semantic_description) => Conflict::Merge {
            key_name: key.key_name.clone(),
            semantic_description,
            by,
        },
        None => Conflict::Covered {
            key_name: key.key_name.clone(),
        },
    }
}

/// The existing description with the examples that it does not show yet; `None` when there is none to add, or no room.
fn refined(proposal: &Proposal, key: &KeyDefinition) -> Option<String> {
    let existing = key.semantic_description.trim_end();
    let said = existing.to_lowercase();
    let allowed = listed(key);
    let mut text = existing.to_owned();
    let mut shown: BTreeSet<String> = mappings(existing)
        .into_iter()
        .map(|(_, value)| value.to_lowercase())
        .collect();
    let mut added = 0;
    for (fragment, value) in mappings(&proposal.key.semantic_description) {
        let known = allowed
            .as_ref()
            .is_none_or(|allowed| allowed.contains(&value.to_lowercase()));
        if !known || said.contains(&format!("'{}'", fragment.to_lowercase())) || !shown.insert(value.to_lowercase()) {
            continue;
        }
        let mapping = format!("'{fragment}' -> {value}");
        let mut longer = if added > 0 {
            format!("{text}; {mapping}")
        } else if let Some(open) = text.strip_suffix('.').filter(|_| said.contains("examples: ")) {
            format!("{open}; {mapping}")
        } else if text.is_empty() {
            format!("Examples: {mapping}")
        } else {
            let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
            format!("{text}{stop} Examples: {mapping}")
        };
        if longer.chars().count() + 1 <= REFINED_MAX {
            added += 1;
            std::mem::swap(&mut text, &mut longer);
        }
    }
    (added > 0).then(|| format!("{text}."))
}

/// The mapping examples of a description: `'window seat please' -> window; …`.
pub(crate) fn mappings(description: &str) -> Vec<(String, String)> {
    let examples = description
        .split_once("Examples: ")
        .map_or("", |(_, examples)| examples);
    examples
        .split("; ")
        .filter_map(|example| {
            let (left, right) = example.trim().rsplit_once("' -> ")?;
            let fragment = left.strip_prefix('\'')?;
            let value = right.strip_suffix('.').unwrap_or(right).trim();
            (!fragment.is_empty() && !value.is_empty()).then(|| (fragment.to_owned(), value.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;
    use serde_json::json;

    use super::Collision;
    use super::Conflict;
    use super::Incumbent;
    use super::REFINED_MAX;
    use super::decide;
    use super::detect;
    use super::mappings;
    use super::sibling_name;
    use crate::domain::pool::proposal::Proposal;
    use crate::domain::template::effective::EffectiveKey;
    use crate::domain::template::key::KeyDefinition;
    use crate::domain::template::key::KeyType;
    use crate::domain::template::name::KeyName;

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
        decide(proposal, &[(key, cosine)])
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
            let conflict = against(&propose(date(candidate)), &date(incumbent), Some(0.99));
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
    fn meaning_collides_at_the_threshold_among_keys_of_one_kind_z126() {
        let place = string("spot_on_board");
        assert_eq!(
            merged(&against(&seat("seat_preference"), &place, Some(0.80))),
            Some(("spot_on_board", Collision::Meaning))
        );
        assert_eq!(against(&seat("seat_preference"), &place, Some(0.799)), Conflict::Free);
        assert_eq!(against(&seat("seat_preference"), &place, None), Conflict::Free);
        let number = key("spot_on_board", "integer", json!({}), "Something.");
        assert_eq!(against(&seat("seat_preference"), &number, Some(0.99)), Conflict::Free);
    }

    #[test]
    fn the_nearest_by_meaning_wins_and_a_name_wins_over_it_z126() {
        let (near, nearer, named) = (string("spot"), string("corner"), string("seat_choice"));
        let both = decide(&seat("seat_preference"), &[(&near, Some(0.85)), (&nearer, Some(0.9))]);
        assert_eq!(merged(&both), Some(("corner", Collision::Meaning)));
        let all = decide(&seat("seat_preference"), &[(&nearer, Some(0.99)), (&named, None)]);
        assert_eq!(merged(&all), Some(("seat_choice", Collision::Name)));
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
        let seats = EffectiveKey {
            definition: string("seat_choice"),
            patch: None,
        };
        let incumbents = [Incumbent {
            key: &seats,
            meaning: None,
        }];
        let conflict = detect(&seat("seat_preference"), None, None, &incumbents);
        assert_eq!(merged(&conflict), Some(("seat_choice", Collision::Name)));
        assert_eq!(detect(&seat("seat_preference"), None, None, &[]), Conflict::Free);
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
}
