//! Small cases, each with one thing to see.

mod measured;

mod siblings;

mod unsaid;

use serde_json::Value;
use serde_json::json;

use super::Case;
use super::judge;
use crate::domain::evolution::ledger::Basis;
use crate::domain::template::key::KeyDefinition;
use crate::domain::time::At;

fn key(name: &str, key_type: &str, constraints: Value, default: Value) -> KeyDefinition {
    serde_json::from_value(json!({
        "key_name": name, "key_type": key_type, "required": false, "default_value": default,
        "semantic_description": "Something. Examples: 'somewhere to see the clouds' -> window; 'near the corridor' -> aisle.",
        "constraints": constraints,
    }))
    .expect("a key")
}

fn seat() -> KeyDefinition {
    key(
        "seat_preference",
        "string",
        json!({"enum": ["window", "aisle", "none"]}),
        json!("none"),
    )
}

fn bags() -> KeyDefinition {
    key("number_of_bags", "integer", json!({}), Value::Null)
}

fn shared() -> KeyDefinition {
    key("shared_ride", "boolean", json!({}), json!(false))
}

fn said(key: &KeyDefinition, value: Value, utterance: &str) -> Option<bool> {
    let surfaces = ["window".to_owned(), "aisle".to_owned()];
    let case = Case {
        key,
        value: &value,
        utterance: Some(utterance),
        other: &[],
        surfaces: if key.key_name.as_str() == "seat_preference" {
            &surfaces
        } else {
            &[]
        },
        siblings: &[],
        at: None,
    };
    judge(&case).map(|(aligned, basis)| {
        assert_eq!(basis, Basis::Lexical);
        aligned
    })
}

#[test]
fn a_listed_value_must_be_the_one_that_was_said_z136() {
    assert_eq!(
        said(&seat(), json!("window"), "Book me a flight with a window seat"),
        Some(true)
    );
    assert_eq!(
        said(&seat(), json!("aisle"), "Book me a flight with a window seat"),
        Some(false)
    );
    assert_eq!(
        said(&seat(), json!("window"), "windows, please"),
        Some(true),
        "by its stem"
    );
    assert_eq!(said(&seat(), json!("window"), "not a window seat"), Some(false));
    assert_eq!(
        said(&seat(), json!("window"), "a flight to Rome"),
        Some(false),
        "invented"
    );
    assert_eq!(
        said(&seat(), json!("window"), "any good seat"),
        None,
        "the seat is spoken of, the value is not"
    );
    assert_eq!(
        said(&seat(), json!("window"), "I want to see the clouds from somewhere"),
        Some(true),
        "by example"
    );
}

#[test]
fn a_default_of_which_nothing_is_said_is_unjudged_z136() {
    assert_eq!(said(&seat(), json!("none"), "a flight to Rome"), None);
    assert_eq!(said(&seat(), json!("none"), "a window seat to Rome"), Some(false));
    assert_eq!(said(&seat(), json!("none"), "no window for me"), Some(true));
    assert_eq!(said(&seat(), json!("none"), "no seat preference"), Some(true));
    assert_eq!(said(&seat(), Value::Null, "a window seat"), None);
    assert_eq!(
        said(&shared(), json!(false), "a ride to the airport at five"),
        None,
        "any ride is a ride"
    );
    assert_eq!(said(&shared(), json!(false), "take me to the airport"), None);
}

#[test]
fn booleans_follow_cue_and_negation_z136() {
    assert_eq!(said(&shared(), json!(true), "a shared cab is fine"), Some(true));
    assert_eq!(said(&shared(), json!(false), "a shared cab is fine"), Some(false));
    assert_eq!(said(&shared(), json!(true), "I do not want to share"), Some(false));
    assert_eq!(said(&shared(), json!(false), "I do not share"), Some(true));
    assert_eq!(said(&shared(), json!(true), "I don't mind sharing"), Some(true));
    for asked in [
        "don't forget to share",
        "why not share",
        "I can't do without sharing",
        "I'd never skip sharing",
    ] {
        assert_eq!(said(&shared(), json!(true), asked), Some(true), "{asked}");
        assert_eq!(said(&shared(), json!(false), asked), Some(false), "{asked}");
    }
    assert_eq!(said(&shared(), json!(true), "no need to share"), Some(false));
    assert_eq!(said(&shared(), json!(true), "take me home"), Some(false), "invented");
    assert_eq!(
        said(&shared(), json!(true), "yes, that is fine"),
        None,
        "an answer to what is not here"
    );
    assert_eq!(
        said(&shared(), json!(true), "others may ride along"),
        Some(true),
        "in other words"
    );
    assert_eq!(
        said(&shared(), json!(true), "a private ride"),
        Some(false),
        "the contrary"
    );
}

