//! Sentences, word for word where the wording is the point.

use super::compared;
use super::difference;
use super::foretold;
use super::of;
use super::why;
use crate::evolution::backtest::Prediction;
use crate::evolution::backtest::Verdict;
use crate::evolution::backtest::sample as backtests;
use crate::evolution::ledger::KeyReading;
use crate::evolution::patch::Patch;
use crate::evolution::patch::sample;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::pool::rationale::Certainty;
use crate::pool::rationale::NameSource;
use crate::pool::rationale::Naming;
use crate::pool::rationale::NearRule;
use crate::pool::rationale::Nearest;
use crate::pool::rationale::Rationale;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::name::SchemaId;
use schema::time::At;

fn named(name: &str) -> KeyName {
    KeyName::parse(name).expect("a name")
}

fn grounds() -> Rationale {
    Rationale {
        fragments: 20,
        clients: 5,
        certainty: Some(Certainty {
            named: 14,
            valued: 6,
            denied: 1,
        }),
        name: Naming {
            name: "window_seat".to_owned(),
            source: NameSource::Phrase,
            wanted: None,
        },
        nearest: Some(Nearest {
            compared: 6,
            rule: NearRule::Nothing,
            key_name: None,
        }),
    }
}

fn patch(change: impl FnOnce(&mut Rationale)) -> Patch {
    let mut grounds = grounds();
    change(&mut grounds);
    Patch {
        grounds: Some(Box::new(grounds)),
        ..sample::patch(1)
    }
}

#[test]
fn a_proposal_is_explained_in_plain_sentences_z109_z111_z113_z143() {
    assert_eq!(
        why(&patch(|_| {})),
        [
            "It was proposed for all because 5 known clients asked for it 12 times within the gate's window, with a heat \
             of 60.",
            "It was made of 20 fragments of 5 known clients; of these 14 with all words of its name, 6 with one value and 1 \
             with a denial.",
            "It is called `seat_preference` because these are the words that its fragments share most.",
            "It was compared with 6 existing keys, by name alone: none is the same, so it became a key of its own.",
        ]
    );
}

#[test]
fn a_patch_of_before_grounds_says_only_what_is_known() {
    assert_eq!(why(&sample::patch(1)).len(), 1);
    let said = |base: Option<&SchemaId>| of(&sample::patch(1), &KeyReading::default(), base);
    assert_eq!(said(None).len(), 1);
    let base = SchemaId::parse("flight_booking_v1_1");
    assert_eq!(
        said(base.as_ref())[1..],
        [
            "The base in force, `flight_booking_v1_1`, says this by itself now: what is submitted under it is not counted here."
        ]
    );
}

#[test]
fn what_nobody_noted_is_not_said() {
    let said = why(&Patch {
        grounds: Some(Box::default()),
        ..sample::patch(1)
    });
    assert_eq!(said.len(), 2, "{said:?}");
}

#[test]
fn a_clients_own_key_does_not_name_it_z123_z143() {
    let own = Patch {
        audience: Audience::Client(ClientId::parse("ada").expect("a client")),
        ..sample::patch(1)
    };
    let said = why(&own);
    assert!(
        said[0].starts_with("It was proposed for one client alone because that client asked for it 3 times"),
        "{said:?}"
    );
    assert!(!said.join(" ").contains("ada"), "{said:?}");
}

#[test]
fn each_way_of_being_near_reads_differently_z113_z114_z126() {
    let refined = |rule| {
        let patch = patch(|grounds| {
            let nearest = grounds.nearest.as_mut().expect("compared");
            nearest.rule = rule;
            nearest.key_name = Some(named("cabin_class"));
        });
        let change = KeyChange::Refine {
            key_name: named("cabin_class"),
            semantic_description: "Cabin.".to_owned(),
            values: Vec::new(),
            closes: false,
        };
        why(&Patch { change, ..patch }).join(" ")
    };
    assert!(
        refined(NearRule::SameName)
            .contains("the name of `cabin_class` says the same, so it is to be described better")
    );
    assert!(refined(NearRule::SameName).contains("As a key of its own it would have been `window_seat`"));
    assert!(refined(NearRule::Retired).contains("`cabin_class` was near by a rule of before"));
    assert!(
        refined(NearRule::SameCluster)
            .contains("The same wishes led to `cabin_class` before, so it is to be described")
    );
}

