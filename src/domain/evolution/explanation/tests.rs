//! Sentences, word for word where the wording is the point.

use super::compared;
use super::difference;
use super::foretold;
use super::of;
use super::why;
use crate::domain::evolution::backtest::Prediction;
use crate::domain::evolution::backtest::Verdict;
use crate::domain::evolution::backtest::sample as backtests;
use crate::domain::evolution::ledger::KeyReading;
use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::patch::sample;
use crate::domain::evolution::question::Consulted;
use crate::domain::evolution::question::Part;
use crate::domain::evolution::stage::Reason;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::grounds::Barred;
use crate::domain::pool::grounds::Feature;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::LeftOut;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::Near;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::grounds::Nearest;
use crate::domain::pool::grounds::RunnerUp;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::Typing;
use crate::domain::pool::grounds::ValueCount;
use crate::domain::pool::grounds::ValueKind;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::grounds::Valuing;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::SchemaId;
use crate::domain::time::At;

fn named(name: &str) -> KeyName {
    KeyName::parse(name).expect("a name")
}

fn grounds() -> Grounds {
    Grounds {
        fragments: 20,
        clients: 5,
        background: 80,
        name: Naming {
            name: "seat_preference".to_owned(),
            source: NameSource::Vocabulary,
            settled_by: Settled::Vectors,
            score: Some(0.524),
            needed: Some(0.3),
            runners_up: vec![RunnerUp {
                name: "seat_type".to_owned(),
                score: 0.41,
            }],
            wanted: None,
        },
        kind: Typing {
            value: ValueKind::Choice,
            rule: TypeRule::List,
            settled_by: Settled::Words,
            share: Some(0.9),
            needed: Some(0.45),
            read: 18,
            confidence: Some(0.9),
        },
        values: Valuing {
            rule: ValuesRule::Listed,
            coverage: Some(0.9),
            top: Some(0.6),
            listed: vec![
                ValueCount {
                    value: "window".to_owned(),
                    fragments: 11,
                },
                ValueCount {
                    value: "aisle".to_owned(),
                    fragments: 7,
                },
            ],
            left_out: LeftOut {
                too_rare: 2,
                one_client: 1,
                ..LeftOut::default()
            },
        },
        features: vec![Feature {
            types: vec![ValueType::Place],
            roles: vec!["SRC".to_owned()],
            fragments: 3,
        }],
        nearest: Some(Nearest {
            compared: 6,
            likeliest: vec![Near {
                key_name: named("cabin_class"),
                probability: 0.12,
                barred: None,
            }],
            needed: 0.43,
            rule: NearRule::Nothing,
            key_name: None,
        }),
    }
}

