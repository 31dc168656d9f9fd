//! Keys whose values have a type: numbers, sums, dates, times, durations, and what they are called.

use std::collections::BTreeSet;

use serde_json::json;

use super::eyes;
use super::flight;
use super::induce_from;
use super::visible;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::listing::Listing;
use crate::domain::evolution::induction::mapping::Mapping;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyType;
use crate::domain::template::mapping_example;
use crate::domain::time::At;

#[test]
fn counts_become_optional_integers_without_a_default_z111_z125() {
    let key = flight(&[
        "2 bags",
        "two bags please",
        "I have 3 bags",
        "three bags",
        "4 heavy bags",
        "bags: 2",
        "5 bags",
    ]);
    assert_eq!(
        (key.key_name.as_str(), key.key_type),
        ("number_of_bags", KeyType::Integer)
    );
    assert_eq!(key.default_value, None);
    assert!(key.constraints.is_empty());
    assert!(!key.required);
}

#[test]
fn decimals_become_numbers_and_a_scale_beside_a_switch_z072_z111() {
    let keys = [visible("eye_enlargement", "boolean", "Enlarge the eyes.", json!({}))];
    let texts = [
        "eye size 1.2",
        "make the eye size 1.3",
        "eye size 1.1 please",
        "increase eye size to 1.4",
        "eye size 1.2 times",
    ];
    let key = induce_from(&texts, 5, &keys, false).expect("a key").key;
    assert_eq!(key.key_type, KeyType::Number);
    assert!(
        key.key_name.as_str().contains("eye") || key.key_name.as_str().contains("size"),
        "{}",
        key.key_name
    );
    assert_ne!(key.key_name.as_str(), "eye_enlargement");
}

#[test]
fn money_takes_the_bound_that_is_said_z111() {
    let key = flight(&[
        "under $300",
        "below $250",
        "at most $400",
        "no more than $500",
        "price up to $200",
    ]);
    assert_eq!(key.key_type, KeyType::Number);
    assert!(key.key_name.as_str().starts_with("max_"), "{}", key.key_name);
}

#[test]
fn dates_take_the_role_and_the_format_z111_z112() {
    let key = flight(&[
        "returning on May 9",
        "return May 12th",
        "coming back on June 3",
        "flying back tomorrow",
        "I return on friday",
        "back home on May 20",
    ]);
    assert_eq!((key.key_name.as_str(), key.key_type), ("return_date", KeyType::String));
    assert_eq!(key.constraints.get("format"), Some(&json!("date")));
    let mapped = mapping_example::shown(&key.semantic_description);
    assert!(mapped.iter().any(|example| example.value == "2026-05-09"), "{mapped:?}");
    assert!(
        mapped.iter().all(|example| !example.said.contains("tomorrow")),
        "relative dates teach nothing"
    );
}

#[test]
fn times_take_the_services_own_word_for_a_role_z111() {
    let keys = [visible(
        "leaving_date",
        "string",
        "Day of the bus ride.",
        json!({"format": "date"}),
    )];
    let texts = [
        "leaving at 5 pm",
        "depart at 6 pm",
        "leave at 7:30 am",
        "departing 9 am",
        "I leave at 8 pm",
    ];
    let key = induce_from(&texts, 5, &keys, false).expect("a key").key;
    assert_eq!(key.key_name.as_str(), "leaving_time");
    assert!(key.constraints.contains_key("pattern"));
}

#[test]
fn an_opposite_of_a_visible_key_gives_the_name_z111() {
    let key = flight(&[
        "to Paris",
        "flying to London",
        "to Berlin please",
        "going to Madrid",
        "to Rome",
        "to Vienna",
    ]);
    assert_eq!((key.key_name.as_str(), key.key_type), ("destination", KeyType::String));
    assert!(!key.constraints.contains_key("enum"), "names never close");
    assert_eq!(key.default_value, None);
}

#[test]
fn nights_become_an_integer_and_hours_a_number_z111() {
    let nights = flight(&[
        "3 nights",
        "for two nights",
        "4 nights please",
        "three nights",
        "2 nights",
    ]);
    assert_eq!(
        (nights.key_name.as_str(), nights.key_type),
        ("number_of_nights", KeyType::Integer)
    );
    let hours = flight(&[
        "layover under 3 hours",
        "at most 2 hours layover",
        "layover up to 4 hours",
        "layover below 2 hours",
    ]);
    assert_eq!(
        (hours.key_name.as_str(), hours.key_type),
        ("max_layover_hours", KeyType::Number)
    );
}

#[test]
fn what_a_unit_measures_gives_the_name_z111() {
    let texts = [
        "it is 3 kilos",
        "about 5 kg",
        "my bag weighs 12.5 kg",
        "4 kilos",
        "2 kg please",
    ];
    let key = flight(&texts);
    assert_eq!((key.key_name.as_str(), key.key_type), ("weight", KeyType::Number));
}

