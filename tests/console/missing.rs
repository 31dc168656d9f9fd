//! What is missing: what stands beside a cluster's gate is what the gate counts.

use serde_json::json;

use super::INJECTED;
use super::OLGA;
use super::enter;
use super::enter_live;
use super::flight;
use super::go;
use super::webdriver::Browser;
use super::webdriver::ENTER;
use super::webdriver::TAB;
use super::wish;
use super::with_proposals;
use crate::support::server::Server;
use crate::support::wishes::SEAT;
use otherwise::bootstrap::parts::PartsOverride;

#[test]
fn a_gate_says_what_it_counts_of_the_heat() {
    let Some(browser) = Browser::start() else { return };
    let mut template = flight();
    template["policy"]["pool"]["gate_clients_min"] = json!(9);
    let server = Server::start(&[("template.json", template)], |_| {}, PartsOverride::default());
    // Two clients say the same four times each: the second time counts half, and so on.
    for (number, said) in SEAT.iter().enumerate() {
        wish(&server, &format!("agent-{}", number % 2), said, &[]);
    }
    let pool = server
        .call("GET", "/v1/scenarios/flight_booking/pool", &[OLGA], "")
        .body;
    let cluster = &pool["clusters"][0];
    let whole = |name: &str| cluster[name].as_f64().expect("heat").round();
    assert!(whole("heat") > whole("capped_heat"), "{cluster}");

    enter(&browser, &server, "s/flight_booking/missing");
    browser.sees("heat above 50");
    let gate = "[...document.querySelectorAll('th')].find(one => one.innerText.startsWith('heat above 50'))";
    browser.until(gate);
    let told = browser.script(&format!("return {gate}.closest('tr').innerText"), &[]);
    let told = told.as_str().expect("a row");
    assert!(told.contains("counts half as much"), "{told}");
    // What cools between the two reads moves a figure across a rounding at most once.
    let shown = |after: &str| {
        let rest = told.split(after).nth(1).unwrap_or_default();
        let figure = rest.split(|one: char| !one.is_ascii_digit()).next();
        figure.and_then(|figure| figure.parse::<f64>().ok())
    };
    for (name, after) in [("heat", "of "), ("capped_heat", "\t")] {
        let shown = shown(after).unwrap_or_else(|| panic!("{name} in {told}"));
        assert!(
            (0.0..=1.0).contains(&(whole(name) - shown)),
            "{name}: {shown} in {told}"
        );
    }
}

#[test]
fn a_cluster_is_shown_wherever_it_stands_and_no_other_in_its_place() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let pool = server
        .call("GET", "/v1/scenarios/flight_booking/pool", &[OLGA], "")
        .body;
    let last = pool["clusters"]
        .as_array()
        .and_then(|all| all.last())
        .expect("a cluster")["id"]
        .clone();
    let heading = |text: &str| {
        browser.until(&format!(
            "document.querySelector('#cluster')?.innerText.startsWith('{text}')"
        ))
    };

    // No other than the one that is named, though the list holds others or none.
    enter_live(&browser, &server, "s/flight_booking/missing?w=999");
    browser.sees("There is no cluster 999 here.");
    assert_eq!(
        browser.script("return document.querySelectorAll('.panel button').length", &[]),
        0,
        "nothing to press"
    );
    go(&browser, &format!("s/flight_booking/missing?state=dismissed&w={last}"));
    browser.sees("No cluster is like that");
    heading(&format!("Cluster {last}"));
    go(&browser, "s/flight_booking/missing");
    heading(&format!("Cluster {}", pool["clusters"][0]["id"]));

    // Leaving the field of the search leaves what was searched for.
    browser.script("document.querySelector('input[type=search]').focus()", &[]);
    browser.press("zzz");
    browser.sees("No cluster is like that");
    browser.press(super::webdriver::ESCAPE);
    browser.until("document.activeElement === document.body");
    assert_eq!(
        browser.script("return document.querySelector('input[type=search]').value", &[]),
        "zzz"
    );
    // A link says what is searched for, whatever was typed.
    go(&browser, "s/flight_booking/missing");
    browser.until("document.querySelector('input[type=search]').value === ''");

    // What is written of a cluster stays, though another is hotter by then.
    let first = &pool["clusters"][0]["id"];
    heading(&format!("Cluster {first}"));
    browser.sees("What it takes to become a key");
    browser.press("m");
    browser.until("document.activeElement?.name === 'key_name'");
    browser.press("se");
    for client in 0..12 {
        wish(&server, &format!("agent-{client}"), INJECTED, &[]);
    }
    let pool = server
        .call("GET", "/v1/scenarios/flight_booking/pool", &[OLGA], "")
        .body;
    let hottest = &pool["clusters"][0]["id"];
    assert_ne!(hottest, first, "{pool}");
    // Whatever is told of the scenario, its list is asked for again.
    let frozen = server.call("POST", "/v1/scenarios/flight_booking:freeze", &[OLGA], "");
    assert_eq!(frozen.status, 200, "{}", frozen.body);
    browser.until(&format!(
        "document.querySelector('tbody tr').innerText.includes('cluster {hottest} ')"
    ));
    let told = browser.script(
        "const it = document.querySelector('dialog[open]'); \
         return [it?.querySelector('h2').innerText, it?.querySelector('[name=key_name]').value, it?.querySelector('textarea').maxLength]",
        &[],
    );
    assert_eq!(told, json!([format!("Make a key of cluster {first}"), "se", 300]));
}

