//! Cohorts: what one group of clients wants becomes its own key (Z-098).

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::flight;
use super::name_of;
use super::small_gates;
use super::warnings;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

/// An airline whose buses and whose desks are cohorts.
fn airline() -> Server {
    let declare = |settings: &mut Settings| {
        settings.cohorts = [("fleet", "bus-*"), ("counter", "desk-*")]
            .map(|(name, pattern)| (name.to_owned(), vec![pattern.to_owned()]))
            .into();
    };
    Server::start(
        &[("template.json", flight(small_gates(&json!({}))))],
        declare,
        PartsOverride::default(),
    )
}

/// The clients want the same thing, in turn, until each of these was said.
fn wanted_by(server: &Server, clients: &[&str], said: &[&str]) {
    for (said, client) in said.iter().zip(clients.iter().cycle()) {
        server.wish(client, said);
    }
}

fn audiences(server: &Server) -> Vec<Value> {
    server.patches().iter().map(|patch| patch["audience"].clone()).collect()
}

/// Keys that a client is told of since the beginning.
fn told(server: &Server, client: &str) -> usize {
    let updates = server.get(client, "/v1/scenarios/flight_booking/updates?since=0");
    updates.body["patches"].as_array().expect("patches").len()
}

#[test]
fn what_a_cohort_wants_is_its_own_and_nobody_elses_z098_z122_z123() {
    let server = airline();
    assert_eq!(server.book("desk-1", &[]).status, 200);
    wanted_by(&server, &["bus-1", "bus-2", "bus-3", "bus-4", "bus-5"], &SEAT);
    assert_eq!(audiences(&server), [json!({"kind": "cohort", "id": "fleet"})]);
    let shared = server.patches()[0].clone();
    let name = name_of(&shared);

    // Every bus has it, whether it asked or not; nobody else sees any of it.
    for (client, sees) in [("bus-1", true), ("bus-77", true), ("desk-1", false), ("zoe", false)] {
        assert_eq!(server.learned(client, &name).is_some(), sees, "{client}");
        assert_eq!(told(&server, client), usize::from(sees), "{client}");
    }
    let suggested = |client: &str| server.book(client, &[]).body["schema_update_suggestion"].is_object();
    assert!(suggested("bus-78") && !suggested("desk-2"));
    let used = server.book("bus-1", &[(&name, json!(true))]);
    assert_eq!(used.status, 200, "{}", used.body);
    assert!(
        warnings(&used).iter().all(|(_, code)| code != "unknown_key"),
        "{}",
        used.body
    );
    let foreign = server.book("desk-1", &[(&name, json!(true))]);
    assert_eq!(warnings(&foreign)[0].1, "unknown_key", "{}", foreign.body);

    // What is measured is measured of those who were told.
    let ledger = server.ledger();
    let reading = &ledger["keys"][&name];
    assert!(reading["received"].as_u64() >= Some(3), "{reading}");
    let evidence = server.evidence(&shared);
    let said = evidence["explanation"].to_string();
    assert!(
        said.contains("for one cohort of clients because 4 clients of that cohort asked"),
        "{said}"
    );
    let page = server.page("/metrics");
    // The gate opened at three fragments, of which no key is made yet, and once more at four.
    let line = r#"otherwise_triggers_total{audience="cohort",scenario="flight_booking"} 2"#;
    assert!(page.contains(line), "{page}");
}
