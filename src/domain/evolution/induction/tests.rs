//! Induction from hand-made clusters, watched with eyes of its own: what is seen of values does not depend on the pool.

mod grounds;

mod shown;

mod typed;

use std::sync::LazyLock;

use proptest::prop_assert;
use proptest::prop_assert_eq;
use proptest::proptest;
use regex::Regex;
use serde_json::Value;
use serde_json::json;

use super::Abstention;
use super::Inducement;
use super::Member;
use super::draft_with;
use super::meanings::Meanings;
use super::pooled::Eyes;
use super::wording::DESCRIPTION_MAX;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::mapping_example;
use crate::domain::template::mapping_example::Shown;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

static KINDS: LazyLock<Vec<(ValueType, Regex)>> = LazyLock::new(|| {
    [
        (ValueType::Money, r"\$\d+"),
        (ValueType::Time, r"(?i)\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b"),
        (
            ValueType::Date,
            r"(?i)\b(?:may|june) \d{1,2}(?:st|nd|rd|th)?\b|\btomorrow\b|\b(?:mon|fri)day\b",
        ),
        (
            ValueType::Duration,
            r"(?i)\b(?:\d+|two|three|four) (?:nights?|days?|hours?)\b",
        ),
        (
            ValueType::Number,
            r"(?i)\b\d+(?:\.\d+)?\b|\b(?:once|twice|two|three|four|five)\b",
        ),
        (
            ValueType::Name,
            r"\b(?:Paris|London|Berlin|Madrid|Rome|Vienna)\b|\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b",
        ),
    ]
    .into_iter()
    .map(|(kind, pattern)| (kind, Regex::new(pattern).expect("a pattern")))
    .collect()
});

fn spans(text: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (value_type, pattern) in KINDS.iter() {
        for found in pattern.find_iter(text) {
            if spans
                .iter()
                .all(|span| found.end() <= span.start || found.start() >= span.end)
            {
                spans.push(Span {
                    value_type: *value_type,
                    start: found.start(),
                    end: found.end(),
                });
            }
        }
    }
    spans
}

fn eyes() -> Eyes<'static> {
    Eyes {
        spans: &spans,
        redact: &|text| text.to_owned(),
    }
}

fn members(texts: &[&str], clients: usize) -> Vec<Member> {
    texts
        .iter()
        .enumerate()
        .map(|(n, text)| Member {
            text: (*text).to_owned(),
            client: ClientId::parse(&format!("c{}", n % clients)),
            reading: unread(),
            // A Friday.
            at: At::parse("2026-05-01T10:00:00Z").expect("a moment"),
        })
        .collect()
}

/// A reading that says nothing: induction reads the text itself.
fn unread() -> Reading {
    serde_json::from_value(json!({"types": [], "roles": [], "cues": [], "names": [], "words": []})).expect("a reading")
}

fn visible(name: &str, key_type: &str, description: &str, constraints: Value) -> EffectiveKey {
    EffectiveKey::bare(
        serde_json::from_value(json!({
            "key_name": name, "key_type": key_type, "required": false, "semantic_description": description,
            "constraints": constraints,
        }))
        .expect("a key"),
    )
}

fn flight_keys() -> Vec<EffectiveKey> {
    vec![
        visible("origin", "string", "Departure city or airport.", json!({})),
        visible(
            "departure_date",
            "string",
            "Date of the flight.",
            json!({"format": "date"}),
        ),
        visible(
            "cabin_class",
            "string",
            "Class of the flight.",
            json!({"enum": ["economy", "business"]}),
        ),
        visible("other", "string", "Anything else.", json!({})),
    ]
}

const BACKGROUND: [&str; 12] = [
    "vegetarian meal",
    "a vegan meal please",
    "two bags",
    "I have three bags to check",
    "extra legroom",
    "some more legroom please",
    "a flight to Paris",
    "the flight should be direct",
    "no layover",
    "under $300",
    "with my cat",
    "a quiet cabin",
];

