//! Numbers and what they count or measure.

use serde_json::Value;
use serde_json::json;

use super::among;
use super::bags;
use super::key;
use super::said;

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