#[test]
fn a_person_makes_a_key_of_a_cluster_and_is_told_what_comes_next() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    // One client alone opens no gate; three opened one, and say too little for the engine to make a key of.
    wish(&server, "agent-0", "a vegetarian meal please", &[]);
    let before = super::patches(&server).len();
    enter_live(&browser, &server, "s/flight_booking/missing");
    browser.sees("gate open, too few wishes");
    for (state, name, told, proposed) in [
        ("cold", "meal_wanted", "once its gate is open", 0),
        ("settled", "picture_wanted", "so it is proposed", 1),
    ] {
        let pool = server
            .call("GET", "/v1/scenarios/flight_booking/pool", &[OLGA], "")
            .body;
        let clusters = pool["clusters"].as_array().expect("clusters");
        let cluster = clusters.iter().find(|one| one["state"] == state);
        let cluster = &cluster.unwrap_or_else(|| panic!("{state}: {pool}"))["id"];
        go(&browser, &format!("s/flight_booking/missing?w={cluster}"));
        browser.until(&format!(
            "document.querySelector('#cluster')?.innerText.startsWith('Cluster {cluster}')"
        ));
        // From then on it hears its keys.
        browser.sees("What it takes to become a key");
        let field = |name: &str| format!("document.querySelector('dialog[open] [name={name}]')");
        browser.press("m");
        browser.until(&format!("{} === document.activeElement", field("key_name")));
        browser.press(name);
        browser.press(super::webdriver::ESCAPE);
        browser.until("!document.querySelector('dialog')");
        // What was begun is there again.
        browser.press("m");
        browser.until(&format!("{}?.value === '{name}'", field("key_name")));
        browser.press(TAB);
        browser.press(TAB);
        browser.until(&format!("{} === document.activeElement", field("semantic_description")));
        browser.press("What is wanted on board.");
        browser.press(TAB);
        browser.press(TAB);
        browser.press(ENTER);
        browser.sees("It is on record.");
        browser.sees(told);
        server.settle();
        let patches = super::patches(&server);
        assert_eq!(patches.len(), before + proposed, "{state}: {patches:?}");
        browser.press(super::webdriver::ESCAPE);
        browser.until("!document.querySelector('dialog')");
    }
    let patches = super::patches(&server);
    let last = patches.last().expect("a patch");
    assert_eq!(last["new_keys"][0]["key_name"], "picture_wanted", "{last}");
    assert_eq!(last["stage"], "awaiting_approval", "{last}");
}