fn induced(
    members: &[Member],
    background: &[&str],
    keys: &[EffectiveKey],
    personal: bool,
    eyes: Eyes<'_>,
) -> Result<Proposal, Abstention> {
    let background: Vec<String> = background.iter().map(|text| (*text).to_owned()).collect();
    let inducement = Inducement {
        members,
        background: &background,
        scenario: "flight_booking",
        description: "Book a flight",
        keys,
        personal,
        example_clients_min: 3,
    };
    draft_with(&inducement, eyes)?.propose(&Meanings::default())
}

fn induce_from(texts: &[&str], clients: usize, keys: &[EffectiveKey], personal: bool) -> Result<Proposal, Abstention> {
    induced(&members(texts, clients), &BACKGROUND, keys, personal, eyes())
}

/// The same members, but those with a word in them are one other client's.
fn said_by_another(members: Vec<Member>, word: &str) -> Vec<Member> {
    let own = |member: Member| {
        let client = if member.text.contains(word) {
            ClientId::parse("c9")
        } else {
            member.client
        };
        Member { client, ..member }
    };
    members.into_iter().map(own).collect()
}

fn flight(texts: &[&str]) -> KeyDefinition {
    induce_from(texts, 5, &flight_keys(), false).expect("a key").key
}

const SEATS: [&str; 12] = [
    "window seat please",
    "I'd like a window seat",
    "an aisle seat if possible",
    "aisle seat",
    "can I have the window seat",
    "a seat on the aisle",
    "seat by the window",
    "window seat",
    "prefer an aisle seat",
    "middle seat is fine",
    "middle seat",
    "aisle please",
];

#[test]
fn closed_demand_becomes_a_list_with_none_as_default_z069_z111_z112_z178() {
    let proposal = induce_from(&SEATS, 5, &flight_keys(), false).expect("a key");
    let key = &proposal.key;
    assert_eq!(key.key_name.as_str(), "seat_preference");
    assert_eq!((key.key_type, key.required), (KeyType::String, false));
    assert_eq!(
        key.constraints.get("enum"),
        Some(&json!(["aisle", "window", "middle", "none"]))
    );
    assert_eq!(key.default_value, Some(json!("none")));
    assert!(
        key.semantic_description
            .starts_with("Seat preference the user wants. Acceptable values: aisle, window, middle, none. Examples: '"),
        "{}",
        key.semantic_description
    );
    assert_eq!(proposal.surfaces, ["aisle", "window", "middle"]);
    let mapped = mapping_example::shown(&key.semantic_description);
    assert_eq!(mapped.len(), 3, "{mapped:?}");
    for Shown { said, value } in mapped {
        assert!(SEATS.contains(&said), "a real fragment: {said}");
        assert!(said.contains(value));
    }
}

#[test]
fn only_lists_and_switches_ask_for_vectors_z109() {
    let texts_of = |texts: &[&str]| {
        let members = members(texts, 5);
        let inducement = Inducement {
            members: &members,
            background: &[],
            scenario: "flight_booking",
            description: "Book a flight",
            keys: &[],
            personal: false,
            example_clients_min: 3,
        };
        super::draft_with(&inducement, eyes()).expect("a draft").texts()
    };
    assert!(texts_of(&SEATS).iter().any(|text| text == "window seat"));
    assert!(texts_of(&["May 3", "on June 5", "May 12 please", "June 1"]).is_empty());
}

#[test]
fn a_single_wish_becomes_a_switch_that_is_off_z111() {
    let texts = [
        "extra wifi please",
        "I need wifi",
        "wifi on board",
        "with wifi",
        "wifi please",
        "wifi",
    ];
    let key = flight(&texts);
    assert_eq!((key.key_name.as_str(), key.key_type), ("has_wifi", KeyType::Boolean));
    assert_eq!(key.default_value, Some(json!(false)));
}