#[test]
fn dates_and_times_are_compared_as_said_z136() {
    let date = key("return_date", "string", json!({"format": "date"}), Value::Null);
    assert_eq!(said(&date, json!("2026-05-04"), "back on May 4th"), Some(true));
    assert_eq!(said(&date, json!("2026-05-05"), "back on May 4th"), Some(false));
    assert_eq!(said(&date, json!("2026-05-04"), "back on 2026-05-04"), Some(true));
    assert_eq!(
        said(&date, json!("2026-05-04"), "from 2026-05-01 to 2026-05-04"),
        Some(true)
    );
    assert_eq!(said(&date, json!("2026-05-04"), "next Monday"), Some(true));
    assert_eq!(said(&date, json!("2026-05-05"), "next Monday"), Some(false));
    assert_eq!(
        said(&date, json!("2026-05-04"), "tomorrow"),
        None,
        "only the moment of saying could tell"
    );
    let clock = key(
        "return_time",
        "string",
        json!({"pattern": crate::domain::evolution::moment::CLOCK_PATTERN}),
        Value::Null,
    );
    assert_eq!(said(&clock, json!("17:00"), "at 5 pm"), Some(true));
    let time = key("return_time", "string", json!({"format": "time"}), Value::Null);
    assert_eq!(said(&time, json!("17:00"), "at 5 pm"), Some(true));
    assert_eq!(said(&time, json!("05:00"), "at 5 pm"), Some(false));
    assert_eq!(
        said(&time, json!("17:30"), "at 5:30"),
        Some(true),
        "either half of the day"
    );
    assert_eq!(said(&time, json!("17:30"), "early"), Some(false), "invented");
}

/// Judges with siblings, on a Friday.
fn among(key: &KeyDefinition, siblings: &[KeyDefinition], value: Value, utterance: &str) -> Option<bool> {
    let siblings: Vec<&KeyDefinition> = siblings.iter().collect();
    let case = Case {
        key,
        value: &value,
        utterance: Some(utterance),
        other: &[],
        surfaces: &[],
        siblings: &siblings,
        at: At::parse("2026-05-01T10:00:00Z"),
    };
    judge(&case).map(|(aligned, _)| aligned)
}

fn text(name: &str) -> KeyDefinition {
    key(name, "string", json!({}), Value::Null)
}

fn date(name: &str) -> KeyDefinition {
    key(name, "string", json!({"format": "date"}), Value::Null)
}

#[test]
fn quarters_and_halves_hold_in_their_half_of_the_day_z136() {
    let time = key("departure_time", "string", json!({"format": "time"}), Value::Null);
    for (utterance, right) in [
        ("at half past 12 in the afternoon", "12:30"),
        ("a quarter to 1 in the afternoon", "12:45"),
        ("half past 9 in the morning", "09:30"),
        ("around 8 in the morning", "08:00"),
        ("at noon", "12:00"),
    ] {
        assert_eq!(said(&time, json!(right), utterance), Some(true), "{utterance}");
        assert_eq!(said(&time, json!("04:15"), utterance), Some(false), "{utterance}");
    }
}

#[test]
fn a_code_is_no_word_of_the_dictionary_z136() {
    let city = text("city");
    for utterance in ["LAX is where I want to go", "flying into LAX", "out of LAX"] {
        assert_eq!(among(&city, &[], json!("LAX"), utterance), Some(true), "{utterance}");
    }
    assert_eq!(
        among(&city, &[], json!("thriller"), "a thriller tonight"),
        Some(false),
        "a plain word is no place"
    );
}

