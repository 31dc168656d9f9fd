//! Values of a key beside another like it: which of the two was meant.

use serde_json::Value;
use serde_json::json;

use super::among;
use super::date;
use super::key;
use super::text;
use crate::domain::template::key::KeyDefinition;

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