#[test]
fn what_few_say_the_unit_of_is_called_after_what_that_measures_z111() {
    let texts = [
        "about 540 km",
        "880 I think",
        "770",
        "985 on it",
        "it must be 235",
        "roughly 150",
        "around 660",
    ];
    assert_eq!(flight(&texts).key_name.as_str(), "distance");
}

#[test]
fn examples_of_days_lie_where_their_words_say_z112() {
    let back = visible("return_date", "string", "Day of return.", json!({"format": "date"}));
    let years = |texts: &[&str]| {
        let key = induce_from(texts, 5, std::slice::from_ref(&back), false)
            .expect("a key")
            .key;
        let shown = mapping_example::shown(&key.semantic_description);
        let years: BTreeSet<String> = shown.iter().map(|example| example.value[..4].to_owned()).collect();
        assert!(!years.is_empty(), "{}", key.semantic_description);
        years.into_iter().collect::<Vec<String>>().join(", ")
    };
    let past = [
        "vaccination received on May 3",
        "vaccinated on June 5",
        "her vaccination was on May 12",
        "had the vaccination on June 1",
        "last vaccination on May 9",
    ];
    assert_eq!(years(&past), "2025");
    let ahead = [
        "vaccination on May 3",
        "a vaccination on June 5",
        "vaccination planned on May 12",
        "book the vaccination on June 1",
        "vaccination for May 9",
    ];
    assert_eq!(years(&ahead), "2026");
}

#[test]
fn a_day_is_called_after_what_nearly_everybody_speaks_of_z111() {
    let back = visible("return_date", "string", "Day of return.", json!({"format": "date"}));
    let named = |texts: &[&str]| {
        let key = induce_from(texts, 5, std::slice::from_ref(&back), false);
        key.expect("a key").key.key_name.to_string()
    };
    let texts = [
        "vaccination given on May 3",
        "her vaccination was on June 5",
        "vaccination: May 12",
        "had the vaccination on June 1",
        "May 9 for the vaccination one",
    ];
    assert_eq!(named(&texts), "vaccination_date");
    assert_eq!(
        named(&["May 3", "on June 5", "May 12 please", "June 1", "vaccination: May 9"]),
        "departure_date"
    );
}

#[test]
fn what_is_said_per_day_counts_no_days_z111() {
    let texts = [
        "3 walks per day",
        "2 per day",
        "two walks per day please",
        "4 per day",
        "3 walks",
    ];
    assert_eq!(flight(&texts).key_name.as_str(), "walks_per_day");
}

#[test]
fn twice_a_day_is_so_many_times_within_a_day_z111_z112() {
    let key = flight(&[
        "twice a day",
        "3 times a day",
        "twice daily please",
        "four times per day",
        "once a day",
    ]);
    assert_eq!(
        (key.key_name.as_str(), key.key_type),
        ("times_per_day", KeyType::Integer)
    );
    assert!(
        key.semantic_description.contains("-> 2"),
        "{}",
        key.semantic_description
    );
    // Of two units neither is the key's.
    let mixed = [
        "2 bags a day",
        "3 bags a week",
        "two bags a day",
        "5 bags a month",
        "4 bags",
    ];
    assert_eq!(flight(&mixed).key_name.as_str(), "number_of_bags");
}

#[test]
fn what_may_not_be_exceeded_bounds_the_price_z111() {
    let named = |texts: &[&str]| flight(texts).key_name.to_string();
    let bounded = [
        "$200 or less",
        "I don't want to pay more than $50",
        "it shouldn't cost over $90",
        "$70 tops",
        "$30 or less",
    ];
    assert_eq!(named(&bounded), "max_price");
    let costs = ["cost $200", "a cost of $50", "the cost is $90", "cost: $70", "$30"];
    assert_eq!(named(&costs), "cost");
}

#[test]
fn what_people_go_without_is_no_title_z111() {
    let texts = |refused: [&'static str; 3]| {
        let named = [
            "with a zorb",
            "bring the kliff",
            "my vennet comes",
            "one sprok",
            "a dramble joins",
            "the quopple",
        ];
        [&named[..], &refused].concat()
    };
    let title = |texts: &[&str]| {
        let proposal = induce_from(texts, 5, &[], false).expect("a key");
        proposal.grounds.kind.rule == TypeRule::NewWords
    };
    assert!(title(&texts(["two fronds", "some plings", "the ambry"])));
    assert!(!title(&texts([
        "without fronds",
        "no plings",
        "I don't bring an ambry"
    ])));
}

#[test]
fn what_arrives_with_a_delivery_is_delivered_z111() {
    let texts = [
        "arrive by 9 am",
        "should get here at 10:30",
        "arriving at 4 pm",
        "arrive at 11 am",
        "arrival at noon",
    ];
    let address = visible("delivery_address", "string", "Where to bring it.", json!({}));
    let key = induce_from(&texts, 5, std::slice::from_ref(&address), false)
        .expect("a key")
        .key;
    assert_eq!(key.key_name.as_str(), "delivery_time");
    assert_eq!(flight(&texts).key_name.as_str(), "arrival_time");
}

