//! What of a submission is demand, and what stands open of it.

use super::*;
use crate::pool::analysis;
use crate::pool::analysis::NoDemand;
use crate::scenario::sample::Scene;
use serde_json::json;

fn up_to(fragments_per_submission_max: usize) -> PoolPolicy {
    PoolPolicy {
        fragments_per_submission_max,
        ..PoolPolicy::default()
    }
}

fn verdict(other: &[&str], unknown: &[(&str, &str)]) -> Verdict {
    let unknown = unknown
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Verdict {
        other: other.iter().map(|text| (*text).to_owned()).collect(),
        unknown: unknown.collect(),
        ..Verdict::default()
    }
}

#[test]
fn other_and_unknown_keys_are_demand_unless_they_only_fill_a_field_z023_z065_z066_z083_z101() {
    let nothing = [
        "n/a",
        "N/A.",
        "none",
        "-",
        "no special requests",
        "keine",
        "Aucune.",
        "None, thanks",
    ];
    for (other, unknown, expected) in [
        (
            &["window seat", "a vegan meal"][..],
            &[("pet_type", "cat")][..],
            &["window seat", "a vegan meal", "pet type: cat"][..],
        ),
        (&[], &[], &[]),
        (
            &nothing,
            &[
                ("promo", "null"),
                ("note", "n/a"),
                ("extras", "[]"),
                ("meal", "tbd"),
                ("smoking", "no"),
            ],
            &["smoking: no"],
        ),
    ] {
        let found = fragments_of(&verdict(other, unknown), &up_to(16));
        assert_eq!(found, (expected.iter().map(|text| (*text).to_owned()).collect(), false));
    }
    let wishes = ["unknown".to_owned(), "a quiet cabin".to_owned()];
    assert_eq!(fragments_in(&wishes, &up_to(16)).0, ["a quiet cabin"]);
}

#[test]
fn what_is_left_of_a_text_without_its_secret_is_demand_and_no_mark_is_x02() {
    let said = verdict(
        &[
            "I need a quiet room, my wifi password is [redacted]. Also a vegetarian meal please",
            "use [redacted] to export the report as PDF",
            "password=[redacted]",
        ],
        &[("side_note", "north, token=[redacted]"), ("badge", "key=[redacted]")],
    );
    let (fragments, _) = fragments_of(&said, &up_to(16));
    let expected = [
        "I need a quiet room",
        "Also a vegetarian meal",
        "to export the report as PDF",
        "password=[redacted]",
        "side note: north",
        "badge: key=[redacted]",
    ];
    assert_eq!(fragments, expected);
    for marked in fragments.iter().filter(|fragment| fragment.contains('[')) {
        let read = analysis::analyse(&text::analysis::Analysis::of(marked));
        assert_eq!(read, Err(NoDemand::Secret), "{marked}");
    }
}

#[test]
fn more_than_may_be_taken_is_left_out_and_said_z063() {
    let three = verdict(&["window seat", "a vegan meal", "two suitcases"], &[]);
    let both = verdict(&["window seat"], &[("pet", "cat")]);
    for (said, max, expected) in [(&three, 3, (3, false)), (&three, 2, (2, true)), (&both, 1, (1, true))] {
        let (fragments, deferred) = fragments_of(said, &up_to(max));
        assert_eq!((fragments.len(), deferred), expected);
    }
}

#[test]
fn no_value_stands_open_in_the_journal_and_what_is_no_sealed_part_is_none_z167_z171() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let mut submitted = scene.submitted(Some("ana"));
    submitted.observed.push(scene.observed(&id, true));
    let open = serde_json::to_value(&submitted).expect("it serialises");
    let members = |value: &Value| {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        members(&open),
        ["client", "schema_id", "revision", "accepted", "observed", "filled"]
    );
    let places = open["filled"].as_array().expect("the places of filled keys");
    assert!(places.iter().all(Value::is_u64), "{places:?}");
    assert_eq!(members(&open["observed"][0]), ["patch_id", "key", "type_ok"]);
    assert!(Sealed::parse(b"no").is_none());
    let sealed = Sealed::parse(br#"{"payload": {"a": 1}, "fragments": ["x"]}"#).expect("a sealed part");
    assert_eq!((&sealed.payload, sealed.fragments.len()), (&json!({"a": 1}), 1));
    assert!(sealed.utterance.is_none() && sealed.reply.is_none());
}

#[test]
fn an_ending_is_read_back_by_its_word() {
    for ending in Ending::ALL {
        assert_eq!(serde_json::to_value(ending).expect("a word"), json!(ending.name()));
    }
    let least: Executed = serde_json::from_value(json!({"of": 7, "ending": "answered"})).expect("an ending");
    assert_eq!((least.of, least.kept_for, least.continued), (7, None, 0));
}
