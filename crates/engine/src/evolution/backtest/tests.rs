//! Histories made by hand, each with one thing to see.

use super::*;

const MONTH: At = At(30 * DAY_MS);

fn key(name: &str, key_type: &str, constraints: Value) -> KeyDefinition {
    serde_json::from_value(json!({
        "key_name": name, "key_type": key_type, "required": false,
        "semantic_description": "A key.", "constraints": constraints,
    }))
    .expect("a key")
}

fn seat() -> KeyDefinition {
    key("seat", "string", json!({"enum": ["window", "aisle", "none"]}))
}

fn past(client: &str, said: Vec<Said>) -> Past {
    Past {
        at: At(0),
        client: ClientId::parse(client),
        carried: None,
        said,
    }
}

fn member(text: &str) -> Said {
    Said {
        text: text.to_owned(),
        is_member: true,
    }
}

fn elsewhere(text: &str) -> Said {
    Said {
        text: text.to_owned(),
        is_member: false,
    }
}

fn silent(count: usize) -> Vec<Past> {
    vec![past("quiet", Vec::new()); count]
}

fn tried(key: &KeyDefinition, history: &[Past]) -> Backtest {
    backtest(key, history, Experience::default(), MONTH, &EvolutionPolicy::default())
}

/// `asked` of `payloads` say a listed value, over a whole month.
fn share(asked: usize, payloads: usize) -> Vec<Past> {
    let mut history: Vec<Past> = (0..asked)
        .map(|n| past(&format!("c{n}"), vec![member("window please")]))
        .collect();
    history.extend(silent(payloads - asked));
    history
}

#[test]
fn members_ask_and_so_does_what_the_key_would_cover_z088_z135() {
    let history = [
        past("a", vec![member("by the window")]),
        past("b", vec![elsewhere("the aisle seat please")]),
        past("b", vec![elsewhere("a vegan meal please"), elsewhere("an aisle seat")]),
        past("c", vec![elsewhere("a vegan meal please")]),
        past("d", Vec::new()),
    ];
    let found = tried(&seat(), &history);
    // Each payload counts once.
    assert_eq!((found.payloads, found.asked, found.clients), (5, 3, 2));
    assert_eq!(found.share, Some(0.6));
    assert_eq!(found.since, At(0));
}

#[test]
fn a_payload_that_carried_the_key_asked_and_its_own_value_counts_z138() {
    let carried = |type_ok| Past {
        carried: Some(type_ok),
        ..past("a", vec![member("by the window")])
    };
    let found = tried(&seat(), &[carried(true), carried(false)]);
    assert_eq!((found.asked, found.fitting), (2, 1));
}

#[test]
fn an_anonymous_client_asks_and_is_no_client_z104() {
    let nobody = Past {
        client: None,
        ..past("a", vec![member("window")])
    };
    let found = tried(&seat(), &[nobody]);
    assert_eq!((found.asked, found.clients), (1, 0));
}

fn fits(key: &KeyDefinition, said: &str) -> bool {
    tried(key, &[past("a", vec![member(said)])]).fitting == 1
}

#[test]
fn a_value_fits_by_type_z138() {
    assert!(fits(&seat(), "by the window"));
    assert!(!fits(&seat(), "in the middle"));
    let bags = key("number_of_bags", "integer", json!({}));
    assert!(fits(&bags, "3 bags") && fits(&bags, "two bags") && fits(&bags, "bitte drei Koffer"));
    assert!(!fits(&bags, "some bags"), "no number");
    assert!(fits(&key("quiet_room", "boolean", json!({})), "a quiet room"));
    // Any text is a text.
    assert!(fits(&key("song_name", "string", json!({})), "whatever it says"));
}

#[test]
fn one_fitting_fragment_is_enough_for_a_payload() {
    let both = [past("a", vec![member("in the middle"), member("by the window")])];
    assert_eq!(tried(&seat(), &both).fitting, 1);
}

fn verdict(found: &Backtest) -> (Verdict, Option<Reason>) {
    let prediction = found.prediction().expect("payloads");
    (prediction.verdict, prediction.reason.clone())
}