fn patch(change: impl FnOnce(&mut Grounds)) -> Patch {
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
            "It was made of 20 fragments of 5 known clients, held against 80 fragments of other wishes.",
            "It is called `seat_preference` because of all general names its meaning is nearest to what was said (it \
             scored 0.52, and 0.30 is needed); next came `seat_type` with 0.41.",
            "It is a choice because values that exclude each other cover 90 % of the fragments (45 % are needed). A value \
             was read out of 18 of 20, 90 % sure.",
            "It takes one of a list; so many fragments ask for each: `window` (11) and `aisle` (7). Left out: 2 phrases \
             said too rarely and 1 phrase said by one client alone.",
            "What the fragments have in common: a place and where something begins in 3 fragments.",
            "It was compared with 6 existing keys: the likeliest is `cabin_class` with 12 % (43 % would make it the same); none \
             is the same, so it became a key of its own.",
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
    assert!(refined(NearRule::ExactName).contains("`cabin_class` has the very name, so it is to be described better"));
    assert!(refined(NearRule::Likelihood).contains("`cabin_class` is meant, so"));
    assert!(refined(NearRule::SameName).contains("the name of `cabin_class` says the same"));
    assert!(refined(NearRule::NearlySameName).contains("by its name `cabin_class` would have been as good"));
    assert!(refined(NearRule::OnlyKey).contains("`cabin_class` is the only key that takes such a value"));
    assert!(refined(NearRule::SameName).contains("As a key of its own it would have been `seat_preference`"));
    assert!(
        refined(NearRule::SameCluster)
            .contains("The same wishes led to `cabin_class` before, so it is to be described")
    );
    let barred = patch(|grounds| {
        let nearest = grounds.nearest.as_mut().expect("compared");
        nearest.likeliest[0].barred = Some(Barred::OtherValues);
    });
    assert!(why(&barred).join(" ").contains("but the two list no value in common"));
    let by_name = patch(|grounds| grounds.nearest.as_mut().expect("compared").likeliest.clear());
    assert!(
        why(&by_name)
            .join(" ")
            .contains("with 6 existing keys, by name alone: none is the same")
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
fn a_taken_name_and_an_open_list_say_why_z072_z111() {
    let said = why(&patch(|grounds| {
        grounds.name.wanted = Some("seat".to_owned());
        grounds.kind.rule = TypeRule::Text;
        grounds.values = Valuing {
            rule: ValuesRule::TooFew,
            ..Valuing::default()
        };
    }))
    .join(" ");
    assert!(
        said.contains("`seat` was found for it because of all general names"),
        "{said}"
    );
    assert!(
        said.contains("; that name was taken already, so it is called `seat_preference`."),
        "{said}"
    );
    assert!(
        said.contains("It is text because it is neither a value with a type, nor a name, nor a switch."),
        "{said}"
    );
    assert!(
        said.contains("It lists no values because fewer than two could be listed."),
        "{said}"
    );
    let count = |value: &str, fragments| ValueCount {
        value: value.to_owned(),
        fragments,
    };
    let short = why(&patch(|grounds| {
        grounds.fragments = 14;
        grounds.values = Valuing {
            rule: ValuesRule::Unproven,
            listed: vec![count("oak", 4), count("walnut", 4), count("pine", 3)],
            ..Valuing::default()
        };
    }))
    .join(" ");
    assert!(
        short.contains(
            "It lists no values yet: too few ask for each to tell them apart: `oak` (4), `walnut` (4) and `pine` (3)."
        ),
        "{short}"
    );
}

#[test]
fn a_name_that_lost_by_far_is_not_told_z111() {
    let told = |score: Option<f64>, needed: Option<f64>, other: f64| {
        let said = why(&patch(|grounds| {
            grounds.name.score = score;
            grounds.name.needed = needed;
            grounds.name.runners_up[0].score = other;
        }));
        said.join(" ").contains("; next came `seat_type`")
    };
    assert!(told(Some(0.52), Some(0.3), 0.26) && !told(Some(0.52), Some(0.3), 0.25));
    assert!(told(None, Some(0.3), 0.15) && !told(None, Some(0.3), 0.14));
    assert!(told(None, None, 0.1), "nothing to hold it against");
}

#[test]
fn a_noun_is_said_to_stand_with_values_where_it_does_z111() {
    let said = |value: ValueKind| {
        why(&patch(|grounds| {
            grounds.name.source = NameSource::Noun;
            grounds.kind.value = value;
        }))
        .join(" ")
    };
    assert!(said(ValueKind::Choice).contains("because that is the noun which stands with the values ("));
    assert!(said(ValueKind::Switch).contains("because of the nouns in the fragments it is the most telling ("));
}

#[test]
fn a_name_that_came_second_says_what_would_have_come_first_z072_z111() {
    let said = why(&patch(|grounds| {
        grounds.name.source = NameSource::Noun;
        grounds.name.wanted = Some("number_of_passengers".to_owned());
    }))
    .join(" ");
    assert!(
        said.contains("It is called `seat_preference` because that is the noun"),
        "{said}"
    );
    assert!(
        said.contains("; `number_of_passengers`, which would have come first, was taken already."),
        "{said}"
    );
}

#[test]
fn what_is_foretold_names_its_history_and_its_assumptions_z144_z160() {
    let mut backtest = backtests::backtest(At(86_400_000));
    assert_eq!(
        foretold(&backtest),
        "Tried on 200 accepted payloads since 1970-01-01, as of 1970-01-02: 40 asked for it (20 %, 9 known clients), and 38 \
         of those held a value that fits; if all of these came with it, it would be promoted (its values taken as right)."
    );
    backtest.adoption = Some(0.5);
    backtest.alignment = Some(0.9);
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

#[test]
fn what_a_model_said_is_explained_as_its_word_z143() {
    let mut patch = patch(|_| {});
    patch.consulted = Consulted {
        model: Some("oracle-1".to_owned()),
        parts: vec![Part::Name, Part::Values],
        ..Consulted::default()
    };
    let said = why(&patch).join("\n");
    assert!(said.contains("Its name is the word of the model `oracle-1`"), "{said}");
    assert!(said.contains("What it lists is the word of the model"), "{said}");
    assert!(
        !said.contains("It is called") && !said.contains("Its type is the word"),
        "{said}"
    );
}
