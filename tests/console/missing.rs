//! What is missing: what stands beside a cluster's gate is what the gate counts.

use serde_json::json;

use super::OLGA;
use super::enter;
use super::flight;
use super::webdriver::Browser;
use super::wish;
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
    assert!(told.contains(&format!("of {} in all", whole("heat"))), "{told}");
    assert!(told.contains(&format!("\t{}", whole("capped_heat"))), "{told}");
}
