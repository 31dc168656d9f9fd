//! Finding a scenario by what it is for, over HTTP and with the shipped model (Z-009).

mod calibration;

use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;

fn schema(scenario: &str, description: &str, keys: &[(&str, &str)]) -> (String, Value) {
    let keys: Vec<Value> = keys
        .iter()
        .map(|(name, what)| {
            json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": what})
        })
        .collect();
    let document = json!({"schema_id": format!("{scenario}_v1"), "scenario": scenario, "description": description,
        "keys": keys, "labels": {"team": scenario}});
    (format!("{scenario}.json"), document)
}

fn hosted() -> Vec<(String, Value)> {
    vec![
        schema(
            "ferry_crossing",
            "Book a crossing by ferry for people and vehicles",
            &[
                ("port", "Port of departure."),
                ("vehicle", "What is taken aboard."),
                ("cabin", "Kind of cabin."),
            ],
        ),
        schema(
            "museum_tickets",
            "Tickets and guided tours of a museum",
            &[
                ("tour", "Which guided tour."),
                ("day", "Day of the visit."),
                ("visitors", "How many people come."),
            ],
        ),
        schema(
            "plant_nursery",
            "Order plants, seeds and soil from a nursery",
            &[
                ("plant", "Which plant."),
                ("pot_size", "Width of the pot."),
                ("amount", "How many."),
            ],
        ),
    ]
}

fn serve() -> Server {
    let hosted = hosted();
    let schemas: Vec<(&str, Value)> = hosted
        .iter()
        .map(|(name, document)| (name.as_str(), document.clone()))
        .collect();
    Server::set(&schemas, |settings| settings.service.search_chars_max = 120)
}

fn ask(server: &Server, query: &str) -> Reply {
    server.call("GET", &format!("/v1/scenarios?{query}"), &[], "")
}

/// Asks until every template was read.
fn found(server: &Server, wish: &str) -> Value {
    let begun = Instant::now();
    loop {
        let reply = ask(server, &format!("q={}", wish.replace(' ', "%20")));
        assert_eq!(reply.status, 200, "{}", reply.body);
        if reply.body["unread"] == 0 {
            return reply.body;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{}", reply.body);
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn first(server: &Server, wish: &str) -> Value {
    found(server, wish)["scenarios"][0]["scenario"].clone()
}

#[test]
fn a_wish_finds_the_scenario_that_answers_it_in_other_words_z009() {
    let server = serve();
    assert_eq!(first(&server, "take our car across the sea by boat"), "ferry_crossing");
    assert_eq!(
        first(&server, "see the paintings with a guide on saturday"),
        "museum_tickets"
    );
    assert_eq!(first(&server, "roses and soil for my garden"), "plant_nursery");
    let told = found(&server, "book a ferry with a cabin");
    assert_eq!(told["outcome"], "match");
    let row = &told["scenarios"][0];
    has(row, json!({"schema_id": "ferry_crossing_v1", "version": "1.0.0"}));
    assert!(row["likeness"].as_f64() >= told["likeness_min"].as_f64(), "{told}");
}

#[test]
fn what_fits_nothing_is_no_match_and_not_a_guess_z009_z015() {
    let server = serve();
    for wish in [
        "tell me a joke",
        "what is twelve times nine",
        "transfer money to my sister",
        "fix my broken laptop",
        "?",
    ] {
        let told = found(&server, wish);
        has(&told, json!({"outcome": "no_match", "scenarios": []}));
    }
}

#[test]
fn a_search_ends_at_its_limits_and_says_so() {
    let server = serve();
    let refused = |query: &str| {
        let reply = ask(&server, query);
        (reply.status, reply.body["code"].clone())
    };
    let long = |length: usize| format!("q={}", "a".repeat(length));
    assert_eq!(ask(&server, &long(120)).status, 200);
    assert_eq!(refused(&long(121)), (400, json!("bad_parameter")));
    assert_eq!(refused("q="), (400, json!("bad_parameter")));
    assert_eq!(refused("q=%20%20"), (400, json!("bad_parameter")));
    assert_eq!(refused("q=boat&limit=0"), (400, json!("bad_parameter")));
    assert_eq!(refused("q=boat&limit=101"), (400, json!("bad_parameter")));
    assert_eq!(ask(&server, "q=boat&limit=100").status, 200);
    assert_eq!(ask(&server, "limit=3").status, 200, "the plain list is paged too");
}

#[test]
fn a_label_narrows_a_search_and_a_template_that_changes_is_read_again() {
    let server = serve();
    assert_eq!(first(&server, "a crossing by ferry"), "ferry_crossing");
    let other = ask(&server, "q=a%20crossing%20by%20ferry&label=team:museum_tickets").body;
    assert_eq!(other["scenarios"], json!([]));
    let own = ask(&server, "q=a%20crossing%20by%20ferry&label=team:ferry_crossing&limit=1").body;
    assert_eq!(own["scenarios"].as_array().map(Vec::len), Some(1));
    assert_eq!(found(&server, "walk my dog in the afternoon")["outcome"], "no_match");
    let (_, mut walks) = schema(
        "dog_walks",
        "Somebody walks your dog while you are out",
        &[("dog", "Name and breed.")],
    );
    let put = server.put("/v1/schemas/dog_walks_v1", &walks);
    assert_eq!(put.status, 201, "{}", put.body);
    assert_eq!(first(&server, "walk my dog in the afternoon"), "dog_walks");
    walks["schema_id"] = json!("dog_walks_v2");
    walks["version"] = json!("2.0.0");
    walks["description"] = json!("Haircuts for poodles");
    assert_eq!(server.put("/v1/schemas/dog_walks_v2", &walks).status, 201);
    assert_eq!(first(&server, "cut the hair of my poodle"), "dog_walks");
    for version in ["v1", "v2"] {
        let gone = server.delete(&format!("/v1/schemas/dog_walks_{version}"));
        assert_eq!(gone.status, 200);
    }
    assert_eq!(found(&server, "cut the hair of my poodle")["outcome"], "no_match");
}