#[test]
fn the_rule_of_trials_says_what_is_foretold_z143_z144_z146_z157() {
    let at = |asked, payloads| verdict(&tried(&seat(), &share(asked, payloads)));
    assert_eq!(at(15, 100), (Verdict::Promote, None), "exactly 15 %");
    assert_eq!(at(14, 100), (Verdict::Extend, None), "just below");
    assert_eq!(at(5, 100).0, Verdict::Wait, "five judgements are too few");
    assert_eq!(at(10, 200), (Verdict::Extend, None), "exactly 5 %");
    assert_eq!(at(9, 200), (Verdict::Deprecate, Some(Reason::LowUsage)), "just below");
    assert_eq!(at(29, 29).0, Verdict::Wait, "29 payloads are too few");
    assert_eq!(at(30, 30), (Verdict::Promote, None));
}

#[test]
fn what_fits_no_value_cannot_come_with_the_key_z138_z144() {
    let mut history = share(20, 100);
    for past in history.iter_mut().take(5) {
        past.said = vec![member("in the middle")];
    }
    let found = tried(&seat(), &history);
    assert_eq!((found.asked, found.fitting), (20, 15));
    assert_eq!(verdict(&found).0, Verdict::Promote, "exactly 15 %");
    history[5].said = vec![member("in the middle")];
    let found = tried(&seat(), &history);
    assert_eq!((found.asked, found.fitting), (20, 14));
    assert_eq!(verdict(&found).0, Verdict::Extend, "just below");
}

#[test]
fn what_the_other_keys_came_to_is_taken_over_z136_z138_z162() {
    let policy = EvolutionPolicy::default();
    let with = |experience| backtest(&seat(), &share(20, 100), experience, MONTH, &policy);
    let half = with(Experience {
        adoption: Some(0.5),
        ..Experience::default()
    });
    assert_eq!(half.if_all.as_ref().map(|all| all.verdict), Some(Verdict::Promote));
    let prediction = half.prediction().expect("payloads");
    assert!((prediction.usage - 0.1).abs() < 1e-12);
    assert_eq!(prediction.verdict, Verdict::Extend);
    let aligned = |alignment| {
        verdict(&with(Experience {
            alignment: Some(alignment),
            ..Experience::default()
        }))
    };
    assert_eq!(aligned(0.59), (Verdict::Deprecate, Some(Reason::LowAlignment)));
    assert_eq!(aligned(0.79).0, Verdict::Extend);
    assert_eq!(aligned(0.80).0, Verdict::Promote, "at the edge");
    let typed = |value_type_correctness| {
        verdict(&with(Experience {
            value_type_correctness: Some(value_type_correctness),
            ..Experience::default()
        }))
    };
    assert_eq!(typed(0.69), (Verdict::Deprecate, Some(Reason::LowType)));
    assert_eq!(typed(0.90).0, Verdict::Promote, "at the edge");
}

#[test]
fn a_short_history_grows_until_it_fills_the_window_z134_z159() {
    let three_days = At(3 * DAY_MS);
    let policy = EvolutionPolicy::default();
    let after = |at: At| verdict(&backtest(&seat(), &share(3, 10), Experience::default(), at, &policy)).0;
    assert_eq!(after(three_days), Verdict::Promote, "30 of 100 in thirty days");
    assert_eq!(after(MONTH), Verdict::Wait, "3 of 10 in thirty days");
    assert_eq!(after(At(0)), Verdict::Promote, "no history is shorter than a day");
}

#[test]
fn without_history_nothing_is_foretold_z160() {
    let found = tried(&seat(), &[]);
    assert_eq!((found.payloads, found.share), (0, None));
    assert!(found.prediction().is_none());
    assert_eq!(found.since, MONTH);
    let unasked = tried(&seat(), &silent(40));
    assert_eq!(unasked.share, Some(0.0));
    assert_eq!(verdict(&unasked), (Verdict::Deprecate, Some(Reason::LowUsage)));
}

#[test]
fn a_backtest_is_read_back_as_it_was_written() {
    let found = tried(&seat(), &share(20, 100));
    let written = serde_json::to_string(&found).expect("JSON");
    assert_eq!(serde_json::from_str::<Backtest>(&written).expect("a backtest"), found);
}
