//! Looking counts for nothing: who only looks leaves no receipt, and sees a template as another client does.

use std::sync::Arc;

use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::LEGROOM;
use super::SCENARIO;
use super::airline;
use super::flight;
use super::id_of;
use super::name_of;
use super::payload;
use super::small_gates;
use super::timed;
use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::principal::one_of_each;
use crate::support::random::Random;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

const LOOKS: (&str, &str) = ("Otherwise-Receipt", "none");

/// Addresses that a page reads, of a scenario and of its first patch.
const READ: [&str; 22] = [
    "/v1/me",
    "/v1/service",
    "/v1/approvals?limit=1",
    "/v1/approvals?scenario=flight_booking&sort=newest",
    "/v1/audits",
    "/v1/audits:summary",
    "/v1/scenarios",
    "/v1/scenarios?q=book%20me%20a%20flight",
    "/v1/scenarios/flight_booking/template",
    "/v1/scenarios/flight_booking/template?format=markdown",
    "/v1/scenarios/flight_booking/template?preferred_language=de",
    "/v1/scenarios/flight_booking/template?as_of=3",
    "/v1/scenarios/flight_booking/template?client=agent-1",
    "/v1/scenarios/flight_booking/updates?since=0",
    "/v1/scenarios/flight_booking/versions",
    "/v1/scenarios/flight_booking/clients",
    "/v1/scenarios/flight_booking/pool?words=true",
    "/v1/scenarios/flight_booking/pool:review",
    "/v1/scenarios/flight_booking/patches",
    "/v1/scenarios/flight_booking/ledger",
    "/v1/patches/flight_booking.p1",
    "/v1/patches/flight_booking.p1/evidence",
];

/// A scenario with a key on trial, which some have used, under a clock that is set by hand.
fn on_trial() -> (Server, Arc<VirtualClock>, Value) {
    let reader = |settings: &mut Settings| {
        settings.policy.evolution.reader = engine::evolution::review::Seat::Outside;
    };
    let (server, clock) = timed(small_gates(&json!({"audit_share": 1.0})), reader);
    let patch = server.wanted_by_many(&SEAT);
    assert_eq!(patch["stage"], "experimental");
    for client in ["agent-0", "agent-1"] {
        let used = server.book(client, &[(&name_of(&patch), json!(true))]);
        assert_eq!(used.status, 200, "{}", used.body);
    }
    (server, clock, patch)
}

/// The whole state of the scenario.
fn state(server: &Server) -> Value {
    let handle = server.service().handle("flight_booking").expect("a scenario");
    serde_json::to_value(&*handle.state()).expect("a state")
}

/// Every figure that is told of a trial, of clients and of demand.
fn figures(server: &Server) -> Vec<Value> {
    let told = [
        "/v1/scenarios/flight_booking/ledger",
        "/v1/scenarios/flight_booking/clients",
        "/v1/scenarios/flight_booking/patches",
        "/v1/scenarios/flight_booking/pool?words=true",
        "/v1/patches/flight_booking.p1/evidence",
        "/v1/audits",
    ];
    let read = |path: &str| {
        let reply = server.call("GET", path, &[LOOKS], "");
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body
    };
    told.into_iter().map(read).collect()
}

/// One look at something, by somebody.
fn look(server: &Server, random: &mut Random, patch: &Value) {
    let name = ["olga", "agent-1", "someone-new", "reader"][usize::try_from(random.below(4)).expect("small")];
    let headers = [("Otherwise-Client", name), LOOKS];
    match random.below(6) {
        0 => {
            let mut payload = payload();
            payload[name_of(patch)] = json!(random.one_in(2));
            payload["other"] = json!(SEAT[usize::try_from(random.below(8)).expect("small")]);
            let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
            let tried = server.call("POST", "/v1/submissions:validate", &headers, &body);
            assert_eq!(tried.status, 200, "{}", tried.body);
        }
        1 => {
            let stream = format!("{SCENARIO}/updates/stream");
            let all = [&headers[..], &[("Last-Event-ID", "0")]].concat();
            let (status, _, events) = events::open(server.base(), &stream, &all);
            assert_eq!(status, 200);
            events.expect("a stream").event();
        }
        2 => {
            let (status, _, events) = events::open(server.base(), "/v1/events", &headers);
            assert_eq!(status, 200);
            assert_eq!(events.expect("a stream").told().0, "reset");
        }
        3 => {
            let asked = r#"{"method": "get_schema_template", "params": {"scenario": "flight booking"}}"#;
            assert_eq!(
                server.call("POST", "/v1/scenarios:negotiate", &headers, asked).status,
                200
            );
        }
        _ => {
            let path = READ[usize::try_from(random.below(READ.len() as u64)).expect("small")];
            let reply = server.call("GET", path, &headers, "");
            assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        }
    }
}

