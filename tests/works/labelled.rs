//! How often the second phase agrees with a person, on pairs of what was asked and what was given back.

use otherwise::edge::boot::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::HOTEL;
use super::MASTER;
use super::id;
use super::ok;
use super::subtask;
use super::task;
use crate::support::server::Server;

/// Pairs by which thresholds were chosen, that the rules were tuned with, of every class that they know, that speak of the same matter,
/// and three sets that no rule saw. `+` or `-`, what was asked, what came back.
const FIRST: &str = include_str!("pairs/first.tsv");
const TUNED: &str = include_str!("pairs/tuned.tsv");
const CLASSES: &str = include_str!("pairs/classes.tsv");
const MATTER: &str = include_str!("pairs/matter.tsv");
const UNSEEN: &str = include_str!("pairs/unseen.tsv");
const LATER: &str = include_str!("pairs/later.tsv");
const BOUNDS: &str = include_str!("pairs/bounds.tsv");

/// Items of one subtask at the most.
const ITEMS: usize = 42;

type Pair = (&'static str, &'static str, bool);

/// How often the service agrees with a person.
struct Agreement {
    right: usize,
    right_verified: usize,
    wrong: usize,
    wrong_verified: usize,
    /// Where it does not.
    apart: Vec<String>,
}

impl Agreement {
    fn of(pairs: &[Pair]) -> Agreement {
        let server = Server::start(&[], |_| {}, PartsOverride::default());
        let verdicts: Vec<Value> = pairs.chunks(ITEMS).flat_map(|pairs| judged(&server, pairs)).collect();
        assert_eq!(verdicts.len(), pairs.len());
        let mut told = Agreement {
            right: 0,
            right_verified: 0,
            wrong: 0,
            wrong_verified: 0,
            apart: Vec::new(),
        };
        for ((asked, said, right), verdict) in pairs.iter().zip(&verdicts) {
            let verified = verdict["verdict"] == "verified";
            told.right += usize::from(*right);
            told.right_verified += usize::from(verified && *right);
            told.wrong += usize::from(!*right);
            told.wrong_verified += usize::from(verified && !*right);
            if verified != *right {
                told.apart.push(format!("{asked} / {said}: {}", verdict["reason"]));
            }
        }
        told
    }

    /// In one line, as the documentation says it.
    fn line(&self) -> String {
        format!(
            "{} of {} that are right and {} of {} that are not",
            self.right_verified, self.right, self.wrong_verified, self.wrong
        )
    }
}

fn read(table: &'static str) -> Vec<Pair> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [sign, asked, said] = cells[..] else {
            panic!("{row}");
        };
        (asked, said, sign == "+")
    })
    .collect()
}

/// What the service holds of pairs, as items of one subtask.
fn judged(server: &Server, pairs: &[Pair]) -> Vec<Value> {
    let of = |make: fn(usize, &Pair) -> Value| -> Vec<Value> {
        pairs
            .iter()
            .enumerate()
            .map(|(place, pair)| make(place, pair))
            .collect()
    };
    let mut context = subtask("all", HOTEL, &[], "x");
    context["todoItems"] = json!(of(
        |place, pair| json!({"itemId": place.to_string(), "description": pair.0})
    ));
    context["ItemstateUpdates"] = json!([]);
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [context]});
    let at = format!(
        "/tasks/{}/subtasks/all",
        id(&ok(server, MASTER, "POST", "/tasks", &body))
    );
    let mut back = context;
    back["ItemstateUpdates"] = json!(of(|place, _| json!({"itemId": place.to_string(), "state": 1})));
    back["KeyInformation"] = json!(of(
        |place, pair| json!({"itemId": place.to_string(), "outputabstract": pair.1})
    ));
    ok(server, HOTEL, "PUT", &at, &json!({"AgentContext": back}));
    let told = ok(server, MASTER, "POST", &format!("{at}:evaluate"), &Value::Null);
    told["evaluation"]["verdicts"].as_array().expect("verdicts").clone()
}

/// Holds that so many right ones at least and so many wrong ones at the most are verified.
fn assert_agrees(pairs: &[Pair], right_min: usize, wrong_max: usize) {
    let told = Agreement::of(pairs);
    println!("{}", told.line());
    let agrees = told.right_verified >= right_min && told.wrong_verified <= wrong_max;
    assert!(agrees, "{}: {:#?}", told.line(), told.apart);
}

#[test]
fn the_second_phase_agrees_with_a_person_on_most_pairs_c056() {
    assert_agrees(&read(FIRST), 24, 2);
    assert_agrees(&read(TUNED), 13, 2);
    assert_agrees(&read(CLASSES), 112, 10);
    assert_agrees(&read(MATTER), 22, 4);
}

/// The line says no more than how many, so that nobody makes a rule by what it shows.
#[test]
fn the_second_phase_agrees_with_a_person_on_pairs_that_its_rules_were_not_made_with_c056() {
    for (pairs, right_min, wrong_max) in [(UNSEEN, 12, 6), (LATER, 15, 6), (BOUNDS, 18, 7)] {
        let told = Agreement::of(&read(pairs));
        println!("{}", told.line());
        let agrees = told.right_verified >= right_min && told.wrong_verified <= wrong_max;
        assert!(agrees, "{}", told.line());
    }
}
