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
const PAIRS: [(&str, &str, bool); 62] = [
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
];

#[test]
fn the_second_phase_agrees_with_a_person_on_most_pairs_c056() {
    let server = Server::start(&[], |_| {}, PartsOverride::default());
    let mut context = subtask("all", HOTEL, &[], "x");
    let of = |make: fn(usize, &(&str, &str, bool)) -> Value| -> Vec<Value> {
        PAIRS
            .iter()
            .enumerate()
            .map(|(place, pair)| make(place, pair))
            .collect()
    };
    context["todoItems"] = json!(of(
        |place, pair| json!({"itemId": place.to_string(), "description": pair.0})
    ));
    context["ItemstateUpdates"] = json!([]);
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [context]});
    let at = format!(
        "/tasks/{}/subtasks/all",
        id(&ok(&server, MASTER, "POST", "/tasks", &body))
    );
    let mut back = context;
    back["ItemstateUpdates"] = json!(of(|place, _| json!({"itemId": place.to_string(), "state": 1})));
    back["KeyInformation"] = json!(of(
        |place, pair| json!({"itemId": place.to_string(), "outputabstract": pair.1})
    ));
    ok(&server, HOTEL, "PUT", &at, &json!({"AgentContext": back}));
    let told = ok(&server, MASTER, "POST", &format!("{at}:evaluate"), &Value::Null);
    let verdicts = told["evaluation"]["verdicts"].as_array().expect("verdicts");
    let (mut taken, mut passed) = (0, 0);
    let mut wrong = Vec::new();
    for ((asked, said, right), verdict) in PAIRS.iter().zip(verdicts) {
        let verified = verdict["verdict"] == "verified";
        taken += usize::from(verified && *right);
        passed += usize::from(verified && !*right);
        if verified != *right {
            wrong.push(format!("{asked} / {said}: {}", verdict["reason"]));
        }
    }
    // Of 24 that are right and 38 that are not.
    assert!(taken >= 18 && passed <= 2, "{taken} {passed}: {wrong:#?}");
}
