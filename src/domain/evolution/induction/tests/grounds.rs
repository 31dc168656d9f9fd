//! What a key says of its own making.

use serde_json::json;

use super::BACKGROUND;
use super::SEATS;
use super::eyes;
use super::flight_keys;
use super::induce_from;
use super::induced;
use super::members;
use super::said_by_another;
use super::spans;
use super::visible;
use crate::domain::evolution::induction::pooled::Eyes;
use crate::domain::evolution::induction::reasons::features;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::ValueKind;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::effective::EffectiveKey;

fn grounds(texts: &[&str]) -> Grounds {
    induce_from(texts, 5, &flight_keys(), false).expect("a key").grounds
}

#[test]
fn a_list_tells_how_often_each_value_is_asked_for_and_what_it_rests_on_z109_z111() {
    let told = grounds(&SEATS);
    assert_eq!((told.fragments, told.clients, told.background), (12, 5, 12));
    assert_eq!((told.kind.value, told.kind.rule), (ValueKind::Choice, TypeRule::List));
    assert_eq!(told.values.rule, ValuesRule::Listed);
    let counts: Vec<(&str, u64)> = told
        .values
        .listed
        .iter()
        .map(|value| (value.value.as_str(), value.fragments))
        .collect();
    assert_eq!(counts, [("aisle", 5), ("window", 5), ("middle", 2)]);
    assert_eq!(told.kind.read, 12);
    assert!(told.kind.share.is_some_and(|share| share >= 0.45), "{:?}", told.kind);
    assert_eq!(told.name.settled_by, Settled::Words, "nothing was embedded");
}

#[test]
fn a_typed_key_tells_the_share_that_holds_such_a_value_z109_z110() {
    let dates = [
        "returning on May 12th",
        "I come back on June 3rd",
        "return on Friday",
        "coming back May 20",
        "back home soon",
    ];
    let told = grounds(&dates);
    assert_eq!((told.kind.value, told.kind.rule), (ValueKind::Date, TypeRule::Dominant));
    assert_eq!((told.kind.share, told.kind.needed), (Some(0.8), Some(0.45)));
    assert_eq!(told.kind.read, 4, "one says no date");
    assert_eq!(told.values.rule, ValuesRule::Typed);
    assert!(told.values.listed.is_empty());
}

#[test]
fn names_that_lost_are_names_that_may_be_shown_z111_z112() {
    let texts = [
        "two bags",
        "three bags",
        "4 bags",
        "five bags please",
        "two bags for me",
        "two zorbulons",
        "three zorbulons",
    ];
    // One client alone says the word that nobody knows.
    let members = said_by_another(members(&texts, 5), "zorb");
    let induce = |personal| {
        let proposal = induced(&members, &[], &flight_keys(), personal, eyes());
        proposal.expect("a key").grounds
    };
    let told = induce(false);
    assert_eq!(
        (told.name.name.as_str(), told.name.source),
        ("number_of_bags", NameSource::Counted)
    );
    assert!(told.name.runners_up.is_empty(), "{:?}", told.name);
    let own = induce(true).name.runners_up;
    assert_eq!(
        own.first().map(|other| other.name.as_str()),
        Some("number_of_zorbulons")
    );
}

#[test]
fn a_number_that_counts_what_another_key_counts_says_so_z072_z111() {
    let texts = [
        "a cab for 2 people",
        "a cab for two people",
        "cab for 3 people",
        "one cab, 4 people",
        "a cab for four people",
    ];
    let people = visible("number_of_passengers", "integer", "How many ride along.", json!({}));
    let told = |keys: &[EffectiveKey]| {
        let proposal = induced(&members(&texts, 5), &[], keys, false, eyes());
        proposal.expect("a key").grounds.name
    };
    let first = told(&[]);
    assert_eq!(
        (first.source, first.wanted),
        (NameSource::Counted, None),
        "{}",
        first.name
    );
    let second = told(&[people]);
    assert_ne!(second.name, "number_of_passengers");
    assert_eq!(
        second.wanted.as_deref(),
        Some("number_of_passengers"),
        "{}",
        second.name
    );
}

#[test]
fn what_could_not_be_listed_is_counted_by_its_reason_and_not_shown_z111_z112() {
    let mut texts = SEATS.to_vec();
    texts.extend(["galley seat", "the galley seat please"]);
    let members = said_by_another(members(&texts, 5), "galley");
    let told = induced(&members, &BACKGROUND, &flight_keys(), false, eyes())
        .expect("a key")
        .grounds;
    assert_eq!(told.values.left_out.one_client, 1, "{:?}", told.values);
    assert!(!serde_json::to_string(&told).expect("JSON").contains("galley"));
}

#[test]
fn what_the_fragments_share_is_told_without_their_own_words_z088_z112() {
    let mut members = members(&["from Paris", "from Rome", "a zorbulon of Ann", "four bags"], 4);
    members[0].reading = Reading::of(&[ValueType::Place], &["SRC"], &[]);
    members[1].reading = Reading::of(&[ValueType::Place], &["SRC"], &[]);
    members[2].reading = Reading::of(&[ValueType::Number], &["U:zorbulon", "U:ann"], &[]);
    members[3].reading = Reading::of(&[ValueType::None], &[], &[]);
    let shared = features(&members.iter().map(|member| &member.reading).collect::<Vec<_>>());
    let told: Vec<(usize, &[String], u64)> = shared
        .iter()
        .map(|feature| (feature.types.len(), feature.roles.as_slice(), feature.fragments))
        .collect();
    assert_eq!(told, [(1, &["SRC".to_owned()][..], 2), (1, &[][..], 1)]);
}

#[test]
fn what_was_left_out_is_not_counted_among_what_the_fragments_share_z088_z171() {
    let mut members = members(&SEATS, 5);
    for member in &mut members {
        member.reading = Reading::of(&[ValueType::Name], &[], &[]);
    }
    let eyes = Eyes {
        spans: &spans,
        redact: &|text| text.replace("middle", "[name]"),
    };
    let told = induced(&members, &BACKGROUND, &flight_keys(), false, eyes);
    let told = told.expect("a key").grounds;
    assert!(told.fragments < members.len() as u64, "{}", told.fragments);
    assert_eq!(told.features[0].fragments, told.fragments);
}
