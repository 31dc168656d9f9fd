//! Sentences, word for word where the wording is the point.

use super::*;
use crate::evolution::backtest::sample as backtests;
use crate::evolution::patch::sample;
use crate::pool::rationale::Certainty;
use crate::pool::rationale::Naming;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::time::At;

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
fn a_proposal_is_explained_in_plain_sentences_as_far_as_it_was_noted_z109_z111_z113_z143() {
    let said = [
        "It was proposed for all because 5 known clients asked for it 12 times within the gate's window, with a heat of 60.",
        "It was made of 20 fragments of 5 known clients; of these 14 with all words of its name, 6 with one value and 1 with a denial.",
        "Of its fragments 19 are not shown beside 1 example: each was said by fewer clients than `evolution.example_clients_min`, is one too \
         many to be shown, or is private or erased.",
        "It is called `seat_preference` because these are the words that its fragments share most.",
        "It was compared with 6 existing keys, by name alone: none is the same, so it became a key of its own.",
    ];
    assert_eq!(why(&patch(|_| {})), said);
    let base = SchemaId::parse("flight_booking_v1_1");
    let of_before = of(&sample::patch(1), &KeyReading::default(), base.as_ref());
    let taken = "The base in force, `flight_booking_v1_1`, says this by itself now: what is submitted under it is not counted here.";
    assert_eq!(of_before, [said[0], taken]);
    assert_eq!(why(&patch(|grounds| *grounds = Rationale::default())).len(), 2);
}

#[test]
fn a_clients_own_key_does_not_name_it_z123_z143() {
    let own = Patch {
        audience: Audience::Client(ClientId::parse("ada").expect("a client")),
        ..sample::patch(1)
    };
    let said = why(&own).join(" ");
    assert!(
        said.starts_with("It was proposed for one client alone because that client asked for it 3 times"),
        "{said}"
    );
    assert!(!said.contains("ada"), "{said}");
}

#[test]
fn each_way_of_being_near_reads_differently_z072_z107_z111_z113_z114_z126() {
    let taken = why(&patch(|grounds| grounds.name.wanted = Some("seat".to_owned()))).join(" ");
    let sentence = "`seat` was found for it because these are the words that its fragments share most; that name was taken \
        already, so it is called `seat_preference`.";
    assert!(taken.contains(sentence), "{taken}");
    for (rule, values, said) in [
        (
            NearRule::SameName,
            &[][..],
            "the name of `cabin_class` says the same, so it is to be described better",
        ),
        (
            NearRule::SameName,
            &[],
            "As a key of its own it would have been `window_seat`",
        ),
        (NearRule::Retired, &[], "`cabin_class` was near by a rule of before"),
        (
            NearRule::SameCluster,
            &[],
            "The same wishes led to `cabin_class` before, so it is to be described",
        ),
        (
            NearRule::SameCluster,
            &["premium", "first"],
            "so its list is to take in `premium` and `first`.",
        ),
    ] {
        let key_name = KeyName::parse("cabin_class").expect("a name");
        let patch = patch(|grounds| {
            let nearest = grounds.nearest.as_mut().expect("compared");
            (nearest.rule, nearest.key_name) = (rule, Some(key_name.clone()));
        });
        let change = KeyChange::Refine {
            key_name,
            semantic_description: "Cabin.".to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            closes: false,
        };
        let told = why(&Patch { change, ..patch }).join(" ");
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn what_is_foretold_names_its_history_and_its_assumptions_z144_z160() {
    let mut backtest = backtests::backtest(At(86_400_000));
    let said = "Held against 200 accepted payloads since 1970-01-01, as of 1970-01-02: 40 hold a fragment of its cluster (20 %, 9 known \
        clients), and 38 of those a value of its type, which need not be the value that was meant; if all of these came with it, it would be promoted (its values taken as right).";
    assert_eq!(foretold(&backtest), said);
    (backtest.experience.adoption, backtest.experience.alignment) = (Some(0.5), Some(0.9));
    backtest.at_adoption = Some(Prediction {
        usage: 0.1,
        value_type_correctness: Some(0.95),
        verdict: Verdict::Extend,
        reason: None,
    });
    let told = foretold(&backtest);
    let adopted = "at the adoption of the scenario's other keys (50 %) its usage would be 10 % and it would stay";
    assert!(told.contains(adopted) && !told.contains("taken as right"), "{told}");
    (backtest.if_all, backtest.at_adoption) = (None, None);
    assert_eq!(
        foretold(&backtest),
        "There was no history to try it on when it was induced on 1970-01-02."
    );
}

#[test]
fn what_happened_is_told_beside_what_was_foretold_z143_z146_z160() {
    let promote = backtests::backtest(At(0)).if_all.expect("a prediction");
    let mut drop = promote.clone();
    (drop.verdict, drop.reason) = (Verdict::Deprecate, Some(Reason::LowUsage));
    for (prediction, usage, reason, said) in [
        (
            &promote,
            0.25,
            Some(Reason::Promoted),
            "25 % of the payloads came with it, 6 points more than foretold (19 %); the decision was the one foretold.",
        ),
        (
            &promote,
            0.18,
            None,
            "1 point less than foretold (19 %); nothing is decided yet",
        ),
        (&promote, 0.192, None, "came with it, as foretold (19 %)"),
        (
            &promote,
            0.01,
            Some(Reason::LowUsage),
            "it was deprecated for too little use, while it was to be promoted",
        ),
        (
            &promote,
            0.1,
            Some(Reason::MiddleBand),
            "its trial was prolonged, while it was to be promoted",
        ),
        // A decision is the one foretold only where its reason is.
        (
            &drop,
            0.14,
            Some(Reason::LowUsage),
            "; the decision was the one foretold.",
        ),
        (
            &drop,
            0.14,
            Some(Reason::LowAlignment),
            "; it was deprecated for values that do not say what was said, while it was to be deprecated for too little use.",
        ),
    ] {
        let told = difference(prediction, usage, reason.as_ref());
        assert!(told.contains(said), "{told}");
    }
    let now = KeyReading {
        usage_frequency: Some(0.2),
        ..KeyReading::default()
    };
    let tried = Patch {
        backtest: Some(Box::new(backtests::backtest(At(0)))),
        ..sample::patch(1)
    };
    // Nothing is compared without a backtest or payloads.
    assert_eq!(compared(&sample::patch(1), &now), None);
    assert_eq!(compared(&tried, &KeyReading::default()), None);
    assert_eq!(of(&tried, &now, None).len(), 3);
}