#[test]
fn to_call_something_so_names_it_and_no_person_z136() {
    let event = text("event_name");
    for utterance in ["Call it dental visit", "call the event Dental visit please"] {
        assert_eq!(
            among(&event, &[], json!("Dental visit"), utterance),
            Some(true),
            "{utterance}"
        );
    }
    assert_eq!(
        among(&event, &[], json!("Ada Stone"), "call Ada Stone"),
        Some(false),
        "a person is called"
    );
}

#[test]
fn a_verb_announces_nothing_z136() {
    let (city, day) = (text("destination"), date("check_in_date"));
    assert_eq!(among(&city, &[day], json!("Lima"), "please check Lima"), Some(true));
}

#[test]
fn assent_alone_raises_no_flag_and_denies_none_z136() {
    for utterance in ["yes, no problem", "sure, go ahead", "either way"] {
        assert_eq!(said(&shared(), json!(true), utterance), None, "{utterance}");
    }
    assert_eq!(
        said(&shared(), json!(true), "to the airport, go ahead"),
        Some(false),
        "more than assent"
    );
}

#[test]
fn a_rhythm_is_right_in_whatever_words_it_was_said_z111_z136() {
    let list = key(
        "frequency",
        "string",
        json!({"enum": ["weekly", "every two weeks", "once", "none"]}),
        json!("none"),
    );
    for (value, said, agrees) in [
        ("every two weeks", "I'd like it every other week", true),
        ("weekly", "I'd like it every other week", false),
        ("weekly", "once a week please", true),
        ("once", "once a week please", false),
        ("weekly", "not every week", false),
    ] {
        assert_eq!(among(&list, &[], json!(value), said), Some(agrees), "{value}: {said}");
    }
}

#[test]
fn dates_are_relative_to_the_request_z136() {
    let day = date("event_date");
    assert_eq!(among(&day, &[], json!("2026-05-02"), "tomorrow"), Some(true));
    assert_eq!(among(&day, &[], json!("2026-05-03"), "tomorrow"), Some(false));
    assert_eq!(among(&day, &[], json!("2026-04-30"), "bought yesterday"), Some(true));
    assert_eq!(
        among(&day, &[], json!("2026-04-10"), "bought three weeks ago"),
        Some(true)
    );
    assert_eq!(
        among(&day, &[], json!("2026-05-01"), "bought three weeks ago"),
        Some(false)
    );
    assert_eq!(
        among(&day, &[], json!("2026-05-13"), "the 13th of this month"),
        Some(true)
    );
    assert_eq!(
        among(&day, &[], json!("2026-05-13"), "13 people"),
        Some(false),
        "no date at all"
    );
}

#[test]
fn a_day_without_a_year_is_the_next_one_or_the_latest_z136() {
    let day = date("event_date");
    for said in ["shot on 15 April", "booked for the 15th of April", "on 4/15"] {
        for (value, agrees) in [("2026-04-15", true), ("2027-04-15", true), ("2026-04-16", false)] {
            assert_eq!(among(&day, &[], json!(value), said), Some(agrees), "{said}: {value}");
        }
    }
    for (value, agrees) in [("2025-04-15", true), ("2026-04-15", false)] {
        let verdict = among(&day, &[], json!(value), "born on 15 April 2025");
        assert_eq!(verdict, Some(agrees), "a year that is said counts: {value}");
    }
}

#[test]
fn short_forms_of_names_are_names_z136() {
    let city = text("city");
    for (name, said) in [
        ("New York", "in NYC please"),
        ("Los Angeles", "near LAX"),
        ("Philadelphia", "around philly"),
        ("Atlanta", "something in ATL"),
        ("Sacramento, CA", "in Sacramento"),
        ("Sacramento", "in Sacramento, CA"),
    ] {
        assert_eq!(among(&city, &[], json!(name), said), Some(true), "{name}");
    }
    assert_eq!(among(&city, &[], json!("San Diego"), "in NYC please"), Some(false));
    assert_eq!(among(&city, &[], json!("Chicago"), "in Sacramento, CA"), Some(false));
}

