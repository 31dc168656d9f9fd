//! Histories made by hand, each with one thing to see.

use serde_json::Value;
use serde_json::json;

use super::*;

const MONTH: At = At(30 * DAY_MS);

fn key(name: &str, key_type: &str, constraints: Value) -> KeyDefinition {
    let key = json!({"key_name": name, "key_type": key_type, "required": false, "semantic_description": "A key.",
        "constraints": constraints});
    serde_json::from_value(key).expect("a key")
}

fn seat() -> KeyDefinition {
    key("seat", "string", json!({"enum": ["window", "aisle", "none"]}))
}

/// A payload of a client, with what it said and whether that is a member of the cluster.
fn past(client: &str, said: &[(&str, bool)]) -> Past {
    let said = said.iter().map(|(text, is_member)| Said {
        text: (*text).to_owned(),
        is_member: *is_member,
    });
    Past {
        at: At(0),
        client: ClientId::parse(client),
        carried: None,
        said: said.collect(),
    }
}

fn tried(key: &KeyDefinition, history: &[Past]) -> Backtest {
    backtest(key, history, Experience::default(), MONTH, &EvolutionPolicy::default())
}

/// `asked` of `payloads` say a listed value, over a whole month.
fn share(asked: usize, payloads: usize) -> Vec<Past> {
    let mut history: Vec<Past> = (0..asked)
        .map(|n| past(&format!("c{n}"), &[("window please", true)]))
        .collect();
    history.resize(payloads, past("quiet", &[]));
    history
}

fn verdict(found: &Backtest) -> (Verdict, Option<Reason>) {
    let prediction = found.prediction().expect("payloads");
    (prediction.verdict, prediction.reason.clone())
}

#[test]
fn members_ask_and_so_does_what_the_key_would_cover_or_carried_it_z088_z104_z135_z138() {
    let carried = |type_ok| Past {
        carried: Some(type_ok),
        ..past("e", &[("by the window", true)])
    };
    let history = [
        past("a", &[("by the window", true)]),
        past("b", &[("the aisle seat please", false)]),
        past("b", &[("a vegan meal please", false), ("an aisle seat", false)]),
        past("c", &[("a vegan meal please", false)]),
        past("d", &[]),
        // An anonymous client asks and is no client.
        past("", &[("window", true)]),
        // What carried the key asked, and its own value counts.
        carried(true),
        carried(false),
    ];
    let found = tried(&seat(), &history);
    assert_eq!(
        (found.payloads, found.asked, found.clients, found.fitting),
        (8, 6, 3, 5)
    );
    assert_eq!((found.share, found.since), (Some(0.75), At(0)));
}

#[test]
fn a_value_fits_by_type_and_one_fitting_fragment_is_enough_z138() {
    let (bags, open) = (key("number_of_bags", "integer", json!({})), json!({}));
    let (quiet, song) = (
        key("quiet_room", "boolean", open.clone()),
        key("song_name", "string", open),
    );
    for (key, said, fits) in [
        (&seat(), &["by the window"][..], 1),
        (&seat(), &["in the middle"], 0),
        (&seat(), &["in the middle", "by the window"], 1),
        (&bags, &["3 bags"], 1),
        (&bags, &["two bags"], 1),
        (&bags, &["bitte drei Koffer"], 1),
        (&bags, &["some bags"], 0),
        (&quiet, &["a quiet room"], 1),
        (&song, &["whatever it says"], 1),
    ] {
        let members: Vec<_> = said.iter().map(|text| (*text, true)).collect();
        assert_eq!(tried(key, &[past("a", &members)]).fitting, fits, "{said:?}");
    }
}

#[test]
fn the_rule_of_trials_says_what_is_foretold_z134_z138_z143_z144_z146_z157_z159_z160() {
    let low = Some(Reason::LowUsage);
    for (asked, payloads, expected) in [
        (15, 100, (Verdict::Promote, None)),
        (14, 100, (Verdict::Extend, None)),
        // Five judgements are too few, and 29 payloads.
        (5, 100, (Verdict::Wait, None)),
        (29, 29, (Verdict::Wait, None)),
        (30, 30, (Verdict::Promote, None)),
        (10, 200, (Verdict::Extend, None)),
        (9, 200, (Verdict::Deprecate, low.clone())),
        (0, 40, (Verdict::Deprecate, low)),
    ] {
        assert_eq!(
            verdict(&tried(&seat(), &share(asked, payloads))),
            expected,
            "{asked} of {payloads}"
        );
    }
    // What fits no value cannot come with the key.
    let mut history = share(20, 100);
    for (unfit, expected) in [(5, Verdict::Promote), (6, Verdict::Extend)] {
        history[..unfit].fill(past("a", &[("in the middle", true)]));
        let found = tried(&seat(), &history);
        assert_eq!(found.asked, 20);
        assert_eq!(found.fitting, 20 - unfit as u64);
        assert_eq!(verdict(&found).0, expected);
    }
    // A short history grows until it fills the window, and none is shorter than a day.
    for (at, expected) in [
        (At(3 * DAY_MS), Verdict::Promote),
        (MONTH, Verdict::Wait),
        (At(0), Verdict::Promote),
    ] {
        let found = backtest(
            &seat(),
            &share(3, 10),
            Experience::default(),
            at,
            &EvolutionPolicy::default(),
        );
        assert_eq!(verdict(&found).0, expected);
    }
    let nothing = tried(&seat(), &[]);
    assert_eq!((nothing.payloads, nothing.share, nothing.since), (0, None, MONTH));
    assert!(nothing.prediction().is_none());
}

#[test]
fn what_the_other_keys_came_to_is_taken_over_z136_z138_z162() {
    let with = |adoption, alignment, value_type_correctness| {
        let experience = Experience {
            adoption,
            alignment,
            value_type_correctness,
        };
        backtest(&seat(), &share(20, 100), experience, MONTH, &EvolutionPolicy::default())
    };
    let half = with(Some(0.5), None, None);
    assert_eq!(half.if_all.as_ref().map(|all| all.verdict), Some(Verdict::Promote));
    assert!((half.prediction().expect("payloads").usage - 0.1).abs() < 1e-12);
    for (found, expected) in [
        (half, (Verdict::Extend, None)),
        (
            with(None, Some(0.59), None),
            (Verdict::Deprecate, Some(Reason::LowAlignment)),
        ),
        (with(None, Some(0.79), None), (Verdict::Extend, None)),
        (with(None, Some(0.80), None), (Verdict::Promote, None)),
        (
            with(None, None, Some(0.69)),
            (Verdict::Deprecate, Some(Reason::LowType)),
        ),
        (with(None, None, Some(0.90)), (Verdict::Promote, None)),
    ] {
        assert_eq!(verdict(&found), expected);
        let written = serde_json::to_string(&found).expect("JSON");
        assert_eq!(serde_json::from_str::<Backtest>(&written).expect("a backtest"), found);
    }
}
