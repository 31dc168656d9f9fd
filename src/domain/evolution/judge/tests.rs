//! Small cases, each with one thing to see.

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

fn unsaid(key: &KeyDefinition, value: Value, other: &[&str], surfaces: &[&str]) -> Option<bool> {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (other, surfaces) = (own(other), own(surfaces));
    let case = Case {
        key,
        value: &value,
        utterance: None,
        other: &other,
        surfaces: &surfaces,
        siblings: &[],
        at: None,
    };
    judge(&case).map(|(aligned, basis)| {
        assert_eq!(basis, Basis::Proxy);
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
fn numbers_beside_their_noun_decide_z136() {
    assert_eq!(said(&bags(), json!(2), "two bags please"), Some(true));
    assert_eq!(said(&bags(), json!(3), "2 bags please"), Some(false));
    assert_eq!(said(&bags(), json!(2), "2 passengers with 3 bags"), Some(false));
    assert_eq!(said(&bags(), json!(3), "2 passengers with 3 heavy bags"), Some(true));
    assert_eq!(said(&bags(), json!(1), "and a bag"), Some(true));
    assert_eq!(said(&bags(), json!(0), "without bags"), Some(true));
    assert_eq!(said(&bags(), json!(2), "without bags"), Some(false));
    assert_eq!(said(&bags(), json!(25), "bags: twenty five"), Some(true));
    assert_eq!(
        said(&bags(), json!(2), "take my things to Rome"),
        Some(false),
        "invented"
    );
    assert_eq!(said(&bags(), json!(2), "2 of them"), Some(true));
    assert_eq!(said(&bags(), json!(4), "2 of them"), Some(false));
}

#[test]
fn booleans_follow_cue_and_negation_z136() {
    assert_eq!(said(&shared(), json!(true), "a shared cab is fine"), Some(true));
    assert_eq!(said(&shared(), json!(false), "a shared cab is fine"), Some(false));
    assert_eq!(said(&shared(), json!(true), "I do not want to share"), Some(false));
    assert_eq!(said(&shared(), json!(false), "I do not share"), Some(true));
    assert_eq!(said(&shared(), json!(true), "I don't mind sharing"), Some(true));
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
fn the_other_end_of_a_journey_is_not_meant_z136() {
    let (from, to) = (text("origin_city"), text("destination_city"));
    for (said, near, far) in [
        ("from Lima", true, false),
        ("a ticket to Lima", false, true),
        ("leaving Lima on Monday", true, false),
        ("I am leaving for Lima", false, true),
        ("Lima is my destination", false, true),
        ("Lima", true, true),
    ] {
        assert_eq!(said_of(&from, &to, said), Some(near), "origin, {said}");
        assert_eq!(said_of(&to, &from, said), Some(far), "destination, {said}");
    }
}

fn said_of(key: &KeyDefinition, sibling: &KeyDefinition, utterance: &str) -> Option<bool> {
    among(key, std::slice::from_ref(sibling), json!("Lima"), utterance)
}

#[test]
fn the_other_end_of_a_journey_or_stay_is_another_date_z136() {
    let there_and_back = [date("departure_date"), date("return_date")];
    let stay = [date("check_in_date"), date("check_out_date")];
    for (keys, utterance, first, second) in [
        (&there_and_back, "returning on May 4th", false, true),
        (&there_and_back, "I leave on May 4th", true, false),
        (&there_and_back, "May 4th", true, true),
        (&stay, "arriving on May 4th", true, false),
        (&stay, "until May 4th", false, true),
        (&stay, "leaving on May 4th", false, true),
        (&stay, "from May 2nd to May 4th", false, true),
    ] {
        let judged = |at: usize| among(&keys[at], &keys[1 - at..2 - at], json!("2026-05-04"), utterance);
        assert_eq!((judged(0), judged(1)), (Some(first), Some(second)), "{utterance}");
    }
}

#[test]
fn not_until_a_day_begins_then_z136() {
    let (there, back) = (date("departure_date"), date("return_date"));
    let judged = |key: &KeyDefinition, sibling: &KeyDefinition, utterance: &str| {
        among(key, std::slice::from_ref(sibling), json!("2026-05-04"), utterance)
    };
    let said = "I'm not leaving until May 4th";
    assert_eq!(
        (judged(&there, &back, said), judged(&back, &there, said)),
        (Some(true), Some(false))
    );
    let said = "I'm staying until May 4th";
    assert_eq!(
        (judged(&there, &back, said), judged(&back, &there, said)),
        (Some(false), Some(true))
    );
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
fn a_word_that_marks_an_end_names_no_sibling_z136() {
    let (from, day) = (text("from_city"), date("leaving_date"));
    let judged = |utterance: &str| among(&from, std::slice::from_ref(&day), json!("Lima"), utterance);
    assert_eq!(judged("I will be leaving Lima"), Some(true));
    let (song, album) = (text("song_name"), text("album_name"));
    assert_eq!(
        among(&song, std::slice::from_ref(&album), json!("Lima"), "the album Lima"),
        Some(false),
        "another noun does"
    );
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
fn a_number_that_is_equated_with_the_noun_counts_it_z136() {
    assert_eq!(
        said(&bags(), json!(3), "the bags that I have to check in are three"),
        Some(true)
    );
    assert_eq!(
        said(&bags(), json!(2), "the bags that I have to check in are three"),
        Some(false)
    );
    assert_eq!(
        said(&bags(), json!(3), "the bags can wait. My friends are three"),
        Some(false),
        "friends are no bags"
    );
    let people = key("number_of_passengers", "integer", json!({}), Value::Null);
    assert_eq!(said(&people, json!(2), "two one way tickets"), Some(true));
    assert_eq!(
        said(&people, json!(1), "a one way flight"),
        Some(false),
        "a way is not counted"
    );
}

#[test]
fn a_number_of_nights_is_no_time_of_day_z136() {
    let days = key("number_of_days", "integer", json!({}), Value::Null);
    assert_eq!(said(&days, json!(1), "just the 1 night"), Some(true));
    let time = key("departure_time", "string", json!({"format": "time"}), Value::Null);
    assert_eq!(said(&time, json!("20:00"), "at 8 at night"), Some(true));
}

#[test]
fn a_bound_is_of_what_stands_before_it_z136() {
    let rating = key("rating", "number", json!({}), Value::Null);
    let people = key("number_of_guests", "integer", json!({}), Value::Null);
    assert_eq!(
        among(&rating, &[people], json!(4.3), "with a rating of at least 4.3"),
        Some(true)
    );
}

#[test]
fn a_value_on_the_keys_own_list_needs_no_mark_beside_an_open_sibling_z136() {
    let listed = |name: &str, values: &[&str]| key(name, "string", json!({"enum": values}), Value::Null);
    let own = listed("event_category", &["games", "sports"]);
    assert_eq!(
        among(&own, &[text("category")], json!("sports"), "I want sports"),
        Some(true)
    );
    let both = listed("category", &["games", "sports"]);
    assert_eq!(
        among(&own, &[both], json!("sports"), "I want sports"),
        Some(false),
        "the sibling holds it as well"
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
fn dates_are_relative_to_the_request_z136() {
    let day = date("event_date");
    assert_eq!(among(&day, &[], json!("2026-05-02"), "tomorrow"), Some(true));
    assert_eq!(among(&day, &[], json!("2026-05-03"), "tomorrow"), Some(false));
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
fn the_head_of_a_name_says_what_is_measured_z136() {
    let number = |name: &str| key(name, "number", json!({}), Value::Null);
    let money = "Please send 590 dollars";
    for name in [
        "transfer_amount",
        "ticket_price",
        "price_per_ticket",
        "cost_of_room",
        "amount",
    ] {
        assert_eq!(said(&number(name), json!(590.0), money), Some(true), "{name}");
    }
    for name in ["number_of_tickets", "amount_of_tickets", "ticket_count"] {
        assert_eq!(said(&number(name), json!(590.0), money), Some(false), "{name}");
        assert_eq!(
            said(&number(name), json!(3.0), "I need 3 tickets"),
            Some(true),
            "{name}"
        );
    }
}

#[test]
fn what_counts_something_else_does_not_agree_z136() {
    let guests = key("number_of_guests", "integer", json!({}), Value::Null);
    let rooms = key("number_of_rooms", "integer", json!({}), Value::Null);
    assert_eq!(among(&guests, &[], json!(2), "two rooms"), Some(false));
    assert_eq!(among(&guests, &[], json!(2), "two people"), Some(true));
    assert_eq!(
        among(&guests, &[], json!(3), "on the 3rd of May"),
        Some(false),
        "a date"
    );
    assert_eq!(among(&guests, &[], json!(5), "at 5 pm"), Some(false), "a time");
    assert_eq!(among(&guests, &[], json!(1), "just me"), Some(true));
    assert_eq!(among(&guests, &[], json!(2), "my wife and I"), Some(true));
    assert_eq!(among(&guests, &[], json!(2), "two"), Some(true));
    let siblings = [guests.clone()];
    assert_eq!(among(&rooms, &siblings, json!(2), "two"), Some(false), "rather guests");
    assert_eq!(among(&rooms, &[], json!(2), "two"), Some(true));
    let amount = key("amount", "integer", json!({}), Value::Null);
    assert_eq!(
        among(&amount, &[], json!(610), "six hundred and ten dollars"),
        Some(true)
    );
    assert_eq!(among(&amount, &[], json!(1590), "$1,590"), Some(true));
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
fn a_longer_value_of_the_list_hides_a_shorter_one_z136() {
    let class = key(
        "seating_class",
        "string",
        json!({"enum": ["Economy", "Premium Economy"]}),
        Value::Null,
    );
    assert_eq!(among(&class, &[], json!("Economy"), "premium economy"), Some(false));
    assert_eq!(
        among(&class, &[], json!("Premium Economy"), "premium economy"),
        Some(true)
    );
    assert_eq!(among(&class, &[], json!("Economy"), "economy, please"), Some(true));
    let account = key(
        "account",
        "string",
        json!({"enum": ["checking", "savings"]}),
        Value::Null,
    );
    assert_eq!(
        among(&account, &[], json!("checking"), "check my savings"),
        Some(false),
        "one stem, another word"
    );
}

#[test]
fn a_marked_key_needs_its_mark_where_an_unmarked_one_stands_beside_it_z136() {
    let list = json!({"enum": ["checking", "savings"]});
    let own = key("account_type", "string", list.clone(), Value::Null);
    let theirs = key("recipient_account_type", "string", list, Value::Null);
    let judged = |key: &KeyDefinition, sibling: &KeyDefinition, said: &str| {
        among(key, std::slice::from_ref(sibling), json!("savings"), said)
    };
    assert_eq!(judged(&theirs, &own, "my savings, please"), Some(false));
    assert_eq!(judged(&own, &theirs, "my savings, please"), Some(true));
    assert_eq!(judged(&theirs, &own, "into her savings account"), Some(true));
    assert_eq!(judged(&own, &theirs, "into her savings account"), Some(false));
    assert_eq!(
        judged(&own, &theirs, "I want to see my savings"),
        Some(true),
        "`to see` goes nowhere"
    );
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

#[test]
fn without_an_utterance_known_values_are_right_unless_other_still_asks_z137() {
    let known = ["window", "aisle"];
    assert_eq!(unsaid(&seat(), json!("window"), &[], &known), Some(true));
    assert_eq!(unsaid(&seat(), json!("window"), &["extra legroom"], &known), Some(true));
    assert_eq!(
        unsaid(&seat(), json!("window"), &["a seat at the front"], &known),
        Some(false),
        "by its cue"
    );
    assert_eq!(
        unsaid(&seat(), json!("window"), &["aisle"], &known),
        Some(false),
        "by its value"
    );
    assert_eq!(
        unsaid(&seat(), json!("roof"), &[], &known),
        Some(false),
        "not on the list"
    );
    assert_eq!(unsaid(&seat(), json!("none"), &[], &known), None);
    assert_eq!(unsaid(&seat(), json!("none"), &["window seat"], &known), Some(false));
}

#[test]
fn without_an_utterance_typed_values_are_right_by_their_form_z137() {
    assert_eq!(unsaid(&bags(), json!(2), &[], &[]), Some(true));
    assert_eq!(unsaid(&bags(), json!(2), &["three bags"], &[]), Some(false));
    assert_eq!(unsaid(&shared(), json!(true), &[], &[]), Some(true));
    assert_eq!(unsaid(&shared(), json!(false), &[], &[]), None);
    let date = key("return_date", "string", json!({"format": "date"}), Value::Null);
    assert_eq!(unsaid(&date, json!("2026-05-04"), &[], &[]), Some(true));
    assert_eq!(unsaid(&date, json!("soon"), &[], &[]), Some(false));
    let hotel = key("hotel_name", "string", json!({}), Value::Null);
    assert_eq!(unsaid(&hotel, json!("Ritz"), &[], &["ritz"]), Some(true));
    assert_eq!(unsaid(&hotel, json!("Grand"), &[], &["ritz"]), None);
}

#[test]
fn an_empty_utterance_is_none_z137() {
    let value = json!("window");
    let case = Case {
        key: &seat(),
        value: &value,
        utterance: Some("  "),
        other: &[],
        surfaces: &[],
        siblings: &[],
        at: None,
    };
    assert_eq!(judge(&case), Some((true, Basis::Proxy)));
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