#[test]
fn another_kind_of_thing_does_not_agree_z136() {
    let (director, title, city) = (text("directed_by"), text("movie_title"), text("city"));
    let said = "a movie directed by Ada Stone";
    assert_eq!(
        among(&director, std::slice::from_ref(&title), json!("Ada Stone"), said),
        Some(true)
    );
    assert_eq!(
        among(&title, std::slice::from_ref(&director), json!("Ada Stone"), said),
        Some(false)
    );
    assert_eq!(among(&city, &[], json!("2026-05-04"), "on 2026-05-04"), Some(false));
    assert_eq!(among(&title, &[], json!("Lima"), "something in Lima"), Some(false));
    assert_eq!(among(&title, &[], json!("Lima"), "a movie called Lima"), Some(true));
    let (song, album) = (text("song_name"), text("album"));
    let said = "play the album Dust";
    assert_eq!(
        among(&album, std::slice::from_ref(&song), json!("Dust"), said),
        Some(true)
    );
    assert_eq!(
        among(&song, std::slice::from_ref(&album), json!("Dust"), said),
        Some(false)
    );
    let listed = key("kind", "string", json!({"enum": ["sport", "music"]}), Value::Null);
    assert_eq!(
        among(&title, &[listed], json!("Music"), "music please"),
        Some(false),
        "on the sibling's list"
    );
}

#[test]
fn a_word_that_an_example_shows_for_the_value_says_it_z136() {
    for shown in [
        "Equipment. Examples: 'taking my bike along' -> bicycle; 'a board for the sea' -> surfboard.",
        "Equipment. Example mapping: 'taking my bike along' -> 'bicycle'; 'a board for the sea' -> 'surfboard'.",
    ] {
        let equipment = KeyDefinition {
            semantic_description: shown.to_owned(),
            ..text("equipment")
        };
        let judged = |value: &str, utterance: &str| said(&equipment, json!(value), utterance);
        let said_of_bicycle = judged("bicycle", "to the castle, and I have my bike with me");
        assert_eq!(said_of_bicycle, Some(true), "{shown}");
        assert_eq!(judged("surfboard", "I have my bike with me"), Some(false), "{shown}");
        assert_eq!(judged("bicycle", "no bike this time"), Some(false), "{shown}");
    }
    let title = KeyDefinition {
        semantic_description: "Title. Examples: 'a movie called Blue Dusk' -> Blue Dusk.".to_owned(),
        ..text("title")
    };
    // What stands beside a value in an example is not the value.
    assert_eq!(said(&title, json!("Blue Dusk"), "any movie will do"), Some(false));
}

#[test]
fn free_text_needs_half_of_its_words_z136() {
    let hotel = key("hotel_name", "string", json!({}), Value::Null);
    assert_eq!(
        said(&hotel, json!("Grand Budapest"), "a room at the Grand Budapest"),
        Some(true)
    );
    assert_eq!(said(&hotel, json!("Grand Budapest"), "a room at the Grand"), Some(true));
    assert_eq!(
        said(&hotel, json!("Grand Budapest Palace"), "a room at the Grand"),
        None
    );
    assert_eq!(said(&hotel, json!("Ritz"), "a room at the Grand"), Some(false));
    let list = key("toppings", "array", json!({}), Value::Null);
    assert_eq!(said(&list, json!(["ham", "olives"]), "ham and olives"), Some(true));
    assert_eq!(said(&list, json!(["ham", "corn"]), "ham and olives"), Some(false));
    assert_eq!(said(&list, json!([]), "ham"), None);
    assert_eq!(said(&list, json!({"a": 1}), "ham"), None);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic_z169(utterance in ".{0,80}", value in ".{0,20}", surface in ".{0,8}") {
        let value = json!(value);
        let surfaces = [surface];
        for key in [seat(), bags(), shared(), key("d", "string", json!({"format": "date"}), Value::Null),
            key("t", "string", json!({"format": "time"}), Value::Null)] {
            for utterance in [Some(utterance.as_str()), None] {
                let seat = seat();
                let siblings = [&seat];
                let at = At::parse("2026-05-01T10:00:00Z");
                let case = Case { key: &key, value: &value, utterance, other: &surfaces, surfaces: &surfaces, siblings: &siblings, at };
                let _ = judge(&case);
            }
        }
    }
}
