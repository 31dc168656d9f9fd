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

/// Asked, given back, and whether a person takes it for what was asked.
const PAIRS: [(&str, &str, bool); 84] = [
    (
        "Find a hotel near the Colosseum",
        "Capo d'Africa, a hotel 300 m from the Colosseum, 164 EUR",
        true,
    ),
    (
        "Find somewhere to stay for three nights",
        "A double room at the Lancelot from May 8 to May 11",
        true,
    ),
    (
        "Book a flight from Berlin to Rome",
        "LH123, BER 17:20 to FCO 19:25, 102 EUR, booking code X7K2",
        true,
    ),
    (
        "Check the weather forecast for the weekend",
        "Sunny on both days, 22 to 24 degrees, rain chance 10 %",
        true,
    ),
    (
        "Name the disease behind fever and cough",
        "Influenza: five of its signs are there",
        true,
    ),
    (
        "Prescribe a medicine and its dose",
        "Oseltamivir 75 mg twice a day for five days",
        true,
    ),
    (
        "Buy the prescribed drug at the lowest price",
        "Paid 5.90 EUR for ten tablets at the Park pharmacy",
        true,
    ),
    (
        "Translate the contract into German",
        "Der Vertrag liegt auf Deutsch vor, 14 Seiten",
        true,
    ),
    (
        "Summarise the quarterly report",
        "Revenue grew by 4 %, costs fell by 1 %, the outlook is stable",
        true,
    ),
    (
        "Compare the three offers and recommend one",
        "Offer B is the cheapest and has the longest warranty: recommended",
        true,
    ),
    (
        "Find out who owns the domain example.org",
        "Registered to the IANA, as whois says",
        true,
    ),
    (
        "Count the open tickets of the last week",
        "There are 37 open tickets, 12 of them urgent",
        true,
    ),
    (
        "Reserve a table for two at eight",
        "Trattoria Luzzi, 20:00, two guests, confirmed by telephone",
        true,
    ),
    (
        "List the ingredients of a carbonara",
        "Eggs, guanciale, pecorino, black pepper, spaghetti",
        true,
    ),
    (
        "Fix the failing unit test",
        "The test passes again: an off-by-one in the pager was the cause",
        true,
    ),
    (
        "Explain why the build is slow",
        "Four minutes go into linking; the debug information is the reason",
        true,
    ),
    (
        "Send the invoice to the customer",
        "Invoice 2026-114 went to billing@customer.example at 09:12",
        true,
    ),
    (
        "Find the fastest route to the airport",
        "Leonardo Express from Termini, 32 minutes",
        true,
    ),
    (
        "Draft an apology to the guest",
        "Dear Ms Weber, we are sorry that your room was not ready",
        true,
    ),
    (
        "Check whether the passport is still valid",
        "Valid until 2031-03-02",
        true,
    ),
    (
        "Pick a birthday present for a ten-year-old",
        "A telescope for beginners, 49 EUR, in stock",
        true,
    ),
    (
        "Measure the response time of the service",
        "Median 4 ms, 99th percentile 21 ms over ten thousand requests",
        true,
    ),
    (
        "Order replacement toner for the printer",
        "Two cartridges TN-2420 ordered, delivery on Thursday",
        true,
    ),
    (
        "Look up the opening hours of the museum",
        "Daily from 9 to 19, closed on Mondays",
        true,
    ),
    (
        "Find a hotel near the Colosseum",
        "Revenue grew by 4 %, costs fell by 1 %",
        false,
    ),
    (
        "Find somewhere to stay for three nights",
        "Eggs, guanciale, pecorino, black pepper",
        false,
    ),
    (
        "Book a flight from Berlin to Rome",
        "I was unable to book anything for that day",
        false,
    ),
    (
        "Check the weather forecast for the weekend",
        "Invoice 2026-114 went to the customer",
        false,
    ),
    (
        "Name the disease behind fever and cough",
        "Two cartridges TN-2420 ordered",
        false,
    ),
    ("Prescribe a medicine and its dose", "Done.", false),
    (
        "Buy the prescribed drug at the lowest price",
        "The pharmacy says that it is not available",
        false,
    ),
    (
        "Translate the contract into German",
        "Sunny on both days, 22 to 24 degrees",
        false,
    ),
    (
        "Summarise the quarterly report",
        "Summarise the quarterly report",
        false,
    ),
    ("Compare the three offers and recommend one", "OK, all good", false),
    (
        "Find out who owns the domain example.org",
        "Leonardo Express from Termini, 32 minutes",
        false,
    ),
    (
        "Count the open tickets of the last week",
        "Could not reach the ticket system",
        false,
    ),
    ("Reserve a table for two at eight", "The request timed out", false),
    ("List the ingredients of a carbonara", "Valid until 2031-03-02", false),
    ("Fix the failing unit test", "A telescope for beginners, 49 EUR", false),
    (
        "Explain why the build is slow",
        "Dear Ms Weber, we are sorry for the noise",
        false,
    ),
    (
        "Send the invoice to the customer",
        "The invoice has not been sent, still pending",
        false,
    ),
    (
        "Find the fastest route to the airport",
        "Oseltamivir 75 mg twice a day",
        false,
    ),
    ("Draft an apology to the guest", "37 open, 12 of them urgent", false),
    (
        "Check whether the passport is still valid",
        "Completed successfully",
        false,
    ),
    ("Pick a birthday present for a ten-year-old", "Nothing found", false),
    (
        "Measure the response time of the service",
        "Der Vertrag liegt auf Deutsch vor",
        false,
    ),
    (
        "Order replacement toner for the printer",
        "Trattoria Luzzi, 20:00, two guests",
        false,
    ),
    ("Look up the opening hours of the museum", "See above", false),
    // Of the same field, and something else.
    (
        "Find a hotel near the Colosseum",
        "LH123 from BER to FCO, 17:20 to 19:25, 102 EUR",
        false,
    ),
    (
        "Book a flight from Berlin to Rome",
        "Trattoria Luzzi, 20:00, two guests",
        false,
    ),
    (
        "Check the weather forecast for the weekend",
        "Leonardo Express from Termini, 32 minutes",
        false,
    ),
    (
        "Prescribe a medicine and its dose",
        "Influenza: five of its signs are there",
        false,
    ),
    (
        "Name the disease behind fever and cough",
        "Paid 5.90 EUR for ten tablets at the Park pharmacy",
        false,
    ),
    (
        "Buy the prescribed drug at the lowest price",
        "Influenza: five of its signs are there",
        false,
    ),
    (
        "Find the fastest route to the airport",
        "LH123 from BER to FCO, 17:20 to 19:25",
        false,
    ),
    (
        "Reserve a table for two at eight",
        "A double room from May 8 to May 11",
        false,
    ),
    (
        "Fix the failing unit test",
        "The build takes four minutes, linking is the reason",
        false,
    ),
    (
        "Send the invoice to the customer",
        "Dear Ms Weber, we are sorry that your room was not ready",
        false,
    ),
    (
        "Summarise the quarterly report",
        "There are 37 open tickets, 12 urgent",
        false,
    ),
    (
        "Look up the opening hours of the museum",
        "Sunny on both days, 22 to 24 degrees",
        false,
    ),
    ("Explain why the build is slow", "All unit tests pass again", false),
    (
        "Draft an apology to the guest",
        "Two guests at 20:00, confirmed by telephone",
        false,
    ),
    // Plain failures, intentions and doubts in words of the description; then good results with such words in them.
    (
        "Find a hotel near the Colosseum that takes dogs",
        "No hotel near the Colosseum that takes dogs was found",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "Unfortunately nothing near the Colosseum takes dogs",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "Hotel Colosseum dogs: error 503 from the booking site",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "I will find a hotel near the Colosseum that takes dogs tomorrow",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "Hotel near Colosseum takes dogs? unclear",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "Todo: hotel near Colosseum dogs",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "Kein Hotel beim Colosseum gefunden",
        false,
    ),
    (
        "Book a flight from Berlin to Rome",
        "The flight from Berlin to Rome is still open, booking site down",
        false,
    ),
    (
        "Send the invoice to the customer",
        "The invoice bounced: no such customer address",
        false,
    ),
    (
        "Reserve a table for two at eight",
        "A table for two at eight was not to be had",
        false,
    ),
    (
        "Translate the contract into German",
        "Leider ist der Vertrag (contract) auf German nicht lesbar",
        false,
    ),
    (
        "Order replacement toner for the printer",
        "Replacement toner for the printer: aucun en stock",
        false,
    ),
    (
        "Count the open tickets of the last week",
        "Open tickets of the last week: the query was denied",
        false,
    ),
    (
        "Check whether the passport is still valid",
        "Whether the passport is valid is unknown",
        false,
    ),
    (
        "Find a hotel near the Colosseum that takes dogs",
        "Capo d'Africa, hotel 300 m from the Colosseum, takes dogs, no breakfast",
        true,
    ),
    (
        "Find a room where smoking is not allowed",
        "Room 12 at the Lancelot, smoking is not allowed",
        true,
    ),
    (
        "Prescribe a medicine and its dose",
        "Medicine oseltamivir, dose 75 mg twice a day; no allergy speaks against it",
        true,
    ),
    (
        "Find the error in the pager",
        "The error in the pager was an off-by-one",
        true,
    ),
    (
        "Look up the opening hours of the museum",
        "Opening hours 9 to 19, never closed but on Mondays",
        true,
    ),
    (
        "Check whether the server is unavailable",
        "The server is unavailable since 09:12, as three probes say",
        true,
    ),
    (
        "Compare the three offers and recommend one",
        "Recommended: offer B, the cheapest, although not the fastest",
        true,
    ),
    (
        "Find the fastest route to the airport",
        "Bus 82 is the fastest route to the airport, 25 minutes, no change",
        true,
    ),
];

/// Pairs that the rules were tuned with, pairs of every class that they know, and pairs that they never saw. `+` or `-`, what was
/// asked, what came back.
const TUNED: &str = include_str!("pairs/tuned.tsv");
const CLASSES: &str = include_str!("pairs/classes.tsv");
const UNSEEN: &str = include_str!("pairs/unseen.tsv");

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
    assert_agrees(&PAIRS, 25, 4);
    assert_agrees(&read(TUNED), 12, 4);
    assert_agrees(&read(CLASSES), 115, 16);
}

/// The line says no more than how many, so that nobody makes a rule by what it shows.
#[test]
fn the_second_phase_agrees_with_a_person_on_pairs_that_its_rules_were_not_made_with_c056() {
    let told = Agreement::of(&read(UNSEEN));
    println!("{}", told.line());
    assert!(told.right_verified >= 12 && told.wrong_verified <= 8, "{}", told.line());
}
