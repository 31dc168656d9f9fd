//! What of a submission is demand, and what stands open of it.

use crate::pool::analysis;
use crate::pool::analysis::NoDemand;
use crate::pool::policy::PoolPolicy;
use crate::scenario::sample::Scene;
use crate::scenario::submission::Sealed;
use crate::scenario::submission::fragments_in;
use crate::scenario::submission::fragments_of;
use schema::exchange::verdict::Verdict;

fn up_to(fragments_per_submission_max: usize) -> PoolPolicy {
    PoolPolicy {
        fragments_per_submission_max,
        ..PoolPolicy::default()
    }
}

fn verdict(other: &[&str], unknown: &[(&str, &str)]) -> Verdict {
    Verdict {
        other: other.iter().map(|text| (*text).to_owned()).collect(),
        unknown: unknown
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        ..Verdict::default()
    }
}

#[test]
fn other_and_unknown_keys_are_demand_z023_z066_z083_z101() {
    let said = verdict(&["window seat", "a vegan meal"], &[("pet_type", "cat")]);
    let (fragments, deferred) = fragments_of(&said, &up_to(16));
    assert_eq!(fragments, ["window seat", "a vegan meal", "pet type: cat"]);
    assert!(!deferred);
    assert_eq!(fragments_of(&verdict(&[], &[]), &up_to(16)), (Vec::new(), false));
}

#[test]
fn what_only_fills_a_field_makes_no_fragment_z065_z101() {
    let said = verdict(
        &[
            "n/a",
            "N/A.",
            "none",
            "-",
            "no special requests",
            "keine",
            "Aucune.",
            "a window seat",
            "None, thanks",
        ],
        &[
            ("promo", "null"),
            ("note", "n/a"),
            ("extras", "[]"),
            ("smoking", "no"),
            ("meal", "tbd"),
        ],
    );
    let (fragments, _) = fragments_of(&said, &up_to(16));
    assert_eq!(fragments, ["a window seat", "smoking: no"]);
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
    assert_eq!(
        fragments,
        [
            "I need a quiet room",
            "Also a vegetarian meal",
            "to export the report as PDF",
            "password=[redacted]",
            "side note: north",
            "badge: key=[redacted]",
        ]
    );
    for marked in fragments.iter().filter(|fragment| fragment.contains('[')) {
        assert_eq!(
            analysis::analyse(&text::analysis::Analysis::of(marked)),
            Err(NoDemand::Secret),
            "{marked}"
        );
    }
}

#[test]
fn more_than_may_be_taken_is_left_out_and_said_z063() {
    let said = verdict(&["window seat", "a vegan meal", "two suitcases"], &[]);
    assert!(!fragments_of(&said, &up_to(3)).1);
    let (fragments, deferred) = fragments_of(&said, &up_to(2));
    assert_eq!((fragments.len(), deferred), (2, true));
    assert!(fragments_of(&verdict(&["window seat"], &[("pet", "cat")]), &up_to(1)).1);
}

#[test]
fn no_value_stands_open_in_the_journal_z167_z171() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let mut submitted = scene.submitted(Some("ana"));
    submitted.observed.push(scene.observed(&id, true));
    let open = serde_json::to_value(&submitted).expect("it serialises");
    let members: Vec<&String> = open.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["client", "schema_id", "revision", "accepted", "observed"]);
    let seen: Vec<&String> = open["observed"][0].as_object().expect("an object").keys().collect();
    assert_eq!(seen, ["patch_id", "key", "type_ok"]);
}

#[test]
fn what_is_no_sealed_part_is_none() {
    assert!(Sealed::parse(b"no").is_none());
    let sealed = Sealed::parse(br#"{"payload": {"a": 1}, "fragments": ["x"]}"#).expect("a sealed part");
    assert_eq!((sealed.payload["a"].as_i64(), sealed.fragments.len()), (Some(1), 1));
    assert!(sealed.utterance.is_none() && sealed.reply.is_none());
}