#[test]
fn a_longer_list_names_what_it_takes_in_z107_z114() {
    let change = KeyChange::Refine {
        key_name: named("cabin_class"),
        semantic_description: "Cabin.".to_owned(),
        values: vec!["premium".to_owned(), "first".to_owned()],
        closes: false,
    };
    let patch = patch(|grounds| {
        let nearest = grounds.nearest.as_mut().expect("compared");
        (nearest.rule, nearest.key_name) = (NearRule::SameCluster, Some(named("cabin_class")));
    });
    let said = why(&Patch { change, ..patch }).join(" ");
    assert!(
        said.contains("led to `cabin_class` before, so its list is to take in `premium` and `first`."),
        "{said}"
    );
}

#[test]
fn a_taken_name_says_why_z072_z111() {
    let said = why(&patch(|grounds| grounds.name.wanted = Some("seat".to_owned()))).join(" ");
    let sentence = "`seat` was found for it because these are the words that its fragments share most; that name was taken \
        already, so it is called `seat_preference`.";
    assert!(said.contains(sentence), "{said}");
}

#[test]
fn what_is_foretold_names_its_history_and_its_assumptions_z144_z160() {
    let mut backtest = backtests::backtest(At(86_400_000));
    assert_eq!(
        foretold(&backtest),
        "Held against 200 accepted payloads since 1970-01-01, as of 1970-01-02: 40 asked for it (20 %, 9 known clients), and 38 \
         of those held a value that fits; if all of these came with it, it would be promoted (its values taken as right)."
    );
    backtest.experience.adoption = Some(0.5);
    backtest.experience.alignment = Some(0.9);
    backtest.at_adoption = Some(Prediction {
        usage: 0.1,
        value_type_correctness: Some(0.95),
        verdict: Verdict::Extend,
        reason: None,
    });
    let said = foretold(&backtest);
    assert!(
        said.contains("at the adoption of the scenario's other keys (50 %) its usage would be 10 % and it would stay"),
        "{said}"
    );
    assert!(!said.contains("taken as right"), "{said}");
    backtest.if_all = None;
    backtest.at_adoption = None;
    assert_eq!(
        foretold(&backtest),
        "There was no history to try it on when it was induced on 1970-01-02."
    );
}

#[test]
fn the_difference_is_told_more_less_or_none_z143() {
    let prediction = backtests::backtest(At(0)).if_all.expect("a prediction");
    let told = |usage, reason: Option<Reason>| difference(&prediction, usage, reason.as_ref());
    assert_eq!(
        told(0.25, Some(Reason::Promoted)),
        "25 % of the payloads came with it, 6 points more than foretold (19 %); the decision was the one foretold."
    );
    assert!(
        told(0.18, None).contains("1 point less than foretold (19 %); nothing is decided yet"),
        "{}",
        told(0.19, None)
    );
    assert!(told(0.192, None).contains("came with it, as foretold (19 %)"));
    assert!(
        told(0.01, Some(Reason::LowUsage))
            .contains("it was deprecated for too little use, while it was to be promoted")
    );
    assert!(told(0.1, Some(Reason::MiddleBand)).contains("its trial was prolonged, while it was to be promoted"));
}

#[test]
fn a_decision_is_the_one_foretold_only_where_its_reason_is_z143_z146() {
    let mut prediction = backtests::backtest(At(0)).if_all.expect("a prediction");
    (prediction.verdict, prediction.reason) = (Verdict::Deprecate, Some(Reason::LowUsage));
    let told = |reason: Reason| difference(&prediction, 0.14, Some(&reason));
    assert!(told(Reason::LowUsage).ends_with("; the decision was the one foretold."));
    let other = told(Reason::LowAlignment);
    assert!(
        other.ends_with(
            "; it was deprecated for values that do not say what was said, while it was to be deprecated for too little use."
        ),
        "{other}"
    );
}

#[test]
fn nothing_is_compared_without_a_backtest_or_payloads_z160() {
    let now = KeyReading {
        usage_frequency: Some(0.2),
        ..KeyReading::default()
    };
    assert_eq!(compared(&sample::patch(1), &now), None);
    let tried = Patch {
        backtest: Some(Box::new(backtests::backtest(At(0)))),
        ..sample::patch(1)
    };
    assert_eq!(compared(&tried, &KeyReading::default()), None);
    assert!(compared(&tried, &now).is_some());
    assert_eq!(of(&tried, &now, None).len(), 3);
}