#[test]
fn one_sort_of_the_services_own_thing_is_no_switch_where_others_ask_for_others_z071_z111() {
    let texts = [
        "I'd like an action movie",
        "action movies please",
        "find me an action movie",
        "I like action movies",
        "some action movie",
        "an action movie would be great",
    ];
    let kind_beside = |background: &[&str]| {
        let members = members(&texts, 5);
        let background: Vec<String> = background.iter().map(|text| (*text).to_owned()).collect();
        let inducement = Inducement {
            members: &members,
            background: &background,
            scenario: "movies_1",
            description: "Find movies and watch them",
            keys: &[],
            personal: false,
            example_clients_min: 3,
        };
        let draft = super::draft_with(&inducement, eyes()).expect("a draft");
        draft.propose(&Meanings::default()).expect("a key").key.key_type
    };
    let others = [
        "a comedy movie",
        "comedy movies",
        "drama movies please",
        "I like drama movies",
    ];
    assert_eq!(kind_beside(&others), KeyType::String);
    assert_eq!(
        kind_beside(&others[..2]),
        KeyType::Boolean,
        "one other sort may be a whim"
    );
}

#[test]
fn one_sort_of_a_thing_whose_sort_has_a_key_is_no_switch_z071_z111() {
    let texts = [
        "a steel frame please",
        "I'd like a steel frame",
        "steel frames only",
        "make it a steel frame",
        "with a steel frame",
    ];
    let kind_beside = |name: &str, background: &[&str]| {
        let members = members(&texts, 5);
        let background: Vec<String> = background.iter().map(|text| (*text).to_owned()).collect();
        let key = json!({
            "key_name": name, "key_type": "string", "required": false, "semantic_description": "Of the bicycle.",
        });
        let keys = [EffectiveKey::bare(serde_json::from_value(key).expect("a key"))];
        let inducement = Inducement {
            members: &members,
            background: &background,
            scenario: "bicycles",
            description: "Rent a bicycle",
            keys: &keys,
            personal: false,
            example_clients_min: 3,
        };
        let draft = super::draft_with(&inducement, eyes()).expect("a draft");
        draft.propose(&Meanings::default()).expect("a key").key.key_type
    };
    let other = ["a carbon frame", "the carbon frame please", "a lock"];
    assert_eq!(kind_beside("frame_type", &other), KeyType::String);
    assert_eq!(kind_beside("frame_type", &other[1..]), KeyType::Boolean, "said once");
    assert_eq!(
        kind_beside("frame_size", &other),
        KeyType::Boolean,
        "no key for its sort"
    );
}

#[test]
fn values_that_share_a_word_stay_a_list_z111() {
    let key = flight(&[
        "economy class",
        "premium economy",
        "I fly economy",
        "premium economy please",
        "an economy ticket",
        "economy",
        "premium economy class",
        "economy please",
        "economy class ticket",
    ]);
    assert_eq!(key.key_type, KeyType::String);
    let listed = key.constraints.get("enum").map(Value::to_string).unwrap_or_default();
    assert!(
        listed.contains("\"economy\"") && listed.contains("\"premium economy\""),
        "{listed}"
    );
}

#[test]
fn one_thing_that_some_will_not_have_is_a_switch_z111() {
    let texts = [
        "with trip protection please",
        "add trip protection",
        "no trip protection",
        "I want the trip protection",
        "without protection",
        "trip protection would be good",
        "I'd like protection",
        "put protection on it",
        "I'll take the trip protection",
        "yes to trip protection",
    ];
    let key = induce_from(&texts, 5, &flight_keys(), false).expect("a key").key;
    assert_eq!(key.key_type, KeyType::Boolean);
}

#[test]
fn degrees_of_one_thing_become_a_level_z111() {
    let key = flight(&[
        "less ice",
        "no ice please",
        "extra ice",
        "without ice",
        "less ice please",
        "more ice",
        "no ice",
    ]);
    assert_eq!((key.key_name.as_str(), key.key_type), ("ice_level", KeyType::String));
    assert_eq!(key.constraints.get("enum"), Some(&json!(["none", "extra", "less"])));
    assert_eq!(key.default_value, Some(json!("none")));
}