#[test]
fn thousands_are_no_thing_that_is_counted_z111() {
    let texts = [
        "45 thousand bottles",
        "30 thousand bottles please",
        "12 thousand bottles",
        "about 20 thousand bottles",
        "80 thousand",
    ];
    assert_eq!(flight(&texts).key_name.as_str(), "number_of_bottles");
}

#[test]
fn a_sum_is_called_after_the_noun_beside_it_z111() {
    let texts = [
        "a $20 donation",
        "donation of $5",
        "I give a donation of $50",
        "$10 donation please",
        "make it $30",
    ];
    assert_eq!(flight(&texts).key_name.as_str(), "donation_amount");
    assert_eq!(
        flight(&["$20", "$5", "make it $50", "$10 please"]).key_name.as_str(),
        "amount"
    );
}

#[test]
fn a_number_of_nothing_counts_the_people_of_such_a_service_z111() {
    let texts = ["just 2", "only 3", "4 please", "make it 5", "2"];
    assert_eq!(flight(&texts).key_name.as_str(), "number_of_passengers");
}

#[test]
fn how_old_somebody_is_is_an_age_and_no_number_of_anything_z111() {
    let named = |texts: &[&str]| flight(texts).key_name.to_string();
    assert_eq!(named(&["she's 7", "I'm only 9", "he just turned 5", "4"]), "age");
    assert_eq!(
        named(&["we are 7", "there are 9 of us", "just 5", "4"]),
        "number_of_passengers"
    );
}

#[test]
fn a_bare_day_beside_the_return_is_the_departure_z111() {
    let texts = ["May 3", "on June 5", "May 12 please", "June 1"];
    let back = visible("return_date", "string", "Day of return.", json!({"format": "date"}));
    let named = |keys: &[EffectiveKey]| induce_from(&texts, 5, keys, false).expect("a key").key.key_name;
    assert_eq!(named(std::slice::from_ref(&back)).as_str(), "departure_date");
    // Where it begins by another word, a bare day is no second beginning.
    let pickup = visible("pickup_date", "string", "First day.", json!({"format": "date"}));
    assert_eq!(named(&[pickup, back]).as_str(), "date");
    // The other way round a bare day is as likely the one that exists already.
    let out = visible(
        "departure_date",
        "string",
        "Day of departure.",
        json!({"format": "date"}),
    );
    assert_eq!(named(&[out]).as_str(), "date");
}

#[test]
fn who_leaves_a_place_to_stay_checks_out_z111() {
    let texts = [
        "I leave on May 3",
        "leaving on June 5",
        "we leave May 12",
        "leaving June 1",
    ];
    let named = |keys: &[EffectiveKey]| induce_from(&texts, 5, keys, false).expect("a key").key.key_name;
    let check_in = visible("check_in_date", "string", "First day.", json!({"format": "date"}));
    assert_eq!(named(&[]).as_str(), "departure_date");
    assert_eq!(named(&[check_in]).as_str(), "check_out_date");
}

#[test]
fn what_begins_with_a_pickup_ends_with_a_dropoff_z111() {
    let texts = [
        "I return it on May 9",
        "returning it on May 7",
        "I will bring it back on May 8, that is the return",
        "return on June 3",
        "I return the car on May 12",
    ];
    let date = json!({"format": "date"});
    let pickup = [visible("pickup_date", "string", "First day.", date.clone())];
    let named = |keys: &[EffectiveKey]| {
        induce_from(&texts, 5, keys, false)
            .expect("a key")
            .key
            .key_name
            .to_string()
    };
    assert_eq!(named(&pickup), "dropoff_date");
    let leaves = [visible("departure_date", "string", "First day.", date)];
    assert_eq!(named(&leaves), "return_date");
}

fn read(text: &str) -> Fragment {
    Fragment::read(text.to_owned(), None, At::default(), eyes())
}

#[test]
fn what_must_not_be_forgotten_is_wanted_z112() {
    let listing = Listing::default();
    let mapping = Mapping::plain(&Kind::Boolean, &listing);
    for (text, wanted) in [
        ("don't forget the protection", "true"),
        ("I must not miss the protection", "true"),
        ("why not trip protection", "true"),
        ("I can't do without protection", "true"),
        ("I don't mind the protection", "true"),
        ("I don't want protection", "false"),
        ("no need for protection", "false"),
        ("without protection", "false"),
        ("skip the protection", "false"),
    ] {
        let mapped = mapping.map(&read(text)).expect("a value");
        assert_eq!(mapped.text, wanted, "{text}");
    }
    let texts = ["don't forget the protection", "no protection", "why not protection"];
    let cluster = Cluster::count(texts.map(read).to_vec(), Vec::new());
    assert!(
        (cluster.denied("protection") - 1.0 / 3.0).abs() < 1e-9,
        "one of the three"
    );
}