#[test]
fn a_day_of_looking_changes_no_figure_of_a_trial_z139() {
    let (seen, seen_clock, patch) = on_trial();
    let (unseen, unseen_clock, _) = on_trial();
    assert_eq!(state(&seen), state(&unseen), "both begin alike");
    let mut random = Random::new(31);
    for _hour in 0..24 {
        for _ in 0..12 {
            look(&seen, &mut random, &patch);
        }
        for (server, clock) in [(&seen, &seen_clock), (&unseen, &unseen_clock)] {
            clock.advance_ms(3_600_000);
            server.settle();
            server.tick();
        }
    }
    assert_eq!(state(&seen), state(&unseen));
    assert_eq!(figures(&seen), figures(&unseen));
    let clients = seen.call("GET", &format!("{SCENARIO}/clients"), &[LOOKS], "").body;
    assert!(!clients.to_string().contains("someone-new"), "{clients}");

    // The same look counts where nobody says that it is one.
    seen.template_of("someone-new");
    seen.settle();
    assert_ne!(figures(&seen), figures(&unseen));
}

/// People with keys: `key of {name}`.
fn guarded() -> Server {
    let template = flight(small_gates(&json!({})));
    Server::set(&[("template.json", template)], |settings| {
        settings.principals = one_of_each()
    })
}

fn ask(server: &Server, name: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let key = format!("key of {name}");
    server.call("GET", path, &[&[("X-API-Key", key.as_str())], headers].concat(), "")
}

#[test]
fn only_who_may_inspect_looks_without_a_receipt_and_anybody_else_is_told() {
    let server = guarded();
    let template = format!("{SCENARIO}/template");
    for (name, status, code) in [
        ("paul", 200, ""),
        ("olga", 200, ""),
        ("adam", 200, ""),
        ("ada", 403, "forbidden"),
    ] {
        let reply = ask(&server, name, &template, &[LOOKS]);
        assert_eq!(reply.told(), (status, code), "{name}");
    }
    let refused = ask(&server, "ada", &template, &[LOOKS]);
    assert!(refused.detail().contains("Otherwise-Receipt"), "{}", refused.body);
    for wrong in [&[("Otherwise-Receipt", "no")][..], &[LOOKS, LOOKS]] {
        assert_eq!(
            ask(&server, "olga", &template, wrong).told(),
            (400, "bad_header"),
            "{wrong:?}"
        );
    }
    assert_eq!(ask(&server, "ada", &template, &[]).status, 200);
}

#[test]
fn a_template_is_shown_as_another_client_sees_it_and_leaves_no_receipt_z122_z139() {
    let server = airline(&json!({}));
    let own = server.wanted_by_one("ana", &LEGROOM);
    let name = name_of(&own);
    let seen = |client: &str| {
        let path = format!("{SCENARIO}/template?client={client}");
        let reply = server.call("GET", &path, &[("Otherwise-Client", "olga")], "");
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply
    };
    let before = state(&server);
    let (hers, his) = (seen("ana"), seen("ben"));
    server.settle();
    assert_eq!(state(&server), before, "no receipt");
    assert!(hers.body["keys"].to_string().contains(&name), "{}", hers.body);
    assert!(!his.body["keys"].to_string().contains(&name), "{}", his.body);
    let itself = server.get("ana", &format!("{SCENARIO}/template"));
    assert_eq!(
        (&itself.body, &itself.headers["ETag"]),
        (&hers.body, &hers.headers["ETag"])
    );
    let tag = hers.headers["ETag"].to_str().expect("a tag");
    let path = format!("{SCENARIO}/template?client=ana");
    assert_eq!(server.call("GET", &path, &[("If-None-Match", tag)], "").status, 304);
    let past = server.call("GET", &format!("{path}&as_of={}", own["revision"]), &[], "");
    assert!(past.body["keys"].to_string().contains(&name), "{}", past.body);
    for wrong in ["", "a%20b"] {
        let reply = server.call("GET", &format!("{SCENARIO}/template?client={wrong}"), &[], "");
        assert_eq!(reply.told(), (400, "bad_parameter"), "{wrong}");
    }
    assert!(id_of(&own).starts_with("flight_booking.p"));

    let server = guarded();
    for (name, status) in [("paul", 200), ("olga", 200), ("adam", 403), ("ada", 403)] {
        let reply = ask(&server, name, &format!("{SCENARIO}/template?client=ada"), &[]);
        assert_eq!(reply.status, status, "{name}: {}", reply.body);
    }
}

#[test]
fn everybody_is_told_who_they_are_and_what_they_may_do() {
    let server = guarded();
    for (name, role, may) in [
        ("paul", "publisher", json!(["publish", "negotiate", "share", "inspect"])),
        (
            "olga",
            "operator",
            json!(["publish", "negotiate", "share", "inspect", "audit", "operate"]),
        ),
        ("adam", "auditor", json!(["negotiate", "inspect", "audit"])),
        ("ada", "client", json!(["negotiate", "submit", "share"])),
    ] {
        let expected = json!({
            "name": name, "method": "api_key", "roles": [role], "may": may, "version": env!("CARGO_PKG_VERSION"),
        });
        let mut told = ask(&server, name, "/v1/me", &[]).body;
        let console = told.as_object_mut().and_then(|told| told.remove("console"));
        assert!(console.is_some_and(|digest| digest.as_str().is_some_and(|digest| digest.len() == 64)));
        assert_eq!(told, expected);
    }
    assert_eq!(server.call("GET", "/v1/me", &[], "").told(), (401, "unauthenticated"));
    let open = airline(&json!({}));
    let nobody = open.call("GET", "/v1/me", &[], "");
    nobody.has(
        200,
        json!({"name": null, "method": "open", "may/0": "publish", "may/6": "operate"}),
    );
}