#[test]
fn how_often_becomes_a_rhythm_whatever_words_say_it_z111() {
    let key = flight(&[
        "every two weeks would be best",
        "weekly please",
        "biweekly",
        "once a week",
        "come once a month",
        "every week",
        "a monthly visit",
        "just the one time",
        "each week",
        "I'd like it every other week",
    ]);
    assert_eq!((key.key_name.as_str(), key.key_type), ("frequency", KeyType::String));
    let listed = json!(["weekly", "every two weeks", "monthly", "none"]);
    assert_eq!(key.constraints.get("enum"), Some(&listed));
    assert!(
        key.semantic_description.contains("how often the user wants it"),
        "{}",
        key.semantic_description
    );
    assert!(
        key.semantic_description.contains("-> weekly"),
        "{}",
        key.semantic_description
    );
}

#[test]
fn a_rhythm_is_one_of_what_nearly_everybody_speaks_of_z111() {
    let proposal = induce_from(
        &[
            "a photo every week",
            "weekly photos",
            "one photo a month, monthly",
            "photo every other week",
            "a photo monthly please",
        ],
        5,
        &flight_keys(),
        false,
    );
    let proposal = proposal.expect("a key");
    assert_eq!(proposal.key.key_name.as_str(), "photo_frequency");
    assert_eq!(proposal.surfaces, ["monthly", "every week", "weekly"]);
}

#[test]
fn one_rhythm_alone_and_what_most_do_not_say_are_no_choice_of_rhythms_z111() {
    let daily = [
        "daily please",
        "every day",
        "once a day",
        "each day",
        "daily",
        "every day please",
    ];
    assert_ne!(flight(&daily).key_name.as_str(), "frequency");
    let few = [
        "weekly fish",
        "monthly fish",
        "vegetarian",
        "vegan",
        "halal please",
        "kosher",
        "vegan please",
    ];
    assert_ne!(flight(&few).key_name.as_str(), "frequency");
}

#[test]
fn what_only_a_verb_says_is_asked_for_too_z109() {
    let broken = [
        "it won't freeze",
        "that does not freeze",
        "never freezes",
        "it can't freeze",
        "why doesn't it freeze",
    ];
    assert!(induce_from(&broken, 5, &flight_keys(), false).is_ok());
}

#[test]
fn questions_and_empty_talk_give_no_key_z109() {
    let questions = ["do you fly there?", "what is that?", "is it far?", "which one is best?"];
    assert_eq!(
        induce_from(&questions, 4, &flight_keys(), false),
        Err(Abstention::Question)
    );
    let talk = ["that's it", "as you say", "so be it", "well then", "and so on"];
    assert_eq!(induce_from(&talk, 4, &flight_keys(), false), Err(Abstention::NoContent));
    assert_eq!(induce_from(&[], 1, &flight_keys(), false), Err(Abstention::NoContent));
}

#[test]
fn a_visible_name_is_never_given_again_z113() {
    let mut keys = flight_keys();
    keys.push(visible(
        "seat_preference",
        "boolean",
        "Whether a seat is wanted.",
        json!({}),
    ));
    let key = induce_from(&SEATS, 5, &keys, false).expect("a key").key;
    assert_ne!(key.key_name.as_str(), "seat_preference");
}

#[test]
fn the_same_cluster_gives_the_same_bytes_z110() {
    let once = induce_from(&SEATS, 5, &flight_keys(), false).expect("a key");
    let again = induce_from(&SEATS, 5, &flight_keys(), false).expect("a key");
    assert_eq!(
        serde_json::to_string(&once).expect("json"),
        serde_json::to_string(&again).expect("json")
    );
}

