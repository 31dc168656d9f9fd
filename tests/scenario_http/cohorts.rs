//! Cohorts: what one group of clients wants becomes its own key, what several want becomes everyone's (Z-098).

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Principal;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::LEGROOM;
use super::SEAT;
use super::book;
use super::flight;
use super::get;
use super::id_of;
use super::learned;
use super::name_of;
use super::patches;
use super::small_gates;
use super::warnings;
use super::wish;
use crate::support::principal::with_key;
use crate::support::server::Server;

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
        wish(server, client, said);
    }
}

fn audiences(server: &Server) -> Vec<Value> {
    patches(server).iter().map(|patch| patch["audience"].clone()).collect()
}

/// Keys that a client is told of since the beginning.
fn told(server: &Server, client: &str) -> usize {
    let updates = get(server, client, "/v1/scenarios/flight_booking/updates?since=0");
    updates.body["patches"].as_array().expect("patches").len()
}

#[test]
fn what_a_cohort_wants_is_its_own_and_what_two_want_is_everyones_z098_z122_z123() {
    let server = airline();
    assert_eq!(book(&server, "desk-1", &[]).status, 200);
    wanted_by(&server, &["bus-1", "bus-2", "bus-3", "bus-4", "bus-5"], &SEAT);
    assert_eq!(audiences(&server), [json!({"kind": "cohort", "id": "fleet"})]);
    let shared = patches(&server)[0].clone();
    let name = name_of(&shared);

    // Every bus has it, whether it asked or not; nobody else sees any of it.
    for (client, sees) in [("bus-1", true), ("bus-77", true), ("desk-1", false), ("zoe", false)] {
        assert_eq!(learned(&server, client, &name).is_some(), sees, "{client}");
        assert_eq!(told(&server, client), usize::from(sees), "{client}");
    }
    let suggested = |client: &str| book(&server, client, &[]).body["schema_update_suggestion"].is_object();
    assert!(suggested("bus-78") && !suggested("desk-2"));
    let used = book(&server, "bus-1", &[(&name, json!(true))]);
    assert_eq!(used.status, 200, "{}", used.body);
    assert!(
        warnings(&used).iter().all(|(_, code)| code != "unknown_key"),
        "{}",
        used.body
    );
    let foreign = book(&server, "desk-1", &[(&name, json!(true))]);
    assert_eq!(warnings(&foreign)[0].1, "unknown_key", "{}", foreign.body);

    // What is measured is measured of those who were told.
    let ledger = get(&server, "operator", "/v1/scenarios/flight_booking/ledger").body;
    let reading = &ledger["keys"][&name];
    assert!(reading["received"].as_u64() >= Some(3), "{reading}");
    let evidence = get(&server, "operator", &format!("/v1/patches/{}/evidence", id_of(&shared))).body;
    let said = evidence["explanation"].to_string();
    assert!(
        said.contains("for one cohort of clients because 4 clients of that cohort asked"),
        "{said}"
    );
    let page = server.page("/metrics");
    // The gate opened at three fragments, of which no key is made yet, and once more at four.
    let line = r#"otherwise_triggers_total{audience="cohort",scenario="flight_booking"} 2"#;
    assert!(page.contains(line), "{page}");

    // What buses and desks want alike is everyone's at once.
    wanted_by(
        &server,
        &["bus-1", "desk-1", "bus-2", "desk-2", "zoe"],
        &LEGROOM.repeat(2),
    );
    let found = patches(&server);
    let legroom = found.last().expect("a patch");
    assert_eq!(legroom["audience"], json!({"kind": "global"}), "{legroom}");
    for client in ["bus-9", "desk-9", "zoe"] {
        assert!(learned(&server, client, &name_of(legroom)).is_some(), "{client}");
    }

    // And what was a cohort's becomes everyone's when the others want it too.
    wanted_by(&server, &["desk-1", "desk-2", "desk-3", "desk-4", "zoe"], &SEAT);
    let pool = get(&server, "operator", "/v1/scenarios/flight_booking/pool").body;
    let clusters = pool["clusters"].as_array().expect("clusters");
    let came_of = |id: &str, cluster: &Value| {
        let triggers = cluster["triggers"].as_array().expect("triggers");
        triggers.iter().any(|trigger| trigger["patch_id"] == id)
    };
    let home = clusters.iter().find(|cluster| came_of(&id_of(&shared), cluster));
    let home = home.expect("the wish is there");
    let found = patches(&server);
    let global = found
        .iter()
        .find(|patch| patch["audience"]["kind"] == "global" && came_of(&id_of(patch), home));
    let global = global.unwrap_or_else(|| panic!("nothing for all: {home} {found:?}"));
    for client in ["bus-9", "desk-9", "zoe"] {
        assert!(learned(&server, client, &name_of(global)).is_some(), "{client}");
    }
    let own = get(&server, "operator", &format!("/v1/patches/{}", id_of(&shared))).body;
    assert_eq!(own["stage"], "experimental", "the cohort's own goes on");
}

#[test]
fn without_a_cohort_the_same_wishes_are_everyones_z098() {
    let server = super::airline(&json!({}));
    assert_eq!(book(&server, "desk-1", &[]).status, 200);
    wanted_by(&server, &["bus-1", "bus-2", "bus-3", "bus-4", "bus-5"], &SEAT);
    assert_eq!(audiences(&server), [json!({"kind": "global"})]);
}

#[test]
fn a_patch_of_another_cohort_is_not_there_z098_z123() {
    let principal = |name: &str, role: Role, cohort: Option<&str>| Principal {
        cohort: cohort.map(str::to_owned),
        ..with_key(name, role, name)
    };
    let server = Server::start(
        &[("flight.json", flight(small_gates(&json!({}))))],
        |settings| {
            settings.principals = vec![principal("olga", Role::Operator, None)];
            for name in ["ann", "bob", "cid", "dee"] {
                settings.principals.push(principal(name, Role::Client, Some("fleet")));
            }
            settings
                .principals
                .push(principal("eve", Role::Client, Some("counter")));
            settings.principals.push(principal("zoe", Role::Client, None));
        },
        PartsOverride::default(),
    );
    let submit = |who: &str, more: &[(&str, &str)]| {
        let mut payload = super::payload();
        for (key, value) in more {
            payload[*key] = json!(value);
        }
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
        let reply = server.call("POST", "/v1/submissions", &[("X-API-Key", who)], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    };
    submit("eve", &[]);
    for (said, who) in SEAT.iter().zip(["ann", "bob", "cid"].iter().cycle()) {
        submit(who, &[("other", said)]);
    }
    let call = |who: &str, path: &str| server.call("GET", path, &[("X-API-Key", who)], "");
    let all = call("olga", "/v1/scenarios/flight_booking/patches");
    let patch = &all.body["patches"][0];
    assert_eq!(
        patch["audience"],
        json!({"kind": "cohort", "id": "fleet"}),
        "{}",
        all.body
    );
    let path = format!("/v1/patches/{}", id_of(patch));
    for (who, status) in [("olga", 200), ("ann", 200), ("dee", 200), ("eve", 404), ("zoe", 404)] {
        assert_eq!(call(who, &path).status, status, "{who}");
    }
    assert_eq!(call("eve", &path).body["code"], "unknown_patch");
}