#[test]
fn two_hundred_wordy_members_are_bounded_work_z110() {
    let words = [
        "red", "blue", "green", "small", "large", "round", "flat", "warm", "cold", "soft", "hard", "dark",
    ];
    let texts: Vec<String> = (0..400_usize)
        .map(|n| {
            (0..24)
                .map(|k| words[(n * 7 + k * k) % words.len()])
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let _ = induce_from(&texts, 5, &flight_keys(), false);
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn no_cluster_makes_it_panic_or_leak_z169_z170_z171(
        texts in proptest::collection::vec(
            proptest::prop_oneof![
                "\\PC{0,40}",
                ".{0,40}",
                "(window|aisle|front) seat",
                "[a-z]{2,8}@[a-z]{2,8}\\.(com|org) (window|aisle) seat",
                "(window|aisle) seat \\+?[0-9]{3}[ -][0-9]{3}[ -][0-9]{4}",
                "(window|aisle) seat [\\x00-\\x1f\u{202a}-\u{202e}]",
            ],
            0..24,
        ),
        personal: bool,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let first = induce_from(&texts, 4, &flight_keys(), personal);
        prop_assert_eq!(&first, &induce_from(&texts, 4, &flight_keys(), personal));
        if let Ok(proposal) = first {
            let key = &proposal.key;
            prop_assert!(!key.required);
            prop_assert!(key.semantic_description.chars().count() <= DESCRIPTION_MAX);
            let mut shown = vec![key.key_name.as_str().to_owned(), key.semantic_description.clone()];
            shown.extend(proposal.examples.iter().cloned());
            shown.extend(proposal.surfaces.iter().cloned());
            shown.extend(key.constraints.get("enum").map(Value::to_string));
            for text in shown {
                prop_assert!(!text.contains('@'), "{}", text);
                prop_assert!(!text.chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)), "{:?}", text);
                let longest = text
                    .split(|c: char| !c.is_ascii_digit() && c != ' ' && c != '-')
                    .map(|run| run.chars().filter(char::is_ascii_digit).count())
                    .max();
                // A date has eight digits; a telephone number ten.
                prop_assert!(longest.unwrap_or(0) < 10, "{}", text);
            }
        }
    }
}

#[test]
fn where_one_is_taken_is_a_place_whatever_its_name_z110() {
    let named = |texts: &[&str]| flight(texts).key_name.to_string();
    let taken = [
        "take me to Blue Lagoon",
        "going to Silver Hall",
        "to Old Mill",
        "bring us to the Green Park",
        "drive to Stone Gate",
    ];
    let wanted = [
        "Blue Lagoon",
        "the Silver Hall",
        "Old Mill",
        "Green Park please",
        "Stone Gate",
    ];
    assert_eq!(named(&taken), "destination");
    assert_eq!(named(&wanted), "flight_name");
}

#[test]
fn a_place_that_one_departs_from_has_a_destination_z110() {
    let texts = [
        "to Paris please",
        "going to London",
        "to Berlin",
        "heading to Madrid",
        "to Rome",
    ];
    let keys = [visible("departure", "string", "Place where it begins.", json!({}))];
    let named = induce_from(&texts, 5, &keys, false).expect("a key").key.key_name;
    assert_eq!(named.as_str(), "destination");
}

#[test]
fn people_are_called_by_what_they_do_where_someone_says_it_z110() {
    let named = |word: &str| {
        let texts = [
            format!("my {word} is Anna Bell"),
            "Paul Weaver please".to_owned(),
            format!("the {word} is Mary Stone"),
            "with Peter Small".to_owned(),
            format!("{word} Laura Hill"),
        ];
        // Of thirty the three are few, and still more than anybody says besides.
        let mut all: Vec<String> = texts.to_vec();
        all.extend((0..25).map(|n| {
            format!(
                "{} Reed{}",
                ["Anna", "Paul", "Mary", "Peter", "Laura"][n % 5],
                "e".repeat(n)
            )
        }));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        flight(&all).key_name.to_string()
    };
    assert_eq!(named("trainer"), "trainer_name");
    assert_eq!(named("brother"), "contact_name");
}

#[test]
fn a_given_name_in_small_letters_is_a_persons_and_a_title_is_none_z110() {
    let asked = |names: [&str; 5]| {
        let [a, b, c, d, e] = names;
        let texts = [
            format!("i'd like {a} to do it"),
            format!("Put me in with {b}"),
            format!("only {c}, nobody else"),
            format!("let it be {d}"),
            format!("{e} please"),
            format!("i always go to {a}"),
        ];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        flight(&texts).key_name.to_string()
    };
    assert_eq!(asked(["marco", "Bianca", "olga", "Sophie", "Chloe"]), "contact_name");
    assert_ne!(
        asked(["Vurkanto", "Zelmix", "Qorvasta", "Brindulo", "Plexora"]),
        "contact_name"
    );
}
